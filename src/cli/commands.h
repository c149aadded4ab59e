// Entry points of the commands: argv[0] is the command's name; the result is the exit status.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#define COMMAND(name, function, group, text) int function(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND
#endif
