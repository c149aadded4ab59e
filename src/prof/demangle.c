// Demangler: recursive descent over the Itanium C++ ABI (itanium-cxx-abi.github.io/cxx-abi, section 5.1),
// each rule a function that returns its text; types are kept as what stands left and right of the declared
// name.
#include "prof/demangle.h"
#include "base/vec.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Hostile names: substitutions can double the text again and again, and rules can nest without end.
enum { MAX_DEPTH = 100, MAX_TEXT_BYTES = 1 << 16 };

// "int", "" or "void (*", ")(int)". `is_open`: the right part belongs to a function or array, so that a
// pointer to it needs parentheses.
struct type {
    const char *left, *right;
    bool is_open;
    uint32_t
        parameter; // a template parameter, number + 1: it means what the present template says, also later
};

// A template argument; a pack holds others.
struct argument {
    struct type type;
    const struct argument *pack;
    uint32_t n_pack;
    bool is_pack;
};

struct arguments {
    struct argument *at;
    uint32_t n;
};

struct demangler {
    struct arena *arena;
    const char *at, *end;
    enum demangle_style style;
    VEC(struct type) substitutions;
    struct arguments arguments; // of the template whose signature is being read: what T_ means
    const char *qualifiers;     // of the member function that the name just read stands for: " const"
    bool is_in_signature;       // NVIDIA's style names T_ there instead of replacing it
    bool is_untyped;            // the name just read is of a constructor, destructor or conversion
    bool has_failed;
    int depth;
    size_t limit_bytes; // of the arena
};

static const char *fail(struct demangler *d)
{
    d->has_failed = true;
    d->at = d->end;
    return "";
}

static struct type fail_type(struct demangler *d)
{
    return (struct type){.left = fail(d), .right = ""};
}

static const char *join(struct demangler *d, const char *a, const char *b, const char *c)
{
    if (d->arena->used_bytes > d->limit_bytes)
        return fail(d);
    return arena_printf(d->arena, "%s%s%s", a, b, c);
}

static bool take(struct demangler *d, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(d->end - d->at) < n || memcmp(d->at, text, n) != 0)
        return false;
    d->at += n;
    return true;
}

static bool is_gnu(const struct demangler *d)
{
    return d->style == DEMANGLE_GNU;
}

static char peek(const struct demangler *d)
{
    return d->at < d->end ? *d->at : '\0';
}

static bool enter(struct demangler *d)
{
    if (++d->depth > MAX_DEPTH || d->arena->used_bytes > d->limit_bytes)
        fail(d);
    return !d->has_failed;
}

static void remember(struct demangler *d, struct type type)
{
    vec_push(&d->substitutions, type);
}

static struct type type_of(const char *left, const char *right, bool is_open)
{
    return (struct type){left, right, is_open, 0};
}

static struct type plain(const char *text)
{
    return type_of(text, "", false);
}

static const char *whole(struct demangler *d, struct type type)
{
    return *type.right ? join(d, type.left, type.right, "") : type.left;
}

static struct type read_type(struct demangler *d);
static const char *read_name(struct demangler *d, bool *has_arguments);
static const char *read_encoding(struct demangler *d, bool is_short);
static struct argument read_argument(struct demangler *d);
static struct type read_parameter(struct demangler *d);

// ---- small pieces
// -----------------------------------------------------------------------------------------------
static size_t read_number(struct demangler *d)
{
    size_t n = 0;
    if (!isdigit((unsigned char)peek(d)))
        fail(d);
    for (; isdigit((unsigned char)peek(d)) && n < 100000; d->at++)
        n = n * 10 + (size_t)(*d->at - '0');
    return n;
}

// "_" is 0, "0_" is 1 ...; `base` 36 for S_, 10 for T_ and lambdas.
static size_t read_index(struct demangler *d, int base)
{
    size_t n = 0;
    if (take(d, "_"))
        return 0;
    for (; peek(d) != '_'; d->at++) {
        char c = peek(d);
        int digit = isdigit((unsigned char)c)            ? c - '0'
                    : base == 36 && c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                                         : -1;
        if (digit < 0 || n > 100000) {
            fail(d);
            return 0;
        }
        n = n * (size_t)base + (size_t)digit;
    }
    d->at++;
    return n + 1;
}

static const char *read_source_name(struct demangler *d)
{
    size_t n = read_number(d);
    if (d->has_failed || n == 0 || n > (size_t)(d->end - d->at))
        return fail(d);
    const char *text = d->at;
    d->at += n;
    static const char unnamed[] = "_GLOBAL__N_";
    if (n >= sizeof unnamed - 1 && memcmp(text, unnamed, sizeof unnamed - 1) == 0)
        return is_gnu(d) ? "(anonymous namespace)" : "<unnamed>";
    return arena_string(d->arena, text, n);
}

struct word {
    const char *code, *text;
};

static const char *find_word(struct demangler *d, const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (take(d, words[i].code))
            return words[i].text;
    return NULL;
}

#define FIND_WORD(d, words) find_word((d), (words), sizeof(words) / sizeof *(words))

static const char *read_operator(struct demangler *d)
{
    static const struct word words[] = {
        {"nw", "operator new"},      {"na", "operator new[]"}, {"dl", "operator delete"},
        {"da", "operator delete[]"}, {"pl", "operator+"},      {"mi", "operator-"},
        {"ml", "operator*"},         {"dv", "operator/"},      {"rm", "operator%"},
        {"an", "operator&"},         {"or", "operator|"},      {"eo", "operator^"},
        {"aS", "operator="},         {"pL", "operator+="},     {"mI", "operator-="},
        {"mL", "operator*="},        {"dV", "operator/="},     {"ls", "operator<<"},
        {"rs", "operator>>"},        {"eq", "operator=="},     {"ne", "operator!="},
        {"lt", "operator<"},         {"gt", "operator>"},      {"le", "operator<="},
        {"ge", "operator>="},        {"nt", "operator!"},      {"aa", "operator&&"},
        {"oo", "operator||"},        {"pp", "operator++"},     {"mm", "operator--"},
        {"cm", "operator,"},         {"pt", "operator->"},     {"cl", "operator()"},
        {"ix", "operator[]"},        {"ng", "operator-"},      {"ps", "operator+"},
        {"de", "operator*"},         {"ad", "operator&"},      {"co", "operator~"}};
    const char *text = FIND_WORD(d, words);
    return text ? text : fail(d);
}

static const char *read_builtin(struct demangler *d)
{
    static const struct word words[] = {{"v", "void"},
                                        {"w", "wchar_t"},
                                        {"b", "bool"},
                                        {"c", "char"},
                                        {"a", "signed char"},
                                        {"h", "unsigned char"},
                                        {"s", "short"},
                                        {"t", "unsigned short"},
                                        {"i", "int"},
                                        {"j", "unsigned int"},
                                        {"l", "long"},
                                        {"m", "unsigned long"},
                                        {"x", "long long"},
                                        {"y", "unsigned long long"},
                                        {"n", "__int128"},
                                        {"o", "unsigned __int128"},
                                        {"f", "float"},
                                        {"d", "double"},
                                        {"e", "long double"},
                                        {"g", "__float128"},
                                        {"z", "..."},
                                        {"Ds", "char16_t"},
                                        {"Di", "char32_t"},
                                        {"Du", "char8_t"},
                                        {"Dn", "decltype(nullptr)"},
                                        {"Da", "auto"},
                                        {"Dh", "half"},
                                        {"DF16_", "_Float16"},
                                        {"DF16b", "std::bfloat16_t"}};
    return FIND_WORD(d, words);
}

// ---- template arguments
// -----------------------------------------------------------------------------------------
static const char *argument_text(struct demangler *d, const struct argument *argument)
{
    if (!argument->is_pack)
        return whole(d, argument->type);
    const char *text = "";
    for (uint32_t i = 0; i < argument->n_pack; i++) {
        const char *next = argument_text(d, &argument->pack[i]);
        text = *text && *next ? join(d, text, ", ", next) : *text ? text : next;
    }
    return text;
}

static struct arguments read_argument_list(struct demangler *d)
{
    VEC(struct argument) list = {0};
    while (!d->has_failed && !take(d, "E")) {
        struct argument argument = read_argument(d);
        vec_push(&list, argument);
    }
    struct arguments out = {arena_copy(d->arena, list.at ? (void *)list.at : "", list.n * sizeof *list.at,
                                       _Alignof(struct argument)),
                            (uint32_t)list.n};
    vec_release(&list);
    return out;
}

// "<int, 4>". c++filt keeps "> >" apart.
static const char *read_template_arguments(struct demangler *d, struct arguments *out)
{
    bool was_in_signature = d->is_in_signature, was_untyped = d->is_untyped;
    *out = read_argument_list(d);
    d->is_in_signature = was_in_signature;
    d->is_untyped = was_untyped;
    struct argument all = {.pack = out->at, .n_pack = out->n, .is_pack = true};
    const char *text = argument_text(d, &all);
    size_t n = strlen(text);
    bool needs_space = is_gnu(d) && n && text[n - 1] == '>';
    return join(d, "<", text, needs_space ? " >" : ">");
}

// L <type> <value> E, or L _Z <encoding> E.
static const char *read_literal(struct demangler *d)
{
    if (take(d, "_Z")) {
        const char *text = read_encoding(d, false);
        return take(d, "E") ? text : fail(d);
    }
    char code = peek(d);
    const char *type = whole(d, read_type(d));
    bool is_negative = take(d, "n");
    const char *start = d->at;
    while (isalnum((unsigned char)peek(d)) && peek(d) != 'E')
        d->at++;
    const char *digits = arena_string(d->arena, start, (size_t)(d->at - start));
    if (!take(d, "E"))
        return fail(d);
    const char *value = is_negative ? join(d, "-", digits, "") : digits;
    if (!is_gnu(d))
        return join(d, join(d, "(", type, ")"), value, "");
    static const struct word suffixes[] = {{"i", ""},   {"j", "u"},  {"l", "l"},
                                           {"m", "ul"}, {"x", "ll"}, {"y", "ull"}};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (code == suffixes[i].code[0])
            return join(d, value, suffixes[i].text, "");
    if (code == 'b' && strlen(value) == 1)
        return *value == '0' ? "false" : "true";
    return join(d, join(d, "(", type, ")"), value, "");
}

// X <expression> E: a template parameter, a literal or the address of something; no arithmetic.
static const char *read_expression(struct demangler *d)
{
    const char *mark = take(d, "ad") ? "&" : "", *text;
    if (take(d, "L"))
        text = join(d, mark, read_literal(d), "");
    else if (!*mark && take(d, "T"))
        text = whole(d, read_parameter(d));
    else
        return fail(d);
    return take(d, "E") ? text : fail(d);
}

static struct argument read_argument(struct demangler *d)
{
    struct argument out = {.type = plain("")};
    if (!enter(d)) {
        d->depth--;
        return out;
    }
    if (take(d, "L"))
        out.type = plain(read_literal(d));
    else if (take(d, "J")) {
        struct arguments list = read_argument_list(d);
        out = (struct argument){plain(""), list.at, list.n, true};
    } else if (take(d, "X"))
        out.type = plain(read_expression(d));
    else
        out.type = read_type(d);
    d->depth--;
    return out;
}

static struct type parameter_type(struct demangler *d, size_t index)
{
    struct type out;
    if (index >= d->arguments.n)
        return fail_type(d);
    if (!is_gnu(d) && d->is_in_signature)
        out = plain(arena_printf(d->arena, "T%zu", index + 1));
    else if (d->arguments.at[index].is_pack)
        out = plain(argument_text(d, &d->arguments.at[index]));
    else
        out = d->arguments.at[index].type;
    out.parameter = (uint32_t)index + 1;
    return out;
}

// T_, T0_ ...
static struct type read_parameter(struct demangler *d)
{
    size_t index = read_index(d, 10);
    return d->has_failed ? fail_type(d) : parameter_type(d, index);
}

// ---- substitutions
// ----------------------------------------------------------------------------------------------
static struct type read_substitution(struct demangler *d)
{
    static const struct word words[] = {
        {"t", "std"},
        {"a", "std::allocator"},
        {"b", "std::basic_string"},
        {"s", "std::basic_string<char, std::char_traits<char>, std::allocator<char>>"},
        {"i", "std::basic_istream<char, std::char_traits<char>>"},
        {"o", "std::basic_ostream<char, std::char_traits<char>>"},
        {"d", "std::basic_iostream<char, std::char_traits<char>>"}};
    const char *text = FIND_WORD(d, words);
    if (text && is_gnu(d) && text[strlen(text) - 1] == '>')
        text = join(d, arena_string(d->arena, text, strlen(text) - 1), " >", "");
    if (text)
        return plain(text);
    size_t index = read_index(d, 36);
    if (index >= d->substitutions.n)
        return fail_type(d);
    struct type known = d->substitutions.at[index];
    return known.parameter ? parameter_type(d, known.parameter - 1) : known;
}

// ---- names
// ------------------------------------------------------------------------------------------------------
// "(int, float)" of the types up to `end` ('\0' = to the end of the input).
static const char *read_parameters(struct demangler *d, char end)
{
    const char *text = "";
    if (take(d, "v") && (peek(d) == end || peek(d) == '\0' || peek(d) == 'E'))
        return "()";
    for (bool is_first = true; !d->has_failed && d->at < d->end && peek(d) != end && peek(d) != '.';
         is_first = false) {
        const char *next = whole(d, read_type(d));
        text = is_first || !*text ? next : *next ? join(d, text, ", ", next) : text;
    }
    return join(d, "(", text, ")");
}

// Ul <parameters> E [number] _ : a lambda; Ut [number] _ : an unnamed type.
static const char *read_unnamed(struct demangler *d)
{
    if (take(d, "Ut")) {
        size_t index = read_index(d, 10);
        return arena_printf(d->arena, is_gnu(d) ? "{unnamed type#%zu}" : "[unnamed type (instance %zu)]",
                            index + 1);
    }
    if (!take(d, "Ul"))
        return fail(d);
    const char *parameters = read_parameters(d, 'E');
    if (!take(d, "E"))
        return fail(d);
    size_t index = read_index(d, 10);
    if (d->arena->used_bytes > d->limit_bytes)
        return fail(d);
    return arena_printf(d->arena, is_gnu(d) ? "{lambda%s#%zu}" : "[lambda%s (instance %zu)]", parameters,
                        index + 1);
}

static const char *last_component(struct demangler *d, const char *scope)
{
    return demangle_base(d->arena, scope);
}

// One component of a name; `scope` (what stands before it, "" if nothing) names constructors and destructors.
static const char *read_component(struct demangler *d, const char *scope)
{
    while (take(d, "L"))
        ; // internal linkage leaves no trace
    char c = peek(d);
    const char *text;
    d->is_untyped = c == 'C' || c == 'D' || (d->end - d->at > 1 && c == 'c' && d->at[1] == 'v');
    if (isdigit((unsigned char)c))
        text = read_source_name(d);
    else if (c == 'U')
        text = read_unnamed(d);
    else if (c == 'C' || (c == 'D' && d->end - d->at > 1 && isdigit((unsigned char)d->at[1]))) {
        d->at += d->end - d->at > 1 ? 2 : 1;
        text = join(d, c == 'D' ? "~" : "", last_component(d, scope), "");
    } else if (take(d, "cv"))
        text = join(d, "operator ", whole(d, read_type(d)), "");
    else
        text = read_operator(d);
    while (take(d, "B"))
        text = join(d, text, "[abi:", join(d, read_source_name(d), "]", ""));
    return text;
}

// They stand outermost first: "VK" is " const volatile".
static const char *read_qualifiers(struct demangler *d)
{
    const char *restricted = take(d, "r") ? " restrict" : "", *changing = take(d, "V") ? " volatile" : "";
    return join(d, take(d, "K") ? " const" : "", changing, restricted);
}

// N [qualifiers] component... E, each prefix a candidate for substitution, the whole one only as a type.
static const char *read_nested(struct demangler *d, bool *has_arguments)
{
    const char *qualifiers = read_qualifiers(d), *scope = "";
    qualifiers = join(d, qualifiers, take(d, "R") ? " &" : take(d, "O") ? " &&" : "", "");
    while (!d->has_failed && !take(d, "E")) {
        bool is_new = true;
        *has_arguments = false;
        if (peek(d) == 'S') {
            d->at++;
            scope = whole(d, read_substitution(d));
            is_new = false;
        } else if (take(d, "I")) {
            struct arguments arguments;
            scope = join(d, scope, read_template_arguments(d, &arguments), "");
            d->arguments = arguments;
            *has_arguments = true;
        } else if (peek(d) == 'T') {
            d->at++;
            scope = whole(d, read_parameter(d));
        } else {
            const char *component = read_component(d, scope);
            scope = *scope ? join(d, scope, "::", component) : component;
        }
        if (is_new && peek(d) != 'E')
            remember(d, plain(scope));
    }
    d->qualifiers = qualifiers;
    return scope;
}

// Z <encoding> E (<name> [discriminator] | s | d [number] _ <name>)
static const char *read_local(struct demangler *d, bool *has_arguments)
{
    struct arguments outer = d->arguments;
    const char *function = read_encoding(d, is_gnu(d));
    d->arguments = outer;
    if (!take(d, "E"))
        return fail(d);
    const char *entity;
    if (take(d, "s"))
        entity = "string literal";
    else {
        if (take(d, "d"))
            read_index(d, 10);
        entity = read_name(d, has_arguments);
    }
    if (take(d, "__")) {
        read_number(d);
        take(d, "_");
    } else if (peek(d) == '_' && d->at + 1 < d->end && isdigit((unsigned char)d->at[1]))
        d->at += 2;
    return join(d, function, "::", entity);
}

// A name without N or Z: component or std::component, perhaps a template.
static const char *read_unscoped(struct demangler *d, bool *has_arguments)
{
    const char *text;
    bool is_known = false;
    if (take(d, "St"))
        text = join(d, "std::", read_component(d, "std"), "");
    else if (peek(d) == 'S') {
        d->at++;
        text = whole(d, read_substitution(d));
        is_known = true;
    } else
        text = read_component(d, "");
    if (take(d, "I")) {
        if (!is_known)
            remember(d, plain(text));
        struct arguments arguments;
        const char *space =
            is_gnu(d) && *text && text[strlen(text) - 1] == '<' ? " " : ""; // operator<< <char>
        text = join(d, text, space, read_template_arguments(d, &arguments));
        d->arguments = arguments;
        *has_arguments = true;
    }
    return text;
}

static const char *read_name(struct demangler *d, bool *has_arguments)
{
    const char *text;
    *has_arguments = false;
    if (enter(d)) {
        d->qualifiers = "";
        if (take(d, "N"))
            text = read_nested(d, has_arguments);
        else if (take(d, "Z"))
            text = read_local(d, has_arguments);
        else
            text = read_unscoped(d, has_arguments);
    } else
        text = "";
    d->depth--;
    return text;
}

// ---- types
// ------------------------------------------------------------------------------------------------------
// Pointers and references: "int *", "void (*)(int)".
static struct type wrap(struct demangler *d, struct type to, const char *mark)
{
    if (to.is_open)
        return type_of(join(d, to.left, *to.right == '[' || *to.right == ' ' ? " (" : "(", mark),
                       join(d, ")", to.right, ""), false);
    size_t n = strlen(to.left);
    if (n && *mark == '&' && to.left[n - 1] == '&') { // references collapse: & wins over &&
        bool is_double = n > 1 && to.left[n - 2] == '&';
        return is_double && !mark[1] ? type_of(arena_string(d->arena, to.left, n - 1), to.right, false) : to;
    }
    bool is_tight = is_gnu(d) || (n && strchr("*&", to.left[n - 1]));
    return type_of(join(d, to.left, is_tight ? "" : " ", mark), to.right, false);
}

// const and volatile: before a plain type in NVIDIA's style, behind it otherwise and for pointers.
static struct type qualify(struct demangler *d, struct type to, const char *qualifiers)
{
    size_t n = strlen(to.left);
    bool is_pointer = n && strchr("*&", to.left[n - 1]);
    if (is_gnu(d) || is_pointer || to.is_open)
        return type_of(join(d, to.left, qualifiers, ""), to.right, to.is_open);
    return type_of(join(d, join(d, qualifiers + 1, " ", ""), to.left, ""), to.right, to.is_open);
}

// F <return type> <parameters> E
static struct type read_function(struct demangler *d)
{
    take(d, "Y"); // extern "C"
    struct type result = read_type(d);
    const char *parameters = read_parameters(d, 'E');
    if (!take(d, "E"))
        return fail_type(d);
    return type_of(join(d, result.left, " ", ""), join(d, parameters, result.right, ""), true);
}

// A [number] _ <element>
static struct type read_array(struct demangler *d)
{
    const char *start = d->at;
    while (isdigit((unsigned char)peek(d)))
        d->at++;
    const char *extent = arena_string(d->arena, start, (size_t)(d->at - start));
    if (!take(d, "_"))
        return fail_type(d);
    struct type element = read_type(d);
    const char *bounds = join(d, " [", extent, "]");
    const char *rest = *element.right == ' ' ? element.right + 1 : element.right;
    return type_of(element.left, join(d, bounds, rest, ""), true);
}

// M <class> <member type>
static struct type read_member(struct demangler *d)
{
    const char *class = whole(d, read_type(d));
    struct type member = read_type(d);
    const char *mark = join(d, class, "::*", "");
    if (member.is_open)
        return type_of(join(d, member.left, "(", mark), join(d, ")", member.right, ""), false);
    return type_of(join(d, member.left, " ", mark), member.right, false);
}

// Dp <pattern>: every argument of a pack in turn. Only a parameter or a qualified or pointed-to one is a
// pattern here.
static struct type read_expansion(struct demangler *d)
{
    if (!is_gnu(d) && d->is_in_signature) {
        struct type pattern = read_type(d);
        return plain(join(d, whole(d, pattern), "...", ""));
    }
    const char *start = d->at;
    size_t n_substitutions = d->substitutions.n;
    const struct arguments all = d->arguments;
    const struct argument *pack = NULL;
    for (uint32_t i = 0; i < all.n; i++)
        pack = all.at[i].is_pack ? &all.at[i] : pack;
    if (!pack)
        return fail_type(d);
    const char *text = "";
    for (uint32_t i = 0; i < pack->n_pack && !d->has_failed; i++) {
        struct argument *copy = arena_copy(d->arena, all.at, all.n * sizeof *copy, _Alignof(struct argument));
        copy[pack - all.at] = pack->pack[i];
        d->arguments.at = copy;
        d->at = start;
        d->substitutions.n = n_substitutions;
        text = join(d, text, *text ? ", " : "", whole(d, read_type(d)));
    }
    if (!pack->n_pack) {
        read_type(d);
        text = "";
    }
    d->arguments = all;
    return plain(text);
}

// A class or enum name, or a substitution that may be a template.
static struct type read_named(struct demangler *d)
{
    bool has_arguments;
    struct arguments outer = d->arguments;
    if (peek(d) == 'S' && d->at + 1 < d->end && d->at[1] != 't') {
        d->at++;
        struct type known = read_substitution(d);
        if (!take(d, "I"))
            return known; // already in the table
        struct arguments arguments;
        struct type out = plain(join(d, whole(d, known), read_template_arguments(d, &arguments), ""));
        remember(d, out);
        return out;
    }
    struct type out = plain(read_name(d, &has_arguments));
    d->arguments = outer;
    remember(d, out);
    return out;
}

static struct type read_template_parameter(struct demangler *d)
{
    struct type out = read_parameter(d);
    remember(d, out);
    if (!take(d, "I"))
        return out;
    struct arguments arguments;
    out = plain(join(d, whole(d, out), read_template_arguments(d, &arguments), ""));
    remember(d, out);
    return out;
}

// Compound types remember themselves; builtin ones do not.
static struct type read_compound(struct demangler *d, char code)
{
    struct type out;
    switch (code) {
    case 'P':
        out = wrap(d, read_type(d), "*");
        break;
    case 'R':
        out = wrap(d, read_type(d), "&");
        break;
    case 'O':
        out = wrap(d, read_type(d), "&&");
        break;
    case 'F':
        out = read_function(d);
        break;
    case 'A':
        out = read_array(d);
        break;
    case 'M':
        out = read_member(d);
        break;
    default:
        out = read_expansion(d);
        break;
    }
    remember(d, out);
    return out;
}

static struct type read_type_inside(struct demangler *d)
{
    const char *qualifiers = read_qualifiers(d);
    if (*qualifiers) {
        struct type out = qualify(d, read_type(d), qualifiers);
        remember(d, out);
        return out;
    }
    const char *builtin = read_builtin(d);
    if (builtin)
        return plain(builtin);
    char code = peek(d);
    if (code && strchr("PROFAM", code)) {
        d->at++;
        return read_compound(d, code);
    }
    if (take(d, "Dp"))
        return read_compound(d, 'D');
    if (take(d, "T"))
        return read_template_parameter(d);
    if (code == 'S' || code == 'N' || code == 'Z' || isdigit((unsigned char)code))
        return read_named(d);
    return fail_type(d);
}

static struct type read_type(struct demangler *d)
{
    struct type out = enter(d) ? read_type_inside(d) : plain("");
    d->depth--;
    return d->has_failed ? plain("") : out;
}

// ---- the whole
// --------------------------------------------------------------------------------------------------
// `is_short`: leave the return type out.
static const char *read_encoding(struct demangler *d, bool is_short)
{
    bool has_arguments, was_in_signature = d->is_in_signature;
    if (!enter(d))
        return fail(d);
    const char *name = read_name(d, &has_arguments), *qualifiers = d->qualifiers;
    bool has_result = has_arguments && !d->is_untyped; // a template's signature begins with its return type
    if (d->at == d->end || peek(d) == 'E' || peek(d) == '.') {
        d->depth--;
        return name; // a variable
    }
    d->is_in_signature = true;
    struct type result = plain("");
    if (has_result)
        result = read_type(d);
    const char *parameters = read_parameters(d, 'E');
    d->is_in_signature = was_in_signature;
    d->depth--;
    if (is_short)
        result = plain("");
    const char *before = *result.left ? join(d, result.left, *result.right ? "" : " ", name) : name;
    return join(d, before, join(d, parameters, qualifiers, ""), result.right);
}

const char *demangle(struct arena *arena, const char *name, enum demangle_style style)
{
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    struct demangler d = {.arena = arena,
                          .at = name + 2,
                          .end = name + strlen(name),
                          .style = style,
                          .limit_bytes = arena->used_bytes + MAX_TEXT_BYTES + 64 * strlen(name)};
    const char *text = read_encoding(&d, false);
    bool is_good = !d.has_failed && (d.at == d.end || *d.at == '.'); // .constprop.0 and the like
    vec_release(&d.substitutions);
    return is_good ? text : name;
}

const char *demangle_base(struct arena *arena, const char *demangled)
{
    // The name ends where template arguments or parameters begin, outside brackets; its start is behind the
    // last blank or "::" there.
    const char *start = demangled, *at = demangled;
    int depth = 0;
    const char *end = NULL, *candidate_end = NULL;
    for (; *at && !end; at++) {
        bool opens = *at == '<' || *at == '(' || *at == '[' || *at == '{';
        if (opens && depth == 0 && at > start && !candidate_end)
            candidate_end = at;
        if (opens && *at == '(' && depth == 0 && at > start)
            end = candidate_end;
        depth += opens;
        depth -= (*at == '>' || *at == ')' || *at == ']' || *at == '}') && depth > 0;
        if (depth == 0 && (*at == ' ' || *at == ':')) {
            start = at + 1;
            candidate_end = NULL;
        }
    }
    if (!end)
        end = candidate_end ? candidate_end : demangled + strlen(demangled);
    return arena_string(arena, start, (size_t)(end - start));
}
