// What programs ask about the device: attributes and properties, all from the device file. Pure.
#ifndef RT_DEVICE_QUERY_H
#define RT_DEVICE_QUERY_H
#include "device/device.h"

// Numbers of cudaDeviceAttr and CUdevice_attribute. False: there is no such attribute.
bool device_attribute(const struct device *device, int number, int *value);

// struct cudaDeviceProp of the libraries of CUDA 11, 12 and 13, see device_properties.def.
#define FIELD(majors, type, name, value) IN_##majors(type name;)
#define ARRAY(majors, type, name, count, ...) IN_##majors(type name[count];)
#define MAJOR 11
#include "rt/majors.h"
struct device_properties_11 {
#include "rt/device_properties.def"
};
#undef MAJOR
#define MAJOR 12
#include "rt/majors.h"
struct device_properties_12 {
#include "rt/device_properties.def"
};
#undef MAJOR
#define MAJOR 13
#include "rt/majors.h"
struct device_properties_13 {
#include "rt/device_properties.def"
};
#undef MAJOR
#undef FIELD
#undef ARRAY

void device_properties_fill_11(const struct device *device, struct device_properties_11 *out);
void device_properties_fill_12(const struct device *device, struct device_properties_12 *out);
void device_properties_fill_13(const struct device *device, struct device_properties_13 *out);
#endif
