// Results of tex at many coordinates, every dimension, format, filter, address mode, with and without
// normalised coordinates; gathered texels; fetches by number; surface loads. What tests/op/texture_h200.c
// stores comes from its output, bits as text:
//     nvcc -arch=sm_90 -O2 -o texture tools/measure/texture.cu;  ./texture FOLDER    (writes
//     FOLDER/texture.txt)
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
enum { N = 192 };
// Coordinate i of axis a for size n: spread over -1.25 .. 2.25 sizes, texel centres, borders, fractions in
// 1/1024, special values
static float coordinate(int i, int a, int n, bool normalized)
{
    const uint64_t r = mix((uint64_t)i * 8 + a + 77);
    float x;
    switch (i % 6) {
    case 0:
        x = (float)((int)(r % (3 * n)) - n) + 0.5f;
        break;
    case 1:
        x = (float)((int)(r % (3 * n)) - n);
        break;
    case 2:
        x = (float)((int64_t)(r % (uint64_t)(3 * n * 1024)) - n * 1024) / 1024.0f;
        break;
    case 3:
        x = (float)(r >> 40) / 16777216.0f * n;
        break;
    case 4:
        x = ((float)(r >> 40) / 16777216.0f * 3.5f - 1.25f) * n;
        break;
    default:
        x = (float)((int)(r % n)) + (float)((r >> 32) % 2049) / 2048.0f;
        break;
    }
    if (i >= N - 6) {
        static const float s[6] = {NAN, INFINITY, -INFINITY, 1e30f, -0.0f, -1e-30f};
        x = s[(i + a) % 6];
    }
    return normalized ? x / n : x;
}
enum { D1, D2, D3, D1L, D2L, DCUBE, DCUBEL, DGATHER0, DGATHER1, DGATHER2, DGATHER3 };
template <typename T> __device__ T fetch(int dim, cudaTextureObject_t t, float x, float y, float z)
{
    switch (dim) {
    case D1:
        return tex1D<T>(t, x);
    case D2:
        return tex2D<T>(t, x, y);
    case D3:
        return tex3D<T>(t, x, y, z);
    case D1L:
        return tex1DLayered<T>(t, x, (int)z);
    case D2L:
        return tex2DLayered<T>(t, x, y, (int)z);
    case DCUBE:
        return texCubemap<T>(t, x, y, z);
    default:
        return tex2D<T>(t, x, y);
    }
}
template <typename T> __global__ void run(int dim, cudaTextureObject_t t, const float *c, uint32_t *out)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= N)
        return;
    T v = fetch<T>(dim, t, c[i * 3], c[i * 3 + 1], c[i * 3 + 2]);
    memcpy(out + i * 4, &v, 16);
}
__global__ void run_gather(int comp, cudaTextureObject_t t, const float *c, uint32_t *out)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= N)
        return;
    float4 v = comp == 0   ? tex2Dgather<float4>(t, c[i * 3], c[i * 3 + 1], 0)
               : comp == 1 ? tex2Dgather<float4>(t, c[i * 3], c[i * 3 + 1], 1)
               : comp == 2 ? tex2Dgather<float4>(t, c[i * 3], c[i * 3 + 1], 2)
                           : tex2Dgather<float4>(t, c[i * 3], c[i * 3 + 1], 3);
    memcpy(out + i * 4, &v, 16);
}
__global__ void run_fetch(cudaTextureObject_t t, uint32_t *out, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= N)
        return;
    static const int s[8] = {-1, -100, 0, 1, 2147483647, -2147483647, 5, 6};
    int x = i < 8 ? s[i] : i - 16;
    if (i == 8)
        x = n - 1;
    if (i == 9)
        x = n;
    if (i == 10)
        x = n + 1;
    uint4 v = tex1Dfetch<uint4>(t, x);
    memcpy(out + i * 4, &v, 16);
}
__global__ void run_surf(cudaSurfaceObject_t s, uint32_t *out, int mode, int w, int h)
{
    const int i = threadIdx.x;
    int x = (i % 16 - 4), y = i / 16 - 4;
    uint32_t v = 0xdeadbeef;
    if (mode == 0)
        surf2Dread(&v, s, x * 4, y, cudaBoundaryModeZero);
    if (mode == 1)
        surf2Dread(&v, s, x * 4, y, cudaBoundaryModeClamp);
    out[i] = v;
}
__global__ void run_query(cudaTextureObject_t t, uint32_t *out)
{
    uint32_t w, h, d;
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));
    asm volatile("txq.height.b32 %0, [%1];" : "=r"(h) : "l"(t));
    asm volatile("txq.depth.b32 %0, [%1];" : "=r"(d) : "l"(t));
    uint32_t l = 0, m = 0, o, p;
    asm volatile("txq.array_size.b32 %0, [%1];" : "=r"(l) : "l"(t));
    asm volatile("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(m) : "l"(t));
    asm volatile("txq.channel_data_type.b32 %0, [%1];" : "=r"(o) : "l"(t));
    asm volatile("txq.channel_order.b32 %0, [%1];" : "=r"(p) : "l"(t));
    out[0] = w;
    out[1] = h;
    out[2] = d;
    out[3] = l;
    out[4] = m;
    out[5] = o;
    out[6] = p;
}
struct format {
    const char *name;
    int bits, channels;
    cudaChannelFormatKind kind;
};
static const format formats[] = {
    {"u8x1", 8, 1, cudaChannelFormatKindUnsigned},   {"u8x2", 8, 2, cudaChannelFormatKindUnsigned},
    {"u8x4", 8, 4, cudaChannelFormatKindUnsigned},   {"s8x1", 8, 1, cudaChannelFormatKindSigned},
    {"s8x4", 8, 4, cudaChannelFormatKindSigned},     {"u16x1", 16, 1, cudaChannelFormatKindUnsigned},
    {"u16x4", 16, 4, cudaChannelFormatKindUnsigned}, {"s16x2", 16, 2, cudaChannelFormatKindSigned},
    {"s16x4", 16, 4, cudaChannelFormatKindSigned},   {"u32x1", 32, 1, cudaChannelFormatKindUnsigned},
    {"u32x4", 32, 4, cudaChannelFormatKindUnsigned}, {"s32x2", 32, 2, cudaChannelFormatKindSigned},
    {"f16x1", 16, 1, cudaChannelFormatKindFloat},    {"f16x2", 16, 2, cudaChannelFormatKindFloat},
    {"f16x4", 16, 4, cudaChannelFormatKindFloat},    {"f32x1", 32, 1, cudaChannelFormatKindFloat},
    {"f32x2", 32, 2, cudaChannelFormatKindFloat},    {"f32x4", 32, 4, cudaChannelFormatKindFloat},
};
static std::vector<uint8_t> texels(const format &f, size_t n)
{
    std::vector<uint8_t> m(n * f.channels * f.bits / 8);
    for (size_t i = 0; i < n * f.channels; i++) {
        const uint64_t r = mix(i * 31 + f.bits);
        if (f.kind == cudaChannelFormatKindFloat && f.bits == 32) {
            float v = (float)((int)(r % 20001) - 10000) / 16.0f * ((r >> 40) % 3 ? 1.0f : 0.37f);
            memcpy(&m[i * 4], &v, 4);
        } else if (f.kind == cudaChannelFormatKindFloat) {
            __half v = __float2half((float)((int)(r % 2001) - 1000) / 16.0f);
            memcpy(&m[i * 2], &v, 2);
        } else
            memcpy(&m[i * f.bits / 8], &r, f.bits / 8);
    }
    return m;
}
static float *coords;
static uint32_t *results;
static uint32_t host[N * 4];
static FILE *out;
static void print(const char *head)
{
    cudaError_t e = cudaMemcpy(host, results, sizeof host, cudaMemcpyDeviceToHost);
    fprintf(out, "%s%s:", head, e ? " FAILED" : "");
    if (e) {
        fprintf(out, " %s\n", cudaGetErrorString(e));
        return;
    }
    for (int i = 0; i < N * 4; i++)
        fprintf(out, " %x", host[i]);
    fprintf(out, "\n");
}
int main(int argc, char **argv)
{
    char path[512];
    snprintf(path, sizeof path, "%s/texture.txt", argc > 1 ? argv[1] : ".");
    out = fopen(path, "w");
    cudaMalloc(&coords, N * 12);
    cudaMalloc(&results, sizeof host);
    static const int sizes[][3] = {{13, 0, 0}, {13, 7, 0}, {11, 6, 5}, {13, 3, 0}, {13, 7, 3}, {8, 8, 6}};
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube"};
    for (int dim = 0; dim < 6; dim++)
        for (const format &f : formats) {
            const int w = sizes[dim][0], h = sizes[dim][1], d = sizes[dim][2];
            cudaChannelFormatDesc desc = {f.bits, f.channels > 1 ? f.bits : 0, f.channels > 2 ? f.bits : 0,
                                          f.channels > 3 ? f.bits : 0, f.kind};
            cudaExtent extent = make_cudaExtent(w, dim == D1L ? 0 : h, dim == D1L ? 3 : d);
            cudaArray_t array;
            unsigned flags = dim == D1L || dim == D2L ? cudaArrayLayered
                             : dim == DCUBE           ? cudaArrayCubemap
                                                      : 0;
            if (dim == D2)
                flags |= cudaArrayTextureGather;
            if (cudaMalloc3DArray(&array, &desc, extent, flags)) {
                fprintf(out, "array %s %s FAILED %s\n", names[dim], f.name,
                        cudaGetErrorString(cudaGetLastError()));
                continue;
            }
            const int rows = dim == D1L ? 1 : h ? h : 1, planes = dim == D1L ? 3 : d ? d : 1;
            std::vector<uint8_t> m = texels(f, (size_t)w * rows * planes);
            cudaMemcpy3DParms p = {};
            p.srcPtr = make_cudaPitchedPtr(m.data(), (size_t)w * f.channels * f.bits / 8, w, rows);
            p.dstArray = array;
            p.extent = make_cudaExtent(w, rows, planes);
            p.kind = cudaMemcpyHostToDevice;
            if (cudaMemcpy3D(&p))
                fprintf(out, "copy FAILED %s\n", cudaGetErrorString(cudaGetLastError()));
            for (int norm = 0; norm < 2; norm++) {
                std::vector<float> c(N * 3);
                for (int i = 0; i < N; i++) {
                    c[i * 3] = coordinate(i, 0, w, norm);
                    c[i * 3 + 1] = coordinate(i, 1, h ? h : 1, norm);
                    c[i * 3 + 2] = coordinate(i, 2, d ? d : 1, norm);
                    if (dim == D1L || dim == D2L)
                        c[i * 3 + 2] = (float)((int)(mix(i) % 7) - 2);
                    if (dim == DCUBE)
                        for (int a = 0; a < 3; a++)
                            c[i * 3 + a] = i < N - 6 ? (float)((int)(mix(i * 3 + a) % 2001) - 1000) /
                                                           ((i & 1) ? 1000.0f : 250.0f)
                                                     : c[i * 3 + a];
                }
                cudaMemcpy(coords, c.data(), N * 12, cudaMemcpyHostToDevice);
                for (int mode = 0; mode < 4; mode++)
                    for (int linear = 0; linear < 2; linear++)
                        for (int read = 0; read < 2; read++) {
                            const bool is_float = f.kind == cudaChannelFormatKindFloat;
                            if (read && (is_float || f.bits == 32))
                                continue;
                            if (linear && !is_float && !read)
                                continue;
                            if (dim == DCUBE && !norm)
                                continue;
                            cudaResourceDesc res = {};
                            res.resType = cudaResourceTypeArray;
                            res.res.array.array = array;
                            cudaTextureDesc td = {};
                            td.addressMode[0] = td.addressMode[1] = td.addressMode[2] =
                                (cudaTextureAddressMode)mode;
                            td.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                            td.readMode = read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                            td.normalizedCoords = norm;
                            td.borderColor[0] = 0.25f;
                            td.borderColor[1] = 0.5f;
                            td.borderColor[2] = -0.75f;
                            td.borderColor[3] = 1.0f;
                            cudaTextureObject_t t;
                            char head[200];
                            snprintf(head, sizeof head, "tex %s %s norm %d mode %d linear %d read %d",
                                     names[dim], f.name, norm, mode, linear, read);
                            if (cudaCreateTextureObject(&t, &res, &td, nullptr)) {
                                fprintf(out, "%s CREATE %s\n", head, cudaGetErrorString(cudaGetLastError()));
                                continue;
                            }
                            cudaMemset(results, 0xee, sizeof host);
                            if (is_float || read)
                                run<float4><<<3, 64>>>(dim, t, coords, results);
                            else
                                run<uint4><<<3, 64>>>(dim, t, coords, results);
                            print(head);
                            if (dim == D2 && (is_float || read) && mode == 1)
                                for (int g = 0; g < 4; g++) {
                                    run_gather<<<3, 64>>>(g, t, coords, results);
                                    snprintf(head, sizeof head,
                                             "gather%d %s norm %d mode %d linear %d read %d", g, f.name, norm,
                                             mode, linear, read);
                                    print(head);
                                }
                            if (mode == 1 && !norm && !linear && !read) {
                                run_query<<<1, 1>>>(t, results);
                                snprintf(head, sizeof head, "query %s %s", names[dim], f.name);
                                print(head);
                            }
                            cudaDestroyTextureObject(t);
                        }
            }
            cudaFreeArray(array);
        }
    for (const format &f : formats) { // linear memory
        std::vector<uint8_t> m = texels(f, 50);
        void *p;
        cudaMalloc(&p, 4096);
        cudaMemset(p, 0x55, 4096);
        cudaMemcpy(p, m.data(), m.size(), cudaMemcpyHostToDevice);
        cudaResourceDesc res = {};
        res.resType = cudaResourceTypeLinear;
        res.res.linear.devPtr = p;
        res.res.linear.sizeInBytes = m.size();
        res.res.linear.desc = {f.bits, f.channels > 1 ? f.bits : 0, f.channels > 2 ? f.bits : 0,
                               f.channels > 3 ? f.bits : 0, f.kind};
        for (int read = 0; read < 2; read++) {
            if (read && (f.kind == cudaChannelFormatKindFloat || f.bits == 32))
                continue;
            cudaTextureDesc td = {};
            td.readMode = read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
            cudaTextureObject_t t;
            char head[200];
            snprintf(head, sizeof head, "fetch %s read %d", f.name, read);
            if (cudaCreateTextureObject(&t, &res, &td, nullptr)) {
                fprintf(out, "%s CREATE %s\n", head, cudaGetErrorString(cudaGetLastError()));
                continue;
            }
            run_fetch<<<3, 64>>>(t, results, 50);
            print(head);
        }
        cudaFree(p);
    }
    { // pitched linear memory and surfaces
        std::vector<float> m(64 * 9);
        for (size_t i = 0; i < m.size(); i++)
            m[i] = (float)(mix(i) % 1000) / 8;
        float *p;
        size_t pitch;
        cudaMallocPitch(&p, &pitch, 13 * 4, 9);
        cudaMemcpy2D(p, pitch, m.data(), 13 * 4, 13 * 4, 9, cudaMemcpyHostToDevice);
        std::vector<float> c(N * 3);
        for (int i = 0; i < N; i++) {
            c[i * 3] = coordinate(i, 0, 13, false);
            c[i * 3 + 1] = coordinate(i, 1, 9, false);
        }
        cudaMemcpy(coords, c.data(), N * 12, cudaMemcpyHostToDevice);
        for (int mode = 0; mode < 4; mode++)
            for (int linear = 0; linear < 2; linear++) {
                cudaResourceDesc res = {};
                res.resType = cudaResourceTypePitch2D;
                res.res.pitch2D.devPtr = p;
                res.res.pitch2D.desc = cudaCreateChannelDesc<float>();
                res.res.pitch2D.width = 13;
                res.res.pitch2D.height = 9;
                res.res.pitch2D.pitchInBytes = pitch;
                cudaTextureDesc td = {};
                td.addressMode[0] = td.addressMode[1] = (cudaTextureAddressMode)mode;
                td.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                cudaTextureObject_t t;
                char head[200];
                snprintf(head, sizeof head, "pitch mode %d linear %d", mode, linear);
                if (cudaCreateTextureObject(&t, &res, &td, nullptr)) {
                    fprintf(out, "%s CREATE %s\n", head, cudaGetErrorString(cudaGetLastError()));
                    continue;
                }
                run<float4><<<3, 64>>>(D2, t, coords, results);
                print(head);
            }
        cudaArray_t a;
        cudaChannelFormatDesc d = cudaCreateChannelDesc<unsigned>();
        cudaMallocArray(&a, &d, 8, 5, cudaArraySurfaceLoadStore);
        std::vector<uint32_t> v(40);
        for (int i = 0; i < 40; i++)
            v[i] = 100 + i;
        cudaMemcpy2DToArray(a, 0, 0, v.data(), 32, 32, 5, cudaMemcpyHostToDevice);
        cudaResourceDesc res = {};
        res.resType = cudaResourceTypeArray;
        res.res.array.array = a;
        cudaSurfaceObject_t s;
        cudaCreateSurfaceObject(&s, &res);
        for (int mode = 0; mode < 2; mode++) {
            cudaMemset(results, 0, sizeof host);
            run_surf<<<1, 192>>>(s, results, mode, 8, 5);
            char head[100];
            snprintf(head, sizeof head, "surf mode %d", mode);
            print(head);
        }
    }
    fprintf(out, "end %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    fclose(out);
    return 0;
}
