// The hierarchy's rules one by one: what L1 keeps, what goes on to L2, how queues drain, what L2 makes of it.
// Small caches by hand-made devices, so that every number can be counted on fingers.
#include "mem/memsys.h"
#include "mem/l2.h"
#include "mem/memory.h"
#include "mem/place.h"
#include "support/check.h"
#include <string.h>

// Two SMs, one per L2 partition; L2 of 64 lines in sets of 8.
static struct device tiny_device(uint32_t n_partitions)
{
    return (struct device){.id = "tiny",
                           .n_sms = 2,
                           .n_sms_per_tpc = 1,
                           .gpc_sizes = {{1, 1}, 2},
                           .sm_clock_mhz = 1000,
                           .l1_ways = 4,
                           .l2_bytes = 64 * LINE_BYTES,
                           .n_l2_partitions = n_partitions,
                           .l2_line_bytes = LINE_BYTES,
                           .l2_ways = 8,
                           .l2_fill_bytes = 64,
                           .constant_l1_bytes = 2048,
                           .constant_line_bytes = 64,
                           .dram_read_gbps = 32};
}

static struct access access_of(enum access_kind kind, uint64_t first, uint64_t step)
{
    struct access a = {.space = SPACE_GLOBAL, .kind = kind, .width = 4, .mask = UINT32_MAX, .insn = 0};
    for (uint32_t t = 0; t < N_LANES; t++)
        a.addr[t] = MEMORY_GLOBAL_BASE + first + t * step;
    return a;
}

static struct outcome go(struct memsys *ms, uint32_t sm, const struct access *a, uint64_t now)
{
    struct outcome out;
    memsys_access(ms, sm, a, 0, now, &out);
    return out;
}

static struct outcome load(struct memsys *ms, uint64_t first)
{
    struct access a = access_of(ACCESS_LOAD, first, 4);
    return go(ms, 0, &a, 0);
}

static struct outcome store(struct memsys *ms, uint64_t first)
{
    struct access a = access_of(ACCESS_STORE, first, 4);
    return go(ms, 0, &a, 0);
}

static void loads_stay_in_l1(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct outcome first = load(ms, 0), second = load(ms, 0), shifted = load(ms, 32);
    assert_int_equal(first.l1_miss_sectors, 4);
    assert_int_equal(first.l2_read_sectors, 4);
    assert_int_equal(second.l1_hit_sectors, 4);
    assert_int_equal(second.l2_read_sectors, 0);
    assert_int_equal(shifted.l1_hit_sectors, 3);
    assert_int_equal(shifted.l1_miss_sectors, 1);
    memsys_delete(ms);
}

static void stores_leave_a_tag_but_nothing_to_read(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    assert_int_equal(store(ms, 0).l1_miss_sectors, 4); // st_then_ld: 0 hits, and the load after it misses
    assert_int_equal(load(ms, 0).l1_miss_sectors, 4);
    struct outcome s = store(ms, 0); // ld_then_st_ld: the store hits, the load after it misses
    assert_int_equal(s.l1_hit_sectors, 4);
    assert_int_equal(s.l2_write_sectors, 4);
    assert_int_equal(load(ms, 0).l1_miss_sectors, 4);
    memsys_delete(ms);
}

// 128 bytes of pinned host memory and as many of managed memory: the first are the host's, the others the device's.
static void pinned_memory_is_the_hosts(void **state)
{
    (void)state;
    static _Alignas(LINE_BYTES) unsigned char pinned[LINE_BYTES], managed[LINE_BYTES];
    struct err err = {0};
    struct device d = tiny_device(2);
    struct memory *memory = memory_new(1 << 20, &err);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct l2_counts counts[1] = {0};
    assert_true(memory_add_host(memory, pinned, sizeof pinned, "pinned"));
    assert_true(memory_add_host(memory, managed, sizeof managed, "managed"));
    memory_set_pinned(memory, (uint64_t)(uintptr_t)pinned);
    memsys_set_memory(ms, memory);
    const enum access_kind kinds[] = {ACCESS_LOAD, ACCESS_LOAD, ACCESS_STORE, ACCESS_LOAD, ACCESS_RED};
    for (int i = 0; i < 5; i++) {
        struct access a = access_of(kinds[i], (uint64_t)(uintptr_t)pinned - MEMORY_GLOBAL_BASE, 4);
        a.is_strong = true; // past L1
        go(ms, 0, &a, (uint64_t)i);
    }
    struct access a = access_of(ACCESS_LOAD, (uint64_t)(uintptr_t)managed - MEMORY_GLOBAL_BASE, 4);
    go(ms, 0, &a, 9);
    memsys_drain(ms, UINT64_MAX, counts);
    assert_int_equal(counts->host_read_sectors, 12);
    assert_int_equal(counts->host_read_misses, 8); // the second load found them, the one behind the store did not
    assert_int_equal(counts->host_write_sectors, 4);
    assert_int_equal(counts->host_atomic_sectors, 4);
    assert_int_equal(counts->read_sectors, 16);
    assert_int_equal(counts->dram_read_sectors, 4);
    memsys_delete(ms);
    memory_delete(memory);
}

static void around_l1(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct access cg = access_of(ACCESS_LOAD, 0, 4), strong = cg;
    cg.cache = CACHE_CG;
    strong.is_strong = true;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(go(ms, 0, &cg, 0).l1_miss_sectors, 4); // ldg_cg_then_ca: neither hits
        assert_int_equal(go(ms, 0, &strong, 0).l1_miss_sectors, 4);
    }
    assert_int_equal(load(ms, 0).l1_miss_sectors, 4);
    memsys_delete(ms);
}

static void local_stores_can_be_read(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct access a = {.space = SPACE_LOCAL, .kind = ACCESS_STORE, .width = 4, .mask = UINT32_MAX};
    struct outcome s = go(ms, 0, &a, 0);
    assert_int_equal(s.l1_miss_sectors, 4);
    assert_int_equal(s.l2_write_sectors, 4); // written through
    a.kind = ACCESS_LOAD;
    assert_int_equal(go(ms, 0, &a, 0).l1_hit_sectors, 4);
    assert_int_equal(load(ms, 0).l1_miss_sectors, 4); // global line 0 is another line
    memsys_delete(ms);
}

static void atomics_go_to_l2(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct l2_counts counts = {0};
    load(ms, 0);
    struct access red = access_of(ACCESS_RED, 0, 0);
    struct outcome o = go(ms, 0, &red, 0);
    assert_int_equal(o.l2_atomic_sectors, 32); // one word for all lanes: red_add, all_equal
    assert_int_equal(load(ms, 0).l1_miss_sectors, 1);
    memsys_drain(ms, 1, &counts);
    assert_int_equal(counts.atomic_requests, 1);
    assert_int_equal(counts.atomic_sectors, 32);
    assert_int_equal(counts.atomic_hits, 32);
    assert_int_equal(counts.read_sectors, 5);
    assert_int_equal(counts.read_hits, 1);
    memsys_delete(ms);
}

static void other_sms_have_their_own_l1(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct access a = access_of(ACCESS_LOAD, 0, 4);
    go(ms, 0, &a, 0);
    assert_int_equal(go(ms, 1, &a, 0).l1_miss_sectors, 4);
    memsys_new_launch(ms, 16 * LINE_BYTES);
    assert_int_equal(go(ms, 0, &a, 0).l1_miss_sectors, 4);
    memsys_new_launch(ms, 2 * LINE_BYTES); // another carve-out
    assert_int_equal(load(ms, 0).l1_miss_sectors, 4);
    assert_int_equal(load(ms, 128).l1_miss_sectors, 4);
    assert_int_equal(load(ms, 256).l1_miss_sectors, 4);
    assert_int_equal(load(ms, 0).l1_miss_sectors, 4);
    memsys_delete(ms);
}

static void constants_are_requested_by_word(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct access a = {.space = SPACE_CONST, .kind = ACCESS_LOAD, .width = 4, .mask = UINT32_MAX};
    struct outcome o = go(ms, 0, &a, 0);
    assert_int_equal(o.constant_requests, 1);
    assert_int_equal(o.constant_misses, 1);
    for (uint32_t t = 0; t < N_LANES; t++)
        a.addr[t] = 4 * t; // 32 words in two lines, one of them present
    o = go(ms, 0, &a, 0);
    assert_int_equal(o.constant_requests, 32);
    assert_int_equal(o.constant_misses, 1);
    assert_int_equal(go(ms, 1, &a, 0).constant_misses, 2);
    memsys_delete(ms);
}

static void drain_stops_at_its_time(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct l2_counts counts = {0};
    for (uint64_t i = 0; i < 10; i++) {
        struct access a = access_of(ACCESS_LOAD, i * 128, 4);
        go(ms, 0, &a, 100 * i);
    }
    memsys_drain(ms, 500, &counts);
    assert_int_equal(counts.read_requests, 5);
    memsys_drain(ms, 501, &counts);
    assert_int_equal(counts.read_requests, 6);
    memsys_drain(ms, UINT64_MAX, &counts);
    assert_int_equal(counts.read_requests, 10);
    memsys_delete(ms);
}

// The later of two accesses to one line is the hit, whichever SM it comes from and in whatever order they
// were queued.
static void drain_goes_by_time(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        struct device d = tiny_device(1);
        struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
        struct l2_counts counts[2] = {{0}};
        for (uint32_t sm = 0; sm < 2; sm++) {
            struct access a = access_of(ACCESS_LOAD, 0, 4);
            a.insn = sm;
            go(ms, sm, &a, sm == late ? 10 * MEMSYS_SLOT_TICKS : 0);
        }
        memsys_drain(ms, UINT64_MAX, counts);
        assert_int_equal(counts[late].read_hits, 4);
        assert_int_equal(counts[!late].read_hits, 0);
        memsys_delete(ms);
    }
}

static void queues_are_bounded(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct memsys *ms = memsys_new(&d, 16 * LINE_BYTES);
    struct l2_counts counts = {0};
    uint64_t n = 0;
    for (; memsys_has_room(ms, 0); n++) {
        struct access a = access_of(ACCESS_LOAD, n * 4096, 128);
        go(ms, 0, &a, n);
    }
    memsys_drain(ms, UINT64_MAX, &counts);
    assert_true(memsys_has_room(ms, 0));
    assert_int_equal(counts.read_requests, n * 32);
    memsys_delete(ms);
}

// ---- L2 alone -------------------------------------------------------------------------------------------

static struct l2_counts ask(struct l2 *l2, uint32_t near, enum l2_op op, uint32_t line, uint8_t sectors,
                            uint32_t words)
{
    struct l2_counts counts = {0};
    struct l2_request r = {.line = line, .words = words, .weight = 4, .sectors = sectors, .op = (uint8_t)op};
    l2_access(l2, near, &r, &counts);
    return counts;
}

static void fills_come_in_pairs(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct l2 l2;
    l2_init(&l2, &d);
    struct l2_counts c = ask(&l2, 0, L2_READ, 7, 1, 0);
    assert_int_equal(c.read_hits, 0);
    assert_int_equal(c.dram_read_sectors, 2);
    c = ask(&l2, 0, L2_READ, 7, 6, 0); // sector 1 came along, 2 brings 3
    assert_int_equal(c.read_hits, 1);
    assert_int_equal(c.dram_read_sectors, 2);
    assert_int_equal(ask(&l2, 0, L2_READ, 7, 15, 0).read_hits, 4);
    l2_release(&l2);
}

static void far_reads_leave_a_copy(void **state)
{
    (void)state;
    struct device d = tiny_device(2);
    struct l2 l2;
    l2_init(&l2, &d);
    uint32_t line = 40, far = !l2_home(&l2, line);
    assert_int_equal(l2_home(&l2, line ^ 1), far); // neighbours alternate
    struct l2_counts c = ask(&l2, far, L2_READ, line, 1, 0);
    assert_int_equal(c.read_hits, 0);
    assert_int_equal(c.fabric_sectors, 2);
    assert_int_equal(c.dram_read_sectors, 2);
    c = ask(&l2, far, L2_READ, line, 3, 0);
    assert_int_equal(c.read_hits, 2);
    assert_int_equal(c.fabric_sectors, 0);
    assert_int_equal(ask(&l2, !far, L2_READ, line, 3, 0).read_hits, 2); // home has it too
    ask(&l2, !far, L2_WRITE, line, 1, 0xff);                            // drops the copy of sector 0
    c = ask(&l2, far, L2_READ, line, 3, 0);
    assert_int_equal(c.read_hits, 1);
    assert_int_equal(c.fabric_sectors, 1);
    assert_int_equal(c.dram_read_sectors, 0);
    c = ask(&l2, far, L2_WRITE, line, 15, UINT32_MAX);
    assert_int_equal(c.fabric_sectors, 4);
    assert_int_equal(c.write_hits, 4);
    l2_release(&l2);
}

static void far_writes_leave_a_copy(void **state)
{
    (void)state;
    struct device d = tiny_device(2);
    struct l2 l2;
    l2_init(&l2, &d);
    uint32_t line = 40, far = !l2_home(&l2, line);
    ask(&l2, far, L2_WRITE, line, 3, 0x0fff); // sector 0 and half of sector 1
    struct l2_counts c = ask(&l2, far, L2_READ, line, 1, 0);
    assert_int_equal(c.read_hits, 1);
    assert_int_equal(c.fabric_sectors, 0);
    ask(&l2, !far, L2_WRITE, line, 2, 0x0f00); // from the other side: the copy forgets sector 1
    ask(&l2, far, L2_WRITE, line, 2, 0xf000);
    c = ask(&l2, far, L2_READ, line, 2, 0);
    assert_int_equal(c.read_hits, 0);
    assert_int_equal(c.fabric_sectors, 1);
    assert_int_equal(c.dram_read_sectors, 0); // at home it is whole
    ask(&l2, !far, L2_ATOMIC, line, 1, 0);
    assert_int_equal(ask(&l2, far, L2_READ, line, 1, 0).read_hits, 0);
    l2_release(&l2);
}

static void written_sectors_are_read_without_memory(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct l2 l2;
    l2_init(&l2, &d);
    assert_int_equal(ask(&l2, 0, L2_WRITE, 3, 1, 0x0f).write_hits, 1); // half of sector 0
    struct l2_counts c = ask(&l2, 0, L2_WRITE, 3, 1, 0xf0);            // the other half
    assert_int_equal(c.dram_read_sectors, 0);
    assert_int_equal(ask(&l2, 0, L2_READ, 3, 1, 0).read_hits, 1);
    ask(&l2, 0, L2_WRITE, 4, 1, 0x0f);
    c = ask(&l2, 0, L2_READ, 4, 1, 0); // part-written: filled from memory, with its pair
    assert_int_equal(c.read_hits, 0);
    assert_int_equal(c.dram_read_sectors, 2);
    l2_release(&l2);
}

static void dirty_lines_are_written_back_when_evicted(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct l2 l2;
    l2_init(&l2, &d);
    for (uint32_t line = 0; line < 64; line++)
        ask(&l2, 0, L2_WRITE, line, 15, UINT32_MAX);
    uint64_t first = l2.dram.write_sectors;
    for (uint32_t line = 64; line < 4096; line++)
        ask(&l2, 0, L2_READ, line, 1, 0);
    assert_true(l2.dram.write_sectors > first);
    assert_int_equal(l2.dram.write_sectors, 64 * 4);
    l2_release(&l2);
}

// The first line from `line` on that lies in this set of the only partition.
static uint32_t line_of_set(const struct l2 *l2, uint32_t set, uint32_t line)
{
    while (cache_index(&l2->partitions[0], line) != set)
        line++;
    return line;
}

// One part-written line a set may stay (an eighth of eight ways).
static void part_written_lines_are_few(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct l2 l2;
    l2_init(&l2, &d);
    uint64_t completed = 0;
    uint32_t first = 0;
    for (uint32_t set = 0; set < 8; set++) {
        uint32_t line = first = line_of_set(&l2, set, 0);
        assert_int_equal(ask(&l2, 0, L2_WRITE, line, 1, 1).dram_read_sectors, 0);
        completed += ask(&l2, 0, L2_WRITE, line_of_set(&l2, set, line + 1), 1, 1).dram_read_sectors;
    }
    assert_int_equal(completed, 8);
    assert_int_equal(l2.dram.write_sectors, 8);
    assert_int_equal(ask(&l2, 0, L2_READ, first, 1, 0).read_hits, 1); // completed: readable
    l2_release(&l2);
}

static void cold_atomics_miss_once_a_fill(void **state)
{
    (void)state;
    struct device d = tiny_device(1);
    struct l2 l2;
    l2_init(&l2, &d);
    struct l2_counts c = ask(&l2, 0, L2_ATOMIC, 9, 15, 0); // l2_atomic_spread: half of four sectors miss
    assert_int_equal(c.atomic_sectors, 4);
    assert_int_equal(c.atomic_hits, 2);
    assert_int_equal(c.dram_read_sectors, 4);
    assert_int_equal(ask(&l2, 0, L2_ATOMIC, 9, 15, 0).atomic_hits, 4);
    l2_release(&l2);
}

static void sms_are_placed_by_gpc(void **state)
{
    (void)state;
    struct device d = tiny_device(2);
    d.n_sms = 10;
    d.n_sms_per_tpc = 2;
    d.gpc_sizes = (struct size_list){{4, 6}, 2};
    struct sm_place places[10];
    uint32_t order[10];
    static const uint32_t expected[10] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9};
    place_sms(&d, places, order);
    assert_memory_equal(order, expected, sizeof order);
    assert_int_equal(places[5].partition, 0);
    assert_int_equal(places[9].partition, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_stay_in_l1),
        cmocka_unit_test(stores_leave_a_tag_but_nothing_to_read),
        cmocka_unit_test(pinned_memory_is_the_hosts),
        cmocka_unit_test(around_l1),
        cmocka_unit_test(local_stores_can_be_read),
        cmocka_unit_test(atomics_go_to_l2),
        cmocka_unit_test(other_sms_have_their_own_l1),
        cmocka_unit_test(constants_are_requested_by_word),
        cmocka_unit_test(drain_stops_at_its_time),
        cmocka_unit_test(drain_goes_by_time),
        cmocka_unit_test(queues_are_bounded),
        cmocka_unit_test(fills_come_in_pairs),
        cmocka_unit_test(far_reads_leave_a_copy),
        cmocka_unit_test(far_writes_leave_a_copy),
        cmocka_unit_test(written_sectors_are_read_without_memory),
        cmocka_unit_test(dirty_lines_are_written_back_when_evicted),
        cmocka_unit_test(part_written_lines_are_few),
        cmocka_unit_test(cold_atomics_miss_once_a_fill),
        cmocka_unit_test(sms_are_placed_by_gpc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
