// Textures and surfaces: the suffixes, and operands that go to the kernel's lists (isa/texture.h).
#include "isa/texture.h"
#include "ptx/lowering.h"
#include <string.h>

static const char *const geometry_words[N_GEOMETRIES] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static const char *const query_words[N_QUERIES] = {"width", "height", "depth", "array_size", "num_mipmap_levels"};

static bool find_word(const struct ptx_insn *insn, const char *const *words, uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        if (insn_has_suffix(insn, words[i])) {
            *out = i;
            return true;
        }
    return false;
}

// [handle, {coordinates}]; PTX gives one more coordinate than needed to some geometries.
static bool add_place(struct body *b, const struct ptx_operand *operand, uint32_t n, struct row_list *list)
{
    if (operand->kind != PO_ADDRESS || !operand->base || operand->base->kind != PO_REG || operand->offset)
        return lower_fail(b->lowering, operand->at,
                          "a register with a texture or surface object is needed here; references are not supported");
    if (!list_add(b, operand->base, PT_B64, false, list))
        return false;
    if (n == 0)
        return true;
    if (operand->n_items != 1)
        return lower_fail(b->lowering, operand->at, "samplers of their own are not supported");
    const struct ptx_operand *c = &operand->items[0];
    if (list_items(c) < n)
        return lower_fail(b->lowering, operand->at, "%u coordinates are needed here", n);
    for (uint32_t i = 0; i < n; i++)
        if (!list_add(b, list_item(c, i), PT_B32, false, list))
            return false;
    return true;
}

static void emit_texture(struct body *b, const struct texture_request *request, const struct row_list *list)
{
    struct draft *draft = emit(b, b->op.form);
    draft->insn.class = (uint8_t)texture_class(request);
    draft->insn.mod = b->op.mod;
    draft->insn.extra = texture_pack(request);
    list_emit(b, list, draft);
}

static bool lower_sample(struct body *b, struct texture_request *request)
{
    const struct ptx_insn *insn = b->insn;
    static const char *const components[] = {"r", "g", "b", "a"};
    const char *type = insn->n_suffixes ? insn->suffixes[insn->n_suffixes - 1] : "";
    struct row_list list = {.n = 0};
    request->action = strcmp(insn->op, "tld4") == 0 ? TEXTURE_GATHER : TEXTURE_SAMPLE;
    if (request->action == TEXTURE_GATHER && !find_word(insn, components, 4, &request->which))
        return body_fail(b, "the component is missing");
    if (!insn_has_suffix(insn, "v4") || insn_has_suffix(insn, "f16x2") || insn_has_suffix(insn, "v2"))
        return body_fail(b, "%s is supported with .v4 and results of 32 bits", insn->op);
    request->has_integers = strcmp(type, "s32") == 0;
    if (insn->n_operands < 2 || insn->operands[0].pair)
        return body_fail(b, "wrong or unsupported operands");
    if (!list_add_all(b, &insn->operands[0], PT_B32, 4, true, &list) ||
        !add_place(b, &insn->operands[1], texture_coordinates(request->geometry), &list))
        return false;
    emit_texture(b, request, &list);
    return true;
}

static bool lower_query(struct body *b)
{
    struct texture_request request = {.action = TEXTURE_QUERY};
    struct row_list list = {.n = 0};
    if (!find_word(b->insn, query_words, N_QUERIES, &request.which))
        return body_fail(b, "this query is not supported");
    if (b->insn->n_operands != 2 || !list_add_all(b, &b->insn->operands[0], PT_B32, 1, true, &list) ||
        !add_place(b, &b->insn->operands[1], 0, &list))
        return body_fail(b, "wrong operands");
    emit_texture(b, &request, &list);
    return true;
}

static bool lower_surface(struct body *b, struct texture_request *request)
{
    static const char *const elements[] = {"b8", "b16", "b32", "b64"}, *const clamps[] = {"trap", "clamp", "zero"};
    const struct ptx_insn *insn = b->insn;
    const bool is_store = strcmp(insn->op, "sust") == 0;
    struct row_list list = {.n = 0};
    uint32_t element;
    if (!insn_has_suffix(insn, "b") || !find_word(insn, elements, 4, &element))
        return body_fail(b, "%s is supported with .b only", insn->op);
    if (!find_word(insn, clamps, 3, &request->which))
        request->which = SURFACE_TRAP;
    request->action = is_store ? SURFACE_STORE : SURFACE_LOAD;
    request->element_bytes = 1u << element;
    request->n_elements = insn_has_suffix(insn, "v4") ? 4 : insn_has_suffix(insn, "v2") ? 2 : 1;
    const enum ptx_type type = element == 3 ? PT_B64 : element == 2 ? PT_B32 : PT_B16;
    if (insn->n_operands != 2)
        return body_fail(b, "wrong number of operands");
    if (!list_add_all(b, &insn->operands[is_store], type, request->n_elements, !is_store, &list) ||
        !add_place(b, &insn->operands[!is_store], texture_coordinates(request->geometry), &list))
        return false;
    emit_texture(b, request, &list);
    return true;
}

bool lower_texture(struct body *b)
{
    struct texture_request request = {.action = TEXTURE_SAMPLE};
    uint32_t geometry;
    if (strcmp(b->insn->op, "txq") == 0)
        return lower_query(b);
    if (!find_word(b->insn, geometry_words, N_GEOMETRIES, &geometry))
        return body_fail(b, "the geometry is missing or not supported");
    request.geometry = (enum texture_geometry)geometry;
    const bool is_surface = strcmp(b->insn->op, "suld") == 0 || strcmp(b->insn->op, "sust") == 0;
    return is_surface ? lower_surface(b, &request) : lower_sample(b, &request);
}
