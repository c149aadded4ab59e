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
    if (out->engine == ENGINE_SASS)
        return err_set(err, "%s: there is no nvcc, and clang makes PTX only: --engine sass needs machine code", out->path);
    out->image = ptx_image_open(arena, out->path, copy, text->n, err);
    if (out->image)
        module_of_ptx(arena, out);
    return out->image != NULL;
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
    return err_set(err, "%s is a program; launch takes a file with kernels: .ptx, .cu, .cubin, .fatbin, .o or .so",
                   path);
}

static bool open_binary(struct arena *arena, unsigned cc, struct module_file *out, struct err *err)
{
    const char *path = out->module.path;
    if (image_is_executable(out->bytes.at, out->bytes.n))
        return fail_executable(path, err);
    return image_scan(path, out->bytes.at, out->bytes.n, &out->images, err) &&
           module_of_images(arena, &out->images, cc, &out->module, err);
}

// A .cu file, or a .ptx file that shall run as machine code. nvcc is asked for both, so a .cu file runs as the machine would
// run it; a .ptx file runs as it is, unless machine code is asked for: the same command gives the same counts everywhere.
static bool open_source(struct arena *arena, const char *path, unsigned cc, bool is_ptx, struct module_file *out,
                        struct err *err)
{
    struct compiled compiled;
    bool good = is_ptx ? compile_ptx(path, cc, &compiled, err)
                       : compile_cuda(path, cc, out->module.engine != ENGINE_PTX, &compiled, err);
    if (good) {
        out->module.compiler = arena_string(arena, compiled.compiler, strlen(compiled.compiler));
        out->bytes = compiled.code;
        return compiled.is_binary ? open_binary(arena, cc, out, err) : open_text(arena, &out->bytes, &out->module, err);
    }
    buf_release(&compiled.code);
    return false;
}

bool module_file_open(struct arena *arena, const char *path, unsigned cc, struct module_file *out, struct err *err)
{
    *out = (struct module_file){
        .module = {.path = arena_string(arena, path, strlen(path)), .engine = out->module.engine}};
    if (ends_with(path, ".cu"))
        return open_source(arena, path, cc, false, out, err);
    if (!buf_read_file(&out->bytes, path, err))
        return false;
    if (out->bytes.n > 0 && memchr(out->bytes.at, '\0', out->bytes.n))
        return open_binary(arena, cc, out, err);
    if (out->module.engine == ENGINE_SASS) {
        buf_release(&out->bytes);
        return open_source(arena, path, cc, true, out, err);
    }
    return open_text(arena, &out->bytes, &out->module, err);
}

void module_close(struct module_file *file)
{
    image_list_release(&file->images);
    buf_release(&file->bytes);
}

// ---- kernels by name ----------------------------------------------------------------------------------------

static bool list_kernels(const struct module *module, struct arena *arena, const char *why, struct err *err)
{
    struct buf names = {0};
    uint32_t n = module->n_kernels;
    for (uint32_t i = 0; i < n && i < MOST_LISTED; i++)
        buf_printf(&names, "%s%s", i ? ", " : "", demangle(arena, module->kernels[i], DEMANGLE_GNU));
    if (n > MOST_LISTED)
        buf_printf(&names, " and %u more", n - MOST_LISTED);
    err_set(err, "%s: %s; it holds %s", module->path, why, names.at ? names.at : "no kernel");
    buf_release(&names);
    return false;
}

const char *module_kernel_name(const struct module *module, struct arena *arena, const char *name, struct err *err)
{
    const char *found = NULL;
    int n_found = 0;
    for (uint32_t i = 0; i < module->n_kernels; i++) {
        const char *mangled = module->kernels[i];
        if (name && strcmp(mangled, name) == 0)
            return mangled;
        const char *readable = demangle(arena, mangled, DEMANGLE_GNU);
        if (!name || strcmp(readable, name) == 0 || strcmp(demangle_base(arena, readable), name) == 0) {
            found = mangled;
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
    return NULL;
}
