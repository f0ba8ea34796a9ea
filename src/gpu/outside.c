/* Mechanisms of plug-ins as rows of the machine: options, counters, hooks, messages and storage of
 * a mechanism_ops_t behind those of a component_t. What a policy of a plug-in has of its own is
 * such a row, too, without anything but options and counters.
 *
 * Invariant: slots below `slots` are complete. They change only before the first machine is made,
 * so that machines of all threads may read them. */
#include "gpu/outside.h"
#include "gpu/wiring.h"
/* behind the machine, which has the engine */
#include "engine/messages.h"
#include <stdio.h>
#include <string.h>

#define OPTIONS_MOST 32
/* The values in a mechanism's part of the spec: whether it is on, then the row's own. */
#define OWN_OFFSET 8

typedef struct {
  const mechanism_ops_t *ops;
  const policy_own_t *policy; /* not a mechanism: `ops` is `shell` */
  mechanism_ops_t shell;
  char group[48];
  opt_t options[OPTIONS_MOST + 2];
  option_group_t groups[2];
  char path[64], help[160];
  stat_group_t stats[2];
  hooks_t hooks;
  cost_row_t cost[OUTSIDE_STORAGE + 1];
  outside_storage_t storage[OUTSIDE_STORAGE]; /* at the defaults: what and where */
  component_t row;
} slot_t;
static slot_t slot[OUTSIDE_MOST];
static uint32_t slots;

/* A mechanism of one machine. */
typedef struct {
  mechanism_t base;
  const slot_t *of;
  bool on;
  uint32_t under_way; /* messages */
  outside_t m;
  policy_mine_t mine;  /* of a policy */
  uint64_t counters[]; /* [app]; then the state */
} block_t;

/* ---- what it is told ---- */

static outside_page_t page_of(const xlat_t *x) {
  return (outside_page_t){.sm = x->sm, .asid = x->asid, .vpn = x->vpn};
}

static void tell_looked_up(void *block, uint32_t sm, const group_t *group) {
  block_t *b = block;
  outside_page_t page = {.sm = (uint16_t)sm, .asid = group->asid, .vpn = group->vpn};
  b->of->ops->looked_up(&b->m, &page);
}

static void tell_missed(void *block, uint32_t id, uint32_t level) {
  block_t *b = block;
  outside_page_t page = page_of(&mechanisms_xlat(b->base.ports)->at[id]);
  b->of->ops->missed(&b->m, &page, level);
}

static void tell_walked(void *block, uint32_t thread) {
  block_t *b = block;
  mechanisms_t *ports = b->base.ports;
  const xlat_t *x = &mechanisms_xlat(ports)->at[mechanisms_walker(ports)->thread[thread].xlat];
  outside_page_t page = page_of(x);
  b->of->ops->walked(&b->m, &page, mechanisms_ev(ports)->now - x->t_walk);
}

void outside_arrive(mechanisms_t *m, uint32_t id) {
  block_t *b = m->state[MECHANISMS + id / OUTSIDE_WHAT];
  b->under_way--;
  b->of->ops->arrived(&b->m, id % OUTSIDE_WHAT);
}

/* ---- what it may call ---- */

static block_t *block_of(const outside_t *m) {
  return (block_t *)(void *)((char *)(uintptr_t)m - offsetof(block_t, m));
}

static uint64_t call_now(const outside_t *m) { return mechanisms_ev(block_of(m)->base.ports)->now; }

static bool call_fetch(outside_t *m, const outside_page_t *page) {
  mechanisms_t *ports = block_of(m)->base.ports;
  if (page->sm >= m->sms || page->asid >= m->apps) return false;
  return tlb_fetch(mechanisms_tlb(ports), page->sm, page->asid, page->vpn,
                   mechanisms_ev(ports)->now + 1);
}

static bool call_send(outside_t *m, uint32_t delay, uint32_t what) {
  block_t *b = block_of(m);
  engine_t *ev = mechanisms_ev(b->base.ports);
  if (b->under_way == OUTSIDE_MESSAGES || !delay || what >= OUTSIDE_WHAT || !b->of->ops->arrived)
    return false;
  b->under_way++;
  message_send(ev, FROM_HOST, ev->now + delay, EV_OUTSIDE,
               (uint32_t)(b->of - slot) * OUTSIDE_WHAT + what);
  return true;
}

static const outside_calls_t calls = {call_now, call_fetch, call_send};

/* ---- its row ---- */

static int outside_init(void *block, err_t *e) {
  block_t *b = block;
  mechanisms_t *ports = b->base.ports;
  const gpu_spec_t *spec = mechanisms_spec(ports);
  (void)e;
  for (uint32_t i = 0; i < slots; i++)
    if (ports->state[MECHANISMS + i] == block) b->of = &slot[i];
  const mechanism_ops_t *ops = b->of->ops;
  b->on = !b->of->policy && *(const bool *)b->base.spec;
  b->m = (outside_t){.calls = &calls,
                     .options = (const char *)b->base.spec + OWN_OFFSET,
                     .counters = b->counters,
                     .counters_bytes = ops->counters_bytes,
                     .state = (char *)b->counters + GMMU_MAX_APPS * ops->counters_bytes,
                     .sms = spec->core.sms,
                     .apps = mechanisms_share(ports)->apps,
                     .levels = spec->tlb.levels};
  b->mine = (policy_mine_t){b->m.options, b->counters, ops->counters_bytes};
  if (b->on && ops->init) ops->init(&b->m);
  return GMMU_OK;
}

const policy_mine_t *policy_mine(mechanisms_t *m, const policy_own_t *own) {
  for (uint32_t i = 0; own && i < slots; i++)
    if (slot[i].policy == own) {
      block_t *b = m->state[MECHANISMS + i];
      b->on = true;
      return &b->mine;
    }
  return NULL;
}

static const hooks_t *outside_hooks(const void *block) {
  const block_t *b = block;
  return b->on ? &b->of->hooks : NULL;
}

static void outside_epoch(void *block) {
  block_t *b = block;
  if (b->on && b->of->ops->epoch) b->of->ops->epoch(&b->m, call_now(&b->m));
}

static int outside_check(const void *block, err_t *e) {
  const block_t *b = block;
  if (!b->on || !b->of->ops->check || b->of->ops->check(&b->m)) return GMMU_OK;
  return err_set(e, GMMU_ECHECK, "mechanism %s: an invariant does not hold", b->of->ops->name);
}

static void outside_count_in(void *block, counters_t *c) {
  block_t *b = block;
  if (b->on) counters_add(c, b->counters, GMMU_MAX_APPS * b->of->ops->counters_bytes);
}

static void outside_app_json(const void *block, uint32_t app, json_t *j) {
  const block_t *b = block;
  const mechanism_ops_t *ops = b->of->ops;
  if (b->on && ops->counters)
    stat_json_object(j, ops->name, outside_counters(&b->m, app), ops->counters);
}
/* Of a policy that does not know applications. */
static void outside_json(const void *block, json_t *j) { outside_app_json(block, 0, j); }

void outside_drop(uint32_t count) { slots = count; }
uint32_t outside_count(void) { return slots; }
const component_t *outside_row(uint32_t i) { return &slot[i].row; }

bool outside_on(const mechanism_ops_t *ops, const gpu_spec_t *s) {
  bool on = false;
  for (uint32_t i = 0; i < slots; i++)
    if (slot[i].ops == ops) memcpy(&on, &s->mechanism[MECHANISMS + i], sizeof on);
  return on;
}

/* ---- storage ---- */

static bool storage_of(const slot_t *s, const gpu_spec_t *spec, uint32_t i,
                       outside_storage_t *out) {
  outside_t m = {.options = (const char *)&spec->mechanism[MECHANISMS + (s - slot)] + OWN_OFFSET,
                 .sms = spec->core.sms,
                 .apps = GMMU_MAX_APPS,
                 .levels = spec->tlb.levels};
  *out = (outside_storage_t){0};
  return s->ops->storage(&m, i, out);
}

static void work_out(const slot_t *s, const gpu_spec_t *spec, uint32_t i, cost_t *c) {
  outside_storage_t out;
  if (!storage_of(s, spec, i, &out)) return;
  c->each = out.bits, c->count = out.count;
  snprintf(c->formula, sizeof c->formula, "%s", out.formula);
}

/* A row of storage is asked without being told which it is: so each place has functions. */
#define STRUCTURE(s, i)                                                                            \
  static void work_##s##_##i(const gpu_spec_t *spec, cost_t *c) { work_out(&slot[s], spec, i, c); }
#define STRUCTURES(s)                                                                              \
  static bool on_##s(const gpu_spec_t *spec) { return outside_on(slot[s].ops, spec); }             \
  STRUCTURE(s, 0) STRUCTURE(s, 1) STRUCTURE(s, 2) STRUCTURE(s, 3)
#define WORK(s)                                                                                    \
  { work_##s##_0, work_##s##_1, work_##s##_2, work_##s##_3 }
STRUCTURES(0)
STRUCTURES(1)
STRUCTURES(2)
STRUCTURES(3)
STRUCTURES(4)
STRUCTURES(5)
STRUCTURES(6)
STRUCTURES(7)
static bool (*const on_of[OUTSIDE_MOST])(const gpu_spec_t *) = {on_0, on_1, on_2, on_3,
                                                                on_4, on_5, on_6, on_7};
static void (*const work_of[OUTSIDE_MOST][OUTSIDE_STORAGE])(const gpu_spec_t *, cost_t *) = {
    WORK(0), WORK(1), WORK(2), WORK(3), WORK(4), WORK(5), WORK(6), WORK(7)};

/* Which structures there are is asked once, with all options at their defaults. */
static int take_storage(slot_t *s, err_t *e) {
  gpu_spec_t spec;
  uint32_t n = 0;
  gpu_spec_init(&spec);
  for (; s->ops->storage && n < OUTSIDE_STORAGE && storage_of(s, &spec, n, &s->storage[n]); n++) {
    const outside_storage_t *o = &s->storage[n];
    if (!o->what || !*o->what || !o->where || !memchr(o->formula, 0, sizeof o->formula))
      return err_set(e, GMMU_EFORMAT, "mechanism \"%s\": structure %u of its storage lacks a name",
                     s->ops->name, n);
    s->cost[n] = (cost_row_t){.paper = s->ops->name,
                              .mechanism = s->ops->name,
                              .what = o->what,
                              .where = o->where,
                              .of = "",
                              .printed = "",
                              .on = on_of[s - slot],
                              .work_out = work_of[s - slot][n]};
  }
  return GMMU_OK;
}

/* ---- entering one ---- */

static size_t field_bytes(opt_type_t t) {
  return t == OPT_U32    ? sizeof(uint32_t)
         : t == OPT_BOOL ? sizeof(bool)
         : t == OPT_NAME ? sizeof(const char *)
                         : sizeof(uint64_t);
}

/* `on` of a mechanism, and behind it the row's own. */
static int take_options(slot_t *s, const mechanism_ops_t *ops, err_t *e) {
  uint32_t n = 0;
  if (!s->policy)
    s->options[n++] =
        (opt_t){"on", OPT_BOOL, 0, 0, 1, 0, "", "the machine has this mechanism", NULL, NULL};
  if (ops->options_bytes > MECHANISM_SPEC_BYTES - OWN_OFFSET)
    return err_set(e, GMMU_ERANGE, "\"%s\": its options take %zu bytes, at most %d are there",
                   ops->name, ops->options_bytes, MECHANISM_SPEC_BYTES - OWN_OFFSET);
  for (const opt_t *o = ops->options; o && o->name; o++) {
    if (n >= OPTIONS_MOST + !s->policy)
      return err_set(e, GMMU_ERANGE, "\"%s\": at most %d options", ops->name, OPTIONS_MOST);
    if (o->type > OPT_NAME || o->offset + field_bytes(o->type) > ops->options_bytes)
      return err_set(e, GMMU_EFORMAT,
                     "\"%s\": option \"%s\" is of no type that plug-ins have, or beyond "
                     "options_bytes",
                     ops->name, o->name);
    s->options[n] = *o;
    s->options[n++].offset += OWN_OFFSET;
  }
  s->options[n] = (opt_t){0};
  opt_group_t group[] = {{n ? ops->name : NULL, ops->help, s->options, NULL}, {0}};
  return opt_check(group, e);
}

static int check_counters(const mechanism_ops_t *ops, err_t *e) {
  if (ops->counters_bytes % 8 || (ops->counters && !ops->counters_bytes))
    return err_set(e, GMMU_EFORMAT, "\"%s\": counters are whole uint64_t", ops->name);
  for (const stat_desc_t *d = ops->counters; d && d->name; d++)
    if (d->offset % 8 || d->offset + 8 > ops->counters_bytes || !d->unit || !d->help)
      return err_set(e, GMMU_EFORMAT,
                     "\"%s\": counter \"%s\" is beyond counters_bytes, or lacks unit or "
                     "help",
                     ops->name, d->name);
  return GMMU_OK;
}

static int check_group(const char *name, const char *letters, err_t *e) {
  if (name[strspn(name, letters)] || strlen(name) > 40)
    return err_set(e, GMMU_EINVAL,
                   "\"%.40s\": its name, which begins its options, is small letters and "
                   "digits",
                   name);
  gpu_spec_t spec;
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_groups(&spec, groups);
  for (const opt_group_t *g = groups; g->prefix; g++)
    if (strcmp(g->prefix, name) == 0)
      return err_set(e, GMMU_EINVAL, "the name \"%s\" is taken: there are options \"%s\" already",
                     name, name);
  return GMMU_OK;
}

/* The slot has its `ops`, and `policy` if it is one's. */
static int enter(slot_t *s, const char *letters, err_t *e) {
  const mechanism_ops_t *ops = s->ops;
  int rc = check_group(ops->name, letters, e);
  if (rc == 0) rc = take_options(s, ops, e);
  if (rc == 0) rc = check_counters(ops, e);
  if (rc < 0) return rc;
  bool whole = s->policy && !s->policy->per_app;
  if (s->options[0].name) s->groups[0] = (option_group_t){ops->name, ops->help, s->options, 0};
  snprintf(s->path, sizeof s->path, "%s%s", whole ? "" : "apps[].", ops->name);
  snprintf(s->help, sizeof s->help, "%.120s%s%s%s", ops->help, s->policy ? "" : "; with ",
           s->policy ? "" : ops->name, s->policy ? "" : ".on");
  if (ops->counters) s->stats[0] = (stat_group_t){s->path, s->help, ops->counters};
  s->hooks = (hooks_t){.looked_up = ops->looked_up ? tell_looked_up : NULL,
                       .level_missed = ops->missed ? tell_missed : NULL,
                       .walked = ops->walked ? tell_walked : NULL};
  s->row = (component_t){.name = ops->name,
                         .stage = STAGE_OBSERVERS,
                         .bytes = sizeof(block_t) + GMMU_MAX_APPS * ops->counters_bytes +
                                  ops->state_bytes,
                         .options = s->groups,
                         .init = outside_init,
                         .hooks = outside_hooks,
                         .epoch = outside_epoch,
                         .check = outside_check,
                         .stats = s->stats,
                         .counters = outside_count_in,
                         .app_json = whole ? NULL : outside_app_json,
                         .json = whole ? outside_json : NULL,
                         .cost = s->cost};
  slots++; /* storage is worked out from a spec that has its options */
  rc = take_storage(s, e);
  if (rc < 0) slots--;
  return rc;
}

static slot_t *new_slot(err_t *e) {
  slot_t *s = &slot[slots];
  if (slots < OUTSIDE_MOST) return memset(s, 0, sizeof *s);
  err_set(e, GMMU_ERANGE, "at most %d mechanisms and policies with options in plug-ins",
          OUTSIDE_MOST);
  return NULL;
}

int outside_add(const mechanism_ops_t *ops, err_t *e) {
  slot_t *s = new_slot(e);
  if (!s) return e->code;
  s->ops = ops;
  return enter(s, "abcdefghijklmnopqrstuvwxyz0123456789", e);
}

int outside_add_policy(const char *name, const char *help, const policy_own_t *own, err_t *e) {
  slot_t *s = new_slot(e);
  if (!s) return e->code;
  snprintf(s->group, sizeof s->group, "%s", name);
  for (char *c = s->group; *c; c++)
    if (*c == '-') *c = '_';
  s->policy = own;
  s->shell = (mechanism_ops_t){.name = s->group,
                               .help = help,
                               .options = own->options,
                               .options_bytes = own->options_bytes,
                               .counters = own->counters,
                               .counters_bytes = own->counters_bytes};
  s->ops = &s->shell;
  return enter(s, "abcdefghijklmnopqrstuvwxyz0123456789_", e);
}
