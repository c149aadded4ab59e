// The cost of a shared access, remembered. What a shared access costs does not change when all its addresses
// move by the same multiple of a word: the banks turn round, lanes that met meet again. Warps and loop rounds
// mostly differ by just that, so one remembered pattern an instruction answers most accesses with a
// comparison.
//
//     struct banks_memo memo = {0};
//     struct shared_cost c = banks_cost_remembered(&memo, &access);   // = banks_cost(&access), always
#ifndef MEM_MEMO_H
#define MEM_MEMO_H
#include "mem/banks.h"
#include "mem/lanes.h"

struct banks_memo {
    uint32_t delta[N_LANES]; // address of each lane less that of lane 0
    uint32_t key;            // kind, width and place within a word; 0 = nothing remembered
    struct shared_cost cost;
};

static inline uint32_t memo_key(const struct access *access)
{
    return 1u << 31 | (uint32_t)access->kind << 16 | (uint32_t)access->width << 8 |
           (uint32_t)(access->addr[0] % BANK_BYTES);
}

static inline bool memo_matches(const struct banks_memo *memo, const struct access *access)
{
    uint32_t first = (uint32_t)access->addr[0], differs = memo->key ^ memo_key(access);
    for (unsigned t = 0; t < N_LANES; t++)
        differs |= ((uint32_t)access->addr[t] - first) ^ memo->delta[t];
    return !differs;
}

static inline struct shared_cost banks_cost_remembered(struct banks_memo *memo, const struct access *access)
{
    if (!lanes_all(access->mask))
        return banks_cost(access);
    if (memo_matches(memo, access))
        return memo->cost;
    memo->key = memo_key(access);
    for (unsigned t = 0; t < N_LANES; t++)
        memo->delta[t] = (uint32_t)(access->addr[t] - access->addr[0]);
    memo->cost = banks_cost(access);
    return memo->cost;
}
#endif
