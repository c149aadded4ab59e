// Fuzz target: files with device code. What is found lies inside the input; what decodes has the size it
// claims.
#include "image/cubin.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_DECODED = 64 << 20 }; // larger ones would only be slow

static void check_image(const struct image *image, const uint8_t *data, size_t size, uint32_t n_containers)
{
    if (image->payload < data || image->payload > data + size ||
        image->payload_bytes > (size_t)(data + size - image->payload))
        BUG("a payload lies outside of the input");
    if (image->container >= n_containers)
        BUG("image of container %u of %u", image->container, n_containers);
    if (strlen(image->name) >= sizeof image->name || strlen(image->options) >= sizeof image->options)
        BUG("a text has no end");
}

static void read_cubin(struct arena *arena, const char *bytes, size_t length)
{
    struct cubin cubin;
    struct err err = {0};
    bool good = cubin_read(arena, "fuzz", bytes, length, &cubin, &err);
    if (good == err.set)
        BUG("result and error of reading a cubin disagree");
    for (uint32_t i = 0; good && i < cubin.n_kernels; i++)
        if (cubin.kernels[i].name < bytes ||
            cubin.kernels[i].name + strlen(cubin.kernels[i].name) >= bytes + length)
            BUG("a name lies outside of the cubin");
}

static void decode(const struct image *image)
{
    struct arena arena;
    struct err err = {0};
    const char *bytes;
    size_t length;
    if (image->decoded_bytes > MOST_DECODED)
        return;
    arena_init(&arena, "fuzz");
    bool good = image_decode(&arena, image, &bytes, &length, &err);
    if (good == err.set)
        BUG("result and error of decoding disagree");
    if (good && (bytes[length] != '\0' || length > image->decoded_bytes ||
                 (image->kind != IMAGE_PTX && length != image->decoded_bytes)))
        BUG("decoded to %zu bytes instead of %zu", length, image->decoded_bytes);
    if (good && image->kind == IMAGE_CUBIN)
        read_cubin(&arena, bytes, length);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned capabilities[] = {75, 80, 90, 103, 120};
    struct image_list list = {0};
    struct err err = {0};
    bool good = image_scan("fuzz", data, size, &list, &err);
    if (good == err.set)
        BUG("result and error disagree");
    for (size_t i = 0; i < list.n; i++) {
        check_image(&list.at[i], data, size, list.n_containers);
        decode(&list.at[i]);
    }
    for (size_t i = 0; i < 2 * sizeof capabilities / sizeof capabilities[0]; i++) {
        const struct image *best = image_choose(&list, capabilities[i / 2], i % 2);
        if (best && !image_runs_on(best, capabilities[i / 2]))
            BUG("the chosen image does not run");
        struct err refused = {0};
        if (!best && i % 2 == 0 && image_fail_choice("fuzz", &list, capabilities[i / 2], &refused))
            BUG("failing did not fail");
    }
    (void)image_is_executable(data, size);
    image_list_release(&list);
    return 0;
}
