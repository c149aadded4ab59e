// Modules: what the images of a file or of a registered fatbin become, and their place in guest memory.
#include "rt/module.h"
#include "base/buf.h"
#include "ptx/link.h"
#include <stdio.h>
#include <string.h>

enum { CONSTANT_ALIGN = 256 }; // bytes

bool engine_parse(const char *text, enum engine_choice *out)
{
    static const char *const names[N_ENGINES] = {[ENGINE_AUTO] = "auto", [ENGINE_PTX] = "ptx", [ENGINE_SASS] = "sass"};
    for (unsigned i = 0; i < N_ENGINES; i++)
        if (strcmp(text, names[i]) == 0)
            return *out = i, true;
    return false;
}

// ---- what is in it ----------------------------------------------------------------------------------------

static struct module_variable *add_variable(struct module *module, const struct module_variable *v)
{
    struct module_variable *known = module_find_variable(module, v->name);
    if (known && known->is_constant == v->is_constant && v->ptx != NO_DATUM && known->ptx == NO_DATUM) {
        known->ptx = v->ptx;
        known->is_managed |= v->is_managed;
        return known;
    }
    module->variables[module->n_variables] = *v;
    return &module->variables[module->n_variables++];
}

static void list_machine(struct module *module)
{
    const struct sass_image *m = module->machine;
    for (uint32_t i = 0; i < m->n_data; i++)
        add_variable(module, &(struct module_variable){.name = m->data[i].name,
                                                       .size_bytes = m->data[i].size_bytes,
                                                       .align = m->data[i].align,
                                                       .ptx = NO_DATUM,
                                                       .machine = i});
    for (uint32_t i = 0; i < m->n_constants; i++)
        add_variable(module, &(struct module_variable){.name = m->constants[i].name,
                                                       .size_bytes = m->constants[i].size_bytes,
                                                       .offset = m->constants[i].address,
                                                       .is_constant = true,
                                                       .ptx = NO_DATUM,
                                                       .machine = i});
    module->constant_bytes = m->constant_bytes;
}

// Constants of PTX take the offsets of the machine code; others stand behind them.
static void list_ptx(struct module *module)
{
    struct ptx_image *image = module->image;
    const uint64_t behind = module->machine ? (module->constant_bytes + CONSTANT_ALIGN - 1) / CONSTANT_ALIGN * CONSTANT_ALIGN : 0;
    for (uint32_t i = 0; i < image->n_data; i++)
        add_variable(module, &(struct module_variable){.name = image->data[i].variable->name,
                                                       .size_bytes = image->data[i].size_bytes,
                                                       .align = image->data[i].align,
                                                       .is_managed = image->data[i].variable->is_managed,
                                                       .ptx = i,
                                                       .machine = NO_DATUM});
    for (uint32_t i = 0; i < image->n_constants; i++) {
        struct ptx_datum *datum = &image->constants[i];
        struct module_variable *v =
            add_variable(module, &(struct module_variable){.name = datum->variable->name,
                                                           .size_bytes = datum->size_bytes,
                                                           .offset = behind + datum->address,
                                                           .is_constant = true,
                                                           .ptx = i,
                                                           .machine = NO_DATUM});
        datum->address = v->offset;
        if (v->offset + v->size_bytes > module->constant_bytes)
            module->constant_bytes = v->offset + v->size_bytes;
    }
    if (!module->machine)
        module->constant_bytes = image->constant_bytes;
}

// Fills variables and kernels; called again when PTX is read later.
static void module_list(struct module *module)
{
    const struct ptx_image *image = module->image;
    const struct sass_image *machine = module->machine;
    const uint32_t n_ptx = image ? image->n_data + image->n_constants : 0,
                   n_machine = machine ? machine->n_data + machine->n_constants : 0;
    struct module_variable *known = module->variables;
    module->variables = arena_array(module->arena, struct module_variable, n_ptx + n_machine);
    if (known)
        memcpy(module->variables, known, module->n_variables * sizeof *known);
    else if (machine)
        list_machine(module);
    if (image)
        list_ptx(module);
    module->n_kernels = machine ? machine->n_kernels : image->n_kernels;
    module->kernels = arena_array(module->arena, const char *, module->n_kernels);
    for (uint32_t i = 0; i < module->n_kernels; i++)
        module->kernels[i] = machine ? machine->kernels[i].attributes->name : image->kernels[i].function->name;
}

struct module_variable *module_find_variable(const struct module *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_variables; i++)
        if (strcmp(module->variables[i].name, name) == 0)
            return &module->variables[i];
    return NULL;
}

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
    const char *kind = image->kind == IMAGE_CUBIN ? "machine code for " : "PTX for ";
    out->taken = arena_printf(arena, "%s%s%s%s%s%s", out->taken ? out->taken : kind, out->taken ? ", " : "",
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

static bool open_ptx(struct module *module, struct err *err)
{
    struct ptx_module *modules[2];
    uint32_t n = 0;
    for (int is_relocatable = 0; is_relocatable < 2 && !err->set; is_relocatable++) {
        modules[n] = open_containers(module->arena, module->images, module->cc, is_relocatable, module, err);
        n += modules[n] != NULL;
    }
    if (err->set)
        return false;
    if (n == 0)
        return image_fail_choice(module->path, module->images, module->cc, err);
    struct ptx_module *whole = ptx_link(module->arena, module->path, LINK_APART, modules, n, err);
    module->image = whole ? ptx_image_of(module->arena, whole, err) : NULL;
    return module->image != NULL;
}

// The one cubin for the device, or NULL and why there is none.
static const struct image *choose_cubin(struct module *module)
{
    const struct image *found = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < module->images->n_containers; i++) {
        const struct image *image = image_choose_in(module->images, i, module->cc, true);
        if (!image || image->kind != IMAGE_CUBIN || image->is_relocatable)
            continue;
        found = image;
        n++;
    }
    if (n == 1)
        return found;
    module->why_no_machine_code =
        n ? "its machine code is in several parts"
          : arena_printf(module->arena, "it has no machine code for compute capability %u.%u", module->cc / 10,
                         module->cc % 10);
    return NULL;
}

static void open_machine(struct module *module)
{
    struct err err = {0};
    const char *bytes;
    size_t n;
    const struct image *image = choose_cubin(module);
    if (!image)
        return;
    if (image_decode(module->arena, image, &bytes, &n, &err))
        module->machine = sass_image_open(module->arena, module->path, bytes, n, &err);
    if (module->machine)
        add_remark(module->arena, image, module);
    else
        module->why_no_machine_code = arena_printf(module->arena, "%s", err.text);
}

bool module_of_images(struct arena *arena, const struct image_list *images, unsigned cc, struct module *out,
                      struct err *err)
{
    out->arena = arena;
    out->images = images;
    out->cc = cc;
    if (out->engine == ENGINE_PTX)
        out->why_no_machine_code = "PTX was asked for";
    else
        open_machine(out);
    if (!out->machine && out->engine == ENGINE_SASS)
        return err_set(err, "%s cannot run as machine code: %s", out->path, out->why_no_machine_code);
    if (!out->machine && !open_ptx(out, err))
        return false;
    module_list(out);
    return true;
}

void module_of_ptx(struct arena *arena, struct module *out)
{
    out->arena = arena;
    out->why_no_machine_code = "it is PTX";
    module_list(out);
}

// ---- variables ------------------------------------------------------------------------------------------

static bool place_variable(struct module *module, struct module_variable *v, struct memory *memory, struct err *err)
{
    if (v->address)
        return true;
    v->address = memory_alloc(memory, v->size_bytes, v->align, v->name);
    return v->address || err_set(err, "%s: no room for variable %s of %llu bytes in the device's memory", module->path,
                                 v->name, (unsigned long long)v->size_bytes);
}

// Places go into the images, which put them where the code wants them.
static void tell_images(struct module *module)
{
    for (uint32_t i = 0; i < module->n_variables; i++) {
        const struct module_variable *v = &module->variables[i];
        if (v->is_constant)
            continue;
        if (v->ptx != NO_DATUM)
            module->image->data[v->ptx].address = v->address;
        if (v->machine != NO_DATUM)
            module->machine->data[v->machine].address = v->address;
    }
    if (module->machine)
        module->machine->constant_address = module->constant_address;
    if (!module->image)
        return;
    module->image->constant_address = module->constant_address;
    module->image->constant_bytes = module->constant_bytes;
    ptx_image_place(module->image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
}

static bool place_all(struct module *module, struct memory *memory, struct err *err)
{
    // PTX that is read later may have constants of its own.
    const uint64_t room = module->machine ? CONSTANT_BANK_BYTES : module->constant_bytes;
    if (module->constant_bytes && !module->constant_address &&
        !(module->constant_address = memory_alloc(memory, room, CONSTANT_ALIGN, "constants")))
        return err_set(err, "%s: no room for constants in the device's memory", module->path);
    for (uint32_t i = 0; i < module->n_variables; i++) {
        struct module_variable *v = &module->variables[i];
        if (v->is_constant)
            v->address = module->constant_address + v->offset;
        else if (!place_variable(module, v, memory, err))
            return false;
    }
    tell_images(module);
    return true;
}

bool module_place(struct module *module, struct memory *memory, struct err *err)
{
    return place_all(module, memory, err) && module_write(module, memory, err);
}

static bool write_variable(struct module *module, const struct module_variable *v, struct memory *memory, struct err *err)
{
    uint8_t *host = memory_host(memory, v->address, v->size_bytes);
    return v->machine != NO_DATUM ? sass_image_write(module->machine, v->machine, host, err)
                                  : ptx_image_write(module->image, v->ptx, host, err);
}

bool module_write(struct module *module, struct memory *memory, struct err *err)
{
    for (uint32_t i = 0; i < module->n_variables; i++)
        if (!module->variables[i].is_constant && !write_variable(module, &module->variables[i], memory, err))
            return false;
    if (!module->constant_bytes)
        return true;
    uint8_t *bank = memory_host(memory, module->constant_address, module->constant_bytes);
    return (!module->image || ptx_image_write_constants(module->image, bank, err)) &&
           (!module->machine || sass_image_write_constants(module->machine, bank, err));
}

// PTX is read after the program has begun: only what machine code does not know gets a place and its initial value.
static bool open_ptx_late(struct module *module, struct memory *memory, struct err *err)
{
    const uint32_t n_known = module->n_variables;
    if (!open_ptx(module, err))
        return false;
    module_list(module);
    for (uint32_t i = n_known; i < module->n_variables; i++)
        if (module->variables[i].is_constant)
            return err_set(err, "%s: the constant %s of the PTX is unknown to the machine code", module->path,
                           module->variables[i].name);
    if (!place_all(module, memory, err))
        return false;
    for (uint32_t i = n_known; i < module->n_variables; i++)
        if (!write_variable(module, &module->variables[i], memory, err))
            return false;
    return true;
}

// ---- kernels --------------------------------------------------------------------------------------------

// PTX's error with its place; what machine code lacks stands behind it.
static void fail_as_both(const struct err *refused, const struct err *no_ptx, struct err *err)
{
    const struct err as_ptx = *no_ptx;
    if (err->set)
        return;
    *err = as_ptx;
    if (refused->set) {
        err->set = false;
        err_set(err, "%s; and as machine code: %s", as_ptx.text, refused->text);
    }
}

const struct kernel *module_kernel(struct module *module, struct memory *memory, const char *name, const char **why,
                                   struct err *err)
{
    struct err refused = {0}, no_ptx = {0};
    if (module->machine) {
        const struct kernel *kernel = sass_image_kernel(module->machine, name, &refused);
        if (kernel || module->engine == ENGINE_SASS) {
            if (!kernel)
                *err = refused;
            return kernel;
        }
    }
    if (!module->image && !open_ptx_late(module, memory, &no_ptx)) {
        err_set(err, "%s; and as PTX: %s", refused.text, no_ptx.text);
        return NULL;
    }
    if (why)
        *why = refused.set ? arena_printf(module->arena, "%s", refused.text) : module->why_no_machine_code;
    const struct kernel *kernel = ptx_image_kernel(module->image, name, &no_ptx);
    if (!kernel)
        fail_as_both(&refused, &no_ptx, err);
    return kernel;
}
