// warpglass device list | show NAME | diff A B: the GPUs the model knows, and where their values come from.
#include "base/err.h"
#include "base/units.h"
#include "cli/choose_device.h"
#include "cli/commands.h"
#include "cli/device_tower.h"
#include "cli/options.h"
#include <jansson.h>
#include <string.h>

enum { MAX_DEVICES = 64 };

struct format {
    bool source, json, csv;
};

static int print_and_release(struct buf *out)
{
    fputs(out->at ? out->at : "", stdout);
    buf_release(out);
    return 0;
}

static int print_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    putchar('\n');
    json_decref(root);
    return 0;
}

// A field of a CSV line, in quotes where it needs them.
static void csv_field(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"")) {
        buf_puts(out, text);
        return;
    }
    buf_puts(out, "\"");
    for (; *text; text++)
        buf_printf(out, *text == '"' ? "\"%c" : "%c", *text);
    buf_puts(out, "\"");
}

// The value as a device file writes it; freed with the arena.
static const char *value_text(struct arena *arena, const struct device *d, enum device_key key)
{
    struct buf text = {0};
    device_print_value(d, key, &text);
    const char *copy = arena_string(arena, text.at ? text.at : "", text.n);
    buf_release(&text);
    return copy;
}

// ---- list -----------------------------------------------------------------------------------------------

static void list_row(struct arena *arena, const struct device *d, bool csv, struct buf *out)
{
    if (csv) {
        buf_printf(out, "%s,", d->id);
        csv_field(out, d->name);
        buf_printf(out, ",%s,%llu.%llu,%llu,%.0f,%llu,%s,%llu,%.0f,%.0f,%u\n", d->chip,
                   (unsigned long long)d->cc / 10, (unsigned long long)d->cc % 10,
                   (unsigned long long)d->n_sms, d->sm_clock_mhz, (unsigned long long)d->l2_bytes,
                   d->dram_kind, (unsigned long long)d->dram_bytes, device_dram_peak_gbps(d),
                   d->dram_read_gbps, device_count_guesses(d));
        return;
    }
    struct buf memory = {0};
    units_print_bytes(&memory, (double)d->dram_bytes);
    char cc[32];
    snprintf(cc, sizeof cc, "%llu.%llu", (unsigned long long)d->cc / 10, (unsigned long long)d->cc % 10);
    buf_printf(out, "%-10s %-24s %-6s %5s %4llu %6.0f  %-9s %10s %-7s %7.0f %7u\n", d->id, d->name, d->chip,
               cc, (unsigned long long)d->n_sms, d->sm_clock_mhz, value_text(arena, d, KEY_l2_bytes),
               memory.at, d->dram_kind, device_dram_peak_gbps(d), device_count_guesses(d));
    buf_release(&memory);
}

static json_t *list_object(const struct device *d)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:I, s:f, s:I, s:s, s:I, s:f, s:f, s:i}", "id", d->id, "name",
                     d->name, "chip", d->chip, "compute_capability", (double)d->cc / 10, "sms",
                     (json_int_t)d->n_sms, "sm_clock_mhz", d->sm_clock_mhz, "l2_bytes",
                     (json_int_t)d->l2_bytes, "dram_kind", d->dram_kind, "dram_bytes",
                     (json_int_t)d->dram_bytes, "dram_nominal_gbps", device_dram_peak_gbps(d),
                     "dram_read_gbps", d->dram_read_gbps, "guesses", (int)device_count_guesses(d));
}

static int list_devices(struct arena *arena, const struct format *format)
{
    struct buf out = {0};
    json_t *array = json_array();
    buf_puts(&out, format->csv
                       ? "id,name,chip,cc,sms,sm_clock_mhz,l2_bytes,dram_kind,dram_bytes,dram_nominal_gbps,"
                         "dram_read_gbps,guesses\n"
                       : "id         name                     chip      cc  SMs    MHz  L2            memory "
                         "kind       GB/s guesses\n");
    for (const char *const *name = device_names(arena); *name; name++) {
        struct device d;
        int status = choose_device(arena, *name, &d);
        if (status != EXIT_LOADED)
            return status;
        list_row(arena, &d, format->csv, &out);
        json_array_append_new(array, list_object(&d));
    }
    if (format->json) {
        buf_release(&out);
        return print_json(array);
    }
    json_decref(array);
    return print_and_release(&out);
}

// ---- show -----------------------------------------------------------------------------------------------

// Every key as a line of a device file: what is printed can be read back.
static void show_sources(struct arena *arena, const struct device *d, struct buf *out)
{
    static const char *const tags[] = {"vendor", "paper", "probe", "guess"};
    unsigned n_of[4] = {0}, n_values = 0;
    buf_printf(out, "# %s\n", d->name);
    for (int key = 0; key < N_DEVICE_KEYS; key++) {
        if (!device_has_value(d, (enum device_key)key))
            continue;
        const struct device_source *source = device_source(d, (enum device_key)key);
        buf_printf(out, "%-22s = %-14s @%-6s \"%s\"\n", device_key_info((enum device_key)key)->key,
                   value_text(arena, d, (enum device_key)key), source->tag, source->note);
        n_values++;
        for (int i = 0; i < 4; i++)
            n_of[i] += strcmp(source->tag, tags[i]) == 0;
    }
    buf_printf(out, "# %u values: %u vendor, %u paper, %u probe, %u guess\n", n_values, n_of[0], n_of[1],
               n_of[2], n_of[3]);
}

static void show_csv(struct arena *arena, const struct device *d, struct buf *out)
{
    buf_puts(out, "key,value,source,note,file,line\n");
    for (int key = 0; key < N_DEVICE_KEYS; key++) {
        if (!device_has_value(d, (enum device_key)key))
            continue;
        const struct device_source *source = device_source(d, (enum device_key)key);
        buf_printf(out, "%s,", device_key_info((enum device_key)key)->key);
        csv_field(out, value_text(arena, d, (enum device_key)key));
        buf_printf(out, ",%s,", source->tag);
        csv_field(out, source->note);
        buf_printf(out, ",%s,%u\n", source->file, source->line);
    }
}

static int show_json(struct arena *arena, const struct device *d)
{
    json_t *keys = json_object();
    for (int key = 0; key < N_DEVICE_KEYS; key++) {
        if (!device_has_value(d, (enum device_key)key))
            continue;
        const struct device_key_info *info = device_key_info((enum device_key)key);
        const struct device_source *source = device_source(d, (enum device_key)key);
        json_t *value = info->type == 'U' || info->type == 'F'
                            ? json_real(device_number(d, (enum device_key)key))
                            : json_string(value_text(arena, d, (enum device_key)key));
        if (info->type == 'U') {
            json_decref(value);
            value = json_integer((json_int_t)device_number(d, (enum device_key)key));
        }
        json_object_set_new(keys, info->key,
                            json_pack("{s:o, s:s, s:s, s:s}", "value", value, "unit", info->unit, "source",
                                      source->tag, "note", source->note));
    }
    return print_json(json_pack("{s:s, s:o, s:f, s:i}", "device", d->id, "keys", keys, "dram_nominal_gbps",
                                device_dram_peak_gbps(d), "guesses", (int)device_count_guesses(d)));
}

static int show_device(struct arena *arena, const char *name, const struct format *format)
{
    struct device d;
    struct buf out = {0};
    int status = choose_device(arena, name, &d);
    if (status != EXIT_LOADED)
        return status;
    if (format->json)
        return show_json(arena, &d);
    if (format->csv)
        show_csv(arena, &d, &out);
    else if (format->source)
        show_sources(arena, &d, &out);
    else
        device_draw(&d, &out);
    return print_and_release(&out);
}

// ---- diff -----------------------------------------------------------------------------------------------

static bool is_number(enum device_key key)
{
    char type = device_key_info(key)->type;
    return type == 'U' || type == 'F';
}

static const char *ratio_text(struct arena *arena, const struct device *a, const struct device *b,
                              enum device_key key)
{
    if (!is_number(key) || device_number(a, key) == 0 || key == KEY_cc)
        return "";
    return arena_printf(arena, "%.3g", device_number(b, key) / device_number(a, key));
}

static void diff_row(const char *const fields[4], bool csv, struct buf *out)
{
    static const size_t columns[] = {0, 22, 55, 88};
    for (int i = 0; i < 4; i++) {
        if (csv) {
            buf_puts(out, i ? "," : "");
            csv_field(out, fields[i]);
        } else if (*fields[i]) {
            buf_pad_to(out, columns[i]);
            buf_printf(out, "%s%s", i ? " " : "", fields[i]);
        }
    }
    buf_puts(out, "\n");
}

static unsigned diff_keys(struct arena *arena, const struct device d[2], bool csv, struct buf *out,
                          json_t *object)
{
    unsigned n = 0;
    for (int i = 0; i < N_DEVICE_KEYS; i++) {
        enum device_key key = (enum device_key)i;
        const char *a = value_text(arena, &d[0], key), *b = value_text(arena, &d[1], key);
        if (strcmp(a, b) == 0)
            continue;
        const char *name = device_key_info(key)->key;
        diff_row((const char *[]){name, *a ? a : "-", *b ? b : "-", ratio_text(arena, &d[0], &d[1], key)},
                 csv, out);
        json_object_set_new(object, name, json_pack("[s, s]", a, b));
        n++;
    }
    return n;
}

static int diff_devices(struct arena *arena, const char *const names[2], const struct format *format)
{
    struct device d[2];
    for (int i = 0; i < 2; i++) {
        int status = choose_device(arena, names[i], &d[i]);
        if (status != EXIT_LOADED)
            return status;
    }
    struct buf out = {0};
    json_t *object = json_object();
    diff_row((const char *[]){"key", d[0].id, d[1].id, "ratio"}, format->csv, &out);
    unsigned n = diff_keys(arena, d, format->csv, &out, object);
    if (!format->csv)
        buf_printf(&out, "%u of %d keys differ\n", n, (int)N_DEVICE_KEYS);
    if (format->json) {
        buf_release(&out);
        return print_json(object);
    }
    json_decref(object);
    return print_and_release(&out);
}

static int run(struct arena *arena, const struct arguments *rest, const struct format *format)
{
    const char *what = rest->n ? rest->at[0] : "";
    if (strcmp(what, "list") == 0 && rest->n == 1)
        return list_devices(arena, format);
    if (strcmp(what, "show") == 0 && rest->n <= 2)
        return show_device(arena, rest->n == 2 ? rest->at[1] : NULL, format);
    if (strcmp(what, "diff") == 0 && rest->n == 3)
        return diff_devices(arena, (const char *const[2]){rest->at[1], rest->at[2]}, format);
    return usage_error("device", "expected list, show NAME or diff A B");
}

int cmd_device(int argc, char **argv)
{
    struct format format = {0};
    const struct option_row rows[] = {
        {"source", OPT_FLAG, &format.source, NULL, "show every key with its source, as a device file"},
        {"json", OPT_FLAG, &format.json, NULL, "print JSON"},
        {"csv", OPT_FLAG, &format.csv, NULL, "print comma-separated values"},
        {0}};
    struct arguments rest;
    int status = options_parse(
        argc, argv, "device list | show NAME | diff A B [options]",
        "The GPUs the model knows. NAME is one of the list or the path of a .dev file.", rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    struct arena arena;
    arena_init(&arena, "device");
    status = run(&arena, &rest, &format);
    arena_release(&arena);
    return status;
}
