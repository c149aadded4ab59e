#!/bin/sh
# warpglass run: the program's own output and status, what is measured, where the report goes. Prints TAP.
set -u
. tests/support/run_host.sh
build_host host "$lib/libcudart.so.12"
csv='--csv --page raw --metrics smsp__inst_executed.sum'

run ./host 3
expect 'the report goes to standard error, its first line names the device' 0 'scale' 'grid 2x1x1'
[ "$(cat out)" = 'last element 157.5' ]; ok $? 'standard output is the program'"'"'s alone'
[ "$(head -n 1 err)" = 'device h200: NVIDIA H200, chosen by default' ]; ok $? 'device and reason are the first line'
run ./host 1 7
expect 'a status of the program is passed on, with the report' 7 'scale'
run ./host 1 0 kill
expect 'a program killed by a signal: 128 and the signal, what ended is reported' 137 'scale' 'count'
run --log-file log --quiet ./host
[ $status = 0 ] && [ ! -s err ] && grep -q scale log; ok $? '--log-file takes the report'

run $csv ./host 2
[ $status = 0 ] && [ "$(launches)" = 'scale scale count ' ]; ok $? '--csv: a row a launch, in order'
[ "$(sed -n 3p err | cut -d, -f3)" = '"host"' ]; ok $? '--csv: the process has its name'
run $csv --kernel-name count ./host 2
[ $status = 0 ] && [ "$(launches)" = 'count ' ]; ok $? '--kernel-name NAME'
run $csv --kernel-name 'regex:^s.*e$' ./host 2
[ $status = 0 ] && [ "$(launches)" = 'scale scale ' ]; ok $? '--kernel-name regex:EXPR'
run $csv --kernel-name scale --launch-skip 1 --launch-count 2 --export kept.wgp ./host 5
[ $status = 0 ] && [ "$(launches)" = 'scale scale ' ] && [ "$(cat out)" = 'last element 157.5' ]
ok $? '--launch-skip and --launch-count: the others only run'
"$WARPGLASS" report kept.wgp >out 2>err; status=$?
[ $status = 0 ] && grep -q '^scale' out; ok $? '--export keeps the profile'
run --kernel-name nothing ./host
expect 'a run without a measured launch is no success' 125 "0 kernels measured in './host'" '--kernel-name'
run --kernel-name nothing ./host 1 9
expect 'unless the program has a status of its own' 9 '0 kernels measured'
run true
expect 'a program without kernels' 125 'it launched no kernel'

run --fail-on 'smsp__inst_executed.sum > 1' ./host
expect '--fail-on holds' 1 'holds'
run --fail-on 'smsp__inst_executed.sum > 1e9' ./host
expect '--fail-on does not hold' 0
run --fail-on 'smsp__inst_executed.sum > 1' ./host 1 5
expect 'a status of the program goes first' 5 'holds'
run ./host 1 0 fault
expect 'a fault in a kernel is described, the program goes on as it likes' 13 'Invalid __global__ write' 'at scale'
run --error-exitcode 42 ./host 1 0 fault
expect '--error-exitcode' 42 'Invalid __global__ write'
run --error-exitcode 42 ./host
expect '--error-exitcode without a fault' 0

run $csv ./host 2 0 child
[ $status = 0 ] && [ "$(launches)" = 'scale count scale scale count ' ]; ok $? 'children are measured'
[ "$(grep '^"[0-9]' err | cut -d, -f3 | uniq | tr '\n' ' ')" = '"host.child" "host" ' ]; ok $? 'each launch names its process'
[ "$(grep '^"[0-9]' err | cut -d, -f1 | tr -d '\n')" = '"0""1""2""3""4"' ]; ok $? 'and they are counted through'
run $csv --target-processes application-only ./host 2 0 child
[ $status = 0 ] && [ "$(launches)" = 'scale scale count ' ]; ok $? '--target-processes application-only'
printf '#!/bin/sh\n./host 1\n' >script && chmod +x script
run $csv ./script
[ $status = 0 ] && [ "$(launches)" = 'scale count ' ]; ok $? 'what a script starts is measured'
run $csv --model off ./host
[ $status = 0 ] && [ "$(cat out)" = 'last element 157.5' ]; ok $? '--model off'
run --device a10 ./host
expect 'code that the device cannot run is explained' 11 "holds PTX for compute_90, which a device of capability 8.6 does not run"
run --device b200 ./host
[ "$(head -n 1 err)" = 'device b200: NVIDIA B200, chosen by --device' ]; ok $? '--device'
export WARPGLASS_DEVICE=b200
run ./host
unset WARPGLASS_DEVICE
[ "$(head -n 1 err)" = 'device b200: NVIDIA B200, chosen by $WARPGLASS_DEVICE' ]; ok $? '$WARPGLASS_DEVICE'
image=family
build_host newer "$lib/libcudart.so.12"
run ./newer
[ $status = 0 ] && [ "$(head -n 1 err)" = "device b200: NVIDIA B200, chosen by being the newest that runs the program's compute_100f" ]
ok $? 'code that h200 cannot run chooses the newest device that can'
run --threads 2 --reproducible --json ./host 2
cp err first
run --reproducible --json ./host 2
[ $status = 0 ] && cmp -s first err; ok $? 'neither threads nor another run change a --reproducible report'

# A signal to us alone is passed on to the program. Shells start what runs beside them with SIGINT ignored.
interrupt() { # signal
    rm -f ready
    env --default-signal=INT "$WARPGLASS" run ./host 2 0 wait >out 2>err &
    ours=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -f ready ] && break; sleep 1; done
    kill "-$1" $ours
    wait $ours
    status=$?
}
if env --default-signal=INT true 2>/dev/null; then
    interrupt TERM
    expect 'SIGTERM is passed on, the report comes all the same' 143 'scale' 'count'
    interrupt INT
    expect 'SIGINT likewise' 130 'scale' 'count'
else
    skip 'signals' 'env has no --default-signal'
fi
echo "1..$count"
