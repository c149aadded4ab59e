// Lane handlers that run seldom, or are slow whatever the instruction set: the COLD rows of ptx.def. Compiled
// once.
#define HANDLER_LINKAGE
#include "simt/shapes.h"
#include "simt/machine_shapes.h"

#define EXPAND_HANDLER(type, lane, shape, id, ...) HANDLER_##shape(id, type, lane, __VA_ARGS__)
#define COLD(id, opcode, types, suffixes, unit, status, shape, ...) \
    types(EXPAND_HANDLER, shape, id, __VA_ARGS__)
#define OP(...)
#define FN(...)
#define MEM(...)
#include "ptx/ptx.def"
#include "sass/machine.def"
