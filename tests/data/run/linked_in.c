// Stands for the CUDA runtime that nvcc links into programs: a function of each name that major MAJOR (11, 12, 13) of it
// has, all answering 999. tests/rt/static_runtime.sh links it into programs, where every one must be replaced.
#include "rt/majors.h"
#define HIDDEN __attribute__((visibility("hidden")))
#define STUB(name)          \
    HIDDEN int name(void);  \
    int name(void)          \
    {                       \
        return ANSWER;      \
    }
#ifndef ANSWER
#define ANSWER 999
#endif

#define DONE(majors, name, parameters) IN_##majors(STUB(name))
#define DONE_AS(majors, name, body, parameters) IN_##majors(STUB(name))
#define ALIAS(majors, name, body) IN_##majors(STUB(name))
#define RETURNS(majors, type, name, parameters) IN_##majors(STUB(name))
#define IGNORED(majors, name, reason) IN_##majors(STUB(name))
#define REFUSED(majors, name, reason) IN_##majors(STUB(name))
// One that no table knows, in the middle of the others.
#include "rt/api_launch.def"
STUB(cudaFromTheFuture)
#include "rt/api_memory.def"
#include "rt/api_texture.def"
#include "rt/api_stream.def"
#include "rt/api_graph.def"
#include "rt/api_device.def"
#include "rt/api_other.def"

// What follows the last one.
STUB(end_of_the_runtime)
