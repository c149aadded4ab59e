// From the parameter structures of graph nodes to operations and back. Handles and pointers in them come from
// the program.
//
//     struct rt_op op;
//     cudaError_t error = op_of_fill(rt, params, &op);
#ifndef RT_GRAPH_PARAMS_H
#define RT_GRAPH_PARAMS_H
#include "rt/graph.h"

// Launch attributes are those of `like` (a kernel node), NULL: none. The parameter block lies in the launch's
// arena.
cudaError_t op_of_kernel(struct rt *rt, const struct cudaKernelNodeParams *params,
                         const struct rt_graph_node *like, struct rt_op *op);
cudaError_t op_of_fill(struct rt *rt, const struct cudaMemsetParams *params, struct rt_op *op);
cudaError_t op_of_copy(struct rt *rt, const struct cudaMemcpy3DParms *params, struct rt_op *op);
cudaError_t op_of_bytes(struct rt *rt, void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                        struct rt_op *op);
cudaError_t op_to_symbol(struct rt *rt, const void *symbol, const void *from, size_t count, size_t offset,
                         enum cudaMemcpyKind kind, struct rt_op *op);
cudaError_t op_from_symbol(struct rt *rt, void *to, const void *symbol, size_t count, size_t offset,
                           enum cudaMemcpyKind kind, struct rt_op *op);
cudaError_t op_of_host(const struct cudaHostNodeParams *params, struct rt_op *op);
// Of any kind but allocating and freeing. `like`: the node that is to be changed, else NULL.
cudaError_t op_of_params(struct rt *rt, const struct cudaGraphNodeParams *params,
                         const struct rt_graph_node *like, struct rt_op *op);

struct cudaKernelNodeParams params_of_kernel(const struct rt_graph_node *node);
struct cudaMemsetParams params_of_fill(const struct op_fill *fill);
struct cudaMemcpy3DParms params_of_copy(const struct op_copy *copy);
#endif
