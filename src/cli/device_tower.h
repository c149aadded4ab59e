// The memory hierarchy of a device drawn as a tower, registers on top, the host at the foot.
#ifndef CLI_DEVICE_TOWER_H
#define CLI_DEVICE_TOWER_H
#include "device/device.h"

void device_draw(const struct device *d, struct buf *out);
#endif
