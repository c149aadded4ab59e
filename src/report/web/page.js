// The page's behaviour: everything shown is read from the JSON in #data. Launches are chosen, tables sorted, lines opened.
"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
let chosen = 0;

// ---- small things ----

function element(name, attributes = {}, ...children) {
    const out = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        if (value !== undefined && value !== false) out.setAttribute(key, value);
    out.append(...children.filter((c) => c !== undefined && c !== null).map((c) => (c instanceof Node ? c : String(c))));
    return out;
}

function drawing(name, attributes = {}, text) {
    const out = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
    if (text !== undefined) out.textContent = text;
    return out;
}

const marks = { exact: "", modelled: "~", estimated: "?" };
const metric = (launch, name) => (launch.metrics[name] ? launch.metrics[name].value : null);
const mark = (launch, name) => (launch.metrics[name] ? marks[launch.metrics[name].class] || "" : "");

function count(value, digits = 0) {
    if (value === null || value === undefined) return "n/a";
    return value.toLocaleString("en-US", { maximumFractionDigits: Number.isInteger(value) ? 0 : digits || 2 });
}

function bytes(value) {
    if (value === null || value === undefined) return "n/a";
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
    return (unit ? value.toFixed(1) : value) + " " + units[unit];
}

// ---- tables ----

// columns: {name, text(row), value(row) to sort by, isText}. Rows are chosen by click or Enter where onChoose is given;
// below(row) makes rows that follow an open one.
function table(target, columns, rows, { onChoose, isCurrent, below, heat } = {}) {
    let by = -1, isUp = false;
    const open = new Set();
    function sorted() {
        if (by < 0) return rows;
        const key = columns[by].value || columns[by].text;
        return [...rows].sort((a, b) => {
            const x = key(a), y = key(b);
            const order = x === y ? 0 : x === null || x === undefined ? 1 : y === null || y === undefined ? -1 : x < y ? -1 : 1;
            return isUp ? order : -order;
        });
    }
    function head() {
        return columns.map((column, i) => {
            const button = element("button", { type: "button" }, column.name);
            button.addEventListener("click", () => {
                isUp = by === i ? !isUp : Boolean(column.isText);
                by = i;
                draw();
                target.querySelectorAll("th button")[i].focus();
            });
            const sort = by === i ? (isUp ? "ascending" : "descending") : "none";
            return element("th", { scope: "col", class: column.isText && "text", "aria-sort": sort }, button);
        });
    }
    function line(row) {
        const cells = columns.map((column) =>
            element("td", { class: [column.isText && "text", column.isCode && "code"].filter(Boolean).join(" "), title: column.isCode && column.text(row) }, column.text(row)));
        const out = element("tr", { tabindex: onChoose || below ? 0 : undefined, "aria-current": isCurrent && isCurrent(row) ? "true" : undefined,
                                    "aria-expanded": below ? String(open.has(row)) : undefined }, ...cells);
        if (heat) out.style.backgroundColor = `rgba(var(--hot), ${(0.35 * heat(row)).toFixed(3)})`;
        const act = () => {
            if (below) { open.has(row) ? open.delete(row) : open.add(row); draw(); }
            if (onChoose) onChoose(row);
        };
        out.addEventListener("click", act);
        out.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } });
        return out;
    }
    function draw() {
        const body = element("tbody");
        for (const row of sorted()) {
            body.append(line(row));
            if (below && open.has(row)) body.append(...below(row));
        }
        target.replaceChildren(element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...head())), body)));
    }
    draw();
}

// ---- launches ----

function showLaunches() {
    const number = (name) => ({ text: (l) => count(metric(l, name), 1) + mark(l, name), value: (l) => metric(l, name) });
    table($("launches"), [
        { name: "ID", text: (l) => l.id, value: (l) => l.id },
        { name: "Kernel", text: (l) => l.kernel, isText: true, isCode: true },
        { name: "Grid", text: (l) => l.launch.grid.join("x"), isText: true },
        { name: "Block", text: (l) => l.launch.block.join("x"), isText: true },
        { name: "Instructions", ...number("smsp__inst_executed.sum") },
        { name: "Shared wavefronts", ...number("memory_l1_wavefronts_shared") },
        { name: "Global sectors", ...number("memory_l2_theoretical_sectors_global") },
        { name: "L1 hit %", ...number("l1tex__t_sector_hit_rate.pct") },
        { name: "Device memory", text: (l) => bytes(metric(l, "dram__bytes.sum")) + mark(l, "dram__bytes.sum"), value: (l) => metric(l, "dram__bytes.sum") },
        { name: "Findings", text: (l) => l.findings.length, value: (l) => l.findings.length },
    ], report.launches, { onChoose: (l) => choose(report.launches.indexOf(l)), isCurrent: (l) => report.launches[chosen] === l });
}

function choose(index) {
    chosen = index;
    const launch = report.launches[chosen];
    showLaunches();
    $("h-kernel").textContent = launch.kernel;
    showFacts(launch);
    showFindings(launch);
    showChart(launch);
    showPeaks(launch);
    showSource(launch);
    showRoofline(launch);
    showMetrics(launch);
}

function showFacts(launch) {
    const l = launch.launch, f = launch.fidelity;
    const rows = [
        ["Launch", `${launch.id}: grid ${l.grid.join("x")}, block ${l.block.join("x")}`],
        ["Device", launch.device],
        ["Engine", `${f.isa}, model ${l.model}${l.cache_flushed ? ", caches empty at the start" : ""}`],
        ["Fidelity", `of the instructions that ran, ${f.exact} exact, ${f.approximate} approximate, ${f.unsupported} unsupported`],
        ["Needs", `${l.registers_per_thread} registers a thread, ${count(l.static_shared_bytes + l.dynamic_shared_bytes)} B shared memory a block, ${count(l.local_bytes)} B local memory a thread`],
        ["Occupancy", `${(100 * l.occupancy).toFixed(1)} %: ${l.blocks_per_sm} blocks, ${l.warps_per_sm} warps an SM`],
        ["Lanes", `${count(metric(launch, "smsp__thread_inst_executed_per_inst_executed.ratio"), 2)} of 32 active, ${count(metric(launch, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"), 2)} with predicate on`],
    ];
    if (launch.fault) rows.push(["Fault", launch.fault.split("\n")[0]]);
    $("facts").replaceChildren(element("dl", { class: "facts" }, ...rows.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])));
}

function showFindings(launch) {
    const boxes = launch.findings.map((f) => element("article", { class: "finding", "data-kind": f.kind },
        element("h3", {}, `${f.kind} `, element("code", {}, f.place), ` ${count(f.cost)} ${f.unit}${f.cost === 1 ? "" : "s"}, ${(100 * f.share).toFixed(0)} %`),
        element("p", {}, f.text), element("p", {}, element("strong", {}, "Fix: "), f.fix),
        f.forecast ? element("p", {}, element("strong", {}, "Forecast: "), f.forecast) : null));
    $("findings").replaceChildren(...(boxes.length ? boxes : [element("p", {}, "Nothing to mend.")]));
}

// ---- memory chart ----

function showChart(launch) {
    const svg = drawing("svg", { viewBox: "0 0 1180 330", role: "img", "aria-label": "Memory chart", width: "100%" });
    const box = (x, y, w, h, ...lines) => {
        svg.append(drawing("rect", { class: "box", x, y, width: w, height: h, rx: 6 }));
        lines.forEach((line, i) => svg.append(drawing("text", { x: x + w / 2, y: y + h / 2 + 5 + 18 * (i - (lines.length - 1) / 2), "text-anchor": "middle", class: i ? "dim" : "" }, line)));
    };
    const most = Math.max(1, metric(launch, "l1tex__t_bytes.sum") || 0, 32 * (metric(launch, "lts__t_sectors_srcunit_tex.sum") || 0));
    const flow = (x1, x2, y, value, text, isLeft) => {
        const width = value > 0 ? 1 + 7 * Math.sqrt(Math.min(1, value / most)) : 1;
        svg.append(drawing("line", { x1, x2, y1: y, y2: y, class: value > 0 ? "flow" : "flow none", "stroke-width": width }));
        if (value > 0) {
            const tip = isLeft ? `${x1},${y} ${x1 + 10},${y - 6} ${x1 + 10},${y + 6}` : `${x2},${y} ${x2 - 10},${y - 6} ${x2 - 10},${y + 6}`;
            svg.append(drawing("polygon", { points: tip, class: "tip" }));
        }
        svg.append(drawing("text", { x: (x1 + x2) / 2, y: y - 8, "text-anchor": "middle" }, text));
    };
    const requests = (y, label, names, isLeft) => {
        const n = names.reduce((sum, name) => sum + (metric(launch, name) || 0), 0);
        flow(110, 300, y, 32 * n, `${label} ${count(n)}${mark(launch, names[0])}`, isLeft);
    };
    const lsu = "l1tex__t_requests_pipe_lsu_mem_";
    box(10, 20, 100, 300, "Kernel", `${count(metric(launch, "smsp__inst_executed.sum"))}`, "instructions");
    requests(46, "global loads", [`${lsu}global_op_ld.sum`], true);
    requests(80, "global stores", [`${lsu}global_op_st.sum`]);
    requests(114, "atomics", [`${lsu}global_op_atom.sum`, `${lsu}global_op_red.sum`]);
    requests(148, "local", [`${lsu}local_op_ld.sum`, `${lsu}local_op_st.sum`]);
    requests(206, "shared loads", ["smsp__sass_inst_executed_op_shared_ld.sum"], true);
    requests(240, "shared stores", ["smsp__sass_inst_executed_op_shared_st.sum", "smsp__sass_inst_executed_op_shared_atom.sum"]);
    requests(300, "constants", ["idc__requests.sum"], true);
    const rate = (name) => `${count(metric(launch, name), 1)} % found${mark(launch, name)}`;
    box(300, 20, 190, 145, "L1", bytes(launch.l1_bytes), rate("l1tex__t_sector_hit_rate.pct"));
    box(300, 180, 190, 80, "Shared memory", `${count(metric(launch, "memory_l1_wavefronts_shared"))} wavefronts`, `ideal ${count(metric(launch, "memory_l1_wavefronts_shared_ideal"))}`);
    box(300, 275, 190, 45, "Constant cache", rate("idc__request_hit_rate.pct"));
    const reads = 32 * (metric(launch, "lts__t_sectors_srcunit_tex_op_read.sum") || 0), all = 32 * (metric(launch, "lts__t_sectors_srcunit_tex.sum") || 0);
    flow(490, 640, 70, reads, `${bytes(reads)}~`, true);
    flow(490, 640, 120, all - reads, `${bytes(all - reads)}~`);
    box(640, 20, 180, 300, "L2", bytes(launch.l2_bytes), rate("lts__t_sector_hit_rate.pct"));
    const dram = (name) => metric(launch, `dram__bytes_${name}.sum`) || 0;
    flow(820, 980, 70, dram("read"), `${bytes(dram("read"))}~`, true);
    flow(820, 980, 120, dram("write"), `${bytes(dram("write"))}~`);
    const host = (name) => metric(launch, `pcie__${name}_bytes.sum`) || 0;
    flow(820, 980, 245, host("read"), `${bytes(host("read"))}~`, true);
    flow(820, 980, 280, host("write"), `${bytes(host("write"))}~`);
    box(980, 20, 190, 145, launch.dram_kind || "Device memory", bytes(launch.dram_bytes));
    box(980, 220, 190, 80, "Host memory");
    $("chart").replaceChildren(svg);
}

function showPeaks(launch) {
    if (!launch.peaks) { $("peaks").replaceChildren(); return; }
    const least = Math.max(...launch.peaks.map((p) => p.seconds));
    const rows = launch.peaks.map((p) => element("tr", {}, element("td", { class: "text" }, p.level), element("td", {}, `${(1e6 * p.seconds).toPrecision(3)}~ us`),
        element("td", { class: "text", style: "width:60%" }, element("span", { class: "bar", style: `width:${((100 * p.seconds) / least).toFixed(1)}%` }))));
    $("peaks").replaceChildren(element("p", { class: "hint" }, "The least time of each level at its peak:"), element("table", {}, element("tbody", {}, ...rows)));
}

// ---- source ----

const cost = (row) => row.excess_wavefronts + row.excess_sectors / 2;

function showSource(launch) {
    const c = (name) => ({ text: (r) => (r.counters[name] ? count(r.counters[name]) : ""), value: (r) => r.counters[name] || 0 });
    const hits = (r) => { const n = (r.counters.global_hits || 0) + (r.counters.global_misses || 0); return n ? (100 * (r.counters.global_hits || 0)) / n : null; };
    const used = (r) => (r.counters.global_sectors ? (r.counters.global_bytes || 0) / r.counters.global_sectors : null);
    const lanes = (r) => (r.counters.executed ? (r.counters.threads_on || 0) / r.counters.executed : null);
    const some = (f, digits) => ({ text: (r) => (f(r) === null ? "" : count(f(r), digits)), value: f });
    const columns = [
        { name: "Line", text: (r) => r.place, value: (r) => [r.file, String(r.line).padStart(7, "0")].join(":"), isText: true },
        { name: "Source", text: (r) => r.text, isText: true, isCode: true },
        { name: "Excess", text: (r) => [r.excess_wavefronts ? count(r.excess_wavefronts) + " w" : "", r.excess_sectors ? count(r.excess_sectors) + " s" : ""].filter(Boolean).join(", "), value: cost },
        { name: "Executed", ...c("executed") }, { name: "Lanes", ...some(lanes, 1) },
        { name: "Sectors", ...c("global_sectors") }, { name: "Ideal", ...c("global_ideal") },
        { name: "Wavefronts", ...c("shared_wavefronts") }, { name: "Ideal", ...c("shared_ideal") },
        { name: "Local", ...c("local_sectors") }, { name: "L1 hit %", ...some(hits, 0) }, { name: "Used B", ...some(used, 1) },
    ];
    const worst = Math.max(1, ...launch.source.map(cost));
    const below = (row) => row.instructions.map((insn) => element("tr", { class: "insn" },
        ...columns.map((column, i) => element("td", { class: i === 1 ? "text code" : i === 0 ? "text" : undefined },
            i === 0 ? insn.inlined || "" : i === 1 ? insn.text : column.text({ ...insn, place: "" })))));
    table($("source"), columns, launch.source, { below, heat: (row) => cost(row) / worst });
}

// ---- roofline ----

function showRoofline(launch) {
    const target = $("roofline"), r = launch.roofline;
    if (!r) { target.replaceChildren(element("p", {}, "The profile's device has no figures for it.")); return; }
    const sentence = `${count(r.flops)} floating-point operations; ${r.intensity === null ? "no" : count(r.intensity, 3) + "~"} a byte of device memory: at most ${count(r.attainable_gflops, 1)} GFLOP/s.`;
    if (typeof uPlot === "undefined") {
        target.replaceChildren(element("p", {}, sentence), element("p", { class: "hint", id: "no-charts" }, "The chart is left out: this warpglass was built without its chart library (make charts)."));
        return;
    }
    const xs = Array.from({ length: 61 }, (_, i) => 10 ** (-2 + i / 10));
    const colours = ["#0b63c4", "#2a9d62", "#b5651d", "#8a4fc8"];
    const series = [{ label: "FLOP/byte" }, ...r.roofs.map((roof, i) => ({ label: roof.name, stroke: colours[i % colours.length], width: 2, points: { show: false } })),
                    { label: "this launch", stroke: "#d33c14", points: { show: true, size: 10, fill: "#d33c14" }, width: 0 }];
    const at = r.intensity ? xs.reduce((best, x, i) => (Math.abs(Math.log(x / r.intensity)) < Math.abs(Math.log(xs[best] / r.intensity)) ? i : best), 0) : -1;
    if (at >= 0) xs[at] = r.intensity;
    const data = [xs, ...r.roofs.map((roof) => xs.map((x) => Math.min(r.peak_gflops, roof.gbps * x))), xs.map((_, i) => (i === at ? r.attainable_gflops : null))];
    const dim = getComputedStyle(document.documentElement).getPropertyValue("--dim");
    const axis = (label) => ({ label, stroke: dim, grid: { stroke: "rgba(128,128,128,0.2)" } });
    target.replaceChildren(element("p", {}, sentence));
    new uPlot({ width: Math.min(1000, document.body.clientWidth - 40), height: 340, scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
                axes: [axis("FLOP per byte"), { ...axis("GFLOP/s"), size: 80 }], series }, data, target);
}

// ---- metrics ----

function showMetrics(launch) {
    const wanted = $("filter").value.toLowerCase();
    const rows = Object.entries(launch.metrics).filter(([name]) => name.toLowerCase().includes(wanted)).map(([name, m]) => ({ name, ...m }));
    table($("metrics"), [
        { name: "Metric", text: (m) => m.name, isText: true, isCode: true },
        { name: "Value", text: (m) => count(m.value, 6), value: (m) => m.value },
        { name: "Unit", text: (m) => m.unit || "", isText: true },
        { name: "Trust", text: (m) => m.class || "n/a", isText: true },
    ], rows);
}

$("filter").addEventListener("input", () => showMetrics(report.launches[chosen]));
$("headline").textContent = `${report.launches.length} launch${report.launches.length === 1 ? "" : "es"}, ${count(report.engine.warp_instructions)} warp instructions`;
document.title = `warpglass: ${report.launches[0].kernel}`;
choose(0);
