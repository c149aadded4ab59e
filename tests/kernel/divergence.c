// Do diverged lanes compute the right values, come together again, and make progress?
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

static struct kernel_run run(const char *text, uint32_t threads)
{
    struct kernel_run r = {.text = text, .threads = {threads, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    return r;
}

static void expect_fault(struct kernel_run *r, enum fault_kind kind)
{
    if (r->fault.kind != kind)
        fail_msg("fault %d instead of %d: %s", r->fault.kind, kind, r->fault.note);
}

// ---- structure -------------------------------------------------------------------------------------

static void nested_branches_converge(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_KERNEL
            "and.b32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u32 %r9, 0;\n"
            "@%p1 bra EVEN;\n"
            "add.u32 %r9, %r9, 1000;\nsetp.lt.u32 %p2, %r2, 16;\n@%p2 bra LOW;\n"
            "add.u32 %r9, %r9, 100;\nbra.uni MET;\n"
            "LOW:\nadd.u32 %r9, %r9, 10;\n"
            "MET:\nadd.u32 %r9, %r9, 1;\nbra.uni DONE;\n"
            "EVEN:\nadd.u32 %r9, %r9, 5;\n"
            "DONE:\nactivemask.b32 %r10;\nst.global.u32 [%rd2], %r9;\nst.global.u32 [%rd2+128], %r10;\n"
            "ret;\n}\n",
            32);
    const uint32_t *out = r.buffer;
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], i % 2 == 0 ? 5 : i < 16 ? 1011 : 1101);
        assert_int_equal(out[32 + i], 0xffffffff); // all lanes are together again
    }
    kernel_run_end(&r);
}

static void loops_of_different_length_converge(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_KERNEL
            "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\n"
            "LOOP:\nadd.u32 %r5, %r5, %r4;\nadd.u32 %r4, %r4, 1;\nsetp.le.u32 %p1, %r4, %r2;\n"
            "@%p1 bra LOOP;\n"
            "activemask.b32 %r10;\nst.global.u32 [%rd2], %r5;\nst.global.u32 [%rd2+128], %r10;\nret;\n}\n",
            32);
    const uint32_t *out = r.buffer;
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], i * (i + 1) / 2);
        assert_int_equal(out[32 + i], 0xffffffff);
    }
    kernel_run_end(&r);
}

static void break_and_continue(void **state)
{
    (void)state;
    // for (i = 0; i < 20; i++) { if (i == lane) break; if (i & 1) continue; sum += i; }
    struct kernel_run r = run(
        PTX_KERNEL "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\n"
                   "LOOP:\nsetp.eq.u32 %p1, %r4, %r2;\n@%p1 bra OUT;\n"
                   "and.b32 %r6, %r4, 1;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 bra NEXT;\n"
                   "add.u32 %r5, %r5, %r4;\n"
                   "NEXT:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 20;\n@%p3 bra LOOP;\n"
                   "OUT:\nactivemask.b32 %r10;\nst.global.u32 [%rd2], %r5;\nst.global.u32 [%rd2+128], %r10;\n"
                   "ret;\n}\n",
        32);
    const uint32_t *out = r.buffer;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 20 && i != lane; i++)
            sum += i & 1 ? 0 : i;
        assert_int_equal(out[lane], sum);
        assert_int_equal(out[32 + lane], 0xffffffff);
    }
    kernel_run_end(&r);
}

static void every_lane_its_own_way(void **state)
{
    (void)state;
    // A binary tree of branches: 32 splits at its leaves, each leaf stores its lane.
    char text[16384];
    size_t n = 0;
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", PTX_KERNEL);
    for (int leaf = 0; leaf < 31; leaf++)
        n += (size_t)snprintf(text + n, sizeof text - n, "setp.eq.u32 %%p1, %%r2, %d;\n@%%p1 bra L%d;\n",
                              leaf, leaf);
    n += (size_t)snprintf(text + n, sizeof text - n, "mov.u32 %%r5, 31;\nbra.uni END;\n");
    for (int leaf = 0; leaf < 31; leaf++)
        n += (size_t)snprintf(text + n, sizeof text - n, "L%d:\nmov.u32 %%r5, %d;\nbra.uni END;\n", leaf,
                              leaf);
    snprintf(text + n, sizeof text - n,
             "END:\nactivemask.b32 %%r10;\nst.global.u32 [%%rd2], %%r5;\nst.global.u32 [%%rd2+128], "
             "%%r10;\nret;\n}\n");
    struct kernel_run r = run(text, 32);
    const uint32_t *out = r.buffer;
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], i);
        assert_int_equal(out[32 + i], 0xffffffff);
    }
    kernel_run_end(&r);
}

static void indexed_branch(void **state)
{
    (void)state;
    struct kernel_run r = run(
        PTX_KERNEL "and.b32 %r3, %r2, 3;\nTABLE: .branchtargets A, B, C, D;\nbrx.idx %r3, TABLE;\n"
                   "A:\nmov.u32 %r5, 10;\nbra.uni END;\nB:\nmov.u32 %r5, 11;\nbra.uni END;\n"
                   "C:\nmov.u32 %r5, 12;\nbra.uni END;\nD:\nmov.u32 %r5, 13;\n"
                   "END:\nactivemask.b32 %r10;\nst.global.u32 [%rd2], %r5;\nst.global.u32 [%rd2+128], %r10;\n"
                   "ret;\n}\n",
        32);
    const uint32_t *out = r.buffer;
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], 10 + i % 4);
        assert_int_equal(out[32 + i], 0xffffffff);
    }
    kernel_run_end(&r);
}

// ---- progress --------------------------------------------------------------------------------------

#define LOCKED_ADD(space, lock, counter)                                                               \
    "SPIN:\natom." space ".cas.b32 %r5, [" lock "], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra SPIN;\n" \
    "ld.volatile." space ".u32 %r6, [" counter "];\nadd.u32 %r6, %r6, 1;\nst.volatile." space          \
    ".u32 [" counter "], %r6;\n"                                                                       \
    "membar.gl;\natom." space ".exch.b32 %r7, [" lock "], 0;\n"

static void spin_lock_in_global_memory(void **state)
{
    (void)state;
    struct kernel_run r = run(PTX_KERNEL LOCKED_ADD("global", "%rd1", "%rd1+4") "ret;\n}\n", 32);
    expect_fault(&r, FAULT_NONE);
    assert_int_equal(((uint32_t *)r.buffer)[1], 32);
    kernel_run_end(&r);
}

static void spin_lock_of_several_warps_and_blocks(void **state)
{
    (void)state;
    struct kernel_run r = {.text = PTX_KERNEL LOCKED_ADD("global", "%rd1", "%rd1+4") "ret;\n}\n",
                           .threads = {64, 1, 1},
                           .blocks = 2,
                           .bytes = 4096};
    kernel_run(&r);
    expect_fault(&r, FAULT_NONE);
    assert_int_equal(((uint32_t *)r.buffer)[1], 128);
    kernel_run_end(&r);
}

static void spin_lock_in_shared_memory(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_KERNEL ".shared .align 4 .b8 s[8];\nmov.u32 %r20, s;\n"
                       "setp.ne.u32 %p5, %r2, 0;\n@%p5 bra START;\nst.shared.u32 [%r20], 0;\n"
                       "st.shared.u32 [%r20+4], 0;\nSTART:\nbar.sync 0;\n" LOCKED_ADD(
                           "shared", "%r20", "%r20+4") "bar.sync 0;\nld.shared.u32 %r8, [%r20+4];\n"
                                                       "st.global.u32 [%rd2], %r8;\nret;\n}\n",
            64);
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], 64);
    kernel_run_end(&r);
}

static void a_lane_waits_for_its_sibling(void **state)
{
    (void)state;
    // Lane 0 waits for a flag that lane 1 sets in the other branch, which comes later in the program.
    struct kernel_run r =
        run(PTX_KERNEL
            "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra OTHERS;\n"
            "WAIT:\nld.volatile.global.u32 %r5, [%rd1+256];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\n"
            "st.global.u32 [%rd1], %r5;\nbra.uni END;\n"
            "OTHERS:\nst.volatile.global.u32 [%rd1+256], 7;\nEND:\nret;\n}\n",
            32);
    expect_fault(&r, FAULT_NONE);
    assert_int_equal(((uint32_t *)r.buffer)[0], 7);
    kernel_run_end(&r);
}

// ---- exits, calls ----------------------------------------------------------------------------------

static void lanes_exit_in_a_branch(void **state)
{
    (void)state;
    struct kernel_run r = run(
        PTX_KERNEL "setp.lt.u32 %p1, %r2, 20;\n@%p1 bra STAY;\nmov.u32 %r5, 99;\nst.global.u32 [%rd2], %r5;\n"
                   "exit;\nSTAY:\nactivemask.b32 %r5;\nst.global.u32 [%rd2], %r5;\nbar.sync 0;\n"
                   "st.global.u32 [%rd2+256], %r5;\nret;\n}\n",
        64);
    const uint32_t *out = r.buffer;
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(out[i], i % 32 < 20 ? 0xfffff : 99);
        assert_int_equal(out[64 + i], i % 32 < 20 ? 0xfffff : 0);
    }
    kernel_run_end(&r);
}

static void recursion(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_HEAD ".func (.param .b32 out) fib(.param .b32 n)\n{\n.reg .b32 %r<10>;\n.reg .pred %p<3>;\n"
                     "ld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra LEAF;\n"
                     "sub.u32 %r2, %r1, 1;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\n"
                     "call.uni (b), fib, (a);\nld.param.b32 %r3, [b];\n}\nsub.u32 %r2, %r1, 2;\n"
                     "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\n"
                     "call.uni (b), fib, (a);\nld.param.b32 %r4, [b];\n}\n"
                     "add.u32 %r5, %r3, %r4;\nst.param.b32 [out], %r5;\nret;\n"
                     "LEAF:\nst.param.b32 [out], %r1;\nret;\n}\n"
                     ".visible .entry k(.param .u64 buffer)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
                     "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                     "add.s64 %rd2, %rd1, %rd2;\nand.b32 %r2, %r1, 15;\n"
                     "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\n"
                     "call.uni (b), fib, (a);\nld.param.b32 %r3, [b];\n}\n"
                     "activemask.b32 %r10;\nst.global.u32 [%rd2], %r3;\nst.global.u32 [%rd2+128], %r10;\n"
                     "ret;\n}\n",
            32);
    const uint32_t *out = r.buffer;
    uint32_t fib[16] = {0, 1};
    for (int i = 2; i < 16; i++)
        fib[i] = fib[i - 1] + fib[i - 2];
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], fib[i % 16]);
        assert_int_equal(out[32 + i], 0xffffffff);
    }
    kernel_run_end(&r);
}

static void endless_recursion_is_a_fault(void **state)
{
    (void)state;
    struct kernel_run r = run(
        PTX_HEAD ".func f(.param .b32 n)\n{\n.reg .b32 %r<10>;\nld.param.u32 %r1, [n];\n"
                 "add.u32 %r1, %r1, 1;\n{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall.uni f, (a);\n}\n"
                 "ret;\n}\n.visible .entry k(.param .u64 buffer)\n{\n.reg .b32 %r<4>;\n"
                 "{\n.param .b32 a;\nmov.u32 %r1, 0;\nst.param.b32 [a], %r1;\ncall.uni f, (a);\n}\nret;\n}\n",
        32);
    expect_fault(&r, FAULT_STACK);
    kernel_run_end(&r);
}

static void exit_inside_a_function(void **state)
{
    (void)state;
    struct kernel_run r =
        run(PTX_HEAD ".func f(.param .b32 n)\n{\n.reg .b32 %r<10>;\n.reg .pred %p<3>;\n"
                     "ld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 exit;\nret;\n}\n"
                     ".visible .entry k(.param .u64 buffer)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
                     "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                     "add.s64 %rd2, %rd1, %rd2;\n"
                     "{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall.uni f, (a);\n}\n"
                     "activemask.b32 %r10;\nst.global.u32 [%rd2], %r10;\nret;\n}\n",
            32);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)r.buffer)[i], i < 8 ? 0 : 0xffffff00);
    kernel_run_end(&r);
}

static void indirect_calls_by_lane(void **state)
{
    (void)state;
    struct kernel_run r = run(
        PTX_HEAD
        ".func (.param .b32 out) twice(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\n"
        "add.u32 %r1, %r1, %r1;\nst.param.b32 [out], %r1;\nret;\n}\n"
        ".func (.param .b32 out) plus(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\n"
        "add.u32 %r1, %r1, 100;\nst.param.b32 [out], %r1;\nret;\n}\n"
        ".visible .entry k(.param .u64 buffer)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"
        "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
        "add.s64 %rd2, %rd1, %rd2;\nmov.u64 %rd3, twice;\nmov.u64 %rd4, plus;\n"
        "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\nselp.b64 %rd5, %rd3, %rd4, %p1;\n"
        "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (b), %rd5, (a), proto;\nld.param.b32 %r3, [b];\n}\n"
        "activemask.b32 %r10;\nst.global.u32 [%rd2], %r3;\nst.global.u32 [%rd2+128], %r10;\nret;\n}\n",
        32);
    const uint32_t *out = r.buffer;
    expect_fault(&r, FAULT_NONE);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], i % 2 ? i + 100 : 2 * i);
        assert_int_equal(out[32 + i], 0xffffffff);
    }
    kernel_run_end(&r);
}

static void trap_is_a_fault(void **state)
{
    (void)state;
    struct kernel_run r = run(PTX_KERNEL "setp.eq.u32 %p1, %r1, 37;\n@%p1 trap;\nret;\n}\n", 64);
    expect_fault(&r, FAULT_TRAP);
    assert_int_equal(r.fault.thread[0], 37);
    assert_int_equal(r.fault.lane, 5);
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_branches_converge),
        cmocka_unit_test(loops_of_different_length_converge),
        cmocka_unit_test(break_and_continue),
        cmocka_unit_test(every_lane_its_own_way),
        cmocka_unit_test(indexed_branch),
        cmocka_unit_test(spin_lock_in_global_memory),
        cmocka_unit_test(spin_lock_of_several_warps_and_blocks),
        cmocka_unit_test(spin_lock_in_shared_memory),
        cmocka_unit_test(a_lane_waits_for_its_sibling),
        cmocka_unit_test(lanes_exit_in_a_branch),
        cmocka_unit_test(recursion),
        cmocka_unit_test(endless_recursion_is_a_fault),
        cmocka_unit_test(exit_inside_a_function),
        cmocka_unit_test(indirect_calls_by_lane),
        cmocka_unit_test(trap_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
