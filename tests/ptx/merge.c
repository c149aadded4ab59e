// Which shared accesses count as one: what ptxas 13.0 made for sm_90 of the same texts (disassembled; listed beside each case).
#include "support/check.h"
#include "support/ptx_kernel.h"
#include <stdio.h>
#include <string.h>

#define HEAD                                                                                                    \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %p, %d<9>;\n" \
    ".reg .b32 %t, %a, %b, %s, %f<20>;\n.reg .b16 %h<4>;\n.reg .pred %q;\n.shared .align 4 .b8 sm[8192];\n"           \
    "ld.param.u64 %p, [p];\nmov.u32 %t, %tid.x;\nmov.u32 %s, sm;\n"

// Widths of the accesses that are left, in order: "16", "8 4". `stride`: bytes from thread to thread.
static void check(const char *body, uint32_t stride, const char *want)
{
    char text[4096], got[256] = "";
    struct arena arena;
    snprintf(text, sizeof text, "%smad.lo.u32 %%a, %%t, %u, %%s;\n%s\nret;\n}\n", HEAD, stride, body);
    arena_init(&arena, "test");
    const struct kernel *kernel = ptx_kernel_of_text(&arena, text);
    for (uint32_t i = 0; kernel && i < kernel->n_insns; i++) {
        const struct insn *insn = &kernel->insns[i];
        const bool is_shared = insn->class == CLASS_SHARED_LD || insn->class == CLASS_SHARED_ST;
        const uint32_t own = (insn->elem == ELEM_B64 ? 8 : insn->elem == ELEM_U16 ? 2 : 4) * insn->n_data;
        size_t n = strlen(got);
        if (is_shared && !kernel->merged[i].is_part)
            snprintf(got + n, sizeof got - n, "%s%u", n ? " " : "", kernel->merged[i].width ? kernel->merged[i].width : own);
    }
    if (strcmp(got, want) != 0)
        fail_msg("stride %u: got %s, want %s: %s", stride, got, want, body);
    arena_release(&arena);
}

static void words(char *out, size_t size, const char *op, uint32_t mask)
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t w = 0; w < 4; w++)
        if (mask >> w & 1)
            n += (size_t)(op[0] == 'l' ? snprintf(out + n, size - n, "ld.shared.b32 %%f%u, [%%a+%u];\n", w, 4 * w)
                                       : snprintf(out + n, size - n, "st.shared.b32 [%%a+%u], %%f%u;\n", 4 * w, w));
}

// All subsets of the words of 16 bytes.
static void subsets_of_words(void **state)
{
    (void)state;
    static const char *const loads[16] = {"", "4", "4", "8", "4", "4 4", "4 4", "16", "4", "4 4", "4 4", "16", "8", "16", "16", "16"};
    static const char *const stores[16] = {"",  "4",   "4",   "8",   "4", "4 4", "4 4", "8 4",
                                           "4", "4 4", "4 4", "8 4", "8", "4 8", "4 8", "16"};
    char body[512];
    for (uint32_t mask = 1; mask < 16; mask++) {
        words(body, sizeof body, "ld", mask);
        check(body, 64, loads[mask]);
        words(body, sizeof body, "st", mask);
        check(body, 64, stores[mask]);
    }
}

static void alignment_must_be_proved(void **state)
{
    (void)state;
    char body[512];
    words(body, sizeof body, "ld", 15);
    check(body, 16, "16");
    check(body, 144, "16"); // a row of [32][36]
    check(body, 132, "4 4 4 4"); // of [32][33]
    check(body, 8, "8 8");
    check("ld.shared.b32 %f1, [%a+4];\nld.shared.b32 %f2, [%a+8];\nld.shared.b32 %f3, [%a+12];\nld.shared.b32 %f4, [%a+16];", 8,
          "4 8 4");
    check("ld.global.u32 %b, [%p];\nadd.u32 %a, %a, %b;\nld.shared.b32 %f1, [%a];\nld.shared.b32 %f2, [%a+4];", 16, "4 4");
    // through additions of constants, and round a loop
    check("add.u32 %b, %a, 8;\nld.shared.b32 %f1, [%a+4];\nld.shared.b32 %f2, [%b+-8];", 16, "8");
    check("again:\nld.shared.b32 %f1, [%a];\nld.shared.b32 %f2, [%a+4];\nadd.u32 %a, %a, 32;\nsetp.lt.u32 %q, %a, 4096;\n"
          "@%q bra again;", 16, "8");
}

static void widths_and_vectors(void **state)
{
    (void)state;
    check("ld.shared.b64 %d0, [%a];\nld.shared.b64 %d1, [%a+8];", 64, "16");
    check("st.shared.b64 [%a], %d0;\nst.shared.b64 [%a+8], %d1;", 64, "16");
    check("ld.shared.v2.b32 {%f0, %f1}, [%a];\nld.shared.v2.b32 {%f2, %f3}, [%a+8];", 64, "16");
    check("ld.shared.v2.b32 {%f0, %f1}, [%a];\nld.shared.b32 %f2, [%a+8];\nld.shared.b32 %f3, [%a+12];", 64, "16");
    check("ld.shared.b32 %f0, [%a];\nld.shared.b32 %f1, [%a+4];\nld.shared.b64 %d0, [%a+8];", 64, "8 8");
    check("ld.shared.b16 %h0, [%a];\nld.shared.b16 %h1, [%a+2];", 64, "2 2");
    check("ld.shared.b32 %f0, [%a];\nld.shared.b32 %f1, [%a];", 64, "4");
}

static void what_stands_between(void **state)
{
    (void)state;
    check("ld.shared.b32 %f0, [%a];\nst.shared.b32 [%a+32], %t;\nld.shared.b32 %f1, [%a+4];", 64, "4 4 4");
    check("st.shared.b32 [%a], %f0;\nld.shared.b32 %f5, [%a+32];\nst.shared.b32 [%a+4], %f1;", 64, "4 4 4");
    check("ld.shared.b32 %f0, [%a];\nbar.sync 0;\nld.shared.b32 %f1, [%a+4];", 64, "4 4");
    check("ld.shared.b32 %f0, [%a];\nst.global.b32 [%p], %f0;\nld.shared.b32 %f1, [%a+4];", 64, "8");
    check("setp.gt.u32 %q, %t, 7;\n@%q ld.shared.b32 %f0, [%a];\n@%q ld.shared.b32 %f1, [%a+4];", 64, "4 4");
    check("ld.volatile.shared.b32 %f0, [%a];\nld.volatile.shared.b32 %f1, [%a+4];", 64, "4 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subsets_of_words),
        cmocka_unit_test(alignment_must_be_proved),
        cmocka_unit_test(widths_and_vectors),
        cmocka_unit_test(what_stands_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
