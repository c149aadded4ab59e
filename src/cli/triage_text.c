// A triage for people, kernel by kernel in the order of the questions: registers, what they divide, warps,
// latency, local memory, shared memory, verdict.
#include "cli/triage_text.h"
#include "arith/levels.h"
#include "base/units.h"
#include "cli/wrap.h"
#include "prof/demangle.h"
#include "triage/mix.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WARP = 32, LABEL = 17, MIX_LINES = 8 };

struct page {
    const struct triage_report *report;
    const struct triage_verdict *v;
    struct triage_kernel *k;
    struct buf *out;
};

static void labelled(const struct page *page, const char *label, const char *text)
{
    char lead[LABEL + 1];
    snprintf(lead, sizeof lead, "   %-*s", LABEL - 3, label);
    wrap_text(page->out, lead, text);
}

static const char *count(const struct page *page, double n)
{
    struct buf text = {0};
    if (n < 0)
        buf_puts(&text, "-");
    units_print_count(&text, (uint64_t)fabs(n));
    const char *copy = arena_string(page->report->t->arena, text.at, text.n);
    buf_release(&text);
    return copy;
}

#define TEXT(...) arena_printf(page->report->t->arena, __VA_ARGS__)

// ---- lines ----------------------------------------------------------------------------------------------

static void print_head(const struct page *page, size_t number)
{
    const struct triage_kernel *k = page->k;
    const char *name =
        *k->name ? demangle(page->report->t->arena, k->name, DEMANGLE_NVIDIA) : "(a kernel without a name)";
    buf_printf(page->out, "%zu  %s", number, name);
    if (k->cc)
        buf_printf(page->out, "  sm_%u%s", k->cc, k->is_arch_specific ? "a" : "");
    buf_puts(page->out, "\n");
    const char *sources = "";
    for (int i = 0; i < N_TRIAGE_SOURCES; i++)
        if (k->sources >> i & 1)
            sources = TEXT("%s%s%s (%s)", sources, *sources ? ", " : "", k->files[i],
                           triage_source_name((enum triage_source)i));
    labelled(page, "from", sources);
}

static void print_registers(const struct page *page)
{
    const struct triage_kernel *k = page->k;
    if (!triage_has(k, TRIAGE_registers)) {
        labelled(page, "registers", "not known");
        return;
    }
    double registers = k->values[TRIAGE_registers];
    const char *limit =
        triage_has(k, TRIAGE_max_registers) ? TEXT(", limited to %.0f", k->values[TRIAGE_max_registers]) : "";
    const char *guess = k->registers_are_estimated ? " (estimated from PTX)" : "";
    if (!page->v->device) {
        labelled(page, "registers", TEXT("%.0f a thread%s%s", registers, guess, limit));
        return;
    }
    const struct device *d = page->v->device;
    double a_warp = ceil(registers * WARP / (double)d->register_alloc_unit) * (double)d->register_alloc_unit;
    labelled(page, "registers",
             TEXT("%.0f a thread%s%s; %s / %.0f = %s threads; a warp takes %s, so %.0f warps an SM",
                  registers, guess, limit, count(page, (double)d->registers_per_sm), registers,
                  count(page, floor((double)d->registers_per_sm / (registers > 0 ? registers : 1))),
                  count(page, a_warp),
                  a_warp > 0 ? (double)d->n_subpartitions *
                                   floor((double)d->registers_per_sm / (double)d->n_subpartitions / a_warp)
                             : 0));
}

static const char *limiter_text(const struct page *page)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {{LIMIT_WARPS, "warps"},
                 {LIMIT_REGISTERS, "registers"},
                 {LIMIT_SHARED, "shared memory"},
                 {LIMIT_BLOCKS, "blocks"},
                 {LIMIT_BARRIERS, "barriers"}};
    const char *text = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (page->v->occupancy.limiters & names[i].bit)
            text = TEXT("%s%s%s", text, *text ? " and " : "", names[i].name);
    return text;
}

static void print_warps(const struct page *page)
{
    const struct triage_verdict *v = page->v;
    if (!v->device)
        labelled(page, "warps", "no device of this target is known here: name one with --device");
    else if (triage_has(page->k, TRIAGE_warps))
        labelled(
            page, "warps",
            TEXT("%u of %u (%.1f %%): %u block%s of %u threads, limited by %s; %s%s, %s",
                 v->occupancy.warps_per_sm, (unsigned)v->device->max_warps_per_sm,
                 100 * v->occupancy.occupancy, v->occupancy.blocks_per_sm,
                 v->occupancy.blocks_per_sm == 1 ? "" : "s", v->needs.threads, limiter_text(page),
                 v->device->name, v->is_device_assumed ? " assumed, since no target is named" : "",
                 triage_has(page->k, TRIAGE_max_threads) ? "block bounded by the kernel" : "block assumed"));
}

// Warps of a scheduler that hide each level, beside what it has.
static void print_latency(const struct page *page)
{
    const struct triage_verdict *v = page->v;
    const double usual = 8;
    double distance =
        triage_has(page->k, TRIAGE_load_distance) ? page->k->values[TRIAGE_load_distance] : usual;
    struct memory_level levels[MAX_LEVELS];
    if (!v->device || !(triage_number(page->k, TRIAGE_warps) > 0))
        return;
    uint32_t n = levels_of(v->device, levels);
    const char *text =
        TEXT("%.3g warps a scheduler, which with a load awaited every %.3g instructions%s hide",
             v->occupancy.warps_per_sm / (double)v->device->n_subpartitions, distance,
             triage_has(page->k, TRIAGE_load_distance) ? "" : " (assumed)");
    for (uint32_t i = 0; i < n; i++) {
        struct hiding hiding = hiding_of(v->device, levels[i].latency_cycles, distance);
        bool hides = hiding.warps_per_scheduler * v->device->n_subpartitions <= v->occupancy.warps_per_sm;
        text = TEXT("%s%s %s (%.0f cycles: %u%s)", text, i ? "," : "", levels[i].name,
                    levels[i].latency_cycles, hiding.warps_per_scheduler, hides ? ", yes" : ", no");
    }
    labelled(page, "latency", text);
}

static void print_local(const struct page *page)
{
    const struct triage_kernel *k = page->k;
    double stack = triage_number(k, TRIAGE_stack_bytes), all = triage_number(k, TRIAGE_call_stack_bytes);
    const char *spills = triage_has(k, TRIAGE_spill_bytes)
                             ? TEXT("%s bytes spilled (stored), %s loaded again",
                                    count(page, triage_number(k, TRIAGE_spill_store_bytes)),
                                    count(page, triage_number(k, TRIAGE_spill_load_bytes)))
                             : "spills not told";
    const char *calls = all > stack ? TEXT(", %s with what it calls", count(page, all)) : "";
    const char *memory = triage_number(k, TRIAGE_stack_device_bytes) > 0
                             ? TEXT("; %s of device memory for all threads of %s",
                                    count(page, k->values[TRIAGE_stack_device_bytes]), page->v->device->name)
                             : "";
    if (triage_has(k, TRIAGE_stack_bytes) || triage_has(k, TRIAGE_call_stack_bytes) ||
        triage_has(k, TRIAGE_spill_bytes))
        labelled(page, "local memory",
                 TEXT("%s bytes of stack a thread%s; %s%s", count(page, stack), calls, spills, memory));
}

static void print_shared(const struct page *page)
{
    const struct triage_kernel *k = page->k;
    double bytes = triage_number(k, TRIAGE_shared_bytes);
    const char *limit = page->v->device ? TEXT(" of %s that a block may have",
                                               count(page, (double)page->v->device->shared_per_block_bytes))
                                        : "";
    const char *spilled =
        triage_number(k, TRIAGE_shared_spill_bytes) > 0
            ? TEXT(", %s of them for spilled registers", count(page, k->values[TRIAGE_shared_spill_bytes]))
            : "";
    labelled(page, "shared memory", TEXT("%s bytes a block%s%s", count(page, bytes), limit, spilled));
}

// ---- memory mix -----------------------------------------------------------------------------------------

static const char *mix_cell(const struct page *page, const struct mix_row *row)
{
    return row->bits ? TEXT("%u %s.%u", row->n, mix_name(row->kind), row->bits)
                     : TEXT("%u %s", row->n, mix_name(row->kind));
}

static void print_mix(const struct page *page)
{
    const struct triage_mix *mix = page->k->mix;
    const struct mix_row *row = mix ? mix->rows : NULL, *end = mix ? mix->rows + mix->n_rows : NULL;
    uint32_t n_lines = 0;
    while (row < end) {
        const struct mix_row *first = row;
        const char *text = "";
        for (; row < end && row->line == first->line && strcmp(row->file, first->file) == 0; row++)
            text = TEXT("%s%s%s", text, *text ? ", " : "", mix_cell(page, row));
        if (n_lines++ < MIX_LINES || page->report->all_lines)
            labelled(page, n_lines == 1 ? "memory mix" : "",
                     first->line ? TEXT("%s:%u: %s", first->file, first->line, text) : text);
    }
    if (n_lines > MIX_LINES && !page->report->all_lines)
        labelled(page, "", TEXT("and %u more lines (--lines)", n_lines - MIX_LINES));
}

// ---- the page -------------------------------------------------------------------------------------------

static void print_traps(const struct page *page)
{
    for (int i = 0; i < N_TRIAGE_TRAPS; i++)
        if (page->k->traps >> i & 1) {
            const struct triage_trap_info *trap = triage_trap_info((enum triage_trap)i);
            labelled(page, "trap", TEXT("%s: %s", trap->name, trap->text));
        }
}

void triage_print(const struct triage_report *report, struct buf *out)
{
    for (size_t i = 0; i < report->n; i++) {
        const struct triage_verdict *v = &report->verdicts[i];
        struct page page = {report, v, v->kernel, out};
        print_head(&page, i + 1);
        print_registers(&page);
        print_warps(&page);
        print_latency(&page);
        print_local(&page);
        print_shared(&page);
        print_mix(&page);
        print_traps(&page);
        labelled(&page, "verdict", v->text);
        buf_puts(out, "\n");
    }
}
