// A second file of library.so, which is not linked with the first: both have a variable `counter`.
__device__ int counter = 5;
extern "C" __global__ void second(int *out) { *out = ++counter; }
