// A PTX module ready to run: parsed, its variables laid out and, on demand, its kernels lowered.
//
// ptx/ does not know the simulated memory, so loading takes two steps: the image lists the variables that
// need a place, the caller finds one for each and gives the addresses, then asks for the bytes to put there.
//
//     struct ptx_image *image = ptx_image_open(&arena, path, text, length, &err);
//     for (uint32_t i = 0; i < image->n_data; i++)                     // .global: one allocation each
//         image->data[i].address = memory_alloc(memory, image->data[i].size_bytes, image->data[i].align,
//         "variable");
//     image->constant_address = memory_alloc(memory, image->constant_bytes, 256, "constants");   // bank 3
//     ptx_image_place(image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
//     for (…) ptx_image_write(image, i, host bytes of data[i], &err);   // initial values, addresses filled
//     in ptx_image_write_constants(image, host bytes of the bank, &err); struct kernel *kernel =
//     ptx_image_kernel(image, "_Z3addPf", &err); // lowered at the first call
//
// Constants lie in device memory at constant_address, so that copies to a symbol and generic addresses of
// constants are ordinary memory; the bytes of bank 3 for a launch are read from there. Zero-sized variables
// and textures have no place. Everything lives in the arena given at the beginning, which must outlive the
// image.
#ifndef PTX_LOAD_H
#define PTX_LOAD_H
#include "ptx/lower.h"

enum { CONSTANT_BANK_BYTES = 65536 }; // CUDA C++ programming guide, technical specifications: constant memory

// One .global or .const variable defined in this module.
struct ptx_datum {
    const struct ptx_variable *variable;
    uint64_t size_bytes;
    uint32_t align; // bytes
    bool is_constant;
    uint64_t address; // .global: given by the caller. .const: offset in bank 3, given by ptx_image_open.
};

struct ptx_kernel { // an entry of the module
    const struct ptx_function *function;
    struct kernel *kernel; // NULL until it is asked for
};

struct ptx_image {
    struct arena *arena;
    struct ptx_module *module;
    struct ptx_datum *data; // .global variables, in the order of the text
    uint32_t n_data;
    struct ptx_datum *constants;
    uint32_t n_constants;
    uint64_t constant_bytes;    // of bank 3; 0 = the module has no constants
    uint64_t constant_address;  // given by the caller
    struct ptx_kernel *kernels; // in the order of the text
    uint32_t n_kernels;
    struct ptx_symbols symbols; // filled by ptx_image_place
};

struct ptx_image *ptx_image_open(struct arena *arena, const char *path, const char *text, size_t length,
                                 struct err *err);
// The same for a module that is parsed, and perhaps linked (ptx/link.h).
struct ptx_image *ptx_image_of(struct arena *arena, struct ptx_module *module, struct err *err);

// All addresses are set: from now on initial values can be written and kernels lowered.
void ptx_image_place(struct ptx_image *image, uint64_t shared_window, uint64_t local_window);

// Initial bytes of data[index], size_bytes of them; and of the whole constant bank, constant_bytes of them.
// False when a value is the address of something that has none.
bool ptx_image_write(const struct ptx_image *image, uint32_t index, uint8_t *out, struct err *err);
bool ptx_image_write_constants(const struct ptx_image *image, uint8_t *out, struct err *err);

// The kernel of that (mangled) name, lowered. NULL: there is none, with the nearest name; or it cannot be
// lowered.
const struct kernel *ptx_image_kernel(struct ptx_image *image, const char *name, struct err *err);

// The variable of that name, .global or .const, or NULL.
const struct ptx_datum *ptx_image_find(const struct ptx_image *image, const char *name);
#endif
