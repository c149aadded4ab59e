// Command-line options from a table: one row makes the parser's branch, the usage line, the manual and the
// completion.
//
//     uint32_t block[3] = {0}; bool json = false; const char *device = NULL;
//     const struct option_row rows[] = {
//         {"device", OPT_STRING, &device, "NAME|FILE", "device to answer for (default h200)"},
//         {"block", OPT_SHAPE, block, "SHAPE", "threads of a block, 256 or 16x16"},
//         {"json", OPT_FLAG, &json, NULL, "print JSON"},
//         {0}};
//     struct arguments rest;
//     int status = options_parse(argc, argv, "occupancy [options]", "what it does, one sentence", rows,
//     &rest); if (status != OPTIONS_GO) return status;       // help was printed (0) or the mistake was named
//     (2)
//
// Options may follow positionals; `--` ends them; `--name=value` and `--name value` are the same. With
// `stop_at_first` (run) the first positional ends the options: what follows belongs to the program.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

enum option_kind {
    OPT_FLAG,   // bool *: set to true
    OPT_STRING, // const char **
    OPT_U32,    // uint32_t *
    OPT_U64,    // uint64_t *
    OPT_I64,    // int64_t *
    OPT_REAL,   // double *
    OPT_BYTES,  // uint64_t *: "48 KiB"
    OPT_SHAPE,  // uint32_t[3]: 16x16 or 16,16
    OPT_LIST    // struct option_list *: may be given several times
};

enum { MAX_OPTION_LIST = 256, OPTIONS_GO = -1 };
struct option_list {
    const char *at[MAX_OPTION_LIST];
    uint32_t n;
};

struct option_row {
    const char
        *name; // without the dashes; ends with '\0'; a one-letter twin may follow after '|': "export|o"
    enum option_kind kind;
    void *target;
    const char *argument; // what the usage shows for the value; NULL for flags
    const char *text;
};

struct arguments {
    const char *at[MAX_OPTION_LIST];
    uint32_t n;
    char **rest;
    int n_rest; /* after stop_at_first */
};

int options_parse(int argc, char **argv, const char *synopsis, const char *purpose,
                  const struct option_row *rows, struct arguments *out);
int options_parse_program(int argc, char **argv, const char *synopsis, const char *purpose,
                          const struct option_row *rows,
                          struct arguments *out); // stops at the first positional

// "warpglass COMMAND: text (see 'warpglass COMMAND --help')" on stderr; returns EXIT_USAGE.
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
