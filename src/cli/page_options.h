// What the options of a report name, read: metrics with their groups and patterns, sections and sets.
#ifndef CLI_PAGE_OPTIONS_H
#define CLI_PAGE_OPTIONS_H
#include "cli/pages.h"
#include "report/report.h"

bool page_options_read(struct arena *arena, const struct page_request *request, struct report_options *out,
                       struct err *err);
#endif
