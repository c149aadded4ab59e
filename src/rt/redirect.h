// Sends the functions of every CUDA runtime that is linked into the program, or into a library that it loads, to ours:
// before the first constructor that could call one.
#ifndef RT_REDIRECT_H
#define RT_REDIRECT_H
#include <stddef.h>
#include <stdint.h>

// The loaded objects that have been looked at. Kept in rt/state.c; used under the loader's own lock only.
struct redirect_state {
    struct redirect_object {
        uintptr_t base;
        const void *dynamic;
    } *objects;
    size_t n, capacity;
};
struct redirect_state *redirect_state(void);
#endif
