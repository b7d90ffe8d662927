/* guard.h -- the message of the command if a library ends the process or crashes because memory was refused: exit code
 * 71, and no result.json that reports a success. */
#ifndef PIOLA_TOOLS_GUARD_H
#define PIOLA_TOOLS_GUARD_H

/* Installs the handlers; the first call of main(). */
void tool_guard_begin(void);
/* Removes them; the last call of main(), after which main itself ends the process. */
void tool_guard_end(void);

#endif
