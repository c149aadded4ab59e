// Groups launches by kernel, grid and block.
#include "report/fold.h"
#include "report/page.h"
#include <string.h>

struct group {
    const struct report_launch *last_shown;
    uint64_t n, n_shown, n_equal; // launches; of those not shown, the ones that count like the last shown one
};

static const char *key_of(const struct report *report, const struct report_launch *l)
{
    return arena_printf(report->arena, "%s (%s)x(%s)", l->name, report_shape(report->arena, l->launch->grid),
                        report_shape(report->arena, l->launch->block));
}

// Counters that are equal are shared by the reader of the profile.
static bool counts_equal(const struct report_launch *a, const struct report_launch *b)
{
    return a->launch->insns == b->launch->insns && !a->launch->fault && !b->launch->fault;
}

struct fold fold_launches(const struct report *report)
{
    struct fold fold = {.shown = arena_array(report->arena, bool, report->n_launches + 1)};
    for (uint32_t i = 0; i < report->n_launches; i++) {
        const struct report_launch *l = &report->launches[i];
        const char *key = key_of(report, l);
        struct group *group = map_get(&fold.groups, key, strlen(key));
        if (!group) {
            group = arena_new(report->arena, struct group);
            map_set(&fold.groups, key, strlen(key), group);
        }
        fold.shown[i] = group->n++ < FOLD_SHOWN || l->launch->fault;
        if (fold.shown[i]) {
            group->last_shown = l;
            group->n_shown++;
        } else {
            group->n_equal += counts_equal(l, group->last_shown);
        }
    }
    return fold;
}

void fold_release(struct fold *fold)
{
    map_release(&fold->groups);
}

void fold_print(const struct fold *fold, struct arena *arena, struct buf *out)
{
    for (size_t i = 0; i < fold->groups.n; i++) {
        const struct group *group = fold->groups.entries[i].value;
        if (group->n == group->n_shown)
            continue;
        const char *line =
            arena_printf(arena, "%llu more launches of %s, %llu of them with the counts of launch %llu; "
                         "--csv, --json and --page raw have each.", (unsigned long long)(group->n - group->n_shown),
                         fold->groups.entries[i].key, (unsigned long long)group->n_equal,
                         (unsigned long long)group->last_shown->id);
        page_wrap(out, "and ", line);
    }
}
