// Loads, stores and atomics: each thread on bytes of its own, and integer atomics of a warp on one address.
#include "support/check.h"
#include "ptx/op.h"
#include "support/diff.h"
#include <stdio.h>
#include <string.h>

// Where the bytes are: the space of the suffix, the address in the text, and space and address of plain accesses.
static const struct area {
    const char *suffix, *address, *plain, *at, *note;
} areas[] = {
    {".global", "%ga", ".global", "%ga", ""}, {".shared", "%sa", ".shared", "%sa", ""},
    {"", "%ga", ".global", "%ga", ""},        {"", "%gs", ".shared", "%sa", " shared"},
    {".local", "%la", ".local", "%la", ""},   {".shared::cta", "%sa", ".shared", "%sa", ""},
};
enum { N_ATOMIC_AREAS = 4, N_AREAS = N_ELEMENTS(areas) };

// %ga, %sa, %la: 64 bytes of the thread's own in global, shared and local memory; %gs: %sa as a generic address;
// %ra: 32 bytes that nobody writes; %xa … %xe: the inputs.
static const char setup[] =
    ".reg .b64 %xa, %xb, %xc, %xe, %ga, %gs, %ra, %sa, %la;\n"
    ".shared .align 64 .b8 sm[2048];\n.local .align 64 .b8 lm[64];\n"
    "mov.u64 %ga, %scratch;\nmul.wide.u32 %at, %t, 64;\nmov.u64 %sa, sm;\nadd.u64 %sa, %sa, %at;\n"
    "cvta.shared.u64 %gs, %sa;\nmov.u64 %la, lm;\nmul.wide.u32 %at, %i, 24;\nadd.u64 %ra, %in, %at;\n"
    "ld.global.b64 %xa, [%in];\nadd.u64 %in, %in, %stride;\nld.global.b64 %xb, [%in];\n"
    "add.u64 %in, %in, %stride;\nld.global.b64 %xc, [%in];\nadd.u64 %in, %in, %stride;\n"
    "ld.global.b64 %xe, [%in];\n"
    ".reg .b64 %x8, %x9, %x10, %x11;\nmov.b64 %x8, %xa;\nmov.b64 %x9, %xb;\nmov.b64 %x10, %xc;\n"
    "mov.b64 %x11, %xe;\n";

static struct diff_shape shape_of(const char *family, const char *seed, enum ptx_type type)
{
    return (struct diff_shape){.family = family,
                               .seed = seed,
                               .setup = setup,
                               .inputs = {type, type, type, type},
                               .n_inputs = 4,
                               .scratch_bytes = 64};
}

static const char *const input_names[] = {"%xa", "%xb", "%xc", "%xe"};

// The four inputs side by side at the area's address.
static void write_fill(const struct area *area, struct buf *out)
{
    for (uint32_t k = 0; k < 4; k++)
        buf_printf(out, "st%s.b64 [%s+%u], %s;\n", area->plain, area->at, 8 * k, input_names[k]);
}

static uint32_t register_bits(enum ptx_type type)
{
    uint32_t bits = 8 * ptx_type_bytes(type);
    return bits < 16 ? 16 : bits;
}

// ---- loads and stores --------------------------------------------------------------------------------

static const char *const memory_types[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "b32", "u32",
                                           "s32", "f32", "b64", "u64", "s64", "f64", "b128"};
static const char *const load_ways[] = {"", ".volatile", ".weak", ".relaxed.cta", ".relaxed.cluster", ".relaxed.gpu",
                                        ".relaxed.sys", ".acquire.cta", ".acquire.cluster", ".acquire.gpu",
                                        ".acquire.sys", ".mmio.relaxed.sys"};
static const char *const store_ways[] = {"", ".volatile", ".weak", ".relaxed.cta", ".relaxed.cluster", ".relaxed.gpu",
                                         ".relaxed.sys", ".release.cta", ".release.cluster", ".release.gpu",
                                         ".release.sys", ".mmio.relaxed.sys"};
static const char *const load_hints[] = {"", ".ca", ".cg", ".cs", ".lu", ".cv", ".nc", ".ca.nc", ".cg.nc", ".cs.nc",
                                         ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
                                         ".L1::evict_last", ".L1::no_allocate", ".L2::64B", ".L2::128B",
                                         ".L2::256B", ".nc.L1::no_allocate.L2::128B", ".nc.L1::no_allocate.L2::256B",
                                         ".nc.L2::128B", ".nc.L1::evict_last"};
static const char *const store_hints[] = {"", ".wb", ".cg", ".cs", ".wt", ".L1::evict_normal", ".L1::evict_first",
                                          ".L1::evict_unchanged", ".L1::evict_last", ".L1::no_allocate"};
static const char *const vectors[] = {"", ".v2", ".v4"};

static void write_list(uint32_t n, const char *prefix, struct buf *out)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "%s%s%u%s", i ? ", " : n > 1 ? "{" : "", prefix, i, i + 1 < n ? "" : n > 1 ? "}" : "");
}

// Register `to`<n> = `from`<m>, one of them of 64 bits, the other of `bits`. Inputs are %x8 … as well.
static void write_copy(struct buf *out, const char *to, uint32_t n, const char *from, uint32_t m, uint32_t bits,
                       bool widens)
{
    if (bits == 64)
        buf_printf(out, "mov.b64 %s%u, %s%u;\n", to, n, from, m);
    else
        buf_printf(out, "cvt.u%u.u%u %s%u, %s%u;\n", widens ? 64 : bits, widens ? bits : 64, to, n, from, m);
}

static bool is_known(const char *opcode)
{
    enum op_status status;
    struct err err = {0};
    return op_find(opcode, &status, &err);
}

static void add_load(struct diff_set *set, const char *opcode, const struct area *area, const char *type_name,
                     uint32_t n)
{
    const enum ptx_type type = ptx_type_parse(type_name, strlen(type_name));
    const uint32_t bits = register_bits(type);
    const bool is_wide = bits == 128, is_global = strcmp(area->plain, ".global") == 0;
    char key[160], widths[32] = "";
    struct buf text = {0};
    if (!is_known(opcode))
        return;
    if (!is_global)
        write_fill(area, &text);
    buf_printf(&text, ".reg .b%u d<%u>;\n%s ", bits, n, opcode);
    write_list(n, "d", &text);
    buf_printf(&text, ", [%s];\n", is_global ? "%ra" : area->address);
    for (uint32_t k = 0; k < n; k++) {
        snprintf(widths + strlen(widths), sizeof widths - strlen(widths), "%u ", is_wide ? 16 : bits / 4);
        if (is_wide)
            buf_puts(&text, "st.global.b128 [%ga+32], d0;\nld.global.b64 %x0, [%ga+32];\n"
                            "ld.global.b64 %x1, [%ga+40];\n");
        else
            write_copy(&text, "%x", k, "d", k, bits, true);
    }
    if (is_wide)
        snprintf(widths, sizeof widths, "16 16");
    snprintf(key, sizeof key, "%s|%s", opcode, area->note);
    struct diff_shape shape = shape_of("ld", "ld", PT_B64);
    diff_add(set, &shape, key, widths, text.at);
    buf_release(&text);
}

static void add_store(struct diff_set *set, const char *opcode, const struct area *area, const char *type_name,
                      uint32_t n)
{
    const enum ptx_type type = ptx_type_parse(type_name, strlen(type_name));
    const uint32_t bits = register_bits(type), bytes = n * ptx_type_bytes(type);
    char key[160], widths[32] = "";
    struct buf text = {0};
    if (!is_known(opcode))
        return;
    for (uint32_t k = 0; k < 4; k++) // below and above what is stored the bytes stay
        buf_printf(&text, "st%s.b64 [%s+%u], 0x%x;\n", area->plain, area->at, 8 * k, 0x1111 * (k + 1));
    buf_printf(&text, ".reg .b%u d<%u>;\n", bits, n);
    for (uint32_t k = 0; k < n; k++)
        if (bits == 128)
            buf_puts(&text, "st.global.b64 [%ga+32], %xa;\nst.global.b64 [%ga+40], %xb;\n"
                            "ld.global.b128 d0, [%ga+32];\n");
        else
            write_copy(&text, "d", k, "%x", 8 + k, bits, false);
    buf_printf(&text, "%s [%s], ", opcode, area->address);
    write_list(n, "d", &text);
    buf_puts(&text, ";\n");
    for (uint32_t k = 0; 8 * k < bytes; k++) {
        buf_printf(&text, "ld%s.b64 %%x%u, [%s+%u];\n", area->plain, k, area->at, 8 * k);
        snprintf(widths + strlen(widths), sizeof widths - strlen(widths), "16 ");
    }
    snprintf(key, sizeof key, "%s|%s", opcode, area->note);
    struct diff_shape shape = shape_of("st", "st", PT_B64);
    diff_add(set, &shape, key, widths, text.at);
    buf_release(&text);
}

static void add_accesses(struct diff_set *set, bool is_load, const char *way, const char *hint, const char *type)
{
    char opcode[96];
    for (size_t a = 0; a < N_AREAS; a++)
        for (uint32_t v = 0; v < N_ELEMENTS(vectors); v++) {
            if (v && strcmp(type, "b128") == 0)
                continue;
            snprintf(opcode, sizeof opcode, "%s%s%s%s%s.%s", is_load ? "ld" : "st", way, areas[a].suffix, hint,
                     vectors[v], type);
            (is_load ? add_load : add_store)(set, opcode, &areas[a], type, 1u << v);
        }
}

static void add_all_accesses(struct diff_set *set)
{
    static const char *const hinted_types[] = {"u8", "b16", "s16", "b32", "f32", "u64", "f64"};
    for (size_t t = 0; t < N_ELEMENTS(memory_types); t++)
        for (size_t w = 0; w < N_ELEMENTS(load_ways); w++) {
            add_accesses(set, true, load_ways[w], "", memory_types[t]);
            add_accesses(set, false, store_ways[w], "", memory_types[t]);
        }
    for (size_t t = 0; t < N_ELEMENTS(hinted_types); t++) {
        for (size_t h = 0; h < N_ELEMENTS(load_hints); h++)
            add_accesses(set, true, "", load_hints[h], hinted_types[t]);
        for (size_t h = 0; h < N_ELEMENTS(store_hints); h++)
            add_accesses(set, false, "", store_hints[h], hinted_types[t]);
    }
}

// ---- atomics -----------------------------------------------------------------------------------------

static const char *const semantics[] = {"", ".relaxed", ".acquire", ".release", ".acq_rel"};
static const char *const scopes[] = {"", ".cta", ".cluster", ".gpu", ".sys"};
static const struct {
    const char *op, *types;
} operations[] = {
    {"add", "u32 s32 u64 f32 f64"},
    {"min", "u32 s32 u64 s64"},
    {"max", "u32 s32 u64 s64"},
    {"inc", "u32"},
    {"dec", "u32"},
    {"and", "b32 b64"},
    {"or", "b32 b64"},
    {"xor", "b32 b64"},
    {"exch", "b32 b64 b128"},
    {"cas", "b16 b32 b64 b128"},
    {"add.noftz", "f16 f16x2 bf16 bf16x2"},
};

// Registers b and c (and d, of the result) of the instruction's type from the inputs.
static void write_atomic_sources(uint32_t bits, bool is_cas, struct buf *out)
{
    buf_printf(out, ".reg .b%u b, c, d;\n", bits);
    const char *first = is_cas ? "%x0" : "%xb";
    if (bits == 128)
        buf_printf(out,
                   "st.global.b64 [%%ga+32], %s;\nst.global.b64 [%%ga+40], %s;\nld.global.b128 b, [%%ga+32];\n"
                   "st.global.b64 [%%ga+32], %%xe;\nld.global.b128 c, [%%ga+32];\n",
                   first, is_cas ? "%xb" : "%xc");
    else if (bits == 64)
        buf_printf(out, "mov.b64 b, %s;\nmov.b64 c, %%xc;\n", first);
    else if (bits == 32) // not by cvt.u32.u64: ptxas 13.0 then takes the upper half of b from the wrong register in its
                         // loop for two halves in shared memory
        buf_printf(out,
                   "st.global.b64 [%%ga+32], %s;\nld.volatile.global.b32 b, [%%ga+32];\n"
                   "st.global.b64 [%%ga+32], %%xc;\nld.volatile.global.b32 c, [%%ga+32];\n",
                   first);
    else
        buf_printf(out, "cvt.u%u.u64 b, %s;\ncvt.u%u.u64 c, %%xc;\n", bits, first, bits);
}

static void write_atomic_result(uint32_t bits, struct buf *out)
{
    if (bits == 128)
        buf_puts(out, "st.global.b128 [%ga+32], d;\nld.global.b64 %x1, [%ga+32];\nld.global.b64 %x2, [%ga+40];\n");
    else if (bits == 64)
        buf_puts(out, "mov.b64 %x1, d;\n");
    else
        buf_printf(out, "cvt.u64.u%u %%x1, d;\n", bits);
}

// Results: the word afterwards and what the instruction gave. Half of the threads of .cas find what they compare with.
static void add_atomic(struct diff_set *set, const char *opcode, const struct area *area, const char *type_name)
{
    const enum ptx_type type = ptx_type_parse(type_name, strlen(type_name));
    const uint32_t bits = register_bits(type);
    const bool is_cas = strstr(opcode, ".cas") != NULL, is_red = strncmp(opcode, "red", 3) == 0;
    char key[160];
    struct buf text = {0};
    if (!is_known(opcode))
        return;
    write_fill(area, &text);
    if (is_cas)
        buf_puts(&text, ".reg .pred odd;\nand.b32 %n, %i, 1;\nsetp.ne.u32 odd, %n, 0;\nselp.b64 %x0, %xa, %xc, odd;\n");
    write_atomic_sources(bits, is_cas, &text);
    buf_printf(&text, "%s %s[%s], b%s;\n", opcode, is_red ? "" : "d, ", area->address, is_cas ? ", c" : "");
    if (!is_red)
        write_atomic_result(bits, &text);
    buf_printf(&text, "ld%s.b64 %%x0, [%s];\n", area->plain, area->at);
    if (bits == 128)
        buf_printf(&text, "ld%s.b64 %%x3, [%s+8];\n", area->plain, area->at);
    snprintf(key, sizeof key, "%s|%s", opcode, area->note);
    char widths[32];
    snprintf(widths, sizeof widths, bits == 128 ? "16 16 16 16" : is_red ? "16" : "16 %u", bits / 4);
    struct diff_shape shape = shape_of(is_red ? "red" : "atom", type_name, type);
    diff_add(set, &shape, key, widths, text.at);
    buf_release(&text);
}

// All threads of a warp on one word of shared or global memory: what is in it afterwards does not depend on the order.
static void add_contended(struct diff_set *set, const char *opcode, const struct area *area, const char *type_name)
{
    const enum ptx_type type = ptx_type_parse(type_name, strlen(type_name));
    const uint32_t bits = register_bits(type);
    const bool is_red = strncmp(opcode, "red", 3) == 0;
    char key[160];
    struct buf text = {0};
    if (!is_known(opcode) || bits == 16)
        return;
    // The word is that of the first thread of the warp.
    buf_printf(&text, ".reg .b64 w;\n.reg .b32 l;\n.reg .pred first;\nand.b32 l, %%t, 31;\nmul.wide.u32 w, l, 64;\n"
                      "sub.u64 w, %s, w;\nsetp.eq.u32 first, l, 0;\n@first st%s.b64 [w], %%xa;\nbar.warp.sync -1;\n",
               area->at, area->plain);
    write_atomic_sources(bits, false, &text);
    if (strcmp(area->at, area->address) != 0)
        buf_puts(&text, "mov.u64 %x0, w;\ncvta.shared.u64 w, w;\n");
    buf_printf(&text, "%s %s[w], b;\nbar.warp.sync -1;\n%sld.volatile%s.b64 %%x0, [w];\nbar.warp.sync -1;\n", opcode,
               is_red ? "" : "d, ", strcmp(area->at, area->address) ? "mov.u64 w, %x0;\n" : "", area->plain);
    snprintf(key, sizeof key, "%s| one word%s", opcode, area->note);
    struct diff_shape shape = shape_of(is_red ? "red" : "atom", type_name, type);
    diff_add(set, &shape, key, "16", text.at);
    buf_release(&text);
}

static void add_atomic_type(struct diff_set *set, const char *op, const char *type, bool commutes)
{
    char opcode[96];
    for (size_t i = 0; i < N_ELEMENTS(semantics) * N_ELEMENTS(scopes); i++)
        for (size_t a = 0; a < N_ATOMIC_AREAS; a++)
            for (int is_red = 0; is_red < 2; is_red++) {
                snprintf(opcode, sizeof opcode, "%s%s%s%s.%s.%s", is_red ? "red" : "atom",
                         semantics[i / N_ELEMENTS(scopes)], scopes[i % N_ELEMENTS(scopes)], areas[a].suffix, op, type);
                add_atomic(set, opcode, &areas[a], type);
                if (commutes && i == 0)
                    add_contended(set, opcode, &areas[a], type);
            }
}

static void add_all_atomics(struct diff_set *set)
{
    for (size_t o = 0; o < N_ELEMENTS(operations); o++) {
        char type[16];
        int n;
        for (const char *at = operations[o].types; sscanf(at, "%15s%n", type, &n) == 1; at += n)
            add_atomic_type(set, operations[o].op, type, type[0] != 'f' && type[0] != 'b' ? true : o >= 5 && o <= 7);
    }
}

// ---- opcodes as programs write them --------------------------------------------------------------------

static void add_opcode(struct diff_set *set, const char *opcode)
{
    const char *type = strrchr(opcode, '.') + 1;
    const bool is_atomic = strncmp(opcode, "atom.", 5) == 0 || strncmp(opcode, "red.", 4) == 0;
    const uint32_t n = strstr(opcode, ".v2.") ? 2 : strstr(opcode, ".v4.") ? 4 : 1;
    if (strstr(opcode, ".param") || strstr(opcode, ".const") || strstr(opcode, ".v8") || strstr(opcode, "cache_hint"))
        return;
    const struct area *area = strstr(opcode, ".shared") ? &areas[1] : strstr(opcode, ".local") ? &areas[4] : &areas[0];
    if (is_atomic)
        add_atomic(set, opcode, area, type);
    else if (strncmp(opcode, "ld.", 3) == 0)
        add_load(set, opcode, area, type, n);
    else if (strncmp(opcode, "st.", 3) == 0)
        add_store(set, opcode, area, type, n);
}

void diff_add_memory(struct diff_set *set)
{
    struct buf list = {0};
    struct err err = {0};
    add_all_accesses(set);
    add_all_atomics(set);
    if (!buf_read_file(&list, "tests/data/ptx_opcodes.csv", &err))
        fail_msg("%s", err.text);
    for (char *line = list.at; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char opcode[96];
        if (sscanf(line, "%95[^,],", opcode) == 1 && strchr(opcode, '.'))
            add_opcode(set, opcode);
    }
    buf_release(&list);
}
