// Writes profile files: the head when it is created, one record per kernel and one per launch, each by a
// single write(2) at the end of the file: a kill loses at most the launch that had not ended, and several
// processes may write at once.
#include "base/buf.h"
#include "base/vec.h"
#include "prof/profile_ring.h"
#include "prof/profile_format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRONMENT(type, member)
#define KERNEL(type, member)
#define LAUNCH(type, member) {#member, #type[0], offsetof(struct profile_launch, member)},
const struct field launch_fields[] = {
#include "prof/profile_fields.def"
    {NULL, 0, 0}};
#undef KERNEL
#undef LAUNCH
#define KERNEL(type, member) {#member, #type[0], offsetof(struct profile_launch, member)},
#define LAUNCH(type, member)
const struct field kernel_fields[] = {
#include "prof/profile_fields.def"
    {NULL, 0, 0}};
#undef ENVIRONMENT
#undef KERNEL
#define ENVIRONMENT(type, member) {#member, #type[0], offsetof(struct profile_environment, member)},
#define KERNEL(type, member)
const struct field environment_fields[] = {
#include "prof/profile_fields.def"
    {NULL, 0, 0}};
#undef ENVIRONMENT
#undef KERNEL
#undef LAUNCH

struct profile_writer {
    int fd;
    char *path;
    struct encoder record;
    struct profile_ring *ring; // borrowed; NULL: records go to the file at once
    VEC(uint64_t) kernels; // that were written
    uint32_t process_id;   // of launches that have none; 0: that of the environment
    const char *process_name;
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
    if (writer->ring && profile_ring_put(writer->ring, writer->fd, at, writer->record.n)) {
        writer->record.n = 0;
        return true;
    }
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

// One line per member and counter: "launch U id", "environment s host", "counter U executed".
static void encode_schema(struct encoder *record)
{
    struct buf text = {0};
    for (const struct field *f = environment_fields; f->name; f++)
        buf_printf(&text, "environment %c %s\n", f->type, f->name);
    for (const struct field *f = kernel_fields; f->name; f++)
        buf_printf(&text, "kernel %c %s\n", f->type, f->name);
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

static struct profile_writer *writer_new(const char *path, int fd)
{
    struct profile_writer *writer = calloc(1, sizeof *writer);
    char *own_path = strdup(path);
    if (!writer || !own_path)
        err_memory("profile writer", sizeof *writer);
    *writer = (struct profile_writer){.fd = fd, .path = own_path};
    return writer;
}

struct profile_writer *profile_create(const char *path, const struct profile_environment *environment,
                                      const char *device_text, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        err_set(err, "cannot create '%s': %s", path, strerror(errno));
        return NULL;
    }
    struct profile_writer *writer = writer_new(path, fd);
    if (!encode_head(&writer->record, environment, device_text, err) || !write_out(writer, err)) {
        profile_close(writer, err);
        return NULL;
    }
    return writer;
}

static bool has_our_head(int fd)
{
    uint8_t head[PROFILE_MAGIC_BYTES + 4];
    return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
           memcmp(head, PROFILE_MAGIC, PROFILE_MAGIC_BYTES) == 0 &&
           head[PROFILE_MAGIC_BYTES] == PROFILE_VERSION;
}

struct profile_writer *profile_open_append(const char *path, struct err *err)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (fd < 0) {
        err_set(err, "cannot open '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (has_our_head(fd)) {
        struct profile_writer *writer = writer_new(path, fd);
        writer->process_id = (uint32_t)getpid();
        writer->process_name = program_invocation_short_name;
        return writer;
    }
    err_set(err, "'%s' does not begin as a profile of this build", path);
    close(fd);
    return NULL;
}

static void encode_lines(struct encoder *record, const struct profile_launch *kernel)
{
    encode_u64(record, kernel->n_files);
    for (uint32_t i = 0; i < kernel->n_files; i++)
        encode_text(record, kernel->files[i]);
    encode_u64(record, kernel->n_lines);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < kernel->n_lines; i++) {
        const struct profile_line *line = &kernel->lines[i];
        encode_u64(record, line->file);
        encode_u64(record, zigzag((int64_t)line->line - previous));
        encode_u64(record, line->column);
        encode_u64(record, zigzag(line->inlined_at));
        previous = line->line;
    }
}

static void encode_insns(struct encoder *record, const struct profile_launch *kernel)
{
    enum { N_NUMBERS = 5 };
    encode_u64(record, kernel->n_insns);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < kernel->n_insns; i++) {
        const struct profile_insn *insn = &kernel->insns[i];
        encode_text(record, insn->text);
        uint8_t *start = encode_room(record, N_NUMBERS * MAX_U64_BYTES), *at = start;
        at = put_u64(at, zigzag((int64_t)insn->line - previous));
        at = put_u64(at, insn->unit);
        at = put_u64(at, insn->class);
        at = put_u64(at, insn->fidelity);
        at = put_u64(at, insn->access_bytes);
        record->n += (size_t)(at - start);
        previous = insn->line;
    }
}

static bool is_written(const struct profile_writer *writer, uint64_t id)
{
    for (size_t i = writer->kernels.n; i-- > 0;)
        if (writer->kernels.at[i] == id)
            return true;
    return false;
}

bool profile_add_kernel(struct profile_writer *writer, const struct profile_launch *kernel, uint64_t *id,
                        struct err *err)
{
    struct encoder *record = &writer->record;
    enum { BODY = RECORD_HEAD_BYTES + KERNEL_ID_BYTES }; // behind the id
    record->n = 0;
    record_begin(record, RECORD_KERNEL);
    encode_fixed64(record, 0);
    encode_fields(record, kernel_fields, kernel);
    encode_lines(record, kernel);
    encode_insns(record, kernel);
    *id = hash_wide(record->at + BODY, record->n - BODY);
    if (is_written(writer, *id))
        return true;
    for (int i = 0; i < KERNEL_ID_BYTES; i++)
        record->at[RECORD_HEAD_BYTES + i] = (uint8_t)(*id >> (8 * i));
    if (!record_end(record, 0, err) || !write_out(writer, err))
        return false;
    vec_push(&writer->kernels, *id);
    return true;
}

// Counters as (distance to the last one written, value) pairs, closed by 0: zeroes take no room, and four of
// them are passed over at once.
static uint8_t *put_counters(uint8_t *at, const struct counters *counters)
{
    enum { STEP = 4 };
    const uint64_t *values = (const uint64_t *)counters;
    int last = -1;
    for (int group = 0; group < N_COUNTERS; group += STEP) {
        int end = group + STEP < N_COUNTERS ? group + STEP : N_COUNTERS;
        uint64_t any = 0;
        for (int i = group; i < end; i++)
            any |= values[i];
        for (int i = group; any && i < end; i++) {
            if (!values[i])
                continue;
            at = put_u64(at, (uint64_t)(i - last));
            at = put_u64(at, values[i]);
            last = i;
        }
    }
    return last < 0 ? at : put_u64(at, 0);
}

// Instructions that counted anything, each behind its distance to the last such one; closed by 0. The
// counters of the first lie at `counters`, those of the next `stride` bytes behind.
static void encode_counts(struct encoder *record, const struct counters *counters, size_t stride, uint32_t n)
{
    enum { MAX_NUMBERS = 1 + 2 * N_COUNTERS + 1 };
    int64_t last = -1;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *start = encode_room(record, (MAX_NUMBERS + 1) * MAX_U64_BYTES);
        uint8_t *body = put_u64(start, (uint64_t)(i - last));
        uint8_t *end = put_counters(body, (const struct counters *)((const char *)counters + i * stride));
        if (end == body)
            continue;
        record->n += (size_t)(end - start);
        last = i;
    }
    encode_u64(record, 0);
}

static bool add_launch(struct profile_writer *writer, uint64_t kernel_id, const struct profile_launch *launch,
                       const struct counters *counters, size_t stride, uint32_t n, struct err *err)
{
    struct encoder *record = &writer->record;
    struct profile_launch named = *launch;
    if (!named.process_id) {
        named.process_id = writer->process_id;
        named.process_name = writer->process_name;
    }
    record->n = 0;
    record_begin(record, RECORD_LAUNCH);
    encode_fields(record, launch_fields, &named);
    encode_fixed64(record, kernel_id);
    encode_counts(record, counters, stride, n);
    return record_end(record, 0, err) && write_out(writer, err);
}

bool profile_add_launch(struct profile_writer *writer, uint64_t kernel_id,
                        const struct profile_launch *launch, const struct counters *counters,
                        uint32_t n_insns, struct err *err)
{
    return add_launch(writer, kernel_id, launch, counters, sizeof *counters, n_insns, err);
}

bool profile_append(struct profile_writer *writer, const struct profile_launch *launch, struct err *err)
{
    uint64_t id;
    return profile_add_kernel(writer, launch, &id, err) &&
           add_launch(writer, id, launch, launch->n_insns ? &launch->insns[0].counters : NULL,
                      sizeof *launch->insns, launch->n_insns, err);
}

void profile_use_ring(struct profile_writer *writer, struct profile_ring *ring)
{
    writer->ring = ring;
}

bool profile_flush(struct profile_writer *writer, struct err *err)
{
    return !writer->ring || profile_ring_flush(writer->ring, writer->fd) ||
           err_set(err, "cannot write '%s': %s", writer->path, strerror(errno));
}

bool profile_close(struct profile_writer *writer, struct err *err)
{
    bool is_flushed = profile_flush(writer, err);
    bool is_closed = close(writer->fd) == 0 || err_set(err, "cannot write '%s': %s", writer->path, strerror(errno));
    encoder_release(&writer->record);
    vec_release(&writer->kernels);
    free(writer->path);
    free(writer);
    return is_flushed && is_closed;
}
