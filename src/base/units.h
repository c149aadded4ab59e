// Quantities as people write them.
#ifndef BASE_UNITS_H
#define BASE_UNITS_H
#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

// "48", "48KiB", "48 KiB", "1.5 GiB", "100 kB", "7 B" to bytes (KiB = 1024, kB = 1000). False if malformed,
// negative, not whole bytes or above 2^63.
bool units_parse_bytes(const char *text, uint64_t *out);

// "16x16", "16,16", "16" to three extents, missing ones 1. False unless 1 to 3 positive 32-bit numbers.
bool units_parse_shape(const char *text, uint32_t out[3]);

bool units_parse_u64(const char *text, uint64_t *out); // decimal or 0x; the whole text
bool units_parse_i64(const char *text, int64_t *out);
bool units_parse_double(const char *text, double *out);

void units_print_bytes(struct buf *out, double bytes);            // "60.0 MiB", "512 B"
void units_print_count(struct buf *out, uint64_t n);              // "1,048,576"
#endif
