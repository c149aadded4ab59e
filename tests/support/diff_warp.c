// Instructions between the threads of a warp or a block: shfl, vote, match, redux, elect, bar.red, mbarrier.
#include "ptx/op.h"
#include "support/check.h"
#include "support/diff.h"
#include <stdio.h>
#include <string.h>

// a, b, c: inputs; few: one of four values; near: small numbers; lane, p, low (lanes 0 to 19).
static const char setup[] =
    ".reg .b64 xa, xb, xc, few64;\n.reg .b32 a, b, c, few, lane, near;\n.reg .pred p, low, q;\n"
    "ld.global.b64 xa, [%in];\nadd.u64 %in, %in, %stride;\nld.global.b64 xb, [%in];\nadd.u64 %in, %in, %stride;\n"
    "ld.global.b64 xc, [%in];\ncvt.u32.u64 a, xa;\ncvt.u32.u64 b, xb;\ncvt.u32.u64 c, xc;\n"
    "mov.u32 lane, %laneid;\nsetp.lt.u32 low, lane, 20;\nand.b32 few, a, 3;\nand.b32 near, b, 31;\n"
    "cvt.u64.u32 few64, few;\nmul.lo.u64 few64, few64, 0x100000001;\nand.b32 %n, b, 4;\nsetp.ne.u32 p, %n, 0;\n";

static void add(struct diff_set *set, const char *family, const char *opcode, const char *note, const char *widths,
                uint32_t block, const char *text)
{
    enum op_status status;
    struct err err = {0};
    char key[160], own[176];
    if (!op_find(opcode, &status, &err))
        return;
    struct diff_shape shape = {.family = family,
                               .seed = family,
                               .setup = setup,
                               .inputs = {PT_B64, PT_B64, PT_B64},
                               .n_inputs = 3,
                               .block = block,
                               .scratch_bytes = 64};
    snprintf(key, sizeof key, "%s|%s", opcode, note);
    if (strcmp(family, "mbarrier") == 0) { // a kernel each, since a mistake ends the kernel on a GPU
        snprintf(own, sizeof own, "// %s\n", key);
        shape.module = own;
    }
    diff_add(set, &shape, key, widths, text);
}

// `$O` in a text stands for the opcode.
static void add_text(struct diff_set *set, const char *family, const char *opcode, const char *note,
                     const char *widths, uint32_t block, const char *text)
{
    struct buf out = {0};
    for (const char *at = text; *at; at++)
        if (at[0] == '$' && at[1] == 'O') {
            buf_puts(&out, opcode);
            at++;
        } else
            buf_add(&out, at, 1);
    add(set, family, opcode, note, widths, block, out.at);
    buf_release(&out);
}

#define WIDEN "cvt.u64.u32 %x0, d;\n"
#define WIDEN_FORMAT "cvt.u64.u32 %%x0, d;\n" // the same in a format of printf
#define OF_PRED_FORMAT "selp.b64 %%x1, 1, 0, o;\n"
#define BOTH ".reg .b32 d;\n.reg .pred o;\n"
#define OF_PRED "selp.b64 %x1, 1, 0, o;\n"

static void add_shuffles(struct diff_set *set)
{
    static const char *const opcodes[] = {"shfl.sync.idx.b32", "shfl.sync.up.b32", "shfl.sync.down.b32",
                                          "shfl.sync.bfly.b32"};
    for (size_t i = 0; i < N_ELEMENTS(opcodes); i++) {
        add_text(set, "shfl", opcodes[i], "d|o, a, b, c", "8 1", 0, BOTH "$O d|o, a, b, c, -1;\n" WIDEN OF_PRED);
        add_text(set, "shfl", opcodes[i], "d|o, a, near, 31", "8 1", 0, BOTH "$O d|o, a, near, 31, -1;\n" WIDEN OF_PRED);
        add_text(set, "shfl", opcodes[i], "d, a, near, 0", "8", 0, ".reg .b32 d;\n$O d, a, near, 0, -1;\n" WIDEN);
        add_text(set, "shfl", opcodes[i], "d, a, 3, 0x181f", "8", 0, ".reg .b32 d;\n$O d, a, 3, 0x181f, -1;\n" WIDEN);
        add_text(set, "shfl", opcodes[i], "d, a, 16, 0x100f", "8", 0, ".reg .b32 d;\n$O d, a, 16, 0x100f, -1;\n" WIDEN);
        add_text(set, "shfl", opcodes[i], "low: d|o, a, 1, 0x1c03", "8 1", 0,
                 BOTH "mov.b32 d, 7;\nsetp.eq.u32 o, 0, 0;\n@low $O d|o, a, 1, 0x1c03, 0xfffff;\n" WIDEN OF_PRED);
    }
}

// fns of plain operands mostly meets positions beyond 31: near ones.
static void add_nth_bits(struct diff_set *set)
{
    add_text(set, "fns", "fns.b32", "d, a, near, -7 to 8", "8", 0,
             ".reg .b32 d, e;\nand.b32 e, c, 15;\nsub.u32 e, e, 7;\n$O d, a, near, e;\n" WIDEN);
    add_text(set, "fns", "fns.b32", "d, a, near, c", "8", 0, ".reg .b32 d;\n$O d, a, near, c;\n" WIDEN);
}

static void add_votes(struct diff_set *set)
{
    static const char *const preds[] = {"vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.uni.pred",
                                        "vote.all.sync.pred", "vote.any.sync.pred", "vote.uni.sync.pred"};
    static const char *const ballots[] = {"vote.sync.ballot.b32", "vote.ballot.sync.b32"};
    // Inputs are rarely the same in 32 lanes: `q` is, in every second warp.
    static const char same[] = ".reg .pred o;\n.reg .b32 v;\nshr.u32 v, %i, 5;\nand.b32 v, v, 3;\n"
                               "setp.eq.u32 q, v, 1;\nsetp.eq.or.u32 q, v, 2, q;\n";
    char text[512];
    for (size_t i = 0; i < N_ELEMENTS(preds); i++) {
        static const char *const forms[][2] = {{"o, p, -1", ""}, {"o, !p, -1", ""}, {"o, q, -1", ""},
                                               {"o, !q, -1", ""}, {"o, q, 0xfffff", "@low "}, {"o, p, 0xfffff", "@low "}};
        for (size_t f = 0; f < N_ELEMENTS(forms); f++) {
            snprintf(text, sizeof text, "%ssetp.eq.u32 o, 1, 0;\n%s$O %s;\nselp.b64 %%x0, 1, 0, o;\n", same,
                     forms[f][1], forms[f][0]);
            add_text(set, "vote", preds[i], forms[f][0], "1", 0, text);
        }
    }
    for (size_t i = 0; i < N_ELEMENTS(ballots); i++) {
        add_text(set, "vote", ballots[i], "d, p, -1", "8", 0, ".reg .b32 d;\n$O d, p, -1;\n" WIDEN);
        add_text(set, "vote", ballots[i], "d, !p, -1", "8", 0, ".reg .b32 d;\n$O d, !p, -1;\n" WIDEN);
        add_text(set, "vote", ballots[i], "low: d, p, 0xfffff", "8", 0,
                 ".reg .b32 d;\nmov.b32 d, 9;\n@low $O d, p, 0xfffff;\n" WIDEN);
    }
}

static void add_matches(struct diff_set *set)
{
    static const char *const words[][3] = {{"b32", "a", "few"}, {"b64", "xa", "few64"}};
    char opcode[64], text[256], note[64];
    for (size_t t = 0; t < 2; t++)
        for (int k = 0; k < 4; k++) {
            const char *value = k < 3 ? words[t][1 + k % 2] : t ? "0x500000000" : "5";
            snprintf(opcode, sizeof opcode, "match.any.sync.%s", words[t][0]);
            snprintf(note, sizeof note, "d, %s%s", value, k == 2 ? " low" : "");
            snprintf(text, sizeof text, ".reg .b32 d;\nmov.b32 d, 3;\n%s$O d, %s, %s;\n" WIDEN_FORMAT,
                     k == 2 ? "@low " : "", value, k == 2 ? "0xfffff" : "-1");
            add_text(set, "match", opcode, note, "8", 0, text);
            snprintf(opcode, sizeof opcode, "match.all.sync.%s", words[t][0]);
            snprintf(text, sizeof text, BOTH "mov.b32 d, 3;\nsetp.eq.u32 o, 0, 1;\n%s$O d|o, %s, %s;\n" WIDEN_FORMAT OF_PRED_FORMAT,
                     k == 2 ? "@low " : "", value, k == 2 ? "0xfffff" : "-1");
            add_text(set, "match", opcode, note, "8 1", 0, text);
        }
}

static void add_reductions(struct diff_set *set)
{
    static const char *const opcodes[] = {"redux.sync.add.u32", "redux.sync.add.s32", "redux.sync.min.u32",
                                          "redux.sync.min.s32", "redux.sync.max.u32", "redux.sync.max.s32",
                                          "redux.sync.and.b32", "redux.sync.or.b32",  "redux.sync.xor.b32"};
    for (size_t i = 0; i < N_ELEMENTS(opcodes); i++) {
        add_text(set, "redux", opcodes[i], "d, a, -1", "8", 0, ".reg .b32 d;\n$O d, a, -1;\n" WIDEN);
        add_text(set, "redux", opcodes[i], "d, near, -1", "8", 0, ".reg .b32 d;\n$O d, near, -1;\n" WIDEN);
        add_text(set, "redux", opcodes[i], "low: d, c, 0xfffff", "8", 0,
                 ".reg .b32 d;\nmov.b32 d, 9;\n@low $O d, c, 0xfffff;\n" WIDEN);
    }
    add_text(set, "elect", "elect.sync", "d|o, -1", "8 1", 0, BOTH "$O d|o, -1;\n" WIDEN OF_PRED);
    add_text(set, "elect", "elect.sync", "high: d|o, 0xfff00000", "8 1", 0,
             BOTH "mov.b32 d, 77;\nsetp.eq.u32 o, 0, 1;\n@!low $O d|o, 0xfff00000;\n" WIDEN OF_PRED);
    add_text(set, "activemask", "activemask.b32", "d", "8", 0, ".reg .b32 d;\n$O d;\n" WIDEN);
    add_text(set, "activemask", "activemask.b32", "low: d", "8", 0,
             ".reg .b32 d;\nmov.b32 d, 77;\n@!low bra after;\n$O d;\nafter:\n" WIDEN);
}

// ---- blocks --------------------------------------------------------------------------------------------

static void add_block_reductions(struct diff_set *set)
{
    static const char *const kinds[] = {"bar.red", "bar.cta.red", "barrier.red", "barrier.cta.red",
                                        "barrier.red.aligned", "barrier.cta.red.aligned"};
    // `q`: the same in a block of four warps, different from block to block.
    static const char same[] = ".reg .pred o;\n.reg .b32 d, v;\nshr.u32 v, %i, 7;\nand.b32 v, v, 3;\n"
                               "setp.eq.u32 q, v, 1;\nsetp.eq.or.u32 q, v, 2, q;\n";
    static const char *const forms[] = {"0, p", "0, !p", "0, q", "0, !q", "3, 128, p", "15, 128, q"};
    char opcode[64], text[512];
    for (size_t k = 0; k < N_ELEMENTS(kinds); k++)
        for (size_t f = 0; f < N_ELEMENTS(forms); f++)
            for (int op = 0; op < 3; op++) {
                static const char *const names[] = {"and.pred", "or.pred", "popc.u32"};
                const char *aligned = strstr(kinds[k], ".aligned");
                snprintf(opcode, sizeof opcode, "%.*s.%.*s%s%s", (int)(aligned ? aligned - kinds[k] : 32), kinds[k],
                         (int)strcspn(names[op], "."), names[op], aligned ? ".aligned" : "", strchr(names[op], '.'));
                snprintf(text, sizeof text, "%s$O %s, %s;\n%s", same, op == 2 ? "d" : "o", forms[f],
                         op == 2 ? WIDEN : "selp.b64 %x0, 1, 0, o;\n");
                add_text(set, "bar", opcode, forms[f], op == 2 ? "8" : "1", 128, text);
            }
}

// Messages between two warps through shared memory: what is read behind the barrier is the other's word.
static void add_block_barriers(struct diff_set *set)
{
    static const char *const opcodes[][2] = {
        {"bar.sync", "0"},          {"bar.sync", "7, 128"},          {"bar.cta.sync", "0"},
        {"bar.cta.sync", "7, 128"}, {"barrier.sync", "0"},           {"barrier.sync", "7, 128"},
        {"barrier.cta.sync", "3"},  {"barrier.sync.aligned", "0"},   {"barrier.cta.sync.aligned", "1, 128"},
    };
    char text[640];
    for (size_t i = 0; i < N_ELEMENTS(opcodes); i++) {
        snprintf(text, sizeof text,
                 ".shared .align 4 .b8 box[512];\n.reg .b32 o, d;\nmov.u32 o, box;\nmad.lo.u32 o, %%t, 4, o;\n"
                 "st.shared.u32 [o], a;\n$O %s;\nxor.b32 o, %%t, 127;\nmov.u32 d, box;\nmad.lo.u32 o, o, 4, d;\n"
                 "ld.shared.u32 d, [o];\nbar.sync 0;\n" WIDEN_FORMAT,
                 opcodes[i][1]);
        add_text(set, "bar", opcodes[i][0], opcodes[i][1], "8", 128, text);
    }
}

// ---- mbarrier --------------------------------------------------------------------------------------------

// Each thread has an object of its own, with near % 4 + 1 expected arrivals; `m` is its address, `k` that number.
#define OBJECT                                                                                              \
    ".shared .align 8 .b8 objects[256];\n.reg .b32 m, k, d, rest;\n.reg .b64 s;\n.reg .pred o, more;\n"      \
    "mov.u32 m, objects;\nmad.lo.u32 m, lane, 8, m;\nand.b32 k, near, 3;\nadd.u32 k, k, 1;\n"
#define INIT "mbarrier.init.shared.b64 [m], k;\n"
// Arrives until one arrival is missing at most, then tells whether the phase of `s` is over.
#define REPORT                                                                                                    \
    "mbarrier.pending_count.b64 d, s;\ncvt.u64.u32 %x0, d;\nmbarrier.test_wait.shared.b64 o, [m], s;\n"            \
    "selp.b64 %x1, 1, 0, o;\nmbarrier.test_wait.parity.shared.b64 o, [m], 0;\nselp.b64 %x2, 1, 0, o;\n"            \
    "mbarrier.arrive.shared.b64 s, [m];\nmbarrier.pending_count.b64 d, s;\ncvt.u64.u32 %x3, d;\n"                  \
    "mbarrier.test_wait.shared.b64 o, [m], s;\nselp.b64 %x4, 1, 0, o;\n"                                          \
    "mbarrier.test_wait.parity.shared.b64 o, [m], 1;\nselp.b64 %x5, 1, 0, o;\nmbarrier.inval.shared.b64 [m];\n"

static void add_mbarriers(struct diff_set *set)
{
    static const char *const spaces[] = {".shared", ".shared::cta"},
                      *const ways[] = {"", ".release.cta", ".release.cluster", ".relaxed.cta", ".relaxed.cluster"},
                      *const waits[] = {"", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"};
    static const struct {
        const char *op, *note, *text;
    } arrivals[] = {
        {"arrive", "s, [m]", OBJECT INIT "$O s, [m];\n" REPORT},
        {"arrive", "s, [m], k", OBJECT INIT "$O s, [m], k;\n" REPORT},
        {"arrive", "s, [m], 1", OBJECT INIT "$O s, [m], 1;\n" REPORT},
        {"arrive_drop", "s, [m]", OBJECT "add.u32 k, k, 1;\n" INIT "$O s, [m];\n" REPORT},
        {"arrive_drop", "s, [m], 1", OBJECT "add.u32 k, k, 1;\n" INIT "$O s, [m], 1;\n" REPORT},
        {"arrive.noComplete", "s, [m], 1", OBJECT "add.u32 k, k, 1;\n" INIT "$O s, [m], 1;\n" REPORT},
        {"arrive_drop.noComplete", "s, [m], 1", OBJECT "add.u32 k, k, 2;\n" INIT "$O s, [m], 1;\n" REPORT},
    };
    static const struct {
        const char *op, *note, *text;
    } tests[] = {
        {"test_wait", "o, [m], s",
         OBJECT INIT "mbarrier.arrive.shared.b64 s, [m];\n$O o, [m], s;\nselp.b64 %x0, 1, 0, o;\n"},
        {"test_wait.parity", "o, [m], near",
         OBJECT INIT "mbarrier.arrive.shared.b64 s, [m];\nand.b32 d, a, 1;\n$O o, [m], d;\nselp.b64 %x0, 1, 0, o;\n"},
        {"try_wait", "o, [m], s", OBJECT INIT "mbarrier.arrive.shared.b64 s, [m];\n$O o, [m], s;\nselp.b64 %x0, 1, 0, o;\n"},
        {"try_wait", "o, [m], s, 100",
         OBJECT INIT "mbarrier.arrive.shared.b64 s, [m];\n$O o, [m], s, 100;\nselp.b64 %x0, 1, 0, o;\n"},
        {"try_wait.parity", "o, [m], d",
         OBJECT INIT "mbarrier.arrive.shared.b64 s, [m];\nand.b32 d, a, 1;\n$O o, [m], d;\nselp.b64 %x0, 1, 0, o;\n"},
    };
    char opcode[96];
    for (size_t s = 0; s < 2; s++)
        for (size_t w = 0; w < N_ELEMENTS(ways); w++) {
            for (size_t i = 0; i < N_ELEMENTS(arrivals); i++) {
                snprintf(opcode, sizeof opcode, "mbarrier.%s%s%s.b64", arrivals[i].op, ways[w], spaces[s]);
                add_text(set, "mbarrier", opcode, arrivals[i].note, "8 1 1 8 1 1", 0, arrivals[i].text);
            }
            for (size_t i = 0; i < N_ELEMENTS(tests); i++) {
                snprintf(opcode, sizeof opcode, "mbarrier.%s%s%s.b64", tests[i].op, waits[w], spaces[s]);
                add_text(set, "mbarrier", opcode, tests[i].note, "1", 0, tests[i].text);
            }
        }
    for (size_t w = 0; w < N_ELEMENTS(ways); w++) { // bytes that are expected and come
        static const char *const how[] = {"expect_tx", "arrive.expect_tx"};
        static const char *const texts[] = {
            OBJECT INIT "$O [m], 64;\nmbarrier.arrive.shared.b64 s, [m], k;\nmbarrier.test_wait.shared.b64 o, [m], s;\n"
                        "selp.b64 %x0, 1, 0, o;\nmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], 64;\n"
                        "mbarrier.test_wait.shared.b64 o, [m], s;\nselp.b64 %x1, 1, 0, o;\n",
            OBJECT "mov.u32 k, 1;\n" INIT "$O s, [m], 48;\nmbarrier.test_wait.shared.b64 o, [m], s;\nselp.b64 %x0, 1, 0, o;\n"
                   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], 48;\n"
                   "mbarrier.test_wait.shared.b64 o, [m], s;\nselp.b64 %x1, 1, 0, o;\n"};
        for (size_t i = 0; i < 2; i++)
            for (size_t s = 0; s < 2; s++) {
                snprintf(opcode, sizeof opcode, "mbarrier.%s%s%s.b64", how[i], ways[w], spaces[s]);
                add_text(set, "mbarrier", opcode, "then complete_tx", "1 1", 0, texts[i]);
            }
    }
}

void diff_add_warp(struct diff_set *set)
{
    add_shuffles(set);
    add_nth_bits(set);
    add_votes(set);
    add_matches(set);
    add_reductions(set);
    add_block_reductions(set);
    add_block_barriers(set);
    add_mbarriers(set);
}
