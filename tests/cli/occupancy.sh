#!/bin/sh
# Occupancy through the command line: the textbook cases, the forms of the options, wrong input, exit codes. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
unset WARPGLASS_DEVICE
n=0

say() { # result, name
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# The line must stand in the output of `warpglass occupancy ARGUMENTS`.
shows() { # text, arguments...
    text=$1
    shift
    output=$("$warpglass" occupancy "$@" 2>&1)
    case $output in
    *"$text"*) say 0 "occupancy $* shows '$text'" ;;
    *) say 1 "occupancy $* shows '$text'"; printf '%s\n' "$output" | sed 's/^/# /' ;;
    esac
}

# Mistakes: one line on standard error, nothing on standard output, the exit status.
refuses() { # status, text, arguments...
    status=$1 text=$2
    shift 2
    output=$("$warpglass" occupancy "$@" 2>&1 >/dev/null)
    got=$?
    quiet=$("$warpglass" occupancy "$@" 2>/dev/null)
    lines=$(printf '%s\n' "$output" | wc -l)
    case $output in *"$text"*) found=0 ;; *) found=1 ;; esac
    [ "$got" = "$status" ] && [ -z "$quiet" ] && [ "$lines" = 1 ] && [ $found = 0 ]
    result=$?
    say $result "occupancy $* refused with $status and '$text'"
    [ $result = 0 ] || printf '%s\nstatus %s\n' "$output" "$got" | sed 's/^/# /'
}

# Registers on a device of 64 warps: 64 -> 32 warps, 128 -> 16, 255 -> 8.
for device in h200 h100-sxm a100-40gb v100; do
    shows 'occupancy  4 blocks, 32 warps, 50 % of 64 warps; limited by registers' --device $device --block 256 --regs 64
    shows 'occupancy  2 blocks, 16 warps, 25 % of 64 warps; limited by registers' --device $device --block 256 --regs 128
    shows 'occupancy  1 block, 8 warps, 12.5 % of 64 warps; limited by registers' --device $device --block 256 --regs 255
done

# 24 registers and 8,192 B of shared memory in blocks of 256 threads: by shared memory where it is small (64 KiB on a
# T4: 8 blocks would fit, its 32 warps allow 4; 96 KiB on a V100 hold 12, 8 are all its warps).
shows '8 blocks, 64 warps, 100 % of 64 warps; limited by warps' --device v100 --block 256 --regs 24 --shared 8192
shows '12 blocks   8,192 of 98,304 B each' --device v100 --block 256 --regs 24 --shared 8192
shows '4 blocks, 32 warps, 100 % of 32 warps; limited by warps' --device t4 --block 256 --regs 24 --shared 8192
shows '10 blocks   6,144 of 65,536 each (24 per thread' --device a100-40gb --block 256 --regs 24 --shared 8192
shows '12 blocks, 24 warps, 37.5 % of 64 warps; limited by shared' --device v100 --block 64 --regs 24 --shared 8192

# An attention tile of 64 queries and 2 x 64 keys and values in half precision: head_dim 128 asks 192 x 128 x 2 B,
# head_dim 256 twice as much; an A100 holds 3 blocks of the one, 1 of the other.
shows '3 blocks, 12 warps, 18.75 % of 64 warps; limited by shared' --device a100-40gb --block 128 --shared 0+49152
shows '1 block, 4 warps, 6.25 % of 64 warps; limited by shared' --device a100-40gb --block 128 --shared 0+98304
shows '4 blocks, 16 warps, 25 % of 64 warps; limited by shared' --device h200 --block 128 --shared 0+49152
shows '2 blocks, 8 warps, 12.5 % of 64 warps; limited by shared' --device h200 --block 128 --shared 0+98304
shows 'launch     yes, with cudaFuncAttributeMaxDynamicSharedMemorySize of at least 98,304' --block 128 --shared 0+98304

# The next step.
shows 'next step  2 registers fewer per thread (40) -> 6 blocks, 48 warps, 75 %' --block 256 --regs 42
shows 'next step  blocks of 64 threads -> 32 blocks, 64 warps, 100 %' --block 32 --regs 32
shows 'next step  none needed' --block 256 --regs 32
shows 'next step  the largest carve-out -> 8 blocks' --block 256 --regs 32 --shared 8192 --carveout 16KiB

# The launch check.
shows 'launch     no: asks 264,192 B of shared memory per block; 232,448 with the opt-in attribute, 49,152 without' \
    --block 256 --shared 0+264192
shows 'launch     no: asks 65,536 B of shared memory per block; 49,152 without the opt-in attribute' \
    --block 256 --shared 0+65536 --no-optin
shows 'launch     no: asks 67,584 registers per block' --device a100-40gb --block 288 --regs 176
shows 'launch     no: asks 2,048 threads per block' --block 64x32
shows 'launch     no: block 1x1x128' --block 1x1x128
shows 'launch     no: asks clusters of 2 blocks; compute capability 8.9 has none' --device l4 --block 64 --cluster 2
"$warpglass" occupancy --block 2048 >/dev/null; say $(($? != 1)) "a kernel that does not launch gives status 1"
"$warpglass" occupancy --block 256 >/dev/null; say $? "a kernel that launches gives status 0"

# Carve-outs: both readings, and what was asked.
shows 'as the driver sets  100 KiB shared,  156 KiB L1   20 blocks by shared memory' --block 256 --shared 4096
shows 'largest             228 KiB shared,   28 KiB L1   45 blocks by shared memory' --block 256 --shared 4096
shows '12 blocks   5,120 of 65,536 B each' --block 256 --shared 4096 --carveout 25
shows '12 blocks   5,120 of 65,536 B each' --block 256 --shared 4KiB --carveout '64 KiB'
shows '20 blocks   5,120 of 102,400 B each' --block 16x16 --shared=4096 --carveout=driver

# JSON and CSV.
json=$("$warpglass" occupancy --block 256 --regs 64 --json | tr -d ' \n')
for part in '"blocks_per_sm":4' '"warps_per_sm":32' '"occupancy":0.5' '"limiters":["registers"]' \
    '"limits":{"warps":8,"registers":4,"shared":228,"blocks":32,"barriers":64}'; do
    case $json in *"$part"*) say 0 "JSON holds $part" ;; *) say 1 "JSON holds $part in $json" ;; esac
done
csv=$("$warpglass" occupancy --block 256 --regs 64 --csv)
[ "$(printf '%s\n' "$csv" | head -2 | tail -1)" = 'asked,256,4,32,0.5,registers' ]; say $? 'CSV begins with what was asked'
[ "$(printf '%s\n' "$csv" | awk -F, 'NF != 6' | wc -l)" = 0 ]; say $? 'CSV has six fields in each line'
printf '%s\n' "$csv" | grep -q '^registers,128,2,16,0.25,registers$'; say $? 'CSV holds the curve over registers'
WARPGLASS_DEVICE=t4 "$warpglass" occupancy --block 256 | grep -q 'Tesla T4'; say $? 'WARPGLASS_DEVICE chooses the device'
WARPGLASS_DEVICE=t4 "$warpglass" occupancy --block 256 --device l4 | grep -q 'NVIDIA L4'; say $? '--device wins over it'

# Wrong input.
refuses 2 'give --block'
refuses 2 'expected STATIC or STATIC+DYNAMIC' --block 256 --shared lots
refuses 2 'expected default, driver, a percentage or one of 0 8 16' --block 256 --carveout 63KiB
refuses 2 'expected default, driver, a percentage' --block 256 --carveout 101%
refuses 2 "did you mean '--regs'" --block 256 --reg 3
refuses 2 "unexpected argument 'x'" --block 256 x
refuses 3 "there is no device 'h20'; did you mean 'h200'?" --block 256 --device h20
echo "1..$n"
