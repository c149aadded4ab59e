// Allocating memory of every kind through the runtime API. What is expected of calls that fail is what an
// H200 with driver 580 did.
#include "support/check.h"
#include "support/guest.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define IS(call, error) assert_int_equal(call, error)
#define GOOD(call) assert_int_equal(call, cudaSuccess)

static void *const junk = (void *)0x1234;

static void nothing_is_allocated_for_nothing(void **state)
{
    (void)state;
    void *p = junk;
    size_t pitch = 7;
    GOOD(wg_cudaMalloc(&p, 0));
    assert_null(p);
    p = junk;
    GOOD(wg_cudaMallocHost(&p, 0));
    assert_null(p);
    p = junk;
    GOOD(wg_cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
    assert_null(p);
    p = junk;
    GOOD(wg_cudaMallocPitch(&p, &pitch, 0, 3));
    assert_true(!p && pitch == 0);
    GOOD(wg_cudaFree(NULL));
    GOOD(wg_cudaFreeHost(NULL));
}

static void too_much_is_refused(void **state)
{
    (void)state;
    void *p = junk;
    size_t pitch, free_bytes, total_bytes;
    IS(wg_cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    assert_null(p);
    IS(wg_cudaMallocPitch(&p, &pitch, (size_t)1 << 40, (size_t)1 << 30), cudaErrorMemoryAllocation);
    GOOD(wg_cudaMemGetInfo(&free_bytes, &total_bytes));
    IS(wg_cudaMalloc(&p, total_bytes), cudaErrorMemoryAllocation); // a context takes some
    IS(wg_cudaMalloc(NULL, 4), cudaErrorInvalidValue);
    IS(wg_cudaHostAlloc(NULL, 4, 0), cudaErrorInvalidValue);
    IS(wg_cudaHostAlloc(&p, 4, 8), cudaErrorInvalidValue);
    const unsigned bad[] = {0, 3, 4, 8};
    for (size_t i = 0; i < N_ELEMENTS(bad); i++)
        IS(wg_cudaMallocManaged(&p, 4, bad[i]), cudaErrorInvalidValue);
}

static void rows_have_the_pitch_of_hardware(void **state)
{
    (void)state;
    static const size_t widths[][2] = {{1, 512},     {512, 512},   {513, 1024},
                                       {1200, 1536}, {4096, 4096}, {100000, 100352}};
    for (size_t i = 0; i < N_ELEMENTS(widths); i++) {
        void *p;
        size_t pitch;
        GOOD(wg_cudaMallocPitch(&p, &pitch, widths[i][0], 3));
        assert_int_equal(pitch, widths[i][1]);
        GOOD(wg_cudaMemset(p, 1, pitch * 3)); // all of it is there
        IS(wg_cudaMemset(p, 1, pitch * 3 + 1), cudaErrorInvalidValue);
        GOOD(wg_cudaFree(p));
    }
    struct cudaPitchedPtr p;
    GOOD(wg_cudaMalloc3D(&p, (struct cudaExtent){100, 7, 4}));
    assert_true(p.pitch == 512 && p.xsize == 100 && p.ysize == 7);
    GOOD(wg_cudaMemset(p.ptr, 0, 512 * 7 * 4));
    GOOD(wg_cudaFree(p.ptr));
    GOOD(wg_cudaMalloc3D(&p, (struct cudaExtent){100, 7, 0}));
    assert_true(!p.ptr && p.pitch == 0 && p.xsize == 100 && p.ysize == 7);
}

static void only_the_start_of_the_right_memory_is_freed(void **state)
{
    (void)state;
    char *device, *pinned, *managed, *of_the_host = aligned_alloc(4096, 4096);
    int on_stack;
    GOOD(wg_cudaMalloc((void **)&device, 1000));
    GOOD(wg_cudaMallocHost((void **)&pinned, 1000));
    GOOD(wg_cudaMallocManaged((void **)&managed, 1000, cudaMemAttachGlobal));
    GOOD(wg_cudaHostRegister(of_the_host, 4096, 0));
    IS(wg_cudaFree(device + 256), cudaErrorInvalidValue);
    IS(wg_cudaFree(pinned), cudaErrorInvalidValue);
    IS(wg_cudaFree(of_the_host), cudaErrorInvalidValue);
    IS(wg_cudaFree(managed + 64), cudaErrorInvalidValue);
    IS(wg_cudaFree(&on_stack), cudaErrorInvalidValue);
    IS(wg_cudaFreeHost(device), cudaErrorInvalidValue);
    IS(wg_cudaFreeHost(managed), cudaErrorInvalidValue);
    IS(wg_cudaFreeHost(of_the_host), cudaErrorInvalidValue);
    IS(wg_cudaFreeHost(pinned + 8), cudaErrorInvalidValue);
    IS(wg_cudaFreeHost(&on_stack), cudaErrorInvalidValue);
    GOOD(wg_cudaFree(device));
    IS(wg_cudaFree(device), cudaErrorInvalidValue);
    GOOD(wg_cudaFreeHost(pinned));
    IS(wg_cudaFreeHost(pinned), cudaErrorInvalidValue);
    GOOD(wg_cudaFree(managed));
    IS(wg_cudaFree(managed), cudaErrorInvalidValue);
    GOOD(wg_cudaHostUnregister(of_the_host));
    free(of_the_host);
    IS(wg_cudaMemset(device, 0, 16), cudaErrorInvalidValue); // freed
}

static void host_memory_is_registered_once(void **state)
{
    (void)state;
    char *p = aligned_alloc(4096, 3 * 4096);
    void *device, *pinned;
    GOOD(wg_cudaMalloc(&device, 16));
    GOOD(wg_cudaMallocHost(&pinned, 16));
    GOOD(wg_cudaHostRegister(p + 100, 5000, cudaHostRegisterPortable));
    IS(wg_cudaHostRegister(p + 100, 5000, 0), cudaErrorHostMemoryAlreadyRegistered);
    IS(wg_cudaHostRegister(p + 4096, 4096, 0), cudaErrorHostMemoryAlreadyRegistered);
    IS(wg_cudaHostRegister(p, 0, 0), cudaErrorInvalidValue);
    IS(wg_cudaHostRegister(NULL, 10, 0), cudaErrorInvalidValue);
    IS(wg_cudaHostRegister(p + 8192, 10, 0x80), cudaErrorInvalidValue);
    IS(wg_cudaHostRegister(device, 16, 0), cudaErrorInvalidValue);
    IS(wg_cudaHostRegister(pinned, 16, 0), cudaErrorInvalidValue);
    IS(wg_cudaHostUnregister(p + 104), cudaErrorInvalidValue);
    IS(wg_cudaHostUnregister(pinned), cudaErrorInvalidValue);
    IS(wg_cudaHostUnregister(NULL), cudaErrorInvalidValue);
    GOOD(wg_cudaHostUnregister(p + 100));
    IS(wg_cudaHostUnregister(p + 100), cudaErrorHostMemoryNotRegistered);
    GOOD(wg_cudaFree(device));
    GOOD(wg_cudaFreeHost(pinned));
    free(p);
}

static void mapped_memory_has_one_address(void **state)
{
    (void)state;
    void *device, *pinned, *managed, *out = junk;
    char plain[16];
    unsigned flags;
    GOOD(wg_cudaMalloc(&device, 16));
    GOOD(wg_cudaHostAlloc(&pinned, 16, cudaHostAllocWriteCombined));
    GOOD(wg_cudaMallocManaged(&managed, 16, cudaMemAttachGlobal));
    GOOD(wg_cudaHostGetDevicePointer(&out, (char *)pinned + 8, 0));
    assert_ptr_equal(out, (char *)pinned + 8);
    IS(wg_cudaHostGetDevicePointer(&out, pinned, 1), cudaErrorInvalidValue);
    IS(wg_cudaHostGetDevicePointer(&out, plain, 0), cudaErrorInvalidValue);
    assert_null(out);
    IS(wg_cudaHostGetDevicePointer(&out, managed, 0), cudaErrorInvalidValue);
    IS(wg_cudaHostGetDevicePointer(&out, device, 0), cudaErrorInvalidValue);
    IS(wg_cudaHostGetDevicePointer(NULL, pinned, 0), cudaErrorInvalidValue);
    GOOD(wg_cudaHostGetFlags(&flags, pinned));
    assert_int_equal(flags, cudaHostAllocWriteCombined | cudaHostAllocMapped);
    GOOD(wg_cudaHostGetFlags(&flags, managed));
    assert_int_equal(flags, cudaHostAllocMapped);
    IS(wg_cudaHostGetFlags(&flags, device), cudaErrorInvalidValue);
    IS(wg_cudaHostGetFlags(&flags, plain), cudaErrorInvalidValue);
    GOOD(wg_cudaFree(device));
    GOOD(wg_cudaFreeHost(pinned));
    GOOD(wg_cudaFree(managed));
}

static void kernels_use_host_memory_at_its_own_address(void **state)
{
    (void)state;
    void **module = guest_module(guest_ptx);
    const void *add = guest_kernel(module, "add");
    unsigned *places[3], one = 1, *mine = aligned_alloc(64, 128);
    GOOD(wg_cudaMallocHost((void **)&places[0], 128));
    GOOD(wg_cudaMallocManaged((void **)&places[1], 128, cudaMemAttachGlobal));
    GOOD(wg_cudaHostRegister(mine, 128, 0));
    places[2] = mine;
    for (int i = 0; i < 3; i++) {
        memset(places[i], 0, 128);
        GOOD(guest_launch(add, 1, 32, (void *[]){&places[i], &one}, NULL));
        GOOD(wg_cudaDeviceSynchronize());
        assert_true(places[i][0] == 1 && places[i][31] == 1);
    }
    GOOD(wg_cudaFreeHost(places[0]));
    GOOD(wg_cudaFree(places[1]));
    GOOD(wg_cudaHostUnregister(mine));
    free(mine);
}

// ---- what pointers point to -----------------------------------------------------------------------------

static void check_pointer(const void *p, enum cudaMemoryType type, bool has_device, bool has_host)
{
    struct cudaPointerAttributes a;
    memset(&a, 0x55, sizeof a);
    GOOD(wg_cudaPointerGetAttributes(&a, p));
    assert_int_equal(a.type, type);
    assert_int_equal(a.device, type == cudaMemoryTypeUnregistered ? -2 : 0);
    assert_ptr_equal(a.devicePointer, has_device ? p : NULL);
    assert_ptr_equal(a.hostPointer, has_host ? p : NULL);
}

static void pointers_tell_what_they_are(void **state)
{
    (void)state;
    char *device, *pinned, *managed, *pooled, plain[64];
    GOOD(wg_cudaMalloc((void **)&device, 64));
    GOOD(wg_cudaMallocHost((void **)&pinned, 64));
    GOOD(wg_cudaMallocManaged((void **)&managed, 64, cudaMemAttachGlobal));
    GOOD(wg_cudaMallocAsync((void **)&pooled, 64, NULL));
    check_pointer(device + 63, cudaMemoryTypeDevice, true, false);
    check_pointer(pooled, cudaMemoryTypeDevice, true, false);
    check_pointer(pinned + 1, cudaMemoryTypeHost, true, true);
    check_pointer(managed, cudaMemoryTypeManaged, true, true);
    check_pointer(plain, cudaMemoryTypeUnregistered, false, true);
    check_pointer(NULL, cudaMemoryTypeUnregistered, false, false);
    GOOD(wg_cudaHostRegister(plain, 64, 0));
    check_pointer(plain, cudaMemoryTypeHost, true, true);
    GOOD(wg_cudaHostUnregister(plain));
    check_pointer(plain, cudaMemoryTypeUnregistered, false, true);
    GOOD(wg_cudaFree(device));
    check_pointer(device, cudaMemoryTypeUnregistered, false, true);
    IS(wg_cudaPointerGetAttributes(NULL, plain), cudaErrorInvalidValue);
    GOOD(wg_cudaFree(pooled));
    GOOD(wg_cudaFreeHost(pinned));
    GOOD(wg_cudaFree(managed));
}

static void older_programs_have_less_room_for_attributes(void **state)
{
    (void)state;
    struct cudaPointerAttributes a;
    memset(&a, 0x55, sizeof a);
    GOOD(wg_cudaPointerGetAttributes_12(&a, &a));
    assert_true(a.hostPointer == &a && a.reserved[0] == 0x5555555555555555);
}

// ---- how much there is ----------------------------------------------------------------------------------

static size_t free_now(void)
{
    size_t free_bytes, total_bytes;
    GOOD(wg_cudaMemGetInfo(&free_bytes, &total_bytes));
    return free_bytes;
}

static void memory_info_counts_large_pages(void **state)
{
    (void)state;
    size_t before = free_now(), total;
    void *p[4], *small[100];
    GOOD(wg_cudaMemGetInfo(NULL, &total));
    assert_int_equal(total - before, 552402944);
    GOOD(wg_cudaMalloc(&p[0], 1 << 20));
    assert_int_equal(before - free_now(), 2 << 20);
    GOOD(wg_cudaMalloc(&p[1], 2 << 20));
    assert_int_equal(before - free_now(), 4 << 20);
    GOOD(wg_cudaMalloc(&p[2], (2 << 20) + 1));
    assert_int_equal(before - free_now(), 8 << 20);
    for (int i = 0; i < 100; i++)
        GOOD(wg_cudaMalloc(&small[i], 100)); // they share the page of the first
    assert_int_equal(before - free_now(), 8 << 20);
    GOOD(wg_cudaMallocHost(&p[3], 8 << 20));
    assert_int_equal(before - free_now(), 8 << 20);
    for (int i = 0; i < 100; i++)
        GOOD(wg_cudaFree(small[i]));
    for (int i = 0; i < 3; i++)
        GOOD(wg_cudaFree(p[i]));
    GOOD(wg_cudaFreeHost(p[3]));
    assert_int_equal(free_now(), before);
}

static void a_reset_frees_everything(void **state)
{
    (void)state;
    void *device, *pooled, *pinned, *managed, *mine = aligned_alloc(4096, 4096);
    cudaArray_t array;
    struct cudaChannelFormatDesc format = wg_cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    size_t before = free_now();
    GOOD(wg_cudaMalloc(&device, 5 << 20));
    GOOD(wg_cudaMallocAsync(&pooled, 64, NULL));
    GOOD(wg_cudaMallocHost(&pinned, 64));
    GOOD(wg_cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    GOOD(wg_cudaHostRegister(mine, 4096, 0));
    GOOD(wg_cudaMallocArray(&array, &format, 8, 8, 0));
    GOOD(wg_cudaDeviceReset());
    IS(wg_cudaMemset(device, 0, 4), cudaErrorInvalidValue);
    IS(wg_cudaFree(device), cudaErrorInvalidValue);
    IS(wg_cudaFree(pooled), cudaErrorInvalidValue);
    IS(wg_cudaFree(managed), cudaErrorInvalidValue);
    IS(wg_cudaFreeHost(pinned), cudaErrorInvalidValue);
    IS(wg_cudaHostUnregister(mine), cudaErrorHostMemoryNotRegistered);
    IS(wg_cudaArrayGetInfo(NULL, NULL, NULL, array), cudaErrorInvalidResourceHandle);
    GOOD(wg_cudaDeviceSynchronize());
    assert_int_equal(free_now(), before);
    free(mine);
}

// ---- speed ----------------------------------------------------------------------------------------------

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A copy takes a tenth of the 2 µs that are wanted, and allocating half; a machine under load and sanitizers
// take more.
static void hundred_thousand_allocations_and_copies_are_quick(void **state)
{
    (void)state;
    enum { N = 100000 };
    static void *p[N];
    int value = 5;
    double start = seconds();
    for (int i = 0; i < N; i++)
        GOOD(wg_cudaMalloc(&p[i], 64));
    double allocated = seconds();
    for (int i = 0; i < N; i++)
        GOOD(wg_cudaMemcpy(p[i % 64], &value, 4, cudaMemcpyHostToDevice));
    double copied = seconds();
    for (int i = 0; i < N; i++)
        GOOD(wg_cudaFree(p[(i * 7919LL) % N]));
    double freed = seconds();
    print_message("ns each: malloc %.0f, copy %.0f, free %.0f\n", (allocated - start) * 1e9 / N,
                  (copied - allocated) * 1e9 / N, (freed - copied) * 1e9 / N);
    assert_true(copied - allocated < 2e-6 * N);
    assert_true(allocated - start < 10e-6 * N && freed - copied < 10e-6 * N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_info_counts_large_pages), // first: nothing else is allocated
        cmocka_unit_test(nothing_is_allocated_for_nothing),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(rows_have_the_pitch_of_hardware),
        cmocka_unit_test(only_the_start_of_the_right_memory_is_freed),
        cmocka_unit_test(host_memory_is_registered_once),
        cmocka_unit_test(mapped_memory_has_one_address),
        cmocka_unit_test(kernels_use_host_memory_at_its_own_address),
        cmocka_unit_test(pointers_tell_what_they_are),
        cmocka_unit_test(older_programs_have_less_room_for_attributes),
        cmocka_unit_test(a_reset_frees_everything),
        cmocka_unit_test(hundred_thousand_allocations_and_copies_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
