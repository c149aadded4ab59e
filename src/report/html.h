// The report as one page for a browser: data, style and behaviour in one file that needs nothing else.
#ifndef REPORT_HTML_H
#define REPORT_HTML_H
#include "report/report.h"

void report_html(const struct report *report, const struct report_options *options, struct buf *out);
bool html_has_charts(void); // was the chart library there when the program was built?
#endif
