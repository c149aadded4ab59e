// Special registers: their names, and the instruction that reads one.
#include "ptx/lowering.h"
#include <stdlib.h>
#include <string.h>

struct special {
    const char *name;
    uint16_t number;   // enum sreg, or N_SREGS for a constant
    bool is_wide;      // 64 bits
    uint32_t constant;
};

static const struct special specials[] = {
    {"%tid.x", SREG_TID_X, false, 0},
    {"%tid.y", SREG_TID_Y, false, 0},
    {"%tid.z", SREG_TID_Z, false, 0},
    {"%ntid.x", SREG_NTID_X, false, 0},
    {"%ntid.y", SREG_NTID_Y, false, 0},
    {"%ntid.z", SREG_NTID_Z, false, 0},
    {"%ctaid.x", SREG_CTAID_X, false, 0},
    {"%ctaid.y", SREG_CTAID_Y, false, 0},
    {"%ctaid.z", SREG_CTAID_Z, false, 0},
    {"%nctaid.x", SREG_NCTAID_X, false, 0},
    {"%nctaid.y", SREG_NCTAID_Y, false, 0},
    {"%nctaid.z", SREG_NCTAID_Z, false, 0},
    {"%laneid", SREG_LANEID, false, 0},
    {"%warpid", SREG_WARPID, false, 0},
    {"%nwarpid", SREG_NWARPID, false, 0},
    {"%smid", SREG_SMID, false, 0},
    {"%nsmid", SREG_NSMID, false, 0},
    {"%gridid", SREG_GRIDID, false, 0},
    {"%lanemask_eq", SREG_LANEMASK_EQ, false, 0},
    {"%lanemask_lt", SREG_LANEMASK_LT, false, 0},
    {"%lanemask_le", SREG_LANEMASK_LE, false, 0},
    {"%lanemask_gt", SREG_LANEMASK_GT, false, 0},
    {"%lanemask_ge", SREG_LANEMASK_GE, false, 0},
    {"%clock", SREG_CLOCK, false, 0},
    {"%clock_hi", SREG_CLOCK_HI, false, 0},
    {"%clock64", SREG_CLOCK64, true, 0},
    {"%globaltimer", SREG_GLOBALTIMER, true, 0},
    {"%globaltimer_lo", SREG_GLOBALTIMER_LO, false, 0},
    {"%globaltimer_hi", SREG_GLOBALTIMER_HI, false, 0},
    {"%dynamic_smem_size", SREG_DYNAMIC_SHARED, false, 0},
    {"%total_smem_size", SREG_TOTAL_SHARED, false, 0},
    {"%aggr_smem_size", SREG_AGGREGATE_SHARED, false, 0},
    {"%reserved_smem_offset_begin", SREG_RESERVED_SHARED, false, 0},
    {"%reserved_smem_offset_end", SREG_RESERVED_SHARED_END, false, 0},
    {"%reserved_smem_offset_cap", SREG_RESERVED_SHARED_END, false, 0},
    {"%reserved_smem_offset_0", SREG_RESERVED_SHARED, false, 0},
    {"%reserved_smem_offset_1", SREG_RESERVED_SHARED, false, 0},
    {"%envreg1", SREG_ENVREG1, false, 0},
    {"%envreg2", SREG_ENVREG2, false, 0},
    {"WARP_SZ", N_SREGS, false, ROW_LANES},
    {"%is_explicit_cluster", SREG_IS_EXPLICIT_CLUSTER, false, 0},
    {"%cluster_ctaid.x", SREG_CLUSTER_CTAID_X, false, 0},
    {"%cluster_ctaid.y", SREG_CLUSTER_CTAID_Y, false, 0},
    {"%cluster_ctaid.z", SREG_CLUSTER_CTAID_Z, false, 0},
    {"%cluster_nctaid.x", SREG_CLUSTER_NCTAID_X, false, 0},
    {"%cluster_nctaid.y", SREG_CLUSTER_NCTAID_Y, false, 0},
    {"%cluster_nctaid.z", SREG_CLUSTER_NCTAID_Z, false, 0},
    {"%cluster_ctarank", SREG_CLUSTER_CTARANK, false, 0},
    {"%cluster_nctarank", SREG_CLUSTER_NCTARANK, false, 0},
    {"%clusterid.x", SREG_CLUSTERID_X, false, 0},
    {"%clusterid.y", SREG_CLUSTERID_Y, false, 0},
    {"%clusterid.z", SREG_CLUSTERID_Z, false, 0},
    {"%nclusterid.x", SREG_NCLUSTERID_X, false, 0},
    {"%nclusterid.y", SREG_NCLUSTERID_Y, false, 0},
    {"%nclusterid.z", SREG_NCLUSTERID_Z, false, 0},
};

// %envreg0 … %envreg31: of the driver's use; all but two read as zero here.
static bool is_environment(const char *name)
{
    char *end;
    return strncmp(name, "%envreg", 7) == 0 && name[7] >= '0' && name[7] <= '9' && strtoul(name + 7, &end, 10) < 32 &&
           !*end;
}

static const struct special *find_special(const char *name)
{
    static const struct special zero = {"", N_SREGS, false, 0};
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strcmp(specials[i].name, name) == 0)
            return &specials[i];
    return is_environment(name) ? &zero : NULL;
}

bool emit_special(struct body *b, const struct ptx_operand *operand, rowref dst, enum ptx_type type,
                  bool is_pseudo)
{
    const struct special *special = find_special(operand->name);
    if (!special)
        return lower_fail(b->lowering, operand->at, "unknown special register %s", operand->name);
    uint32_t n_rows = type_rows(type), n_read = special->is_wide ? 2 : 1;
    if (n_read > n_rows)
        return lower_fail(b->lowering, operand->at, "%s has 64 bits", operand->name);
    bool is_constant = special->number == N_SREGS;
    uint16_t form = is_constant ? FORM_MOV_b32 : FORM_SREG_none;
    rowref constant = is_constant ? pool_u32(b->lowering, special->constant) : ROW_NONE;
    struct draft *draft = is_pseudo ? emit_pseudo(b, form) : emit(b, form);
    draft->insn.dst = dst;
    draft->insn.src[0] = constant;
    draft->insn.extra = is_constant ? 0 : special->number;
    b->lowering->kernel->uses_reserved_shared |=
        special->number == SREG_RESERVED_SHARED || special->number == SREG_RESERVED_SHARED_END;
    emit_def(b, dst, n_read);
    for (uint32_t row = n_read; row < n_rows; row++)
        emit_pseudo_move(b, dst + row, pool_u32(b->lowering, 0));
    return true;
}
