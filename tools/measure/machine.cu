// Runs single machine instructions on a GPU: the code of each case takes the place of kernel `k` of a cubin.
//
//     machine CUBIN CASES RESULTS SECONDS
//
// CASES: see write_cases of tests/op/machine.c. RESULTS: for each case a word (1: it ran, 2: it did not, 0: not reached),
// then three words for each of 32 samples. Cases run in child processes, as an illegal instruction ends its process.
#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

enum { SAMPLES = 32, INPUTS = 10, OUTPUTS = 3, OUT_WORDS = 1 + SAMPLES * OUTPUTS };

struct Case {
    uint64_t words[2];
    uint32_t blocks, n_code;
    const uint8_t *code;
    const uint32_t *in;
};

static double now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static std::vector<uint8_t> read_file(const char *path)
{
    std::vector<uint8_t> bytes;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    bytes.resize(ftell(file));
    rewind(file);
    if (fread(bytes.data(), 1, bytes.size(), file) != bytes.size())
        exit(2);
    fclose(file);
    return bytes;
}

template <typename T> static T at(const std::vector<uint8_t> &bytes, size_t offset)
{
    T value;
    memcpy(&value, &bytes[offset], sizeof value);
    return value;
}

// Section .text.k of an ELF file.
static void find_code(const std::vector<uint8_t> &elf, size_t *offset, size_t *size)
{
    const uint64_t headers = at<uint64_t>(elf, 0x28);
    const uint16_t n = at<uint16_t>(elf, 0x3c), names = at<uint16_t>(elf, 0x3e);
    const uint64_t strings = at<uint64_t>(elf, headers + 64 * names + 24);
    for (int i = 0; i < n; i++) {
        const size_t header = headers + 64 * i;
        if (!strcmp((const char *)&elf[strings + at<uint32_t>(elf, header)], ".text.k")) {
            *offset = at<uint64_t>(elf, header + 24);
            *size = at<uint64_t>(elf, header + 32);
        }
    }
}

#define CHECK(call)                                      \
    do {                                                 \
        CUresult result_ = (call);                       \
        if (result_) {                                   \
            const char *name_ = "";                      \
            cuGetErrorName(result_, &name_);             \
            fprintf(stderr, "%s: %s\n", #call, name_);   \
            _exit(3);                                    \
        }                                                \
    } while (0)

static void run(const Case &c, std::vector<uint8_t> image, CUdeviceptr in, CUdeviceptr out, uint32_t *answer)
{
    const uint64_t nop[2] = {0x7918, 0x000fc00000000000ull};
    size_t offset = 0, size = 0;
    find_code(image, &offset, &size);
    if (c.n_code > size) {
        fprintf(stderr, "the kernel has no room for %u bytes\n", c.n_code);
        _exit(4);
    }
    for (size_t i = 0; i < size; i += sizeof nop)
        memcpy(&image[offset + i], nop, sizeof nop);
    memcpy(&image[offset], c.code, c.n_code);
    CUmodule module;
    CUfunction function;
    CHECK(cuModuleLoadData(&module, image.data()));
    CHECK(cuModuleGetFunction(&function, module, "k"));
    CHECK(cuMemcpyHtoD(in, c.in, 4 * INPUTS * SAMPLES));
    CHECK(cuMemsetD32(out, 0xdeadbeef, OUTPUTS * SAMPLES));
    void *args[] = {&in, &out};
    CHECK(cuLaunchKernel(function, c.blocks, 1, 1, 32, 1, 1, 0, 0, args, 0));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(answer + 1, out, 4 * OUTPUTS * SAMPLES));
    CHECK(cuModuleUnload(module));
    answer[0] = 1;
}

static void run_rest(const std::vector<Case> &cases, const std::vector<uint8_t> &image, volatile uint32_t *next, uint32_t *out,
                     double end)
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr in, result;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuMemAlloc(&in, 4 * INPUTS * SAMPLES));
    CHECK(cuMemAlloc(&result, 4 * OUTPUTS * SAMPLES));
    for (; *next < cases.size() && now() < end; *next = *next + 1)
        run(cases[*next], image, in, result, out + (size_t)*next * OUT_WORDS);
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const double end = now() + atof(argv[4]);
    const std::vector<uint8_t> image = read_file(argv[1]), file = read_file(argv[2]);
    std::vector<Case> cases(at<uint32_t>(file, 0));
    size_t offset = 4;
    for (Case &c : cases) {
        memcpy(c.words, &file[offset], 16);
        c.blocks = at<uint32_t>(file, offset + 16);
        c.n_code = at<uint32_t>(file, offset + 20);
        c.code = &file[offset + 24];
        c.in = (const uint32_t *)(c.code + c.n_code);
        offset += 24 + c.n_code + 4 * INPUTS * SAMPLES;
    }
    const size_t bytes = cases.size() * OUT_WORDS * 4 + 4096;
    uint32_t *out = (uint32_t *)mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    volatile uint32_t *next = out + cases.size() * OUT_WORDS; // shared with the children: the case in work
    uint32_t n_failed = 0;
    while (*next < cases.size() && now() < end) {
        const pid_t child = fork();
        if (child == 0)
            run_rest(cases, image, next, out, end);
        int status;
        waitpid(child, &status, 0);
        if (*next < cases.size() && now() < end) {
            const Case &c = cases[*next];
            printf("refused: %016llx %011llx\n", (unsigned long long)c.words[0], (unsigned long long)c.words[1]);
            out[(size_t)*next * OUT_WORDS] = 2;
            n_failed++;
            *next = *next + 1;
        }
    }
    FILE *results = fopen(argv[3], "wb");
    fwrite(out, 4, cases.size() * OUT_WORDS, results);
    fclose(results);
    printf("%u of %zu cases reached, %u refused\n", *next, cases.size(), n_failed);
    return 0;
}
