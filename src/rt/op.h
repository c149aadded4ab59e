// Operations: what a stream can do. Submitted ones run at once, or become nodes of a graph.
//
// Modelled time. Every stream has a clock: the time at which its last operation ends. An operation begins when its stream
// and the host have got that far, a stream that blocks (not cudaStreamNonBlocking) and the legacy default stream wait for
// each other, and ends after: kernel LAUNCH_NS + cycles / SM clock; copy COPY_NS + bytes / bandwidth (host link, or half of
// device memory's within the device); fill COPY_NS + bytes / device memory bandwidth. Events keep the time of their
// stream. So two streams overlap without contention. These times only answer cudaEventElapsedTime.
#ifndef RT_OP_H
#define RT_OP_H
#include "device/occupancy.h"
#include "rt/rt.h"

enum { LAUNCH_NS = 2000, COPY_NS = 1000 }; // what H200 runs of empty launches and 4-byte copies take, rounded

enum op_kind {
    OP_EMPTY,
    OP_KERNEL,
    OP_COPY,
    OP_FILL,
    OP_HOST,
    OP_EVENT_RECORD,
    OP_EVENT_WAIT,
    OP_ALLOC, // of a graph or a stream-ordered pool
    OP_FREE,
    OP_GRAPH // child graph
};

// A box of bytes in host or guest memory. Bytes of row y in slice z begin at address + y * pitch + z * slice.
struct op_place {
    uint64_t address; // host pointer or guest address; guest addresses are above all host ones
    uint64_t pitch_bytes, slice_bytes;
    struct rt_array *array; // the place lies in it (for queries of graph nodes), else NULL
};

struct op_kernel {
    struct rt_function *function;
    uint32_t grid[3], block[3], cluster[3]; // cluster: 0 = none
    uint32_t shared_bytes;                  // dynamic
    bool is_cooperative;
    int carveout_percent;                   // -1: not asked for
    const uint8_t *params;                  // the parameter block
    uint32_t param_bytes;
};

struct op_copy {
    struct op_place from, to;
    uint64_t width_bytes, height, depth; // height and depth at least 1
    enum cudaMemcpyKind kind;            // as asked, never cudaMemcpyDefault once submitted
};

struct op_fill {
    struct op_place to;
    uint32_t value, element_bytes;    // 1, 2 or 4
    uint64_t width, height, depth;    // width in elements
};

struct rt_op {
    enum op_kind kind;
    union {
        struct op_kernel kernel;
        struct op_copy copy;
        struct op_fill fill;
        struct {
            cudaHostFn_t function;
            void *data;
        } host;
        struct rt_event *event;
        struct rt_graph *graph;
        struct {
            uint64_t address, size_bytes;
        } memory;
    };
};

// The nodes on which the next operation of a captured stream depends.
struct node_set {
    struct rt_graph_node **nodes;
    size_t n, room;
};

// A launch attribute that was set on a stream or a node.
struct rt_attribute {
    struct rt_attribute *next;
    enum cudaLaunchAttributeID id;
    union launch_attribute_value value;
};

struct rt_stream {
    struct rt_handle handle;
    struct rt_stream *next;
    uint32_t id;         // as cudaStreamGetId and reports number it; legacy: 7, as ncu prints it
    bool is_blocking;    // waits for the legacy default stream, and that one for it
    bool is_default;     // the legacy one or a thread's own: cannot be destroyed
    int priority;
    uint32_t flags;
    double ready_ns;     // its clock
    struct rt_attribute *attributes;
    struct rt_capture *capture; // NULL: not capturing
    struct node_set leaves;     // of that capture
};

struct rt_event {
    struct rt_handle handle;
    uint32_t flags;
    bool is_recorded, is_captured; // captured: recorded last while its stream was being captured
    double time_ns;
    struct rt_capture *capture;    // then; it may have ended, its id tells
    uint64_t capture_id;
    struct node_set leaves;        // of the stream then: waiting for the event joins the capture behind them
};

// The stream behind a handle: 0 and the special values too. NULL: no stream of ours.
struct rt_stream *stream_of(struct rt *rt, cudaStream_t handle);

// When the stream's next operation can begin: blocking streams and the legacy one wait for each other.
double stream_ready_ns(const struct rt *rt, const struct rt_stream *stream);

// The calling thread's own default stream (cudaStreamPerThread).
struct rt_stream *stream_per_thread(struct rt *rt);

// Runs `op` on the stream, or captures it (the op and its parameter block are copied then).
cudaError_t rt_submit(struct rt *rt, struct rt_stream *stream, const struct rt_op *op);
// Runs it on the stream in any case; also the way graph launches take.
cudaError_t op_run(struct rt *rt, struct rt_stream *stream, const struct rt_op *op);

// One row for each kind. They do the work; times are returned in *ns.
cudaError_t kernel_execute(struct rt *rt, struct rt_stream *stream, const struct op_kernel *kernel, double *ns);
cudaError_t copy_run(struct rt *rt, const struct op_copy *copy, double *ns);
cudaError_t fill_run(struct rt *rt, const struct op_fill *fill, double *ns);

// In capture.c: adds the operation to the stream's capture.
cudaError_t capture_add(struct rt *rt, struct rt_stream *stream, const struct rt_op *op);
// While a stream that waits for the legacy one is captured, nothing may run on that: cudaErrorStreamCaptureImplicit, and the
// capture is invalid.
cudaError_t capture_forbids_legacy(struct rt *rt);
// Runs all nodes of an executable graph or of its child graph on the stream.
cudaError_t graph_run(struct rt *rt, struct rt_stream *stream, struct rt_graph *graph);

// In graph_memory.c: if memory of a graph begins there it is in use, or not any more.
void graph_memory_mark(struct rt *rt, uint64_t address, bool is_used);

// Whether an address is one of the device's own memory (managed and pinned memory has host addresses).
bool is_guest(uint64_t address);
// The parameter block of a launch from an array of pointers to the arguments; in the arena.
const uint8_t *kernel_pack(struct arena *arena, const struct kernel *kernel, void **arguments);
// What the function asks of an SM; shapes are left open.
struct kernel_needs function_needs(const struct rt_function *function, uint32_t threads, uint32_t shared_bytes);
// The launch's errors that CUDA reports at the call: shapes, shared memory, registers.
cudaError_t kernel_check(struct rt *rt, const struct op_kernel *kernel);
#endif
