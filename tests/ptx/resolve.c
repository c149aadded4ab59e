// op_resolve: what rows give for whole opcodes, and that mistakes are named with their place.
#include "isa/form.h"
#include "ptx/op.h"
#include "support/check.h"
#include <string.h>

static bool resolve(const char *statement, struct op *op, struct err *err)
{
    struct arena arena;
    arena_init(&arena, "test");
    const char *text = arena_printf(&arena,
                                    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                                    ".reg .b64 d, a, b, c;\n.reg .pred p, q;\n    %s\n}\n",
                                    statement);
    struct ptx_module *module = ptx_parse(&arena, "t.ptx", text, strlen(text), err);
    bool ok = module && op_resolve(module, &module->functions[0]->insns[0], op, err);
    arena_release(&arena);
    return ok;
}

static struct op good(const char *statement)
{
    struct op op;
    struct err err = {0};
    if (!resolve(statement, &op, &err))
        fail_msg("%s: %s", statement, err.text);
    return op;
}

static void bad(const char *statement, const char *words, unsigned column)
{
    struct op op;
    struct err err = {0};
    assert_false(resolve(statement, &op, &err));
    if (!strstr(err.text, words) || err.line != 8 || err.column != column)
        fail_msg("%s: `%s` at %u:%u", statement, err.text, err.line, err.column);
}

static void forms_and_modifiers(void **state)
{
    (void)state;
    assert_int_equal(good("add.s32 d, a, b;").form, FORM_ADD_s32);
    assert_int_equal(good("mul.wide.u32 d, a, b;").role_types[0], PT_U64);
    assert_int_equal(good("cvt.rn.f32.s32 d, a;").form, FORM_CVT_f32_s32);
    assert_int_equal(good("cvt.rzi.s32.f32 d, a;").form, FORM_CVT_s32_f32);
    assert_int_equal(good("vote.ballot.sync.b32 d, p, a;").form, FORM_VOTE_BALLOT_b32);
    assert_int_equal(good("vote.sync.ballot.b32 d, p, a;").form, FORM_VOTE_BALLOT_b32);
    assert_int_equal(MOD_GET(good("fma.rz.ftz.f32 d, a, b, c;").mod, MOD_ROUND, 3), ROUND_RZ);
    assert_int_equal(MOD_GET(good("setp.leu.and.f32 p|q, a, b, p;").mod, MOD_CMP, 5), CMP_LEU);
    struct op op = good("@p ld.volatile.global.v4.f32 {a, b, c, d}, [a];");
    assert_int_equal(op.space, SPACE_GLOBAL);
    assert_int_equal(op.vector, 4);
    assert_int_equal(op.class, CLASS_GLOBAL_LD);
    assert_int_equal(MOD_GET(op.mod, MOD_SEM, 3), SEM_VOLATILE);
    assert_int_equal(MOD_GET(good("ld.global.nc.L1::no_allocate.f32 a, [b];").mod, MOD_CACHE, 4), CACHE_NC);
    assert_int_equal(MOD_GET(good("ld.global.L1::no_allocate.v4.f32 {a, b, c, d}, [b];").mod, MOD_CACHE, 4),
                     CACHE_CG);
    op = good("atom.global.sys.cas.b32 d, [a], b, c;");
    assert_int_equal(MOD_GET(op.mod, MOD_MODE, 4), ATOM_CAS);
    assert_int_equal(op.roles[1], ROLE_ADDR);
    assert_int_equal(op.n_roles, 4);
    assert_int_equal(good("ex2.approx.ftz.f32 d, a;").status, STATUS_EXACT);
    assert_int_equal(good("bar.sync 0;").n_roles, 1);
    op = good("bar.red.and.pred p, 0, q;");
    assert_int_equal(op.roles[2], ROLE_PSRC);
}

static void mistakes(void **state)
{
    (void)state;
    bad("frob.s32 d, a, b;", "unknown instruction in `frob.s32`", 5);
    bad("frob.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c;", "unknown instruction", 5);
    bad("shl.f16 d, a, b;", "illegal type .f16", 9);
    bad("add.frob.s32 d, a, b;", ".frob", 9);
    bad("add.sat.u32 d, a, b;", ".sat", 9);
    bad("and.s32 d, a, b;", "illegal type .s32", 9);
    bad("setp.s32 p, a, b;", "comparison", 5);
    bad("setp.lo.s32.f32 p, a, b;", "illegal type .f32", 17);
    bad("fma.rn.rz.f32 d, a, b, c;", "second suffix of the same kind: .rz", 12);
    bad("ld.global.shared.u32 d, [a];", "second suffix", 15);
    bad("add.s32 d, a;", "number of operands", 5);
    bad("add.s32 d, a, b, c;", "number of operands", 5);
    bad("add.s32 d|p, a, b;", "pair", 5);
    bad("mul.s32 d, a, b;", "a word of `mul.lo` is missing", 5);
    bad("shfl.sync.frob.b32 d, a, b, c, d;", "a word of `shfl.sync.idx` is missing", 5);
    bad("add d, a, b;", "type is missing", 5);
    bad("@p shl.f16 d, a, b;", "illegal type .f16", 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_and_modifiers),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
