// Sectors of texture and surface instructions.
#include "mem/texture_path.h"

static uint64_t blocks_per_row(uint64_t pitch_bytes)
{
    return (pitch_bytes + TEXTURE_BLOCK_WIDTH - 1) / TEXTURE_BLOCK_WIDTH;
}

uint64_t block_linear_bytes(uint64_t pitch_bytes, uint64_t n_rows)
{
    const uint64_t high = (n_rows + TEXTURE_BLOCK_ROWS - 1) / TEXTURE_BLOCK_ROWS;
    return high * blocks_per_row(pitch_bytes) * TEXTURE_BLOCK_WIDTH * TEXTURE_BLOCK_ROWS;
}

// Bits of an offset within a block: x in 16 bytes, the lowest bits of y and x in turn.
uint64_t block_linear(uint64_t x, uint64_t y, uint64_t pitch_bytes)
{
    const uint64_t block = y / TEXTURE_BLOCK_ROWS * blocks_per_row(pitch_bytes) + x / TEXTURE_BLOCK_WIDTH;
    const uint64_t within = (x >> 5 & 1) << 8 | (y >> 1 & 3) << 6 | (x >> 4 & 1) << 5 | (y & 1) << 4 | (x & 15);
    return block * TEXTURE_BLOCK_WIDTH * TEXTURE_BLOCK_ROWS + within;
}

void texture_traffic_begin(struct texture_traffic *traffic, bool is_store)
{
    traffic->n_requests = traffic->n_sectors = 0;
    traffic->is_store = is_store;
}

static void add_sector(struct texture_traffic *traffic, uint32_t request, uint64_t number, uint8_t halves)
{
    for (uint32_t i = traffic->n_sectors; i > 0 && traffic->sectors[i - 1].request == request; i--)
        if (traffic->sectors[i - 1].number == number) {
            traffic->sectors[i - 1].halves |= halves;
            return;
        }
    if (traffic->n_sectors == 0 || traffic->sectors[traffic->n_sectors - 1].request != request)
        traffic->n_requests++;
    traffic->sectors[traffic->n_sectors++] = (struct texture_sector){number, (uint8_t)request, halves};
}

void texture_traffic_add(struct texture_traffic *traffic, uint32_t request, uint64_t address, uint32_t n_bytes)
{
    enum { HALF_BYTES = SECTOR_BYTES / 2 };
    for (uint64_t half = address / HALF_BYTES; half * HALF_BYTES < address + n_bytes; half++)
        if (traffic->n_sectors < TEXTURE_MOST_SECTORS)
            add_sector(traffic, request, half / 2, (uint8_t)(1u << half % 2));
}
