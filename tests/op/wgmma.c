// wgmma.mma_async in every type against an H200 (tests/data/wgmma_h200.txt: m64n16, eight categories of operands with 64 cases
// each of every type, and two cases each with signs, A in registers, D added to or not); and the places of operands under every swizzle.
#include "ptx/matrix.h"
#include "support/check.h"
#include "support/kernel_harness.h"
#include "support/matrix_inputs.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 128, A_WORDS = 512, B_WORDS = 128, CASES_OF_CATEGORY = 128, FULL_CASES = 64, N_TYPES = 21 };

struct form {
    char name[96];
    int a_in_registers, sign_a, sign_b, adds, category, n_cases;
    struct matrix_shape shape;
    uint32_t n_d; // registers of D of a thread
};

// ---- text --------------------------------------------------------------------------------------------

struct text {
    char at[16384];
    size_t n;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->at);
}

// Buffer: A and B as they lie in shared memory, then rows of 128 words: A's registers, C, D.
static void write_kernel(const struct form *f, struct text *t)
{
    const bool is_float = f->shape.d != MATRIX_S32, is_half = f->shape.a == MATRIX_F16 || f->shape.a == MATRIX_BF16;
    const uint32_t at_a = (A_WORDS + B_WORDS) * 4, at_c = at_a + 4 * THREADS * 4, at_d = at_c + f->n_d * THREADS * 4;
    t->n = 0;
    put(t, "%s", PTX_KERNEL ".reg .b32 %a<4>, %e<8>;\n.reg .f32 %g<8>;\n.shared .align 1024 .b8 tile[2560];\n"
                            "mov.u32 %r4, tile;\nshl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r4, %r5;\n");
    for (uint32_t i = 0; i < (A_WORDS + B_WORDS) / THREADS; i++)
        put(t, "ld.global.u32 %%r6, [%%rd2+%u];\nst.shared.u32 [%%r5+%u], %%r6;\n", i * THREADS * 4, i * THREADS * 4);
    for (uint32_t i = 0; i < 4; i++)
        put(t, "ld.global.b32 %%a%u, [%%rd2+%u];\n", i, at_a + i * THREADS * 4);
    for (uint32_t i = 0; i < f->n_d; i++)
        put(t, "ld.global.b32 %%e%u, [%%rd2+%u];\n", i, at_c + i * THREADS * 4);
    put(t, "fence.proxy.async;\nbar.sync 0;\nshr.u32 %%r6, %%r4, 4;\ncvt.u64.u32 %%rd3, %%r6;\n"
           "or.b64 %%rd4, %%rd3, 0x800400000;\nadd.u64 %%rd5, %%rd3, 128;\nor.b64 %%rd5, %%rd5, 0x800100000;\n"
           "setp.ne.u32 %%p1, %d, 0;\nwgmma.fence.sync.aligned;\n%s {", f->adds, f->name);
    for (uint32_t i = 0; i < f->n_d; i++)
        put(t, "%s%%e%u", i ? ", " : "", i);
    put(t, "}, %s, %%rd5, %%p1", f->a_in_registers ? "{%a0, %a1, %a2, %a3}" : "%rd4");
    if (is_float)
        put(t, ", %d, %d", f->sign_a, f->sign_b);
    if (is_half)
        put(t, f->a_in_registers ? ", 0" : ", 0, 0");
    put(t, ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (uint32_t i = 0; i < f->n_d; i++)
        put(t, "st.global.b32 [%%rd2+%u], %%e%u;\n", at_d + i * THREADS * 4, i);
    put(t, "ret;\n}\n");
}

// ---- one case ----------------------------------------------------------------------------------------

static const struct form *filled;
static uint32_t filled_case;

static void fill(void *buffer)
{
    const struct matrix_shape *s = &filled->shape;
    uint32_t *words = buffer;
    for (uint32_t i = 0; i < A_WORDS; i++)
        words[i] = matrix_input(s, 0, filled->category, filled_case, i);
    for (uint32_t i = 0; i < B_WORDS; i++)
        words[A_WORDS + i] = matrix_input(s, 1, filled->category, filled_case, i);
    uint32_t *a = words + A_WORDS + B_WORDS, *c = a + 4 * THREADS;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < 4; i++)
            a[i * THREADS + thread] = matrix_input(s, 0, filled->category, filled_case, thread * 4 + i);
        for (uint32_t i = 0; i < filled->n_d; i++)
            c[i * THREADS + thread] = matrix_input(s, 2, filled->category, filled_case, thread * filled->n_d + i);
    }
}

static uint64_t hash_case(const struct form *f, const char *text, uint32_t number, uint64_t hash)
{
    filled = f;
    filled_case = number;
    struct kernel_run r = {.text = text, .threads = {THREADS, 1, 1}, .bytes = 32768, .fill = fill};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s: fault %d", f->name, r.fault.kind);
    const uint8_t *d = (uint8_t *)r.buffer + (A_WORDS + B_WORDS + (4 + f->n_d) * THREADS) * 4;
    for (uint32_t i = 0; i < f->n_d * THREADS * 4; i++)
        hash = (hash ^ d[i]) * 0x100000001b3ull;
    kernel_run_end(&r);
    return hash;
}

static void read_shape(struct form *f)
{
    static char words[96];
    static const char *suffixes[16];
    struct ptx_insn insn = {.op = words, .suffixes = suffixes};
    struct matrix_op op;
    int suffix;
    snprintf(words, sizeof words, "%s", f->name);
    for (char *dot = strchr(words, '.'); dot; dot = strchr(dot + 1, '.')) {
        *dot = '\0';
        suffixes[insn.n_suffixes++] = dot + 1;
    }
    const char *wrong = matrix_op_read(&insn, &op, &suffix);
    if (wrong)
        fail_msg("%s: %s", f->name, wrong);
    f->shape = op.shape;
    f->n_d = 16u * op.shape.n * matrix_bits((enum matrix_type)op.shape.d) / 1024;
}

static void every_type_is_as_on_the_gpu(void **state)
{
    (void)state;
    static struct text text;
    char line[256];
    uint32_t n = 0, n_wrong = 0, n_cases = 0, n_full = 0;
    FILE *in = fopen("tests/data/wgmma_h200.txt", "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        struct form f;
        uint64_t want;
        if (*line == '#')
            continue;
        assert_int_equal(sscanf(line, "%95s %d %d %d %d %d %" SCNx64 " %d", f.name, &f.a_in_registers, &f.sign_a, &f.sign_b,
                                &f.adds, &f.category, &want, &f.n_cases), 8);
        read_shape(&f);
        write_kernel(&f, &text);
        uint64_t hash = 0xcbf29ce484222325ull;
        for (uint32_t i = 0; i < (uint32_t)f.n_cases; i++)
            hash = hash_case(&f, text.at, (uint32_t)(f.category * CASES_OF_CATEGORY) + i, hash);
        if (hash != want && n_wrong++ < 5)
            print_message("%s: registers %d signs %d %d adds %d category %d differs\n", f.name, f.a_in_registers, f.sign_a,
                          f.sign_b, f.adds, f.category);
        n++;
        n_cases += (uint32_t)f.n_cases;
        n_full += f.n_cases == FULL_CASES;
    }
    fclose(in);
    print_message("%u rows of %u instructions, %u differ\n", n, n_cases, n_wrong);
    assert_int_equal(n_wrong, 0);
    assert_true(n >= 990 && n_full == N_TYPES * MATRIX_CATEGORIES); // 512 instructions of each combination of types
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_is_as_on_the_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
