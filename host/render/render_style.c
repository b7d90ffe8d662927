/* render_style.c -- the colours of a picture, and how its bodies are drawn. */
#include "host/render/render_parts.h"

#include <math.h>

const pio_rgb pio_ink = {33, 37, 43}, pio_pale = {104, 111, 122}, pio_line_colour = {74, 81, 92},
              pio_paper = {252, 252, 253};

/* Returns how the body of a particle or cell is drawn; NULL: opaque, particles as discs. */
static const pio_style *style_of(const pio_picture *p, size_t item)
{
    const size_t body = p->body != NULL ? p->body[item] : 0;
    return body < p->n_styles ? &p->styles[body] : NULL;
}

bool pio_is_surface(const pio_picture *p, size_t item)
{
    const pio_style *s = style_of(p, item);
    return s != NULL && p->mesh == NULL && (s->surface || s->opacity < 1);
}

uint16_t pio_opacity(const pio_picture *p, size_t item)
{
    const pio_style *s = style_of(p, item);
    return s != NULL ? (uint16_t)lrint(PIO_OPAQUE * s->opacity) : PIO_OPAQUE;
}
