// make_float4 and its relatives.
#ifndef WARPGLASS_VECTOR_FUNCTIONS_H
#define WARPGLASS_VECTOR_FUNCTIONS_H
#include "vector_types.h"

#define WARPGLASS_MAKE(type, name)                                                                           \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x)                                     \
    {                                                                                                        \
        name##1 v = {x};                                                                                     \
        return v;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)                             \
    {                                                                                                        \
        name##2 v = {x, y};                                                                                  \
        return v;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)                     \
    {                                                                                                        \
        name##3 v = {x, y, z};                                                                               \
        return v;                                                                                            \
    }                                                                                                        \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)             \
    {                                                                                                        \
        name##4 v = {x, y, z, w};                                                                            \
        return v;                                                                                            \
    }

WARPGLASS_MAKE(signed char, char)
WARPGLASS_MAKE(unsigned char, uchar)
WARPGLASS_MAKE(short, short)
WARPGLASS_MAKE(unsigned short, ushort)
WARPGLASS_MAKE(int, int)
WARPGLASS_MAKE(unsigned, uint)
WARPGLASS_MAKE(long, long)
WARPGLASS_MAKE(unsigned long, ulong)
WARPGLASS_MAKE(long long, longlong)
WARPGLASS_MAKE(unsigned long long, ulonglong)
WARPGLASS_MAKE(float, float)
WARPGLASS_MAKE(double, double)
#undef WARPGLASS_MAKE
#endif
