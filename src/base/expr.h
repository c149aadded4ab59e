// Expressions as people write them on the command line, with C's operators, precedence and meaning.
//
//     struct expr e;
//     if (!expr_parse(&arena, "--index", "(tx * 33 + ty) * 4", EXPR_INTEGER, &e, &err)) ...
//     e.names = {"tx", "ty"}: the caller fills one value per name, in that order
//     if (!expr_eval_integer(&e, values, &result, &err)) ...       // division by zero
//
// EXPR_INTEGER (--index): 64-bit, wraps around; + - * / % & | ^ ~ << >> ! && || comparisons ?: ( ); decimal
// and hexadecimal numbers, suffixes u and l are read over. EXPR_REAL (--fail-on): doubles; no bit operators,
// no %; a comparison gives 1 or 0 and is false when a side is not a number. Names may contain letters,
// digits, `_` and
// `.` (threadIdx.x, smsp__inst_executed.sum). && || ?: evaluate only what they need.
#ifndef BASE_EXPR_H
#define BASE_EXPR_H
#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

enum expr_form { EXPR_INTEGER, EXPR_REAL };

// Longest text, and depth of brackets and prefixes: what a person writes is far below.
enum { EXPR_MAX_LENGTH = 4096, EXPR_MAX_DEPTH = 64 };

struct expr_node;

struct expr {
    const char *what, *text; // as given; `what` names the option in messages
    enum expr_form form;
    const struct expr_node *root;
    const char **names; // each once, in order of first appearance
    uint32_t *columns;  // 1-based place of that appearance
    uint32_t n_names;
};

// Everything lives in `arena`; `text` is copied. Errors point at the column.
bool expr_parse(struct arena *arena, const char *what, const char *text, enum expr_form form,
                struct expr *out, struct err *err);

// Are all names of `expr` among `allowed`? Else an error at the name, with the nearest allowed one.
bool expr_check_names(const struct expr *expr, const char *const *allowed, uint32_t n_allowed,
                      struct err *err);

// values[i] belongs to expr->names[i].
bool expr_eval_integer(const struct expr *expr, const int64_t *values, int64_t *out, struct err *err);
double expr_eval_real(const struct expr *expr, const double *values);

// The same with values[k] belonging to allowed[k]; the names must have passed expr_check_names.
bool expr_eval_named(const struct expr *expr, const char *const *allowed, const int64_t *values,
                     uint32_t n_allowed, int64_t *out, struct err *err);
#endif
