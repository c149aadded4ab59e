// Bump allocator: objects live as long as the arena they were made in; none is freed alone.
//
//     struct arena a;
//     arena_init(&a, "module");
//     struct node *n = arena_new(&a, struct node);       // zeroed
//     arena_release(&a);
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
    const char *name; // borrowed; named when memory runs out
    struct arena_chunk *chunks;
    size_t used_bytes; // handed out since init or clear
};

void arena_init(struct arena *arena, const char *name);
void arena_clear(struct arena *arena);   // everything handed out is void; chunks are kept for reuse
void arena_release(struct arena *arena); // gives all memory back; the arena may be initialised again

// Zeroed memory, never NULL. `align` is a power of two. Size 0 gives a unique non-NULL pointer.
void *arena_alloc(struct arena *arena, size_t size_bytes, size_t align);
void *arena_copy(struct arena *arena, const void *from, size_t size_bytes, size_t align);
char *arena_string(struct arena *arena, const char *text, size_t length); // NUL-terminated copy
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type), _Alignof(type)))
#define arena_array(arena, type, n) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(n), _Alignof(type)))
#endif
