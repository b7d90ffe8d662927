/* Room host/report: one HTML page about a folder of results, which needs no network. */
/* report.h -- reads the files of a folder of results and writes the page. It simulates nothing, and says what is not
 * there.
 *
 * What it reads: result.json or sweep.json, sweep.csv, states.vtkhdf, history.vtkhdf, and the checksum of every file of
 * the folder. The page is one file without references: styles and a few lines of script are in it, curves are inline
 * SVG, pictures and films are data: addresses, and its Content-Security-Policy permits nothing else. It has no date, so
 * that the same folder gives the same bytes. */
#ifndef PIOLA_HOST_REPORT_H
#define PIOLA_HOST_REPORT_H

#include "host/snapshot/snapshot.h"

#include <stdio.h>

typedef struct pio_report pio_report;

/* A picture or a film that the page contains. */
typedef struct {
    const char *type; /* "image/png", "image/apng" or "video/webm" */
    void *bytes;      /* [size], of malloc() */
    size_t size;
    char title[120];   /* its caption */
    char detail[400];  /* what a screen reader says of it beside its caption */
    char missing[600]; /* why it is not there; "" if it is */
} pio_report_picture;

/* Reads what a folder holds. Returns PIOLA_NO_INPUT if it is no folder, or has neither result.json nor sweep.json;
 * PIOLA_BAD_DATA if one of these is damaged; PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. A damaged file of states is no
 * failure: the page says so. *out can be freed after any outcome. */
piola_status pio_report_open(pio_report **out, const char *folder, piola_error *error);
/* Frees a report and the bytes of its pictures; it may be NULL. */
void pio_report_free(pio_report *report);
/* Returns the open states.vtkhdf (`history`: history.vtkhdf), or NULL where it cannot be read. */
const pio_snapshot_info *pio_report_snapshot(const pio_report *report, bool history);
/* Returns the command that made the folder, "run", "grad", "check", "optimize" or "sweep". */
const char *pio_report_command(const pio_report *report);
/* Returns whether all materials of the scene are linear, or its steps are modes, so that displacements may be drawn
 * smaller; false where the scene is not there. */
bool pio_report_linear(const pio_report *report);
/* Returns whether relative densities of the scene say what is empty, in space, where that hides what is full: not where
 * they choose between two materials. `alone`: and there is but one body. */
bool pio_report_has_empty(const pio_report *report, bool alone);
/* Returns whether the folder is that of a study. */
bool pio_report_study(const pio_report *report);
/* Returns the name of experiment `i` of a study, "" if it can name no folder; NULL if there are no more. */
const char *pio_report_experiment(const pio_report *report, size_t i);
/* Adds a picture, whose bytes belong to the report then. Returns false without memory. */
bool pio_report_add(pio_report *report, const pio_report_picture *picture);
/* Writes the page behind <!DOCTYPE html>, which is the caller's; `own` is the name of the page's own file in the
 * folder, which is not listed, or NULL. Returns PIOLA_NO_MEMORY, or PIOLA_NO_INPUT if a file cannot be read. */
piola_status pio_report_write(const pio_report *report, const char *own, FILE *to, piola_error *error);

#endif
