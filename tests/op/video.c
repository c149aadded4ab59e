// Rows of ptx.def: video (tests/support/ops_video.c).
#include "support/op_harness.h"

int main(void)
{
    return op_cases_run(op_cases_video);
}
