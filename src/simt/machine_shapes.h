// The shapes of machine.def, beside those of shapes.h: sources with signs, carries in predicates, and the like. How a
// handler is built: see shapes.h.
#ifndef SIMT_MACHINE_SHAPES_H
#define SIMT_MACHINE_SHAPES_H
#include "simt/shapes.h"

// Source k as a whole number with its sign: -x = ~x + 1 is (x ^ mask) + bit, so that no lane branches.
#define SIGN_MASK(k) (insn->src_negated >> (k) & 1 ? 0xffffffffu : 0)
// A float's sign bits: (x & float_and(k)) ^ float_xor(k) is x, |x|, -x or -|x|.
#define FLOAT_AND(k) (insn->src_absolute >> (k) & 1 ? 0x7fffffffu : 0xffffffffu)
#define FLOAT_XOR(k) (insn->src_negated >> (k) & 1 ? 0x80000000u : 0)

// The sum of three signed sources, without carries.
#define HANDLER_SUM_3(id, type, lane, ...)                                                                            \
    HANDLER_FUNCTION(id, type)                                                                                        \
    {                                                                                                                 \
        (void)sim;                                                                                                    \
        ROWS_3 const uint32_t ma = SIGN_MASK(0), mb = SIGN_MASK(1), mc = SIGN_MASK(2);                                \
        uint32_t out[ROW_LANES];                                                                                      \
        EACH_LANE(i)                                                                                                  \
        {                                                                                                             \
            const uint32_t x = (pa[i] ^ ma) - ma, y = (pb[i] ^ mb) - mb, z = (pc[i] ^ mc) - mc;                       \
            out[i] = (__VA_ARGS__);                                                                                   \
        }                                                                                                             \
        put_rows(warp, insn->dst, out, 1, on);                                                                        \
        return STEP_PLAIN;                                                                                            \
    }
#endif
