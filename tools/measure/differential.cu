// Runs the kernels of a folder that tests/op/differential --write made, and writes their results as text.
//     nvcc -arch=sm_90 -O2 -cudart static -o run tools/measure/differential.cu;  ./run FOLDER NN > NN.txt
// Reads FOLDER/list, FOLDER/inputs and FOLDER/NN.cubin (tools/measure/differential.sh). Each file has a process of its own,
// so that a fault costs the kernels of one file only.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t e = (call);                                                         \
        if (e != cudaSuccess) {                                                         \
            fprintf(stderr, "%s: %s: %s\n", where, #call, cudaGetErrorString(e));       \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

enum { MAX_RESULTS = 8 };

static char where[512] = "start";

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const unsigned wanted = (unsigned)atoi(argv[2]);
    char path[512], line[1024];
    snprintf(path, sizeof path, "%s/list", argv[1]);
    FILE *list = fopen(path, "r");
    snprintf(path, sizeof path, "%s/inputs", argv[1]);
    FILE *inputs = fopen(path, "rb");
    if (!list || !inputs)
        return 2;
    cudaLibrary_t library;
    snprintf(path, sizeof path, "%s/%02u.cubin", argv[1], wanted);
    CHECK(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    unsigned file = 0, n_inputs = 0, samples = 0;
    uint64_t *host = NULL, *device = NULL, bytes = 0;
    while (fgets(line, sizeof line, list)) {
        unsigned n_results, block, first, digits[MAX_RESULTS];
        int n = 0;
        char name[32];
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "kernel %u %31s %u %u %u %u %lu", &file, name, &n_inputs, &samples, &n_results, &block,
                   &bytes) == 7) {
            cudaKernel_t kernel;
            snprintf(where, sizeof where, "%.400s", line);
            if (file != wanted) {
                fseek(inputs, 8l * samples * n_inputs, SEEK_CUR);
                continue;
            }
            free(host);
            host = (uint64_t *)calloc(1, bytes);
            if (fread(host, 8 * samples, n_inputs, inputs) != n_inputs)
                return 2;
            CHECK(cudaMalloc(&device, bytes));
            CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
            CHECK(cudaLibraryGetKernel(&kernel, library, name));
            void *arguments[] = {&device};
            CHECK(cudaLaunchKernel((const void *)kernel, dim3(samples / block), dim3(block), arguments, 0, 0));
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
            CHECK(cudaFree(device));
        } else if (file == wanted && sscanf(line, "variant %u %u %u %u %u %u %u %u %u %n", &first, &digits[0], &digits[1], &digits[2],
                          &digits[3], &digits[4], &digits[5], &digits[6], &digits[7], &n) == 9) {
            printf("%s\t%u", line + n, samples);
            for (unsigned r = 0; r < MAX_RESULTS && digits[r]; r++) {
                const uint64_t *results = host + (size_t)(n_inputs + first + r) * samples;
                putchar('\t');
                for (unsigned i = 0; i < samples; i++)
                    printf("%0*lx", (int)digits[r], results[i] & UINT64_MAX >> (64 - 4 * digits[r]));
            }
            putchar('\n');
        }
    }
    return fflush(stdout);
}
