#!/bin/sh
# Which PTX files of a folder can run, and why the others cannot: counts by cause, as the table of doc/compatibility.md.
#
#     tools/compatibility_ptx.sh FOLDER [PROGRAM]         (PROGRAM: build/gcc/warpglass)
#
# FOLDER/….ptx: what `nvcc -ptx` made of programs. Files with asynchronous copies, clusters, tensor cores, textures or
# surfaces are counted apart. A file can run when all of its kernels can.
set -eu
folder=$1 program=${2:-build/gcc/warpglass}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
apart='cp\.async|cp\.reduce|mbarrier|barrier\.cluster|mapa|mma|wmma|wgmma|ldmatrix|stmatrix|movmatrix|tex|tld4|sust|suld|sured|txq|suq|tcgen05|tensormap|multimem|clusterlaunchcontrol'
find "$folder" -name '*.ptx' -size +0 | sort > "$work/files"
while read -r file; do
    grep -q '\.entry' "$file" || { echo none >> "$work/kinds"; continue; }
    kind=plain
    if grep -qE "^[[:space:]]*(@!?%p[0-9]+[[:space:]]+)?($apart)[.]" "$file"; then kind=apart; fi
    if timeout 120 "$program" isa ptx "$file" > "$work/out" 2>&1; then
        echo "$kind runs" >> "$work/kinds"
    else
        echo "$kind refused" >> "$work/kinds"
        # One cause a file: its first, without names and numbers of its own.
        cause=$(sed -n '1s/^[^:]*:[0-9]*:[0-9]*: //p' "$work/out" | sed 's/^kernel [^:]*: //; s/`\([a-z0-9]*\)[^`]*`/\1/')
        echo "$kind ${cause:-it took too long}" >> "$work/causes"
        echo "$kind $(basename "$file"): $(head -n 1 "$work/out" | cut -c 1-200)" >> "$work/list"
    fi
done < "$work/files"
touch "$work/kinds" "$work/causes" "$work/list"
count() { grep -c "^$1\$" "$work/kinds" || :; }
printf '%-64s %6s %6s %8s\n' 'PTX files' files run percent
awk -v plain="$(count 'plain runs')" -v plain_bad="$(count 'plain refused')" -v apart="$(count 'apart runs')" -v apart_bad="$(count 'apart refused')" '
    function row(name, good, all) { printf "%-64s %6d %6d %7.1f%%\n", name, all, good, all ? 100 * good / all : 0 }
    BEGIN { row("without asynchronous copies, clusters, tensor cores, textures", plain, plain + plain_bad)
            row("with them", apart, apart + apart_bad); row("all with kernels", plain + apart, plain + plain_bad + apart + apart_bad) }'
printf '%-64s %6d\n' 'without kernels, not counted' "$(count none)"
for kind in plain apart; do
    grep -q "^$kind " "$work/causes" || continue
    [ $kind = plain ] && printf '\nFirst cause in files without them\n' || printf '\nFirst cause in files with them\n'
    grep "^$kind " "$work/causes" | cut -d ' ' -f 2- | sort | uniq -c | sort -rn
done
[ ! -s "$work/list" ] || { echo; sed 's/^[a-z]* //' "$work/list"; } >&2
