// Linking PTX modules: which definition a name means, what is refused, and that places survive. The linked
// text is read back.
#include "ptx/link.h"
#include "base/buf.h"
#include "ptx/load.h"
#include "support/check.h"
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
enum { MOST_PARTS = 4 };

struct bench {
    struct arena arena;
    struct err err;
    struct ptx_module *whole;
};

// Parts are named a.ptx, b.ptx …; NULL ends them.
static void link_texts(struct bench *b, enum ptx_link_mode mode, const char *const texts[MOST_PARTS])
{
    struct ptx_module *parts[MOST_PARTS];
    uint32_t n = 0;
    *b = (struct bench){0};
    arena_init(&b->arena, "test");
    for (; n < MOST_PARTS && texts[n]; n++) {
        const char *path = arena_printf(&b->arena, "%c.ptx", 'a' + n);
        parts[n] = ptx_parse(&b->arena, path, texts[n], strlen(texts[n]), &b->err);
        if (!parts[n])
            fail_msg("%s:%u: %s", path, b->err.line, b->err.text);
    }
    b->whole = ptx_link(&b->arena, "whole", mode, parts, n, &b->err);
    assert_int_equal(b->whole != NULL, !b->err.set);
}

// What is printed can be read, and prints the same again.
static void check_printed(struct bench *b)
{
    struct buf first = {0}, second = {0};
    ptx_print(b->whole, &first);
    const struct ptx_module *again = ptx_parse(&b->arena, "printed", first.at, first.n, &b->err);
    if (!again)
        fail_msg("%u:%u: %s in\n%s", b->err.line, b->err.column, b->err.text, first.at);
    ptx_print(again, &second);
    assert_string_equal(first.at, second.at);
    buf_release(&first);
    buf_release(&second);
}

static void link_good(struct bench *b, enum ptx_link_mode mode, const char *const texts[MOST_PARTS])
{
    link_texts(b, mode, texts);
    if (!b->whole)
        fail_msg("%s:%u: %s", b->err.file, b->err.line, b->err.text);
    check_printed(b);
}

static const struct ptx_variable *find_variable(const struct bench *b, const char *name)
{
    const struct ptx_variable *v = map_get(&b->whole->variable_names, name, strlen(name));
    if (!v)
        fail_msg("no variable %s", name);
    return v;
}

// The first initial value.
static uint64_t value_of(const struct bench *b, const char *name)
{
    const struct ptx_variable *v = find_variable(b, name);
    assert_false(v->is_extern);
    return v->n_init ? v->init[0].bits : 0;
}

// The variable that instruction `index` of a function addresses.
static const struct ptx_variable *addressed(const struct bench *b, const char *function, uint32_t index)
{
    const struct ptx_function *f = ptx_find_function(b->whole, function);
    assert_non_null(f);
    assert_true(index < f->n_insns);
    for (uint32_t i = 0; i < f->insns[index].n_operands; i++)
        if (f->insns[index].operands[i].kind == PO_ADDRESS)
            return f->insns[index].operands[i].base->variable;
    return NULL;
}

#define USE(function, variable)                                                                              \
    ".visible .entry " function "()\n{\n\t.reg .b32 %r<2>;\n\tld.global.u32 %r1, [" variable "];\n\tret;\n}" \
    "\n"

// ---- what a name means ----------------------------------------------------------------------------------

static void test_extern(void **state)
{
    (void)state;
    static const char *const orders[2][MOST_PARTS] = {{HEAD
                                                       ".extern .global .align 4 .u32 x;\n" USE("f", "x"),
                                                       HEAD ".visible .global .align 4 .u32 x = 7;\n"},
                                                      {HEAD ".visible .global .align 4 .u32 x = 7;\n", HEAD
                                                       ".extern .global .align 4 .u32 x;\n" USE("f", "x")}};
    for (int i = 0; i < 2; i++) {
        struct bench b;
        link_good(&b, LINK_SYMBOLS, orders[i]);
        assert_int_equal(value_of(&b, "x"), 7);
        assert_ptr_equal(addressed(&b, "f", 0), find_variable(&b, "x"));
        assert_int_equal(b.whole->n_variables, 1);
        arena_release(&b.arena);
    }
}

static void test_extern_array_of_open_size(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){HEAD ".extern .global .align 4 .b8 x[];\n" USE("f", "x"),
                                              HEAD ".visible .global .align 4 .b8 x[8];\n"});
    assert_int_equal(find_variable(&b, "x")->count, 8);
    assert_ptr_equal(addressed(&b, "f", 0), find_variable(&b, "x"));
    arena_release(&b.arena);
}

static void test_own_names(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){
                  HEAD ".global .u32 x = 1;\n" USE("f", "x"), HEAD ".global .u32 x = 2;\n" USE("g", "x"),
                  HEAD ".visible .global .u32 x = 3;\n.global .u32 x$2 = 4;\n" USE("h", "x")});
    assert_int_equal(addressed(&b, "f", 0)->init[0].bits, 1);
    assert_int_equal(addressed(&b, "g", 0)->init[0].bits, 2);
    assert_int_equal(addressed(&b, "h", 0)->init[0].bits, 3);
    assert_int_equal(value_of(&b, "x"), 3); // the one that is visible keeps the name
    assert_int_equal(value_of(&b, "x$2"), 4);
    assert_int_equal(b.whole->n_variables, 4);
    for (uint32_t i = 0; i < b.whole->n_variables; i++)
        assert_int_equal(b.whole->variables[i]->id, i);
    arena_release(&b.arena);
}

static void test_weak_variables(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){
                  HEAD ".weak .global .u32 x = 1;\n.weak .global .u32 y = 1;\n" USE("f", "x"),
                  HEAD ".weak .global .u32 x = 2;\n.weak .global .u32 y = 2;\n" USE("g", "x"),
                  HEAD ".visible .global .u32 x = 3;\n"});
    assert_int_equal(value_of(&b, "x"), 3);
    assert_int_equal(value_of(&b, "y"), 1);
    assert_ptr_equal(addressed(&b, "f", 0), addressed(&b, "g", 0));
    arena_release(&b.arena);
}

static void test_common(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){
                  HEAD ".common .global .b8 x[4];\n.common .global .u32 y;\n" USE("f", "x"),
                  HEAD ".common .global .b8 x[16];\n.common .global .u32 y = 5;\n",
                  HEAD ".common .global .b8 x[8];\n.extern .global .u32 y;\n" USE("g", "y")});
    assert_int_equal(find_variable(&b, "x")->count, 16);
    assert_int_equal(value_of(&b, "y"), 5);
    assert_int_equal(addressed(&b, "f", 0)->count, 16);
    arena_release(&b.arena);
}

static void test_dynamic_shared(void **state)
{
    (void)state;
    struct bench b;
    static const char *const texts[MOST_PARTS] = {
        HEAD ".extern .shared .align 4 .b8 s[];\n.shared .u32 own;\n" USE("f", "own"),
        HEAD ".extern .shared .align 16 .b8 s[];\n.shared .u32 own;\n" USE("g", "own")};
    link_good(&b, LINK_SYMBOLS, texts);
    assert_int_equal(b.whole->n_variables, 3);
    assert_int_equal(find_variable(&b, "s")->align, 16);
    assert_ptr_not_equal(addressed(&b, "f", 0), addressed(&b, "g", 0));
    assert_true(ptx_link_complete(b.whole, &b.err));
    arena_release(&b.arena);
}

// ---- functions ------------------------------------------------------------------------------------------

#define FUNCTION(linkage, name, value)                                                                     \
    linkage " .func (.param .b32 r) " name "(.param .b32 p)\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, " value \
            ";\n\tst.param.b32 [r], %r1;\n\tret;\n}\n"
#define DECLARE(name) ".extern .func (.param .b32 r) " name "(.param .b32 p);\n"
#define CALL(caller, name)                                                                          \
    ".visible .entry " caller "()\n{\n\t.param .b32 a;\n\t.param .b32 q;\n\tst.param.b32 [a], 1;\n" \
    "\tcall (q), " name ", (a);\n\tret;\n}\n"

// The value that the function called by `caller` returns.
static uint64_t called(const struct bench *b, const char *caller)
{
    const struct ptx_function *f = ptx_find_function(b->whole, caller);
    assert_non_null(f);
    const struct ptx_function *callee = ptx_find_function(b->whole, f->insns[1].operands[1].name);
    assert_non_null(callee);
    assert_true(callee->has_body);
    return callee->insns[0].operands[1].bits;
}

static void test_functions(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){
                  HEAD DECLARE("g") FUNCTION("", "own", "1") FUNCTION(".weak", "w", "10") CALL("k1", "g")
                      CALL("k2", "own") CALL("k3", "w"),
                  HEAD FUNCTION(".visible", "g", "5") FUNCTION("", "own", "2") FUNCTION(".weak", "w", "20")
                      CALL("k4", "own") CALL("k5", "w"),
                  HEAD FUNCTION(".visible", "w", "30")});
    assert_int_equal(called(&b, "k1"), 5);
    assert_int_equal(called(&b, "k2"), 1);
    assert_int_equal(called(&b, "k3"), 30);
    assert_int_equal(called(&b, "k4"), 2);
    assert_int_equal(called(&b, "k5"), 30);
    assert_true(ptx_link_complete(b.whole, &b.err));
    arena_release(&b.arena);
}

// Tables of functions and variables follow their names.
static void test_addresses(void **state)
{
    (void)state;
    struct bench b;
    link_good(
        &b, LINK_SYMBOLS,
        (const char *const[MOST_PARTS]){
            HEAD FUNCTION("", "own", "1") ".global .u32 x = 1;\n.global .u64 t[2] = {own, x};\n",
            HEAD FUNCTION("", "own", "2") ".global .u32 x = 2;\n.visible .global .u64 u[2] = {own, x};\n"});
    const struct ptx_variable *t = find_variable(&b, "t"), *u = find_variable(&b, "u");
    assert_int_equal(ptx_find_function(b.whole, t->init[0].symbol)->insns[0].operands[1].bits, 1);
    assert_int_equal(ptx_find_function(b.whole, u->init[0].symbol)->insns[0].operands[1].bits, 2);
    assert_int_equal(t->init[1].symbol_variable->init[0].bits, 1);
    assert_int_equal(u->init[1].symbol_variable->init[0].bits, 2);
    assert_string_equal(u->init[1].symbol, "x$2");
    arena_release(&b.arena);
}

// Lists of functions that may be called and second names follow as well: the text would not be read back
// otherwise.
static void test_lists_of_functions(void **state)
{
    (void)state;
    static const char part[] =
        HEAD FUNCTION("", "own", "1") ".func (.param .b32 r) second(.param .b32 p);\n"
                                      ".alias second, own;\n"
                                      ".visible .entry k()\n{\n\t.param .b32 a;\n\t.param .b32 "
                                      "q;\n\t.reg .b64 %rd<2>;\n\tmov.u64 %rd1, own;\n"
                                      "\tlist: .calltargets own, second;\n"
                                      "\tcall (q), %rd1, (a), list;\n\tret;\n}\n";
    struct bench b;
    link_good(&b, LINK_APART, (const char *const[MOST_PARTS]){part, part});
    const struct ptx_function *k = ptx_find_function(b.whole, "k$2");
    assert_non_null(k);
    assert_string_equal(k->insns[0].operands[1].name, "own$2");
    assert_string_equal(k->insns[1].targets->functions[0], "own$2");
    assert_string_equal(k->insns[1].targets->functions[1], "second$2");
    struct buf text = {0};
    ptx_print(b.whole, &text);
    assert_non_null(strstr(text.at, ".alias second$2, own$2;"));
    assert_non_null(strstr(text.at, "list: .calltargets own$2, second$2;"));
    buf_release(&text);
    arena_release(&b.arena);
}

static void test_weak_kernels(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){HEAD ".weak .entry k()\n{\n\tret;\n}\n",
                                              HEAD ".weak .entry k()\n{\n\tret;\n}\n"});
    struct ptx_image *image = ptx_image_of(&b.arena, b.whole, &b.err);
    assert_int_equal(image->n_kernels, 1);
    arena_release(&b.arena);
}

// ---- modules that only share a file ---------------------------------------------------------------------

static void test_apart(void **state)
{
    (void)state;
    struct bench b;
    link_good(
        &b, LINK_APART,
        (const char *const[MOST_PARTS]){
            HEAD ".visible .global .u32 x = 1;\n" FUNCTION(".visible", "g", "1") USE("f", "x") CALL("k", "g"),
            HEAD ".visible .global .u32 x = 2;\n" FUNCTION(".visible", "g", "2") USE("h", "x") CALL("k", "g"),
            HEAD ".extern .global .u32 x;\n" DECLARE("g") USE("i", "x")});
    assert_int_equal(addressed(&b, "f", 0)->init[0].bits, 1);
    assert_int_equal(addressed(&b, "h", 0)->init[0].bits, 2);
    assert_true(addressed(&b, "i", 0)->is_extern);
    assert_int_equal(called(&b, "k"), 1);
    assert_int_equal(called(&b, "k$2"), 2);
    arena_release(&b.arena);
}

// ---- what is refused ------------------------------------------------------------------------------------

static void refuse(const char *a, const char *b_text, const char *file, unsigned line, const char *expected)
{
    struct bench b;
    link_texts(&b, LINK_SYMBOLS, (const char *const[MOST_PARTS]){a, b_text});
    assert_null(b.whole);
    assert_string_equal(b.err.text, expected);
    assert_string_equal(b.err.file, file);
    assert_int_equal(b.err.line, line);
    arena_release(&b.arena);
}

static void test_refused(void **state)
{
    (void)state;
    refuse(HEAD ".visible .global .u32 x;\n", HEAD "\n.visible .global .u32 x;\n", "b.ptx", 5,
           "'x' is defined a second time; the first is in line 4 of a.ptx");
    refuse(HEAD FUNCTION(".visible", "g", "1"), HEAD FUNCTION(".visible", "g", "1"), "b.ptx", 4,
           "'g' is defined a second time; the first is in line 4 of a.ptx");
    refuse(HEAD ".visible .global .u32 x;\n", HEAD ".extern .const .u32 x;\n", "b.ptx", 4,
           "'x' lies in another state space than in line 4 of a.ptx");
    refuse(HEAD ".extern .global .f64 x;\n", HEAD ".visible .global .f32 x;\n", "b.ptx", 4,
           "'x' has another size than in line 4 of a.ptx");
    refuse(HEAD ".extern .func g(.param .b64 p);\n", HEAD FUNCTION(".visible", "g", "1"), "b.ptx", 4,
           "'g' takes or returns other values than in line 4 of a.ptx");
    refuse(HEAD DECLARE("g"), HEAD ".visible .global .u32 g;\n", "b.ptx", 4,
           "'g' is something else than in line 4 of a.ptx");
    refuse(HEAD, ".version 8.0\n.target sm_90\n.address_size 32\n", "b.ptx", 0,
           "its addresses have 32 bits, those of a.ptx 64");
}

static void check_missing(const char *a, const char *b_text, const char *file, unsigned line,
                          const char *expected)
{
    struct bench b;
    link_good(&b, LINK_SYMBOLS, (const char *const[MOST_PARTS]){a, b_text});
    assert_int_equal(ptx_link_complete(b.whole, &b.err), expected[0] == '\0');
    assert_string_equal(b.err.text, expected);
    assert_string_equal(b.err.file, file);
    assert_int_equal(b.err.line, line);
    arena_release(&b.arena);
}

static void test_missing(void **state)
{
    (void)state;
    check_missing(HEAD ".extern .global .u32 x;\n", HEAD DECLARE("g"), "", 0, ""); // named but not used
    check_missing(HEAD ".extern .global .u32 x;\n" USE("f", "x"), HEAD, "a.ptx", 8,
                  "'x' is used but defined nowhere");
    check_missing(HEAD, HEAD DECLARE("g") CALL("k", "g"), "b.ptx", 10, "'g' is used but defined nowhere");
    check_missing(HEAD, HEAD DECLARE("g") "\n.visible .global .u64 t = g;\n", "b.ptx", 6,
                  "'g' is used but defined nowhere");
    check_missing(HEAD, HEAD DECLARE("vprintf") CALL("k", "vprintf"), "", 0, "");
}

// Lowering says the same, at the same place, for the kernels that need it.
static void test_missing_when_lowered(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){HEAD ".visible .entry good()\n{\n\tret;\n}\n",
                                              HEAD DECLARE("g") CALL("bad", "g")});
    struct ptx_image *image = ptx_image_of(&b.arena, b.whole, &b.err);
    assert_non_null(image);
    ptx_image_place(image, 0x720000000000, 0x730000000000);
    assert_non_null(ptx_image_kernel(image, "good", &b.err));
    assert_null(ptx_image_kernel(image, "bad", &b.err));
    assert_string_equal(b.err.file, "b.ptx");
    assert_int_equal(b.err.line, 10);
    assert_non_null(strstr(b.err.source, "call (q), g, (a);"));
    arena_release(&b.arena);
}

// ---- places ---------------------------------------------------------------------------------------------

static void check_place(const struct bench *b, const char *function, const char *file, uint32_t line,
                        uint32_t column)
{
    const struct ptx_function *f = ptx_find_function(b->whole, function);
    assert_non_null(f);
    const struct ptx_loc *loc = &b->whole->locs[f->insns[0].loc];
    assert_string_equal(b->whole->files[loc->file], file);
    assert_int_equal(loc->line, line);
    assert_int_equal(loc->column, column);
}

#define LOCATED(function, loc) ".visible .entry " function "()\n{\n\t.loc " loc "\n\tret;\n}\n"

static void test_places(void **state)
{
    (void)state;
    struct bench b;
    link_good(
        &b, LINK_SYMBOLS,
        (const char *const[MOST_PARTS]){HEAD ".file 1 \"a.cu\"\n.file 2 \"common.h\"\n" LOCATED("f", "1 10 3")
                                            LOCATED("g", "2 20 0"),
                                        HEAD ".file 1 \"common.h\"\n.file 3 \"b.cu\"\n" LOCATED("h", "1 30 0")
                                            LOCATED("i", "3 40 1\n\t.loc 1 50 2, inlined_at 3 40 1"),
                                        HEAD "\n.visible .entry j()\n{\n\tret;\n}\n"});
    check_place(&b, "f", "a.cu", 10, 3);
    check_place(&b, "g", "common.h", 20, 0);
    check_place(&b, "h", "common.h", 30, 0);
    check_place(&b, "i", "common.h", 50, 2);
    check_place(&b, "j", "c.ptx", 7, 0); // no .loc: its line of the PTX text
    assert_int_equal(b.whole->n_files, 5);
    const struct ptx_loc *inlined = &b.whole->locs[ptx_find_function(b.whole, "i")->insns[0].loc];
    const struct ptx_loc *site = &b.whole->locs[inlined->inlined_at];
    assert_string_equal(b.whole->files[site->file], "b.cu");
    assert_int_equal(site->line, 40);
    arena_release(&b.arena);
}

// Errors point at the line of the part, also when linked modules are linked again.
static void test_nested_places(void **state)
{
    (void)state;
    static const char *const texts[3] = {HEAD "\n.visible .global .u32 x;", HEAD ".visible .global .u32 y;\n",
                                         HEAD "\n\n.visible .global .u32 z;\n"};
    struct arena arena;
    struct err err = {0};
    struct ptx_module *parts[3];
    arena_init(&arena, "test");
    for (int i = 0; i < 3; i++)
        parts[i] =
            ptx_parse(&arena, arena_printf(&arena, "%c.ptx", 'a' + i), texts[i], strlen(texts[i]), &err);
    struct ptx_module *both[2] = {ptx_link(&arena, "both", LINK_SYMBOLS, parts, 2, &err), parts[2]};
    struct ptx_module *whole = ptx_link(&arena, "whole", LINK_APART, both, 2, &err);
    assert_non_null(whole);
    static const char *const files[3] = {"a.ptx", "b.ptx", "c.ptx"};
    static const unsigned lines[3] = {5, 4, 6};
    for (uint32_t i = 0; i < 3; i++) {
        struct err at = {0};
        err_set_at(&at, "whole", whole->variables[i]->at.line, 1, whole->text, whole->text_length, "x");
        ptx_place_error(whole, &at);
        assert_string_equal(at.file, files[i]);
        assert_int_equal(at.line, lines[i]);
        assert_memory_equal(at.source, ".visible .global .u32 ", 22);
        assert_int_equal(at.source[22], 'x' + (int)i);
    }
    arena_release(&arena);
}

static void test_few(void **state)
{
    (void)state;
    struct bench b;
    link_texts(&b, LINK_SYMBOLS, (const char *const[MOST_PARTS]){NULL});
    assert_string_equal(b.err.text, "holds no PTX to link");
    arena_release(&b.arena);
    link_good(&b, LINK_SYMBOLS, (const char *const[MOST_PARTS]){HEAD USE("f", "0")});
    assert_string_equal(b.whole->path, "a.ptx"); // one module stays as it is
    arena_release(&b.arena);
}

static void test_head(void **state)
{
    (void)state;
    struct bench b;
    link_good(&b, LINK_SYMBOLS,
              (const char *const[MOST_PARTS]){".version 7.8\n.target sm_90a, debug\n.address_size 64\n",
                                              ".version 8.3\n.target sm_80\n.address_size 64\n"});
    assert_int_equal(b.whole->version_major * 10 + b.whole->version_minor, 83);
    assert_string_equal(b.whole->target, "sm_90a");
    assert_int_equal(b.whole->n_target_options, 1);
    arena_release(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extern),
        cmocka_unit_test(test_extern_array_of_open_size),
        cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_weak_variables),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_dynamic_shared),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_weak_kernels),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_missing_when_lowered),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_nested_places),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_lists_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
