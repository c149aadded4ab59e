// PTX types: names and sizes.
#include "ptx/ast.h"
#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
} types[N_PTX_TYPES] = {
    [PT_NONE] = {"", 0},           [PT_U8] = {"u8", 1},         [PT_S8] = {"s8", 1},
    [PT_B8] = {"b8", 1},           [PT_U16] = {"u16", 2},       [PT_S16] = {"s16", 2},
    [PT_B16] = {"b16", 2},         [PT_F16] = {"f16", 2},       [PT_BF16] = {"bf16", 2},
    [PT_U32] = {"u32", 4},         [PT_S32] = {"s32", 4},       [PT_B32] = {"b32", 4},
    [PT_F32] = {"f32", 4},         [PT_F16X2] = {"f16x2", 4},   [PT_BF16X2] = {"bf16x2", 4},
    [PT_TF32] = {"tf32", 4},       [PT_U64] = {"u64", 8},       [PT_S64] = {"s64", 8},
    [PT_B64] = {"b64", 8},         [PT_F64] = {"f64", 8},       [PT_B128] = {"b128", 16},
    [PT_PRED] = {"pred", 0},       [PT_E4M3] = {"e4m3", 1},     [PT_E5M2] = {"e5m2", 1},
    [PT_E4M3X2] = {"e4m3x2", 2},   [PT_E5M2X2] = {"e5m2x2", 2}, [PT_U16X2] = {"u16x2", 4},
    [PT_S16X2] = {"s16x2", 4},     [PT_TEXREF] = {"texref", 0}, [PT_SAMPLERREF] = {"samplerref", 0},
    [PT_SURFREF] = {"surfref", 0},
};

const char *ptx_type_name(enum ptx_type type)
{
    return types[type].name;
}

enum ptx_type ptx_type_parse(const char *name, size_t length)
{
    for (enum ptx_type type = PT_NONE + 1; type < N_PTX_TYPES; type++)
        if (strlen(types[type].name) == length && memcmp(types[type].name, name, length) == 0)
            return type;
    return PT_NONE;
}

uint32_t ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}
