// The memory mix of machine code: weighted by how often an H200 executed each instruction it gives what the
// card counted by opcode and width; on every target it is what the disassembler shows.
#include "image/cubin.h"
#include "support/check.h"
#include "triage/mix.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DATA "tests/data/"
enum { N_WIDTHS = 512, LINE_BYTES = 1 << 16 };

struct tally {
    uint64_t n[N_MIX_KINDS][N_WIDTHS]; // by bits of a lane
};

struct file {
    uint8_t *bytes;
    size_t n;
};

static struct file read_whole(const char *path)
{
    struct file file = {malloc(1 << 20), 0};
    FILE *in = fopen(path, "rb");
    if (!in)
        fail_msg("no file %s", path);
    file.n = fread(file.bytes, 1, 1 << 20, in);
    fclose(in);
    return file;
}

// ---- code -------------------------------------------------------------------------------------------------

struct code_image {
    const char *bytes;
    size_t n;
    unsigned cc;
    struct elf elf;
};

// Images of a fatbin for a capability; 0: the first.
static bool open_code(struct arena *arena, const struct file *file, unsigned cc, struct code_image *out)
{
    struct image_list images = {0};
    struct err err = {0};
    assert_true(image_scan("fatbin", file->bytes, file->n, &images, &err));
    bool is_found = false;
    for (size_t i = 0; i < images.n && !is_found; i++)
        if (images.at[i].kind == IMAGE_CUBIN && (!cc || images.at[i].cc == cc)) {
            assert_true(image_decode(arena, &images.at[i], &out->bytes, &out->n, &err));
            assert_true(elf_open("cubin", out->bytes, out->n, &out->elf, &err));
            out->cc = images.at[i].cc;
            is_found = true;
        }
    image_list_release(&images);
    return is_found;
}

static bool text_of(const struct code_image *code, const char *kernel, struct elf_section *out)
{
    char name[256];
    snprintf(name, sizeof name, ".text.%s", kernel);
    return elf_find_section(&code->elf, name, out) && out->bytes;
}

static void add_code(struct tally *tally, const struct code_image *code, const char *kernel,
                     const uint64_t *weights, uint32_t n_weights)
{
    struct elf_section text;
    if (!text_of(code, kernel, &text))
        fail_msg("no code of %s", kernel);
    for (uint32_t at = 0; at + SASS_BYTES <= text.n_bytes; at += SASS_BYTES) {
        uint64_t words[2];
        struct sass_insn insn;
        enum mix_kind kind;
        uint32_t bits, index = at / SASS_BYTES;
        memcpy(words, text.bytes + at, sizeof words);
        sass_decode(code->cc, words, at, &insn);
        if (mix_of(&insn, &kind, &bits))
            tally->n[kind][bits] += index < n_weights ? weights[index] : 0;
    }
}

// ---- texts ------------------------------------------------------------------------------------------------

// "LDG.E.128.CONSTANT" is 128 bits of LDG: the width among the modifiers, 32 where none is.
static void add_name(struct tally *tally, const char *name, uint64_t n)
{
    static const struct {
        const char *text;
        uint32_t bits;
    } widths[] = {{"U8", 8}, {"S8", 8}, {"U16", 16}, {"S16", 16}, {"64", 64}, {"128", 128}, {"256", 256}};
    char copy[128];
    snprintf(copy, sizeof copy, "%s", name);
    char *state, *word = strtok_r(copy, ".", &state);
    for (int kind = 0; word && kind < N_MIX_KINDS; kind++)
        if (strcmp(mix_name((enum mix_kind)kind), word) == 0) {
            uint32_t bits = 32;
            while ((word = strtok_r(NULL, ".", &state)))
                for (size_t i = 0; i < N_ELEMENTS(widths); i++)
                    bits = strcmp(word, widths[i].text) == 0 ? widths[i].bits : bits;
            tally->n[kind][bits] += n;
            return;
        }
}

static void assert_tallies_equal(const char *what, const struct tally *a, const struct tally *b)
{
    for (int kind = 0; kind < N_MIX_KINDS; kind++)
        for (uint32_t bits = 0; bits < N_WIDTHS; bits++)
            if (a->n[kind][bits] != b->n[kind][bits])
                fail_msg("%s: %llu of %s.%u, not %llu", what, (unsigned long long)a->n[kind][bits],
                         mix_name((enum mix_kind)kind), bits, (unsigned long long)b->n[kind][bits]);
}

// "0-1c0:16 1d0:32": executions of the instructions at these offsets.
static uint32_t read_ranges(char *text, uint64_t *weights, uint32_t most)
{
    uint32_t n = 0;
    for (char *at = text, *end; *at; at = end) {
        uint32_t first = (uint32_t)strtoul(at, &end, 16) / SASS_BYTES, last = first;
        if (*end == '-')
            last = (uint32_t)strtoul(end + 1, &end, 16) / SASS_BYTES;
        uint64_t count = strtoull(end + 1, &end, 10);
        for (uint32_t i = first; i <= last && i < most; i++)
            weights[i] = count;
        n = last + 1 > n ? last + 1 : n;
        while (isspace((unsigned char)*end))
            end++;
    }
    return n < most ? n : most;
}

// The line of a kernel's executions in h200_instructions.txt.
static uint32_t find_weights(FILE *in, const char *program, const char *kernel, uint64_t *weights,
                             uint32_t most)
{
    static char line[LINE_BYTES];
    char head[256];
    snprintf(head, sizeof head, "%s %s inst_executed ", program, kernel);
    rewind(in);
    while (fgets(line, sizeof line, in))
        if (strncmp(line, head, strlen(head)) == 0)
            return read_ranges(line + strlen(head), weights, most);
    fail_msg("no executions of %s", head);
    return 0;
}

// ---- the H200 ---------------------------------------------------------------------------------------------

enum { MOST_INSNS = 1 << 14 };

static void check_kernel(struct arena *arena, FILE *executions, char *line)
{
    static uint64_t weights[MOST_INSNS];
    static struct tally counted, executed;
    char *state, *program = strtok_r(line, " \n", &state), *kernel = strtok_r(NULL, " \n", &state);
    memset(&counted, 0, sizeof counted);
    memset(&executed, 0, sizeof executed);
    memset(weights, 0, sizeof weights);
    for (char *name; (name = strtok_r(NULL, ": \n", &state));)
        add_name(&counted, name, strtoull(strtok_r(NULL, ": \n", &state), NULL, 10));
    char path[256];
    snprintf(path, sizeof path, DATA "cubins/%s.fatbin", program);
    struct file file = read_whole(path);
    struct code_image code;
    assert_true(open_code(arena, &file, 0, &code));
    uint32_t n = find_weights(executions, program, kernel, weights, MOST_INSNS);
    add_code(&executed, &code, kernel, weights, n);
    assert_tallies_equal(kernel, &executed, &counted);
    free(file.bytes);
}

static void test_executed_widths(void **state)
{
    (void)state;
    static char line[LINE_BYTES];
    FILE *widths = fopen(DATA "triage/h200_widths.txt", "r");
    FILE *executions = fopen(DATA "h200_instructions.txt", "r");
    assert_non_null(widths);
    assert_non_null(executions);
    uint32_t n_kernels = 0;
    while (fgets(line, sizeof line, widths)) {
        if (*line == '#')
            continue;
        struct arena arena;
        arena_init(&arena, "test");
        check_kernel(&arena, executions, line);
        arena_release(&arena);
        n_kernels++;
    }
    assert_int_equal(n_kernels, 159);
    fclose(widths);
    fclose(executions);
}

// ---- every target -----------------------------------------------------------------------------------------

static struct triage_kernel *find_row(const struct triage *t, const char *name, unsigned cc)
{
    for (size_t i = 0; i < t->kernels.n; i++)
        if (t->kernels.at[i]->cc == cc && strcmp(t->kernels.at[i]->name, name) == 0)
            return t->kernels.at[i];
    return NULL;
}

// Instructions of a cell "LDG.128:4" on a line of the mix ("-": without lines).
static uint32_t count_in_mix(const struct triage_mix *mix, const char *file, uint32_t line, const char *kind,
                             uint32_t bits)
{
    uint32_t n = 0;
    for (size_t i = 0; i < mix->n_rows; i++)
        if (mix->rows[i].line == line && strcmp(mix->rows[i].file, file) == 0 && mix->rows[i].bits == bits &&
            strcmp(mix_name(mix->rows[i].kind), kind) == 0)
            n += mix->rows[i].n;
    return n;
}

static uint32_t count_all(const struct triage *t)
{
    uint32_t n = 0;
    for (size_t i = 0; i < t->kernels.n; i++)
        for (size_t r = 0; t->kernels.at[i]->mix && r < t->kernels.at[i]->mix->n_rows; r++)
            n += t->kernels.at[i]->mix->rows[r].n;
    return n;
}

static void read_fatbin(struct triage *t, const char *path)
{
    struct err err = {0};
    bool is_ptx;
    struct file file = read_whole(path);
    if (!triage_read(t, path, file.bytes, file.n, &is_ptx, &err))
        fail_msg("%s: %s", path, err.text);
    free(file.bytes);
}

// One line of mix.txt behind the file's name: "75 KERNEL PLACE NAME.BITS:COUNT …". The instructions that it
// names.
static uint32_t check_line(const struct triage *t, char *rest)
{
    char *state, *cc = strtok_r(rest, " \n", &state), *kernel = strtok_r(NULL, " \n", &state);
    char *place = strtok_r(NULL, " \n", &state), *colon = strchr(place, ':');
    uint32_t line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0, n = 0;
    if (colon)
        *colon = '\0';
    const struct triage_kernel *k = find_row(t, kernel, (unsigned)strtoul(cc, NULL, 10));
    if (!k || !k->mix)
        fail_msg("sm_%s: no mix of %s", cc, kernel);
    for (char *cell; (cell = strtok_r(NULL, " \n", &state));) {
        char *dot = strchr(cell, '.'), *end;
        *dot = '\0';
        uint32_t bits = (uint32_t)strtoul(dot + 1, &end, 10), expected = (uint32_t)strtoul(end + 1, NULL, 10);
        uint32_t found = count_in_mix(k->mix, colon ? place : "", line, cell, bits);
        if (found != expected)
            fail_msg("sm_%s %s line %u: %u of %s.%u, not %u", cc, kernel, line, found, cell, bits, expected);
        n += expected;
    }
    return n;
}

static void test_every_target(void **state)
{
    static const char *const files[] = {"mix_widths", "mix_local", "mix_reduce", "mix_transpose"};
    static char line[LINE_BYTES];
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(files); i++) {
        struct arena arena;
        struct triage t;
        char path[256];
        uint32_t n = 0;
        size_t n_name = strlen(files[i]);
        arena_init(&arena, "test");
        triage_init(&t, &arena);
        snprintf(path, sizeof path, DATA "triage/%s.fatbin", files[i]);
        read_fatbin(&t, path);
        FILE *expected = fopen(DATA "triage/mix.txt", "r");
        assert_non_null(expected);
        while (fgets(line, sizeof line, expected))
            if (strncmp(line, files[i], n_name) == 0 && line[n_name] == ' ')
                n += check_line(&t, line + n_name + 1);
        fclose(expected);
        assert_true(n > 50);
        assert_int_equal(count_all(&t), n);
        triage_release(&t);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_executed_widths),
                                       cmocka_unit_test(test_every_target)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
