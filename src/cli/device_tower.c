// The tower of `warpglass device show`: one storey a level with size, latency and bandwidth.
#include "cli/device_tower.h"
#include "base/units.h"
#include <string.h>

enum { TOP_WIDTH = 11, LEFT = 7, SIZE_COLUMN = 22 };

// One level; figures of 0 print as a dash. A mark of "?" says that the value is a guess.
struct storey {
    char name[32], size[40], whole[24];
    double latency_cycles;
    const char *latency_mark;
    double bytes_per_cycle_sm; // per SM
    const char *bandwidth_mark;
    const char *remark;
};

static const char *mark_of(const struct device *d, enum device_key key)
{
    const char *tag = device_source(d, key)->tag;
    return tag && strcmp(tag, "guess") == 0 ? "?" : " ";
}

static void set_bytes(char *out, size_t size, double bytes, const char *behind)
{
    struct buf text = {0};
    units_print_bytes(&text, bytes);
    const char *point = strstr(text.at, ".0 "); // "60.0 MiB" reads better as "60 MiB"
    if (point)
        snprintf(out, size, "%.*s%s%s", (int)(point - text.at), text.at, point + 2, behind);
    else
        snprintf(out, size, "%s%s", text.at, behind);
    buf_release(&text);
}

static double gbps_to_bytes_per_cycle_sm(const struct device *d, double gbps)
{
    return gbps * 1000 / d->sm_clock_mhz / (double)d->n_sms;
}

static double bytes_per_cycle_sm_to_gbps(const struct device *d, double bytes)
{
    return bytes * d->sm_clock_mhz * (double)d->n_sms / 1000;
}

static struct storey registers_storey(const struct device *d)
{
    struct storey s = {.latency_mark = " ",
                       .bandwidth_mark = " ",
                       .remark = "3 operands per lane",
                       .bytes_per_cycle_sm = 3 * 4 * (double)d->n_fp32_lanes};
    snprintf(s.name, sizeof s.name, "registers");
    set_bytes(s.size, sizeof s.size, 4 * (double)d->registers_per_sm, " per SM");
    set_bytes(s.whole, sizeof s.whole, 4 * (double)(d->registers_per_sm * d->n_sms), "");
    return s;
}

static struct storey shared_storey(const struct device *d)
{
    struct storey s = {.latency_cycles = d->shared_latency_cycles,
                       .latency_mark = mark_of(d, KEY_shared_latency_cycles),
                       .bytes_per_cycle_sm = d->shared_bytes_per_cycle,
                       .bandwidth_mark = mark_of(d, KEY_shared_bytes_per_cycle),
                       .remark = "no conflicts"};
    snprintf(s.name, sizeof s.name, "shared");
    set_bytes(s.size, sizeof s.size, (double)d->shared_per_sm_bytes, " per SM");
    set_bytes(s.whole, sizeof s.whole, (double)(d->shared_per_sm_bytes * d->n_sms), "");
    return s;
}

static struct storey l1_storey(const struct device *d)
{
    struct storey s = {.latency_cycles = d->l1_latency_cycles,
                       .latency_mark = mark_of(d, KEY_l1_latency_cycles),
                       .bytes_per_cycle_sm = d->l1_bytes_per_cycle,
                       .bandwidth_mark = mark_of(d, KEY_l1_bytes_per_cycle),
                       .remark = "pool with shared"};
    snprintf(s.name, sizeof s.name, "L1");
    set_bytes(s.size, sizeof s.size, (double)d->l1_pool_bytes, " per SM");
    set_bytes(s.whole, sizeof s.whole, (double)(d->l1_pool_bytes * d->n_sms), "");
    return s;
}

static struct storey l2_storey(const struct device *d)
{
    struct storey s = {.latency_cycles = d->l2_latency_cycles,
                       .latency_mark = mark_of(d, KEY_l2_latency_cycles),
                       .bytes_per_cycle_sm = d->l2_bytes_per_cycle / (double)d->n_sms,
                       .bandwidth_mark = mark_of(d, KEY_l2_bytes_per_cycle),
                       .remark = d->n_l2_partitions > 1 ? "near partition" : ""};
    snprintf(s.name, sizeof s.name, "L2");
    snprintf(s.size, sizeof s.size, "%llu slices", (unsigned long long)d->n_l2_slices);
    set_bytes(s.whole, sizeof s.whole, (double)d->l2_bytes, "");
    return s;
}

static struct storey dram_storey(const struct device *d)
{
    struct storey s = {.latency_cycles = d->dram_latency_cycles,
                       .latency_mark = mark_of(d, KEY_dram_latency_cycles),
                       .bytes_per_cycle_sm = gbps_to_bytes_per_cycle_sm(d, d->dram_read_gbps),
                       .bandwidth_mark = mark_of(d, KEY_dram_read_gbps),
                       .remark = "reading"};
    snprintf(s.name, sizeof s.name, "%s", d->dram_kind);
    snprintf(s.size, sizeof s.size, "%llu bit x %.4g Gb/s", (unsigned long long)d->dram_bus_bits,
             d->dram_pin_gbps);
    set_bytes(s.whole, sizeof s.whole, (double)d->dram_bytes, "");
    return s;
}

static struct storey host_storey(const struct device *d)
{
    struct storey s = {.latency_mark = " ",
                       .bytes_per_cycle_sm = gbps_to_bytes_per_cycle_sm(d, d->host_gbps),
                       .bandwidth_mark = mark_of(d, KEY_host_gbps),
                       .remark = "latency unknown"};
    snprintf(s.name, sizeof s.name, "host memory");
    snprintf(s.size, sizeof s.size, "%s", d->host_link);
    snprintf(s.whole, sizeof s.whole, "-");
    return s;
}

static void repeat(struct buf *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_puts(out, text);
}

// The line above storey `floor`: its roof, and the foot of the narrower one on it.
static void draw_roof(struct buf *out, size_t floor)
{
    size_t width = TOP_WIDTH + 2 * floor;
    repeat(out, " ", LEFT - floor);
    buf_puts(out, "┌");
    if (floor)
        buf_puts(out, "┴");
    repeat(out, "─", floor ? width - 2 : width);
    if (floor)
        buf_puts(out, "┴");
    buf_puts(out, "┐\n");
}

static void print_figures(struct buf *out, const struct device *d, const struct storey *s)
{
    buf_printf(out, " %-*s %10s ", SIZE_COLUMN, s->size, s->whole);
    if (s->latency_cycles > 0)
        buf_printf(out, "%7.4g%s %7.0f ", s->latency_cycles, s->latency_mark,
                   device_cycles_to_ns(d, s->latency_cycles));
    else
        buf_printf(out, "%7s  %7s ", "-", "-");
    double gbps = bytes_per_cycle_sm_to_gbps(d, s->bytes_per_cycle_sm);
    buf_printf(out, "%10.*f ", s->bytes_per_cycle_sm < 1000 ? 1 : 0, s->bytes_per_cycle_sm);
    struct buf digits = {0};
    units_print_count(&digits, (uint64_t)(gbps + 0.5));
    buf_printf(out, "%8s%s  %s", digits.at, s->bandwidth_mark, s->remark);
    while (out->at[out->n - 1] == ' ')
        out->at[--out->n] = '\0';
    buf_puts(out, "\n");
    buf_release(&digits);
}

static void draw_storey(struct buf *out, const struct device *d, const struct storey *s, size_t floor)
{
    size_t width = TOP_WIDTH + 2 * floor, length = strlen(s->name);
    size_t before = length < width ? (width - length) / 2 : 0;
    draw_roof(out, floor);
    repeat(out, " ", LEFT - floor);
    buf_puts(out, "│");
    repeat(out, " ", before);
    buf_puts(out, s->name);
    repeat(out, " ", width > before + length ? width - before - length : 0);
    buf_puts(out, "│");
    repeat(out, " ", LEFT - 2 - floor);
    print_figures(out, d, s);
}

static void draw_far_line(struct buf *out, const struct device *d)
{
    if (d->l2_far_latency_cycles > 0)
        buf_printf(out,
                   "L2 far partition: %.4g%s cycles, %.0f ns, over the fabric between the %llu partitions\n",
                   d->l2_far_latency_cycles, mark_of(d, KEY_l2_far_latency_cycles)[0] == '?' ? "?" : "",
                   device_cycles_to_ns(d, d->l2_far_latency_cycles), (unsigned long long)d->n_l2_partitions);
}

static void print_key(struct buf *out, const struct device *d, enum device_key key)
{
    device_print_value(d, key, out);
}

static void draw_limits(struct buf *out, const struct device *d)
{
    buf_puts(out, "shared memory can be set to ");
    print_key(out, d, KEY_shared_carveouts_bytes);
    buf_puts(out, "; the rest of ");
    print_key(out, d, KEY_l1_pool_bytes);
    buf_puts(out, " is L1\nper block: shared memory ");
    print_key(out, d, KEY_shared_per_block_bytes);
    buf_puts(out, ", with opt-in ");
    print_key(out, d, KEY_shared_per_block_optin_bytes);
    buf_printf(out, "; %llu threads, %llu registers each", (unsigned long long)d->max_threads_per_block,
               (unsigned long long)d->max_registers_per_thread);
    if (d->max_cluster)
        buf_printf(out, "\nclusters of %llu blocks, %llu with opt-in",
                   (unsigned long long)d->max_cluster_portable, (unsigned long long)d->max_cluster);
    buf_puts(out, "\nlines ");
    print_key(out, d, KEY_l1_line_bytes);
    buf_puts(out, " of sectors of ");
    print_key(out, d, KEY_sector_bytes);
    buf_printf(out, "; %llu banks of ", (unsigned long long)d->n_banks);
    print_key(out, d, KEY_bank_width_bytes);
    buf_puts(out, "; constant cache ");
    print_key(out, d, KEY_constant_l1_bytes);
    buf_printf(out, ", %.4g%s cycles, behind it %.4g%s\n", d->constant_latency_cycles,
               mark_of(d, KEY_constant_latency_cycles)[0] == '?' ? "?" : "", d->constant_l15_latency_cycles,
               mark_of(d, KEY_constant_l15_latency_cycles)[0] == '?' ? "?" : "");
}

static void draw_head(struct buf *out, const struct device *d)
{
    buf_printf(
        out,
        "%s: %s, compute capability %llu.%llu, %llu SMs at %.0f MHz, %llu warps and %llu blocks per SM\n\n",
        d->name, d->chip, (unsigned long long)d->cc / 10, (unsigned long long)d->cc % 10,
        (unsigned long long)d->n_sms, d->sm_clock_mhz, (unsigned long long)d->max_warps_per_sm,
        (unsigned long long)d->max_blocks_per_sm);
    buf_printf(out, "%*s%-*s %10s %7s  %7s %10s %8s\n", LEFT + TOP_WIDTH + 8, "", SIZE_COLUMN, "size",
               "whole GPU", "cycles", "ns", "B/cycle/SM", "GB/s");
}

void device_draw(const struct device *d, struct buf *out)
{
    const struct storey storeys[] = {registers_storey(d), shared_storey(d), l1_storey(d),
                                     l2_storey(d),        dram_storey(d),   host_storey(d)};
    enum { N_STOREYS = sizeof storeys / sizeof *storeys };
    draw_head(out, d);
    for (size_t floor = 0; floor < N_STOREYS; floor++)
        draw_storey(out, d, &storeys[floor], floor);
    repeat(out, " ", LEFT - N_STOREYS + 1);
    buf_puts(out, "└");
    repeat(out, "─", TOP_WIDTH + 2 * (N_STOREYS - 1));
    buf_puts(out, "┘\n\n");
    draw_far_line(out, d);
    draw_limits(out, d);
    double peak = device_dram_peak_gbps(d);
    buf_printf(out, "%s: %.0f GB/s nominal, %.0f%% of it achieved in reading\n", d->dram_kind, peak,
               100 * d->dram_read_gbps / peak);
    buf_printf(
        out,
        "? = a guess; this device rests on %u ('warpglass device show %s --source' names every source)\n",
        device_count_guesses(d), d->id);
}
