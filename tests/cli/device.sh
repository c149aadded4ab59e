#!/bin/sh
# device list, show and diff through the command line. Prints TAP.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
unset WARPGLASS_DEVICE
n=0

say() { # result, name
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

shows() { # text, arguments...
    text=$1
    shift
    output=$("$warpglass" device "$@" 2>&1)
    case $output in
    *"$text"*) say 0 "device $* shows '$text'" ;;
    *) say 1 "device $* shows '$text'"; printf '%s\n' "$output" | sed 's/^/# /' ;;
    esac
}

refuses() { # status, text, arguments...
    status=$1 text=$2
    shift 2
    output=$("$warpglass" device "$@" 2>&1 >/dev/null)
    got=$?
    case $output in *"$text"*) found=0 ;; *) found=1 ;; esac
    [ "$got" = "$status" ] && [ $found = 0 ]
    result=$?
    say $result "device $* refused with $status and '$text'"
    [ $result = 0 ] || printf '%s\nstatus %s\n' "$output" "$got" | sed 's/^/# /'
}

names=$("$warpglass" device list --csv | tail -n +2 | cut -d, -f1 | tr '\n' ' ')
[ "$names" = 'a10 a100-40gb a100-80gb b200 h100-pcie h100-sxm h200 l4 rtx3090 rtx4090 rtx5090 t4 v100 ' ]
say $? "the list names thirteen devices: $names"

for name in $names; do
    "$warpglass" device show "$name" >"$work/show" 2>&1
    # Six storeys, nothing wider than 120 characters (frames take three bytes each), no blanks at line ends.
    [ "$(grep -c '│' "$work/show")" = 6 ] && ! grep -q ' $' "$work/show" &&
        [ "$(sed 's/[│┌┐└┘┴─]/x/g' "$work/show" | awk 'length > 120' | wc -l)" = 0 ]
    say $? "the tower of $name"
    # What --source prints is a device file with the same values.
    "$warpglass" device show "$name" --source >"$work/copy.dev"
    [ "$("$warpglass" device diff "$name" "$work/copy.dev" | tail -1 | cut -d' ' -f1)" = 0 ]
    say $? "the printed sources of $name can be read back"
done

shows 'NVIDIA H200: GH100, compute capability 9.0, 132 SMs at 1980 MHz' show
shows 'L2        │   96 slices                  60 MiB     281      142' show h200
shows '? = a guess; this device rests on' show t4
shows 'l2.size                = 60 MiB         @probe' show h200 --source
shows 'values: ' show h200 --source
shows 'dram.kind              HBM3                             HBM3e' diff h100-sxm h200
shows '0 of ' diff t4 t4
shows '"value": 62914560' show h200 --json
shows '"guesses": 10' show t4 --json
shows 'l2.size,60 MiB,probe,' show h200 --csv
"$warpglass" device show h200 --source | grep -c '@' >"$work/keys"
"$warpglass" device show h200 --csv | tail -n +2 | wc -l | cmp -s - "$work/keys"
say $? 'CSV and sources hold the same keys'

# A file of one's own.
printf 'base = h200\nl2.size = 30 MiB @guess "half of it"\n' >"$work/half.dev"
shows '30 MiB' show "$work/half.dev"
shows 'l2.size                60 MiB                           30 MiB                           0.5' diff h200 "$work/half.dev"
printf 'base = h200\nl2.sise = 30 MiB @guess "half of it"\n' >"$work/typo.dev"
refuses 3 "typo.dev:2:1: error: unknown key 'l2.sise'; did you mean 'l2.size'?" show "$work/typo.dev"
"$warpglass" device show "$work/typo.dev" 2>&1 | sed -n 2,3p >"$work/caret"
printf '  l2.sise = 30 MiB @guess "half of it"\n  ^\n' | cmp -s - "$work/caret"
say $? 'the line and a caret are shown'

refuses 2 'expected list, show NAME or diff A B'
refuses 2 'expected list, show NAME or diff A B' draw h200
refuses 2 'expected list, show NAME or diff A B' diff h200
refuses 3 "there is no device 'h20'; did you mean 'h200'?" show h20
refuses 3 'nowhere.dev' show nowhere.dev
echo "1..$n"
