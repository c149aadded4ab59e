# What the tests of `run` share: `host`, a CUDA program that only needs a C compiler (tests/data/run/host.c), and TAP.
# Sourced in $TEST_TMP; skips where the runtime libraries are not built (sanitizers) or no C compiler is there.
# shellcheck shell=sh
lib=$(dirname "$WARPGLASS")/lib
cc=${CC:-cc}
unset WARPGLASS_DEVICE
count=0

[ -f "$lib/libcudart.so.12" ] || { echo 'the runtime libraries are not built'; exit 77; }
command -v "$cc" >/dev/null || { echo "no $cc"; exit 77; }
cd "$TEST_TMP" || exit 1

image=plain
build_host() { # output, library it is linked to, further options; holds $image of tests/data/images
    output=$1 library=$2
    shift 2
    "$cc" -DFATBIN="\"$TEST_DATA/images/$image.fatbin\"" "$TEST_DATA/run/host.c" -o "$output" "$library" "$@" || exit 1
}

# Runs it: standard output in `out`, standard error in `err`, status in $status.
run() {
    "$WARPGLASS" run "$@" >out 2>err
    status=$?
}

ok() { # result, name
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        { echo "status $status; out:"; head -n 20 out; echo 'err:'; head -n 20 err; } | sed 's/^/# /'
    fi
}

skip() { # name, reason
    count=$((count + 1))
    echo "not ok $count # SKIP $1: $2"
}

# The status, and each text in standard error.
expect() { # name, status, texts...
    name=$1 result=0
    [ "$status" = "$2" ] || result=1
    shift 2
    for text; do
        grep -qF -- "$text" err || { result=1 name="$name (lacks '$text')"; }
    done
    ok $result "$name"
}

launches() { # of the last run's raw page: one word for each launch
    grep '^"[0-9]' err | cut -d, -f5 | tr -d '"' | tr '\n' ' '
}
