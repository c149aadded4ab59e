// Host tool of the build: writes files as a table of C (see base/embed.h).
//
//     embed embedded_devices devices devices/h200.dev devices/base/hopper.dev > embedded_devices.c
//
// Names in the table are relative to the folder: "h200.dev", "base/hopper.dev".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const char *path)
{
    fprintf(stderr, "embed: %s %s\n", what, path);
    exit(1);
}

// The bytes as numbers: string literals have a length limit. Returns how many there are.
static size_t write_bytes(const char *path, int index)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        die("cannot open", path);
    printf("static const unsigned char text_%d[] = {", index);
    size_t n = 0;
    for (int c = getc(in); c != EOF; c = getc(in), n++)
        printf("%s%d,", n % 24 == 0 ? "\n    " : "", c);
    if (ferror(in))
        die("cannot read", path);
    fclose(in);
    printf("\n    0};\n");
    return n;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        die("usage:", "embed TABLE FOLDER FILE...");
    size_t *lengths = calloc((size_t)argc, sizeof *lengths);
    if (!lengths)
        die("no memory for", argv[1]);
    printf("// Made by tools/embed.c from %s/.\n#include \"base/embed.h\"\n\n", argv[2]);
    for (int i = 3; i < argc; i++)
        lengths[i] = write_bytes(argv[i], i);
    printf("\nconst struct embedded_file %s[] = {\n", argv[1]);
    size_t prefix = strlen(argv[2]) + 1;
    for (int i = 3; i < argc; i++)
        printf("    {\"%s\", (const char *)text_%d, %zu},\n", argv[i] + prefix, i, lengths[i]);
    printf("    {NULL, NULL, 0},\n};\n");
    free(lengths);
    return fflush(stdout) != 0 || ferror(stdout);
}
