#!/bin/sh
# sass_compare.sh WARPGLASS NVDISASM FILE…: how many machine instructions of cubins WARPGLASS prints as NVDISASM does.
#
# Any nvdisasm that knows the architecture will do: it is given the bare code (-b), not the cubin. SM=90 is the
# architecture. Prints a line for each mnemonic that differs with its first example, then the sum; exit status 1 when
# something differs.
set -eu
warpglass=$1 nvdisasm=$2
shift 2
sm=${SM:-90}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# All code sections of a cubin, one behind the other.
code_of() {
    readelf -SW "$1" 2>/dev/null | sed -n 's/^ *\[ *[0-9]*\] //p' | awk '$1 ~ /^\.text/ && $2 == "PROGBITS" {print $4, $5}' |
        while read -r offset size; do
            tail -c +$((0x$offset + 1)) "$1" | head -c $((0x$size))
        done
}

n=0
for file; do
    code_of "$file" >"$tmp/code"
    [ -s "$tmp/code" ] || continue
    if ! "$nvdisasm" -b "SM$sm" -hex "$tmp/code" >"$tmp/text" 2>"$tmp/errors"; then
        echo "$file: nvdisasm refuses it: $(head -n 1 "$tmp/errors")"
        continue
    fi
    n=$((n + 1))
    # "/*0010*/  TEXT ;  /* 0xLOW */" and, on the next line, "/* 0xHIGH */" become "LOW HIGH OFFSET TEXT".
    sed -n 's/^ *\/\*\([0-9a-f]*\)\*\/ *\(.*[^ ]\) *; *\/\* 0x\([0-9a-f]*\) \*\/ *$/\1 \3 \2/p;
            s/^ *\/\* 0x\([0-9a-f]*\) \*\/ *$/\1/p' "$tmp/text" |
        awk 'NF == 1 {print low, $1, offset, text; next}
             {offset = $1; low = $2; sub(/^[^ ]* [^ ]* /, ""); text = $0}' >>"$tmp/expected"
done
"$warpglass" isa sass --sm "$sm" --decode "$tmp/expected" >"$tmp/got"
cut -d' ' -f4- "$tmp/expected" | paste -d'\n' - "$tmp/got" | awk -v n="$n" '
    NR % 2 {expected = $0; next}
    {total++}
    expected != $0 {
        differ++
        name = expected
        sub(/^@[^ ]* /, "", name)
        sub(/[. ].*/, "", name)
        if (!count[name]++)
            example[name] = sprintf("nvdisasm: %s; warpglass: %s", expected, $0)
    }
    END {
        for (name in count)
            printf "%d %s: %s\n", count[name], name, example[name]
        printf "%d files, %d instructions, %d printed otherwise: %.3f %% the same\n", n, total, differ,
               100 * (total - differ) / total
        exit differ > 0
    }'
