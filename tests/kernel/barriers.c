// Barriers of blocks and warps: who waits for whom, what bar.red gives, and what a barrier that never opens
// is called.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

static struct kernel_run run(const char *text, uint32_t threads)
{
    struct kernel_run r = {.text = text, .threads = {threads, 1, 1}, .bytes = 8192};
    kernel_run(&r);
    return r;
}

static void expect_fault(struct kernel_run *r, enum fault_kind kind)
{
    if (r->fault.kind != kind)
        fail_msg("fault %d instead of %d: %s", r->fault.kind, kind, r->fault.note);
}

static void stores_before_are_seen_behind(void **state)
{
    (void)state;
    // Each thread reads what the thread on the other side of the block wrote; the block's last warp is
    // partial.
    struct kernel_run r =
        run(PTX_KERNEL
            ".shared .align 4 .b8 s[512];\nmov.u32 %r20, s;\nshl.b32 %r3, %r1, 2;\n"
            "add.u32 %r4, %r20, %r3;\nadd.u32 %r5, %r1, 7;\nst.shared.u32 [%r4], %r5;\n"
            "bar.sync 0;\nmov.u32 %r6, 99;\nsub.u32 %r6, %r6, %r1;\nshl.b32 %r6, %r6, 2;\n"
            "add.u32 %r6, %r20, %r6;\nld.shared.u32 %r7, [%r6];\nst.global.u32 [%rd2], %r7;\nret;\n}\n",
            100);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], 99 - i + 7);
    kernel_run_end(&r);
}

static void reductions(void **state)
{
    (void)state;
    struct kernel_run r = run(
        PTX_KERNEL
        "setp.lt.u32 %p1, %r1, 50;\nsetp.lt.u32 %p2, %r1, 1000;\nsetp.gt.u32 %p3, %r1, 1000;\n"
        "bar.red.popc.u32 %r3, 0, %p1;\nbar.red.and.pred %p4, 0, %p2;\nbar.red.and.pred %p5, 0, %p1;\n"
        "bar.red.or.pred %p6, 0, %p1;\nbarrier.red.or.pred %p7, 1, %p3;\nbarrier.red.popc.u32 %r8, 1, !%p1;\n"
        "barrier.red.and.pred %p8, 2, 96, %p2;\n"
        "selp.u32 %r4, 1, 0, %p4;\nselp.u32 %r5, 2, 0, %p5;\nselp.u32 %r6, 4, 0, %p6;\n"
        "selp.u32 %r7, 8, 0, %p7;\nselp.u32 %r9, 16, 0, %p8;\nor.b32 %r4, %r4, %r5;\nor.b32 %r4, %r4, %r6;\n"
        "or.b32 %r4, %r4, %r7;\nor.b32 %r4, %r4, %r9;\n"
        "shl.b32 %r8, %r8, 16;\nor.b32 %r4, %r4, %r8;\nshl.b32 %r3, %r3, 8;\nor.b32 %r4, %r4, %r3;\n"
        "st.global.u32 [%rd2], %r4;\nret;\n}\n",
        96);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], (46u << 16) | (50u << 8) | 1 | 4 | 16);
    kernel_run_end(&r);
}

static void arrive_does_not_wait(void **state)
{
    (void)state;
    // Warp 0 produces and arrives at barrier 1; warp 1 waits there for 64 threads, then reads.
    struct kernel_run r =
        run(PTX_KERNEL ".shared .align 4 .b8 s[128];\nmov.u32 %r20, s;\nshl.b32 %r3, %r2, 2;\n"
                       "add.u32 %r4, %r20, %r3;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra CONSUMER;\n"
                       "add.u32 %r5, %r1, 500;\nst.shared.u32 [%r4], %r5;\nbar.arrive 1, 64;\nbra.uni END;\n"
                       "CONSUMER:\nbar.sync 1, 64;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd2], %r5;\n"
                       "END:\nret;\n}\n",
            64);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)r.buffer)[32 + i], 500 + i);
    kernel_run_end(&r);
}

static void barrier_number_in_a_register(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_KERNEL "shr.u32 %r3, %r1, 6;\nadd.u32 %r3, %r3, 1;\nmov.u32 %r4, 64;\n"
                       "barrier.sync %r3, %r4;\nbar.sync 0;\nst.global.u32 [%rd2], %r3;\nret;\n}\n",
            128);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], 1 + i / 64);
    kernel_run_end(&r);
}

static void exited_warps_are_not_waited_for(void **state)
{
    (void)state;
    struct kernel_run r = run(PTX_KERNEL "setp.ge.u32 %p1, %r1, 32;\n@%p1 exit;\nbar.sync 0;\n"
                                         "mov.u32 %r5, 3;\nst.global.u32 [%rd2], %r5;\nret;\n}\n",
                              128);
    expect_fault(&r, FAULT_NONE);
    assert_int_equal(((uint32_t *)r.buffer)[31], 3);
    kernel_run_end(&r);
}

static void a_barrier_in_one_branch_is_divergent(void **state)
{
    (void)state;
    struct kernel_run r = run(PTX_KERNEL "setp.ge.u32 %p1, %r2, 16;\n@%p1 bra JOIN;\nbar.sync 0;\n"
                                         "JOIN:\nst.global.u32 [%rd2], %r1;\nret;\n}\n",
                              64);
    expect_fault(&r, FAULT_DIVERGENT_BARRIER);
    assert_non_null(strstr(r.fault.note, "barrier 0"));
    assert_non_null(strstr(r.fault.note, "0x0000ffff"));
    kernel_run_end(&r);
}

static void warps_at_different_barriers_are_a_deadlock(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_KERNEL "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHER;\nbar.sync 0;\nbra.uni END;\n"
                       "OTHER:\nbar.sync 1;\nEND:\nret;\n}\n",
            64);
    expect_fault(&r, FAULT_DEADLOCK);
    kernel_run_end(&r);
}

static void no_such_barrier(void **state)
{
    (void)state;
    struct kernel_run r = run(PTX_KERNEL "mov.u32 %r3, 16;\nbarrier.sync %r3;\nret;\n}\n", 32);
    expect_fault(&r, FAULT_DIVERGENT_BARRIER);
    kernel_run_end(&r);
}

// ---- warps -----------------------------------------------------------------------------------------

static void warp_barrier_waits_for_the_other_branch(void **state)
{
    (void)state;
    // Even lanes read what odd lanes wrote in the other branch; bar.warp.sync stands in both.
    struct kernel_run r = run(
        PTX_KERNEL ".shared .align 4 .b8 s[128];\nmov.u32 %r20, s;\nshl.b32 %r3, %r2, 2;\n"
                   "add.u32 %r4, %r20, %r3;\nand.b32 %r5, %r2, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra ODD;\n"
                   "bar.warp.sync 0xffffffff;\nld.shared.u32 %r6, [%r4+4];\nst.global.u32 [%rd2], %r6;\n"
                   "bra.uni END;\n"
                   "ODD:\nadd.u32 %r6, %r2, 40;\nst.shared.u32 [%r4], %r6;\nbar.warp.sync 0xffffffff;\n"
                   "END:\nret;\n}\n",
        32);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i += 2)
        assert_int_equal(((uint32_t *)r.buffer)[i], i + 1 + 40);
    kernel_run_end(&r);
}

static void shuffle_waits_for_all_members(void **state)
{
    (void)state;
    // Lanes come to the shuffle by two ways of different length, without a convergence point in between: it
    // is in a loop that half of the lanes enter later.
    struct kernel_run r =
        run(PTX_KERNEL "mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r2, 16;\n@%p1 bra GO;\n"
                       "add.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\n"
                       "GO:\nadd.u32 %r5, %r2, %r4;\nshfl.sync.bfly.b32 %r6, %r5, 16, 31, -1;\n"
                       "st.global.u32 [%rd2], %r6;\nret;\n}\n",
            32);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], (i ^ 16) + (i < 16 ? 2 : 0));
    kernel_run_end(&r);
}

static void lanes_may_name_members_of_their_own(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_KERNEL "and.b32 %r4, %r2, 1;\nmov.u32 %r5, 0x55555555;\nshl.b32 %r5, %r5, %r4;\nsetp.ge.u32 %p2, %r2, 4;\n"
                       "vote.sync.ballot.b32 %r6, %p2, %r5;\nbar.warp.sync %r5;\n"
                       "st.global.u32 [%rd2], %r6;\nret;\n}\n",
            32);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], i % 2 ? 0xaaaaaaa0 : 0x55555550);
    kernel_run_end(&r);
}

static void members_may_have_exited(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_KERNEL "setp.ge.u32 %p1, %r2, 8;\n@%p1 exit;\nsetp.ge.u32 %p2, %r2, 4;\n"
                       "vote.sync.ballot.b32 %r5, %p2, 0xffffffff;\nst.global.u32 [%rd2], %r5;\nret;\n}\n",
            32);
    expect_fault(&r, FAULT_NONE);
    assert_int_equal(((uint32_t *)r.buffer)[0], 0xf0);
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_before_are_seen_behind),
        cmocka_unit_test(reductions),
        cmocka_unit_test(arrive_does_not_wait),
        cmocka_unit_test(barrier_number_in_a_register),
        cmocka_unit_test(exited_warps_are_not_waited_for),
        cmocka_unit_test(a_barrier_in_one_branch_is_divergent),
        cmocka_unit_test(warps_at_different_barriers_are_a_deadlock),
        cmocka_unit_test(no_such_barrier),
        cmocka_unit_test(warp_barrier_waits_for_the_other_branch),
        cmocka_unit_test(shuffle_waits_for_all_members),
        cmocka_unit_test(lanes_may_name_members_of_their_own),
        cmocka_unit_test(members_may_have_exited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
