// Video instructions with parts of their operands (.b0, .h1, .b7610), masks, second operations, and vmad with its signs: every
// combination of types, .sat and second operation with selectors that change from one to the next.
#include "support/check.h"
#include "support/diff.h"
#include <stdio.h>
#include <string.h>

static const char setup[] =
    ".reg .b32 a, b, c;\nld.global.b64 %at, [%in];\ncvt.u32.u64 a, %at;\nadd.u64 %in, %in, %stride;\n"
    "ld.global.b64 %at, [%in];\ncvt.u32.u64 b, %at;\nadd.u64 %in, %in, %stride;\n"
    "ld.global.b64 %at, [%in];\ncvt.u32.u64 c, %at;\n";
static const char *const types[] = {"u32", "s32"};
static const char *const parts[] = {"", ".b0", ".h1", ".b3", ".h0", ".b1", ".b2"}; // of sources
static const char *const places[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};    // of results
static const char *const seconds[] = {"", ".add", ".min", ".max"};
static const char *const relations[] = {"eq", "ne", "lt", "le", "gt", "ge"};

// `at` goes through the selectors, one further for each variant.
struct series {
    struct diff_set *set;
    const char *base;
    uint32_t at;
};

static void add(struct series *s, const char *opcode, const char *operands)
{
    char key[160], text[256];
    struct diff_shape shape = {.family = s->base,
                               .seed = "parts",
                               .setup = setup,
                               .inputs = {PT_U32, PT_U32, PT_U32},
                               .n_inputs = 3};
    snprintf(key, sizeof key, "%s|%s", opcode, operands);
    snprintf(text, sizeof text, ".reg .b32 d;\n%s %s;\ncvt.u64.u32 %%x0, d;\n", opcode, operands);
    diff_add(s->set, &shape, key, "8", text);
    s->at++;
}

// ---- one number ----------------------------------------------------------------------------------------

// With a part as result; and each second operation on whole operands and on parts.
static void add_scalar(struct series *s, const char *opcode, bool b_is_count)
{
    char operands[64], whole[96];
    for (size_t i = 0; i < N_ELEMENTS(places); i++) {
        snprintf(operands, sizeof operands, "d%s, a%s, b%s, c", places[i], parts[s->at % 7],
                 b_is_count ? ".b1" : parts[s->at / 7 % 7]);
        add(s, opcode, operands);
    }
    for (size_t i = 0; i < N_ELEMENTS(seconds); i++) {
        snprintf(whole, sizeof whole, "%s%s", opcode, seconds[i]);
        add(s, whole, i ? "d, a, b, c" : "d, a, b");
        snprintf(operands, sizeof operands, "d, a%s, b%s%s", parts[1 + s->at % 6], b_is_count ? ".b2" : parts[s->at / 6 % 7],
                 i ? ", c" : "");
        add(s, whole, operands);
    }
}

static void add_arithmetic(struct series *s)
{
    char opcode[64];
    for (uint32_t n = 0; n < 16; n++) {
        snprintf(opcode, sizeof opcode, "%s.%s.%s.%s%s", s->base, types[n & 1], types[n >> 1 & 1], types[n >> 2 & 1],
                 n & 8 ? ".sat" : "");
        add_scalar(s, opcode, false);
    }
}

static void add_shift(struct series *s)
{
    char opcode[64];
    for (uint32_t n = 0; n < 16; n++) {
        snprintf(opcode, sizeof opcode, "%s.%s.%s.u32%s.%s", s->base, types[n & 1], types[n >> 1 & 1], n & 4 ? ".sat" : "",
                 n & 8 ? "clamp" : "wrap");
        add_scalar(s, opcode, true);
    }
}

static void add_comparison(struct series *s)
{
    char opcode[64];
    for (uint32_t n = 0; n < 24; n++) {
        snprintf(opcode, sizeof opcode, "%s.%s.%s.%s", s->base, types[n & 1], types[n >> 1 & 1], relations[n / 4]);
        add_scalar(s, opcode, false);
    }
}

static void add_mad(struct series *s)
{
    static const char *const scales[] = {"", ".shr7", ".shr15"};
    static const char *const signs[][3] = {{"", "", ""}, {"-", "", ""}, {"", "-", ""}, {"-", "-", ""}, {"", "", "-"}};
    char opcode[64], operands[64];
    for (uint32_t n = 0; n < 16 * 3; n++)
        for (uint32_t k = 0; k < 6; k++) { // the last with .po
            const char *const *sign = signs[k % 5];
            snprintf(opcode, sizeof opcode, "vmad.%s.%s.%s%s%s%s", types[n & 1], types[n >> 1 & 1], types[n >> 2 & 1],
                     k == 5 ? ".po" : "", n & 8 ? ".sat" : "", scales[n / 16]);
            snprintf(operands, sizeof operands, "d, %sa%s, %sb%s, %sc", sign[0], n % 2 ? parts[s->at % 7] : "", sign[1],
                     n % 3 ? parts[s->at / 7 % 7] : "", sign[2]);
            add(s, opcode, operands);
        }
}

// ---- halves and bytes ----------------------------------------------------------------------------------

static const char *source_of(uint32_t bits, uint32_t n)
{
    static const char *const halves[] = {"", ".h32", ".h01", ".h20", ".h31", ".h11", ".h23"},
                      *const bytes[] = {"", ".b7610", ".b3210", ".b0123", ".b4567", ".b5555", ".b7070"};
    return bits == 16 ? halves[n % 7] : bytes[n % 7];
}

// All masks of halves; of bytes four, others each time.
static void add_packed(struct series *s, const char *opcode)
{
    static const char *const halves[] = {".h0", ".h1", ".h10"},
                      *const bytes[] = {".b0", ".b1", ".b2", ".b3", ".b10", ".b20", ".b30", ".b21", ".b31", ".b32", ".b210",
                                        ".b310", ".b320", ".b321", ".b3210"};
    const uint32_t bits = strchr(s->base, '2') ? 16 : 8;
    char operands[64];
    snprintf(operands, sizeof operands, "d, a%s, b%s, c", source_of(bits, s->at), source_of(bits, s->at / 7));
    add(s, opcode, operands);
    for (uint32_t i = 0; i < (bits == 16 ? 3 : 4); i++) {
        snprintf(operands, sizeof operands, "d%s, a%s, b%s, c", bits == 16 ? halves[i] : bytes[s->at % 15],
                 source_of(bits, s->at), source_of(bits, s->at / 7));
        add(s, opcode, operands);
    }
}

static void add_packed_arithmetic(struct series *s)
{
    static const char *const ends[] = {"", ".sat", ".add"}; // not both
    char opcode[64];
    for (uint32_t n = 0; n < 8 * 3; n++) {
        snprintf(opcode, sizeof opcode, "%s.%s.%s.%s%s", s->base, types[n & 1], types[n >> 1 & 1], types[n >> 2 & 1],
                 ends[n / 8]);
        add_packed(s, opcode);
    }
}

static void add_packed_comparison(struct series *s)
{
    char opcode[64];
    for (uint32_t n = 0; n < 48; n++) {
        snprintf(opcode, sizeof opcode, "%s.%s.%s.%s%s", s->base, types[n & 1], types[n >> 1 & 1], relations[n / 8],
                 n & 4 ? ".add" : "");
        add_packed(s, opcode);
    }
}

void diff_add_video(struct diff_set *set)
{
    static const struct {
        const char *base;
        void (*add)(struct series *s);
    } all[] = {{"vadd", add_arithmetic},
               {"vsub", add_arithmetic},
               {"vabsdiff", add_arithmetic},
               {"vmin", add_arithmetic},
               {"vmax", add_arithmetic},
               {"vshl", add_shift},
               {"vshr", add_shift},
               {"vset", add_comparison},
               {"vmad", add_mad},
               {"vadd2", add_packed_arithmetic},
               {"vsub2", add_packed_arithmetic},
               {"vavrg2", add_packed_arithmetic},
               {"vabsdiff2", add_packed_arithmetic},
               {"vmin2", add_packed_arithmetic},
               {"vmax2", add_packed_arithmetic},
               {"vset2", add_packed_comparison},
               {"vadd4", add_packed_arithmetic},
               {"vsub4", add_packed_arithmetic},
               {"vavrg4", add_packed_arithmetic},
               {"vabsdiff4", add_packed_arithmetic},
               {"vmin4", add_packed_arithmetic},
               {"vmax4", add_packed_arithmetic},
               {"vset4", add_packed_comparison}};
    for (size_t i = 0; i < N_ELEMENTS(all); i++)
        all[i].add(&(struct series){set, all[i].base, 0});
}
