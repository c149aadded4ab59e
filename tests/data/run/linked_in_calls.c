// Calls a linked-in runtime from a constructor, before main: prints the version that it gives, and what functions answer
// that are refused, unknown, and the program's own.
#include <stdio.h>

int cudaRuntimeGetVersion(int *version);
int cudaProfilerStart(void);
int cudaIpcGetMemHandle(void *handle, void *pointer);
int cudaFromTheFuture(void);
int cudaGetDeviceCount(int *count);

// A name like those of the runtime.
int cudaOfTheProgram(void);
int cudaOfTheProgram(void)
{
    return 42;
}

static __attribute__((constructor)) void before_main(void)
{
    int version = 0, count = 0, own = cudaOfTheProgram();
    int codes[] = {cudaRuntimeGetVersion(&version), cudaGetDeviceCount(&count), cudaProfilerStart(), cudaIpcGetMemHandle(NULL, NULL),
                   cudaFromTheFuture()};
    printf("version %d, %d device, codes %d %d %d %d %d, own %d\n", version, count, codes[0], codes[1], codes[2], codes[3], codes[4],
           own);
    fflush(stdout);
}
