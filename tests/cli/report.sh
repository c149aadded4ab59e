#!/bin/sh
# report through the command line, on the stored profile tests/data/sample.wgp. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
sample=tests/data/sample.wgp
n=0

say() { # result, name
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# Runs report; $output is both streams, $status the exit status.
run() {
    output=$("$warpglass" report "$@" 2>&1)
    status=$?
}

expect() { # status, text, arguments...
    want=$1 text=$2
    shift 2
    run "$@"
    case $output in *"$text"*) found=0 ;; *) found=1 ;; esac
    [ "$status" = "$want" ] && [ $found = 0 ]
    result=$?
    say $result "report $* gives $want and '$text'"
    [ $result = 0 ] || printf '%s\nstatus %s\n' "$output" "$status" | sed 's/^/# /'
}

expect 0 'limited by warps' $sample
expect 0 'limited by warps' $sample --page details
expect 0 '1,081,344' --page compare $sample
expect 0 'dram__bytes_read.sum' $sample --page raw
expect 0 '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size"' $sample --csv
expect 0 'dram__bytes.sum                                                                          4194304 byte ~' \
    $sample --metrics dram__bytes.sum --print-units base
expect 0 'n/a' $sample --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed
expect 0 'gld_efficiency' $sample --metrics gld_efficiency --csv
expect 0 'smsp__inst_executed.sum [inst]' --list-metrics
expect 1 'tr_tile<(int)32>' $sample --fail-on 'derived__memory_l1_wavefronts_shared_excessive > 0'
expect 0 'limited by warps' $sample --fail-on 'dram__bytes.sum > 1e12'
expect 2 'dram__bytes_read.sum' $sample --fail-on 'dram__bytes_raed.sum > 0'
expect 2 'is n/a for' $sample --fail-on 'sm__throughput.avg.pct_of_peak_sustained_elapsed > 1'
expect 2 "did you mean 'dram__bytes.sum'" $sample --metrics dram__byte.sum
expect 2 'expected a profile'
expect 2 'summary' $sample --page nonsense
expect 2 'nonsense' $sample --print-units nonsense
expect 2 'csv' $sample --page summary --csv
expect 0 '"File","Line","Index","Source","executed","threads"' $sample --page source --csv
expect 0 '"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name"' $sample --page details --csv
expect 3 'No such file' "$work/none.wgp"
expect 3 'not a warpglass profile' README.md

# A profile without launches measured nothing: an error, as is one of another format.
dd if=$sample of="$work/head.wgp" bs=1 count=2000 2>/dev/null
expect 3 '0 kernels measured' "$work/head.wgp"
head -c 3600 $sample >"$work/cut.wgp"
expect 0 'ends in the middle of a launch' "$work/cut.wgp"
run "$work/cut.wgp" --csv
[ "$(printf '%s\n' "$output" | grep -c '"h200\|"9.0"')" = 2 ]
say $? 'the launches before the cut are reported'

# The contract of the raw CSV: header, units, one row a launch; plain digits; no blank line.
run $sample --csv --page raw
[ "$(printf '%s\n' "$output" | wc -l)" = 5 ] && ! printf '%s\n' "$output" | grep -q '^$'
say $? 'the CSV has a header, units and three rows'
printf '%s\n' "$output" | awk -F'","' 'NR == 1 { n = NF } NF != n { exit 1 }'
say $? 'every CSV row has as many fields as the header'

# Several profiles are one report: ids count on.
run $sample $sample --csv --metrics launch__grid_size
[ "$(printf '%s\n' "$output" | tail -n 1 | cut -d, -f1)" = '"5"' ]
say $? 'launches of several profiles are numbered through'

# JSON: parses, has what the contract names, and --reproducible leaves out what varies.
run $sample --json
printf '%s\n' "$output" | grep -q '"wall_seconds"' && printf '%s\n' "$output" | grep -q '"process_id": 4321'
say $? 'the JSON has wall_seconds and an environment'
run $sample --json --reproducible
! printf '%s\n' "$output" | grep -q 'wall_seconds\|process_id\|testhost\|environment'
say $? '--reproducible leaves the environment out'
run $sample --page summary --reproducible
! printf '%s\n' "$output" | grep -q 'chosen by\| 0.25 s'
say $? '--reproducible leaves times and reasons out of the summary'

"$warpglass" report $sample --log-file "$work/report.txt" >"$work/stdout.txt" && [ ! -s "$work/stdout.txt" ] &&
    grep -q 'limited by warps' "$work/report.txt"
say $? '--log-file takes the report off standard output'
expect 3 'cannot write' $sample --log-file /no/such/folder/x

# Names that every ncu script knows answer.
for metric in dram__bytes.sum lts__t_bytes.sum l1tex__t_bytes.sum smsp__inst_executed_op_shared_ld.sum \
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum; do
    run $sample --csv --metrics $metric
    value=$(printf '%s\n' "$output" | tail -n 1 | awk -F'","' '{ gsub("\"", "", $NF); print $NF }')
    [ "$status" = 0 ] && [ "${value:-n/a}" != n/a ]
    say $? "$metric answers"
done

# Pages, sections, groups, gates.
expect 0 'bank_conflict  transpose.cu:31  1,015,808 wavefronts' $sample --page findings
expect 0 'line  source, instruction' $sample --page source
expect 2 '--order takes' $sample --page source --order size
expect 0 'Section: Occupancy' $sample --section Occupancy --section LaunchStats
expect 0 'Section: Source Counters' $sample --set full
expect 2 "did you mean 'Occupancy'" $sample --section Ocupancy
expect 2 'unknown set' $sample --set most
expect 0 'dram__bytes.sum' $sample --csv --metrics group:memory__dram_table
expect 0 'lts__t_bytes.sum' $sample --metrics 'regex:^lts__t_b'
expect 2 'no metric matches' $sample --metrics 'regex:^nothing'
expect 1 'at transpose.cu:31' $sample --fail-on 'line: derived__memory_l1_wavefronts_shared_excessive > 1000'
expect 2 'no launch ran the line' $sample --fail-on 'line nowhere.cu:1: smsp__inst_executed.sum > 0'
"$warpglass" report $sample --junit "$work/junit.xml" --fail-on 'dram__bytes.sum < 0' --log-file "$work/log.txt" &&
    grep -q 'tests="3" failures="0"' "$work/junit.xml"
say $? '--junit writes a case for each launch'
"$warpglass" report $sample --html "$work/page.html" --log-file "$work/log.txt" 2>/dev/null &&
    ! grep -q 'src="http\|href="http\|@import' "$work/page.html" && grep -q 'application/json' "$work/page.html"
say $? '--html writes one page that refers to nothing outside'
expect 3 'cannot write' $sample --html /no/such/folder/x --log-file "$work/log.txt"

# Colour: on a terminal only, and not with NO_COLOR.
escape=$(printf '\033')
run $sample
case $output in *"$escape"*) false ;; *) true ;; esac
say $? 'no colour in a pipe'
if command -v script >/dev/null; then
    TERM=xterm script -qec "$warpglass report $sample" /dev/null </dev/null | grep -q "$escape\["
    say $? 'colour on a terminal'
    ! TERM=xterm NO_COLOR=1 script -qec "$warpglass report $sample" /dev/null </dev/null | grep -q "$escape\["
    say $? 'NO_COLOR is respected'
fi

echo "1..$n"
