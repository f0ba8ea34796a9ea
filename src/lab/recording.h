#ifndef GMMU_RECORDING_H
#define GMMU_RECORDING_H
/* A program's one execution, recorded so that it can be replayed under every design and as often as
 * a run needs. The file is temporary ($TMPDIR, else /tmp): it has no name once it is complete and
 * goes with the process. It may take half of the space that is free there. */
#include "host/host.h"

typedef struct {
  int fd; /* -1: there is none */
  host_end_t end;
  bool launched; /* there is a kernel in it */
} recording_t;

/* Runs the program to its end, and shows on a terminal how far it is; `name` is its. What became of
 * it is in out->end in any case. */
int recording_make(const host_spec_t *host, const char *name, recording_t *out, err_t *e);
int recording_open(const recording_t *r, source_t **out, err_t *e); /* as gmt_open() */
void recording_drop(recording_t *r); /* twice is allowed; not before its sources are freed */
#endif
