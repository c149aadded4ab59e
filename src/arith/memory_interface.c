// Memory interfaces as people write them.
#include "arith/memory_interface.h"
#include "base/units.h"
#include <stdlib.h>
#include <string.h>

enum { DDR_CHANNEL_BITS = 64, MOST_CHANNELS = 64 }; // JEDEC: one DIMM channel; DDR5 splits it in two of 32

static const double MOST_BITS = 1e6, MOST_PIN_GBPS = 1e3;

double interface_gbps(const struct memory_interface *interface)
{
    return interface->bits * interface->pin_gbps / 8;
}

double interface_parse_bits(const char *text)
{
    double product = 1;
    for (const char *at = text;; at++) {
        char *end;
        if (*at < '0' || *at > '9')
            return 0;
        product *= strtod(at, &end);
        if (end[-1] == '.' || memchr(at, '.', (size_t)(end - at)) || memchr(at, 'e', (size_t)(end - at)))
            return 0;
        if (*end == '\0')
            return product >= 1 && product <= MOST_BITS ? product : 0;
        if (*end != 'x')
            return 0;
        at = end;
    }
}

// "DDR5-6400": the number behind the dash is millions of transfers a second.
static bool parse_ddr(const char *text, unsigned long channels, struct memory_interface *out)
{
    uint64_t rate;
    if (strncmp(text, "DDR", 3) != 0 || text[3] < '1' || text[3] > '9' || text[4] != '-' ||
        !units_parse_u64(text + 5, &rate) || rate < 100 || rate > 100000)
        return false;
    *out = (struct memory_interface){(double)channels * DDR_CHANNEL_BITS, (double)rate / 1000};
    return true;
}

static bool parse_bits_at_rate(const char *text, struct memory_interface *out)
{
    char bits[32];
    const char *at = strchr(text, '@');
    if (!at || (size_t)(at - text) >= sizeof bits)
        return false;
    memcpy(bits, text, (size_t)(at - text));
    bits[at - text] = '\0';
    out->bits = interface_parse_bits(bits);
    return out->bits > 0 && units_parse_double(at + 1, &out->pin_gbps) && out->pin_gbps > 0 &&
           out->pin_gbps <= MOST_PIN_GBPS;
}

bool interface_parse(const char *text, struct memory_interface *out, struct err *err)
{
    char *end;
    unsigned long channels = strtoul(text, &end, 10);
    bool has_channels = end != text && *end == 'x' && channels >= 1 && channels <= MOST_CHANNELS;
    if (parse_ddr(has_channels ? end + 1 : text, has_channels ? channels : 1, out) ||
        parse_bits_at_rate(text, out))
        return true;
    return err_set(err, "'%s' is no memory interface: expected DDR5-6400, 8xDDR4-3200 or 5x1024@3.2", text);
}
