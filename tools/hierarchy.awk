# How far the counters of the hierarchy are from the H200's, launch by launch, where they matter.
#
#     awk -f tools/hierarchy.awk tests/data/h200_hierarchy.csv SIZE=small small/*.csv SIZE=default default/*.csv
#
# The csv files are those of tools/programs.sh: one row a launch under the name the program prints. A counter of L1 is
# judged where the card or the model has more than 1 % of the sectors that L1 moves in that launch; one of L2, the fabric
# and device memory where at least 1 MiB goes to L2, and of L2's parts where it is more than 1 % of that; constants
# everywhere. Launches whose atomics depend on time (atom_*) are left out. The error is |ours - card| / card; bytes written
# count as equal within 2 MB. Launches that are not among the files are counted as missing.

function abs(x) { return x < 0 ? -x : x }
function larger(a, b) { return a > b ? a : b }

BEGIN {
    n_counters = split("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss " \
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit lts__t_sectors_srcunit_tex_op_read " \
        "lts__t_sectors_srcunit_tex_op_read_lookup_hit lts__t_sectors_srcunit_tex_op_write lts__t_sectors_srcunit_ltcfabric " \
        "dram__bytes_read dram__bytes_write idc__requests idc__requests_lookup_hit", counter, " ")
}

FNR == 1 { n_files++ }

n_files == 1 && FNR == 1 {
    n_columns = split($0, column, ",")
    next
}

n_files == 1 {
    split($0, cell, ",")
    key = cell[2] " " cell[3] " " number[cell[2], cell[3]]++
    keys[++n_keys] = key
    for (i = 7; i <= n_columns; i++)
        if (cell[i] != "")
            card[key, column[i]] = cell[i]
    next
}

{
    line = $0
    sub(/^"/, "", line)
    sub(/"\r?$/, "", line)
    n = split(line, field, /","/)
}

FNR == 1 {
    for (i = 1; i <= n; i++)
        name[i] = field[i]
    next
}

FNR == 2 { next }

{
    key = SIZE " " field[5] " " (seen[SIZE, field[5]]++)
    ours_has[key] = 1
    for (i = 1; i <= n; i++)
        ours[key, name[i]] = field[i]
}

function is_judged(key, c, a, b,   l1, l2) {
    l1 = card[key, "l1tex__t_sectors.sum"]
    l2 = card[key, "lts__t_sectors_srcunit_tex.sum"]
    if (c ~ /^l1tex/)
        return larger(a, b) > 0.01 * l1
    if (c ~ /^idc/)
        return larger(a, b) > 0
    return 32 * l2 >= 1048576 && (c ~ /fabric|dram/ || larger(a, b) > 0.01 * l2)
}

function sort_errors(n,   i, j, e) {
    for (i = 2; i <= n; i++) {
        e = errors[i]
        for (j = i - 1; j > 0 && errors[j] > e; j--)
            errors[j + 1] = errors[j]
        errors[j + 1] = e
    }
}

function judge(c,   k, key, a, b, e, n, n_equal, worst, where, metric) {
    metric = c ".sum"
    for (k = 1; k <= n_keys; k++) {
        key = keys[k]
        if (!(key in ours_has) || !((key, metric) in card) || !((key, metric) in ours) || key ~ / atom_/)
            continue
        a = card[key, metric] + 0
        b = ours[key, metric] + 0
        if (!is_judged(key, c, a, b))
            continue
        e = a == b || (c ~ /bytes_write/ && abs(a - b) <= 2000000) ? 0 : a ? abs(a - b) / a : 1
        errors[++n] = e
        n_equal += a == b
        if (e > worst || n == 1) {
            worst = e
            where = key
        }
    }
    if (!n) {
        printf "%-58s %4d\n", c, 0
        return
    }
    sort_errors(n)
    sub(/ [0-9]+$/, "", where)
    printf "%-58s %4d %6.1f%% %8.2f%% %8.2f%% %8.1f%%  %s\n", c, n, 100 * n_equal / n, 100 * errors[int((n + 1) / 2)],
        100 * errors[int(0.9 * (n - 1)) + 1], 100 * worst, where
}

END {
    for (k = 1; k <= n_keys; k++)
        n_found += keys[k] in ours_has
    printf "%d of %d launches\n\n%-58s %4s %7s %9s %9s %9s  %s\n", n_found, n_keys, "counter (.sum)", "n", "equal", "median", "p90", "worst", "where"
    for (i = 1; i <= n_counters; i++)
        judge(counter[i])
}
