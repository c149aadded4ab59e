// A team of POSIX threads that meet at two barriers.
#include "cycle/team.h"
#include "base/err.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
    struct team *team;
    pthread_t thread;
    uint32_t index;
};

struct team {
    struct member *members; // [0] is the caller
    uint32_t n_threads;
    pthread_mutex_t mutex;
    pthread_cond_t begin, end;
    uint64_t round; // number of the work in hand; guarded by mutex, as is what follows
    uint32_t n_working;
    bool is_over;
    team_function work;
    void *context;
    uint32_t n_items;
    _Atomic uint32_t next_item;
};

static void work_items(struct team *team, uint32_t thread)
{
    for (uint32_t i = atomic_fetch_add(&team->next_item, 1); i < team->n_items;
         i = atomic_fetch_add(&team->next_item, 1))
        team->work(team->context, i, thread);
}

static void *member_main(void *argument)
{
    struct member *member = argument;
    struct team *team = member->team;
    uint64_t seen = 0;
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        while (team->round == seen && !team->is_over)
            pthread_cond_wait(&team->begin, &team->mutex);
        if (team->is_over)
            break;
        seen = team->round;
        pthread_mutex_unlock(&team->mutex);
        work_items(team, member->index);
        pthread_mutex_lock(&team->mutex);
        if (--team->n_working == 0)
            pthread_cond_signal(&team->end);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

struct team *team_new(uint32_t n_threads)
{
    struct team *team = calloc(1, sizeof *team);
    if (!team || !(team->members = calloc(n_threads ? n_threads : 1, sizeof *team->members)))
        err_memory("threads", sizeof *team);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->end, NULL);
    for (team->n_threads = 1; team->n_threads < n_threads; team->n_threads++) {
        struct member *member = &team->members[team->n_threads];
        *member = (struct member){.team = team, .index = team->n_threads};
        if (pthread_create(&member->thread, NULL, member_main, member))
            break;
    }
    return team;
}

uint32_t team_threads(const struct team *team)
{
    return team->n_threads;
}

void team_work(struct team *team, uint32_t n_items, team_function work, void *context)
{
    if (team->n_threads == 1) {
        for (uint32_t i = 0; i < n_items; i++)
            work(context, i, 0);
        return;
    }
    pthread_mutex_lock(&team->mutex);
    team->work = work;
    team->context = context;
    team->n_items = n_items;
    team->n_working = team->n_threads - 1;
    atomic_store(&team->next_item, 0);
    team->round++;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->mutex);
    work_items(team, 0);
    pthread_mutex_lock(&team->mutex);
    while (team->n_working)
        pthread_cond_wait(&team->end, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

void team_delete(struct team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->mutex);
    team->is_over = true;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->mutex);
    for (uint32_t i = 1; i < team->n_threads; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->begin);
    pthread_cond_destroy(&team->end);
    pthread_mutex_destroy(&team->mutex);
    free(team->members);
    free(team);
}
