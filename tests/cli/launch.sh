#!/bin/sh
# launch: every form of --arg, --symbol, --print, --save, --hash; wrong input gives one line that names the mistake. TAP.
set -u
count=0
out=$TEST_TMP/out
check() { # check NAME STATUS LINE…: the status of the last command, and every line somewhere in its output
    count=$((count + 1))
    name=$1 want=$2 bad=
    shift 2
    [ "$status" = "$want" ] || bad="status $status, not $want"
    for line in "$@"; do
        grep -qF -e "$line" "$out" || bad="$bad; missing: $line"
    done
    [ -z "$bad" ] && echo "ok $count - $name" && return
    echo "not ok $count - $name $bad"
    sed 's/^/# /' "$out"
}
launch() {
    timeout 100 "$WARPGLASS" launch "$@" >"$out" 2>&1
    status=$?
}

cat >"$TEST_TMP/args.ptx" <<'PTX'
.version 8.0
.target sm_70
.address_size 64
.const .align 4 .b8 c_values[16];
.global .align 4 .u32 g_value = 7;
.visible .entry store_all(.param .u64 out, .param .u32 a, .param .f32 b, .param .u8 c, .param .align 4 .b8 d[8])
{
    .reg .b32 %r<6>;
    .reg .f32 %f1;
    .reg .b16 %h1;
    .reg .b64 %rd1;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [a];
    st.global.u32 [%rd1], %r1;
    ld.param.f32 %f1, [b];
    st.global.f32 [%rd1+4], %f1;
    ld.param.u8 %h1, [c];
    cvt.u32.u16 %r2, %h1;
    st.global.u32 [%rd1+8], %r2;
    ld.param.u32 %r3, [d+4];
    st.global.u32 [%rd1+12], %r3;
    ld.const.u32 %r4, [c_values+8];
    st.global.u32 [%rd1+16], %r4;
    ld.global.u32 %r5, [g_value];
    st.global.u32 [%rd1+20], %r5;
    ret;
}
.visible .entry add_one(.param .u64 p)
{
    .reg .f32 %f<3>;
    .reg .b32 %r1;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.f32 %f1, [%rd1];
    add.f32 %f2, %f1, 0f3F800000;
    st.global.f32 [%rd1], %f2;
    ret;
}
.visible .entry unknown_inside() { frobnicate.u32; ret; }
PTX
ptx=$TEST_TMP/args.ptx
one="--grid 1 --block 1 --quiet --log-file /dev/null"
# shellcheck disable=SC2086 # words
all() { launch "$ptx" --kernel store_all $one --arg 'u32[6]' --print 0:0:6 "$@"; }

all --arg 5 --arg 1.5 --arg 250 --arg bytes:0000000009000000
check numbers 0 'argument 0 [0..]: 5 1069547520 250 9 0 7'
all --arg -1 --arg f32:2 --arg u8:0x10 --arg 's32[2]=iota:3:4' --symbol 'c_values=u32[4]=iota:10' --symbol 'g_value=u32[1]=const:99'
check typed_values_and_symbols 0 'argument 0 [0..]: 4294967295 1073741824 16 7 12 99'
# shellcheck disable=SC2086
launch "$ptx" --kernel add_one --grid 1 --block 4 --quiet --log-file /dev/null --arg 'f32[4]=iota:1:0.5' --print 0 --hash \
    --save "0=$TEST_TMP/saved"
check print_hash 0 'argument 0 [0..]: 2 2.5 3 3.5' 'argument 0 hash='
launch "$ptx" --kernel add_one --grid 1 --block 4 --quiet --log-file /dev/null --arg "f32[4]=file:$TEST_TMP/saved" --print 0
check save_and_file 0 'argument 0 [0..]: 3 3.5 4 4.5'
echo '1 2.5 -3e2 0x4' >"$TEST_TMP/numbers"
launch "$ptx" --kernel add_one --grid 1 --block 4 --quiet --log-file /dev/null --arg "f32[4]=text:$TEST_TMP/numbers" --print 0
check text 0 'argument 0 [0..]: 2 3.5 -299 5'
launch "$ptx" --kernel add_one --grid 1 --block 4 --quiet --log-file /dev/null --arg 'f32[64]=random:7' --print 0:0:1
check random 0 'argument 0 [0..]: 1.'
launch "$ptx" --kernel add_one --grid 1 --block 1 --model off --quiet --log-file /dev/null --arg 'f32[1]' --print 0:0:1
check model_off 0 'argument 0 [0..]: 1'

launch "$ptx" --kernel add_one --grid 1
check no_block 2 '--grid and --block are needed'
launch "$ptx" --kernel add_two --grid 1 --block 1
check no_kernel 3 "no kernel 'add_two'; it holds store_all, add_one, unknown_inside"
launch "$ptx" --kernel add_one --grid 1 --block 1
check no_arguments 3 'add_one takes 1 argument, 0 given by --arg (p: 8 bytes)'
launch "$ptx" --kernel add_one --grid 1 --block 1 --arg 'f33[4]'
check bad_type 3 "'f33' is no element type"
launch "$ptx" --kernel add_one --grid 1 --block 1 --arg 'f32[4]=iotta'
check bad_contents 3 "'iotta' is not zero, iota"
launch "$ptx" --kernel add_one --grid 1 --block 2000 --arg 'f32[4]'
check too_many_threads 3 '1,024 allowed'
launch "$ptx" --kernel unknown_inside --grid 1 --block 1
check unknown_instruction 3 'args.ptx:42:' 'frobnicate' '^'
launch "$ptx" --kernel add_one --grid 1 --block 1 --arg 'f32[4]' --devise h100-sxm
check unknown_option 2 "did you mean '--device'?"
launch "$ptx" --kernel add_one --grid 1 --block 1 --arg 'f32[4]' --device h300
check unknown_device 3 'h300'
launch "$TEST_TMP/none.ptx" --grid 1 --block 1
check no_file 3 'none.ptx'
echo "1..$count"
