// Gates: see gate.h.
#include "report/gate.h"
#include "base/expr.h"
#include "prof/lines.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// One expression, read.
struct condition {
    const char *text; // as given
    struct expr expr;
    const struct metric_pick *picks; // one for each name
    bool is_per_line;
    const char *place; // only this line; NULL = all
    bool has_met_place;
};

static bool read_picks(struct arena *arena, struct condition *out, struct err *err)
{
    struct metric_pick *picks = arena_array(arena, struct metric_pick, out->expr.n_names);
    for (uint32_t i = 0; i < out->expr.n_names; i++)
        if (!metric_find(out->expr.names[i], &picks[i], err))
            return false;
    out->picks = picks;
    return true;
}

// "line: ", "line FILE:N: " or nothing; returns what follows.
static const char *read_scope(struct arena *arena, const char *text, struct condition *out)
{
    if (strncmp(text, "line", 4) != 0 || (text[4] != ':' && text[4] != ' '))
        return text;
    out->is_per_line = true;
    if (text[4] == ':')
        return text + 5 + strspn(text + 5, " ");
    const char *end = strstr(text, ": ");
    if (!end)
        return text;
    out->place = arena_string(arena, text + 5, (size_t)(end - text - 5));
    return end + 2;
}

static bool read_condition(struct arena *arena, const char *text, struct condition *out, struct err *err)
{
    *out = (struct condition){.text = text};
    const char *expression = read_scope(arena, text, out);
    return expr_parse(arena, "--fail-on", expression, EXPR_REAL, &out->expr, err) &&
           read_picks(arena, out, err);
}

// 1 it holds, 0 it does not, -1 a metric is n/a. `values` gets "name = value, ...".
static int judge(struct arena *arena, const struct condition *condition, const struct metric_input *in,
                 const char *name, const char **values, struct err *err)
{
    double *numbers = arena_array(arena, double, condition->expr.n_names);
    struct buf text = {0};
    for (uint32_t i = 0; i < condition->expr.n_names; i++) {
        enum metric metric = condition->picks[i].metric;
        numbers[i] = metric == METRIC_NONE ? (double)NAN : metric_value(in, metric);
        if (isnan(numbers[i])) {
            err_set(err, "--fail-on: %s is n/a for %s", condition->expr.names[i], name);
            buf_release(&text);
            return -1;
        }
        buf_printf(&text, "%s%s = ", i ? ", " : "", condition->expr.names[i]);
        metric_print(&text, numbers[i]);
    }
    *values = text.n ? arena_string(arena, text.at, text.n) : "";
    buf_release(&text);
    double result = expr_eval_real(&condition->expr, numbers);
    return result != 0 && !isnan(result);
}

static void add_failure(struct buf *out, const char *name, const char *place, const char *expression,
                        const char *values)
{
    buf_printf(out, "%s%s%s: %s holds%s%s%s\n", name, *place ? " at " : "", place, expression,
               *values ? " (" : "", values, *values ? ")" : "");
}

static int judge_launch(const struct report *report, const struct report_launch *l,
                        const struct condition *condition, struct buf *failure, const char **values,
                        struct err *err)
{
    int result = judge(report->arena, condition, &l->metrics, l->name, values, err);
    if (result > 0)
        add_failure(failure, l->name, "", condition->text, "");
    return result < 0 ? -1 : 0;
}

// The launch's metrics from the instructions of one row alone.
static void line_input(const struct report_launch *l, const struct line_row *row, const uint32_t *row_of,
                       struct metric_input *out)
{
    const struct profile_launch *launch = l->launch;
    *out = (struct metric_input){.launch = launch,
                                 .device = l->device,
                                 .may_merge_shared = l->metrics.may_merge_shared,
                                 .may_merge_global = l->metrics.may_merge_global};
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        uint32_t line = launch->insns[i].line;
        bool is_here = row->line ? line < launch->n_lines && row_of[line] == row->line : i == row->worst_insn;
        if (is_here)
            metric_input_add(out, &launch->insns[i]);
    }
}

// As judge, of one row; what it needs lives in `scratch`.
static int judge_row(struct arena *scratch, const struct report_launch *l, struct condition *condition,
                     const struct line_row *row, const uint32_t *row_of, struct buf *failure, struct err *err)
{
    struct metric_input in;
    const char *place = launch_place(scratch, l->launch, row->worst_insn), *values;
    if (!row->counters.executed || (condition->place && strcmp(condition->place, place) != 0))
        return 0;
    condition->has_met_place = true;
    line_input(l, row, row_of, &in);
    int result = judge(scratch, condition, &in, l->name, &values, err);
    if (result > 0)
        add_failure(failure, l->name, place, condition->expr.text, values);
    return result;
}

static int judge_lines(const struct report_launch *l, struct condition *condition, struct buf *failure,
                       struct err *err)
{
    size_t n;
    struct arena scratch;
    arena_init(&scratch, "lines");
    const struct line_row *rows = launch_lines(&scratch, l->launch, &n);
    const uint32_t *row_of = launch_line_rows(&scratch, l->launch);
    int result = 0;
    for (size_t i = 0; i < n && result >= 0; i++)
        result = judge_row(&scratch, l, condition, &rows[i], row_of, failure, err);
    arena_release(&scratch);
    return result;
}

static bool judge_condition(const struct report *report, struct condition *condition, struct gate *gate,
                            struct err *err)
{
    for (uint32_t k = 0; k < report->n_launches; k++) {
        const struct report_launch *l = &report->launches[k];
        struct buf failure = {0};
        const char *values = "";
        int result = condition->is_per_line ? judge_lines(l, condition, &failure, err)
                                            : judge_launch(report, l, condition, &failure, &values, err);
        if (result < 0) {
            buf_release(&failure);
            return false;
        }
        gate->cases[gate->n++] = (struct gate_case){
            l, condition->text, failure.n ? arena_string(report->arena, failure.at, failure.n) : "", values};
        gate->n_failed += failure.n > 0;
        buf_release(&failure);
    }
    return !condition->place || condition->has_met_place || !report->n_launches ||
           err_set(err, "--fail-on: no launch ran the line %s", condition->place);
}

bool gate_judge(const struct report *report, const char *const *expressions, uint32_t n, struct gate *out,
                struct err *err)
{
    *out =
        (struct gate){.cases = arena_array(report->arena, struct gate_case, (size_t)n * report->n_launches)};
    for (uint32_t i = 0; i < n; i++) {
        struct condition condition;
        if (!read_condition(report->arena, expressions[i], &condition, err) ||
            !judge_condition(report, &condition, out, err))
            return false;
    }
    return true;
}

void gate_print(const struct gate *gate, struct buf *out)
{
    for (uint32_t i = 0; i < gate->n; i++)
        buf_puts(out, gate->cases[i].failure);
}

// ---- JUnit ----

// Text of an XML attribute or element; control characters, which XML cannot hold, become '?'.
static void add_xml(struct buf *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            buf_puts(out, "&lt;");
            break;
        case '>':
            buf_puts(out, "&gt;");
            break;
        case '&':
            buf_puts(out, "&amp;");
            break;
        case '"':
            buf_puts(out, "&quot;");
            break;
        default:
            buf_add(out, (unsigned char)*text < ' ' && *text != '\n' ? "?" : text, 1);
        }
}

static void add_case(const struct gate_case *c, struct buf *out)
{
    buf_puts(out, "  <testcase classname=\"");
    add_xml(out, c->launch->name);
    buf_printf(out, "\" name=\"launch %llu: ", (unsigned long long)c->launch->id);
    add_xml(out, c->expression);
    if (!*c->failure) {
        buf_puts(out, "\"/>\n");
        return;
    }
    buf_puts(out, "\">\n    <failure message=\"");
    add_xml(out, c->expression);
    buf_puts(out, " holds\">");
    add_xml(out, c->failure);
    add_xml(out, c->values);
    buf_puts(out, "</failure>\n  </testcase>\n");
}

void gate_junit(const struct gate *gate, struct buf *out)
{
    buf_printf(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"warpglass\" tests=\"%u\" "
               "failures=\"%u\" errors=\"0\">\n",
               gate->n, gate->n_failed);
    for (uint32_t i = 0; i < gate->n; i++)
        add_case(&gate->cases[i], out);
    buf_puts(out, "</testsuite>\n");
}
