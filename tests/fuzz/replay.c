// A main for fuzz targets where the fuzzer's own is not linked: feeds each file of the corpus to the target
// once. The target's name is the program's: build/gcc/tests/fuzz/kv reads tests/fuzz/corpus/kv/. Arguments,
// if any, are the files to feed instead (to repeat a crash without the fuzzer).
#include "base/buf.h"
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A copy of exactly that size, so that a sanitizer sees a read behind the end.
static int feed_file(const char *path)
{
    struct buf text;
    struct err err = {0};
    if (!buf_read_file(&text, path, &err)) {
        err_print(&err, stderr);
        return 1;
    }
    uint8_t *copy = malloc(text.n ? text.n : 1);
    if (!copy)
        return 1;
    if (text.n)
        memcpy(copy, text.at, text.n);
    LLVMFuzzerTestOneInput(copy, text.n);
    free(copy);
    buf_release(&text);
    return 0;
}

static int feed_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort), status = 0, n_fed = 0;
    for (int i = 0; i < n; i++) {
        struct buf path = {0};
        buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            status |= feed_file(path.at);
            n_fed++;
        }
        buf_release(&path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    printf("%d inputs of %s\n", n_fed, folder);
    return status | (n_fed == 0); // an empty corpus tests nothing
}

int main(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++)
        status |= feed_file(argv[i]);
    if (argc > 1)
        return status;
    const char *slash = strrchr(argv[0], '/');
    struct buf folder = {0};
    buf_printf(&folder, "tests/fuzz/corpus/%s", slash ? slash + 1 : argv[0]);
    status = feed_folder(folder.at);
    buf_release(&folder);
    return status;
}
