// Opcodes that real programs use (tests/data/ptx_opcodes.csv, counted in 1,642 PTX files): how many have a
// row of ptx.def, and that those that have none are the ones named in tests/data/ptx_opcodes_open.txt.
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

// Families in the order of their first opcode, and in each the open opcodes with the number of files that
// have them.
static void write_open(struct buf *out)
{
    size_t n_known = 0, n_refused = 0;
    for (size_t i = 0; i < n_opcodes; i++) {
        n_known += opcodes[i].is_known && !opcodes[i].is_refused;
        n_refused += opcodes[i].is_refused;
    }
    buf_printf(out, "%zu of %zu forms resolve; %zu are refused by name\n", n_known, n_opcodes, n_refused);
    for (size_t first = 0; first < n_opcodes; first++) {
        bool is_new = true, is_begun = false;
        for (size_t i = 0; i < first && is_new; i++)
            is_new = strcmp(opcodes[i].base, opcodes[first].base) != 0;
        for (size_t i = first; is_new && i < n_opcodes; i++) {
            if (opcodes[i].is_known || strcmp(opcodes[i].base, opcodes[first].base) != 0)
                continue;
            if (!is_begun)
                buf_printf(out, "\n%s\n", opcodes[first].base);
            is_begun = true;
            buf_printf(out, "%6u %s\n", opcodes[i].files, opcodes[i].name);
        }
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
                                        "suq.width.b32",
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
                                       cmocka_unit_test(refused_opcodes_are_known_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
