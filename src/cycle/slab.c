// A slab is one anonymous mapping.
#include "cycle/slab.h"
#include "base/err.h"
#include <sys/mman.h>

uint8_t *slab_need(struct slab *slab, size_t size_bytes)
{
    if (size_bytes <= slab->size_bytes)
        return slab->at;
    slab_release(slab);
    void *at =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        err_memory("resident blocks", size_bytes);
    madvise(at, size_bytes, MADV_HUGEPAGE); // a hint
    *slab = (struct slab){at, size_bytes};
    return slab->at;
}

void slab_release(struct slab *slab)
{
    if (slab->at)
        munmap(slab->at, slab->size_bytes);
    *slab = (struct slab){0};
}
