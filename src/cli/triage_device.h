// Which device each kernel of a triage is judged for, and why.
#ifndef CLI_TRIAGE_DEVICE_H
#define CLI_TRIAGE_DEVICE_H
#include "device/device.h"
#include "triage/triage.h"

struct triage_devices {
    struct arena *arena;
    const struct device *asked;         // --device; NULL: not given
    const struct device *described[16]; // by deviceQuery or nvidia-smi
    uint32_t n_described;
    const struct device *library[64]; // those built in
    uint32_t n_library;
};

// `option`: --device, may be NULL. Devices that texts describe take what the text says, and the rest from the
// built-in device of that name or else of that compute capability.
bool triage_devices_open(struct triage_devices *out, const struct triage *t, const char *option,
                         struct err *err);
// NULL: none of the target's generation is known. `is_assumed`: no file names the target,
// the option and the files no device.
const struct device *triage_device_of(const struct triage_devices *devices,
                                      const struct triage_kernel *kernel, bool *is_assumed);
#endif
