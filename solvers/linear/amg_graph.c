/* amg_graph.c -- see amg_graph.h. */
#include "solvers/linear/amg_graph.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void pio_amg_step_free(pio_amg_step *s)
{
    free(s->aggregate);
    free(s->member_start);
    free(s->member);
    free(s->p_start);
    free(s->p_column);
    free(s->t_start);
    free(s->t_row);
    free(s->t_entry);
    free(s->ap_start);
    free(s->ap_column);
    free(s->row_start);
    free(s->column);
    free(s->coupling);
    *s = (pio_amg_step){0};
}

static int *ints(int64_t n)
{
    return n >= INT_MAX ? NULL : malloc(sizeof(int) * ((size_t)n + 1));
}

/* ---- aggregates ------------------------------------------------------------------------------------------ */

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014): every bit of i changes half of the bits. */
static uint64_t hash(uint64_t i)
{
    i += 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return i ^ i >> 31;
}

typedef struct {
    uint64_t key;
    int row;
} candidate;

static int by_key(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? 1 : -1) : (x->row > y->row) - (x->row < y->row);
}

/* What aggregation works with. */
typedef struct {
    const pio_amg_pattern *a;
    const unsigned char *left_out;
    double theta;
    float *own; /* [rows] coupling of each row with itself */
} strength;

static int is_out(const strength *s, int row)
{
    return s->left_out && s->left_out[row];
}

static int is_strong(const strength *s, int i, int k)
{
    const int j = s->a->column[k];
    const double own = (double)s->own[i] * (double)s->own[j], w = (double)s->a->coupling[k];
    return j != i && !is_out(s, j) && w * w > s->theta * s->theta * own;
}

/* Blocks all rows within two strong connections of a root. */
static void block_around(const strength *s, int root, unsigned char *blocked)
{
    const pio_amg_pattern *a = s->a;
    blocked[root] = 1;
    for (int k = a->row_start[root]; k < a->row_start[root + 1]; k++) {
        if (!is_strong(s, root, k)) continue;
        const int j = a->column[k];
        blocked[j] = 1;
        for (int m = a->row_start[j]; m < a->row_start[j + 1]; m++)
            if (is_strong(s, j, m)) blocked[a->column[m]] = 1;
    }
}

/* Rows that couple strongly with one that had an aggregate before join the one they couple with most. */
static void join(const strength *s, const int *before, int *aggregate)
{
    const pio_amg_pattern *a = s->a;
    for (int i = 0; i < a->rows; i++) {
        double most = 0;
        if (before[i] >= 0 || is_out(s, i)) continue;
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const int j = a->column[k];
            const double own = (double)s->own[j], w = (double)a->coupling[k];
            if (before[j] < 0 || !is_strong(s, i, k) || !(w * w > most * own)) continue;
            most = w * w / own;
            aggregate[i] = before[j];
        }
    }
}

/* Roots, in the order of their rows; returns how many. */
static int choose_roots(const strength *s, candidate *order, unsigned char *blocked, int *aggregate)
{
    int n = 0, roots = 0;
    for (int i = 0; i < s->a->rows; i++)
        if (!is_out(s, i)) order[n++] = (candidate){hash((uint64_t)i), i};
    qsort(order, (size_t)n, sizeof *order, by_key);
    for (int k = 0; k < n; k++)
        if (!blocked[order[k].row]) {
            block_around(s, order[k].row, blocked);
            aggregate[order[k].row] = 0;
        }
    for (int i = 0; i < s->a->rows; i++)
        if (aggregate[i] >= 0) aggregate[i] = roots++;
    return roots;
}

/* The members of each aggregate from the aggregates of all rows. */
static void list_members(pio_amg_step *s)
{
    memset(s->member_start, 0, sizeof *s->member_start * ((size_t)s->coarse + 1));
    for (int i = 0; i < s->rows; i++)
        if (s->aggregate[i] >= 0) s->member_start[s->aggregate[i] + 1]++;
    for (int c = 0; c < s->coarse; c++) s->member_start[c + 1] += s->member_start[c];
    for (int i = 0; i < s->rows; i++)
        if (s->aggregate[i] >= 0) s->member[s->member_start[s->aggregate[i]]++] = i;
    memmove(s->member_start + 1, s->member_start, sizeof *s->member_start * (size_t)s->coarse);
    s->member_start[0] = 0;
}

int pio_amg_aggregate(pio_amg_step *step, const pio_amg_pattern *a, const unsigned char *left_out, double theta)
{
    const size_t rows = (size_t)a->rows;
    *step = (pio_amg_step){.rows = a->rows};
    strength s = {.a = a, .left_out = left_out, .theta = theta, .own = malloc(sizeof *s.own * (rows + 1))};
    candidate *order = malloc(sizeof *order * (rows + 1));
    unsigned char *blocked = calloc(rows + 1, 1);
    int *before = ints(a->rows), ok = s.own && order && blocked && before;
    step->aggregate = ints(a->rows);
    if (ok && step->aggregate) {
        for (int i = 0; i < a->rows; i++) {
            step->aggregate[i] = -1;
            s.own[i] = 0;
            for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
                if (a->column[k] == i) s.own[i] = a->coupling[k];
        }
        step->coarse = choose_roots(&s, order, blocked, step->aggregate);
        for (int pass = 0; pass < 2; pass++) {
            memcpy(before, step->aggregate, sizeof *before * rows);
            join(&s, before, step->aggregate);
        }
        step->member_start = ints(step->coarse);
        step->member = ints(a->rows);
        ok = step->member_start && step->member;
        if (ok) list_members(step);
    }
    ok = ok && step->aggregate;
    free(s.own);
    free(order);
    free(blocked);
    free(before);
    if (!ok) pio_amg_step_free(step);
    return ok;
}

/* ---- patterns of products --------------------------------------------------------------------------------- */

/* Rows of columns that are united one after another: the pattern that grows, and which columns its last row has. */
typedef struct {
    int *start, *column;
    int64_t room;
    int *seen; /* [columns] the last row that has this column, + 1 */
    int failed;
} pattern;

static pattern pattern_begin(int rows, int columns, int64_t room)
{
    pattern p = {.start = ints((int64_t)rows + 1), /* no row has an end, too */
                 .column = ints(room),
                 .room = room,
                 .seen = calloc((size_t)columns + 1, sizeof(int))};
    p.failed = !p.start || !p.column || !p.seen;
    if (!p.failed) p.start[0] = p.start[1] = 0;
    return p;
}

static void pattern_add(pattern *p, int row, int column)
{
    if (p->failed || p->seen[column] == row + 1) return;
    p->seen[column] = row + 1;
    if (p->start[row + 1] == p->room) {
        const int64_t room = p->room + p->room / 2 + 16;
        int *more = room >= INT_MAX ? NULL : realloc(p->column, sizeof *more * ((size_t)room + 1));
        p->failed = !more;
        if (!more) return;
        p->column = more;
        p->room = room;
    }
    p->column[p->start[row + 1]++] = column;
}

static int ascending(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Ends a row, and begins the next unless there is none. */
static void pattern_row(pattern *p, int row, int rows)
{
    if (p->failed) return;
    qsort(p->column + p->start[row], (size_t)(p->start[row + 1] - p->start[row]), sizeof *p->column, ascending);
    if (row + 1 < rows) p->start[row + 2] = p->start[row + 1];
}

/* Moves the pattern out. Returns 1, or 0 if it has failed. */
static int pattern_end(pattern *p, int **start, int **column)
{
    free(p->seen);
    *start = p->start;
    *column = p->column;
    return !p->failed;
}

/* P^T: the blocks of each column of P. */
static int transpose(pio_amg_step *s)
{
    const int entries = s->p_start[s->rows];
    s->t_start = calloc((size_t)s->coarse + 2, sizeof *s->t_start);
    s->t_row = ints(entries);
    s->t_entry = ints(entries);
    if (!s->t_start || !s->t_row || !s->t_entry) return 0;
    for (int e = 0; e < entries; e++) s->t_start[s->p_column[e] + 2]++;
    for (int c = 0; c < s->coarse; c++) s->t_start[c + 2] += s->t_start[c + 1];
    for (int i = 0; i < s->rows; i++)
        for (int e = s->p_start[i]; e < s->p_start[i + 1]; e++) {
            const int at = s->t_start[s->p_column[e] + 1]++;
            s->t_row[at] = i;
            s->t_entry[at] = e;
        }
    return 1;
}

static int multiply(pio_amg_step *s, const pio_amg_pattern *a)
{
    pattern p = pattern_begin(s->rows, s->coarse, 2 * (int64_t)s->p_start[s->rows]);
    for (int i = 0; i < s->rows && !p.failed; i++) {
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
            for (int e = s->p_start[a->column[k]]; e < s->p_start[a->column[k] + 1]; e++)
                pattern_add(&p, i, s->p_column[e]);
        pattern_row(&p, i, s->rows);
    }
    return pattern_end(&p, &s->ap_start, &s->ap_column);
}

/* A row of P^T A P without blocks, of a column of P without any, has one on the diagonal all the same. */
static int multiply_again(pio_amg_step *s)
{
    pattern p = pattern_begin(s->coarse, s->coarse, 32 * (int64_t)s->coarse);
    for (int c = 0; c < s->coarse && !p.failed; c++) {
        pattern_add(&p, c, c);
        for (int t = s->t_start[c]; t < s->t_start[c + 1]; t++)
            for (int e = s->ap_start[s->t_row[t]]; e < s->ap_start[s->t_row[t] + 1]; e++)
                pattern_add(&p, c, s->ap_column[e]);
        pattern_row(&p, c, s->coarse);
    }
    return pattern_end(&p, &s->row_start, &s->column);
}

static int find(const int *column, int begin, int end, int wanted)
{
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (column[middle] < wanted)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Aggregates couple as strongly as their members together; with themselves, as with the one they couple with most. */
static int couple(pio_amg_step *s, const pio_amg_pattern *a)
{
    s->coupling = calloc((size_t)s->row_start[s->coarse] + 1, sizeof *s->coupling);
    if (!s->coupling) return 0;
    for (int i = 0; i < s->rows; i++)
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const int c = s->aggregate[i], d = s->aggregate[a->column[k]];
            if (c >= 0 && d >= 0 && c != d)
                s->coupling[find(s->column, s->row_start[c], s->row_start[c + 1], d)] += a->coupling[k];
        }
    for (int c = 0; c < s->coarse; c++) /* the same in both directions, in which terms were added in other orders */
        for (int k = s->row_start[c]; k < s->row_start[c + 1]; k++) {
            const int d = s->column[k], other = find(s->column, s->row_start[d], s->row_start[d + 1], c);
            s->coupling[k] = s->coupling[other] = fmaxf(s->coupling[k], s->coupling[other]);
        }
    for (int c = 0; c < s->coarse; c++) {
        float most = 0;
        for (int k = s->row_start[c]; k < s->row_start[c + 1]; k++) most = fmaxf(most, s->coupling[k]);
        s->coupling[find(s->column, s->row_start[c], s->row_start[c + 1], c)] = most;
    }
    return 1;
}

static int products(pio_amg_step *s, const pio_amg_pattern *a)
{
    return transpose(s) && multiply(s, a) && multiply_again(s);
}

int pio_amg_smoothed(pio_amg_step *s, const pio_amg_pattern *a)
{
    pattern p = pattern_begin(s->rows, s->coarse, 8 * (int64_t)s->rows);
    for (int i = 0; i < s->rows && !p.failed; i++) {
        for (int k = a->row_start[i]; k < a->row_start[i + 1] && s->aggregate[i] >= 0; k++)
            if (s->aggregate[a->column[k]] >= 0) pattern_add(&p, i, s->aggregate[a->column[k]]);
        pattern_row(&p, i, s->rows);
    }
    const int ok = pattern_end(&p, &s->p_start, &s->p_column) && products(s, a) && couple(s, a);
    if (!ok) pio_amg_step_free(s);
    return ok;
}

int pio_amg_given(pio_amg_step *s, const pio_amg_pattern *a)
{
    const int ok = products(s, a);
    if (!ok) pio_amg_step_free(s);
    return ok;
}
