// A guest fault in compute-sanitizer's form: what, where in the source, which thread, which address, how far
// from which allocation.
#ifndef RT_FAULT_TEXT_H
#define RT_FAULT_TEXT_H
#include "base/buf.h"
#include "simt/warp.h"

// launch gives kernel, memory and the size of shared memory. Nothing is added for FAULT_NONE.
void fault_describe(const struct fault *fault, const struct launch *launch, struct buf *out);
#endif
