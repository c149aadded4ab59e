// Fuzz target: struct members, memory interfaces.
#include "arith/memory_interface.h"
#include "arith/sector_map.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_struct(struct arena *arena, const char *text)
{
    struct struct_layout layout;
    struct err err = {0};
    if (struct_layout_parse(arena, "fuzz", text, &layout, &err) == err.set)
        BUG("result and error disagree");
    for (uint32_t i = 0; !err.set && i < layout.n_fields; i++) {
        const struct struct_field *field = &layout.fields[i];
        if (field->offset_bytes + field->size_bytes > layout.size_bytes ||
            field_cost_of(&layout, field).array_of_structs.sectors == 0)
            BUG("member %s lies outside", field->name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512];
    struct arena arena;
    struct memory_interface interface;
    struct err err = {0};
    if (size > sizeof text - 1)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    arena_init(&arena, "fuzz");
    parse_struct(&arena, text);
    if (interface_parse(text, &interface, &err) == err.set || (!err.set && !(interface_gbps(&interface) > 0)))
        BUG("result and error disagree");
    arena_release(&arena);
    return 0;
}
