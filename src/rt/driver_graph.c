// cuGraph…: nodes whose parameters differ from the runtime API's. The rest of the functions are rows of the table.
#include "rt/api.h"
#include "rt/driver.h"
#include "rt/driver_copy.h"
#include <stdlib.h>
#include <string.h>

// ---- kernels: from CUDA 12.0 on a node may name a library's kernel instead of a function -------------------------------

static struct CUDA_KERNEL_NODE_PARAMS older(const struct CUDA_KERNEL_NODE_PARAMS *params)
{
    struct CUDA_KERNEL_NODE_PARAMS own = *params;
    own.func = own.func ? own.func : own.kern;
    return own;
}

CUresult wg_cuGraphAddKernelNode_v2(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t n,
                                    const struct CUDA_KERNEL_NODE_PARAMS *params)
{
    if (!params)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    struct CUDA_KERNEL_NODE_PARAMS own = older(params);
    return wg_cuGraphAddKernelNode(out, graph, nodes, n, &own);
}

CUresult wg_cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const struct CUDA_KERNEL_NODE_PARAMS *params)
{
    if (!params)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    struct CUDA_KERNEL_NODE_PARAMS own = older(params);
    return wg_cuGraphKernelNodeSetParams(node, &own);
}

CUresult wg_cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              const struct CUDA_KERNEL_NODE_PARAMS *params)
{
    if (!params)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    struct CUDA_KERNEL_NODE_PARAMS own = older(params);
    return wg_cuGraphExecKernelNodeSetParams(exec, node, &own);
}

CUresult wg_cuGraphKernelNodeGetParams_v2(cudaGraphNode_t node, struct CUDA_KERNEL_NODE_PARAMS *params)
{
    CUresult result = wg_cuGraphKernelNodeGetParams(node, params);
    if (result)
        return result;
    params->kern = NULL;
    return wg_cuCtxGetCurrent(&params->ctx);
}

// ---- copies ----------------------------------------------------------------------------------------------------------

static cudaError_t op_of(struct rt *rt, const struct CUDA_MEMCPY3D *params, struct rt_op *op)
{
    if (!params)
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = OP_COPY};
    cudaError_t error = copy_of_driver(rt, params, &op->copy);
    return error ? error : copy_check(rt, &op->copy);
}

static cudaError_t add_copy(struct rt *rt, cudaGraphNode_t *out, cudaGraph_t graph, const struct graph_edges *edges,
                            const struct CUDA_MEMCPY3D *params)
{
    struct rt_op op;
    cudaError_t error = op_of(rt, params, &op);
    return error ? error : graph_add(rt, graph, edges, &op, out);
}

CUresult wg_cuGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t n,
                                 const struct CUDA_MEMCPY3D *params, CUcontext context)
{
    const struct graph_edges edges = {nodes, NULL, n};
    (void)context;
    return DRIVER_CALL(rt, add_copy(rt, out, graph, &edges, params));
}

static cudaError_t set_copy(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node,
                            const struct CUDA_MEMCPY3D *params)
{
    struct rt_op op;
    cudaError_t error = op_of(rt, params, &op);
    if (error)
        return error;
    return exec ? exec_node_set(rt, exec, node, &op) : node_set(rt, node, &op);
}

CUresult wg_cuGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct CUDA_MEMCPY3D *params)
{
    return DRIVER_CALL(rt, set_copy(rt, NULL, node, params));
}

CUresult wg_cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct CUDA_MEMCPY3D *params, CUcontext context)
{
    (void)context;
    return DRIVER_CALL(rt, exec ? set_copy(rt, exec, node, params) : cudaErrorInvalidValue);
}

static cudaError_t get_copy(struct rt *rt, cudaGraphNode_t node, struct CUDA_MEMCPY3D *params)
{
    const struct rt_op *op;
    cudaError_t error = params ? node_get(rt, node, OP_COPY, &op) : cudaErrorInvalidValue;
    if (!error)
        driver_of_copy(&op->copy, params);
    return error;
}

CUresult wg_cuGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct CUDA_MEMCPY3D *params)
{
    return DRIVER_CALL(rt, get_copy(rt, node, params));
}

// ---- nodes of any kind -------------------------------------------------------------------------------------------------

// Node parameters as the runtime API has them: the same structure but for copies, which are treated apart.
static struct cudaGraphNodeParams runtime_params(const struct CUgraphNodeParams *params)
{
    struct CUgraphNodeParams own = *params;
    struct cudaGraphNodeParams out;
    if (own.type == cudaGraphNodeTypeKernel)
        own.kernel = older(&own.kernel);
    memcpy(&out, &own, sizeof out);
    return out;
}
_Static_assert(sizeof(struct CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "layouts agree");

CUresult wg_cuGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                              const cudaGraphEdgeData *data, size_t n, struct CUgraphNodeParams *params)
{
    const struct graph_edges edges = {nodes, data, n};
    if (!params)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    if (params->type == cudaGraphNodeTypeMemcpy)
        return DRIVER_CALL(rt, add_copy(rt, out, graph, &edges, &params->memcpy.copyParams));
    struct cudaGraphNodeParams own = runtime_params(params);
    CUresult result = driver_error(wg_cudaGraphAddNode_v2(out, graph, nodes, data, n, &own));
    if (!result && params->type == cudaGraphNodeTypeMemAlloc)
        memcpy(params, &own, sizeof own); // tells the address
    return result;
}

CUresult wg_cuGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t n,
                           struct CUgraphNodeParams *params)
{
    return wg_cuGraphAddNode_v2(out, graph, nodes, NULL, n, params);
}

CUresult wg_cuGraphNodeSetParams(cudaGraphNode_t node, struct CUgraphNodeParams *params)
{
    if (!params)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    if (params->type == cudaGraphNodeTypeMemcpy)
        return wg_cuGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
    struct cudaGraphNodeParams own = runtime_params(params);
    return driver_error(wg_cudaGraphNodeSetParams(node, &own));
}

CUresult wg_cuGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct CUgraphNodeParams *params)
{
    if (!params)
        return DRIVER_CALL(rt, cudaErrorInvalidValue);
    if (params->type == cudaGraphNodeTypeMemcpy)
        return wg_cuGraphExecMemcpyNodeSetParams(exec, node, &params->memcpy.copyParams, NULL);
    struct cudaGraphNodeParams own = runtime_params(params);
    return driver_error(wg_cudaGraphExecNodeSetParams(exec, node, &own));
}
