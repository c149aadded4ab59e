// What a kernel needs before its instructions can be lowered: the functions it can reach, which variables
// they name, and where shared, local and parameter variables lie.
#include "ptx/lowering.h"
#include <string.h>

// ---- sizes ------------------------------------------------------------------------------------------

uint64_t variable_bytes(const struct ptx_variable *variable)
{
    return ptx_type_bytes(variable->type) * (variable->vector ? variable->vector : 1) * variable->count;
}

uint32_t variable_words(const struct ptx_variable *variable)
{
    return (uint32_t)((variable_bytes(variable) + 3) / 4);
}

uint32_t variable_align(const struct ptx_variable *variable)
{
    uint32_t natural = ptx_type_bytes(variable->type) * (variable->vector ? variable->vector : 1);
    return variable->align ? variable->align : natural ? natural : 1;
}

static uint64_t align_up(uint64_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

// ---- tables by pointer ------------------------------------------------------------------------------

static void *find_by_pointer(const struct map *map, const void *pointer)
{
    return map_get(map, (const char *)&pointer, sizeof pointer);
}

static void set_by_pointer(struct lowering *l, struct map *map, const void *pointer, void *value)
{
    map_set(map, arena_copy(&l->work, &pointer, sizeof pointer, 1), sizeof pointer, value);
}

struct home *home_find(const struct lowering *l, const struct ptx_variable *variable)
{
    return find_by_pointer(&l->homes, variable);
}

struct home *home_make(struct lowering *l, const struct ptx_variable *variable)
{
    struct home *home = arena_new(&l->work, struct home);
    home->variable = variable;
    home->n_words = variable_words(variable);
    home->row = ROW_NONE;
    set_by_pointer(l, &l->homes, variable, home);
    return home;
}

uint32_t function_number(const struct lowering *l, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < l->module->n_functions; i++)
        if (l->module->functions[i] == function)
            return i;
    BUG("function %s is not in its module", function->name);
}

uint32_t function_place(const struct lowering *l, const struct ptx_function *function)
{
    const struct reached *at = l->reached.at;
    size_t place = (size_t)(uintptr_t)find_by_pointer(&l->function_index, function);
    return place && at[place - 1].function == function ? (uint32_t)place - 1 : NO_TARGET;
}

// ---- calls ------------------------------------------------------------------------------------------

struct call_parts call_split(const struct ptx_insn *insn)
{
    struct call_parts parts = {0};
    for (uint32_t i = 0; i < insn->n_operands; i++) {
        const struct ptx_operand *operand = &insn->operands[i];
        if (operand->kind != PO_PAREN && !parts.target)
            parts.target = operand;
        else if (operand->kind == PO_PAREN && !parts.target)
            parts.returns = operand;
        else if (operand->kind == PO_PAREN)
            parts.args = operand;
    }
    return parts;
}

bool call_accepts(const struct ptx_insn *call, const struct ptx_function *function)
{
    struct call_parts parts = call_split(call);
    return (parts.args ? parts.args->n_items : 0) == function->n_params &&
           (parts.returns ? parts.returns->n_items : 0) == function->n_returns;
}

static uint32_t words_of(struct ptx_variable *const *variables, uint32_t n)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < n; i++)
        words += variable_words(variables[i]);
    return words;
}

static uint32_t reach_function(struct lowering *l, const struct ptx_function *function)
{
    uint32_t place = function_place(l, function);
    if (place != NO_TARGET)
        return place;
    struct reached reached = {.function = function,
                              .n_param_words = words_of(function->params, function->n_params),
                              .n_return_words = words_of(function->returns, function->n_returns)};
    vec_push(&l->reached, reached);
    set_by_pointer(l, &l->function_index, function, (void *)(uintptr_t)l->reached.n);
    return (uint32_t)l->reached.n - 1;
}

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

// Why a function that is only declared cannot be called, as far as its name tells.
static const char *why_missing(const char *name)
{
    if (begins_with(name, "__cudaCDP2") || begins_with(name, "cuda"))
        return "belongs to the CUDA runtime for device code (dynamic parallelism), which is not supported";
    if (begins_with(name, "__nv_"))
        return "belongs to libdevice and is not defined in this module: link it when compiling";
    return "is not defined in this module";
}

static bool reach_direct(struct lowering *l, uint32_t caller, const struct ptx_insn *insn, const char *name)
{
    const struct ptx_function *callee = ptx_find_meant(l->module, name);
    if (callee && !callee->has_body && is_native(name))
        return true;
    if (!callee || !callee->has_body)
        return lower_fail(l, insn->at, "calls %s, which %s", name, why_missing(name));
    if (callee->is_entry)
        return lower_fail(l, insn->at, "calls %s, which is a kernel", name);
    if (!call_accepts(insn, callee))
        return lower_fail(
            l, insn->at, "the call of %s has another number of arguments or results than the function", name);
    uint32_t place = reach_function(l, callee);
    vec_push(&l->reached.at[caller].callees, place);
    return true;
}

// ---- functions whose address is taken ---------------------------------------------------------------

static bool operand_names(const struct ptx_operand *operand, const char *name)
{
    if (operand->kind == PO_SYMBOL && !operand->variable && operand->name && strcmp(operand->name, name) == 0)
        return true;
    for (uint32_t i = 0; i < operand->n_items; i++)
        if (operand_names(&operand->items[i], name))
            return true;
    return operand->base && operand_names(operand->base, name);
}

static bool code_takes_address(const struct ptx_function *in, const char *name)
{
    for (uint32_t i = 0; i < in->n_insns; i++) {
        const struct ptx_insn *insn = &in->insns[i];
        const struct ptx_operand *target = flow_of(insn) == FLOW_CALL ? call_split(insn).target : NULL;
        for (uint32_t k = 0; k < insn->n_operands; k++)
            if (&insn->operands[k] != target && operand_names(&insn->operands[k], name))
                return true;
    }
    return false;
}

static bool data_takes_address(const struct ptx_variable *variable, const char *name)
{
    for (size_t i = 0; i < variable->n_init; i++)
        if (variable->init[i].symbol && !variable->init[i].symbol_variable &&
            strcmp(variable->init[i].symbol, name) == 0)
            return true;
    return false;
}

static bool is_address_taken(const struct ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (code_takes_address(module->functions[i], name))
            return true;
    for (uint32_t i = 0; i < module->n_variables; i++)
        if (data_takes_address(module->variables[i], name))
            return true;
    return false;
}

// The same by another name of the function.
static bool is_alias_taken(const struct ptx_module *module, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx_function *alias = module->functions[i];
        if (alias->alias_of && strcmp(alias->alias_of->name, function->name) == 0 &&
            is_address_taken(module, alias->name))
            return true;
    }
    return false;
}

// Every function that an indirect call may mean.
static void reach_indirect(struct lowering *l, uint32_t caller, const struct ptx_insn *insn)
{
    l->reached.at[caller].calls_indirectly = true;
    for (uint32_t i = 0; i < l->module->n_functions; i++) {
        const struct ptx_function *function = l->module->functions[i];
        if (function->is_entry || !function->has_body || !call_accepts(insn, function) ||
            !(is_address_taken(l->module, function->name) || is_alias_taken(l->module, function)))
            continue;
        uint32_t place = reach_function(l, function);
        vec_push(&l->reached.at[caller].callees, place);
    }
}

// ---- variables --------------------------------------------------------------------------------------

static void mark_variable(struct lowering *l, const struct ptx_variable *variable)
{
    bool has_place = variable->space == PS_SHARED || variable->space == PS_LOCAL;
    if (has_place && !home_find(l, variable))
        home_make(l, variable);
}

static void mark_operand(struct lowering *l, const struct ptx_operand *operand)
{
    if (operand->kind == PO_SYMBOL && operand->variable)
        mark_variable(l, operand->variable);
    for (uint32_t i = 0; i < operand->n_items; i++)
        mark_operand(l, &operand->items[i]);
    if (operand->base)
        mark_operand(l, operand->base);
}

static bool reach_insn(struct lowering *l, uint32_t caller, const struct ptx_insn *insn)
{
    for (uint32_t i = 0; i < insn->n_operands; i++)
        mark_operand(l, &insn->operands[i]);
    if (flow_of(insn) != FLOW_CALL)
        return true;
    const struct ptx_operand *target = call_split(insn).target;
    if (!target)
        return lower_fail(l, insn->at, "the call has no target");
    if (target->kind == PO_SYMBOL && !target->variable)
        return reach_direct(l, caller, insn, target->name);
    reach_indirect(l, caller, insn);
    return true;
}

static bool is_dynamic(const struct ptx_variable *variable)
{
    return variable->space == PS_SHARED && variable->count == 0;
}

// Shared variables of a fixed size that the kernel names, in the order of their declarations.
static void place_shared(struct lowering *l, struct ptx_variable *const *variables, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct home *home = home_find(l, variables[i]);
        if (!home || variables[i]->space != PS_SHARED || is_dynamic(variables[i]))
            continue;
        home->address = align_up(l->shared_bytes, variable_align(variables[i]));
        l->shared_bytes = (uint32_t)(home->address + variable_bytes(variables[i]));
    }
}

// Alignment of dynamic shared memory: of the strictest array of the module, as ptxas has it; 0 = the kernel
// names none.
static uint32_t dynamic_align(const struct lowering *l)
{
    uint32_t align = 0;
    bool is_named = false;
    for (uint32_t i = 0; i < l->module->n_variables; i++) {
        const struct ptx_variable *variable = l->module->variables[i];
        if (!is_dynamic(variable))
            continue;
        is_named |= home_find(l, variable) != NULL;
        align = variable_align(variable) > align ? variable_align(variable) : align;
    }
    return is_named ? align : 0;
}

// All dynamic arrays begin at the same place, behind the others.
static void place_dynamic(struct lowering *l)
{
    uint32_t align = dynamic_align(l);
    if (!align)
        return;
    l->shared_bytes = (uint32_t)align_up(l->shared_bytes, align);
    for (uint32_t i = 0; i < l->module->n_variables; i++) {
        struct home *home = home_find(l, l->module->variables[i]);
        if (home && is_dynamic(l->module->variables[i]))
            home->address = l->shared_bytes;
    }
}

static void place_all_shared(struct lowering *l)
{
    place_shared(l, l->module->variables, l->module->n_variables);
    for (size_t i = 0; i < l->reached.n; i++) {
        const struct ptx_function *function = l->reached.at[i].function;
        place_shared(l, function->variables, function->n_variables);
    }
    place_dynamic(l);
}

static void place_local(struct lowering *l, struct reached *reached)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < reached->function->n_variables; i++) {
        const struct ptx_variable *variable = reached->function->variables[i];
        struct home *home = variable->space == PS_LOCAL ? home_find(l, variable) : NULL;
        if (!home)
            continue;
        home->address = align_up(bytes, variable_align(variable));
        bytes = home->address + variable_bytes(variable);
    }
    reached->local_bytes =
        (uint32_t)align_up(bytes, 16); // so that every activation is aligned for any element
}

// Words of parameters and results of a called function: rows of its own frame.
static void place_params(struct lowering *l, const struct ptx_function *function)
{
    uint32_t row = FRAME_FIRST;
    for (uint32_t i = 0; i < function->n_params + function->n_returns; i++) {
        const struct ptx_variable *variable =
            i < function->n_params ? function->params[i] : function->returns[i - function->n_params];
        struct home *home = home_make(l, variable);
        home->row = ROW(ROW_REG, ROW_OWN + row);
        row += home->n_words;
    }
}

static void place_kernel_params(struct lowering *l, const struct ptx_function *entry)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < entry->n_params; i++) {
        struct home *home = home_make(l, entry->params[i]);
        home->address = align_up(offset, variable_align(entry->params[i]));
        offset = home->address + variable_bytes(entry->params[i]);
    }
    l->kernel->param_bytes = (uint32_t)offset;
}

static void find_symbols(struct lowering *l)
{
    for (size_t i = 0; i < l->symbols->n; i++) {
        const struct ptx_symbol *symbol = &l->symbols->at[i];
        if (symbol->variable->space == PS_GLOBAL || symbol->variable->space == PS_CONST)
            home_make(l, symbol->variable)->address = symbol->address;
    }
}

// Instructions that other blocks of the cluster may be met by, or be synchronised with.
static bool concerns_clusters(const struct ptx_insn *insn)
{
    bool found = strcmp(insn->op, "mapa") == 0 || strcmp(insn->op, "getctarank") == 0;
    for (uint32_t i = 0; i < insn->n_suffixes && !found; i++)
        found = strstr(insn->suffixes[i], "cluster") != NULL;
    return found;
}

static void find_clusters(struct lowering *l)
{
    for (uint32_t i = 0; i < l->reached.n; i++) {
        const struct ptx_function *function = l->reached.at[i].function;
        for (uint32_t k = 0; k < function->n_insns; k++)
            l->kernel->uses_clusters |= concerns_clusters(&function->insns[k]);
    }
}

bool lower_reach(struct lowering *l, const struct ptx_function *entry)
{
    find_symbols(l);
    reach_function(l, entry);
    for (uint32_t i = 0; i < l->reached.n; i++) {
        const struct ptx_function *function = l->reached.at[i].function;
        for (uint32_t k = 0; k < function->n_insns; k++)
            if (!reach_insn(l, i, &function->insns[k]))
                return false;
        if (function->is_entry)
            place_kernel_params(l, function);
        else
            place_params(l, function);
        place_local(l, &l->reached.at[i]);
    }
    place_all_shared(l);
    find_clusters(l);
    return true;
}

// ---- stack ------------------------------------------------------------------------------------------

struct depth {
    uint32_t bytes;
    enum { DEPTH_NEW, DEPTH_OPEN, DEPTH_DONE } state;
};

static uint32_t deepest(const struct lowering *l, struct depth *depths, uint32_t index, bool *has_recursion)
{
    struct depth *own = &depths[index];
    if (own->state == DEPTH_DONE)
        return own->bytes;
    if (own->state == DEPTH_OPEN) {
        *has_recursion = true;
        return 0;
    }
    own->state = DEPTH_OPEN;
    const struct reached *reached = &l->reached.at[index];
    for (size_t i = 0; i < reached->callees.n; i++) {
        uint32_t bytes = deepest(l, depths, reached->callees.at[i], has_recursion);
        own->bytes = bytes > own->bytes ? bytes : own->bytes;
    }
    own->state = DEPTH_DONE;
    return own->bytes += reached->local_bytes;
}

uint32_t lower_local_bytes(struct lowering *l, bool *has_recursion)
{
    struct depth *depths = arena_array(&l->work, struct depth, l->reached.n);
    *has_recursion = false;
    return deepest(l, depths, 0, has_recursion);
}
