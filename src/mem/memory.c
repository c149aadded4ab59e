// Guest memory: one reserved host mapping, lists of allocations by address, and those freed last.
#include "mem/memory.h"
#include "base/units.h"
#include "mem/blocks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Freed blocks that are remembered, so that a use after free can be named.
enum { N_REMEMBERED = 256, COMMIT_BYTES = 2 << 20, HOST_PAGE_BYTES = 4096, FORGET_BYTES = 64 << 10 };

struct memory {
    unsigned char *host;      // the mapping; guest address MEMORY_GLOBAL_BASE lies at its start
    uint64_t capacity_bytes;  // of the mapping
    uint64_t committed_bytes; // readable and writable from its start on
    uint64_t used_bytes;
    struct block_list device;  // in the mapping
    struct block_list foreign; // memory of others: the host's own, and mapped by hand
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
    blocks_release(&memory->device);
    blocks_release(&memory->foreign);
    free(memory);
}

uint64_t memory_used_bytes(const struct memory *memory)
{
    return memory->used_bytes;
}

// ---- the lists of allocations ----------------------------------------------------------------------

static bool is_mapped(const struct memory *memory, uint64_t address)
{
    return address - MEMORY_GLOBAL_BASE < memory->capacity_bytes;
}

static const struct block_list *list_of(const struct memory *memory, uint64_t address)
{
    return is_mapped(memory, address) ? &memory->device : &memory->foreign;
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

// First gap that is large enough. One unit of alignment stays free behind each block, so that running over
// its end is seen, as compute-sanitizer sees it.
uint64_t memory_alloc(struct memory *memory, uint64_t size_bytes, uint64_t align, const char *what)
{
    if (size_bytes == 0)
        size_bytes = 1;
    if (size_bytes > memory->capacity_bytes)
        return 0;
    uint64_t address = blocks_fit(&memory->device, MEMORY_GLOBAL_BASE,
                                  MEMORY_GLOBAL_BASE + memory->capacity_bytes, size_bytes, align);
    if (!address || !commit(memory, address + size_bytes - MEMORY_GLOBAL_BASE))
        return 0;
    blocks_insert(&memory->device,
                  (struct memory_block){.address = address,
                                        .size_bytes = size_bytes,
                                        .host = memory->host + (address - MEMORY_GLOBAL_BASE),
                                        .is_live = true,
                                        .what = what});
    memory->used_bytes += size_bytes;
    return address;
}

// The host's pages that lie wholly in a large freed block go back to the host; for small ones that costs more
// than it saves.
static void forget_pages(const struct memory *memory, const struct memory_block *block)
{
    if (block->size_bytes < FORGET_BYTES)
        return;
    uint64_t offset = block->address - MEMORY_GLOBAL_BASE;
    uint64_t first = (offset + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
    uint64_t end = (offset + block->size_bytes) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
    if (first < end)
        madvise(memory->host + first, end - first, MADV_DONTNEED);
}

static void remember(struct memory *memory, struct memory_block block)
{
    block.is_live = false;
    block.owner = NULL;
    memory->freed[memory->n_freed++ % N_REMEMBERED] = block;
}

bool memory_free(struct memory *memory, uint64_t address)
{
    const struct memory_block *found =
        is_mapped(memory, address) ? blocks_below(&memory->device, address) : NULL;
    if (!found || found->address != address)
        return false;
    struct memory_block block = *found;
    blocks_remove(&memory->device, address);
    memory->used_bytes -= block.size_bytes;
    forget_pages(memory, &block);
    remember(memory, block);
    return true;
}

bool memory_map(struct memory *memory, uint64_t address, void *host, uint64_t size_bytes, const char *what)
{
    uint64_t end = address + size_bytes, device_end = MEMORY_GLOBAL_BASE + memory->capacity_bytes;
    bool meets_device = end > MEMORY_GLOBAL_BASE && address < device_end;
    bool meets_window = end > MEMORY_SHARED_WINDOW && address < MEMORY_LOCAL_WINDOW + MEMORY_WINDOW_BYTES;
    const struct memory_block *below = blocks_below(&memory->foreign, address);
    const struct memory_block *above = blocks_above(&memory->foreign, address);
    if (!host || size_bytes == 0 || end < address || meets_device || meets_window ||
        (below && below->address + below->size_bytes > address) || (above && above->address < end))
        return false;
    blocks_insert(
        &memory->foreign,
        (struct memory_block){
            .address = address, .size_bytes = size_bytes, .host = host, .is_live = true, .what = what});
    return true;
}

bool memory_unmap(struct memory *memory, uint64_t address)
{
    const struct memory_block *found = blocks_below(&memory->foreign, address);
    if (!found || found->address != address)
        return false;
    struct memory_block block = *found;
    blocks_remove(&memory->foreign, address);
    remember(memory, block);
    return true;
}

bool memory_add_host(struct memory *memory, void *host, uint64_t size_bytes, const char *what)
{
    uint64_t begin = (uint64_t)(uintptr_t)host;
    return begin + size_bytes <= MEMORY_GLOBAL_BASE && memory_map(memory, begin, host, size_bytes, what);
}

bool memory_remove_host(struct memory *memory, void *host)
{
    return memory_unmap(memory, (uint64_t)(uintptr_t)host);
}

// ---- from guest address to host pointer ------------------------------------------------------------

static const struct memory_block *block_of(const struct memory *memory, uint64_t address, uint64_t size_bytes)
{
    const struct memory_block *block = blocks_below(list_of(memory, address), address);
    return block && block_contains(block, address, size_bytes) ? block : NULL;
}

void *memory_host(const struct memory *memory, uint64_t address, uint64_t size_bytes)
{
    const struct memory_block *block = block_of(memory, address, size_bytes);
    return block ? block->host + (address - block->address) : NULL;
}

// Kernels take turns between a few arrays, so what was left is soon wanted again.
unsigned char *memory_lookup(const struct memory *memory, struct memory_cursor *cursor, uint64_t address,
                             uint64_t size_bytes)
{
    for (int i = 0; i < RECENT_SPANS; i++)
        if (span_contains(&cursor->recent[i], address, size_bytes)) {
            cursor->last = cursor->recent[i];
            return cursor->last.host + (address - cursor->last.begin);
        }
    const struct memory_block *block = block_of(memory, address, size_bytes);
    if (!block)
        return NULL;
    cursor->last = (struct memory_span){block->address, block->address + block->size_bytes, block->host};
    cursor->recent[cursor->oldest++ % RECENT_SPANS] = cursor->last;
    return block->host + (address - block->address);
}

const struct memory_block *memory_block_at(const struct memory *memory, uint64_t address)
{
    return block_of(memory, address, 1);
}

const struct memory_block *memory_block_after(const struct memory *memory, uint64_t address)
{
    const struct memory_block *device = blocks_above(&memory->device, address);
    const struct memory_block *foreign = blocks_above(&memory->foreign, address);
    if (!device || !foreign)
        return device ? device : foreign;
    return device->address < foreign->address ? device : foreign;
}

static struct memory_block *block_beginning_at(struct memory *memory, uint64_t address)
{
    struct memory_block *block = blocks_below(list_of(memory, address), address);
    if (!block || block->address != address)
        BUG("no allocation begins at 0x%llx", (unsigned long long)address);
    return block;
}

void memory_set_owner(struct memory *memory, uint64_t address, const void *owner)
{
    block_beginning_at(memory, address)->owner = owner;
}

void memory_set_pinned(struct memory *memory, uint64_t address)
{
    block_beginning_at(memory, address)->is_pinned = true;
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
    const struct memory_block *close[4] = {
        blocks_below(&memory->device, address), blocks_above(&memory->device, address),
        blocks_below(&memory->foreign, address), blocks_above(&memory->foreign, address)};
    const struct memory_block *nearest = NULL;
    for (int i = 0; i < 4; i++)
        if (close[i] && (!nearest || distance(close[i], address) < distance(nearest, address)))
            nearest = close[i];
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
