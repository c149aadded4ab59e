// What a texture or surface instruction of a warp touches, and where texels of arrays lie.
//
// The texture path takes a warp apart: samples go by quads of lanes, texels by number and surfaces by eight lanes. Each part
// is one request that looks up its different sectors.
//
// Arrays are block linear: a block of 512 bytes is 64 bytes wide and 8 rows high, its lines of 128 bytes are 32 bytes by 4
// rows, and a sector is 16 bytes by 2 rows. Sources: NVIDIA Tegra X1 technical reference manual, "Block linear"; measured on an
// H200 (sectors of tex_point_*, tex_linear_* and surf_copy of the reference programs are equal).
#ifndef MEM_TEXTURE_PATH_H
#define MEM_TEXTURE_PATH_H
#include "mem/access.h"

enum { TEXTURE_MOST_TEXELS = 8, TEXTURE_MOST_SECTORS = N_LANES * TEXTURE_MOST_TEXELS, TEXTURE_BLOCK_WIDTH = 64, TEXTURE_BLOCK_ROWS = 8 };

// Where byte x of row y lies, from the array's first byte, in rows of pitch_bytes.
uint64_t block_linear(uint64_t x, uint64_t y, uint64_t pitch_bytes);

// Bytes of a slice of so many rows, blocks being whole.
uint64_t block_linear_bytes(uint64_t pitch_bytes, uint64_t n_rows);

struct texture_sector {
    uint64_t number;  // address / SECTOR_BYTES
    uint8_t request;  // of the instruction's
    uint8_t halves;   // bit 0: its first 16 bytes are touched, bit 1: the others
};

struct texture_traffic {
    uint32_t n_requests, n_sectors;
    bool is_store;
    struct texture_sector sectors[TEXTURE_MOST_SECTORS]; // ascending requests, different numbers within one
};

void texture_traffic_begin(struct texture_traffic *traffic, bool is_store);
// n_bytes at an address belong to the request with that number; numbers must not fall.
void texture_traffic_add(struct texture_traffic *traffic, uint32_t request, uint64_t address, uint32_t n_bytes);
#endif
