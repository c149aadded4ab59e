#!/bin/sh
# `isa ptx` lists the table with a status; with files it tells which kernels cannot run, and why.
set -eu
fail() { echo "$1"; exit 1; }
"$WARPGLASS" isa ptx > "$TEST_TMP/table"
for status in exact 'no effect' refused; do
    grep -q " $status " "$TEST_TMP/table" || fail "no instruction is $status"
done
! grep -q '^%' "$TEST_TMP/table" || fail 'instructions of lowering alone are listed'
"$WARPGLASS" isa ptx --csv | awk -F, 'NF != 5 { exit 1 }' || fail 'a line of the CSV has not five fields'
cat > "$TEST_TMP/mixed.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry good()
{
ret;
}
.visible .entry bad()
{
.reg .b32 %r<3>;
nosuch.u32 %r1, %r2;
ret;
}
END
"$WARPGLASS" isa ptx "$TEST_DATA/ptx/sgemm.ptx" > "$TEST_TMP/good" || fail 'a file that can run is refused'
grep -q '^6 of 6 kernels can run, in 1 of 1 files all of them$' "$TEST_TMP/good" || fail "$(cat "$TEST_TMP/good")"
code=0
"$WARPGLASS" isa ptx "$TEST_TMP/mixed.ptx" "$TEST_DATA/ptx/reduce.ptx" > "$TEST_TMP/mixed" || code=$?
[ $code -eq 1 ] || fail "exit $code, not 1"
grep -q 'mixed.ptx:11:1: kernel bad: unknown instruction' "$TEST_TMP/mixed" || fail "$(cat "$TEST_TMP/mixed")"
grep -q 'in 1 of 2 files all of them' "$TEST_TMP/mixed" || fail "$(cat "$TEST_TMP/mixed")"
"$WARPGLASS" isa ptx --csv "$TEST_TMP/mixed.ptx" > "$TEST_TMP/csv" || :
grep -q ',good,runs,,' "$TEST_TMP/csv" || fail 'no row for the good kernel'
grep -q ',bad,refused,11,"' "$TEST_TMP/csv" || fail 'no row for the bad kernel'
mkdir -p "$TEST_TMP/folder"
cp "$TEST_TMP/mixed.ptx" "$TEST_DATA/ptx/reduce.ptx" "$TEST_TMP/folder"
tools/compatibility_ptx.sh "$TEST_TMP/folder" "$WARPGLASS" > "$TEST_TMP/sum" 2> /dev/null
grep -q '^without asynchronous.* 2 *1 *50.0%' "$TEST_TMP/sum" || fail "$(cat "$TEST_TMP/sum")"
grep -q '1 unknown instruction in nosuch' "$TEST_TMP/sum" || fail "$(cat "$TEST_TMP/sum")"
