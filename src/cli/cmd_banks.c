// warpglass banks: shared-memory bank conflicts of a pattern, drawn, explained, and cured.
#include "arith/bank_map.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/pattern_options.h"
#include "cli/wrap.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PADDING = 32, MOST_ROWS = 16 };

struct banks_answer {
    struct lane_pattern pattern;
    struct bank_total total;
    struct access worst; // the access of the costliest warp
};

// ---- why
// -------------------------------------------------------------------------------------------------------

static uint32_t slots_of(uint32_t width)
{
    return width <= BANK_BYTES ? N_BANKS : BANK_ROW_BYTES / width;
}

static const char *slot_name(uint32_t width)
{
    static const char *const names[] = {"banks", "pairs of banks", "fours of banks"};
    return names[width == 16 ? 2 : width == 8 ? 1 : 0];
}

static bool has_index(const struct banks_answer *answer)
{
    return answer->pattern.index != NULL;
}

static bool is_excessive(const struct banks_answer *answer)
{
    return answer->total.sum.wavefronts > answer->total.sum.ideal;
}

// Rows `pitch` elements apart: gcd(pitch, slots) decides.
static void explain_stride(const struct lane_pattern *pattern, struct buf *out)
{
    uint64_t pitch = pattern->stride + pattern->pad;
    uint32_t slots = slots_of(pattern->width), groups = N_LANES / slots;
    uint32_t degree = banks_stride_degree(pitch, pattern->width);
    if (pitch == 0) {
        buf_puts(out, pattern->kind >= ACCESS_ATOM
                          ? "every lane wants the same word, and atomics take turns on it"
                          : "every lane wants the same word: it is read once and broadcast");
        return;
    }
    if (groups > 1)
        buf_printf(out, "%u-byte elements go in %u groups of %u lanes over %u %s; ", pattern->width, groups,
                   slots, slots, slot_name(pattern->width));
    if (pattern->width < BANK_BYTES && pitch * pattern->width % BANK_BYTES != 0) {
        buf_printf(out,
                   "%llu x %u bytes is no whole number of words: lanes that share a word do not conflict; "
                   "the busiest bank serves %u words",
                   (unsigned long long)pitch, pattern->width, degree);
        return;
    }
    unsigned long long step = pattern->width < BANK_BYTES ? pitch * pattern->width / BANK_BYTES : pitch;
    buf_printf(out, "gcd(%llu, %u) = %u: the %u lanes fall on %u of %u %s, %u on each", step, slots, degree,
               slots, slots / degree, slots, slot_name(pattern->width), degree);
    if (groups > 1)
        buf_printf(out, "; %u groups x %u = %u wavefronts", groups, degree, groups * degree);
}

// A warp of a block that is not 32 wide takes several columns of several rows.
static void explain_tile(const struct lane_pattern *pattern, struct buf *out)
{
    unsigned long long pitch = pattern->stride + pattern->pad;
    uint32_t rows = pattern->block[0] < N_LANES ? pattern->block[0] : N_LANES,
             slots = slots_of(pattern->width);
    if (pattern->is_swizzled) {
        buf_puts(out, "column ^ row puts the same column of different rows into different banks");
        return;
    }
    if (rows == N_LANES) {
        explain_stride(pattern, out);
        return;
    }
    buf_printf(out,
               "a warp of a %u-wide block takes %u rows and %u columns; rows lie %llu elements apart (%llu "
               "of %u %s), "
               "columns 1: both must miss each other",
               pattern->block[0], rows, N_LANES / rows, pitch, pitch % slots, slots,
               slot_name(pattern->width));
}

static void explain_busiest(const struct access *access, struct buf *out)
{
    struct bank_map map;
    bank_map_fill(access, &map);
    uint32_t best_bank = 0, most = 0;
    for (uint32_t bank = 0; bank < N_BANKS; bank++) {
        uint32_t n = 0;
        for (uint32_t pass = 0; pass < map.n_passes; pass++)
            n += map.lane[pass][bank] != NO_LANE;
        if (n > most) {
            most = n;
            best_bank = bank;
        }
    }
    if (most == 1) {
        buf_puts(out, "no bank is asked for two different words");
        return;
    }
    buf_printf(out, "the busiest bank, %u, serves %u words, of lanes", best_bank, most);
    for (uint32_t pass = 0, shown = 0; pass < map.n_passes && shown < 8; pass++)
        if (map.lane[pass][best_bank] != NO_LANE)
            buf_printf(out, "%s %u%s", shown++ ? "," : "", map.lane[pass][best_bank],
                       map.is_shared[pass][best_bank] ? "+" : "");
    if (most > 8)
        buf_puts(out, " ...");
}

static void explain(const struct banks_answer *answer, struct buf *out)
{
    if (!answer->worst.mask)
        buf_puts(out, "no lane takes part");
    else if (has_index(answer) || answer->pattern.where)
        explain_busiest(&answer->worst, out);
    else if (answer->pattern.is_tile)
        explain_tile(&answer->pattern, out);
    else if (answer->pattern.is_swizzled)
        buf_puts(out, "column ^ row puts the same column of different rows into different banks");
    else
        explain_stride(&answer->pattern, out);
}

// ---- cures
// -----------------------------------------------------------------------------------------------------

struct cure {
    const char *name; // "padding", "swizzle"
    uint64_t pad;
    struct bank_total after;
};

enum { MAX_CURES = 3 };

static bool can_pad(const struct lane_pattern *pattern)
{
    if (!pattern->index)
        return pattern->stride > 0;
    for (uint32_t i = 0; i < pattern->index->n_names; i++)
        if (strcmp(pattern->index->names[i], "pad") == 0)
            return true;
    return false;
}

static bool can_swizzle(const struct lane_pattern *pattern)
{
    return !pattern->index && !pattern->is_swizzled && pattern->stride >= 2 &&
           (pattern->stride & (pattern->stride - 1)) == 0;
}

static uint32_t cures_find(const struct banks_answer *answer, struct cure cures[MAX_CURES])
{
    struct lane_pattern changed = answer->pattern;
    struct bank_total after;
    struct err ignored = {0};
    uint32_t n = 0;
    if (!is_excessive(answer))
        return 0;
    if (can_pad(&changed)) {
        changed.is_swizzled = false;
        changed.pad = 1;
        if (bank_total_of(&changed, &after, &ignored))
            cures[n++] = (struct cure){"padding", 1, after};
        uint64_t pad = bank_padding_cure(&changed, MOST_PADDING, &after);
        if (pad > 1)
            cures[n++] = (struct cure){"padding", pad, after};
    }
    changed = answer->pattern;
    if (can_swizzle(&changed)) {
        changed.is_swizzled = true;
        changed.pad = 0;
        if (bank_total_of(&changed, &after, &ignored))
            cures[n++] = (struct cure){"swizzle", 0, after};
    }
    return n;
}

// ---- text
// ------------------------------------------------------------------------------------------------------

static const char *kind_name(enum access_kind kind)
{
    static const char *const names[N_ACCESS_KINDS] = {"load", "store", "atomic", "reduction",
                                                      "compare-and-swap"};
    return names[kind];
}

static void print_pass(const struct bank_map *map, uint32_t pass, struct buf *out)
{
    buf_printf(out, "  %4u", pass + 1);
    for (uint32_t bank = 0; bank < N_BANKS; bank++) {
        if (map->lane[pass][bank] == NO_LANE)
            buf_puts(out, "  .");
        else if (map->is_shared[pass][bank])
            buf_printf(out, "%2u+", map->lane[pass][bank]);
        else
            buf_printf(out, "%3u", map->lane[pass][bank]);
    }
    buf_puts(out, "\n");
}

static void print_map(const struct access *access, struct buf *out)
{
    struct bank_map map;
    bank_map_fill(access, &map);
    buf_puts(out, "\nlanes by bank, a row for each wavefront; 3+ = lane 3 and others, one word\n\n  bank");
    for (uint32_t bank = 0; bank < N_BANKS; bank++)
        buf_printf(out, "%3u", bank);
    buf_puts(out, "\n");
    bool is_long = map.n_passes > MOST_ROWS;
    for (uint32_t pass = 0; pass < map.n_passes; pass++) {
        if (!is_long || pass < MOST_ROWS - 2 || pass == map.n_passes - 1)
            print_pass(&map, pass, out);
        else if (pass == MOST_ROWS - 2)
            buf_printf(out, "   ... %u more\n", map.n_passes - MOST_ROWS + 1);
    }
}

static void print_cost(const struct shared_cost *cost, struct buf *out)
{
    buf_printf(out, "%u wavefront%s, ideal %u", cost->wavefronts, cost->wavefronts == 1 ? "" : "s",
               cost->ideal);
    if (cost->wavefronts > cost->ideal)
        buf_printf(out, ", %u excessive (%.3g times the ideal)", cost->wavefronts - cost->ideal,
                   (double)cost->wavefronts / cost->ideal);
    else
        buf_puts(out, ", no conflict");
}

static void print_cure(const struct banks_answer *answer, const struct cure *cure, struct buf *out)
{
    const struct lane_pattern *pattern = &answer->pattern;
    bool is_cured = cure->after.sum.wavefronts == cure->after.sum.ideal;
    buf_puts(out, "  ");
    size_t start = out->n;
    if (strcmp(cure->name, "swizzle") == 0)
        buf_puts(out, "swizzle: column ^ row");
    else if (pattern->index)
        buf_printf(out, "pad = %llu", (unsigned long long)cure->pad);
    else
        buf_printf(out, "pad each row by %llu: %llu elements", (unsigned long long)cure->pad,
                   (unsigned long long)(pattern->stride + cure->pad));
    while (out->n - start < 34)
        buf_puts(out, " ");
    buf_printf(out, "%u -> %u wavefronts", answer->total.sum.wavefronts, cure->after.sum.wavefronts);
    if (cure->pad && !pattern->index)
        buf_printf(out, ", %.3g %% more shared memory", 100.0 * (double)cure->pad / (double)pattern->stride);
    else if (!cure->pad)
        buf_puts(out, ", no more shared memory");
    buf_puts(out, is_cured ? "\n" : "; no cure\n");
}

// Why one element of padding is not enough, or not possible.
static void print_padding_notes(const struct banks_answer *answer, const struct cure *cures, uint32_t n,
                                struct buf *out)
{
    const struct lane_pattern *pattern = &answer->pattern;
    bool pads = n > 0 && strcmp(cures[0].name, "padding") == 0;
    bool is_narrow = pattern->is_tile && pattern->block[0] < N_LANES;
    if (pads && cures[0].after.sum.wavefronts > cures[0].after.sum.ideal && !pattern->index)
        wrap_text(
            out, "  ",
            is_narrow
                ? "\"Pad by one\" is no cure: a warp of this block takes several columns, and column 1 of a "
                  "row meets column 0 of the next."
                : "\"Pad by one\" is no cure: the rows still meet in the same banks.");
    if (pads && pattern->width > BANK_BYTES)
        buf_printf(out,
                   "  Elements of %u bytes are padded whole: one 4-byte word would misalign the next row.\n",
                   pattern->width);
    if (n == 0 && pattern->kind >= ACCESS_ATOM)
        buf_puts(out,
                 "  Lanes on one word take turns: add up in registers first (shuffles), or keep copies.\n");
    else if (n == 0 && pattern->index)
        buf_puts(out,
                 "  To have a padding searched, write the row length as (32 + pad) in the expression.\n");
}

static void print_text(const struct banks_answer *answer)
{
    struct buf out = {0}, why = {0};
    struct cure cures[MAX_CURES];
    uint32_t n = cures_find(answer, cures);
    const struct bank_total *total = &answer->total;
    buf_printf(&out, "shared %s, %u byte%s a lane, ", kind_name(answer->pattern.kind), answer->pattern.width,
               answer->pattern.width == 1 ? "" : "s");
    pattern_describe(&answer->pattern, &out);
    buf_puts(&out, "\n\n");
    if (total->n_warps > 1) {
        buf_printf(&out, "%ux%ux%u threads, %u warps: ", answer->pattern.block[0], answer->pattern.block[1],
                   answer->pattern.block[2], total->n_warps);
        print_cost(&total->sum, &out);
        buf_printf(&out, "\nwarp %u, the costliest: ", total->worst_warp);
    }
    print_cost(&total->worst, &out);
    buf_puts(&out, "\n");
    explain(answer, &why);
    wrap_text(&out, "why: ", why.at);
    if (is_excessive(answer)) {
        buf_puts(&out, "\nwhat would change it\n");
        for (uint32_t i = 0; i < n; i++)
            print_cure(answer, &cures[i], &out);
        print_padding_notes(answer, cures, n, &out);
    }
    print_map(&answer->worst, &out);
    fputs(out.at, stdout);
    buf_release(&why);
    buf_release(&out);
}

// ---- JSON
// ------------------------------------------------------------------------------------------------------

static json_t *json_cost(const struct shared_cost *cost)
{
    return json_pack("{s:i, s:i, s:i}", "wavefronts", (int)cost->wavefronts, "ideal", (int)cost->ideal,
                     "excessive", (int)(cost->wavefronts - cost->ideal));
}

static json_t *json_lanes(const struct access *access)
{
    json_t *lanes = json_array();
    for (uint32_t t = 0; t < N_LANES; t++)
        if (access->mask >> t & 1)
            json_array_append_new(lanes, json_pack("{s:i, s:I, s:i}", "lane", (int)t, "address",
                                                   (json_int_t)access->addr[t], "bank",
                                                   (int)(access->addr[t] / BANK_BYTES % N_BANKS)));
    return lanes;
}

static void print_json(const struct banks_answer *answer)
{
    struct buf text = {0};
    struct cure cures[MAX_CURES];
    uint32_t n = cures_find(answer, cures);
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:o}", "kind", cures[i].name, "pad",
                                        (json_int_t)cures[i].pad, "total", json_cost(&cures[i].after.sum)));
    explain(answer, &text);
    json_t *root =
        json_pack("{s:s, s:s, s:i, s:i, s:o, s:i, s:o, s:s, s:o, s:o}", "command", "banks", "operation",
                  kind_name(answer->pattern.kind), "width_bytes", (int)answer->pattern.width, "warps",
                  (int)answer->total.n_warps, "total", json_cost(&answer->total.sum), "worst_warp",
                  (int)answer->total.worst_warp, "warp", json_cost(&answer->total.worst), "why", text.at,
                  "cures", list, "lanes", json_lanes(&answer->worst));
    json_dumpf(root, stdout, JSON_INDENT(2));
    puts("");
    json_decref(root);
    buf_release(&text);
}

// ---- the command
// -----------------------------------------------------------------------------------------------

static int answer_fill(struct banks_answer *answer)
{
    struct err err = {0};
    if (bank_total_of(&answer->pattern, &answer->total, &err) &&
        pattern_access(&answer->pattern, answer->total.worst_warp, &answer->worst, &err))
        return OPTIONS_GO;
    err_print(&err, stderr);
    return EXIT_USAGE;
}

int cmd_banks(int argc, char **argv)
{
    struct pattern_options options = {.stride = STRIDE_NOT_GIVEN, .width = 4};
    bool json = false;
    const struct option_row rows[] = {
        {"stride", OPT_U64, &options.stride, "N",
         "lane t takes element t * N; with --block: rows of N elements"},
        {"width", OPT_U32, &options.width, "1|2|4|8|16", "bytes of an element (4)"},
        {"pad", OPT_U64, &options.pad, "N", "unused elements behind each row; `pad` in --index"},
        {"swizzle", OPT_FLAG, &options.is_swizzled, NULL, "column ^ row in place of the column"},
        {"block", OPT_SHAPE, options.block, "SHAPE", "threads, 16x16: thread (x, y) takes row x, column y"},
        {"index", OPT_STRING, &options.index, "'EXPR'", "element by t, tid, w, tx, ty, tz, bx, by, bz, pad"},
        {"where", OPT_STRING, &options.where, "'EXPR'", "only lanes for which it is not 0"},
        {"offset", OPT_U64, &options.offset_bytes, "BYTES", "added to every address"},
        {"op", OPT_STRING, &options.kind, "KIND", "load (default), store, atomic, red or cas"},
        {"json", OPT_FLAG, &json, NULL, "print JSON"},
        {0}};
    struct arguments rest;
    int status = options_parse(
        argc, argv, "banks --stride N | --index 'EXPR' [options]",
        "Counts the wavefronts of a shared-memory access, draws its lanes on the 32 banks, says "
        "why,\nand what padding or swizzling would make of it.",
        rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    if (rest.n)
        return usage_error("banks", "unexpected argument '%s'", rest.at[0]);
    struct arena arena;
    struct banks_answer answer = {0};
    arena_init(&arena, "banks");
    status = pattern_from_options("banks", &arena, &options, SPACE_SHARED, &answer.pattern);
    if (status == OPTIONS_GO && (status = answer_fill(&answer)) == OPTIONS_GO) {
        (json ? print_json : print_text)(&answer);
        status = 0;
    }
    arena_release(&arena);
    return status;
}
