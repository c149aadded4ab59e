// Streams.
#include "rt/api.h"

struct rt_stream *stream_per_thread(struct rt *rt)
{
    struct rt_thread *thread = rt_thread();
    if (!thread->stream) {
        thread->stream = arena_new(&rt->arena, struct rt_stream);
        *thread->stream = (struct rt_stream){.next = rt->streams, .id = 13 + rt->n_streams_made++, .is_blocking = true};
        rt->streams = thread->stream;
    }
    return thread->stream;
}
