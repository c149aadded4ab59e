// Clusters: their barrier, other blocks' shared memory by every kind of access, remote mbarriers, special registers.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

enum { CLUSTER = 4, THREADS = 64, WORDS = CLUSTER * THREADS };

// Shared memory: `s`, a word a thread, and `bar`. %r10 = address of the own word, %r11 = rank, %r12 = the next block's
// rank, %r13 = the own word there (.shared::cluster), %rd13 the same as a generic address, %r20 = s. The word of each
// thread of the grid in the buffer is %r4.
static void run(struct kernel_run *r, const char *body)
{
    static char text[8192];
    kernel_text(text, sizeof text,
                ".shared .align 16 .b8 s[512];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r20, s;\nmad.lo.u32 %r10, %r1, 4, %r20;\n"
                "mov.u32 %r11, %cluster_ctarank;\nmov.u32 %r14, %cluster_nctarank;\nadd.u32 %r12, %r11, 1;\n"
                "rem.u32 %r12, %r12, %r14;\nmapa.shared::cluster.u32 %r13, %r10, %r12;\n"
                "cvt.u64.u32 %rd10, %r10;\ncvta.shared.u64 %rd11, %rd10;\nmapa.u64 %rd13, %rd11, %r12;\n"
                "mov.u32 %r15, %ctaid.x;\nmad.lo.u32 %r16, %r15, 64, %r1;\nmul.wide.u32 %rd14, %r16, 4;\n"
                "add.s64 %rd14, %rd1, %rd14;\nmad.lo.u32 %r17, %r11, 1000, %r1;\nst.shared.u32 [%r10], %r17;\n"
                "mov.u32 %r4, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [bar], 64;\n"
                "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                "$B\nst.global.u32 [%rd14], %r4;\n",
                'B', body, 0);
    *r = (struct kernel_run){
        .text = text, .threads = {THREADS, 1, 1}, .blocks = CLUSTER, .cluster = CLUSTER, .bytes = 4096};
    kernel_run(r);
}

typedef uint32_t wanted(uint32_t rank, uint32_t thread);

static void expect(const char *body, wanted *want)
{
    struct kernel_run r;
    run(&r, body);
    if (r.fault.kind)
        fail_msg("%s: fault %d: %s", body, r.fault.kind, r.fault.note);
    for (uint32_t i = 0; i < WORDS; i++)
        if (((const uint32_t *)r.buffer)[i] != want(i / THREADS, i % THREADS))
            fail_msg("%s\nblock %u thread %u has %u instead of %u", body, i / THREADS, i % THREADS,
                     ((const uint32_t *)r.buffer)[i], want(i / THREADS, i % THREADS));
    kernel_run_end(&r);
}

#define MEET "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"

static uint32_t next_word(uint32_t rank, uint32_t thread)
{
    return (rank + 1) % CLUSTER * 1000 + thread;
}

static uint32_t own_word(uint32_t rank, uint32_t thread)
{
    return rank * 1000 + thread;
}

static uint32_t written_by_previous(uint32_t rank, uint32_t thread)
{
    return (rank + CLUSTER - 1) % CLUSTER * 7 + thread;
}

static void loads_and_stores(void **state)
{
    (void)state;
    expect("ld.shared::cluster.u32 %r4, [%r13];\n" MEET, next_word);
    expect("ld.u32 %r4, [%rd13];\n" MEET, next_word);
    expect("ld.volatile.shared::cluster.u32 %r4, [%r13];\n" MEET, next_word);
    expect("xor.b32 %r5, %r1, 63;\nsub.u32 %r6, %r13, %r10;\nmad.lo.u32 %r7, %r5, 4, %r20;\nadd.u32 %r7, %r7, %r6;\n"
           "ld.shared::cluster.u32 %r4, [%r7];\nsub.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r1;\n" MEET, next_word);
    expect("ld.shared::cluster.u32 %r4, [%r10];\n" MEET, own_word);
    expect("ld.shared::cta.u32 %r4, [%r10];\n" MEET, own_word);
    expect("ld.u32 %r4, [%rd11];\n" MEET, own_word);
    expect("mul.lo.u32 %r5, %r11, 7;\nadd.u32 %r5, %r5, %r1;\nst.shared::cluster.u32 [%r13], %r5;\n" MEET
           "ld.shared.u32 %r4, [%r10];", written_by_previous);
    expect("mul.lo.u32 %r5, %r11, 7;\nadd.u32 %r5, %r5, %r1;\nst.u32 [%rd13], %r5;\n" MEET "ld.shared.u32 %r4, [%r10];",
           written_by_previous);
    expect("mul.lo.u32 %r5, %r11, 7;\nadd.u32 %r5, %r5, %r1;\nst.release.cluster.shared::cluster.u32 [%r13], %r5;\n" MEET
           "ld.acquire.cluster.shared::cluster.u32 %r4, [%r10];", written_by_previous);
}

// Half of the lanes go to another block, half stay: one instruction, two accesses.
static uint32_t mixed(uint32_t rank, uint32_t thread)
{
    return thread % 2 ? next_word(rank, thread) : own_word(rank, thread);
}

static void lanes_of_several_blocks(void **state)
{
    (void)state;
    expect("and.b32 %r5, %r1, 1;\nsetp.ne.u32 %p2, %r5, 0;\nselp.u32 %r6, %r13, %r10, %p2;\n"
           "ld.shared::cluster.u32 %r4, [%r6];\n" MEET, mixed);
    expect("and.b32 %r5, %r1, 1;\nsetp.ne.u32 %p2, %r5, 0;\nselp.b64 %rd6, %rd13, %rd11, %p2;\nld.u32 %r4, [%rd6];\n" MEET,
           mixed);
    // a third of the lanes in global memory
    expect("rem.u32 %r5, %r1, 3;\nsetp.eq.u32 %p2, %r5, 0;\nsetp.eq.u32 %p3, %r5, 1;\nselp.b64 %rd6, %rd13, %rd11, %p2;\n"
           "add.s64 %rd7, %rd1, 2048;\nselp.b64 %rd6, %rd7, %rd6, %p3;\nmov.u32 %r6, 1;\natom.add.u32 %r4, [%rd6], %r6;\n"
           "add.u32 %r7, %r17, 0;\n@%p3 mov.u32 %r4, %r17;\n@%p2 mad.lo.u32 %r8, %r12, 1000, %r1;\n"
           "setp.eq.u32 %p4, %r4, %r8;\n@%p2 selp.u32 %r4, %r17, 0, %p4;\n" MEET, own_word);
}

static uint32_t all_blocks_added(uint32_t rank, uint32_t thread)
{
    return rank * 1000 + thread + CLUSTER * 5;
}

static uint32_t next_exchanged(uint32_t rank, uint32_t thread)
{
    return next_word(rank, thread);
}

static void atomics(void **state)
{
    (void)state;
    static const char *const adds[] = {"atom.shared::cluster.add.u32 %r6, [%r5], 5;",
                                       "red.shared::cluster.add.u32 [%r5], 5;",
                                       "atom.relaxed.cluster.shared::cluster.add.u32 %r6, [%r5], 5;\nadd.u32 %r6, %r6, 1;",
                                       "cvt.u64.u32 %rd5, %r5;\ncvta.shared::cluster.u64 %rd5, %rd5;\nred.add.u32 [%rd5], 5;"};
    for (size_t i = 0; i < N_ELEMENTS(adds); i++) {
        char body[1024];
        snprintf(body, sizeof body,
                 "mov.u32 %%r9, 0;\nNEXT:\nmapa.shared::cluster.u32 %%r5, %%r10, %%r9;\n%s\nadd.u32 %%r9, %%r9, 1;\n"
                 "setp.lt.u32 %%p2, %%r9, 4;\n@%%p2 bra NEXT;\n" MEET "ld.shared.u32 %%r4, [%%r10];",
                 adds[i]);
        expect(body, all_blocks_added);
    }
    expect("atom.shared::cluster.exch.b32 %r4, [%r13], 9;\n" MEET, next_exchanged);
    expect("mad.lo.u32 %r5, %r12, 1000, %r1;\natom.shared::cluster.cas.b32 %r4, [%r13], %r5, 9;\n" MEET, next_exchanged);
}

static uint32_t seven(uint32_t rank, uint32_t thread)
{
    (void)rank;
    (void)thread;
    return 7;
}

// Every thread of the previous block arrives at the own barrier.
static void remote_mbarriers(void **state)
{
    (void)state;
    static const char *const arrivals[] = {
        "mapa.shared::cluster.u32 %r5, %r6, %r12;\nmbarrier.arrive.shared::cluster.b64 _, [%r5];",
        "mapa.shared::cluster.u32 %r5, %r6, %r12;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];",
        "cvt.u64.u32 %rd5, %r6;\ncvta.shared.u64 %rd5, %rd5;\nmapa.u64 %rd5, %rd5, %r12;\nmbarrier.arrive.b64 _, [%rd5];",
        "mapa.shared::cluster.u32 %r5, %r6, %r12;\n"
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r5], 16;\n"
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r5], 16;"};
    for (size_t i = 0; i < N_ELEMENTS(arrivals); i++) {
        char body[1024];
        snprintf(body, sizeof body,
                 "mov.u32 %%r6, bar;\n%s\nW: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p2, [%%r6], 0;\n"
                 "@!%%p2 bra W;\nmov.u32 %%r4, 7;\n" MEET,
                 arrivals[i]);
        expect(body, seven);
    }
}

// Phases follow each other; without .aligned lanes may come one by one; who has left is not waited for.
static void barrier_phases(void **state)
{
    (void)state;
    expect("mov.u32 %r9, 0;\nNEXT:\nmapa.shared::cluster.u32 %r5, %r20, 0;\nsetp.eq.u32 %p3, %r1, 0;\n"
           "@%p3 red.shared::cluster.add.u32 [%r5+256], 1;\n" MEET
           "ld.shared::cluster.u32 %r6, [%r5+256];\nadd.u32 %r9, %r9, 1;\nmul.lo.u32 %r7, %r9, 4;\n"
           "setp.ne.u32 %p2, %r6, %r7;\n@%p2 trap;\n" MEET "setp.lt.u32 %p2, %r9, 5;\n@%p2 bra NEXT;\nmov.u32 %r4, 7;", seven);
    expect("and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra EVEN;\nbarrier.cluster.arrive.relaxed;\n"
           "barrier.cluster.wait;\nbra END;\nEVEN:\nbarrier.cluster.arrive;\nbarrier.cluster.wait.acquire;\nEND:\n"
           "mov.u32 %r4, 7;", seven);
    expect("mov.u32 %r4, 7;\nst.global.u32 [%rd14], %r4;\nsetp.eq.u32 %p2, %r11, 2;\n@%p2 exit;\n" MEET, seven);
    expect("mov.u32 %r4, 7;\nst.global.u32 [%rd14], %r4;\nsetp.lt.u32 %p2, %r1, 40;\nbarrier.cluster.arrive.aligned;\n@%p2 exit;\n"
           "barrier.cluster.wait.aligned;\n", seven);
}

static uint32_t ranks(uint32_t rank, uint32_t thread)
{
    (void)thread;
    return rank | (rank + 1) % CLUSTER << 4 | rank << 8 | CLUSTER << 12 | 1 << 16 | 13 << 20;
}

static void registers_and_addresses(void **state)
{
    (void)state;
    expect("getctarank.u64 %r5, %rd11;\ngetctarank.shared::cluster.u32 %r6, %r13;\nmov.u32 %r7, %cluster_ctaid.x;\n"
           "mov.u32 %r8, %cluster_nctaid.x;\nmov.pred %p5, %is_explicit_cluster;\nselp.u32 %r9, 1, 0, %p5;\n"
           "isspacep.shared::cta %p2, %rd11;\nisspacep.shared::cta %p3, %rd13;\nisspacep.shared::cluster %p4, %rd13;\n"
           "isspacep.shared::cluster %p6, %rd11;\nselp.u32 %r21, 1, 0, %p2;\n@%p3 add.u32 %r21, %r21, 2;\n"
           "@%p4 add.u32 %r21, %r21, 4;\n@%p6 add.u32 %r21, %r21, 8;\n"
           "mad.lo.u32 %r4, %r6, 16, %r5;\nmad.lo.u32 %r4, %r7, 256, %r4;\nmad.lo.u32 %r4, %r8, 4096, %r4;\n"
           "mad.lo.u32 %r4, %r9, 65536, %r4;\nmad.lo.u32 %r4, %r21, 1048576, %r4;\n" MEET, ranks);
}

static void what_is_wrong_faults(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum fault_kind kind;
    } cases[] = {
        {"mapa.shared::cluster.u32 %r5, %r10, 4;\nld.shared::cluster.u32 %r4, [%r5];", FAULT_NO_BLOCK},
        {"mapa.shared::cluster.u32 %r5, %r10, 9;\nst.shared::cluster.u32 [%r5], %r4;", FAULT_NO_BLOCK},
        {"ld.shared::cluster.u32 %r4, [%r13+8192];", FAULT_SHARED_BOUNDS},
        {"ld.shared::cluster.u32 %r4, [%r13+2];", FAULT_MISALIGNED},
        {"ld.shared.u32 %r4, [%r13];", FAULT_SHARED_BOUNDS},
        {"setp.eq.u32 %p2, %r11, 0;\n@!%p2 bra WAIT;\nexit;\nWAIT:\nmov.u32 %r9, 0;\nL: add.u32 %r9, %r9, 1;\n"
         "setp.lt.u32 %p3, %r9, 200;\n@%p3 bra L;\nmapa.shared::cluster.u32 %r5, %r10, 0;\nld.shared::cluster.u32 %r4, [%r5];",
         FAULT_NO_BLOCK},
        {"setp.eq.u32 %p2, %r11, 0;\n@%p2 bra L;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nL: bar.sync 1, 128;",
         FAULT_DEADLOCK},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct kernel_run r;
        run(&r, cases[i].body);
        if (r.fault.kind != cases[i].kind)
            fail_msg("%s: fault %d instead of %d", cases[i].body, r.fault.kind, cases[i].kind);
        kernel_run_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores),        cmocka_unit_test(lanes_of_several_blocks),
        cmocka_unit_test(atomics),                 cmocka_unit_test(remote_mbarriers),
        cmocka_unit_test(barrier_phases),          cmocka_unit_test(registers_and_addresses),
        cmocka_unit_test(what_is_wrong_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
