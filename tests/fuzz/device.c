// Fuzz target: device files. What is accepted prints, and its occupancy can be asked for.
#include "device/occupancy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct device *d)
{
    struct buf out = {0};
    for (int key = 0; key < N_DEVICE_KEYS; key++)
        device_print_value(d, (enum device_key)key, &out);
    buf_release(&out);
}

static void ask_occupancy(const struct device *d)
{
    for (uint32_t threads = 1; threads <= 1024; threads += 341) {
        struct kernel_needs k = {
            .threads = threads, .registers = 40, .static_shared_bytes = 4096, .cluster = 4};
        struct occupancy o = occupancy_of(d, &k);
        struct err err = {0};
        if (o.warps_per_sm > d->max_warps_per_sm)
            BUG("%u warps on an SM of %llu", o.warps_per_sm, (unsigned long long)d->max_warps_per_sm);
        if (launch_check(d, &k, &err) == err.set)
            BUG("launch_check does not agree with its error");
        (void)occupancy_driver_preference(d, &k, threads % 101);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena, "fuzz");
    struct device d;
    struct err err = {0};
    bool is_good = device_parse(&arena, "fuzz.dev", (const char *)data, size, &d, &err);
    if (is_good == err.set)
        BUG("device_parse returned %d and set %d", is_good, err.set);
    if (is_good) {
        print_all(&d);
        ask_occupancy(&d);
    }
    arena_release(&arena);
    return 0;
}
