#!/bin/sh
# roofline through the command line: ceilings, ridge points, where kernels fall, refusals.
set -u
command=roofline
. tests/support/arithmetic.sh

# H200: 132 SMs x 128 lanes x 2 x 1.98 GHz = 66.9 TFLOP/s; 15.3 flop per byte at 4372 GB/s.
shows 'FP32                 66.91 TFLOP/s' --device h200
shows 'FP64                 33.45 TFLOP/s' --device h200
shows 'memory, achieved     4.372 TB/s          15.3          7.65           226' --device h200
shows 'memory, nominal      4.814 TB/s          13.9' --device h200
# A copy of floats with one addition is memory bound: 1 flop per 8 bytes.
shows '0.125 flop per byte, memory bound (FP32 ridge at 15.3)' --flops 1e9 --bytes 8e9
shows 'it can reach   546.5 GFLOP/s, 0.8 % of the FP32 ceiling' --flops 1e9 --bytes 8e9
shows 'compute bound' --flops 1e12 --bytes 1e9
shows 'to be compute bound: 122 times as many operations per byte moved' --flops 1e9 --bytes 8e9
shows '50.0 % of what it can reach' --flops 1e9 --bytes 8e9 --seconds 0.0036596523
shows '4.1943e+06 bytes' --flops 1e6 --bytes 4MiB
shows 'FP64 under the roofs' --precision fp64
shows 'FP16 tensor under the roofs' --precision tensor
json_has '"bound": "memory"' --flops 1e9 --bytes 8e9
json_has '"attainable_gflops": 546.5' --flops 1e9 --bytes 8e9
json_has '"name": "FP16 tensor"'

refuses 2 '--flops and --bytes belong together' --flops 3
refuses 2 '--flops and --bytes belong together' --bytes 3
refuses 2 '--bytes x: expected an amount' --flops 1 --bytes x
refuses 2 '--bytes 0: expected an amount' --flops 1 --bytes 0
refuses 2 '--flops: expected a positive number' --flops -1 --bytes 3
refuses 2 '--seconds: expected a positive time' --seconds 3
refuses 2 '--precision fp8: expected fp32, fp64 or tensor' --precision fp8
refuses 3 "there is no device 'z'" --device z

for name in $("$warpglass" device list --csv | tail -n +2 | cut -d, -f1); do
    "$warpglass" roofline --device "$name" --flops 1e9 --bytes 1e8 >"$work/out" 2>&1 &&
        [ "$(awk 'length > 120' "$work/out" | wc -l)" = 0 ]
    say $? "roofline --device $name"
done
behaves --flops 1e9 --bytes 1e8 --seconds 1e-3
behaves --flops 1e-9 --bytes 1e20
behaves --flops 1e20 --bytes 1
behaves --help
finish
