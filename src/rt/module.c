// Modules: what the images of a file or of a registered fatbin become, and their place in guest memory.
#include "rt/module.h"
#include "base/buf.h"
#include "ptx/link.h"
#include <string.h>

enum { CONSTANT_ALIGN = 256 }; // bytes

// ---- from images ----------------------------------------------------------------------------------------

// Names for errors: of several images of a file, "a.so(two.cu)" or "a.so(2)".
static const char *name_image(struct arena *arena, const char *path, const struct image_list *images,
                              const struct image *image)
{
    if (images->n_containers == 1)
        return arena_string(arena, path, strlen(path));
    return image->name[0] ? arena_printf(arena, "%s(%s)", path, image->name)
                          : arena_printf(arena, "%s(%u)", path, image->container + 1);
}

// "compute_90 (two.cu)", for the remark on what was taken.
static void add_remark(struct arena *arena, const struct image *image, struct module *out)
{
    char target[16];
    out->taken = arena_printf(arena, "%s%s%s%s%s%s", out->taken ? out->taken : "", out->taken ? ", " : "",
                              image_target(image, target), image->name[0] ? " (" : "", image->name,
                              image->name[0] ? ")" : "");
}

// ptxas takes -maxrregcount for kernels that say nothing themselves.
static void limit_registers(struct ptx_module *module, const struct image *image)
{
    for (uint32_t i = 0; i < module->n_functions; i++) {
        struct ptx_function *f = module->functions[i];
        bool says_nothing = !f->max_registers && !f->max_threads[0] && !f->required_threads[0];
        if (f->is_entry && says_nothing)
            f->max_registers = image_max_registers(image);
    }
}

// Parses the PTX that fits the device from each container whose images are, or are not, to be linked.
static struct ptx_module *open_containers(struct arena *arena, const struct image_list *images, unsigned cc,
                                          bool is_relocatable, struct module *out, struct err *err)
{
    struct ptx_module **modules = arena_array(arena, struct ptx_module *, images->n_containers);
    uint32_t n = 0;
    for (uint32_t i = 0; i < images->n_containers; i++) {
        const char *text;
        size_t length;
        const struct image *image = image_choose_in(images, i, cc, false);
        if (!image || image->is_relocatable != is_relocatable)
            continue;
        if (!image_decode(arena, image, &text, &length, err))
            return NULL;
        modules[n] = ptx_parse(arena, name_image(arena, out->path, images, image), text, length, err);
        if (!modules[n])
            return NULL;
        limit_registers(modules[n++], image);
        add_remark(arena, image, out);
    }
    return n == 0 ? NULL
                  : ptx_link(arena, out->path, is_relocatable ? LINK_SYMBOLS : LINK_APART, modules, n, err);
}

bool module_of_images(struct arena *arena, const struct image_list *images, unsigned cc, struct module *out,
                      struct err *err)
{
    struct ptx_module *modules[2];
    uint32_t n = 0;
    for (int is_relocatable = 0; is_relocatable < 2 && !err->set; is_relocatable++) {
        modules[n] = open_containers(arena, images, cc, is_relocatable, out, err);
        n += modules[n] != NULL;
    }
    if (err->set)
        return false;
    if (n == 0)
        return image_fail_choice(out->path, images, cc, err);
    struct ptx_module *whole = ptx_link(arena, out->path, LINK_APART, modules, n, err);
    out->image = whole ? ptx_image_of(arena, whole, err) : NULL;
    return out->image != NULL;
}

// ---- variables ------------------------------------------------------------------------------------------

static bool place_variable(struct memory *memory, const char *name, uint64_t bytes, uint32_t align,
                           uint64_t *address, struct err *err)
{
    *address = memory_alloc(memory, bytes, align, name);
    return *address || err_set(err, "no room for variable %s of %llu bytes in the device's memory", name,
                               (unsigned long long)bytes);
}

bool module_place(struct module *module, struct memory *memory, struct err *err)
{
    struct ptx_image *image = module->image;
    for (uint32_t i = 0; i < image->n_data; i++) {
        struct ptx_datum *datum = &image->data[i];
        if (datum->address)
            continue;
        if (!place_variable(memory, datum->variable->name, datum->size_bytes, datum->align, &datum->address,
                            err))
            return false;
    }
    if (image->constant_bytes && !place_variable(memory, "constants", image->constant_bytes, CONSTANT_ALIGN,
                                                 &image->constant_address, err))
        return false;
    ptx_image_place(image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
    return module_write(module, memory, err);
}

bool module_write(struct module *module, struct memory *memory, struct err *err)
{
    struct ptx_image *image = module->image;
    for (uint32_t i = 0; i < image->n_data; i++) {
        uint8_t *host = memory_host(memory, image->data[i].address, image->data[i].size_bytes);
        if (!ptx_image_write(image, i, host, err))
            return false;
    }
    if (!image->constant_bytes)
        return true;
    uint8_t *bank = memory_host(memory, image->constant_address, image->constant_bytes);
    return ptx_image_write_constants(image, bank, err);
}
