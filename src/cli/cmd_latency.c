// warpglass latency: Little's law per memory level in both directions, and the warps that hide a latency.
#include "arith/levels.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/units.h"
#include "cli/choose_device.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/wrap.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct latency_options {
    const char *device;
    double latency_cycles;        // 0 = not given
    double instructions_between;  // 0 = not given
    uint32_t width, loads, warps; // warps 0 = all an SM holds
    bool json;
};

struct latency_answer {
    const struct device *device;
    const struct latency_options *options;
    struct memory_level levels[MAX_LEVELS];
    uint32_t n_levels;
    double warps_per_sm;
};

// The round figures of the textbook table.
static const double textbook_latencies[] = {25, 200, 500};
static const double textbook_gaps[] = {8, 32};

enum { N_LATENCIES = 3, N_GAPS = 2, N_ILP = 4 };

// ---- hiding
// ----------------------------------------------------------------------------------------------------

static void describe_hiding(const struct hiding *hiding, double latency, double gap, struct buf *out)
{
    buf_printf(
        out,
        "%g cycles, one load in %g instructions: %g / %g = %.4g, so %u warp%s per scheduler; it holds %u: ",
        latency, gap, latency, gap, hiding->exact, hiding->warps_per_scheduler,
        hiding->warps_per_scheduler == 1 ? "" : "s", hiding->room);
    if (hiding->is_hidden)
        buf_printf(out,
                   hiding->warps_per_scheduler == hiding->room ? "hidden, at full occupancy only."
                                                               : "hidden from %.0f %% occupancy on.",
                   100.0 * hiding->warps_per_scheduler / hiding->room);
    else
        buf_printf(out,
                   "cannot be hidden by warps alone; %u independent loads in flight per warp would, or %.0f "
                   "instructions between loads.",
                   hiding->loads_per_warp, latency / hiding->room + 0.499);
}

static void print_hiding_row(const struct latency_answer *answer, const char *name, double latency,
                             struct buf *out)
{
    const double gaps[N_GAPS + 1] = {textbook_gaps[0], textbook_gaps[1],
                                     answer->options->instructions_between};
    buf_printf(out, "  %-8s %7g", name, latency);
    for (int i = 0; i <= N_GAPS && gaps[i] > 0; i++) {
        struct hiding hiding = hiding_of(answer->device, latency, gaps[i]);
        buf_printf(out, "%14u%c", hiding.warps_per_scheduler, hiding.is_hidden ? ' ' : '!');
    }
    trim_text(out);
    buf_puts(out, "\n");
}

static void print_hiding(const struct latency_answer *answer, struct buf *out)
{
    double own = answer->options->instructions_between;
    buf_printf(out,
               "\nwarps per scheduler that hide a latency; it holds %u, ! = unhideable by warps alone\n"
               "  level     cycles%14s %14s ",
               hiding_of(answer->device, 1, 1).room, "one load in 8", "in 32");
    if (own > 0) {
        int digits = snprintf(NULL, 0, "%g", own);
        buf_printf(out, "%*s%g ", 14 - digits, "in ", own);
    }
    buf_puts(out, "instructions\n");
    for (int i = 0; i < N_LATENCIES; i++)
        print_hiding_row(answer, "", textbook_latencies[i], out);
    for (uint32_t i = 0; i < answer->n_levels; i++)
        print_hiding_row(answer, answer->levels[i].name, answer->levels[i].latency_cycles, out);
}

// ---- Little's law
// ----------------------------------------------------------------------------------------------

static void print_needs(const struct latency_answer *answer, struct buf *out)
{
    const struct latency_options *options = answer->options;
    buf_printf(out,
               "\nbytes in flight = latency x bandwidth; loads of %u bytes a lane, %u in flight per warp\n"
               "            latency           bandwidth               in flight           warps per SM\n"
               "  level     cycles      ns   B/clk/SM      GB/s      per SM     device   to fill it\n",
               options->width, options->loads);
    for (uint32_t i = 0; i < answer->n_levels; i++) {
        const struct memory_level *level = &answer->levels[i];
        struct in_flight_need need = little_need(answer->device, level, options->width, options->loads);
        struct buf bytes = {0};
        units_print_bytes(&bytes, need.bytes_per_device);
        buf_printf(out, "  %-8s %7.0f %7.0f %10.1f %9.0f %9.0f B %10s %12.0f%s\n", level->name,
                   level->latency_cycles, device_cycles_to_ns(answer->device, level->latency_cycles),
                   level->bytes_per_cycle_per_sm, level_gbps(answer->device, level), need.bytes_per_sm,
                   bytes.at, need.warps_per_sm, need.fits ? "" : " (more than fit)");
        buf_release(&bytes);
    }
}

static void print_yields(const struct latency_answer *answer, struct buf *out)
{
    const struct latency_options *options = answer->options;
    buf_printf(
        out,
        "\nthe other way: %g warps per SM x %u load%s x %u bytes x 32 lanes = %.0f bytes in flight per SM "
        "give\n",
        answer->warps_per_sm, options->loads, options->loads == 1 ? "" : "s", options->width,
        answer->warps_per_sm * options->loads * options->width * 32);
    for (uint32_t i = 0; i < answer->n_levels; i++) {
        struct in_flight_yield yield = little_yield(answer->device, &answer->levels[i], answer->warps_per_sm,
                                                    options->width, options->loads);
        buf_printf(out, "  %-8s %9.0f GB/s  %5.1f %%\n", answer->levels[i].name, yield.gbps,
                   100 * yield.part);
    }
}

// Occupancy and instruction-level parallelism buy the same thing: loads in flight.
static void print_trade(const struct latency_answer *answer, struct buf *out)
{
    const struct memory_level *memory = &answer->levels[answer->n_levels - 1];
    static const uint32_t widths[] = {4, 8, 16};
    buf_printf(out, "\noccupancy that fills %s, by independent loads per warp\n  bytes a lane", memory->name);
    for (uint32_t ilp = 0; ilp < N_ILP; ilp++)
        buf_printf(out, "%7u load%s", 1u << ilp, ilp ? "s" : " ");
    buf_puts(out, "\n");
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        buf_printf(out, "  %12u", widths[i]);
        for (uint32_t ilp = 0; ilp < N_ILP; ilp++) {
            struct in_flight_need need = little_need(answer->device, memory, widths[i], 1u << ilp);
            double part = need.warps_per_sm / (double)answer->device->max_warps_per_sm;
            if (need.fits)
                buf_printf(out, "%10.1f %%", 100 * part);
            else
                buf_puts(out, "    too many");
        }
        buf_puts(out, "\n");
    }
}

// Figures that nobody measured.
static void print_guesses(const struct latency_answer *answer, struct buf *out)
{
    const char *lead = "\nguesses among these figures: ";
    for (uint32_t i = 0; i < answer->n_levels; i++) {
        enum device_key keys[] = {answer->levels[i].latency_key, answer->levels[i].bandwidth_key};
        for (int k = 0; k < 2; k++) {
            const char *tag = device_source(answer->device, keys[k])->tag;
            if (!tag || strcmp(tag, "guess") != 0 ||
                (k == 1 && i > 0 && keys[1] == answer->levels[i - 1].bandwidth_key))
                continue;
            buf_printf(out, "%s%s", lead, device_key_info(keys[k])->key);
            lead = ", ";
        }
    }
    if (*lead == ',')
        buf_puts(out, "\n");
}

static void print_text(const struct latency_answer *answer)
{
    const struct device *device = answer->device;
    const struct latency_options *options = answer->options;
    struct buf out = {0};
    buf_printf(&out, "%s: %u SMs, %u schedulers each, %u warps, %.0f MHz\n", device->name,
               (unsigned)device->n_sms, (unsigned)device->n_subpartitions, (unsigned)device->max_warps_per_sm,
               device->sm_clock_mhz);
    if (options->latency_cycles > 0 && options->instructions_between > 0) {
        struct hiding hiding = hiding_of(device, options->latency_cycles, options->instructions_between);
        struct buf text = {0};
        describe_hiding(&hiding, options->latency_cycles, options->instructions_between, &text);
        buf_puts(&out, "\n");
        wrap_text(&out, "", text.at);
        buf_release(&text);
    }
    print_needs(answer, &out);
    print_yields(answer, &out);
    print_trade(answer, &out);
    print_hiding(answer, &out);
    print_guesses(answer, &out);
    fputs(out.at, stdout);
    buf_release(&out);
}

// ---- JSON
// ------------------------------------------------------------------------------------------------------

static json_t *json_hiding(const struct device *device, double latency, double gap)
{
    struct hiding hiding = hiding_of(device, latency, gap);
    return json_pack("{s:f, s:f, s:f, s:I, s:I, s:b, s:I}", "latency_cycles", latency, "instructions_between",
                     gap, "exact", hiding.exact, "warps_per_scheduler",
                     (json_int_t)hiding.warps_per_scheduler, "room", (json_int_t)hiding.room, "is_hidden",
                     hiding.is_hidden, "loads_per_warp", (json_int_t)hiding.loads_per_warp);
}

static json_t *json_level(const struct latency_answer *answer, const struct memory_level *level)
{
    const struct latency_options *options = answer->options;
    struct in_flight_need need = little_need(answer->device, level, options->width, options->loads);
    struct in_flight_yield yield =
        little_yield(answer->device, level, answer->warps_per_sm, options->width, options->loads);
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:f, s:f}", "name", level->name,
                     "latency_cycles", level->latency_cycles, "bytes_per_cycle_per_sm",
                     level->bytes_per_cycle_per_sm, "gbps", level_gbps(answer->device, level),
                     "in_flight_bytes_per_sm", need.bytes_per_sm, "in_flight_bytes_per_device",
                     need.bytes_per_device, "warps_per_sm", need.warps_per_sm, "fits", need.fits,
                     "reached_gbps", yield.gbps, "reached_part", yield.part);
}

static void print_json(const struct latency_answer *answer)
{
    const struct latency_options *options = answer->options;
    json_t *levels = json_array(), *table = json_array();
    for (uint32_t i = 0; i < answer->n_levels; i++)
        json_array_append_new(levels, json_level(answer, &answer->levels[i]));
    for (int i = 0; i < N_LATENCIES; i++)
        for (int k = 0; k < N_GAPS; k++)
            json_array_append_new(table,
                                  json_hiding(answer->device, textbook_latencies[i], textbook_gaps[k]));
    json_t *root =
        json_pack("{s:s, s:s, s:i, s:i, s:f, s:o, s:o}", "command", "latency", "device", answer->device->id,
                  "width_bytes", (int)options->width, "loads_per_warp", (int)options->loads, "warps_per_sm",
                  answer->warps_per_sm, "levels", levels, "hiding_table", table);
    if (options->latency_cycles > 0 && options->instructions_between > 0)
        json_object_set_new(
            root, "hiding",
            json_hiding(answer->device, options->latency_cycles, options->instructions_between));
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    puts("");
    json_decref(root);
}

// ---- the command
// -----------------------------------------------------------------------------------------------

static int check(const struct latency_options *options, bool has_latency, bool has_gap)
{
    uint32_t width = options->width;
    if (has_latency && !(options->latency_cycles > 0 && options->latency_cycles <= 1e6))
        return usage_error("latency", "--latency: between 0 and 1,000,000 cycles");
    if (has_gap && !(options->instructions_between > 0 && options->instructions_between <= 1e6))
        return usage_error("latency", "--instructions-between: more than 0, at most 1,000,000");
    if (has_latency && !has_gap)
        return usage_error("latency", "--latency needs --instructions-between");
    if (width == 0 || width > 16 || (width & (width - 1)))
        return usage_error("latency", "--width %u: a lane takes 1, 2, 4, 8 or 16 bytes", width);
    if (options->loads == 0 || options->loads > 64)
        return usage_error("latency", "--loads %u: between 1 and 64", options->loads);
    return OPTIONS_GO;
}

static int answer_for(struct arena *arena, const struct latency_options *options)
{
    struct device *device = arena_new(arena, struct device);
    int status = choose_device(arena, options->device, device);
    if (status != EXIT_LOADED)
        return status;
    if (options->warps > device->max_warps_per_sm)
        return usage_error("latency", "--warps %u: an SM of %s holds %u", options->warps, device->name,
                           (unsigned)device->max_warps_per_sm);
    struct latency_answer answer = {.device = device, .options = options};
    answer.n_levels = levels_of(device, answer.levels);
    answer.warps_per_sm = options->warps ? options->warps : (double)device->max_warps_per_sm;
    (options->json ? print_json : print_text)(&answer);
    return 0;
}

int cmd_latency(int argc, char **argv)
{
    struct latency_options options = {
        .width = 4, .loads = 1, .latency_cycles = -1, .instructions_between = -1};
    const struct option_row rows[] = {
        {"device", OPT_STRING, &options.device, "NAME|FILE", "device to answer for (h200)"},
        {"instructions-between", OPT_REAL, &options.instructions_between, "N",
         "a warp loads once in N instructions"},
        {"latency", OPT_REAL, &options.latency_cycles, "CYCLES", "the latency to hide"},
        {"width", OPT_U32, &options.width, "BYTES", "bytes a lane loads at once (4)"},
        {"loads", OPT_U32, &options.loads, "N", "independent loads in flight per warp (1)"},
        {"warps", OPT_U32, &options.warps, "N", "resident warps per SM (all that fit)"},
        {"json", OPT_FLAG, &options.json, NULL, "print JSON"},
        {0}};
    struct arguments rest;
    int status = options_parse(
        argc, argv, "latency [options]",
        "Little's law for each memory level: what must be in flight to fill it, what given warps "
        "reach,\nand how many warps hide a latency.",
        rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    if (rest.n)
        return usage_error("latency", "unexpected argument '%s'", rest.at[0]);
    status = check(&options, options.latency_cycles != -1, options.instructions_between != -1);
    if (status != OPTIONS_GO)
        return status;
    struct arena arena;
    arena_init(&arena, "latency");
    status = answer_for(&arena, &options);
    arena_release(&arena);
    return status;
}
