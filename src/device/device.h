// One GPU as a frozen flat struct, read from a device file by the schema in device.def.
//
//     struct device d;
//     if (!device_load(&arena, "h200", &d, &err)) ...     // an embedded name or the path of a .dev file
//     d.n_sms, d.l2_bytes, device_source(&d, KEY_l2_bytes)->tag
//
// Values live as long as the arena passed in. Unknown key (with the nearest known one), missing key, wrong
// unit, value out of range, override that changes nothing: an error with file, line and caret; there are no
// hidden defaults.
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_SIZE_LIST = 16 };
struct size_list {
    uint64_t at[MAX_SIZE_LIST];
    uint32_t n;
};

enum device_key {
#define KEY(key, field, type, unit, minimum, maximum, need, text) KEY_##field,
#include "device/device.def"
#undef KEY
    N_DEVICE_KEYS
};

// Where a value comes from: tag is "vendor", "paper", "probe" or "guess"; note names the source in words.
struct device_source {
    const char *tag, *note, *file;
    unsigned line;
};

#define DEVICE_TYPE_U uint64_t
#define DEVICE_TYPE_F double
#define DEVICE_TYPE_S const char *
#define DEVICE_TYPE_L struct size_list

struct device {
    const char *id; // "h200": the file's name without .dev
#define KEY(key, field, type, unit, minimum, maximum, need, text) DEVICE_TYPE_##type field;
#include "device/device.def"
#undef KEY
    struct device_source sources[N_DEVICE_KEYS];
};

bool device_load(struct arena *arena, const char *name_or_path, struct device *out, struct err *err);

// The same from text in memory; `path` only names it in errors. Bases are always the embedded ones.
bool device_parse(struct arena *arena, const char *path, const char *text, size_t length, struct device *out,
                  struct err *err);

// Embedded devices in alphabetic order; NULL-terminated, in the arena.
const char *const *device_names(struct arena *arena);

static inline const struct device_source *device_source(const struct device *d, enum device_key key)
{
    return &d->sources[key];
}

// Derived values; units in the names.
double device_dram_peak_gbps(const struct device *d); // bus width * pin rate / 8
double device_cycles_to_ns(const struct device *d, double cycles);
uint32_t device_count_guesses(const struct device *d); // keys whose tag is "guess"

// One row of the schema, for printing and documentation.
struct device_key_info {
    const char *key, *unit, *text;
    char type; // 'U' 'F' 'S' 'L'
    double minimum, maximum;
    bool is_required;
    size_t offset; // of the field in struct device
};
const struct device_key_info *device_key_info(enum device_key key);

// "60 MiB", "1980 MHz": as a device file writes it, so that it can be read back.
void device_print_value(const struct device *d, enum device_key key, struct buf *out);
bool device_has_value(const struct device *d, enum device_key key); // false for an optional key left out
double device_number(const struct device *d, enum device_key key);  // of a key of type U or F
#endif
