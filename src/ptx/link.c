// PTX linker: which definition each name means, and names that only one part knows.
#include "ptx/link.h"
#include "ptx/linking.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool fail(struct linker *l, uint32_t part, struct ptx_position at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fail(struct linker *l, uint32_t part, struct ptx_position at, const char *format, ...)
{
    char text[sizeof l->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct ptx_module *m = l->parts[part].module;
    return err_set_at(l->err, m->path, at.line, at.column, m->text, m->text_length, "%s", text);
}

// ---- do two declarations of a name agree? ---------------------------------------------------------------

static uint64_t variable_size(const struct ptx_variable *v)
{
    return ptx_type_bytes(v->type) * (v->vector ? v->vector : 1) * v->count;
}

static bool same_params(struct ptx_variable *const *a, struct ptx_variable *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (variable_size(a[i]) != variable_size(b[i]))
            return false;
    return true;
}

static bool functions_agree(const struct ptx_function *a, const struct ptx_function *b)
{
    return a->is_entry == b->is_entry && a->n_params == b->n_params && a->n_returns == b->n_returns &&
           same_params(a->params, b->params, a->n_params) &&
           same_params(a->returns, b->returns, a->n_returns);
}

static struct ptx_position global_at(const struct global *g)
{
    return g->function ? g->function->at : g->variable->at;
}

static bool fail_disagree(struct linker *l, const struct global *old, const struct global *new,
                          const char *how)
{
    return fail(l, new->part, global_at(new), "'%.100s' %s than in line %u of %.200s", new->name, how,
                global_at(old).line, l->parts[old->part].module->path);
}

// Sizes of .common variables may differ; an open size agrees with any.
static bool check_agreement(struct linker *l, const struct global *old, const struct global *new)
{
    if (!old->function != !new->function)
        return fail_disagree(l, old, new, "is something else");
    if (new->function)
        return functions_agree(old->function, new->function) ||
               fail_disagree(l, old, new, "takes or returns other values");
    const struct ptx_variable *a = old->variable, *b = new->variable;
    if (a->space != b->space)
        return fail_disagree(l, old, new, "lies in another state space");
    bool may_differ = a->is_common || b->is_common || a->count == 0 || b->count == 0;
    return may_differ || variable_size(a) == variable_size(b) ||
           fail_disagree(l, old, new, "has another size");
}

// ---- what a name means ----------------------------------------------------------------------------------

static enum strength function_strength(const struct ptx_function *f)
{
    if (!f->has_body)
        return STRENGTH_DECLARED;
    return f->is_weak ? STRENGTH_WEAK : STRENGTH_VISIBLE;
}

static enum strength variable_strength(const struct ptx_variable *v)
{
    if (variable_is_dynamic(v))
        return STRENGTH_DYNAMIC;
    if (v->is_extern)
        return STRENGTH_DECLARED;
    return v->is_common ? STRENGTH_COMMON : v->is_weak ? STRENGTH_WEAK : STRENGTH_VISIBLE;
}

static void merge_dynamic(struct ptx_variable *old, const struct ptx_variable *new)
{
    if (new->align > old->align)
        old->align = new->align;
}

// Whether the new definition takes the place of the old one of the same strength.
static bool is_larger_common(const struct global *old, const struct global *new)
{
    if (old->strength != STRENGTH_COMMON)
        return false;
    uint64_t a = variable_size(old->variable), b = variable_size(new->variable);
    return b > a || (b == a && new->variable->n_init > old->variable->n_init);
}

static bool add_global(struct linker *l, struct global new)
{
    struct global *old = map_get(&l->globals, MAP_STRING(new.name));
    if (!old) {
        map_set(&l->globals, MAP_STRING(new.name),
                arena_copy(&l->scratch, &new, sizeof new, _Alignof(struct global)));
        return true;
    }
    if (!check_agreement(l, old, &new))
        return false;
    if (old->strength == STRENGTH_VISIBLE && new.strength == STRENGTH_VISIBLE)
        return fail(l, new.part, global_at(&new),
                    "'%.100s' is defined a second time; the first is in line %u of %.200s", new.name,
                    global_at(old).line, l->parts[old->part].module->path);
    if (old->strength == STRENGTH_DYNAMIC && new.strength == STRENGTH_DYNAMIC)
        merge_dynamic(old->variable, new.variable);
    if (new.strength > old->strength || (new.strength == old->strength &&is_larger_common(old, &new)))
        *old = new;
    return true;
}

static bool collect(struct linker *l, uint32_t part)
{
    const struct ptx_module *m = l->parts[part].module;
    for (uint32_t i = 0; i < m->n_functions; i++) {
        struct ptx_function *f = ptx_find_function(m, m->functions[i]->name);
        map_set(&l->taken, MAP_STRING(f->name), f);
        struct global new = {f->name, f, NULL, function_strength(f), part};
        if (f == m->functions[i] && !function_is_own(l, f) && !add_global(l, new))
            return false;
    }
    for (uint32_t i = 0; i < m->n_variables; i++) {
        struct ptx_variable *v = m->variables[i];
        map_set(&l->taken, MAP_STRING(v->name), v);
        struct global new = {v->name, NULL, v, variable_strength(v), part};
        if (!variable_is_own(l, v) && !add_global(l, new))
            return false;
    }
    return true;
}

// ---- names that only one part knows ---------------------------------------------------------------------

static void rename_own(struct linker *l, uint32_t part, const char *name)
{
    bool is_free = !map_get(&l->globals, MAP_STRING(name)) && !map_get(&l->own, MAP_STRING(name));
    const char *given = name;
    for (uint32_t k = part + 1; !is_free; k++) {
        given = arena_printf(l->arena, "%s$%u", name, k);
        is_free = !map_get(&l->taken, MAP_STRING(given)) && !map_get(&l->own, MAP_STRING(given));
    }
    map_set(&l->own, MAP_STRING(given), &l->parts[part]);
    if (given != name)
        map_set(&l->parts[part].renamed, MAP_STRING(name), (void *)(uintptr_t)given);
}

static void settle_own(struct linker *l, uint32_t part)
{
    const struct ptx_module *m = l->parts[part].module;
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (function_is_own(l, m->functions[i]) &&
            ptx_find_function(m, m->functions[i]->name) == m->functions[i])
            rename_own(l, part, m->functions[i]->name);
    for (uint32_t i = 0; i < m->n_variables; i++)
        if (variable_is_own(l, m->variables[i]))
            rename_own(l, part, m->variables[i]->name);
}

// ---- linking --------------------------------------------------------------------------------------------

static bool check_parts(struct linker *l)
{
    for (uint32_t i = 1; i < l->n_parts; i++)
        if (l->parts[i].module->address_size != l->parts[0].module->address_size)
            return fail(l, i, (struct ptx_position){0}, "its addresses have %u bits, those of %.200s %u",
                        l->parts[i].module->address_size, l->parts[0].module->path,
                        l->parts[0].module->address_size);
    return true;
}

static bool settle_names(struct linker *l)
{
    for (uint32_t i = 0; i < l->n_parts; i++)
        if (!collect(l, i))
            return false;
    for (uint32_t i = 0; i < l->n_parts; i++)
        settle_own(l, i);
    return true;
}

static void linker_release(struct linker *l)
{
    for (uint32_t i = 0; i < l->n_parts; i++)
        map_release(&l->parts[i].renamed);
    map_release(&l->globals);
    map_release(&l->taken);
    map_release(&l->own);
    map_release(&l->file_names);
    vec_release(&l->functions);
    vec_release(&l->variables);
    vec_release(&l->items);
    vec_release(&l->files);
    vec_release(&l->locs);
    vec_release(&l->options);
    vec_release(&l->places);
    arena_release(&l->scratch);
}

struct ptx_module *ptx_link(struct arena *arena, const char *path, enum ptx_link_mode mode,
                            struct ptx_module *const *parts, uint32_t n, struct err *err)
{
    struct linker l = {.arena = arena, .err = err, .mode = mode, .n_parts = n};
    if (n == 0) {
        err_set_at(err, path, 0, 0, NULL, 0, "holds no PTX to link");
        return NULL;
    }
    if (n == 1)
        return parts[0];
    arena_init(&l.scratch, "the PTX linker");
    l.parts = arena_array(&l.scratch, struct part, n);
    for (uint32_t i = 0; i < n; i++)
        l.parts[i].module = parts[i];
    bool good = check_parts(&l) && settle_names(&l);
    if (good) {
        l.whole = arena_new(arena, struct ptx_module);
        l.whole->path = arena_string(arena, path, strlen(path));
        link_merge(&l);
    }
    linker_release(&l);
    return l.whole;
}

// ---- places and what is missing -------------------------------------------------------------------------

void ptx_place_error(const struct ptx_module *module, struct err *err)
{
    if (module->n_parts == 0 || !err->set || err->line == 0 || strcmp(err->file, module->path) != 0)
        return;
    uint32_t i = module->n_parts - 1;
    while (i > 0 && module->parts[i].lines_before >= err->line)
        i--;
    snprintf(err->file, sizeof err->file, "%s", module->parts[i].path);
    err->line -= module->parts[i].lines_before;
}

// Functions that no module defines: system calls of device code (CUDA C++ programming guide, "Formatted
// output", "Dynamic global memory allocation", "Assertion"), clang's names for libdevice, and the device
// runtime.
static bool is_supplied(const char *name)
{
    static const char *const whole_names[] = {"vprintf", "malloc", "free", "__assertfail"};
    static const char *const prefixes[] = {"__nv_", "cuda", "__cuda"};
    for (size_t i = 0; i < sizeof whole_names / sizeof whole_names[0]; i++)
        if (strcmp(name, whole_names[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool is_missing(const struct ptx_module *m, const struct ptx_variable *variable, const char *name)
{
    if (variable)
        return variable->is_extern && !variable_is_dynamic(variable);
    const struct ptx_function *f = ptx_find_function(m, name);
    return (!f || !f->has_body) && !is_supplied(name);
}

static bool fail_missing(const struct ptx_module *m, struct ptx_position at, const char *name,
                         struct err *err)
{
    err_set_at(err, m->path, at.line, at.column, m->text, m->text_length,
               "'%.100s' is used but defined nowhere", name);
    ptx_place_error(m, err);
    return false;
}

static bool check_operand(const struct ptx_module *m, const struct ptx_operand *operand, struct err *err)
{
    if (operand->kind == PO_SYMBOL && is_missing(m, operand->variable, operand->name))
        return fail_missing(m, operand->at, operand->name, err);
    for (uint32_t i = 0; i < operand->n_items; i++)
        if (!check_operand(m, &operand->items[i], err))
            return false;
    return !operand->base || check_operand(m, operand->base, err);
}

bool ptx_link_complete(const struct ptx_module *module, struct err *err)
{
    for (uint32_t i = 0; i < module->n_functions; i++)
        for (uint32_t k = 0; k < module->functions[i]->n_insns; k++)
            for (uint32_t n = 0; n < module->functions[i]->insns[k].n_operands; n++)
                if (!check_operand(module, &module->functions[i]->insns[k].operands[n], err))
                    return false;
    for (uint32_t i = 0; i < module->n_variables; i++)
        for (size_t k = 0; k < module->variables[i]->n_init; k++) {
            const struct ptx_init *init = &module->variables[i]->init[k];
            if (init->symbol && is_missing(module, init->symbol_variable, init->symbol))
                return fail_missing(module, module->variables[i]->at, init->symbol, err);
        }
    return true;
}
