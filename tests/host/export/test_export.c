/* test_export.c -- surfaces are closed and turned outwards, curved faces meet, and no file of another is replaced. What
 * other programs read is the matter of check_export.py, which reads the files of `test_export --write DIR`. */
#include "host/base/path.h"
#include "host/export/export.h"
#include "host/snapshot/snapshot_surface.h"
#include "tests/host/mesh/mesh_sample.h"
#include "piola.h"

#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char folder[] = "/tmp/piola_export_XXXXXX";

/* ---- snapshots with a mesh ------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int type, n[3], dimension;
    pio_snapshot_precision precision;
    void (*bend)(double p[3]);
} shape;

static const shape shapes[] = {
    {"cook.vtkhdf", PIO_CELL_QUAD9, {8, 8, 1}, 2, PIO_SNAPSHOT_F64, bend_cook},
    {"beam.vtkhdf", PIO_CELL_HEX27, {4, 4, 12}, 3, PIO_SNAPSHOT_F64, bend_beam},
    {"beam20.vtkhdf", PIO_CELL_HEX20, {3, 3, 6}, 3, PIO_SNAPSHOT_F64, bend_beam},
    {"tets.vtkhdf", PIO_CELL_TET10, {3, 3, 6}, 3, PIO_SNAPSHOT_F32, bend_beam},
    {"bricks.vtkhdf", PIO_CELL_HEX8, {6, 6, 20}, 3, PIO_SNAPSHOT_F64, bend_beam},
    {"triangles.vtkhdf", PIO_CELL_TRI6, {5, 5, 1}, 2, PIO_SNAPSHOT_F64, bend_cook},
    {"cook8.vtkhdf", PIO_CELL_QUAD8, {5, 4, 1}, 2, PIO_SNAPSHOT_F64, bend_cook},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, FRAMES = 3 };

/* The beam is twisted by a quarter turn per frame, the membrane bent upwards. */
static void displace(const shape *s, const double p[3], double frame, double u[3])
{
    if (s->dimension == 3) {
        twist(p, M_PI / 2 * frame, u);
    } else {
        u[0] = -0.004 * frame * (p[0] / 0.048) * (p[1] / 0.06);
        u[1] = 0.008 * frame * (p[0] / 0.048) * (p[0] / 0.048);
    }
}

static piola_status write_frames(pio_snapshot *s, const shape *what, const block_mesh *m, double *rest,
                                 piola_error *error)
{
    const int d = what->dimension;
    double *u = calloc((size_t)m->n * 3, sizeof *u), *energy = calloc((size_t)m->mesh.n_cells, sizeof *energy);
    piola_status rc = PIOLA_OK;
    if (!u || !energy) abort();
    for (int frame = 0; frame < FRAMES && !rc; frame++) {
        for (int64_t i = 0; i < m->n; i++) {
            double one[3] = {0};
            displace(what, m->points + 3 * i, frame, one);
            for (int k = 0; k < d; k++) u[d * i + k] = one[k];
        }
        for (int64_t c = 0; c < m->mesh.n_cells; c++) energy[c] = frame * 1000.0 * (double)(c + 1) / 7;
        const double *values[] = {u, energy, NULL, NULL};
        rc = pio_snapshot_frame(s, 0.25 * frame, frame ? NULL : rest, values, error);
    }
    for (int64_t c = 0; c < m->mesh.n_cells; c++) energy[c] = (double)(c % 3);
    if (!rc) rc = pio_snapshot_static(s, "group", energy, error);
    for (int64_t i = 0; i < m->n; i++) u[i] = 1.0 / (double)(i + 3);
    if (!rc) rc = pio_snapshot_static(s, "mass", u, error);
    free(u);
    free(energy);
    return rc;
}

static piola_status write_shape(const shape *what, const char *path, piola_error *error)
{
    const pio_snapshot_field fields[] = {
        {"displacement", what->dimension, "m", "displacement", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_POINT},
        {"energy", 1, "J/m3", "elastic energy", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_CELL},
        {"group", 1, "", "number of the group", NULL, PIO_SNAPSHOT_STATIC, true, PIO_SNAPSHOT_CELL},
        {"mass", 1, "kg", "lumped mass", NULL, PIO_SNAPSHOT_STATIC, false, PIO_SNAPSHOT_POINT}};
    block_mesh m = block_make(what->type, what->n[0], what->n[1], what->n[2], what->bend);
    double *rest = calloc((size_t)m.n * 3, sizeof *rest);
    if (!rest) abort();
    for (int64_t i = 0; i < m.n; i++)
        for (int k = 0; k < what->dimension; k++) rest[what->dimension * i + k] = m.points[3 * i + k];
    const pio_snapshot_def def = {.path = path,
                                  .n_points = m.n,
                                  .dimension = what->dimension,
                                  .precision = what->precision,
                                  .expected_frames = FRAMES,
                                  .mesh = &m.mesh,
                                  .fields = fields,
                                  .n_fields = 4};
    pio_snapshot *s = NULL;
    piola_status rc = pio_snapshot_create(&s, &def, error);
    if (!rc) rc = write_frames(s, what, &m, rest, error);
    if (!rc)
        rc = pio_snapshot_finish(s, error);
    else
        pio_snapshot_abandon(s);
    free(rest);
    block_free(&m);
    return rc;
}

static int make_folder(void **state)
{
    (void)state;
    piola_error error;
    char path[64];
    if (!mkdtemp(folder)) return -1;
    for (int i = 0; i < SHAPES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, shapes[i].name);
        if (write_shape(&shapes[i], path, &error) != PIOLA_OK) return -1;
    }
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *in_folder(const char *name)
{
    static char path[4][PIO_PATH];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static void export_to(const char *file, const char *to, const char *output, int64_t frame, piola_status wanted,
                      const char *words)
{
    piola_error error = {0};
    piola_export_options o = piola_export_options_default();
    o.file = in_folder(file);
    o.to = to;
    o.output = output ? in_folder(output) : NULL;
    o.frame = frame;
    const piola_status rc = piola_export(&o, &error);
    if (rc != wanted || !strstr(error.message, words))
        fail_msg("%s to %s: exit %d (%d), '%s' (%s)", file, to, (int)rc, (int)wanted, error.message, words);
}

/* ---- surfaces -------------------------------------------------------------------------------------------- */

typedef struct {
    float a[3], b[3];
    int turn; /* 1 as in its triangle, -1 the other way */
} side;

static int compare_sides(const void *p, const void *q)
{
    return memcmp(p, q, 6 * sizeof(float));
}

/* Sides whose two triangles do not run along it in opposite senses, with corners equal to the bit. */
static size_t open_sides(const float *corners, size_t triangles)
{
    side *s = malloc(3 * triangles * sizeof *s);
    size_t open = 0, n = 3 * triangles;
    assert_non_null(s);
    for (size_t t = 0; t < n; t++) {
        const float *a = corners + 9 * (t / 3) + 3 * (t % 3), *b = corners + 9 * (t / 3) + 3 * ((t + 1) % 3);
        const bool swap = memcmp(a, b, 3 * sizeof *a) > 0;
        memcpy(s[t].a, swap ? b : a, sizeof s[t].a);
        memcpy(s[t].b, swap ? a : b, sizeof s[t].b);
        s[t].turn = swap ? -1 : 1;
    }
    qsort(s, n, sizeof *s, compare_sides);
    for (size_t i = 0; i < n;) {
        size_t j = i;
        int sum = 0;
        for (; j < n && compare_sides(&s[i], &s[j]) == 0; j++) sum += s[j].turn;
        open += j - i != 2 || sum != 0;
        i = j;
    }
    free(s);
    return open;
}

static float *read_stl(const char *path, size_t *triangles)
{
    FILE *f = fopen(path, "rb");
    char head[80];
    uint32_t n = 0;
    assert_non_null(f);
    assert_int_equal(fread(head, 1, 80, f), 80);
    assert_int_equal(fread(&n, sizeof n, 1, f), 1);
    assert_memory_equal(head, "Piola ", 6); /* "solid" would mean text */
    float *corners = malloc(((size_t)n + 1) * 9 * sizeof *corners);
    assert_non_null(corners);
    for (size_t t = 0; t < n; t++) {
        char record[50];
        assert_int_equal(fread(record, 1, 50, f), 50);
        memcpy(corners + 9 * t, record + 12, 36);
    }
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    *triangles = n;
    return corners;
}

static double volume(const float *corners, size_t triangles)
{
    double sum = 0;
    for (size_t t = 0; t < triangles; t++) {
        double p[9];
        for (int k = 0; k < 9; k++) p[k] = (double)corners[9 * t + (size_t)k];
        sum += p[0] * (p[4] * p[8] - p[5] * p[7]) + p[1] * (p[5] * p[6] - p[3] * p[8]) +
               p[2] * (p[3] * p[7] - p[4] * p[6]);
    }
    return sum / 6;
}

static void a_twisted_beam_is_closed_turned_outwards_and_keeps_its_volume(void **state)
{
    (void)state;
    for (int i = 1; i <= 4; i++)
        for (int frame = 0; frame < FRAMES; frame++) {
            size_t n = 0;
            export_to(shapes[i].name, "stl", "surface.stl", frame, PIOLA_OK, "");
            float *corners = read_stl(in_folder("surface.stl"), &n);
            const size_t open = open_sides(corners, n);
            const double v = volume(corners, n), exact = 0.2 * 0.2 * 0.8, threshold = frame ? 0.02 : 1e-6;
            print_message("%s, frame %d: %zu triangles, %zu open sides (0), volume off by %.1e (threshold %.0e)\n",
                          shapes[i].name, frame, n, open, fabs(v / exact - 1), threshold);
            assert_int_equal(open, 0);
            assert_true(fabs(v / exact - 1) < threshold);
            corners[0] += 1e-6f; /* control: a hole is seen */
            assert_true(open_sides(corners, n) > 0);
            free(corners);
        }
}

static void cells_of_either_sense_give_the_same_surface(void **state)
{
    (void)state;
    static const int kinds[] = {PIO_CELL_TET4, PIO_CELL_HEX8, PIO_CELL_HEX20, PIO_CELL_HEX27, PIO_CELL_TET10};
    for (int i = 0; i < 5; i++) {
        block_mesh m = block_make(kinds[i], 3, 2, 2, NULL);
        piola_error error;
        for (int turned = 0; turned < 2; turned++) {
            pio_surface s;
            assert_int_equal(pio_surface_make(&s, &m.mesh, 3, m.n, m.points, &error), PIOLA_OK);
            assert_int_equal(s.n, block_parts(kinds[i]) == 1 ? 32 : 64); /* squares, or two triangles each */
            for (size_t f = 0; f < s.n; f++) { /* the first three corners run counter-clockwise seen from outside */
                const double *p = m.points + 3 * s.face[f].node[0], *q = m.points + 3 * s.face[f].node[1],
                             *r = m.points + 3 * s.face[f].node[2];
                double way = 0;
                for (int k = 0; k < 3; k++) {
                    const int a = (k + 1) % 3, b = (k + 2) % 3;
                    const double n = (q[a] - p[a]) * (r[b] - p[b]) - (q[b] - p[b]) * (r[a] - p[a]);
                    way += n * ((p[k] + q[k] + r[k]) / 3 - 0.5);
                }
                assert_true(way > 0);
            }
            pio_surface_free(&s);
            for (int64_t k = 0; k < m.n; k++)
                m.points[3 * k] = 1 - m.points[3 * k]; /* a mirror: every cell is inside out */
        }
        block_free(&m);
    }
}

static void a_plane_mesh_is_all_surface_and_a_sheet_stays_as_it_is(void **state)
{
    (void)state;
    block_mesh m = block_make(PIO_CELL_TRI6, 3, 4, 1, NULL);
    piola_error error;
    for (int dimension = 2; dimension <= 3; dimension++) {
        pio_surface s;
        assert_int_equal(pio_surface_make(&s, &m.mesh, dimension, m.n, m.points, &error), PIOLA_OK);
        assert_int_equal(s.n, 24);
        for (int k = 0; k < 6; k++) assert_int_equal(s.face[5].node[k], m.connectivity[m.offsets[5] + k]);
        pio_surface_free(&s);
    }
    for (int64_t k = 0; k < m.n; k++) m.points[3 * k] = 1 - m.points[3 * k];
    pio_surface s;
    assert_int_equal(pio_surface_make(&s, &m.mesh, 2, m.n, m.points, &error), PIOLA_OK);
    assert_int_equal(s.face[5].node[1], m.connectivity[m.offsets[5] + 2]); /* in the plane it is turned upwards */
    assert_int_equal(s.face[5].node[3], m.connectivity[m.offsets[5] + 5]);
    pio_surface_free(&s);
    block_free(&m);
}

/* Functions are 1 at their node and 0 at the others, sum to 1, and reproduce x, y and their slopes. */
static void tessellations_interpolate(void **state)
{
    (void)state;
    static const int types[] = {PIO_CELL_TRI3, PIO_CELL_TRI6, PIO_CELL_QUAD4, PIO_CELL_QUAD8, PIO_CELL_QUAD9};
    static pio_tessellation p;
    double worst = 0;
    for (int i = 0; i < 5; i++)
        for (int parts = 1; parts <= PIO_MOST_PARTS; parts *= 2) {
            pio_tessellation_make(&p, types[i], parts);
            const bool four = i > 1;
            const double x[9] = {0, 1, four, 0, 0.5, four ? 1 : 0.5, four ? 0.5 : 0, 0, 0.5};
            const double tri6[6] = {0, 1, 0, 0.5, 0.5, 0};
            const double *node = four ? x : tri6;
            for (int v = 0; v < p.n_vertices; v++) {
                double sum = -1;
                for (int k = 0; k < p.nodes; k++) sum += p.weight[v][k];
                worst = fmax(worst, fabs(sum));
            }
            for (int at = 0; at < p.nodes; at++) {
                double slope[2] = {-1, 0};
                for (int a = 0; a < 2; a++)
                    for (int k = 0; k < p.nodes; k++) slope[a] += p.slope[at][a][k] * node[k];
                worst = fmax(worst, fmax(fabs(slope[0]), fabs(slope[1])));
            }
            assert_int_equal(p.n_triangles, (four ? 2 : 1) * parts * parts);
            double area = 0;
            for (int t = 0; t < p.n_triangles; t++) {
                const double *a = p.at[p.triangle[t][0]], *b = p.at[p.triangle[t][1]], *c = p.at[p.triangle[t][2]];
                const double one = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
                assert_true(one > 0);
                area += one;
            }
            worst = fmax(worst, fabs(area - (four ? 1 : 0.5)));
        }
    print_message("sums and slopes of the functions are off by at most %.1e (threshold 0)\n", worst);
    assert_true(worst <= 0);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool holds(const char *path, const char *text)
{
    char got[100] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    const size_t n = fread(got, 1, 99, f);
    fclose(f);
    return n == strlen(text) && !memcmp(got, text, n);
}

static void what_was_not_exported_is_not_replaced(void **state)
{
    (void)state;
    static const char *const formats[] = {"vtu", "csv", "stl"};
    for (int i = 0; i < 3; i++) {
        put(in_folder("mine"), "my own\n");
        export_to("beam.vtkhdf", formats[i], "mine", -1, PIOLA_CANNOT_CREATE, "not written by this command");
        assert_true(holds(in_folder("mine"), "my own\n"));
        assert_int_equal(unlink(in_folder("mine")), 0);
        export_to("beam.vtkhdf", formats[i], "mine", -1, PIOLA_OK, ""); /* control: and again over its own */
        export_to("beam.vtkhdf", formats[i], "mine", -1, PIOLA_OK, "");
        export_to("beam.vtkhdf", formats[(i + 1) % 3], "mine", -1, PIOLA_CANNOT_CREATE, "not written");
        export_to("beam.vtkhdf", formats[i], "beam.vtkhdf", -1, PIOLA_CANNOT_CREATE, "not written");
        export_to("beam.vtkhdf", formats[i], ".", -1, PIOLA_CANNOT_CREATE, "not written");
        export_to("beam.vtkhdf", formats[i], "none/mine", -1, PIOLA_CANNOT_CREATE, "No such file");
        assert_int_equal(unlink(in_folder("mine")), 0);
    }
    put(in_folder("mine_cells"), "my own\n");
    export_to("beam.vtkhdf", "csv", "mine", -1, PIOLA_CANNOT_CREATE, "mine_cells exists");
    assert_true(holds(in_folder("mine_cells"), "my own\n"));
    assert_int_equal(access(in_folder("mine"), F_OK), -1);
}

static void arrays_of_another_are_not_replaced(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_folder("arrays"), 0777), 0);
    put(in_folder("arrays/energy.npy"), "my own\n");
    export_to("beam.vtkhdf", "npy", "arrays", -1, PIOLA_CANNOT_CREATE, "energy.npy exists");
    assert_int_equal(unlink(in_folder("arrays/energy.npy")), 0);
    put(in_folder("arrays/fields.json"), "{}\n");
    export_to("beam.vtkhdf", "npy", "arrays", -1, PIOLA_CANNOT_CREATE, "fields.json exists");
    assert_int_equal(unlink(in_folder("arrays/fields.json")), 0);
    put(in_folder("arrays/notes.txt"), "mine too\n");
    export_to("beam.vtkhdf", "npy", "arrays", 0, PIOLA_OK, "");
    export_to("beam.vtkhdf", "npy", "arrays", 1, PIOLA_OK, "");
    assert_true(holds(in_folder("arrays/notes.txt"), "mine too\n"));
    export_to("beam.vtkhdf", "npy", "arrays/notes.txt", 1, PIOLA_CANNOT_CREATE, "folder");
    export_to("beam.vtkhdf", "npy", "none/arrays", 1, PIOLA_CANNOT_CREATE, "No such file");
}

/* ---- pictures of snapshots ------------------------------------------------------------------------------- */

static char *picture(const char *field, double deformation, int64_t frame, size_t *size)
{
    piola_error error = {0};
    piola_render_options o = piola_render_options_default();
    o.file = in_folder("cook.vtkhdf");
    o.output = in_folder("cook.png");
    o.field = field;
    o.deformation = deformation;
    o.frame = frame;
    o.width = 320;
    o.height = 180;
    if (piola_render(&o, &error) != PIOLA_OK) fail_msg("%s", error.message);
    FILE *f = fopen(o.output, "rb");
    char *data = malloc(1 << 20);
    assert_non_null(f);
    assert_non_null(data);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

static bool same_picture(const char *field, double deformation, int64_t frame, const char *other_field,
                         double other_deformation, int64_t other_frame)
{
    size_t n, m;
    char *a = picture(field, deformation, frame, &n), *b = picture(other_field, other_deformation, other_frame, &m);
    const bool same = n == m && memcmp(a, b, n) == 0;
    free(a);
    free(b);
    return same;
}

static void a_picture_shows_the_field_and_the_deformation_requested(void **state)
{
    (void)state;
    assert_true(same_picture(NULL, 1, -1, "displacement", 1, 2));
    assert_false(same_picture("mass", 1, 2, "mass", 1, 1));
    assert_false(same_picture("mass", 1, 2, "mass", 0, 2));
    assert_false(same_picture("mass", 1, 2, "mass", 3, 2));
    assert_false(same_picture("mass", 1, 2, "group", 1, 2));
    assert_false(same_picture("displacement.x", 1, 2, "displacement.y", 1, 2));
    piola_error error;
    piola_render_options o = piola_render_options_default();
    o.file = in_folder("cook.vtkhdf");
    o.output = in_folder("none.png");
    o.deformation = (double)NAN;
    assert_int_equal(piola_render(&o, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "deformation"));
}

static void wrong_questions_are_refused(void **state)
{
    (void)state;
    export_to("beam.vtkhdf", "obj", "x", -1, PIOLA_USAGE, "vtu, csv, npy or stl");
    export_to("beam.vtkhdf", NULL, "x", -1, PIOLA_USAGE, "vtu, csv, npy or stl");
    export_to("beam.vtkhdf", "vtu", "x", 3, PIOLA_USAGE, "no frame 3: from 0 to 2");
    export_to("beam.vtkhdf", "vtu", "x", -2, PIOLA_USAGE, "no frame -2");
    export_to("none.vtkhdf", "vtu", "x", -1, PIOLA_NO_INPUT, "none.vtkhdf");
    assert_int_equal(access(in_folder("x"), F_OK), -1);
    export_to("cook.vtkhdf", "vtu", NULL, 1, PIOLA_OK, "");
    assert_int_equal(access(in_folder("cook_1.vtu"), F_OK), 0);
}

static int write_all(const char *to)
{
    piola_error error;
    char path[PIO_PATH];
    for (int i = 0; i < SHAPES; i++) {
        snprintf(path, sizeof path, "%s/%s", to, shapes[i].name);
        if (write_shape(&shapes[i], path, &error) == PIOLA_OK) continue;
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--write")) return write_all(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tessellations_interpolate),
        cmocka_unit_test(cells_of_either_sense_give_the_same_surface),
        cmocka_unit_test(a_plane_mesh_is_all_surface_and_a_sheet_stays_as_it_is),
        cmocka_unit_test(a_twisted_beam_is_closed_turned_outwards_and_keeps_its_volume),
        cmocka_unit_test(what_was_not_exported_is_not_replaced),
        cmocka_unit_test(arrays_of_another_are_not_replaced),
        cmocka_unit_test(a_picture_shows_the_field_and_the_deformation_requested),
        cmocka_unit_test(wrong_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
