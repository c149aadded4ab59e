// Fuzz target: any file given to triage: logs, device texts, ELF files, fatbins. What is found can be judged.
#include "device/device.h"
#include "triage/judge.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(struct triage *t)
{
    struct device device;
    struct err err = {0};
    if (!device_load(t->arena, "h200", &device, &err))
        BUG("the device h200 is not built in");
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct triage_verdict v = triage_judge(t, t->kernels.at[i], i % 2 ? &device : NULL, 0);
        if (!v.text || !*v.text)
            BUG("a kernel without a verdict");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct triage t;
    struct err err = {0};
    bool is_ptx;
    arena_init(&arena, "fuzz");
    triage_init(&t, &arena);
    bool is_good = triage_read(&t, "fuzz", data, size, &is_ptx, &err);
    if (is_good == err.set)
        BUG("result and error of reading a file disagree");
    triage_finish(&t);
    judge(&t);
    triage_release(&t);
    arena_release(&arena);
    return 0;
}
