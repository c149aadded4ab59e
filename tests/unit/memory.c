// mem/memory: allocation, checking, freed blocks, words about an address.
#include "mem/memory.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

static struct memory *make(uint64_t bytes)
{
    struct err err = {0};
    struct memory *memory = memory_new(bytes, &err);
    assert_non_null(memory);
    return memory;
}

static void allocations_are_apart_and_aligned(void **state)
{
    (void)state;
    struct memory *m = make(64 << 20);
    uint64_t last_end = 0;
    for (uint64_t i = 1; i < 200; i++) {
        uint64_t size = i * 37, a = memory_alloc(m, size, 256, "cudaMalloc");
        assert_true(a >= MEMORY_GLOBAL_BASE && a % 256 == 0 && a > last_end);
        memset(memory_host(m, a, size), (int)i, size);
        last_end = a + size;
    }
    assert_int_equal(memory_used_bytes(m), 37 * 199 * 200 / 2);
    memory_delete(m);
}

static void only_whole_accesses_inside_one_allocation_pass(void **state)
{
    (void)state;
    struct memory *m = make(1 << 20);
    uint64_t a = memory_alloc(m, 100, 256, "cudaMalloc");
    struct memory_cursor cursor = {0};
    assert_non_null(memory_host(m, a + 96, 4));
    assert_null(memory_host(m, a + 97, 4));
    assert_null(memory_host(m, a - 1, 1));
    assert_null(memory_host(m, a, 101));
    assert_null(memory_host(m, a, UINT64_MAX));
    assert_null(memory_host(m, 0, 1));
    assert_null(memory_host(m, UINT64_MAX, 4));
    for (int round = 0; round < 2; round++) { // without and with a block in the cursor
        assert_ptr_equal(memory_host_fast(m, &cursor, a + 96, 4), memory_host(m, a + 96, 4));
        assert_null(memory_host_fast(m, &cursor, a + 97, 4));
        assert_null(memory_host_fast(m, &cursor, a - 4, 4));
        assert_null(memory_host_fast(m, &cursor, UINT64_MAX - 3, 4));
        assert_null(memory_host_fast(m, &cursor, a, UINT64_MAX));
    }
    memory_delete(m);
}

static void a_full_device_says_so(void **state)
{
    (void)state;
    struct memory *m = make(1 << 20);
    assert_int_equal(memory_alloc(m, (2 << 20) + 1, 256, "x"), 0); // the mapping is rounded up to 2 MiB
    uint64_t a = memory_alloc(m, 2 << 20, 256, "x");
    assert_true(a != 0);
    assert_int_equal(memory_alloc(m, 1, 256, "x"), 0);
    assert_true(memory_free(m, a));
    assert_int_equal(memory_alloc(m, 1 << 20, 256, "x"), a);
    memory_delete(m);
}

static void freed_blocks_are_remembered(void **state)
{
    (void)state;
    struct memory *m = make(1 << 20);
    uint64_t a = memory_alloc(m, 8192, 256, "cudaMalloc"), b = memory_alloc(m, 64, 256, "variable v");
    assert_false(memory_free(m, a + 1));
    assert_true(memory_free(m, a));
    assert_false(memory_free(m, a));
    assert_null(memory_host(m, a, 1));
    const struct memory_block *found = memory_find(m, a + 100);
    assert_false(found->is_live);
    assert_int_equal(found->address, a);
    assert_true(memory_find(m, b + 63)->is_live);
    assert_int_equal(memory_used_bytes(m), 64);
    memory_delete(m);
}

static void check_words(const struct memory *m, uint64_t address, const char *words)
{
    struct buf buf = {0};
    memory_describe(m, address, &buf);
    if (!strstr(buf.at, words))
        fail_msg("%s lacks `%s`", buf.at, words);
    buf_release(&buf);
}

static void words(void **state)
{
    (void)state;
    struct memory *m = make(1 << 20);
    check_words(m, 4096, "in no allocation");
    uint64_t a = memory_alloc(m, 4096, 256, "cudaMalloc"), b = memory_alloc(m, 300, 256, "variable table");
    check_words(m, a + 4096 + 16,
                "16 bytes after the allocation of 4,096 bytes at 0x900000000000 (cudaMalloc)");
    check_words(m, a + 5, "5 bytes into the allocation");
    check_words(m, a + 4096, "0 bytes after");
    check_words(m, b - 1, "1 byte before the allocation of 300 bytes");
    memory_free(m, b);
    check_words(m, b + 8, "8 bytes into the freed allocation of 300 bytes");
    check_words(m, b + 8, "(variable table)");
    memory_delete(m);
}

// Random allocations and frees against a plain list.
static void random_use(void **state)
{
    (void)state;
    enum { N = 64 };
    struct memory *m = make(1 << 22);
    uint64_t address[N] = {0}, size[N] = {0};
    srand(7);
    for (int round = 0; round < 20000; round++) {
        int i = rand() % N;
        if (address[i]) {
            const uint8_t *bytes = memory_host(m, address[i], size[i]);
            assert_non_null(bytes);
            assert_true(bytes[0] == i && bytes[size[i] - 1] == i);
            assert_true(memory_free(m, address[i]));
            address[i] = 0;
            continue;
        }
        size[i] = (uint64_t)(rand() % 20000 + 1);
        address[i] = memory_alloc(m, size[i], 1u << rand() % 12, "x");
        assert_true(address[i] != 0);
        memset(memory_host(m, address[i], size[i]), i, size[i]);
    }
    memory_delete(m);
}

// Twenty thousand blocks, freed and allocated in an order of chance: the lowest gap that fits is taken,
// always.
static void many_blocks(void **state)
{
    (void)state;
    enum { N = 20000, STEP = 1024 };
    struct memory *m = make(64 << 20);
    static uint64_t address[N];
    for (int i = 0; i < N; i++)
        address[i] = memory_alloc(m, 700, 256, "x");
    assert_int_equal(address[N - 1] - address[0], (N - 1) * (uint64_t)STEP);
    srand(3);
    for (int round = 0; round < 2000; round++) {
        int i = rand() % (N - 1), k = rand() % (N - 1), low = i < k ? i : k;
        if (i == k)
            continue;
        assert_true(memory_free(m, address[i]));
        assert_true(memory_free(m, address[k]));
        assert_null(memory_block_at(m, address[i]));
        assert_int_equal(memory_block_after(m, address[low])->address, address[low + 1]);
        address[low] = memory_alloc(m, 600, 256, "x");
        assert_int_equal(address[low], MEMORY_GLOBAL_BASE + (uint64_t)low * STEP);
        address[i < k ? k : i] = memory_alloc(m, 700, 256, "x");
        assert_true(memory_block_at(m, address[i] + 599)->address == address[i]);
    }
    uint64_t n = 0;
    for (const struct memory_block *b = memory_block_after(m, 0); b; b = memory_block_after(m, b->address))
        n++;
    assert_int_equal(n, N);
    memory_delete(m);
}

static void memory_of_the_host_and_by_hand(void **state)
{
    (void)state;
    struct memory *m = make(1 << 20);
    static unsigned char bytes[8192];
    uint64_t far = MEMORY_GLOBAL_BASE + (1ull << 40);
    assert_true(memory_add_host(m, bytes, 4096, "cudaMallocHost"));
    assert_false(memory_add_host(m, bytes + 4095, 10, "x"));
    assert_true(memory_map(m, far, bytes + 4096, 4096, "cuMemMap"));
    assert_false(memory_map(m, far + 100, bytes, 10, "x"));
    assert_false(memory_map(m, MEMORY_GLOBAL_BASE + 4096, bytes, 10, "x")); // the device's
    assert_false(memory_map(m, MEMORY_SHARED_WINDOW - 5, bytes, 10, "x"));
    assert_ptr_equal(memory_host(m, (uint64_t)(uintptr_t)bytes + 5, 4), bytes + 5);
    assert_ptr_equal(memory_host(m, far + 5, 4091), bytes + 4101);
    assert_null(memory_host(m, far + 5, 4092));
    assert_int_equal(memory_used_bytes(m), 0);
    memory_set_owner(m, far, m);
    assert_ptr_equal(memory_block_at(m, far + 9)->owner, m);
    assert_false(memory_free(m, far));
    assert_true(memory_unmap(m, far));
    assert_false(memory_unmap(m, far));
    assert_true(memory_remove_host(m, bytes));
    assert_null(memory_host(m, (uint64_t)(uintptr_t)bytes, 1));
    memory_delete(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_apart_and_aligned),
        cmocka_unit_test(only_whole_accesses_inside_one_allocation_pass),
        cmocka_unit_test(a_full_device_says_so),
        cmocka_unit_test(freed_blocks_are_remembered),
        cmocka_unit_test(words),
        cmocka_unit_test(random_use),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(memory_of_the_host_and_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
