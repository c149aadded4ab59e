// User objects: counted references to something of the program's, held by graphs; the last one calls its
// destructor.
#include "rt/graph_parts.h"
#include <stdlib.h>

struct rt_user_object {
    struct rt_handle handle;
    void *pointer;
    cudaHostFn_t destroy;
    uint64_t n_references;
};

// References that a graph holds.
struct graph_object {
    struct graph_object *next;
    struct rt_user_object *object;
    unsigned n;
};

static void drop(struct rt *rt, struct rt_user_object *object, unsigned n)
{
    object->n_references -= n;
    if (object->n_references)
        return;
    cudaHostFn_t destroy = object->destroy;
    void *pointer = object->pointer;
    handle_free(&rt->handles, object);
    destroy(pointer);
}

cudaError_t user_object_create(struct rt *rt, void *pointer, cudaHostFn_t destroy, unsigned count,
                               unsigned flags, cudaUserObject_t *out)
{
    if (!out || !destroy || count == 0 || flags != cudaUserObjectNoDestructorSync)
        return cudaErrorInvalidValue;
    *out = handle_new(&rt->handles, HANDLE_USER_OBJECT, sizeof **out);
    (*out)->pointer = pointer;
    (*out)->destroy = destroy;
    (*out)->n_references = count;
    return cudaSuccess;
}

cudaError_t user_object_retain(struct rt *rt, cudaUserObject_t object, unsigned count)
{
    (void)rt;
    if (!handle_is(object, HANDLE_USER_OBJECT) || count == 0)
        return cudaErrorInvalidValue;
    object->n_references += count;
    return cudaSuccess;
}

cudaError_t user_object_release(struct rt *rt, cudaUserObject_t object, unsigned count)
{
    if (!handle_is(object, HANDLE_USER_OBJECT) || count == 0 || count > object->n_references)
        return cudaErrorInvalidValue;
    drop(rt, object, count);
    return cudaSuccess;
}

// ---- held by graphs -------------------------------------------------------------------------------------

static void hold(struct rt_graph *graph, struct rt_user_object *object, unsigned n)
{
    struct graph_object *held = graph->objects;
    while (held && held->object != object)
        held = held->next;
    if (!held) {
        held = malloc(sizeof *held);
        if (!held)
            err_memory("user object", sizeof *held);
        *held = (struct graph_object){.next = graph->objects, .object = object};
        graph->objects = held;
    }
    held->n += n;
}

cudaError_t graph_retain_object(struct rt *rt, cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                unsigned flags)
{
    (void)rt;
    bool moves = flags & cudaGraphUserObjectMove;
    if (!handle_is(graph, HANDLE_GRAPH) || !handle_is(object, HANDLE_USER_OBJECT) || count == 0 ||
        flags & ~(unsigned)cudaGraphUserObjectMove || (moves && count > object->n_references))
        return cudaErrorInvalidValue;
    object->n_references += moves ? 0 : count;
    hold(graph, object, count);
    return cudaSuccess;
}

cudaError_t graph_release_object(struct rt *rt, cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    if (!handle_is(graph, HANDLE_GRAPH) || !handle_is(object, HANDLE_USER_OBJECT))
        return cudaErrorInvalidValue;
    struct graph_object **link = &graph->objects;
    while (*link && (*link)->object != object)
        link = &(*link)->next;
    struct graph_object *held = *link;
    if (!held || count == 0 || count > held->n)
        return cudaErrorInvalidValue;
    held->n -= count;
    if (held->n == 0) {
        *link = held->next;
        free(held);
    }
    drop(rt, object, count);
    return cudaSuccess;
}

// A copy of a graph has one reference to each object of its original.
void graph_copy_objects(struct rt *rt, struct rt_graph *to, const struct rt_graph *from)
{
    (void)rt;
    for (const struct graph_object *held = from->objects; held; held = held->next) {
        held->object->n_references++;
        hold(to, held->object, 1);
    }
}

void graph_release_objects(struct rt *rt, struct rt_graph *graph)
{
    while (graph->objects) {
        struct graph_object *held = graph->objects;
        graph->objects = held->next;
        drop(rt, held->object, held->n);
        free(held);
    }
}
