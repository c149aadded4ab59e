// Folding of sentences at blanks.
#include "cli/wrap.h"
#include <string.h>

void wrap_text(struct buf *out, const char *lead, const char *text)
{
    size_t indent = strlen(lead), column = indent;
    buf_puts(out, lead);
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (column > indent && column + 1 + n > WRAP_COLUMNS) {
            buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            buf_puts(out, " ");
            column++;
        }
        buf_add(out, word, n);
        column += n;
        word += n + strspn(word + n, " ");
    }
    buf_puts(out, "\n");
}

void trim_text(struct buf *out)
{
    while (out->n && out->at[out->n - 1] == ' ')
        out->at[--out->n] = '\0';
}
