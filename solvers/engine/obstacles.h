/* obstacles.h -- obstacles of particles or meshes (kernels/contact/): their arrays, which a simulation of either method
 * owns, and where they are in a step. */
#ifndef PIOLA_SOLVERS_OBSTACLES_H
#define PIOLA_SOLVERS_OBSTACLES_H

#include "kernels/contact/contact_pose.h"
#include "solvers/engine/sim.h"

/* Where there are none all pointers but `driven` are NULL. */
typedef struct {
    int n;                               /* obstacles */
    char *driven;                        /* host [n] 1: a design changes it, 2: its motion */
    obstacle_shape *shape;               /* [n] */
    real *coefficients;                  /* of the splines of all obstacles that are meshes, m */
    int *motion_start;                   /* [n + 1] the first point of the motion of each */
    int *first_point;                    /* host [n + 1] likewise */
    double *motion, *motion_bar;         /* [points][MOTION_NUMBERS]; cotangents, NULL without a design of a motion */
    double *motion_axis;                 /* [n][3] axis of the rotation */
    double *parameters, *parameters_bar; /* [OBSTACLE_PARAMETERS][n]; cotangents */
    obstacle_pose *pose;                 /* [n] in this step */
    double *pose_bar;                    /* [OBSTACLE_PARAMETERS][n] cotangents of poses in this step */
} sim_obstacles;

/* A time of a step and a span of it, see contact_pose_args. */
typedef struct {
    const int64_t *index; /* device [1] number of the step */
    double dt;            /* s */
    double at, from, to;  /* fractions of dt */
} sim_obstacle_time;

/* Returns whether a quantity is one obstacle's. */
static inline int sim_is_of_obstacle(pio_quantity quantity)
{
    return quantity >= PIO_OBSTACLE_POSITION && quantity <= PIO_OBSTACLE_ANGLE;
}

/* Checks obstacles and the designs of them. Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be. */
piola_status sim_obstacles_accept(const pio_engine_desc *desc, piola_error *error);
/* Sets their number and allocates their host memory; returns 0 without memory. */
int sim_obstacles_begin(sim_obstacles *all, const pio_engine_desc *desc);
/* Frees it. */
void sim_obstacles_free(sim_obstacles *all);
/* Lays out their device memory, with that of cotangents for an adjoint. */
void sim_obstacles_layout(sim_obstacles *all, pio_arena *arena, const pio_engine_desc *desc, int adjoint);
/* Uploads them; conditions on velocities hold fully up to the distance `full`, m. */
void sim_obstacles_upload(const sim_obstacles *all, pio_queue *q, const pio_engine_desc *desc, double full);
/* Sets their poses at a time of the step. */
void sim_obstacles_place(const sim_obstacles *all, pio_queue *q, const sim_obstacle_time *time);
/* Zeroes their cotangents at the beginning of an adjoint sweep. */
void sim_obstacles_adj_begin(const sim_obstacles *all, pio_queue *q);
/* Sets the cotangents of the pose of obstacle o to the sums of contributions [items][OBSTACLE_PARAMETERS] of the first
 * min(items, *limit) items, where a design moves it. */
void sim_obstacles_gather(const sim_obstacles *all, pio_queue *q, int o, int items, const int *limit,
                          const real *contribution);
/* The adjoint of sim_obstacles_place(): adds those of the poses to the cotangents of parameters. */
void sim_obstacles_place_adj(const sim_obstacles *all, pio_queue *q, const sim_obstacle_time *time);
/* Copies the values of a design of an obstacle into its parameters, or with `back` their cotangents into `value`. */
void sim_obstacle_design(const sim_obstacles *all, pio_queue *q, const pio_design_desc *d, double *value, int back);

#endif
