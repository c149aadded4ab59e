// Functions that the engine provides: printf with all its conversions, assert, malloc and free; what they
// leave in registers, on the console and in the heap.
#include "mem/heap.h"
#include "simt/console.h"
#include "support/check.h"
#include "support/kernel_harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARATIONS                                                                                        \
    PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                       \
             ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                                       \
             ".extern .func (.param .b64 r) __cuda_syscall_aligned_malloc(.param .b64 n, .param .b64 a);\n" \
             ".extern .func free(.param .b64 p);\n"                                                         \
             ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, "      \
             ".param .b64 "                                                                                 \
             "c);\n"
#define KERNEL                                                                                             \
    ".visible .entry k(.param .u64 buffer)\n{\n.local .align 16 .b8 args[256];\n.reg .b64 %SP, %SPL;\n"    \
    ".reg .b32 %r<60>;\n.reg .b64 %rd<40>;\n.reg .pred %p<20>;\nmov.u64 %SPL, args;\ncvta.local.u64 %SP, " \
    "%SPL;\n"                                                                                              \
    "ld.param.u64 %rd1, [buffer];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd2, %rd1, " \
    "%rd2;\n"
#define CALL_PRINTF(format, result)                                                                         \
    "mov.u64 %rd10, " format ";\ncvta.global.u64 %rd11, %rd10;\n{ .param .b64 f; st.param.b64 [f], %rd11; " \
    ".param .b64 a; st.param.b64 [a], %SP; .param .b32 r; call.uni (r), vprintf, (f, a); "                  \
    "ld.param.b32 " result ", [r]; }\n"
#define CALL_MALLOC(size, result)              \
    "{ .param .b64 n; st.param.b64 [n], " size \
    "; .param .b64 r; call (r), malloc, (n); ld.param.b64 " result ", [r]; }\n"
#define CALL_FREE(address) "{ .param .b64 p; st.param.b64 [p], " address "; call free, (p); }\n"

// A .global array with the text and its NUL.
static size_t add_string(char *out, size_t size, const char *name, const char *text)
{
    size_t n = (size_t)snprintf(out, size, ".global .align 1 .b8 %s[%zu] = {", name, strlen(text) + 1);
    for (const char *c = text; *c; c++)
        n += (size_t)snprintf(out + n, size - n, "%d, ", *c);
    return n + (size_t)snprintf(out + n, size - n, "0};\n");
}

struct native_run {
    struct kernel_run run;
    struct console console;
    struct heap heap;
    char text[16384];
};

static void run_body(struct native_run *r, const char *format, const char *body, uint32_t threads)
{
    size_t n = (size_t)snprintf(r->text, sizeof r->text, "%s", DECLARATIONS);
    n += add_string(r->text + n, sizeof r->text - n, "format", format);
    n += add_string(r->text + n, sizeof r->text - n, "word", "word");
    n += add_string(r->text + n, sizeof r->text - n, "file", "a.cu");
    n += (size_t)snprintf(r->text + n, sizeof r->text - n, "%s%sret;\n}\n", KERNEL, body);
    assert_true(n < sizeof r->text);
    r->run = (struct kernel_run){
        .text = r->text, .threads = {threads, 1, 1}, .bytes = 4096, .console = &r->console, .heap = &r->heap};
    kernel_run(&r->run);
}

static void end(struct native_run *r)
{
    kernel_run_end(&r->run);
    console_release(&r->console);
    heap_release(&r->heap, NULL);
}

static void expect_text(const struct native_run *r, const char *want)
{
    size_t n;
    const char *text = console_text(&r->console, &n);
    if (n != strlen(want) || memcmp(text, want, n) != 0)
        fail_msg("printed \"%.*s\", not \"%s\"", (int)n, text, want);
}

// One thread prints `format`; the stores put its arguments into the list.
static void expect_printf(const char *format, const char *stores, int n_arguments, const char *want)
{
    static struct native_run r;
    char body[4096];
    memset(&r, 0, sizeof r);
    snprintf(body, sizeof body, "%s%s", stores, CALL_PRINTF("format", "%r2") "st.global.u32 [%rd2], %r2;\n");
    run_body(&r, format, body, 1);
    assert_int_equal(r.run.fault.kind, FAULT_NONE);
    expect_text(&r, want);
    assert_int_equal(*(int32_t *)r.run.buffer, n_arguments);
    end(&r);
}

#define B32(offset, value) "st.local.u32 [%SPL+" #offset "], " value ";\n"
#define B64(offset, value) "st.local.u64 [%SPL+" #offset "], " value ";\n"
#define WORD "mov.u64 %rd20, word;\ncvta.global.u64 %rd20, %rd20;\n"

static void conversions(void **state)
{
    (void)state;
    expect_printf("plain 100%%\n", "", 0, "plain 100%\n");
    expect_printf("%d %i %u", B32(0, "-5") B32(4, "7") B32(8, "0xffffffff"), 3, "-5 7 4294967295");
    expect_printf("%o %x %X %#x %#o", B32(0, "8") B32(4, "255") B32(8, "255") B32(12, "255") B32(16, "8"), 5,
                  "10 ff FF 0xff 010");
    expect_printf("%hd %hhd %hu %hhx", B32(0, "65535") B32(4, "255") B32(8, "65537") B32(12, "0x1ff"), 4,
                  "-1 -1 1 ff");
    expect_printf("%ld|%lld|%lu|%llx|%zu",
                  B64(0, "-1") B64(8, "-2") B64(16, "3") B64(24, "0x123456789abcdef") B64(32, "9"), 5,
                  "-1|-2|3|123456789abcdef|9");
    expect_printf("%d %lld %d", B32(0, "1") B64(8, "2") B32(16, "3"), 3, "1 2 3");
    expect_printf("%5d|%-5d|%05d|%+d|% d|%.3d",
                  B32(0, "42") B32(4, "42") B32(8, "42") B32(12, "42") B32(16, "42") B32(20, "42"), 6,
                  "   42|42   |00042|+42| 42|042");
    expect_printf("%*d|%-*d|%.*f",
                  B32(0, "4") B32(4, "7") B32(8, "4") B32(12, "7") B32(16, "2") B64(24, "0x400921fb54442d18"),
                  6, "   7|7   |3.14");
    expect_printf("%f %e %g %.1f %a %G",
                  B64(0, "0x3ff8000000000000") B64(8, "0x40c3880000000000") B64(16, "0x3fb999999999999a")
                      B64(24, "0x3fe0000000000000") B64(32, "0x3ff8000000000000")
                          B64(40, "0x7ff0000000000000"),
                  6, "1.500000 1.000000e+04 0.1 0.5 0x1.8p+0 INF");
    expect_printf("%c%c|%p|%p", B32(0, "65") B32(4, "66") B64(8, "0x1234") B64(16, "0"), 4,
                  "AB|0x1234|(nil)");
    expect_printf("[%s] [%6s] [%-6s] [%.2s] [%s]",
                  WORD B64(0, "%rd20") B64(8, "%rd20") B64(16, "%rd20") B64(24, "%rd20") B64(32, "0"), 5,
                  "[word] [  word] [word  ] [wo] [(null)]");
    expect_printf("%y %d", B32(0, "1"), 1, "%y 1");
    expect_printf("end %", "", 0, "end %");
}

// The list may lie in the thread's local memory, the text of %s as well.
static void local_string(void **state)
{
    (void)state;
    expect_printf("<%s>", "st.local.u32 [%SPL+32], 0x00434241;\nadd.u64 %rd20, %SP, 32;\n" B64(0, "%rd20"), 1,
                  "<ABC>");
}

static void many_arguments(void **state)
{
    (void)state;
    char format[256] = "", want[256] = "";
    for (int i = 0; i < 33; i++) {
        strcat(format, "%d ");
        strcat(want, i < 32 ? "0 " : "%d ");
    }
    expect_printf(format, "", 32, want);
}

// Lanes print in their order, other instructions run on afterwards.
static void lanes_in_order(void **state)
{
    (void)state;
    static struct native_run r;
    char want[256];
    memset(&r, 0, sizeof r);
    run_body(&r, "%d,",
             "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; @%p1 bra ODD;\n" B32(0, "%r1")
                 CALL_PRINTF("format", "%r2") "ODD: add.u32 %r4, %r1, 1; st.global.u32 [%rd2], %r4;\n",
             40);
    size_t n = 0;
    for (int i = 0; i < 40; i += 2)
        n += (size_t)snprintf(want + n, sizeof want - n, "%d,", i);
    expect_text(&r, want);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(((uint64_t *)r.run.buffer)[i], i + 1);
    end(&r);
}

static void oldest_is_lost(void **state)
{
    (void)state;
    static struct native_run r;
    memset(&r, 0, sizeof r);
    r.console.limit_bytes = 100; // six calls of 16 bytes
    run_body(&r, "%d,", B32(0, "%r1") CALL_PRINTF("format", "%r2"), 20);
    expect_text(&r, "14,15,16,17,18,19,");
    assert_int_equal(r.console.n_lost, 14);
    console_clear(&r.console);
    expect_text(&r, "");
    end(&r);
}

static void bad_printf(void **state)
{
    (void)state;
    static struct native_run r;
    memset(&r, 0, sizeof r);
    run_body(&r, "%s", B64(0, "0x10") CALL_PRINTF("format", "%r2"), 3);
    assert_int_equal(r.run.fault.kind, FAULT_OUT_OF_BOUNDS);
    assert_int_equal(r.run.fault.address, 0x10);
    end(&r);
    memset(&r, 0, sizeof r);
    run_body(&r, "",
             "mov.u64 %rd11, 0;\n{ .param .b64 f; st.param.b64 [f], %rd11; .param .b64 a; st.param.b64 [a], "
             "%rd11; "
             ".param .b32 r; call.uni (r), vprintf, (f, a); ld.param.b32 %r2, [r]; }\nst.global.u32 [%rd2], "
             "%r2;\n",
             1);
    assert_int_equal(*(int32_t *)r.run.buffer, -1);
    end(&r);
}

// Every failing thread says its line.
static void assertion(void **state)
{
    (void)state;
    static struct native_run r;
    memset(&r, 0, sizeof r);
    run_body(&r, "void f(int)",
             "setp.gt.u32 %p1, %r1, 1; @%p1 bra OK; mov.u64 %rd10, word; cvta.global.u64 %rd10, %rd10; "
             "mov.u64 %rd11, "
             "file; cvta.global.u64 %rd11, %rd11; mov.u64 %rd12, format; cvta.global.u64 %rd12, %rd12;\n{ "
             ".param .b64 "
             "a; st.param.b64 [a], %rd10; .param .b64 b; st.param.b64 [b], %rd11; .param .b32 c; "
             "st.param.b32 [c], 42; "
             ".param .b64 d; st.param.b64 [d], %rd12; .param .b64 e; st.param.b64 [e], 1; call.uni "
             "__assertfail, (a, b, "
             "c, d, e); }\nOK:\n",
             4);
    assert_int_equal(r.run.fault.kind, FAULT_ASSERT);
    assert_int_equal(r.run.fault.thread[0], 0);
    assert_string_equal(r.console.errors.at,
                        "a.cu:42: void f(int): block: [0,0,0], thread: [0,0,0] Assertion `word` failed.\n"
                        "a.cu:42: void f(int): block: [0,0,0], thread: [1,0,0] Assertion `word` failed.\n");
    end(&r);
}

static void allocation(void **state)
{
    (void)state;
    static struct native_run r;
    memset(&r, 0, sizeof r);
    run_body(
        &r, "",
        CALL_MALLOC("24", "%rd5") "st.u64 [%rd5], %rd5; ld.u64 %rd6, [%rd5]; st.global.u64 [%rd2], %rd6;\n"
                                  "setp.gt.u32 %p1, %r1, 3; @%p1 bra KEEP;\n" CALL_FREE(
                                      "%rd5") "KEEP:\n" CALL_FREE("0"),
        8);
    assert_int_equal(r.run.fault.kind, FAULT_NONE);
    const uint64_t *at = r.run.buffer;
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(at[i], r.heap.address + 32 * i);
    assert_int_equal(r.heap.used_bytes, 4 * 32);
    end(&r);
    memset(&r, 0, sizeof r);
    r.heap.limit_bytes = 100; // six units of 16 bytes
    run_body(&r, "", CALL_MALLOC("32", "%rd5") "st.global.u64 [%rd2], %rd5;\n", 5);
    at = r.run.buffer;
    assert_int_not_equal(at[2], 0);
    assert_int_equal(at[3], 0);
    assert_int_equal(at[4], 0);
    end(&r);
}

static void aligned_allocation(void **state)
{
    (void)state;
    static struct native_run r;
    memset(&r, 0, sizeof r);
    run_body(
        &r, "",
        CALL_MALLOC("1",
                    "%rd5") "{ .param .b64 n; st.param.b64 [n], 100; .param .b64 a; st.param.b64 [a], 4096; "
                            ".param .b64 r; call (r), __cuda_syscall_aligned_malloc, (n, a); ld.param.b64 "
                            "%rd6, [r]; }\nst.global.u64 "
                            "[%rd2], %rd6;\n",
        2);
    const uint64_t *at = r.run.buffer;
    assert_true(at[0] && at[1] && at[0] != at[1]);
    assert_int_equal(at[0] % 4096, 0);
    assert_int_equal(at[1] % 4096, 0);
    end(&r);
}

static void bad_free(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        CALL_MALLOC("16", "%rd5") CALL_FREE("%rd5") CALL_FREE("%rd5"), CALL_FREE("%rd1"),
        CALL_MALLOC("64", "%rd5") "add.u64 %rd5, %rd5, 16;\n" CALL_FREE("%rd5")};
    for (size_t i = 0; i < N_ELEMENTS(bodies); i++) {
        static struct native_run r;
        memset(&r, 0, sizeof r);
        run_body(&r, "", bodies[i], 1);
        assert_int_equal(r.run.fault.kind, FAULT_BAD_FREE);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions),        cmocka_unit_test(local_string),
        cmocka_unit_test(many_arguments),     cmocka_unit_test(lanes_in_order),
        cmocka_unit_test(oldest_is_lost),     cmocka_unit_test(bad_printf),
        cmocka_unit_test(assertion),          cmocka_unit_test(allocation),
        cmocka_unit_test(aligned_allocation), cmocka_unit_test(bad_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
