// A stretch of memory between a writer of profiles and the process that will read them: records of short launches gather
// there, because a write(2) takes longer than many a launch. It is shared (memfd), so what a killed writer left in it is not
// lost: the reader's side appends it to the file. One process at a time owns it; others write to the file at once.
//
//     parent: ring = mmap(MAP_SHARED, PROFILE_RING_BYTES) …start… wait …  profile_ring_drain(ring, "x.wgp", &err);
//     child:  profile_use_ring(writer, ring);                              // profile.h
#ifndef PROF_PROFILE_RING_H
#define PROF_PROFILE_RING_H
#include "base/err.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROFILE_RING_BYTES = 1 << 20, PROFILE_RING_ROOM = PROFILE_RING_BYTES - 16 };

struct profile_ring { // zeroed at first
    _Atomic uint32_t owner; // process; 0: nobody
    _Atomic uint32_t n;     // bytes of whole records
    uint64_t unused;
    uint8_t at[PROFILE_RING_ROOM];
};

// Adds a record. False: the ring is another's, or the record does not fit; fd then takes it, behind what the ring held.
bool profile_ring_put(struct profile_ring *ring, int fd, const void *record, size_t n_bytes);
// What the ring holds goes to the end of fd; the ring is empty then, and nobody's. Nothing happens if it is another's.
bool profile_ring_flush(struct profile_ring *ring, int fd);
// By the parent, after its children: appends what is left, unless a killed writer had just written the same bytes.
bool profile_ring_drain(struct profile_ring *ring, const char *path, struct err *err);
#endif
