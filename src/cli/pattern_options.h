// The options with which `banks` and `coalesce` describe an access pattern, and their way into a
// lane_pattern.
#ifndef CLI_PATTERN_OPTIONS_H
#define CLI_PATTERN_OPTIONS_H
#include "arith/lane_pattern.h"
#include "base/buf.h"

#define STRIDE_NOT_GIVEN UINT64_MAX

struct pattern_options {
    uint64_t stride; // STRIDE_NOT_GIVEN before parsing
    uint32_t width;
    uint64_t pad, offset_bytes;
    uint32_t block[3]; // all zero = not given
    bool is_swizzled;
    const char *index, *where, *kind;   // NULL = not given
    struct expr index_expr, where_expr; // filled by pattern_from_options
};

// OPTIONS_GO, or the status to return; the mistake has been named on stderr.
int pattern_from_options(const char *command, struct arena *arena, struct pattern_options *options,
                         enum space space, struct lane_pattern *out);

// "element t * 33" and the like: what the lanes take.
void pattern_describe(const struct lane_pattern *pattern, struct buf *out);
#endif
