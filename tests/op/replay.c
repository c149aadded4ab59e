// Rows of ptx.def against an H200: the same instructions on the same operands, bit by bit.
//
//     replay                     compares with tests/data/ops_h200.bin.zst
//     replay --write FOLDER      writes FOLDER/ops.ptx, ops.in: one kernel and 64 operand sets for each
//     instruction and type
//                                of the tables (tools/measure/ops.sh runs them on a GPU: ops.out)
//     replay --store OUT FILE    packs ops.out
//     replay --machine CUBIN FILE   packs ops.cubin: the same kernels as machine code, which must give the same results
//
// File: for each instruction its opcode and operands ("add.u32|d, a, b", NUL), the width of a result in
// bytes, 64 results, and for carry chains 64 bytes of carries.
#include "base/buf.h"
#include "support/check.h"
#include "support/op_harness.h"
#include "support/packed.h"
#include "support/run_machine.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static const char stored_path[] = "tests/data/ops_h200.bin.zst", machine_path[] = "tests/data/ops_sm90.bin.zst";

static const struct op_case *const tables[] = {op_cases_integer, op_cases_logic,   op_cases_float,
                                               op_cases_compare, op_cases_convert, op_cases_carry,
                                               op_cases_move,    op_cases_half,    op_cases_video};
enum { N_TABLES = N_ELEMENTS(tables), MAX_ITEMS = 4000, MAX_REFUSED = 24 };

struct item {
    const struct op_case *row;
    char opcode[64];
    bool has_carry;
};
static struct item items[MAX_ITEMS];
static size_t n_items;

static void collect(void)
{
    for (size_t t = 0; t < N_TABLES; t++)
        for (const struct op_case *row = tables[t]; row->opcode; row++)
            for (uint32_t n = 0; n_items < MAX_ITEMS; n++) {
                struct item *item = &items[n_items];
                if (!op_case_opcode(row, n, item->opcode, sizeof item->opcode))
                    break;
                item->row = row;
                item->has_carry = tables[t] == op_cases_carry;
                n_items++;
            }
}

// ---- for the GPU -------------------------------------------------------------------------------------

static const char *const source_names[] = {"a", "b", "c", "e"}, *const pred_names[] = {"r", "s"};

static uint32_t register_bits(enum ptx_type type)
{
    uint32_t bits = bits_of_type(type);
    return bits < 16 ? 32 : bits;
}

static void write_load(FILE *out, uint32_t k, enum ptx_type type, const char *name)
{
    fprintf(out, "ld.global.b64 %%x, [%%in+%u];\n", k * OP_SAMPLES * 8);
    if (type == PT_PRED)
        fprintf(out, ".reg .pred %s;\nsetp.ne.u64 %s, %%x, 0;\n", name, name);
    else if (register_bits(type) == 64)
        fprintf(out, ".reg .b64 %s;\nmov.b64 %s, %%x;\n", name, name);
    else
        fprintf(out, ".reg .b%u %s;\ncvt.u%u.u64 %s, %%x;\n", register_bits(type), name, register_bits(type),
                name);
}

static void write_kernel(FILE *out, size_t number, const struct item *item, const struct op_samples *s)
{
    uint32_t src = 0, psrc = 0, bits = s->is_pred ? 0 : register_bits(s->dst);
    fprintf(out,
            ".visible .entry c%zu(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %%in, %%out, %%at, "
            "%%x;\n.reg .b32 "
            "%%t;\n.reg .pred p, q;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%t, "
            "%%tid.x;\n"
            "mul.wide.u32 %%at, %%t, 8;\nadd.u64 %%in, %%in, %%at;\nadd.u64 %%out, %%out, %%at;\n",
            number);
    for (uint32_t k = 0; k < s->n_inputs; k++)
        write_load(out, k, s->inputs[k], s->inputs[k] == PT_PRED ? pred_names[psrc++] : source_names[src++]);
    if (item->has_carry)
        fprintf(out, "ld.global.u32 %%t, [%%in+%u];\nadd.cc.u32 %%t, %%t, 0xffffffff;\n",
                s->n_inputs * OP_SAMPLES * 8);
    if (!s->is_pred)
        fprintf(out, ".reg .b%u d;\n", bits);
    fprintf(out, "%s %s; // case %zu\n", item->opcode, item->row->operands, number);
    if (item->has_carry)
        fprintf(out, "addc.u32 %%t, 0, 0;\nst.global.u32 [%%out+%u], %%t;\n", OP_SAMPLES * 8);
    if (s->is_pred)
        fprintf(out, "selp.b64 %%x, 1, 0, p;\n%s", s->has_q ? "@q or.b64 %x, %x, 2;\n" : "");
    else if (bits == 64)
        fprintf(out, "mov.b64 %%x, d;\n");
    else
        fprintf(out, "cvt.u64.u%u %%x, d;\n", bits);
    fprintf(out, "st.global.u64 [%%out], %%x;\nret;\n}\n");
}

// ops.in: numbers of kernels and samples, then for each kernel the number of inputs (carry included) and the
// inputs.
static int write_cases(const char *folder)
{
    char path[512];
    static struct op_samples s;
    snprintf(path, sizeof path, "%s/ops.ptx", folder);
    FILE *ptx = fopen(path, "w");
    snprintf(path, sizeof path, "%s/ops.in", folder);
    FILE *in = fopen(path, "wb");
    if (!ptx || !in)
        return 1;
    fprintf(ptx, ".version 8.0\n.target sm_90\n.address_size 64\n");
    uint32_t head[2] = {(uint32_t)n_items, OP_SAMPLES};
    fwrite(head, sizeof head, 1, in);
    for (size_t i = 0; i < n_items; i++) {
        s.operands = items[i].row->operands;
        op_samples(items[i].opcode, &s);
        if (strncmp(items[i].opcode, "cvta", 4) != 0) // addresses of 32 bits are no longer legal
            write_kernel(ptx, i, &items[i], &s);
        uint32_t n = s.n_inputs + items[i].has_carry;
        fwrite(&n, sizeof n, 1, in);
        fwrite(s.in, sizeof s.in[0], s.n_inputs, in);
        if (items[i].has_carry)
            fwrite(s.carry, sizeof s.carry, 1, in);
    }
    fclose(ptx);
    fclose(in);
    return 0;
}

// ---- the stored answers ------------------------------------------------------------------------------

static uint32_t result_bytes(const struct op_samples *s)
{
    return s->is_pred ? 1 : bits_of_type(s->dst) / 8;
}

static bool write_packed(const struct buf *packed, const char *to)
{
    const size_t bound = ZSTD_compressBound(packed->n);
    char *out = malloc(bound);
    const size_t n = ZSTD_compress(out, bound, packed->at, packed->n, 19);
    FILE *file = fopen(to, "wb");
    const bool is_written = file && fwrite(out, 1, n, file) == n && fclose(file) == 0;
    free(out);
    return is_written;
}

// ops.out: for each kernel whether it ran, 64 results and 64 carries.
static int store(const char *from, const char *to)
{
    struct buf raw = {0}, packed = {0};
    struct err err = {0};
    static struct op_samples s;
    if (!buf_read_file(&raw, from, &err))
        return 1;
    const size_t size = 4 + 2 * OP_SAMPLES * 8;
    for (size_t i = 0; i < n_items && (i + 1) * size <= raw.n; i++) {
        const char *at = raw.at + i * size;
        uint32_t ran;
        memcpy(&ran, at, 4);
        if (!ran)
            continue;
        s.operands = items[i].row->operands;
        op_samples(items[i].opcode, &s);
        uint8_t width = (uint8_t)result_bytes(&s);
        buf_printf(&packed, "%s|%s", items[i].opcode, items[i].row->operands);
        buf_add(&packed, "", 1);
        buf_add(&packed, &width, 1);
        for (size_t k = 0; k < OP_SAMPLES; k++)
            buf_add(&packed, at + 4 + 8 * k, width);
        for (size_t k = 0; items[i].has_carry && k < OP_SAMPLES; k++)
            buf_add(&packed, at + 4 + 8 * (OP_SAMPLES + k), 1);
    }
    const bool is_written = write_packed(&packed, to);
    buf_release(&raw);
    buf_release(&packed);
    return !is_written;
}

// ---- the comparison ----------------------------------------------------------------------------------

// The first difference of each instruction is shown; the number of them is the result.
static uint32_t compare(const char *opcode, const struct op_case *row, const struct op_samples *s,
                        uint32_t width, const uint8_t *results, const uint8_t *carries)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < OP_SAMPLES; i++) {
        uint64_t want = 0, mask = width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1,
                 got = s->out[i] & mask;
        memcpy(&want, results + i * width, width);
        bool is_same = got == want || (row->ulps >= 1 && op_results_are_close(s->dst, got, want, row->ulps));
        if (is_same && (!carries || carries[i] == s->carry_out[i]))
            continue;
        if (n++ == 0)
            print_error("%s %s: in %" PRIx64 " %" PRIx64 " %" PRIx64 " carry %u: got %" PRIx64
                        ", H200 %" PRIx64 "; carry %u, H200 %u\n",
                        opcode, row->operands, s->in[0][i], s->in[1][i], s->in[2][i], (unsigned)s->carry[i],
                        got, want, (unsigned)s->carry_out[i], carries ? carries[i] : 0);
    }
    if (n)
        print_error("    %u of %d differ\n", n, OP_SAMPLES);
    return n;
}

// Scalar video instructions are programs of ptxas on this GPU, some of which give other numbers than the PTX ISA says. For
// these ours follow the PTX ISA (doc/limits.md).
static bool is_known_to_differ(const char *opcode)
{
    static const char *const opcodes[] = {
        "vadd.u32.u32.s32.sat.min",
        "vsub.u32.u32.s32.sat.min",
        "vabsdiff.u32.u32.s32.sat.min",
    };
    for (size_t i = 0; i < N_ELEMENTS(opcodes); i++)
        if (strcmp(opcodes[i], opcode) == 0)
            return true;
    return false;
}

static const struct item *find_item(const char *key)
{
    for (size_t i = 0; i < n_items; i++) {
        size_t n = strlen(items[i].opcode);
        if (strncmp(key, items[i].opcode, n) == 0 && key[n] == '|' &&
            strcmp(key + n + 1, items[i].row->operands) == 0)
            return &items[i];
    }
    return NULL;
}

static void results_are_the_gpus(void **unused)
{
    (void)unused;
    static struct op_samples s;
    struct buf stored = {0};
    uint32_t n_different = 0, n_compared = 0;
    if (access(stored_path, R_OK) != 0)
        skip(); // not measured yet
    packed_read(stored_path, &stored);
    for (size_t at = 0; at < stored.n;) {
        const char *key = stored.at + at;
        at += strlen(key) + 1;
        const uint32_t width = (uint8_t)stored.at[at++];
        const uint8_t *results = (const uint8_t *)stored.at + at;
        const struct item *item = find_item(key);
        if (!item)
            fail_msg("%s is no longer in the tables", key);
        at += OP_SAMPLES * (width + item->has_carry);
        s.operands = item->row->operands;
        op_samples(item->opcode, &s);
        op_samples_run(item->opcode, &s);
        const uint8_t *carries = item->has_carry ? results + OP_SAMPLES * width : NULL;
        if (is_known_to_differ(item->opcode))
            continue;
        n_different += compare(item->opcode, item->row, &s, width, results, carries) > 0;
        n_compared++;
    }
    print_message("%u instructions with their types compared with an H200, %u differ\n", n_compared,
                  n_different);
    buf_release(&stored);
    assert_int_equal(n_different, 0);
}

// ---- the same instructions as machine code -----------------------------------------------------------------

// File: size of the cubin, the cubin, then for each kernel its number and its key, as in the stored answers.
static int store_machine(const char *from, const char *to)
{
    struct buf cubin = {0}, packed = {0};
    struct err err = {0};
    if (!buf_read_file(&cubin, from, &err))
        return 1;
    const uint32_t size = (uint32_t)cubin.n;
    buf_add(&packed, &size, sizeof size);
    buf_add(&packed, cubin.at, cubin.n);
    for (uint32_t i = 0; i < n_items; i++) {
        buf_add(&packed, &i, sizeof i);
        buf_printf(&packed, "%s|%s", items[i].opcode, items[i].row->operands);
        buf_add(&packed, "", 1);
    }
    const bool is_written = write_packed(&packed, to);
    buf_release(&cubin);
    buf_release(&packed);
    return !is_written;
}

// The kernel of an item on its operands; NULL, or why it did not run.
static const char *run_as_machine_code(struct machine_module *m, uint64_t buffers[2], uint32_t kernel, bool has_carry,
                                       struct op_samples *s)
{
    enum { COLUMN = OP_SAMPLES * 8, MAX_COLUMNS = 8 };
    char name[16];
    uint8_t *in = memory_host(m->memory, buffers[0], MAX_COLUMNS * COLUMN);
    uint8_t *out = memory_host(m->memory, buffers[1], 2 * COLUMN);
    memset(in, 0, MAX_COLUMNS * COLUMN);
    memset(out, 0, 2 * COLUMN);
    memcpy(in, s->in, (size_t)s->n_inputs * COLUMN);
    if (has_carry)
        memcpy(in + s->n_inputs * COLUMN, s->carry, COLUMN);
    snprintf(name, sizeof name, "c%u", kernel);
    const char *why = machine_launch(m, name, buffers, OP_SAMPLES);
    memcpy(s->out, out, COLUMN);
    memcpy(s->carry_out, out + COLUMN, COLUMN);
    return why;
}

// Where the answers of an instruction lie, by its key; NULL: not measured.
static const uint8_t *find_stored(const struct buf *stored, const char *key, uint32_t *width)
{
    for (size_t at = 0; at < stored->n;) {
        const char *name = stored->at + at;
        const struct item *item = find_item(name);
        at += strlen(name) + 1;
        *width = (uint8_t)stored->at[at++];
        if (strcmp(name, key) == 0)
            return (const uint8_t *)stored->at + at;
        at += OP_SAMPLES * (*width + (item && item->has_carry));
    }
    return NULL;
}

static void machine_code_gives_the_gpus_results(void **unused)
{
    (void)unused;
    static struct op_samples s;
    struct buf stored = {0}, packed = {0};
    struct machine_module m;
    uint32_t size, n_compared = 0, n_refused = 0, n_different = 0;
    packed_read(stored_path, &stored);
    packed_read(machine_path, &packed);
    memcpy(&size, packed.at, sizeof size);
    machine_open(&m, packed.at + sizeof size, size);
    uint64_t buffers[2] = {memory_alloc(m.memory, 8 * OP_SAMPLES * 8, 256, "in"),
                           memory_alloc(m.memory, 2 * OP_SAMPLES * 8, 256, "out")};
    for (size_t at = sizeof size + size; at < packed.n;) {
        uint32_t kernel, width = 0;
        memcpy(&kernel, packed.at + at, sizeof kernel);
        const char *key = packed.at + at + sizeof kernel;
        at += sizeof kernel + strlen(key) + 1;
        const struct item *item = find_item(key);
        const uint8_t *results = item ? find_stored(&stored, key, &width) : NULL;
        if (!results)
            continue;
        s.operands = item->row->operands;
        op_samples(item->opcode, &s);
        const char *why = run_as_machine_code(&m, buffers, kernel, item->has_carry, &s);
        n_refused += why != NULL;
        if (why)
            print_message("%s: %s\n", item->opcode, why);
        else
            n_different += compare(item->opcode, item->row, &s, width, results,
                                   item->has_carry ? results + OP_SAMPLES * width : NULL) > 0;
        n_compared += why == NULL;
    }
    print_message("%u instructions with their types as machine code, %u differ from the H200, %u are not executed\n",
                  n_compared, n_different, n_refused);
    machine_close(&m);
    buf_release(&stored);
    buf_release(&packed);
    assert_int_equal(n_different, 0);
    assert_in_range(n_refused, 0, MAX_REFUSED);
    assert_in_range(n_compared, 1300, MAX_ITEMS);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_the_gpus),
                                       cmocka_unit_test(machine_code_gives_the_gpus_results)};
    collect();
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_cases(argv[2]);
    if (argc == 4 && strcmp(argv[1], "--store") == 0)
        return store(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "--machine") == 0)
        return store_machine(argv[2], argv[3]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
