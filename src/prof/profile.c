// Reads profile files. Nothing in the file is trusted: every length is checked against what is there, every
// index against what it points into. A record that was cut off in the middle of the file (its writer was
// killed, others went on) is passed over.
#include "prof/profile.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "isa/kernel.h"
#include "prof/profile_format.h"
#include <string.h>

// How the file's members map to ours, from its schema record.
struct column {
    char type;
    const struct field *field; // NULL: unknown here, skipped
};

struct schema {
    struct column *kernel, *launch, *environment;
    uint32_t n_kernel, n_launch, n_environment;
    int *counters; // our index of the file's n-th counter; -1 unknown
    uint32_t n_counters;
};

struct reader {
    struct arena *arena;
    const char *path;
    const uint8_t *start;
    struct decoder file;
    struct schema schema;
    struct profile *profile;
    VEC(struct profile_launch) launches;
    struct map kernels; // struct profile_launch with the kernel's part, by the eight bytes of its hash
    struct map
        counted; // struct profile_insn[] of launches, by the kernel's hash and the bytes of the counters
    bool has_schema, has_head;
    struct err *err;
};

static const struct field *find_field(const struct field *fields, char type, const char *name, size_t n)
{
    for (; fields->name; fields++)
        if (fields->type == type && strlen(fields->name) == n && memcmp(fields->name, name, n) == 0)
            return fields;
    return NULL;
}

// Version 1 had the kernel's members in its launches.
static const struct field *find_launch_field(char type, const char *name, size_t n)
{
    const struct field *field = find_field(launch_fields, type, name, n);
    return field ? field : find_field(kernel_fields, type, name, n);
}

static int find_counter(const char *name, size_t n)
{
    for (int i = 0; i < N_COUNTERS; i++) {
        const char *ours = counter_info((enum counter)i)->name;
        if (strlen(ours) == n && memcmp(ours, name, n) == 0)
            return i;
    }
    return -1;
}

// One line of the schema, "launch U id"; false if it is of no such form.
static bool add_schema_line(struct schema *schema, const char *line, size_t n)
{
    const char *space = memchr(line, ' ', n);
    if (!space || n - (size_t)(space - line) < 4 || space[2] != ' ')
        return false;
    size_t word = (size_t)(space - line), rest = n - word - 3;
    char type = space[1];
    const char *name = space + 3;
    if (word == 6 && memcmp(line, "launch", 6) == 0)
        schema->launch[schema->n_launch++] = (struct column){type, find_launch_field(type, name, rest)};
    else if (word == 6 && memcmp(line, "kernel", 6) == 0)
        schema->kernel[schema->n_kernel++] =
            (struct column){type, find_field(kernel_fields, type, name, rest)};
    else if (word == 11 && memcmp(line, "environment", 11) == 0)
        schema->environment[schema->n_environment++] =
            (struct column){type, find_field(environment_fields, type, name, rest)};
    else if (word == 7 && memcmp(line, "counter", 7) == 0)
        schema->counters[schema->n_counters++] = find_counter(name, rest);
    else
        return false;
    return true;
}

static bool read_schema(struct reader *reader, struct decoder *payload)
{
    const char *text = decode_text(payload, reader->arena);
    size_t n_lines = 1;
    for (const char *at = text; *at; at++)
        n_lines += *at == '\n';
    struct schema *schema = &reader->schema;
    *schema = (struct schema){.kernel = arena_array(reader->arena, struct column, n_lines),
                              .launch = arena_array(reader->arena, struct column, n_lines),
                              .environment = arena_array(reader->arena, struct column, n_lines),
                              .counters = arena_array(reader->arena, int, n_lines)};
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        if (!add_schema_line(schema, text, (size_t)(end - text)))
            return false;
    reader->has_schema = true;
    return !payload->is_bad;
}

static void decode_columns(struct decoder *payload, const struct column *columns, uint32_t n, void *object,
                           struct arena *arena)
{
    for (uint32_t i = 0; i < n && !payload->is_bad; i++) {
        const struct field *field = columns[i].field;
        decode_field(payload, columns[i].type, field ? field->offset : 0, field ? object : NULL, arena);
    }
}

static void decode_lines(struct decoder *payload, struct profile_launch *launch, struct arena *arena)
{
    launch->n_files = decode_count(payload, 1);
    const char **files = arena_array(arena, const char *, launch->n_files);
    for (uint32_t i = 0; i < launch->n_files; i++)
        files[i] = decode_text(payload, arena);
    launch->files = files;
    launch->n_lines = decode_count(payload, MIN_LINE_BYTES);
    struct profile_line *lines = arena_array(arena, struct profile_line, launch->n_lines);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < launch->n_lines; i++) {
        lines[i].file = decode_u32(payload);
        previous = lines[i].line = previous + (uint32_t)unzigzag(decode_u64(payload));
        lines[i].column = decode_u32(payload);
        lines[i].inlined_at = (int32_t)unzigzag(decode_u32(payload));
        if (lines[i].inlined_at < -1 || lines[i].inlined_at >= (int64_t)launch->n_lines ||
            (lines[i].file && lines[i].file >= launch->n_files))
            payload->is_bad = true;
    }
    launch->lines = lines;
}

static void decode_counters(struct decoder *payload, const struct schema *schema, struct counters *out)
{
    uint64_t at = 0; // one past the file's index
    for (uint64_t distance; (distance = decode_u64(payload)) != 0;) {
        at += distance;
        uint64_t value = decode_u64(payload);
        if (distance > schema->n_counters || at > schema->n_counters) {
            payload->is_bad = true;
            return;
        }
        int ours = schema->counters[at - 1];
        if (ours >= 0)
            ((uint64_t *)out)[ours] = value;
    }
}

static uint8_t decode_below(struct decoder *payload, uint32_t limit)
{
    uint32_t value = decode_u32(payload);
    if (value < limit)
        return (uint8_t)value;
    payload->is_bad = true;
    return 0;
}

// `schema` NULL: without counters.
static void decode_insns(struct decoder *payload, const struct schema *schema, struct profile_launch *launch,
                         struct arena *arena)
{
    launch->n_insns = decode_count(payload, schema ? MIN_COUNTED_INSN_BYTES : MIN_INSN_BYTES);
    struct profile_insn *insns = arena_array(arena, struct profile_insn, launch->n_insns);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < launch->n_insns && !payload->is_bad; i++) {
        struct profile_insn *insn = &insns[i];
        insn->text = decode_text(payload, arena);
        previous = insn->line = previous + (uint32_t)unzigzag(decode_u64(payload));
        insn->unit = decode_below(payload, N_UNITS);
        insn->class = decode_below(payload, N_OP_CLASSES);
        insn->fidelity = decode_below(payload, 256);
        insn->access_bytes = decode_below(payload, 256);
        if (schema)
            decode_counters(payload, schema, &insn->counters);
        if (insn->line && insn->line >= launch->n_lines)
            payload->is_bad = true;
    }
    launch->insns = insns;
}

// No text is NULL but that of a fault that did not happen.
static void complete_texts(struct profile_launch *launch)
{
    const char **texts[] = {&launch->kernel, &launch->demangled, &launch->isa,         &launch->why_ptx, &launch->module,
                            &launch->device, &launch->model,     &launch->process_name};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i])
            *texts[i] = "";
    if (launch->fault && !*launch->fault)
        launch->fault = NULL;
}

static bool has_sound_races(const struct profile_launch *launch)
{
    for (int i = 0; i < MAX_PROFILE_RACES; i++) {
        const struct profile_race *race = &launch->races[i];
        if (race->kind >= N_RACE_KINDS ||
            (race->kind && (race->earlier >= launch->n_insns || race->later >= launch->n_insns)))
            return false;
    }
    return true;
}

static bool add_launch(struct reader *reader, struct profile_launch *launch, const struct decoder *payload)
{
    if (payload->is_bad || !has_sound_races(launch))
        return false;
    complete_texts(launch);
    vec_push(&reader->launches, *launch);
    return true;
}

static bool read_whole(struct reader *reader, struct decoder *payload)
{
    struct profile_launch launch = {0};
    decode_columns(payload, reader->schema.launch, reader->schema.n_launch, &launch, reader->arena);
    decode_lines(payload, &launch, reader->arena);
    decode_insns(payload, &reader->schema, &launch, reader->arena);
    return add_launch(reader, &launch, payload);
}

// Each process writes the kernels that it launches: the same one may come several times.
static bool read_kernel(struct reader *reader, struct decoder *payload)
{
    const char *id = (const char *)payload->at;
    decode_fixed64(payload);
    if (payload->is_bad || map_get(&reader->kernels, id, KERNEL_ID_BYTES))
        return !payload->is_bad;
    struct profile_launch *kernel = arena_new(reader->arena, struct profile_launch);
    decode_columns(payload, reader->schema.kernel, reader->schema.n_kernel, kernel, reader->arena);
    decode_lines(payload, kernel, reader->arena);
    decode_insns(payload, NULL, kernel, reader->arena);
    if (payload->is_bad)
        return false;
    map_set(&reader->kernels, id, KERNEL_ID_BYTES, kernel);
    return true;
}

static const struct profile_insn *decode_counts(struct reader *reader, struct decoder *payload,
                                                const struct profile_launch *kernel)
{
    struct profile_insn *insns = arena_copy(reader->arena, kernel->insns, kernel->n_insns * sizeof *insns,
                                            _Alignof(struct profile_insn));
    uint64_t at = 0; // one past the instruction
    for (uint64_t distance; (distance = decode_u64(payload)) != 0;) {
        at += distance;
        if (distance > kernel->n_insns || at > kernel->n_insns) {
            payload->is_bad = true;
            break;
        }
        decode_counters(payload, &reader->schema, &insns[at - 1].counters);
    }
    return insns;
}

static bool read_launch(struct reader *reader, struct decoder *payload)
{
    struct profile_launch numbers = {0};
    decode_columns(payload, reader->schema.launch, reader->schema.n_launch, &numbers, reader->arena);
    const char *key = (const char *)payload->at;
    size_t key_bytes = (size_t)(payload->end - payload->at);
    if (key_bytes < KERNEL_ID_BYTES)
        return false;
    const struct profile_launch *kernel = map_get(&reader->kernels, key, KERNEL_ID_BYTES);
    if (!kernel)
        return reader->profile->is_truncated; // its kernel's record was lost: so is the launch
    decode_fixed64(payload);
    numbers.insns = map_get(&reader->counted, key, key_bytes);
    if (!numbers.insns) {
        numbers.insns = decode_counts(reader, payload, kernel);
        map_set(&reader->counted, key, key_bytes, (void *)numbers.insns);
    }
    for (const struct field *field = kernel_fields; field->name; field++)
        copy_field(field, kernel, &numbers);
    numbers.files = kernel->files;
    numbers.n_files = kernel->n_files;
    numbers.lines = kernel->lines;
    numbers.n_lines = kernel->n_lines;
    numbers.n_insns = kernel->n_insns;
    return add_launch(reader, &numbers, payload);
}

static void read_device(struct reader *reader, struct decoder *payload)
{
    reader->profile->device_text = decode_text(payload, reader->arena);
    reader->has_head = true;
}

static bool read_payload(struct reader *reader, uint8_t kind, struct decoder *payload)
{
    if (kind == RECORD_SCHEMA)
        return read_schema(reader, payload);
    if (!reader->has_schema)
        return false;
    if (kind == RECORD_ENVIRONMENT)
        decode_columns(payload, reader->schema.environment, reader->schema.n_environment,
                       &reader->profile->environment, reader->arena);
    else if (kind == RECORD_DEVICE)
        read_device(reader, payload);
    else if (kind == RECORD_KERNEL)
        return read_kernel(reader, payload);
    else if (kind == RECORD_LAUNCH)
        return read_launch(reader, payload);
    else if (kind == RECORD_WHOLE)
        return read_whole(reader, payload);
    return !payload->is_bad; // kinds of newer builds are skipped
}

static bool bad_file(struct reader *reader, const uint8_t *at, const char *what)
{
    return err_set(reader->err, "'%s' is damaged: %s at byte %zu", reader->path, what,
                   (size_t)(at - reader->start));
}

// Whether a record can lie at `start`; its payload.
static bool find_payload(const struct reader *reader, const uint8_t *start, struct decoder *out)
{
    size_t left = (size_t)(reader->file.end - start);
    struct decoder head = {start + 1, reader->file.end, false};
    if (left < RECORD_HEAD_BYTES + RECORD_TAIL_BYTES)
        return false;
    uint32_t length = decode_fixed32(&head);
    if (length > left - RECORD_HEAD_BYTES - RECORD_TAIL_BYTES)
        return false;
    *out = (struct decoder){head.at, head.at + length, false};
    return true;
}

static bool is_sound(const uint8_t *start, const struct decoder *payload)
{
    struct decoder tail = {payload->end, payload->end + RECORD_TAIL_BYTES, false};
    return decode_fixed32(&tail) == checksum(start, (size_t)(payload->end - start));
}

// The next sound record behind a damaged one at `start`; the end of the file when there is none. Looking for
// it must not cost the square of a hostile file's length: at most as much as reading it some times.
static const uint8_t *find_next(const struct reader *reader, const uint8_t *start)
{
    enum { MAX_PASSES = 8 };
    size_t left = (size_t)(reader->file.end - start) * MAX_PASSES;
    for (const uint8_t *at = start + 1; at < reader->file.end; at++) {
        struct decoder payload;
        if ((*at != RECORD_KERNEL && *at != RECORD_LAUNCH) || !find_payload(reader, at, &payload))
            continue;
        size_t bytes = (size_t)(payload.end - at);
        if (bytes > left)
            break;
        left -= bytes;
        if (is_sound(at, &payload))
            return at;
    }
    return reader->file.end;
}

// Goes on behind a record that was cut off. In the head of the file, and where a record is complete and wrong
// and nothing follows, it is damage.
static bool skip_cut(struct reader *reader, const uint8_t *start, bool is_complete)
{
    const uint8_t *next = reader->has_head ? find_next(reader, start) : reader->file.end;
    if (is_complete && next == reader->file.end)
        return bad_file(reader, start, "wrong checksum");
    reader->profile->is_truncated = true;
    reader->file.at = next;
    return true;
}

// One record; at the end of the file, or where the last record was cut off, `file.at` becomes `file.end`.
static bool read_record(struct reader *reader)
{
    const uint8_t *start = reader->file.at;
    struct decoder payload;
    if (!find_payload(reader, start, &payload))
        return skip_cut(reader, start, false);
    if (!is_sound(start, &payload))
        return skip_cut(reader, start, true);
    reader->file.at = payload.end + RECORD_TAIL_BYTES;
    return read_payload(reader, *start, &payload) || bad_file(reader, start, "malformed record");
}

static bool read_magic(struct reader *reader)
{
    struct decoder *file = &reader->file;
    if (file->end - file->at < PROFILE_MAGIC_BYTES + 4 ||
        memcmp(file->at, PROFILE_MAGIC, PROFILE_MAGIC_BYTES) != 0)
        return err_set(reader->err, "'%s' is not a warpglass profile", reader->path);
    file->at += PROFILE_MAGIC_BYTES;
    uint32_t version = decode_fixed32(file);
    if (version < OLDEST_VERSION || version > PROFILE_VERSION)
        return err_set(reader->err, "'%s' has profile format %u; this build reads %d to %d", reader->path,
                       version, OLDEST_VERSION, PROFILE_VERSION);
    return true;
}

struct profile *profile_parse(struct arena *arena, const char *path, const void *bytes, size_t n,
                              struct err *err)
{
    struct profile *profile = arena_new(arena, struct profile);
    *profile = (struct profile){.path = arena_string(arena, path, strlen(path)), .device_text = ""};
    profile->environment = (struct profile_environment){"", "", "", "", "", 0, 0};
    struct reader reader = {.arena = arena,
                            .path = path,
                            .start = bytes,
                            .profile = profile,
                            .err = err,
                            .file = {bytes, (const uint8_t *)bytes + n, false}};
    bool is_good = read_magic(&reader);
    while (is_good && reader.file.at < reader.file.end)
        is_good = read_record(&reader);
    if (is_good && reader.launches.n) {
        profile->launches =
            arena_copy(arena, reader.launches.at, reader.launches.n * sizeof *profile->launches,
                       _Alignof(struct profile_launch));
        profile->n_launches = (uint32_t)reader.launches.n;
    }
    vec_release(&reader.launches);
    map_release(&reader.kernels);
    map_release(&reader.counted);
    return is_good ? profile : NULL;
}

struct profile *profile_read(struct arena *arena, const char *path, struct err *err)
{
    struct buf text = {0};
    if (!buf_read_file(&text, path, err))
        return NULL;
    struct profile *profile = profile_parse(arena, path, text.at ? text.at : "", text.n, err);
    buf_release(&text);
    return profile;
}

void launch_totals(const struct profile_launch *launch, struct counters *out)
{
    *out = (struct counters){0};
    for (uint32_t i = 0; i < launch->n_insns; i++)
        counters_add(out, &launch->insns[i].counters);
}
