/* Invariant: entry `i` of `loaded` is complete, its rows are in the tables (mechanisms: in the
 * machine's), and its names are no other row's; so a name that an option holds is a plug-in's
 * exactly if the pointers are equal. */
#include "lab/plugin.h"
#include "base/policy.h"
#include "gmmu/plugin.h"
#include "gpu/component.h"
#include "lab/hash.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Every row begins so. */
typedef struct {
  const char *name, *help;
} named_t;

static bool whole_repl(const void *row) {
  const repl_ops_t *r = row;
  return r->state_bytes && r->init && r->hit && r->fill && r->victim && !r->came == !r->left &&
         !r->tune == !r->tuned_bytes;
}
static bool whole_sched(const void *row) {
  const sched_ops_t *s = row;
  return s->own ? s->choose && !s->pick : s->pick != NULL;
}
static bool whole_fill(const void *row) {
  const fill_ops_t *f = row;
  return f->state_bytes || !f->init;
}
static bool whole_peer(const void *row) { return ((const peer_ops_t *)row)->name; }
static bool whole_l2(const void *row) {
  const l2_policy_t *l = row;
  return l->state_bytes || !l->init;
}
static bool whole_dram(const void *row) {
  const dram_sched_ops_t *d = row;
  return d->choose && d->queues >= 1 && d->queues <= DRAM_QUEUES &&
         (d->state_bytes || (!d->init && !d->own));
}

static bool whole_walk(const void *row) {
  const walk_policy_t *p = row;
  return p->state_bytes && p->init && p->arrive && p->next && !p->may_read == !p->shares;
}
static bool whole_mechanism(const void *row) { return ((const mechanism_ops_t *)row)->name; }

static bool whole_format(const void *row) {
  const tlb_format_t *f = row;
  return f->state_bytes && f->init && f->lookup && f->fill && f->holds && f->drop && f->check &&
         f->fewest_pages;
}

static const struct {
  const char *kind;
  const void **table; /* NULL-terminated, with POLICY_ROOM behind the tree's own; NULL: none */
  size_t bytes;
  bool (*whole)(const void *row); /* has what the block calls without asking */
  size_t own;                     /* where its policy_own_t is */
} kinds[] = {
    {"replacement", (const void **)repl_all, sizeof(repl_ops_t), whole_repl,
     offsetof(repl_ops_t, own)},
    {"warp-scheduler", (const void **)sched_all, sizeof(sched_ops_t), whole_sched,
     offsetof(sched_ops_t, own)},
    {"tlb-fill", (const void **)fill_all, sizeof(fill_ops_t), whole_fill,
     offsetof(fill_ops_t, own)},
    {"tlb-peer", (const void **)peer_all, sizeof(peer_ops_t), whole_peer,
     offsetof(peer_ops_t, own)},
    {"l2-insertion", (const void **)l2_policy_all, sizeof(l2_policy_t), whole_l2,
     offsetof(l2_policy_t, own)},
    {"dram-scheduler", (const void **)dram_sched_all, sizeof(dram_sched_ops_t), whole_dram,
     offsetof(dram_sched_ops_t, own)},
    {"walk-scheduler", (const void **)walk_policy_all, sizeof(walk_policy_t), whole_walk,
     offsetof(walk_policy_t, own)},
    {"tlb-format", (const void **)tlb_format_all, sizeof(tlb_format_t), whole_format,
     offsetof(tlb_format_t, own)},
    {"mechanism", NULL, sizeof(mechanism_ops_t), whole_mechanism, 0}, /* a row of the machine */
};
#define KINDS (sizeof kinds / sizeof *kinds)

static struct {
  char path[PATH_MAX];
  uint64_t hash;
  const gmmu_plugin_t *plugin;
} loaded[PLUGIN_MOST];
static uint32_t count, added[KINDS]; /* plug-ins; rows of each kind */

uint32_t plugin_count(void) { return count; }
const char *plugin_path(uint32_t i) { return loaded[i].path; }
uint64_t plugin_hash(uint32_t i) { return loaded[i].hash; }

static size_t kind_of(const char *name) {
  size_t k = 0;
  while (k < KINDS && strcmp(kinds[k].kind, name) != 0) k++;
  return k;
}

static bool is_name(const char *name) {
  if (!name || !*name || strlen(name) > 40) return false;
  return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

/* Options and counters of a policy; NULL: none, or the row is a mechanism's. */
static const policy_own_t *own_of(const gmmu_plugin_row_t *r) {
  size_t at = kinds[kind_of(r->kind)].own;
  return at ? *(const policy_own_t *const *)(const void *)((const char *)r->row + at) : NULL;
}

static int enter_own(const gmmu_plugin_row_t *r, err_t *e) {
  const named_t *row = r->row;
  const policy_own_t *own = own_of(r);
  if (!kinds[kind_of(r->kind)].table) return outside_add(r->row, e);
  return own ? outside_add_policy(row->name, row->help, own, e) : GMMU_OK;
}

static int check_row(const gmmu_plugin_row_t *r, err_t *e) {
  size_t k = kind_of(r->kind);
  const named_t *own = r->row;
  if (k == KINDS) return err_set(e, GMMU_ENOENT, "there is no kind of policies \"%.40s\"", r->kind);
  if (!own || r->bytes != kinds[k].bytes)
    return err_set(e, GMMU_EFORMAT,
                   "it was built against headers of another gmmu: a row of %s has %zu bytes there, "
                   "%zu here",
                   r->kind, r->bytes, kinds[k].bytes);
  if (!is_name(own->name) || !own->help || !*own->help)
    return err_set(e, GMMU_EFORMAT,
                   "a row of %s needs a name of small letters, digits and dashes, and a help",
                   r->kind);
  for (const void **t = kinds[k].table; t && *t; t++)
    if (strcmp(((const named_t *)*t)->name, own->name) == 0)
      return err_set(e, GMMU_EINVAL, "the name \"%s\" is taken: there is a %s \"%s\" already",
                     own->name, r->kind, own->name);
  const policy_own_t *mine = own_of(r);
  if (kinds[k].whole(r->row) && (!mine || mine->give || strcmp(r->kind, "warp-scheduler") == 0))
    return GMMU_OK;
  return err_set(e, GMMU_EFORMAT, "%s \"%s\" lacks a function that its header asks for", r->kind,
                 own->name);
}

/* All rows, before the first is entered. */
static int check(const gmmu_plugin_t *p, err_t *e) {
  uint32_t more[KINDS] = {0};
  int rc = GMMU_OK;
  if (p->version != GMMU_PLUGIN_VERSION)
    return err_set(e, GMMU_EFORMAT,
                   "it was built for version %u of plug-ins, this gmmu takes %u: compile it again",
                   p->version, GMMU_PLUGIN_VERSION);
  if (p->contracts != GMMU_PLUGIN_CONTRACTS)
    return err_set(e, GMMU_EFORMAT,
                   "it was built against headers of another gmmu (contracts %u, here %u): compile "
                   "it again with the headers of this one",
                   p->contracts, GMMU_PLUGIN_CONTRACTS);
  if (!p->rows || !p->rows->kind) return err_set(e, GMMU_EFORMAT, "it has no row");
  for (const gmmu_plugin_row_t *r = p->rows; r->kind && rc == 0; r++) {
    rc = check_row(r, e);
    for (const gmmu_plugin_row_t *o = p->rows; o < r && rc == 0; o++)
      if (strcmp(((const named_t *)o->row)->name, ((const named_t *)r->row)->name) == 0)
        rc = err_set(e, GMMU_EINVAL, "two rows are called \"%s\"", ((const named_t *)r->row)->name);
    if (rc == 0 && added[kind_of(r->kind)] + ++more[kind_of(r->kind)] > POLICY_ROOM)
      rc = err_set(e, GMMU_ERANGE, "at most %d rows of %s", POLICY_ROOM, r->kind);
  }
  return rc;
}

static int enter(const gmmu_plugin_t *p, err_t *e) {
  uint32_t before = outside_count();
  for (const gmmu_plugin_row_t *r = p->rows; r->kind; r++) {
    int rc = enter_own(r, e);
    if (rc < 0) {
      outside_drop(before);
      return rc;
    }
  }
  for (const gmmu_plugin_row_t *r = p->rows; r->kind; r++) {
    size_t k = kind_of(r->kind);
    const void **t = kinds[k].table;
    if (!t) continue;
    while (*t) t++;
    *t = r->row;
    added[k]++;
  }
  return GMMU_OK;
}

/* The loader's reason, without the path that it begins with: the caller names the file. */
static int not_loaded(const char *path, err_t *e) {
  const char *why = dlerror();
  size_t size = strlen(path);
  if (why && strncmp(why, path, size) == 0 && why[size] == ':') why += size + 2;
  return err_set(e, GMMU_EFORMAT, "it cannot be loaded as a shared object: %s",
                 why ? why : "no reason is given");
}

static int load(const char *path, err_t *e) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object) return not_loaded(path, e);
  const gmmu_plugin_t *p = dlsym(object, "gmmu_plugin");
  int rc = p ? check(p, e) : err_set(e, GMMU_EFORMAT, "it has no gmmu_plugin (gmmu/plugin.h)");
  if (rc == 0) rc = enter(p, e);
  if (rc < 0) {
    dlclose(object);
    return rc;
  }
  loaded[count++].plugin = p;
  return GMMU_OK;
}

int plugin_load(const char *path, err_t *e) {
  if (count == PLUGIN_MOST) return err_set(e, GMMU_ERANGE, "at most %d plug-ins", PLUGIN_MOST);
  if (!realpath(path, loaded[count].path)) {
    err_set(e, GMMU_ENOENT, "there is no such plug-in");
    return err_in_file(e, path, 0, 0);
  }
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(loaded[i].path, loaded[count].path) == 0) return GMMU_OK;
  int rc = hash_file(loaded[count].path, "", &loaded[count].hash, e);
  if (rc == 0) rc = load(loaded[count].path, e);
  return rc < 0 ? err_in_file(e, path, 0, 0) : GMMU_OK;
}

static bool names_row(const gmmu_plugin_t *p, const char *name) {
  for (const gmmu_plugin_row_t *r = p->rows; r->kind; r++)
    if (((const named_t *)r->row)->name == name) return true;
  return false;
}

bool plugin_used(uint32_t i, const gpu_spec_t *spec) {
  for (const gmmu_plugin_row_t *r = loaded[i].plugin->rows; r->kind; r++)
    if (!kinds[kind_of(r->kind)].table && outside_on(r->row, spec)) return true;
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t copy = *spec;
  gpu_spec_groups(&copy, groups);
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++)
      if (o->type == OPT_NAME &&
          names_row(loaded[i].plugin, *(const char **)(void *)((char *)g->base + o->offset)))
        return true;
  return false;
}
