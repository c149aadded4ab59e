// Verdicts: see judge.h.
#include "triage/judge.h"
#include "arith/levels.h"
#include <stdlib.h>
#include <string.h>

enum { WARP = 32, REGISTER_STEP = 8, MOST_REGISTERS = 255 };

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

uint32_t triage_register_cap(const struct device *device, uint32_t threads)
{
    uint64_t warps = round_up((threads + WARP - 1) / WARP, device->n_subpartitions);
    uint64_t per_warp = device->registers_per_block / (warps ? warps : 1);
    uint64_t cap = per_warp / device->register_alloc_unit * device->register_alloc_unit / WARP;
    cap = cap / REGISTER_STEP * REGISTER_STEP;
    return cap > MOST_REGISTERS ? MOST_REGISTERS : (uint32_t)cap;
}

// ---- what follows from the numbers ----------------------------------------------------------------------

static double stack_of(const struct triage_kernel *k)
{
    double own = triage_number(k, TRIAGE_stack_bytes) + triage_number(k, TRIAGE_local_bytes),
           all = triage_number(k, TRIAGE_call_stack_bytes);
    return own > all ? own : all;
}

static uint32_t whole(double value)
{
    return value > 0 && value < (double)UINT32_MAX ? (uint32_t)value : 0;
}

static uint32_t block_of(const struct triage_kernel *k, uint32_t asked)
{
    uint32_t most = whole(triage_number(k, TRIAGE_max_threads));
    uint32_t threads = asked ? asked : most ? most : TRIAGE_USUAL_BLOCK;
    return most && threads > most ? most : threads;
}

static void judge_occupancy(struct triage_verdict *v, uint32_t threads)
{
    struct triage_kernel *k = v->kernel;
    k->values[TRIAGE_threads] = threads;
    if (!v->device || !triage_has(k, TRIAGE_registers))
        return;
    uint32_t registers = whole(k->values[TRIAGE_registers]);
    v->needs = (struct kernel_needs){.threads = threads,
                                     .registers = registers < FEWEST_REGISTERS ? FEWEST_REGISTERS : registers,
                                     .static_shared_bytes = whole(triage_number(k, TRIAGE_shared_bytes)),
                                     .barriers = whole(triage_number(k, TRIAGE_barriers))};
    v->occupancy = occupancy_of(v->device, &v->needs);
    if (v->occupancy.blocks_per_sm)
        v->step = occupancy_next_step(v->device, &v->needs);
    k->values[TRIAGE_warps] = v->occupancy.warps_per_sm;
    k->values[TRIAGE_blocks] = v->occupancy.blocks_per_sm;
    k->values[TRIAGE_occupancy] = v->occupancy.occupancy;
    k->values[TRIAGE_stack_device_bytes] =
        stack_of(k) * (double)v->device->n_sms * (double)v->device->max_warps_per_sm * WARP;
}

// A warp waits once in load_distance instructions, and a scheduler issues one a cycle.
static void judge_latency(struct triage_verdict *v)
{
    struct triage_kernel *k = v->kernel;
    double distance = triage_number(k, TRIAGE_load_distance);
    if (!v->device || distance <= 0)
        return;
    struct hiding hiding = hiding_of(v->device, v->device->dram_latency_cycles, distance);
    k->values[TRIAGE_warps_needed] = hiding.warps_per_scheduler * (double)v->device->n_subpartitions;
}

// Far fewer registers than allowed, and yet spills. Without the bounds (a log) only their extent can show it:
// a kernel that keeps to its limit spills less than five values for each register it has.
static bool has_abandoned_cap(const struct triage_kernel *k)
{
    const double part = 0.75, spilled_bytes_a_register = 20, few_registers = 128;
    double registers = triage_number(k, TRIAGE_registers), cap = triage_number(k, TRIAGE_max_registers),
           stores = triage_number(k, TRIAGE_spill_store_bytes);
    bool spills =
        stores > 0 || (triage_number(k, TRIAGE_local_loads) > 0 && triage_number(k, TRIAGE_local_stores) > 0);
    if (cap > 0)
        return spills && registers < part * cap;
    return registers > 0 && registers < few_registers && stores >= spilled_bytes_a_register * registers;
}

static void judge_traps(struct triage_verdict *v)
{
    struct triage_kernel *k = v->kernel;
    if (v->device && triage_number(k, TRIAGE_shared_bytes) > (double)v->device->shared_per_block_bytes)
        triage_trap(k, TRAP_SHARED_OVER_LIMIT);
    else if (v->device && triage_has(k, TRIAGE_blocks) && v->occupancy.blocks_per_sm == 0)
        triage_trap(k, TRAP_CANNOT_LAUNCH);
    if (has_abandoned_cap(k))
        triage_trap(k, TRAP_CAP_ABANDONED);
    if (triage_has(k, TRIAGE_spill_bytes) && k->values[TRIAGE_spill_bytes] == 0 && stack_of(k) > 0)
        triage_trap(k, TRAP_STACK_WITHOUT_SPILLS);
}

// ---- words ----------------------------------------------------------------------------------------------

static const char *count(struct triage *t, double n)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", n < 0 ? -n : n);
    char *text = arena_alloc(t->arena, 48, 1), *at = text;
    if (n < 0)
        *at++ = '-';
    for (int i = 0; i < length; i++) {
        *at++ = digits[i];
        if ((length - i - 1) % 3 == 0 && i + 1 < length)
            *at++ = ',';
    }
    *at = '\0';
    return text;
}

static const char *step_text(struct triage *t, const struct triage_verdict *v)
{
    const struct occupancy_step *s = &v->step;
    const char *registers =
        s->registers ? arena_printf(t->arena, "%u registers a thread fewer", s->registers) : "";
    const char *shared = s->shared_bytes ? arena_printf(t->arena, "%s bytes of shared memory a block fewer",
                                                        count(t, s->shared_bytes))
                                         : "";
    const char *barriers = s->barriers ? arena_printf(t->arena, "%u barriers fewer", s->barriers) : "";
    return arena_printf(t->arena, "%s%s%s%s%s bring %u warps instead of %u", registers,
                        *registers && *shared ? " and " : "", shared,
                        (*registers || *shared) && *barriers ? " and " : "", barriers, s->result.warps_per_sm,
                        v->occupancy.warps_per_sm);
}

// What lets a spilling kernel have more registers.
static const char *room_for_registers(struct triage *t, const struct triage_verdict *v)
{
    const struct triage_kernel *k = v->kernel;
    double registers = triage_number(k, TRIAGE_registers), limit = triage_number(k, TRIAGE_max_registers);
    if (!triage_has(k, TRIAGE_registers))
        return "ptxas -v tells how many registers it has";
    uint32_t cap = v->device ? triage_register_cap(v->device, v->needs.threads) : MOST_REGISTERS;
    if (k->traps & 1u << TRAP_CAP_ABANDONED)
        return "name the least number of blocks in the bounds as well, __launch_bounds__(threads, 1)";
    if (registers >= MOST_REGISTERS - 1)
        return "a thread can have no more registers: give it less to do, or split the kernel";
    if (limit > 0 && limit < cap)
        return arena_printf(t->arena,
                            "the limit of %.0f registers is low: with blocks of %u threads %u are possible",
                            limit, v->needs.threads, cap);
    if (limit >= cap || registers >= cap - REGISTER_STEP)
        return arena_printf(
            t->arena,
            "%u registers are the most for blocks of %u threads: use smaller blocks, or keep fewer "
            "values alive at once",
            cap, v->needs.threads);
    return arena_printf(
        t->arena, "tell the compiler the block (__launch_bounds__(%u)), with which %u registers are possible",
        v->needs.threads, cap);
}

static double spilled(const struct triage_kernel *k)
{
    return triage_number(k, TRIAGE_spill_bytes);
}

static const struct triage_trap_info *worst_trap(const struct triage_kernel *k)
{
    const struct triage_trap_info *worst = NULL;
    for (int i = 0; i < N_TRIAGE_TRAPS; i++)
        if (k->traps >> i & 1 &&
            (!worst || triage_trap_info((enum triage_trap)i)->severity > worst->severity))
            worst = triage_trap_info((enum triage_trap)i);
    return worst;
}

static void decide(struct triage *t, struct triage_verdict *v, enum triage_grade grade, const char *text)
{
    (void)t;
    v->grade = grade;
    v->text = text;
}

// Spilled and other local memory; false: there is none.
static bool decide_local(struct triage *t, struct triage_verdict *v)
{
    struct triage_kernel *k = v->kernel;
    double in_shared = triage_number(k, TRIAGE_shared_spill_bytes), stack = stack_of(k);
    double in_code = triage_number(k, TRIAGE_local_loads) + triage_number(k, TRIAGE_local_stores);
    if (spilled(k) > 0)
        decide(t, v, GRADE_SPILLS,
               arena_printf(t->arena, "Spills %s bytes a thread (%s stored, %s loaded): %s.",
                            count(t, spilled(k)), count(t, triage_number(k, TRIAGE_spill_store_bytes)),
                            count(t, triage_number(k, TRIAGE_spill_load_bytes)), room_for_registers(t, v)));
    else if (in_shared > 0)
        decide(t, v, GRADE_SPILLS,
               arena_printf(t->arena, "Spills to %s bytes of shared memory a block: %s.", count(t, in_shared),
                            room_for_registers(t, v)));
    else if (stack > 0 && (triage_has(k, TRIAGE_spill_bytes) || k->sources == 1u << TRIAGE_FROM_PTX))
        decide(t, v, GRADE_SLOW,
               arena_printf(
                   t->arena,
                   "Keeps %s bytes a thread in local memory, none of them spilled: make the indices of its "
                   "arrays constants (unroll), or use shared memory; with calls it is also what they save.",
                   count(t, stack)));
    else if (stack > 0 && k->traps & 1u << TRAP_CAP_ABANDONED)
        decide(t, v, GRADE_SPILLS,
               arena_printf(t->arena,
                            "Spills: keeps %s bytes a thread on the stack with %.0f of %.0f registers: %s.",
                            count(t, stack), triage_number(k, TRIAGE_registers),
                            triage_number(k, TRIAGE_max_registers), room_for_registers(t, v)));
    else if (stack > 0)
        decide(t, v, GRADE_SLOW,
               arena_printf(
                   t->arena,
                   "Keeps %s bytes a thread on the stack, spilled registers or arrays: ptxas -v tells which.",
                   count(t, stack)));
    else if (in_code > 0)
        decide(
            t, v, GRADE_SLOW,
            arena_printf(
                t->arena,
                "Its own stack is empty, yet %s instructions load and store local memory: functions that it "
                "calls save values there; inline them, and do without recursion.",
                count(t, in_code)));
    return spilled(k) > 0 || in_shared > 0 || stack > 0 || in_code > 0;
}

static bool decide_occupancy(struct triage *t, struct triage_verdict *v)
{
    const double low = 0.5;
    struct triage_kernel *k = v->kernel;
    double needed = triage_number(k, TRIAGE_warps_needed);
    if (!triage_has(k, TRIAGE_occupancy) || !v->step.exists || v->occupancy.occupancy >= 1)
        return false;
    bool is_low = v->occupancy.occupancy<low, hides = needed> 0 && needed <= v->occupancy.warps_per_sm;
    decide(t, v, is_low && !hides ? GRADE_SLOW : GRADE_NOTE,
           arena_printf(t->arena, "%s: %u of %u warps%s; %s.", is_low ? "Few warps" : "Room for more warps",
                        v->occupancy.warps_per_sm, (unsigned)v->device->max_warps_per_sm,
                        hides ? ", enough to hide its loads" : "", step_text(t, v)));
    return true;
}

// Too few loads at once to hide device memory, and no more warps to be had.
static bool decide_loads(struct triage *t, struct triage_verdict *v)
{
    const double few_loads = 4;
    struct triage_kernel *k = v->kernel;
    double needed = triage_number(k, TRIAGE_warps_needed), loads = triage_number(k, TRIAGE_loads_in_flight);
    if (!triage_has(k, TRIAGE_warps) || needed <= v->occupancy.warps_per_sm || loads >= few_loads)
        return false;
    decide(
        t, v, GRADE_NOTE,
        arena_printf(
            t->arena,
            "Awaits a global load every %.3g instructions with %.2g under way: where they come from device "
            "memory %s warps would hide it, and %u are resident; begin more loads before the first is "
            "used (unroll, wider loads).",
            triage_number(k, TRIAGE_load_distance), loads, count(t, needed), v->occupancy.warps_per_sm));
    return true;
}

static void judge_words(struct triage *t, struct triage_verdict *v)
{
    const struct triage_trap_info *trap = worst_trap(v->kernel);
    if (trap && trap->severity == 3)
        decide(t, v, GRADE_BROKEN, arena_printf(t->arena, "Does not launch: %s", trap->text));
    else if (decide_local(t, v))
        return;
    else if (trap && trap->severity == 2)
        decide(t, v, GRADE_SLOW, arena_printf(t->arena, "Not compiled as it seems: %s", trap->text));
    else if (decide_occupancy(t, v) || decide_loads(t, v))
        return;
    else if (trap)
        decide(t, v, GRADE_NOTE, arena_printf(t->arena, "Worth knowing: %s", trap->text));
    else
        decide(t, v, GRADE_CLEAN,
               "Nothing stands out: no local memory, and no resource that a step would free.");
}

struct triage_verdict triage_judge(struct triage *t, struct triage_kernel *kernel,
                                   const struct device *device, uint32_t block)
{
    struct triage_verdict v = {.kernel = kernel, .device = device};
    judge_occupancy(&v, block_of(kernel, block));
    v.needs.threads = block_of(kernel, block);
    judge_latency(&v);
    judge_traps(&v);
    judge_words(t, &v);
    return v;
}

// ---- order ----------------------------------------------------------------------------------------------

static int by_badness(const void *left, const void *right)
{
    const struct triage_verdict *a = left, *b = right;
    if (a->grade != b->grade)
        return a->grade > b->grade ? -1 : 1;
    double a_local = spilled(a->kernel) + stack_of(a->kernel),
           b_local = spilled(b->kernel) + stack_of(b->kernel);
    if (a_local != b_local)
        return a_local > b_local ? -1 : 1;
    double a_part = triage_number(a->kernel, TRIAGE_occupancy),
           b_part = triage_number(b->kernel, TRIAGE_occupancy);
    if (a_part != b_part)
        return a_part < b_part ? -1 : 1;
    int names = strcmp(a->kernel->name, b->kernel->name);
    return names ? names : (a->kernel->cc > b->kernel->cc) - (a->kernel->cc < b->kernel->cc);
}

void triage_sort(struct triage_verdict *verdicts, size_t n)
{
    qsort(verdicts, n, sizeof *verdicts, by_badness);
}
