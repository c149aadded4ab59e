// Attributes of cubins: records of .nv.info (all kernels, by symbol) and .nv.info.NAME (one kernel), and
// sizes of sections.
//
// A record is a byte that tells its form, a byte that tells its meaning, then a value of two bytes or, in
// form 4, a length of two bytes and as many bytes. Codes: seen in cubins of nvcc 13.0 for sm_75 to sm_121,
// compared with what cuobjdump
// --dump-resource-usage prints of them; open-source disassemblers name them alike.
#include "image/cubin.h"
#include "base/map.h"
#include "base/vec.h"
#include "image/elf.h"
#include "image/fatbin.h"
#include <string.h>

enum { FORM_SIZED = 4, SYMBOL_IS_ENTRY = 0x10 /* of st_other */, NO_REGISTER_LIMIT = 0xff };

enum attribute {
    ATTR_MAX_THREADS = 0x05,
    ATTR_PARAM_BANK = 0x0a,
    ATTR_REQUIRED_THREADS = 0x10,
    ATTR_FRAME = 0x11,
    ATTR_MIN_STACK = 0x12,
    ATTR_PARAM = 0x17,
    ATTR_PARAM_BYTES = 0x19,
    ATTR_MAX_REGISTERS = 0x1b,
    ATTR_REGISTERS = 0x2f,
    ATTR_SHARED_SCRATCH =
        0x32, // two words: offset, size (seen with the pragma enable_smem_spilling, CUDA 13.0)
    ATTR_CLUSTER = 0x3d,
    ATTR_MAX_CLUSTER_RANK = 0x3f,
    ATTR_LARGE_PARAM = 0x45, // instead of ATTR_PARAM in kernels with more than 4 KiB of parameters (CUDA 13.0)
    ATTR_BARRIERS = 0x4c
};

struct record {
    uint8_t code;
    const uint8_t *value;
    size_t n_bytes;
};

struct reader {
    struct arena *arena;
    struct elf elf;
    VEC(struct cubin_kernel) kernels;
    VEC(uint32_t) symbols; // of each kernel, rising
    struct map names;      // of kernels -> index + 1
    VEC(struct cubin_param) params;
};

static uint32_t u16_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t u32_at(const struct record *record, size_t index)
{
    uint32_t value = 0;
    if (record->n_bytes >= 4 * (index + 1))
        memcpy(&value, record->value + 4 * index, sizeof value);
    return value;
}

// The next record of a section, or false at its end or where it is cut off.
static bool next_record(const uint8_t **at, const uint8_t *end, struct record *out)
{
    if (end - *at < 4)
        return false;
    size_t size = (*at)[0] == FORM_SIZED ? u16_at(*at + 2) : 2;
    const uint8_t *value = (*at)[0] == FORM_SIZED ? *at + 4 : *at + 2;
    if (size > (size_t)(end - value))
        return false;
    *out = (struct record){(*at)[1], value, size};
    *at = value + size;
    return true;
}

// ---- kernels --------------------------------------------------------------------------------------------

static bool is_kernel(const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && (symbol->st_other & SYMBOL_IS_ENTRY);
}

static void find_kernels(struct reader *r)
{
    struct elf_section table, strings;
    for (uint32_t i = 0; i < r->elf.n_sections; i++) {
        if (!elf_section(&r->elf, i, &table) || table.type != SHT_SYMTAB ||
            !elf_section(&r->elf, table.link, &strings))
            continue;
        for (size_t k = 0; k < table.n_bytes / sizeof(Elf64_Sym); k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, table.bytes + k * sizeof symbol, sizeof symbol);
            const char *name = is_kernel(&symbol) ? elf_text(&strings, symbol.st_name) : NULL;
            if (!name)
                continue;
            vec_push(&r->symbols, (uint32_t)k);
            map_set(&r->names, name, strlen(name), (void *)(uintptr_t)r->symbols.n);
            vec_push(&r->kernels,
                     ((struct cubin_kernel){.name = name, .code_bytes = (uint32_t)symbol.st_size}));
        }
    }
}

static struct cubin_kernel *kernel_of_symbol(struct reader *r, uint32_t symbol)
{
    for (size_t i = 0; i < r->symbols.n; i++)
        if (r->symbols.at[i] == symbol)
            return &r->kernels.at[i];
    return NULL;
}

// The kernel that a section ".prefix.NAME" belongs to.
static struct cubin_kernel *kernel_of_section(struct reader *r, const char *section, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(section, prefix, length) != 0)
        return NULL;
    size_t index = (size_t)(uintptr_t)map_get(&r->names, section + length, strlen(section + length));
    return index ? &r->kernels.at[index - 1] : NULL;
}

// ---- attributes -----------------------------------------------------------------------------------------

static void read_common(struct reader *r, const struct elf_section *section)
{
    struct record record;
    for (const uint8_t *at = section->bytes, *end = at + section->n_bytes; next_record(&at, end, &record);) {
        struct cubin_kernel *kernel = kernel_of_symbol(r, u32_at(&record, 0));
        if (!kernel || record.n_bytes < 8)
            continue;
        if (record.code == ATTR_REGISTERS)
            kernel->registers = u32_at(&record, 1);
        else if (record.code == ATTR_FRAME)
            kernel->stack_bytes = u32_at(&record, 1);
        else if (record.code == ATTR_MIN_STACK)
            kernel->call_bytes = u32_at(&record, 1);
    }
}

static void read_extents(const struct record *record, uint32_t out[3])
{
    for (size_t i = 0; i < 3; i++)
        out[i] = u32_at(record, i);
}

// Index, number in the declaration, offset, then a word with the size: in its upper 14 bits, or the whole of it.
static void read_param(struct reader *r, const struct record *record, unsigned size_shift)
{
    enum { MOST_PARAMS = 4096 };
    if (record->n_bytes < 12)
        return;
    uint32_t number = u16_at(record->value + 4);
    while (r->params.n <= number && number < MOST_PARAMS)
        vec_push(&r->params, (struct cubin_param){0});
    if (number < MOST_PARAMS)
        r->params.at[number] = (struct cubin_param){u16_at(record->value + 6), u32_at(record, 2) >> size_shift};
}

static void read_attribute(struct reader *r, struct cubin_kernel *kernel, const struct record *record)
{
    switch (record->code) {
    case ATTR_MAX_THREADS:
        read_extents(record, kernel->max_threads);
        break;
    case ATTR_REQUIRED_THREADS:
        read_extents(record, kernel->required_threads);
        break;
    case ATTR_CLUSTER:
        read_extents(record, kernel->cluster);
        break;
    case ATTR_MAX_CLUSTER_RANK:
        kernel->max_cluster_rank = u32_at(record, 0);
        break;
    case ATTR_PARAM_BANK:
        kernel->param_offset = u32_at(record, 1) & 0xffff;
        break;
    case ATTR_PARAM_BYTES:
        kernel->param_bytes = u16_at(record->value);
        break;
    case ATTR_MAX_REGISTERS:
        kernel->max_registers = u16_at(record->value) == NO_REGISTER_LIMIT ? 0 : u16_at(record->value);
        break;
    case ATTR_SHARED_SCRATCH:
        kernel->shared_spill_bytes = u32_at(record, 1);
        break;
    case ATTR_BARRIERS:
        kernel->n_barriers = record->value[0];
        break;
    case ATTR_PARAM:
        read_param(r, record, 18);
        break;
    case ATTR_LARGE_PARAM:
        read_param(r, record, 0);
        break;
    default:
        break;
    }
}

static void read_kernel(struct reader *r, struct cubin_kernel *kernel, const struct elf_section *section)
{
    struct record record;
    vec_clear(&r->params);
    for (const uint8_t *at = section->bytes, *end = at + section->n_bytes; next_record(&at, end, &record);)
        if (record.n_bytes >= 2)
            read_attribute(r, kernel, &record);
    kernel->n_params = (uint32_t)r->params.n;
    kernel->params =
        arena_copy(r->arena, r->params.at, r->params.n * sizeof *r->params.at, _Alignof(struct cubin_param));
}

// Before CUDA 12 the number of barriers stood in the flags of the code, bits 20 and up (seen with 11.8; 13.0 leaves
// them 0).
static void read_flags(struct cubin_kernel *kernel, const struct elf_section *text)
{
    enum { BARRIERS_SHIFT = 20, BARRIERS_MASK = 0x7f };
    uint32_t n = (uint32_t)(text->flags >> BARRIERS_SHIFT) & BARRIERS_MASK;
    if (!kernel->n_barriers)
        kernel->n_barriers = n;
}

static void read_section(struct reader *r, const struct elf_section *section, struct cubin *out)
{
    struct cubin_kernel *kernel;
    uint32_t size_bytes = section->size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)section->size_bytes;
    if (strcmp(section->name, ".nv.info") == 0 && section->bytes)
        read_common(r, section);
    else if ((kernel = kernel_of_section(r, section->name, ".nv.info.")) != NULL && section->bytes)
        read_kernel(r, kernel, section);
    else if ((kernel = kernel_of_section(r, section->name, ".nv.shared.")) != NULL)
        kernel->shared_bytes = size_bytes;
    else if ((kernel = kernel_of_section(r, section->name, ".nv.local.")) != NULL)
        kernel->local_bytes = size_bytes;
    else if ((kernel = kernel_of_section(r, section->name, ".nv.constant0.")) != NULL)
        kernel->constant_bytes = size_bytes;
    else if ((kernel = kernel_of_section(r, section->name, ".text.")) != NULL)
        read_flags(kernel, section);
    else if (strcmp(section->name, ".nv.constant3") == 0)
        out->constant_bytes = size_bytes;
    else if (strcmp(section->name, ".debug_line") == 0)
        out->has_lines = true;
}

bool cubin_read(struct arena *arena, const char *path, const void *bytes, size_t n, struct cubin *out,
                struct err *err)
{
    struct reader r = {.arena = arena};
    struct image_list self = {0};
    struct elf_section section;
    *out = (struct cubin){0};
    bool good = cubin_scan(path, bytes, n, &self, err) && elf_open(path, bytes, n, &r.elf, err);
    if (good) {
        out->cc = self.at[0].cc;
        find_kernels(&r);
        for (uint32_t i = 0; i < r.elf.n_sections; i++)
            if (elf_section(&r.elf, i, &section))
                read_section(&r, &section, out);
        out->n_kernels = (uint32_t)r.kernels.n;
        out->kernels = arena_copy(arena, r.kernels.at, r.kernels.n * sizeof *r.kernels.at,
                                  _Alignof(struct cubin_kernel));
    }
    image_list_release(&self);
    vec_release(&r.kernels);
    vec_release(&r.symbols);
    vec_release(&r.params);
    map_release(&r.names);
    return good;
}
