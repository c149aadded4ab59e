#!/bin/sh
# launch takes fatbins, objects and libraries, says which image it took, and refuses the rest with what to do.
set -u
images=$TEST_DATA/images
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# FILE KERNEL "WHAT IT TOOK" "LAST LINE" [option…]: runs and prints the first argument.
runs() {
    file=$1 kernel=$2 taken=$3 last=$4
    shift 4
    out=$("$WARPGLASS" launch "$images/$file" --kernel "$kernel" --print 0 "$@" 2>&1) || fail "$file: status $?"
    case $out in *"warpglass: $images/$file: $taken
"*) ;; *) fail "$file: does not say '$taken': $(echo "$out" | head -n 1)" ;; esac
    [ "$(echo "$out" | tail -n 1)" = "$last" ] || fail "$file: prints '$(echo "$out" | tail -n 1)' instead of '$last'"
}

# FILE "TEXT" [option…]: status 3 and the sentence on stderr.
refuses() {
    file=$1 text=$2
    shift 2
    out=$("$WARPGLASS" launch "$images/$file" --grid 1 --block 1 "$@" 2>&1)
    [ $? -eq 3 ] || fail "$file: not refused with status 3"
    case $out in *"$text"*) ;; *) fail "$file: says '$out' instead of '$text'" ;; esac
}

scaled='argument 0 [0..]: 0 2.5 5 7.5'
set -- --grid 1 --block 4 --arg 'f32[4]' --arg 4
for file in plain lz4 zstd; do
    runs $file.fatbin scale 'PTX for compute_90' "$scaled" "$@"
done
runs many.fatbin scale 'machine code for sm_90' "$scaled" "$@"
runs many.fatbin scale 'PTX for compute_90' "$scaled" "$@" --engine ptx
runs many.fatbin scale 'PTX for compute_75' "$scaled" "$@" --device t4
runs specific.fatbin scale 'machine code for sm_90a' "$scaled" "$@"
runs specific.fatbin scale 'PTX for compute_90a' "$scaled" "$@" --engine ptx
runs machine.fatbin scale 'machine code for sm_90' "$scaled" "$@"
runs scale.cubin scale 'machine code for sm_90' "$scaled" "$@"
runs debug.fatbin scale 'PTX for compute_90 (scale.cu)' "$scaled" "$@"
runs raw.o raw 'PTX for compute_80' 'argument 0 [0..]: 42' --grid 1 --block 1 --arg 's32[1]'

# Two modules of one library, each with a variable of the same name.
runs library.so scale 'PTX for compute_90, compute_90' "$scaled" "$@"
runs library.so second 'PTX for compute_90, compute_90' 'argument 0 [0..]: 6' --grid 1 --block 1 --arg 's32[1]'

# Relocatable device code, linked: -x + 3 + 2 + 0 + 7 + 1 with x = (3 - i) / 2.
runs linked.so run 'PTX for compute_90 (part_a.cu), compute_90 (part_b.cu)' 'argument 0 [0..]: 11.5 12 12.5 13' \
    --grid 1 --block 4 --shared 16 --arg 'f32[4]' --arg 4

refuses part_a.o 'kernel run: calls _Z5applyfi, which is not defined' --kernel run --block 4 --arg 'f32[4]' --arg 4
refuses machine.fatbin 'holds code for sm_80, sm_90 but no PTX: build with -gencode arch=compute_90,code=compute_90' --engine ptx
refuses scale.cubin 'holds code for sm_90 but no PTX' --engine ptx
refuses plain.fatbin 'it has no machine code for compute capability 9.0' --engine sass
refuses family.fatbin 'holds PTX for compute_100f, which a device of capability 9.0 does not run'
refuses program 'is a program'

head -c 400 "$images/zstd.fatbin" >"$TEST_TMP/cut.fatbin"
images=$TEST_TMP
refuses cut.fatbin 'damaged fatbin: the container is longer than what holds it'

[ $failures -eq 0 ] && echo "images of every kind"
exit $((failures > 0))
