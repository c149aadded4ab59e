// Bank 0 of machine code: words of the driver, and the kernel's parameters behind them. bank0.def is the table of the words.
#ifndef ISA_BANK0_H
#define ISA_BANK0_H
#include <stdbool.h>
#include <stdint.h>

enum bank0 { // offsets
#define BANK0(name, bytes, offset) BANK0_##name = (offset),
#include "isa/bank0.def"
#undef BANK0
};

// All bytes from `offset` on are part of words of the table.
bool bank0_is_known(uint32_t offset, uint32_t n_bytes);
#endif
