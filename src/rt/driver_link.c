// cuLink…: PTX from several places becomes one module. What cuLinkComplete hands out is PTX text with its NUL, which
// cuModuleLoadData takes like any other.
#include "rt/driver.h"
#include "base/vec.h"
#include "ptx/link.h"
#include <stdlib.h>
#include <string.h>

enum input_type { INPUT_CUBIN, INPUT_PTX, INPUT_FATBINARY, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NVVM, N_INPUT_TYPES };

struct driver_link {
    struct driver_link *next;
    struct arena arena;
    struct jit_options options; // borrowed: the caller keeps them until the link is complete
    VEC(struct ptx_module *) parts;
    struct buf result;
    bool is_complete;
};

static bool is_known(struct rt *rt, const struct driver_link *link)
{
    for (const struct driver_link *l = rt->driver->links; l; l = l->next)
        if (l == link)
            return true;
    return false;
}

// ---- parts ---------------------------------------------------------------------------------------------------------

static bool add_ptx(struct driver_link *link, const char *name, const char *text, size_t n, struct err *err)
{
    while (n > 0 && text[n - 1] == '\0')
        n--;
    const char *own = arena_string(&link->arena, text, n); // the tree borrows from it
    struct ptx_module *part = ptx_parse(&link->arena, arena_string(&link->arena, name, strlen(name)), own, n, err);
    if (part)
        vec_push(&link->parts, part);
    return part != NULL;
}

// The PTX that suits the device from each container. Containers without any add nothing: empty ones, and machine code of
// the device runtime library.
static bool add_images(struct rt *rt, struct driver_link *link, const char *name, const void *bytes, size_t n,
                       struct err *err)
{
    struct image_list images = {0};
    unsigned cc = (unsigned)rt->device.cc;
    size_t n_before = link->parts.n;
    bool is_good = image_scan(name, bytes, n, &images, err);
    for (uint32_t i = 0; is_good && i < images.n_containers; i++) {
        const struct image *image = image_choose_in(&images, i, cc, false);
        const char *text;
        size_t length;
        if (image)
            is_good = image_decode(&link->arena, image, &text, &length, err) &&
                      add_ptx(link, image->name[0] ? image->name : name, text, length, err);
    }
    if (is_good && link->parts.n == n_before && images.n > 0)
        is_good = image_fail_choice(name, &images, cc, err);
    image_list_release(&images);
    return is_good;
}

// Members of an archive: a header of 60 bytes with the size as ten decimal digits at byte 48, then the bytes, padded to an
// even number (System V ar).
static bool add_archive(struct rt *rt, struct driver_link *link, const char *name, const char *bytes, size_t n,
                        struct err *err)
{
    enum { MAGIC = 8, HEADER = 60, SIZE_AT = 48, SIZE_DIGITS = 10 };
    for (size_t at = MAGIC; n - at >= HEADER;) {
        char digits[SIZE_DIGITS + 1] = {0};
        struct err ignored = {0};
        memcpy(digits, bytes + at + SIZE_AT, SIZE_DIGITS);
        size_t size = strtoull(digits, NULL, 10);
        at += HEADER;
        if (size > n - at)
            return err_set_at(err, name, 0, 0, NULL, 0, "the archive ends within a member");
        if (size > 4 && memcmp(bytes + at, "\177ELF", 4) == 0)
            add_images(rt, link, name, bytes + at, size, &ignored); // members with machine code only do not matter
        at += size + size % 2;
        if (at > n)
            break;
    }
    return true;
}

static bool add_any(struct rt *rt, struct driver_link *link, int type, const char *name, const char *bytes, size_t n,
                    struct err *err)
{
    static const char archive[] = "!<arch>\n";
    if (n >= sizeof archive - 1 && memcmp(bytes, archive, sizeof archive - 1) == 0)
        return add_archive(rt, link, name, bytes, n, err);
    if (type == INPUT_PTX)
        return add_ptx(link, name, bytes, n, err);
    return add_images(rt, link, name, bytes, n, err);
}

static cudaError_t add_part(struct rt *rt, struct driver_link *link, int type, const char *name, const void *bytes,
                            size_t n)
{
    struct err err = {0};
    if (link->is_complete)
        return cudaErrorInvalidResourceHandle;
    if (type < 0 || type >= N_INPUT_TYPES || !bytes || n == 0)
        return cudaErrorInvalidValue;
    if (type == INPUT_NVVM)
        err_set(&err, "%s: compiler intermediate code cannot be linked here, only PTX", name);
    else
        add_any(rt, link, type, name, bytes, n, &err);
    if (!err.set)
        return cudaSuccess;
    jit_report(&link->options, "", &err);
    return type == INPUT_NVVM ? cudaErrorNotSupported
           : type == INPUT_PTX ? cudaErrorInvalidPtx
                               : cudaErrorNoKernelImageForDevice; // CUDA_ERROR_NO_BINARY_FOR_GPU
}

// ---- cuLink… -------------------------------------------------------------------------------------------------------

static cudaError_t create(struct rt *rt, const struct jit_options *options, CUlinkState *out)
{
    if (!out || (options->n && (!options->names || !options->values)))
        return cudaErrorInvalidValue;
    struct driver_link *link = calloc(1, sizeof *link);
    if (!link)
        err_memory("link", sizeof *link);
    arena_init(&link->arena, "link");
    link->options = *options;
    link->next = rt->driver->links;
    rt->driver->links = link;
    *out = link;
    return cudaSuccess;
}

CUresult wg_cuLinkCreate_v2(unsigned n_options, const int *options, void **values, CUlinkState *out)
{
    const struct jit_options given = {n_options, options, values};
    return DRIVER_CALL(rt, create(rt, &given, out));
}

static cudaError_t add_data(struct rt *rt, CUlinkState state, int type, const void *data, size_t size_bytes,
                            const char *name)
{
    return is_known(rt, state) ? add_part(rt, state, type, name ? name : "input", data, size_bytes)
                               : cudaErrorInvalidResourceHandle;
}

// Options of a part can only change how it is compiled for the hardware.
CUresult wg_cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t size_bytes, const char *name,
                             unsigned n_options, const int *options, void **values)
{
    (void)n_options, (void)options, (void)values;
    return DRIVER_CALL(rt, add_data(rt, state, type, data, size_bytes, name));
}

static cudaError_t add_file(struct rt *rt, CUlinkState state, int type, const char *path)
{
    struct buf file = {0};
    struct err err = {0};
    if (!is_known(rt, state))
        return cudaErrorInvalidResourceHandle;
    if (!path)
        return cudaErrorInvalidValue;
    if (!buf_read_file(&file, path, &err)) {
        jit_report(&state->options, "", &err);
        return cudaErrorFileNotFound;
    }
    cudaError_t error = add_part(rt, state, type, path, file.at, file.n);
    buf_release(&file);
    return error;
}

CUresult wg_cuLinkAddFile_v2(CUlinkState state, int type, const char *path, unsigned n_options, const int *options,
                             void **values)
{
    (void)n_options, (void)options, (void)values;
    return DRIVER_CALL(rt, add_file(rt, state, type, path));
}

static cudaError_t complete(struct rt *rt, CUlinkState state, void **out, size_t *size_bytes)
{
    struct err err = {0};
    if (!is_known(rt, state) || state->is_complete)
        return cudaErrorInvalidResourceHandle;
    if (!out || state->parts.n > UINT32_MAX)
        return cudaErrorInvalidValue;
    state->is_complete = true; // the parts are taken to pieces
    struct ptx_module *whole =
        ptx_link(&state->arena, "linked", LINK_SYMBOLS, state->parts.at, (uint32_t)state->parts.n, &err);
    if (!whole || !ptx_link_complete(whole, &err)) {
        jit_report(&state->options, "", &err);
        return cudaErrorUnknown; // what the driver's linker returns for undefined and doubly defined names
    }
    ptx_print(whole, &state->result);
    buf_add(&state->result, "", 1);
    jit_report(&state->options, "", &err);
    *out = state->result.at;
    if (size_bytes)
        *size_bytes = state->result.n;
    return cudaSuccess;
}

CUresult wg_cuLinkComplete(CUlinkState state, void **out, size_t *size_bytes)
{
    return DRIVER_CALL(rt, complete(rt, state, out, size_bytes));
}

static cudaError_t destroy(struct rt *rt, CUlinkState state)
{
    struct driver_link **link = &rt->driver->links;
    while (*link && *link != state)
        link = &(*link)->next;
    if (!*link)
        return cudaErrorInvalidResourceHandle;
    *link = state->next;
    arena_release(&state->arena);
    vec_release(&state->parts);
    buf_release(&state->result);
    free(state);
    return cudaSuccess;
}

CUresult wg_cuLinkDestroy(CUlinkState state)
{
    return DRIVER_CALL(rt, destroy(rt, state));
}
