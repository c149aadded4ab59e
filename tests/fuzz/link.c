// Fuzz target: PTX modules, separated by lines "//&", are linked in both ways. The result prints, is read
// back and prints the same; its kernels are lowered, which may fail.
#include "ptx/link.h"
#include "ptx/load.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PARTS = 4, MAX_DATUM_BYTES = 1 << 20 };
static const char separator[] = "\n//&\n";

static uint32_t parse_parts(struct arena *arena, const char *text, size_t size,
                            struct ptx_module *parts[MOST_PARTS])
{
    uint32_t n = 0;
    for (const char *at = text, *end = text + size; at && n < MOST_PARTS;) {
        struct err err = {0};
        const char *next = memmem(at, (size_t)(end - at), separator, strlen(separator));
        size_t length = (size_t)((next ? next : end) - at);
        parts[n] = ptx_parse(arena, arena_printf(arena, "%c.ptx", 'a' + n), at, length, &err);
        if (!parts[n++])
            return 0;
        at = next ? next + strlen(separator) : NULL;
    }
    return n;
}

static void print_again(struct arena *arena, const struct ptx_module *module)
{
    struct buf printed = {0}, again = {0};
    struct err err = {0};
    ptx_print(module, &printed);
    const struct ptx_module *copy = ptx_parse(arena, "printed.ptx", printed.at, printed.n, &err);
    if (!copy) {
        err_print(&err, stderr);
        BUG("what was printed is not read back:\n%s", printed.at);
    }
    ptx_print(copy, &again);
    if (again.n != printed.n || memcmp(again.at, printed.at, again.n) != 0)
        BUG("the second print differs:\n%s\n---- and\n%s", printed.at, again.at);
    buf_release(&printed);
    buf_release(&again);
}

static void check_places(const struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->n_functions; i++)
        for (uint32_t k = 0; k < module->functions[i]->n_insns; k++) {
            const struct ptx_insn *insn = &module->functions[i]->insns[k];
            struct err err = {0};
            err_set_at(&err, module->path, insn->at.line, 1, module->text, module->text_length, "x");
            ptx_place_error(module, &err);
            if (insn->loc >= module->n_locs || module->locs[insn->loc].file >= module->n_files ||
                err.line == 0)
                BUG("an instruction has no place");
        }
}

static void lower_all(struct arena *arena, struct ptx_module *module)
{
    struct err err = {0};
    struct ptx_image *image = ptx_image_of(arena, module, &err);
    if ((image == NULL) != err.set)
        BUG("image and error disagree");
    if (!image)
        return;
    for (uint32_t i = 0; i < image->n_data; i++)
        image->data[i].address = 0x700000000000 + 4096 * (uint64_t)i;
    image->constant_address = 0x710000000000;
    ptx_image_place(image, 0x720000000000, 0x730000000000);
    for (uint32_t i = 0; i < image->n_data; i++) {
        struct err refused = {0};
        uint8_t *bytes =
            image->data[i].size_bytes > MAX_DATUM_BYTES ? NULL : malloc(image->data[i].size_bytes + 1);
        if (bytes && ptx_image_write(image, i, bytes, &refused) == refused.set)
            BUG("result and error of writing disagree");
        free(bytes);
    }
    for (uint32_t i = 0; i < image->n_kernels; i++) {
        struct err refused = {0};
        const struct kernel *kernel = ptx_image_kernel(image, image->kernels[i].function->name, &refused);
        if ((kernel == NULL) != refused.set)
            BUG("kernel and error disagree");
    }
}

static void link_once(const char *text, size_t size, enum ptx_link_mode mode)
{
    struct arena arena;
    struct err err = {0}, missing = {0};
    struct ptx_module *parts[MOST_PARTS];
    arena_init(&arena, "fuzz");
    uint32_t n = parse_parts(&arena, text, size, parts);
    struct ptx_module *whole = n > 1 ? ptx_link(&arena, "whole", mode, parts, n, &err) : NULL;
    if (n > 1 && (whole == NULL) != err.set)
        BUG("module and error disagree");
    if (whole) {
        check_places(whole);
        print_again(&arena, whole);
        if (ptx_link_complete(whole, &missing) == missing.set)
            BUG("result and error of missing names disagree");
        lower_all(&arena, whole);
    }
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    link_once((const char *)data, size, LINK_SYMBOLS);
    link_once((const char *)data, size, LINK_APART);
    return 0;
}
