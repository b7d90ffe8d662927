/* command_render.c -- piola render: one frame of a snapshot as a picture. */
#include "host/command/drawing.h"
#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/base/threads.h"

#include <math.h>
#include <string.h>
#include <strings.h>

piola_render_options piola_render_options_default(void)
{
    const double automatic = (double)NAN;
    return (piola_render_options){.frame = -1,
                                  .lo = automatic,
                                  .hi = automatic,
                                  .azimuth = automatic,
                                  .elevation = automatic,
                                  .zoom = automatic,
                                  .deformation = 1};
}

piola_status piola_render(const piola_render_options *options, piola_error *error)
{
    pio_drawing d;
    pio_image image = {0};
    if (!options->file || !options->output) return pio_fail(error, PIOLA_USAGE, "a picture needs a file and an output");
    const size_t length = strlen(options->output);
    if (length < 4 || strcasecmp(options->output + length - 4, ".png"))
        return pio_fail(error, PIOLA_USAGE, "a picture is a PNG: '%.200s' does not end in .png", options->output);
    piola_status rc = pio_threads_check(options->threads, error);
    if (!rc) rc = pio_image_replaces(options->output, error);
    if (rc) return rc;
    rc = pio_drawing_open(&d, options, error);
    if (!rc) {
        pio_file_limit_begin();
        rc = pio_drawing_frame(&d, options->frame, &image, error);
        if (!rc) rc = pio_image_write_png(&image, options->output, error);
        pio_file_limit_end();
    }
    pio_image_free(&image);
    pio_drawing_close(&d);
    return rc;
}
