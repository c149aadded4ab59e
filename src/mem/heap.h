// The heap of malloc and free in device code: one guest allocation, cut into chunks. It belongs to the
// context and outlives launches, as its chunks do (CUDA C++ programming guide, "Dynamic global memory
// allocation").
//
// What is in use is kept on the host, so a kernel that writes past its chunk damages other chunks but not the
// heap. Addresses depend on the order of calls only.
//
//     struct heap heap = {.limit_bytes = 32 << 20};        // 0: HEAP_DEFAULT_BYTES
//     uint64_t a = heap_alloc(&heap, memory, 100, 16);     // the first call gets the heap itself from
//     `memory` heap_free(&heap, a);                                 // false: no chunk in use begins there
#ifndef MEM_HEAP_H
#define MEM_HEAP_H
#include "mem/memory.h"

// cudaLimitMallocHeapSize when the program does not set it; alignment of what malloc returns (same chapter).
enum { HEAP_DEFAULT_BYTES = 8 << 20, HEAP_UNIT_BYTES = 16, HEAP_BINS = 32 };

struct heap_unit; // 16 bytes of the heap

struct heap {
    uint64_t limit_bytes; // may be changed until the first heap_alloc
    uint64_t address;     // 0: not yet allocated
    uint64_t used_bytes;  // of chunks in use
    uint32_t n_units;
    struct heap_unit *units;  // numbered from 1
    uint32_t bins[HEAP_BINS]; // first free chunk of 2^bin units or more, fewer than 2^(bin + 1); 0 = none
};

// 0 when nothing large enough is free, `align` is no power of two, or the device has no room for the heap.
uint64_t heap_alloc(struct heap *heap, struct memory *memory, uint64_t size_bytes, uint64_t align);
bool heap_free(struct heap *heap, uint64_t address);
void heap_release(struct heap *heap,
                  struct memory *memory); // the limit stays; memory NULL: it is gone already
#endif
