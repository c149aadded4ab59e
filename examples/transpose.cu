// Five ways to move an n x n matrix of floats, n a multiple of 32: blocks of 32 x 8 threads, grid (n/32, n/32).
// One copies, four transpose. transpose.ptx is this file, compiled: see examples/README.md.
constexpr int kTile = 32, kRows = 8;

extern "C" __global__ void copy(const float *in, float *out, int n)
{
    const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows)
        out[(size_t)(y + j) * n + x] = in[(size_t)(y + j) * n + x];
}

// Reads along rows, writes down columns: every lane's store falls into another sector.
extern "C" __global__ void naive(const float *in, float *out, int n)
{
    const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows)
        out[(size_t)x * n + y + j] = in[(size_t)(y + j) * n + x];
}

// Through a tile in shared memory, so that global memory is read and written along rows.
template <int PITCH>
__device__ __forceinline__ void through_tile(const float *in, float *out, int n)
{
    __shared__ float tile[kTile][PITCH];
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows)
        tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows)
        out[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void tile32(const float *in, float *out, int n) { through_tile<32>(in, out, n); }
extern "C" __global__ void tile33(const float *in, float *out, int n) { through_tile<33>(in, out, n); }

// No padding: column c of row r lies at c ^ r, so a column touches all banks.
extern "C" __global__ void swizzle(const float *in, float *out, int n)
{
    __shared__ float tile[kTile][kTile];
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows) {
        const int r = threadIdx.y + j;
        tile[r][threadIdx.x ^ r] = in[(size_t)(y + j) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows) {
        const int c = threadIdx.y + j;
        out[(size_t)(y + j) * n + x] = tile[threadIdx.x][c ^ threadIdx.x];
    }
}
