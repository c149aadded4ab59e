// A CUDA program for tests of the runtime.
#include "support/guest.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// As in the section .nvFatBinSegment.
struct wrapper {
    uint32_t magic, version;
    const void *data;
    void *extra;
};

void **guest_module(const char *ptx)
{
    static struct wrapper wrappers[32]; // as long as the program
    static int n;
    if (n == sizeof wrappers / sizeof wrappers[0])
        abort();
    struct wrapper *wrapper = &wrappers[n++];
    *wrapper = (struct wrapper){.magic = 0x466243b1, .version = 1, .data = ptx};
    void **module = wg___cudaRegisterFatBinary(wrapper);
    wg___cudaRegisterFatBinaryEnd(module);
    return module;
}

const void *guest_kernel(void **module, const char *name)
{
    char *stub = calloc(1, 1);
    wg___cudaRegisterFunction(module, stub, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
    return stub;
}

void guest_variable(void **module, void *symbol, const char *name, size_t size_bytes)
{
    wg___cudaRegisterVar(module, symbol, NULL, name, 0, size_bytes, 0, 0);
}

cudaError_t guest_launch(const void *kernel, unsigned blocks, unsigned threads, void **arguments,
                         cudaStream_t stream)
{
    return wg_cudaLaunchKernel(kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, arguments, 0, stream);
}

uint64_t guest_n_launches(void)
{
    struct rt *rt = rt_enter();
    uint64_t n = rt->n_launches;
    rt_leave(rt, cudaSuccess);
    return n;
}

const char guest_ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
    ".visible .entry add(.param .u64 p, .param .u32 v)\n{\n"
    "    .reg .u32 %r<4>; .reg .u64 %d<4>;\n"
    "    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v];\n"
    "    mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
    "    ld.global.u32 %r3, [%d3]; add.u32 %r3, %r3, %r1; st.global.u32 [%d3], %r3;\n"
    "    ret;\n}\n"
    ".visible .entry times(.param .u64 p, .param .u32 v)\n{\n"
    "    .reg .u32 %r<4>; .reg .u64 %d<4>;\n"
    "    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v];\n"
    "    mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
    "    ld.global.u32 %r3, [%d3]; mul.lo.u32 %r3, %r3, %r1; st.global.u32 [%d3], %r3;\n"
    "    ret;\n}\n"
    ".visible .entry spin(.param .u64 p, .param .u32 n)\n{\n"
    "    .reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p1;\n"
    "    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
    "loop:\n"
    "    ld.volatile.global.u32 %r3, [%d3]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%d3], %r3;\n"
    "    sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra loop;\n"
    "    ret;\n}\n"
    ".visible .entry fault()\n{\n"
    "    .reg .u64 %d<2>; mov.u64 %d1, 0; st.global.u32 [%d1], 1; ret;\n}\n"
    ".visible .entry take_table(.param .u64 p)\n{\n"
    "    .reg .u32 %r<4>; .reg .u64 %d<6>;\n"
    "    ld.param.u64 %d1, [p]; mov.u64 %d4, table;\n"
    "    mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4;\n"
    "    add.u64 %d3, %d1, %d2; add.u64 %d5, %d4, %d2;\n"
    "    ld.global.u32 %r3, [%d5]; st.global.u32 [%d3], %r3; ret;\n}\n";

int guest_in_child(int (*body)(void))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(body());
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}
