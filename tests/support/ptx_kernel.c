// A kernel of a text of PTX: see ptx_kernel.h.
#include "support/ptx_kernel.h"
#include "mem/memory.h"
#include "ptx/load.h"
#include "support/check.h"
#include <string.h>

const struct kernel *ptx_kernel_of_text(struct arena *arena, const char *text)
{
    struct err err = {0};
    const struct kernel *kernel = NULL;
    struct ptx_image *image = ptx_image_open(arena, "test.ptx", text, strlen(text), &err);
    if (image) {
        ptx_image_place(image, MEMORY_SHARED_WINDOW, MEMORY_LOCAL_WINDOW);
        kernel = ptx_image_kernel(image, "k", &err);
    }
    if (!kernel)
        fail_msg("%s:%u: %s", err.file, err.line, err.text);
    return kernel;
}
