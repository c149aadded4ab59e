// What the writer and the reader of the profile file share; the format in words is doc/formats.md.
#ifndef PROF_PROFILE_FORMAT_H
#define PROF_PROFILE_FORMAT_H
#include "prof/codec.h"
#include "prof/profile.h"

#define PROFILE_MAGIC \
    "\x89WGP\r\n\x1a\n" // the bytes around the name show what a text transfer would have broken

enum {
    PROFILE_MAGIC_BYTES = 8,
    PROFILE_VERSION = 2, // 1: every launch held its kernel (RECORD_WHOLE)
    OLDEST_VERSION = 1,
    RECORD_HEAD_BYTES = 5, // kind, length of the payload; a checksum of both and the payload follows it
    RECORD_TAIL_BYTES = 4,
    KERNEL_ID_BYTES = 8,
    MAX_RECORD_BYTES = 1 << 30
};

enum record_kind {
    RECORD_SCHEMA = 'S',
    RECORD_ENVIRONMENT = 'E',
    RECORD_DEVICE = 'D',
    RECORD_KERNEL = 'K', // what the launches of a kernel share, under a hash of it
    RECORD_LAUNCH = 'R', // one launch; names its kernel by that hash
    RECORD_WHOLE = 'L'   // a launch and its kernel in one, as version 1 had them; read, no longer written
};

// Fewest bytes that a line, an instruction, and an instruction with its counters take.
enum { MIN_LINE_BYTES = 4, MIN_INSN_BYTES = 6, MIN_COUNTED_INSN_BYTES = 7 };

// Each ends with a NULL name. Members of struct profile_launch: the kernel's, and those of one launch.
extern const struct field kernel_fields[], launch_fields[];
extern const struct field environment_fields[];
#endif
