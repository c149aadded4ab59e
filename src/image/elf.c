// Reader of ELF sections; every offset is checked against the size of the input.
#include "image/elf.h"
#include <string.h>

bool elf_is(const void *bytes, size_t n)
{
    return n >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool is_inside(const struct elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->n_bytes && size <= elf->n_bytes - offset;
}

static bool read_section_header(const struct elf *elf, uint32_t index, Elf64_Shdr *out)
{
    uint64_t offset = elf->sections_at + (uint64_t)index * sizeof *out;
    if (offset < elf->sections_at || !is_inside(elf, offset, sizeof *out))
        return false;
    memcpy(out, elf->bytes + offset, sizeof *out);
    return true;
}

// Numbers too large for the file header lie in section 0.
static bool find_sections(struct elf *elf, const Elf64_Ehdr *header)
{
    Elf64_Shdr first;
    elf->sections_at = header->e_shoff;
    elf->n_sections = header->e_shnum;
    elf->names_index = header->e_shstrndx;
    if (header->e_shoff == 0) {
        elf->n_sections = 0;
        return true;
    }
    if (header->e_shentsize != sizeof first || !read_section_header(elf, 0, &first))
        return false;
    if (header->e_shnum == 0)
        elf->n_sections = first.sh_size > UINT32_MAX ? UINT32_MAX : (uint32_t)first.sh_size;
    if (header->e_shstrndx == SHN_XINDEX)
        elf->names_index = first.sh_link;
    return is_inside(elf, elf->sections_at, (uint64_t)elf->n_sections * sizeof first);
}

static bool find_interpreter(const struct elf *elf, const Elf64_Ehdr *header)
{
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t offset = header->e_phoff + (uint64_t)i * sizeof segment;
        if (offset < header->e_phoff || !is_inside(elf, offset, sizeof segment))
            return false;
        memcpy(&segment, elf->bytes + offset, sizeof segment);
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

bool elf_open(const char *path, const void *bytes, size_t n, struct elf *out, struct err *err)
{
    Elf64_Ehdr header;
    *out = (struct elf){.bytes = bytes, .n_bytes = n};
    if (!elf_is(bytes, n) || n < sizeof header)
        return err_set_at(err, path, 0, 0, NULL, 0, "the ELF file is cut off in its header");
    memcpy(&header, bytes, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return err_set_at(err, path, 0, 0, NULL, 0, "the ELF file is not a 64-bit little-endian one");
    out->type = header.e_type;
    out->machine = header.e_machine;
    out->flags = header.e_flags;
    out->abi_version = header.e_ident[EI_ABIVERSION];
    if (!find_sections(out, &header))
        return err_set_at(err, path, 0, 0, NULL, 0, "the section headers of the ELF file lie outside of it");
    out->has_interpreter = header.e_phentsize == sizeof(Elf64_Phdr) && find_interpreter(out, &header);
    return true;
}

// Shared memory of relocatable cubins has a type of its own (CUDA 13) and no bytes in the file either.
static bool takes_room(uint32_t type)
{
    enum { SHT_CUDA_SHARED = SHT_LOPROC + 0xa };
    return type != SHT_NOBITS && type != SHT_NULL && type != SHT_CUDA_SHARED;
}

// The NUL-terminated text at `offset` of the section with the names; NULL when there is none.
static const char *find_name(const struct elf *elf, uint32_t offset)
{
    Elf64_Shdr names;
    if (elf->names_index == SHN_UNDEF)
        return "";
    if (elf->names_index >= elf->n_sections || !read_section_header(elf, elf->names_index, &names) ||
        !takes_room(names.sh_type) || !is_inside(elf, names.sh_offset, names.sh_size) ||
        offset >= names.sh_size)
        return NULL;
    const char *name = (const char *)elf->bytes + names.sh_offset + offset;
    return memchr(name, '\0', names.sh_size - offset) ? name : NULL;
}

bool elf_section(const struct elf *elf, uint32_t index, struct elf_section *out)
{
    Elf64_Shdr header;
    if (index >= elf->n_sections || !read_section_header(elf, index, &header))
        return false;
    bool has_bytes = takes_room(header.sh_type);
    *out = (struct elf_section){.name = find_name(elf, header.sh_name),
                                .type = header.sh_type,
                                .flags = header.sh_flags,
                                .address = header.sh_addr,
                                .entry_bytes = header.sh_entsize,
                                .link = header.sh_link,
                                .info = header.sh_info,
                                .size_bytes = header.sh_size};
    if (!out->name || (has_bytes && !is_inside(elf, header.sh_offset, header.sh_size)))
        return false;
    if (has_bytes) {
        out->bytes = elf->bytes + header.sh_offset;
        out->n_bytes = header.sh_size;
    }
    return true;
}

bool elf_find_section(const struct elf *elf, const char *name, struct elf_section *out)
{
    for (uint32_t i = 0; i < elf->n_sections; i++)
        if (elf_section(elf, i, out) && strcmp(out->name, name) == 0)
            return true;
    return false;
}

const char *elf_text(const struct elf_section *strings, uint64_t offset)
{
    if (!strings->bytes || offset >= strings->n_bytes)
        return NULL;
    const char *text = (const char *)strings->bytes + offset;
    return memchr(text, '\0', strings->n_bytes - offset) ? text : NULL;
}

size_t elf_extent(const void *bytes)
{
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    uint64_t end = sizeof header;
    uint64_t tables[] = {header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize,
                         header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize};
    for (int i = 0; i < 2; i++)
        end = tables[i] > end ? tables[i] : end;
    for (uint32_t i = 0; header.e_shoff && header.e_shentsize == sizeof(Elf64_Shdr) && i < header.e_shnum;
         i++) {
        Elf64_Shdr section;
        memcpy(&section, (const uint8_t *)bytes + header.e_shoff + i * sizeof section, sizeof section);
        uint64_t section_end = section.sh_offset + section.sh_size;
        if (takes_room(section.sh_type) && section_end > end)
            end = section_end;
    }
    return end;
}
