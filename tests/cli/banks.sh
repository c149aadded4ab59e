#!/bin/sh
# banks through the command line: the known counts of strides, tiles, swizzles; reasons, cures, refusals.
set -u
command=banks
. tests/support/arithmetic.sh

for pair in 0:1 1:1 2:2 3:1 4:4 8:8 16:16 17:1 31:1 32:32 33:1 34:2 64:32; do
    stride=${pair%:*} passes=${pair#*:}
    word=wavefronts
    [ "$passes" = 1 ] && word=wavefront
    shows "
$passes $word, ideal 1" --stride "$stride"
    json_has "\"wavefronts\": $passes," --stride "$stride"
done

# Doubles as hardware counts them: two halves, 32 wavefronts at stride 32, of which 2 are due to the width.
for pair in 1:2 2:4 4:8 16:32 32:32 33:2; do
    shows "
${pair#*:} wavefronts, ideal 2" --stride "${pair%:*}" --width 8
done
shows '
1 wavefront, ideal 1, no conflict' --stride 0 --width 8
for pair in 1:4 2:8 4:16 8:32 0:2; do
    shows "
${pair#*:} wavefronts, ideal" --stride "${pair%:*}" --width 16
done
shows '16 wavefronts, ideal 1' --stride 32 --width 2
shows '8 wavefronts, ideal 1' --stride 32 --width 1
shows '1 wavefront, ideal 1' --stride 33 --width 2
shows '1 wavefront, ideal 1' --stride 34 --width 2

# Reasons.
shows 'gcd(32, 32) = 32: the 32 lanes fall on 1 of 32 banks, 32 on each' --stride 32
shows 'gcd(12, 32) = 4: the 32 lanes fall on 8 of 32 banks, 4 on each' --stride 12
shows '8-byte elements go in 2 groups of 16 lanes over 16 pairs of banks; gcd(32, 16) = 16' --stride 32 --width 8
shows 'every lane wants the same word: it is read once and broadcast' --stride 0
shows 'lanes that share a word do not conflict' --stride 3 --width 2

# Cures and their results.
shows 'pad each row by 1: 33 elements    32 -> 1 wavefronts, 3.12 % more shared memory' --stride 32
shows 'swizzle: column ^ row             32 -> 1 wavefronts, no more shared memory' --stride 32
shows 'pad each row by 1: 33 elements    128 -> 16 wavefronts, 3.12 % more shared memory; no cure' \
    --stride 32 --block 16x16
shows '"Pad by one" is no cure: a warp of this block takes several columns' --stride 32 --block 16x16
shows 'pad each row by 2: 34 elements    128 -> 8 wavefronts' --stride 32 --block 16x16
shows '16 wavefronts, ideal 8, 8 excessive' --stride 32 --pad 1 --block 16x16
shows '8 wavefronts, ideal 8, no conflict' --stride 32 --pad 2 --block 16x16
shows '8 wavefronts, ideal 8, no conflict' --stride 32 --pad 1 --block 32x8
shows '8 wavefronts, ideal 8, no conflict' --stride 32 --swizzle --block 32x8
shows 'Elements of 8 bytes are padded whole: one 4-byte word would misalign the next row' --stride 32 --width 8
shows 'pad = 4                           64 -> 8 wavefronts' --index 'tx * (32 + pad) + ty' --block 8x32
shows 'write the row length as (32 + pad)' --index 'tx * 32 + ty' --block 8x32

# Operations: stores do not pair, atomics on one word take turns, compare-and-swap costs double.
shows '1 wavefront, ideal 1' --stride 0 --op store
shows '4 wavefronts, ideal 4' --stride 0 --width 16 --op store
shows '32 wavefronts, ideal 1' --stride 0 --op red
shows 'Lanes on one word take turns' --stride 0 --op red
shows '64 wavefronts, ideal 2' --stride 32 --op cas

# Expressions, with C's meaning.
shows '1 wavefront, ideal 1' --index 't * 32 + (t ^ 7)'
shows '2 wavefronts, ideal 1' --index '(t % 16) * 33 + t / 16'
shows '4 wavefronts, ideal 1' --index '(threadIdx.x & 3) * 4 * 64 + (threadIdx.x >> 2)'
shows '8 wavefronts, ideal 1' --index 't * 32' --where 't < 8'
shows 'no lane takes part' --index t --where 0

# The drawing.
"$warpglass" banks --stride 1 >"$work/drawn"
grep -q '^     1  0  1  2  3 .* 29 30 31$' "$work/drawn"
say $? 'stride 1 draws one row of 32 lanes'
[ "$("$warpglass" banks --stride 8 | grep -cE '^ +[1-8] +[0-9]+  \.')" = 8 ]
say $? 'stride 8 draws eight rows'

refuses 2 "give either --stride N or --index 'EXPRESSION'"
refuses 2 "give either --stride N or --index 'EXPRESSION'" --stride 2 --index t
refuses 2 '--width 3: a lane takes 1, 2, 4, 8 or 16 bytes' --stride 1 --width 3
refuses 2 "--index:1:5: error: unknown name 'lane'" --index 't + lane'
refuses 2 '--index:1:3: error: division by zero' --index 't / (t & 1)'
refuses 2 '--index:1:1: error: this bracket is not closed' --index '(t * 3'
refuses 2 'lane 0 of warp 0 gets index -1: negative' --index 't - 1'
refuses 2 '--swizzle needs rows of a power of two' --stride 33 --swizzle
refuses 2 'a block holds at most 1024 threads' --stride 1 --block 64x64
refuses 2 '--op fetch: expected load, store, atomic, red or cas' --stride 1 --op fetch
refuses 2 "unknown option '--strid'; did you mean '--stride'?" --strid 3
refuses 2 "unexpected argument 'x'" --stride 1 x
refuses 2 '--offset 3: 4-byte accesses begin at multiples of 4 bytes' --stride 1 --offset 3

behaves --stride 32
behaves --stride 32 --block 16x16
behaves --index '(tx ^ ty) * 32 + (tid & 31)' --block 32x32
behaves --help
json_has '"why": "gcd(32, 32) = 32' --stride 32
json_has '"bank": 31' --stride 31
finish
