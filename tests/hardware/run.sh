#!/bin/sh
# Runs the probes on the GPU of this machine under Nsight Compute: OUT/NAME.csv has one row a launch, the launch's
# parameters first, then the counters. Needs nvcc and ncu, and the right to read counters.
#
#     tests/hardware/run.sh OUT [PROBE...]
set -u
out=$1
shift
cd "$(dirname "$0")" || exit 1
mkdir -p "$out"
[ $# -gt 0 ] || set -- *.cu
work=$(mktemp -d)
tex=lts__t_sectors_srcunit_tex fabric=lts__t_sectors_srcunit_ltcfabric l1=l1tex__t_sectors_pipe_lsu_mem lrc=lrc__lrc2xbar_sectors_op_read
metrics=$(tr ' \n' ',,' <<METRICS | sed 's/,,*/,/g; s/,$//'
gpu__time_duration.sum sm__cycles_elapsed.max smsp__inst_executed.sum
${l1}_global_op_ld.sum ${l1}_global_op_ld_lookup_hit.sum ${l1}_global_op_ld_lookup_miss.sum
${l1}_local_op_ld.sum ${l1}_local_op_ld_lookup_hit.sum ${l1}_local_op_st.sum ${l1}_local_op_st_lookup_hit.sum
lts__t_requests_srcunit_tex_op_read.sum ${tex}_op_read.sum ${tex}_op_read_lookup_hit.sum ${tex}_op_write.sum ${tex}.sum
lts__t_sectors.sum lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum lts__t_sectors_lookup_hit.sum lts__t_sectors_srcunit_gcc.sum
${fabric}.sum ${fabric}_op_read.sum ${fabric}_op_write.sum ${fabric}_lookup_hit.sum ${fabric}_op_membar.sum lts__d_sectors_fill_device.sum
${lrc}.sum ${lrc}_coalescing_achieved_type_hardware.sum lrc__request_sectors_op_read_coalescable.sum lrc__xbar2lrc_requests_op_read.sum
dram__sectors_read.sum dram__sectors_write.sum
idc__requests.sum idc__requests_lookup_hit.sum idc__requests_lookup_miss.sum idc__requests_lookup_miss_tag_hit.sum idc__requests_lookup_miss_tag_miss.sum
METRICS
)
for probe; do
    name=$(basename "$probe" .cu)
    nvcc -arch=sm_90 -O2 "$name.cu" -o "$work/$name" || exit 1
    ncu --csv --page raw --print-units base --cache-control all --clock-control none --metrics "$metrics" --log-file "$work/$name.log" \
        "$work/$name" | sed -n 's/.*=.*/"&"/p' >"$work/$name.txt"
    sed -n '/^"/s/^\("[^"]*",\)\{11\}//p' "$work/$name.log" | sed 2d | { read -r header && echo "parameters,$header" && paste -d, "$work/$name.txt" -; } >"$out/$name.csv"
    echo "$name: $(wc -l <"$work/$name.txt") launches"
done
rm -rf "$work"
