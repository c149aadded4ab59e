// See matrix_inputs.h. The numbers must stay as they are: stored results of a GPU belong to them.
#include "support/matrix_inputs.h"

struct range {
    int low, high; // exponents
};

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

struct format {
    int exponent_bits, fraction_bits;
};

static uint64_t pack(struct format f, uint64_t sign, int exponent, uint64_t fraction)
{
    const int bias = (1 << (f.exponent_bits - 1)) - 1, top = (1 << f.exponent_bits) - 2;
    int e = exponent + bias;
    e = e < 0 ? 0 : e > top ? top : e;
    return sign << (f.exponent_bits + f.fraction_bits) | (uint64_t)e << f.fraction_bits |
           (fraction & ((1ull << f.fraction_bits) - 1));
}

static int between(uint64_t r, int low, int high)
{
    return low + (int)(r % (uint64_t)(high - low + 1));
}

static uint64_t special(struct format f, uint64_t r)
{
    const uint64_t one = (uint64_t)((1 << (f.exponent_bits - 1)) - 1) << f.fraction_bits;
    const uint64_t infinity = ((1ull << f.exponent_bits) - 1) << f.fraction_bits;
    const uint64_t sign = (r >> 8 & 1) << (f.exponent_bits + f.fraction_bits);
    const uint64_t values[] = {0, 0, infinity, infinity | ((1ull << f.fraction_bits) - 1 - (r >> 9 & 1)), infinity - 1,
                               1, 1ull << f.fraction_bits, one};
    return sign | values[r % 8];
}

static uint64_t float_bits(int category, uint64_t r, struct format f, struct range x)
{
    const uint64_t sign = r & 1, fraction = r >> 12, q = mix(r);
    const int middle = (x.low + x.high) / 2;
    switch (category) {
    case 0:
        return pack(f, sign, between(q, middle - 2, middle + 2), fraction);
    case 1:
        return pack(f, sign, between(q, x.low, x.high), fraction);
    case 2:
        return pack(f, sign, middle + (q % 16 == 0), fraction & (q >> 8));
    case 3:
        return q;
    case 4:
        return pack(f, sign, between(q, x.low - 1, x.low + 6), fraction);
    case 5:
        return q % 16 == 0 ? special(f, q >> 8) : pack(f, sign, between(q >> 32, middle - 4, middle + 4), fraction);
    case 6:
        return q % 4 ? 0 : pack(f, sign, between(q >> 32, x.low, x.high), fraction);
    default:
        return pack(f, sign, between(q, middle - 7, middle + 7),
                    q >> 32 & 1 ? (q >> 33 & 1) | (q >> 34 & 1) << (f.fraction_bits - 1) : 0);
    }
}

// Sums near the ends of the range as well.
static uint64_t sum_bits(int category, uint64_t r)
{
    const uint64_t near = (r >> 40) % 30000;
    const uint64_t values[] = {r & 0xffff, 0x7fffffffu - near, 0x80000000u + near, r & 0xffffffff};
    return values[category & 3];
}

// 32 bits of integers; in half of the categories of extreme ones.
static uint64_t integer_bits(int category, uint64_t r)
{
    uint64_t out = 0;
    if (!(category & 4))
        return r & 0xffffffff;
    for (int i = 0; i < 8; i++) {
        static const uint8_t picks[] = {7, 7, 7, 8, 8, 8, 15, 0};
        out |= (uint64_t)picks[r >> (4 * i) & 7] << (4 * i);
    }
    return out;
}

// Exponents of operands, and of the products that they make.
static struct range range_of(enum matrix_type type, int category)
{
    switch (type) {
    case MATRIX_BF16:
    case MATRIX_TF32:
        return category == 1 ? (struct range){-24, 24} : (struct range){-40, 40};
    case MATRIX_F64:
        return (struct range){-30, 30};
    case MATRIX_E4M3:
        return (struct range){-7, 8};
    default:
        return (struct range){-15, 15};
    }
}

static struct range product_range(enum matrix_type type)
{
    switch (type) {
    case MATRIX_F16:
        return (struct range){-48, 32};
    case MATRIX_E4M3:
        return (struct range){-18, 18};
    case MATRIX_E5M2:
        return (struct range){-34, 32};
    default:
        return (struct range){-60, 60};
    }
}

static struct format format_of(enum matrix_type type)
{
    static const struct format formats[N_MATRIX_TYPES] = {
        [MATRIX_F16] = {5, 10}, [MATRIX_BF16] = {8, 7}, [MATRIX_TF32] = {8, 23}, [MATRIX_F64] = {11, 52},
        [MATRIX_E4M3] = {4, 3}, [MATRIX_E5M2] = {5, 2}, [MATRIX_F32] = {8, 23}};
    return formats[type];
}

static uint64_t element(const struct matrix_shape *shape, int operand, int category, uint32_t number, uint32_t index)
{
    const uint8_t types[] = {shape->a, shape->b, shape->c};
    const enum matrix_type type = (enum matrix_type)types[operand];
    const uint64_t r = mix(mix((uint64_t)number << 32 | (uint64_t)operand << 24 | index) ^ 0x5157);
    if (type == MATRIX_S32)
        return sum_bits(category, r);
    if (type >= MATRIX_S8 && type <= MATRIX_B1)
        return integer_bits(category, r);
    const bool is_product = operand == 2 && type != MATRIX_F16;
    return float_bits(category, r, format_of(type),
                      is_product ? product_range((enum matrix_type)shape->a) : range_of(type, category));
}

uint32_t matrix_input(const struct matrix_shape *shape, int operand, int category, uint32_t number, uint32_t word)
{
    const uint8_t types[] = {shape->a, shape->b, shape->c};
    const uint32_t bits = matrix_bits((enum matrix_type)types[operand]);
    if (bits == 64)
        return (uint32_t)(element(shape, operand, category, number, word / 2) >> (word % 2 * 32));
    const bool is_float = types[operand] < MATRIX_S8 || types[operand] >= MATRIX_F32;
    const uint32_t n = is_float ? 32 / bits : 1;
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t value = element(shape, operand, category, number, word * n + i);
        out |= (uint32_t)(n == 1 ? value : value & ((1u << bits) - 1)) << (n == 1 ? 0 : i * bits);
    }
    return out;
}
