#!/bin/sh
# Instructions that doc/limits.md says are not there are refused by name, at their place, before anything runs. Prints TAP.
set -u
n=0
cd "$TEST_TMP" || exit 1

refuses() { # instruction, what the message says
    n=$((n + 1))
    printf '.version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>;\n.reg .b16 %%h<3>; .reg .pred p;\n%s\nret;\n}\n' "$1" >refused.ptx
    if said=$("$WARPGLASS" isa ptx refused.ptx 2>&1); then
        echo "not ok $n - $1: not refused"
    elif echo "$said" | grep -qF "refused.ptx:8:" && echo "$said" | grep -qF "$2"; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $1"
        echo "$said" | sed 's/^/# /'
    fi
}

refuses 'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;' 'tcgen05 is not supported: of sm_100'
refuses 'clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];' 'clusterlaunchcontrol is not supported: of sm_100'
refuses 'multimem.ld_reduce.global.add.u32 %r1, [%rd1];' 'multimem is not supported'
refuses 'mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2,%r3}, {%f0,%f1,%f2,%f3}, %r4, 0x0;' 'mma.sp.sync.aligned is not supported'
refuses 'wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %r1, 0, p, 1, 1, 0, 0;' 'wgmma.mma_async.sp.sync.aligned is not supported'
refuses 'cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r1, %r2, %r3}], [%r2], {%h1};' 'im2col is not supported'
refuses 'redux.sync.min.f32 %f1, %f2, 0xffffffff;' 'redux.sync of .f32 is not supported: sm_100a alone has it'
refuses 'add.rn.f32x2 %rd1, %rd2, %rd3;' 'add.f32x2 is not supported: of sm_100'
refuses 'fma.rn.ftz.f32x2 %rd1, %rd2, %rd3, %rd1;' 'fma.f32x2 is not supported'
refuses 'cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r1, %r2}], [%r3];' 'cta_group::2 is not supported'
refuses 'vadd.u32.u32.u32.add %r1.b0, %r2, %r3, %r4;' 'beside a second operation'
refuses 'vadd.u32.u32.u32 %r1.b4, %r2, %r3, %r4;' "'.b4' does not fit vadd"
refuses 'vadd.u32.u32.u32 %r1.b0, %r2, %r3;' 'needs a third source'
refuses 'vmad.u32.u32.u32 %r1.b0, %r2, %r3, %r4;' "'.b0' does not fit vmad"
refuses 'vmad.s32.u32.u32.po %r1, -%r2, %r3, %r4;' 'vmad.po takes no signs'
refuses 'vmad.s32.u32.u32 %r1, -%r2, %r3, -%r4;' 'vmad negates its product or its third source'
refuses 'vadd.u32.u32.u32 %r1, -%r2, %r3;' 'a negated register is not supported here'
refuses 'xor %r1, %r2, %r3;' 'type'
echo "1..$n"
