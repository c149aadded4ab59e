// Files that the build puts into the program (tools/embed.c): device files and the CUDA headers of our own.
//
//     for (const struct embedded_file *f = embedded_devices; f->name; f++)
//         use(f->name, f->text, f->length);
//
// Each table is in alphabetic order of paths and ends with a NULL name.
#ifndef BASE_EMBED_H
#define BASE_EMBED_H
#include <stddef.h>

struct embedded_file {
    const char *name; // relative to its folder: "h200.dev", "base/hopper.dev"
    const char *text; // NUL-terminated behind `length`
    size_t length;    // bytes
};

extern const struct embedded_file embedded_devices[]; // devices/*.dev and devices/base/*.dev
extern const struct embedded_file embedded_headers[]; // src/cuda/*.h
extern const struct embedded_file embedded_web[];     // src/report/web/*, and the chart library where it was fetched

// The file of that name, or NULL.
const struct embedded_file *embedded_find(const struct embedded_file *table, const char *name);
#endif
