#!/bin/sh
# coalesce through the command line: the known sector counts, structs against arrays, drawings, refusals.
set -u
command=coalesce
. tests/support/arithmetic.sh

# float of stride 1 2 3 4 8 elements and far apart; one address.
for pair in 1:4 2:8 3:12 4:16 8:32 100:32; do
    shows "
${pair#*:} sectors, ideal 4" --stride "${pair%:*}"
    json_has "\"sectors\": ${pair#*:}," --stride "${pair%:*}"
done
shows '
1 sector, ideal 1; 1 line' --stride 0
# Base off by 4, 16 and 32 bytes; other widths.
shows '5 sectors, ideal 4, 1 excessive; 2 lines' --stride 1 --offset 4
shows '5 sectors, ideal 4, 1 excessive; 2 lines' --stride 1 --offset 16
shows '4 sectors, ideal 4; 2 lines' --stride 1 --offset 32
shows '
1 sector, ideal 1' --stride 1 --width 1
shows '2 sectors, ideal 2' --stride 1 --width 2
shows '8 sectors, ideal 8; 2 lines' --stride 1 --width 8
shows '16 sectors, ideal 16; 4 lines' --stride 1 --width 16
shows '17 sectors, ideal 16' --stride 1 --width 16 --offset 16
shows '128 of 1024 bytes moved are used (12.5 %), 4 of 32 a sector' --stride 8
shows '16        16               512                    8' --stride 1
shows 'the first byte lies 4 bytes into a sector' --stride 1 --offset 4

# One side of a naive transpose: 32 sectors a warp, ideal 4; RGB bytes in a 16-wide block.
shows '1024 sectors, ideal 128, 896 excessive' --index 'tx * 1024 + ty' --block 32x32
shows '4 sectors, ideal 1' --index 'ty * 1920 * 3 + tx * 3' --block 16x16 --width 1
shows '32 atomic sector operations' --stride 0 --op red
shows 'combine them in the warp first' --stride 0 --op atomic
shows '2 sectors, ideal 2' --stride 1 --where 't < 16'

# Arrays of structs.
shows 'x                     0      4           16      25.0 %            4     100.0 %' \
    --struct 'float x,y,z; int id' --field x
shows 'all                   0     16           64      25.0 %           16     100.0 %' --struct 'float x,y,z; int id'
shows 'declared __align__(16) the struct is 1 load of 16 bytes: 16 sectors in 1 request, 100 %' \
    --struct 'float x,y,z; int id'
shows 'padded from 12 to 16 bytes' --struct 'float x, y, z'
shows 'struct of 40 bytes, alignment 8, 29 bytes used (the rest is padding)' \
    --struct 'float3 p; double m[2]; unsigned char k'
shows 'm[1]                 24' --struct 'float3 p; double m[2]; unsigned char k'
shows 'struct of 24 bytes, alignment 8' --struct 'const char *name; unsigned n; long long z'
json_has '"struct_bytes": 16' --struct 'float x,y,z; int id' --field id
json_has '"offset": 12' --struct 'float x,y,z; int id' --field id

# The drawing.
"$warpglass" coalesce --stride 4 >"$work/drawn"
[ "$(grep -c '|#\.\.\.#\.\.\.|#\.\.\.#\.\.\.|#\.\.\.#\.\.\.|#\.\.\.#\.\.\.|' "$work/drawn")" = 4 ]
say $? 'stride 4 draws four lines with one word in four asked for'

refuses 2 "give either --stride N or --index 'EXPRESSION'"
refuses 2 'give either --struct or --stride / --index' --struct 'int a' --stride 1
refuses 2 '--field belongs to --struct' --field x --stride 1
refuses 2 '--field w: the struct has no such member' --struct 'float x' --field w
refuses 2 "--struct:1:1: error: unknown type 'flaot'; did you mean 'float'?" --struct 'flaot x'
refuses 2 '--struct:1:13: error: expected a member name' --struct 'float x; int'
refuses 2 "member 'x' appears twice" --struct 'float x; int x'
refuses 2 'expected an array size from 1 to 256' --struct 'float x[0]'
refuses 2 'no members' --struct ' '
refuses 2 '--offset 2: 4-byte accesses begin at multiples of 4 bytes' --stride 1 --offset 2

behaves --stride 8
behaves --stride 100 --block 32x32
behaves --struct 'float x,y,z; int id; double m[16]; char c[3]'
behaves --help
finish
