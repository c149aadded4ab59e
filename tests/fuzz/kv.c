// Fuzz target: the reader of device files, and the number parsers on every value it finds.
#include "base/kv.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_value(const char *value)
{
    uint64_t u;
    int64_t i;
    double d;
    uint32_t shape[3];
    (void)units_parse_bytes(value, &u);
    (void)units_parse_u64(value, &u);
    (void)units_parse_i64(value, &i);
    (void)units_parse_double(value, &d);
    (void)units_parse_shape(value, shape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena, "fuzz");
    struct kv_file file;
    struct err err = {0};
    bool is_good = kv_parse(&arena, "fuzz", (const char *)data, size, &file, &err);
    if (is_good == err.set)
        BUG("kv_parse returned %d and set %d", is_good, err.set);
    for (size_t i = 0; i < file.n; i++)
        parse_value(file.pairs[i].value);
    arena_release(&arena);
    return 0;
}
