// The memory instructions of a kernel's machine code, counted once each where they stand: what merged shared
// accesses, local traffic and loads that follow each other closely look like before anything runs.
//
//     struct triage_code code;
//     if (triage_code_open(&t, "k.cubin", bytes, n, &code)) triage_read_code(&t, &code, kernel);   // once a
//     kernel triage_code_close(&code);
#ifndef TRIAGE_MIX_H
#define TRIAGE_MIX_H
#include "image/line_table.h"
#include "sass/sass.h"
#include "triage/triage.h"

// What an instruction does to which memory, by the name of the instruction.
enum mix_kind {
    MIX_LDG,
    MIX_STG,
    MIX_ATOMG,
    MIX_REDG,
    MIX_LDS,
    MIX_STS,
    MIX_ATOMS,
    MIX_LDSM,
    MIX_LDL,
    MIX_STL,
    MIX_LD,
    MIX_ST,
    MIX_ATOM,
    MIX_LDGSTS,
    N_MIX_KINDS
};
const char *mix_name(enum mix_kind kind); // "LDG"
// False: no access to memory of these kinds. `bits` of a lane; LDSM: of the registers that a lane gets.
bool mix_of(const struct sass_insn *insn, enum mix_kind *kind, uint32_t *bits);

// Instructions of one kind and width on one source line.
struct mix_row {
    const char *file; // "" unknown
    uint32_t line;    // 0 unknown
    enum mix_kind kind;
    uint32_t bits; // of a lane: 8 ... 256; 0: no width
    uint32_t n;
};

struct triage_mix {
    struct mix_row *rows; // by file, line, kind, width
    size_t n_rows;
};

// A cubin, opened for its code. The bytes are borrowed.
struct triage_code {
    struct elf elf;
    struct line_table lines;
    struct map sections; // index + 1 of ".text.NAME", by NAME
};

bool triage_code_open(struct triage *t, const char *path, const void *bytes, size_t n,
                      struct triage_code *out);
void triage_code_close(struct triage_code *code);
// The mix of the kernel, its sums, and the distances between loads. Unknown where the target's instructions
// are not.
void triage_read_code(struct triage *t, const struct triage_code *code, struct triage_kernel *kernel);
#endif
