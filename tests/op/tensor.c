// mma.sync and wmma.mma in every shape and type against an H200: tests/data/tensor_h200.txt holds the hash of 64 cases in
// each of eight categories of operands. Then whole instructions as PTX, and ldmatrix, stmatrix, movmatrix, wmma's loads and
// stores against plain C.
#include "ptx/matrix.h"
#include "simt/matrix.h"
#include "support/check.h"
#include "support/kernel_harness.h"
#include "support/matrix_inputs.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 64, MAX_WORDS = MATRIX_MAX_ROWS, MAX_NAME = 128 };

static const char stored_path[] = "tests/data/tensor_h200.txt";

// ---- one case ----------------------------------------------------------------------------------------

struct fragments {
    uint32_t a[MAX_WORDS * ROW_LANES], b[MAX_WORDS * ROW_LANES], c[MAX_WORDS * ROW_LANES], d[MAX_WORDS * ROW_LANES];
    uint32_t n_a, n_b, n_c, n_d;
};

static void read_opcode(const char *name, struct matrix_op *op)
{
    static char words[MAX_NAME];
    static const char *suffixes[24];
    struct ptx_insn insn = {.op = words, .suffixes = suffixes};
    int suffix;
    snprintf(words, sizeof words, "%s", name);
    for (char *dot = strchr(words, '.'); dot; dot = strchr(dot + 1, '.')) {
        *dot = '\0';
        suffixes[insn.n_suffixes++] = dot + 1;
    }
    const char *wrong = matrix_op_read(&insn, op, &suffix);
    if (wrong)
        fail_msg("%s: %s", name, wrong);
}

static void fill(const struct matrix_shape *s, int operand, int category, uint32_t number, uint32_t *rows, uint32_t n)
{
    for (uint32_t lane = 0; lane < ROW_LANES; lane++)
        for (uint32_t i = 0; i < n; i++)
            rows[i * ROW_LANES + lane] = matrix_input(s, operand, category, number, lane * n + i);
}

static void make_inputs(const struct matrix_shape *s, int category, uint32_t number, struct fragments *f)
{
    f->n_a = matrix_listed_rows(s, s->a, (uint32_t)s->m * s->k, false);
    f->n_b = matrix_listed_rows(s, s->b, (uint32_t)s->k * s->n, false);
    f->n_c = matrix_rows(s, s->c, (uint32_t)s->m * s->n);
    f->n_d = matrix_rows(s, s->d, (uint32_t)s->m * s->n);
    fill(s, 0, category, number, f->a, f->n_a);
    fill(s, 1, category, number, f->b, f->n_b);
    fill(s, 2, category, number, f->c, f->n_c);
}

static void multiply(const struct matrix_op *op, struct fragments *f)
{
    const uint32_t *a[MAX_WORDS], *b[MAX_WORDS], *c[MAX_WORDS];
    for (uint32_t i = 0; i < MAX_WORDS; i++) {
        a[i] = f->a + i * ROW_LANES;
        b[i] = f->b + i * ROW_LANES;
        c[i] = f->c + i * ROW_LANES;
    }
    matrix_mma(&op->shape, op->round, a, b, c, f->d);
}

static uint64_t hash_words(uint64_t hash, const uint32_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            hash = (hash ^ (words[i] >> (8 * k) & 0xff)) * 0x100000001b3ull;
    return hash;
}

// ---- against the GPU ---------------------------------------------------------------------------------

static void every_form_is_as_on_the_gpu(void **state)
{
    (void)state;
    char line[256], name[MAX_NAME];
    int category;
    uint32_t first, n = 0, n_wrong = 0;
    uint64_t want;
    FILE *in = fopen(stored_path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        if (*line == '#')
            continue;
        assert_int_equal(sscanf(line, "%127s %d %" SCNu32 " %" SCNx64, name, &category, &first, &want), 4);
        struct matrix_op op;
        struct fragments f;
        read_opcode(name, &op);
        uint64_t hash = 0xcbf29ce484222325ull;
        for (uint32_t i = 0; i < CASES; i++) {
            make_inputs(&op.shape, category, first + i, &f);
            multiply(&op, &f);
            hash = hash_words(hash, f.d, f.n_d * ROW_LANES);
        }
        if (hash != want && n_wrong++ < 5)
            print_message("%s: category %d differs\n", name, category);
        n++;
    }
    fclose(in);
    assert_int_equal(n_wrong, 0);
    assert_true(n >= 232 * MATRIX_CATEGORIES); // 512 instructions of each form
}

// ---- as PTX ------------------------------------------------------------------------------------------

static struct fragments ptx_inputs;

static void put_inputs(void *buffer)
{
    const struct fragments *f = &ptx_inputs;
    uint32_t *words = buffer;
    memcpy(words, f->a, f->n_a * ROW_BYTES);
    memcpy(words + f->n_a * ROW_LANES, f->b, f->n_b * ROW_BYTES);
    memcpy(words + (f->n_a + f->n_b) * ROW_LANES, f->c, f->n_c * ROW_BYTES);
}

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

// A fragment of `rows` rows as registers %w<letter><i>, 64-bit ones %<letter><i>: from row `at` of the buffer on.
static void load_rows(struct text *t, char letter, uint32_t rows, bool is_wide, uint32_t at)
{
    for (uint32_t i = 0; i < rows; i++) {
        put(t, "ld.global.b32 %%w%c%u, [%%rd2+%u];\n", letter, i, (at + i) * ROW_BYTES);
        if (is_wide && i % 2)
            put(t, "mov.b64 %%%c%u, {%%w%c%u, %%w%c%u};\n", letter, i - 1, letter, i - 1, letter, i);
    }
}

static void store_rows(struct text *t, char letter, uint32_t rows, bool is_wide, uint32_t at)
{
    for (uint32_t i = 0; i < rows; i++) {
        if (is_wide && i % 2 == 0)
            put(t, "mov.b64 {%%w%c%u, %%w%c%u}, %%%c%u;\n", letter, i, letter, i + 1, letter, i);
        put(t, "st.global.b32 [%%rd2+%u], %%w%c%u;\n", (at + i) * ROW_BYTES, letter, i);
    }
}

static void list_rows(struct text *t, char letter, uint32_t rows, bool is_wide, char end)
{
    for (uint32_t i = 0; i < rows; i += is_wide ? 2 : 1)
        put(t, "%s%%%s%c%u", i ? ", " : "{", is_wide ? "" : "w", letter, i);
    put(t, "}%c ", end);
}

static void run_as_ptx(const char *name, const struct matrix_op *op, const struct fragments *f)
{
    static struct text t;
    const uint32_t at_b = f->n_a, at_c = at_b + f->n_b, at_d = at_c + f->n_c;
    const bool is_wide = op->shape.a == MATRIX_F64;
    t.n = 0;
    put(&t, "%s", PTX_KERNEL ".reg .b32 %wa<16>, %wb<16>, %wc<16>, %we<16>;\n.reg .b64 %a<16>, %b<16>, %c<16>, %e<16>;\n");
    load_rows(&t, 'a', f->n_a, is_wide, 0);
    load_rows(&t, 'b', f->n_b, is_wide, at_b);
    load_rows(&t, 'c', f->n_c, is_wide, at_c);
    put(&t, "%s ", name);
    list_rows(&t, 'e', f->n_d, is_wide, ',');
    list_rows(&t, 'a', f->n_a, is_wide, ',');
    list_rows(&t, 'b', f->n_b, is_wide, ',');
    list_rows(&t, 'c', f->n_c, is_wide, ';');
    store_rows(&t, 'e', f->n_d, is_wide, at_d);
    put(&t, "ret;\n}\n");
    ptx_inputs = *f;
    struct kernel_run r = {.text = t.at, .threads = {32, 1, 1}, .bytes = 16384, .fill = put_inputs};
    kernel_run(&r);
    if (memcmp((uint32_t *)r.buffer + at_d * ROW_LANES, f->d, f->n_d * ROW_BYTES) != 0)
        fail_msg("%s as PTX differs", name);
    kernel_run_end(&r);
}

static void every_form_runs_as_ptx(void **state)
{
    (void)state;
    char line[256], name[MAX_NAME];
    int category;
    FILE *in = fopen(stored_path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        if (*line == '#' || sscanf(line, "%127s %d", name, &category) != 2 || category != 0)
            continue;
        struct matrix_op op;
        struct fragments f;
        read_opcode(name, &op);
        make_inputs(&op.shape, category, 7, &f);
        multiply(&op, &f);
        run_as_ptx(name, &op, &f);
    }
    fclose(in);
}

// ---- matrices in shared memory -----------------------------------------------------------------------

// Row r of matrix j lies at (4 r + j) * 16 bytes, elements are their own number. Register j goes to row j of the buffer.
static void run_lines(const char *first, const char *opcode, uint32_t n, uint32_t *out)
{
    char text[8192];
    static const char *const lists[] = {[1] = "{%r10}", [2] = "{%r10, %r11}", [4] = "{%r10, %r11, %r12, %r13}"};
    char move[128];
    const bool is_store = opcode[0] == 's';
    const char *address = strstr(opcode, "shared") ? "%r6" : "%rd6";
    if (is_store)
        snprintf(move, sizeof move, "%s [%s], %s;", opcode, address, lists[n]);
    else
        snprintf(move, sizeof move, "%s %s, [%s];", opcode, lists[n], address);
    kernel_text(text, sizeof text,
                ".shared .align 16 .b8 tile[512];\n"
                // lane i writes words 4 i .. 4 i + 3, of elements 8 i ..
                "mov.u32 %r5, tile;\nshl.b32 %r7, %r2, 4;\nadd.u32 %r7, %r5, %r7;\nshl.b32 %r8, %r2, 3;\n"
                "add.u32 %r9, %r8, 1;\nshl.b32 %r9, %r9, 16;\nor.b32 %r9, %r9, %r8;\n"
                "mov.u32 %r10, %r9;\nadd.u32 %r11, %r9, 0x20002;\nadd.u32 %r12, %r9, 0x40004;\nadd.u32 %r13, %r9, 0x60006;\n"
                "$F\nbar.sync 0;\n"
                // lane i: row i % 8 of matrix i / 8
                "and.b32 %r6, %r2, 7;\nshl.b32 %r6, %r6, 2;\nshr.u32 %r14, %r2, 3;\nadd.u32 %r6, %r6, %r14;\n"
                "shl.b32 %r6, %r6, 4;\nadd.u32 %r6, %r5, %r6;\ncvt.u64.u32 %rd6, %r6;\ncvta.shared.u64 %rd6, %rd6;\n"
                "$M\nbar.sync 0;\n"
                "$L\n"
                "st.global.u32 [%rd2], %r10;\nst.global.u32 [%rd2+128], %r11;\nst.global.u32 [%rd2+256], %r12;\n"
                "st.global.u32 [%rd2+384], %r13;\n",
                'F', first, 'M', move, 'L',
                is_store ? "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r7];" : "", 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s: fault %d", opcode, r.fault.kind);
    memcpy(out, r.buffer, 4 * ROW_BYTES);
    kernel_run_end(&r);
}

static uint32_t element_number(uint32_t matrix, uint32_t row, uint32_t column)
{
    return (row * 4 + matrix) * 8 + column;
}

static uint32_t pair_of(uint32_t matrix, uint32_t lane, bool transposed)
{
    const uint32_t row = lane / 4, column = lane % 4 * 2;
    const uint32_t low = transposed ? element_number(matrix, column, row) : element_number(matrix, row, column);
    const uint32_t high = transposed ? element_number(matrix, column + 1, row) : element_number(matrix, row, column + 1);
    return low | high << 16;
}

static const struct {
    const char *opcode;
    uint32_t n;
    bool transposed;
} line_forms[] = {
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", 1, false},      {"ldmatrix.sync.aligned.m8n8.x2.shared.b16", 2, false},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4, false},      {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", 1, true},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 2, true}, {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, true},
    {"ldmatrix.sync.aligned.m8n8.x4.b16", 4, false},             {"ldmatrix.sync.aligned.x2.trans.m8n8.shared::cta.b16", 2, true},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16", 1, false},      {"stmatrix.sync.aligned.m8n8.x2.shared.b16", 2, false},
    {"stmatrix.sync.aligned.m8n8.x4.shared.b16", 4, false},      {"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, true},
};

static void lines_come_and_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(line_forms); i++) {
        uint32_t out[4 * ROW_LANES], want[4 * ROW_LANES] = {0};
        const uint32_t n = line_forms[i].n;
        const bool is_store = line_forms[i].opcode[0] == 's', transposed = line_forms[i].transposed;
        run_lines(is_store ? "" : "st.shared.v4.u32 [%r7], {%r10, %r11, %r12, %r13};", line_forms[i].opcode, n, out);
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t lane = 0; lane < ROW_LANES; lane++) {
                if (!is_store) {
                    want[j * ROW_LANES + lane] = pair_of(j, lane, transposed);
                    continue;
                }
                // register j of the lane held elements 8 lane + 2 j, + 1; they went to (row, column) of matrix j
                for (uint32_t half = 0; half < 2; half++) {
                    const uint32_t a = lane / 4, b = lane % 4 * 2 + half;
                    const uint32_t at = element_number(j, transposed ? b : a, transposed ? a : b);
                    want[at / 2 % 4 * ROW_LANES + at / 8] |= (8 * lane + 2 * j + half) << (at % 2 * 16);
                }
            }
        for (uint32_t j = 0; j < (is_store ? 4 : n) * ROW_LANES; j++)
            if (out[j] != want[j])
                fail_msg("%s: word %u is %08x, not %08x", line_forms[i].opcode, j, out[j], want[j]);
    }
}

static void movmatrix_transposes(void **state)
{
    (void)state;
    char text[2048];
    kernel_text(text, sizeof text,
                "shl.b32 %r3, %r2, 1;\nadd.u32 %r4, %r3, 1;\nshl.b32 %r4, %r4, 16;\nor.b32 %r3, %r3, %r4;\n"
                "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r3;\nst.global.u32 [%rd2], %r5;\n",
                0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 4096};
    kernel_run(&r);
    for (uint32_t lane = 0; lane < ROW_LANES; lane++) {
        const uint32_t row = lane / 4, column = lane % 4 * 2;
        assert_int_equal(((uint32_t *)r.buffer)[lane], (column * 8 + row) | ((column + 1) * 8 + row) << 16);
    }
    kernel_run_end(&r);
}

// ---- wmma.load and wmma.store ------------------------------------------------------------------------

static void put_numbers(void *buffer)
{
    for (uint32_t i = 0; i < 4096; i++)
        ((uint8_t *)buffer)[i] = (uint8_t)(i * 7 + i / 256);
}

// What is loaded in one layout and stored in the other is transposed; both in the same layout, it is as before.
static void copy_accumulators(const char *shape, const char *space, const char *type, const char *from, const char *to,
                              uint32_t rows, uint32_t columns, uint32_t bytes)
{
    char text[4096];
    const bool is_wide = bytes == 8, is_half = bytes == 2;
    const uint32_t n = is_wide ? 2 : rows * columns * bytes / 128;
    const char *regs = is_wide    ? "{%d1, %d2}"
                       : n == 2   ? "{%r10, %r11}"
                       : is_half || n == 4 ? "{%r10, %r11, %r12, %r13}"
                                  : "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
    char stride[2][16];
    const bool from_row = from[0] == 'r', to_row = to[0] == 'r';
    snprintf(stride[0], sizeof stride[0], "%u", from_row ? columns : rows);
    snprintf(stride[1], sizeof stride[1], "%u", to_row ? columns : rows);
    const bool is_shared = strcmp(space, "shared") == 0;
    kernel_text(text, sizeof text,
                ".shared .align 16 .b8 tile[2048];\nmov.u32 %r4, tile;\nshl.b32 %r5, %r2, 6;\nadd.u32 %r6, %r4, %r5;\n"
                "mul.wide.u32 %rd6, %r2, 64;\nadd.s64 %rd6, %rd1, %rd6;\nmov.u32 %r7, 0;\n"
                "IN:\nld.global.u32 %r8, [%rd6];\nst.shared.u32 [%r6], %r8;\nadd.u32 %r6, %r6, 4;\nadd.s64 %rd6, %rd6, 4;\n"
                "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 16;\n@%p1 bra IN;\nbar.sync 0;\nadd.s64 %rd7, %rd1, 4096;\n"
                "wmma.load.c.sync.aligned.$F.$H.$S.$T $R, [$A], $U;\n"
                "wmma.store.d.sync.aligned.$O.$H.global.$T [%rd7], $R, $V;\n",
                'F', from, 'O', to, 'H', shape, 'S', space, 'T', type, 'R', regs, 'A', is_shared ? "%r4" : "%rd1", 'U',
                stride[0], 'V', stride[1], 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 8192, .fill = put_numbers};
    kernel_run(&r);
    if (r.fault.kind)
        fail_msg("%s %s %s: fault %d", shape, type, from, r.fault.kind);
    const uint8_t *in = r.buffer, *out = in + 4096;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            const uint32_t a = from_row ? i * columns + j : j * rows + i, b = to_row ? i * columns + j : j * rows + i;
            if (memcmp(in + a * bytes, out + b * bytes, bytes) != 0)
                fail_msg("%s %s %s from %s to %s: element (%u, %u) differs", shape, space, type, from, to, i, j);
        }
    kernel_run_end(&r);
}

static void accumulators_are_copied(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *type;
        uint32_t rows, columns, bytes;
    } forms[] = {{"m16n16k16", "f16", 16, 16, 2}, {"m16n16k16", "f32", 16, 16, 4}, {"m16n16k16", "s32", 16, 16, 4},
                 {"m32n8k16", "f16", 32, 8, 2},   {"m32n8k16", "f32", 32, 8, 4},   {"m8n32k16", "f16", 8, 32, 2},
                 {"m8n32k16", "s32", 8, 32, 4},   {"m16n16k8", "f32", 16, 16, 4},  {"m8n8k4", "f64", 8, 8, 8},
                 {"m8n8k32", "s32", 8, 8, 4},     {"m8n8k128", "s32", 8, 8, 4}};
    static const char *const layouts[] = {"row", "col"}, *const spaces[] = {"global", "shared"};
    for (size_t i = 0; i < N_ELEMENTS(forms); i++)
        for (int k = 0; k < 8; k++)
            copy_accumulators(forms[i].shape, spaces[k & 1], forms[i].type, layouts[k >> 1 & 1], layouts[k >> 2],
                              forms[i].rows, forms[i].columns, forms[i].bytes);
}

static uint16_t half_of_integer(uint32_t value) // below 2048
{
    if (value == 0)
        return 0;
    const uint32_t exponent = 31 - (uint32_t)__builtin_clz(value);
    return (uint16_t)((exponent + 15) << 10 | ((value << (10 - exponent)) & 1023));
}

static void put_identity(void *buffer)
{
    uint16_t *halves = buffer;
    for (uint32_t i = 0; i < 256; i++)
        halves[i] = half_of_integer(i);
    for (uint32_t i = 0; i < 16; i++)
        halves[256 + i * 17] = half_of_integer(2);
    halves[256 + 1] = half_of_integer(1);
}

// A * I with all layouts and spaces: the loads of A and B agree with the product.
static void multiply_by_identity(const char *a_layout, const char *b_layout, const char *space)
{
    char text[4096];
    const bool is_shared = strcmp(space, "shared") == 0;
    kernel_text(text, sizeof text,
                ".shared .align 16 .b8 tile[1024];\nmov.u32 %r4, tile;\nshl.b32 %r5, %r2, 5;\nadd.u32 %r6, %r4, %r5;\n"
                "mul.wide.u32 %rd6, %r2, 32;\nadd.s64 %rd6, %rd1, %rd6;\nmov.u32 %r7, 0;\n"
                "IN:\nld.global.u32 %r8, [%rd6];\nst.shared.u32 [%r6], %r8;\nadd.u32 %r6, %r6, 4;\nadd.s64 %rd6, %rd6, 4;\n"
                "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 8;\n@%p1 bra IN;\nbar.sync 0;\nadd.s64 %rd7, %rd1, 4096;\n"
                "wmma.load.a.sync.aligned.$A.m16n16k16.$S.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [$P], 16;\n"
                "wmma.load.b.sync.aligned.$B.m16n16k16.$S.f16 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [$P+512], 16;\n"
                "mov.f32 %f1, 0f00000000;\n"
                "wmma.mma.sync.aligned.$A.$B.m16n16k16.f32.f32 {%f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9}, {%r10, %r11, %r12, "
                "%r13, %r14, %r15, %r16, %r17}, {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, {%f1, %f1, %f1, %f1, %f1, "
                "%f1, %f1, %f1};\n"
                "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd7], {%f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9}, 16;\n",
                'A', a_layout, 'B', b_layout, 'S', space, 'P', is_shared ? "%r4" : "%rd1", 0);
    struct kernel_run r = {.text = text, .threads = {32, 1, 1}, .bytes = 8192, .fill = put_identity};
    kernel_run(&r);
    assert_int_equal(r.fault.kind, FAULT_NONE);
    const float *out = (const float *)r.buffer + 1024;
    const bool a_row = a_layout[0] == 'r', b_row = b_layout[0] == 'r';
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++) {
            // B holds 2 at (i, i) and 1 at memory place 1
            float want = 2 * (float)(a_row ? i * 16 + j : j * 16 + i);
            if (j == (b_row ? 1 : 0))
                want += (float)(b_row ? (a_row ? i * 16 : i) : (a_row ? i * 16 + 1 : 16 + i));
            if (out[i * 16 + j] != want)
                fail_msg("%s %s %s: (%u, %u) is %g, not %g", a_layout, b_layout, space, i, j, (double)out[i * 16 + j],
                         (double)want);
        }
    kernel_run_end(&r);
}

static void layouts_agree(void **state)
{
    (void)state;
    static const char *const layouts[] = {"row", "col"}, *const spaces[] = {"global", "shared"};
    for (int k = 0; k < 8; k++)
        multiply_by_identity(layouts[k & 1], layouts[k >> 1 & 1], spaces[k >> 2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_as_on_the_gpu), cmocka_unit_test(every_form_runs_as_ptx),
        cmocka_unit_test(lines_come_and_go),           cmocka_unit_test(movmatrix_transposes),
        cmocka_unit_test(accumulators_are_copied),     cmocka_unit_test(layouts_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
