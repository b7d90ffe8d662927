/* experiment.h -- an experiment of a study in the process that has it: its session, and the answers to requests. */
#ifndef PIOLA_HOST_STUDY_EXPERIMENT_H
#define PIOLA_HOST_STUDY_EXPERIMENT_H

#include "host/run/session.h"
#include "host/scene/study.h"
#include "host/study/blob.h"
#include "piola.h"

/* A request begins with one of these, an integer. An answer begins with a status, and if that is not PIOLA_OK, with
 * the piola_error, with nothing behind. */
typedef enum {
    PIO_STUDY_OPEN,     /* opens the session; the answer describes it: describe() of experiment.c */
    PIO_STUDY_MAP,      /* for all experiments: the numbers of their variables among those of the study */
    PIO_STUDY_EVALUATE, /* z of the study: J, its gradient, and those of constraints or residuals */
    PIO_STUDY_STAGE,    /* number of a stage, which begins */
    PIO_STUDY_FINISH    /* as EVALUATE; the experiment's files are written, too */
} pio_study_request;

/* What all processes of a study know. */
typedef struct {
    const piola_options *options;
    const pio_study *study;
    const char *command; /* name of the command */
    const char *folder;  /* of the study's results */
    int threads;         /* of each process; 0: as many as OpenMP offers */
    double memory;       /* greatest bytes of an experiment; 0: as without a study */
    /* Computes the gradient of an experiment at z [n_variables], and writes its states and its picture. */
    piola_status (*write_best)(pio_session *session, const double *z, piola_error *error);
    struct pio_ranks *ranks;      /* those of mpirun; NULL: none */
    struct pio_study_slot *slots; /* [study->n] sessions of this process, pio_study_slots() */
} pio_study_call;

/* Makes the slots, without sessions, for pio_study_end(). Returns NULL without memory. */
struct pio_study_slot *pio_study_slots(const pio_study *study);
/* Answers a request for an experiment: the work of a team (team.h), whose context is a pio_study_call. */
void pio_study_work(void *call, size_t experiment, pio_blob *request, pio_blob *answer);
/* Closes the sessions of this process, which unlocks their folders, and frees the slots of a pio_study_call. */
void pio_study_end(void *call);

#endif
