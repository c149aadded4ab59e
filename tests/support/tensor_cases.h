// Random tensor copies, the same on a GPU (tests/data/programs/async.cu) and in the engine
// (tests/op/tensor_copy.c): a case follows from its number. In a header, since nvcc reads it as C++.
//
//     struct tensor_case k = tensor_case_make(TENSOR_CASE_LOAD, 17);
//     … tensor_case_fill(tensor, k.extent + 64, k.type) …     // goes on in the case's random numbers
#ifndef SUPPORT_TENSOR_CASES_H
#define SUPPORT_TENSOR_CASES_H
#include <stdint.h>
#include <string.h>

enum { TENSOR_CASE_LOAD, TENSOR_CASE_STORE, TENSOR_CASE_REDUCE };
enum {
    TENSOR_CASE_SHARED_BYTES = 16384,
    TENSOR_CASE_BUFFER_BYTES = 1 << 19,
    TENSOR_CASE_DIMS = 5,
    TENSOR_CASE_PER_RUN = 144
};

static const char *const tensor_case_types[13] = {"u8",  "u16", "u32",  "s32",    "u64",  "s64",    "f16",
                                                  "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz"};
static const uint8_t tensor_case_type_bytes[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static uint64_t tensor_case_state;

static inline uint64_t tensor_case_random(void)
{
    tensor_case_state += 0x9e3779b97f4a7c15ull;
    uint64_t z = tensor_case_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline int tensor_case_below(int n)
{
    return (int)(tensor_case_random() % (uint64_t)n);
}

static inline uint64_t tensor_case_hash(const void *bytes, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3ull;
    return hash;
}

struct tensor_case {
    int type, rank, interleave, swizzle, promotion, fill;
    int op; // of a reduction: add min max inc dec and or xor; -1: none
    uint64_t dim[TENSOR_CASE_DIMS], stride[TENSOR_CASE_DIMS];
    uint32_t box[TENSOR_CASE_DIMS], step[TENSOR_CASE_DIMS];
    int at[TENSOR_CASE_DIMS];
    unsigned bytes;  // of the box
    unsigned extent; // bytes of the tensor
};

static inline int tensor_case_pick_op(int type)
{
    static const int types[7] = {2, 3, 4, 5, 6, 9, 7};
    static const int ops[7][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 5, 6, 7, 0, 1},
                                  {0, 1, 2, 5, 6, 7, 0, 1}, {1, 2, 5, 6, 7, 1, 2, 5},
                                  {0, 1, 2, 0, 1, 2, 0, 1}, {0, 1, 2, 0, 1, 2, 0, 1},
                                  {0, 0, 0, 0, 0, 0, 0, 0}};
    for (int t = 0; t < 7; t++)
        if (types[t] == type)
            return ops[t][tensor_case_below(8)];
    return -1;
}

// The dimensions above the lowest. Elements of the box.
static inline uint64_t tensor_case_upper(struct tensor_case *k, uint64_t n)
{
    for (int i = 1; i < TENSOR_CASE_DIMS; i++) {
        k->dim[i] = 1, k->box[i] = 1, k->step[i] = 1;
        if (i >= k->rank)
            continue;
        k->dim[i] = 1 + (uint64_t)tensor_case_below(12);
        k->step[i] = tensor_case_below(5) == 0 ? 2 + (uint32_t)tensor_case_below(3) : 1;
        k->box[i] = 1 + (uint32_t)tensor_case_below(k->step[i] > 1 ? 10 : 8);
        n *= (k->box[i] + k->step[i] - 1) / k->step[i];
        k->stride[i] = k->stride[i - 1] * k->dim[i] + 16 * (uint64_t)tensor_case_below(3);
    }
    return n;
}

static inline void tensor_case_place(struct tensor_case *k, int size)
{
    for (int i = 0; i < k->rank; i++)
        k->at[i] = tensor_case_below((int)k->dim[i] + (int)k->box[i] + 2) - (int)k->box[i] - 1;
    if (tensor_case_below(4)) // mostly inside
        for (int i = 0; i < k->rank; i++)
            k->at[i] = tensor_case_below((int)k->dim[i]);
    k->at[0] = k->at[0] / (16 / size) *
               (16 / size); // a box begins at a multiple of 16 bytes, or the instruction is illegal
}

// False: too large, another is tried.
static inline int tensor_case_try(struct tensor_case *k, int mode)
{
    static const int reducible[7] = {2, 3, 4, 5, 6, 9, 7};
    memset(k, 0, sizeof *k);
    k->type = mode == TENSOR_CASE_REDUCE ? reducible[tensor_case_below(7)] : tensor_case_below(13);
    k->op = mode == TENSOR_CASE_REDUCE ? tensor_case_pick_op(k->type) : -1;
    const int size = tensor_case_type_bytes[k->type];
    k->rank = 1 + tensor_case_below(5);
    k->swizzle = tensor_case_below(4);
    k->fill = k->type >= 6 && mode == TENSOR_CASE_LOAD ? tensor_case_below(2) : 0;
    const int most = k->swizzle == 0 ? 16 : 1 << k->swizzle; // inner dimension in 16 bytes
    const int inner = 16 * (1 + tensor_case_below(most));
    if (inner / size > 256)
        return 0;
    k->box[0] = (uint32_t)(inner / size);
    k->step[0] = 1;
    k->dim[0] = 1 + (uint64_t)tensor_case_below(2 * (inner / size) + 8);
    k->stride[0] = (k->dim[0] * (uint64_t)size + 15) / 16 * 16 + 16 * (uint64_t)tensor_case_below(3);
    k->bytes = (unsigned)(tensor_case_upper(k, k->box[0]) * (uint64_t)size);
    k->extent = (unsigned)(k->rank == 1 ? k->stride[0] : k->stride[k->rank - 1]);
    if (k->bytes > TENSOR_CASE_SHARED_BYTES || k->extent + 64 > TENSOR_CASE_BUFFER_BYTES)
        return 0;
    tensor_case_place(k, size);
    return 1;
}

static inline struct tensor_case tensor_case_make(int mode, int number)
{
    struct tensor_case k;
    tensor_case_state = 1000003u * (uint64_t)mode + (uint64_t)number;
    while (!tensor_case_try(&k, mode))
        ;
    k.promotion = tensor_case_below(4);
    return k;
}

// Numbers of which sums are exact and no NaN comes.
static inline void tensor_case_fill(void *bytes, size_t n_bytes, int type)
{
    const size_t size = tensor_case_type_bytes[type];
    for (size_t i = 0; i < n_bytes / size; i++) {
        uint64_t r = tensor_case_random();
        float f = (float)((int)(r % 200001) - 100000) / 8;
        double d = (double)((int64_t)(r % 2000001) - 1000000) / 16;
        if (type == 6)
            r = (r & 0x8000) | (10 + (r >> 20) % 8) << 10 | (r & 0x3f0);
        else if (type == 9)
            r = (r & 0x8000) | (123 + (r >> 20) % 6) << 7 | (r & 0x7e);
        else if (type == 7 || type >= 10)
            memcpy(&r, &f, sizeof f);
        else if (type == 8)
            memcpy(&r, &d, sizeof d);
        memcpy((uint8_t *)bytes + i * size, &r, size);
    }
}

// Interleaved layouts, case 0 … 431: 64 bytes and more of channels. The buffer holds its word indices.
static inline struct tensor_case tensor_case_interleaved(int number)
{
    static const int types[3] = {2, 6, 0};
    const int c0 = number % 3, rank = 3 + number / 3 % 2, inner = 16 << number / 6 % 3,
              swizzle = number / 18 % 4;
    struct tensor_case k;
    memset(&k, 0, sizeof k);
    k.type = types[number / TENSOR_CASE_PER_RUN], k.rank = rank, k.swizzle = swizzle, k.op = -1,
    k.interleave = 1 + number / 72 % 2;
    const int size = tensor_case_type_bytes[k.type];
    const uint64_t dim[5] = {(uint64_t)(c0 == 2 ? 40 : 64) / (uint64_t)size, 6, 5, 3, 1},
                   stride[5] = {2080, 14560, 87360, 262080, 0};
    const uint32_t box[5] = {(uint32_t)(inner / size), 3, 2, 2, 1}, step[5] = {1, 1, 1, 1, 1};
    memcpy(k.dim, dim, sizeof dim), memcpy(k.stride, stride, sizeof stride), memcpy(k.box, box, sizeof box);
    memcpy(k.step, step, sizeof step);
    k.at[0] = c0 == 1 ? 32 / size : 0, k.at[1] = c0 == 1 ? 1 : c0 == 2 ? 4 : 0, k.at[2] = c0 == 1 ? -1 : 0;
    const int pixel = k.interleave == 1 ? 16 : 32, slices = ((rank == 3 ? 3 : 2) * size + pixel - 1) / pixel;
    k.bytes = (unsigned)(inner / size * pixel * slices * (rank == 3 ? 2 : 3 * 2));
    return k;
}
#endif
