// Rows of ptx.def: carry (tests/support/ops_carry.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_carry);
}
