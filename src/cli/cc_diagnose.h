// What `warpglass cc` adds to the compiler's messages: which header or function only NVIDIA's software has.
#ifndef CLI_CC_DIAGNOSE_H
#define CLI_CC_DIAGNOSE_H
#include "base/err.h"
#include <stddef.h>

// After a failed compilation: replaces `err` where `messages` tell of a missing header of NVIDIA's.
void cc_explain(const char *source, const char *messages, struct err *err);

// False, with the name, where the PTX calls a function that neither the source nor our headers nor the
// machine has.
bool cc_check_ptx(const char *source, const char *ptx, size_t n, struct err *err);
#endif
