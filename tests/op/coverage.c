// Every row and type of ptx.def has a test: the tables of op_harness.h reach it, or a file named here
// contains it.
#include "base/buf.h"
#include "isa/form.h"
#include "support/check.h"
#include "support/op_harness.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Forms that are not tested by the tables. `text` must stand in the file; $O is the second word of the form's
// name in small letters, $T its type: ATOM_ADD_u32 with `"$O", "$T"` wants `"add", "u32"`.
static const struct {
    const char *prefix, *file, *text;
} elsewhere[] = {
    {"LD_", "op/memory.c", "{\"$T\", "},
    {"LDU_", "op/memory.c", "{\"$T\", "},
    {"ST_", "op/memory.c", "{\"$T\", "},
    {"ATOM_", "op/atomic.c", "\"$O\", \"$T\""},
    {"RED_", "op/atomic.c", "\"$O\", \"$T\""},
    {"LD_", "op/wide.c", "{\"$T\", "},
    {"ST_", "op/wide.c", "{\"$T\", "},
    {"ATOM_", "op/wide.c", "\"$O\", \"$T\""},
    {"RED_", "op/wide.c", "\"$O\", \"$T\""},
    {"MBAR_INIT_", "op/mbarrier.c", "mbarrier.init."},
    {"MBAR_INVAL_", "op/mbarrier.c", "mbarrier.inval."},
    {"MBAR_ARRIVE_", "op/mbarrier.c", "mbarrier.arrive.shared"},
    {"MBAR_ARRIVE_NC_", "op/mbarrier.c", "mbarrier.arrive.noComplete."},
    {"MBAR_ARRIVE_TX_", "op/mbarrier.c", "mbarrier.arrive.expect_tx."},
    {"MBAR_DROP_", "op/mbarrier.c", "mbarrier.arrive_drop.shared"},
    {"MBAR_DROP_NC_", "op/mbarrier.c", "mbarrier.arrive_drop.noComplete."},
    {"MBAR_DROP_TX_", "op/mbarrier.c", "mbarrier.arrive_drop.expect_tx."},
    {"MBAR_EXPECT_", "op/mbarrier.c", "mbarrier.expect_tx."},
    {"MBAR_COMPLETE_", "op/mbarrier.c", "mbarrier.complete_tx."},
    {"MBAR_TEST_", "op/mbarrier.c", "mbarrier.test_wait.shared"},
    {"MBAR_TEST_PARITY_", "op/mbarrier.c", "mbarrier.test_wait.parity."},
    {"MBAR_TRY_", "op/mbarrier.c", "mbarrier.try_wait.b64"},
    {"MBAR_TRY_PARITY_", "op/mbarrier.c", "mbarrier.try_wait.parity."},
    {"MBAR_PENDING_", "op/mbarrier.c", "mbarrier.pending_count."},
    {"CP_ASYNC_", "op/async.c", "cp.async.ca.shared.global"},
    {"CP_COMMIT_", "op/async.c", "cp.async.commit_group"},
    {"CP_WAIT_", "op/async.c", "cp.async.wait_group 0"},
    {"CP_WAIT_ALL_", "op/async.c", "cp.async.wait_all"},
    {"CP_ARRIVE_", "op/async.c", "cp.async.mbarrier.arrive.b64"},
    {"CP_ARRIVE_NC_", "op/async.c", "cp.async.mbarrier.arrive.noinc"},
    {"BULK_", "op/bulk.c", "cp.async.bulk.shared::cluster"},
    {"BULK_TENSOR_", "op/bulk.c", "cp.async.bulk.tensor.2d"},
    {"BULK_IM2COL_", "ptx/opcodes.c", "im2col"},
    {"BULK_PREFETCH_", "op/bulk.c", "cp.async.bulk.prefetch.L2"},
    {"BULK_PREFETCH_TENSOR_", "op/bulk.c", "cp.async.bulk.prefetch.tensor"},
    {"BULK_REDUCE_", "op/bulk.c", "{\"$T\", "},
    {"BULK_REDUCE_TENSOR_", "op/bulk.c", "cp.reduce.async"},
    {"BULK_COMMIT_", "op/bulk.c", "cp.async.bulk.commit_group"},
    {"BULK_WAIT_", "op/bulk.c", "cp.async.bulk.wait_group"},
    {"ST_ASYNC_", "op/bulk.c", "$T [%r12"},
    {"RED_ASYNC_", "op/bulk.c", "red.async.relaxed.cluster"},
    {"MAP_ADDRESS_", "op/bulk.c", "tensormap.replace.tile.global_address"},
    {"MAP_RANK_", "op/bulk.c", "rank.global"},
    {"MAP_BOX_", "op/bulk.c", "box_dim.global"},
    {"MAP_SIZE_", "op/bulk.c", "global_dim.global"},
    {"MAP_STRIDE_", "op/bulk.c", "global_stride.global"},
    {"MAP_STEP_", "op/bulk.c", "element_stride.global"},
    {"MAP_TYPE_", "op/bulk.c", "elemtype.global"},
    {"MAP_INTERLEAVE_", "op/bulk.c", "interleave_layout.global"},
    {"MAP_SWIZZLE_", "op/bulk.c", "swizzle_mode.global"},
    {"MAP_FILL_", "op/bulk.c", "fill_mode.global"},
    {"MAP_COPY_", "op/bulk.c", "tensormap.cp_fenceproxy"},
    {"BARRIER_CLUSTER_ARRIVE_", "kernel/cluster.c", "barrier.cluster.arrive"},
    {"BARRIER_CLUSTER_WAIT_", "kernel/cluster.c", "barrier.cluster.wait"},
    {"MAPA_u32", "kernel/cluster.c", "mapa.shared::cluster.u32"},
    {"MAPA_u64", "kernel/cluster.c", "mapa.u64"},
    {"GETCTARANK_u32", "kernel/cluster.c", "getctarank.shared::cluster.u32"},
    {"GETCTARANK_u64", "kernel/cluster.c", "getctarank.u64"},
    {"POLICY_FRACTION_", "op/others.c", "createpolicy.fractional"},
    {"POLICY_RANGE_", "op/others.c", "createpolicy.range"},
    {"POLICY_CVT_", "op/others.c", "createpolicy.cvt"},
    {"DISCARD_", "op/others.c", "discard.global"},
    {"APPLYPRIORITY_", "op/others.c", "applypriority.global"},
    {"PREFETCH_MAP_", "op/others.c", "prefetch.tensormap"},
    {"FENCE_INIT_", "op/others.c", "fence.mbarrier_init"},
    {"FENCE_ALIAS_", "op/others.c", "fence.proxy.alias"},
    {"FENCE_ASYNC_", "op/others.c", "fence.proxy.async;"},
    {"FENCE_MAP_", "op/others.c", "fence.proxy.tensormap::generic.acquire"},
    {"FENCE_MAP_TO_", "op/others.c", "fence.proxy.async::generic"},
    {"OLD_VOTE_ALL_", "op/others.c", "vote.all.pred"},
    {"OLD_VOTE_ANY_", "op/others.c", "vote.any.pred"},
    {"OLD_VOTE_UNI_", "op/others.c", "vote.uni.pred"},
    {"OLD_VOTE_BALLOT_", "op/others.c", "vote.ballot.b32"},
    {"OLD_SHFL_IDX_", "op/others.c", "shfl.idx.b32"},
    {"OLD_SHFL_UP_", "op/others.c", "shfl.up.b32"},
    {"OLD_SHFL_DOWN_", "op/others.c", "shfl.down.b32"},
    {"OLD_SHFL_BFLY_", "op/others.c", "shfl.bfly.b32"},
    {"WGMMA_SP_", "ptx/opcodes.c", "wgmma.mma_async.sp"},
    {"WGMMA_FENCE_", "op/wgmma.c", "wgmma.fence"},
    {"WGMMA_COMMIT_", "op/wgmma.c", "wgmma.commit_group"},
    {"WGMMA_WAIT_", "op/wgmma.c", "wgmma.wait_group"},
    {"WGMMA_", "op/wgmma.c", "every_type_is_as_on_the_gpu"},
    {"TEX_", "op/texture.c", "tex.2d.v4.f32.f32"},
    {"TLD4_", "op/texture.c", "tld4.r.2d.v4"},
    {"TXQ_", "op/texture.c", "txq.width"},
    {"SULD_", "op/texture.c", "suld.b.2d"},
    {"SUST_", "op/texture.c", "sust.b.2d"},
    {"SURED_", "ptx/opcodes.c", "sured.b"},
    {"SUQ_", "ptx/opcodes.c", "suq.width"},
    {"LDMATRIX_", "op/tensor.c", "ldmatrix.sync.aligned.m8n8.x4"},
    {"STMATRIX_", "op/tensor.c", "stmatrix.sync.aligned.m8n8.x4"},
    {"MOVMATRIX_", "op/tensor.c", "movmatrix.sync"},
    {"MMA_SP_", "ptx/opcodes.c", "mma.sp"},
    {"MMA_", "op/tensor.c", "every_form_runs_as_ptx"},
    {"WMMA_LOAD_", "op/tensor.c", "wmma.load.c"},
    {"WMMA_STORE_", "op/tensor.c", "wmma.store.d"},
    {"WMMA_", "op/tensor.c", "wmma.mma"},
    {"MULTIMEM_", "ptx/opcodes.c", "multimem.red"},
    {"BULK_CTA_GROUP_1_", "ptx/opcodes.c", "cta_group::1"},
    {"BULK_CTA_GROUP_2_", "ptx/opcodes.c", "cta_group::2"},
    {"TCGEN05_", "ptx/opcodes.c", "tcgen05"},
    {"LAUNCHCONTROL_", "ptx/opcodes.c", "clusterlaunchcontrol"},
    {"ADD_F32X2_", "ptx/opcodes.c", "add.rn.f32x2"},
    {"SUB_F32X2_", "ptx/opcodes.c", "sub.rn.f32x2"},
    {"MUL_F32X2_", "ptx/opcodes.c", "mul.rn.f32x2"},
    {"FMA_F32X2_", "ptx/opcodes.c", "fma.rn.ftz.f32x2"},
    {"ISSPACEP_", "op/memory.c", "isspacep.shared"},
    {"SHFL_", "op/warp.c", "\"$O\""},
    {"VOTE_", "op/warp.c", "vote.sync.$O"},
    {"MATCH_", "op/warp.c", "match.$O.sync.$T"},
    {"REDUX_", "op/warp.c", "\"$O.$T\""},
    {"ELECT_", "op/warp.c", "elect.sync"},
    {"ACTIVEMASK_", "op/warp.c", "activemask.b32"},
    {"SREG_", "op/warp.c", "%tid.x"},
    {"ALLOCA_", "op/alloca.c", "alloca.$T"},
    {"STACKSAVE_", "op/alloca.c", "stacksave.$T"},
    {"STACKRESTORE_", "op/alloca.c", "stackrestore.$T"},
    {"PREFETCH_", "op/others.c", "prefetch.global.L2"},
    {"PREFETCHU_", "op/others.c", "prefetchu.L1"},
    {"MEMBAR_", "op/others.c", "membar.cta"},
    {"FENCE_", "op/others.c", "fence.acq_rel.gpu"},
    {"NANOSLEEP_", "op/others.c", "nanosleep.u32"},
    {"GRIDDEP_WAIT_", "op/others.c", "griddepcontrol.wait"},
    {"GRIDDEP_LAUNCH_", "op/others.c", "griddepcontrol.launch_dependents"},
    {"SETMAXNREG_INC_", "op/others.c", "setmaxnreg.inc"},
    {"SETMAXNREG_DEC_", "op/others.c", "setmaxnreg.dec"},
    {"PMEVENT_", "op/others.c", "pmevent 7"},
    {"BRKPT_", "op/others.c", "brkpt"},
    {"MOV_VECTOR_", "op/others.c", "mov.v4.u16"},
    {"PACK16_", "op/others.c", "{%h2, %h1}"},
    {"EXTRACT_", "op/others.c", "{%h1, %h2}"},
    {"BAR_CTA_SYNC_", "op/others.c", "bar.cta.sync"},
    {"BARRIER_CTA_SYNC_", "op/others.c", "barrier.cta.sync"},
    {"BARRIER_ARRIVE_", "op/others.c", "barrier.arrive"},
    {"BARRIER_CTA_ARRIVE_", "op/others.c", "barrier.cta.arrive"},
    {"BAR_SYNC_", "kernel/barriers.c", "bar.sync 0"},
    {"BARRIER_SYNC_", "kernel/barriers.c", "barrier.sync"},
    {"BAR_ARRIVE_", "kernel/barriers.c", "bar.arrive"},
    {"BAR_WARP_SYNC_", "kernel/barriers.c", "bar.warp.sync"},
    {"BAR_RED_AND_", "kernel/barriers.c", "bar.red.and.pred"},
    {"BAR_RED_OR_", "kernel/barriers.c", "bar.red.or.pred"},
    {"BAR_RED_POPC_", "kernel/barriers.c", "bar.red.popc.u32"},
    {"BARRIER_RED_AND_", "kernel/barriers.c", "barrier.red.and.pred"},
    {"BARRIER_RED_OR_", "kernel/barriers.c", "barrier.red.or.pred"},
    {"BARRIER_RED_POPC_", "kernel/barriers.c", "barrier.red.popc.u32"},
    {"BRA_", "kernel/divergence.c", "bra "},
    {"BRX_", "kernel/divergence.c", "brx.idx"},
    {"CALL_", "kernel/divergence.c", "call.uni"},
    {"CALL_INDIRECT_", "kernel/divergence.c", ".callprototype"},
    {"RET_", "kernel/divergence.c", "ret;"},
    {"EXIT_", "kernel/divergence.c", "exit;"},
    {"TRAP_", "kernel/divergence.c", "trap;"},
    {"BREAK_", "kernel/divergence.c", "break_and_continue"},
    {"BSYNC_", "kernel/divergence.c", "nested_branches_converge"},
    {"NOP_", "ptx/lower.c", "run_load"},
    {"ASSERT_", "ptx/lower.c", "__assertfail"},
    {"PRINTF_", "kernel/native.c", "vprintf"},
    {"MALLOC_", "kernel/native.c", "malloc"},
    {"FREE_", "kernel/native.c", "free"},
};

static void expand(const char *text, const char *form, char *out, size_t size)
{
    const char *type = strrchr(form, '_') + 1, *op = strchr(form, '_') + 1;
    size_t n = 0, op_length = type - 1 > op ? (size_t)(type - 1 - op) : 0;
    for (const char *at = text; *at && n + 1 < size; at++) {
        if (*at == '$' && at[1] == 'T')
            n += (size_t)snprintf(out + n, size - n, "%s", type);
        else if (*at == '$')
            for (size_t i = 0; i < op_length && n + 1 < size; i++)
                out[n++] = (char)tolower(op[i]);
        else
            out[n++] = *at;
        at += *at == '$';
    }
    out[n < size ? n : size - 1] = '\0';
}

static bool file_has(const char *file, const char *text)
{
    struct buf buf = {0};
    struct err err = {0};
    char path[128];
    snprintf(path, sizeof path, "tests/%s", file);
    bool found = buf_read_file(&buf, path, &err) && strstr(buf.at, text);
    buf_release(&buf);
    return found;
}

static bool is_tested_elsewhere(const char *form)
{
    for (size_t i = 0; i < N_ELEMENTS(elsewhere); i++) {
        char text[128];
        size_t n = strlen(elsewhere[i].prefix);
        // The longest prefix decides: what follows it is the rest of the name and a type.
        if (strncmp(form, elsewhere[i].prefix, n) != 0)
            continue;
        expand(elsewhere[i].text, form, text, sizeof text);
        if (file_has(elsewhere[i].file, text))
            return true;
    }
    return false;
}

// Rows of machine.def are tested by machine code (tests/op/machine*.c), not by PTX.
static bool is_machine_form(unsigned form)
{
    static const bool is_machine[N_FORMS] = {
#define IS_MACHINE(type, lane, id) [FORM_##id##_##type] = true,
#define OP(id, opcode, types, ...) types(IS_MACHINE, id)
#define COLD OP
#define FN OP
#define MEM OP
#define UNIFORM(id, type) [FORM_UNIFORM_##id##_##type] = true,
#include "sass/machine.def"
#undef OP
#undef COLD
#undef FN
#undef MEM
#undef UNIFORM
    };
    return is_machine[form];
}

static void every_row_and_type_has_a_test(void **state)
{
    (void)state;
    static bool seen[N_FORMS];
    static const struct op_case *const tables[] = {op_cases_integer, op_cases_logic,   op_cases_float,
                                                   op_cases_compare, op_cases_convert, op_cases_carry,
                                                   op_cases_move,    op_cases_half,    op_cases_video};
    uint32_t n_missing = 0;
    for (size_t i = 0; i < N_ELEMENTS(tables); i++)
        op_cases_resolve(tables[i], seen);
    for (unsigned form = 0; form < N_FORMS; form++) {
        if (seen[form] || is_machine_form(form) || is_tested_elsewhere(form_name(form)))
            continue;
        print_error("no test for %s\n", form_name(form));
        n_missing++;
    }
    assert_int_equal(n_missing, 0);
}

static void no_row_is_ambiguous(void **state)
{
    (void)state;
    for (uint32_t row = 0; row < op_count(); row++) {
        const char *word = op_ambiguous_suffix(row);
        if (word)
            fail_msg("%s: .%s is in two classes of suffixes", op_info(row).name, word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_and_type_has_a_test),
        cmocka_unit_test(no_row_is_ambiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
