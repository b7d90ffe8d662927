/* Room host/film: writes pictures one after another as a film: an animated PNG, or by a module a WebM video. */
/* film.h -- a film from pictures of one size. The end of its name says which kind it is:
 *
 *   .png   an animated PNG with one palette for all pictures (ISO/IEC 15948, and APNG 1.0 of Mozilla, which is part of
 *          the PNG specification of the W3C of 2025). Each picture after the first holds what changed.
 *   .webm  VP9 in WebM (film_webm.c), encoded by a module of libvpx (video.h).
 *
 * The same pictures give the same bytes. A film has its name when it is complete; until then the name is unchanged. */
#ifndef PIOLA_HOST_FILM_H
#define PIOLA_HOST_FILM_H

#include "host/render/image.h"

/* What a film is to be. */
typedef struct {
    const char *path;    /* its name, which ends in .png or .webm; it outlives the film */
    const char *modules; /* folder of the modules, for WebM */
    int width, height;   /* pixels of every picture */
    int64_t pictures;    /* number of pictures that will be added, 1 to 2^31 - 1 */
    int rate;            /* pictures in 100 s of the film, 1 to 65535 */
} pio_film_format;

typedef struct pio_film pio_film;

/* Begins a film; pio_film_drop() frees it, also after a failure, when *out may be NULL. Returns PIOLA_USAGE for another
 * end of its name, PIOLA_UNAVAILABLE if the module for it is missing, PIOLA_CANNOT_CREATE if it cannot be created or
 * would replace a file of another kind, PIOLA_IO, or PIOLA_NO_MEMORY. */
piola_status pio_film_begin(pio_film **out, const pio_film_format *format, piola_error *error);
/* Adds a picture. Returns PIOLA_USAGE for one of another size or one too many, PIOLA_INTERRUPTED,
 * PIOLA_NO_MEMORY, PIOLA_IO, or PIOLA_INTERNAL if the encoder fails. */
piola_status pio_film_add(pio_film *film, const pio_image *image, piola_error *error);
/* Completes the film, which gets its name. Returns PIOLA_USAGE if pictures are missing, and the errors of
 * pio_film_add(). */
piola_status pio_film_end(pio_film *film, piola_error *error);
/* Frees a film, which may be NULL; one that is not complete leaves nothing. */
void pio_film_drop(pio_film *film);

#endif
