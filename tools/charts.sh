#!/bin/sh
# Fetches the chart library of `--html` from the npm registry into a folder: `make charts`, then `make`.
#
#     tools/charts.sh build/charts
#
# uPlot (MIT licence), one pinned version whose package is checked by its sum. Without it everything builds; the page then
# says that its chart is missing.
set -eu
out=$1
version=1.6.32
sum=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "uplot@$version" >/dev/null)
package=$work/uplot-$version.tgz
found=$(sha256sum "$package" | cut -d' ' -f1)
if [ "$found" != "$sum" ]; then
    echo "charts: uplot-$version.tgz has sum $found, expected $sum" >&2
    exit 1
fi
tar -xzf "$package" -C "$work"
mkdir -p "$out"
cp "$work/package/dist/uPlot.iife.min.js" "$out/uplot.js"
cp "$work/package/dist/uPlot.min.css" "$out/uplot.css"
cp "$work/package/LICENSE" "$out/uplot.license"
echo "uPlot $version lies in $out; the next make puts it into --html"
