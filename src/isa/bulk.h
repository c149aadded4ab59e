// Bulk copies: the ways that lowering and engine name (simt/op_bulk.c says where operands lie).
#ifndef ISA_BULK_H
#define ISA_BULK_H

enum bulk_way {
    BULK_TO_SHARED,   // global to shared memory of the block or of others of its cluster
    BULK_TO_GLOBAL,   // the block's shared memory to global
    BULK_TO_BLOCK,    // the block's shared memory to another block's
    BULK_PREFETCH,    // into L2 only
    BULK_VALUE        // registers to another block's shared memory (st.async, red.async)
};
#endif
