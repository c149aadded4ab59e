// Graphs: operations with dependencies, run by launches. The plain functions behind the runtime API and the
// driver API; all expect the state's lock and take handles as programs give them (a handle that is none:
// cudaErrorInvalidValue).
//
// A node holds an rt_op, made by the API layer from its own parameter structures, and owns copies of what the
// op points to: the parameter block, a child graph. So adding, changing and querying nodes of every kind is
// one function each.
//
//     struct rt_op op = {.kind = OP_KERNEL, .kernel = {…}};   // params packed by kernel_pack
//     struct rt_graph_node *node;
//     cudaError_t error = graph_add(rt, graph, &(struct graph_edges){nodes, NULL, n}, &op, &node);
//     const struct op_kernel *kernel = &node->op.kernel;      // for a query of its parameters
#ifndef RT_GRAPH_H
#define RT_GRAPH_H
#include "rt/abi_graph.h"
#include "rt/op.h"

// Dependencies as programs give them.
struct graph_edges {
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *data; // NULL: default edges
    size_t n;
};

struct graph_edge {
    struct rt_graph_node *from;
    cudaGraphEdgeData data;
};

struct rt_graph_node {
    struct rt_handle handle;
    struct rt_graph *graph;
    struct rt_graph_node *next; // in the order they were added
    uint64_t id, origin_id;     // origin: of the node it was cloned from; 0: none
    struct rt_op op;            // what it points to is the node's own
    void **arguments;           // OP_KERNEL: pointers into op.kernel.params, one a parameter
    struct graph_edge *edges;   // what it depends on
    uint32_t n_edges, edge_room;
    struct rt_attribute *attributes;
    bool is_disabled; // in an executable graph
    double end_ns;    // modelled, of the last run
    uint32_t index;   // used while walking over the graph
    struct rt_graph_node *found;
};

struct rt_graph {
    struct rt_handle handle;
    struct rt_graph_node *first, **last;
    uint32_t n_nodes;
    uint64_t origin_id, id;
    bool is_child;                // belongs to a node
    struct rt_graph_node **order; // of an executable graph: an order in which nodes can run
    struct graph_object *objects; // user objects it holds
};

struct rt_graph_exec {
    struct rt_handle handle;
    struct rt_graph *graph; // a clone of its own
    unsigned long long flags;
};

// ---- graphs (graph.c) -------------------------------------------------------------------------------------

cudaError_t graph_create(struct rt *rt, cudaGraph_t *out);
cudaError_t graph_destroy(struct rt *rt, cudaGraph_t graph);
cudaError_t graph_clone(struct rt *rt, cudaGraph_t graph, cudaGraph_t *out);
cudaError_t graph_find_clone(struct rt *rt, cudaGraphNode_t original, cudaGraph_t clone,
                             cudaGraphNode_t *out);
// The op is copied. Kernels, copies and fills are expected to be checked (launch_op, copy_check, fill_check).
cudaError_t graph_add(struct rt *rt, cudaGraph_t graph, const struct graph_edges *edges,
                      const struct rt_op *op, cudaGraphNode_t *out);
// Takes device memory, at once and for the graph's life; *out is its address.
cudaError_t graph_add_alloc(struct rt *rt, cudaGraph_t graph, const struct graph_edges *edges,
                            size_t size_bytes, void **out, cudaGraphNode_t *node);
cudaError_t graph_add_free(struct rt *rt, cudaGraph_t graph, const struct graph_edges *edges, void *pointer,
                           cudaGraphNode_t *node);
// Another op of the same kind.
cudaError_t node_set(struct rt *rt, cudaGraphNode_t node, const struct rt_op *op);
// Success and *op for a node of that kind.
cudaError_t node_get(struct rt *rt, cudaGraphNode_t node, enum op_kind kind, const struct rt_op **op);
cudaError_t node_type(struct rt *rt, cudaGraphNode_t node, enum cudaGraphNodeType *type);
// The node's child graph becomes `graph` itself, which belongs to the node from then on.
void node_adopt_graph(struct rt *rt, struct rt_graph_node *node, struct rt_graph *graph);
cudaError_t node_destroy(struct rt *rt, cudaGraphNode_t node);
// Attributes of kernel nodes.
cudaError_t node_attribute_get(struct rt *rt, cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                               union launch_attribute_value *value);
cudaError_t node_attribute_set(struct rt *rt, cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                               const union launch_attribute_value *value);
cudaError_t node_attributes_copy(struct rt *rt, cudaGraphNode_t to, cudaGraphNode_t from);

// ---- shape (graph_shape.c): arrays as the API fills them
// -----------------------------------------------------

// Where `nodes` is NULL only *n is written, the number there are; else at most *n are written, the rest of
// the room is filled with NULL and *n is the number written. Where `edges` is NULL and an edge has data:
// cudaErrorLossyQuery.
cudaError_t graph_nodes(struct rt *rt, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
cudaError_t graph_roots(struct rt *rt, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
cudaError_t graph_all_edges(struct rt *rt, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                            cudaGraphEdgeData *edges, size_t *n);
cudaError_t node_dependencies(struct rt *rt, cudaGraphNode_t node, cudaGraphNode_t *nodes,
                              cudaGraphEdgeData *edges, size_t *n);
cudaError_t node_dependents(struct rt *rt, cudaGraphNode_t node, cudaGraphNode_t *nodes,
                            cudaGraphEdgeData *edges, size_t *n);
cudaError_t graph_connect(struct rt *rt, cudaGraph_t graph, const cudaGraphNode_t *from,
                          const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n);
cudaError_t graph_disconnect(struct rt *rt, cudaGraph_t graph, const cudaGraphNode_t *from,
                             const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n);
cudaError_t graph_print_dot(struct rt *rt, cudaGraph_t graph, const char *path, unsigned flags);

// Whether each node of `from` is one of `to`, or something that those depend on.
bool nodes_lead_to(struct rt_graph *graph, const struct node_set *from, const struct node_set *to);

// ---- executable graphs (graph_exec.c)
// -----------------------------------------------------------------------

// *result and *node may be NULL; they say what is wrong with the graph.
cudaError_t exec_create(struct rt *rt, cudaGraph_t graph, unsigned long long flags, cudaGraphExec_t *out,
                        cudaGraphInstantiateResult *result, cudaGraphNode_t *node);
cudaError_t exec_destroy(struct rt *rt, cudaGraphExec_t exec);
cudaError_t exec_launch(struct rt *rt, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t exec_upload(struct rt *rt, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t exec_update(struct rt *rt, cudaGraphExec_t exec, cudaGraph_t graph,
                        cudaGraphExecUpdateResultInfo *info);
// `node` is one of the graph that the executable graph was made from.
cudaError_t exec_node_set(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node, const struct rt_op *op);
cudaError_t exec_node_enable(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node, bool is_enabled);
cudaError_t exec_node_is_enabled(struct rt *rt, cudaGraphExec_t exec, cudaGraphNode_t node, bool *out);

// ---- memory of graphs (graph_memory.c)
// ------------------------------------------------------------------------

// True: the pointer is memory of a graph and counts as freed now (cudaFree and cudaFreeAsync of it).
bool graph_memory_free(struct rt *rt, const void *pointer);
// All device memory is about to be freed (cudaDeviceReset).
void graph_memory_reset(struct rt *rt);
cudaError_t graph_memory_get(struct rt *rt, enum cudaGraphMemAttributeType attribute, uint64_t *bytes);
cudaError_t graph_memory_set(struct rt *rt, enum cudaGraphMemAttributeType attribute, uint64_t bytes);

// ---- user objects (user_object.c)
// -----------------------------------------------------------------------------

cudaError_t user_object_create(struct rt *rt, void *pointer, cudaHostFn_t destroy, unsigned count,
                               unsigned flags, cudaUserObject_t *out);
cudaError_t user_object_retain(struct rt *rt, cudaUserObject_t object, unsigned count);
cudaError_t user_object_release(struct rt *rt, cudaUserObject_t object, unsigned count);
cudaError_t graph_retain_object(struct rt *rt, cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                unsigned flags);
cudaError_t graph_release_object(struct rt *rt, cudaGraph_t graph, cudaUserObject_t object, unsigned count);
#endif
