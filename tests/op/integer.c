// Rows of ptx.def: integer (tests/support/ops_integer.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_integer);
}
