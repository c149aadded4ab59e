#!/bin/sh
# Adds up the closing lines (`N passed, N failed[, N skipped]`) of logs and prints one; a log without one is a
# failure. Exit 1 when anything failed or nothing passed.
#
#     tools/sum.sh build/test.log build/test-all.log
for log in "$@"; do
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" 2>/dev/null | tail -n 1)
    [ -n "$line" ] || echo "no closing line in $log" >&2
    echo "${line:-0 passed, 1 failed}"
done | awk '{ passed += $1; failed += $3; skipped += $5 }
     END { printf "%d passed, %d failed", passed, failed
           if (skipped) printf ", %d skipped", skipped
           print ""
           exit failed > 0 || passed == 0 }'
