// Which device a command answers for: --device, else $WARPGLASS_DEVICE, else h200.
#ifndef CLI_CHOOSE_DEVICE_H
#define CLI_CHOOSE_DEVICE_H
#include "device/device.h"

enum { EXIT_LOADED = -1 };

// Loads it into `out`; on failure prints the mistake and returns the exit status, else EXIT_LOADED.
int choose_device(struct arena *arena, const char *option, struct device *out);
#endif
