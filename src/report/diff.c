// Two reports matched launch by launch, and the gates over their differences: see diff.h.
#include "report/diff.h"
#include "base/expr.h"
#include "base/map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double diff_change(double before, double after)
{
    if (before == after)
        return 0;
    return before == 0 ? (after > 0 ? (double)INFINITY : -(double)INFINITY)
                       : 100 * (after - before) / fabs(before);
}

// ---- matching ----

// The first launch of `report` with this name that is not taken; NULL if there is none.
static const struct report_launch *take(const struct report *report, const char *name, bool *is_taken)
{
    for (uint32_t i = 0; i < report->n_launches; i++)
        if (!is_taken[i] && strcmp(report->launches[i].name, name) == 0) {
            is_taken[i] = true;
            return &report->launches[i];
        }
    return NULL;
}

void diff_match(const struct report *before, const struct report *after, struct diff *out)
{
    struct arena *arena = after->arena;
    *out = (struct diff){.arena = arena,
                         .before = before,
                         .after = after,
                         .pairs = arena_array(arena, struct diff_pair, after->n_launches),
                         .only_before = arena_array(arena, const struct report_launch *, before->n_launches),
                         .only_after = arena_array(arena, const struct report_launch *, after->n_launches)};
    bool *is_taken = arena_array(arena, bool, before->n_launches);
    if (before->n_launches == 1 && after->n_launches == 1) { // whatever they are called
        out->pairs[out->n_pairs++] = (struct diff_pair){before->launches, after->launches};
        return;
    }
    for (uint32_t i = 0; i < after->n_launches; i++) {
        const struct report_launch *l = &after->launches[i], *partner = take(before, l->name, is_taken);
        if (partner)
            out->pairs[out->n_pairs++] = (struct diff_pair){partner, l};
        else
            out->only_after[out->n_only_after++] = l;
    }
    for (uint32_t i = 0; i < before->n_launches; i++)
        if (!is_taken[i])
            out->only_before[out->n_only_before++] = &before->launches[i];
}

// ---- gates ----

struct term {
    char which; // 'o' old, 'n' new, 'c' change
    enum metric metric;
};

static bool read_term(const char *name, struct term *out, struct err *err)
{
    static const char *const prefixes[] = {"old.", "new.", "change."};
    struct metric_pick pick;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], n) != 0)
            continue;
        if (!metric_find(name + n, &pick, err))
            return false;
        *out = (struct term){prefixes[i][0], pick.metric};
        return true;
    }
    return err_set(err, "--fail-on: '%s' is neither old.METRIC, new.METRIC nor change.METRIC", name);
}

static double term_value(const struct diff_pair *pair, const struct term *term)
{
    if (term->metric == METRIC_NONE)
        return (double)NAN;
    double before = metric_value(&pair->before->metrics, term->metric);
    double after = metric_value(&pair->after->metrics, term->metric);
    return term->which == 'o' ? before : term->which == 'n' ? after : diff_change(before, after);
}

static bool judge_pair(const struct diff *diff, const struct diff_pair *pair, const struct expr *expr,
                       const struct term *terms, struct gate *gate, struct err *err)
{
    double *values = arena_array(diff->arena, double, expr->n_names);
    struct buf text = {0};
    for (uint32_t i = 0; i < expr->n_names; i++) {
        values[i] = term_value(pair, &terms[i]);
        if (isnan(values[i])) {
            buf_release(&text);
            return err_set(err, "--fail-on: %s is n/a for %s", expr->names[i], pair->after->name);
        }
        buf_printf(&text, "%s%s = ", i ? ", " : "", expr->names[i]);
        metric_print(&text, values[i]);
    }
    double result = expr_eval_real(expr, values);
    bool holds = result != 0 && !isnan(result);
    const char *numbers = text.n ? arena_string(diff->arena, text.at, text.n) : "";
    gate->cases[gate->n++] = (struct gate_case){
        pair->after, expr->text,
        holds ? arena_printf(diff->arena, "%s: %s holds (%s)\n", pair->after->name, expr->text, numbers) : "",
        ""};
    gate->n_failed += holds;
    buf_release(&text);
    return true;
}

static struct gate gate_start(const struct diff *diff, uint32_t n_expressions)
{
    struct gate gate = {.cases = arena_array(diff->arena, struct gate_case,
                                             (size_t)n_expressions * diff->n_pairs + diff->n_only_before)};
    for (uint32_t i = 0; i < diff->n_only_before; i++) {
        const struct report_launch *l = diff->only_before[i];
        gate.cases[gate.n++] = (struct gate_case){
            l, "is launched",
            arena_printf(diff->arena, "%s: launch %llu is missing now\n", l->name, (unsigned long long)l->id),
            ""};
        gate.n_failed++;
    }
    return gate;
}

bool diff_judge(const struct diff *diff, const char *const *expressions, uint32_t n, struct gate *out,
                struct err *err)
{
    *out = gate_start(diff, n);
    for (uint32_t i = 0; i < n; i++) {
        struct expr expr;
        if (!expr_parse(diff->arena, "--fail-on", expressions[i], EXPR_REAL, &expr, err))
            return false;
        struct term *terms = arena_array(diff->arena, struct term, expr.n_names);
        for (uint32_t k = 0; k < expr.n_names; k++)
            if (!read_term(expr.names[k], &terms[k], err))
                return false;
        for (uint32_t k = 0; k < diff->n_pairs; k++)
            if (!judge_pair(diff, &diff->pairs[k], &expr, terms, out, err))
                return false;
    }
    return true;
}

// What a kernel pays: fewer is better for each of them.
static const enum metric costs[] = {METRIC_smsp__inst_executed_sum,
                                    METRIC_memory_l1_wavefronts_shared_plain,
                                    METRIC_memory_l2_theoretical_sectors_global_plain,
                                    METRIC_memory_l2_theoretical_sectors_local_plain,
                                    METRIC_lts__t_sectors_srcunit_tex_sum,
                                    METRIC_dram__bytes_sum};

bool diff_judge_growth(const struct diff *diff, double most_percent, struct gate *out, struct err *err)
{
    enum { N_COSTS = sizeof costs / sizeof *costs };
    const char *expressions[N_COSTS];
    for (int i = 0; i < N_COSTS; i++)
        expressions[i] =
            arena_printf(diff->arena, "change.%s > %g", metric_info(costs[i])->name, most_percent);
    return diff_judge(diff, expressions, N_COSTS, out, err);
}
