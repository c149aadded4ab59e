// The runtime's inside: one state for the process, behind the runtime API, the driver API and all library majors.
//
// Shape. An API function (exported as wg_NAME, rows in api*.def) checks its arguments and calls plain functions on
// `struct rt`. Whatever a stream can do (kernel, copy, fill, host call, event …) is an operation, `struct rt_op`; rt_submit
// either runs it at once or, when the stream is being captured, adds it to a graph, whose launch submits the same operation
// later. So capturing, graphs, ordering and modelled time each have one place.
//
// Order. Operations run when they are submitted, in the host's order: one of the orders that CUDA allows, always the same.
// Waits between streams hold by themselves. Time is modelled: each stream has a clock, see op.h.
//
// Errors. A guest fault stays pending until a synchronising call returns it; from then on every call does (it is sticky),
// until cudaDeviceReset. Other errors are returned and kept as the thread's last error.
//
// Locking. API functions hold the state's lock from rt_enter to rt_leave; plain functions expect it. Host functions run with
// the lock given up, so they may wait for other threads. Everything allocated lives until the process ends or its destroy call.
//
//     cudaError_t wg_cudaFree(void *pointer)
//     {
//         return RT_CALL(rt, device_free(rt, pointer));
//     }
//
// Files. TOPIC.c holds plain functions, TOPIC_api.c the runtime API's bodies over them, driver_TOPIC.c the driver API's.
//   state config console error limits refuse    the state, its settings, what it prints, codes
//   registration registry module                what compiled programs register; modules, kernels, variables
//   function launch kernel record fault_text    attributes and occupancy of kernels; launches and their records
//   op stream event capture graph*              operations, streams, events, capture, graphs
//   memory managed pool array copy symbol pointer   memory of every kind, copies and fills
//   device_query device_api library_api         the device; modules loaded by hand
//   driver*                                     libcuda: contexts, modules, linking, virtual memory, entry points …
//   api*.def stubs/                             the tables, and what the libraries are made of
#ifndef RT_RT_H
#define RT_RT_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "device/device.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "prof/profile.h"
#include "rt/abi.h"
#include "rt/config.h"
#include "rt/handle.h"
#include "rt/module.h"
#include "simt/console.h"
#include "simt/warp.h"
#include <pthread.h>

#define RT_EXPORT __attribute__((visibility("default")))

struct rt_stream;
struct rt_module;

struct rt {
    pthread_mutex_t lock;
    cudaError_t status;  // sticky; every call returns it
    cudaError_t pending; // of a launch that faulted; the next synchronising call makes it sticky
    struct rt_config config;
    struct arena arena; // lives as long as the process
    struct device device;
    struct memory *memory;
    struct engine *engine;
    struct profile_writer *writer; // NULL: nothing is recorded

    struct rt_module *modules;     // registered and loaded ones, the newest first
    struct map functions;          // address of a host stub -> struct rt_function
    struct map variables;          // address of a host variable -> struct rt_variable
    struct map kernels;            // struct rt_function, by its own address: what counts as a kernel handle

    struct rt_stream *legacy;      // the default stream
    struct rt_stream *streams;     // all, `next`
    uint32_t n_streams_made;
    double now_ns;                 // modelled time that the host has waited for
    double destroyed_ns;           // when the last operation of destroyed streams ends
    struct rt_handles handles;
    struct rt_capture *captures;   // the ones not ended
    uint64_t n_captures_made, n_nodes_made, n_graphs_made;
    struct graph_memory *graph_memory;
    uint64_t graph_memory_high[2]; // bytes: most in use, most reserved

    struct console console;        // what device code has printed since the last synchronising call
    struct heap heap;              // of device code
    uint64_t grid_workspace;       // of cooperative launches; 0: none yet
    uint64_t n_launches, n_matching;
    struct arena launch_arena;     // cleared after each launch
    struct counters *counters;     // of the running launch, one an instruction
    uint32_t n_counters;           // room for so many
    struct rt_memory *allocations; // memory_api.c
    struct texture *textures;      // what objects stand for, by number - 1 (texture.c)
    struct rt_texture *texture_descriptions; // the same, as the program gave it
    uint32_t n_textures;
    struct map explained;          // what rt_explain has said
    uint64_t limits[8];            // by number, see limits.h
    unsigned device_flags;         // cudaSetDeviceFlags
    int cache_config;              // cudaDeviceSetCacheConfig
    struct driver *driver;         // of the driver API; NULL until it is first used
};

// ---- entering -------------------------------------------------------------------------------------------

// Locks the state; makes it at the first call. Its `status` is not cudaSuccess when that failed or a fault is sticky.
struct rt *rt_enter(void);
// Unlocks, and keeps an error as the thread's last one.
cudaError_t rt_leave(struct rt *rt, cudaError_t result);

// The usual body of an API function. `rt` names the state in `result`.
#define RT_CALL(rt, result)                                        \
    __extension__({                                                \
        struct rt *rt = rt_enter();                                \
        rt_leave(rt, rt->status ? rt->status : (result));          \
    })

// Around calls of the program's functions: they may wait for other threads that call the API. The number says how often
// the thread had entered.
uint32_t rt_unlock(struct rt *rt);
void rt_relock(struct rt *rt, uint32_t depth);

// What belongs to a host thread.
struct rt_thread {
    uint32_t depth;            // rt_enter without rt_leave
    cudaError_t last_error;
    int device;                // current device; there is only number 0
    struct rt_stream *stream;  // its default stream, made when first used
    struct rt_pending_launch { // __cudaPushCallConfiguration, a stack
        dim3 grid, block;
        size_t shared_bytes;
        void *stream;
    } calls[8];
    uint32_t n_calls;
    int capture_mode;          // cudaThreadExchangeStreamCaptureMode
    uint32_t id;
    // driver API, see driver.h
    struct driver_context *contexts[16]; // a stack; the last one is current, and may be NULL
    uint32_t n_contexts;
    bool uses_runtime;                   // the runtime API made the primary context current
};
struct rt_thread *rt_thread(void);

// A synchronising call: prints what device code has printed, and returns a pending fault.
cudaError_t rt_synchronize(struct rt *rt);

// Back to the state after start (cudaDeviceReset): faults are forgotten, memory is freed, modules are loaded anew.
void rt_reset(struct rt *rt);

// Says once for each `name` (static text or lives for ever) on stderr why it failed; for mistakes that an error code cannot
// explain.
void rt_explain(struct rt *rt, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

// ---- modules --------------------------------------------------------------------------------------------

enum module_state { MODULE_REGISTERED, MODULE_LOADED, MODULE_FAILED };

// One registered fatbin or one loaded image. Parsed and placed when something of it is first used.
struct rt_module {
    struct rt_module *next;
    enum module_state state;
    cudaError_t error;         // why it failed
    struct arena arena;
    struct image_list images;  // borrowed from the program
    struct module module;
    struct rt_function *functions;
    struct rt_variable *variables;
};

struct rt_function {
    struct rt_function *next;
    struct rt_module *module;
    const struct rt_function *self; // the key of rt->kernels
    const void *stub;               // the key of rt->functions; NULL: no host stub
    const char *name;  // mangled
    const char *plain; // what --kernel-name looks at
    const struct kernel *kernel; // NULL until it is used
    bool is_broken;    // cannot be lowered; explained already
    uint32_t local_bytes; // a thread's own, as attributes tell it: of the cubin where there is one
    bool is_selected;  // by --kernel-name
    bool is_in_profile;  // its kernel record is written, under the number
    uint64_t profile_id;
    // attributes that programs set; -1: not set
    int max_dynamic_shared_bytes, carveout_percent, non_portable_cluster, cluster_policy;
    int required_cluster[3];
    int cache_config, shared_config;
    struct legacy_launch *legacy; // driver_launch.c; NULL: never used
};

struct rt_variable {
    struct rt_variable *next;
    const void *symbol; // host side; the key of rt->variables
    struct rt_module *module;
    const char *name;
    uint64_t size_bytes;
    bool is_constant;
    void *managed;  // a __managed__ variable's memory
    uint64_t address; // guest; 0 until the module is loaded
};

struct rt_module *module_register(struct rt *rt, struct image_list images, const char *path);
cudaError_t module_load(struct rt *rt, struct rt_module *module);
// The same; an error is left to the caller to tell.
cudaError_t module_open(struct rt *rt, struct rt_module *module, struct err *err);
void module_unload(struct rt *rt, struct rt_module *module);
void module_reset(struct rt_module *module, struct memory *memory); // variables get their initial values again
struct rt_function *module_add_function(struct rt *rt, struct rt_module *module, const char *name);
// The function of that name in a loaded module, NULL if it has none.
struct rt_function *module_function(struct rt *rt, struct rt_module *module, const char *name);
// A host stub, or a kernel handle; NULL: neither.
struct rt_function *function_of(struct rt *rt, const void *stub_or_handle);
// Loads its module and lowers it. An error is explained on stderr once.
cudaError_t function_load(struct rt *rt, struct rt_function *function);
// Guest address and size of the variable behind a host symbol, or of that name in a loaded module.
cudaError_t variable_of(struct rt *rt, const void *symbol, uint64_t *address, uint64_t *size_bytes);
cudaError_t module_variable(struct rt *rt, struct rt_module *module, const char *name, uint64_t *address,
                            uint64_t *size_bytes);

// ---- errors ---------------------------------------------------------------------------------------------

const char *error_name(cudaError_t error);
const char *error_text(cudaError_t error);
cudaError_t error_of_fault(const struct fault *fault);

// ---- console: the only part of the runtime that prints ---------------------------------------------------

void console_flush(struct rt *rt);                     // device printf to stdout, failed assertions to stderr
void console_say(const char *text);                    // to stderr, as a line "warpglass: …"
void console_error(const struct err *err);             // to stderr, with place and caret
void console_assert(const char *text, size_t length);  // to stderr, as it is
#endif
