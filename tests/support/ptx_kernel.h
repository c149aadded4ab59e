// A kernel of a text of PTX, for tests that look at its record or run it without data of its own.
#ifndef SUPPORT_PTX_KERNEL_H
#define SUPPORT_PTX_KERNEL_H
#include "base/arena.h"
#include "isa/kernel.h"

// The kernel "k"; the test fails if there is none. It lives as long as the arena.
const struct kernel *ptx_kernel_of_text(struct arena *arena, const char *text);
#endif
