// Guest memory: device allocations in one reserved host mapping. The only place where a guest address becomes a host
// pointer. Every access is checked against the allocations, so a hostile kernel cannot reach host memory.
//
//     struct memory *m = memory_new(device->dram_bytes, &err);
//     uint64_t a = memory_alloc(m, bytes, 256, "cudaMalloc");          // 0 when the device is full
//     void *host = memory_host(m, a, bytes);                           // NULL unless wholly inside one live allocation
//     memory_free(m, a);                                               // false: not the start of a live allocation
#ifndef MEM_MEMORY_H
#define MEM_MEMORY_H
#include "base/buf.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Guest addresses lie above all addresses of a Linux process (47 bits), so host memory can keep its own address in the
// guest and a device pointer used by the host faults at once.
//
// Windows of the generic address space. An address inside a window is shared or local memory of the accessing block or
// thread; everything else is global.
#define MEMORY_GLOBAL_BASE 0x0000900000000000ull
#define MEMORY_SHARED_WINDOW 0x00009e0000000000ull
#define MEMORY_LOCAL_WINDOW 0x00009f0000000000ull
#define MEMORY_WINDOW_BYTES 0x0000000001000000ull // 16 MiB each
#define MEMORY_CLUSTER_BYTES 0x0000000100000000ull // shared: one such window after another, for each block of a cluster

struct memory_block { // one allocation
    uint64_t address, size_bytes;
    unsigned char *host; // where the host has it
    bool is_live;        // false: freed (kept so that a use after free can be named)
    bool is_pinned;      // stays with the host: kernels reach it through the bus; other host memory moves to the device
    const char *what;    // static text: "cudaMalloc", "variable x" ...
    const void *owner;   // what the caller knows of it, NULL at first
};

struct memory;
struct memory *memory_new(uint64_t device_bytes, struct err *err);
void memory_delete(struct memory *memory);

uint64_t memory_alloc(struct memory *memory, uint64_t size_bytes, uint64_t align, const char *what);
bool memory_free(struct memory *memory, uint64_t address);
void *memory_host(const struct memory *memory, uint64_t address, uint64_t size_bytes);
// Host memory that the guest may use at its own address: managed, pinned, mapped. It stays the caller's and must outlive
// the block. False when it overlaps a live block or a window.
bool memory_add_host(struct memory *memory, void *host, uint64_t size_bytes, const char *what);
bool memory_remove_host(struct memory *memory, void *host); // false: not the start of such a block

// Host memory at a guest address of its own choice, above those of the device and below the windows. False as above.
bool memory_map(struct memory *memory, uint64_t address, void *host, uint64_t size_bytes, const char *what);
bool memory_unmap(struct memory *memory, uint64_t address);

uint64_t memory_used_bytes(const struct memory *memory); // of the device

// The live block that contains the address, and the first one that begins above it; NULL: none. Good until the next change.
const struct memory_block *memory_block_at(const struct memory *memory, uint64_t address);
const struct memory_block *memory_block_after(const struct memory *memory, uint64_t address);
void memory_set_pinned(struct memory *memory, uint64_t address); // the block that begins there
void memory_set_owner(struct memory *memory, uint64_t address, const void *owner); // of the block that begins there

// The live or freed block that contains `address`; else the nearest one. NULL when there is none at all.
const struct memory_block *memory_find(const struct memory *memory, uint64_t address);

// For the engine: the same check with a cache of the last blocks hit. `cursor` belongs to the caller (one per SM),
// zeroed at start and whenever allocations change (the engine starts each launch with fresh ones).
struct memory_span {
    uint64_t begin, end;
    unsigned char *host;
};
enum { RECENT_SPANS = 4 };
struct memory_cursor {
    struct memory_span last, recent[RECENT_SPANS];
    uint32_t oldest; // of the recent ones
};
static inline bool span_contains(const struct memory_span *span, uint64_t address, uint64_t size_bytes)
{
    return address >= span->begin && size_bytes <= span->end - span->begin && address <= span->end - size_bytes;
}
unsigned char *memory_lookup(const struct memory *memory, struct memory_cursor *cursor, uint64_t address,
                             uint64_t size_bytes);
static inline unsigned char *memory_host_fast(const struct memory *memory, struct memory_cursor *cursor,
                                              uint64_t address, uint64_t size_bytes)
{
    if (span_contains(&cursor->last, address, size_bytes))
        return cursor->last.host + (address - cursor->last.begin);
    return memory_lookup(memory, cursor, address, size_bytes);
}

// "0x9000000ffff0 is 16 bytes after the allocation of 4,096 bytes at 0x900000000000 (cudaMalloc)"
void memory_describe(const struct memory *memory, uint64_t address, struct buf *out);
#endif
