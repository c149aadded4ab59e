// Managed memory and variables through the runtime API: what can be asked of it, and copies by name. What
// fails does so as on an H200 with driver 580.
#include "support/check.h"
#include "support/guest.h"
#include <string.h>

#define IS(call, error) assert_int_equal(call, error)
#define GOOD(call) assert_int_equal(call, cudaSuccess)

enum { BYTES = 1 << 16 };
static const struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0},
                                    host = {cudaMemLocationTypeHost, 0},
                                    other = {cudaMemLocationTypeDevice, 7};

static void check_range(const char *p, size_t n, enum cudaMemRangeAttribute attribute, int want)
{
    int got = 77;
    GOOD(wg_cudaMemRangeGetAttribute(&got, 4, attribute, p, n));
    assert_int_equal(got, want);
}

static void prefetches_are_remembered_for_each_page(void **state)
{
    (void)state;
    char *p, plain[16];
    void *memory;
    GOOD(wg_cudaMallocManaged((void **)&p, BYTES, cudaMemAttachGlobal));
    GOOD(wg_cudaMalloc(&memory, 16));
    check_range(p, BYTES, cudaMemRangeAttributeLastPrefetchLocation, cudaInvalidDeviceId);
    GOOD(wg_cudaMemPrefetchAsync(p, BYTES, device, 0, NULL));
    check_range(p, BYTES, cudaMemRangeAttributeLastPrefetchLocation, 0);
    check_range(p, BYTES, cudaMemRangeAttributeLastPrefetchLocationType, cudaMemLocationTypeDevice);
    GOOD(wg_cudaMemPrefetchAsync_ptsz(p, BYTES / 2, host, 0, NULL));
    check_range(p, BYTES, cudaMemRangeAttributeLastPrefetchLocation,
                cudaInvalidDeviceId); // not the same everywhere
    check_range(p, BYTES / 2, cudaMemRangeAttributeLastPrefetchLocation, cudaCpuDeviceId);
    check_range(p + BYTES / 2, BYTES / 2, cudaMemRangeAttributeLastPrefetchLocationId, 0);
    GOOD(wg_cudaMemPrefetchAsync_12(p, BYTES, cudaCpuDeviceId, NULL));
    check_range(p, BYTES, cudaMemRangeAttributeLastPrefetchLocationType, cudaMemLocationTypeHost);
    GOOD(wg_cudaMemPrefetchAsync_12_ptsz(p, BYTES, 0, NULL));
    check_range(p, BYTES, cudaMemRangeAttributeLastPrefetchLocation, 0);
    IS(wg_cudaMemPrefetchAsync(p, 100, other, 0, NULL), cudaErrorInvalidDevice);
    IS(wg_cudaMemPrefetchAsync(p, 0, device, 0, NULL), cudaErrorInvalidValue);
    IS(wg_cudaMemPrefetchAsync(p, BYTES + 1, device, 0, NULL), cudaErrorInvalidValue);
    IS(wg_cudaMemPrefetchAsync(p, 100, device, 1, NULL), cudaErrorInvalidValue);
    IS(wg_cudaMemPrefetchAsync(memory, 16, device, 0, NULL), cudaErrorInvalidValue);
    IS(wg_cudaMemPrefetchAsync(plain, 16, device, 0, NULL), cudaErrorInvalidValue);
    void *both[2] = {p, p + 4096};
    size_t sizes[2] = {4096, 4096}, indices[2] = {0, 1};
    struct cudaMemLocation places[2] = {device, host};
    GOOD(wg_cudaMemPrefetchBatchAsync(both, sizes, 2, places, indices, 2, 0, NULL));
    check_range(p, 4096, cudaMemRangeAttributeLastPrefetchLocation, 0);
    check_range(p + 4096, 4096, cudaMemRangeAttributeLastPrefetchLocation, cudaCpuDeviceId);
    places[1] = device;
    GOOD(wg_cudaMemPrefetchBatchAsync_ptsz(both, sizes, 2, places, indices, 2, 0, NULL));
    check_range(p, 8192, cudaMemRangeAttributeLastPrefetchLocation, 0);
    GOOD(wg_cudaFree(memory));
    GOOD(wg_cudaFree(p));
}

static void advice_is_remembered(void **state)
{
    (void)state;
    char *p, plain[16];
    int by[3];
    GOOD(wg_cudaMallocManaged((void **)&p, BYTES, cudaMemAttachGlobal));
    check_range(p, BYTES, cudaMemRangeAttributeReadMostly, 0);
    GOOD(wg_cudaMemAdvise(p, BYTES, cudaMemAdviseSetReadMostly,
                          other)); // the place does not matter for this one
    GOOD(wg_cudaMemAdvise(p, BYTES, cudaMemAdviseSetPreferredLocation, device));
    GOOD(wg_cudaMemAdvise_12(p, BYTES, cudaMemAdviseSetAccessedBy, 0));
    check_range(p, BYTES, cudaMemRangeAttributeReadMostly, 1);
    check_range(p, BYTES, cudaMemRangeAttributePreferredLocation, 0);
    check_range(p, BYTES, cudaMemRangeAttributePreferredLocationType, cudaMemLocationTypeDevice);
    GOOD(wg_cudaMemAdvise_12(p, BYTES, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    GOOD(wg_cudaMemAdvise(p, BYTES, cudaMemAdviseSetAccessedBy, host));
    check_range(p, BYTES, cudaMemRangeAttributePreferredLocation, cudaCpuDeviceId);
    GOOD(wg_cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, p, BYTES));
    assert_true(by[0] == 0 && by[1] == cudaCpuDeviceId && by[2] == cudaInvalidDeviceId);
    GOOD(wg_cudaMemAdvise(p, 4096, cudaMemAdviseUnsetReadMostly, device));
    GOOD(wg_cudaMemAdvise(p, BYTES, cudaMemAdviseUnsetPreferredLocation, device));
    GOOD(wg_cudaMemAdvise(p, BYTES, cudaMemAdviseUnsetAccessedBy, device));
    int mostly, preferred;
    void *data[2] = {&mostly, &preferred};
    size_t sizes[2] = {4, 4};
    enum cudaMemRangeAttribute attributes[2] = {cudaMemRangeAttributeReadMostly,
                                                cudaMemRangeAttributePreferredLocation};
    GOOD(wg_cudaMemRangeGetAttributes(data, sizes, attributes, 2, p, BYTES));
    assert_true(mostly == 0 && preferred == cudaInvalidDeviceId);
    IS(wg_cudaMemAdvise(p, 100, (enum cudaMemoryAdvise)9, device), cudaErrorInvalidValue);
    IS(wg_cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, other), cudaErrorInvalidValue);
    IS(wg_cudaMemAdvise(p, 0, cudaMemAdviseSetReadMostly, device), cudaErrorInvalidValue);
    IS(wg_cudaMemAdvise(plain, 16, cudaMemAdviseSetReadMostly, device), cudaErrorInvalidValue);
    IS(wg_cudaMemRangeGetAttribute(by, 2, cudaMemRangeAttributeReadMostly, p, 100), cudaErrorInvalidValue);
    IS(wg_cudaMemRangeGetAttribute(by, 4, (enum cudaMemRangeAttribute)99, p, 100), cudaErrorInvalidValue);
    IS(wg_cudaMemRangeGetAttribute(by, 4, cudaMemRangeAttributeReadMostly, plain, 16), cudaErrorInvalidValue);
    GOOD(wg_cudaFree(p));
}

static void memory_is_attached_as_a_whole(void **state)
{
    (void)state;
    char *p, plain[16];
    GOOD(wg_cudaMallocManaged((void **)&p, BYTES, cudaMemAttachHost));
    GOOD(wg_cudaStreamAttachMemAsync(STREAM_PER_THREAD, p, 0, cudaMemAttachSingle));
    GOOD(wg_cudaStreamAttachMemAsync_ptsz(NULL, p, BYTES, cudaMemAttachGlobal));
    IS(wg_cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachSingle), cudaErrorInvalidValue);
    IS(wg_cudaStreamAttachMemAsync(NULL, p, 100, cudaMemAttachGlobal), cudaErrorInvalidValue);
    IS(wg_cudaStreamAttachMemAsync(NULL, p, 0, 9), cudaErrorInvalidValue);
    IS(wg_cudaStreamAttachMemAsync(NULL, plain, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
    GOOD(wg_cudaFree(p));
}

// ---- variables ------------------------------------------------------------------------------------------

static const char variables_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                    ".visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
                                    ".visible .const .align 4 .u32 fixed[2] = {7, 8};\n"
                                    ".visible .entry nothing()\n{\nret;\n}\n";
static unsigned table[4], fixed[2]; // their addresses stand for the device's

static void variables_are_copied_by_name(void **state)
{
    (void)state;
    void **module = guest_module(variables_ptx);
    guest_variable(module, table, "table", sizeof table);
    guest_variable(module, fixed, "fixed", sizeof fixed);
    unsigned v[4] = {0}, nine = 9;
    void *address;
    size_t size;
    GOOD(wg_cudaGetSymbolSize(&size, table));
    assert_int_equal(size, 16);
    GOOD(wg_cudaGetSymbolAddress(&address, table));
    GOOD(wg_cudaMemcpyFromSymbol(v, table, 16, 0, cudaMemcpyDeviceToHost));
    assert_true(v[0] == 1 && v[3] == 4);
    GOOD(wg_cudaMemcpyToSymbol(table, &nine, 4, 8, cudaMemcpyHostToDevice));
    GOOD(wg_cudaMemcpy(v, address, 16, cudaMemcpyDeviceToHost));
    assert_true(v[1] == 2 && v[2] == 9);
    GOOD(wg_cudaMemcpyToSymbolAsync(fixed, &nine, 4, 4, cudaMemcpyDefault, NULL));
    GOOD(wg_cudaMemcpyFromSymbolAsync(v, fixed, 8, 0, cudaMemcpyDeviceToHost, NULL));
    assert_true(v[0] == 7 && v[1] == 9);
    GOOD(wg_cudaMemcpyToSymbolAsync_ptsz(fixed, address, 4, 0, cudaMemcpyDeviceToDevice, NULL));
    GOOD(wg_cudaMemcpyFromSymbolAsync_ptsz(v, fixed, 4, 0, cudaMemcpyDeviceToHost, NULL));
    assert_int_equal(v[0], 1);
}

static void copies_by_name_are_checked(void **state)
{
    (void)state;
    unsigned v[4] = {0};
    void *address;
    size_t size;
    IS(wg_cudaMemcpyToSymbol(table, v, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyToSymbol(table, v, 4, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyToSymbol(table, v, 4, SIZE_MAX, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GOOD(wg_cudaMemcpyToSymbol(table, NULL, 0, 0, cudaMemcpyHostToDevice));
    IS(wg_cudaMemcpyToSymbol(table, NULL, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyToSymbol(table, v, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    IS(wg_cudaMemcpyToSymbol(table, v, 4, 0, cudaMemcpyHostToHost), cudaErrorInvalidMemcpyDirection);
    IS(wg_cudaMemcpyToSymbol(table, v, 4, 0, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyFromSymbol(v, table, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
    IS(wg_cudaMemcpyToSymbol(v, v, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    IS(wg_cudaMemcpyToSymbol("table", v, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    IS(wg_cudaGetSymbolAddress(&address, v), cudaErrorInvalidSymbol);
    IS(wg_cudaGetSymbolAddress(&address, NULL), cudaErrorInvalidSymbol);
    IS(wg_cudaGetSymbolSize(&size, v), cudaErrorInvalidSymbol);
    GOOD(wg_cudaGetSymbolAddress(&address, table));
    IS(wg_cudaFree(address), cudaErrorInvalidValue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefetches_are_remembered_for_each_page),
        cmocka_unit_test(advice_is_remembered),
        cmocka_unit_test(memory_is_attached_as_a_whole),
        cmocka_unit_test(variables_are_copied_by_name),
        cmocka_unit_test(copies_by_name_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
