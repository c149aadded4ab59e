# What the shell tests of the arithmetic commands share; sourced with `command` set. Prints TAP.
# shellcheck shell=sh
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
unset WARPGLASS_DEVICE
n=0
# A sanitizer alone takes longer to start than the program may.
case ${TEST_BUILD:-} in *address* | *undefined* | *cover*) most_ms=1000 ;; *) most_ms=50 ;; esac

say() { # result, name
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# The output holds the text: a line or a part of one.
shows() { # text, arguments...
    text=$1
    shift
    output=$("$warpglass" "$command" "$@" 2>&1)
    case $output in
    *"$text"*) say 0 "$command $* shows '$text'" ;;
    *)
        say 1 "$command $* shows '$text'"
        printf '%s\n' "$output" | sed 's/^/# /'
        ;;
    esac
}

# One message line, nothing on standard output, the status.
refuses() { # status, text, arguments...
    status=$1 text=$2
    shift 2
    "$warpglass" "$command" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" = "$status" ] && [ ! -s "$work/out" ] && grep -qF -- "$text" "$work/err" &&
        [ "$(grep -c -e 'error:' -e '^warpglass' "$work/err")" = 1 ]
    result=$?
    say $result "$command $* refused with $status and '$text'"
    [ $result = 0 ] || { cat "$work/out" "$work/err"; echo "status $got"; } | sed 's/^/# /'
}

# No line wider than a terminal of 120 columns, no blanks at line ends, nothing on standard error, and less than 50 ms
# of processor time (the mean of five runs; a busy machine does not decide).
behaves() { # arguments...
    "$warpglass" "$command" "$@" >"$work/out" 2>"$work/err"
    result=$?
    [ $result = 0 ] && [ ! -s "$work/err" ] && ! grep -q ' $' "$work/out" &&
        [ "$(awk 'length > 120' "$work/out" | wc -l)" = 0 ]
    say $? "$command $*: status 0, at most 120 columns, tidy line ends"
    took=$( (
        for _ in 1 2 3 4 5; do "$warpglass" "$command" "$@" >"$work/out" 2>&1; done
        times
    ) | awk -F'[ms ]+' 'END { print int((60 * ($1 + $3) + $2 + $4) * 1000 / 5) }')
    [ "$took" -lt $most_ms ]
    say $? "$command $*: $took ms of processor time, fewer than $most_ms"
}

# The JSON has this "key": value, and is one object.
json_has() { # text, arguments...
    text=$1
    shift
    "$warpglass" "$command" "$@" --json >"$work/json" 2>&1
    result=$?
    [ $result = 0 ] && [ "$(head -c 1 "$work/json")" = '{' ] && [ "$(tail -n 1 "$work/json")" = '}' ] &&
        grep -qF -- "$text" "$work/json"
    result=$?
    say $result "$command $* --json has $text"
    [ $result = 0 ] || sed 's/^/# /' "$work/json"
}

finish() {
    echo "1..$n"
}
