/* Mechanisms of plug-ins as rows of the machine: options, counters, hooks and messages of a
 * mechanism_ops_t behind those of a component_t.
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
  opt_t options[OPTIONS_MOST + 2];
  option_group_t groups[2];
  char path[64], help[160];
  stat_group_t stats[2];
  hooks_t hooks;
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
  b->on = *(const bool *)b->base.spec;
  b->m = (outside_t){.calls = &calls,
                     .options = (const char *)b->base.spec + OWN_OFFSET,
                     .counters = b->counters,
                     .counters_bytes = ops->counters_bytes,
                     .state = (char *)b->counters + GMMU_MAX_APPS * ops->counters_bytes,
                     .sms = spec->core.sms,
                     .apps = mechanisms_share(ports)->apps,
                     .levels = spec->tlb.levels};
  if (b->on && ops->init) ops->init(&b->m);
  return GMMU_OK;
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

void outside_drop(uint32_t count) { slots = count; }
uint32_t outside_count(void) { return slots; }
const component_t *outside_row(uint32_t i) { return &slot[i].row; }

bool outside_on(const mechanism_ops_t *ops, const gpu_spec_t *s) {
  bool on = false;
  for (uint32_t i = 0; i < slots; i++)
    if (slot[i].ops == ops) memcpy(&on, &s->mechanism[MECHANISMS + i], sizeof on);
  return on;
}

/* ---- entering one ---- */

static size_t field_bytes(opt_type_t t) {
  return t == OPT_U32    ? sizeof(uint32_t)
         : t == OPT_BOOL ? sizeof(bool)
         : t == OPT_NAME ? sizeof(const char *)
                         : sizeof(uint64_t);
}

/* `on`, and behind it the row's own. */
static int take_options(slot_t *s, const mechanism_ops_t *ops, err_t *e) {
  uint32_t n = 1;
  s->options[0] =
      (opt_t){"on", OPT_BOOL, 0, 0, 1, 0, "", "the machine has this mechanism", NULL, NULL};
  if (ops->options_bytes > MECHANISM_SPEC_BYTES - OWN_OFFSET)
    return err_set(e, GMMU_ERANGE,
                   "mechanism \"%s\": its options take %zu bytes, at most %d are there", ops->name,
                   ops->options_bytes, MECHANISM_SPEC_BYTES - OWN_OFFSET);
  for (const opt_t *o = ops->options; o && o->name; o++) {
    if (n > OPTIONS_MOST)
      return err_set(e, GMMU_ERANGE, "mechanism \"%s\": at most %d options", ops->name,
                     OPTIONS_MOST);
    if (o->type > OPT_NAME || o->offset + field_bytes(o->type) > ops->options_bytes)
      return err_set(e, GMMU_EFORMAT,
                     "mechanism \"%s\": option \"%s\" is of no type that plug-ins have, or beyond "
                     "options_bytes",
                     ops->name, o->name);
    s->options[n] = *o;
    s->options[n++].offset += OWN_OFFSET;
  }
  s->options[n] = (opt_t){0};
  opt_group_t group[] = {{ops->name, ops->help, s->options, NULL}, {0}};
  return opt_check(group, e);
}

static int check_counters(const mechanism_ops_t *ops, err_t *e) {
  if (ops->counters_bytes % 8 || (ops->counters && !ops->counters_bytes))
    return err_set(e, GMMU_EFORMAT, "mechanism \"%s\": counters are whole uint64_t", ops->name);
  for (const stat_desc_t *d = ops->counters; d && d->name; d++)
    if (d->offset % 8 || d->offset + 8 > ops->counters_bytes || !d->unit || !d->help)
      return err_set(e, GMMU_EFORMAT,
                     "mechanism \"%s\": counter \"%s\" is beyond counters_bytes, or lacks unit or "
                     "help",
                     ops->name, d->name);
  return GMMU_OK;
}

static int check_group(const char *name, err_t *e) {
  if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789")] || strlen(name) > 40)
    return err_set(e, GMMU_EINVAL,
                   "mechanism \"%.40s\": its name, which begins its options, is small letters and "
                   "digits",
                   name);
  gpu_spec_t spec;
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_groups(&spec, groups);
  for (const opt_group_t *g = groups; g->prefix; g++)
    if (strcmp(g->prefix, name) == 0)
      return err_set(e, GMMU_EINVAL, "there are options \"%s\" already", name);
  return GMMU_OK;
}

int outside_add(const mechanism_ops_t *ops, err_t *e) {
  if (slots == OUTSIDE_MOST)
    return err_set(e, GMMU_ERANGE, "at most %d mechanisms of plug-ins", OUTSIDE_MOST);
  slot_t *s = &slot[slots];
  memset(s, 0, sizeof *s);
  int rc = check_group(ops->name, e);
  if (rc == 0) rc = take_options(s, ops, e);
  if (rc == 0) rc = check_counters(ops, e);
  if (rc < 0) return rc;
  s->ops = ops;
  s->groups[0] = (option_group_t){ops->name, ops->help, s->options, 0};
  snprintf(s->path, sizeof s->path, "apps[].%s", ops->name);
  snprintf(s->help, sizeof s->help, "%.120s; with %s.on", ops->help, ops->name);
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
                         .app_json = outside_app_json};
  slots++;
  return GMMU_OK;
}
