# Compares counts per machine instruction with an H200's.
#
#     awk -f tests/fidelity/machine.awk KNOWN VARIES tests/data/h200_instructions.txt NAMES SOURCE.csv
#
# KNOWN: "PROGRAM KERNEL reason", launches that may differ. VARIES: "PROGRAM KERNEL low high", executed instructions of
# the two passes of the hardware, which disagree. NAMES: PROGRAM KERNEL of each launch; SOURCE.csv: `report --csv --page
# source` of the launches in that order. Prints the launches that differ with the first differences of each metric, then a
# line of sums; exits 1 if one differs that is not known, or lies outside of its two values, or fewer than `least` are equal.

BEGIN {
    split("executed shared_wavefronts shared_ideal global_tags global_sectors global_ideal local_sectors", counter, " ")
    split("inst_executed memory_l1_wavefronts_shared memory_l1_wavefronts_shared_ideal memory_l1_tag_requests_global" \
          " memory_l2_theoretical_sectors_global memory_l2_theoretical_sectors_global_ideal" \
          " memory_l2_theoretical_sectors_local", metric, " ")
    for (digit = 0; digit < 16; digit++)
        digits[substr("0123456789abcdef", digit + 1, 1)] = digit
}

function number(hex,    value, i) {
    for (i = 1; i <= length(hex); i++)
        value = value * 16 + digits[substr(hex, i, 1)]
    return value + 0
}

FNR == 1 { n_files++ }
/^#/ { next }

n_files == 1 {
    key = $1 " " $2
    sub(/^[^ ]* [^ ]* /, "")
    reason[key] = $0
    next
}

n_files == 2 {
    low[$1 " " $2] = $3 < $4 ? $3 : $4
    high[$1 " " $2] = $3 < $4 ? $4 : $3
    next
}

n_files == 3 {
    key = $1 " " $2
    known_launch[key] = 1
    for (i = 4; i <= NF; i++) {
        split($i, item, ":")
        if ($3 == "per_opcode")
            opcode[key] = opcode[key] " " $i
        else {
            split(item[1], range, "-")
            last = range[2] == "" ? range[1] : range[2]
            for (at = number(range[1]) / 16; at <= number(last) / 16; at++)
                want[key, $3, at] = item[2]
            if (n_at[key] < at)
                n_at[key] = at
        }
    }
    next
}

n_files == 4 {
    name[++n_names] = $1 " " $2
    next
}

# A row of ours: every field is quoted, so `","` separates.
{
    sub(/^"/, "")
    sub(/"\r?$/, "")
    n = split($0, field, /","/)
}

FNR == 1 {
    for (i = 1; i <= n; i++)
        column[field[i]] = i
    next
}

field[column["Index"]] == 0 {
    finish_launch()
    launch = name[++at_name]
}

launch in known_launch {
    at = field[column["Index"]]
    text = field[column["Source"]]
    sub(/^@[^ ]* /, "", text)
    sub(/[ .].*/, "", text)
    executed[text] += field[column["executed"]]
    sum += field[column["executed"]]
    rows = at + 1
    for (i = 1; i in counter; i++) {
        ours = field[column[counter[i]]] + 0
        theirs = want[launch, metric[i], at] + 0
        if (ours == theirs)
            continue
        n_differ[counter[i]]++
        if (n_differ[counter[i]] <= 3)
            differences = differences sprintf("    %s at %x: ours %d, hardware %d: %s\n", counter[i], at * 16, ours, theirs,
                                              field[column["Source"]])
    }
}

function compare_opcodes(    i, n, items, item) {
    n = split(opcode[launch], items, " ")
    for (i = 1; i <= n; i++) {
        split(items[i], item, ":")
        if (executed[item[1]] != item[2])
            differences = differences sprintf("    opcode %s: ours %d, hardware %d\n", item[1], executed[item[1]], item[2])
        delete executed[item[1]]
    }
    for (i in executed)
        if (executed[i])
            differences = differences sprintf("    opcode %s: ours %d, hardware none\n", i, executed[i])
}

function finish_launch() {
    if (launch in known_launch) {
        n_launches++
        compare_opcodes()
        if (rows < n_at[launch])
            differences = differences sprintf("    %d instructions, hardware has %d\n", rows, n_at[launch])
        if (differences == "")
            n_equal++
        else if (launch in low && sum >= low[launch] && sum <= high[launch])
            printf "%s: %d executed, between hardware's %d and %d\n", launch, sum, low[launch], high[launch]
        else if (launch in reason)
            printf "%s: differs, known: %s\n%s", launch, reason[launch], differences
        else {
            printf "%s: DIFFERS\n%s", launch, differences
            n_bad++
        }
    } else if (launch != "")
        printf "%s: not measured\n", launch
    differences = launch = ""
    sum = rows = 0
    delete executed
    delete n_differ
}

END {
    finish_launch()
    printf "%d of %d launches have every count of every instruction; %d differ without a known reason\n", n_equal, n_launches, n_bad
    exit n_bad > 0 || n_equal < (least ? least : 100)
}
