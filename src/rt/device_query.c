// Attributes and properties of the device.
#include "rt/device_query.h"
#include <stdio.h>
#include <string.h>

bool device_attribute(const struct device *d, int number, int *value)
{
    switch (number) {
#define ATTRIBUTE(number, name, expression) \
    case number:                            \
        *value = (int)(expression);         \
        return true;
#include "rt/device_attributes.def"
#undef ATTRIBUTE
    default:
        return false;
    }
}

static int attribute(const struct device *device, int number)
{
    int value = 0;
    device_attribute(device, number, &value);
    return value;
}

#define A(number) attribute(d, number)
#define FIELD(majors, type, name, value) IN_##majors(out->name = value;)
#define ARRAY(majors, type, name, count, ...) \
    IN_##majors(memcpy(out->name, (const type[count])__VA_ARGS__, sizeof out->name);)

// A device has no identity of its own beside its name: it stands in the uuid as well.
static void name_it(const struct device *d, char name[256], char uuid[16])
{
    snprintf(name, 256, "%s", d->name);
    snprintf(uuid, 16, "%s", d->id);
}

void device_properties_fill_11(const struct device *d, struct device_properties_11 *out)
{
    memset(out, 0, sizeof *out);
#define MAJOR 11
#include "rt/majors.h"
#include "rt/device_properties.def"
#undef MAJOR
    name_it(d, out->name, out->uuid);
}

void device_properties_fill_12(const struct device *d, struct device_properties_12 *out)
{
    memset(out, 0, sizeof *out);
#define MAJOR 12
#include "rt/majors.h"
#include "rt/device_properties.def"
#undef MAJOR
    name_it(d, out->name, out->uuid);
}

void device_properties_fill_13(const struct device *d, struct device_properties_13 *out)
{
    memset(out, 0, sizeof *out);
#define MAJOR 13
#include "rt/majors.h"
#include "rt/device_properties.def"
#undef MAJOR
    name_it(d, out->name, out->uuid);
}
