// What device code asks of the system: printf, assert, malloc and free, a barrier over the whole grid.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

extern "C" __global__ void say(int base)
{
    if (threadIdx.x % 16 == 3)
        printf("thread %3u: %d %s %.2f %c %5.1e %#x %lld %*d|\n", threadIdx.x, base, "text", base / 8.0, 'c', 1e10, base,
               1ll << 40, 5, base);
    if (threadIdx.x == 0)
        base = printf("no arguments\n");
}

extern "C" __global__ void check(const unsigned *in)
{
    assert(in[threadIdx.x] != 5u);
}

extern "C" __global__ void lists(unsigned *out, unsigned n)
{
    struct node {
        node *next;
        unsigned value;
    } *head = nullptr;
    for (unsigned i = 0; i <= n + threadIdx.x % 3; i++) {
        node *added = new node;
        added->next = head;
        added->value = i;
        head = added;
    }
    unsigned sum = 0;
    while (head) {
        node *next = head->next;
        sum += head->value;
        delete head;
        head = next;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void free_twice()
{
    void *p = malloc(8);
    free(p);
    free(p);
}

extern "C" __global__ void around(unsigned *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned i = (unsigned)grid.thread_rank(), n = (unsigned)grid.size();
    data[i] = i;
    grid.sync();
    unsigned got = data[n - 1 - i];
    grid.sync();
    data[i] = got * 2;
}
