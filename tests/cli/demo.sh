#!/bin/sh
# The demo at 512 x 512 on another device: counts that follow from the size are a quarter, the device's name is there.
set -u
out=$(tools/demo.sh 512 a100-40gb) || { echo "demo failed: $out"; exit 1; }
bad=0
expect() {
    echo "$out" | grep -q "$1" || { echo "missing: $1"; bad=1; }
}
# 512 x 512 floats: 2 x 32,768 sectors coalesced; naive stores 32 sectors a request; tile32 reads 32 wavefronts a request.
expect '^global sectors  *65,536  *294,912  *65,536  *65,536  *65,536$'
expect '^global requests  *16,384  *16,384  *16,384  *16,384  *16,384$'
expect '^shared wavefronts  *0  *0  *270,336  *16,384  *16,384$'
expect '^tile32  *Bank conflicts'
expect '^naive  *Uncoalesced access'
expect '^swizzle  *Nothing to mend'
expect '^device memory read  *1.0 MiB~'
for kernel in copy naive tile32 tile33 swizzle; do
    grep -q 'a100-40gb' "$TEST_TMP/demo/$kernel.txt" || { echo "$kernel.txt does not name the device"; bad=1; }
done
[ $bad = 0 ] || echo "$out"
exit $bad
