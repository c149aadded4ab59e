// Sites and runs of neighbouring accesses: see site.h.
#include "prof/site.h"
#include "isa/isa.h"
#include "prof/lines.h"
#include "prof/merge.h"
#include <stdlib.h>
#include <string.h>

// ---- sites ----

static bool is_same_site(const struct site *a, const struct site *b)
{
    return a->line && a->line == b->line && a->class == b->class && a->access_bytes == b->access_bytes;
}

static int by_site(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->access_bytes != y->access_bytes)
        return x->access_bytes < y->access_bytes ? -1 : 1;
    return x->insn < y->insn ? -1 : 1;
}

static int by_insn(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static size_t collect_instructions(struct arena *arena, const struct profile_launch *launch, struct site *out)
{
    const uint32_t *row = launch_own_rows(arena, launch);
    size_t n = 0;
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *insn = &launch->insns[i];
        if (insn->class == CLASS_NONE)
            continue;
        uint32_t line = insn->line < launch->n_lines ? row[insn->line] : 0;
        out[n++] = (struct site){line, insn->class, insn->access_bytes, i, 1, insn->counters};
    }
    return n;
}

// Sorted instructions into sites, in place; returns how many.
static size_t join_instructions(const struct profile_launch *launch, struct site *sites, size_t n)
{
    size_t n_sites = 0;
    for (size_t i = 0; i < n; i++) {
        struct site *last = n_sites ? &sites[n_sites - 1] : NULL;
        if (!last || !is_same_site(last, &sites[i])) {
            sites[n_sites++] = sites[i];
            continue;
        }
        if (counters_cost(&sites[i].counters) > counters_cost(&launch->insns[last->insn].counters))
            last->insn = sites[i].insn;
        counters_add(&last->counters, &sites[i].counters);
        last->n_insns++;
    }
    return n_sites;
}

struct site *launch_sites(struct arena *arena, const struct profile_launch *launch, size_t *n)
{
    struct site *sites = arena_array(arena, struct site, launch->n_insns);
    size_t n_insns = collect_instructions(arena, launch, sites);
    qsort(sites, n_insns, sizeof *sites, by_site);
    *n = join_instructions(launch, sites, n_insns);
    qsort(sites, *n, sizeof *sites, by_insn);
    return sites;
}

// ---- runs ----

enum { WIDEST_BYTES = 16, REACH = 64, MAX_RUN = 64 };

static bool is_candidate(const struct profile_insn *insn)
{
    return insn->counters.executed && (insn->class == CLASS_GLOBAL_LD || insn->class == CLASS_GLOBAL_ST) &&
           insn->access_bytes && 2 * insn->access_bytes <= WIDEST_BYTES;
}

static bool is_alike(const struct profile_insn *a, const struct profile_insn *b)
{
    return a->class == b->class && a->access_bytes == b->access_bytes &&
           a->counters.global_requests == b->counters.global_requests &&
           a->counters.global_sectors == b->counters.global_sectors &&
           a->counters.global_bytes == b->counters.global_bytes;
}

struct member {
    long offset;
    uint32_t insn;
};

static int by_offset(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->insn < y->insn ? -1 : 1;
}

// Instructions near `first` that go through the same register in the same way, `first` included, by offset.
static uint32_t collect_members(const struct profile_launch *launch, uint32_t first, const uint32_t *run_of,
                                struct member out[MAX_RUN])
{
    struct insn_address ours, theirs;
    if (!insn_address_parse(launch->insns[first].text, &ours))
        return 0;
    uint32_t n = 0;
    for (uint32_t i = first; i < launch->n_insns && i - first < REACH && n < MAX_RUN; i++)
        if (!run_of[i] && is_candidate(&launch->insns[i]) &&
            is_alike(&launch->insns[first], &launch->insns[i]) &&
            insn_address_parse(launch->insns[i].text, &theirs) && insn_address_same_base(&ours, &theirs))
            out[n++] = (struct member){theirs.offset, i};
    qsort(out, n, sizeof *out, by_offset);
    return n;
}

// The widest vector that the lanes of `insn` can have to themselves: then a sector gives each lane that it
// serves one element of a vector, so its bytes used are at most that part of it. All lanes at one address may
// share any.
static uint32_t widest_vector(const struct profile_insn *insn)
{
    const struct counters *c = &insn->counters;
    uint32_t bytes = WIDEST_BYTES;
    while (c->global_uniform < c->global_requests && bytes > insn->access_bytes &&
           c->global_bytes * bytes > 32 * c->global_sectors * insn->access_bytes)
        bytes /= 2;
    return bytes;
}

// How many of the members from `start` on lie side by side, cut to whole vectors; 0 if they make none.
static uint32_t run_length(const struct profile_insn *insn, const struct member *members, uint32_t start,
                           uint32_t n, uint32_t *vector_bytes)
{
    uint32_t length = 1, width = insn->access_bytes;
    while (start + length < n &&
           members[start + length].offset == members[start].offset + (long)(length * width))
        length++;
    for (*vector_bytes = widest_vector(insn); *vector_bytes > width; *vector_bytes /= 2)
        if (members[start].offset % (long)*vector_bytes == 0 && length * width >= *vector_bytes)
            return length - length % (*vector_bytes / width);
    return 0;
}

// Do lanes share lines? Their bytes by their width are the lanes.
static bool lanes_share_lines(const struct profile_insn *insn)
{
    return insn->counters.global_tags * insn->access_bytes < insn->counters.global_bytes;
}

static struct vector_run make_run(const struct profile_launch *launch, const struct member *members,
                                  uint32_t n, uint32_t vector_bytes)
{
    const struct profile_insn *one = &launch->insns[members[0].insn];
    uint32_t n_vectors = n * one->access_bytes / vector_bytes;
    struct vector_run run = {.insn = members[0].insn,
                             .n_insns = n,
                             .n_vectors = n_vectors,
                             .vector_bytes = vector_bytes,
                             .is_structure = lanes_share_lines(one)};
    for (uint32_t i = 0; i < n; i++) {
        const struct counters *c = &launch->insns[members[i].insn].counters;
        run.insn = members[i].insn < run.insn ? members[i].insn : run.insn;
        run.requests += c->global_requests;
        run.sectors += c->global_sectors;
        run.ideal += c->global_ideal;
    }
    run.vector_sectors = n_vectors * one->counters.global_sectors;
    return run;
}

struct vector_run *launch_vector_runs(struct arena *arena, const struct profile_launch *launch, size_t *n,
                                      uint32_t **run_of)
{
    struct vector_run *runs = arena_array(arena, struct vector_run, launch->n_insns);
    *run_of = arena_array(arena, uint32_t, launch->n_insns);
    *n = 0;
    bool is_joined = launch_may_merge_global(launch);
    for (uint32_t i = 0; i < launch->n_insns && strcmp(launch->isa, "ptx") == 0 && !is_joined; i++) {
        struct member members[MAX_RUN];
        if ((*run_of)[i] || !is_candidate(&launch->insns[i]))
            continue;
        uint32_t n_members = collect_members(launch, i, *run_of, members), vector_bytes;
        for (uint32_t start = 0; start < n_members; start++) {
            uint32_t length = run_length(&launch->insns[i], members, start, n_members, &vector_bytes);
            if (!length)
                continue;
            runs[*n] = make_run(launch, &members[start], length, vector_bytes);
            ++*n;
            for (uint32_t k = 0; k < length; k++)
                (*run_of)[members[start + k].insn] = (uint32_t)*n;
            start += length - 1;
        }
    }
    return runs;
}
