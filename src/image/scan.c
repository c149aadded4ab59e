// Files of every kind to images.
#include "base/vec.h"
#include "image/elf.h"
#include "image/fatbin.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void image_list_release(struct image_list *list)
{
    vec_release(list);
    list->n_containers = 0;
}

// ---- PTX text -------------------------------------------------------------------------------------------

static bool starts_with(const uint8_t *bytes, size_t n, const char *start)
{
    size_t length = strlen(start);
    return n >= length && memcmp(bytes, start, length) == 0;
}

bool ptx_text_is(const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    while (at < n && isspace(bytes[at]))
        at++;
    return starts_with(bytes + at, n - at, "//") || starts_with(bytes + at, n - at, "/*") ||
           starts_with(bytes + at, n - at, ".version");
}

// The first `.target sm_NN` behind a line's beginning; false when there is none.
static bool find_target(const char *text, size_t n, struct image *image)
{
    static const char directive[] = ".target";
    for (const char *line = text, *end = text + n; line < end;) {
        size_t left = (size_t)(end - line);
        const char *next = memchr(line, '\n', left);
        size_t length = next ? (size_t)(next - line) : left, at = 0;
        while (at < length && (line[at] == ' ' || line[at] == '\t'))
            at++;
        if (starts_with((const uint8_t *)line + at, length - at, directive)) {
            at += strlen(directive);
            while (at < length && (line[at] < '0' || line[at] > '9'))
                at++;
            for (image->cc = 0; at < length && line[at] >= '0' && line[at] <= '9' && image->cc < 10000; at++)
                image->cc = image->cc * 10 + (unsigned)(line[at] - '0');
            image->is_arch_specific = at < length && line[at] == 'a';
            image->is_family_specific = at < length && line[at] == 'f';
            return true;
        }
        line += length + 1;
    }
    return false;
}

void ptx_text_scan(const uint8_t *text, size_t n, bool is_relocatable, struct image_list *out)
{
    n = strnlen((const char *)text, n);
    struct image image = {.kind = IMAGE_PTX,
                          .is_relocatable = is_relocatable,
                          .payload = text,
                          .payload_bytes = n,
                          .decoded_bytes = n,
                          .container = out->n_containers++};
    find_target((const char *)text, n, &image);
    vec_push(out, image);
}

// ---- ELF ------------------------------------------------------------------------------------------------

// Up to ABI 7 (toolkits before 13) the target lies in the lowest byte of the flags, from 8 on in the second.
static unsigned target_of(const struct elf *elf)
{
    enum { FIRST_ABI_WITH_SECOND_BYTE = 8 };
    return elf->abi_version >= FIRST_ABI_WITH_SECOND_BYTE ? elf->flags >> 8 & 0xff : elf->flags & 0xff;
}

bool cubin_scan(const char *path, const uint8_t *bytes, size_t n, struct image_list *out, struct err *err)
{
    struct elf elf;
    if (!elf_open(path, bytes, n, &elf, err))
        return false;
    if (elf.machine != ELF_MACHINE_CUDA)
        return err_set_at(err, path, 0, 0, NULL, 0, "an ELF file for machine %u, not for a GPU of NVIDIA",
                          elf.machine);
    struct image image = {.kind = IMAGE_CUBIN,
                          .cc = target_of(&elf),
                          .is_relocatable = elf.type == ET_REL,
                          .payload = bytes,
                          .payload_bytes = n,
                          .decoded_bytes = n,
                          .container = out->n_containers++};
    vec_push(out, image);
    return true;
}

static bool scan_sections(const char *path, const struct elf *elf, struct image_list *out, struct err *err)
{
    struct elf_section section;
    for (uint32_t i = 0; i < elf->n_sections; i++) {
        if (!elf_section(elf, i, &section))
            continue;
        bool is_relocatable = strcmp(section.name, "__nv_relfatbin") == 0;
        if ((is_relocatable || strcmp(section.name, ".nv_fatbin") == 0) &&
            !fatbin_scan_all(path, section.bytes, section.n_bytes, is_relocatable, out, err))
            return false;
    }
    return true;
}

bool image_is_executable(const void *bytes, size_t n)
{
    struct elf elf;
    struct err ignored = {0};
    return elf_is(bytes, n) && elf_open("", bytes, n, &elf, &ignored) && elf.machine != ELF_MACHINE_CUDA &&
           (elf.type == ET_EXEC || (elf.type == ET_DYN && elf.has_interpreter));
}

// ---- files ----------------------------------------------------------------------------------------------

bool image_scan(const char *path, const void *bytes, size_t n, struct image_list *out, struct err *err)
{
    struct elf elf;
    if (elf_is(bytes, n)) {
        if (!elf_open(path, bytes, n, &elf, err))
            return false;
        return elf.machine == ELF_MACHINE_CUDA ? cubin_scan(path, bytes, n, out, err)
                                               : scan_sections(path, &elf, out, err);
    }
    if (fatbin_is(bytes, n) || ptx_text_is(bytes, n))
        return fatbin_scan_all(path, bytes, n, false, out, err);
    return err_set_at(err, path, 0, 0, NULL, 0, "neither PTX, a fatbin, a cubin nor an ELF file");
}
