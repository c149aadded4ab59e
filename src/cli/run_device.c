// The device of `run`: see run_device.h.
#include "cli/run_device.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char default_device[] = "h200";

static bool take(struct arena *arena, const char *name, const char *reason, struct run_device *out,
                 struct err *err)
{
    char path[PATH_MAX];
    out->reason = reason;
    out->name = name;
    if (strchr(name, '/') && realpath(name, path)) // the program may change its folder
        out->name = arena_string(arena, path, strlen(path));
    return device_load(arena, name, &out->device, err);
}

// Of the devices that can run one of the images, that of the highest capability, the first of equals; NULL
// when there is none.
static const char *newest_for(struct arena *arena, const struct image_list *images)
{
    const char *best = NULL;
    uint64_t best_cc = 0;
    for (const char *const *name = device_names(arena); *name; name++) {
        struct device device;
        struct err ignored = {0};
        if (!device_load(arena, *name, &device, &ignored) || device.cc <= best_cc ||
            !image_choose(images, (unsigned)device.cc, false))
            continue;
        best = *name;
        best_cc = device.cc;
    }
    return best;
}

bool run_device_choose(struct arena *arena, const char *option, const struct image_list *images,
                       struct run_device *out, struct err *err)
{
    const char *variable = getenv("WARPGLASS_DEVICE");
    if (option)
        return take(arena, option, "--device", out, err);
    if (variable && *variable)
        return take(arena, variable, "$WARPGLASS_DEVICE", out, err);
    if (!take(arena, default_device, "default", out, err))
        return false;
    if (image_choose(images, (unsigned)out->device.cc, false) || image_choose(images, (unsigned)out->device.cc, true))
        return true;
    const char *newest = newest_for(arena, images);
    if (!newest)
        return true; // no device code, or none that any device runs: the runtime says so when it is launched
    char target[16];
    struct device device;
    if (!device_load(arena, newest, &device, err))
        return false;
    const struct image *image = image_choose(images, (unsigned)device.cc, false);
    const char *reason =
        arena_printf(arena, "being the newest that runs the program's %s", image_target(image, target));
    return take(arena, newest, reason, out, err);
}

const char *run_device_line(struct arena *arena, const struct run_device *device, bool is_reproducible)
{
    const struct device *d = &device->device;
    return arena_printf(arena, "device %s: %s%s%s", d->id, d->name, is_reproducible ? "" : ", chosen by ",
                        is_reproducible ? "" : device->reason);
}
