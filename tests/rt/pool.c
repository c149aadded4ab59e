// Stream-ordered allocation through the runtime API; the numbers are those of an H200 with driver 580.
#include "support/check.h"
#include "support/guest.h"
#include <string.h>

#define IS(call, error) assert_int_equal(call, error)
#define GOOD(call) assert_int_equal(call, cudaSuccess)

enum { MIB = 1 << 20 };

static void check_pool(cudaMemPool_t pool, uint64_t reserved, uint64_t reserved_high, uint64_t used,
                       uint64_t used_high)
{
    const uint64_t want[4] = {reserved, reserved_high, used, used_high};
    for (int i = 0; i < 4; i++) {
        uint64_t got = 77;
        GOOD(wg_cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)(cudaMemPoolAttrReservedMemCurrent + i),
                                        &got));
        assert_int_equal(got, want[i]);
    }
}

static void a_pool_counts_what_it_has(void **state)
{
    (void)state;
    cudaMemPool_t pool, current;
    void *a, *b;
    int reuse = 0;
    GOOD(wg_cudaDeviceGetDefaultMemPool(&pool, 0));
    GOOD(wg_cudaDeviceGetMemPool(&current, 0));
    assert_ptr_equal(pool, current);
    IS(wg_cudaDeviceGetDefaultMemPool(&pool, 1), cudaErrorInvalidDevice);
    check_pool(pool, 0, 0, 0, 0);
    GOOD(wg_cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    assert_int_equal(reuse, 1);
    GOOD(wg_cudaMallocAsync(&a, 1000, NULL));
    check_pool(pool, 32 * MIB, 32 * MIB, 1000, 1000);
    GOOD(wg_cudaMallocAsync_ptsz(&b, 40 * MIB, NULL));
    check_pool(pool, 64 * MIB, 64 * MIB, 40 * MIB + 1000, 40 * MIB + 1000);
    GOOD(wg_cudaMemset(b, 1, 40 * MIB));
    GOOD(wg_cudaFreeAsync(b, NULL));
    check_pool(pool, 64 * MIB, 64 * MIB, 1000, 40 * MIB + 1000);
    GOOD(wg_cudaDeviceSynchronize());
    check_pool(pool, 32 * MIB, 64 * MIB, 1000, 40 * MIB + 1000);
    uint64_t zero = 0, five = 5;
    GOOD(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    GOOD(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
    check_pool(pool, 32 * MIB, 32 * MIB, 1000, 1000);
    IS(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &five), cudaErrorInvalidValue);
    IS(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero), cudaErrorInvalidValue);
    IS(wg_cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)99, &zero), cudaErrorInvalidValue);
    GOOD(wg_cudaFree(a)); // that works too
    check_pool(pool, 32 * MIB, 32 * MIB, 0, 1000);
    GOOD(wg_cudaDeviceSynchronize());
    check_pool(pool, 0, 32 * MIB, 0, 1000);
}

static void a_threshold_keeps_memory(void **state)
{
    (void)state;
    cudaMemPool_t pool;
    void *a;
    uint64_t all = UINT64_MAX, none = 0;
    size_t before, after, total;
    GOOD(wg_cudaDeviceGetDefaultMemPool(&pool, 0));
    GOOD(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &none));
    GOOD(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none));
    GOOD(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    GOOD(wg_cudaMemGetInfo(&before, &total));
    GOOD(wg_cudaMallocAsync(&a, MIB, NULL));
    GOOD(wg_cudaFreeAsync_ptsz(a, NULL));
    GOOD(wg_cudaDeviceSynchronize());
    check_pool(pool, 32 * MIB, 32 * MIB, 0, MIB);
    GOOD(wg_cudaMemGetInfo(&after, &total));
    assert_int_equal(before - after, 32 * MIB);
    GOOD(wg_cudaMemPoolTrimTo(pool, 40 * MIB));
    check_pool(pool, 32 * MIB, 32 * MIB, 0, MIB);
    GOOD(wg_cudaMemPoolTrimTo(pool, 0));
    check_pool(pool, 0, 32 * MIB, 0, MIB);
    GOOD(wg_cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &none));
}

static void allocations_are_checked(void **state)
{
    (void)state;
    char *a, plain[8];
    void *pinned;
    GOOD(wg_cudaMallocHost(&pinned, 16));
    GOOD(wg_cudaMallocAsync((void **)&a, 0, NULL));
    assert_null(a);
    GOOD(wg_cudaFreeAsync(NULL, NULL));
    IS(wg_cudaMallocAsync(NULL, 4, NULL), cudaErrorInvalidValue);
    IS(wg_cudaMallocAsync((void **)&a, (size_t)1 << 50, NULL), cudaErrorMemoryAllocation);
    IS(wg_cudaMallocAsync((void **)&a, 4, (cudaStream_t)(void *)plain), cudaErrorInvalidResourceHandle);
    GOOD(wg_cudaMallocAsync((void **)&a, 1000, NULL));
    IS(wg_cudaFreeAsync(a + 256, NULL), cudaErrorInvalidValue);
    IS(wg_cudaFreeAsync(plain, NULL), cudaErrorInvalidValue);
    IS(wg_cudaFreeAsync(pinned, NULL), cudaErrorInvalidValue);
    GOOD(wg_cudaFreeAsync(a, NULL));
    IS(wg_cudaFreeAsync(a, NULL), cudaErrorInvalidValue);
    IS(wg_cudaMemset(a, 0, 4), cudaErrorInvalidValue);
    GOOD(wg_cudaFreeHost(pinned));
}

static void pools_of_the_program(void **state)
{
    (void)state;
    cudaMemPool_t usual, pool, current;
    void *a;
    struct cudaMemPoolProps props = {0};
    GOOD(wg_cudaDeviceGetDefaultMemPool(&usual, 0));
    IS(wg_cudaMemPoolDestroy(usual), cudaErrorInvalidValue);
    IS(wg_cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
    props.allocType = cudaMemAllocationTypePinned;
    IS(wg_cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
    props.location = (struct cudaMemLocation){cudaMemLocationTypeDevice, 5};
    IS(wg_cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
    props.location.id = 0;
    GOOD(wg_cudaMemPoolCreate(&pool, &props));
    GOOD(wg_cudaMallocFromPoolAsync(&a, 100, pool, NULL));
    check_pool(pool, 32 * MIB, 32 * MIB, 100, 100);
    GOOD(wg_cudaDeviceSetMemPool(0, pool));
    GOOD(wg_cudaDeviceGetMemPool(&current, 0));
    assert_ptr_equal(current, pool);
    GOOD(wg_cudaMemPoolDestroy(pool)); // with memory in use, which stays good
    IS(wg_cudaMemPoolTrimTo(pool, 0), cudaErrorInvalidValue);
    GOOD(wg_cudaDeviceGetMemPool(&current, 0));
    assert_ptr_equal(current, usual);
    GOOD(wg_cudaMemset(a, 0, 100));
    GOOD(wg_cudaFreeAsync(a, NULL));
    props.maxSize = MIB;
    GOOD(wg_cudaMemPoolCreate(&pool, &props));
    IS(wg_cudaMallocFromPoolAsync_ptsz(&a, 64 * MIB, pool, NULL), cudaErrorMemoryAllocation);
    struct cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
    GOOD(wg_cudaMemSetMemPool(&place, cudaMemAllocationTypePinned, pool));
    GOOD(wg_cudaMemGetMemPool(&current, &place, cudaMemAllocationTypePinned));
    assert_ptr_equal(current, pool);
    GOOD(wg_cudaMemGetDefaultMemPool(&current, &place, cudaMemAllocationTypePinned));
    assert_ptr_equal(current, usual);
    GOOD(wg_cudaMemPoolDestroy(pool));
    IS(wg_cudaMemPoolTrimTo(NULL, 0), cudaErrorInvalidValue);
}

static void only_the_device_has_access(void **state)
{
    (void)state;
    cudaMemPool_t pool;
    enum cudaMemAccessFlags flags;
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                           other = {cudaMemLocationTypeDevice, 3};
    GOOD(wg_cudaDeviceGetDefaultMemPool(&pool, 0));
    GOOD(wg_cudaMemPoolGetAccess(&flags, pool, &device));
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    GOOD(wg_cudaMemPoolGetAccess(&flags, pool, &host));
    assert_int_equal(flags, cudaMemAccessFlagsProtNone);
    IS(wg_cudaMemPoolGetAccess(&flags, pool, &other), cudaErrorInvalidValue);
    struct cudaMemAccessDesc access = {device, cudaMemAccessFlagsProtReadWrite};
    GOOD(wg_cudaMemPoolSetAccess(pool, &access, 1));
    access.flags = cudaMemAccessFlagsProtNone;
    IS(wg_cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
    access = (struct cudaMemAccessDesc){other, cudaMemAccessFlagsProtReadWrite};
    IS(wg_cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_counts_what_it_has),  cmocka_unit_test(a_threshold_keeps_memory),
        cmocka_unit_test(allocations_are_checked),    cmocka_unit_test(pools_of_the_program),
        cmocka_unit_test(only_the_device_has_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
