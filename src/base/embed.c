// Looking up a file that was built into the program.
#include "base/embed.h"
#include <string.h>

const struct embedded_file *embedded_find(const struct embedded_file *table, const char *name)
{
    for (const struct embedded_file *file = table; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}
