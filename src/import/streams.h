#ifndef GMMU_IMPORT_STREAMS_H
#define GMMU_IMPORT_STREAMS_H
/* The order of kernels of several streams, of which a trace tells the number alone: a kernel waits
 * for the one before it in its stream. The default stream, number 0, is CUDA's legacy one: its
 * kernels wait for all before them, and all behind wait for them. */
#include "gmmu/stream.h"

typedef struct {
  uint64_t handle[LAUNCH_MAX_AFTER]; /* of the streams, in order of appearance; */
  uint64_t last[LAUNCH_MAX_AFTER];   /* their last launches */
  uint32_t streams;
  uint64_t launches;               /* in all */
  uint64_t waited;                 /* the host has waited for those before this one: */
  uint64_t ends[LAUNCH_MAX_AFTER]; /* the last of each stream then */
  uint32_t end_count;
  uint64_t after[LAUNCH_MAX_AFTER]; /* of the launch given last */
} streams_t;

/* Fills in what the next launch, of the stream with this number, has to wait for. */
void streams_launch(streams_t *s, uint64_t handle, launch_t *l);
/* The host waits for all launches: a copy without a stream. */
void streams_wait(streams_t *s);
/* There is no room for that stream: its launches wait for all. */
bool streams_full(const streams_t *s, uint64_t handle);
#endif
