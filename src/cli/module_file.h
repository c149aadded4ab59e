// Modules from files, and kernels by name.
#ifndef CLI_MODULE_FILE_H
#define CLI_MODULE_FILE_H
#include "rt/module.h"

// The PTX of a file, parsed: a .ptx file, a .cu file (nvcc or clang compiles it, for capability `cc`), or
// what a driver would take for that capability from a fatbin, object or shared library. Other kinds of file
// are named with what to do instead.
bool module_open(struct arena *arena, const char *path, unsigned cc, struct module *out, struct err *err);

// A kernel by its mangled name, or by its plain one if that is unique; NULL name: the only kernel there is.
// The candidates are listed when the choice is not clear.
const struct kernel *module_kernel(struct module *module, struct arena *arena, const char *name,
                                   struct err *err);
// The same before lowering: the function's index in image->kernels, or -1.
int module_find_kernel(const struct module *module, struct arena *arena, const char *name, struct err *err);
#endif
