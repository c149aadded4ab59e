// Small instructions that no other file runs: fences, hints, moves of parts, the less usual names of
// barriers.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

static void run(const char *body, uint32_t *out)
{
    char text[4096];
    kernel_text(text, sizeof text, "$B\nst.global.u32 [%rd2], %r4;\n", 'B', body, 0);
    struct kernel_run r = {.text = text, .threads = {64, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s: fault %d", body, r.fault.kind);
    memcpy(out, r.buffer, 64 * sizeof *out);
    kernel_run_end(&r);
}

static void expect(const char *body, uint32_t (*want)(uint32_t thread))
{
    uint32_t out[64];
    run(body, out);
    for (uint32_t i = 0; i < 64; i++)
        if (out[i] != want(i))
            fail_msg("%s: thread %u has %u instead of %u", body, i, out[i], want(i));
}

static uint32_t itself(uint32_t thread)
{
    return thread;
}
static uint32_t packed(uint32_t thread)
{
    return thread << 16 | (thread + 1);
}
static uint32_t sum_of_halves(uint32_t thread)
{
    return thread + 0x1234 + thread;
}
static uint32_t fourth_byte(uint32_t thread)
{
    return thread + 7;
}

static void hints_and_fences_change_nothing(void **state)
{
    (void)state;
    expect("mov.u32 %r4, %r1;\nprefetch.global.L2 [%rd1];\nprefetch.global.L1 [%rd1];\nprefetchu.L1 [%rd1];\n"
           "red.global.add.u32 [%rd1+512], "
           "1;\nfence.acq_rel.gpu;\nfence.sc.cta;\nmembar.cta;\nmembar.sys;\nnanosleep.u32 100;\n"
           "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\nsetmaxnreg.dec.sync.aligned.u32 40;\n"
           "setmaxnreg.inc.sync.aligned.u32 232;\npmevent 7;\nsetp.eq.u32 %p1, %r1, 1000;\n@%p1 brkpt;\n",
           itself);
}

static void policies_and_proxies_change_nothing(void **state)
{
    (void)state;
    expect("mov.u32 %r4, %r1;\ncreatepolicy.fractional.L2::evict_first.b64 %rd5, 1.0;\n"
           "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd6;\n"
           "createpolicy.range.global.L2::evict_last.b64 %rd7, [%rd1], 64, 128;\ncreatepolicy.cvt.L2.b64 "
           "%rd8, %rd5;\n"
           "ld.global.L1::evict_last.L2::cache_hint.u32 %r5, [%rd2+1024], %rd5;\n"
           "st.global.L2::cache_hint.u32 [%rd2+1024], %r5, %rd6;\ndiscard.global.L2 [%rd1+2048], 128;\n"
           "applypriority.global.L2::evict_normal [%rd1+2048], 128;\nprefetch.global.L2::evict_last [%rd1];\n"
           "prefetch.tensormap [%rd1];\nprefetch.param.tensormap "
           "[%rd1];\nfence.proxy.alias;\nfence.proxy.async;\n"
           "fence.proxy.async.shared::cta;\nfence.proxy.async.global;\nfence.mbarrier_init.release.cluster;\n"
           "fence.proxy.tensormap::generic.acquire.gpu [%rd1], "
           "128;\nfence.proxy.tensormap::generic.release.cta;\n"
           "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
           "fence.acquire.sync_restrict::shared::cluster.cluster;\nfence.acq_rel.cluster;",
           itself);
}

// vote and shfl as they were before .sync: of the lanes that are there.
static uint32_t third(uint32_t thread)
{
    uint32_t lane = thread % 32;
    return lane < 12 ? (lane ^ 1) + 100 * 0x00f : lane;
}
static void without_sync(void **state)
{
    (void)state;
    expect("setp.ge.u32 %p1, %r2, 12;\nmov.u32 %r4, %r2;\n@%p1 bra END;\nsetp.lt.u32 %p2, %r2, 4;\n"
           "vote.ballot.b32 %r5, %p2;\nvote.any.pred %p3, %p2;\nvote.all.pred %p4, %p2;\nvote.uni.pred %p5, "
           "%p2;\n"
           "shfl.bfly.b32 %r6, %r2, 1, 31;\nshfl.idx.b32 %r7|%p6, %r2, 0, 31;\nshfl.up.b32 %r8, %r7, 0, 0;\n"
           "shfl.down.b32 %r9, %r8, 0, 31;\nadd.u32 %r6, %r6, %r9;\nmul.lo.u32 %r5, %r5, 100;\n"
           "add.u32 %r4, %r5, %r6;\nselp.u32 %r10, 0, 5000, %p3;\nadd.u32 %r4, %r4, %r10;\n"
           "selp.u32 %r10, 5000, 0, %p4;\nadd.u32 %r4, %r4, %r10;\nselp.u32 %r10, 5000, 0, %p5;\n"
           "add.u32 %r4, %r4, %r10;\nEND:",
           third);
}

static void moves_of_parts(void **state)
{
    (void)state;
    expect("cvt.u16.u32 %h1, %r1;\nadd.u16 %h2, %h1, 1;\nmov.b32 %r4, {%h2, %h1};", packed);
    expect(
        "add.u32 %r5, %r1, 0x12340000;\nmov.u32 %r6, %r5;\nor.b32 %r6, %r6, %r1;\nmov.b32 {%h1, %h2}, %r6;\n"
        "cvt.u32.u16 %r7, %h1;\ncvt.u32.u16 %r8, %h2;\nadd.u32 %r4, %r7, %r8;\nadd.u32 %r4, %r4, %r1;",
        sum_of_halves);
    expect("mov.b64 %rd5, {%r2, %r1};\nshr.u64 %rd6, %rd5, 32;\ncvt.u32.u64 %r4, %rd6;\nmov.b64 {%r7, %r8}, "
           "%rd5;\n"
           "xor.b32 %r4, %r4, %r8;\nadd.u32 %r4, %r4, %r8;",
           itself);
    expect("add.u32 %r5, %r1, 7;\nshl.b32 %r5, %r5, 24;\nmov.b32 {%h1, %h2}, %r5;\nshr.u16 %h2, %h2, "
           "8;\ncvt.u32.u16 %r4, %h2;",
           fourth_byte);
}

static uint32_t swapped(uint32_t thread)
{
    return (thread + 3) << 16 | (thread + 1);
}
static void moves_of_vectors(void **state)
{
    (void)state;
    expect(".reg .v4 .u16 %v;\ncvt.u16.u32 %h1, %r1;\nadd.u16 %h2, %h1, 1;\nadd.u16 %h3, %h1, 2;\nadd.u16 "
           "%h4, %h1, "
           "3;\nmov.v4.u16 %v, {%h1, %h2, %h3, %h4};\nmov.v4.u16 {%h5, %h6, _, %h7}, %v;\nmov.b32 %r4, {%h6, "
           "%h7};",
           swapped);
    expect(".reg .v2 .u32 %w;\n.reg .v2 .f64 %y;\nadd.u32 %r5, %r1, 5;\nmov.u32 %r4, 7;\nmov.v2.u32 {%r4, "
           "%r5}, {%r5, "
           "%r4};\nmov.v2.u32 %w, {%r4, %r5};\nsub.u32 %r4, %w.x, 5;\ncvt.rn.f64.u32 %d1, %r4;\nmov.v2.f64 "
           "%y, {%d1, "
           "%d1};\ncvt.rzi.u32.f64 %r4, %y.y;",
           itself);
}

static void names_of_barriers(void **state)
{
    (void)state;
    expect("mov.u32 %r4, %r1;\nbar.cta.sync 0;\nbarrier.cta.sync 1;\nbarrier.cta.sync.aligned "
           "1;\nsetp.ge.u32 %p1, %r1, 32;\n"
           "@%p1 bra.uni SECOND;\nbarrier.arrive 2, 64;\nbarrier.cta.arrive 3, 64;\nbra.uni END;\n"
           "SECOND:\nbarrier.sync 2, 64;\nbarrier.sync 3, 64;\nEND:",
           itself);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_and_fences_change_nothing),
        cmocka_unit_test(policies_and_proxies_change_nothing),
        cmocka_unit_test(without_sync),
        cmocka_unit_test(moves_of_parts),
        cmocka_unit_test(moves_of_vectors),
        cmocka_unit_test(names_of_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
