// Near jumps and trampolines for x86-64 (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2).
#include "rt/patch.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

// ---- pages --------------------------------------------------------------------------------------------------------

// At exactly that address, or NULL. Kernels before 4.17 take it for a wish.
static uint8_t *map_at(uintptr_t address, size_t size_bytes)
{
    void *wanted = (void *)address; // NOLINT(performance-no-int-to-ptr): an address by number is what is asked for
    void *at = mmap(wanted, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (at == wanted)
        return at;
    munmap(at, size_bytes);
    return NULL;
}

// Below first: above a program without a fixed place lies its heap.
uint8_t *patch_pages(uintptr_t low, uintptr_t high, size_t size_bytes)
{
    const uintptr_t reach = (uintptr_t)INT32_MAX - 65536, step = 65536, lowest = 65536; // bytes
    uintptr_t size = (size_bytes + page_bytes() - 1) & ~(uintptr_t)(page_bytes() - 1);
    uintptr_t bottom = high > reach + lowest ? high - reach : lowest;
    uintptr_t start = low & ~(step - 1);
    for (uintptr_t at = start > size ? (start - size) & ~(step - 1) : 0; at >= bottom; at -= step) {
        uint8_t *page = map_at(at, size);
        if (page)
            return page;
    }
    for (uintptr_t at = (high + step) & ~(step - 1); at + size < low + reach; at += step) {
        uint8_t *page = map_at(at, size);
        if (page)
            return page;
    }
    return NULL;
}

static bool protect(uintptr_t low, uintptr_t high, int protection)
{
    uintptr_t mask = ~(uintptr_t)(page_bytes() - 1), first = low & mask;
    return mprotect((void *)first, ((high + ~mask) & mask) - first, protection) == 0; // NOLINT(performance-no-int-to-ptr)
}

bool patch_unlock(uintptr_t low, uintptr_t high)
{
    return protect(low, high, PROT_READ | PROT_WRITE);
}

bool patch_lock(uintptr_t low, uintptr_t high)
{
    return protect(low, high, PROT_READ | PROT_EXEC);
}

// ---- code ---------------------------------------------------------------------------------------------------------

enum { RET = 0xc3, JMP_NEAR = 0xe9, NOP = 0x90 };

void patch_jump(uint8_t *at, const uint8_t *to)
{
    int32_t distance = (int32_t)(to - (at + PATCH_JUMP_BYTES));
    at[0] = JMP_NEAR;
    memcpy(at + 1, &distance, sizeof distance);
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t n)
{
    memcpy(at, bytes, n);
    return at + n;
}

void patch_trampoline(uint8_t *at, void (*body)(void), const char *name)
{
    static const uint8_t mov_rdi[] = {0x48, 0xbf}, mov_rax[] = {0x48, 0xb8}, jmp_rax[] = {0xff, 0xe0};
    static const uint8_t jmp_next_word[] = {0xff, 0x25, 0, 0, 0, 0};
    if (name) { // rax is free at a call without variable arguments
        at = put(at, mov_rdi, sizeof mov_rdi);
        at = put(at, &name, sizeof name);
        at = put(at, mov_rax, sizeof mov_rax);
        at = put(at, &body, sizeof body);
        put(at, jmp_rax, sizeof jmp_rax);
        return;
    }
    at = put(at, jmp_next_word, sizeof jmp_next_word); // changes no register
    put(at, &body, sizeof body);
}

// ret, then padding: the forms of nop, or int3.
bool patch_is_empty_function(const uint8_t *code)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (memcmp(code, endbr64, sizeof endbr64) == 0)
        return code[sizeof endbr64] == RET;
    static const uint8_t padding[] = {0x66, 0x0f, NOP, 0xcc, 0x2e};
    return code[0] == RET && ((uintptr_t)code & 15) == 0 && memchr(padding, code[1], sizeof padding);
}
