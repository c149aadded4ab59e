// cudaCreateChannelDesc<T>(): the array format of a C++ type.
#ifndef WARPGLASS_CHANNEL_DESCRIPTOR_H
#define WARPGLASS_CHANNEL_DESCRIPTOR_H
#include "cuda_runtime_api.h"

#ifdef __cplusplus
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define WARPGLASS_CHANNEL(type, bits, n, kind)                                                               \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()                                   \
    {                                                                                                        \
        return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,             \
                                     cudaChannelFormatKind##kind);                                           \
    }
#define WARPGLASS_CHANNELS(type, name, bits, kind)                                                           \
    WARPGLASS_CHANNEL(type, bits, 1, kind)                                                                   \
    WARPGLASS_CHANNEL(name##1, bits, 1, kind)                                                                \
    WARPGLASS_CHANNEL(name##2, bits, 2, kind)                                                                \
    WARPGLASS_CHANNEL(name##4, bits, 4, kind)
WARPGLASS_CHANNEL(char, 8, 1, Signed)
WARPGLASS_CHANNELS(signed char, char, 8, Signed)
WARPGLASS_CHANNELS(unsigned char, uchar, 8, Unsigned)
WARPGLASS_CHANNELS(short, short, 16, Signed)
WARPGLASS_CHANNELS(unsigned short, ushort, 16, Unsigned)
WARPGLASS_CHANNELS(int, int, 32, Signed)
WARPGLASS_CHANNELS(unsigned, uint, 32, Unsigned)
WARPGLASS_CHANNELS(float, float, 32, Float)
#undef WARPGLASS_CHANNELS
#undef WARPGLASS_CHANNEL
#endif
#endif
