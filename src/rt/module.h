// A module of kernels in guest memory: what images become, its variables placed and initialised.
#ifndef RT_MODULE_H
#define RT_MODULE_H
#include "base/arena.h"
#include "image/image.h"
#include "mem/memory.h"
#include "ptx/load.h"

struct module {
    const char *path;     // names it in errors and reports
    const char *compiler; // of a .cu file; NULL for others
    const char *taken;    // which images of a fatbin, object or library; NULL for others
    struct ptx_image *image;
};

// The PTX that a driver would take for capability `cc` from each container, as one module: relocatable
// containers are linked, each other one keeps its names to itself. out->path must be set; out->image and
// out->taken are filled.
bool module_of_images(struct arena *arena, const struct image_list *images, unsigned cc, struct module *out,
                      struct err *err);

// Places all variables in `memory`, except those that have an address already (managed ones), and writes initial values.
bool module_place(struct module *module, struct memory *memory, struct err *err);
// Initial values once more, into places that are there.
bool module_write(struct module *module, struct memory *memory, struct err *err);
#endif
