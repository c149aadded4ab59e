// The demangler: names as Nsight Compute prints them, and the same grammar against c++filt.
#include "prof/demangle.h"
#include "base/buf.h"
#include "support/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *name, const char *nvidia)
{
    struct arena arena;
    arena_init(&arena, "test");
    assert_string_equal(demangle(&arena, name, DEMANGLE_NVIDIA), nvidia);
    arena_release(&arena);
}

static void test_kernels(void **state)
{
    (void)state;
    check("plain_c", "plain_c");
    check("_Z7tr_copyPKfPfi", "tr_copy(const float *, float *, int)");
    check("_Z5saxpyifPfPKf", "saxpy(int, float, float *, const float *)");
    check("_Z6noargsv", "noargs()");
    check("_Z9transposeILi32EEvPfPKfi", "void transpose<(int)32>(float *, const float *, int)");
    check("_Z4gemmIfLb1EEvPT_PKS0_j", "void gemm<float, (bool)1>(T1 *, const T1 *, unsigned int)");
    check("_ZN2ns5inner7by_modeILNS0_4ModeE1EEEvPf", "void ns::inner::by_mode<(ns::inner::Mode)1>(float *)");
    check("_ZN12_GLOBAL__N_16kernelEPi", "<unnamed>::kernel(int *)");
    check("_Z4fillPA4_fPFviE", "fill(float (*) [4], void (*)(int))");
    check("_Z5tableRA8_KdPKPKc", "table(const double (&) [8], const char * const *)");
    check("_Z4sumsIJifEEvPfDpT_", "void sums<int, float>(float *, T1...)");
    check("_Z6kernelPf.constprop.0", "kernel(float *)");
}

static void test_broken_names_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {
        "_Z",          "_Z3ab",        "_Z4kern",           "_ZN1aE3b", "_Z1kT_", "_Z1kS9_",
        "_Z1kIXplT_E", "_Z1k99999999", "_Z1kPPPPPPPPPPPPP", "_Z1kA_",   "_Z1k!",  "_ZL"};
    for (size_t i = 0; i < N_ELEMENTS(names); i++)
        if (strcmp(names[i], "_Z4kern") != 0) // a whole name: the variable "kern"
            check(names[i], names[i]);
    check("_Z4kern", "kern");
}

// Substitutions that double the text at each step stop at a limit instead of filling the memory.
static void test_explosion_stops(void **state)
{
    (void)state;
    struct buf name = {0};
    buf_puts(&name, "_Z1k1AIiiE");
    for (int i = 0; i < 34; i++) {
        char last = (char)(i < 10 ? '0' + i : 'A' + i - 10);
        buf_printf(&name, "S_IS%c_S%c_E", last, last);
    }
    check(name.at, name.at);
    buf_clear(&name);
    buf_puts(&name, "_Z1k");
    for (int i = 0; i < 100000; i++)
        buf_puts(&name, "P");
    buf_puts(&name, "i");
    check(name.at, name.at);
    buf_release(&name);
}

static void test_base(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"plain_c", "plain_c"},
                                           {"tr_copy(const float *, float *, int)", "tr_copy"},
                                           {"void transpose<(int)32>(float *, int)", "transpose"},
                                           {"void <unnamed>::k<ns::V<int>>(T1 *)", "k"},
                                           {"ns::inner::run(void (*)(int))", "run"}};
    struct arena arena;
    arena_init(&arena, "test");
    for (size_t i = 0; i < N_ELEMENTS(pairs); i++)
        assert_string_equal(demangle_base(&arena, pairs[i][0]), pairs[i][1]);
    arena_release(&arena);
}

// Every name of tests/data/mangled.txt, in the style of c++filt, against c++filt itself.
static void test_against_cxxfilt(void **state)
{
    (void)state;
    FILE *names = fopen("tests/data/mangled.txt", "r");
    assert_non_null(names);
    FILE *filt = popen("c++filt < tests/data/mangled.txt 2>/dev/null", "r");
    assert_non_null(filt);
    char name[8192], expected[16384];
    int n = 0;
    struct arena arena;
    arena_init(&arena, "test");
    while (fgets(name, sizeof name, names) && fgets(expected, sizeof expected, filt)) {
        name[strcspn(name, "\n")] = expected[strcspn(expected, "\n")] = 0;
        assert_string_equal(demangle(&arena, name, DEMANGLE_GNU), expected);
        n++;
    }
    arena_release(&arena);
    fclose(names);
    int status = pclose(filt);
    if (status != 0 && n == 0)
        skip();
    assert_true(n > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_broken_names_come_back),
                                       cmocka_unit_test(test_explosion_stops), cmocka_unit_test(test_base),
                                       cmocka_unit_test(test_against_cxxfilt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
