// atom and red of every operation and type, in global and shared memory, each lane its own element (so that
// the old value is known) and all lanes one element (so that the order shows in nothing but the old values).
#include "support/check.h"
#include "support/kernel_harness.h"
#include <stdio.h>
#include <string.h>

struct atomic_case {
    const char *op, *type, *reg, *source, *compare; // registers: result, b, c
    uint32_t bytes;
    bool has_red;
};

#define INT32(op, type, red)                  \
    {                                         \
        op, type, "%r4", "%r5", "%r6", 4, red \
    }
#define INT64(op, type, red)                     \
    {                                            \
        op, type, "%rd4", "%rd5", "%rd6", 8, red \
    }
static const struct atomic_case cases[] = {
    INT32("add", "u32", true),
    INT32("add", "s32", true),
    INT64("add", "u64", true),
    {"add", "f32", "%f4", "%f5", "%f6", 4, true},
    {"add", "f64", "%d4", "%d5", "%d6", 8, true},
    INT32("min", "u32", true),
    INT32("min", "s32", true),
    INT64("min", "u64", true),
    INT64("min", "s64", true),
    INT32("max", "u32", true),
    INT32("max", "s32", true),
    INT64("max", "u64", true),
    INT64("max", "s64", true),
    INT32("inc", "u32", true),
    INT32("dec", "u32", true),
    INT32("and", "b32", true),
    INT64("and", "b64", true),
    INT32("or", "b32", true),
    INT64("or", "b64", true),
    INT32("xor", "b32", true),
    INT64("xor", "b64", true),
    INT32("exch", "b32", false),
    INT64("exch", "b64", false),
    INT32("cas", "b32", false),
    INT64("cas", "b64", false),
    {"cas", "b16", "%h4", "%h5", "%h6", 2, false},
};

// ---- reference -------------------------------------------------------------------------------------

static int64_t extend(uint64_t x, uint32_t bytes)
{
    return (int64_t)(x << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static uint64_t float_sum(const struct atomic_case *c, uint64_t old, uint64_t b)
{
    double x, y;
    float fx, fy;
    memcpy(&fx, &old, 4);
    memcpy(&fy, &b, 4);
    memcpy(&x, &old, 8);
    memcpy(&y, &b, 8);
    fx += fy;
    x += y;
    uint64_t out = 0;
    memcpy(&out, c->bytes == 4 ? (const void *)&fx : (const void *)&x, c->bytes);
    return out;
}

static uint64_t expected(const struct atomic_case *c, uint64_t old, uint64_t b, uint64_t third)
{
    bool is_signed = c->type[0] == 's';
    bool less = is_signed ? extend(old, c->bytes) < extend(b, c->bytes) : old < b;
    uint64_t mask = c->bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * c->bytes) - 1;
    switch (c->op[0] * 256 + c->op[1]) {
    case 'a' * 256 + 'd':
        return c->type[0] == 'f' ? float_sum(c, old, b) : (old + b) & mask;
    case 'm' * 256 + 'i':
        return less ? old : b;
    case 'm' * 256 + 'a':
        return less ? b : old;
    case 'i' * 256 + 'n':
        return old >= b ? 0 : old + 1;
    case 'd' * 256 + 'e':
        return old == 0 || old > b ? b : old - 1;
    case 'a' * 256 + 'n':
        return old & b;
    case 'o' * 256 + 'r':
        return old | b;
    case 'x' * 256 + 'o':
        return old ^ b;
    case 'e' * 256 + 'x':
        return b;
    default:
        return old == b ? third : old;
    }
}

// ---- own elements ----------------------------------------------------------------------------------

// Buffer: lane i's old value at 8 i, b at 512 + 8 i, c at 1024 + 8 i; results: memory at 1536 + 8 i, old at
// 2048 + 8 i.
static void fill(void *buffer)
{
    uint64_t *words = buffer, x = 88172645463325252u;
    for (uint32_t i = 0; i < 192; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        words[i] = i % 5 == 0 ? x >> 60 : x;
    }
    for (uint32_t i = 0; i < 64; i += 3) // equal to what is compared with
        words[64 + i] = words[i];
}

static void fill_floats(void *buffer)
{
    for (uint32_t i = 0; i < 192; i++) {
        double d = (double)i * 0.75 - 31;
        float f = (float)d;
        memcpy((uint8_t *)buffer + 8 * i, &f, 4);
    }
}

static void fill_doubles(void *buffer)
{
    for (uint32_t i = 0; i < 192; i++)
        ((double *)buffer)[i] = (double)i * 1e10 - 31.5;
}

static uint64_t word(const struct kernel_run *r, uint32_t at, uint32_t lane, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)r->buffer + at + 8 * lane, bytes);
    return value;
}

static void check_own(const struct atomic_case *c, const char *kind, const char *space)
{
    char text[4096], source[64], result[16];
    bool is_red = strcmp(kind, "red") == 0, is_cas = strcmp(c->op, "cas") == 0,
         is_shared = strcmp(space, "shared") == 0;
    snprintf(source, sizeof source, "%s%s%s", c->source, is_cas ? ", " : "", is_cas ? c->compare : "");
    snprintf(result, sizeof result, "%s,", c->reg);
    kernel_text(text, sizeof text,
                ".shared .align 8 .b8 s[512];\nmul.wide.u32 %rd20, %r1, 8;\nadd.s64 %rd7, %rd1, "
                "%rd20;\nmov.u64 %rd8, s;\n"
                "add.s64 %rd8, %rd8, %rd20;\nld.global.$T $R, [%rd7];\nst.shared.$T [%rd8], "
                "$R;\nst.global.$T [%rd7+1536], $R;\n"
                "ld.global.$T $B, [%rd7+512];\nld.global.$T $C, [%rd7+1024];\nsetp.ne.u32 %p1, %r1, 5;\n"
                "@%p1 $K.$S.$O.$T $D [$A], $X;\n$M\nst.global.$T [%rd7+2048], $R;\n",
                'T', c->type, 'R', c->reg, 'B', c->source, 'C', c->compare, 'K', kind, 'S', space, 'O', c->op,
                'D', is_red ? "" : result, 'A', is_shared ? "%rd8" : "%rd7+1536", 'X', source, 'M',
                is_shared ? c->bytes == 2   ? "ld.shared.b16 %h1, [%rd8];\nst.global.b16 [%rd7+1536], %h1;"
                            : c->bytes == 4 ? "ld.shared.u32 %r9, [%rd8];\nst.global.u32 [%rd7+1536], %r9;"
                                            : "ld.shared.u64 %rd9, [%rd8];\nst.global.u64 [%rd7+1536], %rd9;"
                          : "",
                0);
    struct kernel_run r = {.text = text,
                           .threads = {64, 1, 1},
                           .bytes = 4096,
                           .fill = c->type[0] != 'f' ? fill
                                   : c->bytes == 4   ? fill_floats
                                                     : fill_doubles};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s.%s.%s.%s: fault %d", kind, space, c->op, c->type, r.fault.kind);
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t old = word(&r, 0, i, c->bytes), got = word(&r, 1536, i, c->bytes),
                 returned = word(&r, 2048, i, c->bytes);
        uint64_t want = expected(c, old, word(&r, 512, i, c->bytes), word(&r, 1024, i, c->bytes));
        if (i == 5)
            want = old;
        if (got != want || returned != old)
            fail_msg("%s.%s.%s.%s lane %u: %llx with %llx gives %llx, returns %llx", kind, space, c->op,
                     c->type, i, (unsigned long long)old, (unsigned long long)word(&r, 512, i, c->bytes),
                     (unsigned long long)got, (unsigned long long)returned);
    }
    kernel_run_end(&r);
}

static void every_operation(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        check_own(&cases[i], "atom", "global");
        check_own(&cases[i], "atom", "shared");
        if (cases[i].has_red) {
            check_own(&cases[i], "red", "global");
            check_own(&cases[i], "red", "shared");
        }
    }
}

// ---- one element -----------------------------------------------------------------------------------

static void all_lanes_one_counter(void **state)
{
    (void)state;
    char text[4096];
    kernel_text(
        text, sizeof text,
        ".shared .align 8 .b8 s[8];\nmov.u32 %r20, s;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra GO;\n"
        "mov.u32 %r3, 0;\nst.shared.u32 [%r20], %r3;\nGO:\nbar.sync 0;\n"
        "atom.global.add.u32 %r4, [%rd1+1024], 1;\natom.shared.add.u32 %r5, [%r20], 2;\n"
        "red.global.add.u32 [%rd1+1028], 3;\natom.global.inc.u32 %r6, [%rd1+1032], 9;\n"
        "mul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], 1;\nbar.sync 0;\n"
        "ld.shared.u32 %r7, [%r20];\nst.global.u32 [%rd1+1036], %r7;\n",
        0);
    struct kernel_run r = {.text = text, .threads = {96, 1, 1}, .blocks = 2, .bytes = 4096};
    kernel_run(&r);
    const uint32_t *out = r.buffer;
    assert_int_equal(r.fault.kind, FAULT_NONE);
    for (uint32_t i = 0; i < 192; i++)
        assert_int_equal(out[i], 1); // every old value came once
    assert_int_equal(out[256], 192);
    assert_int_equal(out[257], 3 * 192);
    assert_int_equal(out[258], 192 % 10);
    assert_int_equal(out[259], 192);
    kernel_run_end(&r);
}

static void a_reduction_is_seen_by_a_later_load(void **state)
{
    (void)state;
    char text[2048];
    kernel_text(text, sizeof text,
                "red.global.add.u32 [%rd2], 41;\nld.global.u32 %r4, [%rd2];\nadd.u32 %r4, %r4, 1;\n"
                "st.global.u32 [%rd2+256], %r4;\nred.global.max.u32 [%rd2+256], 40;\n",
                0);
    struct kernel_run r = {.text = text, .threads = {64, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(((uint32_t *)r.buffer)[64 + i], 42);
    kernel_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),
        cmocka_unit_test(all_lanes_one_counter),
        cmocka_unit_test(a_reduction_is_seen_by_a_later_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
