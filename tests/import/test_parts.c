/* The parts of the importer that stand alone: opcodes, ranges, rows, local memory, the list. */
#include "base/unit.h"
#include "import/irows.h"
#include "import/klist.h"
#include "import/local.h"
#include "import/ranges.h"
#include "import/sass.h"
#include "import/streams.h"
#include <stdio.h>

static sass_op_t op(const char *text) {
  sass_op_t o;
  sass_decode(text, strlen(text), &o);
  return o;
}

static void the_table_is_sorted_and_finds_itself(void **state) {
  (void)state;
  static const char *const names[] = {
#define OP(n, c, s) #n,
#include "import/sass.def"
#undef OP
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (i) assert_true(strcmp(names[i - 1], names[i]) < 0);
    assert_true(op(names[i]).known);
  }
  assert_false(op("LDGX").known);
  assert_false(op("").known);
}

static void modifiers_tell_width_and_cache(void **state) {
  (void)state;
  assert_int_equal(op("LDG.E.128.SYS").width, 16);
  assert_int_equal(op("LDG.E.U8").width, 1);
  assert_int_equal(op("LDG.E.S16.SYS").width, 2);
  assert_int_equal(op("LDS.U.64").width, 8);
  assert_int_equal(op("RED.E.ADD.F64.RN").width, 8);
  assert_int_equal(op("STG.E").width, 4);
  assert_int_equal(op("LDG.E.96").width, 16);
  assert_true(op("LDG.E.96").odd_width);
  assert_int_equal(op("LDG.E.STRONG.GPU").flags, INST_BYPASS_L1);
  assert_int_equal(op("LDG.E.SYS").flags, 0);
  assert_int_equal(op("IMAD.WIDE.U32").flags, INST_MULTIPLY);
  assert_int_equal(op("UIMAD").flags, INST_MULTIPLY);
  assert_int_equal(op("IMUL32I").flags, INST_MULTIPLY);
  assert_int_equal(op("XMAD.PSL").flags, 0);
  assert_int_equal(op("IADD3").flags, 0);
  assert_int_equal(op("FADD.FTZ.32").width, 0);
  assert_int_equal(op("BAR.SYNC").cls, IC_BARRIER);
  assert_int_equal(op("BAR.ARV").cls, IC_INT);
}

static void opcodes_are_kept_once(void **state) {
  (void)state;
  sass_ops_t s;
  err_t e = {0};
  int rc;
  char name[16];
  assert_int_equal(sass_ops_init(&s, &e), 0);
  for (uint32_t k = 0; k < 4000; k++) {
    int n = snprintf(name, sizeof name, "OP%u", k % 2000);
    sass_ops_get(&s, name, (uint32_t)n, &rc)->count++;
  }
  assert_int_equal(s.count, 2000);
  for (uint32_t k = 0; k < 2000; k++) assert_int_equal(s.at[k].count, 2);
  sass_ops_fini(&s);
}

typedef struct {
  range_t at[64];
  uint32_t count;
} emitted_t;

static int emit(void *ctx, uint64_t va, uint64_t bytes, err_t *e) {
  emitted_t *m = ctx;
  (void)e;
  m->at[m->count++] = (range_t){va, va + bytes};
  return 0;
}

static void only_what_is_new_is_allocated(void **state) {
  (void)state;
  ranges_t r;
  emitted_t m = {0};
  err_t e = {0};
  assert_int_equal(ranges_init(&r, &e), 0);
  ranges_cover(&r, 0x1010, 0x1f00, emit, &m, &e); /* widened to 256 bytes */
  ranges_cover(&r, 0x3000, 0x4000, emit, &m, &e);
  ranges_cover(&r, 0x1800, 0x5000, emit, &m, &e); /* two gaps */
  ranges_cover(&r, 0x1000, 0x5000, emit, &m, &e); /* nothing */
  static const range_t want[] = {
      {0x1000, 0x1f00}, {0x3000, 0x4000}, {0x1f00, 0x3000}, {0x4000, 0x5000}};
  assert_int_equal(m.count, 4);
  assert_memory_equal(m.at, want, sizeof want);
  assert_int_equal(r.count, 1);
  ranges_fini(&r);
}

static void addresses_outside_copies_get_whole_pieces(void **state) {
  (void)state;
  ranges_t r;
  emitted_t m = {0};
  err_t e = {0};
  const uint64_t mb = 1 << 20;
  assert_int_equal(ranges_init(&r, &e), 0);
  ranges_cover(&r, 8 * mb, 9 * mb, emit, &m, &e);
  ranges_touch(&r, 8 * mb + 100, 8 * mb + 200, &e); /* inside: nothing */
  ranges_touch(&r, 9 * mb + 100, 9 * mb + 104, &e); /* the other half of its piece */
  ranges_touch(&r, 12 * mb - 4, 12 * mb + 4, &e);   /* two pieces, next to each other and to it */
  ranges_touch(&r, 12 * mb, 12 * mb + 4, &e);
  ranges_settle(&r, emit, &m, &e);
  ranges_settle(&r, emit, &m, &e);
  assert_int_equal(m.count, 2);
  assert_int_equal(m.at[1].from, 9 * mb);
  assert_int_equal(m.at[1].to, 14 * mb);
  ranges_fini(&r);
}

static void random_ranges_match_a_bitmap(void **state) {
  (void)state;
  static uint8_t have[4096];
  uint64_t seed = test_seed();
  ranges_t r;
  err_t e = {0};
  memset(have, 0, sizeof have);
  assert_int_equal(ranges_init(&r, &e), 0);
  for (uint32_t k = 0; k < 2000; k++) {
    emitted_t m = {0};
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint32_t from = (uint32_t)(seed >> 33) % 4000, to = from + 1 + (uint32_t)(seed >> 50) % 60;
    assert_int_equal(ranges_cover(&r, from * 256ull, to * 256ull, emit, &m, &e), 0);
    for (uint32_t i = 0; i < m.count; i++)
      for (uint64_t u = m.at[i].from / 256; u < m.at[i].to / 256; u++) {
        assert_true(u >= from && u < to && !have[u]);
        have[u] = 1;
      }
    for (uint32_t u = from; u < to; u++) assert_true(have[u]);
    for (uint32_t i = 1; i < r.count; i++) assert_true(r.at[i - 1].to < r.at[i].from);
  }
  ranges_fini(&r);
}

static void rows_are_in_order_of_pc(void **state) {
  (void)state;
  irows_t r;
  err_t e = {0};
  assert_int_equal(irows_init(&r, &e), 0);
  for (uint32_t k = 0; k < 5000; k++) {
    inst_t row = {.cls = IC_INT, .dst = REG_NONE, .line = (uint16_t)(k % 7)};
    assert_int_equal(irows_add(&r, (5000 - k) / 2 * 16, &row, &e), 0);
  }
  assert_int_equal(irows_sort(&r, &e), 0);
  for (uint32_t k = 0; k < r.count; k++) {
    if (k) assert_true(r.pc[k - 1] <= r.pc[k]);
    assert_int_equal(irows_find(&r, r.pc[k], &r.row[k]), k);
  }
  inst_t other = {.cls = IC_FP64};
  assert_int_equal(irows_find(&r, 0, &other), UINT32_MAX);
  irows_fini(&r);
}

/* Stacks begin at the top of the window: 0xfffdc0 and the like, with or without the window's base.
 */
static void stacks_at_the_top_of_the_window_are_each_threads_own(void **state) {
  (void)state;
  local_t m = {.base = 0x7e8000000000};
  inst_t row = {.cls = IC_STORE, .space = SPACE_LOCAL, .width = 8};
  warp_op_t top = {.mask = UINT32_MAX, .mode = ADDR_STRIDE, .base = 0xfffdc0}, generic = top,
            low = {.mask = UINT32_MAX, .mode = ADDR_STRIDE, .base = 0x10},
            far = {.mask = 1, .mode = ADDR_STRIDE, .base = 0x300000};
  generic.base = m.base + 0xfffe08;
  assert_true(local_survey(&m, &row, &top));
  assert_true(local_survey(&m, &row, &generic));
  assert_int_equal(local_thread_bytes(&m), 512);
  assert_true(local_survey(&m, &row, &low));
  assert_false(local_survey(&m, &row, &far)); /* 3 MB from the other: no thread has as much */
  assert_int_equal(local_thread_bytes(&m), 512);
  warp_op_t one = top, two = top;
  local_place(&m, &row, 0, &one);
  local_place(&m, &row, 1, &two);
  assert_int_equal(one.stride, 8); /* 32 stacks, side by side */
  assert_int_equal(one.base, LOCAL_REGION + 16 * 32);
  assert_int_equal(two.base - one.base, 32 * 512);
  local_place(&m, &row, 0, &generic);
  assert_int_equal(generic.base, LOCAL_REGION + (16 + 0x48) * 32);
  local_place(&m, &row, 0, &low);
  assert_int_equal(low.base, LOCAL_REGION);
  local_place(&m, &row, 0, &far);
  assert_int_equal(far.base, 0x300000);
}

static void local_words_of_a_warp_lie_side_by_side(void **state) {
  (void)state;
  local_t m = {.base = 0x7e8000000000};
  inst_t row = {.cls = IC_LOAD, .space = SPACE_LOCAL, .width = 4};
  warp_op_t a = {.mask = UINT32_MAX, .mode = ADDR_STRIDE, .base = 0x7e8000000008};
  assert_true(local_survey(&m, &row, &a));
  assert_int_equal(local_thread_bytes(&m), 512);
  local_place(&m, &row, 1, &a);
  assert_int_equal(a.mode, ADDR_STRIDE);
  assert_int_equal(a.stride, 4);
  assert_int_equal(a.base, LOCAL_REGION + 32 * 512 + 2 * 128);
}

static int list(const char *text, klist_command_t *c, notes_t *n, err_t *e) {
  text_t *t;
  assert_int_equal(text_open_memory("list", text, strlen(text), &t, e), 0);
  int rc = klist_next(t, n, c, e);
  if (rc == KLIST_KERNEL) assert_true(strncmp(c->file, "kernel", 6) == 0);
  text_close(t);
  return rc;
}

/* The next launch; how many it waits for, -1 for all; the first of them in *of. */
static int next_launch(streams_t *s, uint64_t stream, uint64_t *of) {
  launch_t l = {0};
  streams_launch(s, stream, &l);
  if (of) *of = l.afters ? l.after[0] : UINT64_MAX;
  return l.overlaps ? (int)l.afters : -1;
}

static void kernels_wait_for_their_stream(void **state) {
  streams_t s = {0};
  uint64_t of;
  (void)state;
  assert_int_equal(next_launch(&s, 5, NULL), 0);
  assert_int_equal(next_launch(&s, 7, NULL), 0);
  assert_int_equal(next_launch(&s, 5, &of), 1);
  assert_int_equal(of, 0);
  streams_wait(&s); /* a copy: what follows comes behind both streams */
  assert_int_equal(next_launch(&s, 9, NULL), 2);
  assert_int_equal(next_launch(&s, 7, NULL), 2);
  assert_int_equal(next_launch(&s, 7, &of), 1);
  assert_int_equal(of, 4);
  assert_int_equal(next_launch(&s, 0, NULL), -1); /* the default stream */
  assert_int_equal(next_launch(&s, 7, NULL), 0);  /* behind which all begin anew */
  assert_int_equal(next_launch(&s, 7, &of), 1);
  assert_int_equal(of, 7);
}

static void streams_without_room_wait_for_all(void **state) {
  streams_t s = {0};
  (void)state;
  for (uint64_t i = 0; i < LAUNCH_MAX_AFTER; i++) {
    assert_false(streams_full(&s, 100 + i));
    assert_int_equal(next_launch(&s, 100 + i, NULL), 0);
  }
  assert_true(streams_full(&s, 99));
  assert_int_equal(next_launch(&s, 99, NULL), -1);
}

static void the_list_has_copies_and_kernels(void **state) {
  (void)state;
  klist_command_t c;
  notes_t n = {0};
  err_t e = {0};
  assert_int_equal(list("MemcpyHtoD,0x7f0000000000,4096\n", &c, &n, &e), KLIST_COPY_IN);
  assert_int_equal(c.va, 0x7f0000000000);
  assert_int_equal(c.bytes, 4096);
  assert_int_equal(list("MemcpyDtoH,7f0000000000,16\n", &c, &n, &e), KLIST_COPY_OUT);
  assert_int_equal(list("MemcpyHtoH,0x1,4\nfrob\nMemcpyHtoD,0x0,0\n"
                        "kernel-593-ctx_0x55c28dad19e0.traceg\r\n",
                        &c, &n, &e),
                   KLIST_KERNEL);
  assert_int_equal(n.of[NOTE_LIST_LINE].count, 1);
  assert_int_equal(n.of[NOTE_COPY].count, 1);
  assert_int_equal(list("\nMemcpyHtoD,zzz\n", &c, &n, &e), GMMU_EFORMAT);
  assert_int_equal(e.line, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_is_sorted_and_finds_itself),
      cmocka_unit_test(modifiers_tell_width_and_cache),
      cmocka_unit_test(opcodes_are_kept_once),
      cmocka_unit_test(only_what_is_new_is_allocated),
      cmocka_unit_test(addresses_outside_copies_get_whole_pieces),
      cmocka_unit_test(random_ranges_match_a_bitmap),
      cmocka_unit_test(rows_are_in_order_of_pc),
      cmocka_unit_test(stacks_at_the_top_of_the_window_are_each_threads_own),
      cmocka_unit_test(local_words_of_a_warp_lie_side_by_side),
      cmocka_unit_test(kernels_wait_for_their_stream),
      cmocka_unit_test(streams_without_room_wait_for_all),
      cmocka_unit_test(the_list_has_copies_and_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
