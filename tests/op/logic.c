// Rows of ptx.def: logic (tests/support/ops_logic.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_logic);
}
