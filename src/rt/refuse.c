// Behind the functions that api.def calls ignored or refused.
#include "rt/api.h"
#include <string.h>

static const struct {
    const char *name, *reason;
} refused[] = {
#define DONE(majors, name, parameters)
#define DONE_AS(majors, name, body, parameters)
#define ALIAS(majors, name, body)
#define RETURNS(majors, type, name, parameters)
#define IGNORED(majors, name, reason)
#define REFUSED(majors, name, reason) {#name, reason},
#include "rt/api.def"
};

cudaError_t wg_ignored(const char *name)
{
    (void)name;
    return RT_CALL(rt, cudaSuccess);
}

cudaError_t wg_refused(const char *name)
{
    struct rt *rt = rt_enter();
    const char *reason = "is not supported";
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strcmp(refused[i].name, name) == 0)
            reason = refused[i].reason;
    rt_explain(rt, name, "%s: %s; it returns cudaErrorNotSupported", name, reason);
    return rt_leave(rt, cudaErrorNotSupported);
}
