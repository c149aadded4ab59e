// Launch attributes of kernel nodes. Those that change results or counters are part of the operation, the
// others are kept to be read back.
#include "rt/attribute.h"
#include "rt/graph_parts.h"

static bool is_of_kernels(enum cudaLaunchAttributeID id)
{
    return id > cudaLaunchAttributeIgnore && id <= cudaLaunchAttributePreferredSharedMemoryCarveout;
}

static cudaError_t check(cudaGraphNode_t node, enum cudaLaunchAttributeID id, const void *value)
{
    bool is_kernel = handle_is(node, HANDLE_NODE) && node->op.kind == OP_KERNEL;
    return is_kernel && value && is_of_kernels(id) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t node_attribute_get(struct rt *rt, cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                               union launch_attribute_value *value)
{
    (void)rt;
    cudaError_t error = check(node, id, value);
    if (error)
        return error;
    const struct op_kernel *kernel = &node->op.kernel;
    const union launch_attribute_value *set = attribute_find(node->attributes, id);
    *value = set ? *set : (union launch_attribute_value){0};
    if (id == cudaLaunchAttributeCooperative)
        value->cooperative = kernel->is_cooperative;
    else if (id == cudaLaunchAttributePreferredSharedMemoryCarveout)
        value->preferred_shared_carveout = (unsigned)kernel->carveout_percent;
    else if (id == cudaLaunchAttributeClusterDimension) {
        value->cluster.x = kernel->cluster[0];
        value->cluster.y = kernel->cluster[1];
        value->cluster.z = kernel->cluster[2];
    }
    return cudaSuccess;
}

cudaError_t node_attribute_set(struct rt *rt, cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                               const union launch_attribute_value *value)
{
    cudaError_t error = check(node, id, value);
    if (error)
        return error;
    struct op_kernel kernel = node->op.kernel;
    if (id == cudaLaunchAttributeCooperative)
        kernel.is_cooperative = value->cooperative;
    else if (id == cudaLaunchAttributePreferredSharedMemoryCarveout)
        kernel.carveout_percent = (int)value->preferred_shared_carveout;
    else if (id == cudaLaunchAttributeClusterDimension) {
        kernel.cluster[0] = value->cluster.x;
        kernel.cluster[1] = value->cluster.y;
        kernel.cluster[2] = value->cluster.z;
    } else {
        attribute_put(&node->attributes, id, value);
    }
    error = kernel_check(rt, &kernel);
    if (!error)
        node->op.kernel = kernel;
    return error;
}

cudaError_t node_attributes_copy(struct rt *rt, cudaGraphNode_t to, cudaGraphNode_t from)
{
    (void)rt;
    if (check(to, cudaLaunchAttributePriority, to) || check(from, cudaLaunchAttributePriority, from))
        return cudaErrorInvalidValue;
    if (to == from)
        return cudaSuccess;
    struct op_kernel *kernel = &to->op.kernel;
    const struct op_kernel *model = &from->op.kernel;
    kernel->is_cooperative = model->is_cooperative;
    kernel->carveout_percent = model->carveout_percent;
    for (int i = 0; i < 3; i++)
        kernel->cluster[i] = model->cluster[i];
    attributes_copy(&to->attributes, from->attributes);
    return cudaSuccess;
}
