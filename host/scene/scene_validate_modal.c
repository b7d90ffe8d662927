/* scene_validate_modal.c -- rules of modal analysis. Vibrations are small and free: what would be without effect on
 * them is rejected. */
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/scene_vary.h"

#include <math.h>

static const char FREE[] = "modes are those of small free vibrations about rest";

/* Reports keys of modal analysis in a scene without it. */
static void check_others(const pio_scene *s, cfg_doc *doc)
{
    if (pio_scene_is_set(doc, "time.modes"))
        pio_cfg_fault(doc, "time.modes", "only 'integrator: modal' has modes; set it, or remove the key");
    if (pio_scene_is_set(doc, "time.repeated"))
        pio_cfg_fault(doc, "time.repeated", "only 'integrator: modal' has modes; set it, or remove the key");
    for (size_t i = 0; i < s->goal.n_observe; i++) {
        PATH(type, "observe[%zu].type", i);
        if (s->goal.observe[i].type == PIO_EIGENFREQUENCY)
            pio_cfg_fault(doc, type, "this scene has no modes; set 'integrator: modal' and time.modes");
    }
}

static void check_keys(cfg_doc *doc)
{
    static const char *const of_time[] = {"dt", "load_steps", "duration"};
    static const char *const of_solves[] = {"tolerance", "max_iterations", "adjoint_tolerance", "linear_iterations",
                                            "halvings",  "projection",     "product",           "preconditioner"};
    for (size_t k = 0; k < sizeof of_time / sizeof *of_time; k++) {
        PATH(path, "time.%s", of_time[k]);
        if (pio_scene_is_set(doc, path))
            pio_cfg_fault(doc, path, "modes have no time, and their number is time.modes: remove it");
    }
    for (size_t k = 0; k < sizeof of_solves / sizeof *of_solves; k++) {
        PATH(path, "solver.%s", of_solves[k]);
        if (pio_scene_is_set(doc, path))
            pio_cfg_fault(doc, path, "modal analysis solves no steps, and has no use for it; remove it");
    }
    if (!pio_scene_is_set(doc, "time.modes"))
        pio_cfg_fault(doc, "time.integrator", "modal analysis needs time.modes, the number of modes; add it");
    if (pio_scene_is_set(doc, "output.states.every"))
        pio_cfg_fault(doc, "output.states.every", "every mode is a frame; remove it");
    if (pio_scene_is_set(doc, "output.states.fields"))
        pio_cfg_fault(doc, "output.states.fields", "the shape of a mode has no amplitude, and so no stress; remove it");
    if (pio_scene_is_set(doc, "output.adjoint"))
        pio_cfg_fault(doc, "output.adjoint", "frequencies are no functions of displacements or forces; remove it");
}

/* Returns whether a vector of a body's start is not 0; NaN stands for an expression or a number that was wrong. */
static bool is_not_zero(const double v[3])
{
    return !(fabs(v[0]) + fabs(v[1]) + fabs(v[2]) <= 0);
}

/* Reports what acts on bodies, or moves them at the start. A resolved scene has a start of 0. */
static void check_rest(const pio_scene *s, cfg_doc *doc)
{
    static const char *const of_body[] = {"displacement", "velocity", "angular_velocity"};
    const double *g = s->common.gravity;
    if (fabs(g[0]) + fabs(g[1]) + fabs(g[2]) > 0)
        pio_cfg_fault(doc, "gravity", "%s, without weight; remove it, or set another time.integrator", FREE);
    for (size_t i = 0; i < s->loading.n_loads; i++) {
        PATH(type, "loads[%zu].type", i);
        if (!pio_load_is_springs(&s->loading.loads[i]))
            pio_cfg_fault(doc, type, "%s, where no load acts; springs and foundation count, remove all others", FREE);
    }
    for (size_t i = 0; i < s->loading.n_boundary; i++) {
        PATH(type, "boundary[%zu].type", i);
        if (s->loading.boundary[i].type != SCENE_FIXED)
            pio_cfg_fault(doc, type, "%s, which no support moves; use 'type: fixed'", FREE);
    }
    for (size_t i = 0; i < s->matter.n_bodies; i++)
        for (size_t k = 0; k < 3; k++) {
            const scene_body *b = &s->matter.bodies[i];
            const double *start[] = {b->displacement, b->velocity, b->angular_velocity};
            const bool varies = (k == 0 && pio_scene_varies(s, SCENE_VARY_DISPLACEMENT, i)) ||
                                (k == 1 && pio_scene_varies(s, SCENE_VARY_VELOCITY, i));
            PATH(path, "bodies[%zu].%s", i, of_body[k]);
            if (pio_scene_is_set(doc, path) && (varies || is_not_zero(start[k])))
                pio_cfg_fault(doc, path, "%s, and have no start; remove it", FREE);
        }
}

/* Reports bodies with stresses of heat, which would change their stiffness. */
static void check_heat(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->matter.n_bodies; i++) {
        PATH(path, "bodies[%zu].temperature", i);
        if (pio_scene_body_is_heated(&s->matter.bodies[i]))
            pio_cfg_fault(doc, path, "%s, without the stress of heat; remove it", FREE);
    }
}

static void check_materials(const pio_scene *s, cfg_doc *doc)
{
    static const char *const damping[] = {"mass_damping", "stiffness_damping"};
    for (size_t i = 0; i < s->materials.n; i++) {
        PATH(density, "materials[%zu].density", i);
        PATH(name, "materials[%zu].name", i);
        if (!(s->materials.v[i].density > 0))
            pio_cfg_fault(doc, pio_scene_is_set(doc, density) ? density : name,
                          "a body that vibrates needs a density above 0 kg/m3; add materials[%zu].density", i);
        for (size_t k = 0; k < 2; k++) {
            PATH(path, "materials[%zu].%s", i, damping[k]);
            const double own = k ? s->materials.v[i].stiffness_damping : s->materials.v[i].mass_damping;
            if (own > 0) pio_cfg_fault(doc, path, "modes are those without damping; remove it");
        }
    }
}

static void check_mode(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_numbers *mode = &s->goal.observe[i].mode;
    PATH(path, "observe[%zu].mode", i);
    if (mode->n > 2) {
        pio_cfg_fault(doc, path, "%zu numbers; one mode, or [first, last] of several", mode->n);
        return;
    }
    for (size_t k = 0; k < mode->n; k++) {
        if (mode->v[k] > floor(mode->v[k]))
            pio_cfg_fault(doc, path, "%g is not the number of a mode, a whole number from 1", mode->v[k]);
        else if (mode->v[k] > s->time.modes)
            pio_cfg_fault(doc, path, "there are %d modes; a larger time.modes, or a lower mode, is needed",
                          s->time.modes);
    }
    if (mode->n == 2 && !(mode->v[1] > mode->v[0]))
        pio_cfg_fault(doc, path, "the last mode, %g, is not above the first, %g", mode->v[1], mode->v[0]);
}

void pio_scene_validate_modal(const pio_scene *s, cfg_doc *doc)
{
    if (s->fem.integrator != PIO_MODAL) {
        check_others(s, doc);
        return;
    }
    check_keys(doc);
    if (s->method.precision == SCENE_F32)
        pio_cfg_fault(doc, "method.precision", "eigenvalues need the digits of f64; remove it");
    if (s->fem.linear == PIO_SOLVE_PCG)
        pio_cfg_fault(doc, "solver.linear", "modal analysis is by elimination; remove it, or use 'linear: direct'");
    check_rest(s, doc);
    check_heat(s, doc);
    check_materials(s, doc);
    for (size_t i = 0; i < s->goal.n_observe; i++) {
        const pio_observable type = s->goal.observe[i].type;
        PATH(path, "observe[%zu].type", i);
        if (type == PIO_EIGENFREQUENCY)
            check_mode(s, doc, i);
        else if (type != PIO_VOLUME && type != PIO_MASS)
            pio_cfg_fault(doc, path,
                          "of modes the frequency is observed, and of bodies volume and mass; use one of them");
    }
}
