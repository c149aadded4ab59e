#!/bin/sh
# Guest faults end a launch with status 4 and a report that names what, where, who and how far; locks between lanes finish.
# Prints TAP.
set -u
count=0
launch() {
    timeout 60 "$WARPGLASS" launch "$TEST_DATA/ptx/faults.ptx" --quiet --log-file /dev/null "$@" >"$TEST_TMP/out" 2>&1
    status=$?
}
check() { # check NAME STATUS LINE…: the status, and every line somewhere in the output
    count=$((count + 1))
    name=$1 want=$2 bad=
    shift 2
    [ "$status" = "$want" ] || bad="status $status, not $want"
    for line in "$@"; do
        grep -qF -e "$line" "$TEST_TMP/out" || bad="$bad; missing: $line"
    done
    [ -z "$bad" ] && echo "ok $count - $name" && return
    echo "not ok $count - $name $bad"
    sed 's/^/# /' "$TEST_TMP/out"
}

launch --kernel write_past_end --grid 2 --block 64 --arg 's32[100]'
check global_bounds 4 'Invalid __global__ write of size 4 bytes' 'at write_past_end, instruction' 'in faults.cu:2' \
    'by thread (36,0,0) in block (1,0,0)' 'is out of bounds' 'after the allocation of 400 bytes'
launch --kernel read_misaligned --grid 1 --block 32 --arg 's32[256]' --arg 's32[32]' --arg 1
check misaligned 4 'Invalid __global__ read of size 16 bytes' 'in faults.cu:6' 'by thread (0,0,0) in block (0,0,0)' \
    'is misaligned' '4 bytes into the allocation of 1,024 bytes'
launch --kernel write_shared_past_end --grid 1 --block 64 --shared 256 --arg 's32[64]' --arg 1
check shared_bounds 4 'Invalid __shared__ write of size 4 bytes' 'in faults.cu:13' 'by thread (63,0,0)' 'Access to 0x100' \
    'the block has 256 bytes of shared memory'
launch --kernel divergent_barrier --grid 1 --block 64 --arg 's32[64]'
check divergent_barrier 4 'Barrier error detected. Divergent thread(s) in' 'in faults.cu:2' 'wait at barrier'
launch --kernel unequal_barriers --grid 1 --block 64 --arg 's32[64]'
check deadlock 4 'Deadlock: no warp can go on' 'wait at barrier 1, where 32 of 64 threads have arrived' \
    '1 warp, first warp 0 with lanes 0xffffffff: barrier 1, 32 of 64 threads have arrived; at instruction 4 (bar.sync 1, 64) in faults.cu:'
cat >"$TEST_TMP/spin.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry spin(.param .u64 flag)
{
    .reg .u64 %a;
    .reg .u32 %v;
    .reg .pred %p;
    ld.param.u64 %a, [flag];
again:
    ld.volatile.global.u32 %v, [%a];
    setp.eq.u32 %p, %v, 0;
    @%p bra again;
    ret;
}
END
timeout 60 "$WARPGLASS" launch "$TEST_TMP/spin.ptx" --quiet --log-file /dev/null --kernel spin --grid 3 --block 64 --arg 's32[1]' --timeout 0.2 \
    >"$TEST_TMP/out" 2>&1
status=$?
check timeout 4 'Timeout: the launch took longer than --timeout allows' '0 of 3 blocks had ended' 'one block stands here:' '2 warps, first warp 0' \
    '; at instruction'
launch --kernel trap_in_thread --grid 1 --block 64 --arg 's32[64]' --arg 33
check trap 4 'Trap instruction executed' 'by thread (33,0,0) in block (0,0,0)'
launch --kernel lock_by_lanes --grid 2 --block 64 --arg 's32[1]' --arg 's32[1]' --print 1:0:1
check lock_by_lanes 0 'argument 1 [0..]: 128'
launch --kernel spin_then_work --grid 2 --block 64 --arg 's32[1]' --arg 's32[1]' --print 1:0:1
check spin_then_work 0 'argument 1 [0..]: 128'
launch --kernel write_past_end --grid 2 --block 64 --arg null
check null_pointer 4 'Invalid __global__ write of size 4 bytes' 'Access to 0x0 is out of bounds'
echo "1..$count"
