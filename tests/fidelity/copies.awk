# Compares asynchronous copies at each instruction with an H200's (copies.sh):
#
#     awk -v printed=LINES -f copies.awk RESULTS.csv SOURCE.csv
#
# RESULTS.csv: a row a copy, "parameters","instruction",executed,tags,wavefronts,ideal,sectors,ideal. LINES: what the program
# printed, the parameters of a launch a line. SOURCE.csv: report --csv --page source.
FNR == 1 && NR == FNR { next }
NR == FNR { # a row of the card
    split($0, part, "\"")
    n_want++
    parameters[n_want] = part[2]
    text[n_want] = part[4]
    want[n_want] = substr(part[5], 2)
    next
}
FNR == 1 {
    n_columns = split($0, name, "\",\"")
    for (i = 1; i <= n_columns; i++) {
        gsub(/"/, "", name[i])
        column[name[i]] = i
    }
    while ((getline line < printed) > 0)
        if (line ~ /^kernel=/)
            launched[++n_launches] = line
    next
}
{
    split($0, cell, "\",\"")
    gsub(/"/, "", cell[1])
    if (cell[1] != last)
        launch++
    last = cell[1]
}
/LDGSTS/ {
    n++
    got = cell[column["executed"]] "," cell[column["global_tags"]] "," cell[column["shared_wavefronts"]] "," \
        cell[column["shared_ideal"]] "," cell[column["global_sectors"]] "," cell[column["global_ideal"]]
    expected = want[n]
    if (text[n] ~ /^@!?P0 LDGSTS.E.BYPASS/) { # the profiler's code has overwritten P0: tags alone are the copy's
        spoilt++
        split(got, a, ",")
        split(expected, b, ",")
        if (a[1] == b[1] && a[2] == b[2])
            expected = got
        is_all = text[n] ~ /ZFILL/ || text[n] ~ /^@!/
        if ((b[3] > 0) != is_all) {
            print parameters[n] ": " text[n] ": the profiler counted " want[n]
            bad++
        }
    }
    if (parameters[n] != launched[launch] || got != expected) {
        print parameters[n] " (here " launched[launch] "): " text[n] ": " got ", H200 " expected
        bad++
    }
}
END {
    print n " copies compared, " spoilt + 0 " under P0"
    exit bad > 0 || n != n_want || n == 0
}
