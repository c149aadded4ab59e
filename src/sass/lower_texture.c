// Textures and surfaces of machine code: TEX, TLD, TLD4, TXQ, SULD, SUST (isa/texture.h says what the record holds). The object is
// the lower word of its handle in a uniform register. Of the four results those that the mask names go into two groups of
// registers, two into the first. Coordinates lie one behind the other, the number of the layer first in textures and last
// in surfaces, whose first coordinate counts bytes. Read off the code that ptxas of CUDA 13.0 makes of single PTX instructions.
#include "isa/texture.h"
#include "sass/lowering.h"

enum { N_COMPONENTS = 4, MOST_COORDINATES = 4 };

static uint8_t operand_of(const struct sass_insn *in, enum sass_operand_kind kind, unsigned skip)
{
    for (uint8_t k = in->n_dst; k < in->n_operands; k++)
        if (in->operands[k].kind == kind && skip-- == 0)
            return k;
    return UINT8_MAX;
}

static bool take_list(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, const struct texture_request *r,
                      const rowref *data, uint32_t n_data)
{
    const uint8_t handle = operand_of(in, SO_UREG, 0), place = operand_of(in, SO_REG, 0);
    const uint8_t index = operand_of(in, SO_BITS, 0);
    if (handle == UINT8_MAX || place == UINT8_MAX || index == UINT8_MAX || in->operands[index].value != 0)
        return sass_refuse(l, in, "an object that is not named by a handle");
    const uint32_t n = r->action == TEXTURE_QUERY ? 0 : texture_coordinates(r->geometry), first = in->operands[place].number;
    if (first == SASS_RZ ? n > 1 : first + n > l->n_registers)
        return sass_refuse(l, in, "coordinates beyond the registers");
    const bool is_surface = r->action == SURFACE_LOAD || r->action == SURFACE_STORE;
    const bool has_layer = r->geometry == GEOMETRY_A1D || r->geometry == GEOMETRY_A2D;
    out->unit = UNIT_TEX;
    out->class = (uint8_t)texture_class(r);
    out->extra = texture_pack(r);
    out->offset = (int32_t)l->lists.n;
    for (uint32_t i = 0; i < n_data; i++)
        vec_push(&l->lists, data[i]);
    vec_push(&l->lists, sass_source(l, in, handle));
    vec_push(&l->lists, sass_pool(l, 0));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = !is_surface || !has_layer ? i : i == 0 ? n - 1 : i - 1;
        vec_push(&l->lists, first == SASS_RZ ? ROW(ROW_POOL, 0) : ROW(ROW_REG, first + at));
    }
    return true;
}

// ---- textures --------------------------------------------------------------------------------------------------

// Where each component goes; ROW_NONE where the mask leaves it out.
static bool take_components(struct sass_lowering *l, const struct sass_insn *in, rowref data[N_COMPONENTS])
{
    const uint8_t at = operand_of(in, SO_BITS, 1);
    uint16_t groups[2];
    unsigned n_groups = 0, n = 0;
    for (unsigned k = 0; k < in->n_dst; k++)
        if (in->operands[k].kind == SO_REG && n_groups < 2)
            groups[n_groups++] = in->operands[k].number;
        else if (in->operands[k].kind == SO_PRED && in->operands[k].number != SASS_PT)
            return sass_refuse(l, in, "a predicate as a result");
    if (n_groups != 2 || at == UINT8_MAX)
        return sass_refuse(l, in, "operands");
    for (unsigned c = 0; c < N_COMPONENTS; c++) {
        data[c] = ROW_NONE;
        if (!((uint64_t)in->operands[at].value >> c & 1))
            continue;
        const uint32_t group = groups[n < 2], number = group + n % 2; // printed: the upper group first
        n++;
        if (group == SASS_RZ)
            continue;
        if (number >= l->n_registers)
            return sass_refuse(l, in, "results beyond the registers");
        data[c] = ROW(ROW_REG, number);
    }
    return true;
}

static bool take_geometry(const struct sass_insn *in, enum texture_geometry *out)
{
    static const uint8_t geometries[] = {[SASS_TEX_DIM_1D] = GEOMETRY_1D,         [SASS_TEX_DIM_2D] = GEOMETRY_2D,
                                         [SASS_TEX_DIM_3D] = GEOMETRY_3D,         [SASS_TEX_DIM_CUBE] = GEOMETRY_CUBE,
                                         [SASS_TEX_DIM_ARRAY_1D] = GEOMETRY_A1D,  [SASS_TEX_DIM_ARRAY_2D] = GEOMETRY_A2D,
                                         [6] = N_GEOMETRIES,                      [SASS_TEX_DIM_ARRAY_CUBE] = GEOMETRY_ACUBE};
    *out = (enum texture_geometry)geometries[sass_field(in, SF_DIM) & 7];
    return *out != N_GEOMETRIES;
}

static bool take_sample(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, struct texture_request *r)
{
    rowref data[N_COMPONENTS];
    if (sass_field(in, SF_UNPACK) || sass_field(in, SF_TYPE_TO) || sass_field(in, SF_SX32) || sass_field(in, SF_W) ||
        sass_field(in, SF_NAN) || !take_geometry(in, &r->geometry))
        return sass_refuse(l, in, "offsets, comparisons, halves or another geometry");
    return take_components(l, in, data) && take_list(l, in, out, r, data, N_COMPONENTS);
}

static bool level_is_plain(const struct sass_insn *in)
{
    const unsigned level = sass_field(in, SF_MODE);
    return level == SASS_TEX_LOD_AUTO || level == SASS_TEX_LOD_LZ || level == SASS_TEX_LOD_LL;
}

// There is one level, so that none needs to be chosen.
bool lower_tex(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    struct texture_request r = {.action = TEXTURE_SAMPLE};
    out->form = FORM_TEX_none;
    return level_is_plain(in) ? take_sample(l, in, out, &r) : sass_refuse(l, in, "a level with a bias or a limit");
}

bool lower_tld(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    struct texture_request r = {.action = TEXTURE_SAMPLE, .has_integers = true};
    out->form = FORM_TEX_none;
    return level_is_plain(in) ? take_sample(l, in, out, &r) : sass_refuse(l, in, "a level with a bias or a limit");
}

bool lower_tld4(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    struct texture_request r = {.action = TEXTURE_GATHER, .which = sass_field(in, SF_MODE)};
    out->form = FORM_TLD4_none;
    return take_sample(l, in, out, &r);
}

bool lower_txq(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    enum { WIDTH = 1, HEIGHT = 2, DEPTH = 4 };
    struct texture_request r = {.action = TEXTURE_QUERY};
    rowref data[N_COMPONENTS];
    const uint8_t at = operand_of(in, SO_BITS, 1);
    if (sass_field(in, SF_MODE) != SASS_TXQ_DIMENSION || at == UINT8_MAX || !take_components(l, in, data))
        return sass_refuse(l, in, "this query");
    switch (in->operands[at].value) {
    case WIDTH:
        r.which = QUERY_WIDTH;
        break;
    case HEIGHT:
        r.which = QUERY_HEIGHT;
        break;
    case DEPTH:
        r.which = QUERY_DEPTH;
        break;
    default:
        return sass_refuse(l, in, "several dimensions at once");
    }
    out->form = FORM_TXQ_none;
    return take_list(l, in, out, &r, &data[r.which - QUERY_WIDTH], 1);
}

// ---- surfaces --------------------------------------------------------------------------------------------------

static bool take_surface(struct sass_lowering *l, const struct sass_insn *in, struct insn *out, struct texture_request *r,
                         unsigned data_at)
{
    static const uint8_t geometries[] = {[SASS_SU_DIM_1D] = GEOMETRY_1D,       [SASS_SU_DIM_1D_BUFFER] = N_GEOMETRIES,
                                         [SASS_SU_DIM_1D_ARRAY] = GEOMETRY_A1D, [SASS_SU_DIM_2D] = GEOMETRY_2D,
                                         [SASS_SU_DIM_2D_ARRAY] = GEOMETRY_A2D, [SASS_SU_DIM_3D] = GEOMETRY_3D};
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4}, counts[] = {1, 1, 1, 1, 1, 2, 4}; // SASS_WIDTH_…
    static const uint8_t clamps[] = {SURFACE_ZERO, SURFACE_CLAMP, SURFACE_TRAP};            // .IGN, none, .TRAP
    const unsigned dim = sass_field(in, SF_DIM), width = sass_field(in, SF_WIDTH), clamp = sass_field(in, SF_SCOPE);
    rowref data[N_COMPONENTS];
    if (dim >= sizeof geometries || geometries[dim] == N_GEOMETRIES || width >= sizeof sizes || clamp >= sizeof clamps ||
        !sass_field(in, SF_ADDR64))
        return sass_refuse(l, in, "this geometry, or coordinates that do not count bytes");
    const struct sass_operand *operand = &in->operands[data_at];
    if (operand->kind != SO_REG || (operand->number != SASS_RZ && operand->number + (uint32_t)counts[width] > l->n_registers))
        return sass_refuse(l, in, "data beyond the registers");
    r->geometry = (enum texture_geometry)geometries[dim];
    r->which = clamps[clamp];
    r->element_bytes = sizes[width];
    r->n_elements = counts[width];
    for (unsigned i = 0; i < counts[width]; i++)
        data[i] = operand->number != SASS_RZ          ? ROW(ROW_REG, operand->number + i)
                  : r->action == SURFACE_STORE ? ROW(ROW_POOL, 0)
                                               : ROW_NONE;
    return take_list(l, in, out, r, data, counts[width]);
}

bool lower_suld(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    struct texture_request r = {.action = SURFACE_LOAD};
    unsigned data_at = 0;
    while (data_at < in->n_dst && in->operands[data_at].kind != SO_REG)
        if (in->operands[data_at++].number != SASS_PT)
            return sass_refuse(l, in, "a predicate as a result");
    out->form = FORM_SULD_none;
    return take_surface(l, in, out, &r, data_at);
}

bool lower_sust(struct sass_lowering *l, const struct sass_insn *in, struct insn *out)
{
    struct texture_request r = {.action = SURFACE_STORE};
    const uint8_t data_at = operand_of(in, SO_REG, 1);
    out->form = FORM_SUST_none;
    return data_at == UINT8_MAX ? sass_refuse(l, in, "operands") : take_surface(l, in, out, &r, data_at);
}
