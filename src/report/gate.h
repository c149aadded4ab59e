// Gates: expressions over metrics that must not hold, for kernels or for their source lines.
//
//     struct gate gate;
//     if (!gate_judge(&report, expressions, n, &gate, &err)) ...     // malformed, unknown name, n/a
//     gate_print(&gate, &text); gate_junit(&gate, &text); gate.n_failed
//
// An expression is "EXPR" (each launch as a whole), "line: EXPR" (each source line that ran, with its own
// counters) or "line FILE:N: EXPR" (that line alone). A metric that is n/a for a launch cannot close a gate:
// that is an error, as is a line that no launch ran.
#ifndef REPORT_GATE_H
#define REPORT_GATE_H
#include "report/report.h"

// One launch and one expression; of a line gate all lines together.
struct gate_case {
    const struct report_launch *launch;
    const char *expression;
    const char *failure; // "" or a line for each place where it holds
    const char *values;  // "name = value, ..." of a gate on the launch as a whole
};

struct gate {
    struct gate_case *cases;
    uint32_t n, n_failed; // n_failed: cases
};

bool gate_judge(const struct report *report, const char *const *expressions, uint32_t n, struct gate *out,
                struct err *err);
void gate_print(const struct gate *gate, struct buf *out); // the failures
void gate_junit(const struct gate *gate, struct buf *out); // all cases as JUnit XML
#endif
