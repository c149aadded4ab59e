// Finds the CUDA runtime that is linked into an ELF file: see runtime.h.
#include "image/runtime.h"
#include "base/buf.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char runtime_stripped[] =
    "has the CUDA runtime linked in and no symbol table, so that its functions cannot be found: link it "
    "without -s and do not strip it ('strip -g' takes debug information only), or build it with "
    "'nvcc -cudart shared'";

enum { IN_11 = 1, IN_12 = 2, IN_13 = 4, IN_EVERY = IN_11 | IN_12 | IN_13 };
enum {
    IN_ALL = IN_EVERY,
    IN_BEFORE_12 = IN_11,
    IN_BEFORE_13 = IN_11 | IN_12,
    IN_ONLY_12 = IN_12,
    IN_FROM_12 = IN_12 | IN_13,
    IN_ONLY_13 = IN_13
};

// Two names may share an address when they share a body.
static const struct row {
    const char *name, *body;
    unsigned majors;
} rows[] = {
#define DONE(majors, name, parameters) {#name, #name, IN_##majors},
#define DONE_AS(majors, name, body, parameters) {#name, #body, IN_##majors},
#define ALIAS(majors, name, body) {#name, #body, IN_##majors},
#define RETURNS(majors, type, name, parameters) {#name, #name, IN_##majors},
#define IGNORED(majors, name, reason) {#name, "ignored", IN_##majors},
#define REFUSED(majors, name, reason) {#name, #name, IN_##majors},
#include "rt/api.def"
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const struct row *find_row(const char *name, unsigned majors)
{
    for (int i = 0; i < N_ROWS; i++)
        if ((rows[i].majors & majors) && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

// The majors that have it.
static unsigned majors_of(const char *name)
{
    unsigned majors = 0;
    for (int i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            majors |= rows[i].majors;
    return majors;
}

// ---- symbols ------------------------------------------------------------------------------------------------

// What is gathered from the symbol tables.
struct finder {
    const struct elf *elf;
    struct buf found, all;
    struct runtime_function *functions; // in `found`
    uint32_t n;
    uint64_t *starts; // of all functions of the file, in `all`
    uint32_t n_starts;
    bool defines_registration, needs_registration, has_device_code, needs_cudart;
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Functions that nvcc puts into each object, and inner ones of older runtimes (__cudart123), have such names too.
static bool is_runtime_name(const char *name)
{
    static const char inner[] = "__cudart";
    if (!starts_with(name, "cuda") && !starts_with(name, "__cuda"))
        return false;
    return !strpbrk(name, ".@") && strcmp(name, "__cudaUnregisterBinaryUtil") != 0 &&
           !starts_with(name, "__cudaRegisterLinkedBinary") &&
           !(starts_with(name, inner) && isdigit((unsigned char)name[strlen(inner)]));
}

static bool is_registration(const char *name)
{
    return strcmp(name, "__cudaRegisterFatBinary") == 0;
}

static void add_symbol(struct finder *finder, const Elf64_Sym *symbol, const char *name)
{
    if (symbol->st_shndx == SHN_UNDEF) {
        finder->needs_registration |= is_registration(name);
        return;
    }
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
        return;
    uint64_t address = symbol->st_value;
    buf_add(&finder->all, &address, sizeof address);
    if (!is_runtime_name(name))
        return;
    struct runtime_function function = {.name = name, .address = address};
    finder->defines_registration |= is_registration(name);
    buf_add(&finder->found, &function, sizeof function);
}

static void read_symbols(struct finder *finder, const struct elf_section *symbols)
{
    struct elf_section texts = {0};
    if (!elf_section(finder->elf, symbols->link, &texts))
        return;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols->n_bytes; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, symbols->bytes + at, sizeof symbol);
        const char *name = elf_text(&texts, symbol.st_name);
        if (name)
            add_symbol(finder, &symbol, name);
    }
}

static bool is_symbols(const struct elf_section *section)
{
    return (section->type == SHT_SYMTAB || section->type == SHT_DYNSYM) && section->bytes;
}

static void read_needed(struct finder *finder, const struct elf_section *dynamic)
{
    struct elf_section texts = {0};
    if (!elf_section(finder->elf, dynamic->link, &texts))
        return;
    for (size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->n_bytes; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, dynamic->bytes + at, sizeof entry);
        const char *name = entry.d_tag == DT_NEEDED ? elf_text(&texts, entry.d_un.d_val) : NULL;
        finder->needs_cudart |= name && strstr(name, "libcudart.so");
    }
}

static void read_sections(struct finder *finder)
{
    struct elf_section section;
    for (uint32_t i = 0; i < finder->elf->n_sections; i++) {
        if (!elf_section(finder->elf, i, &section))
            continue;
        if (is_symbols(&section))
            read_symbols(finder, &section);
        if (section.type == SHT_DYNAMIC && section.bytes)
            read_needed(finder, &section);
        finder->has_device_code |= strcmp(section.name, ".nv_fatbin") == 0;
    }
}

// ---- what they tell ---------------------------------------------------------------------------------------------

static int compare_functions(const void *a, const void *b)
{
    const struct runtime_function *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

// Both symbol tables may name the same function.
static void sort(struct finder *finder)
{
    uint32_t n = 0;
    finder->functions = (struct runtime_function *)(void *)finder->found.at;
    finder->n = (uint32_t)(finder->found.n / sizeof *finder->functions);
    finder->starts = (uint64_t *)(void *)finder->all.at;
    finder->n_starts = (uint32_t)(finder->all.n / sizeof *finder->starts);
    qsort(finder->functions, finder->n, sizeof *finder->functions, compare_functions);
    qsort(finder->starts, finder->n_starts, sizeof *finder->starts, compare_addresses);
    for (uint32_t i = 0; i < finder->n; i++)
        if (n == 0 || compare_functions(&finder->functions[n - 1], &finder->functions[i]) != 0)
            finder->functions[n++] = finder->functions[i];
    finder->n = n;
}

// Drops what does not lie among the functions that every runtime has.
static void drop_foreign(struct finder *finder)
{
    uint32_t first = finder->n, end = 0;
    for (uint32_t i = 0; i < finder->n; i++)
        if (majors_of(finder->functions[i].name) == IN_EVERY) {
            first = first < i ? first : i;
            end = i + 1;
        }
    // Other rows directly beside them are the runtime's as well.
    while (first > 0 && majors_of(finder->functions[first - 1].name))
        first--;
    while (end > first && end < finder->n && majors_of(finder->functions[end].name))
        end++;
    finder->n = end > first ? end - first : 0;
    finder->functions += first;
}

static unsigned decide_majors(const struct finder *finder)
{
    unsigned majors = IN_EVERY;
    for (uint32_t i = 0; i < finder->n; i++) {
        unsigned of = majors_of(finder->functions[i].name);
        majors &= of ? of : IN_EVERY;
    }
    return majors;
}

// Functions are padded to their alignment, which may be used too.
static uint32_t room(const struct finder *finder, uint64_t address)
{
    enum { MOST = 64 };
    uint32_t low = 0, high = finder->n_starts;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (finder->starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t next = low < finder->n_starts ? finder->starts[low] - address : MOST;
    return (uint32_t)(next < MOST ? next : MOST);
}

static const char *check_functions(struct arena *arena, struct finder *finder, unsigned major)
{
    for (uint32_t i = 0; i < finder->n; i++) {
        struct runtime_function *f = &finder->functions[i], *before = i ? f - 1 : f;
        const struct row *row = find_row(f->name, major), *other = find_row(before->name, major);
        f->is_known = row != NULL;
        f->room_bytes = room(finder, f->address);
        if (f->room_bytes < RUNTIME_JUMP_BYTES)
            return arena_printf(arena,
                                "has the CUDA runtime linked in, whose function %s is too short to be replaced: "
                                "build it with 'nvcc -cudart shared'",
                                f->name);
        if (f != before && f->address == before->address &&
            strcmp(row ? row->body : f->name, other ? other->body : before->name) != 0)
            return arena_printf(arena,
                                "has the CUDA runtime linked in, of which the linker has made %s and %s one "
                                "function: link it without --icf=all, or build it with 'nvcc -cudart shared'",
                                before->name, f->name);
    }
    return NULL;
}

static void judge(struct arena *arena, struct finder *finder, struct runtime *out)
{
    sort(finder);
    drop_foreign(finder);
    unsigned majors = decide_majors(finder);
    out->kind = RUNTIME_REFUSED;
    if (majors == 0 || (majors & (majors - 1))) {
        out->why = "has a CUDA runtime linked in that is not one of CUDA 11, 12 or 13 as its functions tell: build "
                   "it with 'nvcc -cudart shared'";
        return;
    }
    out->why = check_functions(arena, finder, majors);
    if (out->why)
        return;
    out->kind = RUNTIME_LINKED_IN;
    out->major = majors == IN_11 ? 11 : majors == IN_12 ? 12 : 13;
    out->functions = arena_copy(arena, finder->functions, finder->n * sizeof *finder->functions,
                                _Alignof(struct runtime_function));
    out->n_functions = finder->n;
}

void runtime_find(struct arena *arena, const struct elf *elf, struct runtime *out)
{
    struct finder finder = {.elf = elf};
    *out = (struct runtime){0};
    read_sections(&finder);
    if (finder.defines_registration)
        judge(arena, &finder, out);
    else if (finder.needs_registration || finder.needs_cudart)
        out->kind = RUNTIME_SHARED;
    else if (finder.has_device_code)
        out->kind = RUNTIME_STRIPPED;
    buf_release(&finder.found);
    buf_release(&finder.all);
}
