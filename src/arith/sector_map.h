// What one global-memory pattern costs: sectors of all warps of a block, bytes used of what is moved, the
// same data as structure of arrays, and which bytes of which sector a warp asks for.
#ifndef ARITH_SECTOR_MAP_H
#define ARITH_SECTOR_MAP_H
#include "arith/lane_pattern.h"
#include "arith/struct_layout.h"
#include "mem/coalesce.h"

struct sector_total {
    uint32_t n_warps, worst_warp;
    struct global_cost sum, worst;
    uint32_t distinct_bytes; // of the worst warp: bytes asked for, each once
};

bool sector_total_of(const struct lane_pattern *pattern, struct sector_total *out, struct err *err);

// Bytes of a line that the access asks for: bit b of word w of `used` = byte 32 w + b of the line.
void line_bytes_used(const struct access *access, uint64_t line, uint32_t used[LINE_BYTES / 32]);
uint32_t access_distinct_bytes(const struct access *access, const struct line_set *lines);

// One warp of lanes that all read one field of 32 neighbouring structs: as the struct lies, and with the
// field in an array of its own. A field wider than one load is read in several; the sums are over them.
struct field_cost {
    struct global_cost array_of_structs, struct_of_arrays;
};

// One warp that takes 32 neighbouring structs whole, by vector loads of 8 or 16 bytes, the struct padded to a
// multiple of them.
struct vector_cost {
    uint32_t vector_bytes, padded_bytes, n_loads;
    struct global_cost sum; // over the loads
};
struct vector_cost vector_cost_of(const struct struct_layout *layout);

struct field_cost field_cost_of(const struct struct_layout *layout, const struct struct_field *field);
#endif
