// State spaces and cache operators: words that instructions (isa, ptx) and the memory side (mem) share.
#ifndef BASE_SPACE_H
#define BASE_SPACE_H

enum space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED, // of the block itself
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_PARAM,
    SPACE_CLUSTER, // instructions: shared memory of any block of the cluster; accesses: of another block
    N_SPACES
};

// Where a load may be served from, from the cache operator and the ordering of the instruction.
enum cache_op {
    CACHE_DEFAULT,
    CACHE_CA,
    CACHE_CG,
    CACHE_CS,
    CACHE_CV,
    CACHE_LU,
    CACHE_NC,
    CACHE_WB,
    CACHE_WT,
    N_CACHE_OPS
};
#endif
