// cp.async: sizes, partial reads, ignored sources, cache operators and hints, groups, arrivals; what is wrong faults.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

enum { THREADS = 32, BYTES = 4096, OUT = 2048 };

static void fill(void *buffer)
{
    uint8_t *bytes = buffer;
    for (int i = 0; i < OUT; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
}

// Thread t copies element t to element `t ^ 3` of shared memory, which first holds 0xee everywhere; all of it is
// written out. %r11 = its place there, %rd11 = its source, %r3 = a number of bytes of its own.
static void run(struct kernel_run *r, const char *body, const char *size)
{
    static char text[4096];
    kernel_text(text, sizeof text,
                ".shared .align 16 .b8 s[512];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r10, s;\n"
                "mov.u32 %r4, 0xeeeeeeee;\nmad.lo.u32 %r12, %r1, 16, %r10;\n"
                "st.shared.v4.u32 [%r12], {%r4, %r4, %r4, %r4};\nbar.sync 0;\n"
                "xor.b32 %r5, %r1, 3;\nmad.lo.u32 %r11, %r5, $S, %r10;\nmul.wide.u32 %rd10, %r1, $S;\n"
                "add.s64 %rd11, %rd1, %rd10;\nand.b32 %r3, %r1, 31;\nsetp.gt.u32 %p1, %r1, 20;\n"
                "$B\nbar.sync 0;\nld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r12];\nmul.wide.u32 %rd12, %r1, 16;\n"
                "add.s64 %rd13, %rd1, %rd12;\nst.global.v4.u32 [%rd13+2048], {%r6, %r7, %r8, %r9};\n",
                'S', size, 'B', body, 0);
    *r = (struct kernel_run){.text = text, .threads = {THREADS, 1, 1}, .bytes = BYTES, .fill = fill};
    kernel_run(r);
}

// What lane t reads; the rest of its element is zero.
enum limit { ALL, NUMBER, PREDICATE, NONE };

static uint32_t bytes_of(enum limit limit, uint32_t t, uint32_t size)
{
    uint32_t n = limit == ALL ? size : limit == NUMBER ? t & 31 : limit == PREDICATE && t <= 20 ? size : 0;
    return n < size ? n : size;
}

static void expect(const char *body, const char *size_text, uint32_t size, enum limit limit)
{
    struct kernel_run r;
    uint8_t want[512];
    run(&r, body, size_text);
    if (r.fault.kind)
        fail_msg("%s: fault %d", body, r.fault.kind);
    memset(want, 0xee, sizeof want);
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t k = 0; k < size; k++)
            want[(t ^ 3) * size + k] =
                k < bytes_of(limit, t, size) ? ((const uint8_t *)r.buffer)[t * size + k] : 0;
    for (uint32_t i = 0; i < sizeof want; i++)
        if (((const uint8_t *)r.buffer)[OUT + i] != want[i])
            fail_msg("%s\nbyte %u is 0x%02x instead of 0x%02x", body, i, ((const uint8_t *)r.buffer)[OUT + i],
                     want[i]);
    kernel_run_end(&r);
}

static void every_form(void **state)
{
    (void)state;
    static const struct {
        const char *body, *size_text;
        uint32_t size;
        enum limit limit;
    } cases[] = {
        {"cp.async.ca.shared.global [%r11], [%rd11], 4;\ncp.async.wait_all;", "4", 4, ALL},
        {"cp.async.ca.shared::cta.global [%r11], [%rd11], 8;\ncp.async.wait_all;", "8", 8, ALL},
        {"cp.async.ca.shared.global.L2::128B [%r11], [%rd11], 16;\ncp.async.wait_all;", "16", 16, ALL},
        {"cp.async.cg.shared.global [%r11], [%rd11], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;", "16", 16, ALL},
        {"cp.async.cg.shared.global.L2::256B [%r11+0], [%rd11], 16;\ncp.async.wait_all;", "16", 16, ALL},
        {"createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0;\n"
         "cp.async.cg.shared.global.L2::cache_hint [%r11], [%rd11], 16, %rd3;\ncp.async.wait_all;", "16", 16, ALL},
        {"cp.async.ca.shared.global [%r11], [%rd11], 4, %r3;\ncp.async.wait_all;", "4", 4, NUMBER},
        {"cp.async.ca.shared.global [%r11], [%rd11], 8, %r3;\ncp.async.wait_all;", "8", 8, NUMBER},
        {"cp.async.ca.shared.global [%r11], [%rd11], 16, %r3;\ncp.async.wait_all;", "16", 16, NUMBER},
        {"cp.async.cg.shared.global [%r11], [%rd11], 16, %r3;\ncp.async.wait_all;", "16", 16, NUMBER},
        {"cp.async.cg.shared.global [%r11], [%rd11], 16, 0;\ncp.async.wait_all;", "16", 16, NONE},
        {"cp.async.ca.shared.global [%r11], [%rd11], 4, %p1;\ncp.async.wait_all;", "4", 4, PREDICATE},
        {"cp.async.cg.shared.global [%r11], [%rd11], 16, %p1;\ncp.async.wait_all;", "16", 16, PREDICATE},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        expect(cases[i].body, cases[i].size_text, cases[i].size, cases[i].limit);
}

// The barrier expects one arrival a thread: with .noinc the copies' arrivals are those; without they come on top.
static void arrivals(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "setp.eq.u32 %p2, %r1, 0;\nmov.u32 %r13, bar;\n@%p2 mbarrier.init.shared.b64 [%r13], 32;\nbar.sync 0;\n"
        "cp.async.ca.shared.global [%r11], [%rd11], 8;\n"
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r13];\n"
        "W: mbarrier.test_wait.parity.shared.b64 %p3, [%r13], 0;\n@!%p3 bra W;",
        "setp.eq.u32 %p2, %r1, 0;\nmov.u64 %rd14, bar;\ncvta.shared.u64 %rd14, %rd14;\n"
        "@%p2 mbarrier.init.b64 [%rd14], 32;\nbar.sync 0;\ncp.async.ca.shared.global [%r11], [%rd11], 8;\n"
        "cp.async.mbarrier.arrive.b64 [%rd14];\n"
        "mbarrier.test_wait.parity.b64 %p3, [%rd14], 0;\n@%p3 trap;\nbar.sync 0;\n"
        "mbarrier.arrive.b64 _, [%rd14];\nW: mbarrier.test_wait.parity.b64 %p3, [%rd14], 0;\n@!%p3 bra W;",
    };
    for (size_t i = 0; i < N_ELEMENTS(bodies); i++)
        expect(bodies[i], "8", 8, ALL);
}

static void wrong_addresses_fault(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum fault_kind kind;
        enum space space;
    } cases[] = {
        {"cp.async.ca.shared.global [%r11], [%rd11+2], 4;", FAULT_MISALIGNED, SPACE_GLOBAL},
        {"cp.async.ca.shared.global [%r11+4], [%rd11], 8;", FAULT_MISALIGNED, SPACE_SHARED},
        {"cp.async.ca.shared.global [%r11+4096], [%rd11], 4;", FAULT_SHARED_BOUNDS, SPACE_SHARED},
        {"cp.async.cg.shared.global [%r10], [%rd1+8192], 16;", FAULT_OUT_OF_BOUNDS, SPACE_GLOBAL},
        {"cp.async.cg.shared.global [%r10], [%rd1+8192], 16, 4;", FAULT_OUT_OF_BOUNDS, SPACE_GLOBAL},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct kernel_run r;
        run(&r, cases[i].body, "8");
        if (r.fault.kind != cases[i].kind || r.fault.space != cases[i].space)
            fail_msg("%s: fault %d in space %d", cases[i].body, r.fault.kind, r.fault.space);
        kernel_run_end(&r);
    }
    struct kernel_run r; // nothing is read, so nothing is wrong with the source
    run(&r, "cp.async.cg.shared.global [%r10], [%rd1+8192], 16, 0;", "16");
    assert_int_equal(r.fault.kind, FAULT_NONE);
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(arrivals),
        cmocka_unit_test(wrong_addresses_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
