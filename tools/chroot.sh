#!/bin/sh
# Proves that `warpglass run` needs nothing of CUDA: makes a fresh Debian 12 in FOLDER, installs warpglass into it with
# `make install`, copies one program there that nvcc has built as it does by default, and runs it inside.
#
#     tools/chroot.sh [FOLDER] [BUILD]          (a temporary folder that goes away again, build)
#
# Needs root, debootstrap, a mirror of Debian, and nvcc for the program: what is missing is named, exit 77. Takes minutes.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=${1:-} build=${2:-build}
skip() { echo "skipped: $1"; exit 77; }
PATH=$PATH:/usr/sbin:/sbin
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ "$(id -u)" = 0 ] || skip 'only root may make a chroot'
command -v debootstrap >/dev/null || skip 'no debootstrap'
[ -x "$nvcc" ] || skip 'no nvcc to build the program with'
if [ -z "$folder" ]; then
    folder=$(mktemp -d) && trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"
folder=$(realpath "$folder")

if [ ! -x "$folder/usr/bin/dpkg" ]; then
    debootstrap --variant=minbase --include=libjansson4,libstdc++6 bookworm "$folder" >"$folder.log" 2>&1 ||
        skip "debootstrap failed: $(tail -n 1 "$folder.log")"
    rm -f "$folder.log"
fi
make -s BUILD="$build" DESTDIR="$folder" PREFIX=/usr/local install || exit 1
mkdir -p "$folder/work" && cp tests/data/programs/features.cu tests/data/programs/common.h "$folder/work/" || exit 1
(cd "$folder/work" && "$nvcc" -arch=sm_90 -O3 -lineinfo features.cu -o features && rm -f features.cu common.h) || exit 1

# Nothing of CUDA is there but ours.
found=$(find "$folder" -xdev \( -name 'libcuda*' -o -name 'nvcc*' -o -name '*nvidia*' \) ! -path '*/lib/warpglass/*' | head -n 3)
[ -z "$found" ] || { echo "CUDA lies in the chroot: $found"; exit 1; }

unshare --mount sh -c '
    mount -t proc proc "$1/proc" && cd / &&
        chroot "$1" /bin/sh -c "cd /work && exec /usr/local/bin/warpglass run --quiet --log-file report.txt ./features small"' \
    sh "$folder" >"$folder/work/out" 2>"$folder/work/err"
status=$?
[ $status = 0 ] || { cat "$folder/work/err"; echo "exit status $status"; exit 1; }
diff tests/data/h200_features.txt "$folder/work/out" || { echo 'prints something else than on an H200'; exit 1; }
launches=$(grep -c '^launch ' "$folder/work/report.txt")
[ "$launches" -ge 20 ] || { echo "only $launches launches in the report"; exit 1; }
echo "Debian $(cat "$folder/etc/debian_version") without CUDA: features prints what an H200 printed, $launches launches measured"
