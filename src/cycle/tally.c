// From outcomes to counters.
#include "cycle/tally.h"
#include "base/err.h"
#include "mem/banks.h"
#include "mem/coalesce.h"
#include "mem/copy_cost.h"
#include "mem/lanes.h"
#include <stdlib.h>

void tally_init(struct tally *tally, struct arena *arena, const struct kernel *kernel)
{
    const uint32_t n_insns = kernel->n_insns;
    tally->n_insns = n_insns;
    tally->merged = kernel->merged;
    tally->hot = arena_array(arena, struct tally_hot, n_insns);
    tally->accesses = arena_array(arena, struct counters, n_insns);
    tally->memos = arena_array(arena, struct banks_memo, n_insns);
    tally->repairs = NULL;
}

void tally_release(struct tally *tally)
{
    free(tally->repairs);
}

void tally_partial(struct tally_hot *hot, const struct step *step)
{
    hot->executed++;
    hot->threads += lanes_count(step->active);
    hot->threads_on += lanes_count(step->on);
}

struct tally_sums tally_sums(const struct tally_hot *hot)
{
    return (struct tally_sums){hot->executed + hot->full, hot->threads + N_LANES * hot->full,
                               hot->threads_on + N_LANES * hot->full};
}

static void tally_global(struct counters *c, const struct access *access, const struct outcome *out)
{
    c->global_requests++;
    c->global_sectors += out->sectors;
    c->global_ideal += out->ideal_sectors;
    c->global_tags += out->tags;
    c->global_bytes += out->bytes;
    c->global_uniform += out->sectors == 1 && lanes_all(access->mask) && lanes_step(access->addr, 0);
    c->global_hits += out->l1_hit_sectors;
    c->global_misses += out->l1_miss_sectors;
    if (access->kind >= ACCESS_ATOM)
        c->atomic_sectors += out->atomic_sectors;
}

static void tally_local(struct counters *c, const struct outcome *out)
{
    c->local_requests++;
    c->local_sectors += out->sectors;
    c->local_hits += out->l1_hit_sectors;
    c->local_misses += out->l1_miss_sectors;
}

// What would become of a conflicting access in a padded or swizzled array.
static void tally_repair(struct tally *tally, const struct access *access, uint32_t wavefronts)
{
    if (!tally->repairs && !(tally->repairs = calloc(1, sizeof *tally->repairs)))
        err_memory("remembered repairs", sizeof *tally->repairs);
    struct counters *c = &tally->accesses[access->insn];
    struct shared_repair repair = banks_repair_remembered(tally->repairs, access);
    if (!repair.row_bytes)
        return;
    c->shared_row_requests++;
    c->shared_row_bytes += repair.row_bytes;
    c->shared_row_squares += (uint64_t)repair.row_bytes * repair.row_bytes;
    c->shared_row_wavefronts += wavefronts;
    c->shared_padded += repair.padded_wavefronts;
    c->shared_swizzled += repair.swizzled_wavefronts;
}

static void count_shared(struct tally *tally, const struct access *access)
{
    struct counters *c = &tally->accesses[access->insn];
    if (access->n_wavefronts) {
        c->shared_wavefronts += access->n_wavefronts;
        c->shared_ideal += access->n_wavefronts;
        return;
    }
    struct shared_cost cost = banks_cost_remembered(&tally->memos[access->insn], access);
    c->shared_requests++;
    c->shared_wavefronts += cost.wavefronts;
    c->shared_ideal += cost.ideal;
    c->shared_bytes += lanes_count(access->mask) * access->width;
    if (cost.wavefronts > cost.ideal && access->kind < ACCESS_ATOM) // atomics that meet are cured otherwise
        tally_repair(tally, access, cost.wavefronts);
}

// As L1 counts accesses to memory that it does not hold.
void tally_cluster(struct tally *tally, const struct access *access)
{
    struct counters *c = &tally->accesses[access->insn];
    struct line_set lines;
    struct global_cost cost = coalesce(access, &lines);
    c->cluster_requests++;
    c->cluster_sectors += access->kind >= ACCESS_ATOM ? cost.atomic_sectors : cost.sectors;
}

void tally_shared(struct tally *tally, const struct access *access)
{
    const struct merged *merged = tally->merged ? &tally->merged[access->insn] : NULL;
    if (!merged || (!merged->width && !merged->is_part)) {
        count_shared(tally, access);
    } else if (!merged->is_part) {
        struct access wide = *access;
        wide.width = merged->width;
        for (uint32_t lane = 0; lane < N_LANES; lane++)
            wide.addr[lane] += (uint64_t)(int64_t)merged->delta;
        count_shared(tally, &wide);
    }
}

void tally_copy(struct tally *tally, const struct access *from, const struct outcome *out,
                const struct access *to)
{
    struct counters *c = &tally->accesses[to->insn];
    const struct copy_cost cost = copy_cost(from, to, out->sectors, out->ideal_sectors);
    struct outcome counted = *out;
    counted.sectors = cost.sectors;
    counted.ideal_sectors = cost.ideal_sectors;
    if (from->mask)
        tally_global(c, from, &counted);
    c->shared_requests++;
    c->shared_wavefronts += cost.shared.wavefronts;
    c->shared_ideal += cost.shared.ideal;
    c->shared_bytes += lanes_count(to->mask) * to->width;
}

void tally_access(struct tally *tally, const struct access *access, const struct outcome *out)
{
    struct counters *c = &tally->accesses[access->insn];
    switch (access->space) {
    case SPACE_GLOBAL:
        tally_global(c, access, out);
        break;
    case SPACE_LOCAL:
        tally_local(c, out);
        break;
    default:
        c->constant_requests += out->constant_requests;
        c->constant_misses += out->constant_misses;
    }
}

void tally_texture(struct tally *tally, uint32_t insn, const struct texture_traffic *traffic, const struct outcome *out)
{
    struct counters *c = &tally->accesses[insn];
    c->texture_requests += traffic->n_requests;
    c->texture_sectors += out->sectors;
    c->texture_hits += out->l1_hit_sectors;
    c->texture_executed_on += traffic->n_requests != 0;
}

void tally_add_to(const struct tally *tally, struct counters *counters)
{
    for (uint32_t i = 0; i < tally->n_insns; i++) {
        if (tally->merged && tally->merged[i].is_part)
            continue;
        counters_add(&counters[i], &tally->accesses[i]);
        struct tally_sums sums = tally_sums(&tally->hot[i]);
        counters[i].executed += sums.executed;
        counters[i].threads += sums.threads;
        counters[i].threads_on += sums.threads_on;
    }
}

void tally_add_l2(const struct l2_counts *l2, uint32_t n_insns, struct counters *counters)
{
    for (uint32_t i = 0; i < n_insns; i++) {
        struct counters *c = &counters[i];
        c->l2_read_requests += l2[i].read_requests;
        c->l2_read_sectors += l2[i].read_sectors;
        c->l2_read_hits += l2[i].read_hits;
        c->l2_merged_sectors += l2[i].merged_sectors;
        c->l2_write_requests += l2[i].write_requests;
        c->l2_write_sectors += l2[i].write_sectors;
        c->l2_write_hits += l2[i].write_hits;
        c->l2_atomic_requests += l2[i].atomic_requests;
        c->l2_atomic_sectors += l2[i].atomic_sectors;
        c->l2_atomic_hits += l2[i].atomic_hits;
        c->fabric_sectors += l2[i].fabric_sectors;
        c->host_read_sectors += l2[i].host_read_sectors;
        c->host_read_misses += l2[i].host_read_misses;
        c->host_write_sectors += l2[i].host_write_sectors;
        c->host_atomic_sectors += l2[i].host_atomic_sectors;
        c->dram_read_sectors += l2[i].dram_read_sectors;
        c->dram_again_sectors += l2[i].dram_again_sectors;
        c->dram_write_sectors += l2[i].dram_write_sectors;
    }
}
