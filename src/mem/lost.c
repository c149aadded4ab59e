// Evicted lines: see lost.h.
#include "mem/lost.h"
#include "base/err.h"
#include <stdlib.h>

enum { CHUNK_LINES = 1 << 16, N_CHUNKS = 1 << 16, WORD = 64, CHUNK_WORDS = CHUNK_LINES / WORD };

static void *new_zeroed(size_t n, size_t element_bytes)
{
    void *at = calloc(n, element_bytes);
    if (!at)
        err_memory("evicted lines", n * element_bytes);
    return at;
}

void lost_add(struct lost *lost, uint32_t line)
{
    if (!lost->chunks)
        lost->chunks = new_zeroed(N_CHUNKS, sizeof *lost->chunks);
    uint64_t **chunk = &lost->chunks[line / CHUNK_LINES];
    if (!*chunk)
        *chunk = new_zeroed(CHUNK_WORDS, sizeof **chunk);
    (*chunk)[line % CHUNK_LINES / WORD] |= 1ull << line % WORD;
}

bool lost_has(const struct lost *lost, uint32_t line)
{
    const uint64_t *chunk = lost->chunks ? lost->chunks[line / CHUNK_LINES] : NULL;
    return chunk && chunk[line % CHUNK_LINES / WORD] >> line % WORD & 1;
}

void lost_clear(struct lost *lost)
{
    for (uint32_t i = 0; lost->chunks && i < N_CHUNKS; i++)
        free(lost->chunks[i]);
    free(lost->chunks);
    lost->chunks = NULL;
}
