// warpglass occupancy: how many blocks and warps of a kernel an SM holds, what limits them, what would help.
#include "base/err.h"
#include "base/units.h"
#include "cli/choose_device.h"
#include "cli/commands.h"
#include "cli/occupancy_text.h"
#include "cli/options.h"
#include <jansson.h>
#include <string.h>

struct question {
    const char *device, *shared, *carveout;
    uint32_t block[3], grid[3], registers, cluster, barriers;
    bool no_optin, json, csv;
};

// "STATIC" or "STATIC+DYNAMIC"
static bool parse_shared(const char *text, struct kernel_needs *k)
{
    char fixed[64];
    const char *plus = strchr(text, '+');
    size_t length = plus ? (size_t)(plus - text) : strlen(text);
    uint64_t bytes[2] = {0, 0};
    if (length >= sizeof fixed)
        return false;
    memcpy(fixed, text, length);
    fixed[length] = '\0';
    if (!units_parse_bytes(fixed, &bytes[0]) || (plus && !units_parse_bytes(plus + 1, &bytes[1])))
        return false;
    if (bytes[0] > UINT32_MAX / 4 || bytes[1] > UINT32_MAX / 4)
        return false;
    k->static_shared_bytes = (uint32_t)bytes[0];
    k->dynamic_shared_bytes = (uint32_t)bytes[1];
    return true;
}

static bool is_carveout(const struct device *d, uint64_t bytes)
{
    for (uint32_t i = 0; i < d->shared_carveouts_bytes.n; i++)
        if (d->shared_carveouts_bytes.at[i] == bytes)
            return true;
    return false;
}

// "default", "driver", a percentage up to 100 (with or without %), or one of the device's sizes in bytes.
static bool parse_carveout(const struct device *d, const char *text, struct kernel_needs *k)
{
    size_t length = strlen(text);
    char number[64];
    k->carveout = CARVEOUT_MAX;
    if (strcmp(text, "default") == 0)
        return true;
    k->carveout = CARVEOUT_DRIVER;
    if (strcmp(text, "driver") == 0)
        return true;
    bool is_percent = length && text[length - 1] == '%';
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length - is_percent);
    number[length - is_percent] = '\0';
    if (!units_parse_bytes(number, &k->carveout_value))
        return false;
    bool is_bare = strspn(number, "0123456789") == strlen(number);
    k->carveout = is_percent || (is_bare && k->carveout_value <= 100) ? CARVEOUT_PERCENT : CARVEOUT_BYTES;
    return k->carveout == CARVEOUT_PERCENT ? k->carveout_value <= 100 : is_carveout(d, k->carveout_value);
}

static int fail_carveout(const struct device *d, const char *text)
{
    struct buf sizes = {0};
    device_print_value(d, KEY_shared_carveouts_bytes, &sizes);
    usage_error("occupancy", "--carveout %s: expected default, driver, a percentage or one of %s", text,
                sizes.at);
    buf_release(&sizes);
    return EXIT_USAGE;
}

static int fill_needs(const struct question *q, const struct device *d, struct kernel_needs *k)
{
    uint64_t threads = (uint64_t)q->block[0] * q->block[1] * q->block[2];
    if (threads == 0)
        return usage_error("occupancy", "how large is a block? give --block, for example --block 256");
    if (threads > UINT32_MAX)
        return usage_error("occupancy", "a block of that many threads cannot be meant");
    *k = (struct kernel_needs){.threads = (uint32_t)threads,
                               .registers = q->registers,
                               .barriers = q->barriers,
                               .cluster = q->cluster,
                               .carveout = CARVEOUT_MAX};
    memcpy(k->block, q->block, sizeof k->block);
    memcpy(k->grid, q->grid, sizeof k->grid);
    if (q->shared && !parse_shared(q->shared, k))
        return usage_error("occupancy", "--shared %s: expected STATIC or STATIC+DYNAMIC in bytes", q->shared);
    if (q->carveout && !parse_carveout(d, q->carveout, k))
        return fail_carveout(d, q->carveout);
    k->max_dynamic_shared_bytes = q->no_optin ? 0 : k->dynamic_shared_bytes;
    return OPTIONS_GO;
}

// ---- JSON -----------------------------------------------------------------------------------------------

static json_t *limit_json(uint32_t limit)
{
    return limit == NO_LIMIT ? json_null() : json_integer(limit);
}

static json_t *limiters_json(unsigned limiters)
{
    json_t *array = json_array();
    for (unsigned bit = LIMIT_WARPS; bit <= LIMIT_BARRIERS; bit <<= 1) {
        struct buf name = {0};
        if (!(limiters & bit))
            continue;
        occupancy_print_limiters(bit, "", &name);
        json_array_append_new(array, json_string(name.at));
        buf_release(&name);
    }
    return array;
}

static json_t *carveout_json(const struct device *d, const struct kernel_needs *k, enum carveout_mode mode)
{
    struct kernel_needs changed = *k;
    changed.carveout = mode;
    struct occupancy o = occupancy_of(d, &changed);
    return json_pack("{s:I, s:I, s:o, s:i}", "shared_bytes", (json_int_t)o.shared_config_bytes, "l1_bytes",
                     (json_int_t)o.l1_bytes, "limit_shared", limit_json(o.limit_shared), "blocks_per_sm",
                     (int)o.blocks_per_sm);
}

static json_t *step_json(const struct device *d, const struct kernel_needs *k)
{
    struct occupancy_step step = occupancy_next_step(d, k);
    struct buf text = {0};
    occupancy_print_next(d, k, "; or ", &text);
    json_t *object =
        json_pack("{s:s, s:i, s:i}", "text", text.at, "next_block", (int)occupancy_next_block(d, k),
                  "best_block", (int)occupancy_best_block(d, k));
    buf_release(&text);
    if (step.exists)
        json_object_set_new(object, "reduce",
                            json_pack("{s:i, s:i, s:i, s:i}", "registers", (int)step.registers,
                                      "shared_bytes", (int)step.shared_bytes, "barriers", (int)step.barriers,
                                      "blocks_per_sm", (int)step.result.blocks_per_sm));
    return object;
}

static json_t *launch_json(const struct device *d, const struct kernel_needs *k)
{
    struct err err = {0};
    bool launches = launch_check(d, k, &err);
    return json_pack("{s:b, s:s}", "ok", (int)launches, "reason", err.text);
}

static void print_json(const struct device *d, const struct kernel_needs *k)
{
    struct occupancy o = occupancy_of(d, k);
    json_t *limits = json_pack("{s:o, s:o, s:o, s:o, s:o}", "warps", limit_json(o.limit_warps), "registers",
                               limit_json(o.limit_registers), "shared", limit_json(o.limit_shared), "blocks",
                               limit_json(o.limit_blocks), "barriers", limit_json(o.limit_barriers));
    json_t *kernel = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "threads", (int)k->threads, "registers",
                               (int)k->registers, "static_shared_bytes", (int)k->static_shared_bytes,
                               "dynamic_shared_bytes", (int)k->dynamic_shared_bytes, "barriers",
                               (int)k->barriers, "cluster", (int)k->cluster);
    json_t *root = json_pack("{s:s, s:o, s:o, s:i, s:i, s:f, s:o, s:o}", "device", d->id, "kernel", kernel,
                             "launch", launch_json(d, k), "blocks_per_sm", (int)o.blocks_per_sm,
                             "warps_per_sm", (int)o.warps_per_sm, "occupancy", o.occupancy, "limits", limits,
                             "limiters", limiters_json(o.limiters));
    json_object_set_new(root, "allocated",
                        json_pack("{s:i, s:i}", "registers_per_block", (int)o.registers_per_block,
                                  "shared_per_block_bytes", (int)o.shared_per_block_bytes));
    json_object_set_new(root, "carveout",
                        json_pack("{s:I, s:o, s:o}", "shared_bytes", (json_int_t)o.shared_config_bytes,
                                  "driver", carveout_json(d, k, CARVEOUT_DRIVER), "largest",
                                  carveout_json(d, k, CARVEOUT_MAX)));
    json_object_set_new(root, "max_clusters", json_integer(o.max_clusters));
    json_object_set_new(root, "next_step", step_json(d, k));
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    putchar('\n');
    json_decref(root);
}

// ---- CSV: the curves ------------------------------------------------------------------------------------

static void print_csv_row(const char *axis, uint32_t x, const struct occupancy *o)
{
    struct buf limiters = {0};
    occupancy_print_limiters(o->limiters, "+", &limiters);
    printf("%s,%u,%u,%u,%.6g,%s\n", axis, x, o->blocks_per_sm, o->warps_per_sm, o->occupancy, limiters.at);
    buf_release(&limiters);
}

static void print_csv(const struct device *d, const struct kernel_needs *k)
{
    static const char *const names[] = {"block", "registers", "shared"};
    struct occupancy now = occupancy_of(d, k);
    puts("axis,value,blocks_per_sm,warps_per_sm,occupancy,limiters");
    print_csv_row("asked", k->threads, &now);
    for (int axis = AXIS_BLOCK; axis <= AXIS_SHARED; axis++) {
        struct occupancy_curve curve = occupancy_curve(d, k, (enum occupancy_axis)axis);
        for (uint32_t i = 0; i < curve.n; i++)
            print_csv_row(names[axis], curve.x[i], &curve.y[i]);
    }
}

static int answer(const struct question *q, const struct device *d)
{
    struct kernel_needs k;
    int status = fill_needs(q, d, &k);
    if (status != OPTIONS_GO)
        return status;
    struct buf out = {0};
    if (q->json) {
        print_json(d, &k);
    } else if (q->csv) {
        print_csv(d, &k);
    } else {
        occupancy_print_text(d, &k, &out);
        fputs(out.at, stdout);
    }
    buf_release(&out);
    return launch_check(d, &k, &(struct err){0}) ? 0 : EXIT_THRESHOLD;
}

int cmd_occupancy(int argc, char **argv)
{
    struct question q = {0};
    const struct option_row rows[] = {
        {"device", OPT_STRING, &q.device, "NAME|FILE", "GPU to answer for (default h200)"},
        {"block", OPT_SHAPE, q.block, "SHAPE", "threads of a block, 256 or 16x16"},
        {"grid", OPT_SHAPE, q.grid, "SHAPE", "blocks of the grid, for the launch check"},
        {"regs", OPT_U32, &q.registers, "N", "registers per thread"},
        {"shared", OPT_STRING, &q.shared, "STATIC[+DYNAMIC]",
         "shared memory per block in bytes, 8192 or 1KiB+64KiB"},
        {"cluster", OPT_U32, &q.cluster, "N", "blocks of a cluster"},
        {"barriers", OPT_U32, &q.barriers, "N", "named barriers of a block"},
        {"carveout", OPT_STRING, &q.carveout, "SIZE",
         "L1/shared split: default (largest), driver (as it chooses), a percentage, or bytes"},
        {"no-optin", OPT_FLAG, &q.no_optin, NULL,
         "the kernel does not set the attribute for large dynamic shared memory"},
        {"json", OPT_FLAG, &q.json, NULL, "print JSON"},
        {"csv", OPT_FLAG, &q.csv, NULL, "print the curves as comma-separated values"},
        {0}};
    struct arguments rest;
    int status = options_parse(
        argc, argv, "occupancy --block SHAPE [options]",
        "Blocks and warps of a kernel that an SM holds, what limits them and the next step up.\n"
        "Exit status 1 when the kernel would not launch.",
        rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    if (rest.n)
        return usage_error("occupancy", "unexpected argument '%s'", rest.at[0]);
    struct arena arena;
    struct device d;
    arena_init(&arena, "occupancy");
    status = choose_device(&arena, q.device, &d);
    if (status == EXIT_LOADED)
        status = answer(&q, &d);
    arena_release(&arena);
    return status;
}
