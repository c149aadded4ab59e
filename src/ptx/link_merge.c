// PTX linker: functions, variables and statements of the parts into one module. All names are settled.
#include "ptx/linking.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- references -----------------------------------------------------------------------------------------

static const char *given_name(const struct linker *l, uint32_t part, const char *name)
{
    const char *given = map_get(&l->parts[part].renamed, MAP_STRING(name));
    return given ? given : name;
}

// What a variable of module scope means in the whole.
static const struct ptx_variable *meaning(const struct linker *l, const struct ptx_variable *v)
{
    if (v->owner || v->space == PS_REG || v->space == PS_PARAM || variable_is_own(l, v))
        return v;
    const struct global *global = map_get(&l->globals, MAP_STRING(v->name));
    return global ? global->variable : v;
}

static void relink_operand(struct linker *l, uint32_t part, struct ptx_operand *operand)
{
    operand->at.line += l->parts[part].lines_before;
    if (operand->kind == PO_SYMBOL && operand->variable) {
        operand->variable = meaning(l, operand->variable);
        operand->name = operand->variable->name;
    } else if (operand->kind == PO_SYMBOL) {
        operand->name = given_name(l, part, operand->name);
    }
    for (uint32_t i = 0; i < operand->n_items; i++)
        relink_operand(l, part, &operand->items[i]);
    if (operand->base)
        relink_operand(l, part, operand->base);
    if (operand->pair)
        relink_operand(l, part, operand->pair);
}

static void relink_init(struct linker *l, uint32_t part, struct ptx_variable *v)
{
    for (size_t i = 0; i < v->n_init; i++) {
        struct ptx_init *init = &v->init[i];
        if (init->symbol_variable) {
            init->symbol_variable = meaning(l, init->symbol_variable);
            init->symbol = init->symbol_variable->name;
        } else if (init->symbol) {
            init->symbol = given_name(l, part, init->symbol);
        }
    }
}

// ---- functions ------------------------------------------------------------------------------------------

static void move_variables(struct ptx_variable **variables, uint32_t n, uint32_t lines)
{
    for (uint32_t i = 0; i < n; i++)
        variables[i]->at.line += lines;
}

// .calltargets lists are shared by the instructions that use them; renaming twice changes nothing, since a
// given name is no name of any part.
static void relink_insn(struct linker *l, uint32_t part, struct ptx_insn *insn)
{
    insn->loc = link_loc(l, part, insn);
    insn->at.line += l->parts[part].lines_before;
    for (uint32_t i = 0; i < insn->n_operands; i++)
        relink_operand(l, part, &insn->operands[i]);
    for (uint32_t i = 0; insn->targets && insn->targets->functions && i < insn->targets->n; i++)
        insn->targets->functions[i] = given_name(l, part, insn->targets->functions[i]);
}

static void relink_items(struct linker *l, uint32_t part, struct ptx_function *f)
{
    struct ptx_item *items =
        arena_copy(l->arena, f->items, f->n_items * sizeof *items, _Alignof(struct ptx_item));
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_items; i++) {
        struct ptx_item item = f->items[i];
        if (item.kind == ITEM_TEXT)
            item.text = link_directive(l, part, item.text);
        if (item.kind != ITEM_TEXT || item.text)
            items[n++] = item;
    }
    f->items = items;
    f->n_items = n;
}

static void add_function(struct linker *l, uint32_t part, struct ptx_function *f)
{
    uint32_t lines = l->parts[part].lines_before;
    f->at.line += lines;
    move_variables(f->params, f->n_params, lines);
    move_variables(f->returns, f->n_returns, lines);
    move_variables(f->variables, f->n_variables, lines);
    move_variables(f->registers, f->n_registers, lines);
    for (uint32_t i = 0; i < f->n_labels; i++)
        f->labels[i].at.line += lines;
    for (uint32_t i = 0; i < f->n_insns; i++)
        relink_insn(l, part, &f->insns[i]);
    for (uint32_t i = 0; i < f->n_variables; i++)
        relink_init(l, part, f->variables[i]);
    relink_items(l, part, f);
    f->name = given_name(l, part, f->name);
    vec_push(&l->items, ((struct ptx_item){.kind = ITEM_FUNCTION, .index = (uint32_t)l->functions.n}));
    vec_push(&l->functions, f);
}

// A declaration of what another part defines says so: .visible instead of .extern, as compilers declare
// ahead.
static void add_declaration(struct linker *l, uint32_t part, struct ptx_function *f,
                            const struct global *global)
{
    const struct ptx_function *meant = global ? global->function : f;
    if (meant->has_body) {
        f->is_extern = false;
        f->is_visible = meant->is_visible;
        f->is_weak = meant->is_weak;
    }
    add_function(l, part, f);
}

// A definition that gave way stays as a declaration, for it may stand ahead of the one that is meant.
static void drop_body(struct ptx_function *f)
{
    f->has_body = false;
    f->n_insns = f->n_labels = f->n_items = f->n_variables = f->n_registers = 0;
}

static void merge_function(struct linker *l, uint32_t part, struct ptx_function *f)
{
    const struct global *global = map_get(&l->globals, MAP_STRING(f->name));
    bool is_own = function_is_own(l, ptx_find_function(l->parts[part].module, f->name));
    if (f->has_body && (is_own || global->function == f)) {
        add_function(l, part, f);
        return;
    }
    if (f->has_body)
        drop_body(f);
    add_declaration(l, part, f, is_own ? NULL : global);
}

// ---- variables ------------------------------------------------------------------------------------------

static void rename_variables(struct linker *l, uint32_t part)
{
    const struct ptx_module *m = l->parts[part].module;
    for (uint32_t i = 0; i < m->n_variables; i++)
        if (variable_is_own(l, m->variables[i]))
            m->variables[i]->name = given_name(l, part, m->variables[i]->name);
}

static void merge_variables(struct linker *l, uint32_t part)
{
    const struct ptx_module *m = l->parts[part].module;
    for (uint32_t i = 0; i < m->n_variables; i++) {
        struct ptx_variable *v = m->variables[i];
        if (meaning(l, v) != v)
            continue;
        v->at.line += l->parts[part].lines_before;
        v->id = (uint32_t)l->variables.n;
        relink_init(l, part, v);
        vec_push(&l->variables, v);
    }
}

// What stands where the variable is defined elsewhere. In print both must have one type.
static void print_ahead(struct linker *l, const struct ptx_variable *meant)
{
    struct ptx_variable *ahead = arena_new(l->arena, struct ptx_variable);
    *ahead = *meant;
    ahead->is_extern = true;
    ahead->is_visible = ahead->is_weak = ahead->is_common = false;
    ahead->n_init = 0;
    vec_push(&l->items, ((struct ptx_item){.kind = ITEM_VARIABLE, .variable = ahead}));
}

static void merge_variable_item(struct linker *l, uint32_t part, const struct ptx_variable *v)
{
    const struct ptx_variable *meant = meaning(l, v);
    if (meant != v) {
        print_ahead(l, meant);
        return;
    }
    const char *name = given_name(l, part, v->name); // a second declaration is an object of its own
    if (name != v->name) {
        struct ptx_variable *copy = arena_copy(l->arena, v, sizeof *v, _Alignof(struct ptx_variable));
        copy->name = name;
        v = copy;
    }
    vec_push(&l->items, ((struct ptx_item){.kind = ITEM_VARIABLE, .variable = v}));
}

// ---- statements in order --------------------------------------------------------------------------------

static void merge_text(struct linker *l, uint32_t part, const char *text)
{
    text = link_directive(l, part, text);
    if (text)
        vec_push(&l->items, ((struct ptx_item){.kind = ITEM_TEXT, .text = text}));
}

static void merge_items(struct linker *l, uint32_t part)
{
    const struct ptx_module *m = l->parts[part].module;
    for (uint32_t i = 0; i < m->n_items; i++) {
        const struct ptx_item *item = &m->items[i];
        if (item->kind == ITEM_FUNCTION)
            merge_function(l, part, m->functions[item->index]);
        else if (item->kind == ITEM_VARIABLE)
            merge_variable_item(l, part, item->variable);
        else if (item->kind == ITEM_TEXT)
            merge_text(l, part, item->text);
    }
}

// ---- head of the module ---------------------------------------------------------------------------------

static void add_option(struct linker *l, const char *option)
{
    for (size_t i = 0; i < l->options.n; i++)
        if (strcmp(l->options.at[i], option) == 0)
            return;
    vec_push(&l->options, option);
}

static unsigned target_number(const char *target)
{
    return target ? (unsigned)strtoul(target + strcspn(target, "0123456789"), NULL, 10) : 0;
}

// The newest language, the highest target, all options.
static void merge_head(struct linker *l)
{
    struct ptx_module *w = l->whole;
    for (uint32_t i = 0; i < l->n_parts; i++) {
        const struct ptx_module *m = l->parts[i].module;
        if (m->version_major * 100 + m->version_minor > w->version_major * 100 + w->version_minor) {
            w->version_major = m->version_major;
            w->version_minor = m->version_minor;
        }
        if (!w->target || target_number(m->target) > target_number(w->target))
            w->target = m->target;
        for (uint32_t k = 0; k < m->n_target_options; k++)
            add_option(l, m->target_options[k]);
    }
    w->address_size = l->parts[0].module->address_size;
}

static void print_head(struct linker *l)
{
    const struct ptx_module *w = l->whole;
    struct buf text = {0};
    buf_printf(&text, ".version %u.%u\n.target %s", w->version_major, w->version_minor, w->target);
    for (size_t i = 0; i < l->options.n; i++)
        buf_printf(&text, ", %s", l->options.at[i]);
    buf_printf(&text, "\n.address_size %u", w->address_size);
    for (size_t i = 0; i < l->files.n; i++) {
        const char *name = l->files.at[i];
        if (!name)
            continue;
        buf_printf(&text, "\n.file %zu \"", i);
        for (; *name; name++)
            buf_printf(&text,
                       *name == '"' || *name == '\\' ? "\\%c"
                       : (unsigned char)*name < ' '  ? "\\%03o"
                                                     : "%c",
                       *name);
        buf_puts(&text, "\"");
    }
    vec_push(&l->items,
             ((struct ptx_item){.kind = ITEM_TEXT, .text = arena_string(l->arena, text.at, text.n)}));
    buf_release(&text);
}

// ---- the whole ------------------------------------------------------------------------------------------

static void freeze_map(struct linker *l, struct map *map)
{
    struct map frozen = *map;
    frozen.entries =
        arena_copy(l->arena, map->entries, map->n * sizeof *map->entries, _Alignof(struct map_entry));
    frozen.slots = arena_copy(l->arena, map->slots, map->n_slots * sizeof *map->slots, _Alignof(uint32_t));
    frozen.capacity = map->n;
    map_release(map);
    *map = frozen;
}

static void index_names(struct linker *l)
{
    struct ptx_module *w = l->whole;
    for (uint32_t i = 0; i < w->n_functions; i++) {
        struct ptx_function *f = w->functions[i];
        if (f->has_body || !map_get(&w->function_names, MAP_STRING(f->name)))
            map_set(&w->function_names, MAP_STRING(f->name), f);
    }
    for (uint32_t i = 0; i < w->n_variables; i++)
        map_set(&w->variable_names, MAP_STRING(w->variables[i]->name), w->variables[i]);
    freeze_map(l, &w->function_names);
    freeze_map(l, &w->variable_names);
}

#define KEEP(l, vec) \
    arena_copy((l)->arena, (vec).at, (vec).n * sizeof *(vec).at, _Alignof(__typeof__(*(vec).at)))

void link_merge(struct linker *l)
{
    struct ptx_module *w = l->whole;
    link_places(l);
    merge_head(l);
    for (uint32_t i = 0; i < l->n_parts; i++)
        link_files(l, i);
    print_head(l);
    for (uint32_t i = 0; i < l->n_parts; i++)
        rename_variables(l, i);
    for (uint32_t i = 0; i < l->n_parts; i++)
        merge_variables(l, i);
    for (uint32_t i = 0; i < l->n_parts; i++)
        merge_items(l, i);
    w->functions = KEEP(l, l->functions);
    w->n_functions = (uint32_t)l->functions.n;
    w->variables = KEEP(l, l->variables);
    w->n_variables = (uint32_t)l->variables.n;
    w->items = KEEP(l, l->items);
    w->n_items = (uint32_t)l->items.n;
    w->files = KEEP(l, l->files);
    w->n_files = (uint32_t)l->files.n;
    w->locs = KEEP(l, l->locs);
    w->n_locs = (uint32_t)l->locs.n;
    w->target_options = KEEP(l, l->options);
    w->n_target_options = (uint32_t)l->options.n;
    w->parts = KEEP(l, l->places);
    w->n_parts = (uint32_t)l->places.n;
    index_names(l);
}
