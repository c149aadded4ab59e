// Opens files with kernels and puts their variables into guest memory.
#include "cli/module.h"
#include "base/buf.h"
#include "cli/compile.h"
#include "prof/demangle.h"
#include <string.h>

enum { CONSTANT_ALIGN = 256, MOST_LISTED = 12 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// What a file that is no PTX text is, judged by its first bytes.
static bool refuse_binary(const char *path, const struct buf *bytes, struct err *err)
{
    static const unsigned char fatbin_magic[] = {0x50, 0xed, 0x55, 0xba};
    if (bytes->n > 19 && memcmp(bytes->at,
                                "\x7f"
                                "ELF",
                                4) == 0)
        return err_set(err, "%s: %s holds machine code; launch takes .ptx and .cu files", path,
                       (unsigned char)bytes->at[18] == 190 ? "a cubin" : "an executable or object file");
    if (bytes->n > 4 && memcmp(bytes->at, fatbin_magic, sizeof fatbin_magic) == 0)
        return err_set(err, "%s: a fatbin; launch takes .ptx and .cu files", path);
    if (memchr(bytes->at, '\0', bytes->n))
        return err_set(err, "%s: not a text file; launch takes .ptx and .cu files", path);
    return true;
}

static bool read_ptx(struct arena *arena, const char *path, unsigned cc, struct module *out, struct buf *text,
                     struct err *err)
{
    if (!ends_with(path, ".cu"))
        return buf_read_file(text, path, err) && refuse_binary(path, text, err);
    struct compiled compiled;
    if (!compile_cuda(path, cc, &compiled, err)) {
        buf_release(&compiled.ptx);
        return false;
    }
    *text = compiled.ptx;
    out->compiler = arena_string(arena, compiled.compiler, strlen(compiled.compiler));
    return true;
}

bool module_open(struct arena *arena, const char *path, unsigned cc, struct module *out, struct err *err)
{
    struct buf text = {0};
    *out = (struct module){.path = arena_string(arena, path, strlen(path))};
    if (read_ptx(arena, path, cc, out, &text, err)) {
        const char *copy = arena_string(arena, text.at ? text.at : "", text.n);
        out->image = ptx_image_open(arena, out->path, copy, text.n, err);
    }
    buf_release(&text);
    return out->image != NULL;
}

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
