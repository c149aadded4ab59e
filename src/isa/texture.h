// Texture and surface instructions. insn.extra holds what is asked for (texture_pack); the rows are listed in kernel.lists
// from insn.offset on: destinations (tex, tld4: four; suld: its elements; sources of sust), two of the handle, coordinates.
#ifndef ISA_TEXTURE_H
#define ISA_TEXTURE_H
#include "isa/isa.h"
#include <stdbool.h>
#include <stdint.h>

enum texture_action { TEXTURE_SAMPLE, TEXTURE_GATHER, TEXTURE_QUERY, SURFACE_LOAD, SURFACE_STORE };
enum texture_geometry { GEOMETRY_1D, GEOMETRY_2D, GEOMETRY_3D, GEOMETRY_A1D, GEOMETRY_A2D, GEOMETRY_CUBE, GEOMETRY_ACUBE,
                        N_GEOMETRIES };
enum texture_query { QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH, QUERY_ARRAY_SIZE, QUERY_LEVELS, N_QUERIES };
enum surface_clamp { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };

struct texture_request {
    enum texture_action action;
    enum texture_geometry geometry;
    bool has_integers;      // coordinates are texel numbers
    uint32_t which;         // gather: component; query: enum texture_query; surfaces: enum surface_clamp
    uint32_t element_bytes; // surfaces: 1, 2, 4, 8
    uint32_t n_elements;    // surfaces: 1, 2, 4
};

static inline uint32_t texture_pack(const struct texture_request *r)
{
    return (uint32_t)r->action | (uint32_t)r->geometry << 3 | (uint32_t)r->has_integers << 6 | r->which << 7 |
           r->element_bytes << 12 | r->n_elements << 16;
}

static inline struct texture_request texture_unpack(uint32_t bits)
{
    return (struct texture_request){(enum texture_action)(bits & 7), (enum texture_geometry)(bits >> 3 & 7), bits >> 6 & 1,
                                    bits >> 7 & 31, bits >> 12 & 15, bits >> 16 & 7};
}

// As ncu tells them apart.
static inline enum op_class texture_class(const struct texture_request *r)
{
    switch (r->action) {
    case TEXTURE_SAMPLE:
        return r->has_integers ? CLASS_TEXTURE_LD : CLASS_TEXTURE;
    case TEXTURE_GATHER:
        return CLASS_TEXTURE;
    case SURFACE_LOAD:
        return CLASS_SURFACE_LD;
    case SURFACE_STORE:
        return CLASS_SURFACE_ST;
    default:
        return CLASS_NONE;
    }
}

// Coordinates, the number of the layer first.
static inline uint32_t texture_coordinates(enum texture_geometry geometry)
{
    static const uint8_t n[N_GEOMETRIES] = {1, 2, 3, 2, 3, 3, 4};
    return n[geometry];
}
#endif
