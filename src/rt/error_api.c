// Asking for errors.
#include "rt/api.h"

cudaError_t wg_cudaGetLastError(void)
{
    struct rt *rt = rt_enter();
    struct rt_thread *thread = rt_thread();
    cudaError_t error = thread->last_error; // a sticky error shows when a call returned it
    rt_leave(rt, cudaSuccess);
    thread->last_error = cudaSuccess;
    return error;
}

cudaError_t wg_cudaPeekAtLastError(void)
{
    struct rt *rt = rt_enter();
    cudaError_t error = rt_thread()->last_error;
    rt_leave(rt, cudaSuccess);
    return error;
}

const char *wg_cudaGetErrorName(cudaError_t error)
{
    return error_name(error);
}

const char *wg_cudaGetErrorString(cudaError_t error)
{
    return error_text(error);
}
