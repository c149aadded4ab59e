// The ring: one writer fills it, whoever sees it full or ended empties it into the file.
#include "prof/profile_ring.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct profile_ring) == PROFILE_RING_BYTES, "the ring is mapped as a whole");

static bool write_all(int fd, const uint8_t *at, size_t n)
{
    while (n) {
        ssize_t written = write(fd, at, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        n -= (size_t)written;
    }
    return true;
}

// A forked child is another process, so this asks each time.
static bool is_ours(struct profile_ring *ring)
{
    uint32_t self = (uint32_t)getpid(), nobody = 0;
    return atomic_load_explicit(&ring->owner, memory_order_relaxed) == self ||
           atomic_compare_exchange_strong(&ring->owner, &nobody, self);
}

static bool empty_into(struct profile_ring *ring, int fd)
{
    uint32_t n = atomic_load_explicit(&ring->n, memory_order_relaxed);
    bool good = n == 0 || write_all(fd, ring->at, n);
    atomic_store_explicit(&ring->n, 0, memory_order_release);
    return good;
}

bool profile_ring_put(struct profile_ring *ring, int fd, const void *record, size_t n_bytes)
{
    if (!is_ours(ring))
        return false;
    uint32_t n = atomic_load_explicit(&ring->n, memory_order_relaxed);
    if (n_bytes > PROFILE_RING_ROOM - n) {
        if (!empty_into(ring, fd) || n_bytes > PROFILE_RING_ROOM)
            return false;
        n = 0;
    }
    memcpy(ring->at + n, record, n_bytes);
    atomic_store_explicit(&ring->n, n + (uint32_t)n_bytes, memory_order_release);
    return true;
}

bool profile_ring_flush(struct profile_ring *ring, int fd)
{
    if (atomic_load_explicit(&ring->owner, memory_order_relaxed) != (uint32_t)getpid())
        return true;
    bool good = empty_into(ring, fd);
    atomic_store_explicit(&ring->owner, 0, memory_order_release);
    return good;
}

// Whether the file ends with just these bytes: its writer was killed between writing them and saying so.
static bool ends_with(int fd, const uint8_t *at, size_t n)
{
    struct stat info;
    uint8_t *end = malloc(n);
    if (!end)
        err_memory("profile ring", n);
    bool is_equal = fstat(fd, &info) == 0 && info.st_size >= (off_t)n &&
                    pread(fd, end, n, info.st_size - (off_t)n) == (ssize_t)n && memcmp(end, at, n) == 0;
    free(end);
    return is_equal;
}

bool profile_ring_drain(struct profile_ring *ring, const char *path, struct err *err)
{
    uint32_t n = atomic_load_explicit(&ring->n, memory_order_acquire);
    if (n == 0 || n > PROFILE_RING_ROOM)
        return true;
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    bool good = fd >= 0 && (ends_with(fd, ring->at, n) || write_all(fd, ring->at, n));
    if (!good)
        err_set(err, "cannot write '%s': %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    atomic_store_explicit(&ring->n, 0, memory_order_relaxed);
    return good;
}
