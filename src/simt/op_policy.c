// createpolicy: makes a cache policy. The caches as modelled do not look at it.
#include "simt/ops.h"

// A policy as cudaCreate… and CUTLASS write it (CUTLASS, TMA::CacheHintSm90): nobody looks inside.
enum step_kind op_createpolicy(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    static const uint64_t policies[] = {0x1000000000000000u, 0x12f0000000000000u, 0x14f0000000000000u};
    uint32_t out[2 * ROW_LANES];
    (void)sim;
    for (int i = 0; i < ROW_LANES; i++)
        set_u64(out, i, policies[MOD_GET(insn->mod, MOD_MODE, 4) % 3]);
    put_rows(warp, insn->dst, out, 2, on);
    return STEP_PLAIN;
}
