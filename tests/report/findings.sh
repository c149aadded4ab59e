#!/bin/sh
# The findings of real kernels: every row of tests/report/findings.txt, and forecasts against what the repaired kernel
# then measures. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
n=0

say() { # result, name
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# Runs a launch; its profile is left in $work/KERNEL.wgp.
launch() { # program kernel grid block arguments...
    program=${1%@*} kernel=$2 grid=$3 block=$4 device=h200
    case $1 in *@*) device=${1#*@} ;; esac
    shift 4
    for argument in "$@"; do
        shift
        case $argument in
        symbol:*) set -- "$@" --symbol "${argument#symbol:}" ;;
        *) set -- "$@" --arg "$argument" ;;
        esac
    done
    "$warpglass" launch "tests/data/ptx/$program.ptx" --kernel "$kernel" --grid "$grid" --block "$block" --device "$device" \
        --quiet --export "$work/$kernel.wgp" --log-file "$work/log.txt" "$@" 2>"$work/errors.txt" </dev/null
}

# "kind@place+kind@place" of the findings in a profile.
findings() {
    "$warpglass" report "$1" --page findings | awk '/^[0-9]+  / {
        place = $3; if (place == "the") place = "the_launch"; print $2 "@" place }' | sort -u | paste -s -d+ -
}

while read -r program kernel grid block expected arguments; do
    case $program in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086 # arguments are a list
    launch "$program" "$kernel" "$grid" "$block" $arguments
    status=$?
    found=$(findings "$work/$kernel.wgp")
    [ $status = 0 ] && [ "${found:--}" = "$expected" ]
    result=$?
    say $result "$kernel: $expected"
    [ $result = 0 ] || { echo "# found ${found:--}"; sed 's/^/# /' "$work/errors.txt"; }
done <tests/report/findings.txt

# ---- forecasts ----

metric() { # profile, metric
    "$warpglass" report "$1" --csv --metrics "$2" | tail -n 1 | awk -F'","' '{ gsub("\"", "", $NF); print $NF }'
}

# The sentence of the first forecast that holds the number as written.
forecast_says() { # profile, text
    "$warpglass" report "$1" --json --reproducible | grep '"forecast"' | head -n 1 | grep -q "$2"
}

commas() { printf '%s\n' "$1" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta'; }

launch transpose tr_tile32 8x8 32x8 'f32[256x256]=iota' 'f32[256x256]' 256
launch transpose tr_tile33 8x8 32x8 'f32[256x256]=iota' 'f32[256x256]' 256
launch transpose tr_swizzle 8x8 32x8 'f32[256x256]=iota' 'f32[256x256]' 256
loads=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
padded=$(commas "$(metric "$work/tr_tile33.wgp" $loads)")
swizzled=$(commas "$(metric "$work/tr_swizzle.wgp" $loads)")
forecast_says "$work/tr_tile32.wgp" "padded to 132 bytes this line takes $padded wavefronts"
say $? "tile32 padded: $padded wavefronts, as tile33 has"
forecast_says "$work/tr_tile32.wgp" "column XOR row instead of padding, $swizzled"
say $? "tile32 swizzled: $swizzled wavefronts, as swizzle has"

launch transpose tr_naive_readcoal 8x8 32x8 'f32[256x256]=iota' 'f32[256x256]' 256
stores=$(commas "$(metric "$work/tr_tile33.wgp" l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum)")
forecast_says "$work/tr_naive_readcoal.wgp" "this line moves $stores sectors"
say $? "naive with lanes side by side: $stores sectors, as the tiled kernel has"

loads=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
launch coalesce co_aos8 64 256 'u32[524288]=random:3' 'u32[16384]'
launch coalesce co_soa8 64 256 'u32[524288]=random:3' 'u32[16384]' 16384
soa=$(commas "$(metric "$work/co_soa8.wgp" $loads)")
forecast_says "$work/co_aos8.wgp" "an array of its own: $soa sectors"
say $? "aos8 as arrays: $soa sectors, as soa8 has"

launch problems four_scalars 64 256 'f32[65536]=iota' 'f32[16384]'
launch problems one_vector 64 256 'f32[65536]=iota' 'f32[16384]'
vector=$(commas "$(metric "$work/one_vector.wgp" $loads)")
forecast_says "$work/four_scalars.wgp" "As 1 vector of 16 bytes: $vector sectors"
say $? "four scalars as a vector: $vector sectors, as the vector has"

A='f32[128x128]=random:21:-4:4' B='f32[128x128]=random:22:-4:4'
launch sgemm gemm_naive_uncoalesced 4x16 32x8 "$A" "$B" 'f32[128x128]' 128
launch sgemm gemm_naive_coalesced 4x16 32x8 "$A" "$B" 'f32[128x128]' 128
coalesced=$(commas "$(metric "$work/gemm_naive_coalesced.wgp" $loads)")
forecast_says "$work/gemm_naive_uncoalesced.wgp" "this line moves $coalesced sectors"
say $? "gemm with lanes side by side: $coalesced sectors, as the coalesced one has"

launch problems@t4 two_passes 80 256 'f32[2097152]=iota' 'f32[20480]' 2097152
launch problems@t4 one_pass 80 256 'f32[2097152]=iota' 'f32[20480]' 2097152
once=$(commas "$(metric "$work/one_pass.wgp" dram__sectors_read.sum)")
forecast_says "$work/two_passes.wgp" "read once: $once sectors"
say $? "two passes with each line read once: $once sectors, as one pass has"

launch problems table_beside_large 660 64 'f32[8192]=iota' 'f32[42240]' 8192
launch problems table_beside_small 660 64 'f32[8192]=iota' 'f32[42240]' 8192
reads=$(commas "$(metric "$work/table_beside_small.wgp" l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum)")
forecast_says "$work/table_beside_large.wgp" "at most $reads sectors missing in L1"
say $? "a table with room in L1: $reads sectors, as beside the small tile"

echo "1..$n"
