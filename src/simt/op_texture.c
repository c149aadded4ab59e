// Texture and surface instructions of a warp. Bytes move at once; sim->texture_traffic says which sectors were touched.
#include "simt/address.h"
#include "simt/ops.h"
#include "simt/texture.h"

enum { MOST_COORDINATES = 4, HANDLE_ROWS = 2 };

// Handles are numbers of the launch's table, from 1 on.
static const struct texture *texture_of(const struct sim *sim, uint64_t handle)
{
    const struct launch *launch = sim->launch;
    if (handle == 0 || handle > launch->n_textures || launch->textures[handle - 1].address == 0)
        return NULL;
    return &launch->textures[handle - 1];
}

static enum step_kind fault(struct sim *sim, struct warp *warp, enum fault_kind kind, int lane)
{
    sim->access.mask = 1u << lane;
    sim->access.space = SPACE_GLOBAL;
    sim->access.width = 1;
    sim->access.addr[lane] = 0;
    sim->access.insn = split_current(warp)->pc - 1;
    return fault_access_always(sim, warp, kind);
}

static void read_coordinates(const struct warp *warp, const rowref *list, uint32_t n, int lane, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = row_read(warp, list[i])[lane];
}

// Lanes that make one request: measured for samples of 2D arrays, texels of linear memory by number, and stores into 2D
// surfaces; the same is taken for other shapes.
static uint32_t lanes_per_request(const struct texture_request *r)
{
    enum { QUAD = 4, EIGHT = 8 };
    return r->action == TEXTURE_GATHER || (r->action == TEXTURE_SAMPLE && !r->has_integers) ? QUAD : EIGHT;
}

static void add_texels(struct sim *sim, const struct texture_reader *reader, uint32_t request, uint32_t n_bytes)
{
    for (uint32_t i = 0; i < reader->n_texels; i++)
        texture_traffic_add(&sim->texture_traffic, request, reader->texels[i], n_bytes);
}

// One lane of tex or tld4; false: there is no such memory.
static bool sample_lane(struct sim *sim, const struct texture *t, const struct texture_request *r, int lane,
                        const uint32_t *coordinates, uint32_t texel[4])
{
    struct texture_reader reader = {.memory = sim->launch->memory};
    const bool is_there = r->action == TEXTURE_GATHER ? texture_gather(t, &reader, r, coordinates, texel)
                                                      : texture_sample(t, &reader, r, coordinates, texel);
    add_texels(sim, &reader, (uint32_t)lane / lanes_per_request(r), t->channel_bits / 8u * t->n_channels);
    return is_there;
}

enum step_kind op_tex(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct texture_request r = texture_unpack(insn->extra);
    const rowref *list = sim->launch->kernel->lists + insn->offset;
    const uint32_t *low = row_read(warp, list[4]), *high = row_read(warp, list[5]);
    uint32_t out[4][ROW_LANES];
    texture_traffic_begin(&sim->texture_traffic, false);
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct texture *t = texture_of(sim, low[lane] | (uint64_t)high[lane] << 32);
        uint32_t coordinates[MOST_COORDINATES], texel[4];
        read_coordinates(warp, list + 4 + HANDLE_ROWS, texture_coordinates(r.geometry), lane, coordinates);
        if (!t || !sample_lane(sim, t, &r, lane, coordinates, texel))
            return fault(sim, warp, FAULT_OUT_OF_BOUNDS, lane);
        for (int c = 0; c < 4; c++)
            out[c][lane] = texel[c];
    }
    for (int c = 0; c < 4; c++)
        if (list[c] != ROW_NONE)
            put_rows(warp, list[c], out[c], 1, on);
    return STEP_TEXTURE;
}

enum step_kind op_txq(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct texture_request r = texture_unpack(insn->extra);
    const rowref *list = sim->launch->kernel->lists + insn->offset;
    const uint32_t *low = row_read(warp, list[1]), *high = row_read(warp, list[2]);
    uint32_t out[ROW_LANES];
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct texture *t = texture_of(sim, low[lane] | (uint64_t)high[lane] << 32);
        if (!t)
            return fault(sim, warp, FAULT_OUT_OF_BOUNDS, lane);
        out[lane] = texture_answer(t, (enum texture_query)r.which);
    }
    if (list[0] != ROW_NONE)
        put_rows(warp, list[0], out, 1, on);
    return STEP_PLAIN;
}

// One lane's elements between rows and memory. 64-bit elements take two rows.
static void move_elements(struct warp *warp, const rowref *list, const struct texture_request *r, int lane, uint8_t *at)
{
    const uint32_t words = r->element_bytes == 8 ? 2 : 1, step = r->element_bytes == 8 ? 4 : r->element_bytes;
    const enum elem elem = step == 1 ? ELEM_U8 : step == 2 ? ELEM_U16 : ELEM_B32;
    for (uint32_t i = 0; i < r->n_elements * words; i++, at += step) {
        if (list[i] == ROW_NONE)
            continue;
        if (r->action == SURFACE_STORE)
            element_store(row_read(warp, list[i]), lane, at, elem);
        else
            element_load(row_write(warp, list[i]), lane, at, elem);
    }
}

static void clear_elements(struct warp *warp, const rowref *list, uint32_t n, int lane)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] != ROW_NONE)
            row_write(warp, list[i])[lane] = 0;
}

enum step_kind op_surface(struct sim *sim, struct warp *warp, const struct insn *insn, lanemask on)
{
    const struct texture_request r = texture_unpack(insn->extra);
    const rowref *list = sim->launch->kernel->lists + insn->offset;
    const uint32_t n = r.n_elements * (r.element_bytes == 8 ? 2 : 1);
    const uint32_t *low = row_read(warp, list[n]), *high = row_read(warp, list[n + 1]);
    texture_traffic_begin(&sim->texture_traffic, r.action == SURFACE_STORE);
    for (lanemask rest = on; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct texture *t = texture_of(sim, low[lane] | (uint64_t)high[lane] << 32);
        struct texture_reader reader = {.memory = sim->launch->memory};
        uint32_t coordinates[MOST_COORDINATES];
        bool is_outside = false;
        read_coordinates(warp, list + n + HANDLE_ROWS, texture_coordinates(r.geometry), lane, coordinates);
        uint8_t *at = t ? surface_at(t, &reader, &r, coordinates, &is_outside) : NULL;
        if (at)
            move_elements(warp, list, &r, lane, at);
        else if (!is_outside || r.which == SURFACE_TRAP)
            return fault(sim, warp, FAULT_OUT_OF_BOUNDS, lane);
        else if (r.action == SURFACE_LOAD)
            clear_elements(warp, list, n, lane);
        add_texels(sim, &reader, (uint32_t)lane / lanes_per_request(&r), r.element_bytes * r.n_elements);
    }
    return STEP_TEXTURE;
}
