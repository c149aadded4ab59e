// The second-level cache: partitions with a fabric between them, device memory behind.
//
// The rules
//   Home      Every line has a home partition; neighbouring lines alternate, in an order that a hash
//   permutes. Which
//             hash a GPU uses is not public; ours is fair, so of an SM's lines half are far.
//   Reads     are looked up in the SM's own partition. A far line that is not there crosses the fabric, is
//   looked up at
//             home and leaves a copy in the near partition, so data read from both sides is held twice. A hit
//             is what the first look-up found.
//   Fills     A missing sector brings its whole aligned fill unit (64 bytes: a pair of sectors), from device
//   memory
//             and across the fabric alike.
//   Writes    go home (crossing if far), allocate, and always count as hits. A far write leaves a copy in the
//   near
//             partition as well (measured: local memory that is read again after it was written hardly
//             crosses). Bytes are tracked in words of four: a sector written in part is not readable; when it
//             is read it is filled from device memory.
//   Part-written lines: at most an eighth of a set; the oldest beyond that is completed: its part-written
//   sectors are
//             read from device memory and its dirty ones written. Device memory with ECC cannot take part of
//             a sector.
//   Atomics   happen at home, sector by sector, hitting unless the fill unit was absent. They dirty the
//   sector. Copies    in other partitions than the writer's lose what is written; atomics drop every copy.
//   Host      Sectors of pinned host memory are looked up in the SM's own partition; what is missing comes from the
//   host, sector by sector, and stays. Writes and atomics go on to the host at once and leave no copy. Not measured.
//   Evict first: a line that such a read brings is the next to go; if it was there its age does not change. Writes
//             do not heed it (vc_float4_cs writes back what vc_float4 does)
//             (measured: l2_mix_evict_first keeps all of its hot set beside a stream read so).
//   Eviction  LRU; dirty sectors are written to device memory, part-written ones read first. What is dirty
//   when a
//             kernel ends stays.
// Sources: NVIDIA GTC 2021 talk on the A100 (near look-up, copies); NVIDIA forum thread 286508 (64-byte
// fills); the rest measured on an H200 and compared in doc/hierarchy.md.
#ifndef MEM_L2_H
#define MEM_L2_H
#include "mem/cache.h"
#include "mem/dram.h"
#include "mem/lost.h"
#include "mem/memsys.h"

enum { L2_MAX_PARTITIONS = 8 };

struct l2 {
    struct cache partitions[L2_MAX_PARTITIONS];
    struct lost lost[L2_MAX_PARTITIONS]; // home lines evicted in this launch
    uint32_t n_partitions;
    uint8_t fill[16];          // by mask of missing sectors: the sectors that are fetched
    uint32_t max_part_written; // lines of a set
    uint64_t flush_dirty_bytes; // what the profiler's flush leaves (device: l2.flush_dirty)
    bool is_evict_first; // the access that is going on
    struct dram dram;
};

// L2_JOINED never gets here: a read that another one of its SM took along (memsys.c).
enum l2_op { L2_READ, L2_WRITE, L2_ATOMIC, L2_HOST_READ, L2_HOST_WRITE, L2_HOST_ATOMIC, L2_JOINED };

struct l2_request {
    uint32_t line;   // line number
    uint32_t words;  // writes: words written completely, bit w = bytes 4 w .. 4 w + 3
    uint16_t weight; // atomics: sectors as ncu counts them
    uint8_t sectors;
    uint8_t op; // enum l2_op
    bool evict_first;
};

// Sectors to their eight words each.
static inline uint32_t l2_words_of_sectors(uint32_t sectors)
{
    return ((sectors & 1) | (sectors & 2) << 7 | (sectors & 4) << 14 | (sectors & 8) << 21) * 0xffu;
}

void l2_init(struct l2 *l2, const struct device *device);
void l2_release(struct l2 *l2);
void l2_new_launch(struct l2 *l2); // what was evicted before counts no longer
// As the profiler flushes: dirty sectors are written back before anybody counts, but flush_dirty_bytes of its own stay.
void l2_flush(struct l2 *l2);

// From an SM of partition `near`; counts is added to. Returns the sectors that an L2_READ found, else 0.
uint32_t l2_access(struct l2 *l2, uint32_t near, const struct l2_request *request, struct l2_counts *counts);
void l2_prefetch(const struct l2 *l2, uint32_t near, uint32_t line); // host cache only
uint32_t l2_home(const struct l2 *l2, uint32_t line);
#endif
