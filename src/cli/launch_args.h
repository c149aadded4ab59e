// Arguments of a kernel as the command line gives them (`--arg SPEC`, in order):
//
//     42   -1   0x10   1.5        a number, taken in the parameter's declared type
//     u32:42   f64:1.5   b16:7    a number in a type of one's own
//     f32[1024]                   a buffer of zeroes in device memory; the parameter is its address
//     f32[1024x1024]=iota         0, 1, 2 ...;  =iota:START:STEP  =const:V  =zero
//                                 =random:SEED[:LOW:HIGH]  =file:PATH (raw bytes)  =text:PATH (numbers)
//     @0   @0+256                 the address of argument 0's buffer, plus bytes
//     bytes:file:PATH  bytes:00ff a parameter passed by value (a struct), from a file or as hexadecimal
//     digits f32[16]=…                   likewise, where the kernel takes 64 bytes by value null a zero
//     pointer
//
// random:SEED fills f32 and f64 with values in [0, 1), integers with all bits; with LOW and HIGH any
// type gets whole numbers from LOW to HIGH. Element i depends on SEED and i alone.
#ifndef CLI_LAUNCH_ARGS_H
#define CLI_LAUNCH_ARGS_H
#include "base/arena.h"
#include "isa/kernel.h"
#include "mem/memory.h"
#include "ptx/ast.h"
#include <stdio.h>

enum launch_arg_kind { ARG_NUMBER, ARG_BUFFER, ARG_ALIAS, ARG_BYTES };

struct launch_arg {
    enum launch_arg_kind kind;
    const char *spec;   // as given
    enum ptx_type type; // of the number or of a buffer's elements; PT_NONE = as the parameter declares
    const char *value;  // number, how a buffer begins ("iota"), or bytes; in the arena
    uint64_t count;     // elements of a buffer
    uint32_t alias;     // ARG_ALIAS: which argument
    uint64_t address;   // of the buffer, once placed
    uint64_t offset;    // ARG_ALIAS: bytes
};

bool launch_arg_parse(struct arena *arena, const char *spec, struct launch_arg *out, struct err *err);

// Buffers are allocated and filled, parameters written to `params` (kernel->param_bytes, zeroed). Errors name
// the argument by number and what the kernel declares there.
bool launch_args_place(struct launch_arg *args, uint32_t n, const struct kernel *kernel,
                       struct memory *memory, uint8_t *params, struct err *err);

// The initial contents of a buffer argument, launch_arg_bytes() of them, to `host` (also for --symbol).
bool launch_arg_fill(const struct launch_arg *arg, uint8_t *host, struct err *err);

uint64_t launch_arg_bytes(const struct launch_arg *arg); // size of the buffer; 0 for the other kinds
bool launch_arg_print(const struct launch_arg *arg, const struct memory *memory, uint64_t first, uint64_t n,
                      FILE *out);
bool launch_arg_save(const struct launch_arg *arg, const struct memory *memory, const char *path,
                     struct err *err);
uint64_t launch_arg_hash(const struct launch_arg *arg,
                         const struct memory *memory); // FNV-1a, 64 bits, of the bytes
#endif
