// Launch attributes that were set, as a short list.
#include "rt/attribute.h"
#include <stdlib.h>

static struct rt_attribute *find(const struct rt_attribute *list, enum cudaLaunchAttributeID id)
{
    const struct rt_attribute *a = list;
    while (a && a->id != id)
        a = a->next;
    return (struct rt_attribute *)a;
}

const union launch_attribute_value *attribute_find(const struct rt_attribute *list,
                                                   enum cudaLaunchAttributeID id)
{
    const struct rt_attribute *a = find(list, id);
    return a ? &a->value : NULL;
}

void attribute_put(struct rt_attribute **list, enum cudaLaunchAttributeID id,
                   const union launch_attribute_value *value)
{
    struct rt_attribute *a = find(*list, id);
    if (!a) {
        a = malloc(sizeof *a);
        if (!a)
            err_memory("attribute", sizeof *a);
        a->next = *list;
        a->id = id;
        *list = a;
    }
    a->value = *value;
}

void attributes_copy(struct rt_attribute **to, const struct rt_attribute *from)
{
    attributes_release(to);
    for (const struct rt_attribute *a = from; a; a = a->next)
        attribute_put(to, a->id, &a->value);
}

void attributes_release(struct rt_attribute **list)
{
    while (*list) {
        struct rt_attribute *a = *list;
        *list = a->next;
        free(a);
    }
}
