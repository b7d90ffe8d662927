/* surface_parts.h -- what the readers of surfaces share: triangles as they come, with one number for each place. */
#ifndef PIOLA_HOST_SURFACE_PARTS_H
#define PIOLA_HOST_SURFACE_PARTS_H

#include "host/base/byte_input.h"
#include "host/surface/surface_mesh.h"

#include <string.h>

enum { PIO_PLACES = 192 }; /* that are looked up at once */

typedef struct {
    double scale;      /* lengths of the file are multiplied by it */
    size_t n_vertices; /* that the file has shown so far */
    size_t n_waiting;  /* the last of them, whose places are not looked up yet */
    double waiting[PIO_PLACES][3];
    int32_t *place; /* [n_vertices - n_waiting] of each vertex; NULL: its own number */
    size_t place_room;
    size_t n_places, vertex_room;
    double *vertex;  /* [n_places][3] m; a place is numbered when it first occurs */
    size_t slots;    /* a power of two, or 0 */
    uint64_t key[8]; /* of the hash, drawn when there are slots */
    uint32_t *slot;  /* [slots] place + 1 of what hashes to it or to one before it; 0: none */
    size_t n_triangles, triangle_room;
    int32_t *triangle; /* [n_triangles][3] vertices */
} pio_triangles;

/* Faults are in in->status. */
void pio_triangles_vertex(pio_triangles *t, pio_input *in, const double x[3]);
void pio_triangles_add(pio_triangles *t, pio_input *in, int32_t a, int32_t b, int32_t c);

/* surface_read.c: of a file whose kind its content tells. */
void pio_triangles_read(pio_triangles *t, pio_input *in);

/* surface_places.c: vertices at one place (to the bit, after scaling) are one. The places of n <= PIO_PLACES vertices,
 * of which the coordinates are scaled where they lie. */
void pio_triangles_places(pio_triangles *t, pio_input *in, size_t n, double (*x)[3], int32_t *place);
/* Look up what waits. */
void pio_triangles_end(pio_triangles *t, pio_input *in);
/* surface_unique.c: all of a file's vertices at once, x [n][3], which become t's: every place has the number of its
 * first vertex. */
void pio_triangles_whole(pio_triangles *t, pio_input *in, double *x, size_t n);
/* The surface's vertices in the order in which they first occur among the corners of triangles whose corners differ;
 * other triangles, and vertices of none, are left out. What `t` holds becomes the surface's, or is gone. */
piola_status pio_triangles_order(pio_triangles *t, pio_trimesh *s, piola_error *error);
void pio_triangles_free(pio_triangles *t);

/* surface_closed.c: is every edge passed as often one way as the other? PIOLA_BAD_DATA with the first that is not. */
piola_status pio_trimesh_check_closed(const pio_trimesh *s, piola_error *error);

/* PIOLA_BAD_DATA of the surface's file. */
piola_status pio_trimesh_fail(const pio_trimesh *s, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* sum_a k_a x_a + k_3 on numbers of 128 bits, of which the upper half is taken: a strongly universal hash
 * (Dietzfelbinger 1996, "Universal hashing and k-wise independent random variables via integer arithmetic without
 * primes"). No file can be made whose places meet in few slots, since nobody knows the key; what is found does not
 * depend on it. */
static inline uint64_t pio_place_hash(const uint64_t k[8], const double x[3])
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t bits[3];
    memcpy(bits, x, sizeof bits);
    wide sum = (wide)k[6] << 64 | k[7];
    for (int a = 0; a < 3; a++) sum += ((wide)k[2 * a] << 64 | k[2 * a + 1]) * bits[a];
    return (uint64_t)(sum >> 64);
}

/* surface_places.c: a key that nobody knows. */
void pio_place_key(uint64_t key[8]);

#define PIO_ORDERING "putting a surface in order"

#endif
