/* guard.h -- what the command says when a library under it ends the process or crashes, where the reason is that memory
 * was refused: exit code 71 with a message, and no result.json that tells of a success. */
#ifndef PIOLA_TOOLS_GUARD_H
#define PIOLA_TOOLS_GUARD_H

/* Call first in main(). */
void tool_guard_begin(void);
/* Call last in main(): what ends the process from now on is main itself. */
void tool_guard_end(void);

#endif
