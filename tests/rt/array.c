// Arrays through the runtime API: shapes and formats, copies of every form. What fails does so as on an H200
// with driver 580.
#include "support/check.h"
#include "support/guest.h"
#include <string.h>

#define IS(call, error) assert_int_equal(call, error)
#define GOOD(call) assert_int_equal(call, cudaSuccess)

static const struct cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
static const struct cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};

static void formats(void **state)
{
    (void)state;
    enum { BAD = cudaErrorInvalidChannelDescriptor };
    static const struct {
        int x, y, z, w, kind, error;
    } cases[] = {{32, 0, 0, 0, 2, 0},    {8, 8, 8, 8, 1, 0},     {8, 8, 8, 0, 1, BAD},
                 {16, 16, 0, 0, 2, 0},   {8, 0, 0, 0, 2, BAD},   {64, 0, 0, 0, 1, BAD},
                 {32, 32, 32, 32, 0, 0}, {0, 0, 0, 0, 0, BAD},   {32, 16, 0, 0, 1, BAD},
                 {12, 0, 0, 0, 1, BAD},  {32, 0, 32, 0, 1, BAD}, {32, 0, 0, 0, 3, BAD}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        cudaArray_t a;
        struct cudaChannelFormatDesc f = wg_cudaCreateChannelDesc(
            cases[i].x, cases[i].y, cases[i].z, cases[i].w, (enum cudaChannelFormatKind)cases[i].kind);
        IS(wg_cudaMallocArray(&a, &f, 64, 8, 0), cases[i].error);
        GOOD(wg_cudaFreeArray(a));
    }
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        size_t width, height, depth;
        unsigned flags;
        int error;
    } cases[] = {
        {64, 0, 0, 0, 0},     {64, 8, 0, 0, 0},          {64, 8, 4, 0, 0},         {64, 0, 4, 0, 1},
        {0, 8, 0, 0, 1},      {64, 0, 4, 1, 0},          {64, 8, 4, 1, 0},         {64, 64, 6, 4, 0},
        {64, 64, 12, 5, 0},   {64, 64, 5, 4, 1},         {64, 32, 6, 4, 1},        {64, 8, 0, 2, 0},
        {64, 8, 0, 8, 0},     {64, 8, 4, 8, 1},          {131072, 0, 0, 0, 0},     {64, 8, 0, 1, 1},
        {131073, 0, 0, 0, 1}, {131072, 65536, 0, 0, 0},  {131072, 65537, 0, 0, 1}, {16385, 2, 2, 0, 1},
        {64, 8, 2049, 1, 1},  {32768, 32768, 2048, 1, 2}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct cudaExtent extent = {cases[i].width, cases[i].height, cases[i].depth}, got;
        struct cudaChannelFormatDesc format;
        cudaArray_t a;
        unsigned flags;
        IS(wg_cudaMalloc3DArray(&a, &bytes, extent, cases[i].flags), cases[i].error);
        if (!a)
            continue;
        GOOD(wg_cudaArrayGetInfo(&format, &got, &flags, a));
        assert_memory_equal(&got, &extent, sizeof got);
        assert_memory_equal(&format, &bytes, sizeof format);
        assert_int_equal(flags, cases[i].flags);
        GOOD(wg_cudaArrayGetInfo(NULL, NULL, NULL, a));
        GOOD(wg_cudaFreeArray(a));
        assert_int_not_equal(wg_cudaFreeArray(a), cudaSuccess);
    }
    GOOD(wg_cudaFreeArray(NULL));
}

static void boxes(void **state)
{
    (void)state;
    unsigned in[8][64], out[8][64];
    cudaArray_t a, b;
    void *device;
    GOOD(wg_cudaMallocArray(&a, &words, 64, 8, 0));
    GOOD(wg_cudaMallocArray(&b, &words, 64, 8, 0));
    GOOD(wg_cudaMalloc(&device, sizeof in));
    for (unsigned i = 0; i < 512; i++)
        in[i / 64][i % 64] = i;
    GOOD(wg_cudaMemcpy2DToArray(a, 0, 0, in, 256, 256, 8, cudaMemcpyHostToDevice));
    GOOD(wg_cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 256, 8, cudaMemcpyDeviceToDevice));
    GOOD(wg_cudaMemcpy2DFromArray(out, 256, b, 0, 0, 256, 8, cudaMemcpyDeviceToHost));
    assert_memory_equal(in, out, sizeof in);
    GOOD(wg_cudaMemcpy2DToArrayAsync(a, 8, 2, &in[5][0], 256, 4, 3, cudaMemcpyDefault, NULL));
    GOOD(wg_cudaMemcpy2DFromArrayAsync(out, 4, a, 8, 1, 4, 5, cudaMemcpyDefault, NULL));
    assert_true(out[0][0] == 66 && out[0][1] == 320 && out[0][2] == 384 && out[0][3] == 448 &&
                out[0][4] == 322);
    GOOD(wg_cudaMemcpy2DToArray(a, 0, 0, device, 256, 256, 8, cudaMemcpyDeviceToDevice));
    GOOD(wg_cudaMemcpy2DToArray(a, 2, 0, in, 256, 6, 8, cudaMemcpyHostToDevice));
    GOOD(wg_cudaMemcpy2DToArray(a, 0, 0, NULL, 256, 0, 8, cudaMemcpyHostToDevice));
    IS(wg_cudaMemcpy2DToArray(a, 4, 0, in, 256, 256, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy2DToArray(a, 0, 1, in, 256, 256, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy2DToArray(a, 0, 0, in, 100, 256, 8, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    IS(wg_cudaMemcpy2DToArray(a, 0, 0, in, 256, 256, 8, cudaMemcpyDeviceToHost),
       cudaErrorInvalidMemcpyDirection);
    IS(wg_cudaMemcpy2DToArray(a, 0, 0, in, 256, 256, 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy2DToArray(a, 0, 0, NULL, 256, 256, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy2DToArray(NULL, 0, 0, in, 256, 256, 8, cudaMemcpyHostToDevice),
       cudaErrorInvalidResourceHandle);
    IS(wg_cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 256, 8, cudaMemcpyHostToDevice),
       cudaErrorInvalidMemcpyDirection);
    IS(wg_cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 1, 256, 8, cudaMemcpyDeviceToDevice),
       cudaErrorInvalidValue);
    struct cudaChannelFormatDesc format;
    GOOD(wg_cudaGetChannelDesc(&format, a));
    assert_int_equal(format.x, 32);
    IS(wg_cudaGetChannelDesc(&format, NULL), cudaErrorInvalidResourceHandle);
    IS(wg_cudaFree((void *)a), cudaErrorInvalidValue);
    GOOD(wg_cudaFreeArray(a));
    GOOD(wg_cudaFreeArray(b));
    GOOD(wg_cudaFree(device));
}

static void runs_go_on_from_row_to_row(void **state)
{
    (void)state;
    unsigned in[512], out[512];
    cudaArray_t a, b;
    GOOD(wg_cudaMallocArray(&a, &words, 64, 8, 0));
    GOOD(wg_cudaMallocArray(&b, &words, 32, 16, 0));
    for (unsigned i = 0; i < 512; i++)
        in[i] = i + 1;
    memset(out, 0, sizeof out);
    GOOD(wg_cudaMemcpyToArray(a, 0, 0, out, 2048, cudaMemcpyHostToDevice));
    GOOD(wg_cudaMemcpyToArray(a, 16, 1, in, 1000, cudaMemcpyHostToDevice));
    GOOD(wg_cudaMemcpyFromArray(out, a, 0, 0, 2048, cudaMemcpyDeviceToHost));
    assert_true(out[67] == 0 && out[68] == 1 && out[128] == 61 && out[317] == 250 && out[318] == 0);
    GOOD(wg_cudaMemcpyArrayToArray(b, 4, 0, a, 16, 1, 1000, cudaMemcpyDeviceToDevice));
    GOOD(wg_cudaMemcpyFromArrayAsync(out, b, 4, 0, 1000, cudaMemcpyDeviceToHost, NULL));
    assert_memory_equal(out, in, 1000);
    IS(wg_cudaMemcpyToArray(a, 0, 0, in, 2052, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyFromArray(out, a, 256, 0, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GOOD(wg_cudaFreeArray(a));
    GOOD(wg_cudaFreeArray(b));
}

static void boxes_count_in_elements(void **state)
{
    (void)state;
    static unsigned in[3][4][25], out[3][4][25];
    cudaArray_t a;
    for (unsigned i = 0; i < 300; i++)
        in[i / 100][i / 25 % 4][i % 25] = i;
    GOOD(wg_cudaMalloc3DArray(&a, &words, (struct cudaExtent){25, 4, 3}, 0));
    struct cudaMemcpy3DParms p = {
        .srcPtr = {in, 100, 100, 4}, .dstArray = a, .extent = {25, 4, 3}, .kind = cudaMemcpyHostToDevice};
    GOOD(wg_cudaMemcpy3D(&p));
    p.extent = (struct cudaExtent){2, 1, 1};
    p.srcPos = (struct cudaPos){20, 1, 0}; // elements, though the source is no array
    GOOD(wg_cudaMemcpy3D(&p));
    struct cudaMemcpy3DParms back = {
        .srcArray = a, .dstPtr = {out, 100, 100, 4}, .extent = {25, 4, 3}, .kind = cudaMemcpyDeviceToHost};
    GOOD(wg_cudaMemcpy3D(&back));
    assert_true(out[0][0][0] == 45 && out[0][0][1] == 46 && out[0][0][2] == 2 && out[2][3][24] == 299);
    p.srcPos.x = 24;
    IS(wg_cudaMemcpy3D(&p), cudaErrorInvalidValue);
    p.srcPos = (struct cudaPos){0, 0, 0};
    p.dstPos.x = 24;
    IS(wg_cudaMemcpy3D(&p), cudaErrorInvalidValue);
    p.dstPos.x = 0;
    p.kind = cudaMemcpyDeviceToDevice;
    IS(wg_cudaMemcpy3D(&p), cudaErrorInvalidValue); // the source is pageable
    p.kind = cudaMemcpyHostToDevice;
    p.dstPtr = p.srcPtr;
    IS(wg_cudaMemcpy3D(&p), cudaErrorInvalidValue); // two targets
    GOOD(wg_cudaFreeArray(a));
}

static void levels_are_halved(void **state)
{
    (void)state;
    cudaMipmappedArray_t m;
    cudaArray_t level;
    struct cudaExtent e;
    float in[2] = {1, 2}, out[2] = {0};
    struct cudaArrayMemoryRequirements needs;
    GOOD(
        wg_cudaMallocMipmappedArray(&m, &words, (struct cudaExtent){64, 32, 0}, 9, 0)); // 7 are all there are
    IS(wg_cudaGetMipmappedArrayLevel(&level, m, 7), cudaErrorInvalidValue);
    GOOD(wg_cudaGetMipmappedArrayLevel(&level, m, 6));
    GOOD(wg_cudaArrayGetInfo(NULL, &e, NULL, level));
    assert_true(e.width == 1 && e.height == 1 && e.depth == 0);
    GOOD(wg_cudaGetMipmappedArrayLevel(&level, m, 5));
    GOOD(wg_cudaMemcpy2DToArray(level, 0, 0, in, 8, 8, 1, cudaMemcpyHostToDevice));
    GOOD(wg_cudaMemcpy2DFromArray(out, 8, level, 0, 0, 8, 1, cudaMemcpyDeviceToHost));
    assert_memory_equal(in, out, 8);
    IS(wg_cudaMemcpy2DToArray(level, 0, 0, in, 12, 12, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaFreeArray(level), cudaErrorInvalidValue);
    IS(wg_cudaArrayGetMemoryRequirements(&needs, level, 0), cudaErrorInvalidValue);
    GOOD(wg_cudaFreeMipmappedArray(m));
    IS(wg_cudaGetMipmappedArrayLevel(&level, m, 0), cudaErrorInvalidResourceHandle);
    GOOD(wg_cudaMallocMipmappedArray(&m, &words, (struct cudaExtent){8, 8, 6}, 4, cudaArrayCubemap));
    GOOD(wg_cudaGetMipmappedArrayLevel(&level, m, 3));
    GOOD(wg_cudaArrayGetInfo(NULL, &e, NULL, level));
    assert_true(e.width == 1 && e.height == 1 && e.depth == 6);
    GOOD(wg_cudaFreeMipmappedArray(m));
}

static void streams_take_copies_of_arrays(void **state)
{
    (void)state;
    unsigned in[4] = {1, 2, 3, 4}, out[4] = {0};
    cudaArray_t a;
    GOOD(wg_cudaMallocArray(&a, &words, 4, 2, 0));
    GOOD(wg_cudaMemcpyToArrayAsync(a, 0, 0, in, 16, cudaMemcpyHostToDevice, NULL));
    GOOD(wg_cudaMemcpyToArrayAsync_ptsz(a, 0, 1, in, 8, cudaMemcpyHostToDevice, NULL));
    GOOD(wg_cudaMemcpy2DToArrayAsync_ptsz(a, 8, 1, in, 8, 8, 1, cudaMemcpyHostToDevice, NULL));
    GOOD(wg_cudaMemcpyFromArrayAsync_ptsz(out, a, 0, 1, 16, cudaMemcpyDeviceToHost, NULL));
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 1 && out[3] == 2);
    IS(wg_cudaMemcpy2DFromArrayAsync_ptsz(out, 8, a, 0, 0, 16, 1, cudaMemcpyDeviceToHost, NULL),
       cudaErrorInvalidValue); // a pitch below the width
    GOOD(wg_cudaMemcpy2DFromArrayAsync_ptsz(out, 16, a, 0, 0, 16, 1, cudaMemcpyDeviceToHost, NULL));
    assert_memory_equal(in, out, 16);
    struct rt *rt = rt_enter();
    double legacy = rt->legacy->ready_ns, own = stream_per_thread(rt)->ready_ns;
    rt_leave(rt, cudaSuccess);
    assert_true(own > legacy);
    GOOD(wg_cudaFreeArray(a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),
        cmocka_unit_test(shapes),
        cmocka_unit_test(boxes),
        cmocka_unit_test(runs_go_on_from_row_to_row),
        cmocka_unit_test(boxes_count_in_elements),
        cmocka_unit_test(levels_are_halved),
        cmocka_unit_test(streams_take_copies_of_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
