// The table of kernels: rows, names of values and traps, and which rows are one kernel. See triage.h.
#include "triage/triage.h"
#include "image/elf.h"
#include "image/image.h"
#include <string.h>

static const struct triage_value_info value_rows[] = {
#define VALUE(id, unit, text) {#id, unit, text},
#include "triage/triage_value.def"
#undef VALUE
};

static const struct triage_trap_info trap_rows[] = {
#define TRAP(id, name, severity, text) {name, text, severity},
#include "triage/triage_trap.def"
#undef TRAP
};

const struct triage_value_info *triage_value_info(enum triage_value value)
{
    return &value_rows[value];
}

const struct triage_trap_info *triage_trap_info(enum triage_trap trap)
{
    return &trap_rows[trap];
}

const char *triage_source_name(enum triage_source source)
{
    static const char *const names[N_TRIAGE_SOURCES] = {"ptx", "ptxas", "nvlink", "cuobjdump", "cubin"};
    return names[source];
}

void triage_init(struct triage *t, struct arena *arena)
{
    *t = (struct triage){.arena = arena};
}

void triage_release(struct triage *t)
{
    vec_release(&t->kernels);
    vec_release(&t->devices);
}

struct triage_kernel *triage_add(struct triage *t, enum triage_source source, const char *file,
                                 const char *name, size_t n, unsigned cc)
{
    struct triage_kernel *k = arena_new(t->arena, struct triage_kernel);
    *k = (struct triage_kernel){.name = arena_string(t->arena, name, n), .cc = cc, .sources = 1u << source};
    k->files[source] = file;
    for (int i = 0; i < N_TRIAGE_VALUES; i++)
        k->values[i] = (double)NAN;
    vec_push(&t->kernels, k);
    return k;
}

void triage_trap(struct triage_kernel *k, enum triage_trap trap)
{
    k->traps |= 1u << trap;
}

double triage_own_shared(unsigned cc, double bytes)
{
    enum { RESERVED_BYTES = 1024, FIRST_CC = 90 };
    return bytes - (cc >= FIRST_CC && bytes >= RESERVED_BYTES ? RESERVED_BYTES : 0);
}

// ---- files ----------------------------------------------------------------------------------------------

static bool is_binary(const void *bytes, size_t n)
{
    return elf_is(bytes, n) || memchr(bytes, '\0', n < 4096 ? n : 4096) != NULL;
}

// PTX begins with comments and its directive .version.
static bool is_ptx_text(const char *text, size_t n)
{
    for (const char *at = text, *end = text + n; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end : end) - at);
        while (length && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++, length--;
        if (length >= 8 && memcmp(at, ".version", 8) == 0)
            return true;
        if (length >= 2 && memcmp(at, "//", 2) != 0)
            return false;
        at = line_end ? line_end + 1 : end;
    }
    return false;
}

bool triage_read(struct triage *t, const char *path, const void *bytes, size_t n, bool *is_ptx,
                 struct err *err)
{
    const char *name = arena_string(t->arena, path, strlen(path));
    *is_ptx = false;
    t->n_files++;
    if (n == 0)
        return err_set(err, "'%s' is empty", path);
    if (is_binary(bytes, n))
        return triage_read_images(t, name, bytes, n, err);
    *is_ptx = is_ptx_text(bytes, n);
    if (*is_ptx)
        return true;
    uint32_t found = triage_read_log(t, name, bytes, n) + triage_read_resources(t, name, bytes, n) +
                     triage_read_device_text(t, name, bytes, n);
    return found ||
           err_set(err,
                   "'%s' holds nothing that is known here: no line of ptxas -v, nvlink -v or cuobjdump "
                   "--dump-resource-usage, no deviceQuery or nvidia-smi --query-gpu output, no cubin, "
                   "fatbin, executable or PTX",
                   path);
}

// ---- one kernel, one row --------------------------------------------------------------------------------

static bool agree(const struct triage_kernel *a, const struct triage_kernel *b, enum triage_value value)
{
    return !triage_has(a, value) || !triage_has(b, value) || a->values[value] == b->values[value];
}

static bool agree_in_all(const struct triage_kernel *a, const struct triage_kernel *b)
{
    for (int i = 0; i < N_TRIAGE_VALUES; i++)
        if (!agree(a, b, (enum triage_value)i))
            return false;
    return true;
}

static bool is_same_kernel(const struct triage_kernel *a, const struct triage_kernel *b)
{
    bool is_same_target = a->cc == b->cc || !a->cc || !b->cc; // nvlink -v names none
    return is_same_target && a->is_arch_specific == b->is_arch_specific && a->is_function == b->is_function &&
           strcmp(a->name, b->name) == 0;
}

// An assembler's row of relocatable code goes into the linker's; others only if they say the same.
static bool is_same_row(const struct triage_kernel *a, const struct triage_kernel *b)
{
    if (!is_same_kernel(a, b))
        return false;
    if (a->sources & b->sources)
        return agree_in_all(a, b);
    bool is_linked = (a->sources | b->sources) & 1u << TRIAGE_FROM_NVLINK;
    bool is_ptx = (a->sources | b->sources) & 1u << TRIAGE_FROM_PTX;
    return is_linked || is_ptx ||
           (agree(a, b, TRIAGE_registers) && agree(a, b, TRIAGE_shared_bytes) &&
            agree(a, b, TRIAGE_stack_bytes));
}

static int newest_source(const struct triage_kernel *k)
{
    return k->sources ? 31 - __builtin_clz(k->sources) : 0;
}

// `b` goes into `a`; where both know a number, that of the later source stays.
static void merge_row(struct triage_kernel *a, const struct triage_kernel *b)
{
    bool b_wins = newest_source(b) > newest_source(a);
    for (int i = 0; i < N_TRIAGE_VALUES; i++)
        if (triage_has(b, (enum triage_value)i) && (b_wins || !triage_has(a, (enum triage_value)i)))
            a->values[i] = b->values[i];
    for (int i = 0; i < N_TRIAGE_SOURCES; i++)
        a->files[i] = a->files[i] ? a->files[i] : b->files[i];
    if (!(a->is_relocatable && b->is_relocatable) && ((a->sources | b->sources) & 1u << TRIAGE_FROM_NVLINK))
        a->is_relocatable = false;
    a->registers_are_estimated = a->registers_are_estimated && b->registers_are_estimated;
    a->sources |= b->sources;
    a->cc = a->cc ? a->cc : b->cc;
    a->traps |= b->traps;
    a->mix = a->mix ? a->mix : b->mix;
}

// Rows of one name, in a chain.
struct same_name {
    struct triage_kernel *kernel;
    struct same_name *next;
};

static bool goes_into_another(struct same_name *first, const struct triage_kernel *k)
{
    for (struct same_name *other = first; other; other = other->next)
        if (is_same_row(other->kernel, k)) {
            merge_row(other->kernel, k);
            return true;
        }
    return false;
}

// What the rows of one name say of their target.
struct named_target {
    unsigned cc;
    bool is_arch_specific, is_ambiguous;
};

static bool is_linked(const struct triage_kernel *k)
{
    return k->sources & 1u << TRIAGE_FROM_NVLINK;
}

static void note_target(struct triage *t, struct map *targets, const struct triage_kernel *k)
{
    struct named_target *target = map_get(targets, k->name, strlen(k->name));
    if (is_linked(k) || !k->cc)
        return;
    if (target) {
        target->is_ambiguous |= target->cc != k->cc;
        return;
    }
    target = arena_new(t->arena, struct named_target);
    *target = (struct named_target){k->cc, k->is_arch_specific, false};
    map_set(targets, k->name, strlen(k->name), target);
}

// The linker counts what the system keeps in the shared memory of a block, and mostly does not name the
// target: the other rows of the kernel do, where they agree.
static void complete_linked(struct triage *t)
{
    struct map targets = {0};
    for (size_t i = 0; i < t->kernels.n; i++)
        note_target(t, &targets, t->kernels.at[i]);
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct triage_kernel *k = t->kernels.at[i];
        const struct named_target *target = map_get(&targets, k->name, strlen(k->name));
        if (!is_linked(k))
            continue;
        if (target && !target->is_ambiguous && (!k->cc || k->cc == target->cc)) {
            k->cc = target->cc;
            k->is_arch_specific = target->is_arch_specific;
        }
        k->values[TRIAGE_shared_bytes] = triage_own_shared(k->cc, k->values[TRIAGE_shared_bytes]);
    }
    map_release(&targets);
}

static void note_callees(struct triage *t)
{
    for (size_t i = 0; i < t->kernels.n; i++)
        if (t->kernels.at[i]->is_relocatable)
            triage_trap(t->kernels.at[i], TRAP_WITHOUT_CALLEES);
}

void triage_finish(struct triage *t)
{
    struct map names = {0};
    size_t n = 0;
    complete_linked(t);
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct triage_kernel *k = t->kernels.at[i];
        struct same_name *first = map_get(&names, k->name, strlen(k->name));
        if (k->is_function || goes_into_another(first, k))
            continue;
        struct same_name *entry = arena_new(t->arena, struct same_name);
        *entry = (struct same_name){k, first};
        map_set(&names, k->name, strlen(k->name), entry);
        t->kernels.at[n++] = k;
    }
    t->kernels.n = n;
    map_release(&names);
    note_callees(t);
}
