// What the files of the PTX linker share. Private to ptx/.
//
//   link.c        which definition a name means            link_merge.c   functions, variables, places into
//   one module link_debug.c  .file, .loc and lines of the parts
#ifndef PTX_LINKING_H
#define PTX_LINKING_H
#include "base/vec.h"
#include "ptx/item.h"
#include "ptx/link.h"

// How much a declaration says; the higher one is what a name means.
enum strength { STRENGTH_DECLARED, STRENGTH_DYNAMIC, STRENGTH_COMMON, STRENGTH_WEAK, STRENGTH_VISIBLE };

// What a name means outside of its part: a function or a variable.
struct global {
    const char *name;
    struct ptx_function *function;
    struct ptx_variable *variable;
    enum strength strength;
    uint32_t part;
};

struct part {
    struct ptx_module *module;
    uint32_t lines_before; // in the text of the whole
    struct map renamed;    // names of this part alone that were taken: old -> new
    uint32_t *files;       // new number of each .file
    uint32_t locs_before;  // new index = old index + locs_before
    bool has_locs;
};

struct linker {
    struct arena *arena, scratch;
    struct err *err;
    enum ptx_link_mode mode;
    struct ptx_module *whole;
    struct part *parts;
    uint32_t n_parts;
    struct map globals;    // name -> struct global
    struct map taken;      // every name of module scope in any part
    struct map own;        // names given to what belongs to one part
    struct map file_names; // name of a source file -> number + 1

    VEC(struct ptx_function *) functions;
    VEC(struct ptx_variable *) variables;
    VEC(struct ptx_item) items;
    VEC(const char *) files;
    VEC(struct ptx_loc) locs;
    VEC(const char *) options;
    VEC(struct ptx_part) places;
};

#define MAP_STRING(text) (text), strlen(text) // key of a map

static inline bool function_is_own(const struct linker *l, const struct ptx_function *f)
{
    return l->mode == LINK_APART || (f->has_body && !f->is_visible && !f->is_weak && !f->is_extern);
}

static inline bool variable_is_dynamic(const struct ptx_variable *v)
{
    return v->is_extern && v->space == PS_SHARED && v->count == 0;
}

static inline bool variable_is_own(const struct linker *l, const struct ptx_variable *v)
{
    return !variable_is_dynamic(v) &&
           (l->mode == LINK_APART || (!v->is_visible && !v->is_weak && !v->is_common && !v->is_extern));
}

void link_merge(struct linker *l); // all names are settled: fills the whole

// link_debug.c
void link_places(struct linker *l);               // text of the whole; lines_before of each part
void link_files(struct linker *l, uint32_t part); // its .file and .loc tables
uint32_t link_loc(struct linker *l, uint32_t part,
                  const struct ptx_insn *insn); // new index, before its line is moved
const char *link_directive(struct linker *l, uint32_t part,
                           const char *text); // .loc or .file renumbered; NULL: drop it
#endif
