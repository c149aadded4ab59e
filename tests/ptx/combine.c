// Which atomics count as one lane's: what ptxas 13.0 made for sm_90 of the texts of tests/data/atomics_sm90.txt. A line: a name of
// enum combining, a tab, and what stands in the kernel below; the last atomic is meant. The names from machine code: a RED, ATOMG
// or ATOMS guarded by the lane that was chosen is ONE, with a REDUX before it REDUX, with a prefix sum by SHFL.UP FULL_WARPS;
// ATOMS.POPC.INC is COUNT, at one address COUNT_OR_ONE; what is left as it was is NONE.
#include "base/buf.h"
#include "support/check.h"
#include "support/ptx_kernel.h"
#include <stdio.h>
#include <string.h>

static const char head[] =
    ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 P, .param .u64 Q, .param .u32 N)\n{\n"
    ".reg .b64 p,q,u; .reg .b32 a,b,d,n,t; .reg .pred g,h; .reg .f32 f; .reg .b64 w,x;\n"
    "ld.param.u64 p,[P]; ld.param.u64 q,[Q]; cvta.to.global.u64 p,p; cvta.to.global.u64 q,q; mov.u32 t,%tid.x; ld.param.u32 n,[N];\n"
    "mul.wide.u32 u,t,4; add.u64 u,q,u; ld.global.u32 a,[u]; setp.gt.u32 g,a,5; cvt.rn.f32.u32 f,a; cvt.u64.u32 w,a;\n";
static const char *const names[] = {"NONE", "ONE", "REDUX", "FULL_WARPS", "COUNT", "COUNT_OR_ONE"};

static bool is_atomic(const struct insn *insn)
{
    return insn->class == CLASS_GLOBAL_ATOM || insn->class == CLASS_GLOBAL_RED || insn->class == CLASS_GENERIC_ATOM ||
           insn->class == CLASS_GENERIC_RED || insn->class == CLASS_SHARED_ATOM;
}

static const char *combining(const char *body)
{
    char text[2048];
    struct arena arena;
    const char *name = NULL;
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    arena_init(&arena, "test");
    const struct kernel *kernel = ptx_kernel_of_text(&arena, text);
    for (uint32_t i = 0; i < kernel->n_insns; i++)
        if (is_atomic(&kernel->insns[i]))
            name = names[kernel->combined ? kernel->combined[i] : COMBINE_NONE];
    arena_release(&arena);
    return name;
}

static void atomics_are_combined_as_ptxas_does(void **state)
{
    (void)state;
    struct buf list = {0};
    struct err err = {0};
    uint32_t n = 0, n_wrong = 0;
    assert_true(buf_read_file(&list, "tests/data/atomics_sm90.txt", &err));
    for (char *line = strtok(list.at, "\n"); line; line = strtok(NULL, "\n")) {
        char *tab = strchr(line, '\t');
        if (*line == '#' || !tab)
            continue;
        *tab = '\0';
        const char *got = combining(tab + 1);
        n++;
        if (!got || strcmp(got, line) != 0) {
            n_wrong++;
            print_error("%s, ptxas %s: %s\n", got ? got : "no atomic", line, tab + 1);
        }
    }
    buf_release(&list);
    print_message("%u atomics, %u not as ptxas makes them\n", n, n_wrong);
    assert_true(n > 180);
    assert_int_equal(n_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(atomics_are_combined_as_ptxas_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
