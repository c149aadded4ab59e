// Sections of a 64-bit little-endian ELF file: executables, objects, shared libraries and cubins.
//
//     struct elf elf;
//     if (!elf_open("a.out", bytes, n, &elf, &err)) ...
//     for (uint32_t i = 0; i < elf.n_sections; i++)
//         if (elf_section(&elf, i, &section) && strcmp(section.name, ".nv_fatbin") == 0) ...
//
// Nothing is trusted: what elf_section hands out lies inside the input, names end with a NUL. Everything is
// borrowed from the input. The layout is that of the System V ABI (elf.h). Reading sections takes a page of
// code, so no library does it.
#ifndef IMAGE_ELF_H
#define IMAGE_ELF_H
#include "base/err.h"
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_MACHINE_CUDA = 190 }; // EM_CUDA in the registry of ELF machines

struct elf {
    const uint8_t *bytes;
    size_t n_bytes;
    uint16_t type, machine; // ET_…, EM_…
    uint32_t flags;
    uint8_t abi_version;
    bool has_interpreter; // of dynamic files: those that are programs, not libraries
    uint64_t sections_at; // offset of the section headers
    uint32_t n_sections, names_index;
};

struct elf_section {
    const char *name; // "" if it has none
    uint32_t type;    // SHT_…
    uint64_t flags, address, entry_bytes;
    uint32_t link, info;
    const uint8_t *bytes; // NULL for SHT_NOBITS and what else has no bytes in the file
    size_t n_bytes;       // of `bytes`
    uint64_t size_bytes;  // as the header says, also for SHT_NOBITS
};

bool elf_is(const void *bytes, size_t n); // starts like an ELF file
bool elf_open(const char *path, const void *bytes, size_t n, struct elf *out, struct err *err);

// The size of an ELF file in memory, of which nothing but its headers tell the end. They are trusted.
size_t elf_extent(const void *bytes);

// False when the section's header, name or content lies outside the file.
bool elf_section(const struct elf *elf, uint32_t index, struct elf_section *out);
bool elf_find_section(const struct elf *elf, const char *name,
                      struct elf_section *out); // the first of that name

// The text at `offset` of a string table; NULL when it does not begin and end inside of it.
const char *elf_text(const struct elf_section *strings, uint64_t offset);
#endif
