// See copy_cost.h.
#include "mem/copy_cost.h"
#include <stddef.h>

enum { CHUNK_BYTES = 16, LINE_CHUNKS = 8, LINE_SECTORS = 4 };

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

// ---- through L1 -----------------------------------------------------------------------------------------------------------

// Of the lanes first … first + n - 1. `from` is NULL: at their places alone.
static uint32_t lanes_that_meet(const struct access *from, const struct access *to, uint32_t first, uint32_t n)
{
    const struct access *source = from ? from : to;
    lanemask at_place[N_BANKS] = {0}, at_source[N_BANKS] = {0};
    uint32_t most = 0;
    for (uint32_t lane = first; lane < first + n; lane++)
        if (to->mask >> lane & 1) {
            at_place[to->addr[lane] / to->width % n] |= 1u << lane;
            at_source[source->addr[lane] / to->width % n] |= 1u << lane;
        }
    for (uint32_t lane = first; lane < first + n; lane++)
        if (to->mask >> lane & 1) {
            const uint32_t met = (uint32_t)__builtin_popcount(at_place[to->addr[lane] / to->width % n] |
                                                              at_source[source->addr[lane] / to->width % n]);
            most = met > most ? met : most;
        }
    return most;
}

static struct shared_cost cost_through(const struct access *from, const struct access *to)
{
    const uint32_t n = BANK_ROW_BYTES / to->width; // 4, 8 or 16 bytes: 32, 16 or 8 lanes are served together
    struct shared_cost cost = {0, divide_up((uint32_t)__builtin_popcount(to->mask) * to->width, BANK_ROW_BYTES)};
    for (uint32_t first = 0; first < N_LANES; first += n)
        cost.wavefronts += lanes_that_meet(from, to, first, n);
    return cost;
}

// ---- around L1 ------------------------------------------------------------------------------------------------------------

// Chunks that may move together. Bits 2 slot and 2 slot + 1: the halves of a sector of the place that are written; a slot is
// a sector of the source and one of the two sectors of the place with the right parity.
struct together {
    uint64_t to_line, from_line;
    uint32_t change; // bits 0 and 1: bits 4 and 5 of place ^ source
    uint32_t halves;
};

struct row_use { // chunks of a row of shared memory that are written
    uint64_t line;
    uint32_t chunks;
};

// False: a lane before writes it too.
static bool take_place(struct row_use *rows, uint32_t *n, uint64_t chunk)
{
    const uint32_t bit = 1u << chunk % LINE_CHUNKS;
    uint32_t i = 0;
    while (i < *n && rows[i].line != chunk / LINE_CHUNKS)
        i++;
    if (i == *n)
        rows[(*n)++] = (struct row_use){chunk / LINE_CHUNKS, 0};
    const bool is_free = !(rows[i].chunks & bit);
    rows[i].chunks |= bit;
    return is_free;
}

static void add_chunk(struct together *sets, uint32_t *n, uint64_t from, uint64_t to)
{
    const uint32_t change = (uint32_t)(from ^ to) & 3, slot = (uint32_t)(from >> 1 & 3) * 2 + (uint32_t)(to >> 2 & 1);
    uint32_t i = 0;
    while (i < *n && (sets[i].to_line != to / LINE_CHUNKS || sets[i].from_line != from / LINE_CHUNKS ||
                      sets[i].change != change))
        i++;
    if (i == *n)
        sets[(*n)++] = (struct together){to / LINE_CHUNKS, from / LINE_CHUNKS, change, 0};
    sets[i].halves |= 1u << (2 * slot + (to & 1));
}

// Slots with equal halves move together, each sector of the source once.
static uint32_t wavefronts_of(uint32_t halves)
{
    uint32_t sum = 0;
    for (uint32_t wanted = 1; wanted <= 3; wanted++) {
        uint32_t most = 0;
        for (uint32_t sector = 0; sector < LINE_SECTORS; sector++) {
            const uint32_t both = halves >> 4 * sector;
            const uint32_t n = ((both & 3) == wanted) + ((both >> 2 & 3) == wanted);
            most = n > most ? n : most;
        }
        sum += most;
    }
    return sum;
}

static struct copy_cost cost_around(const struct access *from, const struct access *to, lanemask lanes)
{
    struct together sets[N_LANES];
    struct row_use rows[N_LANES];
    uint32_t n_sets = 0, n_rows = 0, n_chunks = 0;
    struct copy_cost cost = {0};
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        if (lanes >> lane & 1 && take_place(rows, &n_rows, to->addr[lane] / CHUNK_BYTES)) {
            add_chunk(sets, &n_sets, from->addr[lane] / CHUNK_BYTES, to->addr[lane] / CHUNK_BYTES);
            n_chunks++;
        }
    for (uint32_t i = 0; i < n_sets; i++) {
        cost.shared.wavefronts += wavefronts_of(sets[i].halves);
        cost.sectors += (uint32_t)__builtin_popcount((sets[i].halves | sets[i].halves >> 1) & 0x5555);
    }
    cost.shared.ideal = divide_up(n_chunks * CHUNK_BYTES, BANK_ROW_BYTES);
    cost.ideal_sectors = divide_up(n_chunks * CHUNK_BYTES, SECTOR_BYTES);
    return cost;
}

struct copy_cost copy_cost(const struct access *from, const struct access *to, uint32_t sectors, uint32_t ideal_sectors)
{
    if (to->cache != CACHE_CG || to->width != CHUNK_BYTES)
        return (struct copy_cost){cost_through(from, to), sectors, ideal_sectors};
    struct copy_cost cost = cost_around(from, to, from->mask);
    if (to->copy_form == COPY_WHOLE)
        return cost;
    if (to->copy_form == COPY_CHOSEN) {
        cost.shared = cost_through(NULL, to);
        return cost;
    }
    if (from->mask != to->mask) // lanes that read nothing are written all the same
        cost.shared = cost_around(from, to, to->mask).shared;
    const struct shared_cost through = cost_through(from, to);
    cost.shared.wavefronts += through.wavefronts;
    cost.shared.ideal += through.ideal;
    return cost;
}
