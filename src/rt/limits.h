// Limits of the context (cudaLimit…, CU_LIMIT_…; the numbers are the same).
#ifndef RT_LIMITS_H
#define RT_LIMITS_H
#include "rt/rt.h"

enum limit {
    LIMIT_STACK_BYTES = 0,       // of a thread
    LIMIT_PRINTF_BYTES = 1,      // what printf may hold until the next synchronising call
    LIMIT_HEAP_BYTES = 2,        // of malloc in device code; cannot change once a kernel has used it
    LIMIT_SYNC_DEPTH = 3,        // of dynamic parallelism
    LIMIT_PENDING_LAUNCHES = 4,  // likewise
    LIMIT_L2_FETCH_BYTES = 5,    // a hint
    LIMIT_PERSISTING_BYTES = 6,  // of L2
    LIMIT_SHARED_BYTES = 7       // of a block, cannot be set
};

void limits_init(struct rt *rt); // the values after start, and after a reset
// cudaErrorUnsupportedLimit: this device has it no more. cudaErrorInvalidValue: there is no such limit, or not that value.
cudaError_t limit_get(struct rt *rt, int limit, size_t *value);
cudaError_t limit_set(struct rt *rt, int limit, size_t value);
#endif
