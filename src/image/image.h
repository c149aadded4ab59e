// Device code as it travels: fatbin containers (plain, zstd, LZ4), cubins (ELF) and PTX text, in files, in
// executables and in memory of a process.
//
//     struct image_list images = {0};
//     if (!image_scan("a.out", bytes, n, &images, &err)) ...               // any kind of file; 0 images is
//     no error const struct image *best = image_choose(&images, device->cc, false); // the image the driver
//     would take if (!image_decode(&arena, best, &text, &length, &err)) ...           // decompressed payload
//     image_list_release(&images);
//
// Nothing is trusted: every offset and size is checked against the input; hostile input gives an error, never
// a read out of bounds, and never more than IMAGE_MOST_DECODED bytes. Sources of the layouts: doc/formats.md,
// "Fatbins".
//
//   elf.c     sections of ELF files                   scan.c    files of every kind -> images
//   fatbin.c  containers and what points to them      decode.c  compressed payloads
//   choose.c  the image for a device                  cubin.c   what a cubin says about its kernels
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H
#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMAGE_MOST_DECODED = 512 << 20 }; // bytes; the largest PTX seen in real programs has 26 MB

enum image_kind {
    IMAGE_PTX,
    IMAGE_CUBIN,
    IMAGE_LTO // the compiler's intermediate code (-dlto): only NVIDIA's linker can use it
};
enum image_coding { CODING_PLAIN, CODING_LZ4, CODING_ZSTD, CODING_UNKNOWN };

struct image {
    enum image_kind kind;
    enum image_coding coding;
    unsigned cc;             // compute capability times ten: 90 = compute_90 or sm_90
    bool is_arch_specific;   // "a" target (sm_90a): runs on that architecture only
    bool is_family_specific; // "f" target: runs on that one and later ones of the same major number
    bool is_debug;           // -G
    bool is_relocatable;     // from __nv_relfatbin: must be linked
    char name[64];    // identifier in the container, usually the source file; "" if none, longer ones are cut
    char options[96]; // of PTX: what the compiler wants ptxas to be told, "-maxrregcount=32"; cut likewise
    const uint8_t *payload; // borrowed from the input
    size_t payload_bytes;   // in the input
    size_t decoded_bytes;   // as claimed; of plain payloads payload_bytes, which may end in NULs
    uint32_t container;     // which container of the input it lay in
};

struct image_list {
    struct image *at;
    size_t n, capacity;
    uint32_t n_containers; // empty ones count; a raw PTX text or a cubin is one as well
};
void image_list_release(struct image_list *list);

// One container in memory; `n_most` bounds the bytes that may be read (SIZE_MAX: the container's own size is
// trusted).
bool fatbin_scan(const void *container, size_t n_most, struct image_list *out, struct err *err);

// What __cudaRegisterFatBinary is given: the wrapper of .nvFatBinSegment. Reads its container or raw PTX text
// and, of a program with relocatable device code, the containers to be linked (marked is_relocatable). This
// is memory of the process, so sizes found there are trusted.
bool fatbin_scan_wrapper(const void *wrapper, struct image_list *out, struct err *err);

// What cuModuleLoadData is given: a wrapper, container, cubin or NUL-terminated PTX text, told apart by their
// first bytes.
bool image_scan_memory(const void *image, struct image_list *out, struct err *err);

// A whole file: raw PTX text, cubin, fatbin, or an ELF executable, object or shared library whose .nv_fatbin
// and
// __nv_relfatbin sections hold containers or raw PTX. `path` is for errors. After an error `out` holds what
// was read before.
bool image_scan(const char *path, const void *bytes, size_t n, struct image_list *out, struct err *err);

// A program (not an object, library or cubin): ELF with an entry of its own.
bool image_is_executable(const void *bytes, size_t n);

// Whether the image can run on a device: cubins need the same major and at most the same minor capability,
// PTX any capability that is not below its own; "a" images need exactly theirs, "f" images the same major
// one.
bool image_runs_on(const struct image *image, unsigned cc);

// The image a driver takes for a device: with `wants_cubin` the best cubin, else the PTX of the highest
// target the device can run; the first of equals. NULL when there is none. CUDA takes every container for
// itself: each is a module.
const struct image *image_choose(const struct image_list *list, unsigned cc, bool wants_cubin);
const struct image *image_choose_in(const struct image_list *list, uint32_t container, unsigned cc,
                                    bool wants_cubin);

// The limit of registers a thread that the image was built with (-maxrregcount), for kernels without launch
// bounds; 0 = none.
unsigned image_max_registers(const struct image *image);

// "compute_90" "sm_90a", into 16 bytes.
const char *image_target(const struct image *image, char out[16]);

// Why image_choose found no PTX, and what to do: "holds machine code for sm_90 only: build with …".
bool image_fail_choice(const char *path, const struct image_list *list, unsigned cc, struct err *err);

// PTX gets a NUL behind its last byte (not counted in `length`); NULs at its end are cut off.
bool image_decode(struct arena *arena, const struct image *image, const char **bytes, size_t *length,
                  struct err *err);
#endif
