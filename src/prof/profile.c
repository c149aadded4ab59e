// Reads profile files. Nothing in the file is trusted: every length is checked against what is there, every
// index against what it points into.
#include "prof/profile.h"
#include "base/buf.h"
#include "base/vec.h"
#include "isa/kernel.h"
#include "prof/demangle.h"
#include "prof/profile_format.h"
#include <string.h>

// How the file's members map to ours, from its schema record.
struct column {
    char type;
    const struct field *field; // NULL: unknown here, skipped
};

struct schema {
    struct column *launch, *environment;
    uint32_t n_launch, n_environment;
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
    bool has_schema;
    struct err *err;
};

static const struct field *find_field(const struct field *fields, char type, const char *name, size_t n)
{
    for (; fields->name; fields++)
        if (fields->type == type && strlen(fields->name) == n && memcmp(fields->name, name, n) == 0)
            return fields;
    return NULL;
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
        schema->launch[schema->n_launch++] =
            (struct column){type, find_field(launch_fields, type, name, rest)};
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
    *schema = (struct schema){.launch = arena_array(reader->arena, struct column, n_lines),
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

static void decode_insns(struct decoder *payload, const struct schema *schema, struct profile_launch *launch,
                         struct arena *arena)
{
    launch->n_insns = decode_count(payload, MIN_INSN_BYTES);
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
        decode_counters(payload, schema, &insn->counters);
        if (insn->line && insn->line >= launch->n_lines)
            payload->is_bad = true;
    }
    launch->insns = insns;
}

static bool read_launch(struct reader *reader, struct decoder *payload)
{
    struct profile_launch launch = {0};
    decode_columns(payload, reader->schema.launch, reader->schema.n_launch, &launch, reader->arena);
    decode_lines(payload, &launch, reader->arena);
    decode_insns(payload, &reader->schema, &launch, reader->arena);
    const char **texts[] = {&launch.kernel, &launch.demangled, &launch.isa,
                            &launch.module, &launch.device,    &launch.model};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i])
            *texts[i] = "";
    if (launch.fault && !*launch.fault)
        launch.fault = NULL;
    if (payload->is_bad)
        return false;
    vec_push(&reader->launches, launch);
    return true;
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
        reader->profile->device_text = decode_text(payload, reader->arena);
    else if (kind == RECORD_LAUNCH)
        return read_launch(reader, payload);
    return !payload->is_bad; // kinds of newer builds are skipped
}

static bool bad_file(struct reader *reader, const uint8_t *at, const char *what)
{
    return err_set(reader->err, "'%s' is damaged: %s at byte %zu", reader->path, what,
                   (size_t)(at - reader->start));
}

// One record; at the end of the file, or where the last record was cut off, `file.at` becomes `file.end`.
static bool read_record(struct reader *reader)
{
    struct decoder *file = &reader->file;
    const uint8_t *start = file->at;
    size_t left = (size_t)(file->end - start);
    struct decoder head = {start + 1, file->end, false};
    uint32_t length = left < RECORD_HEAD_BYTES ? 0 : decode_fixed32(&head);
    if (left < RECORD_HEAD_BYTES + RECORD_TAIL_BYTES ||
        left - RECORD_HEAD_BYTES - RECORD_TAIL_BYTES < length) {
        reader->profile->is_truncated = true;
        file->at = file->end;
        return true;
    }
    const uint8_t *end = head.at + length;
    struct decoder tail = {end, file->end, false};
    if (decode_fixed32(&tail) != checksum(start, (size_t)(end - start)))
        return bad_file(reader, start, "wrong checksum");
    struct decoder payload = {head.at, end, false};
    if (!read_payload(reader, *start, &payload))
        return bad_file(reader, start, "malformed record");
    file->at = tail.at;
    return true;
}

static bool read_magic(struct reader *reader)
{
    struct decoder *file = &reader->file;
    if (file->end - file->at < PROFILE_MAGIC_BYTES + 4 ||
        memcmp(file->at, PROFILE_MAGIC, PROFILE_MAGIC_BYTES) != 0)
        return err_set(reader->err, "'%s' is not a warpglass profile", reader->path);
    file->at += PROFILE_MAGIC_BYTES;
    uint32_t version = decode_fixed32(file);
    if (version != PROFILE_VERSION)
        return err_set(reader->err, "'%s' has profile format %u; this build reads %d", reader->path, version,
                       PROFILE_VERSION);
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

// Bytes per lane of a load or store: its elements times their size.
static uint8_t access_bytes(const struct insn *insn)
{
    static const uint8_t element_bytes[N_ELEMS] = {
        [ELEM_U8] = 1,  [ELEM_S8] = 1,  [ELEM_U16] = 2,  [ELEM_S16] = 2,
        [ELEM_B32] = 4, [ELEM_B64] = 8, [ELEM_B128] = 16};
    if (insn->class == CLASS_NONE || insn->elem >= N_ELEMS)
        return 0;
    return (uint8_t)(element_bytes[insn->elem] * (insn->n_data ? insn->n_data : 1));
}

void profile_launch_from_kernel(struct arena *arena, const struct kernel *kernel,
                                const struct counters *counters, struct profile_launch *out)
{
    struct profile_insn *insns = arena_array(arena, struct profile_insn, kernel->n_insns);
    out->n_exact = out->n_approximate = 0;
    for (uint32_t i = 0; i < kernel->n_insns; i++) {
        const struct insn *insn = &kernel->insns[i];
        uint8_t fidelity = kernel->fidelity ? kernel->fidelity[i] : FIDELITY_EXACT;
        insns[i] = (struct profile_insn){kernel->texts ? kernel->texts[i] : "",
                                         insn->line,
                                         insn->unit,
                                         insn->class,
                                         fidelity,
                                         access_bytes(insn),
                                         counters[i]};
        *(fidelity == FIDELITY_EXACT ? &out->n_exact : &out->n_approximate) += counters[i].executed != 0;
    }
    struct profile_line *lines = arena_array(arena, struct profile_line, kernel->n_lines);
    for (uint32_t i = 0; i < kernel->n_lines; i++) {
        const struct source_line *line = &kernel->lines[i];
        lines[i] = (struct profile_line){line->file, line->line, line->column, line->inlined_at};
    }
    out->kernel = kernel->name;
    out->demangled = demangle(arena, kernel->name, DEMANGLE_NVIDIA);
    out->isa = kernel->isa;
    out->module = kernel->path;
    out->registers = kernel->registers;
    out->registers_are_estimated = kernel->registers_are_estimated;
    out->static_shared_bytes = kernel->static_shared_bytes;
    out->local_bytes = kernel->local_bytes;
    out->n_barriers = kernel->n_block_barriers;
    out->files = kernel->files;
    out->n_files = kernel->n_files;
    out->lines = lines;
    out->n_lines = kernel->n_lines;
    out->insns = insns;
    out->n_insns = kernel->n_insns;
}
