// ptx/lower and the engine: random programs of jumps, loops, early returns and calls, in which every lane
// takes a way of its own, leave in each lane what the same program leaves when that lane runs alone in C; and
// they all end.
#include "support/check.h"
#include "support/run_warp.h"
#include <stdlib.h>
#include <string.h>

enum { N_FUNCTIONS = 3, MAX_BLOCKS = 14, MAX_OPS = 6, N_REGISTERS = 8, N_PREDICATES = 4, FUEL = 12 };

enum op_kind {
    OP_ADD,
    OP_XOR,
    OP_MUL,
    OP_ADD_CONSTANT,
    OP_COMPARE,
    OP_SELECT,
    OP_SWAP,
    OP_DO_CALL,
    N_OP_KINDS
};

struct step_op {
    enum op_kind kind;
    uint32_t d, a, b, constant;
    int guard; // 0 = none, p + 1 = predicate p, -(p + 1) = not p
};

enum end_kind { END_FALL, END_JUMP, END_BRANCH, END_RETURN };

struct step_block {
    struct step_op ops[MAX_OPS];
    uint32_t n_ops, target;
    enum end_kind end;
    int guard;
};

struct program { // function 0 is the kernel; functions call those with higher numbers
    struct step_block blocks[MAX_BLOCKS];
    uint32_t n_blocks;
};

static uint32_t below(uint32_t n)
{
    return (uint32_t)rand() % n;
}

static int random_guard(void)
{
    int p = 1 + (int)below(N_PREDICATES);
    return below(2) ? p : -p;
}

static struct step_op random_op(uint32_t function)
{
    struct step_op op = {
        .kind = below(N_OP_KINDS), .d = below(N_REGISTERS), .a = below(N_REGISTERS), .b = below(N_REGISTERS)};
    op.constant = below(1000);
    op.guard = below(4) ? 0 : random_guard();
    if (op.kind == OP_DO_CALL && (function + 1 == N_FUNCTIONS || below(3)))
        op.kind = OP_ADD;
    if (op.kind == OP_DO_CALL)
        op.constant = function + 1 + below(N_FUNCTIONS - function - 1);
    return op;
}

static void random_program(struct program *program, uint32_t function)
{
    program->n_blocks = 2 + below(MAX_BLOCKS - 2);
    for (uint32_t b = 0; b < program->n_blocks; b++) {
        struct step_block *block = &program->blocks[b];
        block->n_ops = 1 + below(MAX_OPS);
        for (uint32_t i = 0; i < block->n_ops; i++)
            block->ops[i] = random_op(function);
        static const enum end_kind ends[] = {END_FALL,   END_JUMP,   END_BRANCH,
                                             END_BRANCH, END_BRANCH, END_RETURN};
        block->end = ends[below(N_ELEMENTS(ends))];
        block->target = below(program->n_blocks);
        block->guard = random_guard();
    }
}

// ---- the same in C ------------------------------------------------------------------------------------

static bool holds(const bool *predicates, int guard)
{
    return guard == 0 || (guard > 0 ? predicates[guard - 1] : !predicates[-guard - 1]);
}

static uint32_t run_alone(const struct program *programs, uint32_t function, uint32_t argument);

static void do_op(const struct program *programs, const struct step_op *op, uint32_t *r, bool *p)
{
    uint32_t a = r[op->a], b = r[op->b];
    if (!holds(p, op->guard))
        return;
    switch (op->kind) {
    case OP_ADD:
        r[op->d] = a + b;
        break;
    case OP_XOR:
        r[op->d] = a ^ b;
        break;
    case OP_MUL:
        r[op->d] = a * b;
        break;
    case OP_ADD_CONSTANT:
        r[op->d] = a + op->constant;
        break;
    case OP_COMPARE:
        p[op->d % N_PREDICATES] = a < b;
        break;
    case OP_SELECT:
        r[op->d] = p[op->constant % N_PREDICATES] ? a : b;
        break;
    case OP_SWAP:
        r[op->d] = a << 16 | a >> 16;
        break;
    default:
        r[op->d] = run_alone(programs, op->constant, a);
        break;
    }
}

static uint32_t run_alone(const struct program *programs, uint32_t function, uint32_t argument)
{
    const struct program *program = &programs[function];
    uint32_t r[N_REGISTERS], b = 0;
    bool p[N_PREDICATES];
    for (uint32_t i = 0; i < N_REGISTERS; i++)
        r[i] = argument * (2 * i + 1) + i;
    for (uint32_t i = 0; i < N_PREDICATES; i++)
        p[i] = argument >> i & 1;
    for (uint32_t fuel = FUEL; b < program->n_blocks && fuel > 0; fuel--) {
        const struct step_block *block = &program->blocks[b];
        for (uint32_t i = 0; i < block->n_ops; i++)
            do_op(programs, &block->ops[i], r, p);
        bool taken = block->end == END_JUMP || (block->end != END_FALL && holds(p, block->guard));
        if (taken && block->end == END_RETURN)
            break;
        b = taken ? block->target : b + 1;
    }
    return r[0];
}

// ---- the same in PTX ----------------------------------------------------------------------------------

static void print_guard(struct buf *out, int guard)
{
    if (guard)
        buf_printf(out, "@%s%%p%d ", guard < 0 ? "!" : "", (guard < 0 ? -guard : guard) - 1);
}

static void print_op(struct buf *out, const struct step_op *op)
{
    static const char *const formats[] = {"add.u32", "xor.b32", "mul.lo.u32"};
    if (op->kind == OP_DO_CALL)
        buf_printf(out, "{ .param .b32 p0; st.param.b32 [p0], %%r%u; .param .b32 q0; ", op->a);
    if (op->kind != OP_SWAP)
        print_guard(out, op->guard);
    switch (op->kind) {
    case OP_ADD:
    case OP_XOR:
    case OP_MUL:
        buf_printf(out, "%s %%r%u, %%r%u, %%r%u;\n", formats[op->kind], op->d, op->a, op->b);
        break;
    case OP_ADD_CONSTANT:
        buf_printf(out, "add.u32 %%r%u, %%r%u, %u;\n", op->d, op->a, op->constant);
        break;
    case OP_COMPARE:
        buf_printf(out, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", op->d % N_PREDICATES, op->a, op->b);
        break;
    case OP_SELECT:
        buf_printf(out, "selp.u32 %%r%u, %%r%u, %%r%u, %%p%u;\n", op->d, op->a, op->b,
                   op->constant % N_PREDICATES);
        break;
    case OP_SWAP:
        buf_printf(out, "{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %%r%u; ", op->a);
        print_guard(out, op->guard);
        buf_printf(out, "mov.b32 %%r%u, {hi, lo}; }\n", op->d);
        break;
    default:
        buf_printf(out, "call (q0), f%u, (p0); ", op->constant);
        print_guard(out, op->guard);
        buf_printf(out, "ld.param.b32 %%r%u, [q0]; }\n", op->d);
        break;
    }
}

// How a function gives its result. Lanes that leave early have given theirs before.
static void print_result(struct buf *out, uint32_t function)
{
    buf_puts(out,
             function ? "st.param.b32 [res], %r0;\n" : "cvt.u64.u32 %d2, %r0; st.global.u64 [%d1], %d2;\n");
}

static void print_block(struct buf *out, const struct program *program, uint32_t function, uint32_t b)
{
    const struct step_block *block = &program->blocks[b];
    buf_printf(out, "B%u: setp.eq.u32 %%pf, %%fuel, 0; @%%pf bra END; sub.u32 %%fuel, %%fuel, 1;\n", b);
    for (uint32_t i = 0; i < block->n_ops; i++)
        print_op(out, &block->ops[i]);
    if (block->end == END_RETURN)
        print_result(out, function);
    if (block->end == END_BRANCH || block->end == END_RETURN)
        print_guard(out, block->guard);
    if (block->end == END_BRANCH || block->end == END_JUMP)
        buf_printf(out, "bra B%u;\n", block->target);
    if (block->end == END_RETURN)
        buf_puts(out, "ret;\n");
}

static void print_body(struct buf *out, const struct program *program, uint32_t function)
{
    buf_printf(out, "{\n.reg .b32 %%r<%d>, %%fuel, %%x; .reg .pred %%p<%d>, %%pf; .reg .b64 %%d<3>;\n",
               N_REGISTERS, N_PREDICATES);
    if (function)
        buf_puts(out, "ld.param.u32 %x, [arg];\n");
    else
        buf_puts(out, "mov.u32 %x, %tid.x; ld.param.u64 %d1, [p]; mad.wide.u32 %d1, %x, 8, %d1;\n");
    for (uint32_t i = 0; i < N_REGISTERS; i++)
        buf_printf(out, "mad.lo.u32 %%r%u, %%x, %u, %u;\n", i, 2 * i + 1, i);
    for (uint32_t i = 0; i < N_PREDICATES; i++)
        buf_printf(out, "{ .reg .b32 bit; and.b32 bit, %%x, %u; setp.ne.u32 %%p%u, bit, 0; }\n", 1u << i, i);
    buf_printf(out, "mov.u32 %%fuel, %d;\n", FUEL);
    for (uint32_t b = 0; b < program->n_blocks; b++)
        print_block(out, program, function, b);
    buf_puts(out, "END:\n");
    print_result(out, function);
    buf_puts(out, "ret;\n}\n");
}

static void print_programs(struct buf *out, const struct program *programs)
{
    buf_clear(out);
    buf_puts(out, ".version 8.3\n.target sm_90\n.address_size 64\n");
    for (uint32_t f = N_FUNCTIONS; f-- > 1;) {
        buf_printf(out, ".func (.param .b32 res) f%u(.param .b32 arg)\n", f);
        print_body(out, &programs[f], f);
    }
    buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    print_body(out, &programs[0], 0);
}

static void check_programs(const struct program *programs, struct buf *text)
{
    struct run r;
    print_programs(text, programs);
    run_text(&r, text->at);
    if (r.fault.kind != FAULT_NONE)
        fail_msg("fault %d in\n%s", r.fault.kind, text->at);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t expected = run_alone(programs, 0, lane);
        if (r.result[lane] != expected)
            fail_msg("lane %u: %llx, not %x, from\n%s", lane, (unsigned long long)r.result[lane], expected,
                     text->at);
    }
    run_end(&r);
}

static void random_programs(void **state)
{
    (void)state;
    static struct program programs[N_FUNCTIONS];
    struct buf text = {0};
    srand(3);
    for (int round = 0; round < 300; round++) {
        for (uint32_t f = 0; f < N_FUNCTIONS; f++)
            random_program(&programs[f], f);
        check_programs(programs, &text);
    }
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
