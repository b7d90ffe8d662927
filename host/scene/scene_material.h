/* scene_material.h -- what bodies are made of: an entry of `materials` of a scene. */
#ifndef PIOLA_HOST_SCENE_MATERIAL_H
#define PIOLA_HOST_SCENE_MATERIAL_H

#include "solvers/engine/vocabulary.h"

#include <stdbool.h>

/* Of a material's constants that are expressions their texts; NULL: a number. The number beside an expression is one of
 * the usual size. */
typedef struct {
    char *E, *nu, *mu, *lambda, *bulk, *density, *c10, *c01, *mu1, *alpha1, *mu2, *alpha2, *expansion;
} scene_material_texts;

/* The volumetric energy: the law's own, or (J - 1)^2/2 times the same constant. */
typedef enum { SCENE_VOLUME_STANDARD, SCENE_VOLUME_QUADRATIC } scene_volume;

/* Constants of other laws are NaN or a default; E, nu, mu, lambda and bulk are 0 there. */
typedef struct {
    char *name;                             /* name of the material */
    pio_law model;                          /* constitutive law, as in piola_laws */
    scene_volume volume;                    /* its volumetric energy; standard where it has no choice */
    bool by_lame_parameters;                /* stated by mu and lambda instead of E and nu */
    double E, nu;                           /* Young's modulus, Pa; Poisson's ratio; also where mu, lambda are stated */
    double mu, lambda;                      /* Lame's constants, Pa; also where E, nu are stated */
    double bulk, gamma;                     /* bulk modulus, Pa (fluids, mooney_rivlin, ogden); exponent (tait) */
    double viscosity;                       /* dynamic viscosity, Pa s, >= 0; MPM */
    double density;                         /* mass per volume at rest, kg/m3; > 0 in MPM; FEM 0: no mass */
    double c10, c01;                        /* Pa (mooney_rivlin) */
    double mu1, alpha1, mu2, alpha2;        /* moduli, Pa, and exponents of the two terms (ogden) */
    double expansion;                       /* coefficient of linear thermal expansion, 1/K; FEM */
    double mass_damping, stiffness_damping; /* Rayleigh's alpha, 1/s, and beta, s; FEM */
    pio_plastic_law plasticity;             /* plastic law; MPM */
    double yield_stress, hardening_modulus; /* Pa (von_mises, herschel_bulkley), Pa (von_mises) */
    double friction_angle, cohesion;        /* rad, Pa (drucker_prager) */
    double consistency, exponent;           /* Pa s^exponent, 1 (herschel_bulkley) */
    /* Snow: the elastic stretch is kept from 1 - critical_compression to 1 + critical_stretch; the moduli grow with
     * compaction by exp(hardening (1 - Jp)). */
    double critical_compression, critical_stretch, hardening;
    scene_material_texts texts; /* FEM: expressions in place of numbers */
} scene_material;

#endif
