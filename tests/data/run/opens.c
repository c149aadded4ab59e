// Opens a library, calls its `answer`, closes it; as often as told. The library lies in a folder that only this program's
// RUNPATH names.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 1); i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        if (!library) {
            printf("%s\n", dlerror());
            return 1;
        }
        void *address = dlsym(library, "answer");
        int (*answer)(void);
        __builtin_memcpy(&answer, &address, sizeof answer);
        printf("answer %d\n", answer());
        fflush(stdout);
        dlclose(library);
    }
    return 0;
}
