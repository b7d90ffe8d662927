/* fem_obstacles.c -- where the obstacles of a mesh are at a time, and what kernels read of them: what contact and
 * friction, and whatever else sets a time, begin with. */
#include "solvers/fem/fem_contact.h"

sim_obstacle_time fem_obstacle_time(const fem_sim *f, fem_span span, double passed)
{
    const double parts = (double)span.parts, at = (double)span.step + (span.part + passed) / parts;
    return (sim_obstacle_time){.index = f->contact.zero,
                               .dt = f->stepping.dt,
                               .at = at,
                               .from = at,
                               .to = (double)span.step + (span.part + 1) / parts};
}

/* The poses after a fraction of the span, with velocities of all of it. */
static sim_obstacle_time moved(const fem_sim *f, fem_span span, double passed)
{
    sim_obstacle_time t = fem_obstacle_time(f, span, passed);
    t.from = fem_obstacle_time(f, span, 0).at;
    return t;
}

sim_obstacle_time fem_obstacle_end(const fem_sim *f, fem_span span)
{
    return moved(f, span, 1);
}

void fem_obstacles_move(fem_sim *f, fem_span span, double passed)
{
    const sim_obstacle_time t = moved(f, span, passed);
    f->contact.span = span;
    f->contact.passed = passed;
    sim_obstacles_place(&f->contact.obstacles, &f->base.queue, &t);
}

void fem_obstacles_at(fem_sim *f, fem_span span)
{
    fem_obstacles_move(f, span, 1);
}

fem_span fem_last_span(const fem_sim *f, int64_t state)
{
    const int parts = state > 0 ? f->stepping.records[state - 1].parts : 1;
    return parts > 1 ? (fem_span){state - 1, parts - 1, parts} : fem_whole(state - 1);
}

fem_contact_args fem_contact_of(const fem_sim *f, const real *u, real *out)
{
    const fem_sim_contact *s = &f->contact;
    return (fem_contact_args){.obstacles = s->obstacles.n,
                              .shape = s->obstacles.shape,
                              .pose = s->obstacles.pose,
                              .coefficients = s->obstacles.coefficients,
                              .node = s->node,
                              .area = s->area,
                              .rest = f->mesh.rest,
                              .u = u,
                              .out = out};
}
