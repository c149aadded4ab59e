// Fuzz target: PTX. What is accepted prints, is read back, and prints the same; every kernel is lowered, which may fail.
#include "ptx/load.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Every pointer that the tree promises is there.
static void check_function(const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->n_registers; i++)
        if (function->registers[i]->id != i)
            BUG("register %u has number %u", i, function->registers[i]->id);
    for (uint32_t i = 0; i < function->n_labels; i++)
        if (function->labels[i].insn > function->n_insns)
            BUG("label '%s' stands behind the body", function->labels[i].name);
    for (uint32_t i = 0; i < function->n_insns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        if (strcmp(insn->op, "bra") == 0 && !insn->operands[0].label)
            BUG("branch %u has no label", i);
        if (strcmp(insn->op, "brx") == 0 && !insn->targets)
            BUG("branch %u has no targets", i);
    }
}

static void print_again(const struct buf *printed)
{
    struct arena arena;
    struct err err = {0};
    struct buf again = {0};
    arena_init(&arena, "fuzz");
    const struct ptx_module *module = ptx_parse(&arena, "printed.ptx", printed->at, printed->n, &err);
    if (!module) {
        err_print(&err, stderr);
        BUG("what was printed is not read back");
    }
    ptx_print(module, &again);
    if (again.n != printed->n || memcmp(again.at, printed->at, again.n) != 0)
        BUG("the second print differs:\n%s\n---- and\n%s", printed->at, again.at);
    buf_release(&again);
    arena_release(&arena);
}

enum { MAX_DATUM_BYTES = 1 << 20 };

static void write_data(const struct ptx_image *image)
{
    for (uint32_t i = 0; i < image->n_data; i++) {
        struct err err = {0};
        uint64_t size_bytes = image->data[i].size_bytes;
        if (size_bytes > MAX_DATUM_BYTES)
            continue;
        uint8_t *bytes = malloc(size_bytes + 1);
        if (bytes && ptx_image_write(image, i, bytes, &err) == err.set)
            BUG("result and error of writing disagree");
        free(bytes);
    }
}

static void lower_kernels(const char *text, size_t size)
{
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, "fuzz");
    struct ptx_image *image = ptx_image_open(&arena, "fuzz.ptx", text, size, &err);
    if ((image == NULL) != err.set)
        BUG("image and error disagree");
    if (image) {
        for (uint32_t i = 0; i < image->n_data; i++)
            image->data[i].address = 0x700000000000 + 4096 * (uint64_t)i;
        image->constant_address = 0x710000000000;
        ptx_image_place(image, 0x720000000000, 0x730000000000);
        write_data(image);
    }
    for (uint32_t i = 0; image && i < image->n_kernels; i++) {
        struct err refused = {0};
        const struct kernel *kernel = ptx_image_kernel(image, image->kernels[i].function->name, &refused);
        if ((kernel == NULL) != refused.set)
            BUG("kernel and error disagree");
    }
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, "fuzz");
    const struct ptx_module *module = ptx_parse(&arena, "fuzz.ptx", (const char *)data, size, &err);
    if ((module == NULL) != err.set)
        BUG("module and error disagree");
    if (module) {
        struct buf printed = {0};
        ptx_print(module, &printed);
        print_again(&printed);
        buf_release(&printed);
        for (uint32_t i = 0; i < module->n_functions; i++)
            check_function(module->functions[i]);
        lower_kernels((const char *)data, size);
    }
    arena_release(&arena);
    return 0;
}
