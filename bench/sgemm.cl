// gemm_reg2d of tests/data/programs/sgemm.cu in OpenCL C, for the comparison with Oclgrind: C = A B, n x n floats,
// 128 x 128 per work-group of 256, 8 x 8 per work-item.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void gemm_reg2d(__global const float *A, __global const float *B, __global float *C, int n)
{
    __local float a[128][8], b[8][128];
    const int t = get_local_id(0), r0 = (t >> 4) * 8, c0 = (t & 15) * 8;
    __global const float *Ab = A + (size_t)get_group_id(1) * 128 * n;
    __global const float *Bb = B + get_group_id(0) * 128;
    float s[8][8] = {{0}};
    for (int k0 = 0; k0 < n; k0 += 8) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int q = t + i * 256;
            a[q >> 3][q & 7] = Ab[(q >> 3) * n + k0 + (q & 7)];
            b[q >> 7][q & 127] = Bb[(k0 + (q >> 7)) * n + (q & 127)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float av[8], bv[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                av[i] = a[r0 + i][k];
                bv[i] = b[k][c0 + i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    s[i][j] = fma(av[i], bv[j], s[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            C[(size_t)(get_group_id(1) * 128 + r0 + i) * n + get_group_id(0) * 128 + c0 + j] = s[i][j];
}
