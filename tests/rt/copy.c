// Copies and fills through the runtime API: bytes arrive, and what fails does so as on an H200 with driver
// 580, with nothing copied at all.
#include "rt/stream.h"
#include "support/check.h"
#include "support/guest.h"
#include <stdlib.h>
#include <string.h>

#define IS(call, error) assert_int_equal(call, error)
#define GOOD(call) assert_int_equal(call, cudaSuccess)

enum { PAGEABLE, PINNED, REGISTERED, MANAGED, DEVICE, N_PLACES, PLACE_BYTES = 4096 };
static char *place[N_PLACES];

static int set_up(void **state)
{
    (void)state;
    place[PAGEABLE] = aligned_alloc(4096, PLACE_BYTES);
    place[REGISTERED] = aligned_alloc(4096, 2 * PLACE_BYTES);
    return wg_cudaMallocHost((void **)&place[PINNED], PLACE_BYTES) ||
           wg_cudaMallocManaged((void **)&place[MANAGED], PLACE_BYTES, cudaMemAttachGlobal) ||
           wg_cudaMalloc((void **)&place[DEVICE], PLACE_BYTES) ||
           wg_cudaHostRegister(place[REGISTERED], PLACE_BYTES, 0);
}

static char read_byte(const char *p)
{
    char c = 0;
    GOOD(wg_cudaMemcpy(&c, p, 1, cudaMemcpyDefault));
    return c;
}

static void write_byte(char *p, char c)
{
    GOOD(wg_cudaMemcpy(p, &c, 1, cudaMemcpyDefault));
}

// The direction names the sides that must not be pageable.
static bool passes(int to, int from, int kind)
{
    return !((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) && to == PAGEABLE) &&
           !((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) && from == PAGEABLE);
}

static void check_direction(int to, int from, int kind, bool is_async)
{
    char mark = (char)(1 + kind + to * 5 + from * 25);
    write_byte(place[from], mark);
    write_byte(place[to] + 64, 0);
    cudaError_t error =
        is_async ? wg_cudaMemcpyAsync(place[to] + 64, place[from], 1, (enum cudaMemcpyKind)kind, NULL)
                 : wg_cudaMemcpy(place[to] + 64, place[from], 1, (enum cudaMemcpyKind)kind);
    IS(error, passes(to, from, kind) ? cudaSuccess : cudaErrorInvalidValue);
    assert_int_equal(read_byte(place[to] + 64), error ? 0 : mark);
}

static void every_direction_between_every_two_kinds_of_memory(void **state)
{
    (void)state;
    for (int to = 0; to < N_PLACES; to++)
        for (int from = 0; from < N_PLACES; from++)
            for (int kind = 0; kind <= cudaMemcpyDefault; kind++) {
                check_direction(to, from, kind, false);
                check_direction(to, from, kind, true);
            }
}

static void arguments_are_checked(void **state)
{
    (void)state;
    char b[16];
    GOOD(wg_cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    GOOD(wg_cudaMemcpy(place[DEVICE], b, 0, (enum cudaMemcpyKind)9));
    IS(wg_cudaMemcpy(NULL, b, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy(NULL, place[DEVICE], 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy(place[DEVICE], NULL, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy(NULL, NULL, 4, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    IS(wg_cudaMemcpyAsync(place[DEVICE], b, 4, (enum cudaMemcpyKind)9, NULL),
       cudaErrorInvalidMemcpyDirection);
    IS(wg_cudaMemcpyAsync(place[DEVICE], b, 4, cudaMemcpyHostToDevice, (cudaStream_t)(void *)b),
       cudaErrorInvalidResourceHandle);
    IS(wg_cudaMemcpyPeer(place[DEVICE], 0, place[DEVICE] + 8, 1, 4), cudaErrorInvalidDevice);
    IS(wg_cudaMemcpyPeer(place[DEVICE], 0, b, 0, 4), cudaErrorInvalidValue);
}

static void what_does_not_fit_is_not_copied_at_all(void **state)
{
    (void)state;
    static char big[2 * PLACE_BYTES];
    write_byte(place[DEVICE], 3);
    memset(big, 9, sizeof big);
    IS(wg_cudaMemcpy(place[DEVICE], big, PLACE_BYTES + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyAsync(place[DEVICE] + 1, big, PLACE_BYTES, cudaMemcpyHostToDevice, NULL),
       cudaErrorInvalidValue);
    assert_int_equal(read_byte(place[DEVICE]), 3);
    IS(wg_cudaMemcpy(big, place[DEVICE] + 8, PLACE_BYTES, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    assert_int_equal(big[0], 9);
    for (int i = PINNED; i <= MANAGED; i++)
        IS(wg_cudaMemcpy(place[DEVICE], place[i] + 4000, 200, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy(place[DEVICE], big, SIZE_MAX - 100, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy2D(place[DEVICE], 4096, big, 16, 16, 2, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(wg_cudaMemcpy2D(place[DEVICE], (size_t)1 << 63, big, 16, 16, 3, cudaMemcpyHostToDevice),
       cudaErrorInvalidValue);
    assert_int_equal(read_byte(place[DEVICE]), 3);
    GOOD(wg_cudaMemcpy2D(place[DEVICE] + PLACE_BYTES - 1040, 1024, big, 16, 16, 2, cudaMemcpyHostToDevice));
}

static void rows_go_where_they_belong(void **state)
{
    (void)state;
    char in[3][8], out[3][16];
    for (int i = 0; i < 24; i++)
        in[i / 8][i % 8] = (char)(i + 1);
    GOOD(wg_cudaMemset(place[DEVICE], 0, PLACE_BYTES));
    GOOD(wg_cudaMemcpy2D(place[DEVICE], 512, in, 8, 5, 3, cudaMemcpyHostToDevice));
    memset(out, 77, sizeof out);
    GOOD(wg_cudaMemcpy2DAsync(out, 16, place[DEVICE], 512, 6, 3, cudaMemcpyDeviceToHost, NULL));
    for (int y = 0; y < 3; y++) {
        assert_memory_equal(out[y], in[y], 5);
        assert_true(out[y][5] == 0 && out[y][6] == 77);
    }
    IS(wg_cudaMemcpy2D(place[DEVICE], 8, in, 16, 16, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    IS(wg_cudaMemcpy2D(place[DEVICE], 16, in, 8, 16, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    IS(wg_cudaMemcpy2D(place[DEVICE], 8, in, 16, 16, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GOOD(wg_cudaMemcpy2D(place[DEVICE], 0, in, 0, 16, 1, cudaMemcpyHostToDevice));
    IS(wg_cudaMemcpy2D(place[DEVICE], 16, in, 16, 16, 2, (enum cudaMemcpyKind)9),
       cudaErrorInvalidMemcpyDirection);
    GOOD(wg_cudaMemcpy2D(NULL, 16, NULL, 16, 0, 2, cudaMemcpyHostToDevice));
    IS(wg_cudaMemcpy2D(NULL, 16, in, 16, 16, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
}

static void boxes_go_where_they_belong(void **state)
{
    (void)state;
    static unsigned char in[3][4][10], out[3][4][10];
    struct cudaPitchedPtr device;
    for (int i = 0; i < 120; i++)
        in[i / 40][i / 10 % 4][i % 10] = (unsigned char)(i + 1);
    GOOD(wg_cudaMalloc3D(&device, (struct cudaExtent){10, 4, 3}));
    GOOD(wg_cudaMemset3D(device, 0, (struct cudaExtent){10, 4, 3}));
    struct cudaMemcpy3DParms p = {
        .srcPtr = {in, 10, 10, 4}, .dstPtr = device, .kind = cudaMemcpyHostToDevice};
    GOOD(wg_cudaMemcpy3D(&p)); // of nothing
    p.extent = (struct cudaExtent){4, 2, 2};
    p.srcPos = (struct cudaPos){3, 1, 1};
    p.dstPos = (struct cudaPos){6, 2, 0};
    GOOD(wg_cudaMemcpy3D(&p));
    struct cudaMemcpy3DParms back = {.srcPtr = device, .dstPtr = {out, 10, 10, 4}, .kind = cudaMemcpyDefault};
    back.extent = (struct cudaExtent){10, 4, 3};
    GOOD(wg_cudaMemcpy3DAsync(&back, NULL));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 10; x++) {
                bool is_in = x >= 6 && y >= 2 && z < 2;
                assert_int_equal(out[z][y][x], is_in ? in[z + 1][y - 1][x - 3] : 0);
            }
    GOOD(wg_cudaFree(device.ptr));
}

static void check_3d(struct cudaMemcpy3DParms p, cudaError_t error)
{
    IS(wg_cudaMemcpy3D(&p), error);
}

static void boxes_are_checked(void **state)
{
    (void)state;
    static char in[3][4][100];
    struct cudaPitchedPtr device;
    GOOD(wg_cudaMalloc3D(&device, (struct cudaExtent){100, 4, 3}));
    const struct cudaMemcpy3DParms good = {
        .srcPtr = {in, 100, 100, 4}, .dstPtr = device, .extent = {50, 2, 2}, .kind = cudaMemcpyHostToDevice};
    struct cudaMemcpy3DParms p = good;
    check_3d(good, cudaSuccess);
    IS(wg_cudaMemcpy3D(NULL), cudaErrorInvalidValue);
#define WITH(member, value, error) p = good, p.member = value, check_3d(p, error)
    WITH(extent.height, 5, cudaErrorInvalidPitchValue);
    WITH(extent.width, 101, cudaErrorInvalidPitchValue);
    WITH(srcPtr.ysize, 1, cudaErrorInvalidPitchValue);
    WITH(srcPtr.ysize, 0, cudaErrorInvalidPitchValue);
    WITH(srcPtr.pitch, 40, cudaErrorInvalidPitchValue);
    WITH(srcPtr.xsize, 10, cudaSuccess);
    WITH(srcPos.x, 60, cudaErrorInvalidValue);
    WITH(srcPos.y, 3, cudaErrorInvalidValue);
    WITH(dstPos.y, 3, cudaErrorInvalidValue);
    WITH(dstPos.z, 2, cudaErrorInvalidValue);
    WITH(dstPos.x, 480, cudaErrorInvalidValue);
    WITH(srcPtr.ptr, NULL, cudaErrorInvalidValue);
    WITH(kind, cudaMemcpyDeviceToHost, cudaErrorInvalidValue);
    WITH(kind, (enum cudaMemcpyKind)9, cudaErrorInvalidMemcpyDirection);
    WITH(extent.depth, 0, cudaSuccess);
#undef WITH
    p = good, p.extent.depth = 1, p.srcPtr.ysize = 0;
    check_3d(p, cudaSuccess);
    GOOD(wg_cudaFree(device.ptr));
}

// ---- fills ----------------------------------------------------------------------------------------------

static void fills_fill_what_they_should(void **state)
{
    (void)state;
    unsigned char out[64];
    for (int i = PINNED; i < N_PLACES; i++) {
        GOOD(wg_cudaMemset(place[i], 0x3c, 64));
        GOOD(wg_cudaMemsetAsync(place[i] + 1, 0x1ff, 2, NULL));
        GOOD(wg_cudaMemset2D(place[i] + 8, 16, 5, 3, 2));
        GOOD(wg_cudaMemcpy(out, place[i], 64, cudaMemcpyDefault));
        assert_true(out[0] == 0x3c && out[1] == 0xff && out[2] == 0xff && out[3] == 0x3c);
        assert_true(out[8] == 5 && out[10] == 5 && out[11] == 0x3c && out[24] == 5 && out[26] == 5 &&
                    out[40] == 0x3c);
    }
    struct cudaPitchedPtr p = {place[DEVICE], 8, 8, 2};
    GOOD(wg_cudaMemset3DAsync(p, 7, (struct cudaExtent){1, 1, 3}, NULL));
    GOOD(wg_cudaMemcpy(out, place[DEVICE], 64, cudaMemcpyDefault));
    assert_true(out[0] == 7 && out[16] == 7 && out[32] == 7 && out[48] == 0x3c && out[8] != 7);
}

static void fills_are_checked(void **state)
{
    (void)state;
    struct cudaPitchedPtr p = {place[DEVICE], 512, 100, 2};
    IS(wg_cudaMemset(place[PAGEABLE], 0, 16), cudaErrorInvalidValue);
    IS(wg_cudaMemset(NULL, 0, 4), cudaErrorInvalidValue);
    GOOD(wg_cudaMemset(NULL, 0, 0));
    write_byte(place[DEVICE], 3);
    IS(wg_cudaMemset(place[DEVICE], 0, PLACE_BYTES + 1), cudaErrorInvalidValue);
    assert_int_equal(read_byte(place[DEVICE]), 3);
    IS(wg_cudaMemset2D(place[DEVICE], 8, 0, 16, 2), cudaErrorInvalidValue);
    GOOD(wg_cudaMemset2D(place[DEVICE], 8, 0, 16, 1));
    IS(wg_cudaMemset3D(p, 0, (struct cudaExtent){513, 1, 1}), cudaErrorInvalidValue);
    IS(wg_cudaMemset3D(p, 0, (struct cudaExtent){100, 3, 1}), cudaErrorInvalidValue);
    IS(wg_cudaMemset3D(p, 0, (struct cudaExtent){100, 2, 5}), cudaErrorInvalidValue);
    GOOD(wg_cudaMemset3D(p, 0, (struct cudaExtent){200, 2, 2})); // wider than it says, not than it is
}

// ---- batches, streams -----------------------------------------------------------------------------------

static void batches_copy_all_or_nothing(void **state)
{
    (void)state;
    char in[32] = "0123456789abcdef", out[32] = "";
    void *to[2] = {place[DEVICE], place[DEVICE] + 64};
    const void *from[2] = {in, in + 8};
    size_t sizes[2] = {8, 8}, index = 0;
    struct cudaMemcpyAttributes attribute = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    struct rt_stream *stream;
    struct rt *rt = rt_enter();
    GOOD(stream_create(rt, 0, 0, &stream));
    rt_leave(rt, cudaSuccess);
    GOOD(wg_cudaMemcpyBatchAsync(to, from, sizes, 2, &attribute, &index, 1, stream));
    GOOD(wg_cudaMemcpy2D(out, 8, place[DEVICE], 64, 8, 2, cudaMemcpyDeviceToHost));
    assert_string_equal(out, "0123456789abcdef");
    IS(wg_cudaMemcpyBatchAsync(to, from, sizes, 2, &attribute, &index, 1, NULL), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, stream), cudaErrorInvalidValue);
    IS(wg_cudaMemcpyBatchAsync(to, from, sizes, 0, &attribute, &index, 1, stream), cudaErrorInvalidValue);
    GOOD(wg_cudaMemset(place[DEVICE], 1, 8));
    sizes[1] = 0;
    IS(wg_cudaMemcpyBatchAsync(to, from, sizes, 2, &attribute, &index, 1, stream), cudaErrorInvalidValue);
    assert_int_equal(read_byte(place[DEVICE]), 1);
    struct cudaMemcpy3DBatchOp op = {
        .src = {.type = cudaMemcpyOperandTypePointer, .op.ptr = {.ptr = in}},
        .dst = {.type = cudaMemcpyOperandTypePointer, .op.ptr = {.ptr = place[DEVICE], .rowLength = 16}},
        .extent = {4, 3, 1}};
    GOOD(wg_cudaMemcpy3DBatchAsync(1, &op, 0, stream));
    assert_true(read_byte(place[DEVICE] + 16) == '4' && read_byte(place[DEVICE] + 35) == 'b');
}

static void default_streams_of_threads_take_copies(void **state)
{
    (void)state;
    int in = 0x01020304, out = 0;
    GOOD(wg_cudaMemcpyAsync_ptsz(place[DEVICE], &in, 4, cudaMemcpyHostToDevice, NULL));
    GOOD(wg_cudaMemsetAsync_ptsz(place[DEVICE], 9, 1, NULL));
    struct rt *rt = rt_enter();
    double legacy = rt->legacy->ready_ns, own = stream_per_thread(rt)->ready_ns;
    rt_leave(rt, cudaSuccess);
    assert_true(own > legacy); // they ran there
    GOOD(wg_cudaMemcpy2DAsync_ptsz(&out, 4, place[DEVICE], 4, 4, 1, cudaMemcpyDeviceToHost, NULL));
    assert_int_equal(out, 0x01020309);
}

// Every call that has a stream of its own default: the bytes, and that the thread's stream has taken it.
static void check_own_stream(cudaError_t error, size_t offset, char want)
{
    static double before;
    struct rt *rt = rt_enter();
    double now = stream_per_thread(rt)->ready_ns;
    rt_leave(rt, cudaSuccess);
    GOOD(error);
    assert_true(now > before);
    before = now;
    assert_int_equal(read_byte(place[DEVICE] + offset), want);
}

static void twins_for_threads(void **state)
{
    (void)state;
    char in[16] = "abcdefghijklmno";
    void *to[1] = {place[DEVICE]};
    const void *from[1] = {in + 3};
    size_t sizes[1] = {1}, index = 0;
    struct cudaMemcpyAttributes attribute = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    struct cudaPitchedPtr device = {place[DEVICE], 8, 8, 2};
    struct cudaMemcpy3DParms box = {
        .srcPtr = {in, 8, 8, 2}, .dstPtr = device, .extent = {1, 1, 1}, .kind = cudaMemcpyDefault};
    struct cudaMemcpy3DPeerParms peer = {
        .srcPtr = {place[DEVICE] + 8, 8, 8, 2}, .dstPtr = device, .extent = {1, 1, 1}};
    struct cudaMemcpy3DBatchOp op = {
        .src = {.type = cudaMemcpyOperandTypePointer, .op.ptr = {.ptr = in + 7}},
        .dst = {.type = cudaMemcpyOperandTypePointer, .op.ptr = {.ptr = place[DEVICE] + 1}},
        .extent = {1, 1, 1}};
    GOOD(wg_cudaMemset(place[DEVICE], 'z', 64));
    check_own_stream(wg_cudaMemset2DAsync_ptsz(place[DEVICE] + 2, 8, 'p', 1, 1, NULL), 2, 'p');
    check_own_stream(wg_cudaMemset3DAsync_ptsz(device, 'q', (struct cudaExtent){1, 1, 1}, NULL), 0, 'q');
    check_own_stream(wg_cudaMemcpy3DAsync_ptsz(&box, NULL), 0, 'a');
    check_own_stream(wg_cudaMemcpy3DPeerAsync_ptsz(&peer, NULL), 0, 'z');
    check_own_stream(wg_cudaMemcpyBatchAsync_ptsz(to, from, sizes, 1, &attribute, &index, 1, NULL), 0, 'd');
    check_own_stream(wg_cudaMemcpy3DBatchAsync_ptsz(1, &op, 0, NULL), 1, 'h');
    from[0] = in + 4;
    size_t failed = 0;
    check_own_stream(wg_cudaMemcpyBatchAsync_12((void **)to, (void **)(uintptr_t)from, sizes, 1, &attribute,
                                                &index, 1, &failed, STREAM_PER_THREAD),
                     0, 'e');
    op.src.op.ptr.ptr = in + 8;
    check_own_stream(wg_cudaMemcpy3DBatchAsync_12(1, &op, &failed, 0, STREAM_PER_THREAD), 1, 'i');
    assert_int_equal(failed, SIZE_MAX);
}

static void copies_between_devices_need_the_one_there_is(void **state)
{
    (void)state;
    struct cudaMemcpy3DPeerParms p = {
        .srcPtr = {place[DEVICE] + 8, 8, 8, 2}, .dstPtr = {place[DEVICE], 8, 8, 2}, .extent = {2, 1, 1}};
    GOOD(wg_cudaMemset2DAsync(place[DEVICE], 16, 3, 8, 2, NULL));
    GOOD(wg_cudaMemset(place[DEVICE] + 8, 4, 8));
    GOOD(wg_cudaMemcpy3DPeer(&p));
    assert_true(read_byte(place[DEVICE] + 1) == 4 && read_byte(place[DEVICE] + 2) == 3);
    GOOD(wg_cudaMemcpyPeerAsync(place[DEVICE] + 10, 0, place[DEVICE] + 2, 0, 2, NULL));
    assert_true(read_byte(place[DEVICE] + 9) == 4 && read_byte(place[DEVICE] + 11) == 3);
    p.srcPtr.ptr = place[DEVICE] + 10;
    GOOD(wg_cudaMemcpy3DPeerAsync(&p, NULL));
    assert_int_equal(read_byte(place[DEVICE]), 3);
    p.dstDevice = 1;
    IS(wg_cudaMemcpy3DPeer(&p), cudaErrorInvalidDevice);
    IS(wg_cudaMemcpyPeerAsync(place[DEVICE], 1, place[DEVICE] + 8, 0, 2, NULL), cudaErrorInvalidDevice);
    IS(wg_cudaMemcpy3DPeerAsync(NULL, NULL), cudaErrorInvalidValue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_direction_between_every_two_kinds_of_memory),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(what_does_not_fit_is_not_copied_at_all),
        cmocka_unit_test(rows_go_where_they_belong),
        cmocka_unit_test(boxes_go_where_they_belong),
        cmocka_unit_test(boxes_are_checked),
        cmocka_unit_test(fills_fill_what_they_should),
        cmocka_unit_test(fills_are_checked),
        cmocka_unit_test(batches_copy_all_or_nothing),
        cmocka_unit_test(default_streams_of_threads_take_copies),
        cmocka_unit_test(twins_for_threads),
        cmocka_unit_test(copies_between_devices_need_the_one_there_is),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
