// A cubin ready to run: symbols, variables, relocations and, on demand, its kernels lowered. The twin of ptx/load.h, and
// used in the same steps:
//
//     struct sass_image *image = sass_image_open(&arena, path, bytes, n, &err);
//     for (uint32_t i = 0; i < image->n_data; i++)                     // global variables: one allocation each
//         image->data[i].address = …;
//     image->constant_address = …;                                     // room for image->constant_bytes: bank 3
//     sass_image_write(image, i, host bytes of data[i], &err), sass_image_write_constants(image, host bytes, &err);
//     const struct kernel *kernel = sass_image_kernel(image, "_Z3addPf", &err);   // lowered at the first call
//
// The bytes given are borrowed and must outlive the image; everything else lives in the arena. Nothing is trusted: a
// damaged cubin gives an error. Layout of cubins: image/cubin.h, doc/formats.md; relocations: doc/sass.md.
#ifndef SASS_LOAD_H
#define SASS_LOAD_H
#include "base/arena.h"
#include "base/err.h"
#include "image/cubin.h"
#include "image/elf.h"
#include "isa/kernel.h"

// A variable: an object in .nv.global, .nv.global.init or .nv.constant3.
struct sass_datum {
    const char *name;
    uint64_t size_bytes;
    uint32_t align;    // bytes
    uint64_t address;  // globals: given by the caller. Constants: offset in bank 3.
    uint32_t section;  // of the ELF file
    uint64_t offset;   // in the section
};

struct sass_symbol {
    const char *name;
    uint8_t type; // STT_…
    uint32_t section; // 0 = not defined here
    uint64_t value, size_bytes;
    struct sass_datum *datum; // of variables
};

// Code: one .text section. Sections lie one behind the other in the code window (isa/kernel.h).
struct sass_code {
    const char *name; // of the function: ".text." cut off
    struct elf_section text;
    uint32_t section;     // of the ELF file
    uint64_t base;        // byte offset of its first instruction in the code window
    struct elf_section relocations[2]; // REL and RELA; bytes NULL: none
    bool is_entry, is_address_taken; // a kernel; a function whose address lies in data
};

struct sass_kernel {
    const struct cubin_kernel *attributes;
    uint32_t code;         // index into image->codes
    struct kernel *kernel; // NULL until it is asked for
    bool is_refused;       // it was asked for and cannot be run; `why` says so
    const char *why;
};

struct sass_image {
    struct arena *arena;
    const char *path;
    struct elf elf;
    struct cubin cubin;
    struct sass_datum *data;
    uint32_t n_data;
    struct sass_datum *constants;
    uint32_t n_constants;
    uint64_t constant_bytes;
    uint64_t constant_address; // given by the caller
    struct sass_kernel *kernels;
    uint32_t n_kernels;

    // Private
    struct sass_symbol *symbols;
    uint32_t n_symbols;
    struct sass_code *codes;
    uint32_t n_codes;
    bool has_address_taken; // of any function
    uint64_t code_bytes; // of all sections; functions of the engine follow
};

struct sass_image *sass_image_open(struct arena *arena, const char *path, const void *bytes, size_t n, struct err *err);
bool sass_image_write(const struct sass_image *image, uint32_t index, uint8_t *out, struct err *err);
bool sass_image_write_constants(const struct sass_image *image, uint8_t *out, struct err *err);
const struct kernel *sass_image_kernel(struct sass_image *image, const char *name, struct err *err);
const struct sass_kernel *sass_image_find_kernel(const struct sass_image *image, const char *name);
const struct sass_datum *sass_image_find(const struct sass_image *image, const char *name, bool *is_constant);

// ---- for load_kernel.c --------------------------------------------------------------------------------------------------

// Functions that the engine provides; their code addresses follow the last section.
enum sass_native { NATIVE_PRINTF, NATIVE_ASSERT, NATIVE_MALLOC, NATIVE_FREE, N_SASS_NATIVES };
enum { SASS_NATIVE_BYTES = 32 }; // two records each: the function, the return
static inline uint64_t sass_native_base(const struct sass_image *image, enum sass_native native)
{
    return image->code_bytes + (uint64_t)native * SASS_NATIVE_BYTES;
}

// Relocations of a section, applied to `out`, a copy of its bytes. Calls (whose target does not fit the encoding as it is
// lowered) are given to `calls` instead; NULL where there can be none.
struct sass_call {
    uint32_t offset; // of the instruction in its section
    uint64_t target; // code address
};
struct sass_calls {
    struct sass_call *at;
    size_t n, capacity;
};
bool sass_relocate(const struct sass_image *image, const struct elf_section *relocations, uint8_t *out, size_t n_bytes,
                   struct sass_calls *calls, struct err *err);
// Indices of the code sections that a section's relocations name are added to `reached` (one flag a code section).
void sass_mark_reached(const struct sass_image *image, const struct elf_section *relocations, bool *reached);
// The same for a data section by its index in the ELF file.
bool sass_relocate_data(const struct sass_image *image, uint32_t index, uint8_t *out, size_t n_bytes, struct err *err);
// Source lines of the code sections that are part of a kernel: fills files, lines and insns[].line.
void sass_describe_lines(struct sass_image *image, const bool *reached, const uint32_t *first_insns, struct kernel *out);
struct kernel *sass_lower_kernel(struct sass_image *image, struct sass_kernel *kernel, struct err *err);
#endif
