// warpglass isa ptx: the instructions that run, from the table.
#include "base/err.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "ptx/op.h"
#include <stdio.h>
#include <string.h>

static const char *const unit_names[N_UNITS] = {"alu", "fma", "fp64",    "fp16",    "mufu",  "conv",
                                                "lsu", "tex", "control", "uniform", "tensor", "barrier"};

static void print_ptx(bool csv)
{
    puts(csv ? "instruction,types,suffixes,unit,status"
             : "instruction  unit     status       types; suffixes\n"
               "-----------  -------  -----------  ---------------");
    for (uint32_t row = 0; row < op_count(); row++) {
        struct op_info info = op_info(row);
        if (csv)
            printf("%s,%s,%s,%s,%s\n", info.name, info.types, info.suffixes, unit_names[info.unit],
                   info.status);
        else
            printf("%-12s %-8s %-12s %s%s%s\n", info.name, unit_names[info.unit], info.status, info.types,
                   *info.suffixes ? "; " : "", info.suffixes);
    }
}

int cmd_isa(int argc, char **argv)
{
    bool csv = false;
    const struct option_row rows[] = {{"csv", OPT_FLAG, &csv, NULL, "comma-separated"}, {0}};
    struct arguments rest;
    int status = options_parse(argc, argv, "isa ptx [options]",
                               "Lists the supported instructions with their types, suffixes and fidelity.",
                               rows, &rest);
    if (status != OPTIONS_GO)
        return status;
    if (rest.n != 1 || strcmp(rest.at[0], "ptx") != 0)
        return usage_error("isa", "expected the instruction set: ptx");
    print_ptx(csv);
    return 0;
}
