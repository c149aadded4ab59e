// warpglass coalesce: sectors that a global access moves, how much of them is used, arrays of structs against
// a struct of arrays.
#include "arith/sector_map.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/pattern_options.h"
#include "cli/wrap.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 16, WORDS_PER_LINE = LINE_BYTES / 4, WORDS_PER_SECTOR = SECTOR_BYTES / 4 };

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

// ---- drawing
// ---------------------------------------------------------------------------------------------------

static void draw_line(const struct access *access, const struct line_use *use, struct buf *out)
{
    uint32_t used[LINE_BYTES / 32];
    line_bytes_used(access, use->line, used);
    buf_printf(out, "  %8llu |", (unsigned long long)use->line);
    for (uint32_t word = 0; word < WORDS_PER_LINE; word++) {
        uint32_t bytes = used[word / 8] >> word % 8 * 4 & 15;
        bool is_moved = use->sectors >> word / WORDS_PER_SECTOR & 1;
        buf_puts(out, bytes == 15 ? "#" : bytes ? "+" : is_moved ? "." : " ");
        if (word % WORDS_PER_SECTOR == WORDS_PER_SECTOR - 1)
            buf_puts(out, "|");
    }
    buf_puts(out, "\n");
}

static void draw_lines(const struct access *access, struct buf *out)
{
    struct line_set lines;
    coalesce(access, &lines);
    if (lines.n == 0)
        return;
    buf_puts(
        out,
        "\n   address   sectors of 32 bytes, a sign for 4: # asked for, + in part, . moved for nothing\n");
    for (uint32_t i = 0; i < lines.n && i < MOST_LINES; i++)
        draw_line(access, &lines.at[i], out);
    if (lines.n > MOST_LINES)
        buf_printf(out, "       ... %u lines more\n", lines.n - MOST_LINES);
}

// ---- a pattern
// -------------------------------------------------------------------------------------------------

struct pattern_answer {
    struct lane_pattern pattern;
    struct sector_total total;
    struct access worst;
};

static const char *kind_name(enum access_kind kind)
{
    static const char *const names[N_ACCESS_KINDS] = {"load", "store", "atomic", "reduction",
                                                      "compare-and-swap"};
    return names[kind];
}

static void print_cost(const struct lane_pattern *pattern, const struct global_cost *cost, struct buf *out)
{
    buf_printf(out, "%u sector%s, ideal %u", cost->sectors, cost->sectors == 1 ? "" : "s", cost->ideal);
    if (cost->sectors > cost->ideal)
        buf_printf(out, ", %u excessive", cost->sectors - cost->ideal);
    buf_printf(out, "; %u line%s", cost->tags, cost->tags == 1 ? "" : "s");
    if (pattern->kind >= ACCESS_ATOM)
        buf_printf(out, "; %u atomic sector operations at L1 and L2", cost->atomic_sectors);
    buf_puts(out, "\n");
}

// The same bytes by wider loads: sectors stay, instructions fall.
static void advise_vectors(const struct lane_pattern *pattern, struct buf *out)
{
    buf_puts(out, "\nlanes side by side: what a wider element gives\n"
                  "  bytes a lane   sectors   bytes a request   requests for 4 KiB\n");
    for (uint32_t width = 1; width <= 16; width *= 2)
        buf_printf(out, "  %12u   %7u   %15u   %18u%s\n", width, width, width * N_LANES,
                   4096 / (width * N_LANES), width == pattern->width ? "   <" : "");
}

static void advise_stride(const struct lane_pattern *pattern, const struct global_cost *cost, struct buf *out)
{
    struct buf text = {0};
    unsigned long long step = (unsigned long long)(pattern->stride + pattern->pad) * pattern->width;
    if (step >= SECTOR_BYTES)
        buf_printf(&text, "lanes lie %llu bytes apart, a sector or more: each moves 32 bytes for %u. ", step,
                   pattern->width);
    else
        buf_printf(&text, "lanes lie %llu bytes apart: %u bytes of every %llu are used. ", step,
                   pattern->width, step);
    buf_printf(
        &text,
        "With neighbouring lanes on neighbouring elements (stride 1) it is %u sectors, %.3g times fewer",
        cost->ideal, (double)cost->sectors / cost->ideal);
    buf_puts(out, "\n");
    wrap_text(out, "why: ", text.at);
    buf_release(&text);
}

static void advise(const struct pattern_answer *answer, struct buf *out)
{
    const struct lane_pattern *pattern = &answer->pattern;
    const struct global_cost *cost = &answer->total.worst;
    bool is_stride = !pattern->index && !pattern->where && !pattern->is_tile;
    uint64_t step = pattern->stride + pattern->pad;
    if (is_stride && step > 1 && cost->sectors > cost->ideal)
        advise_stride(pattern, cost, out);
    else if (is_stride && step == 1 && cost->sectors > cost->ideal)
        buf_printf(out,
                   "\nwhy: the first byte lies %llu bytes into a sector: one sector more than aligned data; "
                   "begin at a multiple of 32\n",
                   (unsigned long long)pattern->offset_bytes % SECTOR_BYTES);
    else if (is_stride && step == 1)
        advise_vectors(pattern, out);
    if (pattern->kind >= ACCESS_ATOM && cost->atomic_sectors > cost->sectors)
        wrap_text(
            out, "\natomics: ",
            "lanes on one word take turns; combine them in the warp first (shuffle, __reduce_add_sync).");
}

static void print_pattern(const struct pattern_answer *answer)
{
    struct buf out = {0};
    const struct sector_total *total = &answer->total;
    buf_printf(&out, "global %s, %u byte%s a lane, ", kind_name(answer->pattern.kind), answer->pattern.width,
               answer->pattern.width == 1 ? "" : "s");
    pattern_describe(&answer->pattern, &out);
    if (answer->pattern.offset_bytes)
        buf_printf(&out, ", from byte %llu", (unsigned long long)answer->pattern.offset_bytes);
    buf_puts(&out, "\n\n");
    if (total->n_warps > 1) {
        buf_printf(&out, "%ux%ux%u threads, %u warps: ", answer->pattern.block[0], answer->pattern.block[1],
                   answer->pattern.block[2], total->n_warps);
        print_cost(&answer->pattern, &total->sum, &out);
        buf_printf(&out, "warp %u, the costliest: ", total->worst_warp);
    }
    print_cost(&answer->pattern, &total->worst, &out);
    if (total->worst.sectors)
        buf_printf(&out, "%u of %u bytes moved are used (%.1f %%), %.3g of 32 a sector\n",
                   total->distinct_bytes, total->worst.sectors * SECTOR_BYTES,
                   percent(total->distinct_bytes, total->worst.sectors * SECTOR_BYTES),
                   (double)total->distinct_bytes / total->worst.sectors);
    advise(answer, &out);
    draw_lines(&answer->worst, &out);
    fputs(out.at, stdout);
    buf_release(&out);
}

static json_t *json_cost(const struct global_cost *cost)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "sectors", (int)cost->sectors, "ideal",
                     (int)cost->ideal, "excessive", (int)(cost->sectors - cost->ideal), "tags",
                     (int)cost->tags, "bytes_asked", (int)cost->bytes, "atomic_sectors",
                     (int)cost->atomic_sectors);
}

static void dump_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    puts("");
    json_decref(root);
}

static void print_pattern_json(const struct pattern_answer *answer)
{
    const struct sector_total *total = &answer->total;
    dump_json(json_pack("{s:s, s:s, s:i, s:i, s:o, s:i, s:o, s:i}", "command", "coalesce", "operation",
                        kind_name(answer->pattern.kind), "width_bytes", (int)answer->pattern.width, "warps",
                        (int)total->n_warps, "total", json_cost(&total->sum), "worst_warp",
                        (int)total->worst_warp, "warp", json_cost(&total->worst), "bytes_used",
                        (int)total->distinct_bytes));
}

static int answer_pattern(struct arena *arena, struct pattern_options *options, bool json)
{
    struct pattern_answer answer = {0};
    struct err err = {0};
    int status = pattern_from_options("coalesce", arena, options, SPACE_GLOBAL, &answer.pattern);
    if (status != OPTIONS_GO)
        return status;
    if (!sector_total_of(&answer.pattern, &answer.total, &err) ||
        !pattern_access(&answer.pattern, answer.total.worst_warp, &answer.worst, &err)) {
        err_print(&err, stderr);
        return EXIT_USAGE;
    }
    (json ? print_pattern_json : print_pattern)(&answer);
    return 0;
}

// ---- a struct
// --------------------------------------------------------------------------------------------------

static void print_field(const struct struct_field *field, const struct field_cost *cost, struct buf *out)
{
    buf_printf(out, "  %-16s %6u %6u   %10u %9.1f %%   %10u %9.1f %%\n", field->name, field->offset_bytes,
               field->size_bytes, cost->array_of_structs.sectors,
               percent(cost->array_of_structs.bytes, cost->array_of_structs.sectors * SECTOR_BYTES),
               cost->struct_of_arrays.sectors,
               percent(cost->struct_of_arrays.bytes, cost->struct_of_arrays.sectors * SECTOR_BYTES));
}

static struct field_cost sum_fields(const struct struct_layout *layout)
{
    struct field_cost sum = {0};
    for (uint32_t i = 0; i < layout->n_fields; i++) {
        struct field_cost cost = field_cost_of(layout, &layout->fields[i]);
        sum.array_of_structs.sectors += cost.array_of_structs.sectors;
        sum.array_of_structs.bytes += cost.array_of_structs.bytes;
        sum.struct_of_arrays.sectors += cost.struct_of_arrays.sectors;
        sum.struct_of_arrays.bytes += cost.struct_of_arrays.bytes;
    }
    return sum;
}

// What vector loads make of the whole struct, padded if need be.
static void advise_struct(const struct struct_layout *layout, struct buf *out)
{
    struct vector_cost cost = vector_cost_of(layout);
    struct buf text = {0};
    if (layout->size_bytes <= 4) {
        buf_puts(&text, "the struct is one load as it is.");
    } else {
        if (cost.padded_bytes > layout->size_bytes)
            buf_printf(&text, "padded from %u to %u bytes and ", layout->size_bytes, cost.padded_bytes);
        buf_printf(&text,
                   "declared __align__(%u) the struct is %u load%s of %u bytes: %u sectors in %u request%s, "
                   "%.0f %% of the bytes used",
                   cost.vector_bytes, cost.n_loads, cost.n_loads == 1 ? "" : "s", cost.vector_bytes,
                   cost.sum.sectors, cost.n_loads, cost.n_loads == 1 ? "" : "s",
                   percent(layout->used_bytes * N_LANES, cost.sum.sectors * SECTOR_BYTES));
        if (cost.n_loads > 1)
            buf_puts(&text, " (L1 serves the repeated sectors while it keeps them)");
        buf_puts(&text, ".");
    }
    buf_puts(out, "\n");
    wrap_text(out, "vector loads: ", text.at);
    buf_release(&text);
}

static void draw_field(const struct struct_layout *layout, const struct struct_field *field, struct buf *out)
{
    struct access access = {.space = SPACE_GLOBAL, .width = (uint8_t)field->load_bytes, .mask = ~(lanemask)0};
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = (uint64_t)t * layout->size_bytes + field->offset_bytes;
    draw_lines(&access, out);
}

static void print_struct(const struct struct_layout *layout, const struct struct_field *only)
{
    struct buf out = {0};
    struct field_cost sum = sum_fields(layout);
    buf_printf(&out,
               "struct of %u bytes, alignment %u, %u bytes used%s; lane t reads element t, 32 lanes\n\n",
               layout->size_bytes, layout->align_bytes, layout->used_bytes,
               layout->used_bytes < layout->size_bytes ? " (the rest is padding)" : "");
    buf_puts(&out, "                                   array of structs         one array per field\n"
                   "  field            offset  bytes      sectors      used        sectors      used\n");
    for (uint32_t i = 0; i < layout->n_fields; i++) {
        struct field_cost cost = field_cost_of(layout, &layout->fields[i]);
        if (!only || only == &layout->fields[i])
            print_field(&layout->fields[i], &cost, &out);
    }
    if (!only && layout->n_fields > 1)
        print_field(&(struct struct_field){"all", 0, layout->used_bytes, 0}, &sum, &out);
    advise_struct(layout, &out);
    draw_field(layout, only ? only : &layout->fields[0], &out);
    fputs(out.at, stdout);
    buf_release(&out);
}

static void print_struct_json(const struct struct_layout *layout, const struct struct_field *only)
{
    json_t *fields = json_array();
    for (uint32_t i = 0; i < layout->n_fields; i++) {
        const struct struct_field *field = &layout->fields[i];
        struct field_cost cost = field_cost_of(layout, field);
        if (!only || only == field)
            json_array_append_new(fields,
                                  json_pack("{s:s, s:i, s:i, s:o, s:o}", "name", field->name, "offset",
                                            (int)field->offset_bytes, "bytes", (int)field->size_bytes,
                                            "array_of_structs", json_cost(&cost.array_of_structs),
                                            "struct_of_arrays", json_cost(&cost.struct_of_arrays)));
    }
    dump_json(json_pack("{s:s, s:i, s:i, s:i, s:o}", "command", "coalesce", "struct_bytes",
                        (int)layout->size_bytes, "struct_alignment", (int)layout->align_bytes, "bytes_used",
                        (int)layout->used_bytes, "fields", fields));
}

static int answer_struct(struct arena *arena, const char *text, const char *name, bool json)
{
    struct struct_layout *layout = arena_new(arena, struct struct_layout);
    const struct struct_field *only = NULL;
    struct err err = {0};
    if (!struct_layout_parse(arena, "--struct", text, layout, &err)) {
        err_print(&err, stderr);
        return EXIT_USAGE;
    }
    if (name && !(only = struct_layout_find(layout, name)))
        return usage_error("coalesce", "--field %s: the struct has no such member", name);
    (json ? print_struct_json : print_struct)(layout, only);
    return 0;
}

// ---- the command
// -----------------------------------------------------------------------------------------------

static int answer(struct arena *arena, struct pattern_options *options, const char *text, const char *field,
                  bool json)
{
    bool has_pattern = options->stride != STRIDE_NOT_GIVEN || options->index || options->where;
    if (!text && field)
        return usage_error("coalesce", "--field belongs to --struct");
    if (text && has_pattern)
        return usage_error("coalesce", "give either --struct or --stride / --index");
    return text ? answer_struct(arena, text, field, json) : answer_pattern(arena, options, json);
}

int cmd_coalesce(int argc, char **argv)
{
    struct pattern_options options = {.stride = STRIDE_NOT_GIVEN, .width = 4};
    const char *text = NULL, *field = NULL;
    bool json = false;
    const struct option_row rows[] = {
        {"stride", OPT_U64, &options.stride, "N",
         "lane t takes element t * N; with --block: rows of N elements"},
        {"width", OPT_U32, &options.width, "1|2|4|8|16", "bytes of an element (4)"},
        {"offset", OPT_U64, &options.offset_bytes, "BYTES", "added to every address"},
        {"pad", OPT_U64, &options.pad, "N", "unused elements behind each row; `pad` in --index"},
        {"block", OPT_SHAPE, options.block, "SHAPE", "threads, 16x16: thread (x, y) takes row x, column y"},
        {"index", OPT_STRING, &options.index, "'EXPR'", "element by t, tid, w, tx, ty, tz, bx, by, bz, pad"},
        {"where", OPT_STRING, &options.where, "'EXPR'", "only lanes for which it is not 0"},
        {"op", OPT_STRING, &options.kind, "KIND", "load (default), store, atomic, red or cas"},
        {"struct", OPT_STRING, &text, "'MEMBERS'", "an array of structs: 'float x, y, z; int id'"},
        {"field", OPT_STRING, &field, "NAME", "only this member of it"},
        {"json", OPT_FLAG, &json, NULL, "print JSON"},
        {0}};
    struct arguments rest;
    int status = options_parse(
        argc, argv, "coalesce --stride N | --index 'EXPR' | --struct 'MEMBERS' [options]",
        "Counts the 32-byte sectors that one warp's global access moves and how much of them it "
        "uses,\ndraws them, and compares an array of structs with one array per field.",
        rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    if (rest.n)
        return usage_error("coalesce", "unexpected argument '%s'", rest.at[0]);
    struct arena arena;
    arena_init(&arena, "coalesce");
    status = answer(&arena, &options, text, field, json);
    arena_release(&arena);
    return status;
}
