#!/bin/sh
# A CUDA runtime that is linked in, as nvcc does by default, is replaced function by function: before the first constructor,
# in programs and libraries of both kinds, of all majors. A made-up runtime (tests/data/run/linked_in.c), so no nvcc is
# needed. Prints TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. tests/support/run_host.sh
[ "$(uname -m)" = x86_64 ] || { echo 'only x86-64 programs can be changed'; exit 77; }

make_runtime() { # major, output, options of the compiler...
    major=$1 output=$2
    shift 2
    "$cc" -w -O2 -fPIC -falign-functions=16 -I"$root/src" -DMAJOR="$major" "$@" -c "$TEST_DATA/run/linked_in.c" -o "$output" || exit 1
}
same() { # name, expected lines: those of the last run's standard output
    printf '%s\n' "$2" | diff - out >difference; ok $? "$1"
}

for major in 11 12 13; do
    make_runtime $major runtime.o
    case $major in 11) version=11080 ;; 12) version=12090 ;; 13) version=13000 ;; esac
    for kind in pie no-pie; do
        build_host linked_in "$TEST_DATA/run/linked_in_calls.c" runtime.o -$kind
        run ./linked_in 2
        same "major $major, $kind" "version $version, 1 device, codes 0 0 0 801 801, own 42
last element 157.5"
        expect 'refused and unknown functions are named' 0 'cudaIpcGetMemHandle: ' 'cudaFromTheFuture: is not supported' 'launch     2'
    done
done

# Bodies of three bytes, to the next function's alignment; and without any room.
make_runtime 13 runtime.o -DANSWER=0
build_host short "$TEST_DATA/run/linked_in_calls.c" runtime.o
run ./short 1
expect 'bodies of three bytes' 0 'launch     1'
make_runtime 13 runtime.o -DANSWER=0 -Os -falign-functions=1
build_host tight "$TEST_DATA/run/linked_in_calls.c" runtime.o
run ./tight 1
expect 'no room' 125 'is too short to be replaced' "'nvcc -cudart shared'"

# Not to be decided: what all majors have, and two majors in one.
cat >common.c <<'END'
int __cudaRegisterFatBinary(void) { return 0; }
int cudaMalloc(void) { return 0; }
int cudaFree(void) { return 0; }
END
"$cc" -w -O2 -c common.c -o common.o && printf 'int main(void) { return 0; }\n' >main.c && "$cc" main.c common.o -o undecided
run ./undecided
expect 'an undecidable major' 125 'that is not one of CUDA 11, 12 or 13 as its functions tell'

# Two functions of one body, as a linker that folds makes them.
printf '__asm__(".globl cudaMalloc, cudaFree, __cudaRegisterFatBinary, cudaDeviceGetHostAtomicCapabilities\\n.text\\n.p2align 4\\n"
    ".type cudaMalloc, @function\\n.type cudaFree, @function\\n.type __cudaRegisterFatBinary, @function\\n"
    ".type cudaDeviceGetHostAtomicCapabilities, @function\\ncudaMalloc: cudaFree: mov $1, %%eax\\nret\\n.p2align 4\\n"
    "__cudaRegisterFatBinary: mov $1, %%eax\\nret\\n.p2align 4\\ncudaDeviceGetHostAtomicCapabilities: mov $1, %%eax\\nret\\n");\n' >folded.c
"$cc" -w main.c folded.c -o folded
run ./folded
expect 'folded functions' 125 'has made cudaFree and cudaMalloc one function' 'without --icf=all'

# Stripped: the device code tells that there is one.
make_runtime 13 runtime.o
build_host stripped runtime.o -s
run ./stripped
expect 'stripped' 125 'and no symbol table, so that its functions cannot be found' "'strip -g'" "'nvcc -cudart shared'"
build_host symbols runtime.o && strip -g symbols
run ./symbols
expect 'without debug information only' 0 'launch     1'

# Libraries with runtimes of their own, of two majors at once: one that the program needs, one that it opens twice.
library() { # name, major
    make_runtime "$2" runtime.o
    printf '%s\n' 'int cudaRuntimeGetVersion(int *);' 'int answer(void) { int v = 0; cudaRuntimeGetVersion(&v); return v; }' \
        '__attribute__((constructor)) static void early(void) { __builtin_printf("early %d\n", answer()); }' >library.c
    "$cc" -w -shared -fPIC -Wl,-Bsymbolic library.c runtime.o -o "$1" || exit 1
}
mkdir -p plugins
library libneeded.so 12
library plugins/libopened.so 11
"$cc" -w "$TEST_DATA/run/opens.c" -Wl,--no-as-needed ./libneeded.so -Wl,--enable-new-dtags,-rpath,"$TEST_TMP/plugins" -ldl -o opens
run ./opens libopened.so 2
same 'libraries' 'early 12090
early 11080
answer 11080
early 11080
answer 11080'
echo "1..$count"
