// Names and texts of error codes.
#include "rt/rt.h"
#include "simt/address.h"

static const struct {
    const char *name, *text;
    int number;
} errors[] = {
#define ERROR(name, number, text) {#name, text, number},
#include "rt/errors.def"
#undef ERROR
};
enum { N_ERRORS = sizeof errors / sizeof errors[0] };

static const char unknown[] = "unrecognized error code";

const char *error_name(cudaError_t error)
{
    for (int i = 0; i < N_ERRORS; i++)
        if (errors[i].number == (int)error)
            return errors[i].name;
    return unknown;
}

const char *error_text(cudaError_t error)
{
    for (int i = 0; i < N_ERRORS; i++)
        if (errors[i].number == (int)error)
            return errors[i].text;
    return unknown;
}

// As an H200 reports them (tests/data/h200_runtime.txt; shared memory: stores, loads and atomics at 13 distances). Hardware
// hangs in a deadlock; here a watchdog ends the launch.
cudaError_t error_of_fault(const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_NONE:
        return cudaSuccess;
    case FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case FAULT_ASSERT:
        return cudaErrorAssert;
    case FAULT_TRAP:
    case FAULT_BAD_FREE:
        return cudaErrorLaunchFailure;
    case FAULT_SHARED_BOUNDS: // beyond the block's memory; beyond the 16 MiB in which addresses of one block lie
        return fault->address >> SHARED_RANK_SHIFT ? cudaErrorIllegalInstruction : cudaErrorIllegalAddress;
    case FAULT_BAD_MAP:
        return cudaErrorIllegalInstruction;
    case FAULT_ILLEGAL_CALL:
        return cudaErrorInvalidPc;
    case FAULT_DEADLOCK:
    case FAULT_TIMEOUT:
    case FAULT_DIVERGENT_BARRIER:
        return cudaErrorLaunchTimeout;
    default:
        return cudaErrorIllegalAddress;
    }
}
