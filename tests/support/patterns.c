// The lane patterns of programs/rules.cu; see patterns.h.
#include "support/patterns.h"
#include "support/check.h"
#include <stdlib.h>
#include <string.h>

// The index of lane t; -1 = the lane takes no part.
#define PATTERNS(X)                       \
    X(lane, t)                            \
    X(all_equal, 0)                       \
    X(t_div2, t / 2)                      \
    X(t_mod2, t % 2)                      \
    X(t_div4, t / 4)                      \
    X(t_mod4, t % 4)                      \
    X(t_mod8, t % 8)                      \
    X(t_xor1, t ^ 1)                      \
    X(t_and_not2, t & ~2)                 \
    X(offset1, t + 1)                     \
    X(first8, t < 8 ? t : -1)             \
    X(only_lane0, t == 0 ? 0 : -1)        \
    X(only_lane17, t == 17 ? 5 : -1)      \
    X(even_lanes, t % 2 ? -1 : t)         \
    X(none, -1)                           \
    X(first16_then_0, t < 16 ? t : 0)     \
    X(reversed, 31 - t)                   \
    X(scatter, (t * 37 + 11) % 128)       \
    X(two_words_same_bank, t % 2 * 32)    \
    X(half_rows, t % 16 + 32 * (t / 16))  \
    X(column_of_33, t % 16 * 33 + t / 16) \
    X(four_groups, t / 8 * 64 + t % 8)

#define X(name, expression)    \
    static int p_##name(int t) \
    {                          \
        (void)t;               \
        return expression;     \
    }
PATTERNS(X)
#undef X

static const struct pattern {
    const char *name;
    int (*index)(int lane);
} patterns[] = {
#define X(name, expression) {#name, p_##name},
    PATTERNS(X)
#undef X
};

// stride3, pitch3 and words3 all mean 3 * lane.
static const char *const stride_names[] = {"stride", "pitch", "words"};

bool pattern_indices(const char *name, int index[N_LANES])
{
    for (size_t i = 0; i < N_ELEMENTS(stride_names); i++) {
        size_t n = strlen(stride_names[i]);
        if (strncmp(name, stride_names[i], n) == 0) {
            for (int t = 0; t < N_LANES; t++)
                index[t] = t * atoi(name + n);
            return true;
        }
    }
    for (size_t i = 0; i < N_ELEMENTS(patterns); i++) {
        if (strcmp(name, patterns[i].name) == 0) {
            for (int t = 0; t < N_LANES; t++)
                index[t] = patterns[i].index(t);
            return true;
        }
    }
    return false;
}
