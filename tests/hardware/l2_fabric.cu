// What crosses between the two halves of L2, beside the far half of the accesses? op 0: read, 1: write, 2: both (copy);
// `mib` MiB in vectors of `width` words, one a thread, blocks of 256 threads; loop = 1: 132 x 8 blocks that loop.
#include "probe.h"

template <typename T> __global__ void probe(const T *from, T *to, unsigned n, int op, unsigned *out)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        T v;
        if (op != 1)
            v = from[i];
        else
            *(unsigned *)&v = i;
        if (op)
            to[i] = v;
        else if (*(unsigned *)&v == 1)
            *out = 1;
    }
}

template <typename T> static void launch(unsigned *from, unsigned *to, unsigned *out, int width)
{
    for (int op = 0; op < 3; op++)
        for (int mib : {1, 4, 16, 64})
            for (int loop = 0; loop < 2; loop++) {
                unsigned n = (unsigned)(((size_t)mib << 20) / sizeof(T));
                probe<T><<<loop ? 132 * 8 : n / 256, 256>>>((const T *)from, (T *)to, n, op, out);
                finish();
                std::printf("op=%d mib=%d width=%d loop=%d\n", op, mib, width, loop);
            }
}

int main()
{
    unsigned *from = device_words((size_t)64 << 20), *to = device_words((size_t)64 << 20), *out = device_words(256);
    launch<unsigned>(from, to, out, 1);
    launch<uint4>(from, to, out, 4);
}
