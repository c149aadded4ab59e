// Puts a launch's result into the form that the profile stores.
#include "rt/record.h"
#include "base/buf.h"
#include "base/version.h"
#include "prof/demangle.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *device_text(struct arena *arena, const struct device *device)
{
    struct buf text = {0};
    for (int key = 0; key < N_DEVICE_KEYS; key++) {
        const struct device_source *source = device_source(device, (enum device_key)key);
        if (!source->tag)
            continue;
        buf_printf(&text, "%s = ", device_key_info((enum device_key)key)->key);
        device_print_value(device, (enum device_key)key, &text);
        buf_printf(&text, " @%s\n", source->tag);
    }
    const char *copy = arena_string(arena, text.at ? text.at : "", text.n);
    buf_release(&text);
    return copy;
}

static void record_occupancy(const struct occupancy *occupancy, struct profile_launch *out)
{
    out->limit_blocks = occupancy->limit_blocks;
    out->limit_registers = occupancy->limit_registers;
    out->limit_shared = occupancy->limit_shared;
    out->limit_warps = occupancy->limit_warps;
    out->limit_barriers = occupancy->limit_barriers;
    out->blocks_per_sm = occupancy->blocks_per_sm;
    out->warps_per_sm = occupancy->warps_per_sm;
    out->registers_per_block = occupancy->registers_per_block;
    out->shared_per_block_bytes = occupancy->shared_per_block_bytes;
    out->shared_config_bytes = occupancy->shared_config_bytes;
    out->l1_bytes = occupancy->l1_bytes;
    out->occupancy = occupancy->occupancy;
}

void record_run(const struct device *device, const struct launch *launch, const struct run_options *options,
                const struct run_result *result, const struct counters *counters, const char *fault,
                struct profile_launch *out)
{
    *out = (struct profile_launch){.id = launch->launch_id,
                                   .dynamic_shared_bytes = launch->dynamic_shared_bytes,
                                   .cluster = launch->cluster > 1 ? launch->cluster : 1,
                                   .context = 1,
                                   .stream = 7, // ncu's number of the default stream
                                   .device = device->id,
                                   .n_sms = (uint32_t)device->n_sms,
                                   .model = options->model == MODEL_OFF ? "off" : "counters",
                                   .cache_flushed = !options->keep_caches,
                                   .warp_instructions = result->warp_instructions,
                                   .cycles = result->cycles,
                                   .dram_write_sectors = result->dram_write_sectors,
                                   .barrier_sectors = result->barrier_sectors,
                                   .wall_seconds = result->wall_seconds,
                                   .fault = fault};
    memcpy(out->races, result->races, sizeof out->races);
    memcpy(out->grid, launch->grid, sizeof out->grid);
    memcpy(out->block, launch->block, sizeof out->block);
    profile_count_fidelity(launch->kernel, counters, out);
    record_occupancy(&result->occupancy, out);
}

void record_launch(struct arena *arena, const struct device *device, const struct launch *launch,
                   const struct run_options *options, const struct run_result *result,
                   const struct counters *counters, const char *fault, struct profile_launch *out)
{
    record_run(device, launch, options, result, counters, fault, out);
    profile_launch_from_kernel(arena, launch->kernel, counters, out);
}

static const char *joined(struct arena *arena, int argc, char **argv)
{
    struct buf text = {0};
    for (int i = 0; i < argc; i++)
        buf_printf(&text, "%s%s", i ? " " : "", argv[i]);
    const char *copy = arena_string(arena, text.at ? text.at : "", text.n);
    buf_release(&text);
    return copy;
}

struct profile_environment record_environment(struct arena *arena, int argc, char **argv,
                                              const char *device_reason)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return (struct profile_environment){.program = "warpglass",
                                        .arguments = joined(arena, argc, argv),
                                        .host = arena_string(arena, host, strlen(host)),
                                        .version = WARPGLASS_VERSION,
                                        .device_reason = device_reason,
                                        .process_id = (uint32_t)getpid(),
                                        .start_unix_seconds = (uint64_t)time(NULL)};
}
