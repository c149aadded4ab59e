// Options of access patterns: checks, and what they mean in words.
#include "cli/pattern_options.h"
#include "base/buf.h"
#include "base/units.h"
#include "cli/options.h"
#include <string.h>

static const struct {
    const char *name;
    enum access_kind kind;
} kinds[] = {
    {"load", ACCESS_LOAD}, {"store", ACCESS_STORE}, {"atomic", ACCESS_ATOM},
    {"red", ACCESS_RED},   {"cas", ACCESS_CAS},
};

enum { N_KINDS = sizeof kinds / sizeof kinds[0], MAX_STRIDE = 1 << 30 };

static int parse_kind(const char *command, const char *text, enum access_kind *out)
{
    for (int i = 0; i < N_KINDS; i++) {
        if (strcmp(kinds[i].name, text) == 0) {
            *out = kinds[i].kind;
            return OPTIONS_GO;
        }
    }
    return usage_error(command, "--op %s: expected load, store, atomic, red or cas", text);
}

static int parse_expression(struct arena *arena, const char *what, const char *text, struct expr *out)
{
    struct err err = {0};
    if (expr_parse(arena, what, text, EXPR_INTEGER, out, &err) &&
        expr_check_names(out, pattern_names, n_pattern_names, &err))
        return OPTIONS_GO;
    err_print(&err, stderr);
    return EXIT_USAGE;
}

static int check_block(const char *command, const uint32_t block[3])
{
    uint64_t threads = (uint64_t)block[0] * block[1];
    if (block[0] > 1024 || block[1] > 1024 || block[2] > 1024 || threads * block[2] > 1024)
        return usage_error(command, "--block %ux%ux%u: a block holds at most 1024 threads", block[0],
                           block[1], block[2]);
    return OPTIONS_GO;
}

static int check(const char *command, const struct pattern_options *options)
{
    uint32_t width = options->width;
    bool has_stride = options->stride != STRIDE_NOT_GIVEN;
    if (width == 0 || width > 16 || (width & (width - 1)) != 0)
        return usage_error(command, "--width %u: a lane takes 1, 2, 4, 8 or 16 bytes", width);
    if (has_stride == (options->index != NULL))
        return usage_error(command, "give either --stride N or --index 'EXPRESSION'");
    if (has_stride && (options->stride > MAX_STRIDE || options->pad > MAX_STRIDE))
        return usage_error(command, "--stride and --pad go up to %d elements", MAX_STRIDE);
    if (options->offset_bytes % width)
        return usage_error(command, "--offset %llu: %u-byte accesses begin at multiples of %u bytes",
                           (unsigned long long)options->offset_bytes, width, width);
    if (options->is_swizzled &&
        (!has_stride || (options->stride & (options->stride - 1)) || options->stride < 2))
        return usage_error(command, "--swizzle needs rows of a power of two: --stride 2, 4, 8 ...");
    return check_block(command, options->block);
}

int pattern_from_options(const char *command, struct arena *arena, struct pattern_options *options,
                         enum space space, struct lane_pattern *out)
{
    int status = check(command, options);
    bool has_block = options->block[0] != 0;
    if (status != OPTIONS_GO)
        return status;
    *out =
        (struct lane_pattern){.space = space,
                              .width = options->width,
                              .block = {has_block ? options->block[0] : N_LANES,
                                        has_block ? options->block[1] : 1, has_block ? options->block[2] : 1},
                              .is_tile = has_block,
                              .stride = options->stride,
                              .pad = options->pad,
                              .is_swizzled = options->is_swizzled,
                              .offset_bytes = options->offset_bytes};
    if (options->kind && (status = parse_kind(command, options->kind, &out->kind)) != OPTIONS_GO)
        return status;
    if (options->index) {
        if ((status = parse_expression(arena, "--index", options->index, &options->index_expr)) != OPTIONS_GO)
            return status;
        out->index = &options->index_expr;
    }
    if (options->where) {
        if ((status = parse_expression(arena, "--where", options->where, &options->where_expr)) != OPTIONS_GO)
            return status;
        out->where = &options->where_expr;
    }
    return OPTIONS_GO;
}

void pattern_describe(const struct lane_pattern *pattern, struct buf *out)
{
    unsigned long long pitch = pattern->stride + pattern->pad;
    if (pattern->index)
        buf_printf(out, "element %s", pattern->index->text);
    else if (pattern->is_tile && pattern->is_swizzled)
        buf_printf(out, "element tx * %llu + (ty ^ tx %% %llu)", pitch, (unsigned long long)pattern->stride);
    else if (pattern->is_tile)
        buf_printf(out, "element tx * %llu + ty", pitch);
    else if (pattern->is_swizzled)
        buf_printf(out, "element t * %llu + t %% %llu", pitch, (unsigned long long)pattern->stride);
    else
        buf_printf(out, "element t * %llu", pitch);
    if (pattern->where)
        buf_printf(out, " where %s", pattern->where->text);
}
