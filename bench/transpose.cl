// tile32 of examples/transpose.cu in OpenCL C, for the comparison with Oclgrind.
#define TILE 32
#define ROWS 8
__kernel void tile32(__global const float *in, __global float *out, int n)
{
    __local float tile[TILE][TILE];
    int x = get_group_id(0) * TILE + get_local_id(0), y = get_group_id(1) * TILE + get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS)
        tile[get_local_id(1) + j][get_local_id(0)] = in[(size_t)(y + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS)
        out[(size_t)(y + j) * n + x] = tile[get_local_id(0)][get_local_id(1) + j];
}
