// Several PTX modules become one, as a device linker makes of relocatable device code (nvcc -rdc=true,
// cuLink…). Loading and lowering take the result like any other module.
//
//     struct ptx_module *parts[] = {ptx_parse(&arena, "a.ptx", …), ptx_parse(&arena, "b.ptx", …)};
//     struct ptx_module *whole = ptx_link(&arena, "a.out", LINK_SYMBOLS, parts, 2, &err);   // NULL: err
//     if (!ptx_link_complete(whole, &err)) ...        // strict callers: what no part defines, by file and
//     line struct ptx_image *image = ptx_image_of(&arena, whole, &err);
//
// Rules (PTX ISA 9.0, "Linking Directives"):
//   .visible        one definition in all parts; a second one is an error that names both places
//   .weak           gives way to a .visible one and to an earlier .weak one
//   .common         the largest one stays; gives way to the two above
//   .extern         means the definition of that name; space, size and number of parameters must agree with
//   it .extern .shared x[]   of one name are one dynamic array, with the largest alignment none of these
//   belongs to its part alone; a name that is taken by another part gets "$2", "$3" …
// What is used but defined nowhere is no error here: lowering names it for the kernels that reach it.
//
// Places. The text of the result is the texts of the parts one after the other, so lines count through; parts
// tell which file and line that is, and ptx_place_error puts an error there. .file tables are merged by name.
// In parts without .loc each instruction gets its line of the PTX text, so that every instruction of the
// result has a source line. The printed result can be read back; debug sections are left out of it.
//
// The parts are taken to pieces: after ptx_link they are no modules any more. All live in the same arena, or
// longer.
#ifndef PTX_LINK_H
#define PTX_LINK_H
#include "ptx/ast.h"

enum ptx_link_mode {
    LINK_SYMBOLS, // the rules above
    LINK_APART    // every name belongs to its part: modules that only share a file
};

struct ptx_module *ptx_link(struct arena *arena, const char *path, enum ptx_link_mode mode,
                            struct ptx_module *const *parts, uint32_t n, struct err *err);

// Whether all that functions and initial values use is defined here or supplied by the machine (vprintf,
// malloc …).
bool ptx_link_complete(const struct ptx_module *module, struct err *err);

// An error with a line of a linked module gets file and line of the part. Other modules: nothing happens.
void ptx_place_error(const struct ptx_module *module, struct err *err);
#endif
