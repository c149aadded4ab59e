// Opening a cubin: symbols, variables, code sections; initial values.
#include "sass/load.h"
#include "base/map.h"
#include "base/vec.h"
#include "sass/sass.h"
#include <string.h>

enum { SYMBOL_IS_ENTRY = 0x10 /* of st_other, as in image/cubin.c */, CODE_ALIGN = 128 };

// ---- symbols and variables ------------------------------------------------------------------------------------------------

struct opening {
    struct sass_image *image;
    VEC(struct sass_symbol) symbols;
    VEC(struct sass_datum) data, constants;
    VEC(struct sass_code) codes;
    VEC(struct sass_kernel) kernels;
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static uint32_t alignment_of(const struct sass_image *image, uint64_t offset, uint64_t size_bytes)
{
    (void)image;
    uint32_t align = 256; // as the driver aligns allocations: whatever the offset shows, at most that
    while (align > 1 && (offset % align || (size_bytes % align && align > 16)))
        align /= 2;
    return align;
}

static void add_variable(struct opening *o, const struct sass_symbol *symbol, const struct elf_section *section)
{
    const bool is_constant = strcmp(section->name, ".nv.constant3") == 0;
    struct sass_datum datum = {.name = symbol->name,
                               .size_bytes = symbol->size_bytes,
                               .align = alignment_of(o->image, symbol->value, symbol->size_bytes),
                               .address = is_constant ? symbol->value : 0,
                               .section = symbol->section,
                               .offset = symbol->value};
    const bool fits = symbol->value <= section->size_bytes && symbol->size_bytes <= section->size_bytes - symbol->value;
    if (!fits || !symbol->size_bytes)
        return;
    if (is_constant)
        vec_push(&o->constants, datum);
    else if (strcmp(section->name, ".nv.global") == 0 || strcmp(section->name, ".nv.global.init") == 0)
        vec_push(&o->data, datum);
}

static void add_symbol(struct opening *o, const Elf64_Sym *from, const struct elf_section *strings)
{
    struct elf_section section;
    const char *name = elf_text(strings, from->st_name);
    struct sass_symbol symbol = {.name = name ? name : "",
                                 .type = ELF64_ST_TYPE(from->st_info),
                                 .section = from->st_shndx < o->image->elf.n_sections ? from->st_shndx : 0,
                                 .value = from->st_value,
                                 .size_bytes = from->st_size};
    if (symbol.section && symbol.type == STT_OBJECT && elf_section(&o->image->elf, symbol.section, &section))
        add_variable(o, &symbol, &section);
    vec_push(&o->symbols, symbol);
}

static bool read_symbols(struct opening *o, struct err *err)
{
    struct elf_section table, strings;
    for (uint32_t i = 0; i < o->image->elf.n_sections; i++) {
        if (!elf_section(&o->image->elf, i, &table) || table.type != SHT_SYMTAB)
            continue;
        if (!elf_section(&o->image->elf, table.link, &strings) || !strings.bytes)
            return err_set(err, "%s: the symbol table has no names", o->image->path);
        for (size_t k = 0; table.bytes && k < table.n_bytes / sizeof(Elf64_Sym); k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, table.bytes + k * sizeof symbol, sizeof symbol);
            add_symbol(o, &symbol, &strings);
        }
        return true;
    }
    return err_set(err, "%s: there is no symbol table", o->image->path);
}

// ---- code -------------------------------------------------------------------------------------------------------------------

static void add_code(struct opening *o, uint32_t index, const struct elf_section *text)
{
    struct sass_image *image = o->image;
    struct sass_code code = {
        .name = text->name + strlen(".text."), .text = *text, .section = index, .base = image->code_bytes};
    image->code_bytes += (text->n_bytes + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
    vec_push(&o->codes, code);
}

static struct sass_code *code_of_section(const struct sass_image *image, uint32_t section)
{
    for (uint32_t i = 0; i < image->n_codes; i++)
        if (image->codes[i].section == section)
            return &image->codes[i];
    return NULL;
}

static bool is_relocation(const struct elf_section *section)
{
    return (section->type == SHT_REL || section->type == SHT_RELA) && section->bytes && section->n_bytes;
}

static void attach_relocations(struct sass_image *image)
{
    struct elf_section section;
    for (uint32_t i = 0; i < image->elf.n_sections; i++) {
        if (!elf_section(&image->elf, i, &section) || !is_relocation(&section))
            continue;
        struct sass_code *code = code_of_section(image, section.info);
        if (code)
            code->relocations[section.type == SHT_RELA] = section;
    }
}

// Functions whose addresses lie in data can be called by any kernel.
static void mark_address_taken(struct sass_image *image)
{
    struct elf_section section;
    bool *reached = arena_array(image->arena, bool, image->n_codes);
    memset(reached, 0, image->n_codes * sizeof *reached);
    for (uint32_t i = 0; i < image->elf.n_sections; i++)
        if (elf_section(&image->elf, i, &section) && is_relocation(&section) && !code_of_section(image, section.info) &&
            !strstr(section.name, "debug"))
            sass_mark_reached(image, &section, reached);
    for (uint32_t i = 0; i < image->n_codes; i++)
        image->has_address_taken |= image->codes[i].is_address_taken = reached[i];
}

static bool add_kernels(struct opening *o, struct err *err)
{
    struct sass_image *image = o->image;
    for (uint32_t i = 0; i < image->cubin.n_kernels; i++) {
        struct sass_kernel kernel = {.attributes = &image->cubin.kernels[i], .code = UINT32_MAX};
        for (uint32_t c = 0; c < image->n_codes; c++)
            if (strcmp(image->codes[c].name, kernel.attributes->name) == 0)
                kernel.code = c;
        if (kernel.code == UINT32_MAX)
            return err_set(err, "%s: kernel %s has no code", image->path, kernel.attributes->name);
        image->codes[kernel.code].is_entry = true;
        vec_push(&o->kernels, kernel);
    }
    image->n_kernels = (uint32_t)o->kernels.n;
    image->kernels =
        arena_copy(image->arena, o->kernels.at, o->kernels.n * sizeof *o->kernels.at, _Alignof(struct sass_kernel));
    return true;
}

// ---- opening ------------------------------------------------------------------------------------------------------------------

#define KEEP(image, list, field, count)                                                                                  \
    ((image)->count = (uint32_t)(list)->n,                                                                               \
     (image)->field = arena_copy((image)->arena, (list)->at, (list)->n * sizeof *(list)->at, _Alignof(max_align_t)))

static void keep_variables(struct opening *o)
{
    struct sass_image *image = o->image;
    KEEP(image, &o->data, data, n_data);
    KEEP(image, &o->constants, constants, n_constants);
    for (size_t i = 0; i < o->symbols.n; i++) {
        struct sass_symbol *symbol = &o->symbols.at[i];
        for (uint32_t k = 0; k < image->n_data && !symbol->datum && symbol->type == STT_OBJECT; k++)
            if (image->data[k].section == symbol->section && image->data[k].offset == symbol->value &&
                strcmp(image->data[k].name, symbol->name) == 0)
                symbol->datum = &image->data[k];
    }
    KEEP(image, &o->symbols, symbols, n_symbols);
}

static bool read_sections(struct opening *o, struct err *err)
{
    struct sass_image *image = o->image;
    struct elf_section section;
    for (uint32_t i = 0; i < image->elf.n_sections; i++) {
        if (!elf_section(&image->elf, i, &section))
            continue;
        if (starts_with(section.name, ".text.") && section.bytes)
            add_code(o, i, &section);
        if (strcmp(section.name, ".nv.constant3") == 0)
            image->constant_bytes = section.size_bytes;
    }
    KEEP(image, &o->codes, codes, n_codes);
    if (!read_symbols(o, err))
        return false;
    keep_variables(o);
    attach_relocations(image);
    mark_address_taken(image);
    return add_kernels(o, err);
}

struct sass_image *sass_image_open(struct arena *arena, const char *path, const void *bytes, size_t n, struct err *err)
{
    struct opening o = {.image = arena_new(arena, struct sass_image)};
    struct sass_image *image = o.image;
    image->arena = arena;
    image->path = path;
    bool is_good = cubin_read(arena, path, bytes, n, &image->cubin, err) && elf_open(path, bytes, n, &image->elf, err) &&
                   read_sections(&o, err);
    vec_release(&o.symbols);
    vec_release(&o.data);
    vec_release(&o.constants);
    vec_release(&o.codes);
    vec_release(&o.kernels);
    return is_good ? image : NULL;
}

// ---- initial values -------------------------------------------------------------------------------------------------------------

// Relocations of a data section, applied to a copy of it.
bool sass_relocate_data(const struct sass_image *image, uint32_t index, uint8_t *out, size_t n_bytes, struct err *err)
{
    struct elf_section section;
    for (uint32_t i = 0; i < image->elf.n_sections; i++)
        if (elf_section(&image->elf, i, &section) && is_relocation(&section) && section.info == index &&
            !sass_relocate(image, &section, out, n_bytes, NULL, err))
            return false;
    return true;
}

static uint8_t *section_copy(const struct sass_image *image, uint32_t index, size_t *n_bytes, struct err *err)
{
    struct elf_section section;
    if (!elf_section(&image->elf, index, &section) || !section.bytes) {
        err_set(err, "%s: section %u is damaged", image->path, index);
        return NULL;
    }
    uint8_t *copy = arena_copy(image->arena, section.bytes, section.n_bytes, 16);
    *n_bytes = section.n_bytes;
    return sass_relocate_data(image, index, copy, section.n_bytes, err) ? copy : NULL;
}

bool sass_image_write(const struct sass_image *image, uint32_t index, uint8_t *out, struct err *err)
{
    const struct sass_datum *datum = &image->data[index];
    struct elf_section section;
    size_t n_bytes;
    if (elf_section(&image->elf, datum->section, &section) && section.type == SHT_NOBITS) {
        memset(out, 0, datum->size_bytes);
        return true;
    }
    const uint8_t *bytes = section_copy(image, datum->section, &n_bytes, err);
    if (!bytes)
        return false;
    memcpy(out, bytes + datum->offset, datum->size_bytes); // within the section: add_variable saw to it
    return true;
}

bool sass_image_write_constants(const struct sass_image *image, uint8_t *out, struct err *err)
{
    struct elf_section section;
    size_t n_bytes;
    for (uint32_t i = 0; i < image->elf.n_sections; i++) {
        if (!elf_section(&image->elf, i, &section) || strcmp(section.name, ".nv.constant3") != 0)
            continue;
        memset(out, 0, image->constant_bytes);
        const uint8_t *bytes = section.bytes ? section_copy(image, i, &n_bytes, err) : NULL;
        if (bytes)
            memcpy(out, bytes, n_bytes < image->constant_bytes ? n_bytes : image->constant_bytes);
        return bytes || section.type == SHT_NOBITS;
    }
    return true;
}

// ---- looking up -----------------------------------------------------------------------------------------------------------------

const struct sass_kernel *sass_image_find_kernel(const struct sass_image *image, const char *name)
{
    for (uint32_t i = 0; i < image->n_kernels; i++)
        if (strcmp(image->kernels[i].attributes->name, name) == 0)
            return &image->kernels[i];
    return NULL;
}

const struct sass_datum *sass_image_find(const struct sass_image *image, const char *name, bool *is_constant)
{
    for (uint32_t i = 0; i < image->n_data; i++)
        if (strcmp(image->data[i].name, name) == 0)
            return *is_constant = false, &image->data[i];
    for (uint32_t i = 0; i < image->n_constants; i++)
        if (strcmp(image->constants[i].name, name) == 0)
            return *is_constant = true, &image->constants[i];
    return NULL;
}

static bool fail_kernel(const struct sass_image *image, const char *name, struct err *err)
{
    const char **names = arena_array(image->arena, const char *, image->n_kernels + 1);
    for (uint32_t i = 0; i < image->n_kernels; i++)
        names[i] = image->kernels[i].attributes->name;
    const char *nearest = nearest_name(name, names, image->n_kernels);
    return err_set(err, "%s: there is no kernel '%s'%s%s%s", image->path, name, nearest ? ", did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

const struct kernel *sass_image_kernel(struct sass_image *image, const char *name, struct err *err)
{
    struct sass_kernel *kernel = (struct sass_kernel *)sass_image_find_kernel(image, name);
    if (!kernel) {
        fail_kernel(image, name, err);
        return NULL;
    }
    if (kernel->is_refused) {
        err_set(err, "%s", kernel->why);
        return NULL;
    }
    if (!kernel->kernel) {
        struct err refused = {0};
        kernel->kernel = sass_lower_kernel(image, kernel, &refused);
        kernel->is_refused = !kernel->kernel;
        kernel->why = arena_printf(image->arena, "%s", refused.text);
        if (!kernel->kernel)
            err_set(err, "%s", kernel->why);
    }
    return kernel->kernel;
}
