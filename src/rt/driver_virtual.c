// cuMemCreate, cuMemMap …: memory and addresses apart. A reservation is a range of guest addresses with as much of the host's
// address space behind it; mapping memory shows a file's pages there, so that what was written stays when it is mapped
// elsewhere. The guest can use a mapping once cuMemSetAccess allows it.
#include "rt/driver.h"
#include "isa/kernel.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESERVATION_BASE 0x0000980000000000ull // above the device, below the windows of mem/memory.h
enum { GRANULARITY_BYTES = 2 << 20 };          // of sizes and addresses, as on every device since capability 6.0

struct physical { // what cuMemCreate returns
    struct physical *next;
    uint64_t size_bytes;
    int file;
    unsigned n_uses, n_mappings; // handles given out; places where it is mapped
    struct CUmemAllocationProp prop;
};

struct reservation {
    struct reservation *next;
    uint64_t address, size_bytes;
    uint8_t *host;
};

struct mapping {
    struct mapping *next;
    struct physical *physical;
    uint64_t address, size_bytes;
    uint8_t *host;
    enum cudaMemAccessFlags access;
    struct allocation allocation; // what pointer queries find
};

struct virtual_memory {
    struct physical *physicals;
    struct reservation *reservations;
    struct mapping *mappings;
    uint64_t next_address;
};

static struct virtual_memory *virtual_of(struct rt *rt)
{
    struct driver *driver = driver_state(rt);
    if (!driver->virtual) {
        driver->virtual = arena_new(&rt->arena, struct virtual_memory);
        driver->virtual->next_address = RESERVATION_BASE;
    }
    return driver->virtual;
}

static bool is_granular(uint64_t value)
{
    return value % GRANULARITY_BYTES == 0;
}

static void *new_record(size_t bytes)
{
    void *record = calloc(1, bytes);
    if (!record)
        err_memory("virtual memory", bytes);
    return record;
}

// ---- memory ----------------------------------------------------------------------------------------------------------

static cudaError_t check_prop(const struct CUmemAllocationProp *prop)
{
    if (!prop || prop->type != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (prop->requestedHandleTypes != cudaMemHandleTypeNone)
        return cudaErrorNotSupported; // nothing leaves the process
    if (prop->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    return prop->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

CUresult wg_cuMemGetAllocationGranularity(size_t *bytes, const struct CUmemAllocationProp *prop, int option)
{
    (void)option; // minimum and recommendation are the same
    if (bytes)
        *bytes = GRANULARITY_BYTES;
    return DRIVER_INIT_CALL(rt, bytes ? check_prop(prop) : cudaErrorInvalidValue);
}

static struct physical *physical_of(struct rt *rt, unsigned long long handle)
{
    for (struct physical *p = virtual_of(rt)->physicals; p; p = p->next)
        if ((uintptr_t)p == handle)
            return p->n_uses ? p : NULL;
    return NULL;
}

static cudaError_t create(struct rt *rt, unsigned long long *out, size_t size_bytes,
                          const struct CUmemAllocationProp *prop, unsigned long long flags)
{
    size_t free_bytes, total_bytes;
    cudaError_t error = check_prop(prop);
    if (error)
        return error;
    if (!out || size_bytes == 0 || !is_granular(size_bytes) || flags)
        return cudaErrorInvalidValue;
    memory_info(rt, &free_bytes, &total_bytes);
    int file = size_bytes <= free_bytes ? memfd_create("device memory", MFD_CLOEXEC) : -1;
    if (file < 0 || ftruncate(file, (off_t)size_bytes) < 0) {
        if (file >= 0)
            close(file);
        return cudaErrorMemoryAllocation;
    }
    struct physical *physical = new_record(sizeof *physical);
    *physical = (struct physical){
        .next = virtual_of(rt)->physicals, .size_bytes = size_bytes, .file = file, .n_uses = 1, .prop = *prop};
    virtual_of(rt)->physicals = physical;
    memory_state(rt)->large_bytes += size_bytes;
    *out = (uintptr_t)physical;
    return cudaSuccess;
}

CUresult wg_cuMemCreate(unsigned long long *out, size_t size_bytes, const struct CUmemAllocationProp *prop,
                        unsigned long long flags)
{
    return DRIVER_CALL(rt, create(rt, out, size_bytes, prop, flags));
}

// Memory goes when neither a handle nor a mapping holds it.
static void drop_if_unused(struct rt *rt, struct physical *physical)
{
    struct physical **link = &virtual_of(rt)->physicals;
    if (physical->n_uses || physical->n_mappings)
        return;
    while (*link != physical)
        link = &(*link)->next;
    *link = physical->next;
    memory_state(rt)->large_bytes -= physical->size_bytes;
    close(physical->file);
    free(physical);
}

static cudaError_t release(struct rt *rt, unsigned long long handle)
{
    struct physical *physical = physical_of(rt, handle);
    if (!physical)
        return cudaErrorInvalidValue;
    physical->n_uses--;
    drop_if_unused(rt, physical);
    return cudaSuccess;
}

CUresult wg_cuMemRelease(unsigned long long handle)
{
    return DRIVER_CALL(rt, release(rt, handle));
}

static cudaError_t get_prop(struct rt *rt, struct CUmemAllocationProp *prop, unsigned long long handle)
{
    const struct physical *physical = physical_of(rt, handle);
    if (!prop || !physical)
        return cudaErrorInvalidValue;
    *prop = physical->prop;
    return cudaSuccess;
}

CUresult wg_cuMemGetAllocationPropertiesFromHandle(struct CUmemAllocationProp *prop, unsigned long long handle)
{
    return DRIVER_CALL(rt, get_prop(rt, prop, handle));
}

// ---- addresses -------------------------------------------------------------------------------------------------------

static cudaError_t reserve(struct rt *rt, void **out, size_t size_bytes, size_t align)
{
    struct virtual_memory *virtual = virtual_of(rt);
    uint64_t unit = align > GRANULARITY_BYTES ? align : GRANULARITY_BYTES;
    if (!out || size_bytes == 0 || !is_granular(size_bytes) || (align & (align - 1)))
        return cudaErrorInvalidValue;
    uint64_t address = (virtual->next_address + unit - 1) / unit * unit;
    if (address < virtual->next_address || size_bytes > KERNEL_CODE_WINDOW - RESERVATION_BASE ||
        address > KERNEL_CODE_WINDOW - size_bytes)
        return cudaErrorMemoryAllocation;
    void *host = mmap(NULL, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    struct reservation *reservation = new_record(sizeof *reservation);
    *reservation = (struct reservation){virtual->reservations, address, size_bytes, host};
    virtual->reservations = reservation;
    virtual->next_address = address + size_bytes + GRANULARITY_BYTES; // a gap, so that overruns fault
    *out = (void *)(uintptr_t)address;
    return cudaSuccess;
}

// The wished address is a hint.
CUresult wg_cuMemAddressReserve(void **out, size_t size_bytes, size_t align, void *wished, unsigned long long flags)
{
    (void)wished;
    return DRIVER_CALL(rt, flags ? cudaErrorInvalidValue : reserve(rt, out, size_bytes, align));
}

static bool overlaps(const struct mapping *m, uint64_t address, uint64_t size_bytes)
{
    return m->address < address + size_bytes && address < m->address + m->size_bytes;
}

static bool is_mapped(struct rt *rt, uint64_t address, uint64_t size_bytes)
{
    for (const struct mapping *m = virtual_of(rt)->mappings; m; m = m->next)
        if (overlaps(m, address, size_bytes))
            return true;
    return false;
}

static cudaError_t unreserve(struct rt *rt, uint64_t address, size_t size_bytes)
{
    struct reservation **link = &virtual_of(rt)->reservations;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    struct reservation *reservation = *link;
    if (!reservation || reservation->size_bytes != size_bytes || is_mapped(rt, address, size_bytes))
        return cudaErrorInvalidValue;
    *link = reservation->next;
    munmap(reservation->host, size_bytes);
    free(reservation);
    return cudaSuccess;
}

CUresult wg_cuMemAddressFree(void *pointer, size_t size_bytes)
{
    return DRIVER_CALL(rt, unreserve(rt, (uint64_t)(uintptr_t)pointer, size_bytes));
}

// ---- mappings --------------------------------------------------------------------------------------------------------

static const struct reservation *reservation_of(struct rt *rt, uint64_t address, uint64_t size_bytes)
{
    for (const struct reservation *r = virtual_of(rt)->reservations; r; r = r->next)
        if (address >= r->address && size_bytes <= r->size_bytes && address - r->address <= r->size_bytes - size_bytes)
            return r;
    return NULL;
}

static cudaError_t map(struct rt *rt, uint64_t address, size_t size_bytes, size_t offset, unsigned long long handle)
{
    struct virtual_memory *virtual = virtual_of(rt);
    struct physical *physical = physical_of(rt, handle);
    const struct reservation *reservation = reservation_of(rt, address, size_bytes);
    if (!physical || !reservation || size_bytes == 0 || !is_granular(address | size_bytes | offset) ||
        offset > physical->size_bytes || size_bytes > physical->size_bytes - offset ||
        is_mapped(rt, address, size_bytes))
        return cudaErrorInvalidValue;
    uint8_t *host = reservation->host + (address - reservation->address);
    if (mmap(host, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file, (off_t)offset) ==
        MAP_FAILED)
        return cudaErrorMemoryAllocation;
    struct mapping *mapping = new_record(sizeof *mapping);
    *mapping = (struct mapping){.next = virtual->mappings,
                                .physical = physical,
                                .address = address,
                                .size_bytes = size_bytes,
                                .host = host,
                                .allocation = {.kind = ALLOCATION_VIRTUAL,
                                               .size_bytes = size_bytes,
                                               .id = ++memory_state(rt)->n_made}};
    virtual->mappings = mapping;
    physical->n_mappings++;
    return cudaSuccess;
}

CUresult wg_cuMemMap(void *pointer, size_t size_bytes, size_t offset, unsigned long long handle,
                     unsigned long long flags)
{
    return DRIVER_CALL(rt, flags ? cudaErrorInvalidValue
                                 : map(rt, (uint64_t)(uintptr_t)pointer, size_bytes, offset, handle));
}

// Bytes of the range that lie in mappings which it contains as a whole. Calls that take a range must hit mappings exactly.
static uint64_t covered(struct rt *rt, uint64_t address, uint64_t size_bytes)
{
    uint64_t sum = 0;
    for (const struct mapping *m = virtual_of(rt)->mappings; m; m = m->next)
        if (m->address >= address && m->address + m->size_bytes <= address + size_bytes)
            sum += m->size_bytes;
    return sum;
}

// The guest sees a mapping or does not. Memory that may only be read is not told apart from memory that may be written.
static void allow(struct rt *rt, struct mapping *mapping, enum cudaMemAccessFlags access)
{
    if (mapping->access != cudaMemAccessFlagsProtNone)
        memory_unmap(rt->memory, mapping->address);
    mapping->access = access;
    if (access == cudaMemAccessFlagsProtNone)
        return;
    if (!memory_map(rt->memory, mapping->address, mapping->host, mapping->size_bytes, "cuMemMap"))
        BUG("mapping at 0x%llx meets another block", (unsigned long long)mapping->address);
    memory_set_owner(rt->memory, mapping->address, &mapping->allocation);
}

static cudaError_t set_access(struct rt *rt, uint64_t address, size_t size_bytes,
                              const struct cudaMemAccessDesc *list, size_t n)
{
    if (!list || n == 0 || size_bytes == 0 || covered(rt, address, size_bytes) != size_bytes)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0)
            return cudaErrorInvalidDevice;
        for (struct mapping *m = virtual_of(rt)->mappings; m; m = m->next)
            if (overlaps(m, address, size_bytes))
                allow(rt, m, list[i].flags);
    }
    return cudaSuccess;
}

CUresult wg_cuMemSetAccess(void *pointer, size_t size_bytes, const struct cudaMemAccessDesc *list, size_t n)
{
    return DRIVER_CALL(rt, set_access(rt, (uint64_t)(uintptr_t)pointer, size_bytes, list, n));
}

static struct mapping *mapping_at(struct rt *rt, uint64_t address)
{
    for (struct mapping *m = virtual_of(rt)->mappings; m; m = m->next)
        if (overlaps(m, address, 1))
            return m;
    return NULL;
}

static cudaError_t get_access(struct rt *rt, unsigned long long *flags, const struct cudaMemLocation *location,
                              uint64_t address)
{
    const struct mapping *mapping = mapping_at(rt, address);
    if (!flags || !location || !mapping)
        return cudaErrorInvalidValue;
    bool is_device = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = is_device ? mapping->access : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

CUresult wg_cuMemGetAccess(unsigned long long *flags, const struct cudaMemLocation *location, void *pointer)
{
    return DRIVER_CALL(rt, get_access(rt, flags, location, (uint64_t)(uintptr_t)pointer));
}

static cudaError_t retain(struct rt *rt, unsigned long long *out, uint64_t address)
{
    struct mapping *mapping = mapping_at(rt, address);
    if (!out || !mapping)
        return cudaErrorInvalidValue;
    mapping->physical->n_uses++;
    *out = (uintptr_t)mapping->physical;
    return cudaSuccess;
}

CUresult wg_cuMemRetainAllocationHandle(unsigned long long *out, void *pointer)
{
    return DRIVER_CALL(rt, retain(rt, out, (uint64_t)(uintptr_t)pointer));
}

static void unmap_one(struct rt *rt, struct mapping **link)
{
    struct mapping *mapping = *link;
    *link = mapping->next;
    allow(rt, mapping, cudaMemAccessFlagsProtNone);
    if (mmap(mapping->host, mapping->size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED)
        err_memory("virtual memory", mapping->size_bytes);
    mapping->physical->n_mappings--;
    drop_if_unused(rt, mapping->physical);
    free(mapping);
}

static cudaError_t unmap(struct rt *rt, uint64_t address, size_t size_bytes)
{
    if (size_bytes == 0 || covered(rt, address, size_bytes) != size_bytes)
        return cudaErrorInvalidValue;
    cudaError_t error = streams_synchronize(rt);
    for (struct mapping **link = &virtual_of(rt)->mappings; *link;)
        if (overlaps(*link, address, size_bytes))
            unmap_one(rt, link);
        else
            link = &(*link)->next;
    return error;
}

CUresult wg_cuMemUnmap(void *pointer, size_t size_bytes)
{
    return DRIVER_CALL(rt, unmap(rt, (uint64_t)(uintptr_t)pointer, size_bytes));
}
