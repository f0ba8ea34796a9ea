/* The live source: a toy machine steps warps in turns and checks what it is told. */
#include "world.h"

#define SLOTS        64u
#define SLOTS_PER_SM 16u

typedef struct {
  ptx_command_t cmd[8];
  uint32_t next, count;
} script_t;

static int script_next(void *ctx, uint64_t now, ptx_command_t *c, err_t *e) {
  (void)now;
  script_t *s = ctx;
  (void)e;
  *c = s->next < s->count ? s->cmd[s->next++] : (ptx_command_t){.kind = CMD_END};
  return 0;
}
static int script_rewind(void *ctx, err_t *e) {
  (void)e;
  ((script_t *)ctx)->next = 0;
  return 0;
}

/* A machine that knows warps, barriers of whole blocks, and nothing else. */
typedef struct {
  uint32_t next[SLOTS], cta[SLOTS];
  bool busy[SLOTS], waits[SLOTS];
  uint64_t steps, class_count[IC_COUNT], now;
  uint64_t allocs, alloc_bytes, loads_strided, loads_listed;
  warp_op_t last_load;
} machine_t;

static void release(machine_t *m, const launch_t *l, uint32_t cta) {
  uint32_t waiting = 0, busy = 0;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (m->busy[i] && m->cta[i] == cta) busy++, waiting += m->waits[i];
  (void)l;
  if (waiting == busy)
    for (uint32_t i = 0; i < SLOTS; i++)
      if (m->busy[i] && m->cta[i] == cta) m->waits[i] = false;
}

static void check_row(const inst_t *r) {
  assert_true(r->cls < IC_COUNT);
  bool memory = r->cls == IC_LOAD || r->cls == IC_STORE || r->cls == IC_ATOMIC;
  assert_int_equal(memory, r->width != 0);
  if (r->dst == REG_NONE) assert_int_equal(r->dsts, 0);
  if (r->dst != REG_NONE) assert_in_range(r->dsts, 1, 4);
}

static bool step(machine_t *m, source_t *s, const launch_t *l, uint32_t slot) {
  const inst_t *row = &l->inst[m->next[slot]];
  warp_op_t op = {0};
  assert_true(m->next[slot] < l->inst_count);
  uint32_t next = s->ops->step(s, m->now++, slot, &op);
  if (next == STREAM_FAIL) return false;
  m->steps++, m->class_count[row->cls]++;
  bool memory = row->cls == IC_LOAD || row->cls == IC_STORE || row->cls == IC_ATOMIC;
  if (memory && op.mask) assert_true(op.mode != ADDR_NONE);
  if (!memory) assert_int_equal(op.mode, ADDR_NONE);
  if (row->cls == IC_LOAD && row->space == SPACE_GLOBAL && op.mask)
    m->last_load = op, op.mode == ADDR_STRIDE ? m->loads_strided++ : m->loads_listed++;
  m->next[slot] = next;
  if (next == STREAM_END) m->busy[slot] = false;
  if (row->cls == IC_BARRIER) m->waits[slot] = true;
  release(m, l, m->cta[slot]);
  return true;
}

static bool start_block(machine_t *m, source_t *s, const launch_t *l, uint32_t cta) {
  uint32_t warps = launch_warps(l), n = 0, slot[32] = {0}, first[32] = {0};
  err_t e;
  for (uint32_t i = 0; i < SLOTS && n < warps; i++)
    if (!m->busy[i]) slot[n++] = i;
  if (n < warps) return false;
  assert_int_equal(s->ops->cta_begin(s, m->now, cta, warps, slot, first, &e), 0);
  for (uint32_t i = 0; i < warps; i++)
    m->busy[slot[i]] = true, m->next[slot[i]] = first[i], m->cta[slot[i]] = cta,
    m->waits[slot[i]] = false;
  return true;
}

static bool run_launch(machine_t *m, source_t *s, const launch_t *l) {
  uint32_t cta = 0;
  for (uint32_t i = 0; i < l->inst_count; i++) check_row(&l->inst[i]);
  for (;;) {
    while (cta < launch_blocks(l) && start_block(m, s, l, cta)) cta++;
    bool any = false;
    for (uint32_t i = 0; i < SLOTS; i++) {
      if (!m->busy[i]) continue;
      any = true;
      if (!m->waits[i] && !step(m, s, l, i)) return false;
    }
    if (!any) return true;
  }
}

static bool run_program(machine_t *m, source_t *s) {
  command_t c;
  err_t e;
  for (;;) {
    assert_int_equal(s->ops->next_command(s, 0, &c, &e), 0);
    if (c.kind == CMD_END) return true;
    if (c.kind == CMD_ALLOC) m->allocs++, m->alloc_bytes += c.bytes;
    if (c.kind == CMD_LAUNCH && !run_launch(m, s, &c.launch)) return false;
  }
}

static source_t *start(world_t *w, script_t *script) {
  ptx_host_t host = {script, script_next, script_rewind};
  source_t *s;
  assert_int_equal(ptx_live_new(w->p, &host, &w->options, &s, &w->e), 0);
  assert_int_equal(s->ops->bind(s, SLOTS, SLOTS_PER_SM, &w->e), 0);
  return s;
}

static void add_launch(world_t *w, script_t *s, const char *name, uint32_t grid, uint32_t block,
                       const void *params) {
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, name, &w->e);
  assert_non_null(k);
  s->cmd[s->count++] = (ptx_command_t){.kind = CMD_LAUNCH,
                                       .kernel = k,
                                       .launch = {.grid = {grid, 1, 1},
                                                  .block = {block, 1, 1},
                                                  .dynamic_shared_bytes = 0,
                                                  .params = params}};
}

#define REGS ".reg .b32 %r<20>;\n.reg .b64 %rd<10>;\n.reg .pred %p<6>;\n"
static const char reduce[] = PTX_HEAD
    ".visible .entry k(.param .u64 a)\n{\n" REGS ".shared .u32 s[128];\n.local .u32 l[2];\n"
    "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %ctaid.x, 128, "
    "%r1;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd2, %rd1, %rd2;\nld.global.u32 %r3, "
    "[%rd2+256];\nst.local.u32 [l+4], %r3;\n"
    "shl.b32 %r4, %r1, 2;\nmov.u32 %r5, s;\nadd.u32 %r5, %r5, %r4;\nld.local.u32 %r3, "
    "[l+4];\nst.shared.u32 [%r5], %r3;\nmov.u32 %r6, 64;\nL: bar.sync 0;\nsetp.ge.u32 %p1, %r1, "
    "%r6;\n@%p1 bra N;\nshl.b32 %r7, %r6, 2;\n"
    "add.u32 %r7, %r7, %r5;\nld.shared.u32 %r8, [%r7];\nld.shared.u32 %r9, [%r5];\nadd.u32 %r9, "
    "%r9, %r8;\nst.shared.u32 [%r5], %r9;\nN: shr.u32 %r6, %r6, 1;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 "
    "bra L;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra E;\n"
    "ld.shared.u32 %r9, [s];\nred.global.add.u32 [%rd1], %r9;\nE: ret;\n}\n";

static void a_program_gives_the_same_result_live(void **state) {
  world_t *w = *state;
  machine_t m = {0};
  script_t script = {0};
  must_load(w, reduce);
  uint64_t a = must_alloc(w, 256 + 4 * 128 * 20);
  uint32_t want = 0;
  for (uint32_t i = 0; i < 128 * 20; i++) write32(w, a + 256 + 4 * i, i * 3), want += i * 3;
  add_launch(w, &script, "k", 20, 128, &a);
  source_t *s = start(w, &script);
  assert_true(run_program(&m, s));
  assert_int_equal(read32(w, a), want);
  assert_int_equal(m.class_count[IC_BARRIER], 7 * 4 * 20);
  assert_int_equal(m.class_count[IC_ATOMIC], 20);
  assert_int_equal(m.loads_listed, 0);
  assert_int_equal(m.loads_strided, 80);
  assert_int_equal(m.last_load.stride, 4);
  assert_int_equal(m.allocs, 1); /* local memory */
  assert_int_equal(m.alloc_bytes, (uint64_t)SLOTS * 32 * 64);
  s->ops->free(s);
}

static void a_relaunch_starts_over(void **state) {
  world_t *w = *state;
  machine_t m = {0};
  script_t script = {0};
  must_load(w, PTX_HEAD ".global .u32 v = 1;\n.visible .entry k()\n{\n" REGS
                        "red.global.add.u32 [v], 1;\nret;\n}\n");
  add_launch(w, &script, "k", 1, 1, NULL);
  source_t *s = start(w, &script);
  assert_true(run_program(&m, s));
  assert_int_equal(m.allocs, 1); /* the variable */
  assert_int_equal(s->ops->rewind(s, &w->e), 0);
  assert_true(run_program(&m, s));
  assert_int_equal(m.allocs, 2);
  uint64_t va, bytes;
  assert_int_equal(ptx_symbol(w->p, -1, "v", &va, &bytes, &w->e), 0);
  assert_int_equal(read32(w, va), 3);
  s->ops->free(s);
}

static void kernels_see_the_machine(void **state) {
  world_t *w = *state;
  machine_t m = {.now = 1000};
  script_t script = {0};
  must_load(w, PTX_HEAD
            ".visible .entry k(.param .u64 a)\n{\n" REGS
            "ld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %ctaid.x, 32;\nadd.s64 %rd1, %rd1, "
            "%rd2;\nmov.u32 %r1, %smid;\nmov.u32 %r2, %warpid;\nmov.u32 %r3, %nsmid;\n"
            "mov.u64 %rd3, %clock64;\nst.global.v4.u32 [%rd1], {%r1, %r2, %r3, "
            "%r3};\nst.global.u64 [%rd1+16], %rd3;\nret;\n}\n");
  uint64_t a = must_alloc(w, 32 * 40);
  add_launch(w, &script, "k", 40, 1, &a);
  source_t *s = start(w, &script);
  assert_true(run_program(&m, s));
  for (uint32_t i = 0; i < 40; i++) {
    assert_int_equal(read32(w, a + 32 * i), i / SLOTS_PER_SM);
    assert_int_equal(read32(w, a + 32 * i + 4), i % SLOTS_PER_SM);
    assert_int_equal(read32(w, a + 32 * i + 8), SLOTS / SLOTS_PER_SM);
    assert_in_range(read32(w, a + 32 * i + 16), 1000, m.now);
  }
  s->ops->free(s);
}

static void a_fault_fails_the_stream(void **state) {
  world_t *w = *state;
  machine_t m = {0};
  script_t script = {0};
  must_load(w, PTX_HEAD ".visible .entry k()\n{\n" REGS
                        "mov.u64 %rd1, 64;\nld.global.u32 %r1, [%rd1];\nret;\n}\n");
  add_launch(w, &script, "k", 1, 32, NULL);
  source_t *s = start(w, &script);
  assert_false(run_program(&m, s));
  assert_int_equal(s->ops->error(s)->code, GMMU_EFAULT);
  assert_int_equal(ptx_live_fault(s)->address, 64);
  s->ops->free(s);
}

static void a_diverged_warp_issues_a_barrier_once(void **state) {
  world_t *w = *state;
  machine_t m = {0};
  script_t script = {0};
  must_load(
      w, PTX_HEAD
      ".visible .entry k(.param .u64 a)\n{\n" REGS
      "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, "
      "0;\n@%p1 bra A;\nmov.u32 %r3, 3;\nbar.sync 0;\nbra E;\nA: bar.sync 0;\nmov.u32 %r3, 4;\n"
      "E: bar.red.popc.u32 %r4, 0, %p1;\nadd.u32 %r3, %r3, %r4;\nmul.wide.u32 %rd2, %r1, "
      "4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r3;\nret;\n}\n");
  uint64_t a = must_alloc(w, 4 * 64);
  add_launch(w, &script, "k", 1, 64, &a);
  source_t *s = start(w, &script);
  assert_true(run_program(&m, s));
  assert_int_equal(m.class_count[IC_BARRIER], 4);
  for (uint32_t i = 0; i < 64; i++) assert_int_equal(read32(w, a + 4 * i), (i & 1 ? 3 : 4) + 32);
  s->ops->free(s);
}

/* Half the warps arrive and go on, the other half waits for what they wrote. */
static void arriving_without_waiting_works_on_any_machine(void **state) {
  world_t *w = *state;
  machine_t m = {0};
  script_t script = {0};
  must_load(w,
            PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS
                     ".shared .u32 s[64];\nld.param.u64 %rd1, [a];\nmov.u32 %r1, "
                     "%tid.x;\nsetp.ge.u32 %p1, %r1, 64;\nmov.u32 %r2, s;\nand.b32 %r3, %r1, 63;\n"
                     "shl.b32 %r4, %r3, 2;\nadd.u32 %r2, %r2, %r4;\n@!%p1 bra CONSUME;\nadd.u32 "
                     "%r5, %r3, 1000;\nst.shared.u32 [%r2], %r5;\nbar.arrive 1, 128;\nbra "
                     "END;\nCONSUME:\nbar.sync 1, 128;\nld.shared.u32 %r5, [%r2];\n"
                     "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], "
                     "%r5;\nEND: ret;\n}\n");
  uint64_t a = must_alloc(w, 4 * 64);
  add_launch(w, &script, "k", 3, 128, &a);
  source_t *s = start(w, &script);
  assert_true(run_program(&m, s));
  for (uint32_t i = 0; i < 64; i++) assert_int_equal(read32(w, a + 4 * i), 1000 + i);
  s->ops->free(s);
}

static void vector_registers_are_neighbours(void **state) {
  world_t *w = *state;
  machine_t m = {0};
  script_t script = {0};
  command_t c;
  must_load(w, PTX_HEAD
            ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.reg .f64 "
            "%fd<4>;\nld.param.u64 %rd1, [a];\nld.global.v4.u32 {%r1,%r2,%r3,%r4}, "
            "[%rd1];\nld.global.v2.f64 {%fd1,%fd2}, [%rd1+16];\n"
            "add.u32 %r5, %r1, %r4;\nadd.u32 %r6, %r2, %r3;\nadd.f64 %fd3, %fd1, "
            "%fd2;\nst.global.v2.u32 [%rd1], {%r5,%r6};\nst.global.f64 [%rd1+8], %fd3;\nret;\n}\n");
  uint64_t a = must_alloc(w, 64);
  add_launch(w, &script, "k", 1, 32, &a);
  source_t *s = start(w, &script);
  assert_int_equal(s->ops->next_command(s, 0, &c, &w->e), 0);
  const inst_t *r = c.launch.inst;
  assert_int_equal(r[1].dsts, 4);
  assert_int_equal(r[1].width, 16);
  assert_int_equal(r[2].dsts, 4);
  assert_int_equal(r[3].src[0], r[1].dst);
  assert_int_equal(r[3].src[1], r[1].dst + 3);
  assert_int_equal(r[5].cls, IC_FP64);
  assert_true(run_launch(&m, s, &c.launch));
  s->ops->free(s);
}

#define LIVE(body)                                                                                 \
  PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS "ld.param.u64 %rd1, [a];\n" body           \
           "\nret;\n}\n"

/* Whether the kernel of `text` comes to its end; the error is in w->text. */
static bool ends(world_t *w, const char *text, uint32_t grid, uint64_t *a) {
  machine_t m = {0};
  script_t script = {0};
  must_load(w, text);
  *a = must_alloc(w, 8);
  add_launch(w, &script, "k", grid, 64, a);
  source_t *s = start(w, &script);
  bool done = run_program(&m, s);
  if (!done) err_format(s->ops->error(s), w->text, sizeof w->text);
  assert_int_equal(done, ptx_live_fault(s)->kind == PTX_FAULT_NONE);
  s->ops->free(s);
  return done;
}

/* One warp of each block waits at a barrier, the other in a loop, for the same thing. */
static void a_spin_without_end_is_reported(void **state) {
  uint64_t a;
  assert_false(ends(*state,
                    LIVE("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p2, %r1, 32;\n@%p2 bra B;\n"
                         "L: ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 "
                         "bra L;\nB: bar.sync 0;"),
                    3, &a));
  assert_says((world_t *)*state, "makes no progress");
}

static void a_long_loop_without_stores_is_not_stuck(void **state) {
  uint64_t a;
  assert_true(ends(*state,
                   LIVE("mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, "
                        "100000;\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;"),
                   1, &a));
  assert_int_equal(read32(*state, a), 100000);
}

static void waiting_for_a_slow_block_is_not_stuck(void **state) {
  uint64_t a;
  assert_true(
      ends(*state,
           LIVE("mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra S;\n"
                "L: ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra "
                "L;\nbra E;\nS: mov.u32 %r1, 0;\nC: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, "
                "%r1, 50000;\n@%p1 bra C;\nst.global.u32 [%rd1], %r1;\nE:"),
           2, &a));
}

int main(void) {
  const struct CMUnitTest tests[] = {WORLD_TEST(a_spin_without_end_is_reported),
                                     WORLD_TEST(a_long_loop_without_stores_is_not_stuck),
                                     WORLD_TEST(waiting_for_a_slow_block_is_not_stuck),
                                     WORLD_TEST(a_program_gives_the_same_result_live),
                                     WORLD_TEST(a_relaunch_starts_over),
                                     WORLD_TEST(kernels_see_the_machine),
                                     WORLD_TEST(a_fault_fails_the_stream),
                                     WORLD_TEST(a_diverged_warp_issues_a_barrier_once),
                                     WORLD_TEST(vector_registers_are_neighbours),
                                     WORLD_TEST(arriving_without_waiting_works_on_any_machine)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
