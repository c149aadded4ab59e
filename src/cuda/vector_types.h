// dim3 and the vector types, with the alignments that CUDA gives them; usable from C and C++.
#ifndef WARPGLASS_VECTOR_TYPES_H
#define WARPGLASS_VECTOR_TYPES_H
#include "host_defines.h"

#define WARPGLASS_VECTOR(type, name, align2, align4)                                                         \
    struct name##1 {                                                                                         \
        type x;                                                                                              \
    };                                                                                                       \
    struct __align__(align2) name##2 {                                                                       \
        type x, y;                                                                                           \
    };                                                                                                       \
    struct name##3 {                                                                                         \
        type x, y, z;                                                                                        \
    };                                                                                                       \
    struct __align__(align4) name##4 {                                                                       \
        type x, y, z, w;                                                                                     \
    };                                                                                                       \
    typedef struct name##1 name##1;                                                                          \
    typedef struct name##2 name##2;                                                                          \
    typedef struct name##3 name##3;                                                                          \
    typedef struct name##4 name##4;

WARPGLASS_VECTOR(signed char, char, 2, 4)
WARPGLASS_VECTOR(unsigned char, uchar, 2, 4)
WARPGLASS_VECTOR(short, short, 4, 8)
WARPGLASS_VECTOR(unsigned short, ushort, 4, 8)
WARPGLASS_VECTOR(int, int, 8, 16)
WARPGLASS_VECTOR(unsigned, uint, 8, 16)
WARPGLASS_VECTOR(long, long, 16, 16)
WARPGLASS_VECTOR(unsigned long, ulong, 16, 16)
WARPGLASS_VECTOR(long long, longlong, 16, 16)
WARPGLASS_VECTOR(unsigned long long, ulonglong, 16, 16)
WARPGLASS_VECTOR(float, float, 8, 16)
WARPGLASS_VECTOR(double, double, 16, 16)
#undef WARPGLASS_VECTOR

struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
#endif
