// PTX parser: declarations of registers, variables and parameters, and their initial values.
#include "ptx/parse.h"
#include <stdio.h>
#include <string.h>

enum { MAX_ALIGN = 1 << 20, MAX_PADDING = 1 << 16 };
#define MAX_VARIABLE_BYTES (1ull << 46)

bool parse_space(const struct token *token, enum ptx_space *out)
{
    static const char *const names[] = {
        [PS_REG] = ".reg",     [PS_GLOBAL] = ".global", [PS_CONST] = ".const", [PS_SHARED] = ".shared",
        [PS_LOCAL] = ".local", [PS_PARAM] = ".param",   [PS_TEX] = ".tex"};
    for (enum ptx_space space = PS_REG; space <= PS_TEX; space++) {
        if (token->kind == TOKEN_DOT && names[space] && token_is(token, names[space])) {
            *out = space;
            return true;
        }
    }
    return false;
}

// ---- attributes -----------------------------------------------------------------------------------------

bool parse_attribute(struct parser *p, bool *is_managed)
{
    int depth = 0;
    if (!token_is_punct(&p->token, '('))
        return parse_expected(p, "'(' after .attribute");
    do { // .managed, .unified(1, 2): only the first means anything here
        if (token_is(&p->token, ".managed"))
            *is_managed = true;
        else if (p->token.kind != TOKEN_DOT && p->token.kind != TOKEN_NUMBER && p->token.kind != TOKEN_PUNCT)
            return parse_expected(p, "an attribute");
        depth += token_is_punct(&p->token, '(') - token_is_punct(&p->token, ')');
        if (token_is_punct(&p->token, ';') || token_is_punct(&p->token, '{'))
            return parse_expected(p, "')' after the attribute");
        parse_advance(p);
    } while (depth > 0);
    return true;
}

static bool parse_align(struct parser *p, uint32_t *out)
{
    uint64_t align;
    struct ptx_position at = p->token.position;
    if (!parse_integer(p, "the alignment", MAX_ALIGN, &align))
        return false;
    if (align == 0 || (align & (align - 1)))
        return parse_fail(p, at, "the alignment must be a power of two");
    *out = (uint32_t)align;
    return true;
}

// .ptr [space] of a kernel parameter
static void parse_ptr(struct parser *p, struct ptx_variable *out)
{
    enum ptx_space space;
    out->is_pointer_param = true;
    if (!parse_space(&p->token, &space))
        return;
    out->ptr_space = parse_intern(p, p->token.at + 1, p->token.length - 1);
    parse_advance(p);
}

static bool fail_attribute(struct parser *p)
{
    char name[64];
    const char *names[N_PTX_TYPES];
    snprintf(name, sizeof name, "%.*s", TOKEN_TEXT(&p->token));
    for (int type = 1; type < N_PTX_TYPES; type++)
        names[type - 1] = ptx_type_name((enum ptx_type)type);
    const char *nearest = nearest_name(name + 1, names, N_PTX_TYPES - 1);
    if (nearest)
        return parse_fail(p, p->token.position, "unknown type or attribute '%s': did you mean '.%s'?", name,
                          nearest);
    return parse_fail(p, p->token.position, "unknown type or attribute '%s'", name);
}

static bool parse_type(struct parser *p, struct ptx_variable *out)
{
    enum ptx_type type = ptx_type_parse(p->token.at + 1, p->token.length - 1);
    if (type == PT_NONE)
        return fail_attribute(p);
    if (out->type != PT_NONE)
        return parse_fail(p, p->token.position, "a second type '%.*s' after '.%s'", TOKEN_TEXT(&p->token),
                          ptx_type_name(out->type));
    out->type = type;
    parse_advance(p);
    return true;
}

static bool parse_one_attribute(struct parser *p, struct ptx_variable *out)
{
    struct token token = p->token;
    bool is_vector = token.length == 3 && token.at[1] == 'v' && strchr("248", token.at[2]);
    bool is_named =
        is_vector || token_is(&token, ".align") || token_is(&token, ".ptr") || token_is(&token, ".attribute");
    if (!is_named)
        return parse_type(p, out);
    parse_advance(p);
    if (is_vector)
        out->vector = (uint32_t)(token.at[2] - '0');
    else if (token_is(&token, ".ptr"))
        parse_ptr(p, out);
    else if (token_is(&token, ".attribute"))
        return parse_attribute(p, &out->is_managed);
    else
        return parse_align(p, out->is_pointer_param ? &out->ptr_align : &out->align);
    return true;
}

// The space, then alignment, vector and type in any order.
static bool parse_kind(struct parser *p, struct ptx_variable *out)
{
    *out = (struct ptx_variable){.vector = 1, .count = 1};
    uint64_t bank;
    if (!parse_space(&p->token, &out->space))
        return parse_expected(p, "a state space such as .param");
    parse_advance(p);
    if (out->space == PS_CONST && parse_accept(p, '[') &&
        (!parse_integer(p, "the constant bank", 10, &bank) || !parse_expect(p, ']', "after the bank")))
        return false;
    while (p->token.kind == TOKEN_DOT)
        if (!parse_one_attribute(p, out))
            return false;
    return out->type != PT_NONE || parse_expected(p, "a type such as .b32");
}

// ---- array sizes ----------------------------------------------------------------------------------------

struct shape {
    uint64_t extents[MAX_DIMENSIONS + 1]; // outermost first; the vector, if any, is the last; 0 = unknown
    uint32_t n;
};

static bool parse_extent(struct parser *p, struct shape *shape)
{
    struct ptx_position at = p->token.position;
    uint64_t *extent = &shape->extents[shape->n];
    if (shape->n == MAX_DIMENSIONS)
        return parse_fail(p, at, "an array has at most %d dimensions", MAX_DIMENSIONS);
    *extent = 0;
    if (parse_accept(p, ']')) {
        if (shape->n > 0)
            return parse_fail(p, at, "only the first dimension may be left open");
    } else {
        if (!parse_integer(p, "the array size", MAX_VARIABLE_BYTES, extent) ||
            !parse_expect(p, ']', "after the array size"))
            return false;
        if (*extent == 0 && shape->n > 0)
            return parse_fail(p, at, "only the first dimension may be zero");
    }
    shape->n++;
    return true;
}

// [4][8]: count becomes their product.
static bool parse_shape(struct parser *p, struct ptx_variable *variable, struct shape *shape)
{
    struct ptx_position at = p->token.position;
    shape->n = 0;
    while (parse_accept(p, '['))
        if (!parse_extent(p, shape))
            return false;
    variable->is_array = shape->n > 0;
    uint64_t bytes = ptx_type_bytes(variable->type) * variable->vector;
    for (uint32_t i = 0; i < shape->n; i++) {
        variable->count *= shape->extents[i];
        uint64_t factor = shape->extents[i] ? shape->extents[i] : 1;
        if (bytes && factor > MAX_VARIABLE_BYTES / bytes)
            return parse_fail(p, at, "'%.100s' is larger than 64 TiB", variable->name);
        bytes *= factor;
    }
    if (variable->vector > 1 || shape->n == 0)
        shape->extents[shape->n++] = variable->vector;
    return true;
}

// ---- initial values -------------------------------------------------------------------------------------

// The bits of a number in the variable's type.
static bool init_convert(struct parser *p, struct ptx_position at, enum ptx_type type,
                         const struct value *value, struct ptx_init *out)
{
    uint32_t bytes = ptx_type_bytes(type);
    if (bytes == 0)
        return parse_fail(p, at, "a .%s cannot have an initial value", ptx_type_name(type));
    out->is_float = value->is_float || type == PT_F32 || type == PT_F64;
    if (out->is_float && bytes < 4)
        return parse_fail(p, at, "a float literal cannot initialise a .%s", ptx_type_name(type));
    if (out->is_float) {
        double wide = value_double(value);
        float narrow = (float)wide;
        bool is_exact = value->is_float && value->float_bytes == bytes; // keeps the bits of a NaN
        if (is_exact)
            out->bits = value->bits;
        else
            memcpy(&out->bits, bytes == 4 ? (const void *)&narrow : (const void *)&wide, bytes == 4 ? 4 : 8);
        return true;
    }
    uint64_t mask = bytes >= 8 ? UINT64_MAX : (1ull << (8 * bytes)) - 1;
    bool is_small_negative = (int64_t)value->bits < 0 && (value->bits | mask >> 1) == UINT64_MAX;
    if ((value->bits & ~mask) && !is_small_negative)
        return parse_fail(p, at, "the value does not fit in .%s", ptx_type_name(type));
    out->bits = value->bits & mask;
    return true;
}

// name, name + 4
static bool parse_symbol(struct parser *p, struct ptx_init *out)
{
    struct ptx_position at = p->token.position;
    if (!parse_name(p, "a number or the name of a variable or function", &out->symbol))
        return false;
    const struct symbol *symbol = scope_find(p, out->symbol, strlen(out->symbol));
    if (!symbol || (symbol->kind != SYMBOL_FUNCTION && symbol->kind != SYMBOL_VARIABLE))
        return scope_fail_unknown(p, at, "variable or function", out->symbol);
    if (symbol->kind == SYMBOL_VARIABLE)
        out->symbol_variable = symbol->variable;
    return true;
}

// sym, sym+4, generic(sym), generic(sym+4), generic(sym)+4
static bool parse_address(struct parser *p, struct ptx_init *out)
{
    if (!token_is(&p->token, "generic"))
        return parse_symbol(p, out) && parse_offset(p, &out->offset);
    parse_advance(p);
    out->is_generic = true;
    return parse_expect(p, '(', "after 'generic'") && parse_symbol(p, out) && parse_offset(p, &out->offset) &&
           parse_expect(p, ')', "after the name") && parse_offset(p, &out->offset);
}

// 0xFF00(address): one byte of an address
static bool parse_masked(struct parser *p, struct ptx_position at, uint64_t mask, struct ptx_init *out)
{
    for (int byte = 0; byte < 8; byte++)
        if (mask == 0xffull << (8 * byte))
            out->mask_shift = byte;
    if (out->mask_shift < 0)
        return parse_fail(p, at, "the mask must be 0xFF shifted by whole bytes");
    return parse_expect(p, '(', "after the mask") && parse_address(p, out) &&
           parse_expect(p, ')', "after the address");
}

static bool parse_init(struct parser *p, enum ptx_type type, struct ptx_init *out)
{
    struct ptx_position at = p->token.position;
    struct value value;
    *out = (struct ptx_init){.mask_shift = -1};
    if (p->token.kind == TOKEN_NAME && !token_is(&p->token, "WARP_SZ")) {
        if (ptx_type_bytes(type) < 4)
            return parse_fail(
                p, at, "an address does not fit in .%s: take its bytes with 0xFF(name), 0xFF00(name) …",
                ptx_type_name(type));
        return parse_address(p, out);
    }
    if (!parse_constant(p, &value))
        return false;
    if (token_is_punct(&p->token, '(') && !value.is_float)
        return parse_masked(p, at, value.bits, out);
    return init_convert(p, at, type, &value, out);
}

struct init_list {
    VEC(struct ptx_init) values;
    const struct shape *shape;
    uint64_t limit; // values that fit; 0 = open
    uint64_t padding;
    enum ptx_type type;
};

// Zeros up to value number `end`: what an inner { } leaves out before the next one.
static bool init_pad(struct parser *p, struct init_list *list, uint64_t end)
{
    if (end <= list->values.n)
        return true;
    list->padding += end - list->values.n;
    if (list->padding > MAX_PADDING)
        return parse_fail(p, p->token.position, "inner braces leave out more than %d values", MAX_PADDING);
    bool is_float = list->type == PT_F32 || list->type == PT_F64;
    while (list->values.n < end)
        vec_push(&list->values, ((struct ptx_init){.mask_shift = -1, .is_float = is_float}));
    return true;
}

// Values that one brace at this level covers; 0 = open.
static uint64_t level_size(const struct shape *shape, uint32_t level)
{
    uint64_t size = 1;
    for (uint32_t i = level; i < shape->n; i++)
        size *= shape->extents[i];
    return size;
}

// { value, { … }, … } of one dimension. Recursion is as deep as the array has dimensions.
static bool parse_init_list(struct parser *p, struct init_list *list, uint32_t level)
{
    uint64_t first = list->values.n, size = level_size(list->shape, level);
    struct ptx_init init;
    if (!parse_expect(p, '{', "before the initial values"))
        return false;
    while (!token_is_punct(&p->token, '}')) {
        if (size && list->values.n - first >= size)
            return parse_fail(p, p->token.position, "too many initial values: there is room for %llu",
                              (unsigned long long)size);
        if (token_is_punct(&p->token, '{')) {
            if (level + 1 >= list->shape->n)
                return parse_fail(p, p->token.position, "braces are nested deeper than the array");
            uint64_t inner = level_size(list->shape, level + 1), done = list->values.n - first;
            uint64_t start = first + (done + inner - 1) / inner * inner;
            if (!init_pad(p, list, start) || !parse_init_list(p, list, level + 1) ||
                (token_is_punct(&p->token, ',') && !init_pad(p, list, start + inner)))
                return false;
        } else {
            if (!parse_init(p, list->type, &init))
                return false;
            vec_push(&list->values, init);
        }
        if (!parse_accept(p, ','))
            break;
    }
    return parse_expect(p, '}', "after the initial values");
}

// `.samplerref s = { addr_mode_0 = wrap, … }`: named fields are read and dropped.
static bool parse_fields(struct parser *p)
{
    if (!parse_expect(p, '{', "before the fields"))
        return false;
    while (!token_is_punct(&p->token, '}')) {
        const char *name;
        if (!parse_name(p, "the name of a field", &name) || !parse_expect(p, '=', "after the field"))
            return false;
        if (p->token.kind != TOKEN_NAME && p->token.kind != TOKEN_NUMBER)
            return parse_expected(p, "the value of the field");
        parse_advance(p);
        if (!parse_accept(p, ','))
            break;
    }
    return parse_expect(p, '}', "after the fields");
}

// What follows `=`.
static bool parse_inits(struct parser *p, struct ptx_variable *variable, const struct shape *shape)
{
    struct init_list list = {.shape = shape, .type = variable->type};
    struct ptx_position at = p->token.position;
    bool is_good = true;
    if (variable->type >= PT_TEXREF)
        return parse_fields(p);
    if (token_is_punct(&p->token, '{')) {
        is_good = parse_init_list(p, &list, 0);
    } else if (variable->is_array) {
        is_good = parse_expected(p, "'{' before the values of an array");
    } else {
        struct ptx_init init;
        is_good = parse_init(p, variable->type, &init);
        vec_push(&list.values, init);
    }
    variable->n_init = list.values.n;
    variable->init = ARENA_COPY(p, list.values);
    vec_release(&list.values);
    if (is_good && variable->count == 0) {
        uint64_t row = level_size(shape, 1);
        variable->count = (variable->n_init + row - 1) / row * (row / variable->vector);
        if (variable->count == 0)
            return parse_fail(p, at, "an array of open size needs at least one initial value");
    }
    return is_good;
}

// ---- variables ------------------------------------------------------------------------------------------

// A second declaration of a module variable: fine if one of the two is .extern. The earlier object stays the
// one.
static bool redeclare(struct parser *p, struct symbol *symbol, const struct ptx_variable *again)
{
    struct ptx_variable *variable = symbol->variable;
    bool is_same =
        variable->space == again->space && variable->type == again->type && variable->vector == again->vector;
    if (!is_same || (!variable->is_extern && !again->is_extern))
        return parse_fail(p, again->at, "'%.100s' is already declared in line %u%s", again->name,
                          variable->at.line, is_same ? "" : ", with another type");
    struct ptx_variable *copy = arena_new(p->arena, struct ptx_variable);
    if (again->is_extern) {
        *copy = *again;
        parse_add_item(p, (struct ptx_item){.kind = ITEM_VARIABLE, .variable = copy});
        return true;
    }
    *copy = *variable; // the item of the .extern goes on printing it
    p->items.at[symbol->item].variable = copy;
    uint32_t id = variable->id;
    *variable = *again;
    variable->id = id;
    symbol->item = (uint32_t)p->items.n;
    parse_add_item(p, (struct ptx_item){.kind = ITEM_VARIABLE, .variable = variable});
    return true;
}

static bool declare_variable(struct parser *p, const struct ptx_variable *variable)
{
    struct symbol *old = p->in_body ? NULL : map_get(&p->symbols, variable->name, strlen(variable->name));
    if (old && old->kind == SYMBOL_VARIABLE)
        return redeclare(p, old, variable);
    struct symbol *symbol = scope_declare(p, variable->name, SYMBOL_VARIABLE, variable->at);
    if (!symbol)
        return false;
    symbol->variable = arena_new(p->arena, struct ptx_variable);
    *symbol->variable = *variable;
    symbol->variable->id = (uint32_t)(p->in_body ? p->body_variables.n : p->variables.n);
    symbol->variable->owner = p->function;
    symbol->item = (uint32_t)p->items.n;
    if (p->in_body)
        vec_push(&p->body_variables, symbol->variable);
    else
        vec_push(&p->variables, symbol->variable);
    parse_add_item(p, (struct ptx_item){.kind = ITEM_VARIABLE, .variable = symbol->variable});
    return true;
}

static bool parse_variable(struct parser *p, struct ptx_variable variable)
{
    struct shape shape;
    variable.at = p->token.position;
    if (!parse_name(p, "the name of the variable", &variable.name) || !parse_shape(p, &variable, &shape))
        return false;
    if (parse_accept(p, '=') && !parse_inits(p, &variable, &shape))
        return false;
    if (variable.count == 0 && !variable.is_extern && variable.space != PS_PARAM)
        return parse_fail(p, variable.at,
                          "the size of '%.100s' is missing: only .extern arrays may leave it open",
                          variable.name);
    return declare_variable(p, &variable);
}

bool parse_variables(struct parser *p, struct linkage linkage)
{
    struct ptx_variable kind;
    if (!parse_kind(p, &kind))
        return false;
    if (kind.type == PT_PRED)
        return parse_fail(p, p->previous_end_position, "only registers can be .pred");
    kind.is_extern = linkage.is_extern;
    kind.is_visible = linkage.is_visible;
    kind.is_weak = linkage.is_weak;
    kind.is_common = linkage.is_common;
    kind.is_hidden = linkage.is_hidden;
    do {
        if (!parse_variable(p, kind))
            return false;
    } while (parse_accept(p, ','));
    return parse_expect(p, ';', "after the declaration");
}

// ---- registers ------------------------------------------------------------------------------------------

static bool declare_register(struct parser *p, const struct ptx_variable *kind, const char *name,
                             struct ptx_position at, struct ptx_variable **out)
{
    struct symbol *symbol = scope_declare(p, name, SYMBOL_VARIABLE, at);
    if (!symbol)
        return false;
    struct ptx_variable *variable = arena_new(p->arena, struct ptx_variable);
    *variable = *kind;
    variable->name = name;
    variable->at = at;
    variable->id = (uint32_t)p->registers.n;
    variable->owner = p->function;
    vec_push(&p->registers, variable);
    *out = symbol->variable = variable;
    return true;
}

// <42> behind a prefix
static bool parse_range(struct parser *p, const struct ptx_variable *kind, const char *name,
                        struct ptx_position at)
{
    struct symbol range = {.name = name, .at = at};
    range.range.type = kind->type;
    range.range.vector = kind->vector;
    if (p->token.kind != TOKEN_NUMBER)
        return parse_expected(p, "the number of registers");
    struct number number;
    const char *why;
    if (!number_parse(p->token.at, p->token.length, &number, &why))
        return parse_fail(p, p->token.position, "'%.*s': %s", TOKEN_TEXT(&p->token), why);
    if (number.is_float || number.bits > UINT32_MAX)
        return parse_fail(p, p->token.position, "the number of registers must lie between 0 and %u",
                          UINT32_MAX);
    range.range.count = number.bits;
    buf_printf(&p->text, "<%llu>", (unsigned long long)number.bits);
    parse_advance(p);
    return parse_expect(p, '>', "after the number of registers") && scope_declare_range(p, &range);
}

bool parse_registers(struct parser *p)
{
    struct ptx_variable kind, *variable;
    if (!parse_kind(p, &kind))
        return false;
    buf_puts(&p->text, ".reg");
    print_type(&p->text, &kind);
    const char *separator = " ";
    do {
        struct ptx_position at = p->token.position;
        const char *name;
        if (!parse_name(p, "the name of a register", &name))
            return false;
        buf_printf(&p->text, "%s%s", separator, name);
        separator = ", ";
        bool is_good = parse_accept(p, '<') ? parse_range(p, &kind, name, at)
                                            : declare_register(p, &kind, name, at, &variable);
        if (!is_good)
            return false;
    } while (parse_accept(p, ','));
    buf_puts(&p->text, ";");
    parse_add_item(p, (struct ptx_item){.kind = ITEM_TEXT, .text = parse_take_text(p)});
    return parse_expect(p, ';', "after the registers");
}

// ---- parameters -----------------------------------------------------------------------------------------

static bool parse_param(struct parser *p, uint32_t index, struct ptx_variable **out)
{
    struct ptx_variable kind;
    struct shape shape;
    if (!parse_kind(p, &kind))
        return false;
    kind.at = p->token.position;
    bool is_nameless = p->in_body && (token_is_punct(&p->token, ',') || token_is_punct(&p->token, ')'));
    kind.name = "_"; // prototypes may leave the name out
    if (!is_nameless && !parse_name(p, "the name of the parameter", &kind.name))
        return false;
    if (!parse_shape(p, &kind, &shape))
        return false;
    bool is_named = strcmp(kind.name, "_") != 0 && p->function && !p->in_body;
    if (is_named && kind.space == PS_REG)
        return declare_register(p, &kind, kind.name, kind.at, out);
    struct symbol *symbol = is_named ? scope_declare(p, kind.name, SYMBOL_VARIABLE, kind.at) : NULL;
    if (is_named && !symbol)
        return false;
    kind.id = index;
    kind.owner = p->function;
    *out = arena_copy(p->arena, &kind, sizeof kind, _Alignof(struct ptx_variable));
    if (symbol)
        symbol->variable = *out;
    return true;
}

bool parse_params(struct parser *p, struct ptx_variable ***out, uint32_t *n)
{
    VEC(struct ptx_variable *) params = {0};
    bool is_good = parse_expect(p, '(', "before the parameters");
    if (is_good && !token_is_punct(&p->token, ')')) {
        do {
            struct ptx_variable *param = NULL;
            is_good = parse_param(p, (uint32_t)params.n, &param);
            vec_push(&params, param);
        } while (is_good && parse_accept(p, ','));
    }
    *out = ARENA_COPY(p, params);
    *n = (uint32_t)params.n;
    vec_release(&params);
    return is_good && parse_expect(p, ')', "after the parameters");
}
