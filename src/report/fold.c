// Groups launches by kernel, grid and block.
#include "report/fold.h"
#include "base/map.h"
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

static void group_launches(const struct report *report, struct map *groups, bool *shown)
{
    for (uint32_t i = 0; i < report->n_launches; i++) {
        const struct report_launch *l = &report->launches[i];
        const char *key = key_of(report, l);
        struct group *group = map_get(groups, key, strlen(key));
        if (!group) {
            group = arena_new(report->arena, struct group);
            map_set(groups, key, strlen(key), group);
        }
        shown[i] = group->n++ < FOLD_SHOWN || l->launch->fault;
        if (shown[i]) {
            group->last_shown = l;
            group->n_shown++;
        } else {
            group->n_equal += counts_equal(l, group->last_shown);
        }
    }
}

const bool *fold_shown(const struct report *report)
{
    bool *shown = arena_array(report->arena, bool, report->n_launches + 1);
    struct map groups = {0};
    group_launches(report, &groups, shown);
    map_release(&groups);
    return shown;
}

void fold_print(const struct report *report, struct buf *out)
{
    bool *shown = arena_array(report->arena, bool, report->n_launches + 1);
    struct map groups = {0};
    group_launches(report, &groups, shown);
    for (size_t i = 0; i < groups.n; i++) {
        const struct group *group = groups.entries[i].value;
        if (group->n == group->n_shown)
            continue;
        const char *line = arena_printf(report->arena, "%llu more launches of %s, %llu of them with the counts of launch %llu; "
                                        "--csv, --json and --page raw have each.", (unsigned long long)(group->n - group->n_shown),
                                        groups.entries[i].key, (unsigned long long)group->n_equal,
                                        (unsigned long long)group->last_shown->id);
        page_wrap(out, "and ", line);
    }
    map_release(&groups);
}
