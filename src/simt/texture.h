// Textures and surfaces: what a handle stands for, and one lane's sample. Both instruction sets use them.
//
//     uint32_t texel[4];
//     if (!texture_sample(texture, &reader, &request, coordinates, texel)) …   // its memory is gone
#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H
#include "isa/texture.h"
#include "mem/memory.h"
#include "mem/texture_path.h"

enum texture_address { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };
enum texture_channel { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT };

struct texture {
    uint64_t address; // of rows of texels in guest memory; 0: the handle is not in use
    uint64_t pitch_bytes, slice_bytes;
    uint32_t width, height, depth; // texels; 1 where the dimension is missing
    uint32_t n_layers;             // of an array, six a cube; 0: no array
    bool is_surface, is_linear_memory;
    bool is_pitched;                  // linear or pitched memory: rows as they are; else block linear
    uint8_t channel_bits, n_channels; // 8, 16, 32; 1, 2, 4
    uint8_t channel;                  // enum texture_channel
    uint8_t address_mode[3];          // enum texture_address
    bool filters;          // linear
    bool reads_normalized; // integers become floats of -1 .. 1
    bool is_normalized;    // coordinates
    float border[4];
};

// Where texels are read, and what was touched: addresses of texels in the layout of the hardware.
struct texture_reader {
    const struct memory *memory;
    uint32_t n_texels;
    uint64_t texels[TEXTURE_MOST_TEXELS];
};

// Four channels of 32 bits at these coordinates (floats, or texel numbers if has_integers; layers are integers). False:
// a texel's memory does not exist.
bool texture_sample(const struct texture *texture, struct texture_reader *reader, const struct texture_request *request,
                    const uint32_t *coordinates, uint32_t out[4]);
// The four texels round the coordinates, one channel of each.
bool texture_gather(const struct texture *texture, struct texture_reader *reader, const struct texture_request *request,
                    const uint32_t *coordinates, uint32_t out[4]);
uint32_t texture_answer(const struct texture *texture, enum texture_query query);
// Host address of `n_bytes` bytes at byte x of a row, NULL outside: `is_outside` tells apart what has no memory.
uint8_t *surface_at(const struct texture *texture, struct texture_reader *reader, const struct texture_request *request,
                    const uint32_t *coordinates, bool *is_outside);
#endif
