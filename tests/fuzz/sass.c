// Fuzz target: machine code. An ELF file is opened as a cubin, listed, and its kernels lowered; anything else
// is taken as encodings. Nothing may crash; what decodes fits into its struct and prints.
#include "sass/sass.h"
#include "sass/listing.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(unsigned cc, const uint64_t words[2], uint32_t offset, struct buf *text)
{
    struct sass_insn insn;
    bool good = sass_decode(cc, words, offset, &insn);
    if (good != (insn.row != NULL))
        BUG("result and row disagree");
    if (insn.n_operands > SASS_MAX_OPERANDS || insn.n_dst > insn.n_operands)
        BUG("%u operands, %u of them written", insn.n_operands, insn.n_dst);
    buf_clear(text);
    sass_print(&insn, text);
    sass_list_control((uint32_t)SASS_CONTROL(words[1]), text);
    if (text->n == 0 || text->at[text->n] != '\0')
        BUG("no text");
}

static void check_encodings(const uint8_t *data, size_t size)
{
    static const unsigned capabilities[] = {75, 80, 86, 89, 90};
    struct buf text = {0};
    for (size_t at = 0; at + SASS_BYTES <= size; at += SASS_BYTES) {
        uint64_t words[2];
        memcpy(words, data + at, sizeof words);
        for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++)
            check(capabilities[i], words, (uint32_t)at, &text);
    }
    buf_release(&text);
}

static void check_cubin(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct err err = {0};
    struct buf text = {0};
    arena_init(&arena, "fuzz");
    struct sass_image *image = sass_image_open(&arena, "fuzz", data, size, &err);
    if ((image == NULL) != err.set)
        BUG("result and error of opening a cubin disagree");
    if (image) {
        struct err refused = {0};
        (void)sass_list(image, NULL, &text, &refused);
    }
    for (uint32_t i = 0; image && i < image->n_kernels; i++) {
        struct err refused = {0};
        if (!sass_image_kernel(image, image->kernels[i].attributes->name, &refused) && !refused.set)
            BUG("a kernel is refused without a reason");
    }
    buf_release(&text);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (elf_is(data, size))
        check_cubin(data, size);
    else
        check_encodings(data, size);
    return 0;
}
