// The engine against an H200: instructions with every combination of their suffixes, and memory, atomic, warp and
// block instructions, on operands of which half are edge values.
//
//     differential                              compares with tests/data/differential_h200.txt.zst
//     differential --write FOLDER [REFUSED]     writes what a GPU runs (tools/measure/differential.sh): kernels in
//                                               FOLDER/NN.ptx, their operands and a list; without the keys named in REFUSED
//     differential --engine OUT [REFUSED]       what the engine answers, in the form of the stored text
//
// Stored text: a line for each variant: key, number of samples, and for each result its hexadecimal digits of all samples.
#include "support/check.h"
#include "support/diff.h"
#include "support/kernel_harness.h"
#include "support/packed.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char stored_path[] = "tests/data/differential_h200.txt.zst";
static const char head[] = ".version 8.8\n.target sm_90a\n.address_size 64\n";
enum { N_FILES = 32, PER_FAMILY = 2400 };

static void make_set(struct diff_set *set)
{
    diff_set_init(set);
    diff_add_plain(set);
    diff_add_memory(set);
    diff_add_warp(set);
    diff_add_control(set);
    diff_add_video(set);
    diff_set_finish(set, PER_FAMILY);
}

// ---- for the GPU -------------------------------------------------------------------------------------

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        fail_msg("%s cannot be written", path);
    return file;
}

static void write_inputs(const struct diff_kernel *kernel, FILE *out)
{
    size_t n = (size_t)kernel->shape.n_inputs * kernel->samples;
    uint64_t *inputs = malloc(n * sizeof *inputs);
    diff_kernel_inputs(kernel, inputs);
    fwrite(inputs, sizeof *inputs, n, out);
    free(inputs);
}

static void write_list(const struct diff_kernel *kernel, uint32_t file, uint32_t number, FILE *out)
{
    fprintf(out, "kernel %u k%u %u %u %u %u %" PRIu64 "\n", file, number, kernel->shape.n_inputs, kernel->samples,
            kernel->n_results, diff_kernel_block(kernel), diff_kernel_bytes(kernel));
    for (uint32_t v = 0; v < kernel->n_variants; v++) {
        const struct diff_variant *variant = &kernel->variants[v];
        fprintf(out, "variant %u", variant->first_result);
        for (uint32_t r = 0; r < DIFF_MAX_RESULTS; r++)
            fprintf(out, " %u", r < variant->n_results ? variant->digits[r] : 0);
        fprintf(out, " %s\n", variant->key);
    }
}

// All but the refused ones, which a file names. `keys` holds their text.
static void make_legal_set(struct diff_set *set, const char *refused, struct buf *keys)
{
    struct err err = {0};
    if (refused && !buf_read_file(keys, refused, &err))
        fail_msg("%s", err.text);
    for (char *key = refused && keys->n ? strtok(keys->at, "\n") : NULL; key; key = strtok(NULL, "\n"))
        map_set(&set->keys, key, strlen(key), set);
    make_set(set);
}

static int write_cases(const char *folder, const char *refused)
{
    struct diff_set set = {0};
    struct buf keys = {0};
    make_legal_set(&set, refused, &keys);
    FILE *list = open_in(folder, "list", "w"), *inputs = open_in(folder, "inputs", "wb");
    for (uint32_t file = 0; file < N_FILES; file++) {
        char name[32];
        snprintf(name, sizeof name, "%02u.ptx", file);
        FILE *ptx = open_in(folder, name, "w");
        fputs(head, ptx);
        for (uint32_t i = file; i < set.n; i += N_FILES) {
            struct buf text = {0};
            snprintf(name, sizeof name, "k%u", i);
            diff_kernel_text(&set.kernels[i], name, &text);
            fputs(text.at, ptx);
            write_list(&set.kernels[i], file, i, list);
            write_inputs(&set.kernels[i], inputs);
            buf_release(&text);
        }
        fclose(ptx);
    }
    fclose(list);
    fclose(inputs);
    printf("%u variants in %u kernels\n", set.n_variants, set.n);
    diff_set_release(&set);
    buf_release(&keys);
    return 0;
}

// ---- the stored answers ------------------------------------------------------------------------------

// A line: the key, a tab, the number of samples, and for each result a tab and its digits.
struct answer {
    uint32_t samples;
    const char *results[DIFF_MAX_RESULTS];
};

static struct answer *read_line(struct diff_set *set, char *line, const char **key)
{
    struct answer *answer = calloc(1, sizeof *answer);
    char *at = strchr(line, '\t');
    assert_non_null(at);
    *at = '\0';
    *key = line;
    answer->samples = (uint32_t)strtoul(at + 1, &at, 10);
    for (uint32_t r = 0; r < DIFF_MAX_RESULTS && *at == '\t'; r++) {
        answer->results[r] = at + 1;
        at += 1 + strcspn(at + 1, "\t\n");
    }
    map_set(&set->keys, line, strlen(line), (void *)(uintptr_t)answer->samples);
    return answer;
}

// ---- the comparison ----------------------------------------------------------------------------------

static const struct diff_kernel *running;
static void fill(void *buffer)
{
    diff_kernel_inputs(running, buffer);
}

static uint64_t digits_at(const char *text, uint32_t digits, uint32_t sample)
{
    char word[17] = "";
    memcpy(word, text + (size_t)digits * sample, digits);
    return strtoull(word, NULL, 16);
}

static void show(const struct diff_kernel *k, const struct diff_variant *variant, const uint64_t *buffer, uint32_t i,
                 uint32_t r, uint64_t got, uint64_t want)
{
    print_error("%s: sample %u, in", variant->key, i);
    for (uint32_t n = 0; n < k->shape.n_inputs; n++)
        print_error(" %" PRIx64, buffer[n * k->samples + i]);
    print_error(": result %u is %" PRIx64 ", H200 %" PRIx64 "\n", r, got, want);
}

// Number of samples that differ; the first is shown.
static uint32_t compare(const struct diff_kernel *k, const struct diff_variant *variant, const struct answer *answer,
                        const uint64_t *buffer)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < variant->n_results; r++) {
        const uint64_t *results = buffer + (size_t)(k->shape.n_inputs + variant->first_result + r) * k->samples;
        const uint64_t mask = UINT64_MAX >> (64 - 4 * variant->digits[r]);
        for (uint32_t i = 0; i < k->samples; i++) {
            uint64_t want = digits_at(answer->results[r], variant->digits[r], i);
            if ((results[i] & mask) != want && n++ == 0)
                show(k, variant, buffer, i, r, results[i] & mask, want);
        }
    }
    if (n)
        print_error("    %u of %u differ\n", n, k->samples);
    return n;
}

static void run_kernel(const struct diff_kernel *kernel, struct kernel_run *run)
{
    struct buf text = {0};
    buf_puts(&text, head);
    diff_kernel_text(kernel, "k", &text);
    running = kernel;
    *run = (struct kernel_run){.text = text.at,
                               .threads = {diff_kernel_block(kernel), 1, 1},
                               .blocks = kernel->samples / diff_kernel_block(kernel),
                               .bytes = (uint32_t)diff_kernel_bytes(kernel),
                               .fill = fill};
    kernel_run(run);
    if (run->fault.kind != FAULT_NONE)
        fail_msg("fault %d at %" PRIx64 " (buffer %" PRIx64 ") in the kernel with %s", run->fault.kind, run->fault.address, run->address, kernel->variants[0].key);
    buf_release(&text);
}

static uint32_t compare_kernel(const struct diff_kernel *kernel, const struct map *answers)
{
    struct kernel_run run;
    uint32_t n_different = 0;
    run_kernel(kernel, &run);
    for (uint32_t v = 0; v < kernel->n_variants; v++) {
        const struct diff_variant *variant = &kernel->variants[v];
        const struct answer *answer = map_get(answers, variant->key, strlen(variant->key));
        n_different += compare(kernel, variant, answer, run.buffer) > 0;
    }
    kernel_run_end(&run);
    return n_different;
}

static void write_answers(const struct diff_kernel *k, const uint64_t *buffer, FILE *out)
{
    for (uint32_t v = 0; v < k->n_variants; v++) {
        const struct diff_variant *variant = &k->variants[v];
        fprintf(out, "%s\t%u", variant->key, k->samples);
        for (uint32_t r = 0; r < variant->n_results; r++) {
            const uint64_t *results = buffer + (size_t)(k->shape.n_inputs + variant->first_result + r) * k->samples;
            fputc('\t', out);
            for (uint32_t i = 0; i < k->samples; i++)
                fprintf(out, "%0*" PRIx64, variant->digits[r], results[i] & UINT64_MAX >> (64 - 4 * variant->digits[r]));
        }
        fputc('\n', out);
    }
}

static int write_engine(const char *path, const char *refused)
{
    struct diff_set set = {0};
    struct buf keys = {0};
    make_legal_set(&set, refused, &keys);
    FILE *out = fopen(path, "w");
    if (!out)
        fail_msg("%s cannot be written", path);
    for (uint32_t i = 0; i < set.n; i++) {
        struct kernel_run run;
        run_kernel(&set.kernels[i], &run);
        write_answers(&set.kernels[i], run.buffer, out);
        kernel_run_end(&run);
    }
    diff_set_release(&set);
    buf_release(&keys);
    return fclose(out);
}

static void results_are_the_gpus(void **unused)
{
    (void)unused;
    struct diff_set set = {.only = true};
    struct map answers = {0};
    struct buf stored = {0};
    uint32_t n_different = 0;
    packed_read(stored_path, &stored);
    for (char *line = stored.at, *end; *line; line = end + 1) {
        const char *key;
        end = strchr(line, '\n');
        *end = '\0';
        struct answer *answer = read_line(&set, line, &key);
        map_set(&answers, key, strlen(key), answer);
    }
    make_set(&set);
    for (size_t i = 0; i < answers.n; i++)
        if (!map_get(&set.made, answers.entries[i].key, answers.entries[i].key_length))
            fail_msg("%s is no longer made", answers.entries[i].key);
    for (uint32_t i = 0; i < set.n; i++)
        n_different += compare_kernel(&set.kernels[i], &answers);
    print_message("%zu variants compared with an H200, %u differ\n", answers.n, n_different);
    for (size_t i = 0; i < answers.n; i++)
        free(answers.entries[i].value);
    map_release(&answers);
    diff_set_release(&set);
    buf_release(&stored);
    assert_int_equal(n_different, 0);
}

// ---- what is covered -----------------------------------------------------------------------------------

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The words of an opcode in one order, since compilers and libraries write them in several.
static void sort_words(const char *opcode, char *out, size_t size)
{
    char copy[200], *words[24];
    size_t n = 0, length = 0;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(opcode, "|"), opcode);
    for (char *word = strtok(copy, "."); word && n < N_ELEMENTS(words); word = strtok(NULL, "."))
        words[n++] = word;
    qsort(words, n, sizeof words[0], compare_words);
    for (size_t i = 0; i < n; i++)
        length += (size_t)snprintf(out + length, size - length, "%s.", words[i]);
}

// Opcodes that have no answer in differential_h200.txt, and why. A name that ends in a dot stands for all that begin with it; `~`
// for all that contain the rest.
static const struct {
    const char *names, *why;
} elsewhere[] = {
    {"trap brkpt", "end a kernel: rt/fault, by h200_runtime.txt"},
    {"cp. ~barrier.cluster ~shared::cluster mapa.", "copies and clusters: op/bulk, op/tensor_copy, kernel/cluster, rt/async"},
    {"mma. wmma. wgmma. ldmatrix. stmatrix. movmatrix.", "matrices: op/tensor, op/wgmma"},
    {"tex. suld. sust.", "textures: op/texture, rt/texture"},
    {"tensormap. prefetch.tensormap", "tensor maps: op/bulk, op/tensor_copy"},
    {"tcgen05. clusterlaunchcontrol. ~f32x2", "of sm_100 and later: an H200 has none of it"},
    {"vote.any.pred mad.f32", "ptxas takes them for no GPU since sm_70, sm_20"},
    {"xor prmt lop3", "no instructions: a type is missing"},
};
static uint32_t n_elsewhere[N_ELEMENTS(elsewhere)];

static bool is_named(const char *opcode, const char *name, size_t length)
{
    if (*name == '~') {
        char rest[64];
        snprintf(rest, sizeof rest, "%.*s", (int)length - 1, name + 1);
        return strstr(opcode, rest) != NULL;
    }
    return strncmp(opcode, name, length) == 0 && (name[length - 1] == '.' || opcode[length] == '\0');
}

static bool is_elsewhere(const char *opcode)
{
    for (size_t i = 0; i < N_ELEMENTS(elsewhere); i++)
        for (const char *at = elsewhere[i].names; *at; at += *at == ' ') {
            const size_t length = strcspn(at, " ");
            if (is_named(opcode, at, length)) {
                n_elsewhere[i]++;
                return true;
            }
            at += length;
        }
    return false;
}

static void opcodes_of_programs_have_a_case(void **unused)
{
    (void)unused;
    struct buf stored = {0}, list = {0};
    struct err err = {0};
    struct map have = {0};
    struct arena arena;
    char sorted[256], opcode[200];
    uint32_t n_missing = 0, n_covered = 0, n_files, n;
    arena_init(&arena, "opcodes");
    packed_read(stored_path, &stored);
    for (char *line = stored.at; *line; line = strchr(line, '\n') + 1) {
        sort_words(line, sorted, sizeof sorted);
        map_set(&have, arena_string(&arena, sorted, strlen(sorted)), strlen(sorted), &have);
    }
    assert_true(buf_read_file(&list, "tests/data/ptx_opcodes.csv", &err));
    for (char *line = list.at; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (sscanf(line, "%199[^,],%*[^,],%u,%u", opcode, &n, &n_files) != 3 || n_files < 2 || is_elsewhere(opcode))
            continue;
        sort_words(opcode, sorted, sizeof sorted);
        const bool is_there = map_get(&have, sorted, strlen(sorted)) != NULL;
        n_covered += is_there;
        n_missing += !is_there;
        if (!is_there)
            print_error("no answer of a GPU for %s (%u files)\n", opcode, n_files);
    }
    print_message("%u opcodes of two or more files have answers of a GPU\n", n_covered);
    for (size_t i = 0; i < N_ELEMENTS(elsewhere); i++) {
        print_message("%4u not here: %s (%s)\n", n_elsewhere[i], elsewhere[i].why, elsewhere[i].names);
        assert_true(n_elsewhere[i]);
    }
    map_release(&have);
    buf_release(&stored);
    buf_release(&list);
    arena_release(&arena);
    assert_int_equal(n_missing, 0);
}

static bool computes_nothing(const char *key)
{
    static const char *const families[] = {"alloca", "stacksave", "membar", "griddepcontrol", "nanosleep", "pmevent", "prefetch",
                                           "applypriority", "discard"};
    for (size_t i = 0; i < N_ELEMENTS(families); i++)
        if (strncmp(key, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

struct count {
    uint32_t n_variants, n_samples;
};

// At least 32 operand sets for each variant and 2,000 for each family, but for those that compute nothing.
static void there_are_enough(void **unused)
{
    (void)unused;
    struct buf stored = {0};
    struct arena arena;
    struct map families = {0};
    arena_init(&arena, "families");
    packed_read(stored_path, &stored);
    for (char *line = stored.at; *line; line = strchr(line, '\n') + 1) {
        const size_t length = strcspn(line, ".|");
        const uint32_t samples = (uint32_t)strtoul(strchr(line, '\t') + 1, NULL, 10);
        struct count *count = map_get(&families, line, length);
        if (!count) {
            count = arena_new(&arena, struct count);
            map_set(&families, line, length, count);
        }
        count->n_variants++;
        count->n_samples += samples;
        if (samples < 32)
            fail_msg("%.*s: %u operand sets", (int)strcspn(line, "\t"), line, samples);
    }
    for (size_t i = 0; i < families.n; i++) {
        const struct count *count = families.entries[i].value;
        const char *name = families.entries[i].key;
        const int length = (int)families.entries[i].key_length;
        print_message("%.*s: %u variants, %u cases\n", length, name, count->n_variants, count->n_samples);
        if (count->n_samples < 2000 && !computes_nothing(name))
            fail_msg("%.*s: %u operand sets", length, name, count->n_samples);
    }
    map_release(&families);
    buf_release(&stored);
    arena_release(&arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_the_gpus),
                                       cmocka_unit_test(opcodes_of_programs_have_a_case),
                                       cmocka_unit_test(there_are_enough)};
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "--write") == 0)
        return write_cases(argv[2], argc == 4 ? argv[3] : NULL);
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "--engine") == 0)
        return write_engine(argv[2], argc == 4 ? argv[3] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
