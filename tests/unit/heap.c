// The heap of device code: chunks never overlap, freed ones join, the same calls give the same addresses.
#include "mem/heap.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

enum { N_CHUNKS = 400, N_CALLS = 40000, HEAP_BYTES = 1 << 16 };

struct chunk {
    uint64_t address, bytes;
};

static struct memory *new_memory(void)
{
    struct err err = {0};
    struct memory *memory = memory_new(64 << 20, &err);
    assert_non_null(memory);
    return memory;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void check_apart(const struct chunk *chunks, uint32_t i)
{
    for (uint32_t k = 0; k < N_CHUNKS; k++)
        if (k != i && chunks[k].address)
            assert_true(chunks[k].address + chunks[k].bytes <= chunks[i].address ||
                        chunks[i].address + chunks[i].bytes <= chunks[k].address);
}

// Returns the sum of all addresses given.
static uint64_t random_calls(uint32_t seed)
{
    struct memory *memory = new_memory();
    struct heap heap = {.limit_bytes = HEAP_BYTES};
    static struct chunk chunks[N_CHUNKS];
    uint64_t sum = 0;
    memset(chunks, 0, sizeof chunks);
    for (uint32_t n = 0; n < N_CALLS; n++) {
        uint32_t i = next_random(&seed) % N_CHUNKS;
        struct chunk *chunk = &chunks[i];
        if (chunk->address) {
            assert_true(heap_free(&heap, chunk->address));
            assert_false(heap_free(&heap, chunk->address));
            chunk->address = 0;
            continue;
        }
        uint64_t align = 1ull << next_random(&seed) % 9;
        chunk->bytes = next_random(&seed) % (next_random(&seed) % 8 ? 200 : 5000);
        chunk->address = heap_alloc(&heap, memory, chunk->bytes, align);
        if (!chunk->address)
            continue;
        assert_int_equal(chunk->address % align, 0);
        assert_int_equal(chunk->address % 16, 0);
        assert_non_null(memory_host(memory, chunk->address, chunk->bytes ? chunk->bytes : 1));
        sum += chunk->address - heap.address;
        check_apart(chunks, i);
    }
    for (uint32_t i = 0; i < N_CHUNKS; i++)
        if (chunks[i].address)
            assert_true(heap_free(&heap, chunks[i].address));
    assert_int_equal(heap.used_bytes, 0);
    assert_int_equal(heap_alloc(&heap, memory, HEAP_BYTES, 16), heap.address); // all has been joined again
    heap_release(&heap, memory);
    assert_int_equal(memory_used_bytes(memory), 0);
    memory_delete(memory);
    return sum;
}

static void chunks_are_apart(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 4; seed++)
        assert_int_equal(random_calls(seed), random_calls(seed));
}

static void refusals(void **state)
{
    (void)state;
    struct memory *memory = new_memory();
    struct heap heap = {0};
    assert_false(heap_free(&heap, MEMORY_GLOBAL_BASE));
    assert_int_equal(heap_alloc(&heap, memory, 16, 3), 0);
    assert_int_equal(heap_alloc(&heap, memory, 16, 0), 0);
    assert_int_equal(heap_alloc(&heap, memory, UINT64_MAX, 16), 0);
    assert_int_equal(heap_alloc(&heap, memory, 16, 1ull << 63), 0);
    assert_int_equal(heap_alloc(&heap, memory, HEAP_DEFAULT_BYTES + 1, 16), 0);
    uint64_t all = heap_alloc(&heap, memory, HEAP_DEFAULT_BYTES, 16);
    assert_int_not_equal(all, 0);
    assert_int_equal(heap_alloc(&heap, memory, 1, 16), 0);
    assert_false(heap_free(&heap, all + 16));
    assert_true(heap_free(&heap, all));
    heap_release(&heap, memory);
    heap.limit_bytes = 1ull << 40; // more than the device has
    assert_int_equal(heap_alloc(&heap, memory, 16, 16), 0);
    heap_release(&heap, memory);
    memory_delete(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_are_apart), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
