// Streams, events, host functions and capturing: the plain functions behind the runtime API and the driver
// API. All expect the state's lock and take handles as programs give them (0 and the special stream handles
// too); a handle that is none gives cudaErrorInvalidResourceHandle.
//
//     struct rt_stream *stream;
//     cudaError_t error = stream_create(rt, cudaStreamNonBlocking, 0, &stream);
//     error = stream_synchronize(rt, stream);
//     error = stream_destroy(rt, stream);
#ifndef RT_STREAM_H
#define RT_STREAM_H
#include "rt/op.h"

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaEventRecordExternal = 1, cudaEventWaitExternal = 1 };
enum { STREAM_PRIORITY_LEAST = 0, STREAM_PRIORITY_GREATEST = -5 };

// What cudaStreamAddCallback calls; `stream` is the handle as given.
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

// ---- streams (stream.c) -----------------------------------------------------------------------------------

// Priorities outside the range are moved into it.
cudaError_t stream_create(struct rt *rt, unsigned flags, int priority, struct rt_stream **out);
cudaError_t stream_destroy(struct rt *rt, cudaStream_t handle);
cudaError_t stream_synchronize(struct rt *rt, cudaStream_t handle);
// Success: everything has run. Never cudaErrorNotReady.
cudaError_t stream_query(struct rt *rt, cudaStream_t handle);
cudaError_t stream_wait_event(struct rt *rt, cudaStream_t handle, cudaEvent_t event, unsigned flags);
cudaError_t stream_host_function(struct rt *rt, cudaStream_t handle, cudaHostFn_t function, void *data);
cudaError_t stream_callback(struct rt *rt, cudaStream_t handle, cudaStreamCallback_t callback, void *data);
// The launch attributes that streams have (priority, access window …), and only those.
cudaError_t stream_attribute_get(struct rt *rt, cudaStream_t handle, enum cudaLaunchAttributeID id,
                                 union launch_attribute_value *value);
cudaError_t stream_attribute_set(struct rt *rt, cudaStream_t handle, enum cudaLaunchAttributeID id,
                                 const union launch_attribute_value *value);
cudaError_t stream_attributes_copy(struct rt *rt, cudaStream_t to, cudaStream_t from);
// cudaDeviceSynchronize, cuCtxSynchronize: the host waits for all streams.
cudaError_t streams_synchronize(struct rt *rt);
// cudaDeviceReset: streams of the program are gone, clocks stand at 0.
void streams_reset(struct rt *rt);

// ---- events (event.c) -------------------------------------------------------------------------------------

cudaError_t event_create(struct rt *rt, unsigned flags, struct rt_event **out);
cudaError_t event_destroy(struct rt *rt, cudaEvent_t event);
cudaError_t event_record(struct rt *rt, cudaEvent_t event, cudaStream_t handle, unsigned flags);
cudaError_t event_query(struct rt *rt, cudaEvent_t event);
cudaError_t event_synchronize(struct rt *rt, cudaEvent_t event);
// Milliseconds of modelled time.
cudaError_t event_elapsed(struct rt *rt, float *ms, cudaEvent_t from, cudaEvent_t to);

// ---- capturing (capture.c) --------------------------------------------------------------------------------

enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};
enum { cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies = 1 };

struct capture_state {
    enum cudaStreamCaptureStatus status;
    uint64_t id; // 0 when not capturing, as the rest
    struct rt_graph *graph;
    struct rt_graph_node *const *nodes; // what the stream's next operation will depend on
    size_t n_nodes;
};

// graph: NULL, or the graph to which the operations are added behind `nodes`.
cudaError_t capture_begin(struct rt *rt, cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                          size_t n_nodes, int mode);
// *out is NULL after an error. The graph is the caller's (capturing to a graph gives that one).
cudaError_t capture_end(struct rt *rt, cudaStream_t handle, cudaGraph_t *out);
// cudaErrorStreamCaptureImplicit for the legacy stream while a stream that waits for it is captured.
cudaError_t capture_query(struct rt *rt, cudaStream_t handle, struct capture_state *out);
cudaError_t capture_update(struct rt *rt, cudaStream_t handle, const cudaGraphNode_t *nodes, size_t n_nodes,
                           unsigned flags);
// The calling thread's mode; *mode receives the one before.
cudaError_t capture_exchange_mode(struct rt *rt, int *mode);

// For calls that are not allowed while something is captured (allocating, waiting, querying): the error to
// return, after the captures that forbid it have become invalid. rt_synchronize asks it too.
cudaError_t capture_forbids(struct rt *rt);
#endif
