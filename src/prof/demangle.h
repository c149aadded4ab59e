// Names of kernels as people know them, from the Itanium C++ mangling that nvcc and clang use.
//
//     demangle(&arena, "_Z9transposeILi32EEvPfPKfi", DEMANGLE_NVIDIA)
//         "void transpose<(int)32>(float *, const float *, int)"          as Nsight Compute prints it
//     ... DEMANGLE_GNU
//         "void transpose<32>(float*, float const*, int)"                 as c++filt prints it
//
// A name that is not mangled (extern "C"), or uses what this subset lacks (expressions, decltype, vendor
// types), comes back as it is. The subset: nested and local names, templates, packs, substitutions, literals,
// lambdas, unnamed namespaces, operators, pointers, references, cv, arrays, functions, members, builtin
// types. The NVIDIA style keeps template parameters in the signature (T1, T2), as Nsight Compute does.
#ifndef PROF_DEMANGLE_H
#define PROF_DEMANGLE_H
#include "base/arena.h"

enum demangle_style { DEMANGLE_NVIDIA, DEMANGLE_GNU };

const char *demangle(struct arena *arena, const char *name, enum demangle_style style);

// The plain name alone: without return type, scope, template arguments and parameters ("transpose").
const char *demangle_base(struct arena *arena, const char *demangled);
#endif
