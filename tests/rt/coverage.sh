#!/bin/sh
# Every row of the tables of API functions that is done has a test that calls it: by its body wg_NAME in tests/rt/*.c, or by
# its name in a program under tests/data. (Whether a test could fail is for its reader to see.)
set -u
cd "$(dirname "$0")/../.." || exit 1
cat tests/rt/*.c tests/support/*.c | grep -o 'wg_[A-Za-z_0-9]*' | sed 's/^wg_//' | sort -u >"$TEST_TMP/called"
cat tests/data/*/*.cu tests/data/*/*.c tests/data/*/*/*.c 2>/dev/null | grep -o '\<_*cu[A-Za-z_0-9]*' | sort -u >>"$TEST_TMP/called"
sort -u -o "$TEST_TMP/called" "$TEST_TMP/called"
# DONE(majors, name, …) is called by its name, DONE_AS(majors, name, body, …) by its body.
cat src/rt/api_*.def | sed -n 's/^DONE([A-Z_0-9]*, *\([A-Za-z_0-9]*\),.*/\1/p; s/^DONE(\(cu[A-Za-z_0-9]*\),.*/\1/p
    s/^DONE_AS([A-Z_0-9]*, *[A-Za-z_0-9]*, *\([A-Za-z_0-9]*\),.*/\1/p; s/^DONE_AS(cu[A-Za-z_0-9]*, *\([A-Za-z_0-9]*\),.*/\1/p
    s/^RETURNS([A-Z_0-9]*, *[^,]*, *\([A-Za-z_0-9]*\),.*/\1/p' | sort -u >"$TEST_TMP/done"
n=$(wc -l <"$TEST_TMP/done")
[ "$n" -gt 200 ] || { echo "only $n rows found: has the form of the tables changed?"; exit 1; }
missing=$(comm -13 "$TEST_TMP/called" "$TEST_TMP/done")
[ -z "$missing" ] || { echo "$(echo "$missing" | wc -l) of $n done functions are not called by any test:"; echo "$missing"; exit 1; }

# What two or more of 888 public programs call has a row: done, or refused with a reason (cuda_api.csv).
grep -oh '\<_*cu[A-Za-z_0-9]*' src/rt/api*.def | sort -u >"$TEST_TMP/rows"
awk -F, 'FNR > 1 && $2 >= 2 { print $1 }' tests/data/cuda_api.csv | sort -u >"$TEST_TMP/used"
n=$(wc -l <"$TEST_TMP/used")
[ "$n" -gt 120 ] || { echo "only $n functions are used by two programs: has the form of cuda_api.csv changed?"; exit 1; }
missing=$(comm -23 "$TEST_TMP/used" "$TEST_TMP/rows")
[ -z "$missing" ] || { echo "$(echo "$missing" | wc -l) of $n functions that programs use have no row:"; echo "$missing"; exit 1; }
