// Rows of ptx.def: convert (tests/support/ops_convert.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_convert);
}
