// Coalescing: the sectors and lines one warp instruction touches. The rules are in the header.
//
// Lanes that go up through memory, the usual case, are put line after line in one pass. Others go into a
// window of 64 lines, or are sorted by rank: the place of a line is the number of lanes on lower lines, which
// needs no branches.
#include "mem/coalesce.h"
#include "mem/lanes.h"
#include <string.h>

enum {
    WORD_BYTES = 4,
    SECTORS_PER_LINE = LINE_BYTES / SECTOR_BYTES,
    LINE_WORDS = LINE_BYTES / WORD_BYTES,
    WINDOW_LINES = 64
};

// The lines of an access while they are found, and for each lane the index of its line.
struct lanes_on_lines {
    const struct access *access;
    struct line_set *lines;
    uint8_t at[N_LANES];
};

static uint32_t sector_count(uint8_t sectors)
{
    static const uint8_t bits[1 << SECTORS_PER_LINE] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return bits[sectors];
}

static uint64_t line_of(uint64_t addr)
{
    return addr & -(uint64_t)LINE_BYTES;
}

static uint32_t sector_of(uint64_t addr)
{
    return (uint32_t)(addr / SECTOR_BYTES % SECTORS_PER_LINE);
}

static void line_put(struct line_set *lines, uint32_t at, uint64_t line, uint32_t sectors, uint32_t full)
{
    uint32_t weight = sector_count((uint8_t)sectors);
    lines->at[at] = (struct line_use){line, (uint8_t)sectors, (uint8_t)full, (uint16_t)weight};
}

// Bits first .. end - 1; none when they cross.
static uint32_t bits_between(uint32_t first, uint32_t end)
{
    return first < end ? (1u << end) - (1u << first) : 0;
}

// ---- finding the lines ------------------------------------------------------------------------------------

// Every byte from `begin` to `end`: one access of 32 lanes side by side.
static void lines_of_range(uint64_t begin, uint64_t end, bool is_store, struct line_set *lines)
{
    uint32_t n = 0;
    for (uint64_t line = line_of(begin); line < end; line += LINE_BYTES, n++) {
        uint32_t from = line < begin ? (uint32_t)(begin - line) : 0;
        uint32_t to = end - line < LINE_BYTES ? (uint32_t)(end - line) : LINE_BYTES;
        uint32_t sectors = bits_between(from / SECTOR_BYTES, (to + SECTOR_BYTES - 1) / SECTOR_BYTES);
        uint32_t full = bits_between((from + SECTOR_BYTES - 1) / SECTOR_BYTES, to / SECTOR_BYTES);
        line_put(lines, n, line, sectors, is_store ? full : 0);
    }
    lines->n = n;
}

// Lanes on rising lines. False, with the lines void, if some lane goes back.
static bool lines_ascending(struct lanes_on_lines *found)
{
    uint64_t line = line_of(found->access->addr[lanes_first(found->access->mask)]);
    uint32_t n = 0, sectors = 0;
    for (lanemask left = found->access->mask; left; left &= left - 1) {
        unsigned t = lanes_first(left);
        uint64_t offset = found->access->addr[t] - line;
        if (offset >= LINE_BYTES) {
            if (offset >> 63)
                return false;
            line_put(found->lines, n++, line, sectors, 0);
            line = line_of(found->access->addr[t]);
            offset = found->access->addr[t] - line;
            sectors = 0;
        }
        sectors |= 1u << offset / SECTOR_BYTES;
        found->at[t] = (uint8_t)n;
    }
    line_put(found->lines, n++, line, sectors, 0);
    found->lines->n = n;
    return true;
}

// The line number of every lane less the lowest one; inactive lanes repeat the first active one. Returns the
// highest.
static uint64_t lanes_line_numbers(const struct access *access, uint64_t number[N_LANES], uint64_t *lowest)
{
    uint64_t any = access->addr[lanes_first(access->mask)], low = UINT64_MAX, high = 0;
    for (unsigned t = 0; t < N_LANES; t++)
        number[t] = (access->mask >> t & 1 ? access->addr[t] : any) / LINE_BYTES;
    for (unsigned t = 0; t < N_LANES; t++) {
        low = number[t] < low ? number[t] : low;
        high = number[t] > high ? number[t] : high;
    }
    for (unsigned t = 0; t < N_LANES; t++)
        number[t] -= low;
    *lowest = low;
    return high - low;
}

// All lanes within WINDOW_LINES lines, as in table look-ups and histograms.
static void lines_in_window(struct lanes_on_lines *found, const uint64_t number[N_LANES], uint64_t lowest)
{
    uint8_t sectors[WINDOW_LINES] = {0}, place[WINDOW_LINES];
    uint64_t used = 0;
    uint32_t n = 0;
    for (lanemask left = found->access->mask; left; left &= left - 1) {
        unsigned t = lanes_first(left);
        sectors[number[t]] |= (uint8_t)(1u << sector_of(found->access->addr[t]));
        used |= 1ull << number[t];
    }
    for (; used; used &= used - 1, n++) {
        unsigned i = (unsigned)__builtin_ctzll(used);
        line_put(found->lines, n, (lowest + i) * LINE_BYTES, sectors[i], 0);
        place[i] = (uint8_t)n;
    }
    for (lanemask left = found->access->mask; left; left &= left - 1)
        found->at[lanes_first(left)] = place[number[lanes_first(left)]];
    found->lines->n = n;
}

// rank[t] = number of lanes whose number is less; equal numbers have equal ranks. No branches, eight lanes at
// a time.
static void lanes_rank(const int32_t number[N_LANES], int32_t rank[N_LANES])
{
    enum { BLOCK = 8 };
    for (unsigned block = 0; block < N_LANES; block += BLOCK) {
        int32_t mine[BLOCK], less[BLOCK] = {0};
        for (unsigned i = 0; i < BLOCK; i++)
            mine[i] = number[block + i];
        for (unsigned other = 0; other < N_LANES; other++)
            for (unsigned i = 0; i < BLOCK; i++)
                less[i] += number[other] < mine[i];
        for (unsigned i = 0; i < BLOCK; i++)
            rank[block + i] = less[i];
    }
}

static void lines_ranked(struct lanes_on_lines *found, const uint64_t number[N_LANES], uint64_t lowest)
{
    int32_t small[N_LANES], rank[N_LANES];
    uint8_t sectors[N_LANES] = {0}, place[N_LANES];
    uint64_t line[N_LANES];
    uint32_t n = 0;
    for (unsigned t = 0; t < N_LANES; t++)
        small[t] = (int32_t)number[t];
    lanes_rank(small, rank);
    for (lanemask left = found->access->mask; left; left &= left - 1) {
        unsigned t = lanes_first(left);
        sectors[rank[t]] |= (uint8_t)(1u << sector_of(found->access->addr[t]));
        line[rank[t]] = (lowest + number[t]) * LINE_BYTES;
    }
    for (unsigned i = 0; i < N_LANES; i++) {
        place[i] = (uint8_t)n;
        if (sectors[i])
            line_put(found->lines, n++, line[i], sectors[i], 0);
    }
    for (lanemask left = found->access->mask; left; left &= left - 1)
        found->at[lanes_first(left)] = place[rank[lanes_first(left)]];
    found->lines->n = n;
}

// Adds sectors of a line to a sorted set.
static void lines_insert(struct line_set *lines, uint64_t line, uint32_t sectors, uint32_t full)
{
    uint32_t at = lines->n;
    while (at > 0 && lines->at[at - 1].line >= line)
        at--;
    if (at < lines->n && lines->at[at].line == line) {
        line_put(lines, at, line, lines->at[at].sectors | sectors, lines->at[at].full | full);
        return;
    }
    for (uint32_t i = lines->n; i > at; i--)
        lines->at[i] = lines->at[i - 1];
    line_put(lines, at, line, sectors, full);
    lines->n++;
}

// Lanes further apart than ranks can say: slow and rare.
static void lines_far_apart(struct lanes_on_lines *found)
{
    found->lines->n = 0;
    for (lanemask left = found->access->mask; left; left &= left - 1) {
        uint64_t addr = found->access->addr[lanes_first(left)];
        lines_insert(found->lines, line_of(addr), 1u << sector_of(addr), 0);
    }
    for (lanemask left = found->access->mask; left; left &= left - 1) {
        unsigned t = lanes_first(left);
        found->at[t] = 0;
        while (found->lines->at[found->at[t]].line != line_of(found->access->addr[t]))
            found->at[t]++;
    }
}

static void lines_find(struct lanes_on_lines *found)
{
    uint64_t number[N_LANES], lowest;
    if (lines_ascending(found))
        return;
    uint64_t highest = lanes_line_numbers(found->access, number, &lowest);
    if (highest < WINDOW_LINES)
        lines_in_window(found, number, lowest);
    else if (highest <= INT32_MAX)
        lines_ranked(found, number, lowest);
    else
        lines_far_apart(found);
}

// ---- what stores and atomics add --------------------------------------------------------------------------

// Which sectors a store fills completely, all lanes together.
static void lines_mark_full(const struct lanes_on_lines *found)
{
    const struct access *access = found->access;
    uint32_t written[N_LANES][SECTORS_PER_LINE]; // a bit per byte
    uint32_t bytes = (uint32_t)((1ull << access->width) - 1);
    if (lanes_count(access->mask) * access->width < SECTOR_BYTES)
        return;
    memset(written, 0, found->lines->n * sizeof written[0]);
    for (lanemask left = access->mask; left; left &= left - 1) {
        unsigned t = lanes_first(left);
        uint32_t sector = sector_of(access->addr[t]);
        uint32_t *of_sector = &written[found->at[t]][sector];
        *of_sector |= bytes << access->addr[t] % SECTOR_BYTES;
        found->lines->at[found->at[t]].full |= (uint8_t)((*of_sector == UINT32_MAX) << sector);
    }
}

// The weight of a line under atomics: how often its busiest word is wanted, sector by sector.
static void lines_weigh_atomic(const struct lanes_on_lines *found)
{
    uint8_t wanted[N_LANES][LINE_WORDS];     // lanes on each word
    uint8_t most[N_LANES][SECTORS_PER_LINE]; // the largest of a sector
    memset(wanted, 0, found->lines->n * sizeof wanted[0]);
    memset(most, 0, found->lines->n * sizeof most[0]);
    for (uint32_t i = 0; i < found->lines->n; i++)
        found->lines->at[i].weight = 0;
    for (lanemask left = found->access->mask; left; left &= left - 1) {
        unsigned t = lanes_first(left);
        uint64_t addr = found->access->addr[t];
        uint8_t lanes = ++wanted[found->at[t]][addr / WORD_BYTES % LINE_WORDS];
        uint8_t *of_sector = &most[found->at[t]][sector_of(addr)];
        found->lines->at[found->at[t]].weight += lanes > *of_sector;
        *of_sector = lanes > *of_sector ? lanes : *of_sector;
    }
}

static struct global_cost cost_of(const struct access *access, const struct line_set *lines)
{
    struct global_cost cost = {.tags = lines->n, .bytes = lanes_count(access->mask) * access->width};
    for (uint32_t i = 0; i < lines->n; i++) {
        cost.sectors += sector_count(lines->at[i].sectors);
        cost.atomic_sectors += lines->at[i].weight;
    }
    uint32_t ideal = (cost.bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    cost.ideal = ideal < cost.sectors ? ideal : cost.sectors;
    return cost;
}

// ---- the counting functions -------------------------------------------------------------------------------

// All 32 lanes at one distance, side by side or all on one address. Atomics of part of a word meet in words, and
// are left to the general way.
static bool lines_of_step(const struct access *access, struct line_set *lines)
{
    uint64_t first = access->addr[0], step = access->addr[1] - first;
    bool is_atomic = access->kind >= ACCESS_ATOM;
    if (!lanes_all(access->mask) || (step != 0 && step != access->width) || !lanes_step(access->addr, step))
        return false;
    if (is_atomic && access->width < WORD_BYTES)
        return false;
    lines_of_range(first, first + 31 * step + access->width, access->kind == ACCESS_STORE, lines);
    if (step == 0 && is_atomic)
        lines->at[0].weight = N_LANES;
    return true;
}

struct global_cost coalesce(const struct access *access, struct line_set *lines)
{
    lines->n = 0;
    if (!access->mask)
        return (struct global_cost){0};
    if (!lines_of_step(access, lines)) {
        struct lanes_on_lines found = {.access = access, .lines = lines};
        lines_find(&found);
        if (access->kind == ACCESS_STORE)
            lines_mark_full(&found);
        else if (access->kind >= ACCESS_ATOM)
            lines_weigh_atomic(&found);
    }
    return cost_of(access, lines);
}

// One 4-byte row of local memory per lane: word `part` of each lane's access.
static void local_row(const struct access *access, uint64_t base, uint32_t part, struct access *row)
{
    *row = (struct access){
        .space = SPACE_GLOBAL, .kind = access->kind, .width = WORD_BYTES, .mask = access->mask};
    if (access->width < WORD_BYTES)
        row->width = access->width;
    for (unsigned t = 0; t < N_LANES; t++) {
        uint64_t offset = access->addr[t] + part * WORD_BYTES;
        row->addr[t] = base + offset / WORD_BYTES * LINE_BYTES + t * WORD_BYTES + offset % WORD_BYTES;
    }
}

struct global_cost coalesce_local(const struct access *access, uint64_t base, struct line_set *lines)
{
    struct access row;
    if (access->width <= WORD_BYTES) {
        local_row(access, base, 0, &row);
        return coalesce(&row, lines);
    }
    lines->n = 0;
    for (uint32_t part = 0; part < access->width / WORD_BYTES; part++) {
        struct line_set of_part;
        local_row(access, base, part, &row);
        coalesce(&row, &of_part);
        for (uint32_t i = 0; i < of_part.n; i++)
            lines_insert(lines, of_part.at[i].line, of_part.at[i].sectors, of_part.at[i].full);
    }
    return cost_of(access, lines);
}

uint32_t constant_requests(const struct access *access)
{
    uint32_t n = 0, unit = access->width < WORD_BYTES ? WORD_BYTES : access->width;
    if (access->mask && lanes_all(access->mask) && lanes_step(access->addr, 0))
        return 1;
    for (lanemask left = access->mask; left; left &= left - 1) {
        unsigned t = lanes_first(left);
        bool is_new = true;
        for (lanemask earlier = access->mask & ((1u << t) - 1); earlier && is_new; earlier &= earlier - 1)
            is_new = access->addr[lanes_first(earlier)] / unit != access->addr[t] / unit;
        n += is_new;
    }
    return n;
}
