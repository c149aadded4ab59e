// Contexts of the driver API. All are names for the process's one state; each host thread has a stack of them.
#include "rt/driver.h"
#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT_FLAGS = 0x1ff,      // CU_CTX_FLAGS_MASK, and CU_CTX_USER_COREDUMP_ENABLE
    CONTEXT_API_VERSION = 3020, // what the driver says of contexts on 64-bit machines
    MOST_CONTEXTS = sizeof((struct rt_thread *)0)->contexts / sizeof(struct driver_context *)
};

// ---- finding ----------------------------------------------------------------------------------------------------

static struct driver_context *context_new(struct rt *rt, unsigned flags)
{
    struct driver_context *context = arena_new(&rt->arena, struct driver_context);
    *context = (struct driver_context){
        .next = rt->driver->contexts, .id = ++rt->driver->n_contexts_made, .flags = flags, .is_alive = true};
    rt->driver->contexts = context;
    return context;
}

struct driver_context *context_primary(struct rt *rt)
{
    if (!rt->driver->primary) {
        rt->driver->primary = context_new(rt, 0);
        rt->driver->primary->is_primary = true;
    }
    return rt->driver->primary;
}

struct driver_context *context_current(struct rt *rt)
{
    const struct rt_thread *thread = rt_thread();
    if (thread->n_contexts)
        return thread->contexts[thread->n_contexts - 1];
    return thread->uses_runtime ? context_primary(rt) : NULL;
}

bool context_is_alive(struct rt *rt, const struct driver_context *context)
{
    for (const struct driver_context *c = rt->driver->contexts; c; c = c->next)
        if (c == context)
            return c->is_alive;
    return false;
}

static cudaError_t push(struct driver_context *context)
{
    struct rt_thread *thread = rt_thread();
    if (thread->n_contexts == MOST_CONTEXTS)
        return cudaErrorMemoryAllocation;
    thread->contexts[thread->n_contexts++] = context;
    return cudaSuccess;
}

// The one on top goes; below the stack lies the primary one of a thread that used the runtime API.
static void pop(void)
{
    struct rt_thread *thread = rt_thread();
    if (thread->n_contexts)
        thread->n_contexts--;
    else
        thread->uses_runtime = false;
}

// ---- making and destroying ----------------------------------------------------------------------------------------

static cudaError_t context_create(struct rt *rt, CUcontext *out, unsigned flags, CUdevice device)
{
    if (!out || flags > CONTEXT_FLAGS)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    struct driver_context *context = context_new(rt, flags);
    context->n_uses = 1;
    cudaError_t error = push(context);
    context->is_alive = !error;
    *out = error ? NULL : context;
    return error;
}

CUresult wg_cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, context_create(rt, out, flags, device));
}

CUresult wg_cuCtxCreate_v3(CUcontext *out, const void *affinities, int n_affinities, unsigned flags, CUdevice device)
{
    bool is_divided = affinities && n_affinities > 0;
    return DRIVER_INIT_CALL(rt, is_divided ? cudaErrorUnsupportedExecAffinity : context_create(rt, out, flags, device));
}

CUresult wg_cuCtxCreate_v4(CUcontext *out, const struct CUctxCreateParams *params, unsigned flags, CUdevice device)
{
    if (params && params->cigParams)
        return DRIVER_INIT_CALL(rt, cudaErrorNotSupported);
    return wg_cuCtxCreate_v3(out, params ? params->execAffinityParams : NULL,
                             params ? params->numExecAffinityParams : 0, flags, device);
}

static cudaError_t context_destroy(struct rt *rt, CUcontext context)
{
    if (!context)
        return cudaErrorInvalidValue;
    if (!context_is_alive(rt, context) || context->is_primary)
        return cudaErrorDeviceUninitialized; // CUDA_ERROR_INVALID_CONTEXT
    cudaError_t error = streams_synchronize(rt);
    if (context_current(rt) == context)
        pop();
    context->is_alive = false;
    return error;
}

CUresult wg_cuCtxDestroy_v2(CUcontext context)
{
    return DRIVER_INIT_CALL(rt, context_destroy(rt, context));
}

static cudaError_t context_attach(struct rt *rt, CUcontext *out, unsigned flags)
{
    if (!out || flags)
        return cudaErrorInvalidValue;
    *out = context_current(rt);
    (*out)->n_uses++;
    return cudaSuccess;
}

CUresult wg_cuCtxAttach(CUcontext *out, unsigned flags)
{
    return DRIVER_CALL(rt, context_attach(rt, out, flags));
}

static cudaError_t context_detach(struct rt *rt, CUcontext context)
{
    if (context_current(rt) != context)
        return cudaErrorDeviceUninitialized;
    return --context->n_uses ? cudaSuccess : context_destroy(rt, context);
}

CUresult wg_cuCtxDetach(CUcontext context)
{
    return DRIVER_CALL(rt, context_detach(rt, context));
}

// ---- the current one ------------------------------------------------------------------------------------------------

static cudaError_t context_push(struct rt *rt, CUcontext context)
{
    return context_is_alive(rt, context) ? push(context) : cudaErrorDeviceUninitialized;
}

CUresult wg_cuCtxPushCurrent_v2(CUcontext context)
{
    return DRIVER_INIT_CALL(rt, context_push(rt, context));
}

static cudaError_t context_pop(struct rt *rt, CUcontext *out)
{
    struct driver_context *context = context_current(rt);
    if (!context)
        return cudaErrorDeviceUninitialized;
    if (out)
        *out = context;
    pop();
    return cudaSuccess;
}

CUresult wg_cuCtxPopCurrent_v2(CUcontext *out)
{
    return DRIVER_INIT_CALL(rt, context_pop(rt, out));
}

static cudaError_t context_set(struct rt *rt, CUcontext context)
{
    if (context && !context_is_alive(rt, context))
        return cudaErrorDeviceUninitialized;
    if (context_current(rt))
        pop();
    return context ? push(context) : cudaSuccess;
}

CUresult wg_cuCtxSetCurrent(CUcontext context)
{
    return DRIVER_INIT_CALL(rt, context_set(rt, context));
}

static cudaError_t context_get(struct rt *rt, CUcontext *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = context_current(rt);
    return cudaSuccess;
}

CUresult wg_cuCtxGetCurrent(CUcontext *out)
{
    return DRIVER_INIT_CALL(rt, context_get(rt, out));
}

// ---- asking ---------------------------------------------------------------------------------------------------------

// The context that a handle names; NULL means the current one.
static struct driver_context *named(struct rt *rt, CUcontext context)
{
    if (!context)
        return context_current(rt);
    return context_is_alive(rt, context) ? context : NULL;
}

static cudaError_t context_device(struct rt *rt, CUdevice *out, CUcontext context)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (!named(rt, context))
        return cudaErrorDeviceUninitialized;
    *out = 0;
    return cudaSuccess;
}

CUresult wg_cuCtxGetDevice(CUdevice *out)
{
    return DRIVER_CALL(rt, context_device(rt, out, NULL));
}

CUresult wg_cuCtxGetDevice_v2(CUdevice *out, CUcontext context)
{
    return DRIVER_INIT_CALL(rt, context_device(rt, out, context));
}

static cudaError_t context_flags(struct rt *rt, unsigned *flags)
{
    if (!flags)
        return cudaErrorInvalidValue;
    *flags = context_current(rt)->flags;
    return cudaSuccess;
}

CUresult wg_cuCtxGetFlags(unsigned *flags)
{
    return DRIVER_CALL(rt, context_flags(rt, flags));
}

static cudaError_t context_set_flags(struct rt *rt, unsigned flags)
{
    if (flags > CONTEXT_FLAGS)
        return cudaErrorInvalidValue;
    context_current(rt)->flags = flags;
    return cudaSuccess;
}

CUresult wg_cuCtxSetFlags(unsigned flags)
{
    return DRIVER_CALL(rt, context_set_flags(rt, flags));
}

static cudaError_t context_id(struct rt *rt, CUcontext context, unsigned long long *id)
{
    const struct driver_context *it = named(rt, context);
    if (!id)
        return cudaErrorInvalidValue;
    if (!it)
        return context ? cudaErrorContextIsDestroyed : cudaErrorDeviceUninitialized;
    *id = it->id;
    return cudaSuccess;
}

CUresult wg_cuCtxGetId(CUcontext context, unsigned long long *id)
{
    return DRIVER_INIT_CALL(rt, context_id(rt, context, id));
}

static cudaError_t context_version(struct rt *rt, CUcontext context, unsigned *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    if (!named(rt, context))
        return cudaErrorDeviceUninitialized;
    *version = CONTEXT_API_VERSION;
    return cudaSuccess;
}

CUresult wg_cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    return DRIVER_INIT_CALL(rt, context_version(rt, context, version));
}

CUresult wg_cuCtxSynchronize_v2(CUcontext context)
{
    return DRIVER_INIT_CALL(rt, named(rt, context) ? streams_synchronize(rt) : cudaErrorDeviceUninitialized);
}

// There is one device, so no other context is a peer.
CUresult wg_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    (void)flags;
    return DRIVER_CALL(rt, !context_is_alive(rt, peer) || peer == context_current(rt) ? cudaErrorDeviceUninitialized
                                                                                     : cudaErrorPeerAccessUnsupported);
}

CUresult wg_cuCtxDisablePeerAccess(CUcontext peer)
{
    return DRIVER_CALL(rt, context_is_alive(rt, peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorDeviceUninitialized);
}

// ---- the primary context ----------------------------------------------------------------------------------------------

static cudaError_t primary_retain(struct rt *rt, CUcontext *out, CUdevice device)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    *out = context_primary(rt);
    (*out)->n_uses++;
    return cudaSuccess;
}

CUresult wg_cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    return DRIVER_INIT_CALL(rt, primary_retain(rt, out, device));
}

static cudaError_t primary_release(struct rt *rt, CUdevice device)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    if (context_primary(rt)->n_uses == 0)
        return cudaErrorDeviceUninitialized;
    context_primary(rt)->n_uses--;
    return cudaSuccess;
}

CUresult wg_cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    return DRIVER_INIT_CALL(rt, primary_release(rt, device));
}

// Also the way out of a fault, so it does not ask for one.
CUresult wg_cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    struct rt *rt = driver_enter();
    if (!rt->driver->is_ready && !rt_thread()->uses_runtime)
        return driver_leave(rt, cudaErrorInitializationError);
    if (device == 0)
        rt_reset(rt);
    return driver_leave(rt, device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

static cudaError_t primary_set_flags(struct rt *rt, CUdevice device, unsigned flags)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    if (flags > CONTEXT_FLAGS)
        return cudaErrorInvalidValue;
    context_primary(rt)->flags = flags;
    return cudaSuccess;
}

CUresult wg_cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    return DRIVER_INIT_CALL(rt, primary_set_flags(rt, device, flags));
}

static cudaError_t primary_state(struct rt *rt, CUdevice device, unsigned *flags, int *is_active)
{
    if (!flags || !is_active)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    *flags = context_primary(rt)->flags;
    *is_active = context_primary(rt)->n_uses > 0 || rt_thread()->uses_runtime;
    return cudaSuccess;
}

CUresult wg_cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *is_active)
{
    return DRIVER_INIT_CALL(rt, primary_state(rt, device, flags, is_active));
}
