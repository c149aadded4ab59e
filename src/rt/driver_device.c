// cuInit, versions, error texts, cuDevice….
#include "rt/driver.h"
#include "rt/function.h"
#include <stdlib.h>
#include <string.h>

// ---- start -----------------------------------------------------------------------------------------------------------

static cudaError_t init(struct rt *rt, unsigned flags)
{
    if (flags)
        return cudaErrorInvalidValue;
    if (rt->status == cudaErrorInitializationError)
        return cudaErrorNoDevice; // told on stderr: a setting is wrong
    rt->driver->is_ready = true;
    return cudaSuccess;
}

CUresult wg_cuInit(unsigned flags)
{
    struct rt *rt = driver_enter();
    return driver_leave(rt, init(rt, flags));
}

CUresult wg_cuDriverGetVersion(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = DRIVER_VERSION;
    return cudaSuccess;
}

static const struct {
    const char *name;
    int number;
} names[] = {
#define ERROR(name, number) {#name, number},
#include "rt/driver_errors.def"
#undef ERROR
};

CUresult wg_cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return cudaErrorInvalidValue;
    *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == (int)error)
            *name = names[i].name;
    return *name ? cudaSuccess : cudaErrorInvalidValue;
}

CUresult wg_cuGetErrorString(CUresult error, const char **text)
{
    CUresult result = wg_cuGetErrorName(error, text);
    if (!result)
        *text = error_text(error);
    return result;
}
