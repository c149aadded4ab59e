// Rows of ptx.def: float (tests/support/ops_float.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_float);
}
