// Guest memory: one reserved host mapping, a sorted list of allocations, and those freed last.
#include "mem/memory.h"
#include "base/units.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Freed blocks that are remembered, so that a use after free can be named.
enum { N_REMEMBERED = 256, COMMIT_BYTES = 2 << 20, HOST_PAGE_BYTES = 4096 };

struct memory {
    unsigned char *host;      // the mapping; guest address MEMORY_GLOBAL_BASE lies at its start
    uint64_t capacity_bytes;  // of the mapping
    uint64_t committed_bytes; // readable and writable from its start on
    uint64_t used_bytes;
    VEC(struct memory_block) live; // by address
    struct memory_block freed[N_REMEMBERED];
    uint32_t n_freed; // ever; the last N_REMEMBERED are kept
};

// ---- life cycle ------------------------------------------------------------------------------------

struct memory *memory_new(uint64_t device_bytes, struct err *err)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        err_memory("guest memory", sizeof *memory);
    memory->capacity_bytes = (device_bytes + COMMIT_BYTES - 1) / COMMIT_BYTES * COMMIT_BYTES;
    void *host =
        mmap(NULL, memory->capacity_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) {
        err_set(err, "cannot reserve %llu bytes of address space for device memory: %s",
                (unsigned long long)memory->capacity_bytes, strerror(errno));
        free(memory);
        return NULL;
    }
    memory->host = host;
    // Large host pages: guest accesses are scattered, and a look-up of a host page costs more than the
    // access. A hint.
    madvise(host, memory->capacity_bytes, MADV_HUGEPAGE);
    return memory;
}

void memory_delete(struct memory *memory)
{
    if (!memory)
        return;
    munmap(memory->host, memory->capacity_bytes);
    vec_release(&memory->live);
    free(memory);
}

uint64_t memory_used_bytes(const struct memory *memory)
{
    return memory->used_bytes;
}

// ---- the list of allocations -----------------------------------------------------------------------

// Number of live blocks that begin at or below the address.
static size_t blocks_until(const struct memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->live.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memory->live.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool block_contains(const struct memory_block *block, uint64_t address, uint64_t size_bytes)
{
    return address >= block->address && size_bytes <= block->size_bytes &&
           address - block->address <= block->size_bytes - size_bytes;
}

static bool commit(struct memory *memory, uint64_t end_bytes)
{
    uint64_t want = (end_bytes + COMMIT_BYTES - 1) / COMMIT_BYTES * COMMIT_BYTES;
    if (want <= memory->committed_bytes)
        return true;
    if (mprotect(memory->host + memory->committed_bytes, want - memory->committed_bytes,
                 PROT_READ | PROT_WRITE) != 0)
        return false;
    memory->committed_bytes = want;
    return true;
}

static void block_insert(struct memory *memory, size_t index, struct memory_block block)
{
    vec_push(&memory->live, block);
    memmove(&memory->live.at[index + 1], &memory->live.at[index],
            (memory->live.n - 1 - index) * sizeof memory->live.at[0]);
    memory->live.at[index] = block;
    memory->used_bytes += block.host ? 0 : block.size_bytes;
}

static void block_remove(struct memory *memory, size_t index)
{
    memory->used_bytes -= memory->live.at[index].host ? 0 : memory->live.at[index].size_bytes;
    memmove(&memory->live.at[index], &memory->live.at[index + 1],
            (memory->live.n - 1 - index) * sizeof memory->live.at[0]);
    memory->live.n--;
}

// First gap that is large enough. One unit of alignment stays free behind each block, so that running over
// its end is seen, as compute-sanitizer sees it.
uint64_t memory_alloc(struct memory *memory, uint64_t size_bytes, uint64_t align, const char *what)
{
    if (size_bytes == 0)
        size_bytes = 1;
    if (size_bytes > memory->capacity_bytes)
        return 0;
    uint64_t begin = MEMORY_GLOBAL_BASE, limit = MEMORY_GLOBAL_BASE + memory->capacity_bytes;
    size_t first =
        blocks_until(memory, MEMORY_GLOBAL_BASE - 1); // host memory lies below and above the mapping
    for (size_t i = first; i <= memory->live.n; i++) {
        const struct memory_block *next =
            i < memory->live.n && memory->live.at[i].address < limit ? &memory->live.at[i] : NULL;
        uint64_t end = next ? next->address : limit, gap = next ? align : 0;
        begin = (begin + align - 1) / align * align;
        if (begin + size_bytes + gap <= end) {
            if (!commit(memory, begin + size_bytes - MEMORY_GLOBAL_BASE))
                return 0;
            block_insert(memory, i,
                         (struct memory_block){
                             .address = begin, .size_bytes = size_bytes, .is_live = true, .what = what});
            return begin;
        }
        if (!next)
            return 0;
        begin = next->address + next->size_bytes + align;
    }
    return 0;
}

// The host's pages that lie wholly in the freed block go back to the host.
static void forget_pages(const struct memory *memory, const struct memory_block *block)
{
    uint64_t offset = block->address - MEMORY_GLOBAL_BASE;
    uint64_t first = (offset + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
    uint64_t end = (offset + block->size_bytes) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
    if (first < end)
        madvise(memory->host + first, end - first, MADV_DONTNEED);
}

bool memory_free(struct memory *memory, uint64_t address)
{
    size_t n = blocks_until(memory, address);
    if (n == 0 || memory->live.at[n - 1].address != address || memory->live.at[n - 1].host)
        return false;
    struct memory_block block = memory->live.at[n - 1];
    block_remove(memory, n - 1);
    forget_pages(memory, &block);
    block.is_live = false;
    memory->freed[memory->n_freed++ % N_REMEMBERED] = block;
    return true;
}

bool memory_add_host(struct memory *memory, void *host, uint64_t size_bytes, const char *what)
{
    uint64_t begin = (uint64_t)(uintptr_t)host, end = begin + size_bytes;
    bool meets_guest = end > MEMORY_GLOBAL_BASE && begin < MEMORY_LOCAL_WINDOW + MEMORY_WINDOW_BYTES;
    size_t n = blocks_until(memory, begin);
    if (!host || size_bytes == 0 || end < begin || meets_guest)
        return false;
    if (n && memory->live.at[n - 1].address + memory->live.at[n - 1].size_bytes > begin)
        return false;
    if (n < memory->live.n && memory->live.at[n].address < end)
        return false;
    block_insert(memory, n, (struct memory_block){begin, size_bytes, host, true, what});
    return true;
}

bool memory_remove_host(struct memory *memory, void *host)
{
    size_t n = blocks_until(memory, (uint64_t)(uintptr_t)host);
    if (n == 0 || memory->live.at[n - 1].host != host)
        return false;
    block_remove(memory, n - 1);
    return true;
}

// ---- from guest address to host pointer ------------------------------------------------------------

static const struct memory_block *block_of(const struct memory *memory, uint64_t address, uint64_t size_bytes)
{
    size_t n = blocks_until(memory, address);
    return n && block_contains(&memory->live.at[n - 1], address, size_bytes) ? &memory->live.at[n - 1] : NULL;
}

static unsigned char *block_host(const struct memory *memory, const struct memory_block *block)
{
    return block->host ? block->host : memory->host + (block->address - MEMORY_GLOBAL_BASE);
}

void *memory_host(const struct memory *memory, uint64_t address, uint64_t size_bytes)
{
    const struct memory_block *block = block_of(memory, address, size_bytes);
    return block ? block_host(memory, block) + (address - block->address) : NULL;
}

unsigned char *memory_lookup(const struct memory *memory, struct memory_cursor *cursor, uint64_t address,
                             uint64_t size_bytes)
{
    const struct memory_block *block = block_of(memory, address, size_bytes);
    if (!block)
        return NULL;
    cursor->begin = block->address;
    cursor->end = block->address + block->size_bytes;
    cursor->host = block_host(memory, block);
    return cursor->host + (address - block->address);
}

// ---- words about an address ------------------------------------------------------------------------

static uint64_t distance(const struct memory_block *block, uint64_t address)
{
    if (address < block->address)
        return block->address - address;
    uint64_t behind = address - block->address;
    return behind < block->size_bytes ? 0 : behind - block->size_bytes + 1;
}

const struct memory_block *memory_find(const struct memory *memory, uint64_t address)
{
    const struct memory_block *nearest = NULL;
    size_t n = blocks_until(memory, address);
    for (size_t i = n ? n - 1 : 0; i < memory->live.n && i <= n; i++)
        if (!nearest || distance(&memory->live.at[i], address) < distance(nearest, address))
            nearest = &memory->live.at[i];
    if (nearest && distance(nearest, address) == 0)
        return nearest;
    uint32_t kept = memory->n_freed < N_REMEMBERED ? memory->n_freed : N_REMEMBERED;
    for (uint32_t i = 1; i <= kept; i++) { // the last freed first
        const struct memory_block *block = &memory->freed[(memory->n_freed - i) % N_REMEMBERED];
        if (distance(block, address) == 0)
            return block;
        if (!nearest)
            nearest = block;
    }
    return nearest;
}

void memory_describe(const struct memory *memory, uint64_t address, struct buf *out)
{
    const struct memory_block *block = memory_find(memory, address);
    buf_printf(out, "0x%llx is ", (unsigned long long)address);
    if (!block) {
        buf_puts(out, "in no allocation: there is none");
        return;
    }
    bool is_before = address < block->address, is_inside = distance(block, address) == 0;
    uint64_t n =
        is_before ? block->address - address : address - block->address - (is_inside ? 0 : block->size_bytes);
    units_print_count(out, n);
    buf_printf(out, " byte%s %s the %s of ", n == 1 ? "" : "s",
               is_inside   ? "into"
               : is_before ? "before"
                           : "after",
               block->is_live ? "allocation" : "freed allocation");
    units_print_count(out, block->size_bytes);
    buf_printf(out, " bytes at 0x%llx (%s)", (unsigned long long)block->address, block->what);
}
