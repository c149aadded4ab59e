// Output of cuobjdump --dump-resource-usage:
//   arch = sm_90
//    Function NAME:
//     REG:14 STACK:0 SHARED:22272 LOCAL:0 CONSTANT[0]:552 TEXTURE:0 SURFACE:0 SAMPLER:0
#include "triage/triage.h"
#include <stdlib.h>
#include <string.h>

struct resource_reader {
    struct triage *t;
    const char *path;
    uint32_t line;
    const char *name; // of the function whose numbers come next; NULL: none
    size_t n_name;
    unsigned cc; // of the image; 0: not told
    bool is_arch_specific;
    uint32_t n_found;
};

static const char *find(const char *line, size_t n, const char *word)
{
    return memmem(line, n, word, strlen(word));
}

// The number behind a label; NAN: there is none.
static double number_behind(const char *line, size_t n, const char *label)
{
    char digits[16];
    size_t length = 0;
    const char *at = find(line, n, label), *end = line + n;
    for (at = at ? at + strlen(label) : end;
         at < end && *at >= '0' && *at <= '9' && length + 1 < sizeof digits; at++)
        digits[length++] = *at;
    digits[length] = '\0';
    return length ? strtod(digits, NULL) : (double)NAN;
}

static void read_numbers(struct resource_reader *r, const char *line, size_t n)
{
    static const struct {
        const char *label;
        enum triage_value value;
    } fields[] = {{"REG:", TRIAGE_registers},
                  {"STACK:", TRIAGE_stack_bytes},
                  {"LOCAL:", TRIAGE_local_bytes},
                  {"CONSTANT[0]:", TRIAGE_constant_bytes},
                  {"TEXTURE:", TRIAGE_textures}};
    struct triage_kernel *k =
        triage_add(r->t, TRIAGE_FROM_CUOBJDUMP, arena_printf(r->t->arena, "%s:%u", r->path, r->line), r->name,
                   r->n_name, r->cc);
    k->is_arch_specific = r->is_arch_specific;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        k->values[fields[i].value] = number_behind(line, n, fields[i].label);
    k->values[TRIAGE_shared_bytes] = triage_own_shared(r->cc, number_behind(line, n, "SHARED:"));
    r->n_found++;
}

static void read_line(struct resource_reader *r, const char *line, size_t n)
{
    static const char function[] = "Function ", arch[] = "arch = sm_";
    const char *at = find(line, n, arch);
    if (at) {
        double cc = number_behind(line, n, arch);
        r->cc = cc > 0 && cc < 1000 ? (unsigned)cc : 0;
        for (at += strlen(arch); at < line + n && *at >= '0' && *at <= '9';)
            at++;
        r->is_arch_specific = at < line + n && *at == 'a';
    } else if ((at = find(line, n, function)) && n > 1 && line[n - 1] == ':') {
        r->name = at + strlen(function);
        r->n_name = (size_t)(line + n - 1 - r->name);
    } else if (r->name && find(line, n, "REG:") && find(line, n, "SHARED:")) {
        read_numbers(r, line, n);
        r->name = NULL;
    }
}

uint32_t triage_read_resources(struct triage *t, const char *path, const char *text, size_t n)
{
    struct resource_reader r = {.t = t, .path = path};
    for (const char *at = text, *end = text + n; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        const char *next = line_end ? line_end + 1 : end;
        size_t length = (size_t)((line_end ? line_end : end) - at);
        while (length && (at[length - 1] == ' ' || at[length - 1] == '\r'))
            length--;
        r.line++;
        read_line(&r, at, length);
        at = next;
    }
    return r.n_found;
}
