// Kernels of instruction variants for a comparison with a GPU; see diff.h.
#include "support/diff.h"
#include "support/check.h"
#include "support/op_harness.h"
#include <stdlib.h>
#include <string.h>

void diff_set_init(struct diff_set *set)
{
    arena_init(&set->arena, "differential test");
    set->kernels = NULL;
    set->n = set->capacity = set->n_variants = 0;
}

void diff_set_release(struct diff_set *set)
{
    free(set->kernels);
    map_release(&set->made);
    map_release(&set->keys);
    arena_release(&set->arena);
}

static const char *keep(struct diff_set *set, const char *text)
{
    return text ? arena_string(&set->arena, text, strlen(text)) : NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool has_shape(const struct diff_kernel *kernel, const struct diff_shape *shape)
{
    const struct diff_shape *s = &kernel->shape;
    return is_same(s->seed, shape->seed) && is_same(s->family, shape->family) &&
           is_same(s->setup, shape->setup) && is_same(s->module, shape->module) &&
           is_same(s->directives, shape->directives) &&
           s->n_inputs == shape->n_inputs && s->block == shape->block &&
           s->scratch_bytes == shape->scratch_bytes &&
           memcmp(s->inputs, shape->inputs, s->n_inputs * sizeof s->inputs[0]) == 0;
}

static struct diff_kernel *new_kernel(struct diff_set *set, const struct diff_shape *shape, uint32_t samples)
{
    if (set->n == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 64;
        set->kernels = realloc(set->kernels, set->capacity * sizeof *set->kernels);
        assert_non_null(set->kernels);
    }
    struct diff_kernel *kernel = &set->kernels[set->n++];
    *kernel = (struct diff_kernel){.shape = *shape, .samples = samples};
    kernel->shape.family = keep(set, shape->family);
    kernel->shape.seed = keep(set, shape->seed);
    kernel->shape.module = keep(set, shape->module);
    kernel->shape.setup = keep(set, shape->setup);
    kernel->shape.directives = keep(set, shape->directives);
    return kernel;
}

// The kernel that takes the variant: of the same shape, with room. Looked for among the last few.
static struct diff_kernel *kernel_for(struct diff_set *set, const struct diff_shape *shape, uint32_t samples)
{
    for (uint32_t i = set->n; i-- > 0 && i + 200 > set->n;)
        if (has_shape(&set->kernels[i], shape) && set->kernels[i].samples == samples &&
            set->kernels[i].n_variants < DIFF_MAX_VARIANTS)
            return &set->kernels[i];
    return new_kernel(set, shape, samples);
}

void diff_add(struct diff_set *set, const struct diff_shape *shape, const char *key, const char *widths,
              const char *text)
{
    void *known = map_get(&set->keys, key, strlen(key));
    if (set->only != (known != NULL) || map_get(&set->made, key, strlen(key)))
        return;
    struct diff_kernel *kernel = kernel_for(set, shape, set->only ? (uint32_t)(uintptr_t)known : 0);
    struct diff_variant *variant = &kernel->variants[kernel->n_variants++];
    *variant =
        (struct diff_variant){.key = keep(set, key), .text = keep(set, text), .first_result = kernel->n_results};
    char *end;
    for (const char *at = widths; variant->n_results < DIFF_MAX_RESULTS; at = end) {
        unsigned long digits = strtoul(at, &end, 10);
        if (digits == 0)
            break;
        variant->digits[variant->n_results++] = (uint8_t)digits;
    }
    kernel->n_results += variant->n_results;
    set->n_variants++;
    map_set(&set->made, variant->key, strlen(key), set);
}

uint32_t diff_kernel_block(const struct diff_kernel *kernel)
{
    return kernel->shape.block ? kernel->shape.block : 32;
}

void diff_set_finish(struct diff_set *set, uint32_t per_family)
{
    for (uint32_t i = 0; i < set->n && !set->only; i++) {
        uint32_t n = 0;
        for (uint32_t j = 0; j < set->n; j++)
            if (is_same(set->kernels[j].shape.family, set->kernels[i].shape.family))
                n += set->kernels[j].n_variants;
        uint32_t samples = (per_family + n - 1) / n;
        const uint32_t block = diff_kernel_block(&set->kernels[i]);
        set->kernels[i].samples = (samples + block - 1) / block * block;
    }
}

uint64_t diff_kernel_bytes(const struct diff_kernel *k)
{
    return (uint64_t)k->samples * (8ull * (k->shape.n_inputs + k->n_results) + k->shape.scratch_bytes);
}

void diff_kernel_inputs(const struct diff_kernel *kernel, uint64_t *out)
{
    for (uint32_t k = 0; k < kernel->shape.n_inputs; k++)
        op_operands(kernel->shape.seed, k, kernel->shape.inputs[k], kernel->samples,
                    out + (size_t)k * kernel->samples);
}

// With `$K` replaced by the kernel's name.
static void write_named(const char *text, const char *name, struct buf *out)
{
    for (const char *at; text && (at = strstr(text, "$K")); text = at + 2) {
        buf_add(out, text, (size_t)(at - text));
        buf_puts(out, name);
    }
    buf_puts(out, text ? text : "");
}

// %i: number of the thread; %in, %out: its element of the first input and result; %scratch: its own bytes there.
void diff_kernel_text(const struct diff_kernel *k, const char *name, struct buf *out)
{
    const uint32_t stride = 8 * k->samples;
    write_named(k->shape.module, name, out);
    buf_printf(out,
               ".visible .entry %s(.param .u64 buffer)\n%s{\n"
               ".reg .b64 %%in, %%out, %%scratch, %%x<8>, %%at, %%stride;\n.reg .b32 %%i, %%n, %%t;\n"
               "ld.param.u64 %%in, [buffer];\nmov.u32 %%i, %%ctaid.x;\nmov.u32 %%n, %%ntid.x;\n"
               "mov.u32 %%t, %%tid.x;\nmad.lo.u32 %%i, %%i, %%n, %%t;\n"
               "mul.wide.u32 %%at, %%i, %u;\nadd.u64 %%scratch, %%in, %%at;\n"
               "add.u64 %%scratch, %%scratch, %u;\n"
               "mul.wide.u32 %%at, %%i, 8;\nadd.u64 %%in, %%in, %%at;\nadd.u64 %%out, %%in, %u;\nmov.u64 %%stride, %u;\n%s",
               name, k->shape.directives ? k->shape.directives : "", k->shape.scratch_bytes, (k->shape.n_inputs + k->n_results) * stride,
               k->shape.n_inputs * stride, stride, k->shape.setup);
    for (uint32_t v = 0; v < k->n_variants; v++) {
        const struct diff_variant *variant = &k->variants[v];
        buf_printf(out, "{ // %s\n", variant->key);
        write_named(variant->text, name, out);
        for (uint32_t r = 0; r < variant->n_results; r++)
            buf_printf(out, "st.global.u64 [%%out+%u], %%x%u;\n", (variant->first_result + r) * stride, r);
        buf_puts(out, "}\n");
    }
    buf_puts(out, "ret;\n}\n");
}
