// ptx/parse and ptx/print: each form of statement, and what it is printed as. The printed form must be read
// back and printed the same.
#include "ptx/ast.h"
#include "support/check.h"
#include <string.h>

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"

// Parse and print; "error: …" where it is refused.
static void print_text(const char *text, struct buf *out)
{
    struct arena arena;
    arena_init(&arena, "test");
    struct err err = {0};
    struct ptx_module *module = ptx_parse(&arena, "t.ptx", text, strlen(text), &err);
    buf_clear(out);
    if (module)
        ptx_print(module, out);
    else
        buf_printf(out, "error: %u:%u: %s\n%s", err.line, err.column, err.text, text);
    arena_release(&arena);
}

struct form {
    const char *written, *printed; // printed NULL: as written
};

// `before` and `after` are put around both columns.
static void check_forms(const struct form *forms, size_t n, const char *before, const char *after)
{
    struct buf written = {0}, expected = {0}, printed = {0}, again = {0};
    for (size_t i = 0; i < n; i++) {
        buf_clear(&written);
        buf_clear(&expected);
        buf_printf(&written, "%s%s\n%s", before, forms[i].written, after);
        buf_printf(&expected, "%s%s\n%s", before, forms[i].printed ? forms[i].printed : forms[i].written,
                   after);
        print_text(written.at, &printed);
        assert_string_equal(printed.at, expected.at);
        print_text(printed.at, &again);
        assert_string_equal(again.at, printed.at);
    }
    buf_release(&written);
    buf_release(&expected);
    buf_release(&printed);
    buf_release(&again);
}

static void module_directives(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {".file 1 \"a b.cu\"", NULL},
        {".file 1 \"a.cu\", 1388534400, 0x10", ".file 1 \"a.cu\", 1388534400, 16"},
        {".file\t1 \"quote \\\" and \\\\ back\\n\\101\\x41\"",
         ".file 1 \"quote \\\" and \\\\ back\\n\\101\\x41\""},
        {".pragma \"nounroll\", \"next\";", NULL},
        {".target debug, map_f64_to_f32", NULL},
        {".loc 1 2 3", NULL},
        {"// comment\n/* another\n one */ .loc 1 2 3 // end", ".loc 1 2 3"},
        {"\t.section .debug_info { a: .b8 1, 2 .b32 a+4\n.b64 b-a,.debug_loc + 12, -1\n}",
         "\t.section\t.debug_info\n\t{\na:\n.b8 1,2\n.b32 a+4\n.b64 b-a,.debug_loc+12,-1\n\t}"},
        {".section .debug_macinfo { }", "\t.section\t.debug_macinfo\n\t{\n\t}"},
    };
    check_forms(forms, N_ELEMENTS(forms), HEAD, "");
    struct buf out = {0};
    print_text(HEAD ";\n;", &out);
    assert_string_equal(out.at, HEAD);
    buf_release(&out);
}

static void module_variables(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {".global .u32 x;", NULL},
        {".visible .global .align 8 .b8 x[16];", NULL},
        {".extern .shared .align 16 .b8 x[];", NULL},
        {".extern.global.u32 x ;", ".extern .global .u32 x;"},
        {".common .global .f32 x;", NULL},
        {".weak .global .f32 x;", NULL},
        {".hidden .global .f32 x;", NULL},
        {".visible .global .attribute(.managed) .align 4 .u32 x;", NULL},
        {".global .attribute(.unified(0x12, 3)) .u32 x;", ".global .u32 x;"},
        {".const[3] .b32 x;", ".const .b32 x;"},
        {".tex .u32 x;", NULL},
        {".global .texref x;", NULL},
        {".global .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = nearest };",
         ".global .samplerref s;"},
        {".global .u32 x, y[2] = {1, 2};", ".global .u32 x;\n.global .u32 y[2] = {1, 2};"},
        {".global .v4 .f32 x;", NULL},
        {".global .b8 x[2][3];", ".global .b8 x[6];"},
        {".global .b8 x[2*(3+1)-1];", ".global .b8 x[7];"},
    };
    check_forms(forms, N_ELEMENTS(forms), HEAD, "");
}

static void initial_values(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {".global .u32 x = 5;", NULL},
        {".global .s32 x = -1;", ".global .s32 x = 4294967295;"},
        {".global .b8 x[4] = {-128, 0xff, 017, 0b101};", ".global .b8 x[4] = {128, 255, 15, 5};"},
        {".global .u64 x = 18446744073709551615;", NULL},
        {".global .u64 x = 0xFFFFFFFFFFFFFFFFU;", ".global .u64 x = 18446744073709551615;"},
        {".global .f32 x = 0f3F800000;", NULL},
        {".global .f32 x = 1.5;", ".global .f32 x = 0f3FC00000;"},
        {".global .f32 x = -1;", ".global .f32 x = 0fBF800000;"},
        {".global .f32 x = 0f7FC00001;", NULL},
        {".global .f64 x[3] = {1e3, .5, 2.};",
         ".global .f64 x[3] = {0d408F400000000000, 0d3FE0000000000000, 0d4000000000000000};"},
        {".global .f64 x = 0f40000000;", ".global .f64 x = 0d4000000000000000;"},
        {".global .b32 x = 0f3F800000;", NULL},
        {".global .u32 x[] = {1, 2, 3};", ".global .u32 x[3] = {1, 2, 3};"},
        {".global .s32 x[][2] = {{1, 0}, {2}, {3, 4}};", ".global .s32 x[6] = {1, 0, 2, 0, 3, 4};"},
        {".global .s32 x[2][2] = {1, 2, {3, 4}};", ".global .s32 x[4] = {1, 2, 3, 4};"},
        {".global .v2 .f32 x[] = {{0f00000000, 0f3F800000}, {0f40000000}};",
         ".global .v2 .f32 x[2] = {0f00000000, 0f3F800000, 0f40000000};"},
        {".global .f32 x[2][2] = {{1.0}, {2.0}};",
         ".global .f32 x[4] = {0f3F800000, 0f00000000, 0f40000000};"},
        {".global .v2 .u32 x = {1, 2};", NULL},
        {".global .u32 a;\n.global .u64 x[4] = {a, a+4, generic(a), generic(a)-8};", NULL},
        {".global .u32 a;\n.global .u64 x[2] = {generic(a+4), a + -4};",
         ".global .u32 a;\n.global .u64 x[2] = {generic(a)+4, a-4};"},
        {".global .u32 a;\n.global .b8 x[2] = {0xFF(a), 0xff00(generic(a) + 4)};",
         ".global .u32 a;\n.global .b8 x[2] = {0xFF(a), 0xFF00(generic(a)+4)};"},
        {".global .u32 x = WARP_SZ + 1;", ".global .u32 x = 33;"},
        {".extern .global .u32 x;\n.global .u32 x = 5;", NULL},
        {".global .u32 x = 5;\n.extern .global .u32 x;", NULL},
        {".extern .shared .b8 x[];\n.extern .shared .b8 x[];", NULL},
    };
    check_forms(forms, N_ELEMENTS(forms), HEAD, "");
}

static void functions(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {".entry k\n{\n}", ".entry k()\n{\n}"},
        {".visible .entry k(\n\t.param .u64 a,\n\t.param .align 8 .b8 b[32]\n)\n{\n}", NULL},
        {".entry k(.param .u64 .ptr .global .align 16 a, .param .b64 .ptr b, .param .u64 .ptr .align 1 c) { "
         "}",
         ".entry k(\n\t.param .u64 .ptr .global .align 16 a,\n\t.param .b64 .ptr b,\n\t.param .u64 .ptr "
         ".align 1 c\n)\n{\n}"},
        {".entry k(\n\t.param .u32 k\n)\n{\n}", NULL},
        {".entry k() .maxntid 256 .minnctapersm 2 .maxnreg 32 { }",
         ".entry k()\n.maxntid 256, 1, 1\n.minnctapersm 2\n.maxnreg 32\n{\n}"},
        {".entry k()\n.reqntid 16, 8, 2\n.reqnctapercluster 2, 1, 1\n.maxclusterrank "
         "4\n.explicitcluster\n{\n}",
         NULL},
        {".entry k()\n.blocksareclusters\n.maxnctapersm 3\n.pragma \"a\", \"b\";\n{\n}", NULL},
        {".weak .entry k() .loc 1 2 3 { }", ".weak .entry k()\n{\n}"},
        {".func f { ret; }", ".func f()\n{\n\tret;\n}"},
        {".func (.param .b32 r) f(.param .b32 _, .param .b32 _);",
         ".func (.param .b32 r) f(\n\t.param .b32 _,\n\t.param .b32 _\n)\n;"},
        {".extern .func __assertfail\n(\n.param .b64 a\n)\n.noreturn;",
         ".extern .func __assertfail(\n\t.param .b64 a\n)\n.noreturn\n;"},
        {".hidden .func .noreturn .attribute(.unified(1, 2)) f();", ".hidden .func f()\n.noreturn\n;"},
        {".func (.reg .b32 %r, .reg .pred %p) f(.reg .u64 %a) { mov.b32 %r, 0; }",
         ".func (.reg .b32 %r, .reg .pred %p) f(\n\t.reg .u64 %a\n)\n{\n\tmov.b32 %r, 0;\n}"},
        {".func f(.param .b32 a[]) .abi_preserve 8;", ".func f(\n\t.param .b32 a[]\n)\n.abi_preserve 8\n;"},
        {".func f()\n;\n\n.func f()\n{\n\tret;\n}\n\n.func g()\n;\n.alias g, f;", NULL},
        {".func f()\n;\n.global .u64 x[2] = {f, 0};", NULL},
    };
    check_forms(forms, N_ELEMENTS(forms), HEAD "\n", "");
}

#define DECLARE                                                                                          \
    "\t.reg .pred p;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\t.reg .f32 %f<9>;\n\t.reg .v4 .f32 v;\n" \
    "\t.shared .align 4 .b8 s[64];\n"

// Statements of a body, one a row. Rows that are printed otherwise have two columns.
static const struct form statements[] = {
    {"ret;", NULL},
    {"ret ; ; ;", "ret;"},
    {"bar.sync 0;", NULL},
    {"add.s32 %r1, %r2, 3;", NULL},
    {"add.s32 %r1,%r2,-3;", "add.s32 %r1, %r2, -3;"},
    {"add .s32\n%r1 , %r2 , 0x10 ;", "add.s32 %r1, %r2, 16;"},
    {"add/* in */.s32 %r1, // comment\n%r2, 3;", "add.s32 %r1, %r2, 3;"},
    {"mov.u32 %r1, 0xFFFFFFFFU;", "mov.u32 %r1, 4294967295;"},
    {"mov.u32 %r1, 0b101;", "mov.u32 %r1, 5;"},
    {"mov.u32 %r1, 017;", "mov.u32 %r1, 15;"},
    {"mov.u64 %rd1, 0x8000000000000000;", "mov.u64 %rd1, -9223372036854775808;"},
    {"mov.f32 %f1, 0f3f800000;", "mov.f32 %f1, 0f3F800000;"},
    {"mov.f32 %f1, -0f3F800000;", "mov.f32 %f1, 0fBF800000;"},
    {"mov.f64 %rd1, 0d3FF0000000000000;", NULL},
    {"mov.f32 %f1, 1.0e-3;", "mov.f32 %f1, 0d3F50624DD2F1A9FC;"},
    {"mov.f32 %f1, -.5;", "mov.f32 %f1, 0dBFE0000000000000;"},
    {"mov.f32 %f1, 1.5 * 2;", "mov.f32 %f1, 0d4008000000000000;"},
    {"mov.u32 %r1, (1 << 4) | 3 & ~1 ^ 2;", "mov.u32 %r1, 16;"},
    {"mov.u32 %r1, 7 / 2 + 7 % 4 - -1;", "mov.u32 %r1, 7;"},
    {"mov.u32 %r1, 5 > 4 && 3 >= 3 || 1 != 1;", "mov.u32 %r1, 1;"},
    {"mov.u32 %r1, (2 < 1) + (2 <= 1) + (1 == 1) + !0;", "mov.u32 %r1, 2;"},
    {"mov.s32 %r1, -8 >> 1;", "mov.s32 %r1, -4;"},
    {"mov.s64 %rd1, (.u64) -8 >> 1;", "mov.s64 %rd1, 9223372036854775804;"},
    {"mov.s64 %rd1, (.s64)(0xFFFFFFFFFFFFFFFF) / 1;", "mov.s64 %rd1, -1;"},
    {"mov.u64 %rd1, 1 << 64;", "mov.u64 %rd1, 0;"},
    {"mov.s64 %rd1, -9223372036854775807 - 1 >> 99;", "mov.s64 %rd1, -1;"},
    {"mov.u32 %r1, 1 ? 2 : 0 ? 3 : 4;", "mov.u32 %r1, 2;"},
    {"mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, 32;"},
    {"mov.u32 %r1, %tid.x;", NULL},
    {"mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;", NULL},
    {"mov.u32 %r1, %envreg2;", NULL},
    {"mov.u32 %r1, %pm3;", NULL},
    {"mov.u64 %rd1, %pm3_64;", NULL},
    {"mov.u32 %r1, %cluster_ctaid.y;", NULL},
    {"mov.u64 %rd1, s;", NULL},
    {"mov.u64 %rd1, s + 4;", "mov.u64 %rd1, s+4;"},
    {"mov.u64 %rd1, s[4];", "mov.u64 %rd1, s+4;"},
    {"mov.b64 {%r1, %r2}, %rd1;", NULL},
    {"mov.b64 %rd1, {%r1, _};", NULL},
    {"mov.f32 %f1, v.x;", NULL},
    {"mov.f32 v.a, %f1;", "mov.f32 v.w, %f1;"},
    {"ld.global.f32 %f1, [%rd1];", NULL},
    {"ld.global.f32 %f1, [%rd1+-4];", "ld.global.f32 %f1, [%rd1-4];"},
    {"ld.global.f32 %f1, [ %rd1 + 0 ];", "ld.global.f32 %f1, [%rd1];"},
    {"ld.global.f32 %f1, [%rd1 - 4 + 16];", "ld.global.f32 %f1, [%rd1+12];"},
    {"ld.shared.f32 %f1, [s+8];", NULL},
    {"ld.shared.b8 %r1, s[8];", "ld.shared.b8 %r1, [s+8];"},
    {"ld.global.u32 %r1, [64];", NULL},
    {"ld.global.L1::no_allocate.L2::128B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", NULL},
    {"st.global.v2.u32 [%rd1], {1, %r2};", NULL},
    {"@p bra L;\nL:", "@p bra L;\n\b\bL:"},
    {"@!p ret;", NULL},
    {"@ ! p bra.uni L ; L:", "@!p bra.uni L;\n\b\bL:"},
    {"setp.eq.s32 p|p, %r1, %r2;", NULL},
    {"setp.eq.and.s32 p, %r1, %r2, !p;", NULL},
    {"shfl.sync.idx.b32 %r1|p, %r2, 0, 31, -1;", NULL},
    {"shfl.sync.idx.b32 _|p, %r2, 0, 31, -1;", NULL},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", NULL},
    {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}|p, [%rd1, %rd2, {%r1}];", NULL},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], "
     "[s+4];",
     NULL},
    {"vadd.u32.u32.u32 %r1.b0, %r2.h1, -%r3.b2;", "vadd.u32.u32.u32 %r1.b0, %r2.h1, -%r3.b2;"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
     "%r6}, "
     "{%f5, %f6, %f7, %f8};",
     NULL},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1, 0, 1;", NULL},
    {"frobnicate.x8.mystery::word %r1, [%rd1], {%r2, 3}, p;", NULL},
    {"mov.u32 %r1, 2 | 1;", "mov.u32 %r1, 3;"},
    {"{ }", "{\n\t}"},
    {"{ .reg .b32 t; mov.u32 t, %r1; }", "{\n\t\t.reg .b32 t;\n\t\tmov.u32 t, %r1;\n\t}"},
    {".reg .b32 a, %q<4>, b;", NULL},
    {".reg .v2 .b32 a;", NULL},
    {".reg .b128 a;", NULL},
    {".local .align 8 .b8 __local_depot0[32];", NULL},
    {".param .b64 a;", NULL},
    {".extern .shared .align 4 .b8 d[];", NULL},
    {".loc 1 2 3", NULL},
    {".loc\t1 2 3, function_name $L__info_string0, inlined_at 1 4 5",
     ".loc 1 2 3, function_name $L__info_string0, inlined_at 1 4 5"},
    {".loc 1 2 3, function_name .debug_str+16, inlined_at 1 4 5", NULL},
    {".loc 1 2 3, inlined_at 1 4 5", NULL},
    {".pragma \"used_bytes_mask 3840\";", NULL},
    {".file 3 \"x.h\"", NULL},
    {"exit;", NULL},
};

static void body_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(statements); i++) {
        struct form form = statements[i];
        struct buf printed = {0};
        for (const char *at = form.printed ? form.printed : ""; *at; at++) {
            if (*at == '\b') // the printer's indentation is one tab; labels have none
                continue;
            buf_add(&printed, at, 1);
            if (*at == '\n' && at[1] != '\b' && at[1] != '\t')
                buf_puts(&printed, "\t");
        }
        form.printed = form.printed ? printed.at : NULL;
        check_forms(&form, 1, HEAD "\n.entry k()\n{\n" DECLARE "\t", "}\n");
        buf_release(&printed);
    }
}

static void calls(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {"call f;", NULL},
        {"call.uni f, (%r1, 5);", NULL},
        {"call (%r2), g, (%r1);", NULL},
        {"call (%r2), \n g, \n (\n %r1\n );", "call (%r2), g, (%r1);"},
        {"call f, ();", NULL},
        {"{ .param .b32 p0; st.param.b32 [p0+0], %r1; call f, (p0); }",
         "{\n\t\t.param .b32 p0;\n\t\tst.param.b32 [p0], %r1;\n\t\tcall f, (p0);\n\t}"},
        {"proto : .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[8]);\ncall (%r2), %rd1, (%r1), "
         "proto;",
         "proto: .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[8]);\n\tcall (%r2), %rd1, (%r1), "
         "proto;"},
        {"proto : .callprototype _ .noreturn;\ncall %rd1, proto;",
         "proto: .callprototype () _ () .noreturn;\n\tcall %rd1, proto;"},
        {"proto: .callprototype (.reg .f64) f (.reg .s64, .reg .b32);",
         "proto: .callprototype (.reg .f64 _) _ (.reg .s64 _, .reg .b32 _);"},
        {"list: .calltargets f, g;\n\tcall %rd1, (%r1), list;", NULL},
    };
    check_forms(forms, N_ELEMENTS(forms),
                HEAD "\n.func f()\n;\n\n.func (.reg .b32 %a) g(\n\t.reg .b32 %b\n)\n;\n\n.entry k()\n{\n"
                     "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\t",
                "}\n");
}

// ---- what the tree holds --------------------------------------------------------------------------------

static struct ptx_module *parse_good(struct arena *arena, const char *text)
{
    struct err err = {0};
    arena_init(arena, "test");
    struct ptx_module *module = ptx_parse(arena, "t.ptx", text, strlen(text), &err);
    if (!module)
        fail_msg("%u:%u: %s", err.line, err.column, err.text);
    return module;
}

static void module_tree(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m = parse_good(
        &arena, ".version 7.5\n.target sm_80, debug\n.address_size 64\n.file 3 \"a.cu\"\n.global .u32 x;\n"
                ".extern .func g();\n.func g() { }\n.entry k(.param .u64 a) .maxntid 8,4 { ret; }");
    assert_int_equal(m->version_major, 7);
    assert_int_equal(m->version_minor, 5);
    assert_int_equal(m->address_size, 64);
    assert_string_equal(m->target, "sm_80");
    assert_int_equal(m->n_target_options, 1);
    assert_string_equal(m->target_options[0], "debug");
    assert_int_equal(m->n_files, 4);
    assert_null(m->files[0]);
    assert_string_equal(m->files[3], "a.cu");
    assert_int_equal(m->n_functions, 3);
    assert_true(ptx_find_function(m, "g")->has_body);
    assert_false(m->functions[0]->has_body);
    assert_null(ptx_find_function(m, "h"));
    assert_ptr_equal(map_get(&m->variable_names, "x", 1), m->variables[0]);
    const struct ptx_function *k = ptx_find_function(m, "k");
    assert_true(k->is_entry);
    assert_int_equal(k->n_params, 1);
    assert_string_equal(k->params[0]->name, "a");
    assert_ptr_equal(k->params[0]->owner, k);
    assert_int_equal(k->max_threads[0] * 100 + k->max_threads[1] * 10 + k->max_threads[2], 841);
    assert_string_equal(k->insns[0].op, "ret");
    assert_int_equal(k->insns[0].at.line, 8);
    arena_release(&arena);
}

static void scopes_and_registers(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m =
        parse_good(&arena, HEAD
                   ".entry k() { .reg .b32 %r<100>; .reg .b64 a; mov.u32 %r7, 1;\n"
                   "{ .reg .f32 %r<8>; .reg .b16 a; mov.u32 %r7, a; mov.u32 %r8, %r7; { mov.u32 %r7, 0; } }\n"
                   "mov.u32 %r8, a; }");
    const struct ptx_function *k = m->functions[0];
    const struct ptx_variable *outer7 = k->insns[0].operands[0].variable;
    const struct ptx_variable *inner7 = k->insns[1].operands[0].variable;
    const struct ptx_variable *outer8 = k->insns[2].operands[0].variable;
    assert_int_equal(outer7->type, PT_B32);
    assert_int_equal(inner7->type, PT_F32);
    assert_int_equal(k->insns[1].operands[1].variable->type, PT_B16);
    assert_int_equal(outer8->type, PT_B32);
    assert_ptr_equal(k->insns[2].operands[1].variable, inner7);
    assert_ptr_equal(k->insns[3].operands[0].variable, inner7);
    assert_ptr_equal(k->insns[4].operands[0].variable, outer8);
    assert_int_equal(k->insns[4].operands[1].variable->type, PT_B64);
    assert_int_equal(k->n_registers, 5);
    for (uint32_t i = 0; i < k->n_registers; i++)
        assert_int_equal(k->registers[i]->id, i);
    arena_release(&arena);
}

// A prefix that ends in a digit: %r1<5> holds %r10 to %r14.
static void prefixes_with_digits(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m =
        parse_good(&arena, HEAD ".entry k() { .reg .b32 %r<5>; .reg .f32 %r1<5>; mov.u32 %r1, %r12; }");
    const struct ptx_operand *operands = m->functions[0]->insns[0].operands;
    assert_int_equal(operands[0].variable->type, PT_B32);
    assert_int_equal(operands[1].variable->type, PT_F32);
    arena_release(&arena);
}

static void labels(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m =
        parse_good(&arena, HEAD
                   ".entry k() { .reg .b32 %r<5>; bra L; { bra L; ret; L: bra END; } { L: bra L; } L: END:\n"
                   "T: .branchtargets L, M, END; brx.idx %r1, T; M: }");
    const struct ptx_function *k = m->functions[0];
    assert_int_equal(k->n_labels, 5);
    assert_int_equal(k->insns[0].operands[0].label->insn, 5); // forward, past the inner ones
    assert_int_equal(k->insns[1].operands[0].label->insn, 3); // the inner L, not the outer
    assert_int_equal(k->insns[3].operands[0].label->insn, 5); // END, out of the scope
    assert_int_equal(k->insns[4].operands[0].label->insn, 4); // the second copy's own
    assert_int_equal(k->insns[5].targets->n, 3);
    assert_int_equal(k->insns[5].targets->targets[0]->insn, 5);
    assert_int_equal(k->insns[5].targets->targets[1]->insn, 6); // at the end of the body
    assert_ptr_equal(k->insns[5].targets->targets[1], &k->labels[4]);
    arena_release(&arena);
}

static void places(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m = parse_good(
        &arena,
        HEAD ".entry k() { .loc 1 4 5\n ret; .loc 1 2 3, function_name S, inlined_at 1 4 5\n ret;\n"
             ".loc 1 9 9, function_name S+1, inlined_at 1 2 3\n ret; .loc 1 4 5\n ret;\n"
             ".loc 1 7 7, inlined_at 2 1 1\n ret; }\n.section .debug_str { S: .b8 95, 90, 51\n.b8 102, 0\n}");
    const struct ptx_insn *insns = m->functions[0]->insns;
    const struct ptx_loc *first = &m->locs[insns[0].loc], *second = &m->locs[insns[1].loc];
    assert_int_equal(first->line, 4);
    assert_int_equal(first->inlined_at, -1);
    assert_int_equal(second->line, 2);
    assert_string_equal(second->function_name, "_Z3f");
    assert_int_equal(second->inlined_at, insns[0].loc);
    assert_int_equal(m->locs[insns[2].loc].inlined_at, insns[1].loc);
    assert_string_equal(m->locs[insns[2].loc].function_name, "Z3f");
    assert_int_equal(insns[3].loc, insns[0].loc); // equal places are one
    const struct ptx_loc *site = &m->locs[m->locs[insns[4].loc].inlined_at];
    assert_int_equal(site->file * 100 + site->line * 10 + site->column, 211);
    assert_int_equal(m->n_locs, 6);
    arena_release(&arena);
}

static void texts_and_pragmas(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m = parse_good(
        &arena, HEAD
        ".entry k() .pragma \"nounroll\"; { .reg .pred p; .reg .b32 %r<4>;\n"
        "L: @!p\tadd.s32 /* why */ %r1, // and\n\t\t%r2, \t3 ;.pragma \"used_bytes_mask 15\"; ret; exit; }");
    const struct ptx_function *k = m->functions[0];
    assert_string_equal(k->insns[0].text, "@!p add.s32 %r1, %r2, 3");
    assert_true(k->insns[0].guard_negated);
    assert_string_equal(k->insns[0].guard->name, "p");
    assert_int_equal(k->insns[0].at.column, 8);
    assert_null(k->insns[0].pragma);
    assert_string_equal(k->insns[1].pragma, "used_bytes_mask 15");
    assert_null(k->insns[2].pragma);
    assert_int_equal(k->n_pragmas, 1);
    assert_string_equal(k->pragmas[0], "nounroll");
    arena_release(&arena);
}

static void operands(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m = parse_good(
        &arena,
        HEAD ".func f();\n.global .u32 x;\n.entry k() { .reg .b32 %r<4>; .reg .pred p, q; .reg .b64 a;\n"
             "op.L2::hint.f32 p|q, [x + 8], {%r1, -2}, 0f3F800000, !p, f, %tid.x, [a, {%r2}]; }");
    const struct ptx_insn *insn = &m->functions[1]->insns[0];
    assert_int_equal(insn->n_suffixes, 2);
    assert_string_equal(insn->suffixes[0], "L2::hint");
    assert_int_equal(insn->n_operands, 8);
    const struct ptx_operand *o = insn->operands;
    assert_string_equal(o[0].pair->variable->name, "q");
    assert_int_equal(o[1].kind, PO_ADDRESS);
    assert_int_equal(o[1].offset, 8);
    assert_ptr_equal(o[1].base->variable, m->variables[0]);
    assert_int_equal(o[2].n_items, 2);
    assert_int_equal((int64_t)o[2].items[1].bits, -2);
    assert_int_equal(o[3].float_bytes, 4);
    assert_int_equal(o[3].bits, 0x3f800000);
    assert_true(o[4].is_negated);
    assert_int_equal(o[5].kind, PO_SYMBOL);
    assert_null(o[5].variable);
    assert_int_equal(o[6].kind, PO_SREG);
    assert_string_equal(o[6].name, "%tid.x");
    assert_int_equal(o[7].items[0].kind, PO_VECTOR);
    assert_int_equal(o[7].at.column, 69);
    arena_release(&arena);
}

// A declaration without .extern takes the place of the .extern one: one object.
static void extern_then_definition(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m = parse_good(&arena, HEAD ".extern .global .u32 x;\n.global .u64 y = x;\n"
                                                         ".visible .global .u32 x = 7;");
    assert_int_equal(m->n_variables, 2);
    assert_ptr_equal(m->variables[1]->init[0].symbol_variable, m->variables[0]);
    assert_false(m->variables[0]->is_extern);
    assert_int_equal(m->variables[0]->init[0].bits, 7);
    arena_release(&arena);
}

// Declarations of PTX 1.x need no semicolon.
static void old_declarations(void **state)
{
    (void)state;
    struct arena arena;
    const struct ptx_module *m = parse_good(
        &arena, ".version 1.4\n.target sm_10\n.func (.reg .u32 %r) f (.reg .u32 %a)\n.file 1 \"a\"\n"
                ".func g (.reg .u32 %a)\n.entry k { exit; }");
    assert_int_equal(m->n_functions, 3);
    assert_int_equal(m->address_size, 32);
    assert_false(m->functions[1]->has_body);
    arena_release(&arena);
}

static void ends_with_nul(void **state)
{
    (void)state;
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, "test");
    assert_non_null(ptx_parse(&arena, "t.ptx", HEAD "\0\0", strlen(HEAD) + 2, &err));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_directives),
        cmocka_unit_test(module_variables),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(functions),
        cmocka_unit_test(body_statements),
        cmocka_unit_test(calls),
        cmocka_unit_test(module_tree),
        cmocka_unit_test(scopes_and_registers),
        cmocka_unit_test(prefixes_with_digits),
        cmocka_unit_test(labels),
        cmocka_unit_test(places),
        cmocka_unit_test(texts_and_pragmas),
        cmocka_unit_test(operands),
        cmocka_unit_test(extern_then_definition),
        cmocka_unit_test(old_declarations),
        cmocka_unit_test(ends_with_nul),
    };
    return cmocka_run_group_tests_name("ptx/parse", tests, NULL, NULL);
}
