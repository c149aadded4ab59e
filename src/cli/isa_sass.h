// What `warpglass isa sass` prints.
#ifndef CLI_ISA_SASS_H
#define CLI_ISA_SASS_H
#include <stdbool.h>

void isa_print_sass(bool csv, const char *const *unit_names); // names by enum unit (isa/isa.h)
// Lines of two hexadecimal words, lower and upper; the byte offset may follow. "-": standard input. Returns the exit status.
int isa_decode(const char *path, unsigned cc);
#endif
