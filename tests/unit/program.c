// Checks of programs before they start: small ELF files made here, each with one thing in its way; cut and
// damaged ones never crash.
#include "image/program.h"
#include "base/buf.h"
#include "image/elf.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

// What a made-up file has.
struct recipe {
    unsigned char class;    // ELFCLASS64 unless set
    uint16_t type, machine; // ET_DYN for x86-64 unless set
    bool is_static;         // no PT_INTERP
    const char *soname, *needed;
    const char *defined, *undefined; // symbols
    const char *functions[4];        // and functions, this many bytes apart, 16 unless set
    unsigned distance;
    bool is_folded; // all at one place
    bool has_fatbin;
};

enum { STRINGS, DYNAMIC, SYMBOLS, FATBIN, NAMES, N_PARTS };

static uint32_t add_string(struct buf *strings, const char *text)
{
    uint32_t at = (uint32_t)strings->n;
    buf_add(strings, text, strlen(text) + 1);
    return at;
}

static void add_dynamic(struct buf *out, int64_t tag, uint64_t value)
{
    Elf64_Dyn entry = {.d_tag = tag, .d_un.d_val = value};
    buf_add(out, &entry, sizeof entry);
}

static void add_symbol(struct buf *out, uint32_t name, uint16_t section)
{
    Elf64_Sym symbol = {.st_name = name, .st_shndx = section};
    buf_add(out, &symbol, sizeof symbol);
}

static void add_functions(const struct recipe *recipe, struct buf parts[N_PARTS])
{
    unsigned distance = recipe->is_folded ? 0 : recipe->distance ? recipe->distance : 16;
    for (unsigned i = 0; i < 4 && recipe->functions[i]; i++) {
        Elf64_Sym symbol = {.st_name = add_string(&parts[STRINGS], recipe->functions[i]),
                            .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                            .st_shndx = 1,
                            .st_value = 4096 + i * distance};
        buf_add(&parts[SYMBOLS], &symbol, sizeof symbol);
    }
}

static void make_parts(const struct recipe *recipe, struct buf parts[N_PARTS])
{
    add_string(&parts[STRINGS], "");
    if (recipe->needed)
        add_dynamic(&parts[DYNAMIC], DT_NEEDED, add_string(&parts[STRINGS], recipe->needed));
    if (recipe->soname)
        add_dynamic(&parts[DYNAMIC], DT_SONAME, add_string(&parts[STRINGS], recipe->soname));
    add_dynamic(&parts[DYNAMIC], DT_NULL, 0);
    add_symbol(&parts[SYMBOLS], 0, SHN_UNDEF);
    if (recipe->defined)
        add_symbol(&parts[SYMBOLS], add_string(&parts[STRINGS], recipe->defined), 1);
    if (recipe->undefined)
        add_symbol(&parts[SYMBOLS], add_string(&parts[STRINGS], recipe->undefined), SHN_UNDEF);
    add_functions(recipe, parts);
    buf_add(&parts[FATBIN], "12345678", 8);
}

static struct buf make_elf(const struct recipe *recipe)
{
    static const char *const names[] = {".dynstr", ".dynamic", ".dynsym", ".nv_fatbin", ".shstrtab"};
    static const uint32_t types[] = {SHT_STRTAB, SHT_DYNAMIC, SHT_DYNSYM, SHT_PROGBITS, SHT_STRTAB};
    struct buf parts[N_PARTS] = {{0}}, out = {0};
    Elf64_Shdr sections[1 + N_PARTS] = {{0}};
    make_parts(recipe, parts);
    add_string(&parts[NAMES], "");
    for (int i = 0; i < N_PARTS; i++)
        sections[1 + i].sh_name =
            add_string(&parts[NAMES], i == FATBIN && !recipe->has_fatbin ? ".other" : names[i]);
    Elf64_Ehdr header = {.e_type = recipe->type ? recipe->type : ET_DYN,
                         .e_machine = recipe->machine ? recipe->machine : EM_X86_64,
                         .e_phoff = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = 1,
                         .e_shoff = sizeof header + sizeof(Elf64_Phdr),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 1 + N_PARTS,
                         .e_shstrndx = 1 + NAMES};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = recipe->class ? recipe->class : ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    Elf64_Phdr segment = {.p_type = recipe->is_static ? PT_LOAD : PT_INTERP};
    uint64_t at = header.e_shoff + sizeof sections;
    for (int i = 0; i < N_PARTS; i++) {
        sections[1 + i].sh_type = types[i];
        sections[1 + i].sh_offset = at;
        sections[1 + i].sh_size = parts[i].n;
        sections[1 + i].sh_link = 1 + STRINGS;
        at += parts[i].n;
    }
    buf_add(&out, &header, sizeof header);
    buf_add(&out, &segment, sizeof segment);
    buf_add(&out, sections, sizeof sections);
    for (int i = 0; i < N_PARTS; i++) {
        buf_add(&out, parts[i].at, parts[i].n);
        buf_release(&parts[i]);
    }
    return out;
}

// NULL: passes; else the sentence holds that text.
static void check_recipe(const struct recipe *recipe, const char *text)
{
    struct buf elf = make_elf(recipe);
    struct err err = {0};
    bool passes = program_check("a.out", elf.at, elf.n, &err);
    buf_release(&elf);
    assert_int_equal(passes, text == NULL);
    assert_int_equal(err.set, text != NULL);
    if (text && !strstr(err.text, text))
        fail_msg("says '%s' instead of '%s'", err.text, text);
    if (text)
        assert_string_equal(err.file, "a.out");
}

static void test_what_passes(void **state)
{
    (void)state;
    check_recipe(&(struct recipe){0}, NULL);
    check_recipe(&(struct recipe){.type = ET_EXEC}, NULL);
    check_recipe(
        &(struct recipe){.needed = "libc.so.6", .has_fatbin = true, .undefined = "__cudaRegisterFatBinary"},
        NULL);
    check_recipe(&(struct recipe){.needed = "libcudart.so.13", .has_fatbin = true}, NULL);
    check_recipe(&(struct recipe){.needed = "libcudart.so.12"}, NULL);
    check_recipe(&(struct recipe){.needed = "libcudart.so.11.0"}, NULL);
    check_recipe(&(struct recipe){.needed = "libcuda.so.1"}, NULL);
    check_recipe(&(struct recipe){.functions = {"__cudaRegisterFatBinary", "cudaMalloc", "cudaBindTexture"}}, NULL);
    check_recipe(&(struct recipe){.functions = {"cudaOwn", "__cudaRegisterFatBinary", "cudaGetDeviceProperties_v2"}}, NULL);
    check_recipe(&(struct recipe){.functions = {"cudaMalloc", "cudaFree"}}, NULL); // in front of a library's
    check_recipe(&(struct recipe){.needed = "/opt/lib/libown.so"}, NULL);
    struct err err = {0};
    assert_true(program_check("x", "#!/bin/sh\n./a.out\n", 18, &err));
    assert_true(program_check("x", "", 0, &err));
    assert_false(err.set);
}

static void test_what_does_not(void **state)
{
    (void)state;
    const char *stripped = "has the CUDA runtime linked in and no symbol table",
               *undecided = "has a CUDA runtime linked in that is not one of CUDA 11, 12 or 13 as its functions tell";
    check_recipe(&(struct recipe){.functions = {"__cudaRegisterFatBinary", "cudaMalloc"}}, undecided);
    check_recipe(&(struct recipe){.functions = {"__cudaRegisterFatBinary", "cudaMalloc", "cudaBindTexture",
                                                "cudaDeviceGetHostAtomicCapabilities"}},
                 undecided); // of 11 and of 13
    check_recipe(&(struct recipe){.functions = {"__cudaRegisterFatBinary", "cudaBindTexture"}, .distance = 3},
                 "whose function __cudaRegisterFatBinary is too short to be replaced");
    check_recipe(&(struct recipe){.functions = {"__cudaRegisterFatBinary", "cudaBindTexture"}, .is_folded = true},
                 "has made __cudaRegisterFatBinary and cudaBindTexture one function");
    check_recipe(&(struct recipe){.has_fatbin = true}, stripped);
    check_recipe(&(struct recipe){.has_fatbin = true, .undefined = "cudaMemcpy"}, stripped);
    check_recipe(&(struct recipe){.is_static = true}, "is linked statically");
    check_recipe(&(struct recipe){.is_static = true, .type = ET_EXEC}, "is linked statically");
    check_recipe(&(struct recipe){.is_static = true, .soname = "liba.so"}, "is a library, not a program");
    check_recipe(&(struct recipe){.type = ET_REL}, "is an object file, not a program");
    check_recipe(&(struct recipe){.needed = "libcudart.so.10.2"},
                 "needs libcudart.so.10.2, but warpglass has");
    check_recipe(&(struct recipe){.needed = "libcudart.so.14"}, "needs libcudart.so.14, but warpglass has");
    check_recipe(&(struct recipe){.needed = "/usr/local/cuda/lib64/libcudart.so.13"},
                 "by its path, /usr/local");
    check_recipe(&(struct recipe){.needed = "./libcuda.so.1"}, "by its path, ./libcuda.so.1");
    check_recipe(&(struct recipe){.machine = EM_PPC64}, "for another machine (number 21, 64 bits)");
    check_recipe(&(struct recipe){.machine = EM_386, .class = ELFCLASS32},
                 "for another machine (number 3, 32 bits)");
    check_recipe(&(struct recipe){.machine = ELF_MACHINE_CUDA}, "'warpglass launch'");
}

static void test_device_code(void **state)
{
    (void)state;
    static const char ptx[] = "//\n.version 8.0\n.target sm_90\n",
                      fatbin[] = "\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0";
    struct err err = {0};
    assert_false(program_check("x.ptx", ptx, sizeof ptx - 1, &err));
    assert_non_null(strstr(err.text, "is device code, not a program: 'warpglass launch'"));
    err = (struct err){0};
    assert_false(program_check("x", fatbin, sizeof fatbin, &err));
    assert_true(err.set);
}

static void check_bytes(const char *bytes, size_t n)
{
    struct err err = {0};
    char *exact = malloc(n ? n : 1); // so that a read behind it is noticed
    assert_non_null(exact);
    memcpy(exact, bytes, n);
    bool passes = program_check("a.out", exact, n, &err);
    assert_int_equal(passes, !err.set);
    free(exact);
}

// Cut off anywhere, and with any byte changed: an answer, and no read out of bounds.
static void test_damaged(void **state)
{
    (void)state;
    struct recipe recipe = {
        .functions = {"__cudaRegisterFatBinary", "cudaMalloc", "cudaBindTexture", "cudaOwn"},
        .needed = "libcudart.so.13", .defined = "main", .undefined = "cudaMalloc", .has_fatbin = true};
    struct buf elf = make_elf(&recipe);
    for (size_t n = 0; n <= elf.n; n++)
        check_bytes(elf.at, n);
    for (size_t i = 0; i < elf.n; i++)
        for (int bit = 0; bit < 8; bit++) {
            elf.at[i] = (char)(elf.at[i] ^ 1 << bit);
            check_bytes(elf.at, elf.n);
            elf.at[i] = (char)(elf.at[i] ^ 1 << bit);
        }
    buf_release(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_passes),
                                       cmocka_unit_test(test_what_does_not),
                                       cmocka_unit_test(test_device_code), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
