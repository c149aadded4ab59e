// The functions of streams and graphs whose parameters differ between CUDA 11, 12 and 13, called as a program of that major
// calls them. Usage: majors LIBRARY MAJOR; prints what is wrong, status 1.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*function)();
static void *library;
static int n_wrong;

static function of(const char *name)
{
    function f;
    *(void **)&f = dlsym(library, name);
    if (!f) {
        printf("%s is missing\n", name);
        exit(1);
    }
    return f;
}

static void expect(int is_right, const char *what)
{
    if (!is_right)
        printf("wrong: %s\n", what);
    n_wrong += !is_right;
}

struct edge {
    unsigned char from_port, to_port, type, reserved[5];
};
struct update {
    int result;
    void *node, *from;
};

static void *graph, *nodes[2], *exec;

static void make_graph(void)
{
    of("cudaGraphCreate")(&graph, 0u);
    of("cudaGraphAddEmptyNode")(&nodes[0], graph, NULL, (size_t)0);
    of("cudaGraphAddEmptyNode")(&nodes[1], graph, NULL, (size_t)0);
}

static void check_11(void)
{
    char log[4] = "xxx";
    int result = 9;
    void *node = &log;
    expect(of("cudaGraphInstantiate")(&exec, graph, &node, log, sizeof log) == 0 && !node && !*log,
           "cudaGraphInstantiate with a log");
    node = &log;
    expect(of("cudaGraphExecUpdate")(exec, graph, &node, &result) == 0 && result == 0 && !node,
           "cudaGraphExecUpdate with two results");
    expect(!dlsym(library, "cudaGraphAddNode"), "11 has no cudaGraphAddNode");
}

static void check_from_12(void)
{
    struct update info = {9, &info, &info};
    expect(of("cudaGraphInstantiate")(&exec, graph, 0x100ull) == 1, "cudaGraphInstantiate with wrong flags");
    expect(of("cudaGraphInstantiate")(&exec, graph, 0ull) == 0, "cudaGraphInstantiate with flags");
    expect(of("cudaGraphExecUpdate")(exec, graph, &info) == 0 && info.result == 0 && !info.node,
           "cudaGraphExecUpdate with a structure");
}

// Edges without data under the plain names.
static void check_before_13(void)
{
    void *from[2] = {0}, *to[2] = {0}, *s = NULL;
    int status = 9;
    unsigned long long id = 0;
    size_t n = 2;
    expect(of("cudaGraphAddDependencies")(graph, &nodes[0], &nodes[1], (size_t)1) == 0, "cudaGraphAddDependencies");
    expect(of("cudaGraphGetEdges")(graph, from, to, &n) == 0 && n == 1 && from[0] == nodes[0] && to[0] == nodes[1],
           "cudaGraphGetEdges");
    n = 2;
    expect(of("cudaGraphNodeGetDependencies")(nodes[1], from, &n) == 0 && n == 1, "cudaGraphNodeGetDependencies");
    n = 2;
    expect(of("cudaGraphNodeGetDependentNodes")(nodes[0], to, &n) == 0 && n == 1, "cudaGraphNodeGetDependentNodes");
    expect(of("cudaGraphRemoveDependencies")(graph, &nodes[0], &nodes[1], (size_t)1) == 0,
           "cudaGraphRemoveDependencies");
    of("cudaStreamCreate")(&s);
    of("cudaStreamBeginCapture")(s, 0);
    expect(of("cudaStreamGetCaptureInfo")(s, &status, &id) == 0 && status == 1 && id, "cudaStreamGetCaptureInfo");
    void *captured = NULL, *const *leaves = NULL;
    n = 9;
    expect(of("cudaStreamGetCaptureInfo_v2")(s, &status, &id, &captured, &leaves, &n) == 0 && captured && n == 0,
           "cudaStreamGetCaptureInfo_v2");
    of("cudaGraphAddEmptyNode")(&from[0], captured, NULL, (size_t)0);
    expect(of("cudaStreamUpdateCaptureDependencies")(s, from, (size_t)1, 1u) == 0,
           "cudaStreamUpdateCaptureDependencies");
    of("cudaStreamEndCapture")(s, &captured);
}

// Edges with data under names that end in `suffix`.
static void check_data(const char *suffix, const char *info_suffix)
{
    char name[64];
    void *from[2] = {0}, *to[2] = {0}, *s = NULL, *captured = NULL, *const *leaves = NULL;
    struct edge edge = {.type = 1}, told[2] = {{0}}, *edges = NULL;
    int status = 9;
    unsigned long long id = 0;
    size_t n = 2;
    snprintf(name, sizeof name, "cudaGraphAddDependencies%s", suffix);
    expect(of(name)(graph, &nodes[0], &nodes[1], &edge, (size_t)1) == 0, name);
    snprintf(name, sizeof name, "cudaGraphGetEdges%s", suffix);
    expect(of(name)(graph, from, to, told, &n) == 0 && n == 1 && to[0] == nodes[1] && told[0].type == 1, name);
    n = 2;
    snprintf(name, sizeof name, "cudaGraphNodeGetDependencies%s", suffix);
    expect(of(name)(nodes[1], from, told, &n) == 0 && n == 1, name);
    n = 2;
    snprintf(name, sizeof name, "cudaGraphNodeGetDependentNodes%s", suffix);
    expect(of(name)(nodes[0], to, told, &n) == 0 && n == 1, name);
    snprintf(name, sizeof name, "cudaGraphRemoveDependencies%s", suffix);
    expect(of(name)(graph, &nodes[0], &nodes[1], &edge, (size_t)1) == 0, name);
    of("cudaStreamCreate")(&s);
    of("cudaStreamBeginCapture")(s, 0);
    n = 9;
    snprintf(name, sizeof name, "cudaStreamGetCaptureInfo%s", info_suffix);
    expect(of(name)(s, &status, &id, &captured, &leaves, &edges, &n) == 0 && status == 1 && n == 0 && edges, name);
    of("cudaGraphAddEmptyNode")(&from[0], captured, NULL, (size_t)0);
    snprintf(name, sizeof name, "cudaStreamUpdateCaptureDependencies%s", suffix);
    expect(of(name)(s, from, NULL, (size_t)1, 1u) == 0, name);
    of("cudaStreamEndCapture")(s, &captured);
    expect(captured != NULL, "cudaStreamEndCapture");
}

int main(int argc, char **argv)
{
    int major = argc == 3 ? atoi(argv[2]) : 0;
    library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        printf("%s\n", argc == 3 ? dlerror() : "usage: majors LIBRARY MAJOR");
        return 1;
    }
    make_graph();
    if (major == 11)
        check_11();
    else
        check_from_12();
    if (major < 13)
        check_before_13();
    if (major == 12)
        check_data("_v2", "_v3");
    if (major == 13)
        check_data("", "");
    return n_wrong != 0;
}
