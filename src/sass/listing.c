// Disassembly of a cubin's code (listing.h).
#include "sass/listing.h"
#include "sass/sass.h"
#include <string.h>

enum { CONTROL_COLUMN = 72, NO_SCOREBOARD = 7 };

static void list_bits(struct buf *out, const char *title, unsigned bits, const char *names)
{
    if (!bits)
        return;
    buf_printf(out, ", %s", title);
    for (unsigned bit = 0; bits >> bit; bit++)
        if (bits >> bit & 1)
            buf_printf(out, " %c", names[bit]);
}

void sass_list_control(uint32_t control, struct buf *out)
{
    buf_printf(out, "stall %u", SASS_STALL(control));
    if (SASS_YIELD(control))
        buf_puts(out, ", yield");
    if (SASS_WRITE_BARRIER(control) != NO_SCOREBOARD)
        buf_printf(out, ", write %u", SASS_WRITE_BARRIER(control));
    if (SASS_READ_BARRIER(control) != NO_SCOREBOARD)
        buf_printf(out, ", read %u", SASS_READ_BARRIER(control));
    list_bits(out, "wait", SASS_WAIT_MASK(control), "012345");
    list_bits(out, "reuse", SASS_REUSE(control), "abcd");
}

static void list_line(unsigned cc, const uint8_t *bytes, uint32_t offset, struct buf *out)
{
    uint64_t words[2];
    struct sass_insn insn;
    memcpy(words, bytes + offset, sizeof words);
    sass_decode(cc, words, offset, &insn);
    buf_printf(out, "/*%04x*/ ", offset);
    sass_print(&insn, out);
    buf_puts(out, " ;");
    buf_pad_to(out, CONTROL_COLUMN);
    buf_puts(out, " // ");
    sass_list_control((uint32_t)SASS_CONTROL(words[1]), out);
    buf_puts(out, "\n");
}

bool sass_list(const struct sass_image *image, const char *function, struct buf *out, struct err *err)
{
    bool is_found = false;
    for (uint32_t i = 0; i < image->n_codes; i++) {
        const struct sass_code *code = &image->codes[i];
        if (function && strcmp(function, code->name) != 0)
            continue;
        is_found = true;
        buf_printf(out, "%s: // sm_%u, %llu bytes\n", code->name, image->cubin.cc,
                   (unsigned long long)code->text.n_bytes);
        for (uint32_t offset = 0; offset + SASS_BYTES <= code->text.n_bytes; offset += SASS_BYTES)
            list_line(image->cubin.cc, code->text.bytes, offset, out);
    }
    if (!is_found)
        return err_set(err, "%s has no code of %s", image->path, function ? function : "any function");
    return true;
}
