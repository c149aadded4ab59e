// Devices as deviceQuery and nvidia-smi --query-gpu=... --format=csv describe them.
#include "triage/triage.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- deviceQuery ----------------------------------------------------------------------------------------

// Text behind a label, or NULL.
static const char *behind_label(const char *line, const char *label)
{
    const char *at = strstr(line, label);
    return at ? at + strlen(label) : NULL;
}

// The first number of a text: "   (132) Multiprocessors" 132; NAN if there is none.
static double first_number(const char *text)
{
    while (*text && !(*text >= '0' && *text <= '9'))
        text++;
    return *text ? strtod(text, NULL) : (double)NAN;
}

// "9.0" is 90; 0 for what no capability is.
static unsigned capability(const char *text)
{
    double cc = strtod(text, NULL);
    return cc > 0 && cc < 100 ? (unsigned)(10 * cc + 0.5) : 0;
}

struct label {
    const char *text;
    size_t offset; // of a double in struct triage_device
    double unit;
};

static const struct label query_labels[] = {
    {"GPU Max Clock rate:", offsetof(struct triage_device, sm_clock_mhz), 1},
    {"GPU Clock rate:", offsetof(struct triage_device, sm_clock_mhz), 1},
    {"L2 Cache Size:", offsetof(struct triage_device, l2_bytes), 1},
    {"Total amount of shared memory per block:", offsetof(struct triage_device, shared_per_block_bytes), 1},
    {"Total shared memory per multiprocessor:", offsetof(struct triage_device, shared_per_sm_bytes), 1},
    {"Total number of registers available per block:", offsetof(struct triage_device, registers_per_block),
     1},
    {"Maximum number of threads per multiprocessor:", offsetof(struct triage_device, max_threads_per_sm), 1}};

// "Device 0: "NVIDIA H200"": a new device. False: the line says something else.
static bool begin_query(struct triage *t, const char *path, const char *line)
{
    const char *at = behind_label(line, "Device ");
    const char *open = at ? strstr(at, ": \"") : NULL, *close = open ? strchr(open + 3, '"') : NULL;
    if (!close || *at < '0' || *at > '9')
        return false;
    struct triage_device device = {.name = arena_string(t->arena, open + 3, (size_t)(close - open - 3)),
                                   .file = path};
    vec_push(&t->devices, device);
    return true;
}

static void read_query_line(struct triage_device *device, const char *line)
{
    const char *at;
    if ((at = behind_label(line, "CUDA Capability Major/Minor version number:")))
        device->cc = capability(at);
    if ((at = behind_label(line, "Total amount of global memory:")) && strchr(at, '('))
        device->memory_bytes = first_number(strchr(at, '('));
    if (strstr(line, "Multiprocessors") && strchr(line, '('))
        device->n_sms = first_number(strchr(line, '('));
    for (size_t i = 0; i < sizeof query_labels / sizeof *query_labels; i++)
        if ((at = behind_label(line, query_labels[i].text)) && isfinite(first_number(at)))
            *(double *)((char *)device + query_labels[i].offset) = first_number(at) * query_labels[i].unit;
}

// ---- nvidia-smi -----------------------------------------------------------------------------------------

enum { MAX_COLUMNS = 64 };

static size_t split_columns(char *line, char *columns[MAX_COLUMNS])
{
    size_t n = 0;
    for (char *state, *field = strtok_r(line, ",", &state); field && n < MAX_COLUMNS;
         field = strtok_r(NULL, ",", &state)) {
        while (*field == ' ')
            field++;
        char *end = field + strlen(field);
        while (end > field && (end[-1] == ' ' || end[-1] == '\r'))
            *--end = '\0';
        columns[n++] = field;
    }
    return n;
}

// The header names what was asked for: at least the card's name and one thing that nvidia-smi alone calls so.
static bool is_smi_header(char *columns[], size_t n)
{
    static const char *const ours[] = {"compute_cap",    "memory.total", "clocks.",
                                       "driver_version", "uuid",         "pci."};
    bool has_name = false, has_other = false;
    for (size_t i = 0; i < n; i++) {
        has_name |= strcmp(columns[i], "name") == 0 || strcmp(columns[i], "gpu_name") == 0;
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
            has_other |= strncmp(columns[i], ours[k], strlen(ours[k])) == 0;
    }
    return has_name && has_other;
}

static void read_smi_field(struct triage *t, struct triage_device *device, const char *column,
                           const char *value)
{
    static const double MIB = 1048576;
    if (strcmp(column, "name") == 0 || strcmp(column, "gpu_name") == 0)
        device->name = arena_string(t->arena, value, strlen(value));
    else if (strcmp(column, "compute_cap") == 0)
        device->cc = capability(value);
    else if (strncmp(column, "memory.total", 12) == 0)
        device->memory_bytes = strtod(value, NULL) * MIB;
    else if (strncmp(column, "clocks.max.sm", 13) == 0)
        device->sm_clock_mhz = strtod(value, NULL);
}

// ---- the file -------------------------------------------------------------------------------------------

struct device_reader {
    struct triage *t;
    const char *path;
    bool is_query; // inside a deviceQuery device
    char *header[MAX_COLUMNS];
    size_t n_header;
    uint32_t n_found;
};

static void read_smi_line(struct device_reader *r, char *line)
{
    char *columns[MAX_COLUMNS];
    size_t n = split_columns(line, columns);
    if (is_smi_header(columns, n)) {
        r->n_header = n;
        memcpy(r->header, columns, n * sizeof *columns);
        return;
    }
    if (!r->n_header || n != r->n_header) {
        r->n_header = 0;
        return;
    }
    struct triage_device device = {.file = r->path};
    for (size_t i = 0; i < n; i++)
        read_smi_field(r->t, &device, r->header[i], columns[i]);
    if (!device.name)
        return;
    vec_push(&r->t->devices, device);
    r->n_found++;
}

static void read_line(struct device_reader *r, char *line)
{
    if (begin_query(r->t, r->path, line)) {
        r->is_query = true;
        r->n_found++;
    } else if (r->is_query) {
        read_query_line(&r->t->devices.at[r->t->devices.n - 1], line);
    } else if (strchr(line, ',')) {
        read_smi_line(r, line);
    }
}

uint32_t triage_read_device_text(struct triage *t, const char *path, const char *text, size_t n)
{
    struct device_reader r = {.t = t, .path = path};
    char *copy = arena_string(t->arena, text, n);
    for (char *line = copy, *end; *line; line = end) {
        size_t length = strcspn(line, "\n");
        end = line + length + (line[length] == '\n');
        line[length] = '\0';
        read_line(&r, line);
    }
    return r.n_found;
}
