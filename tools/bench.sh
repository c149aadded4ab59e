#!/bin/sh
# Speed: warp instructions a second of the model with every counter and cache on and all SMs full, on one core; and the
# same kernels on Oclgrind (Debian package) as the peer, at a size that Oclgrind can bear. Prints a Markdown table;
# `make bench` keeps it in build/bench.md.
#
#     tools/bench.sh build/gcc/warpglass [runs]
set -u
program=$1
runs=${2:-5}
folder=${TMPDIR:-/tmp}/warpglass-bench.$$
mkdir -p "$folder"
trap 'rm -rf "$folder"' EXIT

# The launch of kernel $1 at size $2 from $3, PTX or machine code: arguments for `warpglass launch`.
launch_words() {
    from=tests/data/ptx end=ptx
    [ "$3" = PTX ] || { from=tests/data/cubins end=fatbin && printf -- '--engine sass '; }
    case $1 in
    tr_tile32)
        t=$(($2 / 32))
        echo "$from/transpose.$end --kernel tr_tile32 --grid ${t}x$t --block 32x8" \
            "--arg f32[$2x$2]=iota --arg f32[$2x$2] --arg $2"
        ;;
    tile32)
        t=$(($2 / 32))
        echo "examples/transpose.ptx --kernel tile32 --grid ${t}x$t --block 32x8" \
            "--arg f32[$2x$2]=iota --arg f32[$2x$2] --arg $2"
        ;;
    gemm_reg2d)
        t=$(($2 / 128))
        echo "$from/sgemm.$end --kernel gemm_reg2d --grid ${t}x$t --block 256" \
            "--arg f32[$2x$2]=random:1 --arg f32[$2x$2]=random:2 --arg f32[$2x$2] --arg $2"
        ;;
    co_gather)
        echo "$from/coalesce.$end --kernel co_gather --grid $(($2 / 256)) --block 256" \
            "--arg u32[$(($2 * 8))]=random:3 --arg u32[$2]=random:9:0:$(($2 * 8 - 1)) --arg u32[$2]"
        ;;
    esac
}

# Median of the numbers on standard input.
median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Simulation seconds and warp instructions of one launch: "SECONDS INSTRUCTIONS".
simulate() {
    # shellcheck disable=SC2046 # words
    "$program" launch $(launch_words "$1" "$2" "$4") --model "$3" --threads 1 --quiet --json --log-file "$folder/out.json" || exit 1
    tr -d ' ",' <"$folder/out.json" |
        awk -F: '$1 == "warp_instructions" && !n { n = $2 } $1 == "wall_seconds" && !s { s = $2 } END { print s, n }'
}

row() {
    for i in $(seq "$runs"); do simulate "$1" "$2" "$3" "$4"; done >"$folder/times"
    seconds=$(cut -d ' ' -f 1 "$folder/times" | median)
    best=$(cut -d ' ' -f 1 "$folder/times" | sort -n | head -n 1)
    n=$(head -n 1 "$folder/times" | cut -d ' ' -f 2)
    echo "$1 $2 $3 $n $seconds $best" | awk -v code="$4" '{
        printf "| %s | %s | %s | %s | %.1f M | %.3f s | %.1f M/s | %.1f M/s |\n", $1, $2, code, $3, $4/1e6, $5, $4/$5/1e6, $4/$6/1e6 }'
}

echo "| kernel | n | code | model | warp instructions | median | per second, median | per second, best |"
echo "|---|---|---|---|---|---|---|---|"
for code in PTX machine; do
    for model in counters off; do
        row tr_tile32 4096 $model $code
        row gemm_reg2d 2048 $model $code
        row co_gather 4194304 $model $code
    done
done
echo

if ! command -v oclgrind-kernel >/dev/null; then
    echo "Oclgrind is not installed (apt-get install oclgrind): no comparison."
    exit 0
fi
# Whole processes on both sides, start and data included.
whole() {
    start=$(date +%s%N)
    "$@" >/dev/null 2>&1 || exit 1
    end=$(date +%s%N)
    echo "$start $end" | awk '{ printf "%.3f\n", ($2 - $1) / 1e9 }'
}
peer() {
    : >"$folder/ours"
    : >"$folder/theirs"
    for i in $(seq "$runs"); do
        # shellcheck disable=SC2046 # words
        whole "$program" launch $(launch_words "$1" "$2" PTX) --threads 1 --quiet --log-file /dev/null >>"$folder/ours"
        (cd bench && whole oclgrind-kernel "$3") >>"$folder/theirs"
    done
    paste "$folder/ours" "$folder/theirs" | awk '{ print $2 / $1 }' | median >"$folder/ratio"
    echo "| $1 | $2 | $(median <"$folder/ours") s | $(median <"$folder/theirs") s | $(cat "$folder/ratio") |"
}
echo "| kernel | n | warpglass, counters and caches | Oclgrind, no caches | ratio |"
echo "|---|---|---|---|---|"
peer tile32 512 transpose.sim
peer gemm_reg2d 256 sgemm.sim
