// A PTX module ready to run: layout of variables, their initial bytes, kernels on demand.
#include "ptx/load.h"
#include "base/vec.h"
#include "ptx/link.h"
#include <string.h>

struct data {
    struct ptx_datum *at;
    size_t n, capacity;
};

static uint64_t align_up(uint64_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

// ---- layout ---------------------------------------------------------------------------------------------

static struct ptx_datum describe(const struct ptx_variable *variable)
{
    uint32_t element = ptx_type_bytes(variable->type) * (variable->vector ? variable->vector : 1);
    return (struct ptx_datum){.variable = variable,
                              .size_bytes = element * variable->count,
                              .align = variable->align ? variable->align
                                       : element       ? element
                                                       : 1,
                              .is_constant = variable->space == PS_CONST};
}

static void collect(struct ptx_variable *const *variables, uint32_t n, enum ptx_space space, struct data *out)
{
    for (uint32_t i = 0; i < n; i++) {
        struct ptx_datum datum = describe(variables[i]);
        if (variables[i]->space == space && !variables[i]->is_extern && datum.size_bytes)
            vec_push(out, datum);
    }
}

// Variables of a space: of the module and those declared inside functions.
static struct ptx_datum *collect_all(struct ptx_image *image, enum ptx_space space, uint32_t *n)
{
    const struct ptx_module *m = image->module;
    struct data found = {0};
    collect(m->variables, m->n_variables, space, &found);
    for (uint32_t i = 0; i < m->n_functions; i++)
        collect(m->functions[i]->variables, m->functions[i]->n_variables, space, &found);
    *n = (uint32_t)found.n;
    struct ptx_datum *copy =
        arena_copy(image->arena, found.at, found.n * sizeof *found.at, _Alignof(struct ptx_datum));
    vec_release(&found);
    return copy;
}

static bool lay_out_constants(struct ptx_image *image, struct err *err)
{
    for (uint32_t i = 0; i < image->n_constants; i++) {
        struct ptx_datum *datum = &image->constants[i];
        datum->address = align_up(image->constant_bytes, datum->align);
        image->constant_bytes = datum->address + datum->size_bytes;
        if (image->constant_bytes > CONSTANT_BANK_BYTES)
            return err_set_at(err, image->module->path, datum->variable->at.line, datum->variable->at.column,
                              image->module->text, image->module->text_length,
                              "constants need more than %d bytes; %s does not fit", CONSTANT_BANK_BYTES,
                              datum->variable->name);
    }
    return true;
}

static void list_kernels(struct ptx_image *image)
{
    const struct ptx_module *m = image->module;
    image->kernels = arena_array(image->arena, struct ptx_kernel, m->n_functions);
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (m->functions[i]->is_entry && m->functions[i]->has_body)
            image->kernels[image->n_kernels++].function = m->functions[i];
}

struct ptx_image *ptx_image_open(struct arena *arena, const char *path, const char *text, size_t length,
                                 struct err *err)
{
    struct ptx_module *module = ptx_parse(arena, path, text, length, err);
    return module ? ptx_image_of(arena, module, err) : NULL;
}

struct ptx_image *ptx_image_of(struct arena *arena, struct ptx_module *module, struct err *err)
{
    struct ptx_image *image = arena_new(arena, struct ptx_image);
    image->arena = arena;
    image->module = module;
    image->data = collect_all(image, PS_GLOBAL, &image->n_data);
    image->constants = collect_all(image, PS_CONST, &image->n_constants);
    list_kernels(image);
    if (lay_out_constants(image, err))
        return image;
    ptx_place_error(module, err);
    return NULL;
}

void ptx_image_place(struct ptx_image *image, uint64_t shared_window, uint64_t local_window)
{
    uint32_t n = image->n_data + image->n_constants;
    struct ptx_symbol *symbols = arena_array(image->arena, struct ptx_symbol, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_datum *datum =
            i < image->n_data ? &image->data[i] : &image->constants[i - image->n_data];
        symbols[i] = (struct ptx_symbol){datum->variable, datum->address};
    }
    image->symbols = (struct ptx_symbols){.at = symbols,
                                          .n = n,
                                          .shared_window = shared_window,
                                          .local_window = local_window,
                                          .const_window = image->constant_address};
}

// ---- initial values ---------------------------------------------------------------------------------------

static bool function_address(const struct ptx_module *module, const char *name, uint64_t *out)
{
    const struct ptx_function *function = ptx_find_meant(module, name);
    for (uint32_t i = 0; function && i < module->n_functions; i++) {
        if (module->functions[i] == function) {
            *out = KERNEL_CODE_WINDOW + 16ull * i;
            return true;
        }
    }
    return false;
}

static const struct ptx_datum *find_datum(const struct ptx_image *image, const struct ptx_variable *variable)
{
    for (uint32_t i = 0; i < image->n_data; i++)
        if (image->data[i].variable == variable)
            return &image->data[i];
    for (uint32_t i = 0; i < image->n_constants; i++)
        if (image->constants[i].variable == variable)
            return &image->constants[i];
    return NULL;
}

static bool symbol_value(const struct ptx_image *image, const struct ptx_variable *owner,
                         const struct ptx_init *init, uint64_t *out, struct err *err)
{
    const struct ptx_module *m = image->module;
    const struct ptx_datum *datum = init->symbol_variable ? find_datum(image, init->symbol_variable) : NULL;
    uint64_t value;
    if (datum)
        value = datum->address + (datum->is_constant && init->is_generic ? image->constant_address : 0);
    else if (init->symbol_variable || !function_address(m, init->symbol, &value))
        return err_set_at(err, m->path, owner->at.line, owner->at.column, m->text, m->text_length,
                          "%s is initialised with the address of %s, which has none in this module",
                          owner->name, init->symbol);
    value += (uint64_t)init->offset;
    *out = init->mask_shift < 0 ? value : value >> (8 * init->mask_shift) & 0xff;
    return true;
}

static bool write_datum(const struct ptx_image *image, const struct ptx_datum *datum, uint8_t *out,
                        struct err *err)
{
    const struct ptx_variable *variable = datum->variable;
    uint32_t bytes = ptx_type_bytes(variable->type);
    memset(out, 0, datum->size_bytes);
    for (size_t i = 0; i < variable->n_init && (i + 1) * bytes <= datum->size_bytes; i++) {
        uint64_t value = variable->init[i].bits;
        if (variable->init[i].symbol && !symbol_value(image, variable, &variable->init[i], &value, err))
            return false;
        for (uint32_t k = 0; k < bytes; k++)
            out[i * bytes + k] = k < 8 ? (uint8_t)(value >> (8 * k)) : 0;
    }
    return true;
}

bool ptx_image_write(const struct ptx_image *image, uint32_t index, uint8_t *out, struct err *err)
{
    bool good = write_datum(image, &image->data[index], out, err);
    if (!good)
        ptx_place_error(image->module, err);
    return good;
}

bool ptx_image_write_constants(const struct ptx_image *image, uint8_t *out, struct err *err)
{
    memset(out, 0, image->constant_bytes);
    for (uint32_t i = 0; i < image->n_constants; i++)
        if (!write_datum(image, &image->constants[i], out + image->constants[i].address, err))
            return false;
    return true;
}

// ---- kernels and variables by name
// --------------------------------------------------------------------------

static bool no_kernel(const struct ptx_image *image, const char *name, struct err *err)
{
    const char **names = arena_array(image->arena, const char *, image->n_kernels);
    for (uint32_t i = 0; i < image->n_kernels; i++)
        names[i] = image->kernels[i].function->name;
    const char *nearest = nearest_name(name, names, image->n_kernels);
    return err_set(err, "%s has no kernel %s%s%s%s", image->module->path, name,
                   nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

const struct kernel *ptx_image_kernel(struct ptx_image *image, const char *name, struct err *err)
{
    for (uint32_t i = 0; i < image->n_kernels; i++) {
        struct ptx_kernel *kernel = &image->kernels[i];
        if (strcmp(kernel->function->name, name) != 0)
            continue;
        if (!kernel->kernel)
            kernel->kernel = ptx_lower(image->arena, image->module, kernel->function, &image->symbols, err);
        if (!kernel->kernel)
            ptx_place_error(image->module, err);
        return kernel->kernel;
    }
    no_kernel(image, name, err);
    return NULL;
}

const struct ptx_datum *ptx_image_find(const struct ptx_image *image, const char *name)
{
    for (uint32_t i = 0; i < image->n_data; i++)
        if (strcmp(image->data[i].variable->name, name) == 0)
            return &image->data[i];
    for (uint32_t i = 0; i < image->n_constants; i++)
        if (strcmp(image->constants[i].variable->name, name) == 0)
            return &image->constants[i];
    return NULL;
}
