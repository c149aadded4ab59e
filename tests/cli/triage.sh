#!/bin/sh
# triage: the same numbers from the log of ptxas, from fatbins, a library and what cuobjdump printed; each trap is seen in
# its own log and cubin; gates, order, formats, mistakes.
set -u
triage=$TEST_DATA/triage cubins=$TEST_DATA/cubins
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# CSV on standard input: the named columns of every row, sorted.
columns() {
    awk -F, -v names="$*" '
        NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { gsub(/"/, ""); line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $(at[name[i]]); print line }' |
        LC_ALL=C sort
}

# ---- one number by every route ----

numbers="kernel target registers shared_bytes stack_bytes"
all=""
for program in async_copy bandwidth banks bugs chase cluster coalesce constant divergence features histogram l2 latency local mma reduce sgemm \
    softmax texture tma2d transpose vector_copy wgmma; do
    all="$all $cubins/$program.fatbin"
done
route() { # name, files…: the numbers by that route
    name=$1
    shift
    "$WARPGLASS" triage "$@" --csv | columns $numbers >"$TEST_TMP/$name"
    cmp -s "$TEST_TMP/log" "$TEST_TMP/$name" || fail "log and $name differ: $(diff "$TEST_TMP/log" "$TEST_TMP/$name" | head -n 4)"
}
"$WARPGLASS" triage "$triage/h200_ptxas.log" --csv | columns $numbers >"$TEST_TMP/log"
n=$(wc -l <"$TEST_TMP/log")
[ "$n" -eq 233 ] || fail "$n kernels in the log, not 233"
# shellcheck disable=SC2086 # a list of files
route fatbin $all
route resources "$triage/h200_resources.txt"
# An executable holds the same containers in a section of its own.
for fatbin in $all; do
    printf '.section .nv_fatbin, "a"\n.balign 8\n.incbin "%s"\n' "$fatbin"
done >"$TEST_TMP/all.s"
${CC:-cc} -shared -nostdlib -o "$TEST_TMP/all.so" "$TEST_TMP/all.s" || fail "no library of the fatbins"
route library "$TEST_TMP/all.so"
# shellcheck disable=SC2086 # a list of files
both=$("$WARPGLASS" triage "$triage/h200_ptxas.log" $all "$TEST_TMP/all.so" "$triage/h200_resources.txt" --csv | wc -l)
[ "$both" -eq $((n + 1)) ] || fail "all routes together make $both rows, not $((n + 1)): they are the same kernels"

# ---- traps ----

trap_is_seen() { # file, name of the trap
    "$WARPGLASS" triage "$triage/$1" --csv | columns traps | grep -qw "$2" || fail "$1: $2 is not seen"
}
trap_is_seen register_cap.log register_cap_abandoned
trap_is_seen register_cap.cubin register_cap_abandoned
trap_is_seen min_blocks.log min_blocks_ignored
trap_is_seen shared_spill.cubin spills_in_shared
"$WARPGLASS" triage "$triage/shared_spill.log" "$triage/shared_spill.cubin" --csv | columns spill_bytes shared_bytes shared_spill_bytes |
    grep -qx '0,36864,36864' || fail "shared_spill: log and cubin do not say what is spilled where"
trap_is_seen stack.log stack_without_spills
trap_is_seen shared_limit.log static_shared_over_limit
trap_is_seen shared_limit_relocatable.log static_shared_over_limit
trap_is_seen shared_limit_relocatable.cubin static_shared_over_limit
trap_is_seen shared_limit_linked.log static_shared_over_limit
"$WARPGLASS" triage "$triage/shared_limit_relocatable.cubin" "$triage/shared_limit_relocatable.log" "$triage/shared_limit_linked.log" --csv |
    columns $numbers | grep -qx 'shared_limit,sm_90,16,65536,0' || fail "assembler, linker and object do not agree on shared memory"
trap_is_seen setmaxnreg.log setmaxnreg_ignored
trap_is_seen maxrregcount.log maxrregcount_overridden
trap_is_seen maxreg_raised.log maxrregcount_raised
trap_is_seen relocatable.log without_callees
trap_is_seen relocatable.cubin without_callees
trap_is_seen recursion.cubin stack_unknown
"$WARPGLASS" triage "$triage/relocatable.log" "$triage/linked.log" --csv | columns registers traps |
    grep -qx '125,' || fail "the linker's numbers do not replace the assembler's"
"$WARPGLASS" triage "$triage/register_cap.cubin" | grep -q 'verdict.*with 32 of 168 registers' || fail "an abandoned limit is no verdict for a cubin"
"$WARPGLASS" triage "$triage/recursion.log" | grep -q 'verdict.*recursion' || fail "an unknown stack is no verdict"
"$WARPGLASS" triage "$triage/recursion.log" | grep -q 'H200 assumed' || fail "an assumed device is not called so"
"$WARPGLASS" triage "$triage/min_blocks.cubin" --csv | columns traps | grep -q . && fail "min_blocks.cubin: a trap that is not in it"

# ---- machine code ----

"$WARPGLASS" triage "$triage/barriers_11.cubin" --csv | columns target barriers | grep -qx 'sm_86,4' ||
    fail "the barriers of an older cubin are not read"

"$WARPGLASS" triage "$triage/stack.cubin" --lines >"$TEST_TMP/stack"
grep -q 'traps.cu:[0-9]*: .*STL.32' "$TEST_TMP/stack" || fail "no store to local memory on a line of traps.cu"
grep -q 'traps.cu:[0-9]*: .*LDL.32' "$TEST_TMP/stack" || fail "no load from local memory on a line of traps.cu"

"$WARPGLASS" triage "$cubins/local.fatbin" --json | tr -d '\n' | grep -q '"call_recursive"[^{]*"verdict": "Its own stack is empty' ||
    fail "the local memory of functions that are called is not seen"

# doc/triage.md shows these.
cat >"$TEST_TMP/distance" <<'END'
gemm_naive_coalesced,10,2,268,64
gemm_naive_uncoalesced,10,2,268,64
gemm_reg1d,112,2,24,48
gemm_reg2d,611,8,8,16
gemm_reg2d_vec4,566,2,8,16
gemm_tile32,86,2,32,64
END
"$WARPGLASS" triage "$cubins/sgemm.fatbin" --csv | columns kernel load_distance loads_in_flight warps_needed warps | diff - "$TEST_TMP/distance" >"$TEST_TMP/d" ||
    fail "distances between loads: $(head -n 3 "$TEST_TMP/d")"
"$WARPGLASS" triage "$cubins/sgemm.fatbin" | grep -q 'Awaits a global load every 10 instructions' || fail "loads that follow each other closely are no verdict"

# ---- devices, gates, formats ----

cat >"$TEST_TMP/smi.csv" <<'END'
name, compute_cap, memory.total [MiB]
NVIDIA H100 PCIe, 9.0, 81559 MiB
END
"$WARPGLASS" triage "$triage/stack.log" "$TEST_TMP/smi.csv" | grep -q 'NVIDIA H100 PCIe' || fail "the device of nvidia-smi is not used"
"$WARPGLASS" triage "$triage/stack.log" --fail-on 'occupancy < 0.5 || spill_bytes > 0' >/dev/null 2>&1 || fail "a gate closes that should not"
"$WARPGLASS" triage "$triage/register_cap.log" --fail-on 'spill_bytes > 0' >/dev/null 2>"$TEST_TMP/gate"
[ $? -eq 1 ] || fail "a gate does not close"
grep -q 'register_cap sm_90: spill_bytes > 0 holds' "$TEST_TMP/gate" || fail "the gate does not name the kernel"
"$WARPGLASS" triage "$triage/register_cap.cubin" --fail-on 'spill_bytes > 0' >/dev/null 2>"$TEST_TMP/gate" || fail "a gate closes on what is not known"
grep -q 'spill_bytes is not known of 1 of 1 kernels' "$TEST_TMP/gate" || fail "a number that is not known is not said"
"$WARPGLASS" triage "$triage/register_cap.log" --fail-on register_cap_abandoned >/dev/null 2>&1
[ $? -eq 1 ] || fail "a trap is no gate"
"$WARPGLASS" triage "$triage/register_cap.log" --fail-on 'spills > 0' >/dev/null 2>&1
[ $? -eq 2 ] || fail "an unknown name in a gate is not refused"
"$WARPGLASS" triage "$TEST_TMP/smi.csv" >/dev/null 2>&1
[ $? -eq 3 ] || fail "no kernel at all is not an error"
echo 'nothing of interest' >"$TEST_TMP/none.txt"
"$WARPGLASS" triage "$TEST_TMP/none.txt" 2>&1 >/dev/null | grep -q 'holds nothing that is known here' || fail "an unknown text is not named"
"$WARPGLASS" triage "$triage/stack.log" --json | grep -q '"stack_bytes": 256' || fail "JSON lacks the stack"
"$WARPGLASS" triage "$triage/min_blocks.log" "$triage/register_cap.log" | head -n 1 | grep -q '^1  register_cap' || fail "the worst is not first"
"$WARPGLASS" triage "$TEST_DATA/ptx/transpose.ptx" --csv | columns sources | sort -u | grep -qx ptx || fail "PTX is not read"
"$WARPGLASS" triage "$TEST_DATA/images/machine.fatbin" --csv | columns target | grep -q sm_80 || fail "a fatbin's images are not read"

[ $failures -eq 0 ] && echo "$n kernels by four routes, 12 traps"
exit $((failures > 0))
