/* The file is made in a folder of its own, because it gets its name only when it is complete; both
 * are removed as soon as it is open. */
#include "lab/recording.h"
#include "base/file.h"
#include "base/progress.h"
#include "trace/gmt.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int make_folder(char *path, size_t size, err_t *e) {
  const char *base = getenv("TMPDIR");
  if (!base || !*base) base = "/tmp";
  int n = snprintf(path, size, "%s/gmmu-XXXXXX", base);
  if (n < 0 || (size_t)n >= size || !mkdtemp(path))
    return err_set(e, GMMU_EIO, "no place for a recording in %.200s (TMPDIR): %s", base,
                   strerror(errno));
  return GMMU_OK;
}

/* Half of what is free, so that others have some, too; 0: nobody knows. */
static uint64_t room_in(const char *folder) {
  struct statvfs s;
  return statvfs(folder, &s) == 0 ? (uint64_t)s.f_bavail * s.f_frsize / 2 : 0;
}

typedef struct {
  const host_spec_t *host;
  const host_run_t *run;
  char what[96];
  progress_t progress;
} maker_t;

static bool stop(void *ctx) {
  maker_t *m = ctx;
  progress_state_t s = {
      .what = m->what, .instructions = m->run->warp_insts, .permille = UINT32_MAX};
  if (progress_due(&m->progress)) progress_show(&m->progress, &s);
  return m->host->stop && m->host->stop(m->host->stop_ctx);
}

int recording_make(const host_spec_t *host, const char *name, recording_t *out, err_t *e) {
  char folder[PATH_MAX], path[PATH_MAX + 16];
  host_run_t run = {0};
  maker_t maker = {.host = host, .run = &run};
  host_spec_t spec = *host;
  *out = (recording_t){.fd = -1};
  int rc = make_folder(folder, sizeof folder, e);
  if (rc < 0) return rc;
  snprintf(path, sizeof path, "%s/run.gmt", folder);
  snprintf(maker.what, sizeof maker.what, "recording %s", name);
  spec.record_bytes = room_in(folder), spec.stop = stop, spec.stop_ctx = &maker;
  progress_begin(&maker.progress);
  rc = host_run(&spec, path, &run, e);
  progress_end(&maker.progress);
  out->end = run.end, out->launched = run.kernels > 0;
  if (run.too_large)
    err_set(e, rc,
            "the recording of %s is larger than %llu MB, half of what is free in %.100s: "
            "TMPDIR names another folder, --live needs none",
            name, (unsigned long long)(spec.record_bytes >> 20), folder);
  host_run_fini(&run);
  if (rc == 0) rc = out->fd = file_open(path, FILE_REGULAR, e);
  if (rc > 0) rc = GMMU_OK;
  unlink(path), rmdir(folder);
  return rc;
}

int recording_open(const recording_t *r, source_t **out, err_t *e) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", r->fd);
  return gmt_open(path, out, e);
}

void recording_drop(recording_t *r) {
  if (r->fd >= 0) close(r->fd);
  r->fd = -1;
}
