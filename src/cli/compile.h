// A .cu file to PTX text: with nvcc where it is installed (PATH, else /usr/local/cuda/bin), else with
// Debian's clang and the headers of ours (src/cuda).
#ifndef CLI_COMPILE_H
#define CLI_COMPILE_H
#include "base/buf.h"
#include "base/err.h"

struct compiled {
    struct buf ptx;
    char compiler[256]; // which one, for the report: "nvcc (/usr/local/cuda/bin/nvcc)"
};

// cc: compute capability times ten, for nvcc's -arch. The compiler's own messages go to stderr.
bool compile_cuda(const char *path, unsigned cc, struct compiled *out, struct err *err);
#endif
