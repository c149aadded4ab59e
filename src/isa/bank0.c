// See bank0.h.
#include "isa/bank0.h"

static const struct word {
    uint32_t offset, n_bytes;
} words[] = {
#define BANK0(name, bytes, offset) {offset, bytes},
#include "isa/bank0.def"
#undef BANK0
};

static bool is_known_byte(uint32_t offset)
{
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (offset - words[i].offset < words[i].n_bytes)
            return true;
    return false;
}

bool bank0_is_known(uint32_t offset, uint32_t n_bytes)
{
    for (uint32_t i = 0; i < n_bytes; i++)
        if (!is_known_byte(offset + i))
            return false;
    return true;
}
