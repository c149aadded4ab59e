// What one host thread counts while it runs SMs: one entry an instruction, in two parts, so that what every
// instruction touches stays close together. Tallies of all threads are summed when the launch ends, so the
// split does not show.
#ifndef CYCLE_TALLY_H
#define CYCLE_TALLY_H
#include "mem/memo.h"
#include "mem/memsys.h"
#include "mem/repair.h"
#include "prof/counters.h"
#include "simt/step.h"

struct tally_hot {
    uint64_t full; // executions with all 32 lanes active and predicated on; the other fields leave these out
    uint64_t executed, threads, threads_on;
};

struct tally {
    struct tally_hot *hot;     // n_insns entries each
    struct counters *accesses; // the other fields
    struct banks_memo *memos;  // no counts, but each thread its own
    struct repair_memo *repairs; // made by the first conflict
    const struct merged *merged; // of the kernel, may be NULL: parts of another access count nothing
    uint32_t n_insns;
};

void tally_init(struct tally *tally, struct arena *arena, const struct kernel *kernel);
void tally_release(struct tally *tally);
void tally_access(struct tally *tally, const struct access *access, const struct outcome *outcome);
void tally_shared(struct tally *tally, const struct access *access); // counts the wavefronts itself
void tally_cluster(struct tally *tally, const struct access *access); // shared memory of another block
// cp.async: what was read, with what became of it, and what was written to shared memory.
void tally_copy(struct tally *tally, const struct access *from, const struct outcome *outcome,
                const struct access *to);
void tally_texture(struct tally *tally, uint32_t insn, const struct texture_traffic *traffic, const struct outcome *outcome);
void tally_add_to(const struct tally *tally, struct counters *counters);
void tally_add_l2(const struct l2_counts *l2, uint32_t n_insns, struct counters *counters);

void tally_partial(struct tally_hot *hot, const struct step *step);

// Once for every warp instruction.
static inline void tally_step(struct tally_hot *hot, const struct step *step)
{
    if ((step->active & step->on) == UINT32_MAX)
        hot[step->pc].full++;
    else
        tally_partial(&hot[step->pc], step);
}

struct tally_sums {
    uint64_t executed, threads, threads_on;
};
struct tally_sums tally_sums(const struct tally_hot *hot);
#endif
