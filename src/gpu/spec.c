/* Option groups of the machine and the reader of presets. */
#include "gpu/spec.h"
#include "gmmu/mm.h"
#include "gpu/machine.h"
#include "gpu/presets.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Each row's groups; a mechanism's values lie in its own part of the spec. */
void gpu_spec_groups(gpu_spec_t *s, opt_group_t groups[GPU_GROUPS]) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < gpu_rows(); i++) {
    const option_group_t *o = gpu_row(i)->options;
    for (; o && o->prefix && n + 1 < GPU_GROUPS; o++) {
      void *values = i < COMPONENTS ? (char *)s + o->offset : (char *)&s->mechanism[i - COMPONENTS];
      groups[n++] = (opt_group_t){o->prefix, o->help, o->list, values};
    }
  }
  groups[n] = (opt_group_t){0};
}

bool gpu_all_sms(const share_spec_t *s) {
  return strcmp(s->mode, "time") == 0 || strcmp(s->mode, "threads") == 0;
}

uint32_t gpu_share_begin(uint32_t sms, uint32_t shares, uint32_t i) {
  return (uint32_t)((uint64_t)sms * i / shares);
}

void gpu_spec_init(gpu_spec_t *spec) {
  opt_group_t groups[GPU_GROUPS];
  memset(spec, 0, sizeof *spec);
  gpu_spec_groups(spec, groups);
  opt_defaults(groups);
}

int gpu_spec_set(gpu_spec_t *spec, const char *key, const char *value, err_t *e) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_groups(spec, groups);
  int rc = opt_set(groups, key, value, e);
  if (rc == 0 && strncmp(key, "dram.", 5) == 0) dram_spec_given(&spec->dram, key + 5);
  return rc;
}

uint32_t gpu_spec_gpc_sms(const gpu_spec_t *s, uint32_t gpc) {
  return (uint32_t)__builtin_ctzll(s->core.gpcs.mask[gpc]);
}

uint32_t gpu_spec_gpc(const gpu_spec_t *s, uint32_t sm) {
  uint32_t gpc = 0;
  for (; gpc + 1 < s->core.gpcs.count && sm >= gpu_spec_gpc_sms(s, gpc); gpc++)
    sm -= gpu_spec_gpc_sms(s, gpc);
  return gpc;
}

uint32_t gpu_spec_tlbs(const gpu_spec_t *s, uint32_t level) {
  const tlb_spec_t *t = &s->tlb_level[level];
  uint32_t places = s->core.sms + (uint32_t)__builtin_popcountll(s->core.disabled);
  if (t->gpc) return s->core.gpcs.count;
  return t->deal ? t->deal : t->group ? (places + t->group - 1) / t->group : 1;
}

uint32_t gpu_spec_misses(const gpu_spec_t *s) {
  return gpu_spec_tlbs(s, 0) * tlb_mshr_misses(s->tlb_level[0].mshr_format, s->tlb_level[0].mshrs) +
         1 + TLB_FETCHES;
}

/* Every walk is of a miss of the last TLB level. */
static uint32_t last_misses(const gpu_spec_t *s) {
  uint32_t misses = gpu_spec_misses(s), last = s->tlb.levels ? s->tlb.levels - 1 : 0;
  if (!last) return misses;
  const tlb_spec_t *t = &s->tlb_level[last];
  uint64_t tlbs = gpu_spec_tlbs(s, last), each = t->mshrs;
  if (tlb_mshr_formats(tlb_mshr_find(t->mshr_format))) each += t->entries;
  if (strcmp(s->share.mode, "mig") == 0 && tlbs < GMMU_MAX_APPS) tlbs = GMMU_MAX_APPS;
  return tlbs * each + TLB_FETCHES < misses ? (uint32_t)(tlbs * each) + TLB_FETCHES : misses;
}

uint32_t gpu_spec_walks(const gpu_spec_t *s) {
  if (walk_policy_schedules(walk_policy_find(s->walk.policy))) return last_misses(s);
  bool own = strcmp(s->share.mode, "mig") == 0 && !s->share.mig_walkers && s->core.mig;
  return s->walk.threads * (own ? s->core.mig : 1);
}

/* Large pages without entries of their own take base entries, one for each base page. */
static bool large_in_vain(const gpu_spec_t *s) {
  const mm_manager_ops_t *m = mm_manager_find(s->memory.manager);
  if (!m || !mm_manager_large(m) || s->memory.large_bytes <= s->memory.base_bytes) return false;
  uint64_t entries = 0;
  for (uint32_t l = 0; l < s->tlb.levels; l++) entries += s->tlb_level[l].large_entries;
  return s->tlb.levels && !s->tlb.ideal && !entries;
}

/* A manager of two sizes of pages has one, so that it never coalesces. */
static bool one_size(const gpu_spec_t *s) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->memory.manager, "mosaic") == 0 &&
         s->memory.large_bytes <= s->memory.base_bytes;
}

/* Too little time passes between a skip and its window, even with what settling may take of the
 * skip (sampling/restart.c). */
static uint64_t time_to_settle(const gpu_spec_t *s) {
  uint64_t warm = s->sampling.warm, most = s->sampling.skip / SETTLE_PART;
  return warm && most > warm ? most : warm;
}
static bool starts_cold(const gpu_spec_t *s) {
  return s->sampling.skip && s->sampling.measure && strcmp(s->sampling.unit, "instructions") == 0 &&
         time_to_settle(s) < 10ull * s->core.sms * s->sm.warps;
}

void gpu_spec_doubt(const gpu_spec_t *s, char *out, size_t size) {
  out[0] = 0;
  if (large_in_vain(s))
    snprintf(out, size,
             "mem.manager=%s makes large pages, but no TLB has entries for them, so that each of "
             "their base pages takes one: see l1tlb.large_entries and l2tlb.large_entries, or "
             "--design mosaic",
             s->memory.manager);
  else if (one_size(s))
    snprintf(out, size,
             "mem.manager=%s makes large pages of base pages, but mem.large_page is no larger than "
             "mem.page: it does nothing here",
             s->memory.manager);
  else if (starts_cold(s))
    snprintf(
        out, size,
        "after a skip nothing is under way: sample.warm=%llu and sample.skip=%llu leave less than "
        "ten instructions for each of %u warps, and windows may show that and not the program",
        (unsigned long long)s->sampling.warm, (unsigned long long)s->sampling.skip,
        s->core.sms * s->sm.warps);
}

/* ---- presets ---- */

static int apply_key(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                     err_t *e) {
  (void)line, (void)column;                           /* the reader adds the place */
  if (strncmp(key, "probe.", 6) == 0) return GMMU_OK; /* what a probe tells beside its options */
  return gpu_spec_set(ctx, key, value, e);
}

static const char *preset_at(void *ctx, uint32_t i) {
  const char *kind = ctx;
  for (const preset_t *p = preset_all; p->name; p++)
    if (strcmp(p->kind, kind) == 0 && i-- == 0) return p->name;
  return NULL;
}

static bool is_path(const char *name) {
  size_t n = strlen(name);
  return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0);
}

static const preset_t *preset_find(const char *kind, const char *name, size_t size) {
  const preset_t *p = preset_all;
  while (p->name && (strcmp(p->kind, kind) != 0 || strlen(p->name) != size ||
                     strncmp(p->name, name, size) != 0))
    p++;
  return p->name ? p : NULL;
}

static int preset_apply(gpu_spec_t *spec, const preset_t *p, err_t *e) {
  char file[160];
  snprintf(file, sizeof file, "presets/%s/%s.yaml", p->kind, p->name);
  return yaml_read(file, p->text, strlen(p->text), apply_key, spec, e);
}

/* The longest preset that the text begins with, up to a '+' or its end. */
static const preset_t *first_of_stack(const char *text) {
  const preset_t *best = NULL;
  for (size_t n = strlen(text); n && !best; n--)
    if (text[n] == '+' || !text[n]) best = preset_find("design", text, n);
  return best;
}

/* The length of the file name that `text` begins with, which has no '+'; 0 if there is no such
 * file. */
static size_t file_of_stack(const char *text, char *path, size_t size) {
  size_t n = strcspn(text, "+");
  snprintf(path, size, "%.*s", (int)n, text);
  return n < size && is_path(path) ? n : 0;
}

/* Applies the first design of the text: how long its name is, or an error. */
static int apply_first(gpu_spec_t *spec, const char *text, err_t *e) {
  const preset_t *p = first_of_stack(text);
  char path[4096];
  size_t n = p ? strlen(p->name) : file_of_stack(text, path, sizeof path);
  if (!n) return err_set(e, GMMU_ENOENT, "in a stack, \"%s\" begins with no design", text);
  int rc = p ? preset_apply(spec, p, e) : yaml_read_file(path, apply_key, spec, e);
  return rc < 0 ? rc : (int)n;
}

/* Whether an option that `own` changed of `before` has another value `now`: its key is in `key`. */
static bool taken_back(gpu_spec_t *before, gpu_spec_t *own, gpu_spec_t *now, char *key,
                       size_t size) {
  opt_group_t groups[3][GPU_GROUPS];
  gpu_spec_groups(before, groups[0]), gpu_spec_groups(own, groups[1]);
  gpu_spec_groups(now, groups[2]);
  for (const opt_group_t *g = groups[0]; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++) {
      char value[3][4096];
      snprintf(key, size, "%s.%s", g->prefix, o->name);
      for (uint32_t i = 0; i < 3; i++)
        if (opt_get(groups[i], key, value[i], sizeof value[i]) < 0) value[i][0] = 0;
      if (strcmp(value[0], value[1]) != 0 && strcmp(value[1], value[2]) != 0) return true;
    }
  return false;
}

/* Designs one after the other. Two that claim the same option cannot both have it. */
static int load_stack(gpu_spec_t *spec, const char *name, err_t *e) {
  gpu_spec_t start = *spec, below = *spec;
  for (const char *rest = name;; rest++) {
    char key[128];
    int n = apply_first(spec, rest, e);
    if (n < 0) return n;
    if (taken_back(&start, &below, spec, key, sizeof key)) {
      err_set(e, GMMU_ERANGE,
              "%.*s sets an option that a design before it in \"%s\" sets otherwise", n, rest,
              name);
      return err_for_key(e, key);
    }
    below = *spec;
    rest += n;
    if (!*rest) return GMMU_OK;
  }
}

/* A file may have a '+' in its name. */
static bool is_stack(const char *name) {
  char path[4096];
  return strchr(name, '+') && access(name, F_OK) != 0 &&
         (first_of_stack(name) || file_of_stack(name, path, sizeof path));
}

int gpu_spec_load(gpu_spec_t *spec, const char *kind, const char *name, err_t *e) {
  const preset_t *p = preset_find(kind, name, strlen(name));
  if (p) return preset_apply(spec, p, e);
  if (strcmp(kind, "design") == 0 && is_stack(name)) return load_stack(spec, name, e);
  if (is_path(name)) return yaml_read_file(name, apply_key, spec, e);
  const char *near = opt_nearest(name, preset_at, (void *)(uintptr_t)kind);
  return err_set(e, GMMU_ENOENT, "there is no %s preset \"%s\"%s%s%s; `gmmu list %ss` names them",
                 kind, name, near ? "; nearest: \"" : "", near ? near : "", near ? "\"" : "", kind);
}
