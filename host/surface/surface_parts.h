/* surface_parts.h -- triangles as they are read, with one number for each position, which the readers of surfaces
 * share. */
#ifndef PIOLA_HOST_SURFACE_PARTS_H
#define PIOLA_HOST_SURFACE_PARTS_H

#include "host/base/byte_input.h"
#include "host/surface/surface_mesh.h"

#include <string.h>

enum { PIO_PLACES = 192 }; /* vertices that are looked up at once */

typedef struct {
    double scale;                  /* factor of the file's lengths */
    size_t n_vertices;             /* number of vertices that were read so far */
    size_t n_waiting;              /* number of the last of them, which are not looked up yet */
    double waiting[PIO_PLACES][3]; /* coordinates of those, m */
    int32_t *place;                /* [n_vertices - n_waiting] position of each vertex; NULL: its own number */
    size_t place_room;
    size_t n_places, vertex_room; /* positions; memory for them */
    double *vertex;               /* [n_places][3] m; positions are numbered in the order in which they first occur */
    size_t slots;                 /* slots of the hash table, a power of two, or 0 */
    uint64_t key[8];              /* key of the hash, which is drawn at random with the first slots */
    uint32_t *slot;               /* [slots] position + 1 with this hash or one before it; 0: none */
    size_t n_triangles, triangle_room;
    int32_t *triangle; /* [n_triangles][3] vertices */
} pio_triangles;

/* Adds a vertex; faults are in in->status. */
void pio_triangles_vertex(pio_triangles *t, pio_input *in, const double x[3]);
/* Adds a triangle of three vertices; faults are in in->status. */
void pio_triangles_add(pio_triangles *t, pio_input *in, int32_t a, int32_t b, int32_t c);

/* Reads a file, whose format follows from its contents (surface_read.c). */
void pio_triangles_read(pio_triangles *t, pio_input *in);

/* Finds the positions of n <= PIO_PLACES vertices, whose coordinates are scaled in place; vertices with equal
 * coordinates (to the bit, after scaling) have one position (surface_places.c). */
void pio_triangles_places(pio_triangles *t, pio_input *in, size_t n, double (*x)[3], int32_t *place);
/* Looks up the vertices that are waiting. */
void pio_triangles_end(pio_triangles *t, pio_input *in);
/* Adds all vertices of a file at once, x [n][3], which then belongs to *t: every position has the number of its first
 * vertex (surface_unique.c). */
void pio_triangles_whole(pio_triangles *t, pio_input *in, double *x, size_t n);
/* Makes the surface's vertices, in the order in which they first occur among the corners of triangles whose corners
 * differ; other triangles, and vertices of none, are left out. The contents of *t move to the surface or are freed.
 * Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_triangles_order(pio_triangles *t, pio_trimesh *s, piola_error *error);
/* Frees what *t holds. */
void pio_triangles_free(pio_triangles *t);

/* Checks that every edge is passed equally often in both directions (surface_closed.c). Returns PIOLA_BAD_DATA with the
 * first that is not, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_trimesh_check_closed(const pio_trimesh *s, piola_error *error);

/* Fills `error` with a message about the surface's file and returns PIOLA_BAD_DATA. */
piola_status pio_trimesh_fail(const pio_trimesh *s, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns sum_a k_a x_a + k_3 in numbers of 128 bits, of which the upper half is taken: a strongly universal hash
 * (Dietzfelbinger 1996, "Universal hashing and k-wise independent random variables via integer arithmetic without
 * primes"). As the key is unknown, no file can be made whose positions share few slots; the result does not depend on
 * the key. */
static inline uint64_t pio_place_hash(const uint64_t k[8], const double x[3])
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t bits[3];
    memcpy(bits, x, sizeof bits);
    wide sum = (wide)k[6] << 64 | k[7];
    for (int a = 0; a < 3; a++) sum += ((wide)k[2 * a] << 64 | k[2 * a + 1]) * bits[a];
    return (uint64_t)(sum >> 64);
}

/* Draws a random key (surface_places.c). */
void pio_place_key(uint64_t key[8]);

#define PIO_ORDERING "putting a surface in order"

#endif
