// Fuzz target: device files against the schema, with the bases that are built in; each value of a good one is
// printed.
#include "device/device.h"
#include "device/occupancy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_device(const struct device *device)
{
    struct buf text = {0};
    for (int key = 0; key < N_DEVICE_KEYS; key++)
        device_print_value(device, (enum device_key)key, &text);
    buf_release(&text);
    struct kernel_needs needs = {.threads = 256, .registers = 64, .static_shared_bytes = 10000};
    struct occupancy occupancy = occupancy_of(device, &needs);
    if (occupancy.warps_per_sm > device->max_warps_per_sm)
        BUG("%u warps on an SM of %llu", occupancy.warps_per_sm,
            (unsigned long long)device->max_warps_per_sm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena, "fuzz");
    struct device device;
    struct err err = {0};
    bool is_good = device_parse(&arena, "fuzz.dev", (const char *)data, size, &device, &err);
    if (is_good == err.set)
        BUG("device_parse returned %d and set %d", is_good, err.set);
    if (is_good)
        use_device(&device);
    arena_release(&arena);
    return 0;
}
