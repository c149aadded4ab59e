// Reader of `key = value @source "note"` lines.
#include "base/kv.h"
#include "base/map.h"
#include "base/vec.h"
#include <string.h>

struct reader {
    struct arena *arena;
    const struct kv_file *file;
    unsigned line;        // 1-based
    const char *start;    // of the line
    const char *at, *end; // what is left of it, without comment and trailing blanks
    struct err *err;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static unsigned column_of(const struct reader *r, const char *at)
{
    return (unsigned)(at - r->start) + 1;
}

#define FAIL(r, where, ...)                                                                    \
    err_set_at((r)->err, (r)->file->path, (r)->line, column_of((r), (where)), (r)->file->text, \
               (r)->file->text_length, __VA_ARGS__)

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

// The end of the line's content: a `#` outside quotes starts a comment.
static const char *content_end(const char *at, const char *end)
{
    bool in_quotes = false;
    const char *stop = at;
    for (; at < end && (in_quotes || *at != '#'); at++) {
        in_quotes ^= *at == '"';
        if (!is_blank(*at))
            stop = at + 1;
    }
    return stop;
}

static bool read_key(struct reader *r, const char **key)
{
    const char *start = r->at;
    const char *equals = memchr(start, '=', (size_t)(r->end - start));
    if (!equals)
        return FAIL(r, start, "expected 'key = value', found no '='");
    const char *stop = equals;
    while (stop > start && is_blank(stop[-1]))
        stop--;
    if (stop == start)
        return FAIL(r, equals, "expected a key before '='");
    for (const char *c = start; c < stop; c++)
        if (is_blank(*c) || *c == '"' || *c == '@')
            return FAIL(r, c, "a key is one word of letters, digits, '.', '_' and '-'");
    *key = arena_string(r->arena, start, (size_t)(stop - start));
    r->at = equals + 1;
    return true;
}

// Every word up to `@` or a quote, joined by one blank.
static bool read_value(struct reader *r, struct kv_pair *pair)
{
    skip_blanks(r);
    pair->value_column = column_of(r, r->at);
    char *value = arena_alloc(r->arena, (size_t)(r->end - r->at) + 1, 1);
    size_t n = 0;
    for (; r->at < r->end && *r->at != '@' && *r->at != '"'; r->at++) {
        if (!is_blank(*r->at))
            value[n++] = *r->at;
        else if (n && value[n - 1] != ' ')
            value[n++] = ' ';
    }
    if (n && value[n - 1] == ' ')
        n--;
    value[n] = '\0';
    pair->value = value;
    return n ? true : FAIL(r, r->at, "'%s' has no value", pair->key);
}

static bool read_source(struct reader *r, struct kv_pair *pair)
{
    pair->source = "";
    if (r->at == r->end || *r->at != '@')
        return true;
    const char *start = ++r->at;
    while (r->at < r->end && !is_blank(*r->at) && *r->at != '"')
        r->at++;
    if (r->at == start)
        return FAIL(r, start - 1, "expected a source behind '@'");
    pair->source = arena_string(r->arena, start, (size_t)(r->at - start));
    skip_blanks(r);
    return true;
}

static bool read_note(struct reader *r, struct kv_pair *pair)
{
    pair->note = "";
    if (r->at == r->end)
        return true;
    if (*r->at != '"')
        return FAIL(r, r->at, "expected a note in quotes or the end of the line");
    const char *start = r->at + 1;
    const char *quote = memchr(start, '"', (size_t)(r->end - start));
    if (!quote)
        return FAIL(r, r->at, "the quote is not closed");
    pair->note = arena_string(r->arena, start, (size_t)(quote - start));
    r->at = quote + 1;
    skip_blanks(r);
    return r->at == r->end ? true : FAIL(r, r->at, "expected the end of the line behind the note");
}

static bool read_pair(struct reader *r, struct kv_pair *pair)
{
    pair->line = r->line;
    return read_key(r, &pair->key) && read_value(r, pair) && read_source(r, pair) && read_note(r, pair);
}

// `seen` holds the line of each earlier pair, by key.
static bool check_once(struct reader *r, struct map *seen, const struct kv_pair *pair)
{
    const char *first = map_get(seen, pair->key, strlen(pair->key));
    if (first)
        return FAIL(r, r->start + strspn(r->start, " \t"), "'%s' is given twice (first in line %s)",
                    pair->key, first);
    map_set(seen, pair->key, strlen(pair->key), arena_printf(r->arena, "%u", pair->line));
    return true;
}

struct pair_list {
    struct kv_pair *at;
    size_t n, capacity;
};

static bool read_lines(struct reader *r, struct pair_list *pairs, struct map *seen)
{
    const char *end = r->file->text + r->file->text_length;
    for (const char *next = r->file->text; next < end; r->line++) {
        const char *newline = memchr(next, '\n', (size_t)(end - next));
        const char *line_end = newline ? newline : end;
        r->start = r->at = next;
        r->end = content_end(next, line_end);
        next = line_end + 1;
        skip_blanks(r);
        if (r->at >= r->end)
            continue;
        struct kv_pair pair;
        if (!read_pair(r, &pair) || !check_once(r, seen, &pair))
            return false;
        vec_push(pairs, pair);
    }
    return true;
}

bool kv_parse(struct arena *arena, const char *path, const char *text, size_t length, struct kv_file *out,
              struct err *err)
{
    *out = (struct kv_file){
        .path = arena_string(arena, path, strlen(path)),
        .text = arena_string(arena, text, length),
        .text_length = length,
    };
    struct reader reader = {.arena = arena, .file = out, .line = 1, .err = err};
    struct pair_list pairs = {0};
    struct map seen = {0};
    bool is_good = read_lines(&reader, &pairs, &seen);
    out->pairs = arena_copy(arena, pairs.at, pairs.n * sizeof *pairs.at, _Alignof(struct kv_pair));
    out->n = pairs.n;
    vec_release(&pairs);
    map_release(&seen);
    return is_good;
}
