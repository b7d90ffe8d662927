/* fem_rigid.c -- which rigid motions of a body supports leave free, and those motions in words.
 *
 * The rigid motions of a body are m(X) = t + w x (X - c), c the mean of its nodes; with w in units of 1/size all
 * six numbers (2D: three) are lengths. The rows of R are the constrained unknowns' components of m, and at the points
 * of springs the components of m along which they act. What the supports leave free is the null space of R^T R: its
 * eigenvectors with eigenvalues that are nothing beside the largest (Golub and Van Loan 2013, section 8.5: Jacobi). */
#include "solvers/fem/fem_rigid.h"

#include "kernels/fem/fem_element.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- the rows of R ------------------------------------------------------------------------------------------- */

void fem_motion_row(const fem_body *b, const double *X, const double *d, double row[MOTIONS])
{
    double r[3] = {0}, along[3] = {0};
    for (int c = 0; c < DIM; c++) r[c] = (X[c] - b->middle[c]) / b->size, row[c] = along[c] = d[c];
    for (int k = DIM == 3 ? 0 : 2; k < 3; k++) { /* d . (e_k x r) */
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        row[DIM + (DIM == 3 ? k : 0)] = along[q] * r[p] - along[p] * r[q];
    }
}

static void add_row(fem_body *b, const double *X, const double *d)
{
    double row[MOTIONS];
    fem_motion_row(b, X, d, row);
    for (int i = 0; i < MOTIONS; i++)
        for (int j = 0; j < MOTIONS; j++) b->RtR[i][j] += row[i] * row[j];
}

/* The rows of springs at point q of a face: along the axes that have any, or along the normal. */
static void add_springs(const pio_fem_desc *m, const pio_load_desc *l, const int32_t *vertex, int q, fem_body *b)
{
    const int points = fem_points_of(RULE_MASS, l->type);
    const double *value = m->values + 3 * l->value;
    double X[3] = {0}, s[3] = {0}, t[3] = {0}, n[3] = {0}, square = 0;
    real xi[3];
    element_point((int)l->type, points, q, xi);
    for (int a = 0; a < fem_nodes_of(l->type); a++) {
        const fem_shape shape = element_shape((int)l->type, a, xi);
        for (int c = 0; c < DIM; c++) {
            const double x = m->rest[(ptrdiff_t)vertex[a] * DIM + c];
            X[c] += (double)shape.N * x;
            s[c] += (double)shape.d[0] * x;
            t[c] += DIM == 3 ? (double)shape.d[1] * x : 0;
        }
    }
    if (DIM == 2) t[2] = -1; /* s x t = (-s_y, s_x, 0): a normal as good as the other */
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, r = (k + 2) % 3;
        n[k] = s[p] * t[r] - s[r] * t[p];
        square += n[k] * n[k];
    }
    for (int k = 0; k < 3 && l->kind == PIO_FOUNDATION; k++) n[k] /= sqrt(square);
    if (l->kind == PIO_FOUNDATION && value[0] > 0) add_row(b, X, n);
    for (int c = 0; c < DIM && l->kind == PIO_SPRINGS; c++) {
        double axis[3] = {0};
        axis[c] = 1;
        if (value[c] > 0) add_row(b, X, axis);
    }
}

void fem_support_rows(const pio_fem_desc *m, const int *of, const int *of_element, fem_body *bodies)
{
    for (int h = 0; h < m->n_constrained; h++) {
        const int node = m->constrained_node[h];
        double axis[3] = {0};
        axis[m->constrained_axis[h]] = 1;
        add_row(&bodies[of[node]], m->rest + (ptrdiff_t)node * DIM, axis);
    }
    for (const pio_load_desc *l = m->loads; l < m->loads + m->n_loads; l++) {
        const int nodes = fem_nodes_of(l->type), points = fem_points_of(RULE_MASS, l->type);
        const int springs = l->kind == PIO_SPRINGS || l->kind == PIO_FOUNDATION;
        const int faces = of_element && l->type != PIO_POINT1;
        for (int i = 0; springs && i < l->n * points; i++) {
            const int32_t *vertex = l->vertices + (ptrdiff_t)(i / points) * nodes;
            add_springs(m, l, vertex, i % points, &bodies[faces ? of_element[l->owner[i / points]] : of[vertex[0]]]);
        }
    }
}

/* ---- eigenvectors ------------------------------------------------------------------------------------------- */

static void rotate(double A[MOTIONS][MOTIONS], double V[MOTIONS][MOTIONS], int p, int q)
{
    if (fabs(A[p][q]) <= 0) return;
    const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < MOTIONS; k++) {
        const double x = A[k][p], y = A[k][q];
        A[k][p] = c * x - s * y;
        A[k][q] = s * x + c * y;
    }
    for (int k = 0; k < MOTIONS; k++) {
        const double x = A[p][k], y = A[q][k], u = V[k][p], v = V[k][q];
        A[p][k] = c * x - s * y;
        A[q][k] = s * x + c * y;
        V[k][p] = c * u - s * v;
        V[k][q] = s * u + c * v;
    }
}

void fem_diagonalise(double A[MOTIONS][MOTIONS], double V[MOTIONS][MOTIONS])
{
    enum { SWEEPS = 30 };
    for (int i = 0; i < MOTIONS; i++)
        for (int j = 0; j < MOTIONS; j++) V[i][j] = i == j;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < MOTIONS; p++)
            for (int q = p + 1; q < MOTIONS; q++) rotate(A, V, p, q);
}

/* ---- words -------------------------------------------------------------------------------------------------- */

void fem_say(fem_words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (n > 0) w->used = w->used + (size_t)n < w->size ? w->used + (size_t)n : w->size - 1;
}

static void say_vector(fem_words *w, const double *v, int n)
{
    double largest = 0;
    int axis = 0, others = 0;
    for (int c = 0; c < n; c++)
        if (fabs(v[c]) > largest) largest = fabs(v[axis = c]);
    for (int c = 0; c < n; c++) others += c != axis && fabs(v[c]) > 1e-6 * largest;
    if (!others) {
        fem_say(w, "%c", "xyz"[axis]);
        return;
    }
    for (int c = 0; c < n; c++) fem_say(w, "%s%.3g", c ? ", " : "(", fabs(v[c]) > 1e-6 * largest ? v[c] / largest : 0);
    fem_say(w, ")");
}

void fem_say_place(fem_words *w, const double *x)
{
    for (int c = 0; c < DIM; c++) fem_say(w, "%s%.4g", c ? ", " : "(", x[c]);
    fem_say(w, ")");
}

/* A motion with rotation w turns about the axis through c + (w x t)/|w|^2, and slides along it by what t has along
 * w. */
static void say_turn(fem_words *w, const fem_body *b, const double *motion)
{
    double t[3] = {0}, turn[3] = {0}, foot[3] = {0}, square = 0, along = 0;
    for (int c = 0; c < DIM; c++) t[c] = motion[c];
    for (int k = 0; k < (DIM == 3 ? 3 : 1); k++) turn[DIM == 3 ? k : 2] = motion[DIM + k] / b->size;
    for (int k = 0; k < 3; k++) square += turn[k] * turn[k], along += turn[k] * t[k];
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        foot[k] = (turn[p] * t[q] - turn[q] * t[p]) / square + (k < DIM ? b->middle[k] : 0);
    }
    fem_say(w, "from rotating about ");
    if (DIM == 3) {
        fem_say(w, "an axis along ");
        say_vector(w, turn, 3);
        fem_say(w, " through ");
    }
    for (int c = 0; c < DIM; c++)
        if (fabs(foot[c]) < 1e-9 * b->size) foot[c] = 0;
    fem_say_place(w, foot);
    if (fabs(along) > 1e-6 * sqrt(square) * b->size) fem_say(w, " while it slides along it");
}

/* Motions of the null space [free][MOTIONS]: those without rotation first, and the turns about axes as plain as can be,
 * by Gauss-Jordan elimination of the rotations. */
static int split(double free_motion[MOTIONS][MOTIONS], int n)
{
    int turns = 0;
    for (int k = DIM; k < MOTIONS && turns < n; k++) {
        int pivot = -1;
        for (int i = 0; i < n - turns; i++)
            if (pivot < 0 || fabs(free_motion[i][k]) > fabs(free_motion[pivot][k])) pivot = i;
        if (fabs(free_motion[pivot][k]) < 1e-6) continue;
        const int last = n - ++turns;
        for (int c = 0; c < MOTIONS; c++) {
            const double x = free_motion[pivot][c];
            free_motion[pivot][c] = free_motion[last][c];
            free_motion[last][c] = x;
        }
        for (int i = 0; i < n; i++) {
            if (i == last) continue;
            const double factor = free_motion[i][k] / free_motion[last][k];
            for (int c = 0; c < MOTIONS; c++) free_motion[i][c] -= factor * free_motion[last][c];
        }
    }
    return n - turns;
}

int fem_free_motions(fem_body *b, double motion[MOTIONS][MOTIONS])
{
    double V[MOTIONS][MOTIONS], largest = 0;
    int n = 0;
    fem_diagonalise(b->RtR, V);
    for (int k = 0; k < MOTIONS; k++) largest = fmax(largest, b->RtR[k][k]);
    for (int k = 0; k < MOTIONS; k++) {
        if (b->RtR[k][k] > 1e-9 * largest) continue;
        for (int c = 0; c < MOTIONS; c++) motion[n][c] = V[c][k];
        n++;
    }
    return n;
}

void fem_say_motions(fem_words *w, const fem_body *b, double motion[MOTIONS][MOTIONS], int n)
{
    const int slides = split(motion, n);
    for (int i = 0; i < n; i++) {
        if (i) fem_say(w, i + 1 < n ? ", " : " and ");
        if (i < slides) {
            fem_say(w, "from moving along ");
            say_vector(w, motion[i], DIM);
        } else {
            say_turn(w, b, motion[i]);
        }
    }
}
