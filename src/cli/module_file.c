// Opens files with kernels and finds kernels by name.
#include "cli/module_file.h"
#include "base/buf.h"
#include "cli/compile.h"
#include "image/image.h"
#include "prof/demangle.h"
#include <string.h>

enum { MOST_LISTED = 12 };

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

static bool open_binary(struct arena *arena, const struct buf *bytes, unsigned cc, struct module *out,
                        struct err *err)
{
    struct image_list images = {0};
    if (image_is_executable(bytes->at, bytes->n))
        return fail_executable(out->path, err);
    bool good =
        image_scan(out->path, bytes->at, bytes->n, &images, err) && module_of_images(arena, &images, cc, out, err);
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

// ---- kernels by name ----------------------------------------------------------------------------------------

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
