// Runs tables of op_harness.h.
#include "support/op_harness.h"
#include "isa/form.h"
#include "simt/ops.h"
#include "support/check.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_DST = 4, ROW_SRC = 8, N_ROWS_USED = 24, N_ROUNDS = 80, MAX_INPUTS = 6 };

bool opcode_has(const char *opcode, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = opcode; (at = strchr(at, '.')) != NULL; at++)
        if (strncmp(at + 1, word, n) == 0 && (at[1 + n] == '.' || at[1 + n] == '\0'))
            return true;
    return false;
}

uint32_t bits_of_type(enum ptx_type type)
{
    return type == PT_PRED ? 1 : 8 * ptx_type_bytes(type);
}

bool bits_are_signed(enum ptx_type type)
{
    return type == PT_S8 || type == PT_S16 || type == PT_S32 || type == PT_S64;
}

bool bits_are_float(enum ptx_type type)
{
    return type == PT_F32 || type == PT_F64;
}

// ---- values ----------------------------------------------------------------------------------------

static uint64_t random_state = 0x9e3779b97f4a7c15u;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1du;
}

static const uint64_t integer_edges[] = {0,
                                         1,
                                         2,
                                         3,
                                         5,
                                         7,
                                         8,
                                         15,
                                         16,
                                         17,
                                         31,
                                         32,
                                         33,
                                         63,
                                         64,
                                         65,
                                         127,
                                         128,
                                         255,
                                         256,
                                         0x7fff,
                                         0x8000,
                                         0xffff,
                                         0x10000,
                                         0x7fffffff,
                                         0x80000000,
                                         0x80000001,
                                         0xfffffffe,
                                         0xffffffff,
                                         0x100000000,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         0x8000000000000001,
                                         0xfffffffffffffffe,
                                         0xffffffffffffffff,
                                         0x55555555aaaaaaaa,
                                         0xffffffff80000000};
static const uint32_t f32_edges[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001,
                                     0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff,
                                     0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
                                     0x3f800001, 0x3f7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000,
                                     0x40490fdb, 0x4b800000, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x4effffff,
                                     0x4f800000, 0x5f000000, 0x5f800000, 0x34000000, 0x33800000, 0x7e800000};
static const uint64_t f64_edges[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x0000000000000001,
    0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x3fe0000000000000,
    0xbfe0000000000000, 0x4004000000000000, 0x400921fb54442d18, 0x41dfffffffc00000, 0xc1e0000000000000,
    0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000, 0x43f0000000000000, 0x47efffffe0000000,
    0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x380fffffc0000000,
    0x380fffffe0000000, 0x3810000000000000, 0x3ff0000010000000, 0x3ff0000030000000};

static const uint16_t f16_edges[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400,
                                     0x8400, 0x0401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01,
                                     0x3c01, 0x3bff, 0x3800, 0xb800, 0x3e00, 0x4100, 0x6400, 0x57ff, 0x5800,
                                     0x77ff, 0x7800, 0x2400, 0x5bff, 0x1400, 0x5f00};

// Bit patterns of 16 bits: for bf16 the upper halves of the f32 edges.
static uint64_t pick_16(bool is_bf16, bool is_edge)
{
    uint64_t bits = random_bits();
    if (is_edge)
        return is_bf16 ? f32_edges[bits % N_ELEMENTS(f32_edges)] >> 16
                       : f16_edges[bits % N_ELEMENTS(f16_edges)];
    if (bits >> 62 == 0)
        return bits & 0xffff;
    return is_bf16 ? (bits & 0x807f) | (120 + (bits >> 40 & 15)) << 7
                   : (bits & 0x83ff) | (8 + (bits >> 40 & 15)) << 10;
}

static uint64_t random_f32(void)
{
    uint64_t bits = random_bits();
    switch (bits >> 60) {
    case 0:
        return bits & 0x807fffff; // subnormal
    case 1:
        return bits & 0xffffffff; // anything
    case 2:
    case 3:
    case 4: // 2^-31 .. 2^31, subnormal numbers of f16 among them; sometimes half-way between two short
            // numbers
        bits &= bits >> 56 & 1 ? UINT64_MAX : ~(uint64_t)0xfff;
        return (bits & 0x807fffff) | (96 + (bits >> 40 & 63)) << 23;
    default:
        return (bits & 0x807fffff) | (120 + (bits >> 40 & 15)) << 23; // near 1: rounding and cancellation
    }
}

static uint64_t random_f64(void)
{
    uint64_t bits = random_bits();
    switch (bits >> 8 & 15) {
    case 0:
        return bits & 0x800fffffffffffff;
    case 1:
        return random_bits();
    case 2:
        return (bits & 0x800fffffffffffff) | (870 + (random_bits() & 63)) << 52; // near f32 subnormals
    default:
        return (bits & 0x800fffffffffffff) | (1016 + (random_bits() & 15)) << 52;
    }
}

// Of any length. The number comes first, whatever order a compiler prefers: stored results belong to these operands.
static uint64_t random_magnitude(void)
{
    uint64_t bits = random_bits();
    return bits >> (random_bits() % 64);
}

static uint64_t pick(enum ptx_type type, uint32_t round)
{
    if (type == PT_PRED)
        return random_bits() >> 63;
    bool is_edge = random_bits() % 4 < (round % 4);
    bool is_f16 = type == PT_F16 || type == PT_F16X2, is_bf16 = type == PT_BF16 || type == PT_BF16X2;
    if (is_f16 || is_bf16) {
        uint64_t low = pick_16(is_bf16, is_edge), high = pick_16(is_bf16, random_bits() % 4 < (round % 4));
        return bits_of_type(type) == 32 ? high << 16 | low : low;
    }
    if (type == PT_F32)
        return is_edge ? f32_edges[random_bits() % N_ELEMENTS(f32_edges)] : random_f32();
    if (type == PT_F64)
        return is_edge ? f64_edges[random_bits() % N_ELEMENTS(f64_edges)] : random_f64();
    uint64_t bits = is_edge             ? integer_edges[random_bits() % N_ELEMENTS(integer_edges)]
                    : random_bits() % 2 ? random_bits()
                                        : random_magnitude();
    uint32_t width = bits_of_type(type);
    return width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits;
}

// ---- one instruction -------------------------------------------------------------------------------

struct bench {
    struct arena arena;
    struct kernel kernel;
    struct function function;
    struct launch launch;
    struct block block;
    struct sim sim;
    struct op op;
    struct insn insn;
    const struct op_case *row;
    char opcode[64];
    enum ptx_type inputs[MAX_INPUTS]; // types of sources in order
    uint32_t n_inputs, immediate;
};

static void resolve(struct bench *b, const char *opcode, const char *operands)
{
    struct err err = {0};
    char *text = arena_printf(&b->arena,
                              ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                              ".reg .b64 d, a, b, c, e;\n.reg .pred p, q, r, s;\n%s %s;\n}\n",
                              opcode, operands);
    struct ptx_module *module = ptx_parse(&b->arena, "test.ptx", text, strlen(text), &err);
    if (!module || !op_resolve(module, &module->functions[0]->insns[0], &b->op, &err))
        fail_msg("%s %s: %s", opcode, operands, err.text);
    const struct ptx_insn *insn = &module->functions[0]->insns[0];
    b->insn = (struct insn){
        .form = b->op.form, .mod = b->op.mod, .dst = ROW(ROW_REG, ROW_DST), .extra = NO_BARRIER};
    uint32_t n_src = 0, n_pdst = 0, n_psrc = 0;
    b->n_inputs = 0;
    for (uint32_t i = 0; i < b->op.n_roles; i++) {
        switch (b->op.roles[i]) {
        case ROLE_SRC:
            b->insn.src[n_src] = ROW(ROW_REG, ROW_SRC + 2 * n_src);
            n_src++;
            b->inputs[b->n_inputs++] = b->op.role_types[i];
            break;
        case ROLE_PSRC:
            b->insn.psrc[n_psrc] = (predref)(5 + n_psrc);
            n_psrc++;
            b->inputs[b->n_inputs++] = PT_PRED;
            break;
        case ROLE_PDST:
            b->insn.pdst[n_pdst++] = 1;
            if (insn->operands[i].pair)
                b->insn.pdst[n_pdst++] = 2;
            break;
        case ROLE_IMM_EXTRA:
            b->insn.extra = b->immediate = (uint32_t)insn->operands[i].bits;
            break;
        default:
            break;
        }
    }
}

static void bench_start(struct bench *b, const struct op_case *row, const char *opcode)
{
    memset(b, 0, sizeof *b);
    arena_init(&b->arena, "op test");
    b->row = row;
    snprintf(b->opcode, sizeof b->opcode, "%s", opcode);
    resolve(b, opcode, row->operands);
    b->function = (struct function){.name = "k", .n_insns = 1, .n_rows = N_ROWS_USED, .n_preds = 8};
    b->kernel = (struct kernel){.insns = &b->insn,
                                .n_insns = 1,
                                .functions = &b->function,
                                .n_functions = 1,
                                .frame_rows = N_ROWS_USED};
    b->launch = (struct launch){.kernel = &b->kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    b->sim.launch = &b->launch;
    block_allocate(&b->launch, &b->block);
}

static void bench_end(struct bench *b)
{
    block_release(&b->block);
    arena_release(&b->arena);
}

// Registers hold garbage above the bits of narrow values, as lowering may leave there.
static void write_lane(struct warp *warp, uint32_t row, int lane, enum ptx_type type, uint64_t bits)
{
    uint32_t garbage = bits_of_type(type) < 32 ? (uint32_t)random_bits() << bits_of_type(type) : 0;
    warp->stack[row * 32 + (uint32_t)lane] = (uint32_t)bits | garbage;
    warp->stack[(row + 1) * 32 + (uint32_t)lane] = (uint32_t)(bits >> 32);
}

static uint64_t read_lane(const struct warp *warp, uint32_t row, int lane)
{
    return warp->stack[row * 32 + (uint32_t)lane] | (uint64_t)warp->stack[(row + 1) * 32 + (uint32_t)lane]
                                                        << 32;
}

struct values {
    uint64_t in[MAX_INPUTS][32], old[32];
    lanemask on, carry;
};

static void prepare(struct bench *b, struct values *v, uint32_t round)
{
    struct warp *warp = &b->block.warps[0];
    block_start(&b->launch, &b->block, 0, 0, 0);
    v->on = round % 3 == 0 ? (lanemask)random_bits() | 1u << (round % 32) : 0xffffffffu;
    warp->splits[0].mask = warp->live = v->on;
    for (int lane = 0; lane < 32; lane++) {
        uint32_t src = 0, psrc = 0;
        for (uint32_t k = 0; k < b->n_inputs; k++) {
            uint64_t bits = v->in[k][lane] = pick(b->inputs[k], round);
            if (b->inputs[k] == PT_PRED)
                warp->preds[5 + psrc++] |= (uint32_t)bits << lane;
            else
                write_lane(warp, ROW_SRC + 2 * src++, lane, b->inputs[k], bits);
        }
        write_lane(warp, ROW_DST, lane, PT_B64, random_bits());
        v->old[lane] = read_lane(warp, ROW_DST, lane);
    }
    warp->carry = v->carry = (uint32_t)random_bits();
    warp->preds[1] = (uint32_t)random_bits();
    warp->preds[2] = (uint32_t)random_bits();
}

// Bit patterns of 16 bits, as far apart as their difference: `ulps` steps at most in each half, or NaN and
// NaN.
static bool are_halves_close(uint64_t got, uint64_t want, double ulps)
{
    bool are_close = true;
    for (int shift = 0; shift < 32; shift += 16) {
        int32_t x = (int32_t)(got >> shift & 0xffff), y = (int32_t)(want >> shift & 0xffff);
        are_close &= fabs((double)x - y) <= ulps;
    }
    return are_close;
}

// How far results may be off beside units in the last place: sines and logarithms have a fixed point.
static double fixed_error(const char *opcode)
{
    bool is_fixed =
        strncmp(opcode, "sin", 3) == 0 || strncmp(opcode, "cos", 3) == 0 || strncmp(opcode, "lg2", 3) == 0;
    return is_fixed ? 0x1p-21 : 0;
}

static bool is_close(enum ptx_type type, uint64_t got, uint64_t want, double ulps, double fixed)
{
    double x, y, unit;
    if (type == PT_F16 || type == PT_BF16)
        return are_halves_close(got & 0xffff, want & 0xffff, ulps);
    if (type == PT_F16X2 || type == PT_BF16X2)
        return are_halves_close(got, want, ulps);
    if (type == PT_F32) {
        float fx, fy;
        memcpy(&fx, &got, 4);
        memcpy(&fy, &want, 4);
        x = fx, y = fy;
        unit = fabs((double)nextafterf(fy, INFINITY) - fy);
    } else {
        memcpy(&x, &got, 8);
        memcpy(&y, &want, 8);
        unit = fabs(nextafter(y, INFINITY) - y);
    }
    return isnan(y) ? isnan(x) : x == y || fabs(x - y) <= ulps * unit + fixed;
}

static void check_carry(const struct bench *b, const struct op_lane *one, bool is_on, int lane)
{
    uint32_t got = b->block.warps[0].carry >> lane & 1;
    uint32_t want = is_on && b->row->carry ? b->row->carry(one) : one->carry;
    if (got != want)
        fail_msg("%s: carry of lane %d is %u: in %" PRIx64 " %" PRIx64 " %" PRIx64 " carry %u", b->opcode,
                 lane, got, one->in[0], one->in[1], one->in[2], one->carry);
}

static void check_lane(const struct bench *b, const struct values *v, const char *level, int lane,
                       uint64_t preds[2])
{
    const struct warp *warp = &b->block.warps[0];
    struct op_lane one = {.opcode = b->opcode,
                          .type = b->inputs[0],
                          .dst_type = b->op.role_types[0],
                          .immediate = b->immediate,
                          .old = v->old[lane],
                          .carry = v->carry >> lane & 1};
    for (uint32_t k = 0; k < b->n_inputs; k++)
        one.in[k] = v->in[k][lane];
    check_carry(b, &one, v->on >> lane & 1, lane);
    bool is_pred = b->op.roles[0] == ROLE_PDST;
    uint32_t width = is_pred ? 2 : bits_of_type(one.dst_type);
    uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
    uint64_t got = is_pred ? (warp->preds[1] >> lane & 1) | (warp->preds[2] >> lane & 1) << 1
                           : read_lane(warp, ROW_DST, lane);
    uint64_t want = b->row->reference(&one);
    if (is_pred && b->insn.pdst[1] == PRED_TRUE) // q keeps its value
        want = (want & 1) | (preds[1] >> lane & 1) << 1;
    if (!(v->on >> lane & 1)) {
        want = is_pred ? (preds[0] >> lane & 1) | (preds[1] >> lane & 1) << 1 : v->old[lane];
        mask = is_pred ? 3 : UINT64_MAX;
    }
    if (((got ^ want) & mask) == 0)
        return;
    if ((v->on >> lane & 1) && b->row->ulps > 0 &&
        is_close(one.dst_type, got, want, b->row->ulps, fixed_error(b->opcode)))
        return;
    fail_msg("%s %s (%s), lane %d %s: in %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 ", got %" PRIx64
             ", want %" PRIx64,
             b->opcode, b->row->operands, level, lane, v->on >> lane & 1 ? "on" : "off", one.in[0], one.in[1],
             one.in[2], one.in[3], got & mask, want & mask);
}

static void check_level(const struct op_case *row, const char *opcode, const char *level,
                        const handler *handlers)
{
    static struct bench b;
    static struct values v;
    struct step step;
    bench_start(&b, row, opcode);
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        prepare(&b, &v, round);
        uint64_t preds[2] = {b.block.warps[0].preds[1], b.block.warps[0].preds[2]};
        if (round % 5 == 4 &&
            b.insn.src[0] == ROW(ROW_REG, ROW_SRC)) { // the result goes over the first source
            struct warp *warp = &b.block.warps[0];
            for (int lane = 0; lane < 32; lane++) {
                write_lane(warp, ROW_DST, lane, b.inputs[0], v.in[0][lane]);
                v.old[lane] = read_lane(warp, ROW_DST, lane);
            }
            b.insn.src[0] = b.insn.dst;
        }
        enum step_kind kind = warp_step(&b.sim, handlers, &b.block.warps[0], &step);
        if (kind != STEP_PLAIN)
            fail_msg("%s: step kind %d", opcode, kind);
        b.insn.src[0] = ROW(ROW_REG, ROW_SRC);
        for (int lane = 0; lane < 32; lane++)
            check_lane(&b, &v, level, lane, preds);
    }
    bench_end(&b);
}

// ---- tables ----------------------------------------------------------------------------------------

#ifdef HAVE_HANDLER_LEVELS
static void check_levels(const struct op_case *row, const char *opcode)
{
    const handler *best = handlers_choose();
    check_level(row, opcode, "base", handlers_base);
    if (best != handlers_base)
        check_level(row, opcode, "v3", handlers_v3);
    if (best == handlers_v4)
        check_level(row, opcode, "v4", handlers_v4);
}
#else
static void check_levels(const struct op_case *row, const char *opcode)
{
    check_level(row, opcode, "base", handlers_base);
}
#endif

// The opcode with its `n`th type; false behind the last one.
static bool opcode_of(const struct op_case *row, uint32_t n, char *out, size_t size)
{
    const char *at = row->types;
    if (!at) {
        snprintf(out, size, "%s", row->opcode);
        return n == 0;
    }
    for (uint32_t i = 0; i < n && at; i++)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    if (!at)
        return false;
    const char *end = strchr(at, ' ');
    snprintf(out, size, "%s.%.*s", row->opcode, end ? (int)(end - at) : (int)strlen(at), at);
    return true;
}

static void check_row(void **state)
{
    const struct op_case *row = *state;
    char opcode[64];
    for (uint32_t n = 0; opcode_of(row, n, opcode, sizeof opcode); n++)
        check_levels(row, opcode);
}

void op_cases_resolve(const struct op_case *cases, bool *forms_seen)
{
    static struct bench b;
    char opcode[64];
    for (const struct op_case *row = cases; row->opcode; row++) {
        for (uint32_t n = 0; opcode_of(row, n, opcode, sizeof opcode); n++) {
            arena_init(&b.arena, "op test");
            resolve(&b, opcode, row->operands);
            forms_seen[b.op.form] = true;
            arena_release(&b.arena);
        }
    }
}

int op_cases_run(const struct op_case *cases)
{
    static struct CMUnitTest tests[512];
    size_t n = 0;
    for (const struct op_case *row = cases; row->opcode; row++)
        tests[n++] = (struct CMUnitTest){
            .name = row->opcode, .test_func = check_row, .initial_state = (void *)(uintptr_t)row};
    return _cmocka_run_group_tests("op", tests, n, NULL, NULL);
}

// ---- one instruction by itself: what a GPU is given and what it answers ------------------------------

void op_samples(const char *opcode, struct op_samples *out)
{
    static struct bench b;
    const struct op_case row = {.opcode = opcode, .operands = out->operands};
    arena_init(&b.arena, "op samples");
    resolve(&b, opcode, row.operands);
    random_state = 0x9e3779b97f4a7c15u;
    for (const char *c = opcode; *c; c++)
        random_state = (random_state ^ (uint8_t)*c) * 0x100000001b3u;
    out->n_inputs = b.n_inputs;
    out->is_pred = b.op.roles[0] == ROLE_PDST;
    out->has_q = b.insn.pdst[1] != PRED_TRUE;
    out->dst = b.op.role_types[0];
    for (uint32_t k = 0; k < b.n_inputs; k++) {
        out->inputs[k] = b.inputs[k];
        for (uint32_t i = 0; i < OP_SAMPLES; i++)
            out->in[k][i] = pick(b.inputs[k], i < OP_SAMPLES / 2 ? 3 : i);
    }
    for (uint32_t i = 0; i < OP_SAMPLES; i++)
        out->carry[i] = random_bits() >> 63;
    arena_release(&b.arena);
}

void op_samples_run(const char *opcode, struct op_samples *s)
{
    static struct bench b;
    struct step step;
    const struct op_case row = {.opcode = opcode, .operands = s->operands};
    const handler *handlers = handlers_choose();
    bench_start(&b, &row, opcode);
    for (uint32_t first = 0; first < OP_SAMPLES; first += 32) {
        struct warp *warp = &b.block.warps[0];
        block_start(&b.launch, &b.block, 0, 0, 0);
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t src = 0, psrc = 0;
            for (uint32_t k = 0; k < b.n_inputs; k++) {
                if (b.inputs[k] == PT_PRED)
                    warp->preds[5 + psrc++] |= (uint32_t)s->in[k][first + lane] << lane;
                else
                    write_lane(warp, ROW_SRC + 2 * src++, (int)lane, b.inputs[k], s->in[k][first + lane]);
            }
            write_lane(warp, ROW_DST, (int)lane, PT_B64, 0);
            warp->carry |= (uint32_t)s->carry[first + lane] << lane;
        }
        if (warp_step(&b.sim, handlers, warp, &step) != STEP_PLAIN)
            fail_msg("%s: not a plain step", opcode);
        for (uint32_t lane = 0; lane < 32; lane++) {
            s->out[first + lane] = s->is_pred
                                       ? (warp->preds[1] >> lane & 1) |
                                             (s->has_q ? (uint64_t)(warp->preds[2] >> lane & 1) << 1 : 0)
                                       : read_lane(warp, ROW_DST, (int)lane);
            s->carry_out[first + lane] = warp->carry >> lane & 1;
        }
    }
    bench_end(&b);
}

void op_operands(const char *seed, uint32_t k, enum ptx_type type, uint32_t n, uint64_t *out)
{
    random_state = 0x9e3779b97f4a7c15u + k;
    for (const char *c = seed; *c; c++)
        random_state = (random_state ^ (uint8_t)*c) * 0x100000001b3u;
    random_bits();
    for (uint32_t i = 0; i < n; i++)
        out[i] = pick(type, i % 2 ? 3 : i / 2);
}

bool op_case_opcode(const struct op_case *row, uint32_t n, char *out, size_t size)
{
    return opcode_of(row, n, out, size);
}

bool op_results_are_close(enum ptx_type type, uint64_t got, uint64_t want, double ulps)
{
    return is_close(type, got, want, ulps, 0);
}
