// A module of kernels in guest memory: what images become, its variables placed and initialised.
//
// A module may hold PTX, machine code, or both of the same source. Machine code is what runs when the modelled device can
// execute all of a kernel; PTX runs otherwise and is not even read before it is needed. Variables are the same for both:
// one place each, and in the constant bank the offsets that the machine code has.
#ifndef RT_MODULE_H
#define RT_MODULE_H
#include "base/arena.h"
#include "image/image.h"
#include "mem/memory.h"
#include "ptx/load.h"
#include "sass/load.h"

enum engine_choice { ENGINE_AUTO, ENGINE_PTX, ENGINE_SASS, N_ENGINES };
bool engine_parse(const char *text, enum engine_choice *out); // "auto", "ptx", "sass"

struct module_variable {
    const char *name;
    uint64_t size_bytes, address; // guest address, 0 = no place yet
    uint64_t offset;              // of constants: in bank 3
    uint32_t align;               // bytes
    bool is_constant, is_managed;
    uint32_t ptx, machine; // index in image->data or ->constants, in machine->data or ->constants; NO_DATUM
};
enum { NO_DATUM = 0x7fffffff };

struct module {
    const char *path;     // names it in errors and reports
    const char *compiler; // of a .cu file; NULL for others
    const char *taken;    // which images of a fatbin, object or library; NULL for others
    enum engine_choice engine;
    struct ptx_image *image;         // NULL: there is none, or it was not needed yet
    struct sass_image *machine;      // NULL: there is none that the device runs
    const char *why_no_machine_code; // for the report; NULL when there is some
    struct module_variable *variables;
    uint32_t n_variables;
    const char **kernels; // mangled names
    uint32_t n_kernels;
    uint64_t constant_bytes, constant_address; // bank 3

    // Private
    struct arena *arena;
    const struct image_list *images;
    unsigned cc;
};

// What a driver would take for capability `cc` from the containers, as one module: relocatable PTX is linked, other
// containers keep their names to themselves. out->path and engine must be set. `images` must outlive the module.
bool module_of_images(struct arena *arena, const struct image_list *images, unsigned cc, struct module *out,
                      struct err *err);
// A module of PTX alone; out->image is set.
void module_of_ptx(struct arena *arena, struct module *out);

// Places all variables in `memory`, except those that have an address already (managed ones), and writes initial values.
bool module_place(struct module *module, struct memory *memory, struct err *err);
// Initial values once more, into places that are there.
bool module_write(struct module *module, struct memory *memory, struct err *err);

// The kernel of that mangled name, after module_place, as the engine chosen runs it. `why` (may be NULL): the reason when
// PTX runs though machine code was asked for, else NULL.
const struct kernel *module_kernel(struct module *module, struct memory *memory, const char *name, const char **why,
                                   struct err *err);
struct module_variable *module_find_variable(const struct module *module, const char *name);
#endif
