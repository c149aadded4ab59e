// Lines of source files, where the files that the profile names can be read from here.
//
//     struct source_texts *texts = source_texts_new(&arena);
//     const char *line = source_text_of(texts, launch, insn);     // NULL: no such file, or no such line
//     source_texts_release(texts);
#ifndef REPORT_SOURCE_TEXT_H
#define REPORT_SOURCE_TEXT_H
#include "base/arena.h"
#include "prof/profile.h"

struct source_texts;
struct source_texts *source_texts_new(struct arena *arena);
void source_texts_release(struct source_texts *texts);

// Without the blanks around it; lives in the arena. `index` into launch->lines. A file is looked for at its
// path, then beside the module.
const char *source_text_line(struct source_texts *texts, const struct profile_launch *launch, uint32_t index);
// A whole file, NULL where it cannot be read; belongs to `texts`.
const char *source_text_file(struct source_texts *texts, const struct profile_launch *launch, uint32_t file);
const char *source_text_of(struct source_texts *texts, const struct profile_launch *launch, uint32_t insn);
#endif
