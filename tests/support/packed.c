// Files under tests that are kept compressed: see packed.h.
#include "support/packed.h"
#include "support/check.h"
#include <stdlib.h>
#include <zstd.h>

void packed_read(const char *path, struct buf *out)
{
    struct buf packed = {0};
    struct err err = {0};
    if (!buf_read_file(&packed, path, &err))
        fail_msg("%s", err.text);
    const size_t size = (size_t)ZSTD_getFrameContentSize(packed.at, packed.n);
    char *raw = malloc(size);
    assert_int_equal(ZSTD_decompress(raw, size, packed.at, packed.n), size);
    buf_add(out, raw, size);
    free(raw);
    buf_release(&packed);
}
