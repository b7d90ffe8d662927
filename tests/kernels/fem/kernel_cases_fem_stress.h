/* kernel_cases_fem_stress.h -- cases of the fields of stress and strain, at integration points, elements and nodes.
 * Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_STRESS_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_STRESS_H

#include "tests/kernels/fem/kernel_cases_fem.h"

/* Every law in elements of every type; in 2D linear ones in plane stress too. One field is a tensor. */
static void case_fem_stress(case_io *io)
{
    static const char *const names[] = {"Cauchy's stress",
                                        "strain",
                                        "von Mises' stress",
                                        "volume ratio",
                                        "energy density",
                                        "places",
                                        "volumes",
                                        "heated, Cauchy's stress",
                                        "heated, energy",
                                        DIM == 3 ? NULL : "Cauchy's stress of rings",
                                        "strain of rings",
                                        "volumes of rings",
                                        "Cauchy's stress of sheets",
                                        "strain of sheets",
                                        "heated, strain of sheets",
                                        NULL};
    static const int others[] = {PIO_CAUCHY_STRESS, PIO_ENERGY_DENSITY, PIO_CAUCHY_STRESS, PIO_GREEN_STRAIN,
                                 PIO_POINT_VOLUME,  PIO_CAUCHY_STRESS,  PIO_GREEN_STRAIN,  PIO_GREEN_STRAIN};
    const int variant = case_variant(io, names), field = variant > 6 ? others[variant - 7] : variant;
    const int components = field <= PIO_GREEN_STRAIN ? FEM_TENSOR : field == PIO_POINT_POSITION ? DIM : 1;
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    const int n = m->elements;
    if (variant > 8) mesh_plane(&body, variant > 11 ? PIO_PLANE_STRESS : PIO_AXISYMMETRIC);
    mesh_matter(io, &body, CASE_CONSTANT);
    if (variant == 7 || variant == 8 || variant == 14) mesh_heat(io, &body, CASE_CONSTANT);
    int *form = HOST(io, int, n);
    for (int e = 0; e < n; e++) form[e] = DIM == 2 && body.law[e] == PIO_HYPER_LINEAR && e % 2 ? HYPER_PLANE_STRESS : 0;
    fem_stress_args a;
    a.m = body.matter;
    a.form = PUSH(io, int, form, n);
    a.u = mesh_vector(io, m, CASE_CONSTANT, "u", MESH_SPACING / 14); /* of energies, small ones are rounding */
    a.field = field;
    a.components = components;
    a.points = 0;
    for (int t = 0; t < MESH_TYPES; t++) a.points += body.block[t].n * body.block[t].rule.points;
    a.mean = NEW_FIELD(io, components, n, CASE_SET);
    a.volume = NEW_FIELD(io, 1, n, CASE_SET);
    a.at = NEW_FIELD(io, components, a.points, CASE_SET);
    a.first_point = 0;
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH(io, fem_stress, a.b.n, NULL, &a);
        a.first_point += a.b.n * a.b.rule.points;
    }
    case_out(io, "mean", CASE_FIELD, components, n, a.mean);
    case_out(io, "volume", CASE_FIELD, 1, n, a.volume);
    case_out(io, "at", CASE_FIELD, components, a.points, a.at);
}

/* Nodes of elements of the first type, and others that none of these has. */
static void case_fem_stress_node(case_io *io)
{
    const mesh_lattice m = mesh_make(io, DIM);
    int *element = HOST(io, int, m.element_dofs);
    for (int t = 0; t < MESH_TYPES; t++) {
        const int nodes = element_nodes[m.part[t].type];
        for (int i = 0; i < m.part[t].n * nodes; i++)
            element[m.part[t].first_element_node + i] = m.part[t].first + i / nodes;
    }
    fem_stress_node_args a;
    a.nodes = m.points;
    a.elements = m.elements;
    a.components = FEM_TENSOR;
    a.start = m.start[0];
    a.element_node = m.list[0];
    a.element = PUSH(io, int, element, m.element_dofs);
    a.mean =
        (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "mean", FEM_TENSOR, m.elements, -2, 2), CASE_FIELD);
    a.volume = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "volume", 1, m.elements, 0.5, 1.5), CASE_FIELD);
    a.out = NEW_FIELD(io, FEM_TENSOR, m.points, CASE_SET);
    LAUNCH(io, fem_stress_node, m.points, NULL, &a);
    case_out(io, "around nodes", CASE_FIELD, FEM_TENSOR, m.points, a.out);
}

#endif
