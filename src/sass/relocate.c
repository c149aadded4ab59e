// Relocations of cubins: where addresses go, and what names them.
//
// Types seen in cubins of nvcc 11.8 and 13.0 for sm_75 to sm_90 (data: 2 and 4, code: the others), with what the
// instruction they patch does with the value. Names are those that open-source tools give them.
#include "base/vec.h"
#include "mem/memory.h"
#include "sass/load.h"
#include <string.h>

enum relocation_type {
    R_CUDA_NONE = 0,
    R_CUDA_32 = 1,          // a word
    R_CUDA_64 = 2,          // two words
    R_CUDA_G32 = 3,         // generic address, a word
    R_CUDA_G64 = 4,         // generic address, two words
    R_CUDA_ABS32_LO_32 = 56, // lower half of an address, in the immediate at bit 32 of an instruction
    R_CUDA_ABS32_HI_32 = 57, // upper half
    R_CUDA_FUNCTION = 75     // target of CALL.ABS
};

struct relocation {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend;
};

static bool relocation_at(const struct elf_section *section, size_t index, struct relocation *out)
{
    const size_t size = section->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    if (!section->bytes || (index + 1) * size > section->n_bytes)
        return false;
    Elf64_Rela raw = {0};
    memcpy(&raw, section->bytes + index * size, size);
    *out = (struct relocation){raw.r_offset, (uint32_t)ELF64_R_TYPE(raw.r_info), (uint32_t)ELF64_R_SYM(raw.r_info),
                               raw.r_addend};
    return true;
}

static const struct sass_code *code_of(const struct sass_image *image, const struct sass_symbol *symbol)
{
    for (uint32_t i = 0; i < image->n_codes; i++)
        if (symbol->section && image->codes[i].section == symbol->section)
            return &image->codes[i];
    return NULL;
}

static bool native_address(const struct sass_image *image, const char *name, uint64_t *out)
{
    static const char *const names[N_SASS_NATIVES] = {
        [NATIVE_PRINTF] = "vprintf", [NATIVE_ASSERT] = "__assertfail", [NATIVE_MALLOC] = "malloc", [NATIVE_FREE] = "free"};
    for (unsigned i = 0; i < N_SASS_NATIVES; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *out = KERNEL_CODE_WINDOW + sass_native_base(image, i);
        return true;
    }
    return false;
}

// What stands for a symbol: a guest address, an offset in shared memory or in a constant bank.
static bool symbol_value(const struct sass_image *image, uint32_t index, bool is_generic, uint64_t *out, struct err *err)
{
    struct elf_section section;
    if (index >= image->n_symbols)
        return err_set(err, "%s: a relocation names symbol %u of %u", image->path, index, image->n_symbols);
    const struct sass_symbol *symbol = &image->symbols[index];
    const struct sass_code *code = code_of(image, symbol);
    if (symbol->datum)
        *out = symbol->datum->address;
    else if (code)
        *out = KERNEL_CODE_WINDOW + code->base + symbol->value;
    else if (!symbol->section)
        return native_address(image, symbol->name, out) ||
               err_set(err, "%s: '%s' is not defined, and no function of the engine has that name", image->path,
                       symbol->name);
    else if (elf_section(&image->elf, symbol->section, &section) && strcmp(section.name, ".nv.constant3") == 0)
        *out = symbol->value + (is_generic ? image->constant_address : 0);
    else
        *out = symbol->value + (is_generic ? MEMORY_SHARED_WINDOW : 0); // shared memory
    return true;
}

static void put_word(uint8_t *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

static bool apply(const struct sass_image *image, const struct relocation *r, uint8_t *out, size_t n_bytes,
                  struct sass_calls *calls, struct err *err)
{
    uint64_t value = 0;
    const bool is_word = r->type == R_CUDA_32 || r->type == R_CUDA_G32;
    const size_t width = is_word ? 4 : r->type == R_CUDA_64 || r->type == R_CUDA_G64 ? 8 : 16;
    if (r->type == R_CUDA_NONE)
        return true;
    if (r->offset > n_bytes || n_bytes - r->offset < width)
        return err_set(err, "%s: a relocation lies outside its section", image->path);
    // Data and code hold generic addresses of variables; only shared offsets and bank offsets are not generic in code.
    if (!symbol_value(image, r->symbol, width == 8 || r->type == R_CUDA_G32, &value, err))
        return false;
    value += (uint64_t)r->addend;
    switch (r->type) {
    case R_CUDA_64:
    case R_CUDA_G64:
        put_word(out + r->offset + 4, (uint32_t)(value >> 32));
        put_word(out + r->offset, (uint32_t)value);
        return true;
    case R_CUDA_32:
    case R_CUDA_G32:
        put_word(out + r->offset, (uint32_t)value);
        return true;
    case R_CUDA_ABS32_LO_32:
        put_word(out + r->offset + 4, (uint32_t)value);
        return true;
    case R_CUDA_ABS32_HI_32:
        put_word(out + r->offset + 4, (uint32_t)(value >> 32));
        return true;
    case R_CUDA_FUNCTION:
        if (calls)
            vec_push(calls, ((struct sass_call){(uint32_t)r->offset, value}));
        return true;
    default:
        return err_set(err, "%s: relocation of type %u (of '%s') is not known", image->path, r->type,
                       image->symbols[r->symbol].name);
    }
}

bool sass_relocate(const struct sass_image *image, const struct elf_section *relocations, uint8_t *out, size_t n_bytes,
                   struct sass_calls *calls, struct err *err)
{
    struct relocation r;
    for (size_t i = 0; relocation_at(relocations, i, &r); i++)
        if (!apply(image, &r, out, n_bytes, calls, err))
            return false;
    return true;
}

void sass_mark_reached(const struct sass_image *image, const struct elf_section *relocations, bool *reached)
{
    struct relocation r;
    for (size_t i = 0; relocation_at(relocations, i, &r); i++) {
        const struct sass_code *code = r.symbol < image->n_symbols ? code_of(image, &image->symbols[r.symbol]) : NULL;
        if (code && !code->is_entry)
            reached[code - image->codes] = true;
    }
}
