// Colour for text pages: see paint.h. Pages are made without it; a line's first word tells what it is.
#include "cli/paint.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool paint_wanted(int descriptor)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return (!no_color || !*no_color) && term && strcmp(term, "dumb") != 0 && isatty(descriptor);
}

// SGR codes.
#define BOLD "1"
#define RED "31"
#define GREEN "32"
#define CYAN "36"
#define DIM "2"

static const struct {
    const char *word, *code;
} words[] = {{"finding ", RED},     {"fix ", GREEN},       {"fix:", GREEN},   {"forecast ", CYAN},
             {"fault ", RED},       {"worst lines", BOLD}, {"launch ", BOLD}, {"No mark:", DIM},
             {"instruction ", DIM}, {"Section:", BOLD}};

// "1  bank_conflict  place": a number, then two blanks.
static bool is_finding_head(const char *line, size_t n)
{
    size_t digits = 0;
    while (digits < n && isdigit((unsigned char)line[digits]))
        digits++;
    return digits && n - digits > 2 && line[digits] == ' ' && line[digits + 1] == ' ' &&
           islower((unsigned char)line[digits + 2]);
}

static const char *code_of(const char *line, size_t n)
{
    if (is_finding_head(line, n))
        return RED;
    size_t blanks = strspn(line, " ");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (blanks < n && strncmp(line + blanks, words[i].word, strlen(words[i].word)) == 0)
            return words[i].code;
    return NULL;
}

void paint(const char *text, struct buf *out)
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        const char *code = code_of(at, n);
        if (code)
            buf_printf(out, "\033[%sm", code);
        buf_add(out, at, n);
        if (code)
            buf_puts(out, "\033[0m");
        at += n;
        if (*at) {
            buf_puts(out, "\n");
            at++;
        }
    }
}
