// shfl, vote, match, redux, elect, activemask, and special registers: 32 lanes against plain C.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <stdio.h>
#include <string.h>

// Input: words 0..31, results at 32.. (r4) and 64.. (p1 as 0/1); the text reads %r3 = own word.
static void fill(void *buffer)
{
    uint32_t *words = buffer, x = 2463534242u;
    for (uint32_t i = 0; i < 32; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        words[i] = i % 3 ? x : words[i / 2];
    }
}

static struct kernel_run run(const char *body)
{
    char text[4096];
    kernel_text(text, sizeof text,
                "ld.global.u32 %r3, [%rd2];\nmov.u32 %r4, 0;\nsetp.ne.u32 %p1, %r4, %r4;\n$B\n"
                "st.global.u32 [%rd2+128], %r4;\nselp.u32 %r5, 1, 0, %p1;\nst.global.u32 [%rd2+256], %r5;\n",
                'B', body, 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096, .fill = fill};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s: fault %d", body, r.fault.kind);
    return r;
}

// ---- shuffle: as the CUDA guide describes the four functions, over groups of `width` lanes ---------

static int wanted_lane(const char *mode, int lane, int delta, int width)
{
    int first = lane / width * width, last = first + width - 1;
    int j = strcmp(mode, "up") == 0     ? lane - delta
            : strcmp(mode, "down") == 0 ? lane + delta
            : strcmp(mode, "bfly") == 0 ? lane ^ delta
                                        : first + delta % width;
    if (strcmp(mode, "up") == 0)
        return j < first ? -1 : j;
    return j > last ? -1 : j;
}

static void shuffles(void **state)
{
    (void)state;
    static const char *const modes[] = {"idx", "up", "down", "bfly"};
    for (size_t m = 0; m < 4; m++) {
        for (int width = 2; width <= 32; width *= 2) {
            for (int delta = 0; delta < 32; delta += 1 + delta / 4) {
                char body[256];
                int c = (32 - width) << 8 | (strcmp(modes[m], "up") == 0 ? 0 : 31);
                snprintf(body, sizeof body, "shfl.sync.%s.b32 %%r4|%%p1, %%r3, %d, %d, -1;", modes[m], delta,
                         c);
                struct kernel_run r = run(body);
                const uint32_t *words = r.buffer;
                for (int lane = 0; lane < 32; lane++) {
                    int from = wanted_lane(modes[m], lane, delta, width);
                    assert_int_equal(words[64 + lane], from >= 0);
                    assert_int_equal(words[32 + lane], words[from >= 0 ? from : lane]);
                }
                kernel_run_end(&r);
            }
        }
    }
}

// ---- votes and reductions over members -------------------------------------------------------------

static void votes(void **state)
{
    (void)state;
    struct kernel_run r =
        run("setp.lt.u32 %p2, %r2, 12;\nsetp.lt.u32 %p3, %r2, 40;\nvote.sync.all.pred %p4, %p2, -1;\n"
            "vote.sync.any.pred %p5, %p2, -1;\nvote.sync.uni.pred %p6, %p2, -1;\nvote.sync.all.pred %p7, "
            "%p3, -1;\n"
            "vote.sync.uni.pred %p8, !%p3, -1;\nvote.sync.any.pred %p9, !%p3, -1;\n"
            "vote.sync.ballot.b32 %r6, !%p2, -1;\nselp.u32 %r7, 1, 0, %p4;\nselp.u32 %r8, 2, 0, %p5;\n"
            "selp.u32 %r9, 4, 0, %p6;\nselp.u32 %r10, 8, 0, %p7;\nselp.u32 %r11, 16, 0, %p8;\n"
            "selp.u32 %r12, 32, 0, %p9;\nadd.u32 %r4, %r7, %r8;\nadd.u32 %r4, %r4, %r9;\nadd.u32 %r4, %r4, "
            "%r10;\n"
            "add.u32 %r4, %r4, %r11;\nadd.u32 %r4, %r4, %r12;\nxor.b32 %r4, %r4, %r6;\n");
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)r.buffer)[32 + i], 0xfffff000u ^ (2 | 8 | 16));
    kernel_run_end(&r);
}

static uint32_t reduced(const char *op, const uint32_t *words, uint32_t members)
{
    uint32_t sum = 0, all = ~0u, any = 0, odd = 0, low = ~0u, high = 0;
    int32_t slow = INT32_MAX, shigh = INT32_MIN;
    for (int i = 0; i < 32; i++) {
        if (!(members >> i & 1))
            continue;
        sum += words[i], all &= words[i], any |= words[i], odd ^= words[i];
        low = words[i] < low ? words[i] : low;
        high = words[i] > high ? words[i] : high;
        slow = (int32_t)words[i] < slow ? (int32_t)words[i] : slow;
        shigh = (int32_t)words[i] > shigh ? (int32_t)words[i] : shigh;
    }
    return strncmp(op, "add", 3) == 0   ? sum
           : strncmp(op, "and", 3) == 0 ? all
           : strncmp(op, "or", 2) == 0  ? any
           : strncmp(op, "xor", 3) == 0 ? odd
           : strcmp(op, "min.u32") == 0 ? low
           : strcmp(op, "max.u32") == 0 ? high
           : strcmp(op, "min.s32") == 0 ? (uint32_t)slow
                                        : (uint32_t)shigh;
}

static void reductions(void **state)
{
    (void)state;
    static const char *const ops[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                      "max.s32", "and.b32", "or.b32",  "xor.b32"};
    static const uint32_t members[] = {0xffffffff, 0x0000ffff, 0x80000001, 0x00f0f000};
    for (size_t o = 0; o < N_ELEMENTS(ops); o++) {
        for (size_t m = 0; m < N_ELEMENTS(members); m++) {
            char body[512];
            snprintf(body, sizeof body,
                     "mov.u32 %%r6, %%lanemask_eq;\nand.b32 %%r6, %%r6, 0x%x;\nsetp.ne.u32 %%p2, %%r6, 0;\n"
                     "@%%p2 redux.sync.%s %%r4, %%r3, 0x%x;",
                     members[m], ops[o], members[m]);
            struct kernel_run r = run(body);
            const uint32_t *words = r.buffer;
            for (uint32_t i = 0; i < 32; i++)
                assert_int_equal(words[32 + i], members[m] >> i & 1 ? reduced(ops[o], words, members[m]) : 0);
            kernel_run_end(&r);
        }
    }
}

static void matches(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool is_all, are_equal;
    } cases[] = {
        {"match.any.sync.b32 %r4, %r3, -1;", false, false},
        {"cvt.u64.u32 %rd5, %r3;\nshl.b64 %rd5, %rd5, 20;\nmatch.any.sync.b64 %r4, %rd5, -1;", false, false},
        {"match.all.sync.b32 %r4|%p1, %r3, -1;", true, false},
        {"mov.u32 %r6, 77;\nmatch.all.sync.b32 %r4|%p1, %r6, -1;", true, true},
        {"mov.u64 %rd5, 0x700000001;\nmatch.all.sync.b64 %r4|%p1, %rd5, -1;", true, true},
        {"cvt.u64.u32 %rd5, %r3;\nmatch.all.sync.b64 %r4, %rd5, -1;", true, false},
    };
    for (size_t k = 0; k < N_ELEMENTS(cases); k++) {
        struct kernel_run r = run(cases[k].body);
        const uint32_t *words = r.buffer;
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t same = 0;
            for (uint32_t j = 0; j < 32; j++)
                same |= (uint32_t)(words[i] == words[j]) << j;
            uint32_t want = cases[k].is_all ? (cases[k].are_equal ? 0xffffffff : 0) : same;
            assert_int_equal(words[32 + i], want);
            assert_int_equal(words[64 + i], cases[k].are_equal);
        }
        kernel_run_end(&r);
    }
}

static void election_and_active_lanes(void **state)
{
    (void)state;
    struct kernel_run r = run("elect.sync %r4|%p1, 0xffffff00;");
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(((uint32_t *)r.buffer)[32 + i], 8);
        assert_int_equal(((uint32_t *)r.buffer)[64 + i], i == 8);
    }
    kernel_run_end(&r);
    r = run("setp.gt.u32 %p2, %r2, 9;\n@%p2 bra HERE;\nactivemask.b32 %r4;\nHERE:");
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)r.buffer)[32 + i], i <= 9 ? 0x3ff : 0);
    kernel_run_end(&r);
}

// ---- special registers -----------------------------------------------------------------------------

static void special_registers(void **state)
{
    (void)state;
    char text[4096];
    kernel_text(text, sizeof text,
                "mov.u32 %r3, %tid.x;\nmov.u32 %r4, %tid.y;\nmov.u32 %r5, %tid.z;\nmov.u32 %r6, "
                "%ntid.x;\nmov.u32 %r7, %ntid.y;\n"
                "mad.lo.u32 %r8, %r5, %r7, %r4;\nmad.lo.u32 %r8, %r8, %r6, %r3;\nmov.u32 %r9, "
                "%ctaid.x;\nmov.u32 %r10, %nctaid.x;\n"
                "mov.u32 %r11, %warpid;\nshl.b32 %r12, %r11, 5;\nadd.u32 %r12, %r12, %r2;\nmov.u32 %r13, "
                "%lanemask_lt;\n"
                "mov.u32 %r14, %lanemask_ge;\nxor.b32 %r13, %r13, %r14;\nmov.u32 %r15, "
                "%lanemask_le;\nmov.u32 %r16, %lanemask_gt;\n"
                "xor.b32 %r15, %r15, %r16;\nand.b32 %r13, %r13, %r15;\nmad.lo.u32 %r17, %r9, 60, "
                "%r8;\nmul.wide.u32 %rd5, %r17, 16;\n"
                "add.s64 %rd5, %rd1, %rd5;\nst.global.v4.u32 [%rd5], {%r8, %r12, %r13, %r10};\nmov.u64 %rd6, "
                "%clock64;\n"
                "mov.u32 %r20, %clock;\nmov.u64 %rd7, %globaltimer;\nmov.u32 %r21, %ntid.z;\nmov.u32 %r22, "
                "%smid;\nmov.u32 %r23, %nsmid;\n",
                0);
    struct kernel_run r = {.text = text, .threads = {5, 4, 3}, .blocks = 2, .bytes = 4096};
    kernel_run(&r);
    assert_int_equal(r.fault.kind, FAULT_NONE);
    for (uint32_t i = 0; i < 120; i++) {
        const uint32_t *quad = (const uint32_t *)r.buffer + 4 * i;
        assert_int_equal(quad[0], i % 60);
        assert_int_equal(quad[1], i % 60);
        assert_int_equal(quad[2], 0xffffffff);
        assert_int_equal(quad[3], 2);
    }
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles),
        cmocka_unit_test(votes),
        cmocka_unit_test(reductions),
        cmocka_unit_test(matches),
        cmocka_unit_test(election_and_active_lanes),
        cmocka_unit_test(special_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
