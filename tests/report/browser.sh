#!/bin/sh
# --html in a browser: the page opens without a network, launches are chosen, tables sorted, lines opened by mouse and by
# keyboard, and its numbers are those of --json. Prints TAP; skipped without Chromium or node.
set -u
warpglass=${WARPGLASS:-build/warpglass}
work=${TEST_TMP:-$(mktemp -d)}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "no Chromium"
    exit 77
}
command -v node >/dev/null || {
    echo "no node"
    exit 77
}

transpose() { # kernel
    "$warpglass" launch examples/transpose.ptx --kernel "$1" --grid 8x8 --block 32x8 --arg 'f32[256x256]=iota' \
        --arg 'f32[256x256]' --arg 256 --quiet --device h200 --export "$work/$1.wgp" --log-file "$work/log.txt"
}
transpose naive
transpose tile32
transpose tile33
"$warpglass" report "$work/naive.wgp" "$work/tile32.wgp" "$work/tile33.wgp" --json --html "$work/page.html" \
    --log-file "$work/report.json" 2>"$work/errors.txt" || exit 1

# What a person would do, done when the page has loaded; the outcome becomes the page's text.
cat >"$work/steps.js" <<'STEPS'
const seen = {};
const cells = (id, column) => [...document.querySelectorAll(`#${id} tbody tr:not(.insn)`)].map((row) => row.children[column].textContent);
const heads = (id) => [...document.querySelectorAll(`#${id} th button`)];
const head = (id, name) => heads(id).find((button) => button.textContent === name);
try {
    seen.launches = cells("launches", 1);
    head("launches", "Instructions").click();
    seen.sortedDown = cells("launches", 1);
    seen.sortMark = head("launches", "Instructions").parentElement.getAttribute("aria-sort");
    head("launches", "Instructions").click();
    seen.sortedUp = cells("launches", 1);
    const tile = [...document.querySelectorAll("#launches tbody tr")].find((row) => row.children[1].textContent === "tile32");
    tile.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    seen.kernel = document.getElementById("h-kernel").textContent;
    seen.finding = document.querySelector("#findings article").dataset.kind;
    seen.worst = cells("source", 0)[0];
    seen.source = cells("source", 1)[0];
    const line = document.querySelector("#source tbody tr");
    line.click();
    seen.instructions = document.querySelectorAll("#source tr.insn").length;
    document.querySelector("#source tbody tr").click();
    seen.closed = document.querySelectorAll("#source tr.insn").length;
    head("source", "Executed").click();
    seen.executed = cells("source", [...heads("source")].findIndex((button) => button.textContent === "Executed"));
    seen.chart = [...document.querySelectorAll("#chart text")].map((text) => text.textContent);
    const filter = document.getElementById("filter");
    filter.value = "memory_l1_wavefronts_shared";
    filter.dispatchEvent(new Event("input"));
    seen.metrics = cells("metrics", 0).map((name, i) => [name, cells("metrics", 1)[i]]);
    seen.roofline = document.querySelector("#roofline canvas") ? "chart" : document.getElementById("no-charts") ? "told" : "neither";
    seen.loads = performance.getEntriesByType("resource").length;
} catch (error) {
    seen.error = String(error.stack);
}
document.open();
document.write("<pre>" + JSON.stringify(seen).replace(/&/g, "&amp;").replace(/</g, "&lt;") + "</pre>");
document.close();
STEPS
{
    sed '/<\/body>/,$d' "$work/page.html"
    echo '<script>window.addEventListener("error", (event) => { document.title = "failed " + event.message; });'
    echo 'window.addEventListener("load", () => {'
    cat "$work/steps.js"
    echo '});</script></body></html>'
} >"$work/driven.html"
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=10000 \
    --dump-dom "file://$work/driven.html" >"$work/dom.html" 2>"$work/browser.txt"

cat >"$work/judge.js" <<'JUDGE'
const fs = require("fs");
const [dom, json] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));
const found = /<pre>(.*)<\/pre>/s.exec(dom);
const seen = found ? JSON.parse(found[1].replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&")) : { error: dom.slice(0, 400) };
const report = JSON.parse(json);
const names = report.launches.map((l) => l.kernel);
const executed = (l) => l.metrics["smsp__inst_executed.sum"].value;
const byExecuted = [...report.launches].sort((a, b) => executed(b) - executed(a)).map((l) => l.kernel);
const tile = report.launches.find((l) => l.kernel === "tile32");
const plain = (text) => Number(text.replace(/,/g, ""));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
let n = 0;
const say = (good, name) => {
    n++;
    console.log(`${good ? "ok" : "not ok"} ${n} - ${name}`);
    if (!good) console.log("# " + JSON.stringify(seen).slice(0, 2000));
};
say(!seen.error, "the page runs without an error");
say(same(seen.launches, names), "all launches are listed");
say(same(seen.sortedDown, byExecuted) && seen.sortMark === "descending", "a heading sorts, largest first");
say(same(seen.sortedUp, [...byExecuted].reverse()), "again, smallest first");
say(seen.kernel === "tile32", "Enter chooses a launch");
say(seen.finding === tile.findings[0].kind, "its finding is the JSON's");
say(seen.worst === tile.lines[0].place, "the worst line is the JSON's");
say(seen.source && seen.source.includes("tile[threadIdx.x]"), "its source text is shown");
say(seen.instructions > 5 && seen.closed === 0, "a line opens and closes its instructions");
say(seen.executed && same(seen.executed.map(plain), [...seen.executed.map(plain)].sort((a, b) => b - a)), "source lines sort by what was executed");
say(seen.chart && seen.chart.some((t) => t === `shared loads ${tile.metrics["smsp__sass_inst_executed_op_shared_ld.sum"].value.toLocaleString("en-US")}`), "the memory chart has the JSON's requests");
say(seen.metrics && seen.metrics.length >= 3 && seen.metrics.every(([name, value]) => plain(value) === tile.metrics[name].value), "filtered metrics are the JSON's");
say(seen.roofline === "chart" || seen.roofline === "told", "the roofline is drawn, or told to be missing");
say(seen.loads === 0, "nothing is loaded from elsewhere");
console.log(`1..${n}`);
JUDGE
node "$work/judge.js" "$work/dom.html" "$work/report.json"
