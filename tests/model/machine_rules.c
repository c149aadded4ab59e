// The machine code of tests/data/programs/rules.cu on the model: every launch that an H200 counted (small kernels of one
// warp that isolate one counting rule each, under every lane pattern), every instruction of it. Compared are executed
// instructions in total and by opcode, tag requests, ideal and local sectors in total; wavefronts, ideal wavefronts and
// sectors at each instruction.
//
// Open: in ldg_twice, where a branch divides the warp, the card's own passes disagree in four launches: the total has one
// instruction more than the sum of the opcodes, which is ours. Of LDGSTS.BYPASS guarded by P0 the profiler counts neither
// wavefronts nor sectors, because its own code has overwritten P0 (doc/counts.md): left out here as well.
//
// The launches run in the order of the program and share its buffers, so that each meets the values that it met there.
#include "base/buf.h"
#include "cycle/run.h"
#include "rt/module.h"
#include "support/check.h"
#include "support/packed.h"
#include "support/patterns.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_BYTES = 4096, IO_BYTES = 1 << 20, GUEST_BYTES = 16 << 20, SHOWN = 40, N_OPEN = 4 };

static bool is_open(const char *kernel, const char *what, const char *where)
{
    bool is_total = strcmp(what, "executed") == 0 && !*where;
    return strcmp(kernel, "ldg_twice") == 0 && is_total;
}

struct bench {
    struct arena arena;
    struct device device;
    struct buf bytes; // of the file
    struct image_list images;
    struct module module;
    struct memory *memory;
    struct engine *engine;
    uint64_t idx, io, out;
    uint32_t launches, equal, open, wrong; // launches; values
};

// One launch and what was counted in it.
struct run {
    const struct kernel *kernel;
    struct counters *counters;
    const char *name, *pattern;
};

static void bench_init(struct bench *b)
{
    struct err err = {0};
    arena_init(&b->arena, "rules");
    b->module = (struct module){.path = "tests/data/cubins/rules.fatbin", .engine = ENGINE_SASS};
    if (!device_load(&b->arena, "h200", &b->device, &err) || !(b->memory = memory_new(GUEST_BYTES, &err)) ||
        !buf_read_file(&b->bytes, b->module.path, &err) ||
        !image_scan(b->module.path, b->bytes.at, b->bytes.n, &b->images, &err) ||
        !module_of_images(&b->arena, &b->images, (unsigned)b->device.cc, &b->module, &err) ||
        !module_place(&b->module, b->memory, &err))
        fail_msg("%s", err.text);
    b->engine = engine_new(&b->device);
    b->idx = memory_alloc(b->memory, 128, 256, "idx");
    b->out = memory_alloc(b->memory, OUT_BYTES, 256, "out");
    b->io = memory_alloc(b->memory, IO_BYTES, 256, "io");
    memset(memory_host(b->memory, b->out, OUT_BYTES), 0, OUT_BYTES);
    memset(memory_host(b->memory, b->io, IO_BYTES), 0, IO_BYTES);
}

static void bench_release(struct bench *b)
{
    engine_delete(b->engine);
    image_list_release(&b->images);
    buf_release(&b->bytes);
    memory_delete(b->memory);
    arena_release(&b->arena);
}

static void launch(struct bench *b, struct arena *arena, struct run *run)
{
    struct err err = {0};
    int index[N_LANES];
    if (!pattern_indices(run->pattern, index))
        fail_msg("no pattern %s", run->pattern);
    memcpy(memory_host(b->memory, b->idx, sizeof index), index, sizeof index);
    run->kernel = module_kernel(&b->module, b->memory, run->name, NULL, &err);
    if (!run->kernel)
        fail_msg("%s: %s", run->name, err.text);
    uint64_t two[] = {b->idx, b->out}, three[] = {b->idx, b->io, b->out};
    const struct module *module = &b->module;
    struct launch l = {.kernel = run->kernel,
                       .grid = {1, 1, 1},
                       .block = {N_LANES, 1, 1},
                       .params = (const uint8_t *)(run->kernel->n_params == 3 ? three : two),
                       .constant_bytes = (uint32_t)module->constant_bytes,
                       .memory = b->memory,
                       .n_sms = (uint32_t)b->device.n_sms};
    l.constants = memory_host(b->memory, module->constant_address, module->constant_bytes);
    run->counters = arena_array(arena, struct counters, run->kernel->n_insns);
    struct run_options options = {.model = MODEL_COUNTERS};
    struct run_result result = {0};
    if (!engine_run(b->engine, &l, &options, run->counters, &result, &err) || result.fault.kind != FAULT_NONE)
        fail_msg("%s %s: %s", run->name, run->pattern, *err.text ? err.text : "fault");
}

static void forget_spoilt_counts(struct run *run)
{
    static const char spoilt[] = "@P0 LDGSTS.E.BYPASS";
    for (uint32_t i = 0; i < run->kernel->n_insns; i++)
        if (strncmp(run->kernel->texts[i], spoilt, sizeof spoilt - 1) == 0) {
            struct counters *c = &run->counters[i];
            c->shared_wavefronts = c->shared_ideal = c->global_sectors = c->global_ideal = 0;
        }
}

static void check(struct bench *b, const struct run *run, const char *what, const char *where, uint64_t theirs, uint64_t ours)
{
    if (theirs == ours) {
        b->equal++;
        return;
    }
    if (is_open(run->name, what, where)) {
        b->open++;
        return;
    }
    if (b->wrong++ < SHOWN)
        printf("%s %s: %s%s%s is %llu on the H200, here %llu\n", run->name, run->pattern, what, *where ? " " : "", where,
               (unsigned long long)theirs, (unsigned long long)ours);
}

static uint64_t sum_of(const struct run *run, enum counter counter)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < run->kernel->n_insns; i++)
        sum += counter_get(&run->counters[i], counter);
    return sum;
}

// "@!P0 LDG.E R2, …" begins with the opcode LDG, behind the guard.
static bool is_opcode(const char *text, const char *opcode)
{
    const char *blank = *text == '@' ? strchr(text, ' ') : NULL;
    const char *at = blank ? blank + 1 : text;
    size_t n = strcspn(at, " .");
    return strncmp(at, opcode, n) == 0 && opcode[n] == '\0';
}

static uint64_t executed_of(const struct run *run, const char *opcode)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < run->kernel->n_insns; i++)
        if (is_opcode(run->kernel->texts[i], opcode))
            sum += run->counters[i].executed;
    return sum;
}

// ---- rows: words, a heading and its values

static enum counter counter_of(const char *heading)
{
    static const struct {
        const char *heading;
        enum counter counter;
    } headings[] = {{"executed", COUNTER_executed},        {"tags", COUNTER_global_tags},
                    {"sectors_ideal", COUNTER_global_ideal}, {"local", COUNTER_local_sectors},
                    {"wavefronts", COUNTER_shared_wavefronts}, {"ideal", COUNTER_shared_ideal},
                    {"sectors", COUNTER_global_sectors}};
    for (size_t i = 0; i < N_ELEMENTS(headings); i++)
        if (strcmp(headings[i].heading, heading) == 0)
            return headings[i].counter;
    return N_COUNTERS;
}

// "220:64": the instruction at byte 0x220. Those not named have none.
static uint64_t check_at(struct bench *b, const struct run *run, const char *heading, char *item)
{
    char *colon = strchr(item, ':');
    *colon = '\0';
    unsigned long insn = strtoul(item, NULL, 16) / 16;
    uint64_t theirs = strtoull(colon + 1, NULL, 10);
    if (insn >= run->kernel->n_insns)
        fail_msg("%s has no instruction at %s", run->name, item);
    check(b, run, heading, item, theirs, counter_get(&run->counters[insn], counter_of(heading)));
    return theirs;
}

// The values behind a heading; gives back the next heading.
static char *check_items(struct bench *b, const struct run *run, const char *heading, char **rest)
{
    char *word;
    uint64_t sum = 0;
    bool is_opcodes = strcmp(heading, "opcodes") == 0;
    while ((word = strsep(rest, " ")) && strchr(word, ':')) {
        char *colon = strchr(word, ':');
        if (!is_opcodes) {
            sum += check_at(b, run, heading, word);
            continue;
        }
        *colon = '\0';
        uint64_t theirs = strtoull(colon + 1, NULL, 10);
        sum += theirs;
        check(b, run, "executed", word, theirs, executed_of(run, word));
    }
    check(b, run, "the sum of", heading, sum, sum_of(run, is_opcodes ? COUNTER_executed : counter_of(heading)));
    return word;
}

static void check_row(struct bench *b, char *line)
{
    struct arena arena;
    struct run run = {0};
    arena_init(&arena, "launch");
    run.name = strsep(&line, " ");
    run.pattern = strsep(&line, " ");
    launch(b, &arena, &run);
    forget_spoilt_counts(&run);
    b->launches++;
    for (char *heading = strsep(&line, " "), *next; heading; heading = next) {
        bool is_total = line && strchr("0123456789", *line) && strcspn(line, " ") < strcspn(line, ":");
        if (is_total) {
            check(b, &run, heading, "", strtoull(strsep(&line, " "), NULL, 10), sum_of(&run, counter_of(heading)));
            next = strsep(&line, " ");
        } else {
            next = check_items(b, &run, heading, &line);
        }
    }
    arena_release(&arena);
}

static void test_every_launch(void **state)
{
    (void)state;
    struct bench b = {0};
    struct buf text = {0};
    packed_read("tests/data/rules_instructions.txt.zst", &text);
    char *at = text.at;
    bench_init(&b);
    for (char *line; (line = strsep(&at, "\n"));)
        if (*line && *line != '#')
            check_row(&b, line);
    printf("%u launches, %u values equal, %u open, %u wrong\n", b.launches, b.equal, b.open, b.wrong);
    assert_int_equal(b.launches, 1625);
    assert_int_equal(b.open, N_OPEN);
    assert_int_equal(b.wrong, 0);
    bench_release(&b);
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
