/* model_design.c -- makes descriptions of designs from the entries: their particles, quantities and normalisation.
 *
 * Normalised variables: linear with two bounds z = (value - lo)/(hi - lo); linear without, z = value/s with s the
 * largest magnitude of the start (1 when it is 0; positions: the grid spacing); log with two bounds
 * z = ln(value/lo)/ln(hi/lo), without, z = ln(value/initial). Displacements of control points, of which nodes have
 * sums, have z = value/(hi - lo) with bounds.
 *
 * A learning rate counts in units that bounds do not change: linear in s, log in factors of e. */
#include "host/model/design_filter.h"
#include "host/model/design_helmholtz.h"
#include "host/model/engine_variables.h"
#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/model/model_groups.h"
#include "host/model/model_lattice.h"
#include "host/model/model_shape.h"
#include "host/scene/design_path.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the path governs body b; that of a material governs all bodies of the material. */
static bool governs(const pio_scene *s, const scene_path *path, size_t b)
{
    if (path->owner == SCENE_OWNER_MATERIAL)
        return pio_scene_material_number(s, s->matter.bodies[b].material) == path->index;
    return path->owner == SCENE_OWNER_BODY && path->index == (int32_t)b;
}

/* Returns body b's own design entry for the quantity of a material's path, or NULL. It governs the body, or its groups
 * in the body, whatever the order of the entries. */
static const scene_design *own_entry(const pio_scene *s, const scene_path *path, size_t b)
{
    if (path->owner != SCENE_OWNER_MATERIAL) return NULL;
    return pio_design_of(s, SCENE_OWNER_BODY, (int32_t)b, path->quantity);
}

/* Sets the group of every particle, or -1; returns the number of groups. */
static int32_t number_groups(const pio_model *m, const scene_path *path, scene_per per, int32_t *index)
{
    int32_t groups = 0;
    for (size_t b = 0; b < m->scene->matter.n_bodies; b++) {
        const bool governed = governs(m->scene, path, b);
        const scene_design *own = own_entry(m->scene, path, b);
        bool any = false;
        for (int64_t p = m->body_first[b]; p < m->body_first[b + 1]; p++) {
            const bool chosen = governed && (!own || (own->per == SCENE_PER_GROUP && !pio_model_is_grouped(m, own, p)));
            index[p] = !chosen ? -1 : per == SCENE_PER_PARTICLE ? groups++ : per == SCENE_PER_BODY ? groups : 0;
            any |= chosen;
        }
        if (any && per != SCENE_PER_PARTICLE) groups = per == SCENE_PER_BODY ? groups + 1 : 1;
    }
    return groups;
}

/* Sets the group of every particle of a design `per: group`, or -1. */
static piola_status number_named(const pio_model *m, const scene_design *design, const scene_path *path, int32_t *index,
                                 int32_t *groups, piola_error *error)
{
    char entry[40];
    snprintf(entry, sizeof entry, "design[%zu].per", (size_t)(design - m->scene->goal.design));
    number_groups(m, path, SCENE_PER_TARGET, index);
    return pio_model_number_groups(m, design, entry, index, groups, error);
}

/* `initial` holds one number, or one per component, or one per component of every target; absent: the scene's own. */
static void set_initial(pio_parameter *p, size_t target, const scene_target *own)
{
    const scene_numbers *given = &p->design->initial;
    const size_t components = (size_t)p->components, skip = given->n > components ? target * components : 0;
    for (int v = 0; v < p->groups * p->components; v++) {
        const size_t c = (size_t)(v % p->components);
        p->initial[v] = given->n == 0 ? pio_target_value(own, c) : given->v[given->n == 1 ? 0 : skip + c];
    }
}

/* Returns the scale of an entry's values, SI: 1 where all of them start at 0. */
static double scale_of(const pio_design_desc *d, const pio_parameter *p, double spacing)
{
    double scale = 0;
    for (int v = 0; v < p->groups * p->components; v++) scale = fmax(scale, fabs(p->initial[v]));
    if (d->quantity == PIO_POSITION || d->quantity == PIO_DISPLACED || d->quantity == PIO_OBSTACLE_POSITION ||
        d->quantity == PIO_OBSTACLE_SHIFT)
        scale = spacing;
    return scale > 0 ? scale : 1;
}

static void set_transform(pio_design_desc *d, pio_parameter *p, double spacing)
{
    const bool bounded = isfinite(p->lower) && isfinite(p->upper);
    d->logarithmic = p->design->transform == SCENE_LOG;
    if (d->logarithmic) {
        d->a = bounded ? log(p->lower) : log(p->initial[0]);
        d->b = bounded ? log(p->upper / p->lower) : 1;
        p->rate_unit = 1 / d->b;
        return;
    }
    const double scale = scale_of(d, p, spacing);
    d->a = bounded && !p->lattice ? p->lower : 0;
    d->b = bounded ? p->upper - p->lower : scale;
    p->rate_unit = scale / d->b;
}

/* Returns the normalised variable of a value. */
static double normalised(const pio_design_desc *d, double value)
{
    return ((d->logarithmic ? log(value) : value) - d->a) / d->b;
}

/* Returns a bound in z; a log variable has none below when the bound is not positive. */
static double normalised_bound(const pio_design_desc *d, double bound)
{
    if (isinf(bound) || (d->logarithmic && !(bound > 0))) return bound > 0 ? INFINITY : -INFINITY;
    return normalised(d, bound);
}

/* Returns an end of a quantity's own range, or, where that is open, a value that is nearer to it by a factor of 1000
 * than the nearest value at the start. */
static double own_end(const pio_parameter *p, double end, bool open)
{
    double nearest = INFINITY;
    for (int v = 0; v < p->groups * p->components && open; v++)
        if (fabs(p->initial[v] - end) < fabs(nearest)) nearest = p->initial[v] - end;
    return open ? end + nearest / 1000 : end;
}

/* Values with a logarithm stay above 0 by themselves. */
static void set_own_range(pio_parameter *p, const cfg_range *range, bool logarithmic)
{
    const bool below = range->ends & (CFG_FROM | CFG_OVER) && !(logarithmic && range->lo <= 0);
    p->least = p->lower;
    p->most = p->upper;
    if (isinf(p->least) && below) p->least = own_end(p, range->lo, range->ends & CFG_OVER);
    if (isinf(p->most) && range->ends & (CFG_UP_TO | CFG_BELOW))
        p->most = own_end(p, range->hi, range->ends & CFG_BELOW);
}

static bool has_helmholtz(const scene_design *design)
{
    return design->filter_radius > 0 && design->filter == SCENE_HELMHOLTZ;
}

/* Fixes and ties the elements of the entry, and makes its filter where that solves equations. */
static piola_status add_map(pio_model *m, pio_parameter *p, pio_design_desc *d, piola_error *error)
{
    pio_design_map map;
    if (!m->fem || (!pio_design_is_mapped(p->design) && !has_helmholtz(p->design))) return PIOLA_OK;
    piola_status rc = pio_design_map_create(&map, m, p->design, d->index, d->groups, error);
    for (int32_t i = 0; !rc && i < map.elements.n; i++) map.z[i] = normalised(d, map.kept[i]);
    if (!rc && has_helmholtz(p->design))
        rc = pio_helmholtz_filter(&p->filter, &map, m, d->index, p->design->filter_radius, error);
    else if (!rc && p->filter)
        rc = pio_design_map_filter(&p->filter, &map, error);
    if (!rc) rc = pio_design_map_apply(&map, m, p, d, error);
    d->filter = p->filter;
    pio_design_map_free(&map);
    return rc;
}

/* Returns the diagonal, m, of the box around all nodes at rest or all particles where they start. */
static double across(const pio_model *m)
{
    const int dim = m->scene->method.dimension;
    const double *x = m->fem ? m->fem->rest : m->desc.particles.position;
    const int64_t n = m->fem ? m->fem->node_first[m->fem->bodies] : m->desc.particles.n;
    double squares = 0;
    for (int a = 0; a < dim; a++) {
        double least = INFINITY, most = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            least = fmin(least, x[i * dim + a]);
            most = fmax(most, x[i * dim + a]);
        }
        squares += (most - least) * (most - least);
    }
    return sqrt(squares);
}

/* A filter whose radius is longer than any distance in it would make one mean of all values, from as many weights as
 * there are pairs. */
static piola_status check_radius(const pio_model *m, const scene_design *design, piola_error *error)
{
    const double most = across(m);
    char key[60];
    if (design->filter_radius <= most) return PIOLA_OK;
    snprintf(key, sizeof key, "design[%zu].filter.radius", (size_t)(design - m->scene->goal.design));
    return pio_scene_fault(m->scene, error, key,
                           "a radius of %g m is longer than the bodies are across, %.4g m, and leaves nearly one value "
                           "everywhere; choose a few spacings of elements or particles",
                           design->filter_radius, most);
}

/* Makes the filter of the entry, of elements or of a surface, if it has one. */
static piola_status add_filter(const pio_model *m, pio_parameter *p, pio_design_desc *d, piola_error *error)
{
    const scene_design *design = p->design;
    if (!(design->filter_radius > 0)) return PIOLA_OK;
    piola_status rc = check_radius(m, design, error);
    if (rc) return rc;
    if (d->quantity == PIO_POSITION)
        rc = pio_surface_filter(&p->filter, m, p->target->index, d, design->filter_radius, error);
    else if (!has_helmholtz(design)) /* which add_map() makes */
        rc = pio_cone_filter(&p->filter, m, d->index, d->groups, design->filter_radius, error);
    d->filter = p->filter;
    d->sharpness = isfinite(design->sharpness) ? fmax(design->sharpness, 0) : 0;
    d->threshold = design->threshold;
    char entry[40];
    snprintf(entry, sizeof entry, "design[%zu].filter", (size_t)(design - m->scene->goal.design));
    return pio_scene_attribute_error(m->scene, rc, error, entry);
}

/* Sets the particles, elements or nodes that each variable of the entry governs. */
static piola_status add_groups(const pio_model *m, const scene_design *design, size_t number, pio_design_desc *d,
                               piola_error *error)
{
    const scene_path *path = &design->path[number];
    const size_t items = (size_t)pio_model_items(m, pio_nodal(d->quantity));
    int32_t *index = malloc(sizeof *index * items);
    if (!index) return pio_fail_memory(error, sizeof *index * items, "a design");
    d->index = index;
    d->groups = m->fem ? pio_model_fem_groups(m, path, design->per, index) : number_groups(m, path, design->per, index);
    d->each = design->per == SCENE_PER_PARTICLE || design->per == SCENE_PER_NODE;
    if (design->per == SCENE_PER_GROUP) {
        const piola_status rc = number_named(m, design, path, index, &d->groups, error);
        if (rc) return rc;
    }
    if (m->fem && d->quantity == PIO_POSITION && design->per == SCENE_PER_NODE) {
        char entry[40];
        snprintf(entry, sizeof entry, "design[%zu]", (size_t)(design - m->scene->goal.design));
        const piola_status rc = pio_model_shape(m, design, path, entry, index, d, error);
        if (rc) return rc;
    }
    if (d->groups == 0) {
        char where[80];
        snprintf(where, sizeof where, "design[%zu].%s[%zu]", (size_t)(design - m->scene->goal.design),
                 pio_design_targets_key(design), number);
        return pio_scene_fault(m->scene, error, where,
                               design->per == SCENE_PER_GROUP
                                   ? "'%s' governs none of the groups; add a group of a body that it governs"
                                   : "'%s' governs nothing: every body of it has an entry of its own, "
                                     "or there is none; remove one of the entries",
                               design->target.v[number]);
    }
    return PIOLA_OK;
}

/* Returns the engine's number of the owner of the quantity, where there are several: see pio_design_desc. */
static int32_t which_of(const pio_model *m, const scene_path *path)
{
    if (path->owner == SCENE_OWNER_CONTROL) return pio_model_control_which(m, path);
    if (path->quantity == PIO_WALL_FRICTION) return path->component;
    if (path->owner == SCENE_OWNER_CONSTANT) return m->fem->constant_number[path->index];
    if (path->quantity == PIO_NAMED_CONSTANT) /* of a boundary: an angle */
        return m->fem->constant_number[m->scene->constants.n + (size_t)path->index];
    if (path->owner == SCENE_OWNER_BOUNDARY)
        return m->fem->support_first[path->index] + (path->part > 0 ? path->part : 0);
    return path->owner == SCENE_OWNER_LOAD || path->owner == SCENE_OWNER_OBSTACLE ? path->index : 0;
}

/* Gives a parameter the variables of the first target of its entry, and these the range of both. */
static void tie_parameter(pio_model *m, int at, size_t number)
{
    pio_parameter *p = &m->parameters[at], *leader = p - number;
    pio_design_desc *d = &m->designs[at], *first = d - number;
    p->tied = true;
    p->first = leader->first;
    p->rate_unit = leader->rate_unit;
    memcpy(p->initial, leader->initial, sizeof *p->initial * (size_t)(p->groups * p->components));
    d->a = first->a;
    d->b = first->b;
    leader->least = fmax(leader->least, p->least);
    leader->most = fmin(leader->most, p->most);
}

/* Numbers the variables of a parameter, which is complete but for that. */
static void number_variables(pio_model *m, int at, size_t number)
{
    pio_parameter *p = &m->parameters[at];
    const bool tied = p->design->targets.n && number > 0;
    p->engine_first = m->n_engine;
    m->n_engine += m->designs[at].groups * m->designs[at].components;
    if (tied)
        tie_parameter(m, at, number);
    else
        m->n_variables += p->groups * p->components;
}

static piola_status add_parameter(pio_model *m, const scene_design *design, size_t number, piola_error *error)
{
    const scene_path *path = &design->path[number];
    const int at = m->n_parameters;
    pio_parameter *p = &m->parameters[at];
    pio_design_desc *d = &m->designs[at];
    scene_target target;
    pio_design_target(m->scene, design, number, &target);
    m->n_parameters++;
    d->quantity = path->quantity;
    d->which = which_of(m, path);
    d->component = path->part > 0 && path->owner != SCENE_OWNER_BOUNDARY ? path->part : 0;
    if (d->quantity == PIO_OBSTACLE_SHIFT) d->component = path->component;
    d->components = target.components;
    d->groups = 1;
    if (d->quantity < PIO_GRAVITY) {
        const piola_status rc = add_groups(m, design, number, d, error);
        if (rc) return rc;
    }
    if (design->per == SCENE_PER_LATTICE) {
        const piola_status rc =
            pio_model_lattice(&p->lattice, m, design, number, (int32_t *)(uintptr_t)d->index, d, error);
        if (rc) return rc;
    }
    for (int c = 0; c < 3; c++) d->base[c] = target.value[c];
    *p = (pio_parameter){.path = design->target.v[number],
                         .target = path,
                         .unit = pio_quantity_unit(target.quantity),
                         .design = design,
                         .first = m->n_variables,
                         .groups = p->lattice ? p->lattice->points : d->groups,
                         .lattice = p->lattice,
                         .components = d->components,
                         .item = target.item,
                         .lower = design->bounds[0],
                         .upper = design->bounds[1]};
    const int variables = p->groups * p->components;
    piola_status rc = add_filter(m, p, d, error);
    if (rc) return rc;
    p->initial = malloc(sizeof(double) * ((size_t)variables + 1));
    if (!p->initial) return pio_fail_memory(error, sizeof(double) * (size_t)variables, "a design");
    set_initial(p, number, &target);
    set_own_range(p, &target.range, design->transform == SCENE_LOG);
    set_transform(d, p, m->fem ? m->fem->edge : m->scene->mpm.grid.spacing);
    rc = add_map(m, p, d, error);
    if (!rc) number_variables(m, at, number);
    return rc;
}

static piola_status set_start(pio_model *m, piola_error *error)
{
    const size_t bytes = sizeof(double) * ((size_t)m->n_variables + 1);
    m->z0 = malloc(bytes);
    m->lower = malloc(bytes);
    m->upper = malloc(bytes);
    m->unit = malloc(bytes);
    m->engine_z0 = malloc(sizeof(double) * ((size_t)m->n_engine + 1));
    if (!m->z0 || !m->lower || !m->upper || !m->unit || !m->engine_z0)
        return pio_fail_memory(error, 4 * bytes, "design variables");
    for (int k = m->n_parameters - 1; k >= 0; k--) { /* that of the first of tied targets comes last */
        const pio_parameter *p = &m->parameters[k];
        m->designs[k].start = p->lattice ? NULL : m->z0 + p->first;
        m->designs[k].reference = p->lattice ? NULL : p->initial;
        for (int v = 0; v < p->groups * p->components; v++) {
            m->z0[p->first + v] = normalised(&m->designs[k], p->initial[v]);
            m->lower[p->first + v] = normalised_bound(&m->designs[k], p->least);
            m->upper[p->first + v] = normalised_bound(&m->designs[k], p->most);
            m->unit[p->first + v] = p->rate_unit;
        }
    }
    pio_engine_variables(m, m->z0, m->engine_z0);
    return PIOLA_OK;
}

piola_status pio_model_designs(pio_model *m, piola_error *error)
{
    size_t targets = 0;
    piola_status rc = PIOLA_OK;
    for (size_t i = 0; i < m->scene->goal.n_design; i++) targets += m->scene->goal.design[i].target.n;
    m->parameters = calloc(targets + 1, sizeof *m->parameters);
    m->designs = calloc(targets + 1, sizeof *m->designs);
    if (!m->parameters || !m->designs) return pio_fail_memory(error, targets * sizeof *m->parameters, "a design");
    for (size_t i = 0; !rc && i < m->scene->goal.n_design; i++)
        for (size_t t = 0; !rc && t < m->scene->goal.design[i].target.n; t++)
            rc = add_parameter(m, &m->scene->goal.design[i], t, error);
    m->desc.n_designs = m->n_parameters;
    m->desc.designs = m->designs;
    if (!rc && m->fem) rc = pio_model_follow(m, error);
    return rc ? rc : set_start(m, error);
}

void pio_model_filtered(const pio_model *m, const double *z, double *out)
{
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        const int n = p->groups * p->components;
        if (p->filter)
            pio_filter_apply(p->filter, false, n, z + p->first, out + p->first);
        else
            memcpy(out + p->first, z + p->first, sizeof *out * (size_t)n);
    }
}

void pio_model_filtered_adj(const pio_model *m, const double *filtered_bar, double *z_bar)
{
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        const int n = p->tied ? 0 : p->groups * p->components;
        if (p->filter && n) pio_filter_adj(p->filter, n, filtered_bar + p->first, z_bar + p->first);
        for (int v = p->first; !p->filter && v < p->first + n; v++) z_bar[v] += filtered_bar[v];
    }
}

/* Returns the projection of a filtered variable, as the engine's design_project. */
static double projected(const pio_design_desc *d, double x)
{
    const double below = tanh(d->sharpness * d->threshold), above = tanh(d->sharpness * (1 - d->threshold));
    return (below + tanh(d->sharpness * (x - d->threshold))) / (below + above);
}

void pio_model_values(const pio_model *m, const double *z, double *values)
{
    pio_model_filtered(m, z, values);
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_design_desc *d = &m->designs[k];
        const pio_parameter *p = &m->parameters[k];
        for (int v = p->first; !p->tied && v < p->first + p->groups * p->components; v++) {
            const double x = d->sharpness > 0 ? projected(d, values[v]) : values[v];
            const double t = fma(d->b, x, d->a); /* as the engine's */
            values[v] = d->logarithmic ? exp(t) : t;
            if (!d->filter && z[v] == m->z0[v]) values[v] = p->initial[v - p->first];
        }
    }
}

/* Filters average, so that no value moves farther to a side than one of its variables. */
double pio_model_distance_to_end(const pio_model *m, const double *direction, int side)
{
    double least = INFINITY;
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        const int end = p->first + p->groups * p->components;
        scene_target t;
        double change[2] = {0}; /* greatest one down and up */
        pio_design_path_target(m->scene, p->target, &t);
        const bool has[] = {t.range.ends & (CFG_FROM | CFG_OVER), t.range.ends & (CFG_UP_TO | CFG_BELOW)};
        for (int v = p->first; v < end; v++) {
            change[0] = fmax(change[0], -side * direction[v]);
            change[1] = fmax(change[1], side * direction[v]);
        }
        for (int up = 0; up < 2; up++) {
            const double z = normalised_bound(&m->designs[k], up ? t.range.hi : t.range.lo);
            for (int v = p->first; has[up] && change[up] > 0 && v < end; v++)
                if (fabs(m->z0[v] - z) > 0) least = fmin(least, fabs(m->z0[v] - z) / change[up]);
        }
    }
    return least;
}

static const char *group_name(const pio_model *m, scene_per per)
{
    if (per == SCENE_PER_NODE) return "node";
    return per == SCENE_PER_BODY ? "body" : m->fem ? "element" : "particle";
}

/* Writes the place of a control point in its lattice. */
static void point_name(const int32_t at[3], int dimension, char *out, size_t size)
{
    char z[16] = "";
    if (dimension == 3) snprintf(z, sizeof z, ", %d", at[2]);
    snprintf(out, size, "[control point %d, %d%s]", at[0], at[1], z);
}

void pio_model_variable_name(const pio_model *m, int v, char *out, size_t size)
{
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        const int local = v - p->first;
        char axis[3] = "", group[48] = "";
        if (local < 0 || local >= p->groups * p->components) continue;
        if (p->item)
            snprintf(group, sizeof group, "[%s %d]", p->item, local);
        else if (p->components > 1)
            snprintf(axis, sizeof axis, ".%c", "xyz"[local % p->components]);
        if (p->lattice)
            point_name(p->lattice->at[local / p->components], m->scene->method.dimension, group, sizeof group);
        else if (p->design->per == SCENE_PER_GROUP && m->designs[k].index)
            snprintf(group, sizeof group, "[group %.38s]",
                     pio_model_group_name(m, p->design, m->designs[k].index, local / p->components));
        else if (p->groups > 1)
            snprintf(group, sizeof group, "[%s %d]", group_name(m, p->design->per), local / p->components);
        snprintf(out, size, "%s%s%s", p->design->targets.n ? p->design->name : p->path, group, axis);
        return;
    }
    snprintf(out, size, "variable %d", v);
}
