// Writes profile files: the head when it is created, one record per launch, each by a single write(2) so that
// a kill loses at most the launch that had not ended.
#include "base/buf.h"
#include "prof/profile_format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRONMENT(type, member)
#define LAUNCH(type, member) {#member, #type[0], offsetof(struct profile_launch, member)},
const struct field launch_fields[] = {
#include "prof/profile_fields.def"
    {NULL, 0, 0}};
#undef ENVIRONMENT
#undef LAUNCH
#define ENVIRONMENT(type, member) {#member, #type[0], offsetof(struct profile_environment, member)},
#define LAUNCH(type, member)
const struct field environment_fields[] = {
#include "prof/profile_fields.def"
    {NULL, 0, 0}};
#undef ENVIRONMENT
#undef LAUNCH

struct profile_writer {
    int fd;
    char *path;
    struct encoder record;
};

static void record_begin(struct encoder *record, enum record_kind kind)
{
    static const uint8_t length[4];
    encode_u64(record, kind);
    for (int i = 0; i < 4; i++)
        encode_u64(record, length[i]);
}

// Fills in the length of the record that began at `start` and closes it with its checksum.
static bool record_end(struct encoder *record, size_t start, struct err *err)
{
    size_t length = record->n - start - RECORD_HEAD_BYTES;
    if (length > MAX_RECORD_BYTES)
        return err_set(err, "a profile record of %zu bytes is too long: at most %d are possible", length,
                       MAX_RECORD_BYTES);
    for (int i = 0; i < 4; i++)
        record->at[start + 1 + (size_t)i] = (uint8_t)(length >> (8 * i));
    encode_fixed32(record, checksum(record->at + start, record->n - start));
    return true;
}

static bool write_out(struct profile_writer *writer, struct err *err)
{
    const uint8_t *at = writer->record.at;
    for (size_t left = writer->record.n; left;) {
        ssize_t n = write(writer->fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_set(err, "cannot write '%s': %s", writer->path, strerror(n < 0 ? errno : EIO));
        at += n;
        left -= (size_t)n;
    }
    writer->record.n = 0;
    return true;
}

static void encode_fields(struct encoder *record, const struct field *fields, const void *object)
{
    for (; fields->name; fields++)
        encode_field(record, fields, object);
}

// One line per member and counter: "launch U id", "environment s host", "counter executed".
static void encode_schema(struct encoder *record)
{
    struct buf text = {0};
    for (const struct field *f = environment_fields; f->name; f++)
        buf_printf(&text, "environment %c %s\n", f->type, f->name);
    for (const struct field *f = launch_fields; f->name; f++)
        buf_printf(&text, "launch %c %s\n", f->type, f->name);
    for (int i = 0; i < N_COUNTERS; i++)
        buf_printf(&text, "counter U %s\n", counter_info((enum counter)i)->name);
    encode_text(record, text.at);
    buf_release(&text);
}

static bool encode_head(struct encoder *record, const struct profile_environment *environment,
                        const char *device_text, struct err *err)
{
    for (int i = 0; i < PROFILE_MAGIC_BYTES; i++) {
        encode_u64(record, 0);
        record->at[i] = (uint8_t)PROFILE_MAGIC[i];
    }
    encode_fixed32(record, PROFILE_VERSION);
    size_t start = record->n;
    record_begin(record, RECORD_SCHEMA);
    encode_schema(record);
    if (!record_end(record, start, err))
        return false;
    start = record->n;
    record_begin(record, RECORD_ENVIRONMENT);
    encode_fields(record, environment_fields, environment);
    if (!record_end(record, start, err))
        return false;
    start = record->n;
    record_begin(record, RECORD_DEVICE);
    encode_text(record, device_text);
    return record_end(record, start, err);
}

struct profile_writer *profile_create(const char *path, const struct profile_environment *environment,
                                      const char *device_text, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        err_set(err, "cannot create '%s': %s", path, strerror(errno));
        return NULL;
    }
    struct profile_writer *writer = calloc(1, sizeof *writer);
    char *own_path = strdup(path);
    if (!writer || !own_path)
        err_memory("profile writer", sizeof *writer);
    *writer = (struct profile_writer){.fd = fd, .path = own_path};
    if (!encode_head(&writer->record, environment, device_text, err) || !write_out(writer, err)) {
        profile_close(writer, err);
        return NULL;
    }
    return writer;
}

static void encode_lines(struct encoder *record, const struct profile_launch *launch)
{
    encode_u64(record, launch->n_files);
    for (uint32_t i = 0; i < launch->n_files; i++)
        encode_text(record, launch->files[i]);
    encode_u64(record, launch->n_lines);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < launch->n_lines; i++) {
        const struct profile_line *line = &launch->lines[i];
        encode_u64(record, line->file);
        encode_u64(record, zigzag((int64_t)line->line - previous));
        encode_u64(record, line->column);
        encode_u64(record, zigzag(line->inlined_at));
        previous = line->line;
    }
}

// Counters as (distance to the last one written, value) pairs, closed by 0: zeroes take no room.
static uint8_t *put_counters(uint8_t *at, const struct counters *counters)
{
    int last = -1;
    for (int i = 0; i < N_COUNTERS; i++) {
        uint64_t value = counter_get(counters, (enum counter)i);
        if (!value)
            continue;
        at = put_u64(at, (uint64_t)(i - last));
        at = put_u64(at, value);
        last = i;
    }
    return put_u64(at, 0);
}

static void encode_insns(struct encoder *record, const struct profile_launch *launch)
{
    enum { MAX_NUMBERS = 5 + 2 * N_COUNTERS + 1 };
    encode_u64(record, launch->n_insns);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < launch->n_insns; i++) {
        const struct profile_insn *insn = &launch->insns[i];
        encode_text(record, insn->text);
        uint8_t *start = encode_room(record, MAX_NUMBERS * MAX_U64_BYTES), *at = start;
        at = put_u64(at, zigzag((int64_t)insn->line - previous));
        at = put_u64(at, insn->unit);
        at = put_u64(at, insn->class);
        at = put_u64(at, insn->fidelity);
        at = put_u64(at, insn->access_bytes);
        at = put_counters(at, &insn->counters);
        record->n += (size_t)(at - start);
        previous = insn->line;
    }
}

bool profile_append(struct profile_writer *writer, const struct profile_launch *launch, struct err *err)
{
    struct encoder *record = &writer->record;
    record->n = 0;
    record_begin(record, RECORD_LAUNCH);
    encode_fields(record, launch_fields, launch);
    encode_lines(record, launch);
    encode_insns(record, launch);
    return record_end(record, 0, err) && write_out(writer, err);
}

bool profile_close(struct profile_writer *writer, struct err *err)
{
    bool is_closed =
        close(writer->fd) == 0 || err_set(err, "cannot write '%s': %s", writer->path, strerror(errno));
    encoder_release(&writer->record);
    free(writer->path);
    free(writer);
    return is_closed;
}
