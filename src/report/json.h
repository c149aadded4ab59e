// The JSON document before it is text, for those who add to it.
#ifndef REPORT_JSON_H
#define REPORT_JSON_H
#include "report/report.h"
#include <jansson.h>

json_t *report_json_build(const struct report *report, const struct report_options *options); // the caller's
json_t *json_number(double value);    // null where it is not finite
json_t *json_text(const char *value); // texts come from files: not UTF-8 must not make the document fail
json_t *json_counters(const struct counters *counters); // without those that are 0
#endif
