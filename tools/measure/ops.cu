// Runs the kernels of ops.cubin on the operands of ops.in and writes ops.out (tests/op/replay.c says what they are).
//     nvcc -arch=sm_90 -O2 -cudart static -o ops tools/measure/ops.cu;  ./ops ops.cubin ops.in ops.out
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t e = (call);                                                         \
        if (e != cudaSuccess) {                                                         \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                  \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
    uint32_t head[2], n_ran = 0;
    cudaLibrary_t library;
    if (!in || !out || fread(head, 4, 2, in) != 2)
        return 2;
    const uint32_t samples = head[1];
    uint64_t *inputs, *outputs;
    CHECK(cudaMallocManaged(&inputs, 8 * 8 * samples));
    CHECK(cudaMallocManaged(&outputs, 2 * 8 * samples));
    CHECK(cudaLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL, 0));
    for (uint32_t i = 0; i < head[0]; i++) {
        uint32_t n, ran = 0;
        char name[32];
        cudaKernel_t kernel;
        if (fread(&n, 4, 1, in) != 1 || fread(inputs, 8 * samples, n, in) != n)
            return 2;
        memset(outputs, 0, 2 * 8 * samples);
        snprintf(name, sizeof name, "c%u", i);
        if (cudaLibraryGetKernel(&kernel, library, name) == cudaSuccess) {
            void *arguments[] = {&inputs, &outputs};
            CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(samples), arguments, 0, 0));
            CHECK(cudaDeviceSynchronize());
            ran = 1;
        }
        n_ran += ran;
        fwrite(&ran, 4, 1, out);
        fwrite(outputs, 8 * samples, 2, out);
    }
    printf("%u of %u kernels ran\n", n_ran, head[0]);
    return fclose(out);
}
