// Devices of a triage: see triage_device.h.
#include "cli/triage_device.h"
#include <string.h>
#include <strings.h>

static bool load_library(struct triage_devices *devices, struct err *err)
{
    enum { MOST = sizeof devices->library / sizeof *devices->library };
    for (const char *const *name = device_names(devices->arena); *name && devices->n_library < MOST; name++) {
        struct device *device = arena_new(devices->arena, struct device);
        if (!device_load(devices->arena, *name, device, err))
            return false;
        devices->library[devices->n_library++] = device;
    }
    return true;
}

// Several devices share a capability: the measured one speaks for 9.0, the first in alphabetic order for the
// others.
static const struct device *of_capability(const struct triage_devices *devices, unsigned cc)
{
    const struct device *found = NULL;
    for (uint32_t i = 0; i < devices->n_library; i++)
        if (devices->library[i]->cc == cc && (!found || strcmp(devices->library[i]->id, "h200") == 0))
            found = devices->library[i];
    return found;
}

static const struct device *of_name(const struct triage_devices *devices, const char *name)
{
    for (uint32_t i = 0; i < devices->n_library; i++) {
        const char *known = devices->library[i]->name;
        const char *plain = strncmp(known, "NVIDIA ", 7) == 0 ? known + 7 : known;
        if (strcasecmp(known, name) == 0 || strcasestr(name, plain))
            return devices->library[i];
    }
    return NULL;
}

static void take(uint64_t *to, double value)
{
    if (value > 0)
        *to = (uint64_t)value;
}

// What the text says, over what is built in. NULL: neither the name nor the capability is known.
static const struct device *described_device(struct triage_devices *devices, const struct triage_device *text)
{
    const struct device *base = of_name(devices, text->name);
    if (!base || (text->cc && base->cc != text->cc))
        base = of_capability(devices, text->cc);
    if (!base)
        return NULL;
    struct device *device = arena_copy(devices->arena, base, sizeof *base, _Alignof(struct device));
    device->id = device->name = text->name;
    take(&device->n_sms, text->n_sms);
    take(&device->dram_bytes, text->memory_bytes);
    take(&device->l2_bytes, text->l2_bytes);
    take(&device->registers_per_block, text->registers_per_block);
    take(&device->shared_per_block_bytes, text->shared_per_block_bytes);
    if (text->max_threads_per_sm > 0)
        device->max_warps_per_sm = (uint64_t)text->max_threads_per_sm / 32;
    if (text->sm_clock_mhz > 0)
        device->sm_clock_mhz = text->sm_clock_mhz;
    return device;
}

bool triage_devices_open(struct triage_devices *out, const struct triage *t, const char *option,
                         struct err *err)
{
    enum { MOST = sizeof out->described / sizeof *out->described };
    *out = (struct triage_devices){.arena = t->arena};
    if (!load_library(out, err))
        return false;
    if (option) {
        struct device *device = arena_new(t->arena, struct device);
        out->asked = device;
        return device_load(t->arena, option, device, err);
    }
    for (size_t i = 0; i < t->devices.n && out->n_described < MOST; i++) {
        const struct device *device = described_device(out, &t->devices.at[i]);
        if (device)
            out->described[out->n_described++] = device;
    }
    return true;
}

// A target runs on devices of its generation from its capability on.
static bool runs_on(const struct triage_kernel *kernel, const struct device *device)
{
    return kernel->cc == 0 || (device->cc / 10 == kernel->cc / 10 && device->cc >= kernel->cc);
}

const struct device *triage_device_of(const struct triage_devices *devices,
                                      const struct triage_kernel *kernel, bool *is_assumed)
{
    enum { ASSUMED_CC = 90 };
    *is_assumed = false;
    if (devices->asked)
        return devices->asked;
    for (uint32_t i = 0; i < devices->n_described; i++)
        if (runs_on(kernel, devices->described[i]))
            return devices->described[i];
    *is_assumed = kernel->cc == 0;
    const struct device *exact = of_capability(devices, kernel->cc ? kernel->cc : ASSUMED_CC);
    for (unsigned cc = kernel->cc; !exact && cc % 10 > 0; cc--) // 8.7 as 8.6, 10.3 as 10.0
        exact = of_capability(devices, cc - 1);
    return exact;
}
