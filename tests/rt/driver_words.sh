#!/bin/sh
# Words of the driver in bank 0 of machine code (src/isa/bank0.def): addresses of constants, shared and
# local memory and parameters in the generic space, the size of dynamic shared memory, the workspace of a cooperative grid.
# Both engines give the same, which is what plain C++ says. A word that is not known is refused by name. Prints TAP.
set -u
unset WARPGLASS_DEVICE
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'skipped: no nvcc'; exit 77; }
[ -f "$(dirname "$WARPGLASS")/lib/libcudart.so.13" ] || { echo 'skipped: this build has no runtime libraries'; exit 77; }
cd "$TEST_TMP" || exit 1
count=0
ok() { # result, name
    count=$((count + 1))
    if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; head -n 20 out err | sed 's/^/# /'; fi
}

cat >words.cu <<'END'
#include <cooperative_groups.h>
#include <cstdio>
struct big { int a[16]; };
__constant__ int before[3] = {7, 8, 9};
__constant__ int table[32];
struct chain { const int *p; };
__constant__ chain linked = {table};
__device__ const int *by_global = table;
// The compiler must not see where a pointer points.
template <class T> __device__ T *hide(T *p) { asm volatile("" : "+l"(p)); return p; }

__global__ void read(int *out, const __grid_constant__ big b)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[32];
    int own[4] = {1, 2, 3, 4};
    const int i = threadIdx.x;
    hide(fixed)[i] = 1000 * i;
    hide(dynamic)[i] = 2000 * i;
    __syncthreads();
    unsigned size;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    int *mine = hide(own);
    mine[i & 3] += 10;
    out[i] = hide(table)[i];
    out[32 + i] = linked.p[i] + by_global[i] + *hide(before + 1);
    out[64 + i] = hide(fixed)[31 - i] + hide(dynamic)[i];
    out[96 + i] = hide(own)[i & 3];
    out[128 + i] = hide(b.a)[i & 15];
    out[160 + i] = size;
}

__global__ void write(int value)
{
    hide(const_cast<int *>(table))[threadIdx.x] = value + threadIdx.x;
}

__global__ void meet(int *sums)
{
    auto grid = cooperative_groups::this_grid();
    atomicAdd(sums, 1);
    grid.sync();
    if (threadIdx.x == 0 && blockIdx.x == 1)
        sums[1] = sums[0];
    grid.sync();
    atomicAdd(sums, sums[1]);
}

int main()
{
    int h[192], *d, *sums, zero[2] = {0, 0};
    big b;
    for (int i = 0; i < 16; i++)
        b.a[i] = 5 * i;
    for (int i = 0; i < 32; i++)
        h[i] = 100 + i;
    cudaMemcpyToSymbol(table, h, 32 * sizeof(int));
    cudaMalloc(&d, sizeof h);
    read<<<1, 32, 256>>>(d, b);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    bool is_right = true;
    for (int i = 0; i < 32; i++) {
        const int own = (i & 3) + 1 + 10;
        is_right &= h[i] == 100 + i && h[32 + i] == 200 + 2 * i + 8 && h[64 + i] == 1000 * (31 - i) + 2000 * i && h[96 + i] == own &&
                    h[128 + i] == 5 * (i & 15) && h[160 + i] == 256;
    }
    printf("read %s %s\n", is_right ? "right" : "wrong", cudaGetErrorName(cudaGetLastError()));
    write<<<1, 32>>>(500);
    int back = 0;
    cudaMemcpyFromSymbol(&back, table, sizeof back, 4 * sizeof back);
    printf("written %d %s\n", back, cudaGetErrorName(cudaGetLastError()));
    cudaMalloc(&sums, sizeof zero);
    cudaMemcpy(sums, zero, sizeof zero, cudaMemcpyHostToDevice);
    void *arguments[] = {&sums};
    cudaLaunchCooperativeKernel((void *)meet, dim3(4), dim3(32), arguments, 0, nullptr);
    cudaMemcpy(zero, sums, sizeof zero, cudaMemcpyDeviceToHost);
    printf("met %d %s\n", zero[0], cudaGetErrorName(cudaGetLastError()));
}
END
printf 'read right cudaSuccess\nwritten 504 cudaSuccess\nmet 16512 cudaSuccess\n' >want
"$nvcc" -arch=sm_90 -O3 -std=c++17 words.cu -o words 2>build.log || { cat build.log; exit 1; }
for engine in ptx sass; do
    "$WARPGLASS" run --quiet --model off --engine $engine ./words >out 2>err
    diff want out >/dev/null && [ "$(grep -c "^engine  *$engine" err)" = 3 ]
    ok $? "sm_90, $engine"
done

# Other architectures have other words, and other meanings of encodings: their machine code is not run.
cat >sums.cu <<'END'
#include <cstdio>
__global__ void sum(float *to) { atomicAdd(to + 1, 0.25f); }
int main()
{
    float h[2], *d;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    sum<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[1]);
}
END
for pair in 75:t4 80:a100-80gb 89:l4; do
    "$nvcc" -arch=sm_"${pair%:*}" -O3 sums.cu -o sums 2>build.log || { cat build.log; exit 1; }
    "$WARPGLASS" run --quiet --model off --device "${pair#*:}" ./sums >out 2>err
    [ "$(cat out)" = 8 ] && grep -q "machine code of sm_${pair%:*} is not run, only that of sm_90" err
    ok $? "sm_${pair%:*} runs as PTX"
done

# A constant is in the window of constants and not in that of global memory.
cat >spaces.cu <<'END'
#include <cstdio>
__constant__ int table[32];
__device__ int global;
template <class T> __device__ T *hide(T *p) { asm volatile("" : "+l"(p)); return p; }
__global__ void ask(int *out)
{
    const int *const p[] = {hide(table), hide(table + 31), hide(&global)};
    for (int i = 0; i < 3; i++)
        out[i] = __isGlobal(p[i]) + 2 * __isConstant(p[i]);
}
int main()
{
    int h[3], *d;
    cudaMalloc(&d, sizeof h);
    ask<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[1], h[2]);
}
END
"$nvcc" -arch=sm_90 spaces.cu -o spaces 2>build.log || { cat build.log; exit 1; }
"$WARPGLASS" run --quiet --model off ./spaces >out 2>err
[ "$(cat out)" = '2 2 1' ]
ok $? 'spaces of addresses'

cat >unknown.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry environment(.param .u64 out)
{
    .reg .b32 %v;
    .reg .b64 %a;
    ld.param.u64 %a, [out];
    mov.b32 %v, %envreg20;
    st.global.b32 [%a], %v;
    ret;
}
END
"$(dirname "$nvcc")/ptxas" -arch=sm_90 unknown.ptx -o unknown.cubin || exit 1
"$WARPGLASS" launch unknown.cubin --quiet --kernel environment --grid 1 --block 1 --arg 's32[1]' >out 2>err
[ $? != 0 ] && grep -q 'word 0x90 of bank 0, which is the driver.s and not known' err
ok $? 'a word that is not known'
echo "1..$count"
