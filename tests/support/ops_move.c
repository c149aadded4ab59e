// References of moves.
#include "support/op_harness.h"
#include <stddef.h>

static uint64_t same(const struct op_lane *l)
{
    return l->in[0];
}

const struct op_case op_cases_move[] = {
    {"mov", "b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64", "d, a", same, 0, NULL},
    {"mov.pred", NULL, "p, r", same, 0, NULL},
    {"cvta.global", "u32 u64", "d, a", same, 0, NULL},
    {"cvta.to.global", "u32 u64", "d, a", same, 0, NULL},
    {0},
};
