// ptx/parse: malformed texts are refused with their place and one clear sentence.
#include "ptx/ast.h"
#include "support/check.h"
#include <string.h>

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"
#define BODY ".reg .pred %p<4>; .reg .b32 %r<20>, count; .reg .b64 %rd<9>; .shared .b8 tile[64];\n"

struct mistake {
    const char *text;
    unsigned line, column; // in `text` alone
    const char *message;
};

// Each text with `before` in front of it and `after` behind; n_lines is the number of lines in `before`.
static void check_mistakes(const struct mistake *mistakes, size_t n, const char *before, unsigned n_lines,
                           const char *after)
{
    struct buf text = {0};
    for (size_t i = 0; i < n; i++) {
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, "test");
        buf_clear(&text);
        buf_printf(&text, "%s%s%s", before, mistakes[i].text, after);
        assert_null(ptx_parse(&arena, "bad.ptx", text.at, text.n, &err));
        assert_string_equal(err.text, mistakes[i].message);
        if (err.line != mistakes[i].line + n_lines || err.column != mistakes[i].column)
            fail_msg("%s\nis reported at %u:%u, not %u:%u", mistakes[i].text, err.line - n_lines, err.column,
                     mistakes[i].line, mistakes[i].column);
        assert_string_equal(err.file, "bad.ptx");
        arena_release(&arena);
    }
    buf_release(&text);
}

static void whole_files(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"", 0, 0, "the file holds no PTX"},
        {"// only a comment\n", 0, 0, "the file holds no PTX"},
        {"\177ELF\2\1\1", 1, 1, "this character does not belong into PTX"},
        {"int main() {}", 1, 1, "this is not PTX: the first directive must be .version"},
        {".target sm_90", 1, 1, "this is not PTX: the first directive must be .version"},
        {".version 8", 1, 10, "expected a version such as 8.7, found '8'"},
        {".version 8.7\n.entry k() { }", 2, 1, "expected .target after .version, found '.entry'"},
        {".version 8.7\n.target \"sm_90\"", 2, 9, "expected a target such as sm_90, found a string"},
        {".version 8.7\n.target sm_90\n.version 8.6", 3, 10, "a second .version differs from the first, 8.7"},
        {".version 8.7\n.target sm_90\n.address_size 16", 3, 15, "the address size must be 32 or 64"},
        {".version 8.7\n/* and then\nnothing", 2, 1, "the comment that starts here does not end"},
        {".version 8.7\n#include \"x\"", 2, 1,
         "preprocessor lines are not read: pass the file through 'cpp -P' first"},
    };
    check_mistakes(mistakes, N_ELEMENTS(mistakes), "", 0, "");
}

static void module_level(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {".globl .u32 x;", 1, 1, "unknown directive '.globl': did you mean '.global'?"},
        {".frobnicate x;", 1, 1, "unknown directive '.frobnicate'"},
        {".visible x", 1, 10, "expected a declaration, found 'x'"},
        {"ret;", 1, 1, "expected a directive, found 'ret'"},
        {".reg .b32 x;", 1, 1, "'.reg' cannot be declared outside a function"},
        {".global x;", 1, 9, "expected a type such as .b32, found 'x'"},
        {".global .u33 x;", 1, 9, "unknown type or attribute '.u33': did you mean '.u32'?"},
        {".global .u32 .f32 x;", 1, 14, "a second type '.f32' after '.u32'"},
        {".global .pred x;", 1, 14, "only registers can be .pred"},
        {".global .align 3 .u32 x;", 1, 16, "the alignment must be a power of two"},
        {".global .align 8388608 .u32 x;", 1, 16, "the alignment must lie between 0 and 1048576"},
        {".global .u32 x", 1, 15, "expected ';' after the declaration"},
        {".global .u32 x\n.global .u32 y;", 1, 15, "expected ';' after the declaration"},
        {".global .u32 x y;", 1, 16, "expected ';' after the declaration, found 'y'"},
        {".global .u32 x;\n.global .u32 x;", 2, 14, "'x' is already declared in line 4"},
        {".extern .global .u32 x;\n.global .f32 x;", 2, 14,
         "'x' is already declared in line 4, with another type"},
        {".shared .b8 x[];", 1, 13, "the size of 'x' is missing: only .extern arrays may leave it open"},
        {".global .b8 x[2][];", 1, 18, "only the first dimension may be left open"},
        {".global .b8 x[2][0];", 1, 18, "only the first dimension may be zero"},
        {".global .b8 x[-1];", 1, 15, "the array size must lie between 0 and 70368744177664"},
        {".global .b8 x[1.5];", 1, 15, "the array size must be an integer"},
        {".global .b32 x[99999999][99999999];", 1, 15, "'x' is larger than 64 TiB"},
        {".global .b32 x[1][1][1][1][1][1][1][1][1];", 1, 40, "an array has at most 8 dimensions"},
        {".global .b8 x[99999999999999999999];", 1, 15,
         "'99999999999999999999': the number does not fit in 64 bits"},
        {".global .b8 x[0x];", 1, 15, "'0x': the number is malformed"},
        {".global .b8 x[08];", 1, 15, "'08': the number is malformed"},
        {".alias f, g;", 1, 11, "function 'g' is not declared"},
        {".pragma nounroll;", 1, 9, "expected a string, found 'nounroll'"},
        {".pragma \"nounroll;\n", 1, 9, "the string does not end on its line"},
        {".file 99999 \"x\"", 1, 7, "the number of the file must lie between 0 and 65535"},
        {".file 1 \"x\"\n.file 1 \"y\"", 2, 7, "file 1 is already 'x'"},
        {".loc 1 2", 1, 9, "expected a column, found the end of the file"},
        {".loc 1 2 3, inlined 1 2 3", 1, 13, "expected function_name or inlined_at, found 'inlined'"},
        {".section .debug_info\n.b8 1", 1, 21, "expected '{' after the name of the section"},
        {".section .debug_info {\n.b8 1", 1, 22, "this '{' of the section is never closed"},
        {".section .debug_info {\n.b9 1\n}", 2, 1, "expected .b8, .b16, .b32, .b64 or a label, found '.b9'"},
        {".section .debug_info {\n.b8 ,\n}", 2, 5, "expected a number or a label, found ','"},
        {". x", 1, 1, "a word must follow the dot"},
        {"`", 1, 1, "this character does not belong into PTX"},
    };
    check_mistakes(mistakes, N_ELEMENTS(mistakes), HEAD, 3, "");
}

static void initial_values(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {".global .b8 x = 256;", 1, 17, "the value does not fit in .b8"},
        {".global .s8 x = -129;", 1, 17, "the value does not fit in .s8"},
        {".global .b16 x = 1.5;", 1, 18, "a float literal cannot initialise a .b16"},
        {".global .f32 x = 0f3F8;", 1, 18, "'0f3F8': 0f must be followed by exactly 8 hexadecimal digits"},
        {".global .f64 x = 0d3F800000;", 1, 18,
         "'0d3F800000': 0d must be followed by exactly 16 hexadecimal digits"},
        {".global .b8 x[2] = {1, 2, 3};", 1, 27, "too many initial values: there is room for 2"},
        {".global .b8 x[2] = {{1}, 2};", 1, 21, "braces are nested deeper than the array"},
        {".global .b8 x[2] = 1;", 1, 20, "expected '{' before the values of an array, found '1'"},
        {".global .b8 x[] = {};", 1, 19, "an array of open size needs at least one initial value"},
        {".global .b8 x[3] = {1, 2", 1, 25, "expected '}' after the initial values"},
        {".global .b8 x[2][99999] = {{1}, {2}};", 1, 31, "inner braces leave out more than 65536 values"},
        {".global .u64 x = y;", 1, 18, "variable or function 'y' is not declared"},
        {".global .u32 abc;\n.global .u64 x = abd;", 2, 18,
         "variable or function 'abd' is not declared: did you mean 'abc'?"},
        {".global .u32 a;\n.global .b8 x = a;", 2, 17,
         "an address does not fit in .b8: take its bytes with 0xFF(name), 0xFF00(name) …"},
        {".global .u32 a;\n.global .b8 x = 0xF0(a);", 2, 17, "the mask must be 0xFF shifted by whole bytes"},
        {".global .u32 a;\n.global .u64 x = generic a;", 2, 26, "expected '(' after 'generic', found 'a'"},
        {".global .u32 x = 1 / 0;", 1, 20, "division by zero"},
        {".global .u32 x = 1.5 % 2;", 1, 22, "this operator takes integers, not floats"},
        {".global .u32 x = ~1.5;", 1, 18, "this operator takes integers, not floats"},
        {".global .u32 x = (1 + 2;", 1, 24, "expected ')' after the expression, found ';'"},
        {".global .u32 x = (.u32) 2;", 1, 19, "expected (.s64) or (.u64), found '.u32'"},
        {".global .u32 x = 1 ? 2;", 1, 23, "expected ':' between the two values of ? :, found ';'"},
        {".global .samplerref s = { filter_mode nearest };", 1, 39,
         "expected '=' after the field, found 'nearest'"},
    };
    check_mistakes(mistakes, N_ELEMENTS(mistakes), HEAD, 3, "");
}

static void headers(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {".entry (.param .u32 r) k() { }", 1, 8, "expected the name of the entry, found '('"},
        {".entry k(.param .u32 a, .param .u32 a) { }", 1, 37,
         "'a' is already declared in this scope, in line 4"},
        {".entry k(.u32 a) { }", 1, 10, "expected a state space such as .param, found '.u32'"},
        {".entry k(.param .u32 a { }", 1, 24, "expected ')' after the parameters, found '{'"},
        {".entry k() .maxntidd 256 { }", 1, 12, "unknown directive '.maxntidd': did you mean '.maxntid'?"},
        {".entry k() .zzz { }", 1, 12, "unknown directive '.zzz' in the header of 'k'"},
        {".entry k() .maxnreg 4294967296 { }", 1, 21, "the value must lie between 0 and 4294967295"},
        {".entry k()\n.func f();", 1, 11, "expected ';' or a body after the header"},
        {".entry k() { }\n.entry k() { }", 2, 8, "'k' is already defined in line 4"},
        {".func f(.param .u32 a);\n.func f() { }", 2, 7, "'f' does not match its declaration in line 4"},
        {".global .u32 f;\n.func f();", 2, 7, "'f' is already declared in line 4"},
        {".func f();\n.global .u32 f;", 2, 14, "'f' is already declared in this scope, in line 4"},
        {".entry k() {\n ret;\n", 1, 12, "this '{' of 'k' is never closed"},
        {".entry k() {\n { ret;\n}", 1, 12, "this '{' of 'k' is never closed"},
    };
    check_mistakes(mistakes, N_ELEMENTS(mistakes), HEAD, 3, "");
}

static void statements(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"mov.u32 %r1, %r99;", 1, 14, "register '%r99' is not declared: %r<20> declares %r0 to %r19"},
        {"mov.u32 %r1, %rx1;", 1, 14, "register '%rx1' is not declared: did you mean '%r1'?"},
        {"mov.u32 %r1, %lanid;", 1, 14, "register '%lanid' is not declared: did you mean '%laneid'?"},
        {"mov.u32 %r1, %envreg32;", 1, 14, "register '%envreg32' is not declared"},
        {"mov.u32 %r1, %pm8;", 1, 14, "register '%pm8' is not declared"},
        {"mov.u32 %r1, cuont;", 1, 14, "name 'cuont' is not declared: did you mean 'count'?"},
        {"mov.u32 %r1, 5", 1, 15, "expected ';' or ',' after the operand, found '}'"},
        {"mov.u32 %r1, 5\nret;", 1, 15, "expected ';' or ',' after the operand"},
        {"ret\nret;", 2, 1, "name 'ret' is not declared"},
        {"mov.u32 %r1, ;", 1, 14, "expected an operand, found ';'"},
        {"mov.u32 %r1 %r2;", 1, 13, "expected ';' or ',' after the operand, found '%r2'"},
        {"mov.u32 %r1, [];", 1, 15, "expected a constant, found ']'"},
        {"mov.u32 %r1, [%rd1;", 1, 19, "expected ']' after the address, found ';'"},
        {"mov.u32 %r1, [%rd1 + 1.5];", 1, 20, "an offset must be an integer"},
        {"mov.u32 %r1, [%tid.x];", 1, 15, "an address needs a register, a variable or an integer"},
        {"mov.u32 %r1, [%r1, {%r2];", 1, 24, "expected '}' or ',' after the operand, found ']'"},
        {"mov.b64 {}, %rd1;", 1, 9, "a vector has 1 to 256 elements"},
        {"mov.b64 {{{{{%r1}}}}}, %rd1;", 1, 13, "operands are nested more than 3 deep"},
        {"mov.f32 %r1.q, 1;", 1, 12, "'.q' is no part of a register: expected .x .y .z .w, or .b0 .h1 …"},
        {"mov.u32 %r1, 12ab;", 1, 14, "'12ab': the number is malformed"},
        {"add.u32 %r1, %r2+1, 3;", 1, 17,
         "a number is added to a register inside [ ] only: use an instruction of its own"},
        {"mov.u32 %r1, tile[%r1];", 1, 19, "expected a constant, found '%r1'"},
        {"%r1 = 5;", 1, 1, "expected an instruction or a label, found '%r1'"},
        {"= 5;", 1, 1, "expected a statement, found '='"},
        {"@%r1 ret;", 1, 2, "a guard must be a .pred register, '%r1' is .b32"},
        {"@%p9 ret;", 1, 2, "predicate register '%p9' is not declared: %p<4> declares %p0 to %p3"},
        {"@%p1;", 1, 5, "expected an instruction after the guard, found ';'"},
        {"@5 ret;", 1, 2, "expected a predicate register after '@', found '5'"},
        {"bra NOWHERE;", 1, 5, "label 'NOWHERE' is not declared"},
        {"bra LOOP2;\nLOOP1:\nbra LOOP3;", 1, 5, "label 'LOOP2' is not declared: did you mean 'LOOP1'?"},
        {"{ L: }\nbra L;", 2, 5, "label 'L' is not declared"},
        {"bra 5;", 1, 5, "expected a label, found '5'"},
        {"bra count;", 1, 5, "label 'count' is not declared"},
        {"L: L: ret;", 1, 4, "'L' is already declared in this scope, in line 5"},
        {"L: mov.u32 %r1, L;", 1, 17, "'L' is a label: only branches take one"},
        {"brx.idx %r1, T;", 1, 14, ".branchtargets list 'T' is not declared"},
        {"T: .branchtargets A, B;\nA:", 1, 22, "label 'B' is not declared"},
        {"T: .branchtargets 5;", 1, 19, "expected a name, found '5'"},
        {".branchtargets A;", 1, 1, ".branchtargets needs a label before it, as in 'name: .branchtargets …'"},
        {"C: .calltargets f;", 1, 17, "function 'f' is not declared"},
        {"call f;", 1, 6, "function 'f' is not declared"},
        {"call (%r1), %rd1, (%r2), proto;", 1, 26, ".callprototype or .calltargets 'proto' is not declared"},
        {"call (%r1) f;", 1, 12, "expected ',' after the return values, found 'f'"},
        {"call 5;", 1, 6, "expected the function to call, found '5'"},
        {"p: .callprototype (.param .b32 _) 5;", 1, 35,
         "expected '_' in place of the function's name, found '5'"},
        {"p: .callprototype _ .maxntid 5;", 1, 21, "unknown directive '.maxntid' in a prototype"},
        {".reg .b32 %r<5>;", 1, 11, "'%r' is already declared in this scope, in line 4"},
        {".reg .b32 %r5;", 1, 11, "'%r5' is already declared in this scope, in line 4"},
        {".reg .b32 a, a;", 1, 14, "'a' is already declared in this scope, in line 5"},
        {".reg .b32 a<-1>;", 1, 13, "expected the number of registers, found '-'"},
        {".reg .b32 a<4294967296>;", 1, 13, "the number of registers must lie between 0 and 4294967295"},
        {".reg .b32 a<5;", 1, 14, "expected '>' after the number of registers, found ';'"},
        {".reg %r;", 1, 6, "expected a type such as .b32, found '%r'"},
        {".entry f;", 1, 1, "unknown directive '.entry' in a body"},
        {".shraed .b8 x[4];", 1, 1, "unknown directive '.shraed': did you mean '.shared'?"},
        {".section .debug_str { }", 1, 1, "unknown directive '.section' in a body"},
    };
    check_mistakes(mistakes, N_ELEMENTS(mistakes), HEAD ".entry k() { " BODY, 4, "}");
}

// Nesting has limits, and the text is never read past its end, wherever it is cut.
static void deep_and_cut(void **state)
{
    (void)state;
    struct buf text = {0};
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, "test");
    buf_puts(&text, HEAD ".entry k() {\n");
    for (int i = 0; i < 100000; i++)
        buf_puts(&text, "{");
    assert_null(ptx_parse(&arena, "deep.ptx", text.at, text.n, &err));
    assert_string_equal(err.text, "scopes are nested more than 62 deep");
    buf_clear(&text);
    buf_puts(&text, HEAD ".global .u32 x = ");
    for (int i = 0; i < 100000; i++)
        buf_puts(&text, "(");
    err = (struct err){0};
    assert_null(ptx_parse(&arena, "deep.ptx", text.at, text.n, &err));
    assert_string_equal(err.text, "the expression is nested more than 64 deep");
    buf_release(&text);
    arena_release(&arena);
}

static void cut_anywhere(void **state)
{
    (void)state;
    struct buf text;
    struct err err = {0};
    struct arena arena;
    assert_true(buf_read_file(&text, "tests/data/ptx/forms.ptx", &err));
    for (size_t n = 0; n < text.n; n++) {
        char *copy = test_malloc(n + 1); // so that a sanitizer sees a read behind the end
        memcpy(copy, text.at, n);
        err = (struct err){0};
        arena_init(&arena, "test");
        struct ptx_module *module = ptx_parse(&arena, "cut.ptx", copy, n, &err);
        assert_int_equal(module == NULL, err.set);
        arena_release(&arena);
        test_free(copy);
    }
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files),  cmocka_unit_test(module_level), cmocka_unit_test(initial_values),
        cmocka_unit_test(headers),      cmocka_unit_test(statements),   cmocka_unit_test(deep_and_cut),
        cmocka_unit_test(cut_anywhere),
    };
    return cmocka_run_group_tests_name("ptx/mistakes", tests, NULL, NULL);
}
