// Source lines of machine code: the line program of a cubin's .debug_line (-lineinfo or -G).
//
//     struct line_table table;
//     line_table_read(&arena, &elf, &table);                 // no table: n_sequences is 0
//     const struct line_sequence *s = line_table_find(&table, "_Z3addPf");
//
// The program is DWARF's, version 2 (DWARF debugging standard, section 6.2), with one extension: opcode 0x90 says that the
// rows that follow were inlined at the call whose row has that number in the sequence (seen in cubins of nvcc 11.8 and 13;
// row 0: not inlined). Names are borrowed from the file or live in the arena. Damaged tables end early.
#ifndef IMAGE_LINE_TABLE_H
#define IMAGE_LINE_TABLE_H
#include "base/arena.h"
#include "image/elf.h"

struct line_row {
    uint32_t offset;    // bytes from the beginning of the code section; valid up to the next row
    uint32_t file;      // index into table.files
    uint32_t line;      // 1-based
    int32_t inlined_at; // index into the sequence's rows of the call, or -1
};

struct line_sequence { // one function
    const char *function;
    const struct line_row *rows;
    uint32_t n_rows;
};

struct line_table {
    const char *const *files;
    uint32_t n_files;
    const struct line_sequence *sequences;
    uint32_t n_sequences;
};

void line_table_read(struct arena *arena, const struct elf *elf, struct line_table *out);
const struct line_sequence *line_table_find(const struct line_table *table, const char *function);
#endif
