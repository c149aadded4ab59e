// A made-up profile of three launches that the tests of prof/ and report/ share: a copy from PTX (clean), a
// transpose through a 32x32 tile from PTX (bank conflicts; counts as hardware gives them for 1024x1024
// floats), and a histogram from SASS with atomics, local memory, constants, generic accesses and a fault.
#ifndef SUPPORT_SAMPLE_PROFILE_H
#define SUPPORT_SAMPLE_PROFILE_H
#include "prof/profile.h"

enum { N_SAMPLE_LAUNCHES = 3 };

struct profile_environment sample_environment(void);
extern const char sample_device_text[];
void sample_launches(struct arena *arena, struct profile_launch out[N_SAMPLE_LAUNCHES]);
#endif
