#!/bin/sh
# bandwidth through the command line: pins x rate / 8, ratios, refusals.
set -u
command=bandwidth
. tests/support/arithmetic.sh

shows 'DDR5-6400: 64 pins x 6.4 Gbit/s / 8 = 51.2 GB/s nominal' --memory DDR5-6400
shows '5120 pins x 3.2 Gbit/s / 8 = 2048.0 GB/s = 2.05 TB/s nominal' --bus 5x1024 --pin 3.2
shows '80 times as wide x 0.5 times the rate = 40 times the bandwidth' --bus 5x1024 --pin 3.2
shows '5120 pins x 3.2 Gbit/s / 8 = 2048.0 GB/s' --memory 5x1024@3.2
json_has '"width_ratio": 80.0' --bus 5x1024 --pin 3.2
json_has '"rate_ratio": 0.5' --bus 5x1024 --pin 3.2
json_has '"ratio": 40.0' --bus 5x1024 --pin 3.2
json_has '"nominal_gbps": 51.2' --memory DDR5-6400
shows '5120 pins x 3.186 Gbit/s / 8 = 2039.0 GB/s = 2.04 TB/s nominal' --device a100-80gb
shows 'achieved when reading: 4372 GB/s, 90.8 % of it (@probe)' --device h200
shows '512 pins x 3.2 Gbit/s / 8 = 204.8 GB/s' --memory 8xDDR4-3200
shows 'DDR5-6400, one channel     DDR5       64         6.4      51.2'
[ "$("$warpglass" bandwidth | grep -cE '^(NVIDIA|Tesla)')" = 13 ]
say $? 'the table has thirteen devices'

refuses 2 "--memory 'DDR5' is no memory interface" --memory DDR5
refuses 2 "--against 'xyz' is no memory interface" --against xyz
refuses 2 '--bus 5xx: expected bits, or a product like 5x1024' --bus 5xx --pin 2
refuses 2 '--bus 1.5: expected bits' --bus 1.5 --pin 2
refuses 2 '--bus and --pin belong together' --bus 5120
refuses 2 '--bus and --pin belong together' --pin 3
refuses 2 '--pin: expected Gbit/s per pin' --bus 64 --pin -3
refuses 2 'give one of --device, --memory and --bus' --device h200 --memory DDR5-6400
refuses 3 "there is no device 'z'" --device z

behaves
behaves --device h200
behaves --help
json_has '"name": "NVIDIA H200"'
finish
