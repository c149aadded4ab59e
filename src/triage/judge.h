// What the numbers of a kernel mean on a device: how many warps are resident and what limits them, which
// traps are hidden in the numbers, what costs most, and the one change that helps most.
//
//     struct triage_verdict v = triage_judge(&t, kernel, device, 256);      // device NULL: none is known for
//     its target triage_sort(kernels, verdicts, n);                                     // worst first
#ifndef TRIAGE_JUDGE_H
#define TRIAGE_JUDGE_H
#include "device/occupancy_next.h"
#include "triage/triage.h"

// How bad it is, the worst last.
enum triage_grade { GRADE_CLEAN, GRADE_NOTE, GRADE_SLOW, GRADE_SPILLS, GRADE_BROKEN };

struct triage_verdict {
    struct triage_kernel *kernel;
    const struct device *device; // NULL: not known
    bool is_device_assumed;      // no file names the target, nor a device
    enum triage_grade grade;
    struct kernel_needs needs;
    struct occupancy occupancy;
    struct occupancy_step step;
    const char *text; // one sentence, or two
};

// `block`: threads of a block; 0: what the kernel is bounded to, else TRIAGE_USUAL_BLOCK. Fills the kernel's
// derived values.
enum { TRIAGE_USUAL_BLOCK = 256 };
struct triage_verdict triage_judge(struct triage *t, struct triage_kernel *kernel,
                                   const struct device *device, uint32_t block);
void triage_sort(struct triage_verdict *verdicts, size_t n);
// The most registers with which a block of so many threads still launches.
uint32_t triage_register_cap(const struct device *device, uint32_t threads);
#endif
