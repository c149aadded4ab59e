// Streams: the runtime API.
#include "rt/api.h"
