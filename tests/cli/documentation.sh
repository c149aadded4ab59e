#!/bin/sh
# Every command shown in the documentation runs and prints what is shown.
#
# In README.md, examples/README.md and doc/*.md a block that begins with ```console holds lines `$ command` and, below
# each, its output (standard output and error together). A line `...` stands for any number of lines. `warpglass` is
# the program under test; every block starts in a fresh folder where `examples` is the project's. A block that begins
# with ```console needs-runtime is left out where the runtime libraries are not built or clang is not there. Prints TAP.
set -u
root=$PWD
work=${TEST_TMP:-$(mktemp -d)}
mkdir -p "$work/bin"
ln -sf "${WARPGLASS:-$root/build/warpglass}" "$work/bin/warpglass"
PATH=$work/bin:$PATH
export PATH
ln -sfn "$root/examples" "$work/examples"

has_runtime=0
[ -f "$(dirname "${WARPGLASS:-build/warpglass}")/lib/libwarpglass.so" ] && command -v clang >/dev/null && has_runtime=1

# Cuts the blocks of a document: NAME.N.command and NAME.N.expected.
cut_blocks() {
    awk -v prefix="$2" -v has_runtime="$has_runtime" '
        /^```console needs-runtime/ && !has_runtime { next }
        /^```console/ { inside = 1; next }
        /^```/ { inside = 0; next }
        inside && /^\$ / { n++; name = sprintf("%s.%03d", prefix, n); print substr($0, 3) > (name ".command")
                           printf "" > (name ".expected"); print FNR > (name ".line"); next }
        inside && n { print > (name ".expected") }' "$1"
}

# Compares with `...` as any lines; $1 expected, $2 actual.
matches() {
    awk 'NR == FNR { want[++n] = $0; next } { got[++m] = $0 }
         function match_from(i, j) {
             for (; i <= n; i++) {
                 if (want[i] == "...") {
                     for (; j <= m + 1; j++) if (match_from(i + 1, j)) return 1
                     return 0
                 }
                 if (j > m || want[i] != got[j]) return 0
                 j++
             }
             return j == m + 1
         }
         END { exit !match_from(1, 1) }' "$1" "$2"
}

count=0
cases=$work/cases
: >"$cases"
for document in README.md examples/README.md doc/*.md; do
    prefix=$work/$(echo "$document" | tr / _)
    cut_blocks "$document" "$prefix"
    for command in "$prefix".*.command; do
        [ -f "$command" ] || continue
        case=${command%.command}
        count=$((count + 1))
        (cd "$work" && timeout 100 sh "$command" >"$case.actual" 2>&1 </dev/null)
        if matches "$case.expected" "$case.actual"; then
            echo "ok $count - $document:$(cat "$case.line")"
        else
            echo "not ok $count - $document:$(cat "$case.line") $(cat "$command")"
            diff "$case.expected" "$case.actual" | sed 's/^/# /' | head -n 40
        fi
    done
done
# Commands in the tables of the README, shown without output, end well.
sed -n 's/^|.*`\(warpglass [^`]*\)` |$/\1/p' README.md >"$work/table"
while read -r command; do
    count=$((count + 1))
    if (cd "$work" && timeout 100 sh -c "$command" >"$work/table.out" 2>&1 </dev/null) && [ -s "$work/table.out" ]; then
        echo "ok $count - README.md: $command"
    else
        echo "not ok $count - README.md: $command"
        sed 's/^/# /' "$work/table.out" | head -n 20
    fi
done <"$work/table"
echo "1..$count"
[ "$count" -gt 0 ]
