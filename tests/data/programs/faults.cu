// Kernels that are wrong on purpose, one fault each; tests/cli/faults.sh runs them and reads the reports.
extern "C" __global__ void write_past_end(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

extern "C" __global__ void read_misaligned(const int *in, int *out, int shift)
{
    const int4 v = *reinterpret_cast<const int4 *>(in + threadIdx.x * 4 + shift);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void write_shared_past_end(int *out, int shift)
{
    extern __shared__ int tile[];
    tile[threadIdx.x + shift] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

// Half of each warp waits at one barrier, half at another.
extern "C" __global__ void divergent_barrier(int *out)
{
    if (threadIdx.x & 1)
        asm volatile("bar.sync 1;" ::: "memory");
    else
        asm volatile("bar.sync 2;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void trap_in_thread(int *out, int which)
{
    if (threadIdx.x == which)
        asm volatile("trap;");
    out[threadIdx.x] = 1;
}

// Lanes of one warp take a lock in turn: must finish.
extern "C" __global__ void lock_by_lanes(int *lock, int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)sum = *(volatile int *)sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The same with the lock taken before the work: the winner must get past the place where the losers spin.
extern "C" __global__ void spin_then_work(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1) != 0) { }
    *(volatile int *)sum = *(volatile int *)sum + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// Waits for a flag that nobody sets: must end with a report, not hang. The watchdog is the run loop's.
extern "C" __global__ void unequal_barriers(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}
