/* Probes as runs that the store keeps. */
#include "lab/probing.h"
#include "base/stop.h"
#include "lab/front.h"
#include "lab/hash.h"
#include "probe/hash.h"
#include "probe/isolation.h"
#include "probe/result.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "probe:";

bool probing_knows(const char *text) { return strncmp(text, prefix, sizeof prefix - 1) == 0; }

/* ---- TLBs ---- */

static int ask_tlbs(device_t *d, bool sharing, json_t *j, err_t *e) {
  tlb_probe_options_t o = {0};
  tlb_probe_t tlb = {0};
  sharing_t groups = {0};
  int rc = tlb_probe(d, &o, &tlb, e);
  if (rc == 0 && sharing) rc = sharing_probe(d, &tlb, &o, &groups, e);
  if (rc == 0) result_json(&d->info, &tlb, sharing ? &groups : NULL, j);
  tlb_probe_fini(&tlb);
  sharing_fini(&groups);
  return rc;
}

static int ask_tlb(device_t *d, uint32_t others, json_t *j, err_t *e) {
  (void)others;
  return ask_tlbs(d, false, j, e);
}
static int ask_sharing(device_t *d, uint32_t others, json_t *j, err_t *e) {
  (void)others;
  return ask_tlbs(d, true, j, e);
}

/* ---- L2 and DRAM: a percent of the times are outliers, and all vary, as on a real device ---- */

#define SEED 1u
static const device_noise_t noise = {
    .jitter_cycles = 10, .outlier_ppm = 10000, .outlier_cycles = 3000, .seed = SEED};
#define NOISE_WORDS " --jitter 10 --outliers 10000"

static int ask_hash(device_t *d, uint32_t others, json_t *j, err_t *e) {
  hash_options_t o = {.seed = SEED};
  hash_probe_t x;
  (void)others;
  int rc = hash_probe(d, &o, &x, e);
  if (rc == 0) hash_json(&d->info, &x, j);
  return rc;
}

static int ask_isolation(device_t *d, uint32_t others, json_t *j, err_t *e) {
  hash_options_t h = {.seed = SEED};
  isolation_options_t o = {.others = others, .seed = SEED};
  hash_probe_t hash;
  isolation_t x;
  int rc = hash_solve(d, &h, &hash, e);
  if (rc == 0) rc = isolation_probe(d, &hash.found, &o, &x, e);
  if (rc == 0) isolation_json(&d->info, &x, j);
  return rc;
}

/* ---- all kinds ---- */

static const struct {
  const char *name;
  const device_noise_t *noise;
  int (*ask)(device_t *d, uint32_t others, json_t *j, err_t *e);
} kinds[] = {{"tlb", NULL, ask_tlb},
             {"sharing", NULL, ask_sharing},
             {"hash", &noise, ask_hash},
             {"isolation", &noise, ask_isolation}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* "isolation" or "isolation,others=73"; *others is 0 in the first case. */
static int kind_of(const char *text, size_t *kind, uint32_t *others, err_t *e) {
  const char *what = text + sizeof prefix - 1, *comma = strchr(what, ',');
  size_t size = comma ? (size_t)(comma - what) : strlen(what);
  unsigned n = 0;
  int used = 0;
  for (*kind = 0; *kind < KINDS; ++*kind)
    if (strlen(kinds[*kind].name) == size && strncmp(what, kinds[*kind].name, size) == 0) break;
  if (*kind == KINDS)
    return err_set(e, GMMU_ENOENT, "there is no probe \"%.40s\": tlb, sharing, hash or isolation",
                   what);
  *others = 0;
  if (!comma) return GMMU_OK;
  if (kinds[*kind].ask != ask_isolation || sscanf(comma, ",others=%3u%n", &n, &used) != 1 ||
      comma[used] || !n || n > ISOLATION_MOST)
    return err_set(e, GMMU_ERANGE, "\"%.40s\": only isolation,others=1 to %u has an option", what,
                   ISOLATION_MOST);
  *others = n;
  return GMMU_OK;
}

static int identity(const char *text, char *out, size_t size, err_t *e) {
  size_t kind;
  uint32_t others;
  int rc = kind_of(text, &kind, &others, e);
  if (rc == 0) snprintf(out, size, "%s %s", text, lab_live_version);
  return rc;
}

void probing_words(const char *text, strbuf_t *out) {
  size_t kind;
  uint32_t others;
  err_t e;
  if (kind_of(text, &kind, &others, &e) < 0) return;
  strbuf_str(out, kinds[kind].name);
  if (others) strbuf_printf(out, " --others %u", others);
  if (kinds[kind].noise) strbuf_str(out, NOISE_WORDS);
}

int probing_run(const char *text, const gpu_spec_t *spec, json_t *j, err_t *e) {
  device_t *d = NULL;
  size_t kind;
  uint32_t others;
  int rc = kind_of(text, &kind, &others, e);
  if (rc == 0) rc = device_sim_new(spec, "probed", kinds[kind].noise, &d, e);
  if (rc == 0) {
    d->stop = stop_asked;
    rc = kinds[kind].ask(d, others, j, e);
  }
  device_free(d);
  return rc;
}

/* It makes machines of its own, one after the other, and is no source of instructions. */
static int open_none(const char *text, source_t **out, err_t *e) {
  *out = NULL;
  return err_set(e, GMMU_EINVAL,
                 "\"%.40s\" has the machine for itself: a study may name it, or use `gmmu probe`",
                 text);
}

static int check(const char *text, err_t *e) {
  size_t kind;
  uint32_t others;
  return kind_of(text, &kind, &others, e);
}

const front_t front_probing = {.name = "probe",
                               .help = "a probe: \"probe:tlb\", sharing, hash or isolation",
                               .recognises = probing_knows,
                               .open = open_none,
                               .identity = identity,
                               .check = check};
