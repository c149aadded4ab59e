// Teams of host threads do every item once, each by one of them, round after round.
#include "cycle/team.h"
#include "support/check.h"
#include <stdatomic.h>

enum { N_ITEMS = 500, N_ROUNDS = 50 };

struct ledger {
    uint32_t n_threads;
    _Atomic uint32_t done[N_ITEMS], strangers;
};

static void work(void *context, uint32_t item, uint32_t thread)
{
    struct ledger *ledger = context;
    atomic_fetch_add(&ledger->done[item], 1);
    if (thread >= ledger->n_threads)
        atomic_fetch_add(&ledger->strangers, 1);
}

static void every_item_is_done_once_a_round(void **state)
{
    (void)state;
    for (uint32_t n_threads = 0; n_threads <= 5; n_threads++) {
        static struct ledger ledger;
        ledger = (struct ledger){0};
        struct team *team = team_new(n_threads);
        ledger.n_threads = team_threads(team);
        assert_true(ledger.n_threads >= 1 && ledger.n_threads <= (n_threads ? n_threads : 1));
        for (uint32_t round = 1; round <= N_ROUNDS; round++) {
            team_work(team, N_ITEMS - round, work, &ledger); // one fewer each time
            for (uint32_t i = 0; i < N_ITEMS; i++)
                assert_int_equal(ledger.done[i], i < N_ITEMS - round ? round : N_ITEMS - i - 1);
        }
        assert_int_equal(ledger.strangers, 0);
        team_delete(team);
    }
}

static void nothing_to_do_is_fine(void **state)
{
    (void)state;
    struct ledger *none = NULL;
    struct team *team = team_new(3);
    team_work(team, 0, work, none);
    team_work(team, 0, work, none);
    team_delete(team);
    team_delete(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_a_round),
        cmocka_unit_test(nothing_to_do_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
