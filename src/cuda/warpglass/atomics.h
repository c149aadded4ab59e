// Atomic functions of CUDA C++: for the whole device, for a block (_block), for host and devices (_system). Device-wide
// ones are clang's builtins, so that the compiler finds the address space; the others say their scope in PTX.
#ifndef WARPGLASS_ATOMICS_H
#define WARPGLASS_ATOMICS_H

typedef unsigned long long warpglass_u64;

// One function: name, C type, PTX suffix behind "atom" (with the scope), constraint letter.
#define WARPGLASS_ATOM(name, type, ptx, letter)                                                              \
    WARPGLASS_FUNCTION type name(type *at, type value)                                                       \
    {                                                                                                        \
        type old;                                                                                            \
        asm volatile("atom" ptx " %0, [%1], %2;"                                                             \
                     : "=" letter(old)                                                                       \
                     : "l"(at), letter(value)                                                                \
                     : "memory");                                                                            \
        return old;                                                                                          \
    }
#define WARPGLASS_CAS(name, type, ptx, letter)                                                               \
    WARPGLASS_FUNCTION type name(type *at, type compare, type value)                                         \
    {                                                                                                        \
        type old;                                                                                            \
        asm volatile("atom" ptx " %0, [%1], %2, %3;"                                                         \
                     : "=" letter(old)                                                                       \
                     : "l"(at), letter(compare), letter(value)                                               \
                     : "memory");                                                                            \
        return old;                                                                                          \
    }
#define WARPGLASS_ATOM_INTEGERS(name, scope, op, bits)                                                       \
    WARPGLASS_ATOM(name, int, scope op bits##32, "r")                                                        \
    WARPGLASS_ATOM(name, unsigned, scope op bits##32, "r")                                                   \
    WARPGLASS_ATOM(name, warpglass_u64, scope op bits##64, "l")
#define WARPGLASS_SCOPED(suffix, scope)                                                                      \
    WARPGLASS_ATOM(atomicAdd##suffix, int, scope ".add.s32", "r")                                            \
    WARPGLASS_ATOM(atomicAdd##suffix, unsigned, scope ".add.u32", "r")                                       \
    WARPGLASS_ATOM(atomicAdd##suffix, warpglass_u64, scope ".add.u64", "l")                                  \
    WARPGLASS_ATOM(atomicAdd##suffix, float, scope ".add.f32", "f")                                          \
    WARPGLASS_ATOM(atomicAdd##suffix, double, scope ".add.f64", "d")                                         \
    WARPGLASS_FUNCTION int atomicSub##suffix(int *at, int v) { return atomicAdd##suffix(at, -v); }           \
    WARPGLASS_FUNCTION unsigned atomicSub##suffix(unsigned *at, unsigned v) { return atomicAdd##suffix(at, 0u - v); } \
    WARPGLASS_ATOM(atomicExch##suffix, int, scope ".exch.b32", "r")                                          \
    WARPGLASS_ATOM(atomicExch##suffix, unsigned, scope ".exch.b32", "r")                                     \
    WARPGLASS_ATOM(atomicExch##suffix, warpglass_u64, scope ".exch.b64", "l")                                \
    WARPGLASS_ATOM(atomicExch##suffix, float, scope ".exch.b32", "f")                                        \
    WARPGLASS_ATOM(atomicMin##suffix, int, scope ".min.s32", "r")                                            \
    WARPGLASS_ATOM(atomicMin##suffix, unsigned, scope ".min.u32", "r")                                       \
    WARPGLASS_ATOM(atomicMin##suffix, warpglass_u64, scope ".min.u64", "l")                                  \
    WARPGLASS_ATOM(atomicMin##suffix, long long, scope ".min.s64", "l")                                      \
    WARPGLASS_ATOM(atomicMax##suffix, int, scope ".max.s32", "r")                                            \
    WARPGLASS_ATOM(atomicMax##suffix, unsigned, scope ".max.u32", "r")                                       \
    WARPGLASS_ATOM(atomicMax##suffix, warpglass_u64, scope ".max.u64", "l")                                  \
    WARPGLASS_ATOM(atomicMax##suffix, long long, scope ".max.s64", "l")                                      \
    WARPGLASS_ATOM(atomicInc##suffix, unsigned, scope ".inc.u32", "r")                                       \
    WARPGLASS_ATOM(atomicDec##suffix, unsigned, scope ".dec.u32", "r")                                       \
    WARPGLASS_CAS(atomicCAS##suffix, int, scope ".cas.b32", "r")                                             \
    WARPGLASS_CAS(atomicCAS##suffix, unsigned, scope ".cas.b32", "r")                                        \
    WARPGLASS_CAS(atomicCAS##suffix, warpglass_u64, scope ".cas.b64", "l")                                   \
    WARPGLASS_CAS(atomicCAS##suffix, unsigned short, scope ".cas.b16", "h")                                  \
    WARPGLASS_ATOM(atomicAnd##suffix, int, scope ".and.b32", "r")                                            \
    WARPGLASS_ATOM(atomicAnd##suffix, unsigned, scope ".and.b32", "r")                                       \
    WARPGLASS_ATOM(atomicAnd##suffix, warpglass_u64, scope ".and.b64", "l")                                  \
    WARPGLASS_ATOM(atomicOr##suffix, int, scope ".or.b32", "r")                                              \
    WARPGLASS_ATOM(atomicOr##suffix, unsigned, scope ".or.b32", "r")                                         \
    WARPGLASS_ATOM(atomicOr##suffix, warpglass_u64, scope ".or.b64", "l")                                    \
    WARPGLASS_ATOM(atomicXor##suffix, int, scope ".xor.b32", "r")                                            \
    WARPGLASS_ATOM(atomicXor##suffix, unsigned, scope ".xor.b32", "r")                                       \
    WARPGLASS_ATOM(atomicXor##suffix, warpglass_u64, scope ".xor.b64", "l")
WARPGLASS_SCOPED(_block, ".cta")
WARPGLASS_SCOPED(_system, ".sys")
#undef WARPGLASS_SCOPED
#undef WARPGLASS_ATOM_INTEGERS

// ---- device-wide ----
#define WARPGLASS_BUILTIN(name, type, builtin, as)                                                           \
    WARPGLASS_FUNCTION type name(type *at, type value) { return (type)__nvvm_atom_##builtin((as *)at, (as)value); }
#define WARPGLASS_BUILTIN_INTEGERS(name, op)                                                                 \
    WARPGLASS_BUILTIN(name, int, op##_gen_i, int)                                                            \
    WARPGLASS_BUILTIN(name, unsigned, op##_gen_i, int)                                                       \
    WARPGLASS_BUILTIN(name, warpglass_u64, op##_gen_ll, long long)
#define WARPGLASS_BUILTIN_ORDERED(name, op)                                                                  \
    WARPGLASS_BUILTIN(name, int, op##_gen_i, int)                                                            \
    WARPGLASS_BUILTIN(name, unsigned, op##_gen_ui, unsigned)                                                 \
    WARPGLASS_BUILTIN(name, long long, op##_gen_ll, long long)                                               \
    WARPGLASS_BUILTIN(name, warpglass_u64, op##_gen_ull, warpglass_u64)
WARPGLASS_BUILTIN_INTEGERS(atomicAdd, add)
WARPGLASS_BUILTIN(atomicAdd, float, add_gen_f, float)
WARPGLASS_BUILTIN(atomicAdd, double, add_gen_d, double)
WARPGLASS_FUNCTION int atomicSub(int *at, int v) { return atomicAdd(at, -v); }
WARPGLASS_FUNCTION unsigned atomicSub(unsigned *at, unsigned v) { return atomicAdd(at, 0u - v); }
WARPGLASS_BUILTIN_INTEGERS(atomicExch, xchg)
WARPGLASS_FUNCTION float atomicExch(float *at, float v)
{
    return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int *)at, __builtin_bit_cast(int, v)));
}
WARPGLASS_BUILTIN_ORDERED(atomicMin, min)
WARPGLASS_BUILTIN_ORDERED(atomicMax, max)
WARPGLASS_BUILTIN(atomicInc, unsigned, inc_gen_ui, unsigned)
WARPGLASS_BUILTIN(atomicDec, unsigned, dec_gen_ui, unsigned)
WARPGLASS_BUILTIN_INTEGERS(atomicAnd, and)
WARPGLASS_BUILTIN_INTEGERS(atomicOr, or)
WARPGLASS_BUILTIN_INTEGERS(atomicXor, xor)
WARPGLASS_FUNCTION int atomicCAS(int *at, int compare, int v) { return __nvvm_atom_cas_gen_i(at, compare, v); }
WARPGLASS_FUNCTION unsigned atomicCAS(unsigned *at, unsigned compare, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)at, (int)compare, (int)v);
}
WARPGLASS_FUNCTION warpglass_u64 atomicCAS(warpglass_u64 *at, warpglass_u64 compare, warpglass_u64 v)
{
    return (warpglass_u64)__nvvm_atom_cas_gen_ll((long long *)at, (long long)compare, (long long)v);
}
WARPGLASS_CAS(atomicCAS, unsigned short, ".cas.b16", "h")
#undef WARPGLASS_BUILTIN_ORDERED
#undef WARPGLASS_BUILTIN_INTEGERS
#undef WARPGLASS_BUILTIN
#undef WARPGLASS_CAS
#undef WARPGLASS_ATOM
#endif
