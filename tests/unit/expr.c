// base/expr: --index and --fail-on expressions, against C itself and against what must be refused.
#include "base/expr.h"
#include "support/check.h"
#include <math.h>
#include <string.h>

// The expressions below are written without the brackets that compilers would like: precedence is what they test.
#pragma GCC diagnostic ignored "-Wparentheses"

enum { T, TX, TY, N_VARIABLES };
static const char *const variables[N_VARIABLES] = {"t", "tx", "threadIdx.y"};

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, "test");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static int64_t evaluate(const char *text, int64_t t, int64_t tx, int64_t ty)
{
    struct expr expr;
    struct err err = {0};
    const int64_t values[N_VARIABLES] = {t, tx, ty};
    int64_t result = 0;
    if (!expr_parse(&arena, "--index", text, EXPR_INTEGER, &expr, &err) ||
        !expr_check_names(&expr, variables, N_VARIABLES, &err) ||
        !expr_eval_named(&expr, variables, values, N_VARIABLES, &result, &err))
        fail_msg("%s: %s", text, err.text);
    return result;
}

// The expression as C and as text: both must agree for many lanes.
#define AGREES(expression)                                                       \
    for (int64_t t = -3; t < 40; t++) {                                          \
        int64_t tx = t % 8, threadIdx_y = t / 8;                                 \
        (void)tx, (void)threadIdx_y;                                             \
        assert_int_equal(evaluate(#expression, t, tx, threadIdx_y), expression); \
    }

static void agrees_with_c(void **state)
{
    (void)state;
    AGREES(t * 33 + tx)
    AGREES(t + tx * 2 - 7 % 4 * 3)
    AGREES((t ^ tx) & 31 | 1 << 5)
    AGREES(t & 1 ? t / 2 : -t)
    AGREES(t < 4 == tx < 4)
    AGREES(~t + !t + - -t + +tx)
    AGREES(t > 3 && tx != 2 || t <= -2)
    AGREES(t >= 0 ? 0x1F ^ t : t >= -2 ? 10u : 0xffL)
    AGREES(t - tx - 3)
    AGREES(t == 0 || 12 / t > 2)
    AGREES(t != 0 ? 100 % t : 0)
    AGREES(t * t >> 1 << 2)
    AGREES(1 | 2 ^ 3 & t)
}

static void wraps_and_names(void **state)
{
    (void)state;
    assert_int_equal(evaluate("threadIdx.y*10+tx", 0, 3, 4), 43);
    assert_int_equal(evaluate("9223372036854775807 + 1", 0, 0, 0), INT64_MIN);
    assert_int_equal(evaluate("(-9223372036854775807 - 1) / -1", 0, 0, 0), INT64_MIN);
    assert_int_equal(evaluate("(-9223372036854775807 - 1) % -1", 0, 0, 0), 0);
    assert_int_equal(evaluate("18446744073709551615", 0, 0, 0), -1);
    assert_int_equal(evaluate("  t\t", 5, 0, 0), 5);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned column;
        const char *part;
    } cases[] = {
        {"", 1, "too early"},
        {"t +", 4, "too early"},
        {"t t", 3, "expected an operator"},
        {"(t", 1, "not closed"},
        {"t)", 2, "no bracket"},
        {"t ? 1", 3, "no :"},
        {"t $ 2", 3, "unexpected character"},
        {"3x", 2, "in a number"},
        {"0x", 2, "in a number"},
        {"99999999999999999999", 1, "64 bits"},
        {"* 3", 1, "expected a value"},
        {"t + txx", 5, "did you mean 'tx'"},
        {"t / (t - t)", 3, "division by zero"},
        {"t % 0", 3, "division by zero"},
        {"1 << 64", 3, "shift"},
        {"1 >> -1", 3, "shift"},
        {"1.5", 2, "in a number"},
        {"t = 3", 3, "unexpected character"},
        {"()", 2, "expected a value"},
        {"1 : 2", 3, "expected an operator"},
    };
    const int64_t values[N_VARIABLES] = {1, 2, 3};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct expr expr;
        struct err err = {0};
        int64_t result;
        if (expr_parse(&arena, "--index", cases[i].text, EXPR_INTEGER, &expr, &err) &&
            expr_check_names(&expr, variables, N_VARIABLES, &err) &&
            expr_eval_named(&expr, variables, values, N_VARIABLES, &result, &err))
            fail_msg("'%s' was taken", cases[i].text);
        if (!strstr(err.text, cases[i].part) || err.column != cases[i].column)
            fail_msg("'%s': column %u, %s", cases[i].text, err.column, err.text);
        assert_string_equal(err.source, cases[i].text);
    }
}

static void deep_and_long(void **state)
{
    (void)state;
    struct expr expr;
    struct err err = {0};
    char text[EXPR_MAX_LENGTH + 2];
    memset(text, '(', 200);
    text[200] = '\0';
    assert_false(expr_parse(&arena, "--index", text, EXPR_INTEGER, &expr, &err));
    assert_non_null(strstr(err.text, "nested too deeply"));
    for (size_t i = 0; i < EXPR_MAX_LENGTH; i += 2)
        memcpy(text + i, "1+", 2);
    text[EXPR_MAX_LENGTH - 1] = '\0';
    assert_int_equal(evaluate(text, 0, 0, 0), EXPR_MAX_LENGTH / 2);
    memset(text, '1', EXPR_MAX_LENGTH + 1);
    text[EXPR_MAX_LENGTH + 1] = '\0';
    err = (struct err){0};
    assert_false(expr_parse(&arena, "--index", text, EXPR_INTEGER, &expr, &err));
    assert_non_null(strstr(err.text, "longer"));
}

static double real(const char *text, double a, double b)
{
    struct expr expr;
    struct err err = {0};
    double values[2] = {a, b};
    if (!expr_parse(&arena, "--fail-on", text, EXPR_REAL, &expr, &err))
        fail_msg("%s: %s", text, err.text);
    assert_true(expr.n_names <= 2);
    return expr_eval_real(&expr, values);
}

static void real_form(void **state)
{
    (void)state;
    assert_true(real("smsp__inst_executed.sum / l1tex__t_sectors.sum > 1.5", 8, 4) == 1);
    assert_true(real("a.b <= 2e3 && c < 1", 2000, 1) == 0);
    assert_true(real("a.b <= 2e3 || c < 1", 2000, 1) == 1);
    assert_true(real("!a", 0, 0) == 1);
    assert_true(real("a == b", 0.5, 0.5) == 1);
    assert_true(real("a ? -b : 7", 1, 2.5) == -2.5);
    assert_true(real("a != b", NAN, 1) == 0);
    assert_true(real("a > b || a <= b", NAN, 1) == 0);
    assert_true(real("a / b > 1000", 1, 0) == 1);
    struct expr expr;
    struct err err = {0};
    assert_false(expr_parse(&arena, "--fail-on", "a & 1", EXPR_REAL, &expr, &err));
    assert_int_equal(err.column, 3);
    assert_true(expr_parse(&arena, "--fail-on", "x.y + y + x.y", EXPR_REAL, &expr, &err) ||
                expr.n_names == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_c), cmocka_unit_test(wraps_and_names), cmocka_unit_test(mistakes),
        cmocka_unit_test(deep_and_long), cmocka_unit_test(real_form),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
