// alloca, stacksave, stackrestore: memory of each thread's own, aligned, apart from local variables and from what called
// functions have, and given back.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <stdio.h>

static char text[8192];

static uint32_t *run_body(struct kernel_run *r, const char *functions, const char *body)
{
    snprintf(text, sizeof text,
             PTX_HEAD "%s.visible .entry k(.param .u64 buffer)\n{\n.local .align 8 .b8 own[16];\n.reg .b32 %%r<30>;\n"
                      ".reg .b64 %%rd<30>;\n.reg .pred %%p<5>;\nld.param.u64 %%rd1, [buffer];\nmov.u32 %%r1, %%tid.x;\n"
                      "mul.wide.u32 %%rd2, %%r1, 4;\nadd.s64 %%rd2, %%rd1, %%rd2;\n%sret;\n}\n",
             functions, body);
    *r = (struct kernel_run){.text = text, .threads = {32, 1, 1}, .bytes = 512};
    kernel_run(r);
    assert_int_equal(r->fault.kind, FAULT_NONE);
    return r->buffer;
}

// Sums of an array of a length of the thread's own, beside a local variable that stays what it was.
static void each_thread_has_its_own(void **state)
{
    (void)state;
    struct kernel_run r;
    const uint32_t *out = run_body(&r, "",
                                   "mov.u64 %rd3, 77;\nst.local.u64 [own+8], %rd3;\nadd.u32 %r2, %r1, 1;\n"
                                   "mul.wide.u32 %rd4, %r2, 4;\nstacksave.u64 %rd9;\nalloca.u64 %rd5, %rd4, 16;\n"
                                   "mov.u32 %r3, 0;\nfill:\nmul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd6, %rd5, %rd6;\n"
                                   "add.u32 %r4, %r3, %r1;\nst.local.u32 [%rd6], %r4;\nadd.u32 %r3, %r3, 1;\n"
                                   "setp.lt.u32 %p1, %r3, %r2;\n@%p1 bra fill;\nmov.u32 %r3, 0;\nmov.u32 %r5, 0;\nsum:\n"
                                   "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd6, %rd5, %rd6;\nld.local.u32 %r4, [%rd6];\n"
                                   "add.u32 %r5, %r5, %r4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r2;\n"
                                   "@%p1 bra sum;\nstackrestore.u64 %rd9;\nalloca.u64 %rd7, %rd4, 16;\n"
                                   "setp.ne.u64 %p1, %rd7, %rd5;\n@%p1 add.u32 %r5, %r5, 100000;\n"
                                   "and.b64 %rd8, %rd5, 15;\nsetp.ne.u64 %p1, %rd8, 0;\n@%p1 add.u32 %r5, %r5, 200000;\n"
                                   "ld.local.u32 %r6, [own+8];\nsetp.ne.u32 %p1, %r6, 77;\n"
                                   "@%p1 add.u32 %r5, %r5, 400000;\nst.global.u32 [%rd2], %r5;\n");
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i * (i + 1) / 2 + i * (i + 1));
    kernel_run_end(&r);
}

// A called function's local variable lies behind what its caller has allocated, and its own alloca behind that; addresses are
// generic here, and of 32 bits in the function.
static void called_functions_lie_behind(void **state)
{
    (void)state;
    struct kernel_run r;
    const uint32_t *out =
        run_body(&r,
                 ".func (.param .b32 r) f(.param .b32 n)\n{\n.local .align 4 .b8 v[64];\n.reg .b32 %x<9>;\n.reg .pred %q;\n"
                 "ld.param.u32 %x1, [n];\nmov.u32 %x2, 5;\nst.local.u32 [v+60], %x2;\nstacksave.u32 %x8;\n"
                 "alloca.u32 %x3, %x1;\nst.local.u32 [%x3], %x1;\nld.local.u32 %x4, [v+60];\nld.local.u32 %x5, [%x3];\n"
                 "stackrestore.u32 %x8;\nadd.u32 %x4, %x4, %x5;\nst.param.b32 [r], %x4;\nret;\n}\n",
                 "mov.u64 %rd4, 40;\nalloca.u64 %rd5, %rd4;\ncvta.local.u64 %rd6, %rd5;\nmov.u32 %r2, 1000;\n"
                 "st.u32 [%rd6], %r2;\nst.u32 [%rd6+36], %r2;\nadd.u32 %r3, %r1, 8;\n{\n.param .b32 q;\n.param .b32 m;\n"
                 "st.param.b32 [m], %r3;\ncall.uni (q), f, (m);\nld.param.b32 %r4, [q];\n}\nld.u32 %r5, [%rd6];\n"
                 "ld.local.u32 %r6, [%rd5+36];\nadd.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r6;\n"
                 "st.global.u32 [%rd2], %r4;\n");
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 2000 + 5 + 8 + i);
    kernel_run_end(&r);
}

// More than the stack of a launch is a fault where it is touched.
static void too_much_is_a_fault(void **state)
{
    (void)state;
    struct kernel_run r = {.threads = {32, 1, 1}, .bytes = 512};
    snprintf(text, sizeof text,
             PTX_HEAD ".visible .entry k(.param .u64 buffer)\n{\n.reg .b64 %%rd<9>;\nmov.u64 %%rd1, 0x100000;\n"
                      "alloca.u64 %%rd2, %%rd1;\nst.local.u64 [%%rd2+0xffff8], %%rd1;\nret;\n}\n");
    r.text = text;
    kernel_run(&r);
    assert_int_equal(r.fault.kind, FAULT_LOCAL_BOUNDS);
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_its_own),
        cmocka_unit_test(called_functions_lie_behind),
        cmocka_unit_test(too_much_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
