// What a function of the runtime is replaced by, for each major: the same bodies that the jumps of the libraries go to.
#ifndef RT_REDIRECT_TABLE_H
#define RT_REDIRECT_TABLE_H
#include <stdbool.h>

struct redirect {
    const char *name;
    void (*body)(void);
    bool takes_name; // wants the name as its only argument: ignored and refused functions
};

// NULL: no row has that name for the major.
const struct redirect *redirect_find(unsigned major, const char *name);
#endif
