// Inside of graphs, for the files that make them up. Pointers here are valid: handles were checked before.
#ifndef RT_GRAPH_PARTS_H
#define RT_GRAPH_PARTS_H
#include "rt/graph.h"

// ---- graph.c ----------------------------------------------------------------------------------------------

struct rt_graph *graph_copy(struct rt *rt, struct rt_graph *graph); // a child of whoever asks
void graph_delete(struct rt *rt, struct rt_graph *graph);
// The node made from the one with that id by graph_copy, in child graphs too; NULL: none.
struct rt_graph_node *graph_find_origin(const struct rt_graph *clone, uint64_t origin_id);
void node_take_op(struct rt *rt, struct rt_graph_node *node,
                  const struct rt_op *op); // copies; the old one is released
void node_add_edge(struct rt_graph_node *node, struct rt_graph_node *from, const cudaGraphEdgeData *data);
bool node_remove_edge(struct rt_graph_node *node, const struct rt_graph_node *from); // false: there is none

// ---- graph_shape.c ----------------------------------------------------------------------------------------

bool graph_sort(struct rt_graph *graph); // fills its order; false: a cycle

// ---- graph_memory.c ---------------------------------------------------------------------------------------

// A node that allocates holds its memory.
void graph_memory_retain(struct rt *rt, uint64_t address, uint64_t size_bytes);
void graph_memory_release(struct rt *rt, uint64_t address);
// Before a launch: memory that the last one left allocated is an error, or is freed.
cudaError_t graph_memory_prepare(struct rt *rt, const struct rt_graph *graph, bool frees);

// ---- user_object.c ----------------------------------------------------------------------------------------

void graph_copy_objects(struct rt *rt, struct rt_graph *to, const struct rt_graph *from);
void graph_release_objects(struct rt *rt, struct rt_graph *graph);
#endif
