/* command_study.h -- the commands of scenes for studies. */
#ifndef PIOLA_HOST_COMMAND_STUDY_H
#define PIOLA_HOST_COMMAND_STUDY_H

#include "piola.h"

/* Does what the command `name`, "grad", "check" or "optimize", says, for a study. Returns the errors of piola_grad(),
 * piola_check() and piola_optimize(), for all experiments. */
piola_status pio_command_study(const piola_options *options, const char *name, piola_error *error);
/* Returns PIOLA_USAGE if the scene is a study, for commands that take none, or if the options have jobs. */
piola_status pio_command_no_study(const piola_options *options, const char *name, piola_error *error);

#endif
