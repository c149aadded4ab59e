// Everything the runtime prints: text of device code and explanations.
#include "rt/rt.h"
#include <stdio.h>

void console_flush(struct rt *rt)
{
    size_t n;
    const char *text = console_text(&rt->console, &n);
    if (n) {
        fwrite(text, 1, n, stdout);
        fflush(stdout);
    }
    if (rt->console.errors.n)
        fwrite(rt->console.errors.at, 1, rt->console.errors.n, stderr);
    if (n || rt->console.errors.n || rt->console.n_lost)
        console_clear(&rt->console);
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
