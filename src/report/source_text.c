// Source files read once each: see source_text.h.
#include "report/source_text.h"
#include "base/buf.h"
#include "base/vec.h"
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 16 << 20 };

struct source_file {
    const char *path; // as the profile has it
    struct buf text;  // empty where it cannot be read
};

struct source_texts {
    struct arena *arena;
    VEC(struct source_file) files;
};

struct source_texts *source_texts_new(struct arena *arena)
{
    struct source_texts *texts = arena_new(arena, struct source_texts);
    texts->arena = arena;
    return texts;
}

void source_texts_release(struct source_texts *texts)
{
    for (size_t i = 0; i < texts->files.n; i++)
        buf_release(&texts->files.at[i].text);
    vec_release(&texts->files);
}

static bool is_readable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= LARGEST_FILE;
}

// As the path says, else beside the module.
static void read_source(struct source_texts *texts, const char *path, const char *module, struct buf *out)
{
    const char *slash = strrchr(module, '/'), *name = strrchr(path, '/');
    const char *beside = arena_printf(texts->arena, "%.*s%s", slash ? (int)(slash + 1 - module) : 0, module,
                                      name ? name + 1 : path);
    const char *readable = is_readable(path) ? path : is_readable(beside) ? beside : NULL;
    struct err ignored = {0};
    if (readable && !buf_read_file(out, readable, &ignored))
        *out = (struct buf){0};
}

static const struct buf *file_text(struct source_texts *texts, const char *path, const char *module)
{
    for (size_t i = 0; i < texts->files.n; i++)
        if (strcmp(texts->files.at[i].path, path) == 0)
            return &texts->files.at[i].text;
    struct source_file file = {.path = path};
    read_source(texts, path, module, &file.text);
    vec_push(&texts->files, file);
    return &texts->files.at[texts->files.n - 1].text;
}

// Tabs and other control characters become blanks: a page is columns.
static const char *clean(struct arena *arena, const char *at, size_t n)
{
    while (n && (*at == ' ' || *at == '\t'))
        at++, n--;
    while (n && (at[n - 1] == ' ' || at[n - 1] == '\t' || at[n - 1] == '\r'))
        n--;
    char *copy = arena_string(arena, at, n);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)copy[i] < ' ')
            copy[i] = ' ';
    return copy;
}

const char *source_text_line(struct source_texts *texts, const struct profile_launch *launch, uint32_t index)
{
    if (index >= launch->n_lines || launch->lines[index].file >= launch->n_files)
        return NULL;
    uint32_t line = launch->lines[index].line;
    const struct buf *text = file_text(texts, launch->files[launch->lines[index].file], launch->module);
    const char *at = text->at;
    for (uint32_t i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at && *at && line ? clean(texts->arena, at, strcspn(at, "\n")) : NULL;
}

const char *source_text_of(struct source_texts *texts, const struct profile_launch *launch, uint32_t insn)
{
    return source_text_line(texts, launch, launch->insns[insn].line);
}

const char *source_text_file(struct source_texts *texts, const struct profile_launch *launch, uint32_t file)
{
    return file < launch->n_files ? file_text(texts, launch->files[file], launch->module)->at : NULL;
}
