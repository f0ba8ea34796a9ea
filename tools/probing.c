/* Probes as runs that the store keeps. */
#include "probing.h"
#include "lab/hash.h"
#include "probe/result.h"
#include "stop.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "probe:";

bool probing_knows(const char *text) { return strncmp(text, prefix, sizeof prefix - 1) == 0; }

static int kind_of(const char *text, bool *sharing, err_t *e) {
  const char *what = text + sizeof prefix - 1;
  *sharing = strcmp(what, "sharing") == 0;
  if (*sharing || strcmp(what, "tlb") == 0) return GMMU_OK;
  return err_set(e, GMMU_ENOENT, "there is no probe \"%.40s\": tlb or sharing", what);
}

int probing_content(const char *text, char *out, size_t size, err_t *e) {
  bool sharing;
  int rc = kind_of(text, &sharing, e);
  if (rc == 0) snprintf(out, size, "%s %016" PRIx64, text, lab_live_version);
  return rc;
}

int probing_run(const char *text, const gpu_spec_t *spec, json_t *j, err_t *e) {
  tlb_probe_options_t o = {0};
  tlb_probe_t tlb = {0};
  sharing_t groups = {0};
  device_t *d = NULL;
  bool sharing;
  int rc = kind_of(text, &sharing, e);
  if (rc == 0) rc = device_sim_new(spec, "probed", NULL, &d, e);
  if (rc == 0) d->stop = stop_asked;
  if (rc == 0) rc = tlb_probe(d, &o, &tlb, e);
  if (rc == 0 && sharing) rc = sharing_probe(d, &tlb, &o, &groups, e);
  if (rc == 0) result_json(&d->info, &tlb, sharing ? &groups : NULL, j);
  tlb_probe_fini(&tlb);
  sharing_fini(&groups);
  device_free(d);
  return rc;
}
