#ifndef GMMU_STOP_H
#define GMMU_STOP_H
/* Ctrl-C, SIGTERM and a closed terminal ask for an end; long work looks here between two pieces. A
 * second one ends the program at once. */
#include <stdbool.h>

void stop_listen(void);
bool stop_asked(void);
/* A file that reaches its limit (ulimit -f) is a failed write, not the end of the program. */
void stop_not_for_full_files(void);
#endif
