/* snapshot_summed.c -- the tables of checksums of an untrusted file: of the rows of a history, and of frames. */
#include "host/base/crc32c.h"
#include "host/snapshot/snapshot_checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a table [rows, columns] of checksums into f's own memory; NULL on a fault. */
static int64_t *read_table(pio_checked_file *f, const pio_checked_array *d, int64_t first, int64_t rows)
{
    const char *name = "checksums";
    if (!d->integer || d->rank != 2 || d->dims[1] < 1 || d->dims[1] > (hsize_t)f->bytes) {
        (void)pio_checked_fail(f, "'%s' is no table of them", name);
        return NULL;
    }
    if (!pio_checked_fits(f, d, name, rows)) return NULL;
    int64_t *sums = pio_checked_alloc(f, (size_t)rows * (size_t)d->dims[1], sizeof *sums);
    if (!sums || pio_checked_rows(f, d, name, (pio_checked_block){first, rows, -1}, H5T_NATIVE_INT64, sums))
        return sums;
    free(sums);
    return NULL;
}

int64_t pio_checked_sum_of_row(pio_checked_file *f, hid_t group, int64_t row, int64_t column)
{
    pio_checked_array d;
    int64_t sum = -1;
    if (f->status != PIOLA_OK || H5Lexists(group, "checksums", H5P_DEFAULT) <= 0) return -1;
    if (!pio_checked_data(f, group, "checksums", &d)) return -1;
    int64_t *sums = column < (int64_t)d.dims[1] ? read_table(f, &d, row, 1) : NULL;
    if (sums) sum = sums[column];
    free(sums);
    pio_checked_close(d.id);
    return sum;
}

int64_t pio_checked_sum_of_frame(const pio_checked_file *f, const char *column, int64_t frame)
{
    char word[PIO_SNAPSHOT_NAME + 2];
    size_t place = 0;
    if (!f->sums || frame < 0 || frame >= f->info.n_frames) return -1;
    snprintf(word, sizeof word, " %s ", column);
    const char *found = strstr(f->sum_names, word);
    for (const char *at = f->sum_names; found && at < found; at++) place += *at == ' ';
    return found && place < f->n_sums ? f->sums[(size_t)frame * f->n_sums + place] : -1;
}

static void compare_times(pio_checked_file *f)
{
    for (int64_t k = 0; k < f->info.n_frames && f->status == PIOLA_OK; k++) {
        const int64_t sum = pio_checked_sum_of_frame(f, "Values", k);
        if (sum >= 0 && sum != (int64_t)pio_crc32c(0, &f->info.times[k], sizeof *f->info.times))
            (void)pio_checked_fail(f, "the time of frame %lld does not match its checksum: it is damaged",
                                   (long long)k);
    }
}

void pio_checked_frame_sums(pio_checked_file *f)
{
    pio_checked_array d = {.id = -1};
    hid_t root =
        f->status == PIOLA_OK && f->info.n_frames ? pio_checked_open_member(f, f->file, "piola", H5I_GROUP) : -1;
    const bool there = root >= 0 && H5Lexists(root, "checksums", H5P_DEFAULT) > 0;
    hid_t group = there ? pio_checked_open_member(f, root, "checksums", H5I_GROUP) : -1;
    if (group >= 0 && pio_checked_data(f, group, "frames", &d)) {
        char *names = pio_checked_text(f, d.id, "columns");
        const size_t length = names ? strlen(names) : 0;
        f->sum_names = names ? pio_checked_alloc(f, length + 3, 1) : NULL;
        if (f->sum_names) snprintf(f->sum_names, length + 3, " %s ", names);
        free(names);
        if (f->sum_names) f->sums = read_table(f, &d, 0, f->info.n_frames);
        f->n_sums = (size_t)d.dims[1];
        if (f->sums) compare_times(f);
    }
    pio_checked_close(d.id);
    pio_checked_close(group);
    pio_checked_close(root);
}
