// String map: entries in insertion order, beside an open-addressed table of indices. Also spelling help.
#include "base/map.h"
#include "base/err.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint32_t hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash;
}

// The slot that holds the key, or the empty one where it belongs. The table is never full.
static size_t find_slot(const struct map *map, const char *key, size_t key_length, uint32_t hash)
{
    size_t slot = hash & (map->n_slots - 1);
    for (; map->slots[slot]; slot = (slot + 1) & (map->n_slots - 1)) {
        const struct map_entry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->hash == hash && entry->key_length == key_length &&
            memcmp(entry->key, key, key_length) == 0)
            break;
    }
    return slot;
}

// At most half of the slots are taken.
static void grow_slots(struct map *map)
{
    size_t n_slots = map->n_slots ? map->n_slots * 2 : 16;
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        err_memory("a map", n_slots * sizeof *slots);
    free(map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    for (size_t i = 0; i < map->n; i++) {
        size_t slot = map->entries[i].hash & (n_slots - 1);
        while (slots[slot])
            slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (uint32_t)i + 1;
    }
}

void *map_get(const struct map *map, const char *key, size_t key_length)
{
    if (map->n == 0)
        return NULL;
    uint32_t index = map->slots[find_slot(map, key, key_length, hash_bytes(key, key_length))];
    return index ? map->entries[index - 1].value : NULL;
}

void map_set(struct map *map, const char *key, size_t key_length, void *value)
{
    if (key_length >= UINT32_MAX || map->n >= UINT32_MAX - 1)
        err_memory("a map", key_length);
    if (2 * (map->n + 1) > map->n_slots)
        grow_slots(map);
    uint32_t hash = hash_bytes(key, key_length);
    size_t slot = find_slot(map, key, key_length, hash);
    if (map->slots[slot]) {
        map->entries[map->slots[slot] - 1].value = value;
        return;
    }
    if (map->n == map->capacity)
        map->entries = vec_grow(map->entries, &map->capacity, map->n + 1, sizeof *map->entries);
    map->entries[map->n++] = (struct map_entry){key, (uint32_t)key_length, hash, value};
    map->slots[slot] = (uint32_t)map->n;
}

void map_release(struct map *map)
{
    free(map->entries);
    free(map->slots);
    *map = (struct map){0};
}

enum { MAX_NAME = 64 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), three rows at a
// time.
static unsigned edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    unsigned rows[3][MAX_NAME + 1];
    for (size_t j = 0; j <= n_b; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n_a; i++) {
        unsigned *now = rows[i % 3], *before = rows[(i - 1) % 3], *before2 = rows[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= n_b; j++) {
            now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && before2[j - 2] + 1 < now[j])
                now[j] = before2[j - 2] + 1;
        }
    }
    return rows[n_a % 3][n_b];
}

const char *nearest_name(const char *name, const char *const *candidates, size_t n)
{
    size_t length = strlen(name);
    if (length > MAX_NAME)
        return NULL;
    const char *best = NULL;
    unsigned best_distance = (unsigned)length / 3 + 1; // names of one or two letters have no neighbours
    for (size_t i = 0; i < n; i++) {
        size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > MAX_NAME)
            continue;
        unsigned distance = edit_distance(name, length, candidates[i], candidate_length);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}
