// Finding a program, starting it with our libraries in front of it, waiting for it.
//
//     const char *path = program_find(&arena, "a.out", &status);              // status 126 or 127
//     if (!preload(&arena, &err) || !setting("DEVICE", "h200", &err)) ...     // into our own environment
//     program_start(&program, path, argv, true);
//     int status = program_wait(&program);
#ifndef CLI_RUN_PROGRAM_H
#define CLI_RUN_PROGRAM_H
#include "base/arena.h"
#include "base/err.h"
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// Exit statuses of `run` beside the program's own, as those of env(1); a signal adds its number to the last
// one.
enum { EXIT_RUN_FAILED = 125, EXIT_RUN_CANNOT = 126, EXIT_RUN_NOT_FOUND = 127, EXIT_RUN_SIGNAL = 128 };

// The file that PROGRAM names, searched in $PATH when it has no slash. NULL: `status` says which of the two
// it is and `err` why.
const char *program_find(struct arena *arena, const char *name, int *status, struct err *err);

// False when the system will ignore LD_PRELOAD for the file: setuid, setgid, file capabilities.
bool program_can_preload(const char *path, struct err *err);

// LD_PRELOAD and LD_LIBRARY_PATH for our libraries, which lie beside this program; what the user had follows.
bool preload(struct arena *arena, struct err *err);

// WARPGLASS_<name> in the environment; NULL takes it out.
bool setting(const char *name, const char *value, struct err *err);

struct program {
    pid_t pid;       // -1: there is no process
    int start_error; // errno when it could not be started, else 0
    sigset_t signals, old_mask;
};

// `only_it`: its children do not measure. False: start_error says why; program_wait must follow all the same.
bool program_start(struct program *program, const char *path, char **argv, bool only_it);
// Waits for its end; returns its exit status as a shell shows it. Signals that end processes are passed on to
// it, unless the terminal sends them to both.
int program_wait(struct program *program);
#endif
