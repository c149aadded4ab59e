// Selectors of video instructions: halves and bytes of sources and results; signs of vmad; where they do not belong is an error.
// Expected numbers were worked out by hand, from the PTX ISA (9.7.18, 9.7.19) or, where said so, from what an H200 does:
// op/differential has its answers.
#include "support/check.h"
#include "support/kernel_harness.h"
#include <string.h>

#define C 0xaabbccddu
static const char before[] = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                             ".reg .b64 o;\n.reg .b32 d, a, b, c;\nld.param.u64 o, [out];\nmov.u32 a, 0x11f2f384;\n"
                             "mov.u32 b, 0x55667788;\nmov.u32 c, 0xaabbccdd;\nmov.u32 d, 0;\n";

static uint32_t run(const char *line)
{
    struct buf text = {0};
    buf_printf(&text, "%s%s\nst.global.u32 [o], d;\nret;\n}\n", before, line);
    struct kernel_run run = {.text = text.at, .threads = {1, 1, 1}, .blocks = 1, .bytes = 64};
    kernel_run(&run);
    assert_int_equal(run.fault.kind, FAULT_NONE);
    uint32_t result;
    memcpy(&result, run.buffer, sizeof result);
    kernel_run_end(&run);
    buf_release(&text);
    return result;
}

static void sources_are_extended_by_their_types(void **state)
{
    (void)state;
    assert_int_equal(run("vadd.s32.s32.u32 d, a.b0, b.h1;"), 0x5566 - 124); // 0x84 is -124
    assert_int_equal(run("vadd.s32.u32.u32 d, a.b0, b.h1;"), 0x5566 + 0x84);
    assert_int_equal(run("vmin.s32.s32.s32 d, a.h0, b.b3;"), 0xfffff384u);
    assert_int_equal(run("vmax.s32.s32.u32.add d, a.b3, b.b2, c;"), 0x66 + C);
    assert_int_equal(run("vmad.u32.u32.u32 d, a.b3, b.b1, c;"), 0x11 * 0x77 + C);
}

static void a_part_of_the_result_replaces_that_of_the_third_source(void **state)
{
    (void)state;
    assert_int_equal(run("vadd.s32.s32.s32.sat d.b2, a.b3, b.b2, c;"), 0xaa77ccddu);   // 17 + 102
    assert_int_equal(run("vadd.s32.s32.s32.sat d.b2, b.b2, b.b2, c;"), 0xaa7fccddu);   // 204 becomes 127
    assert_int_equal(run("vsub.u32.u32.u32.sat d.h1, a.b0, b, c;"), 0x0000ccddu);      // below 0
    assert_int_equal(run("vabsdiff.u32.u32.u32.sat d.b0, a.h1, b.h1, c;"), 0xaabbccffu); // 0x4374
    assert_int_equal(run("vabsdiff.u32.u32.u32 d.b0, a.h1, b.h1, c;"), 0xaabbcc74u);
    assert_int_equal(run("vset.s32.u32.gt d.h0, a, b.b1, c;"), 0xaabb0001u);
}

static void parts_side_by_side_choose_from_both_sources(void **state)
{
    (void)state;
    assert_int_equal(run("vadd4.u32.u32.u32 d.b20, a.b7610, b.b3210, c;"), 0xaa58cc08u);
    assert_int_equal(run("vabsdiff2.u32.u32.u32 d.h1, a.h31, b.h10, c;"), 0x4374ccddu);
    assert_int_equal(run("vadd2.u32.u32.u32 d.h10, a, b, c;"), run("vadd2.u32.u32.u32 d, a, b, c;"));
}

// Where an H200 differs from the PTX ISA.
static void a_part_as_result_on_an_h200(void **state)
{
    (void)state;
    assert_int_equal(run("vadd.u32.u32.u32 d.h1, a, b, c;"), 0x6759ccddu);                  // 0x67595b0c: the upper half, not 0x5b0c
    assert_int_equal(run("vsub.u32.u32.u32.sat d.b1, a.b0, b, c;"), 0xaabbffddu);           // below 0: the largest number
    assert_int_equal(run("vsub.s32.u32.u32.sat d.b1, a.b0, b, c;"), 0xaabb7fddu);
    assert_int_equal(run("vshr.u32.u32.u32.sat.clamp d.b0, a, b.b3, c;"), 0xaabbcc00u);     // shifts have no limit but 32 bits
    assert_int_equal(run("vshl.u32.u32.u32.sat.wrap d.b3, a.b3, b.b0, c;"), 0x00bbccddu);   // 0x1100
    assert_int_equal(run("vsub.u32.u32.u32.max d, a, b, c;"), 0xbc8c7bfcu);                 // 0xbc8c7bfc is above 0xaabbccdd
    assert_int_equal(run("vadd.u32.u32.u32.min d, b, b, c;"), 0xaabbccddu);                 // 0xaaccef10 has a sign: far above
}

static void vmad_takes_signs_and_one_more(void **state)
{
    (void)state;
    assert_int_equal(run("vmad.u32.u32.u32.po d, a.b3, b.b1, c;"), 0x11 * 0x77 + C + 1);
    assert_int_equal(run("vmad.s32.u32.u32 d, -a.b3, b.b1, c;"), C - 0x11 * 0x77);
    assert_int_equal(run("vmad.s32.u32.u32 d, -a.b3, -b.b1, c;"), C + 0x11 * 0x77);
    assert_int_equal(run("vmad.s32.u32.u32 d, a.b3, b.b1, -c;"), 0x11 * 0x77 - C);
    assert_int_equal(run("vmad.s32.u32.u32.shr7 d, a.b3, b.b1, -b;"), (uint32_t)((0x11 * 0x77 - 0x55667788) >> 7));
}

static void a_mask_chooses_what_is_summed(void **state)
{
    (void)state;
    assert_int_equal(run("vadd4.u32.u32.u32.add d.b20, a, b, c;"), C + 0x84 + 0x88 + 0xf2 + 0x66);
    assert_int_equal(run("vset2.u32.u32.lt.add d.h1, a, b, c;"), C + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sources_are_extended_by_their_types),
                                       cmocka_unit_test(a_part_of_the_result_replaces_that_of_the_third_source),
                                       cmocka_unit_test(parts_side_by_side_choose_from_both_sources),
                                       cmocka_unit_test(a_part_as_result_on_an_h200),
                                       cmocka_unit_test(vmad_takes_signs_and_one_more),
                                       cmocka_unit_test(a_mask_chooses_what_is_summed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
