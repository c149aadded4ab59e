// Rows of ptx.def: half (tests/support/ops_half.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_half);
}
