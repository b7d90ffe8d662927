/* kernel_cases_plain.h -- the transfers of particles written down once more, one particle and one node at a time as
 * their formulas say: what the kernels, which work on batches of lanes, must agree with. Case text: C11 and C++17. */
#ifndef PIOLA_TESTS_KERNEL_CASES_PLAIN_H
#define PIOLA_TESTS_KERNEL_CASES_PLAIN_H

#include "kernels/mpm/mpm_g2p.h"
#include "tests/kernels/base/kernel_plain.h"
#include "tests/kernels/mpm/kernel_cases_sample.h"

/* The node of the stencil of a cell at o, and its weight for offset f. */
typedef struct {
    int node;
    double weight, slope[DIM], o[DIM];
} plain_node;

static plain_node plain_node_of(const mpm_box *box, int cell, int q, vec f)
{
    plain_node r;
    int index[DIM];
    node_index(box, cell, index);
    r.weight = 1;
    double w[DIM], dw[DIM];
    for (int a = DIM - 1; a >= 0; a--, q /= 3) {
        const double x = (double)f.x[a] - q % 3; /* from the node to the particle */
        w[a] = fabs(x) < 0.5 ? 0.75 - x * x : 0.5 * (1.5 - fabs(x)) * (1.5 - fabs(x));
        dw[a] = fabs(x) < 0.5 ? -2 * x : x > 0 ? x - 1.5 : x + 1.5;
        r.o[a] = q % 3;
        index[a] += q % 3;
        r.weight *= w[a];
    }
    r.node = node_number(box, field_first(box, cell), index);
    for (int a = 0; a < DIM; a++) {
        r.slope[a] = dw[a];
        for (int b = 0; b < DIM; b++) r.slope[a] *= b == a ? 1 : w[b];
    }
    return r;
}

/* The active nodes are those of the stencils of the particles' cells. */
static void expect_active(case_io *io, const sample *t)
{
    const case_array *list = case_find(io, CASE_OUTPUT, "node_list");
    const int nodes = (int)case_find(io, CASE_OUTPUT, "nodes")->value[0];
    char *active = HOST(io, char, t->nodes), *listed = HOST(io, char, t->nodes);
    int same = 1;
    for (int i = 0; i < nodes; i++) {
        same = same && (i == 0 || list->value[i] > list->value[i - 1]);
        listed[(int)list->value[i]] = 1;
    }
    for (int p = 0; p < t->n; p++) {
        int base[DIM];
        node_index(&t->box, t->cell[p], base);
        for (int q = 0; q < STENCIL; q++) {
            int index[DIM], rest = q;
            for (int a = DIM - 1; a >= 0; a--, rest /= 3) index[a] = base[a] + rest % 3;
            active[node_number(&t->box, 0, index)] = 1;
        }
    }
    for (int i = 0; i < t->nodes; i++) same = same && listed[i] == active[i];
    case_expect(io, same, "nodes are listed in order where a stencil has them, and only there");
}

/* Adds w_o (m, b + B o) of one particle to sums [nodes][DIM + 1]. */
static void plain_spread(double *sums, int nodes, const plain_node *at, double m, const double *b, const double *B)
{
    sums[at->node] += at->weight * m;
    for (int c = 0; c < DIM; c++) {
        double y = b[c];
        for (int d = 0; d < DIM; d++) y += B[DIM * c + d] * at->o[d];
        sums[(size_t)(1 + c) * (size_t)nodes + (size_t)at->node] += at->weight * y;
    }
}

/* Leaves nodes that are not active, whose sums no kernel sets, out of a comparison: plain [nodes][components] gets what
 * the field has where it is 0. */
static void plain_skip(const mpm_lists *l, const real *field, double *plain, int components, int nodes)
{
    for (int c = 0; c < components; c++)
        for (int i = 0; i < nodes; i++) {
            double *p = plain + (size_t)c * (size_t)nodes + (size_t)i;
            const int active = node_is_active(l, i);
            if (!active && fabs(*p) <= 0) *p = (double)field[field_at(nodes, components, c, i)];
        }
}

/* The sums of mpm_p2g and mpm_node_sum at all nodes. */
static void plain_p2g(case_io *io, const mpm_p2g_args *a, const real *node_sums, int nodes)
{
    const mpm_matter *m = &a->matter;
    double *sums = HOST(io, double, (DIM + 1) * nodes);
    if (!plain_compares(io)) return;
    const double dx = (double)a->box.dx, stress = -(double)a->step->h * 4 / dx;
    for (int p = 0; p < m->n; p++) {
        const int id = a->s.id[p];
        const mat C = mat_load(a->s.C, m->n, p);
        const vec f = vec_load(a->s.offset, m->n, p), v = vec_load(a->s.velocity, m->n, p);
        mat tau = particle_tau(&a->s, m, p, id, C);
        if (m->channel) tau = mat_axpby(R(1), tau, R(1), activation_tau(&a->s, m, p));
        if (m->viscosity) tau = mat_axpby(R(1), tau, R(1), solid_viscous_tau(&a->s, m, p));
        if (m->plasticity && has_yield_tau(m, id)) tau = mat_axpby(R(1), tau, R(1), yield_tau(&a->s, m, p, a->step->h));
        double b[DIM], B[DIM * DIM];
        for (int c = 0; c < DIM; c++) {
            b[c] = (double)m->mass[id] * (double)v.x[c];
            for (int d = 0; d < DIM; d++) {
                B[DIM * c + d] =
                    (double)m->mass[id] * dx * (double)C.m[c][d] + stress * (double)m->volume[id] * (double)tau.m[c][d];
                b[c] -= B[DIM * c + d] * (double)f.x[d];
            }
        }
        for (int q = 0; q < STENCIL; q++) {
            const plain_node at = plain_node_of(&a->box, a->s.cell[p], q, f);
            plain_spread(sums, nodes, &at, (double)m->mass[id], b, B);
        }
    }
    plain_skip(&a->l, node_sums, sums, DIM + 1, nodes);
    plain_expect(io, "sums of nodes", node_sums, sums, DIM + 1, nodes);
}

/* The velocity and the affine matrix that mpm_g2p gives to the particles, by place. */
static void plain_g2p(case_io *io, const mpm_g2p_args *a)
{
    const int n = a->matter.n;
    const double s = 4 / (double)a->box.dx;
    double *velocity = HOST(io, double, DIM *n), *affine = HOST(io, double, DIM *DIM *n);
    double *deformation = HOST(io, double, DIM *DIM *n);
    if (!plain_compares(io)) return;
    for (int place = 0; place < n; place++) {
        const int p = a->l.order[place], fluid = law_is_fluid(a->matter.law[a->s.id[p]]);
        const vec f = vec_load(a->s.offset, n, p);
        const mat F = mat_load(a->s.F, n, p);
        for (int q = 0; q < STENCIL; q++) {
            const plain_node at = plain_node_of(&a->box, a->s.cell[p], q, f);
            for (int c = 0; c < DIM; c++) {
                const double v = at.weight * (double)a->velocity[field_at(a->nodes, DIM, c, at.node)];
                velocity[c * n + place] += v;
                for (int d = 0; d < DIM; d++) affine[(DIM * c + d) * n + place] += s * v * (at.o[d] - (double)f.x[d]);
            }
        }
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) {
                double *F_next = deformation + (DIM * c + d) * n + place;
                *F_next = (double)F.m[c][d];
                for (int k = 0; k < DIM && !fluid; k++)
                    *F_next += (double)a->step->h * affine[(DIM * c + k) * n + place] * (double)F.m[k][d];
            }
    }
    plain_expect(io, "velocity", a->next.velocity, velocity, DIM, n);
    plain_expect(io, "C", a->next.C, affine, DIM * DIM, n);
    plain_expect(io, "F", a->next.F, deformation, DIM * DIM, n);
}

/* What mpm_g2p_adj gives to the nodes: sum_p w_o (b + B o), and to the offsets of particles. */
static void plain_g2p_adj(case_io *io, const mpm_g2p_adj_args *a, const real *velocity_bar, int nodes)
{
    const int n = a->matter.n;
    double *sums = HOST(io, double, (DIM + 1) * nodes), *f_bar = HOST(io, double, DIM *n);
    if (!plain_compares(io)) return;
    const double h = (double)a->step->h, s = 4 / (double)a->box.dx;
    for (int place = 0; place < n; place++) {
        const int p = a->l.order[place], fluid = law_is_fluid(a->matter.law[a->s.id[p]]);
        const vec f = vec_load(a->s.offset, n, p);
        const mat F = mat_load(a->s.F, n, p), F_bar = mat_load(a->next_bar.F, n, place);
        double v[DIM] = {0}, C[DIM][DIM] = {{0}}, b[DIM], B[DIM * DIM];
        plain_node at[STENCIL];
        for (int q = 0; q < STENCIL; q++) {
            at[q] = plain_node_of(&a->box, a->s.cell[p], q, f);
            for (int c = 0; c < DIM; c++) {
                const double y = at[q].weight * (double)a->velocity[field_at(a->nodes, DIM, c, at[q].node)];
                v[c] += y;
                for (int d = 0; d < DIM; d++) C[c][d] += s * y * (at[q].o[d] - (double)f.x[d]);
            }
        }
        mat G = mat_diag(R(1));
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) G.m[c][d] += R(h * C[c][d]);
        const mat cof = mat_cofactor(G);
        for (int c = 0; c < DIM; c++) {
            b[c] = (double)a->next_bar.velocity[field_at(n, DIM, c, place)] +
                   h / (double)a->box.dx * (double)a->next_bar.offset[field_at(n, DIM, c, place)];
            for (int d = 0; d < DIM; d++) {
                double C_bar = (double)a->next_bar.C[field_at(n, DIM * DIM, DIM * c + d, place)];
                if (fluid) C_bar += h * (double)a->s.J[p] * (double)a->next_bar.J[place] * (double)cof.m[c][d];
                for (int k = 0; k < DIM && !fluid; k++) C_bar += h * (double)F_bar.m[c][k] * (double)F.m[d][k];
                B[DIM * c + d] = s * C_bar;
                b[c] -= B[DIM * c + d] * (double)f.x[d];
            }
        }
        for (int e = 0; e < DIM; e++) {
            double *to = f_bar + e * n + p;
            *to = (double)a->next_bar.offset[field_at(n, DIM, e, place)];
            for (int c = 0; c < DIM; c++) *to -= B[DIM * c + e] * v[c];
        }
        for (int q = 0; q < STENCIL; q++) {
            plain_spread(sums, nodes, &at[q], 0, b, B);
            for (int c = 0; c < DIM; c++) {
                double field = b[c];
                for (int d = 0; d < DIM; d++) field += B[DIM * c + d] * at[q].o[d];
                field *= (double)a->velocity[field_at(a->nodes, DIM, c, at[q].node)];
                for (int e = 0; e < DIM; e++) f_bar[e * n + p] += at[q].slope[e] * field;
            }
        }
    }
    plain_skip(&a->l, velocity_bar, sums + nodes, DIM, nodes);
    plain_expect(io, "cotangents of grid velocities", velocity_bar, sums + nodes, DIM, nodes);
    plain_expect(io, "cotangents of offsets", a->bar.offset, f_bar, DIM, n);
}

#endif
