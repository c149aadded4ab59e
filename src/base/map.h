// Map from strings to pointers; iteration is in insertion order, so results never depend on hashing.
//
//     struct map m = {0};
//     map_set(&m, "x", length, value);
//     void *v = map_get(&m, "x", 1);       // NULL when absent
//     for (size_t i = 0; i < m.n; i++) use(m.entries[i].key, m.entries[i].value);
#ifndef BASE_MAP_H
#define BASE_MAP_H
#include <stddef.h>
#include <stdint.h>

struct map_entry {
    const char *key; // borrowed from the caller: must outlive the map
    uint32_t key_length, hash;
    void *value;
};

struct map {
    struct map_entry *entries;
    size_t n, capacity;
    uint32_t *slots; // index + 1 into entries; 0 = empty
    size_t n_slots;
};

void *map_get(const struct map *map, const char *key, size_t key_length);
void map_set(struct map *map, const char *key, size_t key_length, void *value); // replaces
void map_release(struct map *map);
uint32_t hash_bytes(const void *bytes, size_t n); // FNV-1a, 32 bits

// The candidate closest to `name` by edit distance (at most a third of its length), or NULL: "did you mean".
const char *nearest_name(const char *name, const char *const *candidates, size_t n);
#endif
