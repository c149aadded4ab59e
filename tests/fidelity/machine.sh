#!/bin/sh
# Every launch of tests/fidelity/launches.txt and machine_launches.txt from machine code: it ends well, its output has the
# bytes that the card wrote, and every count of every instruction is the card's: executed, wavefronts and ideal wavefronts
# of shared memory, tag requests, sectors and ideal sectors of global memory, sectors of local memory; and the executed
# instructions by opcode. Where two passes of the card disagree ours lies between; other differences that are known stand
# with their reason in machine_known.txt and are printed. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}

say() { # result, number, name
    if [ "$1" = 0 ]; then echo "ok $2 - $3"; else echo "not ok $2 - $3"; fi
}

tools/launches.sh "$warpglass" "$work" sass >"$work/launches.log" 2>&1
say $? 1 'every launch ends well'
sed 's/^/# /' "$work/launches.log" "$work/failed.txt"

awk 'NR == FNR { want[$1 " " $2] = $3; next }
     $3 != "-" && want[$1 " " $2] != "" { n++; if (want[$1 " " $2] != $3) { print $1, $2, $3, want[$1 " " $2]; bad++ } }
     END { print n " outputs compared"; exit bad > 0 || n < 80 }' tests/data/h200_hashes.txt "$work/hashes.txt" >"$work/hashes.log"
say $? 2 'outputs have the bytes that the card wrote'
sed 's/^/# /' "$work/hashes.log"

awk -f tests/fidelity/machine.awk tests/fidelity/machine_known.txt tests/fidelity/machine_varies.txt \
    tests/data/h200_instructions.txt "$work/names.txt" "$work/source.csv" >"$work/table.txt"
say $? 3 "$(tail -n 1 "$work/table.txt")"
sed 's/^/# /' "$work/table.txt"
echo 1..3
