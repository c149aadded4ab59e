// Modules from files, and kernels by name.
#ifndef CLI_MODULE_FILE_H
#define CLI_MODULE_FILE_H
#include "base/buf.h"
#include "rt/module.h"

// A file with kernels and what was read from it.
struct module_file {
    struct module module;
    struct buf bytes; // of a binary file
    struct image_list images;
};

// A .ptx file, a .cu file (nvcc or clang compiles it, for capability `cc`), or what a driver would take for that
// capability from a cubin, fatbin, object or shared library. Other kinds of file are named with what to do instead.
// out->module.engine is set by the caller; close after success or error.
bool module_file_open(struct arena *arena, const char *path, unsigned cc, struct module_file *out, struct err *err);
void module_close(struct module_file *file);

// The mangled name of a kernel, found by it or by its plain one if that is unique; NULL name: the only kernel there is.
// NULL when the choice is not clear: the candidates are listed.
const char *module_kernel_name(const struct module *module, struct arena *arena, const char *name, struct err *err);
#endif
