#!/bin/sh
# --as-ptxas: atomics of PTX count as ptxas makes them, and are marked as estimated. Prints TAP.
set -u
n=0
cd "$TEST_TMP" || exit 1
cat >a.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry one(.param .u64 p) { // everybody adds to one word
    .reg .b64 p, q; .reg .b32 t, d; .reg .pred h;
    ld.param.u64 p, [p]; mov.u32 t, %tid.x; setp.lt.u32 h, t, 80;
    red.global.add.u32 [p], t;          // one lane's
    @h red.global.max.u32 [p+32], t;    // also of half a warp; not before 8.0
    red.global.inc.u32 [p+64], t;       // as it is
    atom.global.add.u32 d, [p+96], t;   // of full warps
    mul.wide.u32 q, t, 4; add.u64 q, q, p; st.global.u32 [q+128], d;
    ret;
}
.visible .entry count(.param .u64 p) { // a histogram of one bin
    .reg .b64 p; .reg .b32 t, d; .shared .align 128 .b32 s[32];
    ld.param.u64 p, [p]; mov.u32 t, %tid.x; mov.b32 d, s; mad.lo.u32 d, 0, t, d;
    red.shared.add.u32 [d], 1;
    bar.sync 0; ld.shared.u32 t, [s]; st.global.u32 [p], t;
    ret;
}
END
count() { # kernel, metric, further options: the number and its mark
    kernel=$1 metric=$2
    shift 2
    "$WARPGLASS" launch a.ptx --kernel "$kernel" --grid 1 --block 96 --arg 'u32[256]' --quiet --export a.wgp "$@" --log-file /dev/null &&
        "$WARPGLASS" report a.wgp --page raw --metrics "$metric" | awk -v m="$metric" '$1 == m { gsub(",", ""); for (i = 2; i <= NF; i++) v = $i == "?" || $i ~ /^[0-9?]+$/ ? v $i : v; print v }'
}
expect() { # name, got, want
    n=$((n + 1))
    if [ "$2" = "$3" ]; then echo "ok $n - $1"; else echo "not ok $n - $1: $2, not $3"; fi
}
red=l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
atom=l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
shared=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum
expect 'three warps, one lane each, twice; inc by all' "$(count one "$red")" '102?'
expect 'as written' "$(count one "$red" --as-ptxas off)" 272
expect 'a warp of which half is there has no REDUX before 8.0' "$(count one "$red" --device t4)" '117?'
expect 'old values of full warps' "$(count one "$atom")" '3?'
expect 'old values as written' "$(count one "$atom" --as-ptxas off)" 96
expect 'ones are counted in shared memory' "$(count count "$shared")" '3?'
expect 'as written, lanes take turns' "$(count count "$shared" --as-ptxas off)" 96
echo "1..$n"
