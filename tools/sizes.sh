#!/bin/sh
# Lengths of functions and files. A function over 80 lines or a file over 1000 is an offence, a macro body over 15
# lines counts as a function, and conditional compilation inside a function is an offence too.
# Prints median and p90 of src/; exit 1 on an offence.
set -u
cd "$(dirname "$0")/.." || exit 1

# Functions that may be longer than 80 lines because they are a dispatch loop or a table: "file:function".
ALLOWED='
'
MAX_FUNCTION=80 MAX_FILE=1000 MAX_MACRO=15

command -v ctags >/dev/null || { echo 'ctags (universal-ctags) is not installed'; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
ls src/*/*.[ch] tools/*.c tests/*/*.c 2>/dev/null | grep -v '^src/cuda/' >"$work/files"

# Uses of macros are no functions. Then, for each function: file name first last.
xargs sed -n 's/^ *# *define  *\([A-Z][A-Z0-9_]*\)(.*/\1+/p' <"$work/files" | sort -u >"$work/macros"
ctags -I "@$work/macros" -L "$work/files" -o - --languages=C --langmap=C:.c.h --kinds-C=f --fields=nKe --output-format=u-ctags \
    --sort=no --excmd=number | awk -F'\t' '
    !/^!/ { first = last = 0
            for (i = 5; i <= NF; i++) { split($i, field, ":")
                if (field[1] == "line") first = field[2]
                if (field[1] == "end") last = field[2] }
            if (last) print $2, $1, first, last }' >"$work/functions"
# A macro ends with its first line that has no backslash behind it.
xargs awk -v max="$MAX_MACRO" '
    !name && /^ *# *define/ { first = FNR; name = $0; sub(/^ *# *define */, "", name); sub(/[^A-Za-z0-9_].*/, "", name) }
    name && !/\\$/ { if (FNR - first + 1 > max) print FILENAME, name, first, FNR; name = "" }' \
    <"$work/files" >>"$work/functions"
awk -v max="$MAX_FUNCTION" -v allowed="$ALLOWED" '
    { length_lines = $4 - $3 + 1 }
    length_lines > max && index(allowed, "\n" $1 ":" $2 "\n") == 0 {
        print $1 ":" $3 ": " $2 " has " length_lines " lines (limit " max ")" }' "$work/functions" >"$work/offences"
while read -r file; do
    n=$(wc -l <"$file")
    [ "$n" -le $MAX_FILE ] || echo "$file: $n lines (limit $MAX_FILE)"
done <"$work/files" >>"$work/offences"
grep -n '^ *# *\(if\|ifdef\|ifndef\|elif\|else\)\>' $(cat "$work/files") /dev/null | awk -F: '
    NR == FNR { split($0, f, " "); n++; file[n] = f[1]; name[n] = f[2]; first[n] = f[3]; last[n] = f[4]; next }
    { for (i = 1; i <= n; i++)
        if (file[i] == $1 && $2 > first[i] && $2 < last[i])
            print $1 ":" $2 ": conditional compilation inside " name[i] }' "$work/functions" - >>"$work/offences"

awk '$1 ~ /^src\// { print $4 - $3 + 1 }' "$work/functions" | sort -n | awk '
    { lines[NR] = $1 }
    END { if (NR) printf "src: %d functions, median %d lines, p90 %d, longest %d\n", NR, lines[int((NR + 1) / 2)],
                         lines[int((NR * 9 + 9) / 10)], lines[NR] }'
grep '^src/' "$work/files" | xargs wc -l | awk '$2 != "total" { print $1 }' | sort -n | awk '
    { lines[NR] = $1; sum += $1 }
    END { if (NR) printf "src: %d files, %d lines, median %d, longest %d\n", NR, sum, lines[int((NR + 1) / 2)], lines[NR] }'
cat "$work/offences"
[ ! -s "$work/offences" ]
