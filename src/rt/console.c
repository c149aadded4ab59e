// Everything the runtime prints: text of device code and explanations.
#include "rt/rt.h"
#include <stdio.h>

void console_flush(struct rt *rt)
{
    if (rt->console.n == 0)
        return;
    fwrite(rt->console.at, 1, rt->console.n, stdout);
    fflush(stdout);
    rt->console.n = 0;
}

void console_say(const char *text)
{
    fprintf(stderr, "warpglass: %s\n", text);
}

void console_error(const struct err *err)
{
    fflush(stdout);
    err_print(err, stderr);
}

void console_assert(const char *text, size_t length)
{
    fflush(stdout);
    fwrite(text, 1, length, stderr);
}
