// A CUDA program for tests of the runtime: PTX text registered as compiled programs register theirs, and its
// launches. Bodies of API functions (wg_NAME, rt/api.h) are called directly.
#ifndef SUPPORT_GUEST_H
#define SUPPORT_GUEST_H
#include "rt/api.h"

// `ptx` must live as long as the program.
void **guest_module(const char *ptx);
// A host stub of the kernel.
const void *guest_kernel(void **module, const char *name);
// `symbol` is the host variable that stands for the device's.
void guest_variable(void **module, void *symbol, const char *name, size_t size_bytes);
cudaError_t guest_launch(const void *kernel, unsigned blocks, unsigned threads, void **arguments,
                         cudaStream_t stream);
uint64_t guest_n_launches(void); // since the start, those of graphs too

// Kernels of one line each, as a module that many tests use:
//   add(unsigned *p, unsigned v)       p[thread] += v
//   times(unsigned *p, unsigned v)     p[thread] *= v
//   spin(unsigned *p, unsigned n)      p[thread] += n, one at a time: takes time
//   fault()                            writes to address 0
//   take_table(unsigned *p)            p[thread] = table[thread], a __device__ unsigned table[4] = {1, 2, 3,
//   4}
extern const char guest_ptx[];

// Runs `body` in a process of its own and returns what that returns (0 … 100), or -1 when it died.
int guest_in_child(int (*body)(void));
#endif
