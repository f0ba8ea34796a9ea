/* Partitions of the chip: near and far latency, the link between them, who is where. */
#include "formula.h"
#include "help.h"

#define FAR 23u

/* Two SMs, two channels, two partitions: SM 0 and channel 0 are in the first. */
static gpu_spec_t two_parts(void) {
  gpu_spec_t s = lab_spec();
  one_page(&s); /* 256-byte pieces of VA go to channels 0 and 1 in turn */
  set(&s, "gpu.sms", "2");
  set(&s, "dram.channels", "2");
  set(&s, "noc.partitions", "2");
  setn(&s, "noc.far", FAR);
  return s;
}
static uint64_t piece(uint32_t channel) { return VA + 256u * channel; }

static const bridge_stats_t *near_far(const gpu_t *g) { return &g->noc.bridge.stats[0]; }

/* Cycles of an L2 hit of SM `sm` in a slice of channel `channel`, from issue to use. */
static uint64_t hit(const gpu_spec_t *spec, uint32_t sm, uint32_t channel) {
  uint64_t va = piece(channel);
  const script_op_t ops[] = {LOAD(1, R_NO, va), LOAD_CG(2, 1, va), ALU(3, 2)};
  const script_op_t none[] = {ALU(1, R_NO)};
  program_t p[2] = {PROGRAM(none), PROGRAM(none)};
  p[sm] = (program_t)PROGRAM(ops);
  script_t *s = script_new(
      &(script_spec_t){.program = p, .programs = 2, .blocks = 2, .warps = 1, .va = VA, .bytes = MB},
      SCRIPT_TIMES);
  gpu_t *g = run_script(spec, s);
  uint64_t cycles = script_when(s, sm, 2) - script_when(s, sm, 1);
  bool crosses = spec->noc.partitions > 1 && sm != channel;
  if (spec->noc.partitions > 1) {
    assert_int_equal(near_far(g)->far_requests, crosses ? 2 : 0);
    assert_int_equal(near_far(g)->near_requests, crosses ? 0 : 2);
  }
  gpu_free(g);
  script_free(s);
  return cycles;
}

static void a_far_hit_takes_twice_the_far_cycles_longer(void **state) {
  (void)state;
  static const char *const queue[] = {"none", "fifo", "voq"};
  for (uint32_t q = 0; q < 3; q++)
    for (uint32_t sm = 0; sm < 2; sm++)
      for (uint32_t channel = 0; channel < 2; channel++) {
        gpu_spec_t s = two_parts();
        set(&s, "noc.queue", queue[q]);
        assert_int_equal(hit(&s, sm, channel), f_l2_hit(&s, LINE) + (sm != channel ? 2 * FAR : 0));
      }
}

static void one_partition_knows_no_distance(void **state) {
  (void)state;
  gpu_spec_t s = two_parts();
  set(&s, "noc.partitions", "1");
  for (uint32_t sm = 0; sm < 2; sm++)
    for (uint32_t channel = 0; channel < 2; channel++)
      assert_int_equal(hit(&s, sm, channel), f_l2_hit(&s, LINE));
}

/* ---- page tables ---- */

/* Loads of 40 pages, one after the other; DRAM costs walks nothing, so that only the way does. */
static uint64_t cycles_of_walks(uint32_t walker, uint64_t *far_reads, uint64_t *reads) {
  const script_op_t ops[] = {LOAD_AT(1, 1, VA, 0, 16 * PAGE4)};
  const program_t p = PROGRAM_N(ops, 40);
  gpu_spec_t s = two_parts();
  set(&s, "mem.page", "4K");
  set(&s, "walk.free_dram", "true");
  setn(&s, "noc.walker", walker);
  script_t *x = script_of(&p, 1, 1, 4 * MB);
  gpu_t *g = run_script(&s, x);
  hist_t h = g->walker.stats[0].latency;
  *far_reads = near_far(g)->far_reads, *reads = near_far(g)->far_reads + near_far(g)->near_reads;
  assert_int_equal(*reads, g->walker.stats[0].reads);
  gpu_free(g);
  script_free(x);
  return h.sum;
}

static void page_table_reads_have_near_and_far(void **state) {
  (void)state;
  uint64_t far[2], reads[2], cycles[2];
  for (uint32_t w = 0; w < 2; w++) cycles[w] = cycles_of_walks(w, &far[w], &reads[w]);
  assert_int_equal(reads[0], reads[1]);
  assert_int_equal(far[0] + far[1], reads[0]); /* what is far from one place is near to the other */
  assert_true(far[0] != far[1] && far[0] && far[1]);
  assert_int_equal(cycles[0] - 2 * FAR * far[0], cycles[1] - 2 * FAR * far[1]);
}

/* ---- the link ---- */

/* Lines of channel `channel` that SM 0 reads from L2 again and again: cycles of each, in eighths.
 */
static uint64_t eighths_per_line(const gpu_spec_t *spec, uint32_t channel, uint64_t *busy_bytes) {
  enum { TURNS = 200, WARPS = 16 };
  const script_op_t ops[] = {LOAD_CG(1, R_NO, piece(channel)),
                             LOAD_CG(2, R_NO, piece(channel) + LINE)};
  const program_t p[] = {PROGRAM_N(ops, TURNS), PROGRAM_N(ops, 2 * TURNS)};
  uint64_t took[2];
  for (uint32_t i = 0; i < 2; i++) {
    script_t *s = script_new(
        &(script_spec_t){
            .program = &p[i], .programs = 1, .blocks = 1, .warps = WARPS, .va = VA, .bytes = MB},
        0);
    gpu_t *g = run_script(spec, s);
    took[i] = gpu_cycles(g);
    if (spec->noc.partitions > 1) *busy_bytes = g->noc.bridge.link[channel * 2].bytes;
    gpu_free(g);
    script_free(s);
  }
  return (8 * (took[1] - took[0]) + TURNS * WARPS) / (2 * TURNS * WARPS);
}

static void the_link_limits_a_far_stream_and_no_near_one(void **state) {
  (void)state;
  static const uint32_t width[] = {4, 8, 16, 17, 1024, 0};
  gpu_spec_t one = two_parts();
  uint64_t bytes = 0;
  no_tlbs(&one);
  set(&one, "noc.partitions", "1");
  uint64_t free = eighths_per_line(&one, 1, &bytes), packet = one.noc.header_bytes + LINE;
  for (uint32_t i = 0; i < sizeof width / sizeof *width; i++) {
    gpu_spec_t s = two_parts();
    no_tlbs(&s);
    setn(&s, "noc.link", width[i]);
    assert_in_range(eighths_per_line(&s, 0, &bytes), free - 1, free + 1);
    uint64_t far = eighths_per_line(&s, 1, &bytes);
    uint64_t limit = width[i] ? 8 * packet / width[i] : 0, want = limit > free ? limit : free;
    assert_in_range(far, want - 1 - want / 50, want + 1 + want / 50);
    assert_int_equal(bytes % packet, 0); /* answers of one line each */
  }
}

/* A store crosses with its data, and its acknowledgement, if any, comes back. */
static void stores_cross_once_or_twice(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_AT(R_NO, piece(1), 0, 0)};
  const program_t p = PROGRAM_N(ops, 50);
  for (uint32_t ack = 0; ack < 2; ack++) {
    gpu_spec_t s = two_parts();
    no_tlbs(&s);
    set(&s, "noc.write_ack", ack ? "true" : "false");
    script_t *x = script_of(&p, 1, 1, MB);
    gpu_t *g = run_script(&s, x);
    const bridge_link_stats_t *link = g->noc.bridge.link;
    assert_int_equal(near_far(g)->far_requests, 50);
    assert_int_equal(near_far(g)->link_packets, ack ? 100 : 50);
    assert_int_equal(link[1].bytes, 50 * (s.noc.header_bytes + LINE));
    assert_int_equal(link[2].bytes, ack ? 50 * s.noc.header_bytes : 0);
    gpu_free(g);
    script_free(x);
  }
}

/* ---- who is where ---- */

static void partitions_have_whole_gpcs_and_equal_channels(void **state) {
  (void)state;
  static const char *const gpu[] = {"a100", "h100"};
  static const uint32_t sms[2][2] = {{64, 44}, {68, 64}}; /* of four GPCs, and of the others */
  for (uint32_t k = 0; k < 2; k++) {
    gpu_spec_t s;
    err_t e = {0};
    uint32_t in[2] = {0}, slices[2] = {0};
    gpu_spec_init(&s);
    assert_int_equal(gpu_spec_load(&s, "gpu", gpu[k], &e), 0);
    set(&s, "mem.bytes", "1G");
    source_t *src = generator("chase:footprint=64K,blocks=1,warps=1,steps=1");
    gpu_t *g = machine(&s, &src, 1);
    for (uint32_t i = 0; i < s.core.sms; i++) in[g->noc.bridge.of_sm[i]]++;
    for (uint32_t i = 0; i < g->l2.slices; i++) slices[g->noc.bridge.of_slice[i]]++;
    assert_int_equal(in[0], sms[k][0]);
    assert_int_equal(in[1], sms[k][1]);
    assert_int_equal(slices[0], slices[1]);
    gpu_free(g);
    src->ops->free(src);
  }
}

static void refused(const char *key, const char *value, const char *part) {
  gpu_spec_t s = two_parts();
  const script_op_t ops[] = {ALU(1, R_NO)};
  const program_t p = PROGRAM(ops);
  script_t *x = script_of(&p, 1, 1, MB);
  app_spec_t app = {.name = "app", .source = script_source(x)};
  gpu_t *g = NULL;
  err_t e = {0};
  set(&s, key, value);
  assert_int_equal(gpu_new(&s, &app, 1, &g, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, part));
  script_free(x);
}
static void what_cannot_be_is_refused(void **state) {
  (void)state;
  refused("noc.walker", "2", "none of 2 partitions");
}

/* Three partitions of two SMs and two channels: the last has neither. */
static void a_partition_may_be_empty(void **state) {
  (void)state;
  gpu_spec_t s = two_parts();
  set(&s, "noc.partitions", "3");
  for (uint32_t sm = 0; sm < 2; sm++)
    for (uint32_t channel = 0; channel < 2; channel++)
      assert_int_equal(hit(&s, sm, channel), f_l2_hit(&s, LINE) + (sm != channel ? 2 * FAR : 0));
}

/* What mt4g measured of the two chips: half of the hits of an A100 take 169 cycles, the slowest
 * 303; those of an H100 219 in the mean, the slowest 231. */
static void presets_hit_as_near_and_far_as_measured(void **state) {
  (void)state;
  static const struct {
    const char *gpu;
    uint64_t near, far;
  } want[] = {{"a100", 169, 303}, {"h100", 207, 231}};
  for (uint32_t k = 0; k < 2; k++) {
    gpu_spec_t s;
    err_t e = {0};
    gpu_spec_init(&s);
    assert_int_equal(gpu_spec_load(&s, "gpu", want[k].gpu, &e), 0);
    set(&s, "mem.bytes", "1G");
    uint64_t seen[2] = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < 16; i++) {
      uint64_t va = VA + 256u * 10 * i; /* over all channels */
      const script_op_t op[] = {OP_(IC_LOAD, 0, 4, INST_BYPASS_L1, 1, R_NO, va, 4, 0, 0, 1),
                                OP_(IC_LOAD, 0, 4, INST_BYPASS_L1, 2, 1, va, 4, 0, 0, 1),
                                ALU(3, 2)};
      const program_t p = PROGRAM(op);
      script_t *x = script_of(&p, 1, 1, MB);
      gpu_t *g = run_script(&s, x);
      uint64_t cycles = script_when(x, 0, 2) - script_when(x, 0, 1);
      if (cycles < seen[0]) seen[0] = cycles;
      if (cycles > seen[1]) seen[1] = cycles;
      gpu_free(g);
      script_free(x);
    }
    assert_in_range(seen[0], want[k].near - 2, want[k].near + 2);
    assert_in_range(seen[1], want[k].far - 2, want[k].far + 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_far_hit_takes_twice_the_far_cycles_longer),
      cmocka_unit_test(one_partition_knows_no_distance),
      cmocka_unit_test(page_table_reads_have_near_and_far),
      cmocka_unit_test(the_link_limits_a_far_stream_and_no_near_one),
      cmocka_unit_test(stores_cross_once_or_twice),
      cmocka_unit_test(partitions_have_whole_gpcs_and_equal_channels),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(a_partition_may_be_empty),
      cmocka_unit_test(presets_hit_as_near_and_far_as_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
