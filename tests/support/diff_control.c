// Control flow, calls with their parameters, constants, address conversions, fences and hints: each with a result that shows
// that it did what it should.
#include "ptx/op.h"
#include "support/check.h"
#include "support/diff.h"
#include <stdio.h>
#include <string.h>

// a, b: 32 bits of the first two inputs; xa … xe: the inputs; g, s, l: 64 bytes of the thread's own in global, shared and local
// memory, gs and gl: the latter two as generic addresses; p, odd: vary from thread to thread.
static const char setup[] =
    ".reg .b64 xa, xb, xc, xe, g, gs, gl, s, l;\n.reg .b32 a, b, few;\n.reg .pred p, odd;\n"
    ".shared .align 64 .b8 sm[8192];\n.local .align 64 .b8 lm[64];\n"
    "mov.u64 g, %scratch;\nmul.wide.u32 %at, %t, 64;\nmov.u64 s, sm;\nadd.u64 s, s, %at;\ncvta.shared.u64 gs, s;\n"
    "mov.u64 l, lm;\ncvta.local.u64 gl, l;\nld.global.b64 xa, [%in];\nadd.u64 %in, %in, %stride;\n"
    "ld.global.b64 xb, [%in];\nadd.u64 %in, %in, %stride;\nld.global.b64 xc, [%in];\nadd.u64 %in, %in, %stride;\n"
    "ld.global.b64 xe, [%in];\ncvt.u32.u64 a, xa;\ncvt.u32.u64 b, xb;\nand.b32 few, b, 7;\n"
    "and.b32 %n, b, 2;\nsetp.ne.u32 p, %n, 0;\nand.b32 %n, %i, 1;\nsetp.ne.u32 odd, %n, 0;\n";

// `$O` in the texts stands for the opcode, `$K` in a kernel's names for its own.
static void add(struct diff_set *set, const char *family, const char *opcode, const char *note, const char *widths,
                uint32_t block, const char *module, const char *text)
{
    enum op_status status;
    struct err err = {0};
    char key[160];
    struct buf out = {0};
    if (!op_find(opcode, &status, &err))
        return;
    for (const char *at = text; *at; at++)
        if (at[0] == '$' && at[1] == 'O') {
            buf_puts(&out, opcode);
            at++;
        } else
            buf_add(&out, at, 1);
    struct diff_shape shape = {.family = family,
                               .seed = family,
                               .module = module,
                               .directives = strcmp(family, "setmaxnreg") == 0 ? ".maxntid 256, 1, 1\n.minnctapersm 1\n" : NULL,
                               .setup = setup,
                               .inputs = {PT_B64, PT_B64, PT_B64, PT_B64},
                               .n_inputs = 4,
                               .block = block,
                               .scratch_bytes = 64};
    snprintf(key, sizeof key, "%s|%s", opcode, note);
    diff_add(set, &shape, key, widths, out.at);
    buf_release(&out);
}

// ---- control flow ------------------------------------------------------------------------------------

static void add_branches(struct diff_set *set)
{
    add(set, "bra", "bra", "over", "8", 0, NULL,
        ".reg .b32 d;\nadd.u32 d, a, 1;\n@p $O over;\nadd.u32 d, d, 2;\nover:\ncvt.u64.u32 %x0, d;\n");
    add(set, "bra", "bra", "loop", "8", 0, NULL,
        ".reg .b32 d, n;\n.reg .pred more;\nmov.u32 d, a;\nadd.u32 n, few, 1;\nagain:\nmad.lo.u32 d, d, 5, n;\n"
        "sub.u32 n, n, 1;\nsetp.ne.u32 more, n, 0;\n@more $O again;\ncvt.u64.u32 %x0, d;\n");
    add(set, "bra", "bra", "crossing", "8", 0, NULL, // both parts can be entered from the other
        ".reg .b32 d, n;\n.reg .pred stop, even;\nmov.u32 d, a;\nmov.u32 n, 0;\n@p $O second;\nfirst:\n"
        "mul.lo.u32 d, d, 3;\nadd.u32 n, n, 1;\nsetp.gt.u32 stop, n, few;\n@stop $O over;\nsecond:\n"
        "xor.b32 d, d, 0x55;\nadd.u32 n, n, 1;\nsetp.gt.u32 stop, n, few;\n@stop $O over;\n$O first;\nover:\n"
        "cvt.u64.u32 %x0, d;\n");
    add(set, "bra", "bra.uni", "over", "8", 0, NULL,
        ".reg .b32 d;\nmov.u32 d, a;\n$O over;\nadd.u32 d, d, 2;\nover:\ncvt.u64.u32 %x0, d;\n");
    static const char *const indexed[] = {"brx.idx", "brx.idx.uni"};
    for (int i = 0; i < 2; i++)
        add(set, "brx", indexed[i], i ? "uniform" : "four ways", "8", 0, NULL,
            i ? ".reg .b32 d, w;\nshr.u32 w, %i, 5;\nand.b32 w, w, 1;\nways: .branchtargets one, two;\n$O w, ways;\n"
                "one: mov.u32 d, 5;\nbra over;\ntwo: mov.u32 d, a;\nover:\ncvt.u64.u32 %x0, d;\n"
              : ".reg .b32 d, w;\nand.b32 w, a, 3;\nways: .branchtargets one, two, three, one;\n$O w, ways;\n"
                "one: mov.u32 d, 5;\nbra over;\ntwo: mov.u32 d, a;\nthree: xor.b32 d, b, 3;\nover:\n"
                "cvt.u64.u32 %x0, d;\n");
    // The lanes that left have no result of what stands behind.
    add(set, "exit", "exit", "some", "16", 0, "// exit\n", "@p st.global.u64 [%out], 7;\n@p $O;\nmov.u64 %x0, xa;\n");
    add(set, "ret", "ret", "some", "16", 0, "// ret\n", "@p st.global.u64 [%out], 7;\n@p $O;\nmov.u64 %x0, xa;\n");
    add(set, "ret", "ret.uni", "warps", "16", 0, "// ret.uni\n",
        ".reg .b32 w;\n.reg .pred some;\nand.b32 w, %i, 64;\nsetp.ne.u32 some, w, 0;\n@some $O;\nmov.u64 %x0, xa;\n");
}

// ---- calls -------------------------------------------------------------------------------------------

static void add_calls(struct diff_set *set)
{
    static const char scale[] =
        ".func (.param .b32 r) scale_$K(.param .b32 x, .param .b32 y)\n{\n.reg .b32 u, v;\n.reg .pred z;\n"
        "ld.param.b32 u, [x];\nld.param.b32 v, [y];\nsetp.lt.u32 z, v, 3;\n@z bra small;\nmul.lo.u32 u, u, v;\nsmall:\n"
        "add.u32 u, u, 1;\nst.param.b32 [r], u;\nret;\n}\n"
        ".func (.param .b32 r) sum_$K(.param .b32 x, .param .b32 y)\n{\n.reg .b32 u, v;\nld.param.b32 u, [x];\n"
        "ld.param.b32 v, [y];\nadd.u32 u, u, v;\nst.param.b32 [r], u;\nret.uni;\n}\n";
#define ARGUMENTS ".reg .b32 d;\n.param .b32 r, x, y;\nst.param.b32 [x], a;\nst.param.b32 [y], few;\n"
#define RESULT "ld.param.b32 d, [r];\ncvt.u64.u32 %x0, d;\n"
    add(set, "call", "call.uni", "direct", "8", 0, scale, ARGUMENTS "$O (r), scale_$K, (x, y);\n" RESULT);
    add(set, "call", "call", "some lanes", "8", 0, scale,
        ARGUMENTS "mov.u64 %x0, 0;\n@p bra over;\n$O (r), scale_$K, (x, y);\n" RESULT "over:\n");
    add(set, "call", "call", "indirect", "8", 0, scale,
        ".reg .b64 to, f, h;\n" ARGUMENTS "mov.u64 f, scale_$K;\nmov.u64 h, sum_$K;\nselp.b64 to, f, h, odd;\n"
        "like: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n$O (r), to, (x, y), like;\n" RESULT);
    add(set, "call", "call.uni", "recursive", "8", 0,
        ".func (.param .b32 r) down_$K(.param .b32 n)\n{\n.reg .b32 u, v;\n.reg .pred end;\nld.param.b32 u, [n];\n"
        "setp.eq.u32 end, u, 0;\n@end bra last;\n{\n.param .b32 q, m;\nsub.u32 v, u, 1;\nst.param.b32 [m], v;\n"
        "call.uni (q), down_$K, (m);\nld.param.b32 v, [q];\nmad.lo.u32 v, v, 3, u;\n}\nst.param.b32 [r], v;\nret;\nlast:\n"
        "st.param.b32 [r], 1;\nret;\n}\n",
        ".reg .b32 d;\n.param .b32 r, n;\nst.param.b32 [n], few;\n$O (r), down_$K, (n);\n" RESULT);
#undef ARGUMENTS
#undef RESULT
}

static const char *const param_types[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "b32",
                                          "u32", "s32", "f32", "b64", "u64", "s64", "f64"};

static uint32_t bits_of(const char *type)
{
    uint32_t bits = 8 * ptx_type_bytes(ptx_type_parse(type, strlen(type)));
    return bits < 16 ? 16 : bits;
}

// {d0, d1} or d0
static void write_vector(struct buf *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "%sd%u%s", i ? ", " : n > 1 ? "{" : "", i, i + 1 == n && n > 1 ? "}" : "");
}

// Through a parameter of 32 bytes: written as four words and read as type and vector, and the other way round.
static void add_parameters(struct diff_set *set, const char *type, uint32_t n)
{
    const uint32_t bits = bits_of(type), bytes = n * ptx_type_bytes(ptx_type_parse(type, strlen(type)));
    char opcode[64], widths[32] = "";
    struct buf module = {0}, text = {0};
    snprintf(opcode, sizeof opcode, "ld.param%s.%s", n == 1 ? "" : n == 2 ? ".v2" : ".v4", type);
    buf_printf(&module, ".func (.param .align 16 .b8 r[32]) f_$K(.param .align 16 .b8 x[32])\n{\n.reg .b%u d<4>;\n"
                        ".reg .b64 w;\n%s ", bits, opcode);
    write_vector(&module, n);
    buf_puts(&module, ", [x];\n");
    for (uint32_t i = 0; i < n; i++) {
        if (bits == 64)
            buf_printf(&module, "st.param.b64 [r+%u], d%u;\n", 8 * i, i);
        if (bits < 64)
            buf_printf(&module, "cvt.u64.u%u w, d%u;\nst.param.b64 [r+%u], w;\n", bits, i, 8 * i);
        buf_printf(&text, "ld.param.b64 %%x%u, [r+%u];\n", i, 8 * i);
        snprintf(widths + strlen(widths), sizeof widths - strlen(widths), "%u ", bits / 4);
    }
    buf_puts(&module, "ret;\n}\n");
    struct buf whole = {0};
    buf_printf(&whole, ".param .align 16 .b8 r[32], x[32];\nst.param.b64 [x], xa;\nst.param.b64 [x+8], xb;\n"
                       "st.param.b64 [x+16], xc;\nst.param.b64 [x+24], xe;\ncall.uni (r), f_$K, (x);\n%s", text.at);
    add(set, "param", opcode, "", widths, 0, module.at, whole.at);
    buf_clear(&module);
    buf_clear(&whole);
    opcode[0] = 's';
    opcode[1] = 't';
    buf_puts(&module, ".func (.param .b64 r0) g_$K(.param .align 16 .b8 x[32], .param .b32 n)\n{\n.reg .b32 at;\n"
                      ".reg .b64 w;\n.reg .pred z;\n");
    // Word n of the parameter, in a way that keeps it one.
    buf_puts(&module, "ld.param.b32 at, [n];\nld.param.b64 w, [x];\nsetp.eq.u32 z, at, 1;\n@z ld.param.b64 w, [x+8];\n"
                      "setp.eq.u32 z, at, 2;\n@z ld.param.b64 w, [x+16];\nsetp.eq.u32 z, at, 3;\n"
                      "@z ld.param.b64 w, [x+24];\nst.param.b64 [r0], w;\nret;\n}\n");
    buf_printf(&whole, ".reg .b%u d<4>;\n", bits);
    static const char *const inputs[] = {"xa", "xb", "xc", "xe"};
    for (uint32_t i = 0; i < n; i++)
        if (bits == 64)
            buf_printf(&whole, "mov.b64 d%u, %s;\n", i, inputs[i]);
    for (uint32_t i = 0; i < n && bits < 64; i++)
        buf_printf(&whole, "cvt.u%u.u64 d%u, %s;\n", bits, i, inputs[i]);
    widths[0] = '\0';
    for (uint32_t w = 0; 8 * w < bytes; w++) {
        buf_puts(&whole, "{\n.param .b64 r;\n.param .b32 n;\n.param .align 16 .b8 x[32];\nst.param.b64 [x], 0;\n"
                         "st.param.b64 [x+8], 0;\nst.param.b64 [x+16], 0;\nst.param.b64 [x+24], 0;\n$O [x], ");
        write_vector(&whole, n);
        buf_printf(&whole, ";\nst.param.b32 [n], %u;\ncall.uni (r), g_$K, (x, n);\nld.param.b64 %%x%u, [r];\n}\n", w, w);
        snprintf(widths + strlen(widths), sizeof widths - strlen(widths), "%u ",
                 bytes - 8 * w < 8 ? 2 * (bytes - 8 * w) : 16); // what lies behind was not stored
    }
    add(set, "param", opcode, "", widths, 0, module.at, whole.at);
    buf_release(&module);
    buf_release(&whole);
    buf_release(&text);
}

// ---- constants and addresses ---------------------------------------------------------------------------

static void add_constants(struct diff_set *set)
{
    struct buf module = {0};
    buf_puts(&module, ".const .align 16 .b8 table_$K[512] = {");
    for (uint32_t i = 0; i < 512; i++)
        buf_printf(&module, "%s%u", i ? ", " : "", (i * 167 + i / 3) % 256);
    buf_puts(&module, "};\n");
    for (size_t t = 0; t < N_ELEMENTS(param_types); t++)
        for (uint32_t n = 1; n <= 4 && n * bits_of(param_types[t]) <= 128; n *= 2) {
            const uint32_t bits = bits_of(param_types[t]);
            char opcode[64], widths[32] = "";
            struct buf text = {0};
            snprintf(opcode, sizeof opcode, "ld.const%s.%s", n == 1 ? "" : n == 2 ? ".v2" : ".v4", param_types[t]);
            buf_printf(&text, ".reg .b%u d<4>;\n.reg .b32 w;\n.reg .b64 c, o;\nand.b32 w, a, 15;\nmul.wide.u32 o, w, 32;\n"
                              "mov.u64 c, table_$K;\nadd.u64 c, c, o;\n$O ", bits);
            write_vector(&text, n);
            buf_puts(&text, ", [c];\n");
            for (uint32_t i = 0; i < n; i++) {
                if (bits == 64)
                    buf_printf(&text, "mov.b64 %%x%u, d%u;\n", i, i);
                else
                    buf_printf(&text, "cvt.u64.u%u %%x%u, d%u;\n", bits, i, i);
                snprintf(widths + strlen(widths), sizeof widths - strlen(widths), "%u ", bits / 4);
            }
            add(set, "const", opcode, "", widths, 0, module.at, text.at);
            buf_release(&text);
        }
    buf_release(&module);
}

static void add_addresses(struct diff_set *set)
{
    static const char *const spaces[] = {"global", "shared", "local"}, *const own[] = {"g", "s", "l"},
                      *const generic[] = {"g", "gs", "gl"};
    char opcode[64], text[256];
    for (int i = 0; i < 3; i++) {
        snprintf(opcode, sizeof opcode, "cvta.%s.u64", spaces[i]);
        snprintf(text, sizeof text, ".reg .b64 o;\nst.%s.b64 [%s], xa;\n$O o, %s;\nld.b64 %%x0, [o];\n", spaces[i],
                 own[i], own[i]);
        add(set, "cvta", opcode, "", "16", 0, NULL, text);
        snprintf(opcode, sizeof opcode, "cvta.to.%s.u64", spaces[i]);
        snprintf(text, sizeof text, ".reg .b64 o;\nst.b64 [%s], xb;\n$O o, %s;\nld.%s.b64 %%x0, [o];\n", generic[i],
                 generic[i], spaces[i]);
        add(set, "cvta", opcode, "", "16", 0, NULL, text);
        snprintf(opcode, sizeof opcode, "isspacep.%s", spaces[i]);
        for (int k = 0; k < 3; k++) {
            snprintf(text, sizeof text, ".reg .pred is;\n$O is, %s;\nselp.b64 %%x0, 1, 0, is;\n", generic[k]);
            add(set, "isspacep", opcode, generic[k], "1", 0, NULL, text);
        }
    }
    // The kernel's parameter at an address that varies.
    add(set, "cvta", "cvta.param.u64", "", "8", 0, NULL,
        ".reg .b64 o, w;\n.reg .b32 d, e, k;\nmov.b64 o, buffer;\n$O o, o;\nand.b32 k, %i, 4;\ncvt.u64.u32 w, k;\nadd.u64 o, o, w;\n"
        "ld.u32 d, [o];\nld.param.u64 w, [buffer];\nmul.lo.u32 k, k, 8;\nshr.u64 w, w, k;\ncvt.u32.u64 e, w;\nsub.u32 d, d, e;\n"
        "xor.b32 d, d, a;\ncvt.u64.u32 %x0, d;\n");
    static const char *const registers[] = {
        "%tid.x",          "%tid.y",          "%tid.z",          "%ntid.x",         "%ntid.y",        "%ntid.z",
        "%ctaid.x",        "%ctaid.y",        "%ctaid.z",        "%nctaid.x",       "%nctaid.y",      "%nctaid.z",
        "%laneid",         "%lanemask_eq",    "%lanemask_le",    "%lanemask_lt",    "%lanemask_ge",   "%lanemask_gt",
        "WARP_SZ",         "%cluster_ctaid.x", "%cluster_nctaid.x", "%cluster_ctarank", "%cluster_nctarank",
        "%clusterid.x",    "%nclusterid.x",   "%dynamic_smem_size"};
    for (size_t i = 0; i < N_ELEMENTS(registers); i++) {
        snprintf(text, sizeof text, ".reg .b32 d;\n$O d, %s;\ncvt.u64.u32 %%x0, d;\n", registers[i]);
        add(set, "mov", "mov.u32", registers[i], "8", 64, NULL, text);
    }
    add(set, "mov", "mov.pred", "of another", "1", 0, NULL, ".reg .pred d;\n$O d, p;\nselp.b64 %x0, 1, 0, d;\n");
    add(set, "mov", "mov.b64", "two halves", "8 8", 0, NULL,
        ".reg .b32 d, o;\n$O {d, o}, xa;\ncvt.u64.u32 %x0, d;\ncvt.u64.u32 %x1, o;\n");
    add(set, "mov", "mov.b64", "of two halves", "16", 0, NULL, "$O %x0, {a, b};\n");
    add(set, "mov", "mov.b64", "of four", "16", 0, NULL,
        ".reg .b16 h<2>;\ncvt.u16.u32 h0, a;\ncvt.u16.u32 h1, b;\n$O %x0, {h1, h0, h0, h1};\n");
    add(set, "mov", "mov.v4.u16", "in another order", "4 4 4 4", 0, NULL,
        ".reg .b16 h<8>;\nmov.b32 {h0, h1}, a;\nmov.b32 {h2, h3}, b;\n$O {h4, h5, h6, h7}, {h3, h0, h2, h1};\n"
        "cvt.u64.u16 %x0, h4;\ncvt.u64.u16 %x1, h5;\ncvt.u64.u16 %x2, h6;\ncvt.u64.u16 %x3, h7;\n");
    add(set, "mov", "mov.b32", "of two", "8", 0, NULL,
        ".reg .b16 h<2>;\n.reg .b32 d;\ncvt.u16.u32 h0, a;\ncvt.u16.u32 h1, b;\n$O d, {h1, h0};\ncvt.u64.u32 %x0, d;\n");
    add(set, "mov", "mov.b32", "two halves", "4 4", 0, NULL,
        ".reg .b16 h<2>;\n$O {h0, h1}, a;\ncvt.u64.u16 %x0, h0;\ncvt.u64.u16 %x1, h1;\n");
    add(set, "mov", "mov.b32", "four bytes", "2 2", 0, NULL,
        ".reg .b8 c<4>;\n.reg .b16 h<2>;\n$O {c0, c1, c2, c3}, a;\ncvt.u16.u8 h0, c1;\ncvt.u16.u8 h1, c3;\n"
        "cvt.u64.u16 %x0, h0;\ncvt.u64.u16 %x1, h1;\n");
}

// ---- what shows no result of its own -------------------------------------------------------------------

static void add_quiet(struct diff_set *set)
{
    static const char *const fences[] = {
        "membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.cluster", "fence.sc.gpu", "fence.sc.sys",
        "fence.acq_rel.cta", "fence.acq_rel.cluster", "fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.acquire.gpu",
        "fence.release.gpu", "fence.acquire.cta", "fence.release.cta", "fence.acquire.sys", "fence.release.sys",
        "fence.proxy.alias", "fence.proxy.async", "fence.proxy.async.global", "fence.proxy.async.shared::cta",
        "fence.proxy.async.shared::cluster", "fence.mbarrier_init.release.cluster",
        "fence.proxy.tensormap::generic.release.gpu", "griddepcontrol.wait", "griddepcontrol.launch_dependents"};
    static const char *const hinted[][2] = {
        {"prefetch.global.L1", "[g]"}, {"prefetch.global.L2", "[g]"}, {"prefetch.local.L1", "[l]"},
        {"prefetch.local.L2", "[l]"}, {"prefetch.L1", "[g]"}, {"prefetch.L2", "[g]"}, {"prefetchu.L1", "[g]"},
        {"prefetch.global.L2::evict_last", "[g]"}, {"prefetch.global.L2::evict_normal", "[g]"},
        {"applypriority.global.L2::evict_normal", "[g], 128"},
        {"fence.proxy.tensormap::generic.acquire.gpu", "[g], 128"}, {"nanosleep.u32", "few"}, {"nanosleep.u32", "20"},
        {"bar.warp.sync", "-1"}, {"pmevent", "7"}};
    char text[256];
    for (size_t i = 0; i < N_ELEMENTS(fences); i++)
        add(set, "fence", fences[i], "", "16", 0, NULL, "st.global.b64 [g], xa;\n$O;\nld.global.b64 %x0, [g];\n");
    for (size_t i = 0; i < N_ELEMENTS(hinted); i++) {
        const bool is_aligned = strstr(hinted[i][1], "128") != NULL; // those take 128 bytes
        snprintf(text, sizeof text, "%sst.global.b64 [g], xa;\n$O %s;\nld.global.b64 %%x0, [g];\n",
                 is_aligned ? ".reg .b64 g;\nand.b64 g, %scratch, -128;\n" : "", hinted[i][1]);
        if (is_aligned) // two threads share the bytes: the second writes its half only
            snprintf(text, sizeof text, ".reg .b64 r;\nand.b64 r, g, -128;\nst.global.b64 [g], xa;\n$O [r]%s;\n"
                                        "ld.global.b64 %%x0, [g];\n", strchr(hinted[i][1], ','));
        add(set, "hint", hinted[i][0], hinted[i][1], "16", 0, NULL, text);
    }
    // Half of the block arrives, the other half waits for it and reads what it wrote.
    static const char *const arrivals[] = {"bar.arrive", "bar.cta.arrive", "barrier.arrive", "barrier.cta.arrive",
                                           "barrier.arrive.aligned", "barrier.cta.arrive.aligned"};
    for (size_t i = 0; i < N_ELEMENTS(arrivals); i++)
        add(set, "arrive", arrivals[i], "then sync", "16", 128, NULL,
            ".reg .pred first;\n.reg .b64 to;\nsetp.lt.u32 first, %t, 64;\nmov.u64 %x0, xb;\n@!first bra wait;\n"
            "st.shared.b64 [s], xa;\n$O 5, 128;\nbra over;\nwait:\nbar.sync 5, 128;\nsub.u64 to, s, 4096;\n"
            "ld.shared.b64 %x0, [to];\nover:\nbar.sync 0;\n");
    static const char *const inits[] = {"mbarrier.init.shared.b64", "mbarrier.init.shared::cta.b64", "mbarrier.init.b64"};
    for (int i = 0; i < 3; i++)
        add(set, "init", inits[i], "3", "8", 0, NULL,
            i == 2 ? ".reg .b64 o;\n.reg .b32 d;\n$O [gs], 3;\nmbarrier.arrive.shared.b64 o, [s];\n"
                     "mbarrier.pending_count.b64 d, o;\ncvt.u64.u32 %x0, d;\nmbarrier.inval.shared.b64 [s];\n"
                   : ".reg .b64 o;\n.reg .b32 d;\n$O [s], 3;\nmbarrier.arrive.shared.b64 o, [s];\n"
                     "mbarrier.pending_count.b64 d, o;\ncvt.u64.u32 %x0, d;\nmbarrier.inval.shared.b64 [s];\n");
}

// Policies tell the caches what to keep: what is read is the same. What is discarded is written anew.
static void add_policies(struct diff_set *set)
{
    static const char *const policies[][2] = {{"createpolicy.fractional.L2::evict_last.b64", ""},
                                              {"createpolicy.fractional.L2::evict_normal.b64", ", 0.5"},
                                              {"createpolicy.fractional.L2::evict_first.b64", ", 1.0"},
                                              {"createpolicy.fractional.L2::evict_unchanged.b64", ""},
                                              {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64", ", 0.25"},
                                              {"createpolicy.range.global.L2::evict_last.L2::evict_first.b64", ", [g], 64, 64"}};
    char text[256];
    for (size_t i = 0; i < N_ELEMENTS(policies); i++) {
        snprintf(text, sizeof text, ".reg .b64 o;\nst.global.b64 [g], xa;\n$O o%s;\n"
                                    "ld.global.L2::cache_hint.b64 %%x0, [g], o;\n", policies[i][1]);
        add(set, "policy", policies[i][0], policies[i][1], "16", 0, NULL, text);
    }
    add(set, "policy", "discard.global.L2", "then written", "16", 0, "// discard\n",
        ".reg .b64 r;\nand.b64 r, g, -128;\n$O [r], 128;\nbar.warp.sync -1;\nst.global.b64 [g], xa;\nld.global.b64 %x0, [g];\n");
    static const char *const loads[][3] = {{"ldu.global.u32", "d", "8"}, {"ldu.global.s16", "d", "8"}, {"ldu.global.b8", "d", "8"},
                                           {"ldu.global.v2.b32", "{d, e}", "8 8"}, {"ldu.global.v4.f32", "{d, e, h, k}", "8 8 8 8"}};
    for (size_t i = 0; i < N_ELEMENTS(loads); i++) {
        snprintf(text, sizeof text, ".reg .b32 d, e, h, k;\nst.global.v2.b64 [g], {xa, xb};\nmembar.gl;\n$O %s, [g];\n"
                                    "cvt.u64.u32 %%x0, d;\n%s%s", loads[i][1], i > 2 ? "cvt.u64.u32 %x1, e;\n" : "",
                 i > 3 ? "cvt.u64.u32 %x2, h;\ncvt.u64.u32 %x3, k;\n" : "");
        add(set, "ldu", loads[i][0], loads[i][1], loads[i][2], 0, NULL, text);
    }
}

// Of a length of the thread's own; the second array may not lie over the first.
static void add_stack(struct diff_set *set)
{
    static const char *const forms[][2] = {{"alloca.u64", "n"}, {"alloca.u64", "n, 16"}, {"alloca.u64", "64, 8"}};
    for (size_t i = 0; i < N_ELEMENTS(forms); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 ".reg .b64 n, m, o, kept;\nmul.wide.u32 n, few, 8;\nadd.u64 n, n, 8;\n$O m, %s;\n$O o, %s;\n"
                 "st.local.b64 [m], xa;\nst.local.b64 [o], xb;\nld.local.b64 %%x0, [m];\nld.local.b64 %%x1, [o];\n",
                 forms[i][1], forms[i][1]);
        add(set, "stack", forms[i][0], forms[i][1], "16 16", 0, "// alloca\n", text);
    }
    add(set, "stack", "stacksave.u64", "restored", "1", 0, "// stacksave\n",
        ".reg .b64 m, o, kept;\n.reg .pred same;\n$O kept;\nalloca.u64 m, 48;\nst.local.b64 [m], xa;\n"
        "stackrestore.u64 kept;\nalloca.u64 o, 48;\nsetp.eq.u64 same, m, o;\nselp.b64 %x0, 1, 0, same;\n");
}

// Registers given back and taken by whole warps; what the threads know stays. Without the kernel's directives ptxas ignores them.
static void add_registers(struct diff_set *set)
{
    add(set, "setmaxnreg", "setmaxnreg.dec.sync.aligned.u32", "24", "16", 256, "// dec\n", "mul.lo.u64 %x0, xa, xb;\n$O 24;\n"
        "xor.b64 %x0, %x0, xc;\n");
    add(set, "setmaxnreg", "setmaxnreg.inc.sync.aligned.u32", "232, the others 40", "16", 256, "// inc\n",
        ".reg .pred first;\nsetp.lt.u32 first, %t, 128;\nmul.lo.u64 %x0, xa, xb;\n@first bra more;\n"
        "setmaxnreg.dec.sync.aligned.u32 40;\nadd.u64 %x0, %x0, 1;\nbra over;\nmore:\n$O 232;\nadd.u64 %x0, %x0, 2;\nover:\n"
        "xor.b64 %x0, %x0, xc;\n");
}

void diff_add_control(struct diff_set *set)
{
    add_registers(set);
    add_branches(set);
    add_calls(set);
    for (size_t t = 0; t < N_ELEMENTS(param_types); t++)
        for (uint32_t n = 1; n <= 4 && n * bits_of(param_types[t]) <= 128; n *= 2)
            add_parameters(set, param_types[t], n);
    add_stack(set);
    add_constants(set);
    add_addresses(set);
    add_quiet(set);
    add_policies(set);
}
