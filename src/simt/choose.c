// Which handler table fits this host.
#include "simt/ops.h"

#ifdef HAVE_HANDLER_LEVELS
const handler *handlers_choose(void)
{
    bool has_v3 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    return has_v4 ? handlers_v4 : has_v3 ? handlers_v3 : handlers_base;
}
#else
const handler *handlers_choose(void)
{
    return handlers_base;
}
#endif
