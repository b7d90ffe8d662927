/* film.c -- see film.h. */
#include "host/film/film_parts.h"
#include "host/base/fail.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pio_film {
    pio_film_format format;
    const pio_film_kind *kind;
    void *state;
    pio_new_file file;
    bool open;     /* the file was created */
    int64_t added; /* pictures so far */
};

static const pio_film_kind *const kinds[] = {&pio_film_apng, &pio_film_webm};

static const pio_film_kind *kind_of(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t end = strlen(kinds[i]->end);
        if (length >= end && !strcasecmp(path + length - end, kinds[i]->end)) return kinds[i];
    }
    return NULL;
}

static piola_status check_format(const pio_film_format *f, piola_error *error)
{
    if (f->pictures < 1 || f->pictures > INT32_MAX)
        return pio_fail(error, PIOLA_USAGE, "%s: a film of %lld pictures: it must be 1 to %d", f->path,
                        (long long)f->pictures, INT32_MAX);
    if (f->rate < 1 || f->rate > UINT16_MAX)
        return pio_fail(error, PIOLA_USAGE, "%s: %g pictures per second: it must be 0.01 to %g", f->path,
                        f->rate / 100., UINT16_MAX / 100.);
    return PIOLA_OK;
}

piola_status pio_film_begin(pio_film **out, const pio_film_format *format, piola_error *error)
{
    *out = NULL;
    const pio_film_kind *kind = kind_of(format->path);
    if (!kind)
        return pio_fail(error, PIOLA_USAGE,
                        "a film is an animated PNG or a WebM video: '%.200s' ends in neither .png nor .webm",
                        format->path);
    piola_status rc = check_format(format, error);
    if (!rc) rc = pio_new_file_replaces(format->path, kind->head, kind->head_size, kind->kind, error);
    if (rc) return rc;
    pio_film *film = *out = calloc(1, sizeof *film);
    if (!film) return pio_fail_memory(error, sizeof *film, "a film");
    film->format = *format;
    film->kind = kind;
    rc = kind->open(format, &film->state, error);
    if (rc) return rc;
    pio_new_file_leftovers_beside(format->path);
    rc = pio_new_file_begin(&film->file, format->path, error);
    film->open = !rc;
    return rc;
}

piola_status pio_film_add(pio_film *film, const pio_image *image, piola_error *error)
{
    const pio_film_format *f = &film->format;
    if (image->width != f->width || image->height != f->height)
        return pio_fail(error, PIOLA_USAGE, "%s: a picture of %d x %d pixels in a film of %d x %d", f->path,
                        image->width, image->height, f->width, f->height);
    if (film->added >= f->pictures)
        return pio_fail(error, PIOLA_USAGE, "%s: the film was to have %lld pictures", f->path, (long long)f->pictures);
    const piola_status rc = pio_film_poll(f, error);
    return rc ? rc : film->kind->add(film->state, &film->file, image, film->added++, error);
}

piola_status pio_film_end(pio_film *film, piola_error *error)
{
    if (film->added < film->format.pictures)
        return pio_fail(error, PIOLA_USAGE, "%s: the film was to have %lld pictures and has %lld", film->format.path,
                        (long long)film->format.pictures, (long long)film->added);
    const piola_status rc = film->kind->finish(film->state, &film->file, error);
    return rc ? rc : pio_new_file_place(&film->file, error);
}

void pio_film_drop(pio_film *film)
{
    if (!film) return;
    if (film->open) pio_new_file_drop(&film->file);
    film->kind->close(film->state);
    free(film);
}
