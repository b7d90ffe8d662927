/* command_sweep.h -- what the files of `piola sweep` share. */
#ifndef PIOLA_HOST_COMMAND_SWEEP_H
#define PIOLA_HOST_COMMAND_SWEEP_H

#include "host/base/folder.h"
#include "host/base/json.h"
#include "host/base/log.h"
#include "host/base/path.h"
#include "host/sweep/members.h"
#include "host/sweep/processes.h"
#include "host/sweep/table.h"
#include "piola.h"

/* The file in a member's folder that says how it failed where there is no result.json, which a part of a sweep writes.
 */
#define PIO_SWEEP_FAILURE "failure.json"

/* A sweep. */
typedef struct {
    const piola_options *options;
    const piola_sweep_options *sweep;
    bool optimizes; /* it is `piola optimize` from several starts: the best result becomes that of the folder */
    bool fits;      /* the optimizer is levenberg_marquardt, which writes residuals */
    bool several;   /* the scene itself has several starts, of which each member has one */
    pio_log *log;
    const char *what; /* command of the members: "run", "grad" or "optimize" */
    int jobs;         /* members at the same time */
    int threads;      /* of a member; 0: as many as OpenMP offers */
    double memory;    /* greatest bytes of a member; 0: as without a sweep */
    char folder[PIO_PATH];
    pio_folder *lock;
    bool printed;     /* the messages of the scene were printed */
    bool advanced;    /* since it began, a member ended for good or came nearer to its end */
    int64_t from, to; /* members of this call: from .. to - 1 */
    char *identity;   /* what the bits of the sweep depend on */
    pio_members members;
    pio_table table;
    /* members of this call: done, failed, done without convergence, not run */
    int64_t finished, failed, unconverged, left;
    int64_t best; /* member with the least objective, of optimisations; -1: none */
} pio_sweep_call;

/* What planning a member gives. */
typedef struct {
    int64_t bytes, disk; /* of the member: in memory, on disk */
    double budget, free; /* bytes: of the scene, 0: none; free on the device */
    char identity[3000]; /* what the bits of the member depend on */
} pio_sweep_plan;

/* Runs a sweep; with `optimizes` as `piola optimize`, whose members are the starts of sweep->starts
 * (command_sweep.c). Returns the errors of piola_sweep(); of an optimisation, PIOLA_NO if no start converged, and
 * PIOLA_MEMBERS_FAILED if none could be computed, or one failed that another run might compute. */
piola_status pio_command_sweep(const piola_options *options, const piola_sweep_options *sweep, bool optimizes,
                               piola_error *error);

/* Chooses the command of the members and the folder, and checks that the scene has all values that members have
 * (command_sweep_member.c). Returns PIOLA_USAGE, PIOLA_CANNOT_CREATE if the folder's name is too long, PIOLA_NO_MEMORY,
 * and the errors of pio_scene_load() with the values that are wrong. */
piola_status pio_sweep_check(pio_sweep_call *s, piola_error *error);
/* Finds the bounds of the design, between which starts are sampled: boxes [*n], as one block that the caller frees.
 * Returns PIOLA_BAD_DATA if a design has no bounds, PIOLA_NO_MEMORY, and the errors of pio_scene_load(), whose messages
 * are printed to stderr (command_sweep_member.c). */
piola_status pio_sweep_find_starts(pio_sweep_call *s, pio_box **boxes, size_t *n, piola_error *error);
/* Writes the folder of a member's results into out[PIO_PATH]. */
void pio_sweep_member_folder(const pio_sweep_call *s, int64_t member, char *out);
/* Writes the overrides of a member as one line, "a=1, b=2 m", into out[size], cut to fit. */
void pio_sweep_member_line(const pio_sweep_call *s, int64_t member, char *out, size_t size);
/* The work of a process (processes.h) for a pio_sweep_call: plans a member, whose pio_sweep_plan is the answer. Returns
 * PIOLA_NO_MEMORY, and the errors of pio_session_open() and pio_command_needs(). */
piola_status pio_sweep_plan_member(void *call, int64_t member, char *answer, piola_error *error);
/* The work of a process for a pio_sweep_call: runs a member. Returns PIOLA_CANNOT_CREATE or
 * PIOLA_NO_MEMORY without a folder for it, and the errors of piola_run(), piola_grad() and piola_optimize(). */
piola_status pio_sweep_run_member(void *call, int64_t member, char *answer, piola_error *error);

/* Makes and locks the folder; continues the sweep that it holds, or begins one (command_sweep_folder.c). A part of a
 * sweep locks it for this moment only. Returns PIOLA_CANNOT_CREATE if it holds another sweep or another run has it,
 * PIOLA_REFUSED for one of another machine, PIOLA_BAD_DATA if its sweep.json is damaged, PIOLA_NO_INPUT if there is
 * nothing to collect, PIOLA_NO_MEMORY or PIOLA_IO. */
piola_status pio_sweep_open_folder(pio_sweep_call *s, piola_error *error);
/* Removes the results that the folder holds, so that the sweep begins anew (command_sweep_folder.c). Returns
 * PIOLA_CANNOT_CREATE if another run has it, or PIOLA_NO_MEMORY. */
piola_status pio_sweep_begin_anew(const pio_sweep_call *s, piola_error *error);
/* Returns whether a member with this outcome is not run again: it is done, or would fail in the same way
 * (command_sweep_folder.c). */
bool pio_sweep_is_final(int exit);
/* Reads which members are finished; to collect them also which failed, to run again (command_sweep_folder.c). */
void pio_sweep_find_finished(pio_sweep_call *s);
/* Writes how a member failed whose process left no result.json, where a process that collects finds it
 * (command_sweep_folder.c). Returns PIOLA_IO or PIOLA_CANNOT_CREATE. */
piola_status pio_sweep_note_failure(const pio_sweep_call *s, int64_t member, piola_error *error);
/* Counts the members of this call by their outcome (command_sweep_folder.c). */
void pio_sweep_count(pio_sweep_call *s);
/* Writes number, folder, overrides, exit code and cause of a member into an object (command_sweep_folder.c). */
void pio_sweep_member_json(const pio_sweep_call *s, int64_t i, pio_json *json);
/* Returns PIOLA_OK, PIOLA_NO or PIOLA_MEMBERS_FAILED, with which the ends of the members let the command end
 * (command_sweep_folder.c). */
piola_status pio_sweep_verdict(const pio_sweep_call *s);
/* Reads the results of all members, and writes sweep.csv, sweep.h5 and, last, sweep.json with `verdict` and its message
 * (command_sweep_folder.c). Returns PIOLA_IO, PIOLA_CANNOT_CREATE or PIOLA_NO_MEMORY. */
piola_status pio_sweep_write(pio_sweep_call *s, piola_status verdict, const char *message, piola_error *error);

/* Writes sweep.json once more, with the exit code that the command has after all; if it cannot be written, it stays
 * (command_sweep_folder.c). */
void pio_sweep_set_exit(const pio_sweep_call *s, piola_status verdict, const char *message);
/* Says how an optimisation from several starts ended (command_sweep_best.c). Returns PIOLA_OK, PIOLA_NO or
 * PIOLA_MEMBERS_FAILED, as pio_sweep_verdict(), with the message of all starts. */
piola_status pio_sweep_report_starts(const pio_sweep_call *s, piola_error *error);
/* Of an optimisation from several starts, after pio_sweep_write(): makes the files and, last, the result of the best
 * member those of the folder, and prints that result with --json. If `verdict` says that the sweep did not end,
 * result.json has it and its message alone (command_sweep_best.c). Returns PIOLA_BAD_DATA if the member's result is
 * damaged, PIOLA_CANNOT_CREATE, PIOLA_IO or PIOLA_NO_MEMORY. */
piola_status pio_sweep_place_best(const pio_sweep_call *s, piola_status verdict, const char *message,
                                  piola_error *error);

/* Writes the batch scripts of a sweep into the folder slurm/ of its folder, which it makes, and logs how they are
 * submitted (command_sweep_slurm.c). Returns PIOLA_USAGE if an option is wrong, PIOLA_CANNOT_CREATE, PIOLA_IO or
 * PIOLA_NO_MEMORY. */
piola_status pio_sweep_write_slurm(pio_sweep_call *s, piola_error *error);

#endif
