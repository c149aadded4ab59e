// Functions of device code that the engine provides: vprintf, __assertfail, malloc, free. A call waits in the
// queue of strong operations and takes effect between epochs, so output and addresses are the same for every
// number of host threads. The calling lanes wait meanwhile: their registers and local memory stay as they are
// until then.
#include "isa/form.h"
#include "mem/heap.h"
#include "simt/address.h"
#include "simt/console.h"
#include "simt/format.h"
#include "simt/ops.h"

// The guide's limit: what follows is printed as it stands in the format (CUDA C++ programming guide,
// "Limitations").
enum { MAX_PRINTF_ARGUMENTS = 32 };
// Longer texts are cut: guest memory without a NUL must not take the host's memory.
enum { MAX_STRING_BYTES = 4 << 20, MAX_ASSERT_BYTES = 4096 };

enum {
    PRINTF_NO_FORMAT = -1,
    PRINTF_RECORD_BYTES = 8
}; // results of printf and size in its buffer, see console.h

// One call of one lane, as it takes effect.
struct native {
    struct sim *sim;
    const struct exchange *exchange;
    uint32_t lane;
};

enum step_kind op_native(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    struct exchange *x = &sim->exchange;
    if (warp->pending_exchanges++ == 0) { // a call touches no bytes that later accesses must wait for
        warp->pending_low = UINT64_MAX;
        warp->pending_high = 0;
    }
    x->warp = warp;
    x->insn = insn;
    x->access.mask = on;
    x->split = warp->current;
    x->frame = split_current(warp)->frame;
    x->waits = x->is_call = true;
    split_wait(warp, SPLIT_EXCHANGE, 0, false);
    return STEP_EXCHANGE;
}

// ---- operands ----------------------------------------------------------------------------------------

static const uint32_t *operand_row(const struct native *n, rowref ref)
{
    const struct exchange *x = n->exchange;
    uint32_t first = ROW_SPACE(ref) == ROW_REG ? x->frame : 0;
    const uint32_t *rows = ROW_SPACE(ref) == ROW_REG ? x->warp->stack : x->warp->rows[ROW_SPACE(ref)];
    return rows + (size_t)(first + ROW_NUMBER(ref)) * ROW_LANES;
}

static uint64_t operand_u64(const struct native *n, uint32_t source)
{
    return get_u64(operand_row(n, n->exchange->insn->src[source]), (int)n->lane);
}

static uint32_t operand_u32(const struct native *n, uint32_t source)
{
    return operand_row(n, n->exchange->insn->src[source])[n->lane];
}

static uint32_t *result_row(const struct native *n)
{
    const struct exchange *x = n->exchange;
    return x->warp->stack + (size_t)(x->frame + ROW_NUMBER(x->insn->dst)) * ROW_LANES;
}

// ---- guest memory by generic address -------------------------------------------------------------------

static const uint8_t *local_byte(const struct native *n, uint64_t offset)
{
    const struct warp *warp = n->exchange->warp;
    return offset < warp->local_bytes ? warp->local + offset / 4 * ROW_BYTES + n->lane * 4 + offset % 4
                                      : NULL;
}

static const uint8_t *guest_byte(const struct native *n, uint64_t address)
{
    const struct launch *launch = n->sim->launch;
    const struct block *block = n->exchange->warp->block;
    if (address - MEMORY_LOCAL_WINDOW < MEMORY_WINDOW_BYTES)
        return local_byte(n, address - MEMORY_LOCAL_WINDOW);
    if (address - MEMORY_SHARED_WINDOW < MEMORY_CLUSTER_BYTES)
        return shared_offset(block, (uint32_t)(address - MEMORY_SHARED_WINDOW)) < block->shared_bytes
                   ? block->shared + shared_offset(block, (uint32_t)(address - MEMORY_SHARED_WINDOW))
                   : NULL;
    if (address - KERNEL_PARAM_WINDOW < launch->kernel->param_bytes)
        return launch->params + (address - KERNEL_PARAM_WINDOW);
    return memory_host_fast(launch->memory, &n->sim->cursor, address, 1);
}

// False, with the fault filled, when the guest cannot read there.
static bool guest_read(const struct native *n, uint64_t address, void *out, uint32_t n_bytes)
{
    for (uint32_t i = 0; i < n_bytes; i++) {
        const uint8_t *byte = guest_byte(n, address + i);
        if (!byte) {
            fault_call(n->sim, n->exchange, FAULT_OUT_OF_BOUNDS, n->lane);
            n->sim->fault.address = address + i;
            return false;
        }
        ((uint8_t *)out)[i] = *byte;
    }
    return true;
}

static bool guest_string(const struct native *n, uint64_t address, struct buf *out)
{
    char c;
    buf_clear(out);
    for (; guest_read(n, address, &c, 1); address++) {
        if (!c || out->n == MAX_STRING_BYTES)
            return true;
        buf_add(out, &c, 1);
    }
    return false;
}

// ---- printf --------------------------------------------------------------------------------------------

struct printing {
    const struct native *native;
    struct buf format, string, text;
    uint64_t arguments, offset; // the list of arguments and how far it has been read
    uint64_t buffer_bytes;
    int32_t n_arguments;
};

// The next argument; each is aligned to its size, as the compiler lays them out.
static bool next_argument(struct printing *p, uint32_t n_bytes, uint64_t *bits)
{
    *bits = 0;
    p->offset = (p->offset + n_bytes - 1) / n_bytes * n_bytes;
    p->offset += n_bytes;
    p->n_arguments++;
    p->buffer_bytes += PRINTF_RECORD_BYTES;
    return guest_read(p->native, p->arguments + p->offset - n_bytes, bits, n_bytes);
}

static bool print_string(struct printing *p, const struct conversion *conversion, uint64_t address)
{
    if (address == 0) {
        conversion_print(conversion, 0, "(null)", &p->text);
        return true;
    }
    if (!guest_string(p->native, address, &p->string))
        return false;
    p->buffer_bytes += (p->string.n + PRINTF_RECORD_BYTES) / PRINTF_RECORD_BYTES * PRINTF_RECORD_BYTES;
    conversion_print(conversion, 0, p->string.at, &p->text);
    return true;
}

static bool print_conversion(struct printing *p, struct conversion *conversion)
{
    uint64_t bits = 0;
    if (conversion->has_width_argument) {
        if (!next_argument(p, 4, &bits))
            return false;
        conversion_set_width(conversion, (int32_t)bits);
    }
    if (conversion->has_precision_argument) {
        if (!next_argument(p, 4, &bits))
            return false;
        conversion_set_precision(conversion, (int32_t)bits);
    }
    if (conversion->argument_bytes && !next_argument(p, conversion->argument_bytes, &bits))
        return false;
    if (conversion->kind == CONVERT_STRING)
        return print_string(p, conversion, bits);
    conversion_print(conversion, bits, NULL, &p->text);
    return true;
}

static bool has_arguments_left(const struct printing *p, const struct conversion *c)
{
    int32_t n = c->has_width_argument + c->has_precision_argument + (c->argument_bytes != 0);
    return p->n_arguments + n <= MAX_PRINTF_ARGUMENTS;
}

static bool print_format(struct printing *p)
{
    const char *at = p->format.at, *end = at + p->format.n;
    while (at < end) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        struct conversion conversion;
        if (percent != at) {
            buf_add(&p->text, at, (size_t)((percent ? percent : end) - at));
            at = percent ? percent : end;
            continue;
        }
        if (!conversion_read(at, &conversion) || !has_arguments_left(p, &conversion)) {
            buf_add(&p->text, at++, 1); // as it is
            continue;
        }
        if (!print_conversion(p, &conversion))
            return false;
        at += conversion.text_bytes;
    }
    return true;
}

// src: format, list of arguments (generic addresses). dst: how many arguments there were.
static bool apply_printf(const struct native *n)
{
    struct printing p = {.native = n, .arguments = operand_u64(n, 1), .buffer_bytes = PRINTF_RECORD_BYTES};
    uint64_t format = operand_u64(n, 0);
    bool good = true;
    if (format == 0)
        p.n_arguments = PRINTF_NO_FORMAT;
    else
        good = guest_string(n, format, &p.format) && print_format(&p);
    if (good && format && n->sim->launch->console)
        console_add(n->sim->launch->console, p.text.at, p.text.n, p.buffer_bytes);
    if (n->exchange->insn->dst != ROW_NONE)
        result_row(n)[n->lane] = (uint32_t)p.n_arguments;
    buf_release(&p.format);
    buf_release(&p.string);
    buf_release(&p.text);
    return good;
}

// ---- assert --------------------------------------------------------------------------------------------

// Text of an argument of an assertion; what cannot be read is left out.
static void add_text(const struct native *n, uint32_t source, struct buf *out)
{
    const uint64_t begin = operand_u64(n, source);
    for (uint64_t i = 0; i < MAX_ASSERT_BYTES; i++) {
        const uint8_t *byte = guest_byte(n, begin + i);
        if (!byte || !*byte)
            return;
        buf_add(out, byte, 1);
    }
}

// src: message, file, line, function. Every lane says its line, the first one is the fault.
static bool apply_assert(const struct native *n)
{
    struct sim *sim = n->sim;
    struct buf line = {0};
    bool is_first = sim->fault.kind == FAULT_NONE;
    if (is_first)
        fault_call(sim, n->exchange, FAULT_ASSERT, n->lane);
    uint32_t thread[3];
    const uint32_t *block = n->exchange->warp->block->index;
    thread_of_lane(n->exchange->warp, sim->launch, n->lane, thread);
    add_text(n, 1, &line);
    buf_printf(&line, ":%u: ", operand_u32(n, 2));
    add_text(n, 3, &line);
    buf_printf(&line, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", block[0], block[1], block[2],
               thread[0], thread[1], thread[2]);
    add_text(n, 0, &line);
    buf_puts(&line, "` failed.");
    if (is_first)
        snprintf(sim->fault.note, sizeof sim->fault.note, "%s", line.at);
    if (sim->launch->console) {
        buf_add(&sim->launch->console->errors, line.at, line.n);
        buf_puts(&sim->launch->console->errors, "\n");
    }
    buf_release(&line);
    return true; // the other lanes too
}

// ---- malloc, free ----------------------------------------------------------------------------------------

// src: size, alignment (none: 16). dst: the address, 0 when there is no room.
static bool apply_malloc(const struct native *n)
{
    const struct launch *launch = n->sim->launch;
    const struct insn *insn = n->exchange->insn;
    uint64_t align = insn->src[1] == ROW_NONE ? HEAP_UNIT_BYTES : operand_u64(n, 1), address = 0;
    if (launch->heap)
        address = heap_alloc(launch->heap, launch->memory, operand_u64(n, 0), align);
    if (insn->dst != ROW_NONE)
        set_u64(result_row(n), (int)n->lane, address);
    return true;
}

// src: the address.
static bool apply_free(const struct native *n)
{
    const struct launch *launch = n->sim->launch;
    uint64_t address = operand_u64(n, 0);
    if (address == 0 || (launch->heap && heap_free(launch->heap, address)))
        return true;
    fault_call(n->sim, n->exchange, FAULT_BAD_FREE, n->lane);
    n->sim->fault.address = address;
    return false;
}

// ---- taking effect ---------------------------------------------------------------------------------------

static bool apply_lane(const struct native *n)
{
    switch (n->exchange->insn->form) {
    case FORM_PRINTF_none:
        return apply_printf(n);
    case FORM_ASSERT_none:
        return apply_assert(n);
    case FORM_MALLOC_none:
        return apply_malloc(n);
    default:
        return apply_free(n);
    }
}

bool native_apply(struct sim *sim, const struct exchange *exchange)
{
    for (lanemask rest = exchange->access.mask; rest; rest &= rest - 1) {
        struct native native = {sim, exchange, (uint32_t)__builtin_ctz(rest)};
        if (!apply_lane(&native))
            return false;
    }
    return exchange->insn->form != FORM_ASSERT_none;
}
