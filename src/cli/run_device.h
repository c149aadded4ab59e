// Which device `run` models: --device, else $WARPGLASS_DEVICE, else h200, else the newest one that can run
// the device code in the program.
#ifndef CLI_RUN_DEVICE_H
#define CLI_RUN_DEVICE_H
#include "device/device.h"
#include "image/image.h"

struct run_device {
    struct device device;
    const char *name;   // for WARPGLASS_DEVICE: a name, or an absolute path
    const char *reason; // "--device", "default", "the newest that runs the program's PTX for compute_100"
};

bool run_device_choose(struct arena *arena, const char *option, const struct image_list *images,
                       struct run_device *out, struct err *err);

// "device h200: NVIDIA H200, chosen by default"; `is_reproducible` leaves out how it was chosen.
const char *run_device_line(struct arena *arena, const struct run_device *device, bool is_reproducible);
#endif
