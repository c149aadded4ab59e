// What the writer and the reader of the profile file share; the format in words is doc/formats.md.
#ifndef PROF_PROFILE_FORMAT_H
#define PROF_PROFILE_FORMAT_H
#include "prof/codec.h"
#include "prof/profile.h"

#define PROFILE_MAGIC \
    "\x89WGP\r\n\x1a\n" // the bytes around the name show what a text transfer would have broken

enum {
    PROFILE_MAGIC_BYTES = 8,
    PROFILE_VERSION = 1,
    RECORD_HEAD_BYTES = 5, // kind, length of the payload; a checksum of both and the payload follows it
    RECORD_TAIL_BYTES = 4,
    MAX_RECORD_BYTES = 1 << 30
};

enum record_kind { RECORD_SCHEMA = 'S', RECORD_ENVIRONMENT = 'E', RECORD_DEVICE = 'D', RECORD_LAUNCH = 'L' };

enum { MIN_LINE_BYTES = 4, MIN_INSN_BYTES = 7 }; // fewest bytes one of them takes in a launch record

extern const struct field launch_fields[];      // ends with a NULL name
extern const struct field environment_fields[]; // likewise
#endif
