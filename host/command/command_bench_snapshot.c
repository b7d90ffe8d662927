/* command_bench_snapshot.c -- piola bench snapshot: the measurements of bench_snapshot.c, as a report for people or as
 * JSON. */
#include "host/bench/bench_snapshot.h"
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/base/output.h"
#include "host/base/signals.h"
#include "host/results/manifest.h"
#include "host/snapshot/snapshot_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

piola_bench_snapshot_options piola_bench_snapshot_options_default(void)
{
    return (piola_bench_snapshot_options){
        .particles = 1000000, .dimension = 3, .frames = 5, .precision = "f32", .folder = "."};
}

static piola_status prepare(pio_snapshot_bench *b, const piola_bench_snapshot_options *o, piola_error *error)
{
    const int dim = o->dimension, per = dim == 3 ? 8 : 4;
    if ((dim != 2 && dim != 3) || o->particles < 1 || o->frames < 1)
        return pio_fail(error, PIOLA_USAGE, "a benchmark needs dimension 2 or 3 and at least one particle and frame");
    if (strcmp(o->precision, "f32") && strcmp(o->precision, "f64"))
        return pio_fail(error, PIOLA_USAGE, "unknown precision '%.60s': f32 or f64", o->precision);
    const double cells = (double)o->particles / per;
    const int side = (int)fmax(1, round(dim == 3 ? cbrt(cells) : sqrt(cells)));
    b->options = (pio_bench_case_options){
        .dimension = dim, .cells = side, .per_cell = per, .law = PIO_HYPER_NEO_HOOKEAN, .steps = 1};
    b->precision = strcmp(o->precision, "f64") ? PIO_SNAPSHOT_F32 : PIO_SNAPSHOT_F64;
    b->frames = o->frames;
    b->folder = o->folder;
    return PIOLA_OK;
}

static double rate(const pio_snapshot_bench *b, double seconds)
{
    return (double)b->file_bytes / seconds;
}

static const char *precision_of(const pio_snapshot_bench *b)
{
    return pio_snapshot_precision_words[b->precision];
}

/* ---- report for people ---------------------------------------------------------------------------------- */

static void print_row(const pio_snapshot_bench *b, const char *what, double seconds, const char *more)
{
    printf("%-36s %10.4f %10.1f%s\n", what, seconds, 1e-6 * rate(b, seconds), more);
}

static void print_part(const char *what, double seconds, double fraction, const char *of)
{
    printf("%-36s %10.4f            %.1f%% of %s\n", what, seconds, 100 * fraction, of);
}

static void print_report(const pio_snapshot_bench *b)
{
    const pio_snapshot_writing *w = &b->writing;
    char frames[32], more[80];
    snprintf(frames, sizeof frames, "  %lld frames", (long long)b->frames);
    snprintf(more, sizeof more, "   %.2f times without", b->reading[1].all / b->reading[0].all);
    printf("piola %s bench snapshot, commit %s\n", PIOLA_VERSION, pio_build_commit());
    printf("case      %lld particles, %dD %s, %lld frames of %.1f MB (positions, velocity, J; numbers of bodies and\n"
           "          materials once): a file of %.1f MB in %s\n",
           (long long)b->particles, b->options.dimension, precision_of(b), (long long)b->frames,
           1e-6 * (double)b->frame_bytes, 1e-6 * (double)b->file_bytes, b->folder);
    printf("method    best of %d after one that is not timed; wall time; MB/s of the whole file, which the system "
           "still holds\n"
           "          in memory when it is read; the writer itself times its checksums, which it cannot leave out; "
           "reading is\n"
           "          opening and every array of every frame, whose own checksums are compared in either case\n",
           PIO_SNAPSHOT_REPETITIONS);
    printf("check     what was read is what was written\n\n");
    printf("%-36s %10s %10s\n", "", "seconds", "MB/s");
    print_row(b, "writing", w->all, "");
    print_part("  static fields", w->begin, w->begin / w->all, "writing");
    print_part(frames, w->frames, w->frames / w->all, "writing");
    print_part("    checksums of their arrays", w->frame_sums, w->frame_sums / w->frames, "the frames");
    print_part("  finish, with the disk's part", w->finish, w->finish / w->all, "writing");
    print_part("    checksums of the file", w->file_sums, w->file_sums / w->all, "writing");
    print_part("  checksums of arrays and file", w->array_sums + w->file_sums, (w->array_sums + w->file_sums) / w->all,
               "writing");
    print_row(b, "reading, verified", b->reading[1].all, more);
    print_part("  opening", b->reading[1].open, b->reading[1].open / b->reading[1].all, "reading");
    print_row(b, "reading, --no-verify", b->reading[0].all, "");
    print_part("  opening", b->reading[0].open, b->reading[0].open / b->reading[0].all, "reading");
    printf("checksums of arrays: %.1f GB/s\n", 1e-9 * (double)b->array_bytes / w->array_sums);
}

/* ---- report for programs -------------------------------------------------------------------------------- */

static void json_case(pio_json *json, const pio_snapshot_bench *b)
{
    pio_json_begin_object(json, "case");
    pio_json_integer(json, "particles", b->particles);
    pio_json_integer(json, "dimension", b->options.dimension);
    pio_json_string(json, "precision", precision_of(b));
    pio_json_integer(json, "frames", b->frames);
    pio_json_integer(json, "file_bytes", b->file_bytes);
    pio_json_integer(json, "frame_bytes", b->frame_bytes);
    pio_json_integer(json, "array_bytes", b->array_bytes);
    pio_json_integer(json, "repetitions", PIO_SNAPSHOT_REPETITIONS);
    pio_json_end_object(json);
}

static void json_writing(pio_json *json, const pio_snapshot_bench *b)
{
    const pio_snapshot_writing *w = &b->writing;
    pio_json_begin_object(json, "writing");
    pio_json_double(json, "seconds", w->all);
    pio_json_double(json, "bytes_per_second", rate(b, w->all));
    pio_json_double(json, "begin_seconds", w->begin);
    pio_json_double(json, "frames_seconds", w->frames);
    pio_json_double(json, "finish_seconds", w->finish);
    pio_json_end_object(json);
    pio_json_begin_object(json, "checksums");
    pio_json_double(json, "frame_seconds", w->frame_sums);
    pio_json_double(json, "frame_share_of_frames", w->frame_sums / w->frames);
    pio_json_double(json, "array_seconds", w->array_sums);
    pio_json_double(json, "array_share_of_writing", w->array_sums / w->all);
    pio_json_double(json, "array_bytes_per_second", (double)b->array_bytes / w->array_sums);
    pio_json_double(json, "file_seconds", w->file_sums);
    pio_json_double(json, "file_share_of_writing", w->file_sums / w->all);
    pio_json_end_object(json);
}

static void json_reading(pio_json *json, const pio_snapshot_bench *b)
{
    static const char *const keys[2] = {"no_verify", "verified"};
    pio_json_begin_object(json, "reading");
    for (int verify = 1; verify >= 0; verify--) {
        pio_json_begin_object(json, keys[verify]);
        pio_json_double(json, "seconds", b->reading[verify].all);
        pio_json_double(json, "bytes_per_second", rate(b, b->reading[verify].all));
        pio_json_double(json, "open_seconds", b->reading[verify].open);
        pio_json_end_object(json);
    }
    pio_json_double(json, "verified_over_no_verify", b->reading[1].all / b->reading[0].all);
    pio_json_end_object(json);
}

static piola_status print_json(const pio_snapshot_bench *b, piola_error *error)
{
    pio_json json;
    pio_json_to_file(&json, stdout, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "command", "bench snapshot");
    pio_json_string(&json, "program", "piola " PIOLA_VERSION);
    json_case(&json, b);
    json_writing(&json, b);
    json_reading(&json, b);
    pio_json_end_object(&json);
    return pio_json_finish(&json, error);
}

piola_status piola_bench_snapshot(const piola_bench_snapshot_options *o, piola_error *error)
{
    pio_snapshot_bench b = {0};
    piola_status rc = prepare(&b, o, error);
    if (!rc) rc = pio_signals_install(error);
    if (rc) return rc;
    rc = pio_snapshot_bench_measure(&b, error);
    pio_signals_restore();
    if (!rc && o->json)
        rc = print_json(&b, error);
    else if (!rc)
        print_report(&b);
    return rc ? rc : pio_output_flush(error);
}
