// warpglass cc: whole CUDA programs with clang alone. Each .cu file is compiled twice, to PTX for the device
// and to an object for the host that holds the PTX; the objects are linked with our libcudart.so.
#include "base/err.h"
#include "cli/cc_diagnose.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/toolchain.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char runtime_library[] = "libcudart.so.13";

// What an option does with its value.
enum action {
    TO_OUTPUT,   // -o
    TO_BOTH,     // to both passes and to plain C++
    TO_HOST,     // to the host pass and to plain C++; comma-separated for -Xcompiler
    TO_LINK,     // to the linker
    TO_LIBRARY,  // -l: ours for cudart and cuda
    TO_ARCH,     // the architecture
    TO_NOWHERE,  // means nothing here, or is so anyway
    SET_COMPILE, // flags of the request
    SET_PTX,
    SET_KEEP,
    SET_VERBOSE,
    SET_DEBUG,
    SET_FAST_MATH,
    SET_HELP,
    SET_REFUSED
};
// How the value stands: in the same word, in the next, either, or not at all.
enum value { NO_VALUE, JOINED, NEXT, EITHER, PREFIX };

struct cc_option {
    const char *name;
    enum value value;
    enum action action;
    const char *argument, *text; // for the help; text NULL: not listed
};

static const struct cc_option options[] = {
    {"-o", EITHER, TO_OUTPUT, " FILE", "the program (default a.out), the object with -c, the PTX with -ptx"},
    {"-c", NO_VALUE, SET_COMPILE, "", "objects only, no program"},
    {"-ptx", NO_VALUE, SET_PTX, "", "PTX only: to FILE of -o, else to standard output"},
    {"--ptx", NO_VALUE, SET_PTX, "", NULL},
    {"--device-only", NO_VALUE, SET_PTX, "", "the same"},
    {"-O", JOINED, TO_HOST, "LEVEL", "optimisation of host code (default -O1); device code is always -O3"},
    {"-D", EITHER, TO_BOTH, " NAME[=VALUE]", "define a macro"},
    {"-U", EITHER, TO_BOTH, " NAME", NULL},
    {"-I", EITHER, TO_BOTH, " FOLDER", "where headers are"},
    {"-isystem", NEXT, TO_BOTH, " FOLDER", NULL},
    {"-include", NEXT, TO_BOTH, " FILE", NULL},
    {"-std", EITHER, TO_BOTH, "=STANDARD", "language (default gnu++17)"},
    {"--std", EITHER, TO_BOTH, "=STANDARD", NULL},
    {"-g", NO_VALUE, SET_DEBUG, "",
     "debug information of host code; device code always has its source lines"},
    {"-G", NO_VALUE, SET_DEBUG, "", NULL},
    {"-use_fast_math", NO_VALUE, SET_FAST_MATH, "", "approximate functions, subnormals are zero"},
    {"--use_fast_math", NO_VALUE, SET_FAST_MATH, "", NULL},
    {"-arch", EITHER, TO_ARCH, "=sm_XX", "accepted; clang compiles for sm_86 where it fits, else for sm_80"},
    {"--gpu-architecture", EITHER, TO_ARCH, "=sm_XX", NULL},
    {"-gencode", EITHER, TO_ARCH, "=WORDS", NULL},
    {"-code", EITHER, TO_NOWHERE, "", NULL},
    {"-L", EITHER, TO_LINK, " FOLDER", "where libraries are"},
    {"-l", EITHER, TO_LIBRARY, " NAME", "link a library"},
    {"-Xcompiler", EITHER, TO_HOST, " WORD,...", "to the host pass alone"},
    {"-Xlinker", EITHER, TO_LINK, " WORD", "to the linker alone"},
    {"--keep", NO_VALUE, SET_KEEP, "", "leave each file's PTX in the current folder"},
    {"-keep", NO_VALUE, SET_KEEP, "", NULL},
    {"--verbose", NO_VALUE, SET_VERBOSE, "", "print the commands"},
    {"-v", NO_VALUE, SET_VERBOSE, "", NULL},
    {"--help", NO_VALUE, SET_HELP, "", "this text"},
    {"-h", NO_VALUE, SET_HELP, "", NULL},
    {"-lineinfo", NO_VALUE, TO_NOWHERE, "", NULL},
    {"--generate-line-info", NO_VALUE, TO_NOWHERE, "", NULL},
    {"--expt-relaxed-constexpr", NO_VALUE, TO_NOWHERE, "", NULL},
    {"-expt-relaxed-constexpr", NO_VALUE, TO_NOWHERE, "", NULL},
    {"--expt-extended-lambda", NO_VALUE, TO_NOWHERE, "", NULL},
    {"--extended-lambda", NO_VALUE, TO_NOWHERE, "", NULL},
    {"-extended-lambda", NO_VALUE, TO_NOWHERE, "", NULL},
    {"-cudart", EITHER, TO_NOWHERE, "", NULL},
    {"--cudart", EITHER, TO_NOWHERE, "", NULL},
    {"-Xptxas", EITHER, TO_NOWHERE, "", NULL},
    {"-maxrregcount", EITHER, TO_NOWHERE, "", NULL},
    {"--maxrregcount", EITHER, TO_NOWHERE, "", NULL},
    {"-m64", NO_VALUE, TO_NOWHERE, "", NULL},
    {"-x", EITHER, TO_NOWHERE, "", NULL},
    {"-rdc", EITHER, SET_REFUSED, "", NULL},
    {"-dc", NO_VALUE, SET_REFUSED, "", NULL},
    {"-pthread", NO_VALUE, TO_HOST, "", NULL},
    {"-fopenmp", NO_VALUE, TO_HOST, "", NULL},
    {"-shared", NO_VALUE, TO_LINK, "", NULL},
    {"-Wl,", PREFIX, TO_LINK, "", NULL},
    {"-W", PREFIX, TO_HOST, "", NULL},
    {"-f", PREFIX, TO_BOTH, "", NULL},
    {"-m", PREFIX, TO_HOST, "", NULL},
};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

struct request {
    const char *output;
    struct command both, host, link, inputs;
    int cc;
    bool compile_only, ptx_only, keep, verbose, debug, wants_help, has_level;
};

// ---- reading the words ----------------------------------------------------------------------------------

// Long names stand after their prefixes in no order: the longest that fits wins, and one without a value must
// fit whole.
static const struct cc_option *find_option(const char *word)
{
    const struct cc_option *best = NULL;
    for (const struct cc_option *option = options; option < options + N_OPTIONS; option++) {
        size_t length = strlen(option->name);
        bool is_whole = option->value == NO_VALUE || option->value == NEXT;
        bool is_long = length > 2 && option->value == EITHER; // -arch=x and -arch x, but not -archx
        if (strncmp(word, option->name, length) != 0 || (is_whole && word[length]) ||
            (is_long && word[length] && word[length] != '='))
            continue;
        if (!best || length > strlen(best->name))
            best = option;
    }
    return best;
}

static int arch_of(const char *text)
{
    unsigned cc = 0;
    const char *number = strstr(text, "sm_");
    if (!number)
        number = strstr(text, "compute_");
    if (number)
        cc = (unsigned)strtoul(strchr(number, '_') + 1, NULL, 10);
    return cc >= 86 && cc <= 89 ? 86 : CLANG_CC;
}

static void add_commas(struct arena *arena, struct command *to, const char *words)
{
    while (*words) {
        size_t length = strcspn(words, ",");
        if (length)
            command_add(to, arena_string(arena, words, length));
        words += length + (words[length] == ',');
    }
}

static void add_library(struct command *to, struct arena *arena, const char *name)
{
    if (strcmp(name, "cudart") == 0 || strcmp(name, "cudart_static") == 0)
        return; // linked anyway
    command_add(to, strcmp(name, "cuda") == 0 ? "-l:libcuda.so.1" : arena_printf(arena, "-l%s", name));
}

static void set_flag(struct request *request, enum action action)
{
    request->compile_only |= action == SET_COMPILE;
    request->ptx_only |= action == SET_PTX;
    request->keep |= action == SET_KEEP;
    request->verbose |= action == SET_VERBOSE;
    request->debug |= action == SET_DEBUG;
    request->wants_help |= action == SET_HELP;
    if (action == SET_FAST_MATH) {
        command_add(&request->both, "-fcuda-approx-transcendentals");
        command_add(&request->both, "-fgpu-flush-denormals-to-zero");
    }
}

// `value` is NULL for options without one; `word` is what the user wrote.
static void apply(struct arena *arena, struct request *request, const struct cc_option *option,
                  const char *word, const char *value)
{
    const char *name = strcmp(option->name, "--std") == 0 ? "-std" : option->name;
    const char *whole = !value             ? word
                        : strlen(name) > 2 ? arena_printf(arena, "%s=%s", name, value)
                                           : arena_printf(arena, "%s%s", name, value);
    struct command *to = option->action == TO_BOTH   ? &request->both
                         : option->action == TO_HOST ? &request->host
                                                     : &request->link;
    if (option->action == TO_OUTPUT)
        request->output = value;
    else if (option->action == TO_ARCH)
        request->cc = arch_of(value);
    else if (option->action == TO_LIBRARY)
        add_library(&request->link, arena, value);
    else if (strcmp(name, "-Xcompiler") == 0)
        add_commas(arena, &request->host, value);
    else if (strcmp(name, "-Xlinker") == 0) {
        command_add(&request->link, "-Xlinker");
        command_add(&request->link, value);
    } else if (option->value == NEXT) {
        command_add(to, name);
        command_add(to, value);
    } else if (option->action <= TO_LINK)
        command_add(to, whole);
    else
        set_flag(request, option->action);
    request->has_level |= strcmp(name, "-O") == 0;
    if (strcmp(name, "-fopenmp") == 0)
        command_add(&request->link, "-fopenmp");
    if (strcmp(name, "-pthread") == 0)
        command_add(&request->link, "-pthread");
}

// The value of the option at words[*i], which moves on where it stands in the next word; "" where it is
// missing.
static const char *value_of(const struct cc_option *option, int argc, char **argv, int *i)
{
    const char *rest = argv[*i] + strlen(option->name);
    if (option->value == NO_VALUE || option->value == PREFIX)
        return NULL;
    if (option->value != NEXT && (*rest || option->value == JOINED))
        return *rest == '=' && strlen(option->name) > 2 ? rest + 1 : rest;
    return *i + 1 < argc ? argv[++*i] : "";
}

static int read_words(struct arena *arena, struct request *request, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1]) {
            command_add(&request->inputs, argv[i]);
            continue;
        }
        const char *word = argv[i];
        const struct cc_option *option = find_option(word);
        if (!option)
            return usage_error("cc", "unknown option '%s'; words for the host compiler follow -Xcompiler",
                               word);
        if (option->action == SET_REFUSED && !strstr(word, "false"))
            return usage_error("cc", "%s: clang 14 cannot link device code of several files", word);
        const char *value = value_of(option, argc, argv, &i);
        if (value && !*value && option->value != JOINED)
            return usage_error("cc", "%s: the value is missing", word);
        apply(arena, request, option, word, value);
    }
    return OPTIONS_GO;
}

static void print_help(void)
{
    puts("usage: warpglass cc FILE.cu... [-o a.out]\n\n"
         "Compiles CUDA programs with clang alone, no NVIDIA software: run them with 'warpglass run "
         "./a.out'. Files may be\n"
         ".cu, .cpp, .c, .o, .a and .so. The program needs libcudart.so.13, which 'warpglass run' brings "
         "along; no path to\n"
         "it is built in, so that the program also runs where NVIDIA's is.\n\noptions:");
    for (const struct cc_option *option = options; option < options + N_OPTIONS; option++)
        if (option->text) {
            int n = printf("  %s%s", option->name, option->argument);
            printf("%*s%s\n", n < 24 ? 24 - n : 1, "", option->text);
        }
    puts("  -f..., -m..., -W...   as clang has them; options of nvcc that mean nothing here are accepted");
}

// ---- one file -------------------------------------------------------------------------------------------

struct build {
    struct arena *arena;
    struct toolchain tools;
    const struct request *request;
    const char *clang;
};

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot : "";
}

// The file's name without folder and ending, with another ending.
static const char *sibling(struct arena *arena, const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return arena_printf(arena, "%.*s%s", (int)(strlen(name) - strlen(ending_of(path))), name, ending);
}

static bool is_plain_source(const char *path)
{
    static const char *const endings[] = {".cpp", ".cc", ".cxx", ".c", ".C"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(ending_of(path), endings[i]) == 0)
            return true;
    return false;
}

static void add_standard(struct command *command, const struct request *request)
{
    for (int i = 0; i < request->both.n; i++)
        if (strncmp(request->both.at[i], "-std", 4) == 0)
            return;
    command_add(command, "-std=gnu++17");
}

static bool run_compiler(struct build *build, const struct command *command, const char *source,
                         struct err *err)
{
    struct buf messages = {0};
    bool good = toolchain_run(&build->tools, command, "clang", &messages, err);
    if (!good)
        cc_explain(source, messages.at ? messages.at : "", err);
    buf_release(&messages);
    return good;
}

static bool compile_device(struct build *build, const char *source, const char *ptx, struct err *err)
{
    struct command command = {0};
    struct buf text = {0};
    command_add(&command, build->clang);
    command_add_cuda(&command, &build->tools, build->request->cc);
    command_add_device(&command);
    if (!build->request->ptx_only)
        command_add(&command, "-w"); // the host pass says the same
    add_standard(&command, build->request);
    command_add_all(&command, &build->request->both);
    command_add(&command, source);
    command_add(&command, "-o");
    command_add(&command, ptx);
    bool good = run_compiler(build, &command, source, err) && buf_read_file(&text, ptx, err) &&
                cc_check_ptx(source, text.at, text.n, err);
    buf_release(&text);
    return good;
}

static void add_host_words(struct build *build, struct command *command, const char *source,
                           const char *object)
{
    // At -O2 clang 14 gets some loops over tables wrong, x[i] = y[i] ^ y[i * 7 & 31] for one.
    if (!build->request->has_level)
        command_add(command, "-O1");
    if (build->request->debug)
        command_add(command, "-g");
    command_add_all(command, &build->request->both);
    command_add_all(command, &build->request->host);
    command_add(command, "-c");
    command_add(command, source);
    command_add(command, "-o");
    command_add(command, object);
}

static bool compile_host(struct build *build, const char *source, const char *ptx, const char *object,
                         struct err *err)
{
    struct command command = {0};
    command_add(&command, build->clang);
    command_add_cuda(&command, &build->tools, build->request->cc);
    command_add(&command, "--cuda-host-only");
    command_add(&command, "-Xclang");
    command_add(&command, "-fcuda-include-gpubinary");
    command_add(&command, "-Xclang");
    command_add(&command, ptx);
    add_standard(&command, build->request);
    add_host_words(build, &command, source, object);
    return run_compiler(build, &command, source, err);
}

static bool compile_plain(struct build *build, const char *source, const char *object, struct err *err)
{
    struct command command = {0};
    command_add(&command, build->clang);
    command_add(&command, "-isystem");
    command_add(&command, build->tools.headers);
    if (strcmp(ending_of(source), ".c") != 0)
        add_standard(&command, build->request);
    add_host_words(build, &command, source, object);
    return run_compiler(build, &command, source, err);
}

static bool compile_cu(struct build *build, const char *source, const char *object, struct err *err)
{
    const struct request *request = build->request;
    const char *kept = request->keep ? sibling(build->arena, source, ".ptx") : NULL;
    const char *ptx = request->ptx_only ? request->output ? request->output : "/dev/stdout" : kept;
    if (request->ptx_only) {
        const char *text = arena_printf(build->arena, "%s/text.ptx", build->tools.folder);
        struct buf bytes = {0};
        bool good = compile_device(build, source, text, err) && buf_read_file(&bytes, text, err);
        FILE *out = !good ? NULL : request->output ? fopen(ptx, "w") : stdout;
        if (good && (!out || fwrite(bytes.at, 1, bytes.n, out) != bytes.n || fflush(out) != 0))
            good = err_set(err, "cannot write %s: %s", ptx, strerror(errno));
        if (out && out != stdout)
            fclose(out);
        buf_release(&bytes);
        return good;
    }
    if (!ptx)
        ptx = arena_printf(build->arena, "%s/%s", build->tools.folder, sibling(build->arena, source, ".ptx"));
    return compile_device(build, source, ptx, err) && compile_host(build, source, ptx, object, err);
}

// Compiles what is a source; `object` becomes what the linker gets of the file.
static bool compile_input(struct build *build, int index, const char **object, struct err *err)
{
    const char *source = build->request->inputs.at[index], *ending = ending_of(source);
    bool is_cuda = strcmp(ending, ".cu") == 0;
    if (access(source, R_OK) != 0)
        return err_set(err, "cannot read %s: %s", source, strerror(errno));
    *object = source;
    if (!is_cuda && !is_plain_source(source))
        return true;
    *object = !build->request->compile_only
                  ? arena_printf(build->arena, "%s/%d.o", build->tools.folder, index)
              : build->request->output ? build->request->output
                                       : sibling(build->arena, source, ".o");
    return is_cuda ? compile_cu(build, source, *object, err) : compile_plain(build, source, *object, err);
}

// ---- the program ----------------------------------------------------------------------------------------

// The folder of our libcudart: lib/ beside the program in a build folder, ../lib/warpglass where it is
// installed.
static const char *library_folder(struct arena *arena, struct err *err)
{
    static const char *const places[] = {"lib", "../lib/warpglass"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *folder = arena_printf(arena, "%s/%s", self, places[i]);
        if (access(arena_printf(arena, "%s/%s", folder, runtime_library), R_OK) == 0)
            return folder;
    }
    err_set(err, "%s is neither in %s/lib nor in %s/../lib/warpglass: is warpglass installed?",
            runtime_library, self, self);
    return NULL;
}

static bool link_program(struct build *build, const struct command *objects, struct err *err)
{
    struct command command = {0};
    const char *folder = library_folder(build->arena, err);
    if (!folder)
        return false;
    command_add(&command, build->clang);
    command_add(&command, "--driver-mode=g++");
    command_add_all(&command, objects);
    command_add(&command, arena_printf(build->arena, "-L%s", folder));
    command_add(&command, arena_printf(build->arena, "-Wl,-rpath-link,%s", folder));
    command_add_all(&command, &build->request->link);
    command_add(&command, arena_printf(build->arena, "-l:%s", runtime_library));
    command_add(&command, "-o");
    command_add(&command, build->request->output ? build->request->output : "a.out");
    if (toolchain_run(&build->tools, &command, "clang", NULL, err))
        return true;
    *err = (struct err){0};
    return err_set(err, "the linker could not make the program (its messages are above)");
}

static bool build_all(struct build *build, struct err *err)
{
    const struct request *request = build->request;
    struct command objects = {0};
    build->clang = find_clang(build->arena);
    if (!build->clang)
        return err_set(err, "clang is not installed; on Debian 'apt-get install clang' brings it");
    if (!toolchain_open(&build->tools, build->arena, err) || !toolchain_write_headers(&build->tools, err))
        return false;
    build->tools.is_verbose = request->verbose;
    for (int i = 0; i < request->inputs.n; i++) {
        const char *object = NULL;
        if (!compile_input(build, i, &object, err))
            return false;
        command_add(&objects, object);
    }
    return request->compile_only || request->ptx_only || link_program(build, &objects, err);
}

static int check(const struct request *request)
{
    bool stops_early = request->compile_only || request->ptx_only;
    if (request->inputs.n == 0)
        return usage_error("cc", "expected sources: FILE.cu...");
    if (request->inputs.n > 1 && stops_early && request->output)
        return usage_error("cc", "-o names one file, and there are %d sources", request->inputs.n);
    if (request->inputs.n > MAX_WORDS)
        return usage_error("cc", "at most %d files", MAX_WORDS);
    return OPTIONS_GO;
}

int cmd_cc(int argc, char **argv)
{
    struct arena arena;
    struct err err = {0};
    struct request request = {.cc = CLANG_CC};
    arena_init(&arena, "cc");
    int status = read_words(&arena, &request, argc, argv);
    if (status == OPTIONS_GO && request.wants_help) {
        print_help();
        status = 0;
    }
    if (status == OPTIONS_GO)
        status = check(&request);
    if (status == OPTIONS_GO) {
        struct build build = {.arena = &arena, .request = &request};
        status = build_all(&build, &err) ? 0 : EXIT_INPUT;
        toolchain_close(&build.tools);
    }
    if (err.set)
        err_print(&err, stderr);
    arena_release(&arena);
    return status;
}
