// Opcodes that real programs use (tests/data/ptx_opcodes.csv, counted in 1,642 PTX files): how many have a
// row of ptx.def that runs, and that the others are the ones named in tests/data/ptx_opcodes_open.txt.
//
//     make test T=ptx/opcodes        fails when the list of open ones changes
//     make bless T=ptx/opcodes       writes the list anew
#include "base/buf.h"
#include "ptx/op.h"
#include "support/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char list_path[] = "tests/data/ptx_opcodes.csv", open_path[] = "tests/data/ptx_opcodes_open.txt";
enum { MAX_OPCODES = 2000 };

struct opcode {
    char name[200], base[32];
    unsigned files;
    bool is_known, is_refused;
};

static struct opcode opcodes[MAX_OPCODES];
static size_t n_opcodes;

static void read_list(void)
{
    char line[256];
    FILE *file = fopen(list_path, "r");
    assert_non_null(file);
    while (n_opcodes < MAX_OPCODES && fgets(line, sizeof line, file)) {
        struct opcode *o = &opcodes[n_opcodes];
        unsigned occurrences;
        if (sscanf(line, "%199[^,],%31[^,],%u,%u", o->name, o->base, &occurrences, &o->files) != 4)
            continue;
        enum op_status status;
        struct err err = {0};
        o->is_known = op_find(o->name, &status, &err);
        o->is_refused = o->is_known && status == STATUS_REFUSED;
        n_opcodes++;
    }
    fclose(file);
}

// Those that do not run: refused by name, or without a type that the PTX ISA asks for.
static void write_open(struct buf *out)
{
    static const char *const titles[] = {"refused by name", "no instructions: a type is missing"};
    size_t n_known = 0, n_refused = 0;
    for (size_t i = 0; i < n_opcodes; i++) {
        n_known += opcodes[i].is_known && !opcodes[i].is_refused;
        n_refused += opcodes[i].is_refused;
    }
    buf_printf(out, "%zu of %zu forms run; %zu are refused by name\n", n_known, n_opcodes, n_refused);
    for (int is_unknown = 0; is_unknown < 2; is_unknown++) {
        buf_printf(out, "\n%s\n", titles[is_unknown]);
        for (size_t i = 0; i < n_opcodes; i++)
            if (is_unknown ? !opcodes[i].is_known : opcodes[i].is_refused)
                buf_printf(out, "%6u %s\n", opcodes[i].files, opcodes[i].name);
    }
}

// What is refused belongs to sm_100 and later, or to other chapters of doc/limits.md: none is a scalar instruction of sm_90.
static void only_these_families_are_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"tcgen05.", "clusterlaunchcontrol.", "f32x2", "cta_group::", // sm_100
                                        "multimem.", "im2col", ".sp", "sured.", "suq."};
    for (size_t i = 0; i < n_opcodes; i++) {
        bool is_named = !opcodes[i].is_refused;
        for (size_t w = 0; w < N_ELEMENTS(words); w++)
            is_named = is_named || strstr(opcodes[i].name, words[w]);
        if (!is_named)
            fail_msg("%s is refused", opcodes[i].name);
    }
}

static void open_opcodes_are_the_named_ones(void **state)
{
    (void)state;
    struct buf now = {0}, then = {0};
    struct err err = {0};
    read_list();
    write_open(&now);
    print_message("%.*s\n", (int)strcspn(now.at, "\n"), now.at);
    if (getenv("BLESS")) {
        FILE *file = fopen(open_path, "w");
        assert_non_null(file);
        fputs(now.at, file);
        fclose(file);
    }
    assert_true(buf_read_file(&then, open_path, &err));
    assert_string_equal(now.at, then.at);
    buf_release(&now);
    buf_release(&then);
}

static void refused_opcodes_are_known_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"multimem.ld_reduce.weak.global.add.v2.f32",
                                        "multimem.red.global.add.f32",
                                        "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
                                        "wgmma.mma_async.sp.sync.aligned.m64n128k32.f32.f16.f16", "sured.b.add.2d.u32.clamp",
                                        "suq.width.b32", "add.rn.f32x2", "sub.rn.f32x2", "mul.rn.f32x2", "fma.rn.ftz.f32x2",
                                        "tcgen05.ld.sync.aligned.32x32b.x64.b32",
                                        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128",
                                        "cp.async.bulk.tensor.5d.cta_group::1.shared::cluster.global.tile",
                                        "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global",
                                        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                                        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32"};
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        enum op_status status = STATUS_EXACT;
        struct err err = {0};
        assert_true(op_find(names[i], &status, &err));
        assert_int_equal(status, STATUS_REFUSED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(open_opcodes_are_the_named_ones),
                                       cmocka_unit_test(only_these_families_are_refused),
                                       cmocka_unit_test(refused_opcodes_are_known_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
