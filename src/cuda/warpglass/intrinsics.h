// What is left of CUDA's built-in functions: match, reductions of a warp, loads and stores with a cache operator,
// address spaces, dot products, sleep and timers.
#ifndef WARPGLASS_INTRINSICS_H
#define WARPGLASS_INTRINSICS_H

// ---- warp ----
WARPGLASS_FUNCTION unsigned __match_any_sync(unsigned mask, unsigned v) { return __match32_any_sync(mask, v); }
WARPGLASS_FUNCTION unsigned __match_any_sync(unsigned mask, int v) { return __match32_any_sync(mask, (unsigned)v); }
WARPGLASS_FUNCTION unsigned __match_any_sync(unsigned mask, float v)
{
    return __match32_any_sync(mask, __builtin_bit_cast(unsigned, v));
}
WARPGLASS_FUNCTION unsigned __match_all_sync(unsigned mask, unsigned v, int *all)
{
    return __match32_all_sync(mask, v, all);
}
WARPGLASS_FUNCTION unsigned __match_all_sync(unsigned mask, int v, int *all)
{
    return __match32_all_sync(mask, (unsigned)v, all);
}
WARPGLASS_FUNCTION unsigned __match_all_sync(unsigned mask, float v, int *all)
{
    return __match32_all_sync(mask, __builtin_bit_cast(unsigned, v), all);
}
#define WARPGLASS_MATCH64(type)                                                                              \
    WARPGLASS_FUNCTION unsigned __match_any_sync(unsigned mask, type v)                                      \
    {                                                                                                        \
        return (unsigned)__match64_any_sync(mask, __builtin_bit_cast(unsigned long long, v));                \
    }                                                                                                        \
    WARPGLASS_FUNCTION unsigned __match_all_sync(unsigned mask, type v, int *all)                            \
    {                                                                                                        \
        return (unsigned)__match64_all_sync(mask, __builtin_bit_cast(unsigned long long, v), all);           \
    }
WARPGLASS_MATCH64(long)
WARPGLASS_MATCH64(unsigned long)
WARPGLASS_MATCH64(long long)
WARPGLASS_MATCH64(unsigned long long)
WARPGLASS_MATCH64(double)
#undef WARPGLASS_MATCH64

#define WARPGLASS_REDUX(name, type, ptx)                                                                     \
    WARPGLASS_FUNCTION type name(unsigned mask, type v)                                                      \
    {                                                                                                        \
        type result;                                                                                         \
        asm volatile("redux.sync." ptx " %0, %1, %2;" : "=r"(result) : "r"(v), "r"(mask));                   \
        return result;                                                                                       \
    }
WARPGLASS_REDUX(__reduce_add_sync, int, "add.s32")
WARPGLASS_REDUX(__reduce_add_sync, unsigned, "add.u32")
WARPGLASS_REDUX(__reduce_min_sync, int, "min.s32")
WARPGLASS_REDUX(__reduce_min_sync, unsigned, "min.u32")
WARPGLASS_REDUX(__reduce_max_sync, int, "max.s32")
WARPGLASS_REDUX(__reduce_max_sync, unsigned, "max.u32")
WARPGLASS_REDUX(__reduce_and_sync, unsigned, "and.b32")
WARPGLASS_REDUX(__reduce_or_sync, unsigned, "or.b32")
WARPGLASS_REDUX(__reduce_xor_sync, unsigned, "xor.b32")
#undef WARPGLASS_REDUX

// ---- loads and stores with a cache operator, of everything up to 16 bytes that PTX has a vector form for ----
#define WARPGLASS_LOAD1(name, op, type, ptx, letter)                                                         \
    WARPGLASS_FUNCTION type name(const type *at)                                                             \
    {                                                                                                        \
        type v;                                                                                              \
        asm volatile("ld.global." op "." ptx " %0, [%1];" : "=" letter(v) : "l"(at) : "memory");             \
        return v;                                                                                            \
    }
// Bytes have no register of their own: they travel in 32 bits.
#define WARPGLASS_LOAD_BYTE(name, op, type, ptx)                                                             \
    WARPGLASS_FUNCTION type name(const type *at)                                                             \
    {                                                                                                        \
        unsigned v;                                                                                          \
        asm volatile("ld.global." op "." ptx " %0, [%1];" : "=r"(v) : "l"(at) : "memory");                   \
        return (type)v;                                                                                      \
    }
#define WARPGLASS_LOAD2(name, op, type, ptx, letter)                                                         \
    WARPGLASS_FUNCTION type name(const type *at)                                                             \
    {                                                                                                        \
        type v;                                                                                              \
        asm volatile("ld.global." op ".v2." ptx " {%0, %1}, [%2];"                                           \
                     : "=" letter(v.x), "=" letter(v.y)                                                      \
                     : "l"(at)                                                                               \
                     : "memory");                                                                            \
        return v;                                                                                            \
    }
#define WARPGLASS_LOAD4(name, op, type, ptx, letter)                                                         \
    WARPGLASS_FUNCTION type name(const type *at)                                                             \
    {                                                                                                        \
        type v;                                                                                              \
        asm volatile("ld.global." op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                   \
                     : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)                    \
                     : "l"(at)                                                                               \
                     : "memory");                                                                            \
        return v;                                                                                            \
    }
#define WARPGLASS_LOADS(name, op)                                                                            \
    WARPGLASS_LOAD_BYTE(name, op, char, "s8")                                                                \
    WARPGLASS_LOAD_BYTE(name, op, signed char, "s8")                                                         \
    WARPGLASS_LOAD_BYTE(name, op, unsigned char, "u8")                                                       \
    WARPGLASS_LOAD1(name, op, short, "s16", "h")                                                             \
    WARPGLASS_LOAD1(name, op, unsigned short, "u16", "h")                                                    \
    WARPGLASS_LOAD1(name, op, int, "s32", "r")                                                               \
    WARPGLASS_LOAD1(name, op, unsigned, "u32", "r")                                                          \
    WARPGLASS_LOAD1(name, op, long, "s64", "l")                                                              \
    WARPGLASS_LOAD1(name, op, unsigned long, "u64", "l")                                                     \
    WARPGLASS_LOAD1(name, op, long long, "s64", "l")                                                         \
    WARPGLASS_LOAD1(name, op, unsigned long long, "u64", "l")                                                \
    WARPGLASS_LOAD1(name, op, float, "f32", "f")                                                             \
    WARPGLASS_LOAD1(name, op, double, "f64", "d")                                                            \
    WARPGLASS_LOAD2(name, op, short2, "s16", "h")                                                            \
    WARPGLASS_LOAD2(name, op, ushort2, "u16", "h")                                                           \
    WARPGLASS_LOAD2(name, op, int2, "s32", "r")                                                              \
    WARPGLASS_LOAD2(name, op, uint2, "u32", "r")                                                             \
    WARPGLASS_LOAD2(name, op, longlong2, "s64", "l")                                                         \
    WARPGLASS_LOAD2(name, op, ulonglong2, "u64", "l")                                                        \
    WARPGLASS_LOAD2(name, op, float2, "f32", "f")                                                            \
    WARPGLASS_LOAD2(name, op, double2, "f64", "d")                                                           \
    WARPGLASS_LOAD4(name, op, short4, "s16", "h")                                                            \
    WARPGLASS_LOAD4(name, op, ushort4, "u16", "h")                                                           \
    WARPGLASS_LOAD4(name, op, int4, "s32", "r")                                                              \
    WARPGLASS_LOAD4(name, op, uint4, "u32", "r")                                                             \
    WARPGLASS_LOAD4(name, op, float4, "f32", "f")
WARPGLASS_LOADS(__ldca, "ca")
WARPGLASS_LOADS(__ldcg, "cg")
WARPGLASS_LOADS(__ldcs, "cs")
WARPGLASS_LOADS(__ldlu, "lu")
WARPGLASS_LOADS(__ldcv, "cv")
#undef WARPGLASS_LOADS
#undef WARPGLASS_LOAD4
#undef WARPGLASS_LOAD2
#undef WARPGLASS_LOAD_BYTE
#undef WARPGLASS_LOAD1

#define WARPGLASS_STORE1(name, op, type, ptx, letter, as)                                                    \
    WARPGLASS_FUNCTION void name(type *at, type v)                                                           \
    {                                                                                                        \
        asm volatile("st.global." op "." ptx " [%0], %1;" ::"l"(at), letter((as)v) : "memory");              \
    }
#define WARPGLASS_STORE2(name, op, type, ptx, letter)                                                        \
    WARPGLASS_FUNCTION void name(type *at, type v)                                                           \
    {                                                                                                        \
        asm volatile("st.global." op ".v2." ptx " [%0], {%1, %2};" ::"l"(at), letter(v.x), letter(v.y)       \
                     : "memory");                                                                            \
    }
#define WARPGLASS_STORE4(name, op, type, ptx, letter)                                                        \
    WARPGLASS_FUNCTION void name(type *at, type v)                                                           \
    {                                                                                                        \
        asm volatile("st.global." op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(at), letter(v.x),           \
                     letter(v.y), letter(v.z), letter(v.w)                                                   \
                     : "memory");                                                                            \
    }
#define WARPGLASS_STORES(name, op)                                                                           \
    WARPGLASS_STORE1(name, op, char, "s8", "r", int)                                                         \
    WARPGLASS_STORE1(name, op, signed char, "s8", "r", int)                                                  \
    WARPGLASS_STORE1(name, op, unsigned char, "u8", "r", int)                                                \
    WARPGLASS_STORE1(name, op, short, "s16", "h", short)                                                     \
    WARPGLASS_STORE1(name, op, unsigned short, "u16", "h", unsigned short)                                   \
    WARPGLASS_STORE1(name, op, int, "s32", "r", int)                                                         \
    WARPGLASS_STORE1(name, op, unsigned, "u32", "r", unsigned)                                               \
    WARPGLASS_STORE1(name, op, long, "s64", "l", long)                                                       \
    WARPGLASS_STORE1(name, op, unsigned long, "u64", "l", unsigned long)                                     \
    WARPGLASS_STORE1(name, op, long long, "s64", "l", long long)                                             \
    WARPGLASS_STORE1(name, op, unsigned long long, "u64", "l", unsigned long long)                           \
    WARPGLASS_STORE1(name, op, float, "f32", "f", float)                                                     \
    WARPGLASS_STORE1(name, op, double, "f64", "d", double)                                                   \
    WARPGLASS_STORE2(name, op, short2, "s16", "h")                                                           \
    WARPGLASS_STORE2(name, op, ushort2, "u16", "h")                                                          \
    WARPGLASS_STORE2(name, op, int2, "s32", "r")                                                             \
    WARPGLASS_STORE2(name, op, uint2, "u32", "r")                                                            \
    WARPGLASS_STORE2(name, op, longlong2, "s64", "l")                                                        \
    WARPGLASS_STORE2(name, op, ulonglong2, "u64", "l")                                                       \
    WARPGLASS_STORE2(name, op, float2, "f32", "f")                                                           \
    WARPGLASS_STORE2(name, op, double2, "f64", "d")                                                          \
    WARPGLASS_STORE4(name, op, short4, "s16", "h")                                                           \
    WARPGLASS_STORE4(name, op, ushort4, "u16", "h")                                                          \
    WARPGLASS_STORE4(name, op, int4, "s32", "r")                                                             \
    WARPGLASS_STORE4(name, op, uint4, "u32", "r")                                                            \
    WARPGLASS_STORE4(name, op, float4, "f32", "f")
WARPGLASS_STORES(__stwb, "wb")
WARPGLASS_STORES(__stcg, "cg")
WARPGLASS_STORES(__stcs, "cs")
WARPGLASS_STORES(__stwt, "wt")
#undef WARPGLASS_STORES
#undef WARPGLASS_STORE4
#undef WARPGLASS_STORE2
#undef WARPGLASS_STORE1

// ---- address spaces ----
WARPGLASS_FUNCTION unsigned __isGlobal(const void *at) { return __nvvm_isspacep_global(at); }
WARPGLASS_FUNCTION unsigned __isShared(const void *at) { return __nvvm_isspacep_shared(at); }
WARPGLASS_FUNCTION unsigned __isConstant(const void *at) { return __nvvm_isspacep_const(at); }
WARPGLASS_FUNCTION unsigned __isLocal(const void *at) { return __nvvm_isspacep_local(at); }
WARPGLASS_FUNCTION size_t __cvta_generic_to_global(const void *at) { return __nv_cvta_generic_to_global_impl(at); }
WARPGLASS_FUNCTION size_t __cvta_generic_to_shared(const void *at) { return __nv_cvta_generic_to_shared_impl(at); }
WARPGLASS_FUNCTION size_t __cvta_generic_to_constant(const void *at) { return __nv_cvta_generic_to_constant_impl(at); }
WARPGLASS_FUNCTION size_t __cvta_generic_to_local(const void *at) { return __nv_cvta_generic_to_local_impl(at); }
WARPGLASS_FUNCTION void *__cvta_global_to_generic(size_t at) { return __nv_cvta_global_to_generic_impl(at); }
WARPGLASS_FUNCTION void *__cvta_shared_to_generic(size_t at) { return __nv_cvta_shared_to_generic_impl(at); }
WARPGLASS_FUNCTION void *__cvta_constant_to_generic(size_t at) { return __nv_cvta_constant_to_generic_impl(at); }
WARPGLASS_FUNCTION void *__cvta_local_to_generic(size_t at) { return __nv_cvta_local_to_generic_impl(at); }

// ---- dot products, sleep, timers ----
#define WARPGLASS_DOT(name, result, a_type, b_type, ptx)                                                     \
    WARPGLASS_FUNCTION result name(a_type a, b_type b, result c)                                             \
    {                                                                                                        \
        result d;                                                                                            \
        asm(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                                      \
        return d;                                                                                            \
    }
WARPGLASS_DOT(__dp4a, int, int, int, "dp4a.s32.s32")
WARPGLASS_DOT(__dp4a, unsigned, unsigned, unsigned, "dp4a.u32.u32")
WARPGLASS_DOT(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
WARPGLASS_DOT(__dp2a_lo, unsigned, unsigned, unsigned, "dp2a.lo.u32.u32")
WARPGLASS_DOT(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
WARPGLASS_DOT(__dp2a_hi, unsigned, unsigned, unsigned, "dp2a.hi.u32.u32")
#undef WARPGLASS_DOT
WARPGLASS_FUNCTION int __dp4a(char4 a, char4 b, int c)
{
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
WARPGLASS_FUNCTION unsigned __dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

WARPGLASS_FUNCTION void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
WARPGLASS_FUNCTION unsigned long long __globaltimer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
#endif
