// Reads under way between a GPC and L2. The rules are in the header.
#include "mem/lrc.h"
#include "base/err.h"
#include "mem/cache.h"
#include <stdlib.h>

enum { READS_PER_GPC = 4096 };

void lrc_init(struct lrc *lrc, const struct device *device, uint32_t n_gpcs, uint32_t ticks_per_cycle)
{
    *lrc = (struct lrc){
        .hit_window_ticks = (uint64_t)(device->lrc_hit_window_cycles * ticks_per_cycle),
        .fill_window_ticks = (uint64_t)(device->lrc_fill_window_cycles * ticks_per_cycle),
        .launch = 1,
        .max_readers = (uint32_t)device->n_lrc_readers};
    if (lrc->max_readers < 2)
        return;
    lrc->reads = calloc((size_t)n_gpcs * READS_PER_GPC, sizeof *lrc->reads);
    if (!lrc->reads)
        err_memory("LRC", (size_t)n_gpcs * READS_PER_GPC * sizeof *lrc->reads);
}

void lrc_release(struct lrc *lrc)
{
    free(lrc->reads);
    *lrc = (struct lrc){0};
}

void lrc_new_launch(struct lrc *lrc)
{
    lrc->launch++;
}

static struct pending_read *read_of(struct lrc *lrc, uint32_t gpc, uint32_t line)
{
    return &lrc->reads[gpc * READS_PER_GPC + (cache_mix(line) >> 20) % READS_PER_GPC];
}

bool lrc_join(struct lrc *lrc, uint32_t gpc, uint32_t line, uint32_t sectors, uint64_t now_ticks)
{
    if (!lrc->reads)
        return false;
    struct pending_read *read = read_of(lrc, gpc, line);
    if (read->line != line || read->launch != lrc->launch || now_ticks >= read->until_ticks || sectors & ~(uint32_t)read->sectors ||
        read->n_readers >= lrc->max_readers)
        return false;
    read->n_readers++;
    return true;
}

void lrc_open(struct lrc *lrc, uint32_t gpc, uint32_t line, uint32_t sectors, uint64_t now_ticks,
                    bool is_hit)
{
    if (!lrc->reads)
        return;
    uint64_t window = is_hit ? lrc->hit_window_ticks : lrc->fill_window_ticks;
    *read_of(lrc, gpc, line) = (struct pending_read){now_ticks + window, lrc->launch, line, (uint8_t)sectors, 1};
}
