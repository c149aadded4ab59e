#!/bin/sh
# Machine code on the command line: the table, single encodings, the code of a file.
set -u
fail() {
    echo "$1"
    exit 1
}

"$WARPGLASS" isa sass >"$TEST_TMP/table" || fail "isa sass fails"
grep -q '^LDG  .*lsu  .*{.WIDTH 73}' "$TEST_TMP/table" || fail "the table has no LDG"
rows=$(grep -c . "$TEST_TMP/table")
[ "$("$WARPGLASS" isa sass --csv | grep -c .)" = $((rows - 1)) ] || fail "the tables have not as many rows"

cat >"$TEST_TMP/encodings" <<'END'
0x0000000400027825 0x001fcc00078e0202
0000000000040947 001fea0003800000 100
0000000000000fff 0000000000000000
END
cat >"$TEST_TMP/expected" <<'END'
IMAD.WIDE R2, R0, 0x4, R2
@P0 BRA 0x120
(unknown: 0x0000000000000fff 0x0000000000000000)
END
"$WARPGLASS" isa sass --decode "$TEST_TMP/encodings" >"$TEST_TMP/got" || fail "isa sass --decode fails"
cmp -s "$TEST_TMP/got" "$TEST_TMP/expected" || fail "isa sass --decode prints something else"
echo nothing | "$WARPGLASS" isa sass --decode - >"$TEST_TMP/got" 2>&1 && fail "a line that is no encoding passes"
grep -q 'line 1: expected two hexadecimal words' "$TEST_TMP/got" || fail "a wrong line is not named"
"$WARPGLASS" isa ptx --decode - </dev/null >"$TEST_TMP/got" 2>&1 && fail "isa ptx --decode passes"

"$WARPGLASS" launch "$TEST_DATA/cubins/vector_copy.fatbin" --dump=sass >"$TEST_TMP/code" || fail "launch --dump=sass fails"
grep -q '^/\*[0-9a-f]*\*/ EXIT ; *// stall 5' "$TEST_TMP/code" || fail "the code has no EXIT"
grep -q 'STG.E.* ;' "$TEST_TMP/code" || fail "the code has no store"
grep -q unknown "$TEST_TMP/code" && fail "the code has unknown instructions"
"$WARPGLASS" launch "$TEST_DATA/ptx/vector_copy.ptx" --dump=sass >"$TEST_TMP/got" 2>&1 && fail "PTX has machine code"
grep -q 'has no machine code' "$TEST_TMP/got" || fail "it is not said that PTX has no machine code"

# Lanes end by a predicate beside the guard.
for engine in ptx sass; do
    "$WARPGLASS" launch "$TEST_DATA/cubins/exits.fatbin" --engine $engine --grid 2 --block 24x4 --quiet --log-file /dev/null \
        --arg 'u32[256]' --arg 'u32[64]=iota' --arg 40 --arg 3 --hash >"$TEST_TMP/$engine" || fail "exits: $engine"
done
cmp -s "$TEST_TMP/ptx" "$TEST_TMP/sass" || fail "a predicate beside the guard of EXIT"
grep -q hash= "$TEST_TMP/sass" || fail "exits: no hash"

# What neither of both executes is said of both.
"$WARPGLASS" launch "$TEST_DATA/cubins/refused.fatbin" --kernel reduce_surface --grid 1 --block 32 --arg 0 >"$TEST_TMP/got" 2>&1 &&
    fail "a reduction on a surface runs"
grep -q 'refused.fatbin:11:.*sured is not supported; and as machine code:.*SURED.*cannot be executed' "$TEST_TMP/got" ||
    fail "the error does not name both reasons"
echo "the table, encodings and code are printed"
