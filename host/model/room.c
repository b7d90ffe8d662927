/* room.c -- see room.h. */
#include "host/model/room.h"

#include "host/base/fail.h"
#include "host/base/path.h"
#include "host/mesh/mesh.h"
#include "host/scene/scene_names.h"
#include "host/scene/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- what there is ------------------------------------------------------------------------------------------ */

/* Returns the number behind `name` in a file of lines "name: number kB", in bytes; or the file's only number. Infinite
 * when there is none. */
static double number_in(const char *path, const char *name, double unit)
{
    FILE *file = fopen(path, "r");
    char line[200];
    double found = INFINITY, n;
    while (file && isinf(found) && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%lf", &n) == 1) found = n * unit;
    if (file) fclose(file);
    return found;
}

/* Returns the bytes that the control groups of this process (version 2) leave, from its own up to the first. */
static double group_room(void)
{
    char line[PIO_PATH] = "", path[PIO_PATH + 40];
    FILE *file = fopen("/proc/self/cgroup", "r");
    double least = INFINITY;
    while (file && fgets(line, sizeof line, file) && strncmp(line, "0::/", 4) != 0) line[0] = '\0';
    if (file) fclose(file);
    line[strcspn(line, "\n")] = '\0';
    for (char *slash = line[0] ? line + strlen(line) : NULL; slash; slash = strrchr(line, '/')) {
        *slash = '\0';
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line[0] ? line + 3 : "");
        const double most = number_in(path, "", 1); /* the word max: none */
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", line[0] ? line + 3 : "");
        if (isfinite(most)) least = fmin(least, fmax(0, most - number_in(path, "", 1)));
    }
    return least;
}

double pio_room_bytes(void)
{
    struct rlimit limit;
    double room = number_in("/proc/meminfo", "MemAvailable:", 1024);
    if (isinf(room)) room = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const double used = number_in("/proc/self/status", "VmSize:", 1024);
        room = fmin(room, fmax(0, (double)limit.rlim_cur - (isinf(used) ? 0 : used)));
    }
    return fmin(room, group_room());
}

piola_status pio_room(double bytes, const char *what, piola_error *error)
{
    const double room = pio_room_bytes();
    if (bytes <= room) return PIOLA_OK;
    return pio_fail(error, PIOLA_NO_MEMORY, "%s need at least %.0f bytes of memory, and %.0f are available", what,
                    bytes, room);
}

/* ---- what a scene needs ------------------------------------------------------------------------------------- */

double pio_particle_bytes(const pio_scene *s, double n)
{
    const double dim =
        s->method
            .dimension; /* positions twice, once as they are filled; velocities; volume, density, constants; numbers */
    return n * (sizeof(double) * (3 * dim + 2 + PIO_LAW_CONSTANTS) + 3 * sizeof(int32_t));
}

static void count_particles(const pio_scene *s, pio_counts *c)
{
    c->nodes = 1;
    for (int a = 0; a < s->method.dimension; a++)
        c->nodes *= ceil((s->mpm.grid.max[a] - s->mpm.grid.min[a]) / s->mpm.grid.spacing) + 5;
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const scene_geometry *g = pio_scene_geometry(s, s->matter.bodies[b].geometry);
        if (g->shape == PIO_POINTS || g->shape == PIO_CLOSED_MESH) continue;
        const pio_shape shape = pio_shape_of(g, s->method.dimension);
        c->items += pio_shape_volume(&shape) / pow(s->mpm.grid.spacing, s->method.dimension) *
                    s->matter.bodies[b].particles_per_cell;
    }
    c->bytes = pio_particle_bytes(s, c->items);
}

/* Of a mesh of a file, nothing is known here. Coordinates, tags and groups; and the lists of matrix blocks, to each of
 * which every element adds one for each pair of its nodes. */
static void count_elements(const pio_scene *s, pio_counts *c)
{
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const scene_geometry *g = pio_scene_geometry(s, s->matter.bodies[b].geometry);
        if (g->mesh == SCENE_MESH_FILE) continue;
        const pio_element *e = &pio_elements[g->element];
        const bool simplex = e->corners == e->dimension + 1;
        double cells = !simplex ? 1 : e->dimension == 2 ? 2 : 6, nodes = 1, vertices = 1, edges = 0;
        for (size_t a = 0; a < g->elements.n && a < (size_t)e->dimension; a++) {
            cells *= g->elements.v[a];
            nodes *= e->order * g->elements.v[a] + 1;
            vertices *= g->elements.v[a] + 1;
            edges += g->elements.v[a] / (g->elements.v[a] + 1); /* along this axis, for each vertex */
        }
        if (g->element == PIO_QUAD8 || g->element == PIO_HEX20) nodes = vertices * (1 + edges);
        c->items += cells;
        c->nodes += nodes;
        c->bytes +=
            nodes * (32 + 8.0 * s->method.dimension) + cells * (80 + 24.0 * e->nodes + 16.0 * e->nodes * e->nodes);
    }
}

pio_counts pio_count(const pio_scene *s)
{
    pio_counts c = {0};
    if (s->method.type == SCENE_FEM)
        count_elements(s, &c);
    else
        count_particles(s, &c);
    return c;
}

piola_status pio_room_for_model(const pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    const pio_counts c = pio_count(s);
    char what[300];
    if (s->method.type == SCENE_FEM)
        snprintf(what, sizeof what, "bodies: %.4g elements and %.4g nodes", c.items, c.nodes);
    else
        snprintf(what, sizeof what, "bodies: about %.4g particles, at a spacing of %g m, in a grid of %.4g nodes,",
                 c.items, s->mpm.grid.spacing, c.nodes);
    piola_status rc = pio_room(c.bytes, what, error);
    if (rc) return rc;
    const double steps = fmin((double)m->steps, s->time.duration / fmax(s->output.states_every, s->time.dt));
    snprintf(what, sizeof what, "output.states: %.4g frames", steps);
    return pio_room(steps * sizeof(int64_t), what, error);
}
