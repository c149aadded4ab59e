// Inside of capturing, for streams and events.
#ifndef RT_CAPTURE_H
#define RT_CAPTURE_H
#include "rt/graph.h"
#include "rt/stream.h"

// One capture: from begin to end, of one stream and those that joined by events.
struct rt_capture {
    struct rt_handle handle;
    struct rt_capture *next;
    uint64_t id;
    struct rt_stream *origin;
    struct node_set orphans; // where streams that joined were when they were destroyed
    struct rt_graph *graph;
    bool owns_graph; // not one the program gave
    bool is_invalid;
    int mode;
    uint32_t thread; // that began it
};

// Makes it invalid and returns the error.
cudaError_t capture_fail(struct rt_capture *capture, cudaError_t error);
cudaError_t capture_fail_all(struct rt *rt, cudaError_t error);
// The stream is destroyed; its capture ends if it began there. What one that joined has done stays.
void capture_forget_stream(struct rt *rt, struct rt_stream *stream);
// The event's capture if that has not ended.
struct rt_capture *capture_of_event(const struct rt_event *event);
cudaError_t capture_record(struct rt_stream *stream, struct rt_event *event);
cudaError_t capture_wait(struct rt *rt, struct rt_stream *stream, struct rt_event *event);

void node_set_put(struct node_set *set, struct rt_graph_node *const *nodes, size_t n); // each once
void node_set_assign(struct node_set *set, struct rt_graph_node *const *nodes, size_t n);
void node_set_release(struct node_set *set);
#endif
