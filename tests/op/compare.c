// Rows of ptx.def: compare (tests/support/ops_compare.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_compare);
}
