// Prototypes of everything programs can call, from the tables: wg_NAME is the body behind NAME.
#ifndef RT_API_H
#define RT_API_H
#include "rt/op.h"
#include "rt/device_query.h"
#include "rt/graph.h"
#include "rt/stream.h"

#define DONE(majors, name, parameters) RT_EXPORT cudaError_t wg_##name parameters;
#define DONE_AS(majors, name, body, parameters) RT_EXPORT cudaError_t wg_##body parameters;
#define ALIAS(majors, name, body)
#define RETURNS(majors, type, name, parameters) RT_EXPORT type wg_##name parameters;
#define IGNORED(majors, name, reason)
#define REFUSED(majors, name, reason)
#include "rt/api.def"

// Behind ignored and refused functions; `name` is the function's.
RT_EXPORT cudaError_t wg_ignored(const char *name);
RT_EXPORT cudaError_t wg_refused(const char *name);
#endif
