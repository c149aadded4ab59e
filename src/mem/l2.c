// L2: look-ups at both ends of the fabric, fills, write-back. The rules are in the header.
#include "mem/l2.h"
#include "base/err.h"

// Within a partition a line is known by its place; the copy of a far line by its place and this bit.
#define PLACE_COPY 0x80000000u

enum {
    LINE_COPIED = 1 << 8, // home lines: other partitions may hold copies
    PART_WRITTEN_SHARE = 8,
    SECTOR_WORDS = 8,
    N_SECTORS = LINE_BYTES / SECTOR_BYTES
};

static uint32_t sector_count(uint32_t sectors)
{
    static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return bits[sectors & 15];
}

// ---- set-up ---------------------------------------------------------------------------------------------

static void fill_table(struct l2 *l2, uint32_t fill_sectors)
{
    for (uint32_t mask = 0; mask < 16; mask++) {
        l2->fill[mask] = 0;
        for (uint32_t s = 0; s < N_SECTORS; s++)
            if (mask >> s & 1)
                l2->fill[mask] |= (uint8_t)(((1u << fill_sectors) - 1) << (s & ~(fill_sectors - 1)));
    }
}

void l2_init(struct l2 *l2, const struct device *device)
{
    uint64_t n_lines = device->l2_bytes / LINE_BYTES;
    uint32_t fill_sectors = (uint32_t)(device->l2_fill_bytes / SECTOR_BYTES);
    if (device->n_l2_partitions > L2_MAX_PARTITIONS || device->l2_line_bytes != LINE_BYTES)
        BUG("L2 of %s: %u partitions, lines of %u bytes", device->id, (unsigned)device->n_l2_partitions,
            (unsigned)device->l2_line_bytes);
    *l2 = (struct l2){.n_partitions = (uint32_t)device->n_l2_partitions, .flush_dirty_bytes = device->l2_flush_dirty_bytes};
    for (uint32_t p = 0; p < l2->n_partitions; p++)
        cache_init(&l2->partitions[p], "L2", (uint32_t)(n_lines / l2->n_partitions),
                   (uint32_t)device->l2_ways);
    uint32_t share = (uint32_t)device->l2_ways / PART_WRITTEN_SHARE;
    l2->max_part_written = share ? share : 1;
    fill_table(l2, fill_sectors < N_SECTORS ? fill_sectors : N_SECTORS);
    dram_init(&l2->dram, device);
}

void l2_new_launch(struct l2 *l2)
{
    for (uint32_t p = 0; p < l2->n_partitions; p++)
        lost_clear(&l2->lost[p]);
}

void l2_release(struct l2 *l2)
{
    l2_new_launch(l2);
    for (uint32_t p = 0; p < l2->n_partitions; p++)
        cache_release(&l2->partitions[p]);
}

void l2_flush(struct l2 *l2)
{
    double n_dirty = (double)l2->flush_dirty_bytes / LINE_BYTES / l2->n_partitions;
    for (uint32_t p = 0; p < l2->n_partitions; p++) {
        cache_clear(&l2->partitions[p]);
        cache_leave_dirty(&l2->partitions[p], n_dirty);
    }
}

// ---- home and place -------------------------------------------------------------------------------------

// The line's number within the partitions, and its home. With two partitions a pair of lines has one home
// each.
static uint32_t place_of(const struct l2 *l2, uint32_t line, uint32_t *home)
{
    if (l2->n_partitions == 2) {
        *home = (line ^ cache_mix(line >> 1) >> 31) & 1;
        return line >> 1;
    }
    uint32_t place = line / l2->n_partitions;
    *home = (line + cache_mix(place)) % l2->n_partitions;
    return place;
}

uint32_t l2_home(const struct l2 *l2, uint32_t line)
{
    uint32_t home;
    place_of(l2, line, &home);
    return home;
}

void l2_prefetch(const struct l2 *l2, uint32_t near, uint32_t line)
{
    uint32_t home, place = place_of(l2, line, &home);
    cache_prefetch(&l2->partitions[home], place);
    if (near != home)
        cache_prefetch(&l2->partitions[near], place | PLACE_COPY);
}

// ---- device memory --------------------------------------------------------------------------------------

static void dram_read(struct l2 *l2, uint32_t sectors, struct l2_counts *counts)
{
    uint32_t n = sector_count(sectors);
    l2->dram.read_sectors += n;
    counts->dram_read_sectors += n;
}

static uint32_t dirty_of(uint32_t flags)
{
    return (flags & CACHE_DIRTY) >> CACHE_DIRTY_SHIFT;
}

static uint32_t part_written_of(uint32_t flags)
{
    return dirty_of(flags) & ~flags;
}

static void write_back(struct l2 *l2, uint32_t flags, struct l2_counts *counts)
{
    if (part_written_of(flags))
        dram_read(l2, part_written_of(flags), counts);
    l2->dram.write_sectors += sector_count(dirty_of(flags));
}

// The flags of the line, taking a place for it if need be.
static uint16_t *line_hold(struct l2 *l2, struct cache *cache, uint32_t place, struct l2_counts *counts)
{
    struct cache_evicted evicted;
    uint16_t *flags = cache_find(cache, place);
    if (flags) {
        if (!l2->is_evict_first)
            cache_touch(cache, flags);
        return flags;
    }
    flags = cache_take(cache, place, &evicted);
    if (l2->is_evict_first)
        cache_rank_last(cache, flags);
    if (evicted.line != CACHE_NO_LINE && !(evicted.line & PLACE_COPY))
        lost_add(&l2->lost[cache - l2->partitions], evicted.line);
    if (evicted.flags & CACHE_DIRTY)
        write_back(l2, evicted.flags, counts);
    return flags;
}

// ---- reads ----------------------------------------------------------------------------------------------

// At home: what is missing comes from device memory. Returns the sectors that were there.
static uint32_t read_home(struct l2 *l2, uint32_t home, uint32_t place, uint32_t sectors, uint32_t mark,
                          struct l2_counts *counts)
{
    uint16_t *flags = line_hold(l2, &l2->partitions[home], place, counts);
    uint32_t hits = sectors & *flags;
    if (hits != sectors) {
        uint32_t fetch = l2->fill[sectors & ~*flags] & ~*flags & CACHE_VALID;
        dram_read(l2, fetch, counts);
        if (lost_has(&l2->lost[home], place))
            counts->dram_again_sectors += sector_count(fetch);
        *flags |= fetch;
    }
    *flags |= mark;
    return hits;
}

static uint32_t read_far(struct l2 *l2, uint32_t near, uint32_t home, uint32_t place, uint32_t sectors,
                         struct l2_counts *counts)
{
    uint16_t *flags = line_hold(l2, &l2->partitions[near], place | PLACE_COPY, counts);
    uint32_t hits = sectors & *flags;
    if (hits != sectors) {
        uint32_t cross = l2->fill[sectors & ~*flags] & ~*flags & CACHE_VALID;
        counts->fabric_sectors += sector_count(cross);
        *flags |= cross;
        read_home(l2, home, place, cross, LINE_COPIED, counts);
    }
    return hits;
}

static uint32_t l2_read(struct l2 *l2, uint32_t near, const struct l2_request *request, struct l2_counts *counts)
{
    uint32_t home, place = place_of(l2, request->line, &home);
    uint32_t hits = near == home ? read_home(l2, home, place, request->sectors, 0, counts)
                                 : read_far(l2, near, home, place, request->sectors, counts);
    counts->read_requests++;
    counts->read_sectors += sector_count(request->sectors);
    counts->read_hits += sector_count(hits);
    return hits;
}

// ---- writes and atomics ---------------------------------------------------------------------------------

static void drop_copies(struct l2 *l2, uint32_t home, uint32_t place, uint32_t sectors)
{
    for (uint32_t p = 0; p < l2->n_partitions; p++) {
        uint16_t *flags = p == home ? 0 : cache_find(&l2->partitions[p], place | PLACE_COPY);
        if (!flags)
            continue;
        *flags &= ~sectors;
        *cache_user_of(&l2->partitions[p], flags) &= ~l2_words_of_sectors(sectors);
    }
}

// The line at home, for changing it: copies elsewhere lose the sectors. The mark is lost when a home line is
// evicted before its copy, so a line that was not there is treated as if it had copies.
static uint16_t *line_own(struct l2 *l2, uint32_t home, uint32_t place, uint32_t sectors,
                          struct l2_counts *counts)
{
    uint16_t *flags = line_hold(l2, &l2->partitions[home], place, counts);
    bool is_new = !*flags;
    if (l2->n_partitions > 1 && (is_new || *flags & LINE_COPIED))
        drop_copies(l2, home, place, sectors);
    return flags;
}

// Too many part-written lines in a set: completes the oldest.
static void limit_part_written(struct l2 *l2, struct cache *cache, uint32_t place, struct l2_counts *counts)
{
    uint8_t *set = cache_set(cache, place);
    const uint8_t *ranks = cache_ranks(cache, set);
    uint16_t *flags = cache_flags(cache, set), *victim = 0;
    uint32_t n = 0, oldest = 0;
    for (uint32_t w = 0; w < cache->n_ways; w++) {
        if (!part_written_of(flags[w]))
            continue;
        n++;
        if (ranks[w] >= oldest) {
            oldest = ranks[w];
            victim = &flags[w];
        }
    }
    if (n <= l2->max_part_written)
        return;
    write_back(l2, *victim, counts);
    *victim = (uint16_t)((*victim | dirty_of(*victim)) & ~(uint32_t)CACHE_DIRTY);
}

// Sectors of which every word has been written.
static uint32_t whole_sectors(uint32_t words)
{
    uint32_t whole = 0;
    for (uint32_t s = 0; s < N_SECTORS; s++)
        whole |= (uint32_t)((words >> s * SECTOR_WORDS & 0xff) == 0xff) << s;
    return whole;
}

// Sectors become readable once all their words are written. Words count for nothing where the sector is
// readable.
static void words_written(struct cache *cache, uint16_t *flags, const struct l2_request *request)
{
    if (!(request->sectors & ~*flags))
        return;
    uint32_t *written = cache_user_of(cache, flags);
    *written |= request->words;
    *flags |= whole_sectors(*written);
}

static void write_home(struct l2 *l2, uint32_t home, uint32_t place, uint32_t mark,
                       const struct l2_request *request, struct l2_counts *counts)
{
    struct cache *cache = &l2->partitions[home];
    uint16_t *flags = line_own(l2, home, place, request->sectors, counts);
    bool was_part_written = part_written_of(*flags) != 0;
    *flags |= (uint32_t)request->sectors << CACHE_DIRTY_SHIFT | mark;
    words_written(cache, flags, request);
    if (!was_part_written && part_written_of(*flags))
        limit_part_written(l2, cache, place, counts);
}

static void l2_write(struct l2 *l2, uint32_t near, const struct l2_request *request, struct l2_counts *counts)
{
    uint32_t home, place = place_of(l2, request->line, &home), n = sector_count(request->sectors);
    counts->write_requests++;
    counts->write_sectors += n;
    counts->write_hits += n;
    if (near == home) {
        write_home(l2, home, place, 0, request, counts);
        return;
    }
    counts->fabric_sectors += n;
    write_home(l2, home, place, LINE_COPIED, request, counts);
    uint16_t *copy = line_hold(l2, &l2->partitions[near], place | PLACE_COPY, counts);
    words_written(&l2->partitions[near], copy, request);
}

static void l2_atomic(struct l2 *l2, uint32_t near, const struct l2_request *request,
                      struct l2_counts *counts)
{
    uint32_t home, place = place_of(l2, request->line, &home), misses = 0;
    uint16_t *flags = line_own(l2, home, place, request->sectors, counts);
    for (uint32_t s = 0; s < N_SECTORS; s++) {
        uint32_t sector = request->sectors & 1u << s;
        if (!(sector & ~*flags))
            continue;
        uint32_t fetch = l2->fill[sector] & ~*flags & CACHE_VALID;
        dram_read(l2, fetch, counts);
        *flags |= fetch;
        misses++;
    }
    *flags |= (uint32_t)request->sectors << CACHE_DIRTY_SHIFT;
    counts->atomic_requests++;
    counts->atomic_sectors += request->weight;
    counts->atomic_hits += request->weight > misses ? request->weight - misses : 0;
    counts->fabric_sectors += near == home ? 0 : request->weight;
}

// ---- pinned host memory ---------------------------------------------------------------------------------

static void host_read(struct l2 *l2, uint32_t near, const struct l2_request *request, struct l2_counts *counts)
{
    uint32_t home, place = place_of(l2, request->line, &home), n = sector_count(request->sectors);
    uint16_t *flags = line_hold(l2, &l2->partitions[near], place | PLACE_COPY, counts);
    uint32_t n_missing = sector_count(request->sectors & ~*flags);
    *flags |= request->sectors;
    counts->read_requests++;
    counts->read_sectors += n;
    counts->read_hits += n - n_missing;
    counts->host_read_sectors += n;
    counts->host_read_misses += n_missing;
}

static void drop_all_copies(struct l2 *l2, const struct l2_request *request)
{
    uint32_t home, place = place_of(l2, request->line, &home);
    for (uint32_t p = 0; p < l2->n_partitions; p++) {
        uint16_t *flags = cache_find(&l2->partitions[p], place | PLACE_COPY);
        if (flags)
            *flags &= ~(uint32_t)request->sectors;
    }
}

static void host_write(struct l2 *l2, const struct l2_request *request, struct l2_counts *counts)
{
    uint32_t n = sector_count(request->sectors);
    drop_all_copies(l2, request);
    counts->write_requests++;
    counts->write_sectors += n;
    counts->write_hits += n;
    counts->host_write_sectors += n;
}

static void host_atomic(struct l2 *l2, const struct l2_request *request, struct l2_counts *counts)
{
    drop_all_copies(l2, request);
    counts->atomic_requests++;
    counts->atomic_sectors += request->weight;
    counts->host_atomic_sectors += request->weight;
}

uint32_t l2_access(struct l2 *l2, uint32_t near, const struct l2_request *request, struct l2_counts *counts)
{
    l2->is_evict_first = request->evict_first;
    switch ((enum l2_op)request->op) {
    case L2_READ:
        return l2_read(l2, near, request, counts);
    case L2_WRITE:
        l2_write(l2, near, request, counts);
        break;
    case L2_ATOMIC:
        l2_atomic(l2, near, request, counts);
        break;
    case L2_HOST_READ:
        host_read(l2, near, request, counts);
        break;
    case L2_HOST_WRITE:
        host_write(l2, request, counts);
        break;
    case L2_HOST_ATOMIC:
        host_atomic(l2, request, counts);
        break;
    case L2_JOINED:
        BUG("a read that joined another one went to L2");
    }
    return 0;
}
