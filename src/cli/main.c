// The program: finds the command, runs it, checks that what it printed was really written.
#include "base/err.h"
#include "base/map.h"
#include "base/version.h"
#include "cli/commands.h"
#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *group, *text;
};

static const struct command commands[] = {
#define COMMAND(name, function, group, text) {name, function, group, text},
#include "cli/commands.def"
#undef COMMAND
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    puts("warpglass: look through the GPU memory hierarchy, no GPU needed\n\n"
         "usage: warpglass COMMAND [options]      warpglass COMMAND --help");
    const char *group = "";
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(group, commands[i].group) != 0)
            printf("\n%s\n", group = commands[i].group);
        printf("  %-11s %s\n", commands[i].name, commands[i].text);
    }
    puts("\nwarpglass help --man prints the manual page, warpglass help --completion a bash completion.");
}

static void print_manual(void)
{
    printf(".TH WARPGLASS 1 \"\" \"warpglass %s\"\n.SH NAME\nwarpglass \\- look through the GPU memory "
           "hierarchy\n"
           ".SH SYNOPSIS\n.B warpglass\nCOMMAND [options]\n.SH COMMANDS\n",
           WARPGLASS_VERSION);
    for (int i = 0; i < N_COMMANDS; i++) {
        char help[] = "--help";
        char *argv[] = {(char *)commands[i].name, help, NULL};
        printf(".SS %s\n%s\n.PP\n.nf\n", commands[i].name, commands[i].text);
        commands[i].run(2, argv);
        printf(".fi\n");
    }
    puts(".SH EXIT STATUS\n0 good, 1 a threshold was crossed, 2 usage, 3 bad input, 4 guest fault, 70 a bug "
         "of ours, "
         "71 host memory exhausted. run: the program's own or 128 and its signal, 125 not measured, 126 not "
         "started, 127 not found.");
}

static void print_completion(void)
{
    printf("_warpglass() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        COMPREPLY=($(compgen -W 'help");
    for (int i = 0; i < N_COMMANDS; i++)
        printf(" %s", commands[i].name);
    puts("' -- \"$word\"))\n    else\n        COMPREPLY=($(compgen -f -W \"$(warpglass \"${COMP_WORDS[1]}\" "
         "--help "
         "2>/dev/null | grep -oE -- '--[a-z-]+')\" -- \"$word\"))\n    fi\n}\ncomplete -F _warpglass "
         "warpglass");
}

static int help(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--man") == 0)
        print_manual();
    else if (argc > 1 && strcmp(argv[1], "--completion") == 0)
        print_completion();
    else
        print_help();
    return 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help();
        return EXIT_USAGE;
    }
    const char *names[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
        names[i] = commands[i].name;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0) {
        puts("warpglass " WARPGLASS_VERSION);
        return 0;
    }
    const char *near = nearest_name(argv[1], names, N_COMMANDS);
    fprintf(stderr, "warpglass: unknown command '%s'%s%s%s; 'warpglass help' lists them\n", argv[1],
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("warpglass: standard output");
        return status ? status : EXIT_INPUT;
    }
    return status;
}
