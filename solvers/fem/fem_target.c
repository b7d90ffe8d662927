/* fem_target.c -- where quantities of elements and of nodes are, which designs and values that vary set. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_vary.h"

fem_element_target fem_element_target_of(const fem_sim *f, pio_quantity quantity)
{
    if (quantity == PIO_DENSITY) return (fem_element_target){f->materials.density, f->materials.density_bar, 1, 0};
    if (quantity == PIO_THICKNESS)
        return (fem_element_target){f->materials.thickness, f->materials.thickness_bar, 1, 0};
    if (quantity == PIO_RELATIVE_DENSITY)
        return (fem_element_target){f->materials.relative, f->materials.relative_bar, 1, 0};
    if (quantity == PIO_CHOICE) return (fem_element_target){f->materials.choice, f->materials.choice_bar, 1, 0};
    if (quantity == PIO_EXPANSION)
        return (fem_element_target){f->materials.expansion, f->materials.expansion_bar, 1, 0};
    if (quantity == PIO_TEMPERATURE)
        return (fem_element_target){f->materials.temperature, f->materials.temperature_bar, 1, 0};
    if (quantity == PIO_MASS_DAMPING) return (fem_element_target){f->damping.alpha, f->damping.alpha_bar, 1, 0};
    if (quantity == PIO_STIFFNESS_DAMPING) return (fem_element_target){f->damping.beta, f->damping.beta_bar, 1, 0};
    return (fem_element_target){f->materials.parameters, f->materials.parameters_bar, PIO_LAW_CONSTANTS,
                                (int)(quantity - PIO_LAW_PARAMETER_0)};
}

fem_node_target fem_node_target_of(const fem_sim *f, pio_quantity quantity)
{
    if (quantity == PIO_POSITION) return (fem_node_target){f->mesh.reference, f->mesh.rest, f->mesh.rest_bar};
    if (quantity == PIO_DISPLACED) return (fem_node_target){f->motion.initial_u, f->state.u, f->adjoint.u_bar};
    if (quantity == PIO_VELOCITY)
        return (fem_node_target){f->motion.initial_v, fem_state(f, f->state.u, STATE_V),
                                 fem_state(f, f->adjoint.u_bar, STATE_V)};
    return (fem_node_target){NULL, NULL, NULL};
}
