/* test_render_obstacles.c -- obstacles in pictures: where the scene and the designs have them in a frame, and what is
 * painted there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/render/render_obstacles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "render_obstacles.vtkhdf"

/* As a resolved scene has them: a floor whose place and slope are designed, a paddle that moves along x and by a design
 * along y, a post whose size is designed; one that is of no use here. */
static const char scene[] =
    "{\"name\": \"three\", \"obstacles\": ["
    "{\"name\": \"floor\", \"type\": \"plane\", \"position\": [0, 0.1], \"rotation\": 0, \"normal\": [0, 2]},"
    "{\"name\": \"paddle\", \"type\": \"box\", \"position\": [0.5, 0.5], \"rotation\": 0.5, \"size\": [0.4, 0.1],"
    " \"motion\": {\"time\": [1, 2, 4], \"x\": [0, 0.1, 0.3], \"y\": [0, 0, 0], \"angle\": [0, 0, 1]}},"
    "{\"name\": \"broken\", \"type\": \"plane\", \"position\": [0, 0.1]},"
    "{\"name\": \"post\", \"type\": \"ball\", \"position\": [0.8, 0.7], \"radius\": 0.1, \"scale\": 2}]}";

static void ok(piola_status rc, const piola_error *error)
{
    if (rc) fail_msg("%s", error->message);
}

/* States at 0, 3 and 9 s with a gradient of the floor's; or a history whose gradients are of three iterations. */
static pio_snapshot_file *file_of(pio_snapshot_kind kind, const char *resolved)
{
    static const double times[] = {0, 3, 9}, point[2] = {0.5, 0.5};
    const pio_snapshot_def def = {.path = NAME,
                                  .kind = kind,
                                  .n_points = 1,
                                  .dimension = 2,
                                  .precision = PIO_SNAPSHOT_F64,
                                  .scene_resolved = resolved,
                                  .objective = "miss"};
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_file *f = NULL;
    const int64_t two = 2, three = 3;
    ok(pio_snapshot_create(&s, &def, &error), &error);
    for (int k = 0; k < 3; k++) {
        const double place[2] = {0, 0.2 + 0.1 * k}, slope = 0.1 * k, none[3] = {0};
        const double size = 3 + k, way[3] = {0.1 + k, 0.2 + k, 0.3 + k};
        ok(pio_snapshot_frame(s, kind == PIO_SNAPSHOT_HISTORY ? k : times[k], point, NULL, &error), &error);
        if (kind != PIO_SNAPSHOT_HISTORY && k > 0) continue;
        const pio_snapshot_gradient by[] = {{"obstacles.floor.position", place, none, 1, &two, "m", "1/m"},
                                            {"obstacles.floor.rotation", &slope, none, 0, NULL, "rad", "1/rad"},
                                            {"obstacles.post.scale", &size, none, 0, NULL, "", ""},
                                            {"obstacles.paddle.motion.y", way, none, 1, &three, "m", "1/m"}};
        for (int i = 0; i < 4; i++) ok(pio_snapshot_put_gradient(s, &by[i], &error), &error);
    }
    ok(pio_snapshot_finish(s, &error), &error);
    ok(pio_snapshot_open(&f, NAME, true, &error), &error);
    return f;
}

static size_t obstacles_in(pio_snapshot_file *f, const char *text, int64_t frame, pio_solid **solids)
{
    cfg_doc doc = {.folder = "."};
    const cfg_file *file = pio_cfg_file(&doc, "scene", text, strlen(text));
    cfg_node *root = file ? pio_cfg_parse(&doc, file, text, strlen(text), 0) : NULL;
    assert_non_null(root);
    const size_t n = pio_render_obstacles(f, root, frame, solids);
    pio_cfg_free(&doc);
    return n;
}

static void near(const char *what, double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-14)) fail_msg("%s: %.17g, not %.17g", what, found, wanted);
}

/* At 3 s the paddle is half way from its second to its third point; before the first and after the last it rests. */
static void obstacles_are_where_motion_and_designs_have_them(void **state)
{
    static const double x[] = {0.5, 0.7, 0.8}, y[] = {0.6, 0.75, 0.8}, angle[] = {0.5, 1, 1.5};
    (void)state;
    for (int history = 0; history < 2; history++) {
        pio_snapshot_file *f = file_of(history ? PIO_SNAPSHOT_HISTORY : PIO_SNAPSHOT_STATES, scene);
        for (int k = 0; k < 3; k++) {
            pio_solid *s;
            assert_int_equal(obstacles_in(f, scene, k, &s), 3); /* not the one without a normal */
            near("the floor's height", s[0].centre[1], history ? 0.2 + 0.1 * k : 0.2);
            near("its slope", s[0].angle, history ? 0.1 * k : 0);
            near("the paddle's place", s[1].centre[0], history ? 0.5 : x[k]);
            near("its height", s[1].centre[1], history ? 0.6 + k : y[k]);
            near("its turn", s[1].angle, history ? 0.5 : angle[k]);
            near("its thickness", s[1].size[1], 0.1);
            near("the post's radius", s[2].radius, history ? 0.1 * (3 + k) : 0.3);
            near("the post's place", s[2].centre[0], 0.8);
            assert_true(s[0].shape == PIO_PLANE && s[1].shape == PIO_BOX && s[2].shape == PIO_BALL);
            free(s);
        }
        pio_solid *none;
        assert_int_equal(obstacles_in(f, "{\"obstacles\": 5}", 0, &none), 0);
        free(none);
        assert_int_equal(obstacles_in(f, "{\"name\": \"free\"}", 0, &none), 0);
        free(none);
        pio_snapshot_close(f);
        assert_int_equal(remove(NAME), 0);
    }
    printf("  in 3 frames of states and 3 of a history: 3 of 4 obstacles, the other says too little\n");
}

/* Places of the unit square, which is the plot: what the signed distance says, but within 3 pixels of an outline. */
static void what_is_inside_is_grey(void **state)
{
    static const pio_solid solids[] = {{.shape = PIO_PLANE, .centre = {0.1, 0.1}, .angle = 0.3, .normal = {0, 2}},
                                       {.shape = PIO_BALL, .centre = {0.8, 0.8}, .radius = 0.1},
                                       {.shape = PIO_BOX, .centre = {0.3, 0.7}, .angle = 0.7, .size = {0.3, 0.1}}};
    const double points[6] = {0.5, 0.95, 0, 0.52, 0.95, 0};
    pio_picture p = pio_picture_default();
    piola_error error;
    pio_image image;
    int left = 1 << 20, top = 1 << 20, right = 0, bottom = 0, wrong = 0, inside = 0;
    (void)state;
    p.dimension = 2;
    p.n = 2;
    p.points = points;
    p.radius = 0.01;
    p.width = p.height = 900;
    p.solids = solids;
    p.n_solids = 3;
    for (int a = 0; a < 2; a++) p.box_min[a] = 0, p.box_max[a] = 1;
    ok(pio_render(&p, &image, &error), &error);
    for (int i = 0; i < 900 * 900;
         i++) { /* pure white is in the plot alone, here up to its upper corners and right side */
        const uint8_t *c = image.rgb + 3 * i;
        if (c[0] != 255 || c[1] != 255 || c[2] != 255) continue;
        if (i % 900 < left) left = i % 900;
        if (i % 900 > right) right = i % 900;
        if (i / 900 < top) top = i / 900;
    }
    bottom = top + right - left;
    for (int y = top; y <= bottom; y += 5)
        for (int x = left; x <= right; x += 5) {
            const double side = right + 1 - left, at[2] = {(x + 0.5 - left) / side, 1 - (y + 0.5 - top) / side};
            const double u = at[0] - 0.3, v = at[1] - 0.7, line = 3 / side;
            const double d[3] = {
                -sin(0.3) * (at[0] - 0.1) + cos(0.3) * (at[1] - 0.1), hypot(at[0] - 0.8, at[1] - 0.8) - 0.1,
                fmax(fabs(cos(0.7) * u + sin(0.7) * v) - 0.15, fabs(cos(0.7) * v - sin(0.7) * u) - 0.05)};
            const double least = fmin(d[0], fmin(d[1], d[2]));
            const uint8_t *c = image.rgb + 3 * (y * 900 + x);
            if (fabs(least) < line || at[1] > 0.9) continue; /* outlines; particles */
            const bool grey = c[0] == 216 && c[1] == 219 && c[2] == 224;
            inside += grey;
            wrong += grey != (least < 0);
        }
    pio_image_free(&image);
    printf("  %d places inside, %d places otherwise than the distances say (threshold 0)\n", inside, wrong);
    assert_true(inside > 1000);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(obstacles_are_where_motion_and_designs_have_them),
                                       cmocka_unit_test(what_is_inside_is_grey)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
