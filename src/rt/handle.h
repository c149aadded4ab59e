// What programs hold pointers to: events, graphs, nodes … A handle is an object of ours that begins with its
// kind. Memory of destroyed ones is kept and used again for the same kind, so a stale handle is recognised
// (or is a newer object of that kind), never a wild read.
//
//     struct rt_event *event = handle_new(&rt->handles, HANDLE_EVENT, sizeof *event);   // zeroed
//     if (!handle_is(event, HANDLE_EVENT))
//         return cudaErrorInvalidResourceHandle;
//     handle_free(&rt->handles, event);
#ifndef RT_HANDLE_H
#define RT_HANDLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum handle_kind {
    HANDLE_FREE,
    HANDLE_STREAM = 0x57470001, // a kind is unlikely to be met by chance
    HANDLE_EVENT,
    HANDLE_CAPTURE,
    HANDLE_GRAPH,
    HANDLE_NODE,
    HANDLE_EXEC,
    HANDLE_USER_OBJECT,
    HANDLE_END
};
enum { N_HANDLE_KINDS = HANDLE_END - HANDLE_STREAM };

struct rt_handle { // the first member of what has handles
    enum handle_kind kind;
    struct rt_handle *next_free;
};

struct rt_handles {
    struct rt_handle *unused[N_HANDLE_KINDS];
};

void *handle_new(struct rt_handles *handles, enum handle_kind kind, size_t size_bytes);
void handle_free(struct rt_handles *handles, void *object);
bool handle_is(const void *handle, enum handle_kind kind);
#endif
