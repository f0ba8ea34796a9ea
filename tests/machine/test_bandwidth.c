/* What each port, unit and queue passes per cycle, against its formula. A rate is measured as the
 * difference of two runs, one with twice the iterations: starting and ending cancel out. */
#include "formula.h"
#include "help.h"

typedef struct {
  gpu_spec_t spec;
  script_op_t op[8];
  uint32_t ops, blocks, warps;
  uint64_t bytes; /* allocated at VA */
} load_case_t;

static uint64_t cycles_of(const load_case_t *c, uint32_t turns) {
  const program_t p = {c->op, c->ops, turns};
  script_t *s = script_new(&(script_spec_t){.program = &p,
                                            .programs = 1,
                                            .blocks = c->blocks,
                                            .warps = c->warps,
                                            .va = VA,
                                            .bytes = c->bytes},
                           0);
  gpu_t *g = run_script(&c->spec, s);
  uint64_t n = gpu_cycles(g);
  gpu_free(g);
  script_free(s);
  return n;
}

/* Cycles that `turns` more iterations take, of every warp. */
static uint64_t steady(const load_case_t *c, uint32_t turns) {
  return cycles_of(c, 2 * turns) - cycles_of(c, turns);
}

/* Within one per cent, which is rounding and what is left of the first iterations. */
static void about(uint64_t value, uint64_t want) {
  if (value * 100 < want * 99 || value * 100 > want * 101)
    fail_msg("%llu cycles, by the formula %llu", (unsigned long long)value,
             (unsigned long long)want);
}

static load_case_t small_case(void) {
  return (load_case_t){.spec = lab_spec(), .blocks = 1, .warps = 8, .bytes = MB};
}

/* ---- DRAM -------------------------------------------------------------------------------------
 */

static void stream_at_peak(load_case_t *c, uint64_t lines_per_turn, uint32_t turns) {
  const gpu_spec_t *s = &c->spec;
  c->op[0] = (script_op_t)LOAD_AT(1, R_NO, VA, LINE, lines_per_turn * LINE);
  c->ops = 1;
  c->bytes = 2 * turns * lines_per_turn * LINE;
  /* bytes per core cycle at the peak: every data pin busy in every command cycle */
  uint64_t per_edge = s->dram.channels * s->dram.bus_bytes * s->dram.data_rate;
  uint64_t at_peak =
      turns * lines_per_turn * LINE * s->core.clock_mhz / (per_edge * s->dram.clock_mhz);
  uint64_t cycles = steady(c, turns);
  assert_true(cycles * 100 >= at_peak * 99);
  if (cycles * 9 > at_peak * 10)
    fail_msg("%llu cycles, at the peak %llu: %llu %%", (unsigned long long)cycles,
             (unsigned long long)at_peak, (unsigned long long)(at_peak * 100 / cycles));
}

static void streaming_loads_reach_90_percent_of_dram_peak(void **state) {
  (void)state;
  load_case_t c = small_case();
  one_page(&c.spec), no_tlbs(&c.spec);
  setn(&c.spec, "gpu.sms", 2), setn(&c.spec, "noc.flit", 64);
  c.blocks = 4, c.warps = 16;
  stream_at_peak(&c, 64, 150);
}

static void streaming_loads_reach_90_percent_of_maxwells_peak(void **state) {
  (void)state;
  load_case_t c = {.blocks = 240, .warps = 8};
  err_t e;
  gpu_spec_init(&c.spec);
  assert_int_equal(gpu_spec_load(&c.spec, "gpu", "maxwell", &e), 0);
  assert_int_equal(gpu_spec_load(&c.spec, "design", "ideal", &e), 0);
  stream_at_peak(&c, 240 * 8, 24);
}

static void one_bank_gives_its_row_cycle_rate(void **state) {
  (void)state;
  load_case_t c = small_case();
  one_page(&c.spec), no_tlbs(&c.spec);
  const dram_spec_t *d = &c.spec.dram;
  uint64_t round = d->row_bytes * d->banks; /* the next row of the same bank */
  c.op[0] = (script_op_t)LOAD_AT(1, R_NO, VA, round, 8 * round);
  c.ops = 1;
  c.bytes = 2 * 60 * 8 * round;
  uint64_t rows = 60 * 8, cycle = d->trc > d->tras + d->trp ? d->trc : d->tras + d->trp;
  about(steady(&c, 60), f_core_of(&c.spec, rows * cycle));
}

static void more_banks_go_to_the_activate_rate(void **state) {
  (void)state;
  load_case_t c = small_case();
  one_page(&c.spec), no_tlbs(&c.spec);
  setn(&c.spec, "dram.trrd", 20), setn(&c.spec, "dram.tfaw", 0);
  uint64_t row = c.spec.dram.row_bytes;
  c.warps = 16;
  c.op[0] = (script_op_t)LOAD_AT(1, R_NO, VA, row, 16 * row);
  c.ops = 1;
  c.bytes = 2 * 60 * 16 * row;
  about(steady(&c, 60), f_core_of(&c.spec, 60 * 16 * c.spec.dram.trrd));
}

/* ---- crossbar ---------------------------------------------------------------------------------
 */

/* Each warp reads its own line again and again, past L1. */
static load_case_t l2_readers(uint32_t sms, const char *slices) {
  load_case_t c = small_case();
  no_tlbs(&c.spec);
  setn(&c.spec, "gpu.sms", sms), set(&c.spec, "l2.slices", slices);
  setn(&c.spec, "l2.ports", 8);
  c.blocks = sms * 4;
  c.op[0] = (script_op_t)OP_(IC_LOAD, 0, 4, INST_BYPASS_L1, 1, R_NO, VA, 4, LINE, 0, ALL_LANES);
  c.ops = 1;
  return c;
}

static void sm_input_port_takes_a_flit_per_cycle(void **state) {
  (void)state;
  load_case_t c = l2_readers(1, "4");
  uint64_t loads = 200 * c.blocks * c.warps;
  about(steady(&c, 200), loads * f_flits(&c.spec, LINE));
}

static void slice_output_port_gives_a_flit_per_cycle(void **state) {
  (void)state;
  load_case_t c = l2_readers(4, "1");
  uint64_t loads = 200 * c.blocks * c.warps;
  about(steady(&c, 200), loads * f_flits(&c.spec, LINE));
  setn(&c.spec, "noc.flit", 64);
  about(steady(&c, 200), loads * f_flits(&c.spec, LINE));
}

static load_case_t writers(uint32_t sms, const char *slices) {
  load_case_t c = l2_readers(sms, slices);
  c.op[0] = (script_op_t)STORE_AT(R_NO, VA, LINE, 0);
  return c;
}

static void sm_output_port_gives_a_flit_per_cycle(void **state) {
  (void)state;
  load_case_t c = writers(1, "4");
  uint64_t stores = 200 * c.blocks * c.warps;
  about(steady(&c, 200), stores * f_flits(&c.spec, LINE));
}

/* 32-byte flits and 8 of header: a line is 5 flits as one packet, 8 as four of a sector. */
static void a_packet_per_sector_pays_for_every_header(void **state) {
  (void)state;
  load_case_t c = writers(1, "4");
  uint64_t stores = 200 * c.blocks * c.warps;
  set(&c.spec, "noc.sector_packets", "true");
  about(steady(&c, 200), stores * 4 * f_flits(&c.spec, LINE / 4));
}

/* One slice answers everybody, and four flits per store are as many as it takes in. */
static void acknowledged_stores_use_the_way_back(void **state) {
  (void)state;
  load_case_t c = writers(4, "1");
  uint64_t stores = 200 * c.blocks * c.warps;
  set(&c.spec, "noc.write_ack", "true");
  setn(&c.spec, "noc.flit", 256);
  about(steady(&c, 200), stores);
  set(&c.spec, "noc.sector_packets", "true"); /* a flit in and a flit back for each sector */
  about(steady(&c, 200), stores * 4);
}

static void slice_input_port_takes_a_flit_per_cycle(void **state) {
  (void)state;
  load_case_t c = writers(4, "1");
  uint64_t stores = 200 * c.blocks * c.warps;
  about(steady(&c, 200), stores * f_flits(&c.spec, LINE));
}

/* ---- L1, TLBs, L2, walker ---------------------------------------------------------------------
 */

static void l1_port_takes_one_line_per_cycle(void **state) {
  (void)state;
  for (uint64_t ports = 1; ports <= 4; ports *= 2) {
    load_case_t c = small_case();
    setn(&c.spec, "l1d.ports", ports);
    c.op[0] = (script_op_t)LOAD_SPREAD(1, R_NO, VA, LINE, 0, 0, ALL_LANES);
    c.ops = 1;
    about(steady(&c, 100), 100 * c.warps * 32 / ports);
  }
}

/* A sector of each of 32 lines: the first sectors of lines are in one bank of four, or in two of
 * eight; if each line's is in another bank than that of the line before, there are as many at once
 * as banks, and so of 32 sectors side by side. */
static void l1_banks_take_a_sector_each_per_cycle(void **state) {
  (void)state;
  for (uint64_t banks = 4; banks <= 8; banks *= 2) {
    load_case_t c = small_case();
    setn(&c.spec, "l1d.banks", banks);
    c.ops = 1;
    c.op[0] = (script_op_t)LOAD_SPREAD(1, R_NO, VA, LINE, 0, 0, ALL_LANES);
    about(steady(&c, 100), 100 * c.warps * 32 * 4 / banks);
    c.op[0] = (script_op_t)LOAD_SPREAD(1, R_NO, VA, LINE + SECTOR_BYTES, 0, 0, ALL_LANES);
    about(steady(&c, 100), 100 * c.warps * 32 / banks);
    c.op[0] = (script_op_t)LOAD_SPREAD(1, R_NO, VA, SECTOR_BYTES, 0, 0, ALL_LANES);
    about(steady(&c, 100), 100 * c.warps * 32 / banks);
  }
}

/* One access to 32 pages, one line in each; no two lines share an L1 set. */
#define PAGES(dst, src, va) LOAD_SPREAD(dst, src, va, PAGE4 + LINE, 0, 0, ALL_LANES)

static load_case_t page_readers(uint32_t sms) {
  load_case_t c = small_case();
  setn(&c.spec, "gpu.sms", sms), setn(&c.spec, "l1d.ports", 8), setn(&c.spec, "l1tlb.mshrs", 64);
  c.blocks = sms;
  c.op[0] = (script_op_t)PAGES(1, R_NO, VA);
  c.ops = 1;
  return c;
}

static void l1_tlb_port_takes_one_page_per_cycle(void **state) {
  (void)state;
  for (uint64_t ports = 1; ports <= 4; ports *= 2) {
    load_case_t c = page_readers(1);
    setn(&c.spec, "l1tlb.entries", 64), setn(&c.spec, "l1tlb.ports", ports);
    about(steady(&c, 100), 100 * c.warps * 32 / ports);
  }
}

/* SMs with one warp each, which reads 32 pages and then 32 others, and whose TLB holds one: every
 * look-up misses, and none finds another of its page under way. */
static load_case_t page_missers(uint32_t sms) {
  load_case_t c = page_readers(sms);
  setn(&c.spec, "l1tlb.entries", 1);
  c.warps = 1;
  c.op[0] = (script_op_t)PAGES(1, 2, VA);
  c.op[1] = (script_op_t)PAGES(2, 1, VA + 256 * KB);
  c.ops = 2;
  return c;
}

/* A warp waits for its 32 answers, so a turn has a latency besides; between machines that differ
 * in the number of SMs, the difference is the port's alone. */
static void l2_tlb_ports_are_shared_by_all_sms(void **state) {
  (void)state;
  for (uint64_t ports = 1; ports <= 2; ports++) {
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
      load_case_t c = page_missers(8 << i);
      setn(&c.spec, "l2tlb.ways", 0), setn(&c.spec, "l2tlb.ports", ports);
      cycles[i] = steady(&c, 100);
      assert_true(cycles[i] >= 100 * (8ull << i) * 64 / ports);
    }
    about(cycles[1] - cycles[0], 100 * 8 * 64 / ports);
  }
}

static void walk_threads_limit_walks_per_cycle(void **state) {
  (void)state;
  static const uint64_t threads[] = {1, 2, 8};
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t cycles[2];
    for (uint32_t k = 0; k < 2; k++) {
      load_case_t c = page_missers(4 << k);
      setn(&c.spec, "tlb.levels", 1), setn(&c.spec, "walk.fixed", 150);
      setn(&c.spec, "walk.threads", threads[i]);
      cycles[k] = steady(&c, 20);
      assert_true(cycles[k] >= 20 * (4ull << k) * 64 * 150 / threads[i]);
    }
    about(cycles[1] - cycles[0], 20ull * 4 * 64 * 150 / threads[i]);
  }
}

/* Real walks, whose four reads find the table in L2. */
static void l2_ports_limit_walk_reads(void **state) {
  (void)state;
  for (uint64_t ports = 1; ports <= 2; ports++) {
    uint64_t cycles[2];
    for (uint32_t k = 0; k < 2; k++) {
      load_case_t c = page_missers(8 << k);
      setn(&c.spec, "tlb.levels", 1), setn(&c.spec, "walk.threads", 1024);
      setn(&c.spec, "l2.ports", ports);
      cycles[k] = steady(&c, 40);
      assert_true(cycles[k] >= 40 * (8ull << k) * 64 * 4 / ports);
    }
    about(cycles[1] - cycles[0], 40 * 8 * 64 * 4 / ports);
  }
}

/* ---- load/store unit --------------------------------------------------------------------------
 */

static void loads_under_way_are_limited(void **state) {
  (void)state;
  load_case_t c = l2_readers(1, "1");
  c.blocks = 1;
  setn(&c.spec, "sm.lsu_loads", 2);
  about(steady(&c, 100), 100 * c.warps * f_l2_hit(&c.spec, LINE) / 2);
}

/* The unit takes an instruction only if it could have 33 lines. */
static void lines_under_way_are_limited(void **state) {
  (void)state;
  load_case_t c = l2_readers(1, "1");
  c.blocks = 1;
  setn(&c.spec, "sm.lsu_lines", COALESCE_MAX + 3);
  about(steady(&c, 100), 100 * c.warps * f_l2_hit(&c.spec, LINE) / 4);
}

/* With one place in front of the TLB the next instruction issues in the cycle of the last look-up.
 */
static void a_full_lsu_queue_stops_issue(void **state) {
  (void)state;
  load_case_t c = page_readers(1);
  setn(&c.spec, "l1tlb.entries", 64), setn(&c.spec, "sm.lsu_queue", 1);
  about(steady(&c, 100), 100 * c.warps * (c.spec.sm.lsu_latency + 31));
}

static void one_memory_instruction_per_cycle_and_sm(void **state) {
  (void)state;
  load_case_t c = small_case();
  no_tlbs(&c.spec);
  setn(&c.spec, "sm.schedulers", 4), setn(&c.spec, "l1d.ports", 8);
  c.blocks = 4;
  c.op[0] = (script_op_t)LOAD_AT(1, R_NO, VA, LINE, 0);
  c.ops = 1;
  about(steady(&c, 300), 300 * c.blocks * c.warps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streaming_loads_reach_90_percent_of_dram_peak),
      cmocka_unit_test(streaming_loads_reach_90_percent_of_maxwells_peak),
      cmocka_unit_test(one_bank_gives_its_row_cycle_rate),
      cmocka_unit_test(more_banks_go_to_the_activate_rate),
      cmocka_unit_test(sm_input_port_takes_a_flit_per_cycle),
      cmocka_unit_test(slice_output_port_gives_a_flit_per_cycle),
      cmocka_unit_test(sm_output_port_gives_a_flit_per_cycle),
      cmocka_unit_test(slice_input_port_takes_a_flit_per_cycle),
      cmocka_unit_test(a_packet_per_sector_pays_for_every_header),
      cmocka_unit_test(acknowledged_stores_use_the_way_back),
      cmocka_unit_test(l1_port_takes_one_line_per_cycle),
      cmocka_unit_test(l1_banks_take_a_sector_each_per_cycle),
      cmocka_unit_test(l1_tlb_port_takes_one_page_per_cycle),
      cmocka_unit_test(l2_tlb_ports_are_shared_by_all_sms),
      cmocka_unit_test(walk_threads_limit_walks_per_cycle),
      cmocka_unit_test(l2_ports_limit_walk_reads),
      cmocka_unit_test(loads_under_way_are_limited),
      cmocka_unit_test(lines_under_way_are_limited),
      cmocka_unit_test(a_full_lsu_queue_stops_issue),
      cmocka_unit_test(one_memory_instruction_per_cycle_and_sm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
