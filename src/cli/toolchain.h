// The compilers at hand: finding them, running them, and our CUDA headers in a temporary folder for clang. No
// shell is involved.
//
//     struct toolchain tools;
//     if (toolchain_open(&tools, &arena, &err) && toolchain_write_headers(&tools, &err)) {
//         struct command command = {0};
//         command_add(&command, clang);
//         command_add(&command, "-c");
//         good = toolchain_run(&tools, &command, "clang", NULL, &err);
//     }
//     toolchain_close(&tools);
#ifndef CLI_TOOLCHAIN_H
#define CLI_TOOLCHAIN_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum { MAX_WORDS = 1000, CLANG_CC = 80 };

// The words of one command line; the array ends with NULL.
struct command {
    const char *at[MAX_WORDS + 1];
    int n; // beyond MAX_WORDS: too many, and toolchain_run says so
};
void command_add(struct command *command, const char *word);
void command_add_all(struct command *command, const struct command *words);

struct toolchain {
    struct arena *arena;
    const char *folder, *headers; // temporary folder; our headers in it
    bool is_open, is_verbose;     // verbose: each command is printed on stderr before it runs
};

// Paths, or NULL where nothing of the kind is installed.
const char *find_program(struct arena *arena, const char *name);
const char *find_nvcc(struct arena *arena);
const char *find_ptxas(struct arena *arena);
const char *find_clang(struct arena *arena);

bool toolchain_open(struct toolchain *tools, struct arena *arena, struct err *err);
bool toolchain_write_headers(struct toolchain *tools, struct err *err);
void toolchain_close(struct toolchain *tools); // removes the folder with all that lies in it

// Runs a command to its end. Its messages go to stderr as they are, and into `messages` too unless that is
// NULL.
bool toolchain_run(struct toolchain *tools, const struct command *command, const char *what,
                   struct buf *messages, struct err *err);

// What clang needs for CUDA without NVIDIA's files, for either pass: language, architecture sm_`cc`, our
// headers.
void command_add_cuda(struct command *command, const struct toolchain *tools, int cc);
// The device pass: PTX text, with the lines of the source.
void command_add_device(struct command *command);
#endif
