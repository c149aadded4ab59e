// The device of a command.
#include "cli/choose_device.h"
#include <stdlib.h>

int choose_device(struct arena *arena, const char *option, struct device *out)
{
    const char *name = option ? option : getenv("WARPGLASS_DEVICE");
    struct err err = {0};
    if (device_load(arena, name && *name ? name : "h200", out, &err))
        return EXIT_LOADED;
    err_print(&err, stderr);
    return EXIT_INPUT;
}
