// Growing arrays on the heap: doubling.
#include "base/vec.h"
#include "base/err.h"
#include <stdint.h>
#include <stdlib.h>

void *vec_grow(void *at, size_t *capacity, size_t need, size_t element_bytes)
{
    size_t grown = *capacity ? *capacity : 8;
    while (grown < need)
        grown = grown > SIZE_MAX / 2 ? need : grown * 2;
    if (grown > SIZE_MAX / 2 / element_bytes)
        err_memory("an array", need);
    at = realloc(at, grown * element_bytes);
    if (!at)
        err_memory("an array", grown * element_bytes);
    *capacity = grown;
    return at;
}

void vec_free(void *at)
{
    free(at);
}
