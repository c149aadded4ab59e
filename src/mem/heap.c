// Chunks with tags at both ends, so that neighbours are found and joined at once; free chunks in lists by
// size.
#include "mem/heap.h"
#include <stdlib.h>
#include <string.h>

// The first and the last unit of a chunk hold its tag: its size in units and these bits. All other tags are
// 0.
#define TAG_USED 0x80000000u
#define TAG_FIRST 0x40000000u // of a unit that begins a chunk
#define TAG_SIZE 0x3fffffffu

// Chunks of one list that are looked at before a larger list is tried.
enum { MAX_TRIES = 32 };

struct heap_unit {
    uint32_t tag;
    uint32_t next, previous; // of the first unit of a free chunk: the list; 0 = none
};

static uint32_t bin_of(uint32_t n_units)
{
    return 31 - (uint32_t)__builtin_clz(n_units);
}

static uint32_t size_at(const struct heap *heap, uint32_t unit)
{
    return heap->units[unit].tag & TAG_SIZE;
}

static void put_tags(struct heap *heap, uint32_t first, uint32_t n_units, uint32_t used)
{
    heap->units[first + n_units - 1].tag = n_units | used;
    heap->units[first].tag = n_units | used | TAG_FIRST;
}

static void clear_tags(struct heap *heap, uint32_t first)
{
    uint32_t last = first + size_at(heap, first) - 1;
    heap->units[first].tag = heap->units[last].tag = 0;
}

// ---- lists of free chunks --------------------------------------------------------------------------

static void list_add(struct heap *heap, uint32_t first, uint32_t n_units)
{
    uint32_t *head = &heap->bins[bin_of(n_units)];
    put_tags(heap, first, n_units, 0);
    heap->units[first].next = *head;
    heap->units[first].previous = 0;
    if (*head)
        heap->units[*head].previous = first;
    *head = first;
}

static void list_remove(struct heap *heap, uint32_t first)
{
    const struct heap_unit unit = heap->units[first];
    if (unit.previous)
        heap->units[unit.previous].next = unit.next;
    else
        heap->bins[bin_of(unit.tag & TAG_SIZE)] = unit.next;
    if (unit.next)
        heap->units[unit.next].previous = unit.previous;
    clear_tags(heap, first);
}

static uint32_t list_find(const struct heap *heap, uint32_t bin, uint32_t n_units, uint32_t max_tries)
{
    uint32_t at = heap->bins[bin];
    for (uint32_t i = 0; at && i < max_tries; i++, at = heap->units[at].next)
        if (size_at(heap, at) >= n_units)
            return at;
    return 0;
}

// A free chunk of at least so many units, or 0.
static uint32_t find_free(const struct heap *heap, uint32_t n_units)
{
    uint32_t own = bin_of(n_units), found = list_find(heap, own, n_units, MAX_TRIES);
    for (uint32_t bin = own + 1; !found && bin < HEAP_BINS; bin++)
        found = heap->bins[bin];
    return found ? found : list_find(heap, own, n_units, UINT32_MAX);
}

// ---- life ------------------------------------------------------------------------------------------

static bool heap_open(struct heap *heap, struct memory *memory)
{
    uint64_t bytes = heap->limit_bytes ? heap->limit_bytes : HEAP_DEFAULT_BYTES;
    uint64_t n_units = bytes / HEAP_UNIT_BYTES;
    if (heap->address)
        return true;
    if (n_units == 0 || n_units > TAG_SIZE)
        return false;
    heap->address = memory_alloc(memory, bytes, 256, "heap of device code");
    if (!heap->address)
        return false;
    heap->n_units = (uint32_t)n_units;
    heap->units = calloc(n_units + 2, sizeof *heap->units); // a unit that is in use at either end
    if (!heap->units)
        err_memory("device heap", (n_units + 2) * sizeof *heap->units);
    heap->units[0].tag = heap->units[n_units + 1].tag = TAG_USED;
    list_add(heap, 1, heap->n_units);
    return true;
}

void heap_release(struct heap *heap, struct memory *memory)
{
    if (heap->address && memory)
        memory_free(memory, heap->address);
    free(heap->units);
    *heap = (struct heap){.limit_bytes = heap->limit_bytes};
}

// ---- chunks ----------------------------------------------------------------------------------------

static uint64_t address_of(const struct heap *heap, uint32_t unit)
{
    return heap->address + (uint64_t)(unit - 1) * HEAP_UNIT_BYTES;
}

uint64_t heap_alloc(struct heap *heap, struct memory *memory, uint64_t size_bytes, uint64_t align)
{
    if (align == 0 || (align & (align - 1)) || !heap_open(heap, memory))
        return 0;
    uint64_t heap_bytes = (uint64_t)heap->n_units * HEAP_UNIT_BYTES;
    if (size_bytes > heap_bytes || align > heap_bytes)
        return 0;
    align = align < HEAP_UNIT_BYTES ? HEAP_UNIT_BYTES : align;
    uint64_t spare = align / HEAP_UNIT_BYTES - 1; // so that an aligned unit is among the first ones
    uint32_t n_units = (uint32_t)(size_bytes ? (size_bytes + HEAP_UNIT_BYTES - 1) / HEAP_UNIT_BYTES : 1);
    uint32_t chunk = n_units + spare > heap->n_units ? 0 : find_free(heap, (uint32_t)(n_units + spare));
    if (!chunk)
        return 0;
    uint32_t all = size_at(heap, chunk);
    uint32_t front = (uint32_t)((align - address_of(heap, chunk) % align) % align / HEAP_UNIT_BYTES);
    list_remove(heap, chunk);
    if (front)
        list_add(heap, chunk, front);
    if (all - front > n_units)
        list_add(heap, chunk + front + n_units, all - front - n_units);
    put_tags(heap, chunk + front, n_units, TAG_USED);
    heap->used_bytes += (uint64_t)n_units * HEAP_UNIT_BYTES;
    return address_of(heap, chunk + front);
}

bool heap_free(struct heap *heap, uint64_t address)
{
    uint64_t offset = address - heap->address;
    if (!heap->address || offset % HEAP_UNIT_BYTES || offset / HEAP_UNIT_BYTES >= heap->n_units)
        return false;
    uint32_t first = (uint32_t)(offset / HEAP_UNIT_BYTES) + 1;
    if ((heap->units[first].tag & (TAG_USED | TAG_FIRST)) != (TAG_USED | TAG_FIRST))
        return false;
    uint32_t n_units = size_at(heap, first);
    heap->used_bytes -= (uint64_t)n_units * HEAP_UNIT_BYTES;
    clear_tags(heap, first);
    if (!(heap->units[first + n_units].tag & TAG_USED)) {
        uint32_t behind = size_at(heap, first + n_units);
        list_remove(heap, first + n_units);
        n_units += behind;
    }
    if (!(heap->units[first - 1].tag & TAG_USED)) {
        uint32_t before = size_at(heap, first - 1);
        list_remove(heap, first - before);
        first -= before;
        n_units += before;
    }
    list_add(heap, first, n_units);
    return true;
}
