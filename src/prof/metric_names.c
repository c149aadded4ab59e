// Names of metrics: ours, aliases, and whether Nsight Compute knows one that we do not model.
#include "base/map.h"
#include "prof/metrics.h"
#include <stdlib.h>
#include <string.h>

// The word graph of tools/ncu_names.awk. A name is a path of words from the last node to one that holds ".".
static const char *const name_nodes[] = {
#include "prof/ncu_names.inc"
};

struct alias {
    const char *old, *new;
};

static const struct alias aliases[] = {
#define ALIAS(old, new) {old, new},
#include "prof/metric_aliases.def"
#undef ALIAS
};

enum { N_NODES = sizeof name_nodes / sizeof *name_nodes, N_ALIASES = sizeof aliases / sizeof *aliases };

// Length of the word that `name` begins with: underscores, then everything up to the next one.
static size_t word_length(const char *name, size_t length)
{
    size_t n = 0;
    while (n < length && name[n] == '_')
        n++;
    while (n < length && name[n] != '_')
        n++;
    return n;
}

// The node behind `word` in `node`'s row, or -1.
static long follow(const char *row, const char *word, size_t length)
{
    for (const char *at = row; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, word, length) == 0 && at[length] == '>')
            return strtol(at + length + 1, NULL, 10);
    }
    return -1;
}

bool ncu_knows(const char *base, size_t length)
{
    long node = N_NODES - 1;
    while (length && node >= 0) {
        size_t n = word_length(base, length);
        node = follow(name_nodes[node], base, n);
        base += n;
        length -= n;
    }
    return node >= 0 && name_nodes[node][0] == '.';
}

static enum metric find_row(const char *name)
{
    for (int i = 0; i < N_METRICS; i++)
        if (strcmp(metric_info((enum metric)i)->name, name) == 0)
            return (enum metric)i;
    return METRIC_NONE;
}

// A base name alone means its first row: .sum before ratios.
static enum metric find_base(const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < N_METRICS; i++) {
        const char *row = metric_info((enum metric)i)->name;
        if (strncmp(row, name, n) == 0 && row[n] == '.')
            return (enum metric)i;
    }
    return METRIC_NONE;
}

// Roll-ups that ncu appends to a base name.
static bool is_suffix(const char *suffix)
{
    static const char *const starts[] = {"sum", "avg", "min", "max", "pct", "ratio", "max_rate"};
    size_t n = strcspn(suffix, ".");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strlen(starts[i]) == n && memcmp(suffix, starts[i], n) == 0)
            return true;
    return false;
}

// launch__, memory_ and the like have no list at ncu: only the rows we have, and the bases they share, are
// known.
static bool is_known(const char *name)
{
    size_t n = strcspn(name, ".");
    if (name[n] && !is_suffix(name + n + 1))
        return false;
    if (ncu_knows(name, n))
        return true;
    for (int i = 0; i < N_METRICS; i++)
        if (strncmp(metric_info((enum metric)i)->name, name, n) == 0 &&
            strcspn(metric_info((enum metric)i)->name, ".") == n)
            return true;
    static const char *const families[] = {"launch__",   "sass__",   "device__attribute_",
                                           "breakdown:", "nvlink__", "smsp__pcsamp_"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(name, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

static bool set_unknown(const char *name, struct err *err)
{
    const char *names[N_METRICS + N_ALIASES];
    for (int i = 0; i < N_METRICS; i++)
        names[i] = metric_info((enum metric)i)->name;
    for (int i = 0; i < N_ALIASES; i++)
        names[N_METRICS + i] = aliases[i].old;
    enum { LONGEST = 128 }; // no name of ours comes near
    const char *near = strlen(name) <= LONGEST ? nearest_name(name, names, N_METRICS + N_ALIASES) : NULL;
    return err_set(err, "unknown metric '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

bool metric_find(const char *name, struct metric_pick *out, struct err *err)
{
    *out = (struct metric_pick){name, find_row(name)};
    if (out->metric != METRIC_NONE)
        return true;
    for (int i = 0; i < N_ALIASES; i++)
        if (strcmp(aliases[i].old, name) == 0) {
            out->metric = find_row(aliases[i].new);
            return true;
        }
    out->metric = strchr(name, '.') ? METRIC_NONE : find_base(name);
    if (out->metric != METRIC_NONE) {
        out->name = metric_info(out->metric)->name;
        return true;
    }
    return is_known(name) || set_unknown(name, err);
}
