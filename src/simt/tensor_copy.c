// One box of a tensor, between global and shared memory.
//
// The box lies in shared memory dimension after dimension, the lowest first, without gaps. Its 16-byte pieces are then
// permuted by the swizzle: bits of the shared address above bit 6 are added (exclusive or) to those from bit 4 on, one
// bit for 32 bytes, two for 64, three for 128. Elements outside the tensor are filled when they are loaded and left out
// when they are stored, but for those that share 16 bytes with the last one inside: these are written. Rows shorter than
// the span of the swizzle lie one span apart. Of the NaN that fills, every 16 bits are 0x7ff7. tf32 elements are rounded to
// nearest even when they are loaded.
//
// Interleaved maps: the unit of the lowest dimension is a pixel of 16 or 32 bytes, which holds that many bytes of
// channels; the dimension below the highest counts slices of channels, its box channels.
// Sources: PTX ISA, tensor copies; measured on an H200 (tests/data/tensor_copy_h200.txt.zst).
#include "simt/bulk.h"
#include "simt/lanes.h"
#include "simt/splits.h"

struct box {
    uint32_t count[TENSOR_DIMS]; // indices in each dimension
    uint32_t unit_bytes;         // of the lowest dimension
    uint32_t pitch_bytes;        // from row to row in shared memory
};

static struct box box_of(const struct tensor_map *map)
{
    struct box box = {.unit_bytes = tensor_type_bytes(map->type)};
    for (int i = 0; i < TENSOR_DIMS; i++)
        box.count[i] = i == 0 ? map->box[0] : (map->box[i] + map->step[i] - 1u) / map->step[i];
    box.pitch_bytes = box.count[0] * box.unit_bytes;
    if (map->interleave == TENSOR_PLAIN || map->rank < 3) {
        const uint32_t span = map->swizzle == TENSOR_SWIZZLE_NONE ? 0 : 16u << map->swizzle;
        box.pitch_bytes = box.pitch_bytes < span ? span : box.pitch_bytes;
        return box;
    }
    const uint32_t pixel_bytes = map->interleave == TENSOR_INTERLEAVE_16 ? 16 : 32;
    const int channels = map->rank - 2;
    box.count[channels] = (map->box[channels] * box.unit_bytes + pixel_bytes - 1) / pixel_bytes;
    box.unit_bytes = pixel_bytes;
    box.pitch_bytes = box.count[0] * pixel_bytes;
    return box;
}

uint32_t tensor_bytes(const struct tensor_map *map)
{
    const struct box box = box_of(map);
    uint32_t bytes = box.unit_bytes;
    for (int i = 0; i < TENSOR_DIMS; i++)
        bytes *= box.count[i];
    return bytes;
}

// ---- rows: runs of the lowest dimension ----------------------------------------------------------------

struct row {
    uint32_t index[TENSOR_DIMS]; // [0] is 0
    uint64_t address;            // of the element at coordinate 0 of the lowest dimension
    uint32_t first, end;         // of the box's elements of the lowest dimension, those inside the tensor; equal: none
    uint32_t offset;             // in the box, bytes, before swizzling
};

static void row_locate(const struct bulk *bulk, const struct box *box, struct row *row)
{
    const struct tensor_map *map = &bulk->map;
    bool is_inside = true;
    row->address = map->address;
    for (int i = 1; i < map->rank; i++) {
        const int64_t at = bulk->at[i] + (int64_t)row->index[i] * map->step[i];
        is_inside &= at >= 0 && at <= map->last[i];
        row->address += (uint64_t)at * map->stride[i];
    }
    const int64_t low = bulk->at[0] < 0 ? -(int64_t)bulk->at[0] : 0, high = (int64_t)map->last[0] + 1 - bulk->at[0];
    const int64_t n = box->count[0];
    row->first = (uint32_t)(low < n ? low : n);
    row->end = (uint32_t)(high < row->first ? row->first : high < n ? high : n);
    if (!is_inside)
        row->end = row->first;
}

static bool row_next(const struct box *box, struct row *row)
{
    row->offset += box->pitch_bytes;
    for (int i = 1; i < TENSOR_DIMS; i++) {
        if (++row->index[i] < box->count[i])
            return true;
        row->index[i] = 0;
    }
    return false;
}

static uint64_t row_address(const struct bulk *bulk, const struct box *box, const struct row *row)
{
    return row->address + (uint64_t)((bulk->at[0] + (int64_t)row->first) * (int64_t)box->unit_bytes);
}

// Rows outside of the tensor are filled by a load; a store does not read them.
uint32_t tensor_extent(const struct bulk *bulk)
{
    const struct box box = box_of(&bulk->map);
    struct row row = {.offset = 0};
    uint32_t n_bytes = 0;
    do {
        row_locate(bulk, &box, &row);
        if (row.end > row.first || bulk->way != BULK_TO_GLOBAL)
            n_bytes = row.offset + box.pitch_bytes;
    } while (row_next(&box, &row));
    return bulk->map.swizzle == TENSOR_SWIZZLE_NONE ? n_bytes : (n_bytes + 127) & ~127u;
}

void tensor_transfers(struct sim *sim, const struct bulk *bulk)
{
    const struct box box = box_of(&bulk->map);
    const enum access_kind kind = bulk->way != BULK_TO_GLOBAL ? ACCESS_LOAD : bulk->reduces ? ACCESS_RED : ACCESS_STORE;
    struct row row = {.offset = 0};
    do {
        row_locate(bulk, &box, &row);
        transfer_add(sim, row_address(bulk, &box, &row), (uint64_t)(row.end - row.first) * box.unit_bytes, kind);
    } while (row_next(&box, &row));
}

// ---- moving ------------------------------------------------------------------------------------------

// Distance from where a byte would lie to where the swizzle puts it.
static uint32_t swizzled(uint32_t address, uint8_t swizzle)
{
    const uint32_t bits = (1u << swizzle) - 1;
    return address ^ (address >> 7 & bits) << 4;
}

// What fills elements outside: zero, or the NaN of the type.
static void fill_element(const struct tensor_map *map, uint8_t *at, uint32_t n_bytes)
{
    const uint32_t size = tensor_type_bytes(map->type);
    const uint64_t bits = map->fill == TENSOR_FILL_NAN ? 0x7ff77ff77ff77ff7 : 0;
    for (uint32_t k = 0; k < n_bytes; k += size)
        memcpy(at + k, &bits, size);
}

// Types whose values change when they are loaded.
static void convert_loaded(const struct tensor_map *map, uint8_t *at)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    const bool flushes = map->type == TENSOR_F32_FTZ || map->type == TENSOR_TF32_FTZ;
    if (flushes && !(bits & 0x7f800000))
        bits &= 0x80000000;
    if ((map->type == TENSOR_TF32 || map->type == TENSOR_TF32_FTZ) && (bits & 0x7f800000) != 0x7f800000)
        bits = (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000; // 10 bits of fraction, to nearest even
    memcpy(at, &bits, sizeof bits);
}

static enum atom_type atom_type_of(uint8_t type)
{
    static const uint8_t types[N_TENSOR_TYPES] = {
        [TENSOR_U8] = ATOM_TYPE_u16,      [TENSOR_U16] = ATOM_TYPE_u16,  [TENSOR_U32] = ATOM_TYPE_u32,
        [TENSOR_S32] = ATOM_TYPE_s32,     [TENSOR_U64] = ATOM_TYPE_u64,  [TENSOR_S64] = ATOM_TYPE_s64,
        [TENSOR_F16] = ATOM_TYPE_f16,     [TENSOR_F32] = ATOM_TYPE_f32,  [TENSOR_F64] = ATOM_TYPE_f64,
        [TENSOR_BF16] = ATOM_TYPE_bf16,   [TENSOR_F32_FTZ] = ATOM_TYPE_f32,
        [TENSOR_TF32] = ATOM_TYPE_f32,    [TENSOR_TF32_FTZ] = ATOM_TYPE_f32};
    return types[type];
}

// One element, or in an interleaved map one piece of 16 bytes: never more than the swizzle keeps together.
static void move_piece(const struct bulk *bulk, uint8_t *shared, uint8_t *global, uint32_t n_bytes)
{
    if (bulk->way == BULK_TO_GLOBAL && bulk->reduces)
        atom_reduce(bulk->op, atom_type_of(bulk->map.type), global, shared, n_bytes, true);
    else if (bulk->way == BULK_TO_GLOBAL)
        memcpy(global, shared, n_bytes);
    else
        memcpy(shared, global, n_bytes);
    if (bulk->way != BULK_TO_GLOBAL && bulk->map.type >= TENSOR_F32_FTZ)
        for (uint32_t k = 0; k < n_bytes; k += 4)
            convert_loaded(&bulk->map, shared + k);
}

// Elements of the row from the one at `first` on that are in the tensor, or outside of it (global is NULL).
static void move_elements(const struct bulk *bulk, const struct box *box, const struct row *row, uint8_t *shared,
                          uint32_t address, uint8_t *global, uint32_t first, uint32_t end)
{
    const uint32_t piece = box->unit_bytes < 16 ? box->unit_bytes : 16;
    for (uint32_t k = first * box->unit_bytes; k < end * box->unit_bytes; k += piece) {
        uint8_t *at = shared + (swizzled(address + row->offset + k, bulk->map.swizzle) - address);
        if (global)
            move_piece(bulk, at, global + (k - first * box->unit_bytes), piece);
        else if (bulk->way != BULK_TO_GLOBAL)
            fill_element(&bulk->map, at, piece);
    }
}

// A store fills the last 16 bytes of its row.
static uint32_t stored_end(const struct sim *sim, const struct bulk *bulk, const struct box *box, const struct row *row)
{
    if (bulk->way != BULK_TO_GLOBAL || row->end == row->first || box->unit_bytes >= 16)
        return row->end;
    const uint32_t per_16 = 16 / box->unit_bytes, over = (uint32_t)(bulk->at[0] + (int64_t)row->end) % per_16;
    uint32_t end = over ? row->end + per_16 - over : row->end;
    end = end < box->count[0] ? end : box->count[0];
    const uint64_t n_bytes = (uint64_t)(end - row->first) * box->unit_bytes;
    return memory_host(sim->launch->memory, row_address(bulk, box, row), n_bytes) ? end : row->end;
}

bool tensor_copy(struct sim *sim, struct warp *warp, uint32_t lane, const struct bulk *bulk, uint8_t *shared, uint32_t address)
{
    const struct box box = box_of(&bulk->map);
    struct row row = {.offset = 0};
    do {
        row_locate(bulk, &box, &row);
        row.end = stored_end(sim, bulk, &box, &row);
        const uint64_t from = row_address(bulk, &box, &row), n_bytes = (uint64_t)(row.end - row.first) * box.unit_bytes;
        uint8_t *global = n_bytes ? memory_host_fast(sim->launch->memory, &sim->cursor, from, n_bytes) : NULL;
        if (n_bytes && !global)
            return bulk_fault(sim, warp, lane, FAULT_OUT_OF_BOUNDS, SPACE_GLOBAL, from);
        move_elements(bulk, &box, &row, shared, address, NULL, 0, row.first);
        if (global)
            move_elements(bulk, &box, &row, shared, address, global, row.first, row.end);
        move_elements(bulk, &box, &row, shared, address, NULL, row.end, box.count[0]);
    } while (row_next(&box, &row));
    return true;
}
