/* model_tie.c -- ties between bodies whose meshes do not match: the nodes of one follow faces of another
 * (host/mesh/mesh_tie.h). */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/mesh/mesh_tie.h"
#include "host/scene/scene_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GAP = 1e-3;     /* of the shortest edge, where the scene has none */
static const double NOTHING = 1e-9; /* a weight that does not matter */

/* A tied node and its masters, numbered in the model. */
typedef struct {
    int32_t node, tie, first, n; /* of which tie of the scene; its masters in the lists of that tie */
} tied_node;

/* What one tie has found, and its faces. */
typedef struct {
    pio_mesh_ties ties;
    int32_t node_first, to_first; /* numbers of the first nodes of both bodies */
} found;

static int by_node(const void *a, const void *b)
{
    const tied_node *p = a, *q = b;
    return p->node != q->node ? (p->node < q->node ? -1 : 1) : (p->tie > q->tie) - (p->tie < q->tie);
}

/* Lists the faces to which a tie goes: all outer ones where the scene does not say. */
static piola_status opposite_faces(const pio_model *m, size_t i, pio_face_list *out, piola_error *error)
{
    const scene_tie *t = &m->scene->loading.ties[i];
    const pio_mesh *mesh = &m->fem->mesh[pio_scene_body_number(m->scene, t->to)];
    char path[64];
    snprintf(path, sizeof path, "ties[%zu].to_on", i);
    if (t->to_on.group || !isnan(t->to_on.min[0]))
        return pio_model_faces(m, path, t->to, &t->to_on, "a tie is of outer faces", out, error);
    *out = (pio_face_list){.n = mesh->n_outer, .item = malloc(sizeof *out->item * ((size_t)mesh->n_outer + 1))};
    if (!out->item) return pio_fail_memory(error, sizeof *out->item * (size_t)mesh->n_outer, "ties");
    memcpy(out->item, mesh->outer, sizeof *out->item * (size_t)mesh->n_outer);
    return PIOLA_OK;
}

/* Says where a tied face has none opposite, and how far the other body is. */
static piola_status no_opposite(const pio_model *m, size_t i, double gap, const double place[3], piola_error *error)
{
    const scene_tie *t = &m->scene->loading.ties[i];
    const int dim = m->scene->method.dimension;
    double near[3] = {0}, square = 0;
    char path[64], third[40] = "";
    snprintf(path, sizeof path, "ties[%zu].on", i);
    pio_mesh_nearest(&m->fem->mesh[pio_scene_body_number(m->scene, t->to)], place, near);
    for (int a = 0; a < dim; a++) square += (near[a] - place[a]) * (near[a] - place[a]);
    if (dim == 3) snprintf(third, sizeof third, ", %.6g", place[2]);
    return pio_scene_fault(m->scene, error, path,
                           "the face around (%.6g, %.6g%s) of '%s' does not lie on faces of '%s' everywhere, within a "
                           "gap of %.3g m; '%s' is %.3g m away from there: name faces that lie on it as a whole, or "
                           "allow a larger gap",
                           place[0], place[1], third, t->body, t->to, gap, t->to, sqrt(square));
}

/* Says where a tied face is inside the other body, and how far from the faces of that. */
static piola_status overlaps(const pio_model *m, size_t i, const pio_mesh_tie_fault *fault, piola_error *error)
{
    const scene_tie *t = &m->scene->loading.ties[i];
    char path[64], third[40] = "";
    snprintf(path, sizeof path, "ties[%zu].on", i);
    if (m->scene->method.dimension == 3) snprintf(third, sizeof third, ", %.6g", fault->x[2]);
    return pio_scene_fault(
        m->scene, error, path,
        "the meshes of '%s' and '%s' overlap: the face around (%.6g, %.6g%s) of '%s' is inside '%s', "
        "%.3g m from the faces that it would follow; move a body, so that they touch",
        t->body, t->to, fault->x[0], fault->x[1], third, t->body, t->to, fault->overlap);
}

/* Says where a tied face has two opposite. */
static piola_status twice(const pio_model *m, size_t i, double gap, const double place[3], piola_error *error)
{
    const scene_tie *t = &m->scene->loading.ties[i];
    char path[64], third[40] = "";
    snprintf(path, sizeof path, "ties[%zu].on", i);
    if (m->scene->method.dimension == 3) snprintf(third, sizeof third, ", %.6g", place[2]);
    return pio_scene_fault(m->scene, error, path,
                           "the face around (%.6g, %.6g%s) of '%s' has more than one face of '%s' opposite, within a "
                           "gap of %.3g m: allow a smaller gap, or name those that it follows in to_on",
                           place[0], place[1], third, t->body, t->to, gap);
}

/* Says where a node that a support has is beside no other that can take its part. */
static piola_status alone(const pio_model *m, size_t i, const double place[3], piola_error *error)
{
    const scene_tie *t = &m->scene->loading.ties[i];
    char path[64], third[40] = "";
    snprintf(path, sizeof path, "ties[%zu].on", i);
    if (m->scene->method.dimension == 3) snprintf(third, sizeof third, ", %.6g", place[2]);
    return pio_scene_fault(m->scene, error, path,
                           "a support has the node at (%.6g, %.6g%s) of '%s' where not all that it would follow is "
                           "fixed, and no node beside it is left that could pass its forces on to '%s': exchange body "
                           "and to, refine '%s' there, or take the node out of its support",
                           place[0], place[1], third, t->body, t->to, t->body);
}

/* Returns the axes along which supports have each node of a body, bits, or only those along which it is fixed; NULL
 * where there is no memory. */
static char *supports_of(const pio_model *m, int body, bool only_fixed)
{
    const pio_model_fem *f = m->fem;
    char *out = calloc((size_t)f->mesh[body].n_nodes + 1, 1);
    for (int32_t h = 0; out && h < f->desc.n_constrained; h++) {
        const int64_t node = f->constrained_node[h] - (int64_t)f->node_first[body];
        const scene_boundary *b = &m->scene->loading.boundary[f->support_boundary[f->constrained_support[h]]];
        if (node < 0 || node >= f->mesh[body].n_nodes || (only_fixed && b->type != SCENE_FIXED)) continue;
        out[node] = (char)(out[node] | 1 << f->constrained_axis[h]);
    }
    return out;
}

static piola_status find(pio_model *m, size_t i, found *out, piola_error *error)
{
    const scene_tie *t = &m->scene->loading.ties[i];
    pio_model_fem *f = m->fem;
    const int body = pio_scene_body_number(m->scene, t->body), to = pio_scene_body_number(m->scene, t->to);
    const double gap = isnan(t->gap) ? GAP * f->edge : t->gap;
    pio_face_list faces, opposite = {0};
    pio_mesh_tie_fault fault = {0};
    char path[64], *own = supports_of(m, body, false), *other = supports_of(m, to, true);
    snprintf(path, sizeof path, "ties[%zu].on", i);
    piola_status rc = pio_model_faces(m, path, t->body, &t->on, "a tie is of outer faces", &faces, error);
    if (!rc && (!own || !other)) rc = pio_fail_memory(error, (size_t)f->mesh[body].n_nodes, "ties");
    if (!rc) rc = opposite_faces(m, i, &opposite, error);
    if (!rc)
        rc = pio_mesh_tie(&out->ties, (pio_mesh_side){&f->mesh[body], &faces, own},
                          (pio_mesh_side){&f->mesh[to], &opposite, other}, gap, &fault, error);
    if (rc == PIOLA_BAD_DATA && opposite.item)
        rc = fault.reason == PIO_TIE_ALONE   ? alone(m, i, fault.x, error)
             : fault.reason == PIO_TIE_TWICE ? twice(m, i, gap, fault.x, error)
             : fault.overlap > 0             ? overlaps(m, i, &fault, error)
                                             : no_opposite(m, i, gap, fault.x, error);
    out->node_first = (int32_t)f->node_first[body];
    out->to_first = (int32_t)f->node_first[to];
    free(own);
    free(other);
    free(faces.item);
    free(opposite.item);
    return rc;
}

/* ---- together ---------------------------------------------------------------------------------------------- */

/* Says that a node is tied and something else. */
static piola_status reject(const pio_model *m, const tied_node *t, const char *what, const char *name,
                           piola_error *error)
{
    const int dim = m->scene->method.dimension;
    const double *x = m->fem->rest + (int64_t)t->node * dim;
    char path[64];
    snprintf(path, sizeof path, "ties[%d].on", t->tie);
    return pio_scene_fault(m->scene, error, path, "the node at (%g, %g%s) is %s '%s'", x[0], x[1],
                           dim == 3 ? ", ..." : "", what, name);
}

/* Enters the nodes of all ties, ascending, into the model. */
static piola_status enter(pio_model *m, const found *all, tied_node *nodes, int32_t n, piola_error *error)
{
    pio_model_fem *f = m->fem;
    int32_t entries = 0;
    for (int32_t i = 0; i < n; i++) entries += nodes[i].n;
    f->tied = malloc(sizeof *f->tied * ((size_t)n + 1));
    f->tied_start = calloc((size_t)n + 1, sizeof *f->tied_start);
    f->tied_master = malloc(sizeof *f->tied_master * ((size_t)entries + 1));
    f->tied_weight = malloc(sizeof *f->tied_weight * ((size_t)entries + 1));
    if (!f->tied || !f->tied_start || !f->tied_master || !f->tied_weight)
        return pio_fail_memory(error, sizeof *f->tied_weight * (size_t)entries, "ties");
    entries = 0;
    for (int32_t i = 0; i < n; i++) {
        const found *t = &all[nodes[i].tie];
        if (i && nodes[i].node == nodes[i - 1].node)
            return reject(m, &nodes[i], "tied already, by", m->scene->loading.ties[nodes[i - 1].tie].name, error);
        for (int32_t k = 0; k < nodes[i].n; k++, entries++) {
            f->tied_master[entries] = t->to_first + t->ties.master[nodes[i].first + k];
            f->tied_weight[entries] = t->ties.weight[nodes[i].first + k];
        }
        f->tied[i] = nodes[i].node;
        f->tied_start[i + 1] = entries;
    }
    f->desc.ties = (pio_tie_desc){n, f->tied, f->tied_start, f->tied_master, f->tied_weight};
    return PIOLA_OK;
}

/* Returns which tied node a master is, or -1. */
static int32_t which_tied(const pio_tie_desc *t, int32_t node)
{
    int32_t first = 0, end = t->n;
    while (first < end) {
        const int32_t half = first + (end - first) / 2;
        if (t->node[half] == node) return half;
        if (t->node[half] < node)
            first = half + 1;
        else
            end = half;
    }
    return -1;
}

/* A master of the node at hand. */
typedef struct {
    int32_t node;
    double weight;
} part;

static int by_master(const void *a, const void *b)
{
    const part *p = a, *q = b;
    return (p->node > q->node) - (p->node < q->node);
}

/* Sets `out` to the masters of tied node i, those that are tied replaced by theirs, each once, ascending; returns how
 * many. */
static int32_t parts_of(const pio_tie_desc *t, int32_t i, part *out)
{
    int32_t n = 0, kept = 0;
    for (int32_t k = t->start[i]; k < t->start[i + 1]; k++) {
        const int32_t other = which_tied(t, t->master[k]);
        if (other < 0) out[n++] = (part){t->master[k], t->weight[k]};
        for (int32_t j = other < 0 ? 0 : t->start[other]; other >= 0 && j < t->start[other + 1]; j++)
            out[n++] = (part){t->master[j], t->weight[k] * t->weight[j]};
    }
    qsort(out, (size_t)n, sizeof *out, by_master);
    for (int32_t k = 0; k < n; k++) {
        if (kept && out[kept - 1].node == out[k].node)
            out[kept - 1].weight += out[k].weight;
        else
            out[kept++] = out[k];
    }
    return kept;
}

/* Returns a tied node that another follows, or -1; *most is how many entries there are at most once such nodes are
 * replaced by their masters, *widest how many of one node. */
static int32_t first_chained(const pio_tie_desc *t, size_t *most, size_t *widest)
{
    int32_t chained = -1;
    *most = *widest = 0;
    for (int32_t i = 0; i < t->n; i++) {
        size_t own = 0;
        for (int32_t k = t->start[i]; k < t->start[i + 1]; k++) {
            const int32_t other = which_tied(t, t->master[k]);
            own += other < 0 ? 1 : (size_t)(t->start[other + 1] - t->start[other]);
            if (other >= 0 && chained < 0) chained = other;
        }
        *most += own;
        if (own > *widest) *widest = own;
    }
    return chained;
}

/* Replaces masters that are tied by theirs, once. */
static piola_status replace(pio_model *m, size_t most, size_t widest, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const pio_tie_desc *t = &f->desc.ties;
    int32_t *start = calloc((size_t)t->n + 1, sizeof *start), *master = malloc(sizeof *master * (most + 1));
    double *weight = malloc(sizeof *weight * (most + 1));
    part *parts = malloc(sizeof *parts * (widest + 1));
    const bool ok = start && master && weight && parts && most <= INT32_MAX;
    for (int32_t i = 0; ok && i < t->n; i++) {
        const int32_t n = parts_of(t, i, parts);
        for (int32_t k = 0; k < n; k++) {
            master[start[i] + k] = parts[k].node;
            weight[start[i] + k] = parts[k].weight;
        }
        start[i + 1] = start[i] + n;
    }
    free(parts);
    if (!ok) {
        free(start);
        free(master);
        free(weight);
        return pio_fail_memory(error, most * sizeof *weight, "ties");
    }
    free(f->tied_start);
    free(f->tied_master);
    free(f->tied_weight);
    f->tied_start = start;
    f->tied_master = master;
    f->tied_weight = weight;
    f->desc.ties = (pio_tie_desc){t->n, f->tied, start, master, weight};
    return PIOLA_OK;
}

/* Where nodes follow tied ones, they follow the masters of these; ties in a circle are an error. */
static piola_status resolve(pio_model *m, const tied_node *nodes, piola_error *error)
{
    const size_t ties = m->scene->loading.n_ties;
    size_t most, widest;
    for (size_t pass = 0;; pass++) {
        const int32_t chained = first_chained(&m->fem->desc.ties, &most, &widest);
        if (chained < 0) return PIOLA_OK;
        if (pass == ties)
            return reject(m, &nodes[chained],
                          "tied to nodes that follow it, which holds nothing; exchange body and to, or remove",
                          m->scene->loading.ties[nodes[chained].tie].name, error);
        const piola_status rc = replace(m, most, widest, error);
        if (rc) return rc;
    }
}

/* ---- supports ---------------------------------------------------------------------------------------------- */

/* Returns whether all masters of a tied node are fixed along an axis; owner [unknowns]: boundary of each, or -1. */
static bool follows_fixed(const pio_model *m, int32_t i, int axis, const int32_t *owner)
{
    const pio_tie_desc *t = &m->fem->desc.ties;
    bool fixed = true;
    for (int32_t k = t->start[i]; k < t->start[i + 1]; k++) {
        const int32_t own = owner[(int64_t)t->master[k] * m->scene->method.dimension + axis];
        fixed &= fabs(t->weight[k]) < NOTHING || (own >= 0 && m->scene->loading.boundary[own].type == SCENE_FIXED);
    }
    return fixed;
}

/* Takes what is tied out of the list of constrained unknowns, where its masters are fixed like it. */
static piola_status release(pio_model *m, const tied_node *nodes, const int32_t *owner, piola_error *error)
{
    pio_model_fem *f = m->fem;
    int32_t kept = 0;
    for (int32_t h = 0; h < f->desc.n_constrained; h++) {
        const int32_t tied = which_tied(&f->desc.ties, f->constrained_node[h]);
        const scene_boundary *b = &m->scene->loading.boundary[f->support_boundary[f->constrained_support[h]]];
        if (tied >= 0 && (b->type != SCENE_FIXED || !follows_fixed(m, tied, f->constrained_axis[h], owner))) {
            char what[256];
            snprintf(what, sizeof what,
                     "tied, and constrained along %c where not all that it follows is fixed; leave it to one of them: "
                     "fix what it follows, too, or take it out of the box `on` of",
                     "xyz"[f->constrained_axis[h]]);
            return reject(m, &nodes[tied], what, b->name, error);
        }
        if (tied >= 0) continue;
        f->constrained_node[kept] = f->constrained_node[h];
        f->constrained_axis[kept] = f->constrained_axis[h];
        f->constrained_support[kept++] = f->constrained_support[h];
    }
    f->desc.n_constrained = kept;
    return PIOLA_OK;
}

/* Warns of supports that have lost all their nodes; owner [unknowns]: boundary of each, or -1, before that. */
static void warn_of_empty(pio_model *m, const int32_t *owner, size_t unknowns)
{
    const pio_model_fem *f = m->fem;
    for (size_t b = 0; b < m->scene->loading.n_boundary; b++) {
        bool had = false, has = false;
        for (size_t k = 0; k < unknowns; k++) had |= owner[k] == (int32_t)b;
        for (int32_t h = 0; h < f->desc.n_constrained; h++)
            has |= f->support_boundary[f->constrained_support[h]] == (int32_t)b;
        if (had && !has)
            pio_model_warn(m,
                           "boundary '%s': all its nodes are tied, and their reactions count to the supports of what "
                           "they follow",
                           m->scene->loading.boundary[b].name);
    }
}

static piola_status check_supports(pio_model *m, const tied_node *nodes, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const int dim = m->scene->method.dimension;
    const size_t unknowns = (size_t)f->node_first[f->bodies] * (size_t)dim;
    int32_t *owner = malloc(sizeof *owner * (unknowns + 1));
    if (!owner) return pio_fail_memory(error, sizeof *owner * unknowns, "ties");
    memset(owner, -1, sizeof *owner * (unknowns + 1));
    for (int32_t h = 0; h < f->desc.n_constrained; h++)
        owner[(int64_t)f->constrained_node[h] * dim + f->constrained_axis[h]] =
            f->support_boundary[f->constrained_support[h]];
    const piola_status rc = release(m, nodes, owner, error);
    if (!rc) warn_of_empty(m, owner, unknowns);
    free(owner);
    return rc;
}

piola_status pio_model_ties(pio_model *m, piola_error *error)
{
    const size_t ties = m->scene->loading.n_ties;
    if (!ties) return PIOLA_OK;
    found *all = calloc(ties, sizeof *all);
    tied_node *nodes = NULL;
    piola_status rc = all ? PIOLA_OK : pio_fail_memory(error, ties * sizeof *all, "ties");
    int32_t n = 0, at = 0;
    for (size_t i = 0; !rc && i < ties; i++) {
        rc = find(m, i, &all[i], error);
        n += all[i].ties.n;
    }
    if (!rc) nodes = malloc(sizeof *nodes * ((size_t)n + 1));
    if (!rc && !nodes) rc = pio_fail_memory(error, sizeof *nodes * (size_t)n, "ties");
    for (size_t i = 0; !rc && i < ties; i++)
        for (int32_t k = 0; k < all[i].ties.n; k++)
            nodes[at++] = (tied_node){all[i].node_first + all[i].ties.node[k], (int32_t)i, all[i].ties.start[k],
                                      all[i].ties.start[k + 1] - all[i].ties.start[k]};
    if (!rc) qsort(nodes, (size_t)n, sizeof *nodes, by_node);
    if (!rc) rc = enter(m, all, nodes, n, error);
    if (!rc) rc = resolve(m, nodes, error);
    if (!rc) rc = check_supports(m, nodes, error);
    for (size_t i = 0; all && i < ties; i++) pio_mesh_ties_free(&all[i].ties);
    free(all);
    free(nodes);
    return rc;
}
