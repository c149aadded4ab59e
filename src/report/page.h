// Pieces that the text pages share.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
#include "report/report.h"

// How a number is written: 131,072 or plain; bytes as 4.0 MiB; one decimal and a percent sign.
enum page_form { FORM_COUNT, FORM_BYTES, FORM_PERCENT, FORM_RATIO };

// A metric's value and its mark (blank exact, ~ modelled, ? estimated), right-aligned in `width` columns,
// mark included.
void page_metric(struct buf *out, int width, const struct report_launch *l, enum metric metric,
                 enum page_form form, bool is_base_units);
void page_text(struct buf *out, int width, const char *text);             // right-aligned, cut to the width
const char *page_mark(const struct report_launch *l, enum metric metric); // "", "~" or "?"
// 32 bytes for each of a metric of sectors, with its mark.
void page_sector_bytes(struct buf *out, int width, const struct report_launch *l, enum metric sectors,
                       bool is_base_units);

// `text` broken at blanks to REPORT_COLUMNS, every line but the first indented.
void page_wrap(struct buf *out, const char *first, const char *text);

// "tr_copy(...) (32x32x1)x(32x8x1), launch 0"
void page_launch_line(struct buf *out, const struct report *report, const struct report_launch *l);
void page_end_line(struct buf *out); // without blanks at its end

// What the marks mean: one line for the foot of a page.
extern const char page_legend[];
#endif
