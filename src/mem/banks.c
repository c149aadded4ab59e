// Shared memory banks: what one warp instruction costs in wavefronts. The rules are in the header.
//
// How it is counted: memory is seen as rows of 32 banks. A group of lanes becomes a list of the rows it
// touches, each with a bit per bank; the cost is the greatest number of rows that have one bit in common.
#include "mem/banks.h"
#include "mem/lanes.h"

enum { N_PLANES = 6, HASH_SLOTS = 64 };

// Rows touched by a group of lanes. `n` rows; bit b of banks[i] = bank b of that row is wanted.
struct rows {
    uint32_t n;
    uint32_t row[N_LANES];
    uint32_t banks[N_LANES];
};

// 32 counters, one a bank, stored by binary digit: bit b of plane[p] is digit p of counter b.
struct bank_counters {
    uint32_t plane[N_PLANES];
};

static void counters_add(struct bank_counters *counters, uint32_t banks)
{
    for (unsigned p = 0; banks; p++) {
        uint32_t carry = counters->plane[p] & banks;
        counters->plane[p] ^= banks;
        banks = carry;
    }
}

static uint32_t counters_max(const struct bank_counters *counters)
{
    uint32_t max = 0, best = UINT32_MAX; // best: the banks that still tie for the maximum
    for (int p = N_PLANES - 1; p >= 0; p--) {
        if (!(counters->plane[p] & best))
            continue;
        best &= counters->plane[p];
        max |= 1u << p;
    }
    return max;
}

static uint32_t banks_of(uint64_t addr, uint32_t width)
{
    uint32_t n_words = width <= BANK_BYTES ? 1 : width / BANK_BYTES;
    return (uint32_t)((1ull << n_words) - 1) << (addr / BANK_BYTES % N_BANKS);
}

static uint32_t row_of(uint64_t addr)
{
    return (uint32_t)(addr / BANK_ROW_BYTES); // shared memory is far smaller than 2^32 rows
}

// Do no two lanes of the group want the same bank, not even the same word of it?
static bool group_is_disjoint(const struct access *access, lanemask group)
{
    uint32_t taken = 0, twice = 0;
    for (; group; group &= group - 1) {
        uint32_t banks = banks_of(access->addr[lanes_first(group)], access->width);
        twice |= taken & banks;
        taken |= banks;
    }
    return !twice;
}

// The rows of a group whose lanes go up through memory, the usual case. False, with `rows` void, if they do
// not.
static bool rows_collect_ascending(const struct access *access, lanemask group, struct rows *rows)
{
    uint32_t last = row_of(access->addr[lanes_first(group)]);
    uint32_t at = 0;
    rows->row[0] = last;
    rows->banks[0] = 0;
    for (; group; group &= group - 1) {
        uint64_t addr = access->addr[lanes_first(group)];
        uint32_t row = row_of(addr);
        if (row < last)
            return false;
        if (row > last) {
            rows->row[++at] = row;
            rows->banks[at] = 0;
        }
        last = row;
        rows->banks[at] |= banks_of(addr, access->width);
    }
    rows->n = at + 1;
    return true;
}

static void rows_collect_any(const struct access *access, lanemask group, struct rows *rows)
{
    uint8_t slots[HASH_SLOTS] = {0}; // index + 1 into rows; 0 = empty
    rows->n = 0;
    for (; group; group &= group - 1) {
        uint64_t addr = access->addr[lanes_first(group)];
        uint32_t row = row_of(addr);
        uint32_t slot = (row * 0x9e3779b1u) >> 26; // multiplicative hash; 6 bits
        while (slots[slot] && rows->row[slots[slot] - 1] != row)
            slot = (slot + 1) % HASH_SLOTS;
        if (!slots[slot]) {
            rows->row[rows->n] = row;
            rows->banks[rows->n] = 0;
            slots[slot] = (uint8_t)++rows->n;
        }
        rows->banks[slots[slot] - 1] |= banks_of(addr, access->width);
    }
}

// The most different words that `group` wants of one bank.
static uint32_t group_distinct_words(const struct access *access, lanemask group)
{
    struct rows rows;
    if (group_is_disjoint(access, group))
        return 1;
    if (!rows_collect_ascending(access, group, &rows))
        rows_collect_any(access, group, &rows);
    struct bank_counters counters = {0};
    for (uint32_t i = 0; i < rows.n; i++)
        counters_add(&counters, rows.banks[i]);
    return counters_max(&counters);
}

// The most lanes of `group` that want one bank.
static uint32_t group_lanes(const struct access *access, lanemask group)
{
    struct bank_counters counters = {0};
    for (; group; group &= group - 1)
        counters_add(&counters, banks_of(access->addr[lanes_first(group)], access->width));
    return counters_max(&counters);
}

static uint32_t lanes_per_group(uint32_t width)
{
    return width <= BANK_BYTES ? N_LANES : BANK_ROW_BYTES / width;
}

static lanemask group_mask(uint32_t first_lane, uint32_t n_lanes)
{
    return (lanemask)((1ull << n_lanes) - 1) << first_lane;
}

// Does every active lane of `group` want what lane ^ `distance` wants, where that one is active too?
static bool group_repeats(const struct access *access, lanemask group, unsigned distance)
{
    for (lanemask left = group; left; left &= left - 1) {
        unsigned lane = lanes_first(left), other = lane ^ distance;
        if ((group >> other & 1) && access->addr[lane] != access->addr[other])
            return false;
    }
    return true;
}

static bool pair_is_served_as_one(const struct access *access, lanemask pair)
{
    return (group_repeats(access, pair, 1) || group_repeats(access, pair, 2)) &&
           group_distinct_words(access, pair) == 1;
}

static uint32_t groups_collect(const struct access *access, bool may_pair, lanemask groups[MAX_BANK_GROUPS])
{
    uint32_t count = 0, n = lanes_per_group(access->width);
    for (uint32_t lane = 0; lane < N_LANES; lane += 2 * n) {
        lanemask first = access->mask & group_mask(lane, n);
        lanemask second = n < N_LANES ? access->mask & group_mask(lane + n, n) : 0;
        if (may_pair && first && second && pair_is_served_as_one(access, first | second)) {
            groups[count++] = first | second;
            continue;
        }
        if (first)
            groups[count++] = first;
        if (second)
            groups[count++] = second;
    }
    return count;
}

uint32_t banks_groups(const struct access *access, lanemask groups[MAX_BANK_GROUPS])
{
    return groups_collect(access, access->kind == ACCESS_LOAD && access->width > BANK_BYTES, groups);
}

static uint32_t wavefronts_sharing_words(const struct access *access, bool may_pair)
{
    lanemask groups[MAX_BANK_GROUPS];
    uint32_t sum = 0, n = groups_collect(access, may_pair, groups);
    for (uint32_t i = 0; i < n; i++)
        sum += group_distinct_words(access, groups[i]);
    return sum;
}

static uint32_t wavefronts_serial(const struct access *access)
{
    uint32_t sum = 0, n = lanes_per_group(access->width);
    for (uint32_t lane = 0; lane < N_LANES; lane += n)
        sum += group_lanes(access, access->mask & group_mask(lane, n));
    return sum;
}

static struct shared_cost cost_of(const struct access *access, uint32_t wavefronts)
{
    uint32_t bytes = lanes_count(access->mask) * access->width;
    uint32_t ideal = (bytes + BANK_ROW_BYTES - 1) / BANK_ROW_BYTES;
    return (struct shared_cost){wavefronts, ideal < wavefronts ? ideal : wavefronts};
}

static struct shared_cost cost_times(struct shared_cost cost, uint32_t factor)
{
    return (struct shared_cost){cost.wavefronts * factor, cost.ideal * factor};
}

static uint32_t gcd_pow2(uint64_t n, uint32_t power_of_two)
{
    uint32_t low = (uint32_t)(n & (power_of_two - 1));
    return low ? low & -low : power_of_two;
}

uint32_t banks_stride_degree(uint64_t stride_elements, uint32_t width)
{
    if (stride_elements == 0)
        return 1;
    if (width >= BANK_BYTES)
        return gcd_pow2(stride_elements, lanes_per_group(width));
    struct access access = {.space = SPACE_SHARED, .width = (uint8_t)width, .mask = (lanemask)ALL_LANES};
    for (unsigned t = 0; t < N_LANES; t++)
        access.addr[t] = t * stride_elements * width;
    return group_distinct_words(&access, access.mask);
}

// All 32 lanes at one address: each group costs one wavefront, pairs of groups of a load too; atomics
// serialise.
static uint32_t wavefronts_uniform(const struct access *access)
{
    uint32_t n_groups = N_LANES / lanes_per_group(access->width);
    if (access->kind >= ACCESS_ATOM)
        return N_LANES;
    return access->kind == ACCESS_LOAD ? (n_groups + 1) / 2 : n_groups;
}

// All 32 lanes, one distance from lane to lane that is a multiple of bank and width: then the distance
// decides, and no two lanes share a word, so that every kind costs the same. 0 if it is not such an access.
static uint32_t wavefronts_of_stride(const struct access *access)
{
    uint64_t step = access->addr[1] - access->addr[0];
    uint32_t unit = access->width < BANK_BYTES ? BANK_BYTES : access->width;
    if (!lanes_all(access->mask) || step % unit || !lanes_step(access->addr, step))
        return 0;
    if (step == 0)
        return wavefronts_uniform(access);
    uint32_t n = lanes_per_group(access->width);
    return gcd_pow2(step / unit, n) * (N_LANES / n);
}

struct shared_cost banks_cost(const struct access *access)
{
    if (access->n_matrices)
        return banks_cost_matrix(access, access->n_matrices);
    bool may_pair = access->kind == ACCESS_LOAD && access->width > BANK_BYTES;
    uint32_t wavefronts = wavefronts_of_stride(access);
    if (wavefronts == 0)
        wavefronts = access->kind >= ACCESS_ATOM ? wavefronts_serial(access)
                                                 : wavefronts_sharing_words(access, may_pair);
    return cost_times(cost_of(access, wavefronts), access->kind == ACCESS_CAS ? 2 : 1);
}

struct shared_cost banks_cost_popc_inc(const struct access *access)
{
    return cost_of(access, wavefronts_sharing_words(access, false));
}

struct shared_cost banks_cost_cas_spin(const struct access *access)
{
    return access->mask ? (struct shared_cost){2, 2} : (struct shared_cost){0, 0};
}

struct shared_cost banks_cost_matrix(const struct access *access, uint32_t n_matrices)
{
    struct access rows = *access;
    rows.mask &= group_mask(0, 8 * n_matrices);
    rows.width = 16;
    return cost_of(&rows, wavefronts_sharing_words(&rows, false));
}
