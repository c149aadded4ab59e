// warpglass bandwidth: memory bandwidth from pins and rate, nominal against measured, against a DDR channel.
#include "arith/memory_interface.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cli/choose_device.h"
#include "cli/commands.h"
#include "cli/options.h"
#include <jansson.h>
#include <stdio.h>

struct bandwidth_options {
    const char *device, *bus, *memory, *against;
    double pin_gbps;
    bool json;
};

// One memory: a device's or one given by its figures.
struct memory {
    const char *name, *kind;
    struct memory_interface interface;
    double measured_gbps;        // 0 = not known
    const char *measured_source; // "@probe ..."
};

static struct memory memory_of_device(const struct device *device)
{
    const struct device_source *source = device_source(device, KEY_dram_read_gbps);
    return (struct memory){.name = device->name,
                           .kind = device->dram_kind,
                           .interface = {(double)device->dram_bus_bits, device->dram_pin_gbps},
                           .measured_gbps = device->dram_read_gbps,
                           .measured_source = source->tag ? source->tag : ""};
}

// ---- text
// ------------------------------------------------------------------------------------------------------

static void print_rate(double gbps, struct buf *out)
{
    if (gbps >= 1000)
        buf_printf(out, "%.1f GB/s = %.2f TB/s", gbps, gbps / 1000);
    else
        buf_printf(out, "%.1f GB/s", gbps);
}

static void print_one(const struct memory *memory, const struct memory *base)
{
    const struct memory_interface *mine = &memory->interface, *theirs = &base->interface;
    double gbps = interface_gbps(mine);
    struct buf out = {0};
    buf_printf(&out, "%s%s%s: %g pins x %g Gbit/s / 8 = ", memory->name, *memory->kind ? ", " : "",
               memory->kind, mine->bits, mine->pin_gbps);
    print_rate(gbps, &out);
    buf_puts(&out, " nominal\n");
    if (memory->measured_gbps > 0)
        buf_printf(&out, "achieved when reading: %.0f GB/s, %.1f %% of it (@%s)\n", memory->measured_gbps,
                   100 * memory->measured_gbps / gbps, memory->measured_source);
    buf_printf(&out, "against %s, %g pins x %g Gbit/s / 8 = ", base->name, theirs->bits, theirs->pin_gbps);
    print_rate(interface_gbps(theirs), &out);
    buf_printf(&out, ":\n%.4g times as wide x %.4g times the rate = %.4g times the bandwidth\n",
               mine->bits / theirs->bits, mine->pin_gbps / theirs->pin_gbps, gbps / interface_gbps(theirs));
    fputs(out.at, stdout);
    buf_release(&out);
}

static void print_row(const struct memory *memory, const struct memory *base, struct buf *out)
{
    double gbps = interface_gbps(&memory->interface);
    buf_printf(out, "%-26s %-7s %5g %11.4g %9.1f", memory->name, memory->kind, memory->interface.bits,
               memory->interface.pin_gbps, gbps);
    if (memory->measured_gbps > 0)
        buf_printf(out, " %9.0f %6.1f %% %-7s", memory->measured_gbps, 100 * memory->measured_gbps / gbps,
                   memory->measured_source);
    else
        buf_printf(out, " %26s", "");
    buf_printf(out, " %8.3g\n", gbps / interface_gbps(&base->interface));
}

static const struct memory ddr_channels[] = {
    {"DDR3-1600, one channel", "DDR3", {64, 1.6}, 0, NULL},
    {"DDR4-3200, one channel", "DDR4", {64, 3.2}, 0, NULL},
    {"DDR5-4800, one channel", "DDR5", {64, 4.8}, 0, NULL},
    {"DDR5-6400, one channel", "DDR5", {64, 6.4}, 0, NULL},
    {"DDR5-6400, 12 channels", "DDR5", {768, 6.4}, 0, NULL},
};

enum { N_DDR = sizeof ddr_channels / sizeof ddr_channels[0] };

static int print_table(struct arena *arena, const struct memory *base)
{
    struct buf out = {0};
    buf_printf(
        &out,
        "pins x rate / 8 = bandwidth            pins  Gbit/s/pin   nominal  achieved                times\n"
        "                                                          GB/s      GB/s   part  source  %s\n",
        base->name);
    for (int i = 0; i < N_DDR; i++)
        print_row(&ddr_channels[i], base, &out);
    for (const char *const *name = device_names(arena); *name; name++) {
        struct device *device = arena_new(arena, struct device);
        int status = choose_device(arena, *name, device);
        if (status != EXIT_LOADED)
            return status;
        struct memory memory = memory_of_device(device);
        print_row(&memory, base, &out);
    }
    fputs(out.at, stdout);
    buf_release(&out);
    return 0;
}

// ---- JSON
// ------------------------------------------------------------------------------------------------------

static json_t *json_memory(const struct memory *memory, const struct memory *base)
{
    double gbps = interface_gbps(&memory->interface);
    json_t *object =
        json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f}", "name", memory->name, "kind", memory->kind,
                  "pins", memory->interface.bits, "pin_gbps", memory->interface.pin_gbps, "nominal_gbps",
                  gbps, "width_ratio", memory->interface.bits / base->interface.bits, "rate_ratio",
                  memory->interface.pin_gbps / base->interface.pin_gbps, "ratio",
                  gbps / interface_gbps(&base->interface));
    if (memory->measured_gbps > 0) {
        json_object_set_new(object, "achieved_gbps", json_real(memory->measured_gbps));
        json_object_set_new(object, "achieved_source", json_string(memory->measured_source));
    }
    return object;
}

static void dump_json(json_t *memories, const struct memory *base)
{
    json_t *root =
        json_pack("{s:s, s:s, s:o}", "command", "bandwidth", "against", base->name, "memories", memories);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    puts("");
    json_decref(root);
}

static int print_table_json(struct arena *arena, const struct memory *base)
{
    json_t *memories = json_array();
    for (const char *const *name = device_names(arena); *name; name++) {
        struct device *device = arena_new(arena, struct device);
        int status = choose_device(arena, *name, device);
        if (status != EXIT_LOADED) {
            json_decref(memories);
            return status;
        }
        struct memory memory = memory_of_device(device);
        json_array_append_new(memories, json_memory(&memory, base));
    }
    dump_json(memories, base);
    return 0;
}

// ---- the command
// -----------------------------------------------------------------------------------------------

static int bus_memory(const struct bandwidth_options *options, struct memory *out)
{
    out->interface.bits = interface_parse_bits(options->bus);
    out->interface.pin_gbps = options->pin_gbps;
    if (out->interface.bits == 0)
        return usage_error("bandwidth", "--bus %s: expected bits, or a product like 5x1024", options->bus);
    if (!(options->pin_gbps > 0 && options->pin_gbps <= 1000))
        return usage_error("bandwidth", "--pin: expected Gbit/s per pin, 3.2");
    out->name = options->bus;
    return OPTIONS_GO;
}

static int chosen_memory(struct arena *arena, const struct bandwidth_options *options, struct memory *out)
{
    struct err err = {0};
    *out = (struct memory){.kind = ""};
    if ((options->bus != NULL) + (options->memory != NULL) + (options->device != NULL) > 1)
        return usage_error("bandwidth", "give one of --device, --memory and --bus");
    if ((options->bus != NULL) != (options->pin_gbps != 0))
        return usage_error("bandwidth", "--bus and --pin belong together");
    if (options->bus)
        return bus_memory(options, out);
    if (options->memory) {
        out->name = options->memory;
        return interface_parse(options->memory, &out->interface, &err)
                   ? OPTIONS_GO
                   : usage_error("bandwidth", "--memory %s", err.text);
    }
    struct device *device = arena_new(arena, struct device);
    int status = choose_device(arena, options->device, device);
    if (status != EXIT_LOADED)
        return status;
    *out = memory_of_device(device);
    return OPTIONS_GO;
}

static int answer_for(struct arena *arena, const struct bandwidth_options *options)
{
    struct memory base = {.name = options->against, .kind = ""}, memory;
    struct err err = {0};
    if (!interface_parse(options->against, &base.interface, &err))
        return usage_error("bandwidth", "--against %s", err.text);
    if (!options->device && !options->memory && !options->bus && options->pin_gbps == 0)
        return (options->json ? print_table_json : print_table)(arena, &base);
    int status = chosen_memory(arena, options, &memory);
    if (status != OPTIONS_GO)
        return status;
    if (options->json) {
        json_t *memories = json_array();
        json_array_append_new(memories, json_memory(&memory, &base));
        dump_json(memories, &base);
    } else {
        print_one(&memory, &base);
    }
    return 0;
}

int cmd_bandwidth(int argc, char **argv)
{
    struct bandwidth_options options = {.against = "DDR5-6400"};
    const struct option_row rows[] = {
        {"device", OPT_STRING, &options.device, "NAME|FILE", "one device; without it a table of all"},
        {"memory", OPT_STRING, &options.memory, "MEMORY", "DDR5-6400, 8xDDR4-3200 or 5x1024@3.2"},
        {"bus", OPT_STRING, &options.bus, "BITS", "data pins, 5120 or 5x1024"},
        {"pin", OPT_REAL, &options.pin_gbps, "GBIT", "Gbit/s per pin"},
        {"against", OPT_STRING, &options.against, "MEMORY", "what to compare with (DDR5-6400, one channel)"},
        {"json", OPT_FLAG, &options.json, NULL, "print JSON"},
        {0}};
    struct arguments rest;
    int status = options_parse(
        argc, argv, "bandwidth [options]",
        "Memory bandwidth as pins x rate / 8: nominal, achieved, and against a DDR channel.", rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    if (rest.n)
        return usage_error("bandwidth", "unexpected argument '%s'", rest.at[0]);
    struct arena arena;
    arena_init(&arena, "bandwidth");
    status = answer_for(&arena, &options);
    arena_release(&arena);
    return status;
}
