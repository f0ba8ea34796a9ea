/* What every generator must obey: a new entry of gen_all[] is tested by being there. */
#include "drive.h"

static void each(void (*check)(const gen_ops_t *g)) {
  for (const gen_ops_t *const *g = gen_all; *g; g++) check(*g);
}

/* --- declarations ----------------------------------------------------------------------------- */

static const opt_t *find_option(const gen_ops_t *g, const char *name) {
  for (const opt_t *o = g->options; o->name; o++)
    if (strcmp(o->name, name) == 0) return o;
  return NULL;
}

static void check_declaration(const gen_ops_t *g) {
  static const char *const common[] = {"footprint", "blocks", "warps", "steps", "arith",
                                       "launches",  "seed",   "regs",  "shared"};
  assert_ptr_equal(gen_find(g->name), g);
  assert_true(g->help && g->help[0] && g->bytes >= sizeof(gen_params_t));
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    if (!find_option(g, common[i])) fail_msg("%s has no option %s", g->name, common[i]);
  for (const opt_t *o = g->options; o->name; o++) assert_true(o->offset < g->bytes);
  err_t e = {0};
  const opt_group_t groups[] = {{g->name, g->help, g->options, NULL}, {0}};
  if (opt_check(groups, &e) < 0) fail_msg("%s: %s", e.key, e.text);
}
static void every_entry_is_declared_completely(void **state) {
  (void)state;
  each(check_declaration);
}

/* --- static table ----------------------------------------------------------------------------- */

static void check_registers(const inst_t *i) {
  if (i->dst == REG_NONE) {
    assert_int_equal(i->dsts, 0);
    return;
  }
  assert_true(i->dsts >= 1 && i->dsts <= 4);
  assert_true(i->dst + i->dsts <= 32); /* the default of the regs option */
}

static void check_instruction(const inst_t *i) {
  assert_true(i->cls < IC_COUNT);
  assert_true(i->space < SPACE_COUNT);
  check_registers(i);
  if (is_memory(i)) {
    assert_true(i->width >= 1 && i->width <= 16 && (i->width & (i->width - 1)) == 0);
    assert_int_not_equal(i->src[0], REG_NONE); /* the address */
    assert_int_equal(i->dst == REG_NONE, i->cls == IC_STORE);
  } else {
    assert_int_equal(i->width, 0);
    assert_int_equal(i->space, 0);
  }
  if (i->cls == IC_LOAD) assert_int_equal(i->dsts, (i->width + 3) / 4);
}

static void check_table_of(void *ctx, const command_t *c) {
  (void)ctx;
  const launch_t *l = &c->launch;
  if (c->kind != CMD_LAUNCH) return;
  assert_true(l->name && l->inst_count > 1);
  for (uint32_t i = 0; i < l->inst_count; i++) {
    check_instruction(&l->inst[i]);
    assert_int_equal(l->inst[i].cls == IC_EXIT, i + 1 == l->inst_count);
  }
}
static void check_table(const gen_ops_t *g) {
  char text[128];
  drive(small_spec(g, text), ORDER_WARPS, &(watcher_t){.command = check_table_of});
}
static void static_tables_are_valid(void **state) {
  (void)state;
  each(check_table);
}

/* --- use of registers ------------------------------------------------------------------------- */

typedef struct {
  bool written[64][256]; /* by warp */
  bool exited[64];
} registers_t;

static void note_registers(void *ctx, const event_t *ev) {
  registers_t *r = ctx;
  bool *written = r->written[ev->warp];
  if (ev->pc == 0) memset(written, 0, 256), r->exited[ev->warp] = false; /* next launch */
  assert_false(r->exited[ev->warp]);
  for (int i = 0; i < 4; i++)
    if (ev->inst->src[i] != REG_NONE && !written[ev->inst->src[i]])
      fail_msg("%s: instruction %u reads r%u before anything wrote it", ev->kernel->name, ev->pc,
               ev->inst->src[i]);
  for (int i = 0; i < ev->inst->dsts; i++) written[ev->inst->dst + i] = true;
  r->exited[ev->warp] = ev->inst->cls == IC_EXIT;
}
static void check_register_use(const gen_ops_t *g) {
  registers_t r = {0};
  char text[128];
  drive(small_spec(g, text), ORDER_ROBIN, &(watcher_t){.issue = note_registers, .ctx = &r});
  for (uint32_t w = 0; w < 6 * 3; w++) assert_true(r.exited[w]);
}
static void registers_are_written_before_they_are_read_and_exit_is_last(void **state) {
  (void)state;
  each(check_register_use);
}

/* Somebody later reads what a load brings; else a compiler would have removed it. */
static void check_loads_used(void *ctx, const command_t *c) {
  (void)ctx;
  if (c->kind != CMD_LAUNCH) return;
  for (uint32_t i = 0; i < c->launch.inst_count; i++) {
    const inst_t *load = &c->launch.inst[i];
    bool used = load->cls != IC_LOAD;
    for (uint32_t j = 0; j < c->launch.inst_count; j++)
      for (int k = 0; k < 4; k++) used |= c->launch.inst[j].src[k] == load->dst;
    assert_true(used);
  }
}
static void check_dead_loads(const gen_ops_t *g) {
  char text[128];
  drive(small_spec(g, text), ORDER_WARPS, &(watcher_t){.command = check_loads_used});
}
static void every_loaded_register_is_used(void **state) {
  (void)state;
  each(check_dead_loads);
}

/* --- commands --------------------------------------------------------------------------------- */

typedef struct {
  const char *text; /* of the generator, for messages */
  uint64_t va[16], bytes[16];
  uint32_t buffers, freed, launches, ins, outs;
  uint32_t last;                           /* kind of the last command */
  uint64_t piece[4096], piece_bytes[4096]; /* allocations that come and go; 0: none */
  uint64_t pieces_end;                     /* behind the last so far */
} program_t;

/* Addresses of allocations that come and go between launches. */
#define PIECES 0x20000000000u

static void note_piece(program_t *p, const command_t *c) {
  uint32_t i = 0;
  while (i < 4096 && p->piece[i] != (c->kind == CMD_FREE ? c->va : 0)) i++;
  assert_true(i < 4096 && c->va % 4096 == 0 && p->last != CMD_COPY_OUT);
  if (c->kind == CMD_ALLOC) assert_true(c->bytes && c->va >= p->pieces_end); /* nobody had it */
  p->piece[i] = c->kind == CMD_FREE ? 0 : c->va;
  p->piece_bytes[i] = c->bytes;
  if (c->kind == CMD_ALLOC) p->pieces_end = c->va + c->bytes;
}

static void note_alloc(program_t *p, const command_t *c) {
  assert_int_equal(c->va % (2 << 20), 0);
  assert_true(c->va >= 0x10000000000u && c->bytes > 0);
  if (p->buffers) assert_true(c->va >= p->va[p->buffers - 1] + p->bytes[p->buffers - 1]);
  p->va[p->buffers] = c->va;
  p->bytes[p->buffers++] = c->bytes;
}

static void check_is_buffer(const program_t *p, const command_t *c) {
  for (uint32_t i = 0; i < p->buffers; i++)
    if (p->va[i] == c->va && p->bytes[i] == c->bytes) return;
  fail_msg("a copy of something that is no buffer");
}

static void note_command(void *ctx, const command_t *c) {
  static const uint8_t place[] = {[CMD_ALLOC] = 0,    [CMD_COPY_IN] = 1, [CMD_LAUNCH] = 2,
                                  [CMD_COPY_OUT] = 3, [CMD_FREE] = 4,    [CMD_END] = 5};
  program_t *p = ctx;
  if ((c->kind == CMD_ALLOC || c->kind == CMD_FREE) && c->va >= PIECES) {
    note_piece(p, c);
    return;
  }
  assert_true(place[c->kind] >= place[p->last]);
  p->last = c->kind;
  if (c->kind == CMD_ALLOC) note_alloc(p, c);
  if (c->kind == CMD_COPY_IN || c->kind == CMD_COPY_OUT) check_is_buffer(p, c);
  p->launches += c->kind == CMD_LAUNCH;
  p->ins += c->kind == CMD_COPY_IN;
  p->outs += c->kind == CMD_COPY_OUT;
  if (c->kind == CMD_FREE) assert_true(c->va == p->va[p->freed++] && c->bytes == 0);
}

static void check_commands(const gen_ops_t *g) {
  program_t p = {0};
  char text[128];
  drive(small_spec(g, text), ORDER_WARPS, &(watcher_t){.command = note_command, .ctx = &p});
  assert_int_equal(p.freed, p.buffers);
  assert_int_equal(p.launches, 2);
  assert_true((p.ins >= 1 || g->host) && p.outs >= 1);
  for (uint32_t i = 0; i < 4096; i++) assert_int_equal(p.piece[i], 0);
}
static void a_program_allocates_copies_launches_copies_back_and_frees(void **state) {
  (void)state;
  each(check_commands);
}

/* --- addresses -------------------------------------------------------------------------------- */

static bool inside(const program_t *p, uint64_t a, uint64_t width) {
  for (uint32_t i = 0; i < p->buffers; i++)
    if (a >= p->va[i] && a + width <= p->va[i] + p->bytes[i]) return true;
  for (uint32_t i = 0; i < 4096 && a >= PIECES; i++)
    if (a >= p->piece[i] && a + width <= p->piece[i] + p->piece_bytes[i]) return true;
  return false;
}

static void check_addresses(void *ctx, const event_t *ev) {
  const program_t *p = ctx;
  const inst_t *i = ev->inst;
  if (!is_memory(i)) {
    assert_int_equal(ev->op->mode, ADDR_NONE);
    if (i->cls == IC_BARRIER) assert_true(ev->op->base == 0 && ev->op->stride == 0);
    return;
  }
  for (uint32_t l = 0; l < WARP_LANES; l++) {
    if (!(ev->op->mask >> l & 1)) continue;
    uint64_t a = lane_address(ev->op, l);
    bool in = i->space == SPACE_SHARED ? a + i->width <= ev->kernel->shared_bytes
                                       : inside(p, a, i->width);
    if (!in || a % i->width)
      fail_msg("%s: instruction %u: 0x%" PRIx64 " is %s", p->text, ev->pc, a,
               in ? "not aligned" : "in no buffer");
  }
}

static void check_addresses_of(const char *text) {
  program_t p = {.text = text};
  drive(text, ORDER_WARPS, &(watcher_t){note_command, check_addresses, &p});
}

static void check_small_addresses(const gen_ops_t *g) {
  char text[128];
  check_addresses_of(small_spec(g, text));
}
static void addresses_are_aligned_and_inside_the_allocations(void **state) {
  (void)state;
  each(check_small_addresses);
}

/* A value of the option that is cheap to run: between its minimum and some small bound. */
static uint64_t draw_value(rng_t *r, const opt_t *o) {
  static const struct {
    const char *name;
    uint32_t most;
  } bounds[] = {{"footprint", 3u << 20}, {"blocks", 9},   {"warps", 32},
                {"steps", 40},           {"launches", 2}, {"arith", 9}};
  uint64_t most = o->max < 40000 ? o->max : 40000;
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    if (strcmp(o->name, bounds[i].name) == 0) most = bounds[i].most;
  uint64_t v = o->min + rng_below(r, (uint32_t)(most - o->min + 1));
  return v % 2 ? v : v / 64 * 64 >= o->min ? v / 64 * 64 : v; /* often a round number */
}

/* Options at random: refused with a key, or a program that obeys. */
static void any_options_are_refused_or_obey(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  uint32_t accepted = 0;
  for (uint32_t round = 0; round < 200; round++)
    for (const gen_ops_t *const *g = gen_all; *g; g++) {
      char text[512];
      err_t e = {0};
      source_t *s;
      int n = snprintf(text, sizeof text, "%s", (*g)->name), first = 1;
      for (const opt_t *o = (*g)->options; o->name; o++) {
        if (rng_below(&r, 3) == 0 && strcmp(o->name, "footprint") && strcmp(o->name, "blocks"))
          continue;
        n += snprintf(text + n, sizeof text - (size_t)n, "%c%s=%" PRIu64, first ? ':' : ',',
                      o->name, draw_value(&r, o));
        first = 0;
      }
      int rc = gen_open(text, &s, &e);
      if (rc < 0) {
        assert_true(rc == GMMU_ERANGE && e.key[0] && e.text[0] && !s);
        continue;
      }
      s->ops->free(s);
      check_addresses_of(text);
      accepted++;
    }
  assert_true(accepted > 400);
}

/* --- the same streams, whatever the order ----------------------------------------------------- */

typedef struct {
  uint64_t hash[2][64]; /* by launch, warp */
  uint64_t count;
} streams_t;

static void hash_event(void *ctx, const event_t *ev) {
  streams_t *t = ctx;
  uint64_t *h = &t->hash[ev->launch][ev->warp];
  t->count++;
  *h = rng_mix(*h + ev->pc + 1);
  *h = rng_mix(*h + ev->op->mask);
  *h = rng_mix(*h + ev->op->mode);
  if (ev->op->mode == ADDR_NONE) return;
  for (uint32_t l = 0; l < WARP_LANES; l++)
    if (ev->op->mask >> l & 1) *h = rng_mix(*h + lane_address(ev->op, l));
}

static void check_order(const gen_ops_t *g) {
  streams_t want = {0};
  char text[128];
  drive(small_spec(g, text), ORDER_WARPS, &(watcher_t){.issue = hash_event, .ctx = &want});
  for (order_t order = ORDER_REVERSE; order < ORDERS; order++) {
    streams_t got = {0};
    drive(text, order, &(watcher_t){.issue = hash_event, .ctx = &got});
    if (memcmp(&want, &got, sizeof want))
      fail_msg("%s depends on the order; GMMU_SEED=%" PRIu64, text, test_seed());
  }
}
static void streams_do_not_depend_on_the_order_of_warps(void **state) {
  (void)state;
  each(check_order);
}

/* Commands and streams of one execution, from where the source stands. */
typedef struct {
  program_t program;
  streams_t streams;
} execution_t;

static void note_execution_command(void *ctx, const command_t *c) {
  note_command(&((execution_t *)ctx)->program, c);
}
static void note_execution_issue(void *ctx, const event_t *ev) {
  hash_event(&((execution_t *)ctx)->streams, ev);
}
static execution_t execute(source_t *s) {
  execution_t x = {0};
  drive_source(s, ORDER_ROBIN, &(watcher_t){note_execution_command, note_execution_issue, &x});
  return x;
}

static void check_rewind(const gen_ops_t *g) {
  char text[128];
  err_t e = {0};
  source_t *s = open_bound(small_spec(g, text));
  execution_t first = execute(s);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(s->ops->rewind(s, &e), GMMU_OK);
    execution_t again = execute(s);
    assert_memory_equal(&first, &again, sizeof first);
  }
  s->ops->free(s);
}
static void rewind_gives_the_same_program(void **state) {
  (void)state;
  each(check_rewind);
}

static void check_rewind_after(const char *text, const execution_t *want, uint32_t commands) {
  command_t c;
  err_t e = {0};
  source_t *s = open_bound(text);
  for (uint32_t i = 0; i < commands; i++)
    assert_int_equal(s->ops->next_command(s, 0, &c, &e), GMMU_OK);
  assert_int_equal(s->ops->rewind(s, &e), GMMU_OK);
  execution_t again = execute(s);
  assert_memory_equal(want, &again, sizeof again);
  s->ops->free(s);
}
static void check_rewind_in_the_middle(const gen_ops_t *g) {
  char text[128];
  source_t *s = open_bound(small_spec(g, text));
  execution_t want = execute(s);
  s->ops->free(s);
  for (uint32_t commands = 0; commands < 8; commands++) check_rewind_after(text, &want, commands);
}
static void rewind_works_in_the_middle(void **state) {
  (void)state;
  each(check_rewind_in_the_middle);
}

/* --- counts ----------------------------------------------------------------------------------- */

static void count_event(void *ctx, const event_t *ev) {
  (void)ev;
  ++*(uint64_t *)ctx;
}

static void check_work(const gen_ops_t *g) {
  char text[128];
  uint64_t issued = 0;
  source_t *s = open_bound(small_spec(g, text));
  drive_source(s, ORDER_WARPS, &(watcher_t){.issue = count_event, .ctx = &issued});
  assert_int_equal(source_work(s), issued);
  s->ops->free(s);
}
static void the_work_told_is_what_is_issued(void **state) {
  (void)state;
  each(check_work);
}

/* The largest that options allow: more than the number of it holds. */
static void check_most_work(const gen_ops_t *g) {
  char text[128];
  err_t e = {0};
  source_t *s = NULL;
  snprintf(text, sizeof text, "%s:blocks=16777216,warps=32,steps=1073741824,launches=1000",
           g->name);
  if (gen_open(text, &s, &e) < 0) fail_msg("%s: %s", text, e.text);
  if (source_work(s) != UINT64_MAX) fail_msg("%s: %" PRIu64, text, source_work(s));
  s->ops->free(s);
}
static void work_without_end_is_not_little(void **state) {
  (void)state;
  each(check_most_work);
}

static uint64_t body_instructions(const gen_ops_t *g, uint64_t arith) {
  uint64_t n = 3; /* end of the loop */
  for (uint32_t i = 0; i < g->body.count; i++) n += g->body.row[i].arith ? arith : 1;
  return n;
}

static void check_count(const gen_ops_t *g) {
  char text[128];
  uint64_t got = 0;
  snprintf(text, sizeof text, "%s:blocks=6,warps=3,steps=7,arith=13,launches=2,footprint=2M",
           g->name);
  drive(text, ORDER_WARPS, &(watcher_t){.issue = count_event, .ctx = &got});
  uint64_t once = 3 + g->head.count + g->tail.count + 1;
  assert_int_equal(got, 2 * 6 * 3 * (once + 7 * body_instructions(g, 13)));
}
static void instruction_counts_equal_the_formula(void **state) {
  (void)state;
  each(check_count);
}

static void check_default_size(const gen_ops_t *g) {
  uint64_t got = 0;
  drive(g->name, ORDER_WARPS, &(watcher_t){.issue = count_event, .ctx = &got});
  if (got < 500000 || got > 1000000) fail_msg("%s: %" PRIu64 " instructions", g->name, got);
}
static void defaults_run_half_a_million_to_a_million_instructions(void **state) {
  (void)state;
  each(check_default_size);
}

static void count_launch(void *ctx, const command_t *c) {
  if (c->kind != CMD_LAUNCH) return;
  const launch_t *l = &c->launch;
  *(uint32_t *)ctx += 1;
  assert_int_equal(l->grid[0], 240);
  assert_int_equal(l->grid[1] * l->grid[2], 1);
  assert_int_equal(l->block[0], 256);
  assert_int_equal(l->regs_per_thread, 32);
}
static void check_default_grid(const gen_ops_t *g) {
  uint32_t launches = 0;
  char text[64];
  snprintf(text, sizeof text, "%s:steps=1", g->name);
  drive(text, ORDER_WARPS, &(watcher_t){.command = count_launch, .ctx = &launches});
  assert_int_equal(launches, 1);
}
static void the_default_grid_fills_30_sms_of_64_warps(void **state) {
  (void)state;
  each(check_default_grid);
}

/* --- the same bytes for ever ------------------------------------------------------------------ */

/* Changing a number here changes every recorded result: say so in the commit. */
static const struct {
  const char *name;
  uint64_t hash;
} golden[] = {
    {"stream", 0xcef2066cb05159e7},  {"stride", 0xe970830a2d20a849},
    {"chase", 0x1691351abb95cce7},   {"gather", 0x95ad064be1da1c64},
    {"hotset", 0x72bf7435e9e70c26},  {"tiled2d", 0x4526c7f13cb3e430},
    {"compute", 0x6d5f752147ba0e9a}, {"churn", 0x22e4c75a8cb68631},
};

static void check_golden(const gen_ops_t *g) {
  char text[128];
  streams_t t = {0};
  uint64_t h = 0;
  drive(small_spec(g, text), ORDER_WARPS, &(watcher_t){.issue = hash_event, .ctx = &t});
  for (uint32_t l = 0; l < 2; l++)
    for (uint32_t w = 0; w < 64; w++) h = rng_mix(h + t.hash[l][w]);
  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
    if (strcmp(golden[i].name, g->name) == 0) {
      if (golden[i].hash != h) fail_msg("%s is now 0x%016" PRIx64, g->name, h);
      return;
    }
  fail_msg("%s has no golden hash; it is 0x%016" PRIx64, g->name, h);
}
static void streams_keep_their_bytes(void **state) {
  (void)state;
  each(check_golden);
}

/* --- misuse ----------------------------------------------------------------------------------- */

static void blocks_and_slots_that_do_not_exist_are_refused(void **state) {
  (void)state;
  source_t *s = open_bound("stream:blocks=2,warps=2,footprint=2M");
  uint32_t slot[] = {0, 1}, beyond[] = {0, 1u << 30}, first[2];
  command_t c;
  err_t e = {0};
  do s->ops->next_command(s, 0, &c, &e);
  while (c.kind != CMD_LAUNCH);
  assert_int_equal(s->ops->cta_begin(s, 0, 2, 2, slot, first, &e), GMMU_EINVAL);
  assert_int_equal(s->ops->cta_begin(s, 0, 0, 1, slot, first, &e), GMMU_EINVAL);
  assert_int_equal(s->ops->cta_begin(s, 0, 0, 2, beyond, first, &e), GMMU_EINVAL);
  assert_int_equal(s->ops->cta_begin(s, 0, 1, 2, slot, first, &e), GMMU_OK);
  assert_int_equal(s->ops->error(s)->code, GMMU_OK);
  s->ops->free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_entry_is_declared_completely),
      cmocka_unit_test(static_tables_are_valid),
      cmocka_unit_test(registers_are_written_before_they_are_read_and_exit_is_last),
      cmocka_unit_test(every_loaded_register_is_used),
      cmocka_unit_test(a_program_allocates_copies_launches_copies_back_and_frees),
      cmocka_unit_test(addresses_are_aligned_and_inside_the_allocations),
      cmocka_unit_test(any_options_are_refused_or_obey),
      cmocka_unit_test(streams_do_not_depend_on_the_order_of_warps),
      cmocka_unit_test(rewind_gives_the_same_program),
      cmocka_unit_test(rewind_works_in_the_middle),
      cmocka_unit_test(the_work_told_is_what_is_issued),
      cmocka_unit_test(work_without_end_is_not_little),
      cmocka_unit_test(instruction_counts_equal_the_formula),
      cmocka_unit_test(defaults_run_half_a_million_to_a_million_instructions),
      cmocka_unit_test(the_default_grid_fills_30_sms_of_64_warps),
      cmocka_unit_test(streams_keep_their_bytes),
      cmocka_unit_test(blocks_and_slots_that_do_not_exist_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
