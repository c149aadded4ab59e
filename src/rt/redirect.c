// See redirect.h. The library is marked to be initialised before all others, and its constructor looks at what the loader
// has brought in with the program. Later libraries: the loader calls an empty function of its own, _dl_debug_state, when
// it has mapped one and before its constructors run, for debuggers to stop at; it is made to jump here as well.
// (Source: link.h and the debugger interface of the System V ABI.)
#include "rt/redirect.h"
#include "image/runtime.h"
#include "rt/patch.h"
#include "rt/redirect_table.h"
#include "rt/rt.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

cudaError_t wg_refused(const char *name);

// One loaded object, with its file.
struct object {
    const char *path;
    uintptr_t base;
    const uint8_t *bytes;
    size_t n_bytes;
    struct elf elf;
    struct runtime runtime;
};

// ---- its file -------------------------------------------------------------------------------------------------

static bool map_file(struct object *object)
{
    struct stat stat_of;
    int fd = open(object->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &stat_of) == 0 && S_ISREG(stat_of.st_mode) && stat_of.st_size > 0) {
        void *at = mmap(NULL, (size_t)stat_of.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) {
            object->bytes = at;
            object->n_bytes = (size_t)stat_of.st_size;
        }
    }
    close(fd);
    return object->bytes != NULL;
}

// Where the file begins in memory: its header must be there, else the file is not the one that was loaded.
static bool is_loaded_file(const struct object *object)
{
    Elf64_Ehdr header;
    memcpy(&header, object->bytes, sizeof header);
    for (uint32_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t offset = header.e_phoff + i * sizeof segment;
        if (offset + sizeof segment > object->n_bytes)
            return false;
        memcpy(&segment, object->bytes + offset, sizeof segment);
        if (segment.p_type != PT_LOAD)
            continue;
        const void *start = (const void *)(object->base + segment.p_vaddr); // NOLINT(performance-no-int-to-ptr)
        return segment.p_offset == 0 && memcmp(start, &header, sizeof header) == 0;
    }
    return false;
}

// ---- patching ---------------------------------------------------------------------------------------------------

static uint8_t *code_of(const struct object *object, const struct runtime_function *function)
{
    return (uint8_t *)(object->base + function->address); // NOLINT(performance-no-int-to-ptr)
}

// Names in the file go away with it, and those of refused functions are kept.
static void write_trampoline(uint8_t *at, const struct runtime_function *function, unsigned major)
{
    const struct redirect *row = function->is_known ? redirect_find(major, function->name) : NULL;
    if (row)
        patch_trampoline(at, row->body, row->takes_name ? row->name : NULL);
    else
        patch_trampoline(at, (void (*)(void))wg_refused, strdup(function->name));
}

static const char *patch_object(const struct object *object)
{
    const struct runtime *runtime = &object->runtime;
    uintptr_t low = (uintptr_t)code_of(object, &runtime->functions[0]);
    uintptr_t high = (uintptr_t)code_of(object, &runtime->functions[runtime->n_functions - 1]) + PATCH_JUMP_BYTES;
    size_t size_bytes = (size_t)runtime->n_functions * PATCH_TRAMPOLINE_BYTES;
    uint8_t *pages = patch_pages(low, high, size_bytes);
    if (!pages)
        return "no memory is free within 2 GB of the CUDA runtime that is linked in";
    if (!patch_unlock(low, high))
        return "the system does not let the CUDA runtime that is linked in be replaced (mprotect)";
    for (uint32_t i = 0; i < runtime->n_functions; i++) {
        uint8_t *trampoline = pages + (size_t)i * PATCH_TRAMPOLINE_BYTES;
        write_trampoline(trampoline, &runtime->functions[i], runtime->major);
        patch_jump(code_of(object, &runtime->functions[i]), trampoline);
    }
    if (!patch_lock(low, high) || !patch_lock((uintptr_t)pages, (uintptr_t)pages + size_bytes))
        return "the system does not let changed code run (mprotect)";
    return NULL;
}

static const char *redirect(struct arena *arena, struct object *object)
{
    struct err err = {0};
    if (!map_file(object) || !elf_is(object->bytes, object->n_bytes) ||
        !elf_open(object->path, object->bytes, object->n_bytes, &object->elf, &err))
        return NULL;
    runtime_find(arena, &object->elf, &object->runtime);
    if (object->runtime.kind == RUNTIME_REFUSED)
        return object->runtime.why;
    if (object->runtime.kind != RUNTIME_LINKED_IN)
        return NULL;
    if (!is_loaded_file(object))
        return "has changed since it was loaded, so that the CUDA runtime in it cannot be replaced";
    return patch_object(object);
}

// ---- objects ----------------------------------------------------------------------------------------------------

// Ours hold jumps to our bodies already.
static bool is_ours(const char *path)
{
    Dl_info self;
    if (!dladdr(runtime_stripped, &self) || !self.dli_fname)
        return false;
    const char *slash = strrchr(self.dli_fname, '/');
    size_t n = slash ? (size_t)(slash - self.dli_fname) + 1 : 0;
    return strncmp(path, self.dli_fname, n) == 0 && !strchr(path + n, '/');
}

static void complain(const struct object *object, const char *why)
{
    struct err err = {0};
    char program[PATH_MAX];
    ssize_t n = readlink(object->path, program, sizeof program - 1);
    program[n < 0 ? 0 : n] = '\0';
    err_set_at(&err, n < 0 ? object->path : program, 0, 0, NULL, 0, "%s", why);
    console_error(&err);
}

static void look_at(const struct link_map *map)
{
    struct arena arena;
    bool is_program = map == _r_debug.r_map;
    struct object object = {.path = is_program ? "/proc/self/exe" : map->l_name, .base = map->l_addr};
    if (!*object.path || is_ours(object.path))
        return;
    arena_init(&arena, "redirect");
    const char *why = redirect(&arena, &object);
    if (why)
        complain(&object, why);
    if (object.bytes)
        munmap((void *)object.bytes, object.n_bytes);
    arena_release(&arena);
}

static bool is_loaded(const struct redirect_object *object)
{
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        if (map->l_addr == object->base && map->l_ld == object->dynamic)
            return true;
    return false;
}

// An unloaded object may come back to the same place, with its code as it was.
static void forget_unloaded(struct redirect_state *state)
{
    size_t n = 0;
    for (size_t i = 0; i < state->n; i++)
        if (is_loaded(&state->objects[i]))
            state->objects[n++] = state->objects[i];
    state->n = n;
}

// False when it was known already.
static bool remember(struct redirect_state *state, const struct link_map *map)
{
    for (size_t i = 0; i < state->n; i++)
        if (state->objects[i].base == map->l_addr && state->objects[i].dynamic == map->l_ld)
            return false;
    if (state->n == state->capacity) {
        state->capacity = state->capacity ? 2 * state->capacity : 64;
        state->objects = realloc(state->objects, state->capacity * sizeof *state->objects);
        if (!state->objects)
            err_memory("list of loaded objects", state->capacity * sizeof *state->objects);
    }
    state->objects[state->n++] = (struct redirect_object){map->l_addr, map->l_ld};
    return true;
}

// In place of _dl_debug_state.
static void objects_changed(void)
{
    struct redirect_state *state = redirect_state();
    if (_r_debug.r_state != RT_CONSISTENT)
        return;
    forget_unloaded(state);
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        if (remember(state, map))
            look_at(map);
}

// A debugger may have changed that function first; then later libraries are left as they are.
static void watch_loader(void)
{
    uint8_t *code = (uint8_t *)_r_debug.r_brk; // NOLINT(performance-no-int-to-ptr)
    if (!code || !patch_is_empty_function(code))
        return;
    uintptr_t low = (uintptr_t)code, high = low + PATCH_JUMP_BYTES;
    uint8_t *page = patch_pages(low, high, PATCH_TRAMPOLINE_BYTES);
    if (!page || !patch_unlock(low, high))
        return;
    patch_trampoline(page, objects_changed, NULL);
    patch_jump(code, page);
    patch_lock((uintptr_t)page, (uintptr_t)page + PATCH_TRAMPOLINE_BYTES);
    patch_lock(low, high);
}

// Of the whole library, before all other constructors of the process: nothing here may need the environment.
static __attribute__((constructor)) void begin(void)
{
    if (!PATCH_IS_POSSIBLE)
        return;
    objects_changed();
    watch_loader();
}
