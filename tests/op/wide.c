// Operations on more than one word of memory: .b128 loads, stores and atomics, atomics of halves, vector
// reductions.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <stdio.h>
#include <string.h>

// ---- 128 bits --------------------------------------------------------------------------------------

// Lane i's value at 16 i; 1024: compare or nothing; 2048: where results go.
static void fill_words(void *buffer)
{
    uint32_t *words = buffer, x = 2463534242u;
    for (uint32_t i = 0; i < 1024; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        words[i] = x;
    }
    for (uint32_t i = 0; i < 32; i += 2) // every other lane's comparison holds
        memcpy(words + 256 + 4 * i, words + 4 * i, 16);
}

static struct kernel_run run(const char *body, void (*fill)(void *))
{
    static char text[8192];
    kernel_text(
        text, sizeof text,
        ".reg .b128 %q<4>;\n.shared .align 16 .b8 s[512];\n.local .align 16 .b8 l[32];\n"
        "mul.wide.u32 %rd6, %r2, 16;\nadd.s64 %rd7, %rd1, %rd6;\nmov.u64 %rd8, s;\nadd.s64 %rd8, %rd8, "
        "%rd6;\nmov.u64 %rd9, l;\ncvta.local.u64 %rd9, %rd9;\n$B\n",
        'B', body, 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096, .fill = fill};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s: fault %d", body, r.fault.kind);
    return r;
}

static void loads_and_stores(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        // ld.b128, st.b128: {"b128", in global, shared and local memory and by generic addresses}
        "ld.global.b128 %q1, [%rd7];\nst.global.b128 [%rd7+2048], %q1;",
        "ld.global.b128 %q1, [%rd7];\nst.shared.b128 [%rd8], %q1;\nld.shared.b128 %q2, [%rd8];\n"
        "st.global.b128 [%rd7+2048], %q2;",
        "ld.b128 %q1, [%rd7];\nst.b128 [%rd9+16], %q1;\nld.local.b128 %q2, [l+16];\nst.b128 [%rd7+2048], "
        "%q2;",
        "ld.relaxed.gpu.global.b128 %q1, [%rd7];\nst.relaxed.gpu.global.b128 [%rd7+2048], %q1;",
        "ld.global.b128 %q1, [%rd7];\nmov.b128 {%rd10, %rd11}, %q1;\nst.global.v2.b64 [%rd7+2048], {%rd10, "
        "%rd11};",
        "ldu.global.b64 %rd12, [%rd7];\nld.global.v2.b64 {%rd10, %rd11}, [%rd7];\nmov.b128 %q1, {%rd12, "
        "%rd11};\n"
        "st.global.b128 [%rd7+2048], %q1;",
        // 32 bytes a lane; what goes to `_` is loaded by others
        "shl.b64 %rd6, %rd6, 1;\nadd.s64 %rd7, %rd1, %rd6;\nld.global.v8.b32 {%r10, %r11, %r12, _, %r14, _, "
        "%r16, "
        "%r17}, [%rd7];\nld.global.L2::256B.v4.b64 {_, %rd12, %rd13, _}, [%rd7];\nmov.b64 {_, %r13}, "
        "%rd12;\nmov.b64 {_, %r15}, %rd13;\nst.global.v8.b32 [%rd7+2048], {%r10, %r11, %r12, %r13, %r14, "
        "%r15, "
        "%r16, %r17};"};
    for (size_t i = 0; i < N_ELEMENTS(bodies); i++) {
        struct kernel_run r = run(bodies[i], fill_words);
        if (memcmp(r.buffer, (uint8_t *)r.buffer + 2048, 512) != 0)
            fail_msg("%s: other bytes", bodies[i]);
        kernel_run_end(&r);
    }
}

static void check_128(const char *body, uint32_t memory_at, bool is_cas)
{
    static uint32_t before[1024];
    fill_words(before);
    struct kernel_run r = run(body, fill_words);
    const uint32_t *after = r.buffer;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t *compare = before + 256 + 4 * lane, *value = before + 384 + 4 * lane;
        bool swaps = !is_cas || memcmp(before + 4 * lane, compare, 16) == 0;
        assert_memory_equal(after + 512 + 4 * lane, before + 4 * lane, 16); // the old value
        assert_memory_equal(after + memory_at / 4 + 4 * lane, swaps ? value : before + 4 * lane, 16);
    }
    kernel_run_end(&r);
}

static void exchanges(void **state)
{
    (void)state;
    const char *const load = "ld.global.b128 %q1, [%rd7+1024];\nld.global.b128 %q2, [%rd7+1536];\n";
    // "exch", "b128" and "cas", "b128"
    char body[1024];
    snprintf(body, sizeof body,
             "%satom.global.exch.b128 %%q3, [%%rd7], %%q2;\nst.global.b128 [%%rd7+2048], %%q3;", load);
    check_128(body, 0, false);
    snprintf(body, sizeof body,
             "%satom.global.cas.b128 %%q3, [%%rd7], %%q1, %%q2;\nst.global.b128 [%%rd7+2048], %%q3;", load);
    check_128(body, 0, true);
    snprintf(body, sizeof body,
             "%sld.global.b128 %%q3, [%%rd7];\nst.shared.b128 [%%rd8], %%q3;\n"
             "atom.shared.cas.b128 %%q3, [%%rd8], %%q1, %%q2;\nst.global.b128 [%%rd7+2048], %%q3;\n"
             "ld.shared.b128 %%q3, [%%rd8];\nst.global.b128 [%%rd7+2560], %%q3;",
             load);
    check_128(body, 2560, true);
}

// ---- halves and vectors ----------------------------------------------------------------------------

struct vector_case {
    const char *op, *type; // "v…" is the vector form
    uint32_t n;            // elements
    bool has_atom;         // both atom and red, or only red
};
static const struct vector_case cases[] = {
    {"add", "f16", 1, true},    {"add", "bf16", 1, true},    {"add", "f16x2", 1, true},
    {"add", "bf16x2", 1, true}, {"min", "f16", 1, true},     {"min", "bf16", 1, true},
    {"min", "f16x2", 1, true},  {"min", "bf16x2", 1, true},  {"max", "f16", 1, true},
    {"max", "bf16", 1, true},   {"max", "f16x2", 1, true},   {"max", "bf16x2", 1, true},
    {"vadd", "f32", 2, true},   {"vadd", "f32", 4, true},    {"vadd", "f16", 2, true},
    {"vadd", "f16", 8, false},  {"vadd", "bf16", 4, true},   {"vadd", "bf16x2", 4, true},
    {"vadd", "f16x2", 2, true}, {"vmin", "f16", 4, true},    {"vmin", "bf16", 8, false},
    {"vmin", "f16x2", 4, true}, {"vmin", "bf16x2", 2, true}, {"vmax", "f16", 2, true},
    {"vmax", "bf16", 2, true},  {"vmax", "f16x2", 4, true},  {"vmax", "bf16x2", 4, true},
};

// Small integers are the same number in every format: sums are exact. Arithmetic itself is tested in op/half.
static uint32_t bits_of(const char *type, int n)
{
    float x = (float)n;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (strcmp(type, "f32") == 0)
        return bits;
    if (type[0] == 'b')
        return bits >> 16;
    return n == 0 ? 0 : (bits >> 16 & 0x8000) | ((bits & 0x7fffffff) - 0x38000000) >> 13;
}
static int small(uint32_t lane, uint32_t k, uint32_t which)
{
    return (int)((lane * 7 + k * 13 + which * 29) % 61) - 30;
}

static uint32_t part_bytes(const struct vector_case *c)
{
    return strcmp(c->type, "f32") == 0 ? 4 : 2;
}
static uint32_t n_parts(const struct vector_case *c)
{
    return strstr(c->type, "x2") ? 2 * c->n : c->n;
}

static const struct vector_case *filled;
static void fill_numbers(void *buffer)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t k = 0; k < n_parts(filled); k++) {
            for (uint32_t which = 0; which < 2; which++) {
                uint32_t bits = bits_of(filled->type, small(lane, k, which));
                memcpy((uint8_t *)buffer + 1024 * which + 16 * lane + part_bytes(filled) * k, &bits,
                       part_bytes(filled));
            }
        }
    }
}

static int combined(const char *op, int a, int b)
{
    return strstr(op, "add") ? a + b : strstr(op, "min") ? (a < b ? a : b) : a > b ? a : b;
}

// "{%r1, %r2}" or "%r1"
static void registers(char *out, size_t size, const char *prefix, uint32_t first, uint32_t n)
{
    size_t at = (size_t)snprintf(out, size, n > 1 ? "{" : "");
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s%u", i ? ", " : "", prefix, first + i);
    snprintf(out + at, size - at, n > 1 ? "}" : "");
}

static void check_case(const struct vector_case *c, bool is_atom, const char *space)
{
    bool is_32 = part_bytes(c) == 4, is_word = is_32 || strstr(c->type, "x2"), is_vector = c->op[0] == 'v';
    const char *prefix = is_32 ? "%f" : is_word ? "%r2" : "%h", *move = is_word ? "b32" : "b16";
    uint32_t size = is_word ? 4 : 2, n_old = is_atom ? c->n : 0;
    bool is_shared = strcmp(space, "shared") == 0;
    char body[4096], source[128], result[128] = "", vector[8] = "";
    size_t at = 0;
    registers(source, sizeof source, prefix, 0, c->n);
    if (is_atom)
        registers(result, sizeof result, prefix, c->n, c->n);
    if (is_vector)
        snprintf(vector, sizeof vector, ".v%u", c->n);
    for (uint32_t i = 0; i < c->n; i++)
        at += (size_t)snprintf(body + at, sizeof body - at, "ld.global.%s %s%u, [%%rd7+%u];\n", move, prefix,
                               i, 1024 + size * i);
    if (is_shared)
        at += (size_t)snprintf(body + at, sizeof body - at,
                               "ld.global.b128 %%q1, [%%rd7];\nst.shared.b128 [%%rd8], %%q1;\n");
    at += (size_t)snprintf(body + at, sizeof body - at, "%s.%s.%s%s%s%s.%s %s%s[%s], %s;\n",
                           is_atom ? "atom" : "red", space, is_vector ? c->op + 1 : c->op,
                           is_32 ? "" : ".noftz", "", vector, c->type, result, is_atom ? ", " : "",
                           is_shared ? "%rd8" : "%rd7", source);
    for (uint32_t i = 0; i < n_old; i++)
        at += (size_t)snprintf(body + at, sizeof body - at, "st.global.%s [%%rd7+%u], %s%u;\n", move,
                               2048 + size * i, prefix, c->n + i);
    if (is_shared)
        at += (size_t)snprintf(body + at, sizeof body - at,
                               "ld.shared.b128 %%q1, [%%rd8];\nst.global.b128 [%%rd7], %%q1;\n");
    filled = c;
    struct kernel_run r = run(body, fill_numbers);
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t k = 0; k < n_parts(c); k++) {
            const uint8_t *memory = (const uint8_t *)r.buffer + 16 * lane + part_bytes(c) * k;
            uint32_t now = 0, old = 0, want = bits_of(c->type, small(lane, k, 0));
            memcpy(&now, memory, part_bytes(c));
            memcpy(&old, memory + 2048, part_bytes(c));
            if (now != bits_of(c->type, combined(c->op, small(lane, k, 0), small(lane, k, 1))) ||
                (is_atom && old != want))
                fail_msg("lane %u, part %u: %x behind %x, returned %x\n%s", lane, k, now, want, old, body);
        }
    }
    kernel_run_end(&r);
}

static void every_operation(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        check_case(&cases[i], false, "global");
        if (cases[i].has_atom)
            check_case(&cases[i], true, "global");
        if (cases[i].op[0] != 'v') {
            check_case(&cases[i], true, "shared");
            check_case(&cases[i], false, "shared");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(exchanges),
        cmocka_unit_test(every_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
