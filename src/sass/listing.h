// Disassembly of a cubin's code, for people (`warpglass launch FILE --dump=sass`).
//
//     if (!sass_list(image, "_Z3addPf", &text, &err)) ...   // NULL: all functions
//
// One line an instruction: byte offset, text as nvdisasm writes it, and what the control word says:
//     /*0040*/ IMAD.WIDE.U32 R2, R0, 0x4, R2 ;                   // stall 6, wait 0
// Relocations are not applied, as in a disassembly; an encoding that no row fits is shown as two words.
#ifndef SASS_LISTING_H
#define SASS_LISTING_H
#include "base/buf.h"
#include "sass/load.h"

bool sass_list(const struct sass_image *image, const char *function, struct buf *out, struct err *err);
// The control word in words: "stall 6, yield, write 0, read 1, wait 0 3, reuse a b"; what is absent is left out.
void sass_list_control(uint32_t control, struct buf *out);
#endif
