// One value of a device file: from text by the rules of its row in device.def, and back to text.
// Used by device.c only.
#ifndef DEVICE_DEVICE_VALUE_H
#define DEVICE_DEVICE_VALUE_H
#include "base/kv.h"
#include "device/device.h"

union device_value {
    uint64_t u;
    double f;
    const char *s;
    struct size_list l;
};

// Checks number, unit and range; the error points at the value in `file`.
bool device_value_parse(const struct device_key_info *info, const struct kv_file *file,
                        const struct kv_pair *pair, union device_value *out, struct err *err);
bool device_value_equal(char type, const union device_value *a, const union device_value *b);
void device_value_load(const struct device *d, enum device_key key, union device_value *out);
void device_value_store(struct device *d, enum device_key key, const union device_value *value);
#endif
