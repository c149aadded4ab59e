// Shows how far a launch is, from a thread of its own that reads the run loop's three numbers.
#include "cli/progress.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MILLISECONDS = 200, FIRST_TICK = 5 };

struct progress_line {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended_changed;
    bool has_ended, was_shown;
    const struct run_progress *progress;
    const char *kernel;
    double last_done, launch_start; // fewer blocks done than at the last tick: another launch; seconds
};

static void erase(struct progress_line *line)
{
    if (line->was_shown)
        fputs("\r\033[K", stderr);
    line->was_shown = false;
}

static void show(struct progress_line *line, double done, double seconds)
{
    struct run_progress *progress = (struct run_progress *)line->progress;
    double all = (double)atomic_load_explicit(&progress->n_blocks, memory_order_relaxed);
    double instructions = (double)atomic_load_explicit(&progress->warp_instructions, memory_order_relaxed);
    fprintf(stderr, "\r\033[K%.60s: %.0f of %.0f blocks, %.1f M warp instructions/s", line->kernel, done, all,
            instructions / seconds / 1e6);
    if (done > 0)
        fprintf(stderr, ", %.0f s left", seconds * (all - done) / done);
    fflush(stderr);
    line->was_shown = true;
}

// `now`: seconds since the line began.
static void update(struct progress_line *line, double now, bool is_early)
{
    struct run_progress *progress = (struct run_progress *)line->progress;
    double done = (double)atomic_load_explicit(&progress->blocks_done, memory_order_relaxed);
    if (done < line->last_done || !*line->kernel)
        line->launch_start = now;
    line->last_done = done;
    if (!*line->kernel)
        erase(line);
    else if (!is_early && now > line->launch_start)
        show(line, done, now - line->launch_start);
}

static void *tick(void *argument)
{
    struct progress_line *line = argument;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&line->mutex);
    for (int n = 1; !line->has_ended; n++) {
        until.tv_nsec += TICK_MILLISECONDS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&line->ended_changed, &line->mutex, &until);
        if (!line->has_ended)
            update(line, n * TICK_MILLISECONDS / 1000.0, n < FIRST_TICK);
    }
    pthread_mutex_unlock(&line->mutex);
    return NULL;
}

struct progress_line *progress_start(const struct run_progress *progress, const char *kernel)
{
    if (!isatty(STDERR_FILENO))
        return NULL;
    struct progress_line *line = calloc(1, sizeof *line);
    if (!line)
        return NULL;
    pthread_mutex_init(&line->mutex, NULL);
    pthread_cond_init(&line->ended_changed, NULL);
    line->progress = progress;
    line->kernel = kernel;
    if (pthread_create(&line->thread, NULL, tick, line) == 0)
        return line;
    free(line);
    return NULL;
}

void progress_stop(struct progress_line *line)
{
    if (!line)
        return;
    pthread_mutex_lock(&line->mutex);
    line->has_ended = true;
    pthread_cond_signal(&line->ended_changed);
    pthread_mutex_unlock(&line->mutex);
    pthread_join(line->thread, NULL);
    erase(line);
    free(line);
}
