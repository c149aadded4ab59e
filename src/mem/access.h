// The one record a memory instruction of a warp becomes: who, where, how wide. Everything in mem/ that counts
// (banks, coalescing, caches) is a function of it. Addresses are multiples of the width: a misaligned access
// is a fault and never gets here, so no lane straddles two sectors.
#ifndef MEM_ACCESS_H
#define MEM_ACCESS_H
#include "base/space.h"
#include <stdbool.h>
#include <stdint.h>

// MAX_LINES: the most lines one access can touch, 32 lanes of 32 bytes each in eight rows of local memory.
enum { N_LANES = 32, SECTOR_BYTES = 32, LINE_BYTES = 128, MAX_LINES = 256 };
typedef uint32_t lanemask;

enum access_kind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOM, // returns the old value
    ACCESS_RED,  // does not
    ACCESS_CAS,  // compare and swap (ATOM whose shared form costs double)
    N_ACCESS_KINDS
};

// Which bytes an asynchronous copy (LDGSTS) reads: all; none in lanes where a predicate is false; with .ZFILL, some.
enum copy_form { COPY_WHOLE, COPY_CHOSEN, COPY_FILLED };

struct access {
    enum space space; // resolved: never SPACE_GENERIC when it reaches the counting functions
    enum access_kind kind;
    enum cache_op cache;
    uint8_t width;          // bytes per lane: 1 2 4 8 16 (32 for v8)
    bool is_strong;         // volatile, relaxed, acquire, release: goes to the point of coherence
    lanemask mask;          // lanes that take part (active and predicated on)
    uint8_t n_matrices;     // ldmatrix, stmatrix: 1, 2 or 4, rows of 16 bytes in lanes 0 to 8 n - 1; else 0
    uint8_t copy_form;      // LDGSTS: enum copy_form
    uint16_t n_wavefronts;  // wgmma: what its operands in shared memory take, known without addresses; else 0
    uint32_t insn;          // index of the instruction in its kernel
    uint64_t addr[N_LANES]; // per lane. Global: virtual address. Shared: offset in the block's window.
                            // Local: byte offset in the thread's local memory. Const: offset in the bank.
};

// One 128-byte line touched by an access and the sectors of it that were touched.
struct line_use {
    uint64_t line;   // byte address of the line (multiple of LINE_BYTES)
    uint8_t sectors; // bit s = sector s (bytes 32 s .. 32 s + 31)
    uint8_t full;    // bit s = every byte of sector s is written by this access (stores only)
    uint16_t weight; // atomics: ncu's sector count of this line (see coalesce.h); else popcount(sectors)
};

struct line_set {
    uint32_t n;
    struct line_use at[MAX_LINES];
};
#endif
