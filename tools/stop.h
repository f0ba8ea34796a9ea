#ifndef GMMU_STOP_H
#define GMMU_STOP_H
/* Ctrl-C and SIGTERM ask for an end; long work looks here between two pieces. A second one ends the
 * program at once. */
#include <stdbool.h>

void stop_listen(void);
bool stop_asked(void);
#endif
