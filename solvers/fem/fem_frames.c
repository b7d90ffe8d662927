/* fem_frames.c -- the cotangents of a state that frames show: of displacement and velocity where these are free, 0
 * where a support constrains them.
 *
 * Newmark's acceleration is no state of its own: at the end of every step M a = f_ext - f_int(u) - C v, so that with M
 * lambda = a_bar
 *
 *     u_bar -= K^T lambda,   v_bar -= C^T lambda
 *
 * makes them the derivatives of what follows if the motion began here, with this displacement and this velocity. Of
 * BDF2 they are those with the state a step earlier kept; of the leapfrog, with the velocity that the state has, that
 * of half a step before. */
#include "solvers/fem/fem.h"

piola_status fem_frame_adj(fem_sim *f, piola_error *error)
{
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    real *u_bar = f->frames.u_bar, *v_bar = f->frames.u_bar + DIM * (size_t)f->mesh.nodes;
    piola_status rc = PIOLA_OK;
    if (f->frames.ready) return PIOLA_OK;
    pio_queue_copy(&f->base.queue, u_bar, f->adjoint.u_bar, fem_moves(f) ? 2 * bytes : bytes);
    if (f->motion.integrator == PIO_NEWMARK)
        rc = fem_acceleration_adj(f, fem_whole(f->base.index - 1), u_bar, v_bar, 0, error);
    if (rc) return rc;
    fem_condense(f, u_bar);
    if (fem_moves(f)) fem_condense(f, v_bar);
    f->frames.ready = 1;
    return sim_failed(&f->base, error);
}
