// Fatbin containers: a header of 16 bytes, then entries, each with a header and a payload.
//
// The layout is not published. It was found on the output of nvcc 13.0 (every compression, target and option
// below was built and looked at) and agrees with what open-source loaders of CUDA programs read;
// doc/formats.md, "Fatbins".
#include "image/fatbin.h"
#include "base/vec.h"
#include "image/elf.h"
#include <string.h>

#define CONTAINER_MAGIC 0xBA55ED50u
#define WRAPPER_MAGIC 0x466243B1u
enum { CONTAINER_VERSION = 1 };
enum { WRAPPER_CONTAINER = 1, WRAPPER_LINKED = 2 }; // versions of the wrapper
enum { MOST_PRELINKED = 1 << 20 };

enum { ENTRY_PTX = 1, ENTRY_CUBIN = 2, ENTRY_LTO = 8 };

enum entry_flag {
    FLAG_DEBUG = 0x2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_OTHER_CODING = 0x10000, // seen on -dlto entries
    FLAG_ARCH_SPECIFIC = 0x100000,
    FLAG_FAMILY_SPECIFIC = 0x200000
};

struct container_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t size_bytes; // of what follows the header
};

struct entry_header {
    uint16_t kind, version;
    uint32_t header_bytes;   // to the payload
    uint64_t padded_bytes;   // payload and the zeros behind it
    uint32_t payload_bytes;  // of a compressed payload; else 0
    uint32_t options_offset; // from the entry; 0 = none. There: where the text is and how long, then the text
    uint16_t minor, major;   // PTX: version of the language
    uint32_t cc;             // compute capability times ten
    uint32_t name_offset, name_length;
    uint64_t flags, unknown;
    uint64_t decoded_bytes; // of a compressed payload; else 0
};
_Static_assert(sizeof(struct container_header) == FATBIN_HEADER_BYTES, "as it lies in the file");
_Static_assert(sizeof(struct entry_header) == 64, "as it lies in the file");

struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const *prelinked; // version 2: containers to link, ended by NULL
};

bool fatbin_is(const uint8_t *bytes, size_t n)
{
    uint32_t magic;
    if (n < sizeof magic)
        return false;
    memcpy(&magic, bytes, sizeof magic);
    return magic == CONTAINER_MAGIC;
}

// ---- entries --------------------------------------------------------------------------------------------

static bool is_inside(uint64_t offset, uint64_t size, uint64_t all)
{
    return offset <= all && size <= all - offset;
}

// A text inside the entry's header; long ones are cut.
static void copy_text(const uint8_t *entry, uint32_t header_bytes, uint32_t offset, uint32_t length,
                      char *out, size_t out_bytes)
{
    if (!is_inside(offset, length, header_bytes))
        return;
    size_t n = length < out_bytes ? length : out_bytes - 1;
    memcpy(out, entry + offset, n);
    while (n > 0 && (out[n - 1] == ' ' || out[n - 1] == '\0'))
        n--;
    out[n] = '\0';
}

static void copy_options(const uint8_t *entry, const struct entry_header *header, struct image *image)
{
    uint32_t place[2]; // offset, length
    if (header->options_offset == 0 || !is_inside(header->options_offset, sizeof place, header->header_bytes))
        return;
    memcpy(place, entry + header->options_offset, sizeof place);
    copy_text(entry, header->header_bytes, place[0], place[1], image->options, sizeof image->options);
}

static enum image_coding coding_of(uint64_t flags)
{
    if (flags & FLAG_OTHER_CODING)
        return CODING_UNKNOWN;
    return flags & FLAG_ZSTD ? CODING_ZSTD : flags & FLAG_LZ4 ? CODING_LZ4 : CODING_PLAIN;
}

static struct image describe(const uint8_t *entry, const struct entry_header *header)
{
    struct image image = {.kind = header->kind == ENTRY_PTX     ? IMAGE_PTX
                                  : header->kind == ENTRY_CUBIN ? IMAGE_CUBIN
                                                                : IMAGE_LTO,
                          .coding = coding_of(header->flags),
                          .cc = header->cc,
                          .is_arch_specific = header->flags & FLAG_ARCH_SPECIFIC,
                          .is_family_specific = header->flags & FLAG_FAMILY_SPECIFIC,
                          .is_debug = header->flags & FLAG_DEBUG,
                          .payload = entry + header->header_bytes};
    bool is_plain = image.coding == CODING_PLAIN;
    image.payload_bytes = is_plain ? header->padded_bytes : header->payload_bytes;
    image.decoded_bytes = is_plain ? header->padded_bytes : header->decoded_bytes;
    copy_text(entry, header->header_bytes, header->name_offset, header->name_length, image.name,
              sizeof image.name);
    if (image.kind == IMAGE_PTX)
        copy_options(entry, header, &image);
    return image;
}

static bool fail(const char *path, uint32_t number, const char *what, struct err *err)
{
    return err_set_at(err, path, 0, 0, NULL, 0, "damaged fatbin: entry %u %s", number, what);
}

// The entry at `entry`, of which `n` bytes may be read; *entry_bytes is what it takes.
static bool scan_entry(const char *path, const uint8_t *entry, uint64_t n, uint32_t number,
                       struct image_list *out, uint64_t *entry_bytes, struct err *err)
{
    struct entry_header header;
    if (n < sizeof header)
        return fail(path, number, "is cut off in its header", err);
    memcpy(&header, entry, sizeof header);
    if (header.header_bytes < sizeof header || header.header_bytes > n)
        return fail(path, number, "has a header of impossible size", err);
    if (header.padded_bytes > n - header.header_bytes)
        return fail(path, number, "is longer than the container", err);
    if (header.payload_bytes > header.padded_bytes)
        return fail(path, number, "has a payload longer than itself", err);
    *entry_bytes = header.header_bytes + header.padded_bytes;
    bool is_known = header.kind == ENTRY_PTX || header.kind == ENTRY_CUBIN || header.kind == ENTRY_LTO;
    if (is_known)
        vec_push(out, describe(entry, &header));
    return true;
}

// ---- containers -----------------------------------------------------------------------------------------

static bool scan_container(const char *path, const uint8_t *bytes, size_t n, bool is_relocatable,
                           struct image_list *out, size_t *container_bytes, struct err *err)
{
    struct container_header header;
    if (n < sizeof header || !fatbin_is(bytes, n))
        return err_set_at(err, path, 0, 0, NULL, 0, "damaged fatbin: the container is cut off in its header");
    memcpy(&header, bytes, sizeof header);
    if (header.version != CONTAINER_VERSION)
        return err_set_at(err, path, 0, 0, NULL, 0,
                          "fatbin container of version %u: only version %d is known", header.version,
                          CONTAINER_VERSION);
    if (header.header_bytes < sizeof header || header.header_bytes > n ||
        header.size_bytes > n - header.header_bytes)
        return err_set_at(err, path, 0, 0, NULL, 0,
                          "damaged fatbin: the container is longer than what holds it");
    *container_bytes = header.header_bytes + header.size_bytes;
    uint32_t container = out->n_containers++;
    size_t first = out->n;
    uint64_t offset = header.header_bytes, entry_bytes = 0;
    bool good = true;
    for (uint32_t i = 0; good && offset < *container_bytes; i++, offset += entry_bytes)
        good = scan_entry(path, bytes + offset, *container_bytes - offset, i, out, &entry_bytes, err);
    for (size_t i = first; i < out->n; i++) {
        out->at[i].container = container;
        out->at[i].is_relocatable = is_relocatable;
    }
    return good;
}

bool fatbin_scan(const void *container, size_t n_most, struct image_list *out, struct err *err)
{
    size_t container_bytes;
    return scan_container("", container, n_most, false, out, &container_bytes, err);
}

bool fatbin_scan_all(const char *path, const uint8_t *bytes, size_t n, bool is_relocatable,
                     struct image_list *out, struct err *err)
{
    for (size_t at = 0, taken; at < n; at += taken) {
        taken = 1;
        if (bytes[at] == '\0')
            continue;
        if (fatbin_is(bytes + at, n - at)) {
            if (!scan_container(path, bytes + at, n - at, is_relocatable, out, &taken, err))
                return false;
        } else if (ptx_text_is(bytes + at, n - at)) {
            ptx_text_scan(bytes + at, n - at, is_relocatable, out);
            taken = strnlen((const char *)bytes + at, n - at);
        } else {
            return err_set_at(err, path, 0, 0, NULL, 0,
                              "byte %zu of its fatbins begins neither a container nor PTX text", at);
        }
    }
    return true;
}

// ---- wrappers -------------------------------------------------------------------------------------------

static bool scan_wrapped(const void *at, bool is_relocatable, struct image_list *out, struct err *err)
{
    size_t taken;
    const uint8_t *bytes = at;
    if (fatbin_is(bytes, strnlen(at, sizeof(uint32_t)))) // a text may be shorter
        return scan_container("", bytes, SIZE_MAX, is_relocatable, out, &taken, err);
    size_t length = strlen(at);
    if (!ptx_text_is(bytes, length))
        return err_set(err, "the device code of the program is neither a fatbin nor PTX text");
    ptx_text_scan(bytes, length, is_relocatable, out);
    return true;
}

static bool scan_prelinked(const void *const *prelinked, struct image_list *out, struct err *err)
{
    for (uint32_t i = 0; prelinked && prelinked[i]; i++) {
        if (i == MOST_PRELINKED)
            return err_set(err, "the list of fatbins to link has no end");
        if (!scan_wrapped(prelinked[i], true, out, err))
            return false;
    }
    return true;
}

bool fatbin_scan_wrapper(const void *wrapper, struct image_list *out, struct err *err)
{
    struct wrapper w;
    memcpy(&w, wrapper, sizeof w);
    if (w.magic != WRAPPER_MAGIC)
        return err_set(err, "the program registers device code of unknown form (magic 0x%08x)", w.magic);
    if (w.version != WRAPPER_CONTAINER && w.version != WRAPPER_LINKED)
        return err_set(err, "the program registers device code of unknown version %u", w.version);
    if (w.container && !scan_wrapped(w.container, false, out, err))
        return false;
    return w.version == WRAPPER_CONTAINER || scan_prelinked(w.prelinked, out, err);
}

bool image_scan_memory(const void *image, struct image_list *out, struct err *err)
{
    uint32_t magic = 0; // none of the magic numbers contains a NUL
    memcpy(&magic, image, strnlen(image, sizeof magic));
    if (magic == WRAPPER_MAGIC)
        return fatbin_scan_wrapper(image, out, err);
    if (elf_is(&magic, sizeof magic))
        return cubin_scan("", image, elf_extent(image), out, err);
    return scan_wrapped(image, false, out, err);
}
