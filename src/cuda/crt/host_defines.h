// Part of host_defines.h here.
#include "../host_defines.h"
