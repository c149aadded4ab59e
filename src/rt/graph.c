// Graphs and the capture of streams.
#include "rt/op.h"

cudaError_t capture_add(struct rt *rt, struct rt_stream *stream, const struct rt_op *op)
{
    (void)rt, (void)stream, (void)op;
    return cudaErrorNotSupported;
}

cudaError_t graph_run(struct rt *rt, struct rt_stream *stream, struct rt_graph *graph)
{
    (void)rt, (void)stream, (void)graph;
    return cudaErrorNotSupported;
}
