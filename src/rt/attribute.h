// Launch attributes that programs set on streams and on nodes of graphs, and read back.
#ifndef RT_ATTRIBUTE_H
#define RT_ATTRIBUTE_H
#include "rt/op.h"

// NULL: not set.
const union launch_attribute_value *attribute_find(const struct rt_attribute *list,
                                                   enum cudaLaunchAttributeID id);
void attribute_put(struct rt_attribute **list, enum cudaLaunchAttributeID id,
                   const union launch_attribute_value *value);
void attributes_copy(struct rt_attribute **to, const struct rt_attribute *from); // replaces what is there
void attributes_release(struct rt_attribute **list);
#endif
