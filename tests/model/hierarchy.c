// The hierarchy against theory: streams, working sets, write-back, the halves of L2, on the measured devices.
// Whole accesses of 32 lanes of 16 bytes, 512 bytes in a row.
#include "base/arena.h"
#include "mem/memory.h"
#include "mem/memsys.h"
#include "support/check.h"

enum { STEP_BYTES = 512, MIB = 1 << 20 };

struct totals {
    uint64_t sectors, l1_hits;
    struct l2_counts l2;
};

static struct device load_device(struct arena *arena, const char *name)
{
    struct device d;
    struct err err = {0};
    if (!device_load(arena, name, &d, &err))
        fail_msg("%s: %s", err.file, err.text);
    return d;
}

// `bytes` from `first` on, accesses dealt round to `n_sms` SMs of the hand-out order, drained often enough.
static struct totals stream(struct memsys *ms, enum access_kind kind, uint64_t first, uint64_t bytes,
                            uint32_t n_sms)
{
    struct totals t = {0};
    struct access a = {.space = SPACE_GLOBAL, .kind = kind, .width = 16, .mask = UINT32_MAX};
    uint64_t time = 0;
    for (uint64_t at = 0; at < bytes; at += STEP_BYTES, time++) {
        uint32_t sm = memsys_sm_order(ms)[time % n_sms];
        struct outcome out;
        for (uint32_t lane = 0; lane < N_LANES; lane++)
            a.addr[lane] = MEMORY_GLOBAL_BASE + first + at + lane * 16;
        memsys_access(ms, sm, &a, 0, time, &out);
        t.sectors += out.sectors;
        t.l1_hits += out.l1_hit_sectors;
        if (!memsys_has_room(ms, sm))
            memsys_drain(ms, UINT64_MAX, &t.l2);
    }
    memsys_drain(ms, UINT64_MAX, &t.l2);
    return t;
}

static void assert_near(uint64_t value, double expected, double tolerance)
{
    double low = expected * (1 - tolerance), high = expected * (1 + tolerance);
    if ((double)value < low || (double)value > high)
        fail_msg("%llu is not within %g of %g", (unsigned long long)value, tolerance, expected);
}

static const char *const devices[] = {"h200", "a100-40gb", "t4"};

static void cold_stream_comes_from_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(devices); i++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct device d = load_device(&arena, devices[i]);
        struct memsys *ms = memsys_new(&d, 64 << 10);
        for (int launch = 0; launch < 2; launch++) {
            memsys_flush(ms);
            memsys_new_launch(ms, 64 << 10);
            struct totals t = stream(ms, ACCESS_LOAD, 0, 8 * MIB, (uint32_t)d.n_sms);
            assert_int_equal(t.sectors, 8 * MIB / SECTOR_BYTES);
            assert_int_equal(t.l1_hits, 0);
            assert_int_equal(t.l2.read_sectors, t.sectors);
            assert_int_equal(t.l2.read_hits, 0);
            assert_int_equal(t.l2.dram_read_sectors, t.sectors);
            if (d.n_l2_partitions == 2)
                assert_near(t.l2.fabric_sectors, (double)t.sectors / 2, 0.02);
            else
                assert_int_equal(t.l2.fabric_sectors, 0);
        }
        memsys_delete(ms);
        arena_release(&arena);
    }
}

static void l1_holds_its_size(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    struct device d = load_device(&arena, "h200");
    static const uint32_t l1_kib[] = {28, 60, 92, 124, 156, 224, 248};
    for (size_t i = 0; i < N_ELEMENTS(l1_kib); i++) {
        uint64_t l1_bytes = (uint64_t)l1_kib[i] << 10;
        struct memsys *ms = memsys_new(&d, l1_bytes);
        uint64_t fits = l1_bytes * 4 / 5 / 4096 * 4096; // l1_replacement.cu: 208 of 248 KiB
        stream(ms, ACCESS_LOAD, 0, fits, 1);
        struct totals again = stream(ms, ACCESS_LOAD, 0, fits, 1);
        assert_near(again.l1_hits, (double)again.sectors, 0.04);
        memsys_new_launch(ms, l1_bytes);
        assert_int_equal(stream(ms, ACCESS_LOAD, 0, l1_bytes, 1).l1_hits, 0);
        // A set half as large again, read round and round, defeats LRU.
        stream(ms, ACCESS_LOAD, 0, l1_bytes * 3 / 2, 1);
        struct totals larger = stream(ms, ACCESS_LOAD, 0, l1_bytes * 3 / 2, 1);
        assert_near(larger.sectors - larger.l1_hits, (double)larger.sectors, 0.04);
        memsys_delete(ms);
    }
    arena_release(&arena);
}

static void second_launch_finds_l2_warm(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(devices); i++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct device d = load_device(&arena, devices[i]);
        struct memsys *ms = memsys_new(&d, 64 << 10);
        stream(ms, ACCESS_LOAD, 0, 2 * MIB, (uint32_t)d.n_sms);
        memsys_new_launch(ms, 64 << 10);
        struct totals t = stream(ms, ACCESS_LOAD, 0, 2 * MIB, (uint32_t)d.n_sms);
        assert_int_equal(t.l1_hits, 0);
        assert_int_equal(t.l2.read_hits, t.sectors);
        assert_int_equal(t.l2.dram_read_sectors, 0);
        memsys_delete(ms);
        arena_release(&arena);
    }
}

// One SM's chase: fast up to half of L2 (its own partition holds home lines and copies), slower beyond, and
// from device memory beyond the whole (gpu-benches: A100 flat to 20 MB of 40, GH200 to 22 MB of 50; then
// rising).
static void one_sm_sees_half_of_l2(void **state)
{
    (void)state;
    static const char *const halved[] = {"h200", "a100-40gb"};
    for (size_t i = 0; i < N_ELEMENTS(halved); i++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct device d = load_device(&arena, halved[i]);
        static const struct {
            double share;
            bool near_hits, any_memory;
        } cases[] = {{0.25, true, false}, {0.40, true, false}, {0.75, false, false}, {1.3, false, true}};
        for (size_t c = 0; c < N_ELEMENTS(cases); c++) {
            struct memsys *ms = memsys_new(&d, 32 << 10);
            uint64_t bytes = (uint64_t)((double)d.l2_bytes * cases[c].share) / MIB * MIB;
            stream(ms, ACCESS_LOAD, 0, bytes, 1);
            struct totals t = stream(ms, ACCESS_LOAD, 0, bytes, 1);
            assert_int_equal(t.l2.read_hits > 0.97 * (double)t.sectors, cases[c].near_hits);
            if (!cases[c].any_memory && cases[c].near_hits)
                assert_true(t.l2.dram_read_sectors < 0.02 * (double)t.sectors);
            if (cases[c].any_memory)
                assert_true(t.l2.dram_read_sectors > t.sectors / 2);
            memsys_delete(ms);
        }
        arena_release(&arena);
    }
}

// Read from both sides everything is held one and a half times on average when each line is read once from
// one side: 24 MB stay in 60 MB, 48 MB do not (l2_reread24, l2_reread48).
static void copies_cost_capacity(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, "test");
    struct device d = load_device(&arena, "h200");
    struct memsys *ms = memsys_new(&d, 32 << 10);
    struct totals t = {0};
    for (int pass = 0; pass < 2; pass++, memsys_new_launch(ms, 32 << 10))
        t = stream(ms, ACCESS_LOAD, 0, 24 * MIB, (uint32_t)d.n_sms);
    assert_near(t.l2.read_hits, (double)t.sectors, 0.01);
    memsys_flush(ms);
    for (int pass = 0; pass < 2; pass++, memsys_new_launch(ms, 32 << 10))
        t = stream(ms, ACCESS_LOAD, 0, 48 * MIB, (uint32_t)d.n_sms);
    assert_true(t.l2.read_hits < t.sectors / 2);
    memsys_delete(ms);
    arena_release(&arena);
}

static void small_writes_stay_in_l2(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(devices); i++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct device d = load_device(&arena, devices[i]);
        struct memsys *ms = memsys_new(&d, 64 << 10);
        struct totals t = stream(ms, ACCESS_STORE, 0, 2 * MIB, (uint32_t)d.n_sms);
        assert_int_equal(t.l2.write_sectors, t.sectors);
        assert_int_equal(t.l2.write_hits, t.sectors);
        assert_int_equal(t.l2.dram_read_sectors, 0); // whole sectors need nothing from memory
        assert_int_equal(memsys_dram_write_sectors(ms), 0);
        memsys_delete(ms);
        arena_release(&arena);
    }
}

static void what_does_not_fit_is_written_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(devices); i++) {
        struct arena arena;
        arena_init(&arena, "test");
        struct device d = load_device(&arena, devices[i]);
        struct memsys *ms = memsys_new(&d, 64 << 10);
        uint64_t bytes = d.l2_bytes / MIB * 3 * MIB;
        struct totals t = stream(ms, ACCESS_STORE, 0, bytes, (uint32_t)d.n_sms);
        // With two partitions every other line is far and held twice, so two thirds of the lines held are
        // dirty.
        double held = (double)d.l2_bytes / (d.n_l2_partitions == 2 ? 1.5 : 1.0);
        assert_near(memsys_dram_write_sectors(ms), ((double)bytes - held) / SECTOR_BYTES, 0.02);
        uint64_t before = memsys_dram_write_sectors(ms);
        stream(ms, ACCESS_LOAD, 16 * bytes, 2 * bytes, (uint32_t)d.n_sms); // pushes out the rest
        assert_near(memsys_dram_write_sectors(ms), (double)t.sectors, 0.001);
        assert_true(memsys_dram_write_sectors(ms) > before);
        memsys_delete(ms);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_stream_comes_from_memory),
        cmocka_unit_test(l1_holds_its_size),
        cmocka_unit_test(second_launch_finds_l2_warm),
        cmocka_unit_test(one_sm_sees_half_of_l2),
        cmocka_unit_test(copies_cost_capacity),
        cmocka_unit_test(small_writes_stay_in_l2),
        cmocka_unit_test(what_does_not_fit_is_written_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
