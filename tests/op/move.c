// Rows of ptx.def: move (tests/support/ops_move.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_move);
}
