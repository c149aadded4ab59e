#!/bin/sh
# latency through the command line: the textbook's numbers, Little's law both ways, refusals.
set -u
command=latency
. tests/support/arithmetic.sh

# 400 cycles at one load in 25 instructions and in 8.
shows '400 / 25 = 16, so 16 warps per scheduler; it holds 16: hidden' --latency 400 --instructions-between 25
shows '400 / 8 = 50, so 50 warps per scheduler; it holds 16: cannot be hidden' --latency 400 --instructions-between 8
json_has '"warps_per_scheduler": 16' --latency 400 --instructions-between 25
json_has '"is_hidden": true' --latency 400 --instructions-between 25
json_has '"warps_per_scheduler": 50' --latency 400 --instructions-between 8
json_has '"loads_per_warp": 4' --latency 400 --instructions-between 8

# The table for 25, 200, 500 cycles at 8 and 32 instructions.
"$warpglass" latency >"$work/table"
row() { # cycles, at 8, at 32
    grep -qE "^ +$1 +$2 +$3$" "$work/table"
    say $? "$1 cycles: $2 warps at 8 instructions, $3 at 32"
}
row 25 4 1
row 200 '25!' 7
row 500 '63!' 16

# Little's law on the H200: 664 cycles x 16.7 bytes a cycle and SM; both directions.
shows 'HBM3e        664     335       16.7      4372     11107 B    1.4 MiB           87 (more than fit)' --device h200
shows 'HBM3e         3224 GB/s   73.8 %' --device h200
shows 'HBM3e         4372 GB/s  100.0 %' --device h200 --loads 2
shows 'shared        23      12      127.9     33428' --device h200
shows '1 in flight per warp' --device a100-40gb
shows 'guesses among these figures: l2.far_latency' --device h200
shows '32 warps per SM x 4 loads x 16 bytes x 32 lanes = 65536 bytes in flight' --warps 32 --loads 4 --width 16

refuses 2 '--latency needs --instructions-between' --latency 400
refuses 2 '--instructions-between: more than 0' --instructions-between 0
refuses 2 '--latency: between 0 and 1,000,000 cycles' --latency -5 --instructions-between 3
refuses 2 '--instructions-between: more than 0' --instructions-between nan
refuses 2 '--width 3' --width 3
refuses 2 '--loads 0: between 1 and 64' --loads 0
refuses 2 '--warps 65: an SM of NVIDIA H200 holds 64' --warps 65
refuses 3 "there is no device 'h2000'" --device h2000

for name in $("$warpglass" device list --csv | tail -n +2 | cut -d, -f1); do
    "$warpglass" latency --device "$name" >"$work/out" 2>&1 && [ "$(awk 'length > 120' "$work/out" | wc -l)" = 0 ]
    say $? "latency --device $name"
done
behaves
behaves --latency 400 --instructions-between 8 --device t4
behaves --help
finish
