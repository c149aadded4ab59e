// What the device says of itself, and the limits of the context. The attributes are compared with those an H200 reported
// (tests/data/h200_runtime.txt); those that describe the machine around the chip are left out.
#include "support/check.h"
#include "support/guest.h"
#include <stdio.h>
#include <string.h>

// Addresses on the bus, NUMA, other processes and devices, graphics: nothing of the chip.
static const int of_the_machine[] = {33, 34, 50, 98, 112, 114, 116, 117, 118, 119, 121, 125, 130, 131, 134, 139, 140, 142, 143, 144};

static bool is_of_the_machine(int number)
{
    for (size_t i = 0; i < N_ELEMENTS(of_the_machine); i++)
        if (of_the_machine[i] == number)
            return true;
    return number > 147;
}

static void attributes_are_those_of_the_card(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/h200_runtime.txt", "r");
    char line[256];
    int number, value, n = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        int ours = -1;
        if (sscanf(line, "attribute %d %d", &number, &value) != 2 || is_of_the_machine(number))
            continue;
        if (wg_cudaDeviceGetAttribute(&ours, number, 0) != cudaSuccess)
            continue; // reserved numbers
        if (ours != value)
            fail_msg("attribute %d is %d, the card has %d", number, ours, value);
        n++;
    }
    fclose(file);
    assert_true(n > 90);
}

static void attributes_that_do_not_exist(void **state)
{
    (void)state;
    int value;
    assert_int_equal(wg_cudaDeviceGetAttribute(&value, 5000, 0), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaDeviceGetAttribute(&value, 10, 1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaDeviceGetAttribute(NULL, 10, 0), cudaErrorInvalidValue);
}

// The words of the card's own struct of CUDA 13, name and identity left out.
static void properties_are_those_of_the_card(void **state)
{
    (void)state;
    struct device_properties_13 ours;
    FILE *file = fopen("tests/data/h200_runtime.txt", "r");
    char line[256];
    size_t offset, n = 0;
    unsigned value;
    assert_non_null(file);
    assert_int_equal(wg_cudaGetDeviceProperties_13(&ours, 0), cudaSuccess);
    assert_string_equal(ours.name, "NVIDIA H200");
    while (fgets(line, sizeof line, file)) {
        unsigned word;
        if (sscanf(line, "prop_word %zu %u", &offset, &value) != 2 || offset < offsetof(struct device_properties_13, totalGlobalMem) ||
            offset >= offsetof(struct device_properties_13, hostRegisterSupported))
            continue;
        memcpy(&word, (char *)&ours + offset, sizeof word);
        if (word != value && offset != offsetof(struct device_properties_13, pciDeviceID) &&
            offset != offsetof(struct device_properties_13, pciBusID))
            fail_msg("word at %zu is %u, the card has %u", offset, word, value);
        n++;
    }
    fclose(file);
    assert_true(n > 100);
}

static void older_layouts_say_the_same(void **state)
{
    (void)state;
    struct device_properties_11 eleven;
    struct device_properties_12 twelve;
    assert_int_equal(sizeof twelve, 1032);
    assert_int_equal(wg_cudaGetDeviceProperties_11(&eleven, 0), cudaSuccess);
    assert_int_equal(wg_cudaGetDeviceProperties_12(&twelve, 0), cudaSuccess);
    assert_int_equal(eleven.multiProcessorCount, 132);
    assert_int_equal(eleven.clockRate, 1980000);
    assert_int_equal(twelve.reservedSharedMemPerBlock, 1024);
    assert_int_equal(twelve.memoryClockRate, 3201000);
    assert_int_equal(twelve.clusterLaunch, 1);
    assert_int_equal(wg_cudaGetDeviceProperties_12(&twelve, 1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaGetDeviceProperties_11(NULL, 0), cudaErrorInvalidValue);
}

static void there_is_one_device(void **state)
{
    (void)state;
    int n = -1, devices[2] = {0, 1};
    assert_int_equal(wg_cudaGetDeviceCount(&n), cudaSuccess);
    assert_int_equal(n, 1);
    n = -1;
    assert_int_equal(wg_cudaGetDevice(&n), cudaSuccess);
    assert_int_equal(n, 0);
    assert_int_equal(wg_cudaSetDevice(0), cudaSuccess);
    assert_int_equal(wg_cudaSetDevice(1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaSetDevice(-1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaInitDevice(2, 0, 0), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaSetValidDevices(devices, 1), cudaSuccess);
    assert_int_equal(wg_cudaSetValidDevices(devices, 2), cudaErrorInvalidDevice);
    n = -1;
    assert_int_equal(wg_cudaChooseDevice(&n, devices), cudaSuccess);
    assert_int_equal(n, 0);
    n = -1;
    assert_int_equal(wg_cudaDeviceCanAccessPeer(&n, 0, 0), cudaSuccess);
    assert_int_equal(n, 0);
    assert_int_equal(wg_cudaDeviceCanAccessPeer(&n, 0, 1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    assert_int_equal(wg_cudaDeviceDisablePeerAccess(1), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaDeviceGetP2PAttribute(&n, 1, 0, 1), cudaErrorInvalidDevice);
}

static void the_bus_address_leads_back(void **state)
{
    (void)state;
    char text[32];
    int device = -1;
    assert_int_equal(wg_cudaDeviceGetPCIBusId(text, sizeof text, 0), cudaSuccess);
    assert_int_equal(wg_cudaDeviceGetByPCIBusId(&device, text), cudaSuccess);
    assert_int_equal(device, 0);
    assert_int_equal(wg_cudaDeviceGetByPCIBusId(&device, "0000:01:00.0"), cudaErrorInvalidDevice);
    assert_int_equal(wg_cudaDeviceGetPCIBusId(text, 4, 0), cudaErrorInvalidValue);
}

static void versions_are_those_of_the_library(void **state)
{
    (void)state;
    int version = 0;
    assert_int_equal(wg_cudaRuntimeGetVersion_11(&version), cudaSuccess);
    assert_int_equal(version / 1000, 11);
    assert_int_equal(wg_cudaRuntimeGetVersion_12(&version), cudaSuccess);
    assert_int_equal(version / 1000, 12);
    assert_int_equal(wg_cudaRuntimeGetVersion_13(&version), cudaSuccess);
    assert_int_equal(version, 13000);
    assert_int_equal(wg_cudaDriverGetVersion(&version), cudaSuccess);
    assert_int_equal(version, 13000);
}

static void limits_are_kept(void **state)
{
    (void)state;
    enum { STACK = 0, PRINTF = 1, HEAP = 2, SYNC_DEPTH = 3, PERSISTING = 6 };
    size_t value = 0;
    assert_int_equal(wg_cudaDeviceGetLimit(&value, STACK), cudaSuccess);
    assert_int_equal(value, 1024);
    assert_int_equal(wg_cudaDeviceSetLimit(STACK, 4096), cudaSuccess);
    assert_int_equal(wg_cudaDeviceGetLimit(&value, STACK), cudaSuccess);
    assert_int_equal(value, 4096);
    assert_int_equal(wg_cudaDeviceGetLimit(&value, HEAP), cudaSuccess);
    assert_int_equal(value, 8 << 20);
    assert_int_equal(wg_cudaDeviceSetLimit(PERSISTING, (size_t)1 << 40), cudaSuccess);
    assert_int_equal(wg_cudaDeviceGetLimit(&value, PERSISTING), cudaSuccess);
    assert_int_equal(value, 39321600);
    assert_int_equal(wg_cudaDeviceGetLimit(&value, SYNC_DEPTH), cudaErrorUnsupportedLimit);
    assert_int_equal(wg_cudaDeviceSetLimit(99, 1), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaDeviceSetLimit(STACK, 1 << 20), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaDeviceReset(), cudaSuccess);
    assert_int_equal(wg_cudaDeviceGetLimit(&value, STACK), cudaSuccess);
    assert_int_equal(value, 1024);
}

static void flags_and_preferences_are_kept(void **state)
{
    (void)state;
    unsigned flags = 0;
    int config = -1;
    assert_int_equal(wg_cudaSetDeviceFlags(4), cudaSuccess);
    assert_int_equal(wg_cudaGetDeviceFlags(&flags), cudaSuccess);
    assert_int_equal(flags, 4);
    assert_int_equal(wg_cudaDeviceSetCacheConfig(2), cudaSuccess);
    assert_int_equal(wg_cudaDeviceGetCacheConfig(&config), cudaSuccess);
    assert_int_equal(config, 2);
    assert_int_equal(wg_cudaDeviceGetSharedMemConfig(&config), cudaSuccess);
    assert_int_equal(config, 1);
}

static void a_reset_forgets_memory_and_restores_variables(void **state)
{
    (void)state;
    static int table;
    unsigned *p, zeros[4] = {0}, got[4] = {0};
    void **module = guest_module(guest_ptx);
    guest_variable(module, &table, "table", sizeof got);
    assert_int_equal(wg_cudaMemcpyToSymbol(&table, zeros, sizeof zeros, 0, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(wg_cudaMalloc((void **)&p, 64), cudaSuccess);
    assert_int_equal(wg_cudaDeviceReset(), cudaSuccess);
    assert_int_equal(wg_cudaMemset(p, 0, 64), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaFree(p), cudaErrorInvalidValue);
    assert_int_equal(wg_cudaMemcpyFromSymbol(got, &table, sizeof got, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(got[3], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_those_of_the_card),
        cmocka_unit_test(attributes_that_do_not_exist),
        cmocka_unit_test(properties_are_those_of_the_card),
        cmocka_unit_test(older_layouts_say_the_same),
        cmocka_unit_test(there_is_one_device),
        cmocka_unit_test(the_bus_address_leads_back),
        cmocka_unit_test(versions_are_those_of_the_library),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(flags_and_preferences_are_kept),
        cmocka_unit_test(a_reset_forgets_memory_and_restores_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
