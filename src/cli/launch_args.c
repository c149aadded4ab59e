// Kernel arguments from the command line: numbers, buffers with their contents, structs passed by value.
#include "cli/launch_args.h"
#include "base/buf.h"
#include "base/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_ALIGN = 256, HEX_DIGITS_PER_BYTE = 2 };

// ---- parsing ----

static bool parse_count(const char *text, size_t length, uint64_t *out)
{
    char extents[64];
    if (length >= sizeof extents)
        return false;
    memcpy(extents, text, length);
    extents[length] = '\0';
    *out = 1;
    for (char *word = extents, *next; word; word = next) {
        uint64_t extent;
        next = strpbrk(word, "x,");
        if (next)
            *next++ = '\0';
        if (!units_parse_u64(word, &extent) || extent == 0 || __builtin_mul_overflow(*out, extent, out))
            return false;
    }
    return true;
}

static bool parse_buffer(struct arena *arena, const char *spec, const char *bracket, struct launch_arg *out,
                         struct err *err)
{
    const char *close = strchr(bracket, ']');
    out->kind = ARG_BUFFER;
    out->type = ptx_type_parse(spec, (size_t)(bracket - spec));
    if (ptx_type_bytes(out->type) == 0 || ptx_type_bytes(out->type) > 8)
        return err_set(err, "--arg %s: '%.*s' is no element type (u8 s16 u32 f32 f64 b64 ...)", spec,
                       (int)(bracket - spec), spec);
    if (!close || !parse_count(bracket + 1, (size_t)(close - bracket - 1), &out->count))
        return err_set(err, "--arg %s: expected a number of elements in brackets, for example f32[1024]",
                       spec);
    if (close[1] != '\0' && close[1] != '=')
        return err_set(err, "--arg %s: expected '=' behind the bracket", spec);
    out->value = close[1] == '=' ? arena_string(arena, close + 2, strlen(close + 2)) : "zero";
    return true;
}

static bool parse_alias(const char *spec, struct launch_arg *out, struct err *err)
{
    char *end;
    errno = 0;
    unsigned long which = strtoul(spec + 1, &end, 10);
    if (end == spec + 1 || errno || which > 4096 ||
        (*end && (*end != '+' || !units_parse_bytes(end + 1, &out->offset))))
        return err_set(err, "--arg %s: expected @NUMBER or @NUMBER+BYTES", spec);
    out->kind = ARG_ALIAS;
    out->alias = (uint32_t)which;
    return true;
}

bool launch_arg_parse(struct arena *arena, const char *spec, struct launch_arg *out, struct err *err)
{
    *out = (struct launch_arg){.spec = spec, .kind = ARG_NUMBER, .value = spec};
    const char *bracket = strchr(spec, '['), *colon = strchr(spec, ':');
    if (strncmp(spec, "bytes:", 6) == 0) {
        out->kind = ARG_BYTES;
        out->value = spec + 6;
        return true;
    }
    if (spec[0] == '@')
        return parse_alias(spec, out, err);
    if (bracket && (!colon || bracket < colon))
        return parse_buffer(arena, spec, bracket, out, err);
    if (strcmp(spec, "null") == 0) {
        out->value = "0";
        return true;
    }
    if (colon) {
        out->type = ptx_type_parse(spec, (size_t)(colon - spec));
        out->value = colon + 1;
        if (ptx_type_bytes(out->type) == 0 || ptx_type_bytes(out->type) > 8)
            return err_set(err, "--arg %s: '%.*s' is no number type", spec, (int)(colon - spec), spec);
    }
    return true;
}

// ---- numbers ----

static bool is_float_type(enum ptx_type type)
{
    return type == PT_F32 || type == PT_F64;
}

static bool is_signed_type(enum ptx_type type)
{
    return type == PT_S8 || type == PT_S16 || type == PT_S32 || type == PT_S64;
}

// The bits of `text` as a value of `type`; false if it is malformed or does not fit.
static bool number_bits(const char *text, enum ptx_type type, uint64_t *out)
{
    double real;
    float single;
    uint32_t single_bits;
    int64_t whole;
    if (is_float_type(type)) {
        if (!units_parse_double(text, &real))
            return false;
        single = (float)real;
        memcpy(&single_bits, &single, sizeof single_bits);
        memcpy(out, &real, sizeof *out);
        if (type == PT_F32)
            *out = single_bits;
        return true;
    }
    unsigned bits = ptx_type_bytes(type) * 8;
    uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    if (units_parse_u64(text, out))
        return *out <= (is_signed_type(type) ? mask >> 1 : mask);
    if (text[0] != '-' || !units_parse_i64(text, &whole) || whole < -(int64_t)(mask >> 1) - 1)
        return false;
    *out = (uint64_t)whole & mask;
    return true;
}

static enum ptx_type declared_type(const struct kernel_param *param)
{
    static const enum ptx_type unsigneds[] = {[1] = PT_U8, [2] = PT_U16, [4] = PT_B32, [8] = PT_B64};
    static const enum ptx_type signeds[] = {[1] = PT_S8, [2] = PT_S16, [4] = PT_S32, [8] = PT_S64};
    if (param->size_bytes > 8 || !unsigneds[param->size_bytes] || param->kind == 'a')
        return PT_NONE;
    if (param->kind == 'f')
        return param->size_bytes == 4 ? PT_F32 : param->size_bytes == 8 ? PT_F64 : PT_B16;
    return param->kind == 's' ? signeds[param->size_bytes] : unsigneds[param->size_bytes];
}

// Integer parameters are often declared .b32 for floats: a text with a point or exponent is then taken as
// float.
static enum ptx_type type_for_text(enum ptx_type type, const char *text)
{
    bool looks_real = strpbrk(text, ".") || (strpbrk(text, "eE") && strncmp(text, "0x", 2) != 0);
    if (looks_real && (type == PT_B32 || type == PT_U32))
        return PT_F32;
    if (looks_real && (type == PT_B64 || type == PT_U64))
        return PT_F64;
    return type;
}

static bool place_number(const struct launch_arg *arg, uint32_t index, const struct kernel_param *param,
                         uint8_t *params, struct err *err)
{
    enum ptx_type type = arg->type ? arg->type : type_for_text(declared_type(param), arg->value);
    uint64_t bits;
    if (type == PT_NONE)
        return err_set(
            err,
            "argument %u: parameter %s is %u bytes passed by value; give it as TYPE[N] of that size, "
            "bytes:HEX or bytes:file:PATH",
            index, param->name, param->size_bytes);
    if (ptx_type_bytes(type) != param->size_bytes)
        return err_set(err, "argument %u: %s is %u bytes but parameter %s takes %u", index, arg->spec,
                       ptx_type_bytes(type), param->name, param->size_bytes);
    if (!number_bits(arg->value, type, &bits))
        return err_set(err, "argument %u: '%s' is not a value of type .%s", index, arg->value,
                       ptx_type_name(type));
    memcpy(params + param->offset, &bits, param->size_bytes);
    return true;
}

// ---- buffers ----

static uint32_t scramble(uint32_t x)
{
    x = (x ^ (x >> 17)) * 0x9E3779B9u;
    x = (x ^ (x >> 14)) * 0x7A35E96Du;
    return x ^ (x >> 16);
}

static uint64_t random_bits(uint64_t seed, uint64_t i, enum ptx_type type)
{
    uint32_t low = scramble((uint32_t)i + 0x51F15EEDu * ((uint32_t)seed + 1u));
    uint32_t high = scramble(low ^ (uint32_t)(i >> 32) ^ 0x2545F491u);
    uint64_t bits = ((uint64_t)high << 32) | low;
    float single = (float)(low >> 8) * 0x1p-24f;
    double real = (double)(bits >> 11) * 0x1p-53;
    if (type == PT_F32)
        memcpy(&bits, &single, sizeof single);
    if (type == PT_F64)
        memcpy(&bits, &real, sizeof real);
    return bits;
}

static uint64_t sequence_bits(double start, double step, uint64_t i, enum ptx_type type)
{
    double real = start + step * (double)i;
    float single = (float)real;
    uint64_t bits = is_float_type(type) ? 0 : (uint64_t)((int64_t)start + (int64_t)step * (int64_t)i);
    if (type == PT_F32)
        memcpy(&bits, &single, sizeof single);
    if (type == PT_F64)
        memcpy(&bits, &real, sizeof real);
    return bits;
}

static bool fill_from_file(const struct launch_arg *arg, const char *path, void *host, struct err *err)
{
    struct buf bytes = {0};
    if (!buf_read_file(&bytes, path, err))
        return false;
    bool fits = bytes.n == launch_arg_bytes(arg);
    if (fits)
        memcpy(host, bytes.at, bytes.n);
    else
        err_set(err, "--arg %s: %s has %zu bytes, the buffer %llu", arg->spec, path, bytes.n,
                (unsigned long long)launch_arg_bytes(arg));
    buf_release(&bytes);
    return fits;
}

// Numbers separated by white space.
static bool fill_from_text(const struct launch_arg *arg, const char *path, uint8_t *host, struct err *err)
{
    struct buf text = {0};
    if (!buf_read_file(&text, path, err))
        return false;
    uint64_t n = 0;
    bool good = true;
    char *state = NULL;
    for (char *word = strtok_r(text.at, " \t\r\n", &state); word && good;
         word = strtok_r(NULL, " \t\r\n", &state), n++) {
        uint64_t bits;
        good = number_bits(word, arg->type, &bits) ||
               err_set(err, "%s: '%s' is not a value of type .%s", path, word, ptx_type_name(arg->type));
        if (good && n < arg->count)
            memcpy(host + n * ptx_type_bytes(arg->type), &bits, ptx_type_bytes(arg->type));
    }
    if (good && n != arg->count)
        good = err_set(err, "--arg %s: %s has %llu numbers", arg->spec, path, (unsigned long long)n);
    buf_release(&text);
    return good;
}

static bool parse_sequence(const char *text, double *start, double *step)
{
    char first[48];
    *start = 0;
    *step = 1;
    if (*text == '\0')
        return true;
    size_t length = strcspn(++text, ":");
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    return units_parse_double(first, start) &&
           (text[length] == '\0' || units_parse_double(text + length + 1, step));
}

// `:SEED:LOW:HIGH`: all optional, LOW and HIGH together; whole numbers from LOW to HIGH when given.
static bool parse_random(const char *text, uint64_t *seed, int64_t *low, uint64_t *span)
{
    char words[3][32] = {{0}};
    int n = 0;
    for (; *text == ':' && n < 3; n++) {
        size_t length = strcspn(++text, ":");
        if (length >= sizeof words[n])
            return false;
        memcpy(words[n], text, length);
        text += length;
    }
    int64_t high = 0;
    *seed = 0, *low = 0, *span = 0;
    if (*text || n == 2 || (n && !units_parse_u64(words[0], seed)))
        return false;
    if (n < 3)
        return true;
    if (!units_parse_i64(words[1], low) || !units_parse_i64(words[2], &high) || high < *low ||
        high - *low >= UINT32_MAX)
        return false;
    *span = (uint64_t)(high - *low) + 1;
    return true;
}

static bool fill_random(const struct launch_arg *arg, uint8_t *host, const char *text)
{
    uint64_t seed, span;
    int64_t low;
    if (!parse_random(text, &seed, &low, &span))
        return false;
    for (uint64_t i = 0; i < arg->count; i++) {
        uint64_t bits =
            span ? sequence_bits((double)(low + (int64_t)((uint32_t)random_bits(seed, i, PT_U32) % span)), 0,
                                 0, arg->type)
                 : random_bits(seed, i, arg->type);
        memcpy(host + i * ptx_type_bytes(arg->type), &bits, ptx_type_bytes(arg->type));
    }
    return true;
}

static bool fill_sequence(const struct launch_arg *arg, uint8_t *host, const char *text, bool is_constant)
{
    double start, step;
    if (!parse_sequence(text, &start, &step))
        return false;
    for (uint64_t i = 0; i < arg->count; i++) {
        uint64_t bits = sequence_bits(start, is_constant ? 0 : step, i, arg->type);
        memcpy(host + i * ptx_type_bytes(arg->type), &bits, ptx_type_bytes(arg->type));
    }
    return true;
}

// `how` is WORD or WORD:rest; the rest with its colon, or NULL if the word is another.
static const char *after_word(const char *how, const char *word)
{
    size_t length = strlen(word);
    bool matches = strncmp(how, word, length) == 0 && (how[length] == '\0' || how[length] == ':');
    return matches ? how + length : NULL;
}

bool launch_arg_fill(const struct launch_arg *arg, uint8_t *host, struct err *err)
{
    const char *how = arg->value, *rest;
    bool good = false;
    memset(host, 0, launch_arg_bytes(arg));
    if (strncmp(how, "file:", 5) == 0)
        return fill_from_file(arg, how + 5, host, err);
    if (strncmp(how, "text:", 5) == 0)
        return fill_from_text(arg, how + 5, host, err);
    if (strcmp(how, "zero") == 0)
        good = true;
    else if ((rest = after_word(how, "random")))
        good = fill_random(arg, host, rest);
    else if ((rest = after_word(how, "iota")))
        good = fill_sequence(arg, host, rest, false);
    else if ((rest = after_word(how, "const")))
        good = *rest && fill_sequence(arg, host, rest, true);
    return good ||
           err_set(err,
                   "--arg %s: '%s' is not zero, iota[:START[:STEP]], const:V, random[:SEED[:LOW:HIGH]], "
                   "file:PATH or text:PATH",
                   arg->spec, how);
}

uint64_t launch_arg_bytes(const struct launch_arg *arg)
{
    return arg->kind == ARG_BUFFER ? arg->count * ptx_type_bytes(arg->type) : 0;
}

static bool place_address(uint64_t address, uint32_t index, const struct kernel_param *param, uint8_t *params,
                          struct err *err)
{
    if (param->size_bytes != 8)
        return err_set(err, "argument %u: a buffer needs a 64-bit parameter, %s has %u bytes", index,
                       param->name, param->size_bytes);
    memcpy(params + param->offset, &address, sizeof address);
    return true;
}

static bool place_buffer(struct launch_arg *arg, uint32_t index, const struct kernel_param *param,
                         struct memory *memory, uint8_t *params, struct err *err)
{
    uint64_t bytes;
    if (param->kind == 'a' && param->size_bytes == launch_arg_bytes(arg))
        return launch_arg_fill(arg, params + param->offset, err);
    if (__builtin_mul_overflow(arg->count, (uint64_t)ptx_type_bytes(arg->type), &bytes))
        return err_set(err, "argument %u: %s is larger than any memory", index, arg->spec);
    arg->address = memory_alloc(memory, bytes, BUFFER_ALIGN, arg->spec);
    if (!arg->address)
        return err_set(err, "argument %u: no room for %llu bytes in the device's memory", index,
                       (unsigned long long)bytes);
    return launch_arg_fill(arg, memory_host(memory, arg->address, bytes), err) &&
           place_address(arg->address, index, param, params, err);
}

// ---- values passed as bytes ----

static bool decode_hex(const char *text, struct buf *out)
{
    size_t length = strlen(text);
    if (length % HEX_DIGITS_PER_BYTE || strspn(text, "0123456789abcdefABCDEF") != length)
        return false;
    for (size_t i = 0; i < length; i += HEX_DIGITS_PER_BYTE) {
        char digits[] = {text[i], text[i + 1], '\0'};
        uint8_t byte = (uint8_t)strtoul(digits, NULL, 16);
        buf_add(out, &byte, 1);
    }
    return true;
}

static bool place_bytes(const struct launch_arg *arg, uint32_t index, const struct kernel_param *param,
                        uint8_t *params, struct err *err)
{
    struct buf bytes = {0};
    bool good = strncmp(arg->value, "file:", 5) == 0 ? buf_read_file(&bytes, arg->value + 5, err)
                                                     : decode_hex(arg->value, &bytes);
    if (!good)
        err_set(err, "argument %u: '%s' is not an even number of hexadecimal digits", index, arg->value);
    else if (bytes.n != param->size_bytes)
        good = err_set(err, "argument %u: %zu bytes given, parameter %s takes %u", index, bytes.n,
                       param->name, param->size_bytes);
    else
        memcpy(params + param->offset, bytes.at, bytes.n);
    buf_release(&bytes);
    return good;
}

// ---- all arguments ----

static bool place_one(struct launch_arg *args, uint32_t index, const struct kernel *kernel,
                      struct memory *memory, uint8_t *params, struct err *err)
{
    struct launch_arg *arg = &args[index];
    const struct kernel_param *param = &kernel->params[index];
    switch (arg->kind) {
    case ARG_NUMBER:
        return place_number(arg, index, param, params, err);
    case ARG_BUFFER:
        return place_buffer(arg, index, param, memory, params, err);
    case ARG_BYTES:
        return place_bytes(arg, index, param, params, err);
    case ARG_ALIAS:
        if (arg->alias >= index || args[arg->alias].kind != ARG_BUFFER)
            return err_set(err, "argument %u: %s does not name an earlier buffer argument", index, arg->spec);
        return place_address(args[arg->alias].address + arg->offset, index, param, params, err);
    }
    BUG("argument kind %d", (int)arg->kind);
}

static void describe_params(const struct kernel *kernel, struct buf *out)
{
    for (uint32_t i = 0; i < kernel->n_params; i++)
        buf_printf(out, "%s%s: %u bytes", i ? ", " : "", kernel->params[i].name,
                   kernel->params[i].size_bytes);
}

bool launch_args_place(struct launch_arg *args, uint32_t n, const struct kernel *kernel,
                       struct memory *memory, uint8_t *params, struct err *err)
{
    if (n != kernel->n_params) {
        struct buf declared = {0};
        describe_params(kernel, &declared);
        err_set(err, "%s takes %u argument%s, %u given by --arg%s%s%s", kernel->name, kernel->n_params,
                kernel->n_params == 1 ? "" : "s", n, kernel->n_params ? " (" : "",
                kernel->n_params ? declared.at : "", kernel->n_params ? ")" : "");
        buf_release(&declared);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!place_one(args, i, kernel, memory, params, err))
            return false;
    return true;
}

// ---- what came out ----

static void print_element(enum ptx_type type, const uint8_t *at, FILE *out)
{
    uint64_t bits = 0;
    uint32_t size = ptx_type_bytes(type);
    memcpy(&bits, at, size);
    if (type == PT_F32) {
        float single;
        memcpy(&single, at, sizeof single);
        fprintf(out, "%.9g", (double)single);
    } else if (type == PT_F64) {
        double real;
        memcpy(&real, at, sizeof real);
        fprintf(out, "%.17g", real);
    } else if (is_signed_type(type)) {
        fprintf(out, "%lld", (long long)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size)));
    } else {
        fprintf(out, "%llu", (unsigned long long)bits);
    }
}

bool launch_arg_print(const struct launch_arg *arg, const struct memory *memory, uint64_t first, uint64_t n,
                      FILE *out)
{
    if (arg->kind != ARG_BUFFER || first >= arg->count)
        return false;
    uint32_t size = ptx_type_bytes(arg->type);
    const uint8_t *host = memory_host(memory, arg->address, launch_arg_bytes(arg));
    if (n > arg->count - first)
        n = arg->count - first;
    for (uint64_t i = first; i < first + n; i++) {
        fputs(i == first ? "" : " ", out);
        print_element(arg->type, host + i * size, out);
    }
    fputs("\n", out);
    return true;
}

bool launch_arg_save(const struct launch_arg *arg, const struct memory *memory, const char *path,
                     struct err *err)
{
    uint64_t bytes = launch_arg_bytes(arg);
    FILE *file = fopen(path, "wb");
    if (!file)
        return err_set(err, "cannot write %s: %s", path, strerror(errno));
    bool good = fwrite(memory_host(memory, arg->address, bytes), 1, bytes, file) == bytes;
    if (fclose(file) != 0 || !good)
        return err_set(err, "cannot write %s: %s", path, strerror(errno));
    return true;
}

uint64_t launch_arg_hash(const struct launch_arg *arg, const struct memory *memory)
{
    uint64_t bytes = launch_arg_bytes(arg), hash = 14695981039346656037ull;
    const uint8_t *host = memory_host(memory, arg->address, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        hash = (hash ^ host[i]) * 1099511628211ull;
    return hash;
}
