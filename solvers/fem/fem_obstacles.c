/* fem_obstacles.c -- where the obstacles of a mesh are at a time: what contact, and whatever else sets a time, begin
 * with. */
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

void fem_obstacles_at(fem_sim *f, fem_span span)
{
    sim_obstacle_time t = fem_obstacle_time(f, span, 1);
    t.from -= 1; /* no velocity is read, but spans have a length */
    f->contact.span = span;
    f->contact.passed = 1;
    sim_obstacles_place(&f->contact.obstacles, &f->base.queue, &t);
}
