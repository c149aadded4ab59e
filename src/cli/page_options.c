// --metrics, --section and --set as the report wants them.
#include "cli/page_options.h"
#include "base/vec.h"
#include <regex.h>
#include <string.h>

struct pick_list {
    VEC(struct metric_pick) at;
};

// Each name once, in the order of its first mention.
static void add_pick(struct pick_list *picks, struct metric_pick pick)
{
    for (size_t i = 0; i < picks->at.n; i++)
        if (strcmp(picks->at.at[i].name, pick.name) == 0)
            return;
    vec_push(&picks->at, pick);
}

static bool add_name(struct pick_list *picks, const char *name, struct err *err)
{
    struct metric_pick pick;
    if (!metric_find(name, &pick, err))
        return false;
    add_pick(picks, pick);
    return true;
}

static bool add_section(struct pick_list *picks, const struct section *section, struct err *err)
{
    for (uint32_t i = 0; i < section->n_rows; i++)
        if (!add_name(picks, section->rows[i].metric, err))
            return false;
    return true;
}

// Every metric of ours whose name holds a match.
static bool add_matches(struct pick_list *picks, const char *pattern, struct err *err)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
        return err_set(err, "--metrics: 'regex:%s' is not a regular expression", pattern);
    size_t n_before = picks->at.n;
    for (int i = 0; i < N_METRICS; i++)
        if (regexec(&regex, metric_info((enum metric)i)->name, 0, NULL, 0) == 0)
            add_pick(picks, (struct metric_pick){metric_info((enum metric)i)->name, (enum metric)i});
    regfree(&regex);
    return picks->at.n > n_before || err_set(err, "--metrics: no metric matches 'regex:%s'", pattern);
}

static bool add_item(struct pick_list *picks, const char *item, struct err *err)
{
    struct section group;
    if (strncmp(item, "group:", 6) == 0)
        return section_group_find(item + 6, &group, err) && add_section(picks, &group, err);
    if (strncmp(item, "regex:", 6) == 0)
        return add_matches(picks, item + 6, err);
    return add_name(picks, item, err);
}

// "a,b,c"; the names live in the arena.
static bool add_list(struct arena *arena, struct pick_list *picks, const char *list, struct err *err)
{
    for (const char *at = list; *at; at += *at == ',') {
        size_t n = strcspn(at, ",");
        if (n && !add_item(picks, arena_string(arena, at, n), err))
            return false;
        at += n;
    }
    return picks->at.n > 0 || err_set(err, "--metrics names no metric");
}

static bool read_sections(struct arena *arena, const struct page_request *request, struct report_options *out,
                          struct err *err)
{
    char set = request->set ? section_set_find(request->set, err) : 0;
    if (request->set && !set)
        return false;
    struct section *sections = arena_array(arena, struct section, section_count() + request->sections.n);
    for (uint32_t i = 0; i < section_count(); i++)
        if (set && strchr(section_at(i).sets, set))
            sections[out->n_sections++] = section_at(i);
    for (uint32_t i = 0; i < request->sections.n; i++)
        if (!section_find(request->sections.at[i], &sections[out->n_sections++], err))
            return false;
    out->sections = sections;
    return true;
}

static bool read_picks(struct arena *arena, const struct page_request *request, struct report_options *out,
                       struct pick_list *picks, struct err *err)
{
    if (request->metrics && !add_list(arena, picks, request->metrics, err))
        return false;
    for (uint32_t i = 0; i < out->n_sections; i++)
        if (!add_section(picks, &out->sections[i], err))
            return false;
    return true;
}

bool page_options_read(struct arena *arena, const struct page_request *request, struct report_options *out,
                       struct err *err)
{
    *out = (struct report_options){.is_reproducible = request->is_reproducible,
                                   .is_in_order = request->order && strcmp(request->order, "line") == 0,
                                   .is_base_units =
                                       request->print_units && strcmp(request->print_units, "base") == 0};
    struct pick_list picks = {0};
    bool is_good = read_sections(arena, request, out, err) && read_picks(arena, request, out, &picks, err);
    if (is_good && picks.at.n) {
        out->picks =
            arena_copy(arena, picks.at.at, picks.at.n * sizeof *out->picks, _Alignof(struct metric_pick));
        out->n_picks = (uint32_t)picks.at.n;
    }
    vec_release(&picks.at);
    return is_good;
}
