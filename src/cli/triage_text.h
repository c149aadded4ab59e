// A triage printed: for people, as CSV, as JSON.
#ifndef CLI_TRIAGE_TEXT_H
#define CLI_TRIAGE_TEXT_H
#include "base/buf.h"
#include "triage/judge.h"

struct triage_report {
    struct triage *t;
    const struct triage_verdict *verdicts; // worst first
    size_t n;
    bool all_lines; // every source line of the memory mix
};

void triage_print(const struct triage_report *report, struct buf *out);
void triage_csv(const struct triage_report *report, struct buf *out);
void triage_json(const struct triage_report *report, struct buf *out);
#endif
