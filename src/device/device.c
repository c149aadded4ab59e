// Device files: a chain of bases resolved into one frozen struct, every line checked against device.def.
#include "device/device.h"
#include "base/embed.h"
#include "base/kv.h"
#include "base/map.h"
#include "device/device_value.h"
#include <string.h>

enum { MAX_CHAIN = 8 }; // a device and its bases

static const struct device_key_info rows[N_DEVICE_KEYS] = {
#define KEY(key_, field, type_, unit_, minimum_, maximum_, need, text_) \
    [KEY_##field] = {.key = key_,                                       \
                     .unit = #unit_,                                    \
                     .text = text_,                                     \
                     .type = #type_[0],                                 \
                     .minimum = minimum_,                               \
                     .maximum = maximum_,                               \
                     .is_required = #need[0] == 'R',                    \
                     .offset = offsetof(struct device, field)},
#include "device/device.def"
#undef KEY
};

// One file of the chain: the device itself first, its bases behind it.
struct chain {
    struct kv_file files[MAX_CHAIN];
    size_t n;
};

const struct device_key_info *device_key_info(enum device_key key)
{
    if ((unsigned)key >= N_DEVICE_KEYS)
        BUG("device key %d", (int)key);
    return &rows[key];
}

// Whether `name` is that of a device (not of a base) in the embedded table, and its length without ".dev".
static size_t device_name_length(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || length <= 4 ? 0 : length - 4;
}

const char *const *device_names(struct arena *arena)
{
    size_t n = 0;
    for (const struct embedded_file *f = embedded_devices; f->name; f++)
        n += device_name_length(f->name) > 0;
    const char **names = arena_array(arena, const char *, n + 1);
    n = 0;
    for (const struct embedded_file *f = embedded_devices; f->name; f++) {
        size_t length = device_name_length(f->name);
        if (length)
            names[n++] = arena_string(arena, f->name, length);
    }
    return names;
}

// How errors and sources name an embedded file: its path in the project.
static const char *embedded_path(struct arena *arena, const struct embedded_file *file)
{
    return arena_printf(arena, "devices/%s", file->name);
}

// "base/hopper.dev" or "h200.dev" for the bare name.
static const struct embedded_file *find_base(struct arena *arena, const char *name)
{
    const struct embedded_file *file =
        embedded_find(embedded_devices, arena_printf(arena, "base/%s.dev", name));
    return file ? file : embedded_find(embedded_devices, arena_printf(arena, "%s.dev", name));
}

// The embedded name nearest to `name`, without folder and ending; NULL if none is near.
static const char *nearest_file(struct arena *arena, const char *name, bool with_bases)
{
    size_t n = 0;
    for (const struct embedded_file *f = embedded_devices; f->name; f++)
        n++;
    const char **names = arena_array(arena, const char *, n + 1);
    n = 0;
    for (const struct embedded_file *f = embedded_devices; f->name; f++) {
        const char *slash = strrchr(f->name, '/');
        const char *bare = slash ? slash + 1 : f->name;
        if (with_bases || !slash)
            names[n++] = arena_string(arena, bare, strlen(bare) - strlen(".dev"));
    }
    return nearest_name(name, names, n);
}

static const struct kv_pair *find_pair(const struct kv_file *file, const char *key)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->pairs[i].key, key) == 0)
            return &file->pairs[i];
    return NULL;
}

static unsigned key_column(const struct kv_file *file, unsigned line)
{
    const char *at = file->text, *end = file->text + file->text_length;
    for (unsigned i = 1; i < line; i++)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    return (unsigned)strspn(at, " \t") + 1;
}

#define FAIL_KEY(file, pair, ...)                                                               \
    err_set_at(err, (file)->path, (pair)->line, key_column((file), (pair)->line), (file)->text, \
               (file)->text_length, __VA_ARGS__)
#define FAIL_VALUE(file, pair, ...)                                                                      \
    err_set_at(err, (file)->path, (pair)->line, (pair)->value_column, (file)->text, (file)->text_length, \
               __VA_ARGS__)

// Reads the base that `file` names. False with `err` unset when it names none.
static bool chain_follow(struct arena *arena, struct chain *chain, struct err *err)
{
    const struct kv_file *file = &chain->files[chain->n - 1];
    const struct kv_pair *pair = find_pair(file, "base");
    if (!pair)
        return false;
    const struct embedded_file *base = find_base(arena, pair->value);
    if (!base) {
        const char *near = nearest_file(arena, pair->value, true);
        return FAIL_VALUE(file, pair, "there is no base '%s'%s%s%s", pair->value,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (chain->n == MAX_CHAIN)
        return FAIL_VALUE(file, pair, "more than %d bases; do they form a circle?", MAX_CHAIN - 1);
    struct kv_file *next = &chain->files[chain->n++];
    return kv_parse(arena, embedded_path(arena, base), base->text, base->length, next, err);
}

static int find_key(const char *name)
{
    for (int i = 0; i < N_DEVICE_KEYS; i++)
        if (strcmp(rows[i].key, name) == 0)
            return i;
    return -1;
}

static bool fail_unknown_key(const struct kv_file *file, const struct kv_pair *pair, struct err *err)
{
    const char *names[N_DEVICE_KEYS];
    for (int i = 0; i < N_DEVICE_KEYS; i++)
        names[i] = rows[i].key;
    const char *near = nearest_name(pair->key, names, N_DEVICE_KEYS);
    return FAIL_KEY(file, pair, "unknown key '%s'%s%s%s", pair->key, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

static bool check_source(const struct kv_file *file, const struct kv_pair *pair, struct err *err)
{
    static const char *const tags[] = {"vendor", "paper", "probe", "guess"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        is_known |= strcmp(pair->source, tags[i]) == 0;
    if (!*pair->source)
        return FAIL_KEY(file, pair, "'%s' has no source: add @vendor, @paper, @probe or @guess and a note",
                        pair->key);
    if (!is_known)
        return FAIL_KEY(file, pair, "'@%s' is no source; use @vendor, @paper, @probe or @guess",
                        pair->source);
    if (!*pair->note)
        return FAIL_KEY(file, pair, "'%s' needs a note in quotes that names its source", pair->key);
    return true;
}

static bool apply_pair(const struct kv_file *file, const struct kv_pair *pair, struct device *d,
                       struct err *err)
{
    int key = find_key(pair->key);
    if (key < 0)
        return fail_unknown_key(file, pair, err);
    union device_value value, old;
    if (!check_source(file, pair, err) || !device_value_parse(&rows[key], file, pair, &value, err))
        return false;
    struct device_source *source = &d->sources[key];
    device_value_load(d, (enum device_key)key, &old);
    if (source->tag && strcmp(source->tag, pair->source) == 0 &&
        device_value_equal(rows[key].type, &value, &old))
        return FAIL_KEY(file, pair, "'%s' changes nothing: line %u of %s says the same", pair->key,
                        source->line, source->file);
    device_value_store(d, (enum device_key)key, &value);
    *source = (struct device_source){
        .tag = pair->source, .note = pair->note, .file = file->path, .line = pair->line};
    return true;
}

static bool apply_file(const struct kv_file *file, struct device *d, struct err *err)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->pairs[i].key, "base") != 0 && !apply_pair(file, &file->pairs[i], d, err))
            return false;
    return true;
}

static bool check_complete(const struct device *d, const char *path, struct err *err)
{
    struct buf missing = {0};
    unsigned n = 0;
    for (int i = 0; i < N_DEVICE_KEYS; i++)
        if (rows[i].is_required && !d->sources[i].tag && ++n <= 6)
            buf_printf(&missing, "%s'%s'", n > 1 ? ", " : "", rows[i].key);
    if (n > 6)
        buf_printf(&missing, " and %u more", n - 6);
    if (n)
        err_set_at(err, path, 0, 0, NULL, 0, "%s missing: %s",
                   n == 1 ? "a required key is" : "required keys are", missing.at);
    buf_release(&missing);
    return n == 0;
}

#define FAIL_AT(key, ...) err_set_at(err, d->sources[key].file, d->sources[key].line, 0, NULL, 0, __VA_ARGS__)

// What no row can say alone: values that must fit each other.
static bool check_together(const struct device *d, struct err *err)
{
    const struct size_list *sizes = &d->shared_carveouts_bytes;
    if (sizes->at[sizes->n - 1] != d->shared_per_sm_bytes)
        return FAIL_AT(KEY_shared_carveouts_bytes,
                       "the last of 'shared.carveouts' must equal 'shared.per_sm'");
    if (d->shared_per_block_optin_bytes + d->shared_reserved_bytes > d->shared_per_sm_bytes)
        return FAIL_AT(KEY_shared_per_block_optin_bytes,
                       "'shared.per_block_optin' and 'shared.reserved' together exceed 'shared.per_sm'");
    if (d->shared_per_sm_bytes > d->l1_pool_bytes)
        return FAIL_AT(KEY_l1_pool_bytes, "'l1.pool' must hold 'shared.per_sm'");
    if (d->registers_per_sm % d->n_subpartitions)
        return FAIL_AT(KEY_n_subpartitions, "'sm.subpartitions' must divide 'registers.per_sm'");
    if (d->n_l2_slices % d->n_l2_partitions || d->l2_bytes % (d->n_l2_slices * d->l2_line_bytes))
        return FAIL_AT(KEY_n_l2_slices,
                       "'l2.slices' must be a multiple of 'l2.partitions' and hold whole lines");
    if (d->l2_latency_spread_cycles > d->l2_latency_cycles)
        return FAIL_AT(KEY_l2_latency_spread_cycles, "'l2.latency_spread' exceeds 'l2.latency'");
    uint64_t n_in_gpcs = 0;
    for (uint32_t i = 0; i < d->gpc_sizes.n; i++)
        n_in_gpcs += d->gpc_sizes.at[i];
    if (d->gpc_sizes.n && n_in_gpcs != d->n_sms)
        return FAIL_AT(KEY_gpc_sizes, "'gpc.sizes' adds up to %llu SMs, 'sm.count' says %llu",
                       (unsigned long long)n_in_gpcs, (unsigned long long)d->n_sms);
    return true;
}

static void name_device(struct arena *arena, const char *path, struct device *d)
{
    const char *slash = strrchr(path, '/');
    const char *bare = slash ? slash + 1 : path;
    size_t length = strlen(bare);
    bool has_ending = length > 4 && strcmp(bare + length - 4, ".dev") == 0;
    d->id = arena_string(arena, bare, has_ending ? length - 4 : length);
}

bool device_parse(struct arena *arena, const char *path, const char *text, size_t length, struct device *out,
                  struct err *err)
{
    struct chain chain = {.n = 1};
    if (!kv_parse(arena, path, text, length, &chain.files[0], err))
        return false;
    struct err failure = {0};
    while (chain_follow(arena, &chain, &failure))
        continue;
    memset(out, 0, sizeof *out);
    for (size_t i = chain.n; i-- > 0 && !failure.set;)
        apply_file(&chain.files[i], out, &failure);
    name_device(arena, path, out);
    if (!failure.set && check_complete(out, path, &failure) && check_together(out, &failure))
        return true;
    if (!err->set)
        *err = failure;
    return false;
}

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".dev") == 0);
}

bool device_load(struct arena *arena, const char *name_or_path, struct device *out, struct err *err)
{
    if (is_path(name_or_path)) {
        struct buf text = {0};
        bool is_good = buf_read_file(&text, name_or_path, err) &&
                       device_parse(arena, name_or_path, text.at ? text.at : "", text.n, out, err);
        buf_release(&text);
        return is_good;
    }
    const struct embedded_file *file =
        embedded_find(embedded_devices, arena_printf(arena, "%s.dev", name_or_path));
    if (file)
        return device_parse(arena, embedded_path(arena, file), file->text, file->length, out, err);
    const char *near = nearest_file(arena, name_or_path, false);
    return err_set(err, "there is no device '%s'%s%s%s", name_or_path, near ? "; did you mean '" : "",
                   near ? near : " ('warpglass device list' names them)", near ? "'?" : "");
}
