/* Property: whatever was recorded, in whatever order, replays the same in any order. */
#include "fixture.h"

#define FRAME_BYTES 131072

static synth_spec_t random_spec(rng_t *r) {
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = rng_next(r)};
  s.launches = 1 + rng_below(r, 3);
  s.blocks = 1 + rng_below(r, 12);
  uint32_t most_threads = rng_below(r, 4) ? 256 : 2048;
  s.threads = 1 + rng_below(r, most_threads);
  s.length = rng_below(r, 300);
  uint32_t most_insts = rng_below(r, 2) ? 20 : 400;
  s.insts = 1 + rng_below(r, most_insts);
  return s;
}

static void record_interleaved(fixture_t *f, const synth_spec_t *spec, const pair_order_t *o) {
  source_t *in = synth_new(spec), *tee;
  gmt_writer_t *w;
  must(gmt_writer_new(f->path, NULL, &w, &f->e), &f->e);
  must(gmt_tee_new(in, w, &tee, &f->e), &f->e);
  const char *flaw = pair_run(bound(tee, o->inflight), NULL, o, NULL);
  if (flaw) fail_msg("%s", flaw);
  must(gmt_writer_close(w, &f->e), &f->e);
  tee->ops->free(tee), in->ops->free(in);
}

static void must_replay(fixture_t *f, const synth_spec_t *spec, const pair_order_t *o,
                        uint64_t cache) {
  source_t *want = bound(synth_new(spec), o->inflight), *got = opened(f, cache, o->inflight);
  const char *flaw = pair_run(want, got, o, NULL);
  if (flaw) fail_msg("GMMU_SEED=%lu: program %lx: %s", f->seed, spec->seed, flaw);
  want->ops->free(want), got->ops->free(got);
}

static void a_recorded_program_replays_the_same(void **state) {
  fixture_t *f = *state;
  rng_t r = {f->seed};
  for (int i = 0; i < 40; i++) {
    synth_spec_t s = random_spec(&r);
    record(f, &s);
    must_replay(f, &s, &(pair_order_t){.seed = i, .inflight = 1}, 0);
  }
}

static void blocks_may_be_recorded_interleaved_and_out_of_order(void **state) {
  fixture_t *f = *state;
  rng_t r = {f->seed + 1};
  for (int i = 0; i < 40; i++) {
    synth_spec_t s = random_spec(&r);
    record_interleaved(f, &s, &(pair_order_t){.seed = i, .inflight = 5, .shuffle = true});
    must_replay(f, &s, &(pair_order_t){.seed = i + 1, .inflight = 3, .shuffle = true}, 0);
  }
}

/* Launches that a replay from there on gives; the commands around them are all there. */
static uint32_t launches_from(fixture_t *f, uint32_t permille, uint32_t *others) {
  source_t *s = opened(f, 0, 1);
  uint32_t launches = 0;
  command_t c = {0};
  assert_true(gmt_begin_at(s, permille));
  for (*others = 0; c.kind != CMD_END; *others += c.kind != CMD_LAUNCH) {
    must(s->ops->next_command(s, 0, &c, &f->e), &f->e);
    launches += c.kind == CMD_LAUNCH;
  }
  s->ops->free(s);
  return launches;
}

static void a_replay_may_begin_in_the_middle(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = f->seed, .launches = 8, .blocks = 4};
  uint32_t all, others;
  s.threads = 256, s.length = 400, s.insts = 50;
  record(f, &s);
  assert_int_equal(launches_from(f, 0, &all), 8);
  assert_in_range(launches_from(f, 500, &others), 3, 5);
  assert_int_equal(others, all);
  assert_int_equal(launches_from(f, 1000, &others), 1); /* the last one always */
  source_t *other = synth_new(&s);
  assert_false(gmt_begin_at(other, 500)); /* no recording */
  other->ops->free(other);
}

static void blocks_longer_than_a_frame_replay_the_same(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = f->seed, .launches = 1, .blocks = 2};
  s.threads = 1024, s.length = 8000, s.insts = 100;
  pair_order_t o = {.seed = f->seed, .inflight = 3, .shuffle = true};
  record_interleaved(f, &s, &o);
  gmt_info_t info;
  must(gmt_info(f->path, &info, &f->e), &f->e);
  assert_true(info.kernel[0].stored_bytes > 2 * FRAME_BYTES);
  gmt_info_fini(&info);
  o.seed++;
  must_replay(f, &s, &o, 0);
}

static void one_warp_far_ahead_of_the_others_replays_the_same(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = f->seed, .launches = 1, .blocks = 2};
  s.threads = 128, s.length = 20000, s.insts = 50;
  record_interleaved(f, &s, &(pair_order_t){.seed = 1, .inflight = 1}); /* runs of 2000 */
  must_replay(f, &s, &(pair_order_t){.seed = 2, .inflight = 2}, 0);
}

static void a_cache_of_one_frame_changes_nothing(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = f->seed, .launches = 2, .blocks = 6};
  s.threads = 512, s.length = 1500, s.insts = 60;
  record(f, &s);
  must_replay(f, &s, &(pair_order_t){.seed = 1, .inflight = 6, .shuffle = true}, 1);
}

/* 24 MB of streams through a cache of 1 MiB. */
static void a_file_larger_than_the_cache_stays_within_its_budget(void **state) {
  fixture_t *f = *state;
  const uint64_t budget = 1 << 20;
  synth_spec_t s = {.kind = SYNTH_GATHER, .seed = f->seed, .launches = 1, .blocks = 16};
  s.threads = 512, s.length = 900;
  record(f, &s);
  source_t *want = bound(synth_new(&s), 8), *got = opened(f, budget, 8);
  const char *flaw = pair_run(want, got, &(pair_order_t){.seed = 3, .inflight = 8}, NULL);
  if (flaw) fail_msg("%s", flaw);
  gmt_reader_stats_t st;
  gmt_stats(got, &st);
  assert_true(st.frames_read * FRAME_BYTES > 20 * budget);
  assert_in_range(st.peak_cache_bytes, 1, budget);
  want->ops->free(want), got->ops->free(got);
}

static void rewinding_starts_from_the_first_command(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = f->seed, .launches = 3, .blocks = 4};
  s.threads = 100, s.length = 100, s.insts = 30;
  record(f, &s);
  source_t *got = opened(f, 0, 2);
  for (uint32_t stop = 0; stop < 12; stop++) {
    source_t *want = bound(synth_new(&s), 2);
    pair_order_t o = {.seed = stop, .inflight = 2, .stop_after = stop};
    const char *flaw = pair_run(want, got, &o, NULL);
    if (flaw) fail_msg("GMMU_SEED=%lu, stop %u: %s", f->seed, stop, flaw);
    want->ops->free(want);
    assert_int_equal(got->ops->rewind(got, &f->e), 0);
  }
  got->ops->free(got);
}

static void a_launch_may_be_left_in_the_middle(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_TRIAD, .seed = 1, .launches = 1, .blocks = 4, .threads = 64};
  s.length = 50;
  record(f, &s);
  source_t *got = opened(f, 0, 1), *want = bound(synth_new(&s), 1);
  command_t c;
  do must(got->ops->next_command(got, 0, &c, &f->e), &f->e);
  while (c.kind != CMD_LAUNCH);
  uint32_t slot[2] = {0, 1}, first[2];
  warp_op_t op;
  must(got->ops->cta_begin(got, 0, 2, 2, slot, first, &f->e), &f->e);
  for (int i = 0; i < 10; i++) got->ops->step(got, 0, 1, &op);
  assert_int_equal(got->ops->rewind(got, &f->e), 0);
  const char *flaw = pair_run(want, got, &(pair_order_t){.seed = 1, .inflight = 1}, NULL);
  assert_null(flaw);
  want->ops->free(want), got->ops->free(got);
}

/* One skims where it can, the other steps: they stay together. */
static void skim_block(fixture_t *f, const launch_t *l, source_t *a, source_t *b, uint32_t cta,
                       rng_t *r, uint64_t *skimmed) {
  uint32_t slot[64], first[64], cur[64], warps = launch_warps(l);
  warp_op_t x, y;
  for (uint32_t i = 0; i < warps; i++) slot[i] = i;
  must(a->ops->cta_begin(a, 0, cta, warps, slot, first, &f->e), &f->e);
  must(b->ops->cta_begin(b, 0, cta, warps, slot, cur, &f->e), &f->e);
  for (uint32_t w = 0; w < warps; w++)
    while (first[w] != STREAM_END) {
      uint32_t next = cur[w], n = b->ops->skim(b, w, 1 + rng_below(r, 9), &next);
      *skimmed += n;
      for (cur[w] = next; n; n--) {
        assert_true(inst_is_plain(&l->inst[first[w]]));
        first[w] = a->ops->step(a, 0, w, &x);
      }
      assert_int_equal(first[w], cur[w]);
      first[w] = a->ops->step(a, 0, w, &x), cur[w] = b->ops->step(b, 0, w, &y);
      assert_int_equal(first[w], cur[w]);
      assert_int_equal(x.mask, y.mask);
      assert_int_equal(x.mode, y.mode);
      for (uint32_t m = x.mode == ADDR_LIST ? x.mask : 0; m; m &= m - 1)
        assert_int_equal(x.lane[__builtin_ctz(m)], y.lane[__builtin_ctz(m)]);
      if (x.mode == ADDR_STRIDE) assert_true(x.base == y.base && x.stride == y.stride);
    }
}

static void skimming_ends_where_steps_do(void **state) {
  fixture_t *f = *state;
  rng_t r = {f->seed + 9};
  uint64_t skimmed = 0;
  for (int i = 0; i < 20; i++) {
    synth_spec_t s = random_spec(&r);
    record(f, &s);
    source_t *a = opened(f, 0, 1), *b = opened(f, 0, 1);
    command_t c = {0}, d;
    while (c.kind != CMD_END) {
      must(a->ops->next_command(a, 0, &c, &f->e), &f->e);
      must(b->ops->next_command(b, 0, &d, &f->e), &f->e);
      for (uint32_t k = 0; c.kind == CMD_LAUNCH && k < launch_blocks(&c.launch); k++)
        skim_block(f, &c.launch, a, b, k, &r, &skimmed);
    }
    a->ops->free(a), b->ops->free(b);
  }
  assert_true(skimmed > 1000);
}

static void stepping_an_empty_slot_fails(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_SHORT, .seed = 1, .launches = 1, .blocks = 1, .threads = 32};
  record(f, &s);
  source_t *got = opened(f, 0, 1);
  command_t c;
  warp_op_t op;
  do must(got->ops->next_command(got, 0, &c, &f->e), &f->e);
  while (c.kind != CMD_LAUNCH);
  assert_int_equal(got->ops->step(got, 0, 5, &op), STREAM_FAIL);
  assert_int_equal(got->ops->error(got)->code, GMMU_EINVAL);
  got->ops->free(got);
}

static void a_replay_recorded_again_gives_the_same_bytes(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = f->seed, .launches = 2, .blocks = 5};
  s.threads = 200, s.length = 400, s.insts = 80;
  record(f, &s);
  source_t *got;
  must(gmt_open(f->path, &got, &f->e), &f->e);
  must(gmt_record_source(got, f->other, NULL, 0, &f->e), &f->e);
  got->ops->free(got);
  char cmd[1200];
  snprintf(cmd, sizeof cmd, "cmp %s %s", f->path, f->other);
  assert_int_equal(system(cmd), 0);
}

/* The seeds of the fuzz target are files of the first version: a changed rule shows here. */
static void files_of_version_1_replay_the_same(void **state) {
  fixture_t f = *(fixture_t *)*state; /* a copy: the teardown removes the path of the original */
  static const struct {
    const char *path;
    synth_spec_t spec;
  } files[] = {
      {GMT_V1_FILES "/random-many", {SYNTH_RANDOM, 2, 2, 3, 64, 12, 16}},
      {GMT_V1_FILES "/triad", {SYNTH_TRIAD, 1, 2, 2, 64, 5, 0}},
      {GMT_V1_FILES "/gather", {SYNTH_GATHER, 1, 1, 1, 33, 4, 0}},
  };
  for (size_t i = 0; i < 3; i++) {
    snprintf(f.path, sizeof f.path, "%s", files[i].path);
    must_replay(&f, &files[i].spec, &(pair_order_t){.seed = 1, .inflight = 2}, 0);
  }
}

int main(void) {
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
  const struct CMUnitTest tests[] = {
      T(a_recorded_program_replays_the_same),
      T(a_replay_may_begin_in_the_middle),
      T(blocks_may_be_recorded_interleaved_and_out_of_order),
      T(blocks_longer_than_a_frame_replay_the_same),
      T(one_warp_far_ahead_of_the_others_replays_the_same),
      T(a_cache_of_one_frame_changes_nothing),
      T(a_file_larger_than_the_cache_stays_within_its_budget),
      T(rewinding_starts_from_the_first_command),
      T(a_launch_may_be_left_in_the_middle),
      T(skimming_ends_where_steps_do),
      T(stepping_an_empty_slot_fails),
      T(a_replay_recorded_again_gives_the_same_bytes),
      T(files_of_version_1_replay_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
