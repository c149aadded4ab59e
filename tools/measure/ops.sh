#!/bin/sh
# Prepares the comparison of all instructions with a GPU: PTX and operands from the tables of the tests, what ptxas refuses
# left out, a cubin and the program that runs it, all in one folder.
#
#     tools/measure/ops.sh REPLAY FOLDER      REPLAY = build/gcc/tests/op/replay
#     FOLDER/ops FOLDER/ops.cubin FOLDER/ops.in ops.out            on a GPU of compute capability 9.0
#     REPLAY --store ops.out tests/data/ops_h200.bin.zst
set -eu
replay=$1 folder=$2
mkdir -p "$folder"
"$replay" --write "$folder"
nvcc -arch=sm_90 -O2 -cudart static -o "$folder/ops" "$(dirname "$0")/ops.cu"
cp "$folder/ops.ptx" "$folder/legal.ptx"
round=0
until ptxas -arch=sm_90 -O1 -o "$folder/ops.cubin" "$folder/legal.ptx" 2> "$folder/refused.$round"; do
    # Kernels with an error are cut out, from their .entry to the closing brace.
    sed -n 's/.*line \([0-9]*\); *error.*/\1/p' "$folder/refused.$round" | sort -nu > "$folder/lines"
    test -s "$folder/lines" || { cat "$folder/refused.$round" >&2; exit 1; }
    awk 'FNR == NR { bad[$1] = 1; next }
         /^\.visible \.entry/ { text = ""; is_bad = 0; inside = 1 }
         FNR in bad { is_bad = 1; if ($0 ~ /case/) print > refused }
         inside { text = text $0 "\n"; if ($0 == "}") { inside = 0; if (!is_bad) printf "%s", text } next }
         { print }' refused="$folder/refused.txt$round" "$folder/lines" "$folder/legal.ptx" > "$folder/next.ptx"
    mv "$folder/next.ptx" "$folder/legal.ptx"
    round=$((round + 1))
    test $round -lt 10
done
echo "$(grep -c '^.visible .entry' "$folder/legal.ptx") of $(grep -c '^.visible .entry' "$folder/ops.ptx") kernels are legal"
