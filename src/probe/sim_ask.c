/* Questions on a simulated GPU. A round is one launch that answers as many questions as its table
 * and its list have room for; the caches keep what a round leaves for the next. */
#include "probe/sim.h"
#include <string.h>

typedef struct {
  sim_t *s;
  const question_t *question;
  uint32_t count, at, end; /* the round: [at, end) */
  sim_range_t range[4];
  uint32_t announced;
  ask_params_t params;
  bool launched;
} talk_t;

static uint32_t entries_of(const question_t *q) { return (question_loads(q) + 3) / 4 * 4; }

static void write_list(const talk_t *t, const question_t *q, uint32_t at) {
  uint8_t *list = sim_host(t->s, t->s->list) + 4ull * at;
  for (uint32_t i = 0; i < question_loads(q); i++) {
    uint32_t entry = (uint32_t)(q->at[i] / DEVICE_GRANULE);
    memcpy(list + 4ull * i, &entry, sizeof entry);
  }
}

/* Questions from `end` on, as long as there is room; false if there is none for the first. */
static bool write_round(talk_t *t) {
  uint8_t *table = sim_host(t->s, t->s->ask_table);
  uint32_t used = 0;
  for (t->at = t->end; t->end < t->count && t->end - t->at < ASK_QUESTIONS; t->end++) {
    const question_t *q = &t->question[t->end];
    ask_row_t row = {used, q->warm, q->stored, q->first, q->rest, q->ready, q->timed, 0};
    if (entries_of(q) > SIM_ENTRIES - used) break;
    memcpy(table + (t->end - t->at) * sizeof row, &row, sizeof row);
    write_list(t, q, used);
    used += entries_of(q);
  }
  return t->end > t->at;
}

static void read_times(talk_t *t) {
  const uint8_t *out = sim_host(t->s, t->s->out);
  for (uint32_t i = t->at; i < t->end; i++) {
    uint32_t cycles;
    memcpy(&cycles, out + 4ull * (i - t->at), sizeof cycles);
    int64_t time = sim_noise(t->s, cycles);
    *t->question[i].cycles = time > 0 ? (uint32_t)time : 0;
  }
}

static int next_command(void *ctx, uint64_t now, ptx_command_t *c, err_t *e) {
  talk_t *t = ctx;
  (void)now;
  if (sim_announce(t->range, 4, &t->announced, c)) return GMMU_OK;
  if (t->launched) read_times(t);
  *c = (ptx_command_t){.kind = CMD_END};
  if (t->end == t->count) return GMMU_OK;
  if (!write_round(t))
    return err_set(e, GMMU_ERANGE, "a question has at most %u loads", SIM_ENTRIES);
  t->params = (ask_params_t){.table = t->s->ask_table,
                             .list = t->s->list,
                             .buffer = t->s->buffer,
                             .out = t->s->out,
                             .questions = t->end - t->at};
  *c = (ptx_command_t){.kind = CMD_LAUNCH,
                       .kernel = t->s->ask_kernel,
                       .launch = {.grid = {1, 1, 1},
                                  .block = {ASK_THREADS, 1, 1},
                                  .dynamic_shared_bytes = ASK_SHARED_BYTES,
                                  .params = &t->params}};
  t->launched = true;
  return GMMU_OK;
}

static int rewind_program(void *ctx, err_t *e) {
  talk_t *t = ctx;
  (void)e;
  t->at = t->end = t->announced = 0;
  t->launched = false;
  return GMMU_OK;
}

static uint64_t furthest(const question_t *q, uint32_t count) {
  uint64_t most = 0;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < question_loads(&q[k]); i++)
      if (q[k].at[i] > most) most = q[k].at[i];
  return most;
}

int sim_ask(device_t *d, const question_t *q, uint32_t count, err_t *e) {
  sim_t *s = sim_of(d);
  talk_t t = {.s = s,
              .question = q,
              .count = count,
              .range = {{s->buffer, sim_touched(s, furthest(q, count))},
                        {s->ask_table, ASK_QUESTIONS * sizeof(ask_row_t)},
                        {s->list, SIM_ENTRIES * 4ull},
                        {s->out, SIM_OUT_BYTES}}};
  ptx_host_t host = {&t, next_command, rewind_program};
  return sim_program(s, &host, e);
}
