/* drawing_bodies.c -- how a picture draws each body: particles as discs or as a surface, and how transparent. */
#include "host/command/drawing.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/render/spacing.h"
#include "host/scene/law.h"

#include <stdlib.h>
#include <string.h>

/* ---- the scene's bodies ----------------------------------------------------------------------------------- */

/* Returns the text of LIST[i].KEY in the scene; NULL if there is none. */
static const char *text_at(const pio_drawing *d, const char *list, size_t i, const char *key)
{
    char path[80];
    bool found = false;
    snprintf(path, sizeof path, "%s[%zu].%s", list, i, key);
    const cfg_node *node = d->scene ? pio_cfg_find(d->scene, path, &found) : NULL;
    return found && node->kind == CFG_SCALAR ? node->text : NULL;
}

static bool is_fluid(const pio_drawing *d, size_t body)
{
    const char *material = text_at(d, "bodies", body, "material"), *name = "";
    for (size_t i = 0; material && name; i++) {
        name = text_at(d, "materials", i, "name");
        if (!name || strcmp(name, material)) continue;
        const char *model = text_at(d, "materials", i, "model");
        return model && (!strcmp(model, piola_laws[PIO_LINEAR_FLUID]) || !strcmp(model, piola_laws[PIO_TAIT]));
    }
    return false;
}

/* Returns the number of the body with this name of `length` bytes, or the number of bodies. */
static size_t find_body(const pio_drawing *d, const char *name, size_t length)
{
    const pio_drawn_bodies *b = &d->bodies;
    for (size_t i = 0; i < b->n; i++) {
        const char *own = text_at(d, "bodies", i, "name");
        if (own && strlen(own) == length && !strncmp(own, name, length)) return i;
    }
    return b->n;
}

/* ---- options ---------------------------------------------------------------------------------------------- */

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !strncmp(text, word, length);
}

static piola_status no_body(const pio_drawing *d, const char *option, const char *name, size_t length,
                            piola_error *error)
{
    char list[1000] = "";
    size_t used = 0;
    for (size_t i = 0; i < d->bodies.n && used < sizeof list - 100; i++) {
        const char *own = text_at(d, "bodies", i, "name");
        if (own) used += (size_t)snprintf(list + used, sizeof list - used, "%s%.90s", used ? ", " : "", own);
    }
    if (!used) snprintf(list, sizeof list, "none with a name");
    return pio_fail(error, PIOLA_USAGE, "%s: %s has no body '%.*s'; there are: %s, and all for all of them", option,
                    d->options->file, length < 100 ? (int)length : 100, name, list);
}

/* Fails where the file does not say to which body something belongs. */
static piola_status need_numbers(const pio_drawing *d, const char *option, piola_error *error)
{
    if (d->bodies.known) return PIOLA_OK;
    return pio_fail(error, PIOLA_USAGE,
                    "%s: %s has several bodies, but no field 'body' that says what belongs to which; all is right",
                    option, d->options->file);
}

/* Chooses surfaces for the fluids besides those that are chosen. Where it is not known which particles are fluids, it
 * fails if they were requested; else none is added. */
static piola_status choose_fluids(pio_drawing *d, const char *option, piola_error *error)
{
    pio_drawn_bodies *b = &d->bodies;
    const bool requested = d->options->surface != NULL;
    size_t fluids = 0;
    for (size_t i = 0; i < b->n; i++) fluids += is_fluid(d, i);
    if (!b->known && fluids > 0 && fluids < b->n) {
        if (!requested) return PIOLA_OK;
        return pio_fail(error, PIOLA_USAGE,
                        "%s: %s has fluids and solids, but no field 'body' that says which particles are which; all "
                        "or none is right",
                        option, d->options->file);
    }
    for (size_t i = 0; i < b->n; i++) b->styles[i].surface = b->styles[i].surface || is_fluid(d, i);
    return PIOLA_OK;
}

/* Applies one word of --surface: fluids, all, none or the name of a body. */
static piola_status choose_surface(pio_drawing *d, const char *word, size_t length, piola_error *error)
{
    const char *option = "--surface";
    pio_drawn_bodies *b = &d->bodies;
    const bool all = is_word(word, length, "all"), none = is_word(word, length, "none");
    const bool fluids = is_word(word, length, "fluids");
    const size_t body = find_body(d, word, length);
    if (d->info->n_cells && !none && !fluids)
        return pio_fail(error, PIOLA_USAGE, "%s: %s holds a mesh, which is drawn by its own surface", option,
                        d->options->file);
    if (fluids) return choose_fluids(d, option, error);
    for (size_t i = 0; i < b->n && (all || none); i++) b->styles[i].surface = all;
    if (all || none) return PIOLA_OK;
    if (body == b->n) return no_body(d, option, word, length, error);
    b->styles[body].surface = true;
    return need_numbers(d, option, error);
}

/* Applies one part of --opacity: NAME=VALUE. */
static piola_status choose_opacity(pio_drawing *d, const char *part, size_t length, piola_error *error)
{
    const char *option = "--opacity", *equals = memchr(part, '=', length);
    pio_drawn_bodies *b = &d->bodies;
    double value = 0;
    const size_t name = equals ? (size_t)(equals - part) : 0, digits = equals ? pio_decimal(equals + 1, &value) : 0;
    const bool all = is_word(part, name, "all");
    const size_t body = find_body(d, part, name);
    if (!name || !digits || name + 1 + digits != length || !(value >= 0 && value <= 1))
        return pio_fail(error, PIOLA_USAGE,
                        "%s: '%.*s' is not BODY=VALUE with a value of 0 to 1, as %s=0.3; 0 is not drawn, 1 is opaque",
                        option, length < 100 ? (int)length : 100, part, b->n ? "all" : "ball");
    for (size_t i = 0; i < b->n && all; i++) b->styles[i].opacity = value;
    if (all) return PIOLA_OK;
    if (body == b->n) return no_body(d, option, part, name, error);
    b->styles[body].opacity = value;
    return need_numbers(d, option, error);
}

/* Applies each part of a list with commas. */
static piola_status apply(pio_drawing *d, const char *list,
                          piola_status (*one)(pio_drawing *, const char *, size_t, piola_error *), piola_error *error)
{
    piola_status rc = PIOLA_OK;
    const pio_locale old = pio_locale_begin();
    for (const char *at = list; at && !rc;) {
        const size_t length = strcspn(at, ",");
        rc = one(d, at, length, error);
        at = at[length] ? at + length + 1 : NULL;
    }
    pio_locale_end(old);
    return rc;
}

/* ---- what belongs to which body --------------------------------------------------------------------------- */

/* Reads the numbers of the bodies of particles or cells. */
static piola_status read_numbers(pio_drawing *d, piola_error *error)
{
    pio_drawn_bodies *b = &d->bodies;
    const pio_snapshot_field_info *f = pio_drawing_find(d->info, "body", 4);
    const int64_t rows = d->info->n_cells ? d->info->n_cells : d->info->n_points;
    b->known = b->n == 1;
    if (!f || f->stored != 1 || f->rows != rows) return PIOLA_OK;
    double *all = malloc((size_t)rows * sizeof *all);
    b->all = malloc((size_t)rows * sizeof *b->all);
    b->shown = malloc((size_t)rows * sizeof *b->shown);
    if (!all || !b->all || !b->shown) {
        free(all);
        return pio_fail_memory(error, (size_t)rows * 16, "the numbers of bodies");
    }
    const piola_status rc = pio_snapshot_read_field(d->file, "body", 0, all, error);
    for (int64_t i = 0; i < rows && !rc; i++)
        b->all[i] = all[i] >= 0 && all[i] < (double)b->n ? (uint32_t)all[i] : UINT32_MAX;
    b->known = true;
    free(all);
    return rc;
}

/* Finds the distance of neighbouring particles of the surfaces, in the first frame, in which it is even. */
static piola_status find_spacings(pio_drawing *d, piola_error *error)
{
    pio_drawn_bodies *b = &d->bodies;
    const size_t n = (size_t)d->info->n_points;
    double *x = malloc(3 * n * sizeof *x), *own = malloc(3 * n * sizeof *own);
    piola_status rc = x && own ? PIOLA_OK : pio_fail_memory(error, 6 * n * sizeof *x, "points");
    if (!rc) rc = pio_snapshot_read_points(d->file, 0, x, error);
    for (size_t body = 0; body < b->n && !rc; body++) {
        size_t m = 0;
        if (!b->styles[body].surface && !(b->styles[body].opacity < 1)) continue;
        for (size_t i = 0; i < n; i++)
            if (!b->all || b->all[i] == body) memcpy(own + 3 * m++, x + 3 * i, 3 * sizeof *x);
        if (m) b->styles[body].spacing = pio_survey_spacing(own, m, d->info->dimension);
    }
    free(x);
    free(own);
    return rc;
}

piola_status pio_drawing_choose_bodies(pio_drawing *d, piola_error *error)
{
    pio_drawn_bodies *b = &d->bodies;
    const piola_render_options *o = d->options;
    bool plain = true;
    while (text_at(d, "bodies", b->n, "name")) b->n++;
    if (b->n == 0) b->n = 1;
    b->styles = calloc(b->n, sizeof *b->styles);
    if (!b->styles) return pio_fail_memory(error, b->n * sizeof *b->styles, "the bodies");
    for (size_t i = 0; i < b->n; i++) b->styles[i].opacity = 1;
    piola_status rc = read_numbers(d, error);
    if (!rc) rc = apply(d, o->surface ? o->surface : "fluids", choose_surface, error);
    if (!rc) rc = apply(d, o->opacity, choose_opacity, error);
    for (size_t i = 0; i < b->n && !rc; i++)
        if (b->styles[i].surface || b->styles[i].opacity < 1) plain = false;
    if (plain) b->n = 0;
    /* Where it is not known what belongs to which body, all have the same style. */
    if (!b->known && b->n) b->n = 1;
    d->picture.styles = b->styles;
    d->picture.n_styles = b->n;
    return !rc && b->n && !d->info->n_cells ? find_spacings(d, error) : rc;
}

void pio_drawing_free_bodies(pio_drawing *d)
{
    free(d->bodies.styles);
    free(d->bodies.all);
    free(d->bodies.shown);
}
