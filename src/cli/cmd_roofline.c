// warpglass roofline: ceilings of arithmetic, roofs of memory, ridge points, and where a kernel falls.
#include "arith/roofline.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/units.h"
#include "cli/choose_device.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/wrap.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct roofline_options {
    const char *device, *bytes_text, *precision;
    double flops, seconds, bytes;
    bool json;
};

struct roofline_answer {
    const struct device *device;
    const struct roofline_options *options;
    struct roofline roofline;
    const struct ceiling *ceiling; // of the precision asked for
    const struct roof *memory;     // device memory as achieved
    double flop_per_byte;          // 0 = no kernel given
};

// ---- text
// ------------------------------------------------------------------------------------------------------

static void print_rate(double giga, const char *unit, struct buf *out)
{
    if (giga >= 1000)
        buf_printf(out, "%8.4g T%s", giga / 1000, unit);
    else
        buf_printf(out, "%8.4g G%s", giga, unit);
}

static void print_ridges(const struct roofline *roofline, struct buf *out)
{
    buf_puts(out, "\nridge points: flop per byte from which arithmetic is the limit\n  level                 "
                  "bandwidth");
    for (uint32_t c = 0; c < roofline->n_ceilings; c++)
        buf_printf(out, "%14s", roofline->ceilings[c].name);
    buf_puts(out, "\n");
    for (uint32_t r = 0; r < roofline->n_roofs; r++) {
        buf_printf(out, "  %-17s ", roofline->roofs[r].name);
        print_rate(roofline->roofs[r].gbps, "B/s", out);
        for (uint32_t c = 0; c < roofline->n_ceilings; c++)
            buf_printf(out, "%14.3g", roofline_ridge(&roofline->ceilings[c], &roofline->roofs[r]));
        buf_puts(out, "\n");
    }
}

static void print_kernel(const struct roofline_answer *answer, struct buf *out)
{
    const struct roofline_options *options = answer->options;
    double reach = roofline_attainable(answer->ceiling, answer->memory, answer->flop_per_byte);
    bool is_memory_bound = answer->flop_per_byte < roofline_ridge(answer->ceiling, answer->memory);
    buf_printf(out, "\nthis kernel: %g flop / %g bytes = %.4g flop per byte, %s bound (%s ridge at %.3g)\n",
               options->flops, options->bytes, answer->flop_per_byte, is_memory_bound ? "memory" : "compute",
               answer->ceiling->name, roofline_ridge(answer->ceiling, answer->memory));
    buf_puts(out, "  it can reach");
    print_rate(reach, "FLOP/s", out);
    buf_printf(out, ", %.1f %% of the %s ceiling, in no less than %.4g us\n",
               100 * reach / answer->ceiling->gflops, answer->ceiling->name, options->flops / reach / 1e3);
    if (is_memory_bound)
        buf_printf(out, "  to be compute bound: %.3g times as many operations per byte moved\n",
                   roofline_ridge(answer->ceiling, answer->memory) / answer->flop_per_byte);
    if (options->seconds > 0) {
        double reached = options->flops / options->seconds / 1e9;
        buf_puts(out, "  in the time it took it did");
        print_rate(reached, "FLOP/s", out);
        buf_printf(out, ", %.1f %% of what it can reach\n", 100 * reached / reach);
    }
}

// ---- the chart
// -------------------------------------------------------------------------------------------------

enum { CHART_COLUMNS = 97, CHART_ROWS = 18, COLUMNS_PER_OCTAVE = 6, OCTAVES_DOWN = 11 };

struct chart {
    double left, bottom, top; // log2 of flop per byte and of GFLOP/s
    char cells[CHART_ROWS][CHART_COLUMNS + 1];
};

static double column_log2(const struct chart *chart, int column)
{
    return chart->left + (double)column / COLUMNS_PER_OCTAVE;
}

static int row_of(const struct chart *chart, double gflops)
{
    double part = (log2(gflops) - chart->bottom) / (chart->top - chart->bottom);
    return (int)lround((1 - part) * (CHART_ROWS - 1));
}

static void chart_put(struct chart *chart, int row, int column, char sign)
{
    if (row >= 0 && row < CHART_ROWS && column >= 0 && column < CHART_COLUMNS)
        chart->cells[row][column] = sign;
}

static void chart_draw_roof(struct chart *chart, const struct ceiling *ceiling, const struct roof *roof,
                            char sign)
{
    for (int column = 0; column < CHART_COLUMNS; column++) {
        double flop_per_byte = exp2(column_log2(chart, column));
        double gflops = roofline_attainable(ceiling, roof, flop_per_byte);
        chart_put(chart, row_of(chart, gflops), column, gflops < ceiling->gflops ? sign : '-');
    }
}

static void chart_draw_kernel(struct chart *chart, const struct roofline_answer *answer)
{
    int column = (int)lround((log2(answer->flop_per_byte) - chart->left) * COLUMNS_PER_OCTAVE);
    column = column < 0 ? 0 : column >= CHART_COLUMNS ? CHART_COLUMNS - 1 : column;
    double reach = roofline_attainable(answer->ceiling, answer->memory, answer->flop_per_byte);
    int row = row_of(chart, reach);
    chart_put(chart, row >= CHART_ROWS ? CHART_ROWS - 1 : row, column, '*');
    if (answer->options->seconds > 0) {
        row = row_of(chart, answer->options->flops / answer->options->seconds / 1e9);
        chart_put(chart, row >= CHART_ROWS ? CHART_ROWS - 1 : row, column, '@');
    }
}

static void print_chart(const struct roofline_answer *answer, struct buf *out)
{
    const struct roofline *roofline = &answer->roofline;
    struct chart chart = {.left = -5, .top = log2(answer->ceiling->gflops) + 0.5};
    chart.bottom = chart.top - OCTAVES_DOWN;
    memset(chart.cells, ' ', sizeof chart.cells);
    for (int row = 0; row < CHART_ROWS; row++)
        chart.cells[row][CHART_COLUMNS] = '\0';
    static const char signs[] = "s12m";
    for (uint32_t r = 0; r < 4; r++)
        chart_draw_roof(&chart, answer->ceiling, &roofline->roofs[r], signs[r]);
    if (answer->flop_per_byte > 0)
        chart_draw_kernel(&chart, answer);
    buf_printf(out, "\n%s under the roofs of shared memory (s), L1 (1), L2 (2) and device memory (m)%s\n",
               answer->ceiling->name, answer->flop_per_byte > 0 ? "; * can reach, @ did reach" : "");
    for (int row = 0; row < CHART_ROWS; row++) {
        double gflops = exp2(chart.top - (chart.top - chart.bottom) * row / (CHART_ROWS - 1));
        if (row % 3 == 0)
            buf_printf(out, "%7.3g T |", gflops / 1000);
        else
            buf_puts(out, "          |");
        size_t n = CHART_COLUMNS;
        while (n > 0 && chart.cells[row][n - 1] == ' ')
            n--;
        buf_add(out, chart.cells[row], n);
        buf_puts(out, "\n");
    }
    buf_puts(out, "          +");
    for (int column = 0; column < CHART_COLUMNS; column++)
        buf_puts(out, column % 12 == 0 ? "+" : "-");
    buf_puts(out, "\n  flop/byte ");
    for (int column = 0; column < CHART_COLUMNS; column += 12)
        buf_printf(out, "%-12.3g", exp2(column_log2(&chart, column)));
    trim_text(out);
    buf_puts(out, "\n");
}

static void print_text(const struct roofline_answer *answer)
{
    const struct roofline *roofline = &answer->roofline;
    struct buf out = {0};
    buf_printf(&out, "%s: %u SMs at %.0f MHz\n\nceilings of arithmetic\n", answer->device->name,
               (unsigned)answer->device->n_sms, answer->device->sm_clock_mhz);
    for (uint32_t c = 0; c < roofline->n_ceilings; c++) {
        buf_printf(&out, "  %-17s ", roofline->ceilings[c].name);
        print_rate(roofline->ceilings[c].gflops, "FLOP/s\n", &out);
    }
    print_ridges(roofline, &out);
    if (answer->flop_per_byte > 0)
        print_kernel(answer, &out);
    print_chart(answer, &out);
    fputs(out.at, stdout);
    buf_release(&out);
}

// ---- JSON
// ------------------------------------------------------------------------------------------------------

static json_t *json_kernel(const struct roofline_answer *answer)
{
    double reach = roofline_attainable(answer->ceiling, answer->memory, answer->flop_per_byte);
    json_t *kernel = json_pack(
        "{s:f, s:f, s:f, s:s, s:f, s:s}", "flops", answer->options->flops, "bytes", answer->options->bytes,
        "flop_per_byte", answer->flop_per_byte, "precision", answer->ceiling->name, "attainable_gflops",
        reach, "bound",
        answer->flop_per_byte < roofline_ridge(answer->ceiling, answer->memory) ? "memory" : "compute");
    if (answer->options->seconds > 0)
        json_object_set_new(kernel, "reached_gflops",
                            json_real(answer->options->flops / answer->options->seconds / 1e9));
    return kernel;
}

static void print_json(const struct roofline_answer *answer)
{
    const struct roofline *roofline = &answer->roofline;
    json_t *ceilings = json_array(), *roofs = json_array();
    for (uint32_t c = 0; c < roofline->n_ceilings; c++)
        json_array_append_new(ceilings, json_pack("{s:s, s:f}", "name", roofline->ceilings[c].name, "gflops",
                                                  roofline->ceilings[c].gflops));
    for (uint32_t r = 0; r < roofline->n_roofs; r++) {
        json_t *ridges = json_object();
        for (uint32_t c = 0; c < roofline->n_ceilings; c++)
            json_object_set_new(ridges, roofline->ceilings[c].name,
                                json_real(roofline_ridge(&roofline->ceilings[c], &roofline->roofs[r])));
        json_array_append_new(roofs, json_pack("{s:s, s:f, s:o}", "name", roofline->roofs[r].name, "gbps",
                                               roofline->roofs[r].gbps, "ridge_flop_per_byte", ridges));
    }
    json_t *root = json_pack("{s:s, s:s, s:o, s:o}", "command", "roofline", "device", answer->device->id,
                             "ceilings", ceilings, "roofs", roofs);
    if (answer->flop_per_byte > 0)
        json_object_set_new(root, "kernel", json_kernel(answer));
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    puts("");
    json_decref(root);
}

// ---- the command
// -----------------------------------------------------------------------------------------------

static bool parse_amount(const char *text, double *out)
{
    uint64_t bytes;
    if (units_parse_bytes(text, &bytes))
        *out = (double)bytes;
    else if (!units_parse_double(text, out))
        return false;
    return *out > 0 && *out < 1e24;
}

static int check(struct roofline_options *options)
{
    bool has_flops = options->flops != 0, has_bytes = options->bytes_text != NULL;
    if (has_flops != has_bytes)
        return usage_error("roofline", "--flops and --bytes belong together");
    if (has_bytes && !parse_amount(options->bytes_text, &options->bytes))
        return usage_error("roofline", "--bytes %s: expected an amount, 48MiB or 1e9", options->bytes_text);
    if (has_flops && !(options->flops > 0 && options->flops < 1e24))
        return usage_error("roofline", "--flops: expected a positive number");
    if (options->seconds != 0 && !(options->seconds > 0 && has_flops))
        return usage_error("roofline", "--seconds: expected a positive time, with --flops and --bytes");
    return OPTIONS_GO;
}

// The ceiling that --precision names: fp32, fp64 or tensor.
static const struct ceiling *ceiling_find(const struct roofline *roofline, const char *precision)
{
    static const struct {
        const char *option, *name;
    } names[] = {{"fp32", "FP32"}, {"fp64", "FP64"}, {"tensor", "FP16 tensor"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (uint32_t c = 0; c < roofline->n_ceilings; c++)
            if (strcmp(precision, names[i].option) == 0 &&
                strcmp(roofline->ceilings[c].name, names[i].name) == 0)
                return &roofline->ceilings[c];
    return NULL;
}

static const struct roof *memory_find(const struct roofline *roofline)
{
    uint32_t r = 0;
    while (!roofline->roofs[r].is_dram)
        r++;
    return &roofline->roofs[r];
}

static int answer_for(struct arena *arena, const struct roofline_options *options)
{
    struct device *device = arena_new(arena, struct device);
    int status = choose_device(arena, options->device, device);
    if (status != EXIT_LOADED)
        return status;
    struct roofline_answer answer = {.device = device, .options = options, .roofline = roofline_of(device)};
    answer.ceiling = ceiling_find(&answer.roofline, options->precision);
    if (!answer.ceiling)
        return usage_error("roofline",
                           "--precision %s: expected fp32, fp64 or tensor (where the device has it)",
                           options->precision);
    answer.memory = memory_find(&answer.roofline);
    answer.flop_per_byte = options->flops > 0 ? options->flops / options->bytes : 0;
    (options->json ? print_json : print_text)(&answer);
    return 0;
}

int cmd_roofline(int argc, char **argv)
{
    struct roofline_options options = {.precision = "fp32"};
    const struct option_row rows[] = {
        {"device", OPT_STRING, &options.device, "NAME|FILE", "device to answer for (h200)"},
        {"flops", OPT_REAL, &options.flops, "N", "operations of a kernel; a multiply-add is two"},
        {"bytes", OPT_STRING, &options.bytes_text, "N",
         "bytes it moves to and from device memory, 1e9 or 48MiB"},
        {"seconds", OPT_REAL, &options.seconds, "N", "how long it took"},
        {"precision", OPT_STRING, &options.precision, "fp32|fp64|tensor", "whose ceiling (fp32)"},
        {"json", OPT_FLAG, &options.json, NULL, "print JSON"},
        {0}};
    struct arguments rest;
    int status =
        options_parse(argc, argv, "roofline [--flops N --bytes N] [options]",
                      "The roofline of a device: ceilings, bandwidth of each level, ridge points, and what a "
                      "kernel\nof so many operations and bytes can reach.",
                      rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    if (rest.n)
        return usage_error("roofline", "unexpected argument '%s'", rest.at[0]);
    if ((status = check(&options)) != OPTIONS_GO)
        return status;
    struct arena arena;
    arena_init(&arena, "roofline");
    status = answer_for(&arena, &options);
    arena_release(&arena);
    return status;
}
