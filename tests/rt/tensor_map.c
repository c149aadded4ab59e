// cuTensorMapEncodeTiled takes and refuses what the driver of an H200 does (tests/data/h200_async.txt, section refused).
#include "mem/tensor_map.h"
#include "rt/api.h"
#include "rt/driver.h"
#include "support/check.h"
#include <string.h>

struct map_call {
    const char *name;
    CUresult want;
    int type, interleave, swizzle, promotion, fill;
    uint32_t rank;
    uintptr_t address;
    uint64_t sizes[6], strides[6];
    uint32_t box[6], steps[6];
};

static const struct map_call good = {"good", 0, TENSOR_F32, 0, 0, 0, 0, 3, 0x900000000000, {40, 30, 4, 1, 1, 1}, {176, 5280},
                                     {32, 8, 2, 1, 1, 1}, {1, 1, 1, 1, 1, 1}};

static CUresult encode(const struct map_call *c, void *out)
{
    return wg_cuTensorMapEncodeTiled(out, c->type, c->rank, (void *)c->address, c->sizes, c->strides, c->box, c->steps,
                                     c->interleave, c->swizzle, c->promotion, c->fill);
}

#define CASE(NAME, WANT, ...)                  \
    {                                          \
        struct map_call c = good;              \
        c.name = NAME, c.want = WANT;          \
        __VA_ARGS__;                           \
        cases[n++] = c;                        \
    }

static uint32_t fill_cases(struct map_call *cases)
{
    uint32_t n = 0;
    CASE("good", 0, (void)0)
    CASE("rank0", 1, c.rank = 0)
    CASE("rank6", 1, c.rank = 6)
    CASE("address8", 1, c.address += 8)
    CASE("address16", 0, c.address += 16)
    CASE("stride8", 1, c.strides[0] = 168)
    CASE("stride_small", 0, c.strides[0] = 144)
    CASE("stride_0", 0, c.strides[0] = 0)
    CASE("stride_2_40", 1, c.strides[1] = 1ull << 40)
    CASE("stride_below_2_40", 0, c.strides[1] = (1ull << 40) - 16)
    CASE("dim_0", 1, c.sizes[0] = 0)
    CASE("dim_2_32", 0, c.sizes[1] = 1ull << 32)
    CASE("dim_above_2_32", 1, c.sizes[1] = (1ull << 32) + 1)
    CASE("box_0", 1, c.box[1] = 0)
    CASE("box_256", 0, c.box[1] = 256)
    CASE("box_257", 1, c.box[1] = 257)
    CASE("box_inner_8_bytes", 1, c.box[0] = 2)
    CASE("box_inner_256", 0, c.box[0] = 256)
    CASE("step_0", 1, c.steps[1] = 0)
    CASE("step_8", 0, c.steps[1] = 8)
    CASE("step_9", 1, c.steps[1] = 9)
    CASE("step0_2", 0, c.steps[0] = 2)
    CASE("step0_0", 1, c.steps[0] = 0)
    CASE("step0_9", 1, c.steps[0] = 9)
    CASE("sw32_64", 1, c.swizzle = 1, c.box[0] = 16)
    CASE("sw32_32", 0, c.swizzle = 1, c.box[0] = 8)
    CASE("sw64_80", 1, c.swizzle = 2, c.box[0] = 20)
    CASE("sw64_64", 0, c.swizzle = 2, c.box[0] = 16)
    CASE("sw128_144", 1, c.swizzle = 3, c.box[0] = 36)
    CASE("sw128_128", 0, c.swizzle = 3)
    CASE("sw_4", 1, c.swizzle = 4, c.box[0] = 8)
    CASE("fill_of_integers", 1, c.type = TENSOR_U32, c.fill = 1)
    CASE("fill_of_floats", 0, c.fill = 1)
    CASE("fill_2", 1, c.fill = 2)
    CASE("promotion_4", 1, c.promotion = 4)
    CASE("type_13", 1, c.type = 13)
    CASE("type_16", 1, c.type = 16)
    CASE("il16_rank2", 1, c.interleave = 1, c.rank = 2)
    CASE("il32_stride_16", 1, c.interleave = 2, c.box[0] = 8)
    CASE("il32_sw32", 0, c.interleave = 2, c.swizzle = 1, c.box[0] = 8, c.strides[0] = 192, c.strides[1] = 5760)
    CASE("il3", 1, c.interleave = 3)
    CASE("box_bytes_much", 1, c.box[0] = c.box[1] = 256)
    CASE("stride1_small", 0, c.strides[1] = 176)
    CASE("f64_box", 0, c.type = TENSOR_F64, c.box[0] = 256)
    CASE("box_beyond_dim", 0, c.sizes[1] = 2)
    return n;
}

static void test_what_is_taken(void **state)
{
    static struct map_call cases[64];
    static _Alignas(64) uint8_t out[TENSOR_MAP_BYTES];
    (void)state;
    const uint32_t n = fill_cases(cases);
    for (uint32_t i = 0; i < n; i++) {
        memset(out, 0xcc, sizeof out);
        const CUresult have = encode(&cases[i], out);
        if (have != cases[i].want)
            fail_msg("%s: %d instead of %d", cases[i].name, (int)have, (int)cases[i].want);
        if (have) // nothing is written
            assert_int_equal(out[0], 0xcc);
    }
    assert_int_equal(encode(&good, NULL), cudaErrorInvalidValue);
    assert_int_equal(encode(&good, out + 16), cudaErrorInvalidValue); // not at a multiple of 64
}

static void test_replace_address(void **state)
{
    static _Alignas(64) uint8_t out[TENSOR_MAP_BYTES], moved[TENSOR_MAP_BYTES];
    (void)state;
    struct map_call other = good;
    other.address += 4096;
    assert_int_equal(encode(&good, out), cudaSuccess);
    assert_int_equal(encode(&other, moved), cudaSuccess);
    assert_memory_not_equal(out, moved, sizeof out);
    assert_int_equal(wg_cuTensorMapReplaceAddress(out, (void *)other.address), cudaSuccess);
    assert_memory_equal(out, moved, sizeof out);
    assert_int_equal(wg_cuTensorMapReplaceAddress(out, (void *)(other.address + 8)), cudaErrorInvalidValue);
    memset(out, 0, sizeof out);
    assert_int_equal(wg_cuTensorMapReplaceAddress(out, (void *)other.address), cudaErrorInvalidValue);
}

static int set_up(void **state)
{
    CUcontext context;
    (void)state;
    return wg_cuInit(0) || wg_cuCtxCreate_v2(&context, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_taken), cmocka_unit_test(test_replace_address)};
    return cmocka_run_group_tests_name("tensor maps", tests, set_up, NULL);
}
