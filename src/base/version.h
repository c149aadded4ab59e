// The version that `warpglass --version` and profiles name.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define WARPGLASS_VERSION "0.1"
#endif
