/* film_parts.h -- what the files of films share; other files do not include it. */
#ifndef PIOLA_HOST_FILM_PARTS_H
#define PIOLA_HOST_FILM_PARTS_H

#include "host/base/new_file.h"
#include "host/film/film.h"

/* One kind of film. `state` is its own. */
typedef struct {
    const char *end;  /* end of the name */
    const char *kind; /* name of the kind in messages */
    const char *head; /* [head_size] bytes with which such a file begins */
    size_t head_size;
    /* Prepares the state before the file is created. Returns PIOLA_UNAVAILABLE, PIOLA_NO_MEMORY or PIOLA_INTERNAL. */
    piola_status (*open)(const pio_film_format *format, void **state, piola_error *error);
    /* Adds picture number `at`; `file` is open. Returns PIOLA_NO_MEMORY, PIOLA_IO or PIOLA_INTERNAL. */
    piola_status (*add)(void *state, pio_new_file *file, const pio_image *image, int64_t at, piola_error *error);
    /* Writes what is missing after the last picture. Returns PIOLA_NO_MEMORY, PIOLA_IO or PIOLA_INTERNAL. */
    piola_status (*finish)(void *state, pio_new_file *file, piola_error *error);
    void (*close)(void *state); /* frees the state, which may be NULL */
} pio_film_kind;

/* Returns PIOLA_INTERRUPTED if the program is to stop (film_poll.c). */
piola_status pio_film_poll(const pio_film_format *format, piola_error *error);

extern const pio_film_kind pio_film_apng; /* film_apng.c */
extern const pio_film_kind pio_film_webm; /* film_webm.c */

/* ---- palette.c: at most 255 colours for all pictures of a film ------------------------------------------------ */

enum { PIO_PALETTE_MOST = 255 };

typedef struct {
    uint32_t *count; /* [2^24] pixels of each colour, r << 16 | g << 8 | b; none above 2^32 - 1 */
    uint8_t *index;  /* [2^24] number of the colour that stands for each, 1 to n; NULL before it is chosen */
    pio_rgb colour[PIO_PALETTE_MOST + 1]; /* [n + 1] colours; number 0 is for what is transparent */
    int n;
} pio_palette;

/* Makes an empty palette. Returns PIOLA_NO_MEMORY. */
piola_status pio_palette_make(pio_palette *palette, piola_error *error);
/* Counts the colours of a picture. */
void pio_palette_count(pio_palette *palette, const pio_image *image);
/* Chooses the colours: those of the pictures if they are at most PIO_PALETTE_MOST, else means of the boxes of a median
 * cut. Returns PIOLA_NO_MEMORY. */
piola_status pio_palette_choose(pio_palette *palette, piola_error *error);
/* Frees what the palette holds. */
void pio_palette_free(pio_palette *palette);

#endif
