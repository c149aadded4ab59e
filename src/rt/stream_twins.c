// Twins of the stream functions, called by programs built with a default stream per thread: stream 0 is the
// calling thread's own.
#include "rt/api.h"
#include "rt/stream.h"

static cudaStream_t own(cudaStream_t stream)
{
    return stream ? stream : STREAM_PER_THREAD;
}

cudaError_t wg_cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return wg_cudaEventRecordWithFlags(event, own(stream), flags);
}

cudaError_t wg_cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream)
{
    return wg_cudaEventRecord(event, own(stream));
}

cudaError_t wg_cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return wg_cudaLaunchHostFunc(own(stream), function, data);
}

cudaError_t wg_cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                          unsigned flags)
{
    return wg_cudaStreamAddCallback(own(stream), callback, data, flags);
}

cudaError_t wg_cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                                  const cudaGraphNode_t *nodes,
                                                  const cudaGraphEdgeData *edges, size_t n, int mode)
{
    return wg_cudaStreamBeginCaptureToGraph(own(stream), graph, nodes, edges, n, mode);
}

cudaError_t wg_cudaStreamBeginCapture_ptsz(cudaStream_t stream, int mode)
{
    return wg_cudaStreamBeginCapture(own(stream), mode);
}

cudaError_t wg_cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from)
{
    return wg_cudaStreamCopyAttributes(own(to), own(from));
}

cudaError_t wg_cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *out)
{
    return wg_cudaStreamEndCapture(own(stream), out);
}

cudaError_t wg_cudaStreamGetAttribute_ptsz(cudaStream_t stream, enum cudaLaunchAttributeID id,
                                           union launch_attribute_value *value)
{
    return wg_cudaStreamGetAttribute(own(stream), id, value);
}

cudaError_t wg_cudaStreamGetCaptureInfo_v1_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                unsigned long long *id)
{
    return wg_cudaStreamGetCaptureInfo_v1(own(stream), status, id);
}

cudaError_t wg_cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                unsigned long long *id, cudaGraph_t *graph,
                                                const cudaGraphNode_t **nodes, size_t *n)
{
    return wg_cudaStreamGetCaptureInfo_v2(own(stream), status, id, graph, nodes, n);
}

cudaError_t wg_cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                unsigned long long *id, cudaGraph_t *graph,
                                                const cudaGraphNode_t **nodes,
                                                const cudaGraphEdgeData **edges, size_t *n)
{
    return wg_cudaStreamGetCaptureInfo_v3(own(stream), status, id, graph, nodes, edges, n);
}

cudaError_t wg_cudaStreamGetDevice_ptsz(cudaStream_t stream, int *device)
{
    return wg_cudaStreamGetDevice(own(stream), device);
}

cudaError_t wg_cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned *flags)
{
    return wg_cudaStreamGetFlags(own(stream), flags);
}

cudaError_t wg_cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long *id)
{
    return wg_cudaStreamGetId(own(stream), id);
}

cudaError_t wg_cudaStreamGetPriority_ptsz(cudaStream_t stream, int *priority)
{
    return wg_cudaStreamGetPriority(own(stream), priority);
}

cudaError_t wg_cudaStreamIsCapturing_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return wg_cudaStreamIsCapturing(own(stream), status);
}

cudaError_t wg_cudaStreamQuery_ptsz(cudaStream_t stream)
{
    return wg_cudaStreamQuery(own(stream));
}

cudaError_t wg_cudaStreamSetAttribute_ptsz(cudaStream_t stream, enum cudaLaunchAttributeID id,
                                           const union launch_attribute_value *value)
{
    return wg_cudaStreamSetAttribute(own(stream), id, value);
}

cudaError_t wg_cudaStreamSynchronize_ptsz(cudaStream_t stream)
{
    return wg_cudaStreamSynchronize(own(stream));
}

cudaError_t wg_cudaStreamUpdateCaptureDependencies_v1_ptsz(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                           size_t n, unsigned flags)
{
    return wg_cudaStreamUpdateCaptureDependencies_v1(own(stream), nodes, n, flags);
}

cudaError_t wg_cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                           const cudaGraphEdgeData *edges, size_t n,
                                                           unsigned flags)
{
    return wg_cudaStreamUpdateCaptureDependencies_v2(own(stream), nodes, edges, n, flags);
}

cudaError_t wg_cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return wg_cudaStreamWaitEvent(own(stream), event, flags);
}

cudaError_t wg_cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream)
{
    return wg_cudaGraphLaunch(exec, own(stream));
}

cudaError_t wg_cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t stream)
{
    return wg_cudaGraphUpload(exec, own(stream));
}
