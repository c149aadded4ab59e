// A CUDA program as a compiler would make it of scale.cu (tests/data/images), written by hand so that it needs no
// compiler but one for C and no header: registers plain.fatbin, runs kernel `scale`, prints what it wrote.
//
//     host [launches of scale, 1] [exit status, 0] [what else: fault | child | wait | kill]
//
// Built by tests/cli/run_*.sh with -DFATBIN="path" and linked to libcudart.so.12.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shape {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *name, const char *device_name, int threads,
                            void *thread, void *block, void *block_shape, void *grid_shape, int *warp);
int cudaMalloc(void **out, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLaunchKernel(const void *stub, struct shape grid, struct shape block, void **arguments, size_t shared,
                     void *stream);
int cudaDeviceSynchronize(void);

__asm__(".section .nv_fatbin,\"a\"\n.balign 8\nfatbin: .incbin \"" FATBIN "\"\n.previous\n");
extern const char fatbin[];
static struct {
    unsigned magic, version;
    const void *container, *unused;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, fatbin, NULL};

enum { COUNT = 64, TO_HOST = 2 };
static void stub_scale(void) {}
static void stub_count(void) {}

static int launch(void (*stub)(void), void **arguments)
{
    return cudaLaunchKernel((const void *)stub, (struct shape){2, 1, 1}, (struct shape){32, 1, 1}, arguments, 0, NULL);
}

static int work(int n_launches, int has_fault)
{
    float *device = NULL, host[COUNT] = {0};
    int n = COUNT;
    void *arguments[] = {&device, &n};
    if (cudaMalloc((void **)&device, sizeof host) != 0)
        return 10;
    for (int i = 0; i < n_launches; i++)
        if (launch(stub_scale, arguments) != 0)
            return 11;
    if (launch(stub_count, NULL) != 0)
        return 12;
    if (has_fault)
        device += 1 << 20;
    if (has_fault && (launch(stub_scale, arguments) != 0 || cudaDeviceSynchronize() != 0))
        return 13;
    if (cudaMemcpy(host, device, sizeof host, TO_HOST) != 0)
        return 14;
    printf("last element %g\n", (double)host[COUNT - 1]);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 3 ? argv[3] : "";
    if (strcmp(what, "child") == 0) { // this process launches as well
        char command[4096];
        snprintf(command, sizeof command, "cp '%s' '%s.child' && '%s.child' 1", argv[0], argv[0], argv[0]);
        if (system(command) != 0)
            return 20;
    }
    void **handle = __cudaRegisterFatBinary(&wrapper);
    char scale[] = "scale", count[] = "count";
    __cudaRegisterFunction(handle, (const char *)stub_scale, scale, scale, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)stub_count, count, count, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    int status = work(argc > 1 ? atoi(argv[1]) : 1, strcmp(what, "fault") == 0);
    if (status)
        return status;
    fflush(stdout);
    if (strcmp(what, "wait") == 0) {
        FILE *ready = fopen("ready", "w");
        if (ready)
            fclose(ready);
        for (;;)
            pause();
    }
    if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    return argc > 2 ? atoi(argv[2]) : 0;
}
