/* gpu.line: what lines of 64, 128 and 256 bytes change, and what they do not. A sector is 32 bytes
 * in all of them, so DRAM moves the same bytes. */
#include "help.h"

typedef struct {
  script_t *s;
  gpu_t *g;
} ran_t;

static gpu_spec_t with_line(uint32_t line) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.line", line);
  return s;
}

static ran_t run(const gpu_spec_t *spec, const program_t *p) {
  ran_t r;
  r.s = script_new(
      &(script_spec_t){
          .program = p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = 2 * MB},
      64);
  r.g = run_script(spec, r.s);
  return r;
}

static void done(ran_t *r) {
  gpu_free(r->g);
  script_free(r->s);
}

#define EACH_LINE(line) for (uint32_t line = 64; line <= 256; line *= 2)

static void a_warp_asks_for_as_many_lines_as_it_touches(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD(1, R_NO, VA + 128), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  EACH_LINE(line) {
    gpu_spec_t s = with_line(line);
    ran_t r = run(&s, &p);
    assert_int_equal(r.g->cores.stats[0].lines, line == 64 ? 2 : 1);
    assert_int_equal(r.g->cores.stats[0].pages, 1);
    assert_int_equal(dram_total(r.g, 0, DRAM_DATA).read_bytes, 128);
    done(&r);
  }
}

/* The other half of a 256-byte line comes by itself, into the same entry. */
static void sectors_of_a_line_come_when_they_are_asked_for(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD(1, R_NO, VA), LOAD(2, 1, VA + 128), LOAD(3, 2, VA),
                             LOAD(4, 3, VA + 128), ALU(5, 4)};
  const program_t p = PROGRAM(ops);
  EACH_LINE(line) {
    gpu_spec_t s = with_line(line);
    ran_t r = run(&s, &p);
    const cache_stats_t *l1 = &r.g->l1.stats[0];
    assert_int_equal(l1->misses, line == 64 ? 4 : 2);
    assert_int_equal(l1->hits, line == 64 ? 4 : 2);
    assert_int_equal(dram_total(r.g, 0, DRAM_DATA).read_bytes, 256);
    done(&r);
  }
}

/* All of them, the highest, too, which the eighth bit stands for. */
static void a_sector_that_is_overwritten_is_not_fetched(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_AT(R_NO, VA, 0, 0), STORE_AT(R_NO, VA + 128, 0, 0),
                             LOAD(1, R_NO, VA + 128), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  EACH_LINE(line) {
    gpu_spec_t s = with_line(line);
    ran_t r = run(&s, &p);
    assert_int_equal(dram_total(r.g, 0, DRAM_DATA).reads, 0);
    done(&r);
  }
}

/* Eight lanes write half of every sector, and each is fetched first. */
static void a_sector_that_is_written_in_part_is_fetched(void **state) {
  (void)state;
  const script_op_t ops[] = {STORE_MASK(R_NO, VA, 0x0f0f0f0f), STORE_MASK(R_NO, VA + 128, 0xf)};
  const program_t p = PROGRAM(ops);
  EACH_LINE(line) {
    gpu_spec_t s = with_line(line);
    ran_t r = run(&s, &p);
    assert_int_equal(dram_total(r.g, 0, DRAM_DATA).read_bytes, 5 * 32);
    done(&r);
  }
}

/* Entries of neighbouring pages are eight bytes apart: 32 of them are 256 bytes, eight sectors. */
static void page_table_reads_take_the_sector_of_their_entry(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 0, PAGE4), ALU(2, 1)};
  const program_t p = PROGRAM_N(ops, 32);
  EACH_LINE(line) {
    gpu_spec_t s = with_line(line);
    setn(&s, "l1tlb.entries", 1), setn(&s, "l2tlb.entries", 1), setn(&s, "l2tlb.ways", 1);
    setn(&s, "l2.bytes", MB); /* nothing is read twice */
    ran_t r = run(&s, &p);
    assert_int_equal(r.g->walker.stats[0].walks, 32);
    assert_int_equal(dram_total(r.g, 0, DRAM_WALK).read_bytes, (8 + 3) * 32);
    done(&r);
  }
}

static void a_line_that_is_no_power_of_two_is_refused(void **state) {
  (void)state;
  gpu_spec_t s = with_line(192);
  source_t *source = generator("stream:footprint=64K,blocks=1");
  app_spec_t app = {.name = "x", .source = source};
  gpu_t *g;
  err_t e = {0};
  assert_int_equal(gpu_new(&s, &app, 1, &g, &e), GMMU_ERANGE);
  assert_string_equal(e.key, "gpu.line");
  source->ops->free(source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_warp_asks_for_as_many_lines_as_it_touches),
      cmocka_unit_test(sectors_of_a_line_come_when_they_are_asked_for),
      cmocka_unit_test(a_sector_that_is_overwritten_is_not_fetched),
      cmocka_unit_test(a_sector_that_is_written_in_part_is_fetched),
      cmocka_unit_test(page_table_reads_take_the_sector_of_their_entry),
      cmocka_unit_test(a_line_that_is_no_power_of_two_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
