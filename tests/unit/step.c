// simt/step: what counts as executed, what is an access, who waits for queued operations.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

static struct kernel_run run(const char *body, uint32_t threads)
{
    char text[4096];
    kernel_text(text, sizeof text, "$B\n", 'B', body, 0);
    struct kernel_run r = {.text = text, .threads = {threads, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    assert_int_equal(r.fault.kind, FAULT_NONE);
    return r;
}

// Instructions of the empty kernel: ld.param, two special registers, mul, add, ret.
enum { N_EMPTY = 6 };

static void check_counts(const char *body, uint32_t threads, uint32_t executed, uint32_t lanes,
                         uint32_t accesses)
{
    struct kernel_run r = run(body, threads);
    uint32_t n_warps = (threads + 31) / 32;
    if (r.n_executed != executed + N_EMPTY * n_warps || r.n_lanes != lanes + N_EMPTY * threads ||
        r.n_accesses != accesses)
        fail_msg("%s: %u instructions, %u lanes, %u accesses", body, r.n_executed - N_EMPTY * n_warps,
                 r.n_lanes - N_EMPTY * threads, r.n_accesses);
    kernel_run_end(&r);
}

static void executed_instructions(void **state)
{
    (void)state;
    check_counts("", 32, 0, 0, 0);
    check_counts("", 40, 0, 0, 0);
    check_counts("add.u32 %r3, %r1, 1;", 64, 2, 64, 0);
    check_counts("setp.lt.u32 %p1, %r2, 3;\n@%p1 add.u32 %r3, %r1, 1;", 32, 2, 32 + 3, 0);
    check_counts("setp.lt.u32 %p1, %r2, 0;\n@%p1 add.u32 %r3, %r1, 1;", 32, 2, 32,
                 0); // nobody: still executed
    check_counts("ld.global.u32 %r3, [%rd2];\nst.global.u32 [%rd2], %r3;", 32, 2, 64, 2);
    check_counts("bar.sync 0;", 96, 3, 96, 0); // once, however long it waits
}

static void branches_and_convergence(void **state)
{
    (void)state;
    // setp, bra; 3 lanes skip one add; the convergence barrier itself is not counted.
    check_counts(
        "setp.lt.u32 %p1, %r2, 3;\n@%p1 bra SKIP;\nadd.u32 %r3, %r1, 1;\nSKIP:\nadd.u32 %r4, %r1, 1;", 32, 4,
        32 + 3 + 29 + 32, 0);
    // A loop of lane % 4 + 1 turns: four turns of add, setp, bra with 32, 24, 16, 8 lanes, the branch taken
    // by 24, 16, 8, 0.
    check_counts("and.b32 %r3, %r2, 3;\nmov.u32 %r4, 0;\nLOOP:\nadd.u32 %r4, %r4, 1;\nsetp.le.u32 %p1, %r4, "
                 "%r3;\n@%p1 bra LOOP;\n"
                 "add.u32 %r5, %r1, 1;",
                 32, 2 + 12 + 1, 64 + 2 * 80 + 48 + 32, 0);
}

static void queued_operations(void **state)
{
    (void)state;
    // An atomic, a reduction and a load behind it of the same bytes: the load waits but is counted once.
    check_counts("red.global.add.u32 [%rd2], 1;\nld.global.u32 %r3, [%rd2];", 32, 2, 64, 2);
    check_counts("atom.global.add.u32 %r3, [%rd2], 1;\nmembar.gl;", 32, 2, 64, 1);
    check_counts("red.global.add.u32 [%rd2], 1;\nmembar.gl;\nld.global.u32 %r3, [%rd2+1024];", 32, 3, 96, 2);
    check_counts("red.global.add.u32 [%rd2], 1;\nbar.sync 0;", 32, 2, 64, 1);
}

static void generic_accesses(void **state)
{
    (void)state;
    // Lanes of two spaces: one executed instruction, two accesses.
    check_counts(".shared .align 4 .b8 s[128];\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd5, %rd5;\nsetp.lt.u32 "
                 "%p1, %r2, 16;\n"
                 "selp.b64 %rd6, %rd5, %rd2, %p1;\nst.u32 [%rd6], %r1;",
                 32, 5, 5 * 32, 2);
}

static void order_of_a_warp_is_kept(void **state)
{
    (void)state;
    struct kernel_run r = run(
        "st.volatile.global.u32 [%rd2], 5;\nred.global.add.u32 [%rd2], 2;\nst.global.u32 [%rd2+1024], 9;\n"
        "ld.global.u32 %r3, [%rd2];\nst.global.u32 [%rd2], 1;\nld.volatile.global.u32 %r4, [%rd2];\n"
        "add.u32 %r3, %r3, %r4;\nst.global.u32 [%rd2], %r3;",
        64);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], 7 + 1);
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executed_instructions),   cmocka_unit_test(branches_and_convergence),
        cmocka_unit_test(queued_operations),       cmocka_unit_test(generic_accesses),
        cmocka_unit_test(order_of_a_warp_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
