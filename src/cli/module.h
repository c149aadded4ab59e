// A module of kernels in a session's memory: read from a file, its variables placed and initialised.
#ifndef CLI_MODULE_H
#define CLI_MODULE_H
#include "base/arena.h"
#include "mem/memory.h"
#include "ptx/load.h"

struct module {
    const char *path;
    const char *compiler; // of a .cu file; NULL for others
    const char *taken;    // which images of a fatbin, object or library; NULL for others
    struct ptx_image *image;
};

// The PTX of a file, parsed: a .ptx file, a .cu file (nvcc or clang compiles it, for capability `cc`), or
// what a driver would take for that capability from a fatbin, object or shared library. Other kinds of file
// are named with what to do instead.
bool module_open(struct arena *arena, const char *path, unsigned cc, struct module *out, struct err *err);

// Places all variables in `memory` and writes their initial values.
bool module_place(struct module *module, struct memory *memory, struct err *err);

// A kernel by its mangled name, or by its plain one if that is unique; NULL name: the only kernel there is.
// The candidates are listed when the choice is not clear.
const struct kernel *module_kernel(struct module *module, struct arena *arena, const char *name,
                                   struct err *err);
// The same before lowering: the function's index in image->kernels, or -1.
int module_find_kernel(const struct module *module, struct arena *arena, const char *name, struct err *err);
#endif
