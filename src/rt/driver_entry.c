// Entry points by name and version: cuGetProcAddress, and what the runtime's cudaGetDriverEntryPoint answers.
#include "rt/api.h"
#include "rt/driver.h"
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function_pointer)(void);

static const struct entry {
    const char *symbol;
    int since;
    function_pointer function;
} entries[] = {
#define DONE(since, symbol, parameters) {#symbol, since, (function_pointer)wg_##symbol},
#define CALL(since, symbol, parameters, expression) {#symbol, since, (function_pointer)wg_##symbol},
#define SAME(since, symbol, parameters, call) {#symbol, since, (function_pointer)wg_##symbol},
#define EARLY(since, symbol, parameters, call) {#symbol, since, (function_pointer)wg_##symbol},
#define ALIAS(since, symbol, body) {#symbol, since, (function_pointer)wg_##body},
#define IGNORED(since, symbol, reason) {#symbol, since, (function_pointer)wg_##symbol},
#define REFUSED(since, symbol, reason) {#symbol, since, (function_pointer)wg_##symbol},
#include "rt/api_driver.def"
};
enum { N_ENTRIES = sizeof entries / sizeof entries[0] };

// ---- finding -------------------------------------------------------------------------------------------------------

static bool ends_with(const char *text, size_t n, const char *end)
{
    size_t k = strlen(end);
    return n > k && memcmp(text + n - k, end, k) == 0;
}

// Length of the name without _ptsz or _ptds.
static size_t stem_length(const char *symbol)
{
    size_t n = strlen(symbol);
    return ends_with(symbol, n, "_ptsz") || ends_with(symbol, n, "_ptds") ? n - 5 : n;
}

// Length of the name that programs ask for: without _v2, _v3 … too.
static size_t base_length(const char *symbol)
{
    size_t n = stem_length(symbol);
    return n > 3 && symbol[n - 3] == '_' && symbol[n - 2] == 'v' && isdigit((unsigned char)symbol[n - 1]) ? n - 3 : n;
}

static bool is_named(const char *symbol, size_t n, const char *name, size_t name_length)
{
    return n == name_length && memcmp(symbol, name, n) == 0;
}

static bool is_twin(const char *symbol)
{
    return symbol[stem_length(symbol)] != '\0';
}

// The newest one that a program of that version may mean; a name with its own suffix means exactly that.
static const struct entry *newest(const char *name, int version, bool wants_twin, bool *is_known)
{
    const struct entry *best = NULL;
    size_t n = strlen(name);
    for (int i = 0; i < N_ENTRIES; i++) {
        const struct entry *e = &entries[i];
        bool is_exact = strcmp(e->symbol, name) == 0;
        if (!is_exact && (is_twin(e->symbol) != wants_twin || !is_named(e->symbol, base_length(e->symbol), name, n)))
            continue;
        *is_known = true;
        if (e->since <= version && (!best || e->since >= best->since))
            best = e;
    }
    return best;
}

void *entry_find(const char *name, int version, uint64_t flags, enum entry_status *status)
{
    bool is_known = false;
    const struct entry *entry = flags & ENTRY_PER_THREAD_STREAM ? newest(name, version, true, &is_known) : NULL;
    if (!entry)
        entry = newest(name, version, false, &is_known);
    *status = entry ? ENTRY_FOUND : is_known ? ENTRY_TOO_NEW : ENTRY_UNKNOWN;
    if (!entry)
        return NULL;
    void *address; // a function pointer becomes a data pointer, as dlsym's
    memcpy(&address, &entry->function, sizeof address);
    return address;
}

// ---- cuGetProcAddress ----------------------------------------------------------------------------------------------

CUresult wg_cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
    enum entry_status found;
    if (!name || !out || flags & ~(uint64_t)(ENTRY_LEGACY_STREAM | ENTRY_PER_THREAD_STREAM) ||
        version > DRIVER_VERSION)
        return cudaErrorInvalidValue;
    *out = entry_find(name, version, flags, &found);
    if (status)
        *status = found;
    return cudaSuccess;
}

// The runtime's way to the same functions.
static cudaError_t entry_point(const char *name, void **out, unsigned version, uint64_t flags, int *status)
{
    enum entry_status found;
    if (!name || !out || version > DRIVER_VERSION ||
        flags & ~(uint64_t)(ENTRY_LEGACY_STREAM | ENTRY_PER_THREAD_STREAM))
        return cudaErrorInvalidValue;
    *out = entry_find(name, (int)version, flags, &found);
    if (status)
        *status = found;
    return *out || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t wg_cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                                unsigned long long flags, int *status)
{
    return RT_CALL(rt, entry_point(name, out, version, flags, status));
}

// Twins: without a flag they mean the entry points for a default stream per thread.
cudaError_t wg_cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **out, unsigned version,
                                                     unsigned long long flags, int *status)
{
    return wg_cudaGetDriverEntryPointByVersion(name, out, version, flags ? flags : ENTRY_PER_THREAD_STREAM, status);
}

enum { LIBRARY_11 = 11080, LIBRARY_12 = 12090, LIBRARY_13 = 13000 }; // versions of the libraries

cudaError_t wg_cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *status)
{
    return wg_cudaGetDriverEntryPointByVersion(name, out, LIBRARY_13, flags, status);
}

cudaError_t wg_cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags, int *status)
{
    return wg_cudaGetDriverEntryPointByVersion_ptsz(name, out, LIBRARY_13, flags, status);
}

cudaError_t wg_cudaGetDriverEntryPoint_12(const char *name, void **out, unsigned long long flags, int *status)
{
    return wg_cudaGetDriverEntryPointByVersion(name, out, LIBRARY_12, flags, status);
}

cudaError_t wg_cudaGetDriverEntryPoint_12_ptsz(const char *name, void **out, unsigned long long flags, int *status)
{
    return wg_cudaGetDriverEntryPointByVersion_ptsz(name, out, LIBRARY_12, flags, status);
}

cudaError_t wg_cudaGetDriverEntryPoint_11(const char *name, void **out, unsigned long long flags)
{
    return wg_cudaGetDriverEntryPointByVersion(name, out, LIBRARY_11, flags, NULL);
}

cudaError_t wg_cudaGetDriverEntryPoint_11_ptsz(const char *name, void **out, unsigned long long flags)
{
    return wg_cudaGetDriverEntryPointByVersion_ptsz(name, out, LIBRARY_11, flags, NULL);
}

// Before CUDA 12.0 there was no status; what is not found was an error.
CUresult wg_cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    CUresult result = wg_cuGetProcAddress_v2(name, out, version, flags, NULL);
    return result || *out ? result : cudaErrorSymbolNotFound;
}

// The tables behind this call are undocumented. A CUDA runtime that is linked in and was not replaced asks for them, and can
// do nothing without: some of its answers would have to be made as NVIDIA's driver makes them, which nobody has published.
static void explain_table(struct rt *rt, const void *caller)
{
    Dl_info place;
    const char *file = dladdr(caller, &place) && place.dli_fname ? place.dli_fname : "the program";
    rt_explain(rt, "cuGetExportTable",
               "%s asks the driver for a table that is not documented, as a CUDA runtime does that is linked in and has no "
               "symbol table: its calls will fail; 'strip -g' in place of 'strip', or 'nvcc -cudart shared', help",
               file);
}

CUresult wg_cuGetExportTable(const void **table, const struct CUuuid *id)
{
    if (!table || !id)
        return cudaErrorInvalidValue;
    *table = NULL;
    struct rt *rt = driver_enter();
    explain_table(rt, __builtin_return_address(0));
    return driver_leave(rt, cudaErrorSymbolNotFound);
}
