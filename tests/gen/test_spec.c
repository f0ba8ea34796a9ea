/* The text form of generators, and its errors. */
#include "drive.h"

static void refused(const char *text, int code, const char *key, const char *reason) {
  source_t *s = NULL;
  err_t e = {0};
  assert_int_equal(gen_open(text, &s, &e), code);
  assert_null(s);
  assert_int_equal(e.code, code);
  assert_string_equal(e.key, key);
  assert_string_equal(e.text, reason);
  assert_int_equal(gen_open(text, &s, NULL), code); /* nobody needs to listen */
}

static const gen_params_t *parsed(const char *text) {
  static gen_params_t copy;
  const gen_ops_t *ops;
  gen_params_t *p;
  err_t e = {0};
  if (gen_parse(text, &ops, &p, &e) < 0) fail_msg("%s: %s", text, e.text);
  copy = *p;
  free(p);
  return &copy;
}

static void options_follow_a_colon(void **state) {
  (void)state;
  const gen_params_t *p = parsed("gather:footprint=96M,warps=32,seed=3");
  assert_int_equal(p->footprint, 96 << 20);
  assert_int_equal(p->warps, 32);
  assert_int_equal(p->seed, 3);
  assert_int_equal(p->blocks, 240);
  assert_int_equal(parsed("gather")->footprint, 64 << 20);
  assert_int_equal(parsed("stream")->width, 4); /* fixed, not an option there */
}

static void sizes_take_suffixes(void **state) {
  (void)state;
  assert_int_equal(parsed("stream:footprint=512K")->footprint, 512 << 10);
  assert_int_equal(parsed("stream:footprint=2g")->footprint, 2ull << 30);
  assert_int_equal(parsed("stream:footprint=8192")->footprint, 8192);
}

static void an_unknown_generator_gets_the_nearest_name(void **state) {
  (void)state;
  refused("gathr:seed=3", GMMU_ENOENT, "", "unknown generator \"gathr\"; nearest: \"gather\"");
  refused("", GMMU_ENOENT, "",
          "unknown generator \"\"; one of: stream, stride, chase, gather, hotset, tiled2d, "
          "compute, churn");
  refused("\033[31m", GMMU_ENOENT, "",
          "unknown generator \"\033[31m\"; one of: stream, stride, chase, gather, hotset, tiled2d, "
          "compute, churn");
}

static void an_unknown_option_gets_the_nearest_name(void **state) {
  (void)state;
  refused("gather:fotprint=1M", GMMU_ENOENT, "gather.fotprint",
          "unknown option \"gather.fotprint\"; nearest: \"gather.footprint\"");
  refused("stream:lane=4", GMMU_ENOENT, "stream.lane",
          "unknown option \"stream.lane\"; options of this group: footprint, steps, arith, blocks, "
          "warps, launches, regs, shared, seed");
}

static void a_value_out_of_range_gets_the_range(void **state) {
  (void)state;
  refused("gather:warps=33", GMMU_ERANGE, "gather.warps", "value 33 is outside 1 .. 32 warps");
  refused("stream:footprint=1K", GMMU_ERANGE, "stream.footprint",
          "value 1K is outside 4K .. 128G bytes");
  refused("hotset:reuse=101", GMMU_ERANGE, "hotset.reuse", "value 101 is outside 0 .. 100 percent");
  refused("chase:lanes=0", GMMU_ERANGE, "chase.lanes", "value 0 is outside 1 .. 32 lanes");
}

static void a_malformed_value_is_refused(void **state) {
  (void)state;
  refused("stream:footprint=big", GMMU_EINVAL, "stream.footprint",
          "value \"big\" is not a whole number with an optional K, M or G");
  refused("stream:warps=", GMMU_EINVAL, "stream.warps", "value \"\" is not a whole number");
  refused("stream:warps", GMMU_EINVAL, "", "stream: \"warps\" is not key=value");
  refused("stream:", GMMU_EINVAL, "", "stream: \"\" is not key=value");
  refused("stream:warps=2,", GMMU_EINVAL, "", "stream: \"\" is not key=value");
}

static void an_option_may_be_given_once(void **state) {
  (void)state;
  refused("stream:warps=2,seed=1,warps=3", GMMU_EINVAL, "stream.warps", "given twice");
}

static void overlong_words_are_refused(void **state) {
  (void)state;
  char word[80], text[128];
  memset(word, 'x', sizeof word);
  word[79] = 0;
  const char *reason = "\"xxxxxxxxxxxxxxxxxxxx...\" is longer than 63 characters";
  refused(word, GMMU_EINVAL, "", reason);
  snprintf(text, sizeof text, "stream:%s=1", word);
  refused(text, GMMU_EINVAL, "", reason);
  snprintf(text, sizeof text, "stream:seed=%s", word);
  refused(text, GMMU_EINVAL, "", reason);
}

static void values_that_do_not_fit_together_are_refused(void **state) {
  (void)state;
  refused("gather:width=3", GMMU_ERANGE, "gather.width", "value 3 is not 1, 2, 4, 8 or 16");
  refused("stride:lane=6", GMMU_ERANGE, "stride.lane", "value 6 is not a multiple of width");
  refused("stride:step=6", GMMU_ERANGE, "stride.step", "value 6 is not a multiple of width");
  refused("stride:lane=1M,footprint=16M", GMMU_ERANGE, "stride.footprint",
          "value 16M is too small for 32 lanes that far apart");
  refused("chase:node=12", GMMU_ERANGE, "chase.node",
          "value 12 is not a multiple of a pointer's 8");
  refused("chase:node=64K,footprint=4K", GMMU_ERANGE, "chase.node", "value 64K is above footprint");
  refused("hotset:hot=1M,footprint=1M", GMMU_ERANGE, "hotset.hot",
          "value 1M is not below footprint");
  refused("tiled2d:pitch=1000", GMMU_ERANGE, "tiled2d.pitch",
          "value 1000 is not a multiple of a tile's 128 bytes");
  refused("tiled2d:shared=1K", GMMU_ERANGE, "tiled2d.shared",
          "value 1K is below the 528 bytes a warp's rows take");
  refused("tiled2d:footprint=64K", GMMU_ERANGE, "tiled2d.footprint",
          "value 64K is below pitch * warps * 5: one row of tiles");
}

static void occupancy_options_reach_the_launch(void **state) {
  (void)state;
  source_t *s = open_bound("gather:regs=64,shared=12K,blocks=7,warps=5");
  command_t c;
  err_t e = {0};
  do s->ops->next_command(s, 0, &c, &e);
  while (c.kind != CMD_LAUNCH);
  assert_int_equal(c.launch.regs_per_thread, 64);
  assert_int_equal(c.launch.shared_bytes, 12 << 10);
  assert_int_equal(c.launch.grid[0], 7);
  assert_int_equal(c.launch.block[0], 160);
  s->ops->free(s);
}

static void width_reaches_the_loads(void **state) {
  (void)state;
  source_t *s = open_bound("gather:width=16");
  command_t c;
  err_t e = {0};
  uint32_t wide = 0;
  do s->ops->next_command(s, 0, &c, &e);
  while (c.kind != CMD_LAUNCH);
  for (uint32_t i = 0; i < c.launch.inst_count; i++)
    wide += c.launch.inst[i].width == 16 && c.launch.inst[i].dsts == 4;
  assert_int_equal(wide, 1);
  s->ops->free(s);
}

static void the_list_names_every_generator_and_option(void **state) {
  (void)state;
  strbuf_t b;
  strbuf_init(&b);
  gen_list(TABLE_TEXT, &b);
  const char *at = strbuf_text(&b);
  for (const gen_ops_t *const *g = gen_all; *g; g++) {
    assert_non_null(at = strstr(at, (*g)->name));
    assert_non_null(at = strstr(at, (*g)->help));
    for (const opt_t *o = (*g)->options; o->name; o++) {
      assert_non_null(at = strstr(at, o->name));
      assert_non_null(at = strstr(at, o->help));
    }
  }
  assert_non_null(strstr(strbuf_text(&b), "footprint  size     24M      4K .. 128G"));
  strbuf_fini(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_follow_a_colon),
      cmocka_unit_test(sizes_take_suffixes),
      cmocka_unit_test(an_unknown_generator_gets_the_nearest_name),
      cmocka_unit_test(an_unknown_option_gets_the_nearest_name),
      cmocka_unit_test(a_value_out_of_range_gets_the_range),
      cmocka_unit_test(a_malformed_value_is_refused),
      cmocka_unit_test(an_option_may_be_given_once),
      cmocka_unit_test(overlong_words_are_refused),
      cmocka_unit_test(values_that_do_not_fit_together_are_refused),
      cmocka_unit_test(occupancy_options_reach_the_launch),
      cmocka_unit_test(width_reaches_the_loads),
      cmocka_unit_test(the_list_names_every_generator_and_option),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
