#!/bin/sh
# Each major of the runtime library has the stream and graph functions with the parameters of its own headers.
set -u
lib=$(dirname "$WARPGLASS")/lib
cc=${CC:-cc}
[ -f "$lib/libcudart.so.12" ] || { echo 'skipped: the runtime libraries are not built'; exit 77; }
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
cd "$TEST_TMP" || exit 1
"$cc" -std=gnu17 -Wno-deprecated-non-prototype "$TEST_DATA/rt/majors.c" -o majors -ldl || exit 1
for version in 11.0 12 13; do
    ./majors "$lib/libcudart.so.$version" "${version%.*}" || { echo "libcudart.so.$version"; exit 1; }
done
echo 'three majors'
