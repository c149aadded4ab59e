#!/bin/sh
# make install: program, manual page and completion below DESTDIR and PREFIX, and nothing else.
set -eu
case $(basename "$TEST_BUILD") in gcc | clang) ;; *) echo 'only from a plain build'; exit 77 ;; esac
unset MAKEFLAGS MAKELEVEL MFLAGS || true
make -s -o "$TEST_BUILD/warpglass" CC="$(basename "$TEST_BUILD")" BUILD="$(dirname "$TEST_BUILD")" DESTDIR="$TEST_TMP" PREFIX=/opt/wg install
cd "$TEST_TMP"
find . -type f ! -name files ! -name expected ! -name errors | sort >files
cat >expected <<'END'
./opt/wg/bin/warpglass
./opt/wg/lib/warpglass/libcuda.so.1
./opt/wg/lib/warpglass/libcudart.so.11.0
./opt/wg/lib/warpglass/libcudart.so.12
./opt/wg/lib/warpglass/libcudart.so.13
./opt/wg/lib/warpglass/libwarpglass.so
./opt/wg/share/bash-completion/completions/warpglass
./opt/wg/share/man/man1/warpglass.1
END
diff expected files
opt/wg/bin/warpglass help >/dev/null
# run finds the libraries where they are installed: the program starts, and has no kernels.
opt/wg/bin/warpglass run true 2>errors || [ $? -eq 125 ]
grep -q '0 kernels measured' errors
grep -q '^\.TH' opt/wg/share/man/man1/warpglass.1
bash -n opt/wg/share/bash-completion/completions/warpglass
echo 'installed'
