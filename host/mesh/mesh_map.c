/* mesh_map.c -- numbers by tag. */
#include "host/mesh/mesh_parts.h"

#include <stdlib.h>

/* Fibonacci hashing (Knuth, TAOCP vol. 3, 6.4), the high half folded in. */
static size_t slot_of(const pio_tag_map *map, int64_t key)
{
    const uint64_t h = (uint64_t)key * 0x9e3779b97f4a7c15ULL;
    return (size_t)(h ^ (h >> 32)) & (map->room - 1);
}

/* Returns the slot that holds the key, or the free one where it would be stored. */
static size_t find_slot(const pio_tag_map *map, int64_t key)
{
    size_t i = slot_of(map, key);
    while (map->value[i] >= 0 && map->key[i] != key) i = (i + 1) & (map->room - 1);
    return i;
}

int32_t pio_tag_find_hashed(const pio_tag_map *map, int64_t key)
{
    return map->room ? map->value[find_slot(map, key)] : -1;
}

static bool resize(pio_tag_map *map, size_t room)
{
    pio_tag_map larger = {.room = room, .n = map->n};
    larger.key = malloc(room * sizeof *larger.key);
    larger.value = malloc(room * sizeof *larger.value);
    if (!larger.key || !larger.value) {
        free(larger.key);
        free(larger.value);
        return false;
    }
    for (size_t i = 0; i < room; i++) larger.value[i] = -1;
    for (size_t i = 0; i < map->room; i++) {
        if (map->value[i] < 0) continue;
        const size_t at = find_slot(&larger, map->key[i]);
        larger.key[at] = map->key[i];
        larger.value[at] = map->value[i];
    }
    larger.n_direct = map->n_direct;
    larger.direct = map->direct;
    free(map->key);
    free(map->value);
    *map = larger;
    return true;
}

bool pio_tag_reserve(pio_tag_map *map, size_t n)
{
    map->direct = calloc(2 * n + 1, sizeof *map->direct);
    if (map->direct) map->n_direct = 2 * n + 1;
    return map->direct != NULL;
}

/* Makes room for n keys that are hashed. */
static bool grow(pio_tag_map *map, size_t n)
{
    size_t room = map->room ? map->room : 16;
    while (room / 2 < n) room *= 2;
    return room == map->room || resize(map, room);
}

bool pio_tag_add(pio_tag_map *map, int64_t key, int32_t value)
{
    if ((uint64_t)key < map->n_direct) {
        map->direct[key] = value + 1;
        return true;
    }
    if (!grow(map, map->n + 1)) return false;
    const size_t at = find_slot(map, key);
    map->key[at] = key;
    map->value[at] = value;
    map->n++;
    return true;
}

void pio_tag_free(pio_tag_map *map)
{
    free(map->key);
    free(map->value);
    free(map->direct);
    *map = (pio_tag_map){0};
}

int64_t pio_tag_key(int dimension, int32_t tag)
{
    return (int64_t)dimension * 4294967296 + (int64_t)(uint32_t)tag;
}
