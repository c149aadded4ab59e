// A .cu file to PTX text, or to PTX and machine code: with nvcc where it is installed (PATH, else /usr/local/cuda/bin), else,
// PTX only, with Debian's clang and the headers of ours (src/cuda). A .ptx file to machine code, with ptxas.
#ifndef CLI_COMPILE_H
#define CLI_COMPILE_H
#include "base/buf.h"
#include "base/err.h"

struct compiled {
    struct buf code;    // PTX text, a fatbin or a cubin
    bool is_binary;     // not text
    char compiler[256]; // which one, for the report: "nvcc (/usr/local/cuda/bin/nvcc)"
};

// cc: compute capability times ten, for -arch. wants_machine: machine code beside the PTX, where nvcc is. The compiler's own
// messages go to stderr.
bool compile_cuda(const char *path, unsigned cc, bool wants_machine, struct compiled *out, struct err *err);
bool compile_ptx(const char *path, unsigned cc, struct compiled *out, struct err *err);
#endif
