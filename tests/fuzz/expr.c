// Fuzz target: the expression parser in both forms, and the evaluation of what it takes.
#include "base/expr.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_and_evaluate(const char *text, enum expr_form form, uint8_t seed)
{
    struct arena arena;
    struct expr expr;
    struct err err = {0};
    static const int64_t integers[EXPR_MAX_LENGTH] = {3, 0, -1, INT64_MIN, 64};
    static const double reals[EXPR_MAX_LENGTH] = {0.5, 0, -1, 1e308};
    arena_init(&arena, "fuzz");
    if (!expr_parse(&arena, "fuzz", text, form, &expr, &err)) {
        if (!err.set)
            BUG("refused without a reason");
    } else if (form == EXPR_REAL) {
        (void)expr_eval_real(&expr, reals);
    } else {
        int64_t result;
        if (expr_eval_integer(&expr, integers + seed % 4, &result, &err) == err.set)
            BUG("result and error disagree");
    }
    arena_release(&arena);
}

// The first byte chooses the form and the values; the rest is the text.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * EXPR_MAX_LENGTH];
    if (size == 0 || size > sizeof text - 1)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    parse_and_evaluate(text, data[0] & 1 ? EXPR_REAL : EXPR_INTEGER, data[0]);
    return 0;
}
