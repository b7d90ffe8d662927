/* command_film.c -- piola film: the frames of a snapshot as a film. */
#include "host/command/drawing.h"
#include "host/base/fail.h"
#include "host/base/modules.h"
#include "host/base/signals.h"
#include "host/base/threads.h"
#include "host/film/film.h"

#include <math.h>

enum { FRAMES_PER_SECOND = 15 };

piola_film_options piola_film_options_default(void)
{
    return (piola_film_options){.picture = piola_render_options_default(), .fps = FRAMES_PER_SECOND, .every = 1};
}

/* Draws the frames and adds them to a film. */
static piola_status draw(pio_drawing *d, const piola_film_options *options, piola_error *error)
{
    char modules[PIO_PATH];
    pio_film *film = NULL;
    const piola_render_options *o = d->options;
    pio_film_format format = {.path = o->output,
                              .modules = modules,
                              .width = o->width ? o->width : 1280,
                              .height = o->height ? o->height : 720,
                              .pictures = (d->info->n_frames - 1) / options->every + 1,
                              .rate = (int)round(100 * options->fps)};
    pio_module_folder(modules, sizeof modules);
    piola_status rc = pio_film_begin(&film, &format, error);
    for (int64_t i = 0; !rc && i < format.pictures; i++) {
        pio_image image = {0};
        rc = pio_drawing_frame(d, i * options->every, &image, error);
        if (!rc) rc = pio_film_add(film, &image, error);
        pio_image_free(&image);
    }
    if (!rc) rc = pio_film_end(film, error);
    pio_film_drop(film);
    return rc;
}

piola_status piola_film(const piola_film_options *options, piola_error *error)
{
    pio_drawing d;
    piola_film_options o = *options;
    if (!o.picture.file || !o.picture.output) return pio_fail(error, PIOLA_USAGE, "a film needs a file and an output");
    if (!(o.fps >= 0.1 && o.fps <= 120))
        return pio_fail(error, PIOLA_USAGE, "a film of %g frames per second: it must be 0.1 to 120", o.fps);
    if (o.every < 1)
        return pio_fail(error, PIOLA_USAGE, "a film of every %lld frames: it must be 1 or more", (long long)o.every);
    o.picture.frame = -1;
    o.picture.hold = true;
    piola_status rc = pio_threads_check(o.picture.threads, error);
    if (!rc) rc = pio_signals_install(error);
    if (rc) return rc;
    rc = pio_drawing_open(&d, &o.picture, error);
    if (!rc) rc = draw(&d, &o, error);
    pio_drawing_close(&d);
    pio_signals_restore();
    return rc;
}
