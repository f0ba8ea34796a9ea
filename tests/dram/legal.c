/* The referee: replays a command log against the definitions of the constraints, pair by pair, in
 * signed arithmetic and with no state shared with the channel's code. A train of bursts is written
 * out as the single column commands it stands for. */
#include "help.h"
#include <stdio.h>
#include <string.h>

#define LOOK_BACK 500 /* cycles; more than any constraint of the tests reaches */

typedef struct {
  int64_t t;
  uint32_t row;
  uint8_t cmd, bank;
  bool on_bus; /* takes a slot of the command bus */
} one_t;

typedef struct {
  const dram_spec_t *s;
  int64_t burst, spacing;
  one_t *one;
  uint32_t count;
  char text[160];
} referee_t;

static bool is_column(const one_t *c) {
  return c->cmd == DRAM_CMD_READ || c->cmd == DRAM_CMD_WRITE;
}
static bool is_pre(const one_t *c) { return c->cmd == DRAM_CMD_PRE || c->cmd == DRAM_CMD_AUTO_PRE; }

static int by_time(const void *a, const void *b) {
  const one_t *x = a, *y = b;
  return x->t < y->t ? -1 : x->t > y->t;
}

/* A precharge of all banks becomes one per bank that is open: the replay ignores the others. */
static void write_out(referee_t *r, const dram_cmd_t *c) {
  one_t o = {.t = (int64_t)c->t, .row = c->row, .cmd = c->cmd, .bank = c->bank, .on_bus = true};
  if (c->cmd == DRAM_CMD_AUTO_PRE) o.on_bus = false;
  r->one[r->count++] = o;
  if (c->cmd == DRAM_CMD_REFRESH_BANK) r->one[r->count - 1].on_bus = false;
  o.on_bus = false;
  for (uint32_t i = 1; is_column(&o) && i < c->bursts; i++) {
    o.t += r->spacing;
    r->one[r->count++] = o;
  }
}

static const char *bad(referee_t *r, const char *rule, const one_t *x, const one_t *y) {
  snprintf(r->text, sizeof r->text,
           "%s: command %d bank %d at %lld after command %d bank %d at %lld", rule, y->cmd, y->bank,
           (long long)y->t, x->cmd, x->bank, (long long)x->t);
  return r->text;
}

static int64_t data_start(const referee_t *r, const one_t *c) {
  return c->t + (c->cmd == DRAM_CMD_READ ? r->s->tcl : r->s->tcwl);
}

static const char *same_bank(referee_t *r, const one_t *x, const one_t *y) {
  const dram_spec_t *s = r->s;
  int64_t gap = y->t - x->t;
  if (x->cmd == DRAM_CMD_ACT && y->cmd == DRAM_CMD_ACT && gap < s->trc) return "tRC";
  if (x->cmd == DRAM_CMD_ACT && is_pre(y) && gap < s->tras) return "tRAS";
  if (x->cmd == DRAM_CMD_ACT && is_column(y) && gap < s->trcd) return "tRCD";
  if (is_pre(x) && y->cmd == DRAM_CMD_ACT && gap < s->trp) return "tRP";
  if (is_pre(x) && y->cmd == DRAM_CMD_REFRESH_BANK && gap < s->trp) return "tRP to bank refresh";
  if (x->cmd == DRAM_CMD_ACT && y->cmd == DRAM_CMD_REFRESH_BANK && gap < s->trc)
    return "tRC to bank refresh";
  if (x->cmd == DRAM_CMD_REFRESH_BANK && y->cmd == DRAM_CMD_ACT && gap < s->trfc)
    return "tRFC of a bank";
  if (x->cmd == DRAM_CMD_READ && is_pre(y) && gap < s->trtp) return "tRTP";
  if (x->cmd == DRAM_CMD_WRITE && is_pre(y) && gap < s->tcwl + r->burst + s->twr) return "tWR";
  return NULL;
}

static const char *any_bank(referee_t *r, const one_t *x, const one_t *y) {
  const dram_spec_t *s = r->s;
  int64_t gap = y->t - x->t;
  if (x->cmd == DRAM_CMD_ACT && y->cmd == DRAM_CMD_ACT && gap < s->trrd) return "tRRD";
  if (x->cmd == DRAM_CMD_REFRESH && y->cmd == DRAM_CMD_ACT && gap < s->trfc) return "tRFC";
  if (is_pre(x) && y->cmd == DRAM_CMD_REFRESH && gap < s->trp) return "tRP to refresh";
  if (!is_column(x) || !is_column(y)) return NULL;
  if (gap < s->tccd) return "tCCD";
  int64_t idle = data_start(r, y) - (data_start(r, x) + r->burst);
  if (idle < 0) return "data bus";
  if (x->cmd == DRAM_CMD_READ && y->cmd == DRAM_CMD_WRITE && idle < s->turnaround)
    return "turnaround";
  if (x->cmd == DRAM_CMD_WRITE && y->cmd == DRAM_CMD_READ && gap < s->tcwl + r->burst + s->twtr)
    return "tWTR";
  return NULL;
}

/* Banks whose numbers are equal modulo the number of groups keep the longer distances. */
static const char *same_group(referee_t *r, const one_t *x, const one_t *y) {
  const dram_spec_t *s = r->s;
  int64_t gap = y->t - x->t;
  if (x->bank % s->groups != y->bank % s->groups) return NULL;
  if (x->cmd == DRAM_CMD_ACT && y->cmd == DRAM_CMD_ACT && gap < s->trrd_l) return "tRRD_L";
  if (!is_column(x) || !is_column(y)) return NULL;
  if (s->groups > 1 && gap < s->tccd_l) return "tCCD_L";
  if (s->groups > 1 && x->cmd == DRAM_CMD_WRITE && y->cmd == DRAM_CMD_READ &&
      gap < s->tcwl + r->burst + s->twtr_l)
    return "tWTR_L";
  return NULL;
}

static const char *on_bus(referee_t *r, const one_t *x, const one_t *y) {
  const dram_spec_t *s = r->s;
  int64_t filled = x->cmd == DRAM_CMD_ACT ? s->activate_cycles : s->command_cycles;
  if (!x->on_bus || !y->on_bus || y->t - x->t >= filled) return NULL;
  return !s->dual_command || is_column(x) == is_column(y) ? "command bus" : NULL;
}

static const char *pairs(referee_t *r, uint32_t i) {
  const one_t *y = &r->one[i];
  uint32_t acts = y->cmd == DRAM_CMD_ACT;
  for (uint32_t j = i; j-- > 0 && y->t - r->one[j].t < LOOK_BACK;) {
    const one_t *x = &r->one[j];
    const char *rule = on_bus(r, x, y);
    if (!rule) rule = any_bank(r, x, y);
    if (!rule) rule = same_group(r, x, y);
    if (!rule && x->bank == y->bank) rule = same_bank(r, x, y);
    if (!rule && y->cmd == DRAM_CMD_ACT && x->cmd == DRAM_CMD_ACT && ++acts == 5 &&
        y->t - x->t < r->s->tfaw)
      rule = "tFAW";
    if (rule) return bad(r, rule, x, y);
  }
  return NULL;
}

/* Which rows are open: no command may meet a bank in a wrong state. */
static const char *states(referee_t *r) {
  int64_t row[DRAM_BANKS_MAX];
  for (uint32_t b = 0; b < DRAM_BANKS_MAX; b++) row[b] = -1;
  for (uint32_t i = 0; i < r->count; i++) {
    const one_t *c = &r->one[i];
    if (c->cmd == DRAM_CMD_ACT && row[c->bank] >= 0)
      return bad(r, "activate of an open bank", c, c);
    if (is_column(c) && row[c->bank] != c->row) return bad(r, "column of another row", c, c);
    if (c->cmd == DRAM_CMD_ACT) row[c->bank] = c->row;
    if (is_pre(c) && row[c->bank] < 0) return bad(r, "precharge of a closed bank", c, c);
    if (is_pre(c)) row[c->bank] = -1;
    if (c->cmd == DRAM_CMD_REFRESH_BANK && row[c->bank] >= 0)
      return bad(r, "refresh of an open bank", c, c);
    for (uint32_t b = 0; c->cmd == DRAM_CMD_REFRESH && b < r->s->banks; b++)
      if (row[b] >= 0) return bad(r, "refresh of an open bank", c, c);
  }
  return NULL;
}

/* Bank b's n-th refresh (from 0) comes at its due time or soon after, and there is none too many.
 */
static const char *bank_refreshes(referee_t *r) {
  int64_t step = r->s->trefi / r->s->banks, slack = r->s->trc + r->s->tcl + r->s->twr + 64;
  int64_t due[DRAM_BANKS_MAX];
  for (uint32_t b = 0; b < r->s->banks; b++) due[b] = (b + 1) * step;
  for (uint32_t i = 0; i < r->count; i++) {
    const one_t *c = &r->one[i];
    if (c->cmd == DRAM_CMD_REFRESH) return bad(r, "refresh of all banks", c, c);
    if (c->cmd == DRAM_CMD_REFRESH_BANK) {
      if (c->t < due[c->bank] || c->t > due[c->bank] + slack) return bad(r, "tREFI", c, c);
      due[c->bank] += step * r->s->banks;
    } else if (c->t > due[c->bank] + slack) {
      return bad(r, "refresh missing", c, c);
    }
  }
  return NULL;
}

/* The n-th refresh comes at its due time or soon after, and there is none too many. */
static const char *refreshes(referee_t *r) {
  int64_t due = r->s->trefi;
  if (r->s->bank_refresh && r->s->trefi) return bank_refreshes(r);
  int64_t slack = (int64_t)r->s->trfc + r->s->trc + r->s->twr + r->s->tcl + 64 * r->spacing + 64;
  for (uint32_t i = 0; i < r->count; i++) {
    const one_t *c = &r->one[i];
    if (c->cmd == DRAM_CMD_REFRESH) {
      if (c->t < due || c->t > due + slack) return bad(r, "tREFI", c, c);
      due += r->s->trefi;
    } else if (r->s->trefi && c->t > due + slack) {
      return bad(r, "refresh missing", c, c);
    }
  }
  return NULL;
}

/* PRE_ALL into one PRE per bank open at that time. */
static void split_pre_all(referee_t *r, const dram_cmd_t *cmd, uint32_t at) {
  bool open[DRAM_BANKS_MAX] = {false};
  for (uint32_t i = 0; i < at; i++) {
    if (cmd[i].cmd == DRAM_CMD_ACT) open[cmd[i].bank] = true;
    if (cmd[i].cmd == DRAM_CMD_PRE || cmd[i].cmd == DRAM_CMD_AUTO_PRE) open[cmd[i].bank] = false;
    if (cmd[i].cmd == DRAM_CMD_PRE_ALL) memset(open, 0, sizeof open);
  }
  bool first = true;
  for (uint32_t b = 0; b < r->s->banks; b++) {
    if (!open[b]) continue;
    r->one[r->count++] =
        (one_t){.t = (int64_t)cmd[at].t, .cmd = DRAM_CMD_PRE, .bank = (uint8_t)b, .on_bus = first};
    first = false;
  }
}

static const char *judge(referee_t *r) {
  const char *why = states(r);
  if (!why) why = refreshes(r);
  for (uint32_t i = 0; !why && i < r->count; i++) why = pairs(r, i);
  return why;
}

const char *legal_log(const dram_spec_t *s, const dram_cmd_t *cmd, uint32_t count) {
  static char text[160];
  referee_t r = {.s = s, .burst = (s->burst_length + s->data_rate - 1) / s->data_rate};
  r.spacing = s->tccd > r.burst ? s->tccd : r.burst;
  size_t size = 1;
  for (uint32_t i = 0; i < count; i++)
    size += cmd[i].cmd == DRAM_CMD_PRE_ALL ? s->banks : 1 + (size_t)cmd[i].bursts;
  r.one = calloc(size, sizeof *r.one);
  if (!r.one) return "out of memory";
  for (uint32_t i = 0; i < count; i++) {
    if (cmd[i].cmd == DRAM_CMD_PRE_ALL)
      split_pre_all(&r, cmd, i);
    else
      write_out(&r, &cmd[i]);
  }
  qsort(r.one, r.count, sizeof *r.one, by_time);
  const char *why = judge(&r);
  if (why) snprintf(text, sizeof text, "%s", r.text);
  free(r.one);
  return why ? text : NULL;
}
