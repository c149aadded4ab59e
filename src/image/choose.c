// The image for a device. The rules are those of the CUDA C++ programming guide, "Application compatibility"
// and "Architecture-specific and family-specific features".
#include "base/buf.h"
#include "image/image.h"
#include <stdio.h>
#include <string.h>

bool image_runs_on(const struct image *image, unsigned cc)
{
    if (image->kind == IMAGE_LTO || image->cc > cc)
        return false;
    if (image->is_arch_specific)
        return image->cc == cc;
    bool needs_major = image->kind == IMAGE_CUBIN || image->is_family_specific;
    return !needs_major || image->cc / 10 == cc / 10;
}

// Higher targets first; of one target, the one that may use more of the architecture.
static unsigned rank(const struct image *image)
{
    return image->cc * 4 + (image->is_arch_specific ? 2 : image->is_family_specific ? 1 : 0);
}

static const struct image *better(const struct image *best, const struct image *image, unsigned cc,
                                  bool wants_cubin)
{
    if (image->kind != (wants_cubin ? IMAGE_CUBIN : IMAGE_PTX) || !image_runs_on(image, cc))
        return best;
    return !best || rank(image) > rank(best) ? image : best;
}

const struct image *image_choose(const struct image_list *list, unsigned cc, bool wants_cubin)
{
    const struct image *best = NULL;
    for (size_t i = 0; i < list->n; i++)
        best = better(best, &list->at[i], cc, wants_cubin);
    return best;
}

const struct image *image_choose_in(const struct image_list *list, uint32_t container, unsigned cc,
                                    bool wants_cubin)
{
    const struct image *best = NULL;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].container == container)
            best = better(best, &list->at[i], cc, wants_cubin);
    return best;
}

unsigned image_max_registers(const struct image *image)
{
    static const char option[] = "-maxrregcount=";
    enum { MOST_DIGITS = 4 };
    const char *found = strstr(image->options, option);
    unsigned registers = 0;
    for (size_t i = 0; found && i < MOST_DIGITS; i++) {
        char c = found[strlen(option) + i];
        if (c < '0' || c > '9')
            break;
        registers = registers * 10 + (unsigned)(c - '0');
    }
    return registers;
}

const char *image_target(const struct image *image, char out[16])
{
    snprintf(out, 16, "%s_%u%s",
             image->kind == IMAGE_CUBIN ? "sm"
             : image->kind == IMAGE_PTX ? "compute"
                                        : "lto",
             image->cc % 10000,
             image->is_arch_specific     ? "a"
             : image->is_family_specific ? "f"
                                         : "");
    return out;
}

// "sm_80, sm_90": each target of that kind once.
static bool list_targets(const struct image_list *list, enum image_kind kind, struct buf *out)
{
    for (size_t i = 0; i < list->n; i++) {
        char target[16];
        const struct image *image = &list->at[i];
        bool is_known = image->kind != kind;
        for (size_t k = 0; k < i && !is_known; k++)
            is_known = list->at[k].kind == kind && list->at[k].cc == image->cc &&
                       list->at[k].is_arch_specific == image->is_arch_specific;
        if (!is_known)
            buf_printf(out, "%s%s", out->n ? ", " : "", image_target(image, target));
    }
    return out->n > 0;
}

bool image_fail_choice(const char *path, const struct image_list *list, unsigned cc, struct err *err)
{
    struct buf targets = {0};
    if (list_targets(list, IMAGE_PTX, &targets))
        err_set_at(err, path, 0, 0, NULL, 0,
                   "holds PTX for %s, which a device of capability %u.%u does not run: choose another "
                   "--device, or build "
                   "with -gencode arch=compute_%u,code=compute_%u",
                   targets.at, cc / 10, cc % 10, cc, cc);
    else if (list_targets(list, IMAGE_CUBIN, &targets) || list_targets(list, IMAGE_LTO, &targets))
        err_set_at(err, path, 0, 0, NULL, 0,
                   "holds code for %s but no PTX: build with -gencode arch=compute_%u,code=compute_%u",
                   targets.at, cc, cc);
    else
        err_set_at(err, path, 0, 0, NULL, 0, "holds no device code");
    buf_release(&targets);
    return false;
}
