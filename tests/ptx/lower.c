// ptx/lower: small kernels are parsed, lowered and run by one warp; what they write and how they converge is
// compared.
#include "support/check.h"
#include "support/run_warp.h"
#include <string.h>

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"

// A kernel around `body`, which leaves its 64-bit result in %out; %t holds the thread.
static char *kernel_text(struct arena *arena, const char *before, const char *body)
{
    return arena_printf(
        arena,
        HEAD "%s\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %%p<9>; .reg .b16 %%h<19>; .reg .b32 "
             "%%r<40>; .reg .b64 %%d<40>; .reg .f32 %%f<9>; .reg .f64 %%g<9>; .reg .b128 %%q<4>;\n"
             ".reg .b32 %%t; .reg .b64 %%out, %%at;\nmov.u32 %%t, %%tid.x;\nmov.u64 %%out, 0;\n%s\n"
             "ld.param.u64 %%at, [p];\nmad.wide.u32 %%at, %%t, 8, %%at;\nst.global.u64 [%%at], %%out;\n"
             "ret;\n}\n",
        before, body);
}

static void check_body(const char *before, const char *body, uint64_t (*expected)(uint32_t lane))
{
    struct arena arena;
    struct run r;
    arena_init(&arena, "text");
    run_text(&r, kernel_text(&arena, before, body));
    assert_int_equal(r.fault.kind, FAULT_NONE);
    for (uint32_t lane = 0; lane < 32; lane++)
        if (r.result[lane] != expected(lane))
            fail_msg("lane %u: %llx, not %llx", lane, (unsigned long long)r.result[lane],
                     (unsigned long long)expected(lane));
    run_end(&r);
    arena_release(&arena);
}

#define CHECK(name, before, body, value)           \
    static uint64_t expected_##name(uint32_t lane) \
    {                                              \
        (void)lane;                                \
        return value;                              \
    }                                              \
    static void name(void **state)                 \
    {                                              \
        (void)state;                               \
        check_body(before, body, expected_##name); \
    }

// ---- operands ---------------------------------------------------------------------------------------

CHECK(thread_numbers, "", "cvt.u64.u32 %out, %t;", lane)
CHECK(special_register_as_operand, "", "add.u32 %r1, %laneid, %ntid.x; cvt.u64.u32 %out, %r1;", lane + 32)
CHECK(warp_size, "", "add.u32 %r1, %t, WARP_SZ; cvt.u64.u32 %out, %r1;", lane + 32)
CHECK(negative_immediates, "",
      "add.s64 %d1, %out, -3; add.s32 %r1, %t, -1; cvt.s64.s32 %d2, %r1; add.s64 %out, %d1, %d2;",
      (uint64_t)lane - 4)
CHECK(double_literal_in_f32, "",
      "add.f32 %f1, 0f00000000, 0d3FF8000000000000; mov.b32 %r1, %f1; cvt.u64.u32 %out, %r1;", 0x3fc00000)
CHECK(single_literal_in_f64, "",
      "mov.f64 %g1, 0d0000000000000000; add.f64 %g1, %g1, 0f3FC00000; mov.b64 %out, %g1;", 0x3ff8000000000000)
CHECK(decimal_in_f32, "", "mov.f32 %f1, 0.75; mov.b32 %r1, %f1; cvt.u64.u32 %out, %r1;", 0x3f400000)
CHECK(sixteen_bits, "", "cvt.u16.u32 %h1, %t; add.u16 %h2, %h1, -1; cvt.u64.u16 %out, %h2;",
      (uint16_t)(lane - 1))
CHECK(dual_predicates, "",
      "setp.lt.u32 %p1|%p2, %t, 10; selp.u32 %r1, 1, 2, %p1; selp.u32 %r2, 10, 20, %p2; add.u32 %r1, %r1, "
      "%r2;"
      "cvt.u64.u32 %out, %r1;",
      lane < 10 ? 21 : 12)
CHECK(guarded_writes, "",
      "mov.u32 %r1, 7; setp.gt.u32 %p1, %t, 3; @%p1 mov.u32 %r1, 9; @!%p1 add.u32 %r1, %r1, 1;"
      "cvt.u64.u32 %out, %r1;",
      lane > 3 ? 9 : 8)
CHECK(wide_result_over_its_source, "",
      "mov.u32 %r1, 3; mul.wide.u32 %d1, %t, %r1; mul.lo.u64 %d1, %d1, 0x100000000;"
      "add.u64 %out, %d1, 5;",
      lane * 3ull << 32 | 5)

// ---- packing ----------------------------------------------------------------------------------------

CHECK(pack_64, "", "mov.b64 %out, {%t, 5};", 5ull << 32 | lane)
CHECK(unpack_64, "",
      "mov.b64 %d1, {%t, 6}; mov.b64 {%r1, %r2}, %d1; sub.u32 %r1, %r2, %r1; cvt.u64.u32 %out, %r1;",
      (uint32_t)(6 - lane))
CHECK(swap_halves, "",
      "mov.b64 %d1, {%t, 6}; mov.b64 {%r1, %r2}, %d1; mov.b64 %d1, {%r2, %r1}; mov.u64 %out, %d1;",
      (uint64_t)lane << 32 | 6)
CHECK(unpack_high_only, "", "mov.b64 %d1, {6, %t}; mov.b64 {_, %r1}, %d1; cvt.u64.u32 %out, %r1;", lane)
CHECK(pack_16, "",
      "cvt.u16.u32 %h1, %t; mov.u16 %h2, 0x1234; mov.b32 %r1, {%h1, %h2}; mov.b32 {%h3, %h4}, %r1;"
      "mov.b64 %out, {%h4, %h3, %h2, %h1};",
      0x1234ull | (uint64_t)lane << 16 | 0x1234ull << 32 | (uint64_t)lane << 48)
CHECK(pack_8, "",
      "cvt.u16.u32 %h1, %t; mov.u16 %h2, 0x22; mov.b32 %r1, {%h1, %h2, %h1, %h2};"
      "mov.b32 {%h3, %h4, %h5, %h6}, %r1; mov.b16 %h7, {%h4, %h5}; mov.b64 %out, {%h3, %h7, %h6, %h1};",
      (uint64_t)lane | (uint64_t)(lane << 8 | 0x22) << 16 | 0x22ull << 32 | (uint64_t)lane << 48)
CHECK(pack_128, "",
      "cvt.u64.u32 %d1, %t; mov.u64 %d2, 0x123456789abcdef; mov.b128 %q1, {%d1, %d2}; mov.b128 %q2, %q1;"
      "mov.b128 {%d3, %d4}, %q2; xor.b64 %out, %d3, %d4;",
      lane ^ 0x123456789abcdef)

// ---- memory -----------------------------------------------------------------------------------------

CHECK(shared_variables, ".shared .align 8 .b8 first[12];",
      ".shared .align 16 .b32 second[64]; mov.u32 %r1, second; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;"
      "st.shared.u32 [%r3], %t; st.shared.u32 [first+4], 77; xor.b32 %r2, %r2, 4; add.u32 %r3, %r1, %r2;"
      "ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [first+4]; mad.lo.u32 %r4, %r5, 100, %r4; mad.lo.u32 "
      "%r4, %r1, 10000, %r4;"
      "cvt.u64.u32 %out, %r4;",
      (lane ^ 1) + 7700 + 160000)
CHECK(dynamic_shared, ".extern .shared .align 16 .b8 dynamic[]; .shared .b8 fixed[20];",
      "mov.u64 %d1, dynamic; mov.u32 %r1, fixed; cvt.u64.u32 %d2, %r1; mad.lo.u64 %out, %d2, 100, %d1;", 32)
CHECK(generic_shared, "",
      ".shared .b32 s[32]; mov.u64 %d1, s; cvta.shared.u64 %d2, %d1; mad.wide.u32 %d3, %t, 4, %d2; st.u32 "
      "[%d3], %t;"
      "ld.u32 %r1, [%d2+20]; cvta.to.shared.u64 %d4, %d3; ld.shared.u32 %r2, [%d4]; mad.lo.u32 %r1, %r1, "
      "100, %r2;"
      "cvt.u64.u32 %out, %r1;",
      500 + lane)
CHECK(local_variables, "",
      ".local .align 8 .b8 depot[64]; .reg .b64 %SP, %SPL; mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;"
      "st.local.u32 [%SPL+8], %t; ld.u32 %r1, [%SP+8]; st.local.u8 [depot+1], 9; ld.local.u8 %r2, [%SPL+1];"
      "mad.lo.u32 %r1, %r1, 10, %r2; cvt.u64.u32 %out, %r1;",
      lane * 10 + 9)
CHECK(global_variables, ".global .align 4 .u32 numbers[3] = {1, 2, 30}; .global .u64 pointer = numbers+8;",
      "ld.global.u64 %d1, [pointer]; ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [numbers+4]; mov.u64 %d2, "
      "numbers;"
      "cvta.global.u64 %d3, %d2; ld.u32 %r3, [%d3]; add.u32 %r1, %r1, %r2; mad.lo.u32 %r1, %r3, 100, %r1;"
      "cvt.u64.u32 %out, %r1;",
      132)
CHECK(constants, ".const .align 4 .u32 pad; .const .align 8 .b64 table[2] = {5, 600};",
      "mov.u64 %d1, table; ld.const.u64 %d2, [%d1+8]; ld.const.u64 %d3, [table]; cvta.const.u64 %d4, %d1; "
      "ld.u64 %d5, [%d4];"
      "mad.lo.u64 %out, %d5, 1000, %d2; add.u64 %out, %out, %d3;",
      5605)
CHECK(vector_load, ".global .align 16 .u32 numbers[4] = {1, 20, 300, 4000};",
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [numbers]; add.u32 %r1, %r1, %r2; add.u32 %r3, %r3, %r4; "
      "add.u32 %r1, %r1, %r3;"
      "ld.global.v2.u32 {%r2, _}, [numbers]; add.u32 %r1, %r1, %r2; cvt.u64.u32 %out, %r1;",
      4322)
CHECK(narrow_loads, ".global .align 4 .b8 bytes[4] = {255, 254, 0, 128};",
      "ld.global.s8 %r1, [bytes]; ld.global.u8 %r2, [bytes+1]; ld.global.s16 %d1, [bytes+2]; ld.global.s8 "
      "%h1, [bytes+1];"
      "cvt.u64.u16 %d2, %h1; cvt.s64.s32 %d3, %r1; cvt.u64.u32 %d4, %r2; add.u64 %out, %d1, %d2; add.u64 "
      "%out, %out, %d3;"
      "add.u64 %out, %out, %d4;",
      (uint64_t)-32768 + 0xfffe - 1 + 254)

// ---- parameters -------------------------------------------------------------------------------------

static void kernel_parameters(void **state)
{
    (void)state;
    struct {
        uint64_t out;
        int8_t a;
        uint8_t b;
        int16_t c;
        uint32_t d;
        uint64_t e;
        uint32_t f[4];
        uint8_t g[5];
    } params = {0, -2, 200, -300, 7, 0x1000000000, {1, 2, 3, 4}, {9, 8, 7, 6, 5}};
    static const char text[] = HEAD
        ".visible .entry k(.param .u64 p, .param .s8 a, .param .u8 b, .param .s16 c, .param .u32 d, .param "
        ".u64 e,\n"
        ".param .align 4 .b8 f[16], .param .align 1 .b8 g[5])\n{\n.reg .b16 %h<4>; .reg .b32 %r<30>; .reg "
        ".b64 %d<9>;\n"
        "ld.param.u64 %d1, [p];\nld.param.s8 %r1, [a];\nld.param.u8 %r2, [b];\nld.param.s16 %r3, [c];\n"
        "ld.param.u32 %r4, [d];\nld.param.u64 %d2, [e];\nld.param.v2.u32 {%r5, %r6}, [f+8];\nld.param.u8 "
        "%r7, [g+4];\n"
        "ld.param.s8 %h1, [a];\ncvt.u32.u16 %r8, %h1;\nld.param.s16 %h2, [c];\ncvt.s32.s16 %r9, %h2;\n"
        "add.s32 %r10, %r1, %r2;\nadd.s32 %r10, %r10, %r3;\nadd.s32 %r10, %r10, %r4;\nadd.s32 %r10, %r10, "
        "%r5;\n"
        "add.s32 %r10, %r10, %r6;\nadd.s32 %r10, %r10, %r7;\nadd.s32 %r10, %r10, %r8;\nadd.s32 %r10, %r10, "
        "%r9;\n"
        "cvt.s64.s32 %d3, %r10;\nadd.s64 %d3, %d3, %d2;\nmov.b64 %d4, f;\nld.param.u32 %r11, [%d4+4];\n"
        "cvta.param.u64 %d6, %d4;\nld.u32 %r12, [%d6+12];\nadd.u32 %r11, %r11, %r12;\ncvt.u64.u32 %d5, "
        "%r11;\nmad.lo.u64 %d3, %d5, 1000000, %d3;\nst.global.u64 [%d1], %d3;\nret;\n}\n";
    struct run r;
    run_params(&r, text, &params, sizeof params);
    assert_int_equal(r.fault.kind, FAULT_NONE);
    assert_int_equal(r.kernel->n_params, 8);
    assert_int_equal(r.kernel->params[3].offset, 10);
    assert_int_equal(r.kernel->params[6].offset, 24);
    assert_int_equal(r.kernel->params[7].kind, 'a');
    assert_int_equal(r.kernel->param_bytes, 45);
    assert_int_equal(r.result[0], 0x1000000000 + 6000000 - 2 + 200 - 300 + 7 + 3 + 4 + 5 + 0xfffe - 300);
    run_end(&r);
}

// ---- control flow -----------------------------------------------------------------------------------

CHECK(loop_of_unequal_length, "",
      "mov.u32 %r1, 0; mov.u32 %r2, %t; LOOP: setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE; add.u32 %r1, %r1, %r2;"
      "sub.u32 %r2, %r2, 1; bra LOOP; DONE: activemask.b32 %r3; setp.eq.u32 %p2, %r3, 0xffffffff; selp.u32 "
      "%r3, 1000, 0, %p2;"
      "add.u32 %r1, %r1, %r3; cvt.u64.u32 %out, %r1;",
      1000 + lane * (lane + 1) / 2)
CHECK(nested_branches_converge, "",
      "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %t, 8; mov.u32 %r5, 0; @%p1 bra ELSE;"
      "@%p2 bra INNER; add.u32 %r5, %r5, 1; INNER: activemask.b32 %r2; add.u32 %r5, %r5, 10; bra JOIN; ELSE: "
      "activemask.b32 %r2;"
      "add.u32 %r5, %r5, 100; JOIN: activemask.b32 %r3; xor.b32 %r2, %r2, %r3; mov.b64 %out, {%r5, %r2};",
      (lane % 2 ? (lane < 8 ? 10 : 11) : 100) | (lane % 2 ? 0x55555555ull : 0xaaaaaaaaull) << 32)
CHECK(lanes_meet_in_every_iteration, "",
      "mov.u32 %r1, 0; mov.u32 %r5, 0; LOOP: add.u32 %r1, %r1, 1; add.u32 %r2, %r1, %t; and.b32 %r3, %r2, 1;"
      "setp.eq.u32 %p1, %r3, 0; @%p1 bra REST; setp.gt.u32 %p2, %r1, %t; @%p2 bra OUT; add.u64 %out, %out, 1;"
      "REST: activemask.b32 %r4; popc.b32 %r4, %r4; max.u32 %r5, %r5, %r4; setp.lt.u32 %p3, %r1, 5; @%p3 bra "
      "LOOP;"
      "OUT: activemask.b32 %r4; mov.b64 %out, {%r5, %r4};",
      (lane == 0 ? 0 : 31) | 0xffffffffull << 32)
CHECK(early_exit_converges, "",
      "setp.lt.u32 %p1, %t, 16; @%p1 bra REST; setp.eq.u32 %p2, %t, 20; @%p2 exit; add.u64 %out, %out, 1;"
      "REST: activemask.b32 %r1; mov.b64 %d1, {%r1, 0}; shl.b64 %d1, %d1, 8; add.u64 %out, %out, %d1;",
      lane == 20 ? 0 : (uint64_t)0xffefffff << 8 | (lane >= 16))
CHECK(indexed_branch, "",
      "ts: .branchtargets A, B, C; and.b32 %r1, %t, 3; min.u32 %r1, %r1, 2; brx.idx %r1, ts; A: add.u64 "
      "%out, %out, 5; bra J;"
      "B: add.u64 %out, %out, 60; bra J; C: add.u64 %out, %out, 700; J: activemask.b32 %r2; shr.u32 %r2, "
      "%r2, 31;"
      "cvt.u64.u32 %d1, %r2; add.u64 %out, %out, %d1;",
      1 + (lane % 4 == 0   ? 5
           : lane % 4 == 1 ? 60
                           : 700))

// ---- calls ------------------------------------------------------------------------------------------

#define TWICE                                                                                             \
    ".func (.param .b32 res) twice(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %r<9>; .reg .b64 %d<3>;\n" \
    "ld.param.u32 %r1, [a];\nld.param.u64 %d1, [b];\ncvt.u32.u64 %r2, %d1;\nadd.u32 %r3, %r1, %r1;\n"     \
    "add.u32 %r3, %r3, %r2;\nst.param.b32 [res+0], %r3;\nret;\n}\n"
#define CALL_TWICE                                                                                         \
    "{ .param .b32 p0; st.param.b32 [p0+0], %t; .param .b64 p1; st.param.b64 [p1+0], 5; .param .b32 ret0;" \
    "call.uni (ret0), twice, (p0, p1); ld.param.b32 %r9, [ret0+0]; }"

CHECK(call, TWICE, CALL_TWICE "cvt.u64.u32 %out, %r9;", 2 * lane + 5)
CHECK(guarded_call, TWICE,
      "mov.u32 %r9, 3; setp.lt.u32 %p1, %t, 9; { .param .b32 p0; st.param.b32 [p0+0], %t; .param .b64 p1;"
      "st.param.b64 [p1+0], 5; .param .b32 ret0; @%p1 call (ret0), twice, (p0, p1); @%p1 ld.param.b32 %r9, "
      "[ret0+0]; }"
      "activemask.b32 %r8; mov.b64 %out, {%r9, %r8};",
      (lane < 9 ? 2 * lane + 5 : 3) | 0xffffffffull << 32)

#define SUM                                                                                                  \
    ".func (.param .b64 res) sum(.param .align 4 .b8 s[12], .param .b16 h)\n{\n.reg .b16 %h<3>; .reg .b32 "  \
    "%r<9>; .reg .b64 %d<3>;\n"                                                                              \
    "ld.param.u32 %r1, [s];\nld.param.v2.u16 {%h1, %h2}, [s+4];\nld.param.s8 %r2, [s+9];\ncvt.u32.u16 %r3, " \
    "%h1;\n"                                                                                                 \
    "cvt.u32.u16 %r4, %h2;\nadd.s32 %r1, %r1, %r2;\nadd.s32 %r1, %r1, %r3;\nmad.lo.u32 %r1, %r4, 1000, "     \
    "%r1;\n"                                                                                                 \
    "ld.param.u16 %h1, [h];\ncvt.u32.u16 %r3, %h1;\nadd.s32 %r1, %r1, %r3;\n"                                \
    "cvt.s64.s32 %d1, %r1;\nst.param.b64 [res], %d1;\nret;\n}\n"
CHECK(structure_by_value, SUM,
      "{ .param .align 4 .b8 p0[12]; st.param.b32 [p0], %t; cvt.u16.u32 %h1, %t; mov.u16 %h2, 3;"
      "st.param.v2.b16 [p0+4], {%h2, %h1}; mov.u16 %h3, -4; st.param.b8 [p0+9], %h3; .param .b16 p1; "
      "st.param.b16 [p1], 50000;"
      ".param .b64 r0; call.uni (r0), sum, (p0, p1); ld.param.b64 %out, [r0]; }",
      lane + 3 + 1000 * lane - 4 + 50000)

// Sum of 1 .. n, with an array of its own at each depth.
#define DESCEND                                                                                          \
    ".func (.param .b32 res) descend(.param .b32 n)\n{\n.local .align 16 .b8 own[16];\n.reg .pred %p1; " \
    ".reg .b32 %r<9>; .reg .b64 %SPL;\n"                                                                 \
    "ld.param.u32 %r1, [n];\nmov.u64 %SPL, own;\nst.local.u32 [%SPL+4], %r1;\nsetp.eq.u32 %p1, %r1, "    \
    "0;\nmov.u32 %r3, 0;\n"                                                                              \
    "@%p1 bra END;\nsub.u32 %r2, %r1, 1;\n{ .param .b32 p0; st.param.b32 [p0], %r2; .param .b32 r0;\n"   \
    "call.uni (r0), descend, (p0); ld.param.b32 %r3, [r0]; }\nEND: ld.local.u32 %r4, [own+4];\nadd.u32 " \
    "%r3, %r3, %r4;\n"                                                                                   \
    "st.param.b32 [res], %r3;\nret;\n}\n"
CHECK(recursion, DESCEND,
      "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; call.uni (r0), descend, (p0); ld.param.b32 "
      "%r1, [r0]; }"
      "activemask.b32 %r2; mov.b64 %out, {%r1, %r2};",
      lane *(lane + 1) / 2 | 0xffffffffull << 32)

#define TWO_FUNCTIONS                                                                                       \
    ".func (.param .b32 r) add1(.param .b32 a)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r1, "    \
    "%r1, 1; st.param.b32 [r], %r1; ret; }\n"                                                               \
    ".func (.param .b32 r) mul7(.param .b32 a)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [a]; mul.lo.u32 %r1, " \
    "%r1, 7; st.param.b32 [r], %r1; ret; }\n"                                                               \
    ".global .align 8 .u64 table[2] = {add1, mul7};\n"
CHECK(indirect_call, TWO_FUNCTIONS,
      "and.b32 %r1, %t, 1; mov.u64 %d1, table; mad.wide.u32 %d2, %r1, 8, %d1; ld.global.u64 %d3, [%d2];"
      "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; proto: .callprototype (.param .b32 _) _ "
      "(.param .b32 _);"
      "call (r0), %d3, (p0), proto; ld.param.b32 %r2, [r0]; } activemask.b32 %r3; mov.b64 %out, {%r2, %r3};",
      (lane % 2 ? 7 * lane : lane + 1) | 0xffffffffull << 32)

CHECK(listed_call, TWO_FUNCTIONS,
      "and.b32 %r1, %t, 1; mov.u64 %d1, table; mad.wide.u32 %d2, %r1, 8, %d1; ld.global.u64 %d3, [%d2];"
      "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; list: .calltargets add1, mul7;"
      "call (r0), %d3, (p0), list; ld.param.b32 %r2, [r0]; } cvt.u64.u32 %out, %r2;",
      lane % 2 ? 7 * lane : lane + 1)
CHECK(alias,
      TWO_FUNCTIONS ".func (.param .b32 r) other(.param .b32 a);\n.alias other, mul7;\n"
                    ".func (.param .b32 r) third(.param .b32 a);\n.alias third, add1;\n",
      "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; call (r0), other, (p0); ld.param.b32 %r2, [r0]; }"
      "{ .param .b32 p0; st.param.b32 [p0], %r2; .param .b32 r0; mov.u64 %d3, third; proto: .callprototype (.param "
      ".b32 _) _ (.param .b32 _); call (r0), %d3, (p0), proto; ld.param.b32 %r2, [r0]; } cvt.u64.u32 %out, %r2;",
      7 * lane + 1)
CHECK(environment_registers, "", "mov.u32 %r1, %envreg0; mov.u32 %r2, %envreg31; mov.b64 %out, {%r1, %r2};", 0)

#define EARLY_RETURN                                                                                        \
    ".func (.param .b32 r) early(.param .b32 a)\n{ .reg .pred %p<3>; .reg .b32 %r<5>; ld.param.u32 %r1, "   \
    "[a]; st.param.b32 [r], %r1;\n"                                                                         \
    "setp.lt.u32 %p1, %r1, 16; @%p1 bra REST; setp.eq.u32 %p2, %r1, 20; @%p2 ret; add.u32 %r1, %r1, 100;\n" \
    "REST: activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r1, %r2, 1000, %r1; st.param.b32 [r], %r1; "  \
    "ret; }\n"
CHECK(early_return_converges, EARLY_RETURN,
      "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; call (r0), early, (p0); ld.param.b32 %r1, "
      "[r0]; }"
      "activemask.b32 %r2; mov.b64 %out, {%r1, %r2};",
      (lane == 20 ? 20 : lane + 31000 + (lane >= 16 ? 100 : 0)) | 0xffffffffull << 32)
CHECK(register_parameters,
      ".func (.reg .b32 %res) old(.reg .b32 %a, .reg .b64 %b)\n{ cvt.u32.u64 %res, %b; add.u32 %res, %res, "
      "%a; ret; }\n",
      "cvt.u64.u32 %d1, %t; call (%r1), old, (9, %d1); cvt.u64.u32 %out, %r1;", lane + 9)

static void failed_assertion(void **state)
{
    (void)state;
    struct arena arena;
    struct run r;
    arena_init(&arena, "text");
    run_text(
        &r,
        kernel_text(
            &arena,
            ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param "
            ".b64 c);\n.global .b8 text[6] = {120, 32, 62, 32, 48};\n.global .b8 file[5] = {97, 46, 99, "
            "117};",
            "setp.ne.u32 %p1, %t, 9; @%p1 bra OK; mov.u64 %d1, text; cvta.global.u64 %d2, %d1; mov.u64 "
            "%d3, file; { .param .b64 p0; st.param.b64 [p0], %d2; .param .b64 p1; st.param.b64 [p1], %d3; "
            ".param .b32 p2; st.param.b32 [p2], %t; .param .b64 p3; st.param.b64 [p3], %d3; .param .b64 "
            "p4; st.param.b64 [p4], 1; call.uni __assertfail, (p0, p1, p2, p3, p4); } OK:"));
    assert_int_equal(r.fault.kind, FAULT_ASSERT);
    assert_int_equal(r.fault.thread[0], 9);
    assert_string_equal(r.fault.note, "a.cu:9: a.cu: block: [0,0,0], thread: [9,0,0] Assertion `x > 0` failed.");
    run_end(&r);
    arena_release(&arena);
}

// ---- what the record says ---------------------------------------------------------------------------

static void each_instruction_counts_once(void **state)
{
    (void)state;
    struct arena arena;
    struct run r;
    arena_init(&arena, "text");
    run_text(&r, kernel_text(&arena, TWICE, CALL_TWICE "mov.b64 {%r1, %r2}, %out; add.u32 %r1, %laneid, 1;"));
    // 2 before, 2 st.param, call, 7 of twice, ld.param, mov, add, 4 behind
    assert_int_equal(r.n_executed, 2 + 2 + 1 + 7 + 1 + 1 + 1 + 4);
    uint32_t n_counted = 0;
    for (uint32_t i = 0; i < r.kernel->n_insns; i++)
        n_counted += !r.kernel->insns[i].is_pseudo;
    assert_int_equal(n_counted, r.n_executed);
    run_end(&r);
    arena_release(&arena);
}

static void unused_atomics_are_reductions(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>; .reg .b64 %d<3>;\nld.param.u64 %d1, [p];\n"
        "atom.global.add.u32 %r1, [%d1], 1;\natom.global.exch.b32 %r2, [%d1], 1;\natom.add.u32 %r3, [%d1], "
        "1;\n"
        "atom.global.add.u32 %r4, [%d1], 1;\nst.global.u32 [%d1], %r4;\nret;\n}\n";
    struct run r;
    const struct kernel *k = run_lower(&r, text);
    assert_int_equal(k->insns[1].class, CLASS_GLOBAL_RED);
    assert_int_equal(k->insns[1].dst, ROW_NONE);
    assert_int_equal(k->insns[2].class, CLASS_GLOBAL_ATOM);
    assert_int_equal(k->insns[3].class, CLASS_GENERIC_RED);
    assert_int_equal(k->insns[4].class, CLASS_GLOBAL_ATOM);
    run_end(&r);
}

static void needs_of_the_kernel(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".shared .align 4 .b8 unused[1000];\n.shared .align 4 .b8 used[10];\n"
             ".visible .entry k(.param .u64 p, .param .f32 f)\n.maxntid 128, 2, 1\n.minnctapersm "
             "3\n{\n.local .b8 depot[20];\n"
             ".reg .b32 %r<5>;\nst.local.u8 [depot], 1;\nst.shared.u8 [used], 2;\nbar.sync 3;\nret;\n}\n";
    struct run r;
    const struct kernel *k = run_lower(&r, text);
    assert_int_equal(k->static_shared_bytes, 10);
    assert_int_equal(k->local_bytes, 32);
    assert_int_equal(k->n_block_barriers, 4);
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->min_blocks_per_sm, 3);
    assert_int_equal(k->params[0].kind, 'p');
    assert_int_equal(k->params[1].kind, 'f');
    assert_int_equal(k->params[1].offset, 8);
    assert_true(k->registers_are_estimated);
    assert_false(k->has_calls);
    run_end(&r);
}

// A kernel that needs 200 registers at once; what ptxas gave such a one with these bounds (CUDA 13.0, sm_90).
static void bounds_limit_registers(void **state)
{
    (void)state;
    static const struct {
        const char *bounds;
        uint32_t registers;
    } cases[] = {{".maxntid 256\n.minnctapersm 2", 128}, {".maxntid 256\n.minnctapersm 3", 80}, {".maxntid 128\n.minnctapersm 5", 96},
                 {".maxntid 10, 10, 1\n.minnctapersm 3", 168}, {".maxntid 96\n.minnctapersm 7", 80},
                 {".reqntid 96\n.minnctapersm 9", 72}, {".maxntid 64\n.minnctapersm 20", 48},
                 {".maxntid 32\n.minnctapersm 30", 64}, {".reqntid 160, 1, 1\n.minnctapersm 5", 72},
                 {".maxntid 384", 168}, {".maxntid 1024", 64}, {".maxntid 1024\n.minnctapersm 2", 32}, {".maxnreg 40", 40}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct run r;
        struct buf text = {0};
        buf_printf(&text, HEAD ".visible .entry k(.param .u64 p)\n%s\n{\n.reg .b64 %%d;\n.reg .b32 %%r<200>;\nld.param.u64 %%d, [p];\n",
                   cases[i].bounds);
        for (int k = 0; k < 200; k++)
            buf_printf(&text, "ld.global.u32 %%r%d, [%%d+%d];\n", k, 4 * k);
        for (int k = 0; k < 200; k++)
            buf_printf(&text, "st.global.u32 [%%d+%d], %%r%d;\n", 4 * k + 4, k);
        buf_printf(&text, "ret;\n}\n");
        assert_int_equal(run_lower(&r, text.at)->registers, cases[i].registers);
        run_end(&r);
        buf_release(&text);
    }
}

static void lines_and_texts(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".file 1 \"a.cu\"\n.visible .entry k()\n{\n.reg .b32 %r<5>;\n.loc 1 7 3\nmov.u32 %r1, %tid.x;\n"
             ".loc 1 9 5\nadd.u32   %r2,  %r1, 1;\nret;\n}\n";
    struct run r;
    const struct kernel *k = run_lower(&r, text);
    assert_int_equal(k->n_insns, 3);
    assert_string_equal(k->texts[1], "add.u32 %r2, %r1, 1");
    assert_int_equal(k->lines[k->insns[0].line].line, 7);
    assert_int_equal(k->lines[k->insns[1].line].line, 9);
    assert_string_equal(k->files[k->lines[k->insns[1].line].file], "a.cu");
    run_end(&r);
}

static void dynamic_arrays_share_their_begin(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".shared .b8 fixed[20];\n.extern .shared .align 4 .b8 a[];\n.extern .shared .align 64 .b8 b[];\n"
             ".visible .entry k()\n{\nst.shared.u8 [fixed], 1;\nst.shared.u8 [a], 1;\nst.shared.u8 [b+4], "
             "1;\nret;\n}\n";
    struct run r;
    const struct kernel *k = run_lower(&r, text);
    assert_int_equal(k->static_shared_bytes, 64); // ptxas counts the gap as static
    assert_int_equal(k->pool[ROW_NUMBER(k->insns[1].src[0])][0], 64);
    assert_int_equal(k->pool[ROW_NUMBER(k->insns[2].src[0])][0], 68);
    run_end(&r);
}

static void constants_need_no_rows(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %d<4>;\n"
             "ld.param.u64 %d1, [p];\ncvta.to.global.u64 %d2, %d1;\nld.param.u32 %r1, [n];\nmov.u32 %r2, 5;\n"
             "add.u32 %r3, %r1, %r2;\nst.global.u32 [%d2], %r3;\nret;\n}\n";
    struct run r;
    const struct kernel *k = run_lower(&r, text);
    assert_int_equal(k->n_insns, 7); // all of them are still there
    assert_int_equal(k->functions[0].n_rows, 1);
    assert_int_equal(ROW_SPACE(k->insns[4].src[0]), ROW_LAUNCH);
    assert_int_equal(ROW_SPACE(k->insns[4].src[1]), ROW_POOL);
    assert_int_equal(ROW_SPACE(k->insns[5].src[0]), ROW_LAUNCH);
    run_end(&r);
}

static void passes_print(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p; .reg .b32 %a, %b;\nld.param.u32 %a, [n];\n"
             "mov.u32 %b, %tid.x;\nsetp.lt.u32 %p, %b, %a;\n@%p bra L;\nadd.u32 %b, %b, 1;\nL: add.u32 %b, "
             "%b, 2;\n"
             "st.shared.u32 [0], %b;\nret;\n}\n";
    struct run r;
    struct err err = {0};
    struct buf out = {0};
    run_lower(&r, text);
    const struct ptx_function *k = ptx_find_function(r.image->module, "k");
    assert_true(ptx_dump_cfg(r.image->module, k, &out, &err));
    assert_string_equal(out.at,
                        "entry k: 4 blocks, 1 barriers\n"
                        "B0  to B2 B1  post-dominated by B2  joins barrier 0\n"
                        "    ld.param.u32 %a, [n]\n    mov.u32 %b, %tid.x\n    setp.lt.u32 %p, %b, %a\n"
                        "    @%p bra L\n"
                        "B1  from B0  to B2  post-dominated by B2\n    add.u32 %b, %b, 1\n"
                        "B2  from B0 B1  leaves  converges barrier 0\n    add.u32 %b, %b, 2\n"
                        "    st.shared.u32 [0], %b\n    ret\n");
    buf_clear(&out);
    assert_true(ptx_dump_regs(r.image->module, k, &out, &err));
    assert_string_equal(out.at, "entry k: 1 rows, 1 predicates, 1 values of 32 bits alive at once\n"
                                "    %p           .pred  predicate 1    alive 2-3\n"
                                "    %a           .b32   launch row 0\n"
                                "    %b           .b32   row 0    alive 1-7\n");
    buf_release(&out);
    run_end(&r);
}

// ---- mistakes ---------------------------------------------------------------------------------------

static void check_mistake(const char *before, const char *body, unsigned column, const char *message)
{
    struct arena arena;
    struct run r = {0};
    struct err err = {0};
    arena_init(&arena, "text");
    run_load(
        &r,
        arena_printf(
            &arena,
            HEAD
            "%s\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %%p<3>; .reg .b16 %%h<5>; .reg .b32 %%r<9>; "
            ".reg .b64 %%d<9>;\n%s\nret;\n}\n",
            before, body));
    assert_null(ptx_image_kernel(r.image, "k", &err));
    assert_string_equal(err.text, message);
    assert_string_equal(err.file, "test.ptx");
    assert_int_equal(err.column, column);
    run_end(&r);
    arena_release(&arena);
}

static void mistakes(void **state)
{
    (void)state;
    check_mistake("", "mov.u32 %r1, %pm0;", 14, "kernel k: unknown special register %pm0");
    check_mistake(".extern .func f();", "call f, ();", 1,
                  "kernel k: calls f, which is not defined in this module");
    check_mistake(".extern .func cudaLaunchDeviceV2;", "call cudaLaunchDeviceV2, ();", 1,
                  "kernel k: calls cudaLaunchDeviceV2, which belongs to the CUDA runtime for device code (dynamic "
                  "parallelism), which is not supported");
    check_mistake("", "add.u32 %r1, %h1, 1;", 14,
                  "kernel k: register %h1 is narrower than the .u32 that is read");
    check_mistake("", "add.u64 %r1, %d1, 1;", 9,
                  "kernel k: register %r1 is narrower than the .u64 that is written");
    check_mistake("", "add.u32 %p1, %r1, 1;", 9, "kernel k: a register is needed here");
    check_mistake("", "@%p1 ld.param.u64 %d1, [p+8];", 6,
                  "kernel k: 8 bytes at offset 8 lie outside of parameter p of 8 bytes");
    check_mistake("", "ld.param.u64 %d1, [p+2];", 1,
                  "kernel k: 8 bytes at offset 2 lie outside of parameter p of 8 bytes");
    check_mistake("", "ld.param.u32 %r1, [p+2];", 1,
                  "kernel k: offset 2 of parameter p is not aligned for .u32");
    check_mistake(".extern .global .u32 far;", "ld.global.u32 %r1, [far];", 21,
                  "kernel k: far has no address: it is extern and not defined in this module");
    check_mistake(TWICE, "{ .param .b32 a; call twice, (a); }", 18,
                  "kernel k: the call of twice has another number of arguments or results than the function");
}

// Nothing is lowered but what the kernel reaches: mistakes elsewhere do not matter.
static void other_kernels_do_not_matter(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".visible .entry bad()\n{\nnonsense.u32;\nret;\n}\n.visible .entry k()\n{\nret;\n}\n";
    struct err err = {0};
    struct run r;
    assert_int_equal(run_lower(&r, text)->n_insns, 1);
    assert_null(ptx_image_kernel(r.image, "bad", &err));
    assert_true(err.set);
    struct err other = {0};
    assert_null(ptx_image_kernel(r.image, "kk", &other));
    run_end(&r);
}

#define T(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(thread_numbers),
        T(special_register_as_operand),
        T(warp_size),
        T(negative_immediates),
        T(double_literal_in_f32),
        T(single_literal_in_f64),
        T(decimal_in_f32),
        T(sixteen_bits),
        T(dual_predicates),
        T(guarded_writes),
        T(wide_result_over_its_source),
        T(pack_64),
        T(unpack_64),
        T(swap_halves),
        T(unpack_high_only),
        T(pack_16),
        T(pack_8),
        T(pack_128),
        T(shared_variables),
        T(dynamic_shared),
        T(generic_shared),
        T(local_variables),
        T(global_variables),
        T(constants),
        T(vector_load),
        T(narrow_loads),
        T(kernel_parameters),
        T(loop_of_unequal_length),
        T(nested_branches_converge),
        T(lanes_meet_in_every_iteration),
        T(early_exit_converges),
        T(indexed_branch),
        T(call),
        T(guarded_call),
        T(structure_by_value),
        T(recursion),
        T(indirect_call),
        T(listed_call),
        T(alias),
        T(environment_registers),
        T(early_return_converges),
        T(register_parameters),
        T(failed_assertion),
        T(each_instruction_counts_once),
        T(unused_atomics_are_reductions),
        T(needs_of_the_kernel),
        T(lines_and_texts),
        T(bounds_limit_registers),
        T(dynamic_arrays_share_their_begin),
        T(constants_need_no_rows),
        T(passes_print),
        T(mistakes),
        T(other_kernels_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
