// One access through the hierarchy: L1 at once, L2 by way of a queue. The rules are in the headers.
#include "mem/memsys.h"
#include "base/err.h"
#include "mem/banks.h"
#include "mem/cache.h"
#include "mem/coalesce.h"
#include "mem/constant.h"
#include "mem/l2.h"
#include "mem/lanes.h"
#include "mem/lrc.h"
#include "mem/place.h"
#include <stdlib.h>
#include <string.h>

enum {
    QUEUE_EVENTS = 8192, // a queue may be full only in part: one more access fits while MAX_LINES are free
    BATCH_EVENTS = 256,  // drained together, so that host memory is fetched ahead
    LOOK_AHEAD = 32,     // events behind a read that may join it
    SLICE_LINES = 4,     // neighbouring lines of one L2 slice: how many slices an SM has used says so (l2_fabric.cu)
    L1_LINES_PER_16 = 15, // of 16 lines of what shared memory leaves, so many hold data (l1_replacement.cu: of 248 KiB)
    WORD_BYTES = 4
};

// Line numbers: bit 31 tells local memory from global. Global addresses are counted from MEMORY_GLOBAL_BASE,
// which is a multiple of 2^38, so device memories up to 256 GiB have lines of their own.
#define LINE_LOCAL 0x80000000u
#define LINE_MASK 0x7fffffffu

struct event {
    uint64_t time_ticks;
    uint32_t insn;
    struct l2_request request;
};

struct sm_memory {
    struct cache l1;
    struct constant constant;
    struct event *queue;
    uint32_t max_queued;          // room of the queue: QUEUE_EVENTS, more once a bulk copy has needed it
    uint32_t n_queued, n_drained; // events before n_drained have been processed
    uint32_t partition, gpc;
    uint64_t free_ticks;       // when the last read that missed L1 has left the SM
    uint64_t slices[MAX_SLICES / 64]; // of L2, that it has used in this launch
    uint64_t launch, l1_bytes; // for which the caches were made ready
};

// An event on its way into L2. `sectors`: those to look up: its own and those of reads that joined it; of a read that
// has joined the one before, the sectors that it added.
struct drained {
    const struct event *event;
    const struct sm_memory *sm;
    uint8_t sectors;
    bool has_joined;
};

struct memsys {
    const struct device *device;
    const struct memory *memory; // may be NULL
    uint64_t launch, l1_bytes; // number of the launch, and its L1
    uint32_t n_sms, turn; // turn: which SM begins the next slot
    struct sm_memory *sms;
    uint32_t *order, *active; // active: SMs with events, while draining
    struct l2 l2;
    struct lrc lrc;
    uint32_t n_gpcs, ticks_per_cycle;
    double sector_ticks, wait_ticks; // a sector's way out of the SM; how long a read waits for others at least
    const struct event *leader;      // the last read that went to L2, NULL if it did not get there
    uint32_t leader_hits;            // the sectors that it found
    struct drained batch[BATCH_EVENTS];
    uint32_t n_batch;
};

// ---- life -----------------------------------------------------------------------------------------------

static void *new_array(size_t n, size_t element_bytes)
{
    void *at = calloc(n ? n : 1, element_bytes);
    if (!at)
        err_memory("memsys", n * element_bytes);
    return at;
}

// The SM's caches for this launch, when it makes its first access: most SMs of a small launch never do.
static void ready_sm(const struct memsys *ms, struct sm_memory *m)
{
    uint64_t n_lines = ms->l1_bytes * L1_LINES_PER_16 / 16 / LINE_BYTES;
    if (m->l1_bytes == ms->l1_bytes && m->launch) {
        cache_clear(&m->l1);
    } else {
        cache_release(&m->l1);
        cache_init(&m->l1, "L1", n_lines ? (uint32_t)n_lines : 1, (uint32_t)ms->device->l1_ways);
    }
    if (m->launch)
        constant_clear(&m->constant);
    else
        constant_init(&m->constant, ms->device, ms->ticks_per_cycle);
    m->free_ticks = 0;
    memset(m->slices, 0, sizeof m->slices);
    m->l1_bytes = ms->l1_bytes;
    m->launch = ms->launch;
}

// Reads that leave an SM: how long they wait, how fast they go. Ticks are issue slots.
static void init_way_out(struct memsys *ms)
{
    const struct device *device = ms->device;
    ms->ticks_per_cycle = 1;
    while (2 * ms->ticks_per_cycle <= device->n_subpartitions)
        ms->ticks_per_cycle *= 2;
    ms->wait_ticks = device->l2_request_wait_cycles * ms->ticks_per_cycle;
    ms->sector_ticks = SECTOR_BYTES * ms->ticks_per_cycle * (double)ms->n_sms / device->l2_bytes_per_cycle;
    lrc_init(&ms->lrc, device, ms->n_gpcs, ms->ticks_per_cycle);
}

struct memsys *memsys_new(const struct device *device, uint64_t l1_bytes_per_sm)
{
    struct memsys *ms = new_array(1, sizeof *ms);
    ms->device = device;
    ms->n_sms = (uint32_t)device->n_sms;
    ms->sms = new_array(ms->n_sms, sizeof *ms->sms);
    ms->order = new_array(ms->n_sms, sizeof *ms->order);
    ms->active = new_array(ms->n_sms, sizeof *ms->active);
    struct sm_place *places = new_array(ms->n_sms, sizeof *places);
    place_sms(device, places, ms->order);
    for (uint32_t sm = 0; sm < ms->n_sms; sm++) {
        ms->sms[sm].partition = places[sm].partition;
        ms->sms[sm].gpc = places[sm].gpc;
        ms->n_gpcs = places[sm].gpc >= ms->n_gpcs ? places[sm].gpc + 1 : ms->n_gpcs;
        ms->sms[sm].queue = new_array(QUEUE_EVENTS, sizeof *ms->sms[sm].queue);
        ms->sms[sm].max_queued = QUEUE_EVENTS;
    }
    free(places);
    ms->launch = 1;
    ms->l1_bytes = l1_bytes_per_sm;
    l2_init(&ms->l2, device);
    init_way_out(ms);
    return ms;
}

void memsys_delete(struct memsys *ms)
{
    if (!ms)
        return;
    for (uint32_t sm = 0; sm < ms->n_sms; sm++) {
        cache_release(&ms->sms[sm].l1);
        constant_release(&ms->sms[sm].constant);
        free(ms->sms[sm].queue);
    }
    l2_release(&ms->l2);
    lrc_release(&ms->lrc);
    free(ms->sms);
    free(ms->order);
    free(ms->active);
    free(ms);
}

void memsys_flush(struct memsys *ms)
{
    l2_flush(&ms->l2);
}

void memsys_new_launch(struct memsys *ms, uint64_t l1_bytes_per_sm)
{
    ms->launch++;
    ms->l1_bytes = l1_bytes_per_sm;
    ms->turn = 0;
    l2_new_launch(&ms->l2);
    lrc_new_launch(&ms->lrc);
    for (uint32_t sm = 0; sm < ms->n_sms; sm++)
        ms->sms[sm].n_queued = ms->sms[sm].n_drained = 0; // a fault may have left some
}

void memsys_set_memory(struct memsys *ms, const struct memory *memory)
{
    ms->memory = memory;
}

uint64_t memsys_dram_write_sectors(const struct memsys *ms)
{
    return ms->l2.dram.write_sectors;
}

uint64_t memsys_dram_sectors(const struct memsys *ms)
{
    return ms->l2.dram.read_sectors + ms->l2.dram.write_sectors;
}

uint64_t memsys_dram_cycles(const struct memsys *ms, uint64_t sectors)
{
    return dram_cycles(&ms->l2.dram, sectors);
}

uint64_t memsys_barrier_sectors(const struct memsys *ms)
{
    uint64_t n = 0;
    for (uint32_t sm = 0; sm < ms->n_sms && ms->l2.n_partitions > 1; sm++)
        for (uint32_t i = 0; i < MAX_SLICES / 64 && ms->sms[sm].launch == ms->launch; i++)
            n += (uint64_t)__builtin_popcountll(ms->sms[sm].slices[i]);
    return n;
}

const uint32_t *memsys_sm_order(const struct memsys *ms)
{
    return ms->order;
}

// ---- the SM's side --------------------------------------------------------------------------------------

static uint32_t sector_count(uint32_t sectors)
{
    static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return bits[sectors & 15];
}

static uint32_t line_number(uint64_t address, bool is_local)
{
    uint32_t number = (uint32_t)(address / LINE_BYTES) & LINE_MASK;
    return is_local ? number | LINE_LOCAL : number;
}

// One access on its way: where it goes and where its events are put.
struct passage {
    struct sm_memory *sm;
    const struct memory *memory;
    const struct access *access;
    struct outcome *out;
    uint64_t now_ticks;
    bool is_local;
};

// The same operation on a line of pinned host memory.
static enum l2_op host_op(const struct passage *p, enum l2_op op, uint64_t address)
{
    const struct memory_block *block = p->memory ? memory_block_at(p->memory, address) : NULL;
    return block && block->is_pinned ? op + L2_HOST_READ : op;
}

static enum l2_op op_at(const struct passage *p, enum l2_op op, uint64_t address)
{
    bool is_host = address < MEMORY_GLOBAL_BASE && !p->is_local;
    return __builtin_expect(is_host, 0) ? host_op(p, op, address) : op;
}

static void send(const struct passage *p, enum l2_op op, uint32_t line, uint32_t sectors, uint32_t words,
                 uint32_t weight)
{
    p->sm->queue[p->sm->n_queued++] = (struct event){
        p->now_ticks, p->access->insn, {line, words, (uint16_t)weight, (uint8_t)sectors, (uint8_t)op,
                                              op == L2_READ && p->access->cache == CACHE_CS}};
}

static bool load_uses_l1(const struct access *access)
{
    return !access->is_strong && access->cache != CACHE_CG && access->cache != CACHE_CV;
}

static void load_around(const struct passage *p, const struct line_use *use)
{
    p->out->l1_miss_sectors += sector_count(use->sectors);
    p->out->l2_read_sectors += sector_count(use->sectors);
    send(p, op_at(p, L2_READ, use->line), line_number(use->line, p->is_local), use->sectors, 0, 0);
}

// The sectors of the line that L1 lacked; it has them now.
static uint32_t look_up(const struct passage *p, const struct line_use *use, uint32_t line)
{
    struct cache *l1 = &p->sm->l1;
    struct cache_evicted evicted;
    uint16_t *flags = cache_find(l1, line);
    if (flags)
        cache_touch(l1, flags);
    else
        flags = cache_take(l1, line, &evicted);
    uint32_t missing = use->sectors & ~*flags & CACHE_VALID;
    p->out->l1_hit_sectors += sector_count(use->sectors & *flags);
    *flags |= missing;
    p->out->l1_miss_sectors += sector_count(missing);
    p->out->l2_read_sectors += sector_count(missing);
    return missing;
}

static void load_through(const struct passage *p, const struct line_use *use)
{
    const uint32_t line = line_number(use->line, p->is_local), missing = look_up(p, use, line);
    if (missing)
        send(p, op_at(p, L2_READ, use->line), line, missing, 0, 0);
}

static void store(const struct passage *p, const struct line_use *use, uint32_t words)
{
    struct cache *l1 = &p->sm->l1;
    struct cache_evicted evicted;
    uint32_t line = line_number(use->line, p->is_local), n = sector_count(use->sectors);
    uint16_t *flags = cache_find(l1, line);
    if (flags) {
        cache_touch(l1, flags);
        p->out->l1_hit_sectors += n;
    } else {
        flags = cache_take(l1, line, &evicted);
        p->out->l1_miss_sectors += n;
    }
    if (p->is_local)
        *flags |= use->full;
    else
        *flags &= ~(uint32_t)use->sectors;
    p->out->l2_write_sectors += n;
    send(p, op_at(p, L2_WRITE, use->line), line, use->sectors, words, 0);
}

static void atomic(const struct passage *p, const struct line_use *use)
{
    uint32_t line = line_number(use->line, p->is_local);
    uint16_t *flags = cache_find(&p->sm->l1, line);
    if (flags)
        *flags &= ~(uint32_t)use->sectors;
    p->out->l2_atomic_sectors += use->weight;
    send(p, op_at(p, L2_ATOMIC, use->line), line, use->sectors, 0, use->weight);
}

// ---- which words a store writes -------------------------------------------------------------------------

static bool stores_whole_sectors(const struct line_set *lines)
{
    uint32_t partial = 0;
    for (uint32_t i = 0; i < lines->n; i++)
        partial |= lines->at[i].sectors ^ lines->at[i].full;
    return !partial;
}

// Words written completely by lanes of four bytes and more. Narrower lanes count for whole sectors only:
// halves of a word that come from two instructions do not make it whole.
static void written_words(const struct passage *p, const struct line_set *lines, uint32_t words[MAX_LINES])
{
    const struct access *access = p->access;
    for (uint32_t i = 0; i < lines->n; i++)
        words[i] = l2_words_of_sectors(lines->at[i].full);
    if (p->is_local || access->width < WORD_BYTES || stores_whole_sectors(lines))
        return;
    uint32_t bits = (1u << access->width / WORD_BYTES) - 1, at = 0;
    for (lanemask left = access->mask; left; left &= left - 1) {
        uint64_t address = access->addr[lanes_first(left)], line = address & -(uint64_t)LINE_BYTES;
        while (lines->at[at].line != line)
            at = at + 1 < lines->n ? at + 1 : 0;
        words[at] |= bits << address / WORD_BYTES % (LINE_BYTES / WORD_BYTES);
    }
}

static void store_lines(const struct passage *p, const struct line_set *lines)
{
    uint32_t words[MAX_LINES];
    written_words(p, lines, words);
    for (uint32_t i = 0; i < lines->n; i++)
        store(p, &lines->at[i], words[i]);
}

static void pass_lines(const struct passage *p, const struct line_set *lines)
{
    bool through = load_uses_l1(p->access);
    switch (p->access->kind) {
    case ACCESS_LOAD:
        for (uint32_t i = 0; i < lines->n; i++)
            (through ? load_through : load_around)(p, &lines->at[i]);
        break;
    case ACCESS_STORE:
        store_lines(p, lines);
        break;
    default:
        for (uint32_t i = 0; i < lines->n; i++)
            atomic(p, &lines->at[i]);
    }
}

// ---- by space -------------------------------------------------------------------------------------------

static void access_cached(const struct passage *p, uint64_t local_base)
{
    struct line_set lines;
    struct global_cost cost =
        p->is_local ? coalesce_local(p->access, local_base, &lines) : coalesce(p->access, &lines);
    p->out->sectors = cost.sectors;
    p->out->ideal_sectors = cost.ideal;
    p->out->tags = cost.tags;
    p->out->bytes = cost.bytes;
    p->out->atomic_sectors = cost.atomic_sectors;
    pass_lines(p, &lines);
}

static void access_shared(const struct access *access, struct outcome *out)
{
    struct shared_cost cost = banks_cost(access);
    out->wavefronts = cost.wavefronts;
    out->ideal_wavefronts = cost.ideal;
    out->bytes = lanes_count(access->mask) * access->width;
}

void memsys_access(struct memsys *ms, uint32_t sm, const struct access *access, uint64_t local_base,
                   uint64_t now_ticks, struct outcome *out)
{
    struct passage p = {&ms->sms[sm], ms->memory, access, out, now_ticks, access->space == SPACE_LOCAL};
    if (p.sm->launch != ms->launch)
        ready_sm(ms, p.sm);
    *out = (struct outcome){0};
    switch (access->space) {
    case SPACE_GLOBAL:
    case SPACE_LOCAL:
        access_cached(&p, local_base);
        break;
    case SPACE_SHARED:
        access_shared(access, out);
        break;
    case SPACE_PARAM: // bank 0 of the same cache
    case SPACE_CONST:
        out->constant_requests = constant_requests(access);
        out->constant_misses = constant_access(&p.sm->constant, access, now_ticks, &out->ready_ticks);
        break;
    default:
        BUG("access to unresolved space %d", (int)access->space);
    }
}

// ---- the texture path -------------------------------------------------------------------------------------

// Flags of a line beside CACHE_VALID: half of that sector has been written, and all of it has been sent.
enum { HALF_WRITTEN_SHIFT = 8 };

static void surface_store(const struct passage *p, const struct line_use *use)
{
    struct cache *l1 = &p->sm->l1;
    struct cache_evicted evicted;
    const uint32_t line = line_number(use->line, false), n = sector_count(use->sectors);
    uint16_t *flags = cache_find(l1, line);
    *(flags ? &p->out->l1_hit_sectors : &p->out->l1_miss_sectors) += n;
    if (flags)
        cache_touch(l1, flags);
    else
        flags = cache_take(l1, line, &evicted);
    const uint32_t halves = use->sectors & ~use->full, second = halves & (uint32_t)*flags >> HALF_WRITTEN_SHIFT;
    const uint32_t sent = use->sectors & ~second;
    *flags = (uint16_t)((*flags & ~(uint32_t)use->sectors) ^ halves << HALF_WRITTEN_SHIFT);
    p->out->l2_write_sectors += sector_count(sent);
    if (sent)
        send(p, op_at(p, L2_WRITE, use->line), line, sent, l2_words_of_sectors(sent), 0);
}

// The sectors from the one at `first` on that belong to its request and line.
static uint32_t take_line(const struct texture_traffic *traffic, uint32_t first, bool *is_done, struct line_use *use)
{
    const struct texture_sector *from = &traffic->sectors[first];
    uint32_t i = first;
    *use = (struct line_use){.line = from->number * SECTOR_BYTES & -(uint64_t)LINE_BYTES};
    for (; i < traffic->n_sectors && traffic->sectors[i].request == from->request; i++) {
        const struct texture_sector *s = &traffic->sectors[i];
        if ((s->number * SECTOR_BYTES & -(uint64_t)LINE_BYTES) != use->line)
            continue;
        const uint8_t bit = (uint8_t)(1u << s->number % (LINE_BYTES / SECTOR_BYTES));
        use->sectors |= bit;
        use->full |= s->halves == 3 ? bit : 0;
        is_done[i] = true;
    }
    return sector_count(use->sectors);
}

// What all requests of an instruction miss in one line is one request to L2.
static void texture_load(const struct passage *p, const struct line_use *use, uint32_t first_event)
{
    const uint32_t line = line_number(use->line, false), missing = look_up(p, use, line);
    for (uint32_t i = first_event; missing && i < p->sm->n_queued; i++)
        if (p->sm->queue[i].request.line == line) {
            p->sm->queue[i].request.sectors |= (uint8_t)missing;
            return;
        }
    if (missing)
        send(p, op_at(p, L2_READ, use->line), line, missing, 0, 0);
}

void memsys_texture(struct memsys *ms, uint32_t sm, uint32_t insn, const struct texture_traffic *traffic, uint64_t now_ticks,
                    struct outcome *out)
{
    const struct access access = {.kind = traffic->is_store ? ACCESS_STORE : ACCESS_LOAD, .insn = insn};
    const struct passage p = {&ms->sms[sm], ms->memory, &access, out, now_ticks, false};
    bool is_done[TEXTURE_MOST_SECTORS] = {false};
    if (p.sm->launch != ms->launch)
        ready_sm(ms, p.sm);
    *out = (struct outcome){0};
    const uint32_t first_event = p.sm->n_queued;
    for (uint32_t i = 0; i < traffic->n_sectors; i++) {
        struct line_use use;
        if (is_done[i])
            continue;
        out->sectors += take_line(traffic, i, is_done, &use);
        if (traffic->is_store)
            surface_store(&p, &use);
        else
            texture_load(&p, &use, first_event);
    }
}

static void queue_reserve(struct sm_memory *m, uint64_t n_events)
{
    if (m->n_queued + n_events <= m->max_queued)
        return;
    m->max_queued = (uint32_t)(2 * (m->n_queued + n_events));
    m->queue = realloc(m->queue, m->max_queued * sizeof *m->queue);
    if (!m->queue)
        err_memory("memsys", m->max_queued * sizeof *m->queue);
}

// Bytes first .. end - 1 of a line: the sectors they lie in, the words they cover.
static struct l2_request line_part(uint64_t line, uint64_t first, uint64_t end, enum l2_op op)
{
    const uint32_t low = (uint32_t)first / SECTOR_BYTES, high = (uint32_t)(end - 1) / SECTOR_BYTES;
    const uint64_t below_end = (1ull << end / WORD_BYTES) - 1;
    const uint64_t below_first = (1ull << (first + WORD_BYTES - 1) / WORD_BYTES) - 1;
    const uint32_t sectors = (2u << high) - (1u << low);
    return (struct l2_request){.line = line_number(line, false),
                               .words = (uint32_t)(below_end & ~below_first),
                               .weight = (uint16_t)(high - low + 1),
                               .sectors = (uint8_t)sectors,
                               .op = (uint8_t)op};
}

void memsys_transfer(struct memsys *ms, uint32_t sm, uint32_t insn, uint64_t address, uint64_t n_bytes,
                     enum access_kind kind, uint64_t now_ticks)
{
    struct sm_memory *m = &ms->sms[sm];
    const enum l2_op op = kind == ACCESS_LOAD ? L2_READ : kind == ACCESS_STORE ? L2_WRITE : L2_ATOMIC;
    const uint64_t end = address + n_bytes;
    if (m->launch != ms->launch)
        ready_sm(ms, m);
    queue_reserve(m, n_bytes / LINE_BYTES + 2);
    for (uint64_t line = address & -(uint64_t)LINE_BYTES; line < end; line += LINE_BYTES) {
        uint64_t from = line < address ? address - line : 0, to = end - line < LINE_BYTES ? end - line : LINE_BYTES;
        m->queue[m->n_queued++] = (struct event){now_ticks, insn, line_part(line, from, to, op)};
    }
}

bool memsys_has_room(const struct memsys *ms, uint32_t sm)
{
    return ms->sms[sm].n_queued + MAX_LINES <= QUEUE_EVENTS;
}

// ---- draining -------------------------------------------------------------------------------------------

// A read that joined the leader's request: what it added is its own.
static void count_joined(struct memsys *ms, const struct drained *d, struct l2_counts *counts)
{
    if (!ms->leader) {
        counts[d->event->insn].merged_sectors += sector_count(d->sectors);
        return;
    }
    struct l2_counts *from = &counts[ms->leader->insn], *to = &counts[d->event->insn];
    uint32_t n = sector_count(d->sectors), n_hits = sector_count(d->sectors & ms->leader_hits);
    from->read_sectors -= n;
    from->read_hits -= n_hits;
    to->read_sectors += n;
    to->read_hits += n_hits;
}

static void read_drained(struct memsys *ms, const struct drained *d, struct l2_counts *counts)
{
    struct l2_request request = d->event->request;
    request.sectors = d->sectors;
    ms->leader = NULL;
    if (lrc_join(&ms->lrc, d->sm->gpc, request.line, request.sectors, d->event->time_ticks)) {
        counts[d->event->insn].merged_sectors += sector_count(d->event->request.sectors);
        return;
    }
    ms->leader = d->event;
    ms->leader_hits = l2_access(&ms->l2, d->sm->partition, &request, &counts[d->event->insn]);
    lrc_open(&ms->lrc, d->sm->gpc, request.line, request.sectors, d->event->time_ticks,
             ms->leader_hits == request.sectors);
}

static void batch_run(struct memsys *ms, struct l2_counts *counts)
{
    for (uint32_t i = 0; i < ms->n_batch; i++)
        l2_prefetch(&ms->l2, ms->batch[i].sm->partition, ms->batch[i].event->request.line);
    for (uint32_t i = 0; i < ms->n_batch; i++) {
        const struct drained *d = &ms->batch[i];
        const struct event *e = d->event;
        if (d->has_joined)
            count_joined(ms, d, counts);
        else if (e->request.op == L2_READ)
            read_drained(ms, d, counts);
        else
            l2_access(&ms->l2, d->sm->partition, &e->request, &counts[e->insn]);
    }
    ms->n_batch = 0;
}

static void batch_add(struct memsys *ms, const struct drained *d, struct l2_counts *counts)
{
    ms->batch[ms->n_batch++] = *d;
    if (ms->n_batch == BATCH_EVENTS)
        batch_run(ms, counts);
}

// Reads leave an SM one after the other. Until a read has left, later ones of its line join it (JOINED marks them).
static void read_leaves(struct memsys *ms, struct sm_memory *sm, struct event *read, struct l2_counts *counts)
{
    const uint64_t waits = read->time_ticks + (uint64_t)ms->wait_ticks;
    const uint64_t leaves = waits > sm->free_ticks ? waits : sm->free_ticks;
    struct drained joined[LOOK_AHEAD], leader = {read, sm, read->request.sectors, false};
    uint32_t n_joined = 0, last = sm->n_drained + LOOK_AHEAD < sm->n_queued ? sm->n_drained + LOOK_AHEAD : sm->n_queued;
    for (uint32_t i = sm->n_drained; i < last && leader.sectors != CACHE_VALID; i++) {
        struct event *e = &sm->queue[i];
        if (e->time_ticks >= leaves)
            break;
        if (e->request.line != read->request.line || e->request.op != L2_READ)
            continue;
        joined[n_joined++] = (struct drained){e, sm, (uint8_t)(e->request.sectors & ~leader.sectors), true};
        leader.sectors |= e->request.sectors;
        e->request.op = L2_JOINED;
    }
    sm->free_ticks = leaves + (uint64_t)(ms->sector_ticks * sector_count(leader.sectors));
    batch_add(ms, &leader, counts);
    for (uint32_t i = 0; i < n_joined; i++)
        batch_add(ms, &joined[i], counts);
}

static void note_slice(const struct memsys *ms, struct sm_memory *sm, uint32_t line)
{
    uint32_t slice = cache_scale(cache_mix(line / SLICE_LINES), (uint32_t)ms->device->n_l2_slices) % MAX_SLICES;
    sm->slices[slice / 64] |= 1ull << slice % 64;
}

// Events of one SM before `until` join the batch.
static void sm_drain(struct memsys *ms, struct sm_memory *sm, uint64_t until, struct l2_counts *counts)
{
    while (sm->n_drained < sm->n_queued && sm->queue[sm->n_drained].time_ticks < until) {
        struct event *e = &sm->queue[sm->n_drained++];
        note_slice(ms, sm, e->request.line);
        if (e->request.op == L2_READ)
            read_leaves(ms, sm, e, counts);
        else if (e->request.op != L2_JOINED)
            batch_add(ms, &(struct drained){e, sm, e->request.sectors, false}, counts);
    }
}

static uint64_t sm_next_time(const struct sm_memory *sm)
{
    return sm->n_drained < sm->n_queued ? sm->queue[sm->n_drained].time_ticks : UINT64_MAX;
}

// The earliest event of all; SMs with none leave the list of active ones, the others keep their order.
static uint64_t next_time(struct memsys *ms, uint32_t *n_active)
{
    uint64_t first = UINT64_MAX;
    uint32_t n = 0;
    for (uint32_t i = 0; i < *n_active; i++) {
        uint64_t t = sm_next_time(&ms->sms[ms->active[i]]);
        first = t < first ? t : first;
        if (t != UINT64_MAX)
            ms->active[n++] = ms->active[i];
    }
    *n_active = n;
    return first;
}

// What was drained makes room.
static void sm_compact(struct sm_memory *sm)
{
    uint32_t left = sm->n_queued - sm->n_drained;
    for (uint32_t i = 0; i < left; i++)
        sm->queue[i] = sm->queue[sm->n_drained + i];
    sm->n_queued = left;
    sm->n_drained = 0;
}

void memsys_drain(struct memsys *ms, uint64_t until_ticks, struct l2_counts *counts)
{
    uint32_t n_active = ms->n_sms;
    for (uint32_t i = 0; i < n_active; i++)
        ms->active[i] = ms->order[i];
    for (uint64_t t = next_time(ms, &n_active); t < until_ticks; t = next_time(ms, &n_active)) {
        uint64_t end = t - t % MEMSYS_SLOT_TICKS + MEMSYS_SLOT_TICKS;
        end = end < until_ticks ? end : until_ticks;
        uint32_t first = ms->turn++ % n_active;
        for (uint32_t i = first; i < n_active; i++)
            sm_drain(ms, &ms->sms[ms->active[i]], end, counts);
        for (uint32_t i = 0; i < first; i++)
            sm_drain(ms, &ms->sms[ms->active[i]], end, counts);
    }
    batch_run(ms, counts);
    for (uint32_t sm = 0; sm < ms->n_sms; sm++)
        if (ms->sms[sm].n_drained)
            sm_compact(&ms->sms[sm]);
}
