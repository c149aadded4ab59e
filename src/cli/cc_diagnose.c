// Names what a source needs beyond clang and our headers.
#include "cli/cc_diagnose.h"
#include <stdio.h>
#include <string.h>

struct library {
    const char *prefix; // how its headers begin
    const char *name;
};

// The first row that fits counts.
static const struct library libraries[] = {
    {"cub/", "CUB"},
    {"thrust/", "Thrust"},
    {"cuda/std/", "libcu++"},
    {"cuda/", "libcu++"},
    {"nv/", "libcu++"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTLASS"},
    {"cublas", "cuBLAS"},
    {"cufft", "cuFFT"},
    {"curand", "cuRAND"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cudnn", "cuDNN"},
    {"cutensor", "cuTENSOR"},
    {"nccl", "NCCL"},
    {"npp", "NPP"},
    {"nvrtc", "NVRTC"},
    {"nvml", "NVML"},
    {"nvjpeg", "nvJPEG"},
    {"cupti", "CUPTI"},
    {"nvToolsExt", "NVTX"},
    {"nvtx3/", "NVTX"},
    {"mma.h", "the warp matrix functions"},
    {"cuda_fp8", "8-bit floating point"},
    {"cuda_fp6", "6-bit floating point"},
    {"cuda_fp4", "4-bit floating point"},
    {"cuda_gl_interop", "the graphics interface"},
    {"cudaGL", "the graphics interface"},
    {"cudaEGL", "the graphics interface"},
    {"cooperative_groups/", "cooperative groups beyond the basic ones"},
    {"cuda_awbarrier", "asynchronous barriers"},
    {"helper_", "CUDA's samples (they come with the samples: -I their common folder)"},
    {"cuda", "the CUDA toolkit"},
    {"device_", "the CUDA toolkit"},
    {"texture_", "the CUDA toolkit"},
    {"surface_", "the CUDA toolkit"},
};

void cc_explain(const char *source, const char *messages, struct err *err)
{
    static const char end[] = "' file not found";
    const char *close = strstr(messages, end), *open = close;
    while (open && open > messages && open[-1] != '\'')
        open--;
    if (!close || open == messages || close - open > 200)
        return;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (strncmp(open, libraries[i].prefix, strlen(libraries[i].prefix)) == 0) {
            *err = (struct err){0};
            err_set(err,
                    "%s includes <%.*s>, a header of %s: that needs NVIDIA's toolkit (nvcc -cudart shared "
                    "builds a program that warpglass runs)",
                    source, (int)(close - open), open, libraries[i].name);
            return;
        }
}

// Functions of the machine: the engine has them.
static bool is_known(const char *name, size_t length)
{
    static const char *const known[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0)
            return true;
    return false;
}

bool cc_check_ptx(const char *source, const char *ptx, size_t n, struct err *err)
{
    static const char start[] = ".extern .func";
    for (const char *at = ptx, *end = ptx + n; at && at < end;) {
        at = memmem(at, (size_t)(end - at), start, strlen(start));
        if (!at)
            break;
        at += strlen(start);
        // ".extern .func (.param .b32 func_retval0) name": the result stands in brackets, if there is one.
        at += strspn(at, " \n");
        if (*at == '(')
            at += strcspn(at, ")") + 1;
        at += strspn(at, " \n");
        size_t length = strcspn(at, " \n(;");
        if (is_known(at, length))
            continue;
        if (strncmp(at, "__nv_", 5) == 0)
            return err_set(err, "%s calls %.*s, which our headers do not have (NVIDIA's device library does)",
                           source, (int)length - 5, at + 5);
        return err_set(
            err,
            "%s calls the device function %.*s, which it does not define: clang 14 cannot link device "
            "code of several files",
            source, (int)length, at);
    }
    return true;
}
