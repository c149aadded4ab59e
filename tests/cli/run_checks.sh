#!/bin/sh
# warpglass run: what cannot be started or measured is named before the start, in one sentence. Prints TAP.
set -u
. tests/support/run_host.sh
build_host host "$lib/libcudart.so.12"

run
expect 'no program' 125 'expected a program'
run ./nothing
expect 'no such file' 127 "cannot start './nothing': No such file"
run nothing-like-this
expect 'not in $PATH' 127 "'nothing-like-this' is not found in \$PATH"
run host
expect 'in this folder, not in $PATH' 127 'did you mean ./host?'
run /tmp
expect 'a folder' 126 'is a folder'
cp host locked && chmod 644 locked
run ./locked
expect 'not executable' 126 "cannot start './locked': Permission denied"
printf '#!/no/such/interpreter\n' >script && chmod +x script
run ./script
expect 'an interpreter that is not there' 127 'cannot start'
for option in '--engine sass' '--engine other' '--model cycles' '--threads 0' '--kernel-name regex:(' '--launch-count 0' \
    '--error-exitcode 300' '--target-processes some' '--cache-control some' '--page nothing' '--metrics nothing' \
    '--fail-on 1+' '--device nothing' '--log-file /no/such/folder/x' '--export /no/such/folder/x' '--nothing'; do
    run $option ./host
    [ $status = 125 ] && [ ! -s out ] && [ -s err ]; ok $? "$option is refused before the start"
done

for name in x.ptx x.fatbin; do
    cp "$TEST_DATA/images/plain.fatbin" $name
    run ./$name
    expect "$name names the other command" 125 "'warpglass launch' runs one kernel of it"
done
cp "$TEST_DATA/images/scale.cubin" code && chmod +x code
run ./code
expect 'a cubin names the other command' 125 "is a cubin, not a program: 'warpglass launch'"
cp "$lib/libcudart.so.12" library && chmod +x library
run ./library
expect 'a library' 125 'is a library, not a program'

# The runtime linked in, of no major that could be told; then stripped.
printf 'int cudaMalloc(void **p, unsigned long n) { return p && n; }\nint __cudaRegisterFatBinary(void) { return 0; }\n' >cudart.c
printf 'int cudaMalloc(void **, unsigned long); int main(void) { void *p; return cudaMalloc(&p, 4); }\n' >user.c
printf '__asm__(".section .nv_fatbin,\\"a\\"\\n.quad 0\\n.previous");\n' >>user.c
"$cc" cudart.c user.c -o linked_in && "$cc" -s cudart.c user.c -o stripped
run ./linked_in
expect 'the static runtime' 125 'has a CUDA runtime linked in that is not one of CUDA 11, 12 or 13' "'nvcc -cudart shared'"
run ./stripped
expect 'the static runtime in a stripped program' 125 'has the CUDA runtime linked in and no symbol table'
if "$cc" -static cudart.c user.c -o static 2>/dev/null; then
    run ./static
    expect 'a static program' 125 'is linked statically, so that no library of ours'
else
    skip 'a static program' 'no static C library'
fi

# Libraries that we do not stand for.
for major in 10.2 99; do
    "$cc" -shared -fPIC cudart.c -Wl,-soname,libcudart.so.$major -o libcudart.so.$major
    "$cc" user.c ./libcudart.so.$major -o other
    run ./other
    expect "libcudart.so.$major" 125 "needs libcudart.so.$major, but warpglass has libcudart.so.11.0, .12 and .13"
done
"$cc" -shared -fPIC cudart.c -o libcudart.so.12
"$cc" user.c ./libcudart.so.12 -o by_path
run ./by_path
expect 'a library by its path' 125 'needs the CUDA library by its path, ./libcudart.so.12'
"$cc" -shared -fPIC cudart.c -Wl,-soname,libcudart.so.12 -o libcudart.so.12
build_host with_rpath "$lib/libcudart.so.12" -Wl,--disable-new-dtags,-rpath,"$TEST_TMP"
run ./with_rpath
expect 'an RPATH to another library of that name does not win' 0 'scale'

cp host foreign && printf '\267' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
case $(uname -m) in
x86_64) run ./foreign; expect 'another machine' 125 'for another machine (number 183, 64 bits)' ;;
*) skip 'another machine' 'this one' ;;
esac
cp host setuid
if chown 12345 setuid 2>/dev/null && chmod u+s setuid; then
    run ./setuid
    expect 'a setuid program' 125 'is a setuid program, into which the system lets no library of ours'
else
    skip 'a setuid program' 'needs root to make one'
fi
if PATH=$PATH:/usr/sbin:/sbin setcap cap_net_raw+ep locked 2>/dev/null && chmod +x locked; then
    run ./locked
    expect 'file capabilities' 125 'has file capabilities'
else
    skip 'file capabilities' 'needs root and setcap'
fi

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -n "$nvcc" ]; then
    printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n' >static.cu
    "$nvcc" static.cu -o nv_static && run ./nv_static
    expect 'what nvcc links by default' 0 'launch     0'
    strip nv_static && run ./nv_static
    expect 'the same stripped' 125 'has the CUDA runtime linked in and no symbol table'
else
    skip 'what nvcc links by default' 'no nvcc'
fi
echo "1..$count"
