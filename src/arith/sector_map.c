// Sectors of patterns and of struct members.
#include "arith/sector_map.h"

enum { WORD_BITS = 32 };

void line_bytes_used(const struct access *access, uint64_t line, uint32_t used[LINE_BYTES / 32])
{
    for (uint32_t w = 0; w < LINE_BYTES / WORD_BITS; w++)
        used[w] = 0;
    for (uint32_t t = 0; t < N_LANES; t++) {
        uint64_t offset = access->addr[t] - line;
        if (!(access->mask >> t & 1) || offset >= LINE_BYTES)
            continue;
        for (uint64_t byte = offset; byte < offset + access->width && byte < LINE_BYTES; byte++)
            used[byte / WORD_BITS] |= 1u << byte % WORD_BITS;
    }
}

uint32_t access_distinct_bytes(const struct access *access, const struct line_set *lines)
{
    uint32_t n = 0, used[LINE_BYTES / WORD_BITS];
    for (uint32_t i = 0; i < lines->n; i++) {
        line_bytes_used(access, lines->at[i].line, used);
        for (uint32_t w = 0; w < LINE_BYTES / WORD_BITS; w++)
            n += (uint32_t)__builtin_popcount(used[w]);
    }
    return n;
}

static void cost_add(struct global_cost *sum, const struct global_cost *cost)
{
    sum->sectors += cost->sectors;
    sum->ideal += cost->ideal;
    sum->tags += cost->tags;
    sum->bytes += cost->bytes;
    sum->atomic_sectors += cost->atomic_sectors;
}

bool sector_total_of(const struct lane_pattern *pattern, struct sector_total *out, struct err *err)
{
    *out = (struct sector_total){.n_warps = pattern_warps(pattern)};
    for (uint32_t warp = 0; warp < out->n_warps; warp++) {
        struct access access;
        struct line_set lines;
        if (!pattern_access(pattern, warp, &access, err))
            return false;
        struct global_cost cost = coalesce(&access, &lines);
        cost_add(&out->sum, &cost);
        if (cost.sectors <= out->worst.sectors)
            continue;
        out->worst = cost;
        out->worst_warp = warp;
        out->distinct_bytes = access_distinct_bytes(&access, &lines);
    }
    return true;
}

static struct global_cost strided_cost(uint32_t width, uint64_t stride_bytes, uint64_t offset_bytes)
{
    struct access access = {.space = SPACE_GLOBAL, .width = (uint8_t)width, .mask = ~(lanemask)0};
    struct line_set lines;
    for (uint32_t t = 0; t < N_LANES; t++)
        access.addr[t] = t * stride_bytes + offset_bytes;
    return coalesce(&access, &lines);
}

struct field_cost field_cost_of(const struct struct_layout *layout, const struct struct_field *field)
{
    struct field_cost sum = {0};
    for (uint32_t part = 0; part < field->size_bytes; part += field->load_bytes) {
        struct global_cost aos =
            strided_cost(field->load_bytes, layout->size_bytes, field->offset_bytes + part);
        struct global_cost soa = strided_cost(field->load_bytes, field->size_bytes, part);
        cost_add(&sum.array_of_structs, &aos);
        cost_add(&sum.struct_of_arrays, &soa);
    }
    return sum;
}

struct vector_cost vector_cost_of(const struct struct_layout *layout)
{
    struct vector_cost cost = {.vector_bytes = layout->size_bytes <= 8 ? 8 : 16};
    cost.n_loads = (layout->size_bytes + cost.vector_bytes - 1) / cost.vector_bytes;
    cost.padded_bytes = cost.n_loads * cost.vector_bytes;
    for (uint32_t i = 0; i < cost.n_loads; i++) {
        struct global_cost one =
            strided_cost(cost.vector_bytes, cost.padded_bytes, (uint64_t)i * cost.vector_bytes);
        cost_add(&cost.sum, &one);
    }
    return cost;
}
