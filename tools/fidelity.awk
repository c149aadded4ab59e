# Compares simulated counts with the H200's: which metrics are equal in which share of launches, how far off the rest.
#
#     awk -v verbose=1 -f tools/fidelity.awk METRICS.txt tests/data/h200_counters.csv RAW.csv...
#
# The first file is the output of `warpglass report --list-metrics`, which says what each metric's trust depends on; the
# second has one row a launch (program,size,kernel,launch,grid,block,metric...); the others are the output of
# `--csv --page raw`. A launch is found again by kernel, grid and block. Percentages and ratios count as equal when they
# round to the same two decimals; launches where both have 0 say nothing and are left out. Error = |ours - hardware| /
# hardware (1 where the hardware has 0 and we have not). verbose=1 lists the differences of the first table.

function abs(x) { return x < 0 ? -x : x }

# "void name<(int)3>(float *)" -> name
function plain(kernel) {
    sub(/[<(].*/, "", kernel)
    sub(/^.*[ :]/, "", kernel)
    return kernel
}

# "(8, 8, 1)" -> 8x8x1
function shape(text) {
    gsub(/[() ]/, "", text)
    gsub(/,/, "x", text)
    return text
}

function is_equal(ours, theirs) {
    if (theirs ~ /\./ || ours ~ /\./)
        return abs(ours - theirs) <= 0.0051
    return ours + 0 == theirs + 0
}

# 1 exact, 2 estimated from PTX, 3 modelled.
function family(metric) {
    return trust[metric] ~ /^ *modelled/ ? 3 : trust[metric] ~ /^ *exact from SASS/ ? 2 : 1
}

FNR == 1 { n_files++ }

n_files == 1 {
    if (/^[^ ]/)
        metric = $1
    else if (/^ /)
        trust[metric] = $0
    next
}

n_files == 2 && FNR == 1 {
    n_columns = split($0, column, ",")
    next
}

n_files == 2 {
    split($0, cell, ",")
    key = cell[3] " " cell[5] " " cell[6]
    program[key] = cell[1]
    for (i = 7; i <= n_columns; i++)
        hardware[key, column[i]] = cell[i]
    next
}

# A row of ours: every field is quoted, so `","` separates.
{
    line = $0
    sub(/^"/, "", line)
    sub(/"\r?$/, "", line)
    n = split(line, field, /","/)
}

FNR == 1 {
    for (i = 1; i <= n; i++)
        name[i] = field[i]
    n_names = n
    next
}

FNR == 2 { next }

{
    kernel = plain(field[5])
    key = kernel " " shape(field[9]) " " shape(field[8])
    if (!(key in program)) {
        print "no hardware row: " key
        next
    }
    n_launches++
    programs[program[key]]++
    for (i = 12; i <= n_names; i++)
        compare(name[i], kernel, field[i], hardware[key, name[i]], program[key])
}

function compare(metric, kernel, ours, theirs, from,    error) {
    if (theirs == "" || ours == "n/a" || (ours + 0 == 0 && theirs + 0 == 0))
        return
    if (!(metric in count))
        order[++n_metrics] = metric
    count[metric]++
    if (!((metric, from) in seen)) {
        seen[metric, from] = 1
        n_programs[metric]++
    }
    error = is_equal(ours, theirs) ? 0 : theirs + 0 == 0 ? 1 : abs(ours - theirs) / abs(theirs)
    if (error == 0)
        exact[metric]++
    else
        differences[metric] = differences[metric] sprintf("    %-26s ours %-12s hardware %s\n", kernel, ours, theirs)
    if (error >= worst[metric]) {
        worst[metric] = error
        worst_kernel[metric] = kernel
    }
    errors[metric, count[metric]] = error
}

function median(metric,    n, i, j, value, sorted) {
    n = count[metric]
    for (i = 1; i <= n; i++) {
        value = errors[metric, i]
        for (j = i - 1; j >= 1 && sorted[j] > value; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = value
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function print_metric(metric) {
    printf "%-66s %3d %5d/%-5d %8.2f%% %9.2f%%  %s\n", metric, n_programs[metric], exact[metric], count[metric],
           100 * median(metric), 100 * worst[metric], worst[metric] ? worst_kernel[metric] : ""
}

function print_family(title, which,    i, metric) {
    printf "\n%-66s %3s %11s %9s %10s  %s\n", title, "prg", "equal", "median", "worst", "where"
    for (i = 1; i <= n_metrics; i++) {
        metric = order[i]
        if (family(metric) != which)
            continue
        print_metric(metric)
        total[which] += count[metric]
        equal[which] += exact[metric]
    }
    printf "%-66s %3s %5d/%-5d %.1f %%\n", "all of these", "", equal[which], total[which],
           total[which] ? 100 * equal[which] / total[which] : 0
}

END {
    for (p in programs)
        n_used++
    printf "%d launches of %d programs, %d metrics\n", n_launches, n_used, n_metrics
    print_family("exact: follows from addresses, widths and lanes", 1)
    print_family("estimated: what the assembler decides", 2)
    print_family("modelled: caches, device memory, hardware counters with noise", 3)
    if (verbose) {
        print "\ndifferences in the first table"
        for (i = 1; i <= n_metrics; i++)
            if (family(order[i]) == 1 && differences[order[i]] != "")
                printf "  %s\n%s", order[i], differences[order[i]]
    }
    exit n_launches == 0
}
