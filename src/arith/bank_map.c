// Bank maps: passes of a shared access, totals of a block, the search for a padding.
#include "arith/bank_map.h"
#include <string.h>

// The words one group takes from one bank, in lane order; a word wanted again is marked as shared. Atomics do
// not share.
static void map_bank(const struct access *access, lanemask group, uint32_t bank, uint32_t first_pass,
                     struct bank_map *out, uint32_t *n_used)
{
    uint64_t words[MAX_PASSES];
    uint32_t n = 0, n_words = access->width < BANK_BYTES ? 1 : access->width / BANK_BYTES;
    bool shares = access->kind < ACCESS_ATOM;
    for (uint32_t lane = 0; lane < N_LANES; lane++) {
        uint32_t distance = (bank - (uint32_t)(access->addr[lane] / BANK_BYTES)) % N_BANKS;
        uint64_t word = access->addr[lane] / BANK_BYTES + distance;
        uint32_t known = 0;
        if (!(group >> lane & 1) || distance >= n_words)
            continue;
        while (known < n && !(shares && words[known] == word))
            known++;
        if (known < n) {
            out->is_shared[first_pass + known][bank] = true;
            continue;
        }
        if (first_pass + n >= MAX_PASSES)
            continue;
        words[n] = word;
        out->lane[first_pass + n++][bank] = (uint8_t)lane;
    }
    *n_used = n > *n_used ? n : *n_used;
}

void bank_map_fill(const struct access *access, struct bank_map *out)
{
    lanemask groups[MAX_BANK_GROUPS];
    uint32_t n_groups = banks_groups(access, groups);
    memset(out->lane, NO_LANE, sizeof out->lane);
    memset(out->is_shared, 0, sizeof out->is_shared);
    out->n_passes = 0;
    for (uint32_t i = 0; i < n_groups; i++) {
        uint32_t n_used = 0;
        for (uint32_t bank = 0; bank < N_BANKS; bank++)
            map_bank(access, groups[i], bank, out->n_passes, out, &n_used);
        out->n_passes += n_used;
    }
}

bool bank_total_of(const struct lane_pattern *pattern, struct bank_total *out, struct err *err)
{
    *out = (struct bank_total){.n_warps = pattern_warps(pattern)};
    for (uint32_t warp = 0; warp < out->n_warps; warp++) {
        struct access access;
        if (!pattern_access(pattern, warp, &access, err))
            return false;
        struct shared_cost cost = banks_cost(&access);
        out->sum.wavefronts += cost.wavefronts;
        out->sum.ideal += cost.ideal;
        if (cost.wavefronts > out->worst.wavefronts) {
            out->worst = cost;
            out->worst_warp = warp;
        }
    }
    return true;
}

uint64_t bank_padding_cure(const struct lane_pattern *pattern, uint64_t most, struct bank_total *after)
{
    struct lane_pattern padded = *pattern;
    struct err ignored = {0};
    padded.is_swizzled = false;
    for (padded.pad = 1; padded.pad <= most; padded.pad++)
        if (bank_total_of(&padded, after, &ignored) && after->sum.wavefronts == after->sum.ideal)
            return padded.pad;
    return 0;
}
