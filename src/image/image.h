// Device code as it travels: fatbin containers (plain, zstd, LZ4), cubins (ELF) and PTX text, in files, in executables and
// in memory of a process.
//
//     struct image_list images = {0};
//     if (!image_scan(&arena, "a.out", bytes, n, &images, &err)) ...       // any kind of file; 0 images is no error
//     const struct image *best = image_choose(&images, device->cc, false); // the image the driver would take
//     if (!image_decode(&arena, best, &text, &length, &err)) ...           // decompressed payload
//
// Nothing is trusted: every offset and size is checked against the input; hostile input gives an error, never a read out
// of bounds. Sources of the layouts: measured on nvcc 13.0 output (doc/formats.md, "Fatbins").
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H
#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum image_kind { IMAGE_PTX, IMAGE_CUBIN };
enum image_coding { CODING_PLAIN, CODING_LZ4, CODING_ZSTD };

struct image {
    enum image_kind kind;
    enum image_coding coding;
    unsigned cc;              // compute capability times ten: 90 = compute_90 or sm_90
    bool is_arch_specific;    // "a" target (sm_90a): runs on that architecture only
    bool is_family_specific;  // "f" target
    bool is_debug;            // -G
    bool is_relocatable;      // from __nv_relfatbin: must be linked
    const char *name;         // identifier in the container, "" if none
    const uint8_t *payload;   // borrowed from the input
    size_t payload_bytes, decoded_bytes;
    uint32_t container;       // which container of the input it lay in
};

struct image_list {
    struct image *at;
    size_t n, capacity;
    uint32_t n_containers;
};
void image_list_release(struct image_list *list);

// One container in memory (as handed to __cudaRegisterFatBinary); `n_most` bounds the bytes that may be read.
bool fatbin_scan(const void *container, size_t n_most, struct image_list *out, struct err *err);

// A whole file: raw PTX text, cubin, fatbin, or an ELF executable, object or shared library whose .nv_fatbin and
// __nv_relfatbin sections hold containers.
bool image_scan(const char *path, const void *bytes, size_t n, struct image_list *out, struct err *err);

// The image a driver takes for a device: with `wants_cubin`, a cubin of the same major and at most the same minor
// capability; else, the PTX of the highest target the device can run. NULL when there is none.
const struct image *image_choose(const struct image_list *list, unsigned cc, bool wants_cubin);

// PTX gets a NUL behind its last byte (not counted in `length`).
bool image_decode(struct arena *arena, const struct image *image, const char **bytes, size_t *length, struct err *err);
#endif
