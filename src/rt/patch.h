// Machine code that sends a function elsewhere: its first bytes become a near jump to a trampoline, which may lie up to
// 2 GB away and jumps to any address. Functions of a few bytes have no room for more.
//
//     uint8_t *page = patch_pages(low, high, n * PATCH_TRAMPOLINE_BYTES);   // writable; NULL: no free address near
//     patch_trampoline(page, body, NULL);
//     patch_jump(function, page);                                          // the function's page must be writable
#ifndef RT_PATCH_H
#define RT_PATCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { PATCH_IS_POSSIBLE = 1, PATCH_JUMP_BYTES = 5, PATCH_TRAMPOLINE_BYTES = 32 };
#else
enum { PATCH_IS_POSSIBLE = 0, PATCH_JUMP_BYTES = 5, PATCH_TRAMPOLINE_BYTES = 32 };
#endif

// New pages that a near jump reaches from everywhere between the two addresses.
uint8_t *patch_pages(uintptr_t low, uintptr_t high, size_t size_bytes);
// Jumps to `body`; with a name, that is its first argument.
void patch_trampoline(uint8_t *at, void (*body)(void), const char *name);
void patch_jump(uint8_t *at, const uint8_t *to);

// Whether the bytes are a function that only returns, with room for a jump behind it.
bool patch_is_empty_function(const uint8_t *code);

// Changes the pages that hold the bytes: writable and not to be run, or to be run.
bool patch_unlock(uintptr_t low, uintptr_t high);
bool patch_lock(uintptr_t low, uintptr_t high);
#endif
