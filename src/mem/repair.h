// What a shared access that conflicts would cost if its array were laid out otherwise. Pure functions.
//
// The row is the dominant distance between neighbouring lanes: more than half of the pairs of neighbouring
// active lanes are that far apart (either way), and it is a whole number of banks and of the access width,
// longer than one access. From the offset of a lane follow its row and its place in it:
//     padded     every row is one bank longer (one access where that is wider, so that alignment holds)
//     swizzled   unit c of row r lies at unit c XOR r (of the row's units: an access, or a bank where that is
//     wider);
//                rows that are no power of two of units stay as they are
// The cost is banks_cost of the moved offsets, so it is what the changed kernel measures if the array begins
// at a multiple of its row.
//
//     struct shared_repair r = banks_repair(&access);
//     if (r.row_bytes) ... r.padded_wavefronts, r.swizzled_wavefronts
#ifndef MEM_REPAIR_H
#define MEM_REPAIR_H
#include "mem/banks.h"

struct shared_repair {
    uint32_t row_bytes; // 0: no row was found and the other members are 0
    uint32_t padded_wavefronts, swizzled_wavefronts;
};

struct shared_repair banks_repair(const struct access *access);

// Answers remembered by the whole pattern: warps and loop rounds repeat few of them.
enum { N_REPAIRS = 1024 }; // a power of two, see hash()
struct repair_memo {
    struct {
        uint32_t insn, key; // key: mask, width and kind; 0 = empty
        uint32_t mask, offset[N_LANES];
        struct shared_repair repair;
    } at[N_REPAIRS];
};

struct shared_repair banks_repair_remembered(struct repair_memo *memo, const struct access *access);
#endif
