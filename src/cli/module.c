// Opens files with kernels and puts their variables into guest memory.
#include "cli/module.h"
#include "base/buf.h"
#include "cli/compile.h"
#include "image/image.h"
#include "prof/demangle.h"
#include "ptx/link.h"
#include <string.h>

enum { CONSTANT_ALIGN = 256, MOST_LISTED = 12 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// ---- PTX text -------------------------------------------------------------------------------------------

static bool open_text(struct arena *arena, const struct buf *text, struct module *out, struct err *err)
{
    const char *copy = arena_string(arena, text->at ? text->at : "", text->n);
    out->image = ptx_image_open(arena, out->path, copy, text->n, err);
    return out->image != NULL;
}

static bool open_source(struct arena *arena, const char *path, unsigned cc, struct module *out,
                        struct err *err)
{
    struct compiled compiled;
    bool good = compile_cuda(path, cc, &compiled, err);
    if (good) {
        out->compiler = arena_string(arena, compiled.compiler, strlen(compiled.compiler));
        good = open_text(arena, &compiled.ptx, out, err);
    }
    buf_release(&compiled.ptx);
    return good;
}

// ---- files with images ----------------------------------------------------------------------------------

static bool fail_executable(const char *path, struct err *err)
{
    static const char *const commands[] = {
#define COMMAND(name, function, group, text) name,
#include "cli/commands.def"
#undef COMMAND
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i], "run") == 0)
            return err_set(err, "%s is a program: `warpglass run %s%s` runs it; launch takes a kernel's file",
                           path, strchr(path, '/') ? "" : "./", path);
    return err_set(err, "%s is a program; launch takes a file with kernels: .ptx, .cu, .fatbin, .o or .so",
                   path);
}

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

// Relocatable containers become one module, each other one is a module; all share the file.
static bool open_images(struct arena *arena, const struct image_list *images, unsigned cc, struct module *out,
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

static bool open_binary(struct arena *arena, const struct buf *bytes, unsigned cc, struct module *out,
                        struct err *err)
{
    struct image_list images = {0};
    if (image_is_executable(bytes->at, bytes->n))
        return fail_executable(out->path, err);
    bool good =
        image_scan(out->path, bytes->at, bytes->n, &images, err) && open_images(arena, &images, cc, out, err);
    image_list_release(&images);
    return good;
}

bool module_open(struct arena *arena, const char *path, unsigned cc, struct module *out, struct err *err)
{
    struct buf bytes = {0};
    *out = (struct module){.path = arena_string(arena, path, strlen(path))};
    if (ends_with(path, ".cu"))
        return open_source(arena, path, cc, out, err);
    bool good = buf_read_file(&bytes, path, err);
    if (good && bytes.n > 0 && memchr(bytes.at, '\0', bytes.n))
        good = open_binary(arena, &bytes, cc, out, err);
    else if (good)
        good = open_text(arena, &bytes, out, err);
    buf_release(&bytes);
    return good;
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
        if (!place_variable(memory, datum->variable->name, datum->size_bytes, datum->align, &datum->address,
                            err))
            return false;
    }
    if (image->constant_bytes && !place_variable(memory, "constants", image->constant_bytes, CONSTANT_ALIGN,
                                                 &image->constant_address, err))
        return false;
    ptx_image_place(image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
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

static bool list_kernels(const struct module *module, struct arena *arena, const char *why, struct err *err)
{
    struct buf names = {0};
    uint32_t n = module->image->n_kernels;
    for (uint32_t i = 0; i < n && i < MOST_LISTED; i++)
        buf_printf(&names, "%s%s", i ? ", " : "",
                   demangle(arena, module->image->kernels[i].function->name, DEMANGLE_GNU));
    if (n > MOST_LISTED)
        buf_printf(&names, " and %u more", n - MOST_LISTED);
    err_set(err, "%s: %s; it holds %s", module->path, why, names.at ? names.at : "no kernel");
    buf_release(&names);
    return false;
}

int module_find_kernel(const struct module *module, struct arena *arena, const char *name, struct err *err)
{
    const struct ptx_image *image = module->image;
    int found = -1, n_found = 0;
    for (uint32_t i = 0; i < image->n_kernels; i++) {
        const char *mangled = image->kernels[i].function->name;
        if (name && strcmp(mangled, name) == 0)
            return (int)i;
        const char *readable = demangle(arena, mangled, DEMANGLE_GNU);
        if (!name || strcmp(readable, name) == 0 || strcmp(demangle_base(arena, readable), name) == 0) {
            found = (int)i;
            n_found++;
        }
    }
    if (n_found == 1)
        return found;
    if (!name)
        list_kernels(module, arena, "name one of its kernels with --kernel", err);
    else
        list_kernels(module, arena,
                     n_found ? arena_printf(arena, "'%s' fits several kernels", name)
                             : arena_printf(arena, "no kernel '%s'", name),
                     err);
    return -1;
}

const struct kernel *module_kernel(struct module *module, struct arena *arena, const char *name,
                                   struct err *err)
{
    int index = module_find_kernel(module, arena, name, err);
    return index < 0 ? NULL
                     : ptx_image_kernel(module->image, module->image->kernels[index].function->name, err);
}
