// Machine code: what cubins say of their kernels, alone or inside fatbins, objects, libraries and
// executables.
#include "image/cubin.h"
#include "image/elf.h"
#include "triage/mix.h"
#include "triage/triage.h"
#include <string.h>

enum { UNKNOWN_STACK = -1 };

static double volume(const uint32_t extents[3])
{
    return (double)extents[0] * (extents[1] ? extents[1] : 1) * (extents[2] ? extents[2] : 1);
}

static void fill_row(struct triage_kernel *k, const struct cubin *cubin, const struct cubin_kernel *kernel,
                     bool is_relocatable)
{
    double threads = volume(kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads);
    k->values[TRIAGE_registers] = kernel->registers ? kernel->registers : (double)NAN;
    k->values[TRIAGE_barriers] = kernel->n_barriers;
    k->values[TRIAGE_stack_bytes] = kernel->stack_bytes;
    if (kernel->call_bytes != (uint32_t)UNKNOWN_STACK)
        k->values[TRIAGE_call_stack_bytes] = kernel->call_bytes;
    else
        triage_trap(k, TRAP_STACK_UNKNOWN);
    k->values[TRIAGE_shared_bytes] =
        is_relocatable ? kernel->shared_bytes : triage_own_shared(cubin->cc, kernel->shared_bytes);
    k->values[TRIAGE_local_bytes] = kernel->local_bytes;
    k->values[TRIAGE_constant_bytes] = kernel->constant_bytes;
    k->values[TRIAGE_parameter_bytes] = kernel->param_bytes;
    k->values[TRIAGE_code_bytes] = kernel->code_bytes;
    if (kernel->shared_spill_bytes) {
        k->values[TRIAGE_shared_spill_bytes] = kernel->shared_spill_bytes;
        triage_trap(k, TRAP_SPILL_IN_SHARED);
    }
    if (threads > 0)
        k->values[TRIAGE_max_threads] = threads;
    if (kernel->max_registers)
        k->values[TRIAGE_max_registers] = kernel->max_registers;
}

// An "a" target (sm_90a): the container says so, and what the tools note of their options ("-arch sm_90a").
static bool is_arch_specific(struct triage *t, const struct image *image, const char *bytes, size_t n,
                             unsigned cc)
{
    struct elf elf;
    struct elf_section note;
    struct err err = {0};
    const char *target = arena_printf(t->arena, "sm_%ua", cc);
    return image->is_arch_specific ||
           (elf_open("", bytes, n, &elf, &err) && elf_find_section(&elf, ".note.nv.tkinfo", &note) &&
            note.bytes && memmem(note.bytes, note.n_bytes, target, strlen(target)));
}

static bool read_cubin(struct triage *t, const char *path, const struct image *image, struct err *err)
{
    const char *bytes;
    size_t n;
    struct cubin cubin;
    struct triage_code code;
    if (!image_decode(t->arena, image, &bytes, &n, err) || !cubin_read(t->arena, path, bytes, n, &cubin, err))
        return false;
    const char *file = image->name[0] && strcmp(image->name, path) != 0
                           ? arena_printf(t->arena, "%s(%s)", path, image->name)
                           : path;
    bool has_code = triage_code_open(t, path, bytes, n, &code),
         is_specific = is_arch_specific(t, image, bytes, n, cubin.cc);
    for (uint32_t i = 0; i < cubin.n_kernels; i++) {
        const struct cubin_kernel *kernel = &cubin.kernels[i];
        struct triage_kernel *k =
            triage_add(t, TRIAGE_FROM_CUBIN, file, kernel->name, strlen(kernel->name), cubin.cc);
        k->is_arch_specific = is_specific;
        k->is_relocatable = image->is_relocatable;
        fill_row(k, &cubin, kernel, image->is_relocatable);
        if (has_code)
            triage_read_code(t, &code, k);
    }
    triage_code_close(&code);
    return true;
}

bool triage_read_images(struct triage *t, const char *path, const void *bytes, size_t n, struct err *err)
{
    struct image_list images = {0};
    bool good = image_scan(path, bytes, n, &images, err);
    if (good && images.n == 0)
        good = err_set(err, "'%s' holds no device code", path);
    for (size_t i = 0; good && i < images.n; i++)
        if (images.at[i].kind == IMAGE_CUBIN)
            good = read_cubin(t, path, &images.at[i], err);
    image_list_release(&images);
    return good;
}
