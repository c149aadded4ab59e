// Table-driven options: parsing, usage text, mistakes named with the nearest known option.
#include "cli/options.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/units.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 64, HELP_COLUMN = 30 };

int usage_error(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "warpglass %s: ", command);
    vfprintf(stderr, format, args);
    fprintf(stderr, " (see 'warpglass %s --help')\n", command);
    va_end(args);
    return EXIT_USAGE;
}

static size_t long_name_length(const struct option_row *row)
{
    return strcspn(row->name, "|");
}

static char short_name(const struct option_row *row)
{
    const char *bar = strchr(row->name, '|');
    return bar ? bar[1] : '\0';
}

static void print_usage(const char *synopsis, const char *purpose, const struct option_row *rows)
{
    struct buf line = {0};
    printf("usage: warpglass %s\n\n%s\n", synopsis, purpose);
    if (rows[0].name)
        printf("\noptions:\n");
    for (const struct option_row *row = rows; row->name; row++) {
        buf_clear(&line);
        buf_puts(&line, "  ");
        if (short_name(row))
            buf_printf(&line, "-%c, ", short_name(row));
        buf_printf(&line, "--%.*s", (int)long_name_length(row), row->name);
        if (row->argument)
            buf_printf(&line, " %s", row->argument);
        if (line.n + 2 > HELP_COLUMN)
            buf_puts(&line, "\n");
        buf_pad_to(&line, HELP_COLUMN);
        printf("%s%s\n", line.at, row->text);
    }
    buf_release(&line);
}

static const struct option_row *find_row(const struct option_row *rows, const char *name, size_t length)
{
    for (const struct option_row *row = rows; row->name; row++)
        if (long_name_length(row) == length && memcmp(row->name, name, length) == 0)
            return row;
    return NULL;
}

static const struct option_row *find_short(const struct option_row *rows, char letter)
{
    for (const struct option_row *row = rows; row->name; row++)
        if (short_name(row) == letter)
            return row;
    return NULL;
}

static bool list_add(struct option_list *list, const char *value)
{
    if (list->n == MAX_OPTION_LIST)
        return false;
    list->at[list->n++] = value;
    return true;
}

static bool store_u32(uint32_t *target, const char *value)
{
    uint64_t wide;
    if (!units_parse_u64(value, &wide) || wide > UINT32_MAX)
        return false;
    *target = (uint32_t)wide;
    return true;
}

static bool store(const struct option_row *row, const char *value)
{
    switch (row->kind) {
    case OPT_FLAG:
        *(bool *)row->target = true;
        return true;
    case OPT_STRING:
        *(const char **)row->target = value;
        return true;
    case OPT_U32:
        return store_u32(row->target, value);
    case OPT_U64:
        return units_parse_u64(value, row->target);
    case OPT_I64:
        return units_parse_i64(value, row->target);
    case OPT_REAL:
        return units_parse_double(value, row->target);
    case OPT_BYTES:
        return units_parse_bytes(value, row->target);
    case OPT_SHAPE:
        return units_parse_shape(value, row->target);
    case OPT_LIST:
        return list_add(row->target, value);
    }
    BUG("option kind %d", (int)row->kind);
}

static int unknown_option(const char *command, const struct option_row *rows, const char *text)
{
    const char *names[MAX_ROWS];
    char copies[MAX_ROWS][40];
    size_t n = 0;
    for (const struct option_row *row = rows; row->name && n < MAX_ROWS; row++, n++) {
        snprintf(copies[n], sizeof copies[n], "%.*s", (int)long_name_length(row), row->name);
        names[n] = copies[n];
    }
    const char *near = nearest_name(text + strspn(text, "-"), names, n);
    if (near)
        return usage_error(command, "unknown option '%s'; did you mean '--%s'?", text, near);
    return usage_error(command, "unknown option '%s'", text);
}

static bool is_option(const char *word, const struct option_row *rows)
{
    if (word[0] != '-' || word[1] == '\0')
        return false;
    bool is_number = strchr("0123456789.", word[1]) != NULL;
    return !is_number || find_short(rows, word[1]);
}

// One option at argv[*i]; advances *i over a separate value. Returns OPTIONS_GO or a status.
static int parse_one(int argc, char **argv, int *i, const char *command, const struct option_row *rows)
{
    const char *word = argv[*i], *value = NULL;
    const struct option_row *row;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        row = find_row(rows, word + 2, length);
        value = word[2 + length] == '=' ? word + 3 + length : NULL;
    } else {
        row = find_short(rows, word[1]);
        value = word[2] ? word + 2 : NULL;
    }
    if (!row)
        return unknown_option(command, rows, word);
    int name_length = (int)long_name_length(row);
    if (row->kind == OPT_FLAG && value)
        return usage_error(command, "--%.*s takes no value", name_length, row->name);
    if (row->kind != OPT_FLAG && !value) {
        if (*i + 1 >= argc)
            return usage_error(command, "--%.*s needs a value: %s", name_length, row->name, row->argument);
        value = argv[++*i];
    }
    if (!store(row, value))
        return usage_error(command, "--%.*s %s: expected %s", name_length, row->name, value, row->argument);
    return OPTIONS_GO;
}

static int parse(int argc, char **argv, const char *synopsis, const char *purpose,
                 const struct option_row *rows, struct arguments *out, bool stops)
{
    const char *command = argv[0];
    *out = (struct arguments){0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || (strcmp(argv[i], "-h") == 0 && !find_short(rows, 'h'))) {
            print_usage(synopsis, purpose, rows);
            return 0;
        }
        bool ends = strcmp(argv[i], "--") == 0;
        if (stops && (ends || !is_option(argv[i], rows))) {
            out->rest = argv + i + ends;
            out->n_rest = argc - i - ends;
            return OPTIONS_GO;
        }
        if (ends) {
            for (i++; i < argc && out->n < MAX_OPTION_LIST; i++)
                out->at[out->n++] = argv[i];
            break;
        }
        if (!is_option(argv[i], rows)) {
            if (out->n == MAX_OPTION_LIST)
                return usage_error(command, "more than %d arguments", MAX_OPTION_LIST);
            out->at[out->n++] = argv[i];
            continue;
        }
        int status = parse_one(argc, argv, &i, command, rows);
        if (status != OPTIONS_GO)
            return status;
    }
    return OPTIONS_GO;
}

int options_parse(int argc, char **argv, const char *synopsis, const char *purpose,
                  const struct option_row *rows, struct arguments *out)
{
    return parse(argc, argv, synopsis, purpose, rows, out, false);
}

int options_parse_program(int argc, char **argv, const char *synopsis, const char *purpose,
                          const struct option_row *rows, struct arguments *out)
{
    return parse(argc, argv, synopsis, purpose, rows, out, true);
}
