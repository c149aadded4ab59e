// The circular buffer of printf: texts behind one another, forgotten from the front.
#include "simt/console.h"
#include <string.h>

static uint64_t limit_of(const struct console *console)
{
    return console->limit_bytes ? console->limit_bytes : CONSOLE_DEFAULT_BYTES;
}

static void lose_oldest(struct console *console)
{
    const struct console_call *call = &console->calls.at[console->first_call++];
    console->first_byte += call->text_bytes;
    console->used_bytes -= call->buffer_bytes;
    console->n_lost++;
}

// What was lost makes room when it is more than half.
static void compact(struct console *console)
{
    if (console->first_call * 2 < console->calls.n || console->first_call == 0)
        return;
    console->calls.n -= console->first_call;
    memmove(console->calls.at, console->calls.at + console->first_call,
            console->calls.n * sizeof *console->calls.at);
    console->text.n -= console->first_byte;
    memmove(console->text.at, console->text.at + console->first_byte, console->text.n);
    console->first_call = console->first_byte = 0;
}

void console_add(struct console *console, const char *text, size_t text_bytes, uint64_t buffer_bytes)
{
    if (buffer_bytes > limit_of(console)) {
        console->n_lost++;
        return;
    }
    while (console->used_bytes + buffer_bytes > limit_of(console))
        lose_oldest(console);
    compact(console);
    buf_add(&console->text, text, text_bytes);
    vec_push(&console->calls, ((struct console_call){text_bytes, buffer_bytes}));
    console->used_bytes += buffer_bytes;
}

const char *console_text(const struct console *console, size_t *n_bytes)
{
    *n_bytes = console->text.n - console->first_byte;
    return *n_bytes ? console->text.at + console->first_byte : "";
}

void console_clear(struct console *console)
{
    buf_clear(&console->text);
    buf_clear(&console->errors);
    vec_clear(&console->calls);
    console->first_call = console->first_byte = 0;
    console->used_bytes = console->n_lost = 0;
}

void console_release(struct console *console)
{
    buf_release(&console->text);
    buf_release(&console->errors);
    vec_release(&console->calls);
}
