// Compressed payloads. What the container claims about the size is checked before memory is asked for, and
// again after.
#include "image/image.h"
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LZ4_MOST_RATIO = 255 }; // a byte of a block adds at most 255 bytes to a match (LZ4 block format)

static bool fail(const struct image *image, const char *what, struct err *err)
{
    char target[16];
    return err_set(err, "the image for %s%s%s: %s", image_target(image, target), image->name[0] ? " of " : "",
                   image->name, what);
}

// Claims that cannot be true.
static bool check_claim(const struct image *image, struct err *err)
{
    if (image->decoded_bytes > IMAGE_MOST_DECODED)
        return fail(image, "claims to be larger than 512 MiB", err);
    if (image->coding == CODING_LZ4 &&
        (image->payload_bytes > INT_MAX || image->decoded_bytes / LZ4_MOST_RATIO > image->payload_bytes))
        return fail(image, "its compressed text is too short for the size it claims", err);
    if (image->coding == CODING_ZSTD) {
        unsigned long long size = ZSTD_getFrameContentSize(image->payload, image->payload_bytes);
        if (size == ZSTD_CONTENTSIZE_ERROR)
            return fail(image, "its payload is not zstd, although marked so", err);
        if (size != ZSTD_CONTENTSIZE_UNKNOWN && size != image->decoded_bytes)
            return fail(image, "its compressed text has another size than the container says", err);
    }
    return true;
}

// Fills `out`, decoded_bytes long. False unless exactly that many bytes came out.
static bool decompress(const struct image *image, char *out)
{
    if (image->coding == CODING_LZ4)
        return LZ4_decompress_safe((const char *)image->payload, out, (int)image->payload_bytes,
                                   (int)image->decoded_bytes) == (int)image->decoded_bytes;
    size_t n = ZSTD_decompress(out, image->decoded_bytes, image->payload, image->payload_bytes);
    return !ZSTD_isError(n) && n == image->decoded_bytes;
}

static void hand_out(struct arena *arena, const struct image *image, const char *decoded, size_t n,
                     const char **bytes, size_t *length)
{
    while (image->kind == IMAGE_PTX && n > 0 && decoded[n - 1] == '\0')
        n--;
    *bytes = arena_string(arena, decoded, n);
    *length = n;
}

bool image_decode(struct arena *arena, const struct image *image, const char **bytes, size_t *length,
                  struct err *err)
{
    if (image->coding == CODING_UNKNOWN)
        return fail(image, "is compressed in a way that is not known", err);
    if (image->coding == CODING_PLAIN) {
        hand_out(arena, image, (const char *)image->payload, image->payload_bytes, bytes, length);
        return true;
    }
    if (!check_claim(image, err))
        return false;
    char *out = malloc(image->decoded_bytes + 1); // pages that nothing comes out for are never touched
    if (!out)
        err_memory("decompressing device code", image->decoded_bytes);
    bool good = decompress(image, out) || fail(image, "its compressed text is damaged", err);
    if (good)
        hand_out(arena, image, out, image->decoded_bytes, bytes, length);
    free(out);
    return good;
}
