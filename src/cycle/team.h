// Host threads that do one thing together, again and again: work on items 0 .. n - 1, each item by whichever
// thread comes first. The calling thread works too. With one thread nothing is started.
//
//     struct team *team = team_new(n_threads);
//     team_work(team, n_items, work, context);  // returns when every item is done
//     team_delete(team);
#ifndef CYCLE_TEAM_H
#define CYCLE_TEAM_H
#include <stdint.h>

struct team;
// `thread` is 0 .. n_threads - 1 and tells the threads apart.
typedef void (*team_function)(void *context, uint32_t item, uint32_t thread);

struct team *team_new(uint32_t n_threads);
uint32_t team_threads(const struct team *team); // as many as could be started
void team_work(struct team *team, uint32_t n_items, team_function work, void *context);
void team_delete(struct team *team);
#endif
