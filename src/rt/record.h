// From a finished launch to its record in the profile.
#ifndef RT_RECORD_H
#define RT_RECORD_H
#include "cycle/run.h"
#include "prof/profile.h"

// Every key of the device as "key = value unit @tag" lines, in the arena.
const char *device_text(struct arena *arena, const struct device *device);

// Fills `out` from the launch and its result; strings are borrowed from kernel, device and arena. `fault`:
// text of a guest fault or NULL.
void record_launch(struct arena *arena, const struct device *device, const struct launch *launch,
                   const struct run_options *options, const struct run_result *result,
                   const struct counters *counters, const char *fault, struct profile_launch *out);

// The same without the kernel's part, which profile_add_kernel takes once: for profile_add_launch. Allocates
// nothing.
void record_run(const struct device *device, const struct launch *launch, const struct run_options *options,
                const struct run_result *result, const struct counters *counters, const char *fault,
                struct profile_launch *out);

// Arguments (argv[0] is the command), host, process and time of this process.
struct profile_environment record_environment(struct arena *arena, int argc, char **argv,
                                              const char *device_reason);
#endif
