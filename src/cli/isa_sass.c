// warpglass isa sass: the table of machine instructions, and encodings as text (isa_sass.h).
#include "cli/isa_sass.h"
#include "cli/options.h"
#include "sass/sass.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Bits 0 … 11 as they may be: "[246e]21" where bits 9 … 11 choose among kinds of operand.
static void format_opcode(const struct sass_row *row, struct buf *out)
{
    if (!row->forms) {
        buf_printf(out, "%03x", row->opcode);
        return;
    }
    buf_puts(out, "[");
    for (unsigned form = 0; form < 8; form++)
        if (row->forms >> form & 1)
            buf_printf(out, "%x", form << 1 | row->opcode >> 8);
    buf_printf(out, "]%02x", row->opcode & 0xff);
}

void isa_print_sass(bool csv, const char *const *unit_names)
{
    uint32_t n;
    const struct sass_row *rows = sass_rows(&n);
    puts(csv ? "instruction,opcode,from,to,unit,status,spec"
             : "instruction    opcode      sm_    unit     status    operands and modifiers "
               "(src/sass/sass.def "
               "explains)\n"
               "-------------  ----------  -----  -------  --------  "
               "------------------------------------------");
    for (uint32_t i = 0; i < n; i++) {
        const struct sass_row *row = &rows[i];
        bool is_executed = strcmp(row->lower, "lower_none") != 0;
        char last[8] = "";
        struct buf opcode = {0};
        format_opcode(row, &opcode);
        if (row->last_cc != 99)
            snprintf(last, sizeof last, "%u", row->last_cc);
        printf(csv ? "%s,%s,%u,%s,%s,%s,\"%s\"\n" : "%-14s %-11s %u-%-3s %-8s %-9s %s\n", row->name,
               opcode.at, row->first_cc, last, unit_names[row->unit], is_executed ? "executed" : "decoded",
               row->spec + strspn(row->spec, " "));
        buf_release(&opcode);
    }
}

// Lines of two hexadecimal words, the byte offset may follow: each as text, one a line.
int isa_decode(const char *path, unsigned cc)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return usage_error("isa", "--decode %s: cannot be read", path);
    struct buf text = {0};
    char line[1024];
    int status = 0;
    for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
        uint64_t words[2];
        uint32_t offset = 0;
        struct sass_insn insn;
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx32, &words[0], &words[1], &offset) < 2) {
            status = usage_error("isa", "--decode %s, line %u: expected two hexadecimal words", path, number);
            continue;
        }
        sass_decode(cc, words, offset, &insn);
        sass_print(&insn, &text);
        buf_puts(&text, "\n");
        fwrite(text.at, 1, text.n, stdout);
        buf_clear(&text);
    }
    buf_release(&text);
    if (file != stdin)
        fclose(file);
    return status;
}
