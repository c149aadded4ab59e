// The CUDA runtime inside an ELF file: nvcc links it into programs and libraries unless it is told otherwise. Its
// functions are found by their names in the symbol tables, its major version by which of them are there.
//
//     struct runtime runtime;
//     runtime_find(&arena, &elf, &runtime);
//     if (runtime.kind == RUNTIME_LINKED_IN) ... runtime.functions[i].address ... runtime.major
//
// What is called a function of the runtime: the names of rt/api.def, and every other cuda… or __cuda… that lies
// between them; names of the same kind elsewhere are the program's own. Names are borrowed from the file.
#ifndef IMAGE_RUNTIME_H
#define IMAGE_RUNTIME_H
#include "base/arena.h"
#include "image/elf.h"

enum runtime_kind {
    RUNTIME_NONE,      // neither it nor anything that needs it
    RUNTIME_SHARED,    // left to a library
    RUNTIME_LINKED_IN, // `functions` and `major` say what
    RUNTIME_STRIPPED,  // device code, and nothing that tells where the runtime is
    RUNTIME_REFUSED    // linked in, but not to be replaced: `why`
};

struct runtime_function {
    const char *name;
    uint64_t address;     // as the file has it
    uint32_t room_bytes;  // until the next function begins: what may be overwritten
    bool is_known;        // has a row for this major
};

struct runtime {
    enum runtime_kind kind;
    unsigned major; // 11, 12, 13
    struct runtime_function *functions;
    uint32_t n_functions;
    const char *why;
};

enum { RUNTIME_JUMP_BYTES = 5 }; // every function has room for these, or the whole is refused

void runtime_find(struct arena *arena, const struct elf *elf, struct runtime *out);

// What to tell about RUNTIME_STRIPPED.
extern const char runtime_stripped[];
#endif
