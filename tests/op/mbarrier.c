// mbarrier: phases end when all arrivals and all announced bytes have come; states, parities, counts.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

// Thread 0 makes the barrier for `count` arrivals, all meet, then the body; word of each thread: %r4.
static void run(const char *count, const char *body, uint32_t threads, uint32_t *out)
{
    char text[4096];
    kernel_text(text, sizeof text,
                ".shared .align 8 .b8 bar[16];\nmov.u32 %r10, bar;\nmov.u64 %rd10, bar;\ncvta.shared.u64 "
                "%rd11, %rd10;\n"
                "mov.u32 %r4, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [%r10], "
                "$C;\nbar.sync 0;\n"
                "$B\nst.global.u32 [%rd2], %r4;\n",
                'C', count, 'B', body, 0);
    struct kernel_run r = {.text = text, .threads = {threads, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s: fault %d", body, r.fault.kind);
    memcpy(out, r.buffer, threads * sizeof *out);
    kernel_run_end(&r);
}

static void expect(const char *count, const char *body, uint32_t want)
{
    uint32_t out[128];
    run(count, body, 96, out);
    for (uint32_t i = 0; i < 96; i++)
        if (out[i] != want)
            fail_msg("%s\nthread %u has %u instead of %u", body, i, out[i], want);
}

static void all_arrive_and_wait(void **state)
{
    (void)state;
    expect("96",
           "red.shared.add.u32 [%r10+8], 1;\nmbarrier.arrive.shared::cta.b64 %rd5, [%r10];\nWAIT:\n"
           "mbarrier.test_wait.shared::cta.b64 %p2, [%r10], %rd5;\n@!%p2 bra WAIT;\nld.shared.u32 %r4, "
           "[%r10+8];",
           96);
    expect("96",
           "red.shared.add.u32 [%r10+8], 1;\nmbarrier.arrive.release.cta.shared::cta.b64 _, [%r10];\nWAIT:\n"
           "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r10], 0;\n@!%p2 bra WAIT;\n"
           "ld.shared.u32 %r4, [%r10+8];",
           96);
    expect("96",
           "mbarrier.arrive.b64 %rd5, [%rd11];\nWAIT:\nmbarrier.try_wait.b64 %p2, [%rd11], %rd5, 1000;\n"
           "@!%p2 bra WAIT;\nselp.u32 %r4, 7, 0, %p2;",
           7); // by a generic address
}

static void phases_follow_each_other(void **state)
{
    (void)state;
    expect("96",
           "mov.u32 %r5, 0;\nNEXT:\nred.shared.add.u32 [%r10+8], 1;\nmbarrier.arrive.shared.b64 %rd5, "
           "[%r10];\nand.b32 "
           "%r6, %r5, 1;\nWAIT:\nmbarrier.test_wait.parity.shared.b64 %p2, [%r10], %r6;\n@!%p2 bra WAIT;\n"
           "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, 5;\n@%p3 bra NEXT;\nbar.sync 0;\nld.shared.u32 %r4, "
           "[%r10+8];",
           480);
}

// Bits of %r4: what test_wait said after each step, by thread 0 alone.
static void counts_and_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *count, *steps[4];
        uint32_t ended;
    } cases[] = {
        {"3",
         {"mbarrier.arrive.shared.b64 _, [%r10], 2;", "mbarrier.arrive.shared::cluster.b64 _, [%r10];"},
         2},
        {"3",
         {"mbarrier.arrive.noComplete.shared.b64 %rd6, [%r10], 2;", "mbarrier.arrive.shared.b64 _, [%r10];"},
         2},
        {"1",
         {"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 128;",
          "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r10], 100;",
          "mbarrier.complete_tx.shared::cta.b64 [%r10], 28;"},
         4},
        {"2",
         {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r10], 64;",
          "mbarrier.arrive.shared.b64 _, [%r10], 2;", "mbarrier.complete_tx.shared::cta.b64 [%r10], 64;"},
         4},
        {"2", {"mbarrier.arrive_drop.shared.b64 %rd6, [%r10];", "mbarrier.arrive.shared.b64 _, [%r10];"}, 2},
        {"3",
         {"mbarrier.arrive_drop.noComplete.shared.b64 %rd6, [%r10], 2;",
          "mbarrier.arrive.shared.b64 _, [%r10];"},
         2},
        {"1",
         {"mbarrier.arrive_drop.expect_tx.shared.b64 _, [%r10], 8;",
          "mbarrier.complete_tx.shared::cta.b64 [%r10], 8;"},
         2},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char body[1024] = "@!%p1 bra DONE;\n";
        for (uint32_t k = 0; k < 4 && cases[i].steps[k]; k++) {
            static const char *const bits[] = {"1", "2", "4", "8"};
            strcat(strcat(body, cases[i].steps[k]),
                   "\nmbarrier.test_wait.parity.shared.b64 %p2, [%r10], 0;\nselp.u32 %r5, ");
            strcat(strcat(body, bits[k]), ", 0, %p2;\nor.b32 %r4, %r4, %r5;\n");
        }
        strcat(body, "DONE:");
        uint32_t out[32];
        run(cases[i].count, body, 32, out);
        if (out[0] != cases[i].ended)
            fail_msg("case %zu: phase ended at 0x%x instead of 0x%x\n%s", i, out[0], cases[i].ended, body);
    }
}

static void dropped_arrivals_are_not_expected_again(void **state)
{
    (void)state;
    uint32_t out[32];
    run("3",
        "@!%p1 bra DONE;\nmbarrier.arrive_drop.shared.b64 %rd6, [%r10], 2;\nmbarrier.arrive.shared.b64 %rd5, "
        "[%r10];\n"
        "mbarrier.pending_count.b64 %r5, %rd5;\nmbarrier.arrive.shared.b64 %rd7, [%r10];\n"
        "mbarrier.pending_count.b64 %r6, %rd7;\nmbarrier.test_wait.shared.b64 %p2, [%r10], %rd7;\n"
        "selp.u32 %r7, 100, 0, %p2;\nmad.lo.u32 %r4, %r5, 10, %r6;\nadd.u32 %r4, %r4, %r7;\n"
        "mbarrier.inval.shared.b64 [%r10];\nDONE:",
        32, out);
    assert_int_equal(out[0], 111); // one was pending each time, and the second phase has ended, too
}

static void a_barrier_in_global_memory_is_a_fault(void **state)
{
    (void)state;
    char text[2048];
    kernel_text(text, sizeof text, "mbarrier.init.b64 [%rd1], 1;\n", 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 64};
    kernel_run(&r);
    assert_int_equal(r.fault.kind, FAULT_OUT_OF_BOUNDS);
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arrive_and_wait),
        cmocka_unit_test(phases_follow_each_other),
        cmocka_unit_test(counts_and_bytes),
        cmocka_unit_test(dropped_arrivals_are_not_expected_again),
        cmocka_unit_test(a_barrier_in_global_memory_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
