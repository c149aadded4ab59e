// Texts that do not come from the spec: numbers as nvdisasm writes them, names of special registers.
#ifndef SASS_TEXT_H
#define SASS_TEXT_H
#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

void sass_text_f32(struct buf *out, uint32_t bits);
void sass_text_f64(struct buf *out, uint64_t bits);
void sass_text_half(struct buf *out, uint16_t bits, bool is_bf16);
void sass_text_barrier(struct buf *out, unsigned number); // "B3"; from 16 on what else BMOV reaches
void sass_text_special(struct buf *out, unsigned number); // "SR_TID.X"; "SR7" when it has no name
#endif
