#ifndef GMMU_TESTS_TRACE_FIXTURE_H
#define GMMU_TESTS_TRACE_FIXTURE_H
/* cmocka, a directory per test that must be empty but for `path` at its end, and the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pair.h"
#include "synth.h"
#include "trace/gmt.h"

typedef struct {
  char dir[64], path[1024], other[96];
  uint64_t seed;
  err_t e;
} fixture_t;

static int setup(void **state) {
  fixture_t *f = calloc(1, sizeof *f);
  const char *seed = getenv("GMMU_SEED");
  f->seed = seed ? strtoull(seed, NULL, 0) : 1;
  strcpy(f->dir, "test-gmt-XXXXXX");
  if (!mkdtemp(f->dir)) return -1;
  snprintf(f->path, sizeof f->path, "%s/a.gmt", f->dir);
  snprintf(f->other, sizeof f->other, "%s/b.gmt", f->dir);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture_t *f = *state;
  unlink(f->path), unlink(f->other);
  int rc = rmdir(f->dir); /* fails if a temporary file was left behind */
  free(f);
  return rc;
}

static inline void must(int rc, const err_t *e) {
  if (rc >= 0) return;
  char text[600];
  err_format(e, text, sizeof text);
  fail_msg("%s", text);
}

/* Records the synthetic program block by block. */
static inline void record(fixture_t *f, const synth_spec_t *spec) {
  source_t *in = synth_new(spec);
  must(gmt_record_source(in, f->path, NULL, 0, &f->e), &f->e);
  in->ops->free(in);
}

static inline source_t *bound(source_t *s, uint32_t inflight) {
  err_t e = {0};
  must(s->ops->bind(s, 64 * inflight, 64, &e), &e);
  return s;
}

static inline source_t *opened(fixture_t *f, uint64_t cache_bytes, uint32_t inflight) {
  source_t *s;
  must(gmt_open_with(f->path, &(gmt_reader_opts_t){cache_bytes}, &s, &f->e), &f->e);
  return bound(s, inflight);
}
#endif
