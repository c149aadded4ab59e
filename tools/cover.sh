#!/bin/sh
# Lines of src/ that the tests reached, file by file, from a build with coverage (make cover).
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
find "$build/src" -name '*.gcno' | sort | while read -r data; do
    gcov -n "$data" 2>/dev/null
done | awk -F"'" '
    /^File / { file = $2 }
    /^Lines executed:/ && file ~ /^src\// {
        split($0, part, /[:% ]+/)   # Lines executed:97.50% of 40
        lines = part[5]; percent = part[3]; reached = int(lines * percent / 100 + 0.5)
        if (!(file in total) || reached > hit[file]) { hit[file] = reached; total[file] = lines }
        file = "" }
    END { for (file in total) printf "%s %d %d\n", file, hit[file], total[file] }' | sort | awk '
    { printf "%6.1f %% of %5d  %s\n", 100 * $2 / $3, $3, $1; hit += $2; total += $3 }
    END { if (total) printf "%6.1f %% of %5d  all\n", 100 * hit / total, total }'
