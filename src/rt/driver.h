// The driver API's inside: contexts, modules loaded by hand, libraries, the linker. One state with the runtime API: every
// context sees the same memory, modules and streams.
//
// A body checks first that cuInit was called and a context is current, then calls plain functions:
//
//     CUresult wg_cuStreamSynchronize(cudaStream_t stream)
//     {
//         return DRIVER_CALL(rt, stream_synchronize(rt, stream));
//     }
//
// Plain functions return runtime errors. Driver errors have the same numbers but for a few that only one API has:
// driver_error maps those. Calls of this API leave the thread's last error (cudaGetLastError) alone.
#ifndef RT_DRIVER_H
#define RT_DRIVER_H
#include "rt/driver_api.h"

struct driver_context {
    struct driver_context *next;
    uint64_t id;
    unsigned flags, n_uses; // n_uses: retained or attached so many times
    bool is_primary, is_alive;
};

struct driver {
    bool is_ready;                   // cuInit was called
    struct driver_context *contexts; // all that were made, the newest first
    struct driver_context *primary;
    uint64_t n_contexts_made;
    struct rt_library *libraries;
    struct driver_link *links;
    struct virtual_memory *virtual; // driver_virtual.c; NULL until first used
};
struct driver *driver_state(struct rt *rt);

// ---- entering (driver.c) ------------------------------------------------------------------------------------

struct rt *driver_enter(void);
CUresult driver_leave(struct rt *rt, cudaError_t result);
// What every call returns at once: not initialised, sticky, no current context.
cudaError_t driver_ready(struct rt *rt);
cudaError_t driver_status(struct rt *rt);
CUresult driver_error(cudaError_t error);

// With a current context; and without one.
#define DRIVER_CALL(rt, result)                                      \
    __extension__({                                                  \
        struct rt *rt = driver_enter();                              \
        cudaError_t driver_status_ = driver_status(rt);              \
        driver_leave(rt, driver_status_ ? driver_status_ : (result)); \
    })
#define DRIVER_INIT_CALL(rt, result)                                \
    __extension__({                                                 \
        struct rt *rt = driver_enter();                             \
        cudaError_t driver_status_ = driver_ready(rt);              \
        driver_leave(rt, driver_status_ ? driver_status_ : (result)); \
    })

// ---- contexts (driver_context.c) ------------------------------------------------------------------------------

// The calling thread's; NULL: none.
struct driver_context *context_current(struct rt *rt);
struct driver_context *context_primary(struct rt *rt);
bool context_is_alive(struct rt *rt, const struct driver_context *context);

// ---- modules (driver_module.c) ----------------------------------------------------------------------------------

enum jit_option { // CUjit_option, those that mean something here
    JIT_MAX_REGISTERS = 0,
    JIT_WALL_TIME = 2,
    JIT_INFO_LOG = 3,
    JIT_INFO_LOG_BYTES = 4,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_BYTES = 6,
    JIT_LOG_VERBOSE = 12
};

// Options as programs give them: an array of names and one of values, some of which are written.
struct jit_options {
    unsigned n;
    const int *names;
    void **values;
};
void jit_log(const struct jit_options *options, enum jit_option buffer, const char *text);
// The value of an option as a number; `otherwise` when it is not given.
size_t jit_value(const struct jit_options *options, enum jit_option option, size_t otherwise);
// Fills logs and times that were asked for, after loading or linking: `err` is set when it failed.
void jit_report(const struct jit_options *options, const char *info, const struct err *err);

// Parses and places an image in memory, of any kind. An error is written to the log that the options name, else to stderr.
// `options` NULL: none.
cudaError_t module_load_image(struct rt *rt, const void *image, const char *path, const struct jit_options *options,
                              struct rt_module **out);
cudaError_t module_load_file(struct rt *rt, const char *path, const struct jit_options *options,
                             struct rt_module **out);
// Whether the handle is a loaded or registered module.
bool module_is_known(struct rt *rt, const struct rt_module *module);

// ---- libraries (driver_library.c); handles are the same in both APIs ------------------------------------------------

struct rt_library {
    struct rt_library *next;
    struct rt_module *module; // NULL: unloaded
};

cudaError_t library_load(struct rt *rt, const void *image, const struct jit_options *options, struct rt_library **out);
cudaError_t library_load_file(struct rt *rt, const char *path, const struct jit_options *options,
                              struct rt_library **out);
cudaError_t library_unload(struct rt *rt, struct rt_library *library);
cudaError_t library_function(struct rt *rt, struct rt_library *library, const char *name, struct rt_function **out);
cudaError_t library_count(struct rt *rt, struct rt_library *library, unsigned *count);
cudaError_t library_list(struct rt *rt, struct rt_library *library, struct rt_function **out, unsigned n);
cudaError_t library_variable(struct rt *rt, struct rt_library *library, const char *name, void **out,
                             size_t *size_bytes);
cudaError_t module_function_count(struct rt *rt, struct rt_module *module, unsigned *count);
cudaError_t module_function_list(struct rt *rt, struct rt_module *module, struct rt_function **out, unsigned n);

// ---- entry points (driver_entry.c) ----------------------------------------------------------------------------------

enum entry_status { ENTRY_FOUND = 0, ENTRY_UNKNOWN = 1, ENTRY_TOO_NEW = 2 }; // CUdriverProcAddressQueryResult
enum { ENTRY_LEGACY_STREAM = 1, ENTRY_PER_THREAD_STREAM = 2 };               // CUdriverProcAddress_flags

// The function meant by `name` (with or without _v2 …) for programs of that CUDA version; NULL unless found.
void *entry_find(const char *name, int version, uint64_t flags, enum entry_status *status);
#endif
