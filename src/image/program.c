// What stands in the way of measuring a program: see program.h. The dynamic section and the symbol tables are
// those of the System V ABI (elf.h).
#include "image/program.h"
#include "image/elf.h"
#include "image/fatbin.h"
#include "image/image.h"
#include "image/runtime.h"
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
enum { OUR_MACHINE = EM_AARCH64 };
static const char our_machine[] = "aarch64";
#else
enum { OUR_MACHINE = EM_X86_64 };
static const char our_machine[] = "x86-64";
#endif

// What the loader will do with it.
struct program {
    const char *path;
    struct elf elf;
    bool is_library; // has a DT_SONAME
};

static bool refuse(const struct program *program, struct err *err, const char *why)
{
    return err_set_at(err, program->path, 0, 0, NULL, 0, "%s", why);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// ---- needed libraries -----------------------------------------------------------------------------------

static bool has_major(const char *name)
{
    static const char *const ours[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i]) == 0)
            return true;
    return false;
}

static bool check_needed(const struct program *program, const char *name, struct err *err)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    bool is_cudart = starts_with(base, "libcudart.so");
    if (slash && (is_cudart || starts_with(base, "libcuda.so")))
        return err_set_at(
            err, program->path, 0, 0, NULL, 0,
            "needs the CUDA library by its path, %s, so that no other can take its place: link it "
            "with -lcudart or -lcuda instead",
            name);
    if (is_cudart && !has_major(base))
        return err_set_at(
            err, program->path, 0, 0, NULL, 0,
            "needs %s, but warpglass has libcudart.so.11.0, .12 and .13: build it with CUDA 11 or later",
            base);
    return true;
}

static bool read_dynamic(struct program *program, const struct elf_section *dynamic, struct err *err)
{
    struct elf_section texts = {0};
    if (!elf_section(&program->elf, dynamic->link, &texts))
        return true;
    for (size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->n_bytes; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, dynamic->bytes + at, sizeof entry);
        if (entry.d_tag == DT_NULL)
            break;
        const char *name = entry.d_tag == DT_NEEDED ? elf_text(&texts, entry.d_un.d_val) : NULL;
        if (name && !check_needed(program, name, err))
            return false;
        program->is_library |= entry.d_tag == DT_SONAME;
    }
    return true;
}

// ---- the whole ------------------------------------------------------------------------------------------

static bool read_sections(struct program *program, struct err *err)
{
    struct elf_section section;
    for (uint32_t i = 0; i < program->elf.n_sections; i++) {
        if (!elf_section(&program->elf, i, &section))
            continue;
        if (section.type == SHT_DYNAMIC && section.bytes && !read_dynamic(program, &section, err))
            return false;
    }
    return true;
}

static bool check_machine(const struct program *program, const void *bytes, size_t n, struct err *err)
{
    const uint8_t *ident = bytes;
    uint16_t machine = 0;
    enum { MACHINE_OFFSET = 18 }; // the same in files of 32 and 64 bits
    if (n >= MACHINE_OFFSET + sizeof machine)
        memcpy(&machine, ident + MACHINE_OFFSET, sizeof machine);
    if (machine == ELF_MACHINE_CUDA)
        return refuse(program, err, "is a cubin, not a program: 'warpglass launch' runs one kernel of it");
    if (n < EI_NIDENT || (ident[EI_CLASS] == ELFCLASS64 && machine == OUR_MACHINE))
        return true;
    return err_set_at(
        err, program->path, 0, 0, NULL, 0,
        "is a program for another machine (number %u, %d bits): only programs for %s can be measured",
        machine, ident[EI_CLASS] == ELFCLASS64 ? 64 : 32, our_machine);
}

static bool check_runtime(const struct program *program, struct err *err)
{
    struct arena arena;
    struct runtime runtime;
    arena_init(&arena, "symbols");
    runtime_find(&arena, &program->elf, &runtime);
    bool is_good = true;
    if (runtime.kind == RUNTIME_REFUSED)
        is_good = refuse(program, err, runtime.why);
    else if (runtime.kind == RUNTIME_STRIPPED)
        is_good = refuse(program, err, runtime_stripped);
    else if (runtime.kind == RUNTIME_LINKED_IN && OUR_MACHINE != EM_X86_64)
        is_good = refuse(program, err,
                         "has the CUDA runtime linked in, which can be replaced on x86-64 only: build it with "
                         "'nvcc -cudart shared'");
    arena_release(&arena);
    return is_good;
}

static bool check_elf(struct program *program, const void *bytes, size_t n, struct err *err)
{
    if (!check_machine(program, bytes, n, err) || !elf_open(program->path, bytes, n, &program->elf, err) ||
        !read_sections(program, err))
        return false;
    if (program->elf.type == ET_REL)
        return refuse(program, err, "is an object file, not a program: link it, or see 'warpglass launch'");
    if (!program->elf.has_interpreter && program->is_library)
        return refuse(program, err, "is a library, not a program: 'warpglass launch' runs one kernel of it");
    if (!program->elf.has_interpreter)
        return refuse(program, err,
                      "is linked statically, so that no library of ours can be loaded into it: link it "
                      "without -static");
    return check_runtime(program, err);
}

bool program_check(const char *path, const void *bytes, size_t n, struct err *err)
{
    struct program program = {.path = path};
    if (elf_is(bytes, n))
        return check_elf(&program, bytes, n, err);
    if (fatbin_is(bytes, n) || ptx_text_is(bytes, n))
        return refuse(&program, err,
                      "is device code, not a program: 'warpglass launch' runs one kernel of it");
    return true;
}
