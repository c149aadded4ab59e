// Bump allocator over a list of chunks. The newest chunk is the one that is filled; arena_clear moves all
// chunks to the spare list behind it, so that a second use of the arena asks the system for nothing.
#include "base/arena.h"
#include "base/err.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK_BYTES = 16 * 1024, LAST_CHUNK_BYTES = 1024 * 1024 };

struct arena_chunk {
    struct arena_chunk *next; // older
    size_t used, capacity;    // bytes behind this header
};

void arena_init(struct arena *arena, const char *name)
{
    *arena = (struct arena){.name = name};
}

// A chunk with used == 0 that is not the newest is spare.
void arena_clear(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        chunk->used = 0;
    arena->used_bytes = 0;
}

void arena_release(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    arena->used_bytes = 0;
}

// Bytes to skip so that the next address in the chunk is a multiple of `align`.
static size_t chunk_gap(const struct arena_chunk *chunk, size_t align)
{
    uintptr_t at = (uintptr_t)(chunk + 1) + chunk->used;
    return (size_t)(-at & (align - 1));
}

static bool chunk_has_room(const struct arena_chunk *chunk, size_t size_bytes, size_t align)
{
    size_t gap = chunk_gap(chunk, align), left = chunk->capacity - chunk->used;
    return gap <= left && size_bytes <= left - gap;
}

// Take an empty chunk that is large enough out of the list.
static struct arena_chunk *take_spare(struct arena *arena, size_t size_bytes, size_t align)
{
    for (struct arena_chunk **link = &arena->chunks; *link; link = &(*link)->next) {
        struct arena_chunk *chunk = *link;
        if (chunk->used == 0 && chunk_has_room(chunk, size_bytes, align)) {
            *link = chunk->next;
            return chunk;
        }
    }
    return NULL;
}

static struct arena_chunk *new_chunk(struct arena *arena, size_t size_bytes, size_t align)
{
    size_t capacity = arena->chunks ? arena->chunks->capacity * 2 : FIRST_CHUNK_BYTES;
    if (capacity > LAST_CHUNK_BYTES)
        capacity = LAST_CHUNK_BYTES;
    if (size_bytes > SIZE_MAX / 2 - align)
        err_memory(arena->name, size_bytes);
    if (capacity < size_bytes + align)
        capacity = size_bytes + align;
    struct arena_chunk *chunk = malloc(sizeof *chunk + capacity);
    if (!chunk)
        err_memory(arena->name, size_bytes);
    chunk->used = 0;
    chunk->capacity = capacity;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t size_bytes, size_t align)
{
    if (size_bytes == 0)
        size_bytes = 1;
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || !chunk_has_room(chunk, size_bytes, align)) {
        chunk = take_spare(arena, size_bytes, align);
        if (!chunk)
            chunk = new_chunk(arena, size_bytes, align);
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    chunk->used += chunk_gap(chunk, align);
    void *at = (char *)(chunk + 1) + chunk->used;
    chunk->used += size_bytes;
    arena->used_bytes += size_bytes;
    return memset(at, 0, size_bytes);
}

void *arena_copy(struct arena *arena, const void *from, size_t size_bytes, size_t align)
{
    void *to = arena_alloc(arena, size_bytes, align);
    if (size_bytes)
        memcpy(to, from, size_bytes);
    return to;
}

char *arena_string(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        BUG("format \"%s\" cannot be printed", format);
    char *text = arena_alloc(arena, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
