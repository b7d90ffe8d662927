/* test_queue.c -- the launch queue over the CUDA backend, without a GPU: what it counts is what CUDA's runtime was
 * called for, a sum and a scan are one launch each, and their results have the CPU's bits. */
#include "tests/sanitized.h"
#include "kernels/backend/queue.h"

#include "tests/cuda_stand_in/cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 300000 };

typedef struct {
    pio_arena arena;
    pio_queue queue;
    real *a, *b;
    double *sum;
    int *limit, *in, *out;
} machine;

static void lay_out(machine *m)
{
    m->a = pio_arena_take(&m->arena, sizeof *m->a * MOST);
    m->b = pio_arena_take(&m->arena, sizeof *m->b * MOST);
    m->sum = pio_arena_take(&m->arena, sizeof *m->sum);
    m->limit = pio_arena_take(&m->arena, sizeof *m->limit);
    m->in = pio_arena_take(&m->arena, sizeof *m->in * MOST);
    m->out = pio_arena_take(&m->arena, sizeof *m->out * (MOST + 1));
    m->queue.sum_work = pio_arena_take(&m->arena, sizeof(double) * PIO_SUM_WORK(MOST));
    m->queue.scan_work = pio_arena_take(&m->arena, sizeof(int) * PIO_SCAN_WORK(MOST));
}

static void open_machine(machine *m, const pio_backend *backend)
{
    pio_device_info info;
    *m = (machine){.queue = {.backend = backend, .arena = &m->arena}};
    assert_int_equal(backend->open(0, 1, &info, &m->queue.stream), 0);
    lay_out(m);
    assert_int_equal(pio_arena_create(&m->arena, backend, m->arena.used), 0);
    lay_out(m);
    real *host = malloc(sizeof *host * MOST);
    assert_non_null(host);
    for (int i = 0; i < MOST; i++) host[i] = (real)((int64_t)i * 7919 % 1000003) / 1000003 - (real)0.3;
    pio_queue_upload(&m->queue, m->a, host, sizeof *host * MOST);
    for (int i = 0; i < MOST; i++) host[i] = (real)((int64_t)i * 104729 % 999983) / 999983 + (real)0.5;
    pio_queue_upload(&m->queue, m->b, host, sizeof *host * MOST);
    free(host);
}

static void close_machine(machine *m)
{
    pio_arena_destroy(&m->arena);
    m->queue.backend->close(m->queue.stream);
}

static double sum_of(machine *m, int n, const int *limit)
{
    double sum = 0;
    pio_sum(&m->queue, krylov_dot, n, limit, m->sum, .a = m->a, .b = m->b);
    pio_queue_download(&m->queue, &sum, m->sum, sizeof sum);
    assert_false(pio_queue_failed(&m->queue));
    return sum;
}

static void sums_have_the_bits_of_the_cpu(void **state)
{
    static const int sizes[] = {0, 1, 255, 256, 257, 4099, 65536, 65537, 131072 + 17, MOST, 300, 1};
    machine cpu, cuda;
    double previous = 0;
    (void)state;
    open_machine(&cpu, &pio_backend_cpu);
    open_machine(&cuda, &pio_backend_cuda);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const double wanted = sum_of(&cpu, sizes[s], NULL), got = sum_of(&cuda, sizes[s], NULL);
        if (memcmp(&wanted, &got, sizeof got)) fail_msg("%d items: %.17g, and %.17g on the CPU", sizes[s], got, wanted);
        assert_true(s == 0 || memcmp(&previous, &got, sizeof got)); /* other sums do differ */
        previous = got;
    }
    for (int limit = 0; limit <= 70000; limit += 35000) {
        pio_queue_upload(&cpu.queue, cpu.limit, &limit, sizeof limit);
        pio_queue_upload(&cuda.queue, cuda.limit, &limit, sizeof limit);
        const double wanted = sum_of(&cpu, MOST, cpu.limit), got = sum_of(&cuda, MOST, cuda.limit);
        assert_memory_equal(&wanted, &got, sizeof got);
    }
    close_machine(&cpu);
    close_machine(&cuda);
}

/* A scan of any numbers. */
static void scan(machine *m, int n, int *host)
{
    pio_scan(&m->queue, rice_start, n, .bytes = m->in, .offset = m->out);
    pio_queue_download(&m->queue, host, m->out, sizeof *host * ((size_t)n + 1));
    assert_false(pio_queue_failed(&m->queue));
}

static void scans_are_exact(void **state)
{
    static const int sizes[] = {MOST, 0, 1, 1023, 1024, 1025, 2048, 70000, MOST, 5};
    machine cuda;
    int *in = malloc(sizeof *in * MOST), *host = malloc(sizeof *host * (MOST + 1));
    (void)state;
    assert_true(in && host);
    open_machine(&cuda, &pio_backend_cuda);
    for (int i = 0; i < MOST; i++) in[i] = (int)((int64_t)i * 7919 % 2003);
    pio_queue_upload(&cuda.queue, cuda.in, in, sizeof *in * MOST);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int sum = 0;
        scan(&cuda, sizes[s], host);
        for (int i = 0; i < sizes[s]; sum += in[i++])
            if (host[i] != sum) fail_msg("%d items: %d before item %d, not %d", sizes[s], host[i], i, sum);
        assert_int_equal(host[sizes[s]], sum);
    }
    close_machine(&cuda);
    free(in);
    free(host);
}

/* What the queue and the runtime count from here on must be equal. */
typedef struct {
    pio_queue_counts queue;
    struct stand_in_counted runtime;
} counted;

static counted count(const machine *m)
{
    return (counted){m->queue.counts, stand_in_count()};
}

static void assert_counts(const machine *m, const counted *from, long launches, long copies, long waits)
{
    const counted now = count(m);
    assert_int_equal(now.queue.launches - from->queue.launches, launches);
    assert_int_equal(now.queue.copies - from->queue.copies, copies);
    assert_int_equal(now.queue.waits - from->queue.waits, waits);
    assert_int_equal(now.runtime.launches - from->runtime.launches, launches);
    assert_int_equal(now.runtime.copies - from->runtime.copies, copies);
    assert_int_equal(now.runtime.waits - from->runtime.waits, waits);
}

static void what_is_counted_is_what_the_runtime_was_called_for(void **state)
{
    machine m;
    double sum;
    (void)state;
    open_machine(&m, &pio_backend_cuda);
    const counted start = count(&m);
    pio_map(&m.queue, krylov_add, MOST, NULL, .z = m.a, .x = m.b);
    assert_counts(&m, &start, 1, 0, 0);
    pio_sum(&m.queue, krylov_dot, MOST, NULL, m.sum, .a = m.a, .b = m.b);
    assert_counts(&m, &start, 2, 0, 0);
    pio_scan(&m.queue, rice_start, MOST, .bytes = m.in, .offset = m.out);
    assert_counts(&m, &start, 3, 0, 0);
    pio_queue_zero(&m.queue, m.out, sizeof *m.out);
    pio_queue_copy(&m.queue, m.b, m.a, sizeof *m.a * MOST);
    assert_counts(&m, &start, 3, 2, 0);
    pio_queue_download(&m.queue, &sum, m.sum, sizeof sum);
    pio_queue_upload(&m.queue, m.sum, &sum, sizeof sum);
    assert_counts(&m, &start, 3, 4, 2);
    assert_false(pio_queue_failed(&m.queue));
    assert_counts(&m, &start, 3, 4, 3);
    close_machine(&m);
}

/* ---- recorded lists ------------------------------------------------------------------------------------------ */

/* A list of three kernels, a fill and a copy, which changes b and `in`. */
static void listed(machine *m, int n)
{
    pio_queue_record(&m->queue);
    pio_map(&m->queue, krylov_add, n, NULL, .z = m->a, .x = m->b);
    pio_queue_zero(&m->queue, m->out, sizeof *m->out * 100);
    pio_scan(&m->queue, rice_start, 5000, .bytes = m->in, .offset = m->out);
    pio_queue_copy(&m->queue, m->in, m->out, sizeof *m->in * 100);
    pio_sum(&m->queue, krylov_dot, n, NULL, m->sum, .a = m->a, .b = m->b);
    pio_queue_play(&m->queue);
}

static double listed_sum(machine *m, int n)
{
    double sum;
    listed(m, n);
    pio_queue_download(&m->queue, &sum, m->sum, sizeof sum);
    return sum;
}

static void lists_that_come_again_are_replayed_with_the_same_bits(void **state)
{
    static const int sizes[] = {3000, 3000, 3000, 3001, 3000, 3001, 3001, 3000};
    static const long replayed[] = {0, 1, 2, 2, 3, 4, 5, 6};
    machine plain, m;
    (void)state;
    open_machine(&plain, &pio_backend_cuda);
    open_machine(&m, &pio_backend_cuda);
    m.queue.recorder = pio_recorder_create(&pio_backend_cuda);
    assert_non_null(m.queue.recorder);
    const counted start = count(&m);
    for (int i = 0; i < 8; i++) {
        const double wanted = listed_sum(&plain, sizes[i]), got = listed_sum(&m, sizes[i]);
        assert_memory_equal(&wanted, &got, sizeof got);
        assert_int_equal(m.queue.counts.graphs - start.queue.graphs, replayed[i]);
        assert_int_equal(stand_in_count().graphs - start.runtime.graphs, replayed[i]);
        assert_int_equal(m.queue.counts.launches - start.queue.launches, 3 * (i + 1));
        assert_int_equal(m.queue.counts.copies - start.queue.copies, 3 * (i + 1)); /* and the download */
    }
    assert_int_equal(stand_in_count().launches - start.runtime.launches, 2 * 3 * 8);
    assert_int_equal(stand_in_count().copies - start.runtime.copies, 2 * 3 * 8);
    pio_recorder_free(m.queue.recorder, &pio_backend_cuda);
    close_machine(&plain);
    close_machine(&m);
}

/* A copy to the host, or a wait, runs the list so far; more lists than are kept are run all the same. */
static void what_cannot_be_listed_is_run_in_its_order(void **state)
{
    machine plain, m;
    double wanted = 0, got = 0;
    (void)state;
    open_machine(&plain, &pio_backend_cuda);
    open_machine(&m, &pio_backend_cuda);
    m.queue.recorder = pio_recorder_create(&pio_backend_cuda);
    for (int i = 0; i < 3; i++) {
        pio_queue_record(&m.queue);
        pio_map(&m.queue, krylov_add, MOST, NULL, .z = m.a, .x = m.b);
        pio_map(&plain.queue, krylov_add, MOST, NULL, .z = plain.a, .x = plain.b);
        got = sum_of(&m, MOST, NULL);
        wanted = sum_of(&plain, MOST, NULL);
        assert_memory_equal(&wanted, &got, sizeof got);
        pio_map(&m.queue, krylov_add, MOST, NULL, .z = m.a, .x = m.b);
        pio_map(&plain.queue, krylov_add, MOST, NULL, .z = plain.a, .x = plain.b);
        pio_queue_play(&m.queue);
    }
    assert_int_equal(m.queue.counts.graphs, 0);
    for (int i = 0; i < 40; i++) {
        pio_queue_record(&m.queue);
        for (int k = 0; k <= i % 10; k++) {
            pio_map(&m.queue, krylov_add, 100, NULL, .z = m.a, .x = m.b);
            pio_map(&plain.queue, krylov_add, 100, NULL, .z = plain.a, .x = plain.b);
        }
        pio_queue_play(&m.queue);
        got = sum_of(&m, 3000, NULL);
        wanted = sum_of(&plain, 3000, NULL);
        assert_memory_equal(&wanted, &got, sizeof got);
    }
    assert_int_equal(m.queue.counts.graphs, 0); /* ten lists in turn, and fewer are kept */
    for (int i = 0; i < 10000; i++) {           /* more than a list has room for */
        if (i == 0) pio_queue_record(&m.queue);
        pio_map(&m.queue, krylov_add, 1, NULL, .z = m.a, .x = m.b);
        pio_map(&plain.queue, krylov_add, 1, NULL, .z = plain.a, .x = plain.b);
    }
    pio_queue_play(&m.queue);
    got = sum_of(&m, MOST, NULL);
    wanted = sum_of(&plain, MOST, NULL);
    assert_memory_equal(&wanted, &got, sizeof got);
    pio_recorder_free(m.queue.recorder, &pio_backend_cuda);
    close_machine(&plain);
    close_machine(&m);
}

/* Lists of the same kernels with other arguments: from the third on they are replayed, and only what differs is set.
 * Nobody waits in between, so that in streams that are deferred every launch has to keep the arguments that it had. */
static void lists_of_one_shape_are_one_graph_whose_parts_are_set(void **state)
{
    machine plain, m;
    double wanted = 0, got = 0;
    (void)state;
    open_machine(&plain, &pio_backend_cuda);
    open_machine(&m, &pio_backend_cuda);
    m.queue.recorder = pio_recorder_create(&pio_backend_cuda);
    const counted start = count(&m);
    for (int i = 0; i < 9; i++) {
        const struct stand_in_counted before = stand_in_count();
        listed(&m, 3000 + 7 * i); /* the first and the last of five parts differ */
        listed(&plain, 3000 + 7 * i);
        assert_int_equal(m.queue.counts.graphs - start.queue.graphs, i < 2 ? 0 : i - 1);
        assert_int_equal(stand_in_count().nodes_set - before.nodes_set, i < 3 ? 0 : 2);
        if (i % 4) continue;
        pio_queue_download(&m.queue, &got, m.sum, sizeof got);
        pio_queue_download(&plain.queue, &wanted, plain.sum, sizeof wanted);
        assert_memory_equal(&wanted, &got, sizeof got);
    }
    for (int i = 0; i < 6; i++) { /* the fill and the copy differ too */
        const struct stand_in_counted before = stand_in_count();
        for (int k = 0; k < 2; k++) {
            machine *to = k ? &plain : &m;
            pio_queue_record(&to->queue);
            pio_queue_zero(&to->queue, to->b + 10 * i, sizeof *to->b * 7);
            pio_queue_copy(&to->queue, to->a + 200 * i, to->b + 1000, sizeof *to->a * (size_t)(200 - i));
            pio_map(&to->queue, krylov_add, 50, NULL, .z = to->a, .x = to->b);
            pio_queue_play(&to->queue);
        }
        assert_int_equal(stand_in_count().nodes_set - before.nodes_set, i < 3 ? 0 : 2);
    }
    got = sum_of(&m, MOST, NULL);
    wanted = sum_of(&plain, MOST, NULL);
    assert_memory_equal(&wanted, &got, sizeof got);
    pio_recorder_free(m.queue.recorder, &pio_backend_cuda);
    close_machine(&plain);
    close_machine(&m);
}

/* Without items a kernel is no part of a graph, and a sum is a fill: that is another shape. Fills of other sizes, which
 * CUDA may refuse to set, are too. */
static void lists_of_other_shapes_are_other_graphs(void **state)
{
    static const int sizes[] = {5, 6, 7, 0, 8, 0, 9, 0};
    static const long replayed[] = {0, 0, 1, 1, 2, 3, 4, 5};
    machine plain, m;
    (void)state;
    open_machine(&plain, &pio_backend_cuda);
    open_machine(&m, &pio_backend_cuda);
    m.queue.recorder = pio_recorder_create(&pio_backend_cuda);
    for (int i = 0; i < 8; i++) {
        const double wanted = listed_sum(&plain, sizes[i]), got = listed_sum(&m, sizes[i]);
        assert_memory_equal(&wanted, &got, sizeof got);
        assert_int_equal(m.queue.counts.graphs, replayed[i]);
        assert_false(m.queue.graphs_failed);
    }
    const struct stand_in_counted before = stand_in_count();
    for (int i = 0; i < 6; i++) {
        pio_queue_record(&m.queue);
        pio_queue_zero(&m.queue, m.out, sizeof *m.out * (size_t)(1 + i % 3));
        pio_queue_play(&m.queue);
    }
    assert_int_equal(stand_in_count().graphs - before.graphs, 3);
    assert_int_equal(stand_in_count().nodes_set, before.nodes_set);
    assert_false(m.queue.graphs_failed);
    pio_recorder_free(m.queue.recorder, &pio_backend_cuda);
    close_machine(&plain);
    close_machine(&m);
}

/* The backend, but so many of the next copies are rejected, as a device may reject the setting of a part. */
static int rejected;
static int copy_or_not(pio_stream stream, void *target, const void *source, size_t bytes)
{
    return rejected > 0 && rejected-- ? cudaErrorInvalidValue : pio_backend_cuda.copy(stream, target, source, bytes);
}

/* Where a part of a graph cannot be set, the graph is made anew, and where that fails too, the list runs without. */
static void a_part_that_is_not_set_costs_the_graph_alone(void **state)
{
    pio_backend backend = pio_backend_cuda;
    machine plain, m;
    (void)state;
    backend.copy = copy_or_not;
    open_machine(&plain, &pio_backend_cuda);
    open_machine(&m, &backend);
    m.queue.recorder = pio_recorder_create(&backend);
    for (int i = 0; i < 9; i++) {
        const int64_t graphs = m.queue.counts.graphs;
        const long set = stand_in_count().nodes_set;
        double wanted = 0, got = 0;
        rejected = i == 4 ? 1 : i == 6 ? 2 : 0;
        for (int k = 0; k < 2; k++) {
            machine *to = k ? &plain : &m;
            pio_queue_record(&to->queue);
            pio_map(&to->queue, krylov_add, 3000 + i, NULL, .z = to->a, .x = to->b);
            pio_queue_copy(&to->queue, to->b + 200 * i, to->a, sizeof *to->a * 100);
            pio_sum(&to->queue, krylov_dot, MOST, NULL, to->sum, .a = to->a, .b = to->b);
            pio_queue_play(&to->queue);
            pio_queue_download(&to->queue, k ? &wanted : &got, to->sum, sizeof got);
        }
        assert_int_equal(rejected, 0);
        assert_memory_equal(&wanted, &got, sizeof got);
        assert_int_equal(m.queue.counts.graphs - graphs, i < 2 || i > 5 ? 0 : 1);
        assert_int_equal(stand_in_count().nodes_set - set, i == 3 || i == 5 ? 2 : i == 4 || i == 6 ? 1 : 0);
        assert_int_equal(m.queue.graphs_failed, i > 5);
        assert_false(pio_queue_failed(&m.queue));
    }
    pio_recorder_free(m.queue.recorder, &backend);
    close_machine(&plain);
    close_machine(&m);
}

/* A part of a graph keeps its kind; a part that cannot be added or set changes nothing. */
static void parts_of_a_graph_are_added_once_and_keep_their_kind(void **state)
{
    const pio_backend *b = &pio_backend_cuda;
    machine m;
    pio_graph graph = NULL;
    (void)state;
    open_machine(&m, b);
    const krylov_add_args args = {.z = m.a, .x = m.b};
    assert_int_equal(b->kernels.krylov_add(m.queue.stream, 10, NULL, &args), 0);
    const double before = sum_of(&m, MOST, NULL);
    assert_int_equal(b->graph_create(3, &graph), 0);
    b->graph_aim(graph, 0);
    assert_int_equal(b->kernels.krylov_add(m.queue.stream, 10, NULL, &args), 0);
    assert_int_equal(b->zero(m.queue.stream, m.out, 4), cudaErrorInvalidValue); /* the part is there already */
    b->graph_aim(graph, 1);
    assert_int_equal(b->copy(m.queue.stream, m.a, m.b, 0), 0); /* nothing, and no part */
    b->graph_aim(graph, 3);
    assert_int_equal(b->zero(m.queue.stream, m.out, 4), cudaErrorInvalidValue); /* there is no room */
    b->graph_aim(graph, 2);
    assert_int_equal(b->zero(m.queue.stream, m.b, 4), 0);
    b->graph_aim(NULL, 0);
    double sum = sum_of(&m, MOST, NULL);
    assert_memory_equal(&sum, &before, sizeof sum); /* nothing has run */
    assert_int_equal(b->graph_complete(graph), 0);
    b->graph_aim(graph, 0);
    assert_int_equal(b->zero(m.queue.stream, m.a, 4), cudaErrorInvalidValue);
    b->graph_aim(graph, 1);
    assert_int_equal(b->copy(m.queue.stream, m.a, m.b, 4), cudaErrorInvalidValue);
    b->graph_aim(graph, 2);
    assert_int_equal(b->copy(m.queue.stream, m.a, m.b, 4), cudaErrorInvalidValue);
    b->graph_aim(NULL, 0);
    sum = sum_of(&m, MOST, NULL);
    assert_memory_equal(&sum, &before, sizeof sum);
    assert_int_equal(b->graph_launch(graph, m.queue.stream), 0);
    sum = sum_of(&m, MOST, NULL);
    assert_memory_not_equal(&sum, &before, sizeof sum);
    b->graph_release(graph);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_bits_of_the_cpu),
        cmocka_unit_test(scans_are_exact),
        cmocka_unit_test(what_is_counted_is_what_the_runtime_was_called_for),
        cmocka_unit_test(lists_that_come_again_are_replayed_with_the_same_bits),
        cmocka_unit_test(what_cannot_be_listed_is_run_in_its_order),
        cmocka_unit_test(lists_of_one_shape_are_one_graph_whose_parts_are_set),
        cmocka_unit_test(lists_of_other_shapes_are_other_graphs),
        cmocka_unit_test(a_part_that_is_not_set_costs_the_graph_alone),
        cmocka_unit_test(parts_of_a_graph_are_added_once_and_keep_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
