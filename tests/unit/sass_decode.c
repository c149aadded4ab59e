// The decoder of machine code: text against nvdisasm's (tests/data/sass_sm90.txt.zst), operands and fields of
// a few instructions by hand, and what every row of sass.def must keep.
#include "sass/sass.h"
#include "sass/spec.h"
#include "support/check.h"
#include "support/packed.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sass_insn decode(uint64_t low, uint64_t high)
{
    struct sass_insn insn;
    uint64_t words[2] = {low, high};
    assert_true(sass_decode(90, words, 0, &insn));
    return insn;
}

// LOW HIGH OFFSET TEXT
static bool check_line(const char *line, struct buf *text)
{
    struct sass_insn insn;
    uint64_t words[2];
    uint32_t offset;
    int n = 0;
    if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx32 " %n", &words[0], &words[1], &offset, &n) != 3)
        fail_msg("not an instruction: %s", line);
    buf_clear(text);
    sass_decode(90, words, offset, &insn);
    sass_print(&insn, text);
    if (strcmp(text->at, line + n) == 0)
        return true;
    print_error("%.33s: \"%s\", nvdisasm: \"%s\"\n", line, text->at, line + n);
    return false;
}

static void test_text(void **state)
{
    (void)state;
    struct buf data = {0}, text = {0};
    unsigned n = 0, n_wrong = 0;
    packed_read("tests/data/sass_sm90.txt.zst", &data);
    char *rest = NULL;
    for (char *line = strtok_r(data.at, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), n++)
        n_wrong += !check_line(line, &text);
    print_message("%u of %u instructions are printed as nvdisasm prints them\n", n - n_wrong, n);
    assert_true(n > 14000);
    assert_int_equal(n_wrong, 0);
    buf_release(&data);
    buf_release(&text);
}

static void test_unknown(void **state)
{
    (void)state;
    struct sass_insn insn;
    struct buf text = {0};
    const uint64_t words[2] = {0xfff, 0x000fe20000000000};
    assert_false(sass_decode(90, words, 0, &insn));
    assert_null(insn.row);
    sass_print(&insn, &text);
    assert_string_equal(text.at, "(unknown: 0x0000000000000fff 0x000fe20000000000)");
    buf_release(&text);
}

static void test_architectures(void **state)
{
    (void)state;
    const uint64_t redux[2] = {0x00000000040b73c4, 0};
    struct sass_insn insn;
    assert_true(sass_decode(80, redux, 0, &insn));
    assert_false(sass_decode(75, redux, 0, &insn));
}

// @!P0 IADD3.X R5, P1, PT, R81, ~R3, RZ, P0, !PT: hidden operands keep their place.
static void test_add(void **state)
{
    (void)state;
    struct sass_insn plain = decode(0x0000000000097210, 0x000fe20007ffe0ff);
    assert_int_equal(plain.op, SASS_IADD3);
    assert_int_equal(plain.n_operands, 8);
    assert_int_equal(plain.n_dst, 3);
    assert_int_equal(plain.operands[1].kind, SO_PRED);
    assert_int_equal(plain.operands[1].number, SASS_PT);
    assert_int_equal(plain.operands[5].number, SASS_RZ);
    assert_int_equal(sass_field(&plain, SF_X), 0);
    struct sass_insn carry = decode(0x0000000351058210, 0x000fe400007fe4ff);
    assert_int_equal(carry.guard, 0);
    assert_true(carry.guard_is_negated);
    assert_false(carry.guard_is_uniform);
    assert_int_equal(sass_field(&carry, SF_X), SASS_X_YES);
    assert_int_equal(carry.operands[6].number, 0);
    assert_true(carry.operands[7].is_negated);
}

static void test_guards(void **state)
{
    (void)state;
    assert_true(decode(0x0000000104040890, 0x000fe2000fffe03f).guard_is_uniform);  // @UP0 UIADD3
    assert_false(decode(0x00000000080402ca, 0x004fc600000e0000).guard_is_uniform); // @P0 R2UR
}

static void test_words(void **state)
{
    (void)state;
    struct sass_insn load = decode(0x0000000402087981, 0x000fe2000c1e1d00); // LDG.E.128 R8, desc[UR4][R2.64]
    assert_int_equal(load.op, SASS_LDG);
    assert_int_equal(sass_field(&load, SF_WIDTH), SASS_WIDTH_B128);
    assert_int_equal(load.operands[1].words, 4);
    assert_true(load.operands[2].has_descriptor && load.operands[2].is_base_64);
    assert_int_equal(load.operands[2].descriptor, 4);
    assert_int_equal(load.operands[2].number, 2);
    struct sass_insn wide = decode(0x0000000400027825, 0x000fe200078e0202); // IMAD.WIDE R2, R0, 0x4, R2
    assert_int_equal(wide.operands[0].words, 2);
    assert_int_equal(wide.operands[2].words, 1);
    assert_int_equal(wide.operands[4].words, 2);
    struct sass_insn matrix = decode(0x000000020408723c, 0x000fe20000001808); // HMMA.16816.F32 R8, R4, R2, R8
    const unsigned words[] = {4, 4, 2, 4};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(matrix.operands[i].words, words[i]);
}

static void test_target(void **state)
{
    (void)state;
    struct sass_insn insn;
    const uint64_t back[2] = {0xfffffffd00ec0947, 0x000fea000393ffff};
    assert_true(sass_decode(90, back, 0x1000, &insn)); // BRA.U.ANY
    assert_int_equal(insn.operands[insn.n_operands - 1].kind, SO_TARGET);
    assert_int_equal(insn.operands[insn.n_operands - 1].value, 0x1010 - 0x50);
}

static void test_control(void **state)
{
    (void)state;
    uint32_t control = (uint32_t)SASS_CONTROL(UINT64_C(0x0c0fe40007800914));
    assert_int_equal(SASS_STALL(control), 2);
    assert_false(SASS_YIELD(control));
    assert_int_equal(SASS_WRITE_BARRIER(control), 7);
    assert_int_equal(SASS_READ_BARRIER(control), 7);
    assert_int_equal(SASS_WAIT_MASK(control), 0);
    assert_int_equal(SASS_REUSE(control), 3);
}

// Each row can be read to its end; destinations come first; all fits into struct sass_insn.
static void test_rows(void **state)
{
    (void)state;
    uint32_t n;
    const struct sass_row *rows = sass_rows(&n);
    assert_int_equal(n, N_SASS_OPS - 1);
    for (uint32_t i = 0; i < n; i++) {
        struct sass_item item;
        unsigned n_operands = 0;
        int depth = 0;
        bool has_source = false;
        assert_int_equal(rows[i].op, i + 1);
        for (const char *at = rows[i].spec; sass_item_next(&at, &item);) {
            depth += (item.what == ITEM_OPEN) - (item.what == ITEM_CLOSE);
            if (item.what != ITEM_OPERAND)
                continue;
            if (item.is_dst && has_source)
                fail_msg("%s: a destination behind a source", rows[i].name);
            has_source |= !item.is_dst;
            n_operands++;
        }
        assert_int_equal(depth, 0);
        if (n_operands > SASS_MAX_OPERANDS)
            fail_msg("%s: %u operands", rows[i].name, n_operands);
    }
}

// No row hides another: each is found by an encoding of its own.
static void test_unique(void **state)
{
    (void)state;
    uint32_t n;
    const struct sass_row *rows = sass_rows(&n);
    for (uint32_t i = 0; i < n; i++)
        for (unsigned form = 0; form < 8; form++) {
            uint64_t low = rows[i].forms ? rows[i].opcode | form << 9 : rows[i].opcode;
            if (rows[i].forms && !(rows[i].forms >> form & 1))
                continue;
            const struct sass_row *found = sass_row_find(rows[i].first_cc, low);
            if (found != &rows[i])
                fail_msg("%s %03" PRIx64 " is taken by %s", rows[i].name, low,
                         found ? found->name : "nobody");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),   cmocka_unit_test(test_unknown), cmocka_unit_test(test_architectures),
        cmocka_unit_test(test_add),    cmocka_unit_test(test_guards),  cmocka_unit_test(test_words),
        cmocka_unit_test(test_target), cmocka_unit_test(test_control), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
