#ifndef GMMU_HOST_HOST_H
#define GMMU_HOST_HOST_H
/* Running an unmodified CUDA program: its process, what its runtime asks for (gmmu/wire.h), its
 * device memory and modules. Three ways: as a source for the machine (live), without timing, and
 * recorded. In the latter two time is counted in warp instructions, and blocks are dealt to SMs in
 * turn. */
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include "gmmu/wire.h"
#include "ptx/ptx.h"

typedef struct {
  char *const *argv;       /* the program and its arguments, up to NULL */
  const char *library_dir; /* where libcudart of ours is; NULL: the program finds it */
  int out_fd;              /* its standard output; -1: ours */
  uint64_t record_bytes;   /* a recording may not be larger; 0: no limit */
  /* Live: it has no effect outside of itself, so it may be started as often as the machine asks,
   * and a status other than 0 is an error. */
  bool again;
  wire_device_t device;
  ptx_bounds_t bounds;
  bool (*stop)(void *ctx); /* whether the user wants to stop; may be NULL */
  void *stop_ctx;
  /* Tells the user what the program is only told as a number; may be NULL. */
  void (*note)(void *ctx, const err_t *e);
  void *note_ctx;
  /* PTX_BOUNDS_WARN: one access outside of each of the first HOST_WARNINGS instructions; may be
   * NULL. */
  void (*warn)(void *ctx, const err_t *e);
  void *warn_ctx;
} host_spec_t;
#define HOST_WARNINGS 8u

/* Whether the file is a CUDA program that cannot be run: GMMU_EINVAL with how to build it. A file
 * that is not there or is no ELF file is not refused here. */
int host_check_program(const char *name, err_t *e);

/* What became of a program. */
typedef struct {
  int status;   /* its exit status, 128 + n for signal n */
  bool noted;   /* something was told to the user by note() */
  bool faulted; /* a kernel failed */
  bool timed;   /* it asked for the simulated time */
  bool placed;  /* a kernel could read the clock, or on which SM or in which slot it runs */
  /* Why it may have failed, as sentences; empty: nothing is known. What it called and gmmu does not
   * have, and, if it ended with a status, what its file needs. */
  char absent[300], lacks[240];
  uint64_t outside; /* accesses of threads outside their bounds, of PTX_BOUNDS_WARN */
} host_end_t;

/* ---- live ---- */

/* *spec is copied; what it points to must outlive *out. The program starts with rewind(), and,
 * unless spec.again says otherwise, only once: what it has done cannot be undone, so a second
 * rewind() is an error (app_spec_t.once). */
int host_source_new(const host_spec_t *spec, source_t **out, err_t *e);
/* Between two slices of a run: fails if the program has ended although its kernel runs. */
int host_source_check(source_t *s, err_t *e);
/* After the machine failed with `code` (a fault of a kernel, or anything else): tells the program
 * and lets it come to its end. If it resets the device and goes on, its kernels run without
 * timing; 0, or how one of these failed. */
int host_source_finish(source_t *s, int code, err_t *e);
/* Once the program has ended; false before. */
bool host_source_end(const source_t *s, host_end_t *out);

/* ---- without timing ---- */

typedef struct {
  char *name;
  uint64_t launches, blocks, warp_insts, thread_insts;
} host_kernel_t;

typedef struct {
  host_end_t end;
  host_kernel_t *kernel; /* in the order of first launch */
  uint32_t kernels;
  uint64_t allocations, allocated_bytes, warp_insts; /* grow as it runs */
  bool too_large; /* it was ended because its recording had no room */
} host_run_t;

/* Runs the program to its end; GMMU_EFAULT or GMMU_ESTUCK if a kernel failed (the program has ended
 * by then as well). With `record`, all that happens is written to that .gmt file. *out is filled
 * in any case; free it with host_run_fini(). */
int host_run(const host_spec_t *spec, const char *record, host_run_t *out, err_t *e);
void host_run_fini(host_run_t *r);
#endif
