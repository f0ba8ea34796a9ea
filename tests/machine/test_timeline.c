/* Timelines of a window: valid in the format they are in, true to the run, and of no effect on it.
 * The rules of the format are restated here: fields by phase, spans of a track nest, a flow begins
 * and ends once, forwards in time, and each of its events lies in a span. */
#include "base/json_find.h"
#include "help.h"

typedef struct {
  char phase;
  char name[24], cat[8];
  uint64_t pid, tid, ts, dur, id;
} event_t_;

typedef struct {
  char *text; /* owned */
  event_t_ *at;
  uint32_t count;
} events_t;

static void take_text(const char *line, const char *key, char *out, size_t size) {
  const char *p = json_find(line, key);
  assert_non_null(p);
  assert_int_equal(*p, '"');
  snprintf(out, size, "%.*s", (int)strcspn(p + 1, "\""), p + 1);
}

static uint64_t number(const char *line, const char *key) {
  uint64_t v = 0;
  if (!json_find_u64(line, key, &v)) fail_msg("no %s in %.200s", key, line);
  return v;
}

static event_t_ parse_event(const char *line) {
  event_t_ e = {0};
  char phase[4];
  take_text(line, "name", e.name, sizeof e.name);
  take_text(line, "ph", phase, sizeof phase);
  e.phase = phase[0];
  e.pid = number(line, "pid");
  e.tid = number(line, "tid");
  assert_non_null(strchr("XMstf", e.phase));
  if (e.phase == 'M') return e;
  take_text(line, "cat", e.cat, sizeof e.cat);
  e.ts = number(line, "ts");
  if (e.phase == 'X')
    e.dur = number(line, "dur");
  else
    e.id = number(line, "id");
  return e;
}

/* Events stand on a line each. */
static events_t parse(char *text) {
  events_t v = {.text = text};
  char *list = strstr(text, "\"traceEvents\":[\n");
  assert_non_null(list);
  for (char *p = list; *p; p++) v.count += *p == '\n';
  v.at = calloc(v.count, sizeof *v.at);
  assert_non_null(v.at);
  v.count = 0;
  for (char *line = strtok(strchr(list, '\n'), "\n"); line && *line == '{';
       line = strtok(NULL, "\n"))
    v.at[v.count++] = parse_event(line);
  return v;
}

static void events_free(events_t *v) {
  free(v->at);
  free(v->text);
}

static char *timeline_text(const gpu_t *g) {
  strbuf_t out;
  err_t e = {0};
  strbuf_init(&out);
  if (gpu_timeline_json(g, &out, &e) < 0) fail_msg("%s", e.text);
  char *text = strdup(strbuf_text(&out));
  assert_non_null(text);
  strbuf_fini(&out);
  return text;
}

/* ---- the rules of the format ---- */

static bool same_track(const event_t_ *a, const event_t_ *b) {
  return a->pid == b->pid && a->tid == b->tid;
}

/* Each span lies behind, or inside, every earlier one of its track. */
static void check_nesting(const events_t *v) {
  for (uint32_t i = 0; i < v->count; i++) {
    const event_t_ *e = &v->at[i];
    for (uint32_t k = 0; k < i && e->phase == 'X'; k++) {
      const event_t_ *o = &v->at[k];
      if (o->phase != 'X' || !same_track(o, e)) continue;
      bool behind = e->ts >= o->ts + o->dur, inside = e->ts + e->dur <= o->ts + o->dur;
      if (e->ts < o->ts || (!behind && !inside))
        fail_msg("%s at %d overlaps %s", e->name, (int)e->ts, o->name);
    }
  }
}

static const event_t_ *span_at(const events_t *v, const event_t_ *f) {
  for (uint32_t i = 0; i < v->count; i++) {
    const event_t_ *e = &v->at[i];
    if (e->phase == 'X' && same_track(e, f) && e->ts <= f->ts && f->ts < e->ts + e->dur) return e;
  }
  return NULL;
}

static void check_flows(const events_t *v) {
  const event_t_ *last = NULL;
  for (uint32_t i = 0; i < v->count; i++) {
    const event_t_ *e = &v->at[i];
    if (!strchr("stf", e->phase)) continue;
    bool begins = !last || last->phase == 'f';
    assert_int_equal(begins, e->phase == 's');
    if (!begins) {
      assert_int_equal(e->id, last->id);
      assert_true(e->ts >= last->ts);
    }
    if (!span_at(v, e)) fail_msg("flow %d at %d is in no span", (int)e->id, (int)e->ts);
    last = e;
  }
  assert_true(!last || last->phase == 'f');
}

static void check_names(const events_t *v) {
  for (uint32_t i = 0; i < v->count; i++) {
    uint32_t names = 0, processes = 0;
    if (v->at[i].phase != 'X') continue;
    for (uint32_t k = 0; k < v->count; k++) {
      const event_t_ *m = &v->at[k];
      if (m->phase != 'M' || m->pid != v->at[i].pid) continue;
      names += strcmp(m->name, "thread_name") == 0 && m->tid == v->at[i].tid;
      processes += strcmp(m->name, "process_name") == 0;
    }
    assert_int_equal(names, 1);
    assert_int_equal(processes, 1);
  }
}

static void check_format(const events_t *v) {
  check_nesting(v);
  check_flows(v);
  check_names(v);
}

/* ---- runs ---- */

static gpu_t *with_timeline(const gpu_spec_t *spec, const char *text, uint64_t begin, uint64_t end,
                            uint32_t spans) {
  source_t *s = generator(text);
  gpu_t *g = machine(spec, &s, 1);
  err_t e = {0};
  assert_int_equal(gpu_timeline(g, &(timeline_window_t){begin, end, spans}, &e), GMMU_OK);
  finish(g);
  s->ops->free(s);
  return g;
}

static uint32_t count_named(const events_t *v, const char *cat, const char *name) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < v->count; i++)
    n += v->at[i].phase == 'X' && !strcmp(v->at[i].cat, cat) && !strcmp(v->at[i].name, name);
  return n;
}

static uint64_t cycles_named(const events_t *v, const char *cat, const char *name) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < v->count; i++)
    if (v->at[i].phase == 'X' && !strcmp(v->at[i].cat, cat) && !strcmp(v->at[i].name, name))
      n += v->at[i].dur;
  return n;
}

#define SMALL "gather:footprint=256K,blocks=2,warps=1,steps=2"

static void timelines_obey_the_format_whatever_the_machine(void **state) {
  (void)state;
  static const char *const settings[] = {
      "",
      "gpu.sms=2 walk.pwc=true dram.closed_row=true",
      "gpu.sms=2 tlb.peer=neidty l1tlb.entries=4",
      "tlb.levels=3 l1tlb.group=0 gpu.sms=2 walk.threads=1",
      "walk.fixed=60",
      "tlb.ideal=true",
      "tlb.levels=0",
      "l2.policy=walk-bypass run.epoch=300 l2bypass.sample=8 l2bypass.min_looks=5",
      "dram.trefi=400 dram.trfc=100 dram.clock_mhz=3000",
      "gpu.sms=2 mem.paging=demand link.fault=50 link.bandwidth=1000000",
      "tlb.ideal=true mem.paging=demand link.fault=50 link.bandwidth=1000000",
      "noc.write_ack=true l1d.mshrs=2 l2.mshrs=2",
  };
  static const char *const workload[] = {SMALL, "tiled2d:footprint=256K,blocks=1,warps=2,steps=2",
                                         "stream:footprint=64K,blocks=2,warps=2,steps=3"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    gpu_spec_t spec = lab_spec();
    char copy[128];
    snprintf(copy, sizeof copy, "%s", settings[i]);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
      char *value = strchr(w, '=');
      *value = 0;
      set(&spec, w, value + 1);
    }
    gpu_t *g = with_timeline(&spec, workload[i % 3], 40, 500, 100000);
    events_t v = parse(timeline_text(g));
    assert_true(v.count > 50);
    check_format(&v);
    events_free(&v);
    gpu_free(g);
  }
}

static void check_whole_run(const char *workload) {
  gpu_spec_t spec = lab_spec();
  gpu_t *g = with_timeline(&spec, workload, 0, 1000000, 100000);
  events_t v = parse(timeline_text(g));
  dram_stats_t data = dram_total(g, 0, DRAM_DATA), walk = dram_total(g, 0, DRAM_WALK);
  const sm_stats_t *sm = &g->cores.stats[0];
  const walk_stats_t *w = &g->walker.stats[0];
  check_format(&v);
  assert_int_equal(gpu_timeline_cut(g), UINT64_MAX);
  assert_int_equal(cycles_named(&v, "warp", "issue"), sm->warp_instructions);
  assert_int_equal(cycles_named(&v, "warp", "barrier"), sm->stall[STALL_BARRIER]);
  assert_int_equal(count_named(&v, "line", "load") + count_named(&v, "line", "store") +
                       count_named(&v, "line", "atomic"),
                   sm->lines);
  assert_int_equal(count_named(&v, "tlb", "hit"), g->tlb.level[0].stats[0].hits);
  assert_int_equal(count_named(&v, "tlb", "miss"), g->tlb.level[0].stats[0].misses);
  assert_int_equal(count_named(&v, "tlb", "translation"), g->tlb.level[1].stats[0].lookups);
  assert_int_equal(count_named(&v, "walk", "walk"), w->walks);
  assert_int_equal(cycles_named(&v, "walk", "walk"), w->latency.sum);
  assert_int_equal(count_named(&v, "walk", "level 1"), w->level_reads[0]);
  assert_int_equal(count_named(&v, "dram", "read"), data.reads + walk.reads);
  assert_int_equal(count_named(&v, "dram", "write"), data.writes);
  events_free(&v);
  gpu_free(g);
}

static void a_whole_run_shows_every_instruction_look_up_walk_and_command(void **state) {
  (void)state;
  check_whole_run(SMALL);
  check_whole_run("tiled2d:footprint=256K,blocks=1,warps=3,steps=2");
}

/* One load on an empty machine: where it is, in the order of architecture.md. */
static void one_request_is_followed_through_the_machine(void **state) {
  (void)state;
  static const script_op_t op[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  static const program_t program = PROGRAM(op);
  static const char *const way[] = {"issue", "load", "miss", "translation", "walk", "miss",
                                    "read",  "miss", "read", "miss",        "read", "miss",
                                    "read",  "miss", "read", "back"};
  script_t *s = script_new(
      &(script_spec_t){
          .program = &program, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = 1 * MB},
      8);
  gpu_spec_t spec = lab_spec();
  set(&spec, "map.kind", "frame"); /* entries of the table are in rows of their own */
  source_t *src = script_source(s);
  gpu_t *g = machine(&spec, &src, 1);
  err_t e = {0};
  assert_int_equal(gpu_timeline(g, &(timeline_window_t){0, 100000, 5000}, &e), GMMU_OK);
  finish(g);
  events_t v = parse(timeline_text(g));
  uint32_t step = 0;
  check_format(&v);
  for (uint32_t i = 0; i < v.count; i++) {
    const event_t_ *f = &v.at[i];
    const char *in = NULL;
    if (!strchr("stf", f->phase)) continue;
    for (uint32_t k = 0; k < v.count;
         k++) { /* the innermost comes last; of the line, at first, itself */
      const event_t_ *x = &v.at[k];
      if (x->phase == 'X' && same_track(x, f) && x->ts <= f->ts && f->ts < x->ts + x->dur)
        if (!in || f->phase == 'f') in = x->name;
    }
    assert_true(step < sizeof way / sizeof *way);
    assert_string_equal(in, way[step++]);
  }
  assert_int_equal(step, sizeof way / sizeof *way);
  events_free(&v);
  gpu_free(g);
  script_free(s);
}

static void the_parts_of_a_line_fill_it(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  gpu_t *g = with_timeline(&spec, SMALL, 0, 1000000, 100000);
  uint64_t sum = 0, end = 0;
  bool any = false;
  for (uint32_t i = 0; i < g->timeline.count; i++) {
    const span_t *x = &g->timeline.span[i];
    if (x->kind >= SPAN_LOAD && x->kind <= SPAN_ATOMIC) {
      sum = x->begin;
      end = x->end;
    } else if (x->kind >= SPAN_IN_LSU && x->kind <= SPAN_IN_BACK) {
      assert_int_equal(x->begin, sum);
      sum = x->end;
      any = true;
      bool last = i + 1 == g->timeline.count || g->timeline.span[i + 1].kind < SPAN_IN_LSU ||
                  g->timeline.span[i + 1].kind > SPAN_IN_BACK;
      if (last) assert_int_equal(sum, end);
    }
  }
  assert_true(any);
  gpu_free(g);
}

static void the_window_bounds_what_is_seen(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  gpu_t *g = with_timeline(&spec, SMALL, 200, 300, 100000);
  events_t v = parse(timeline_text(g));
  uint32_t commands = 0;
  check_format(&v);
  for (uint32_t i = 0; i < v.count; i++) {
    const event_t_ *e = &v.at[i];
    if (e->phase != 'X') continue;
    bool warp = !strcmp(e->cat, "warp"), dram = !strcmp(e->cat, "dram");
    assert_true(e->ts < 300);
    if (warp || dram) assert_true(e->ts >= 200);
    if (warp) assert_true(e->ts + e->dur <= 300);
    commands += dram;
  }
  assert_true(commands > 0);
  events_free(&v);
  gpu_free(g);
}

static void a_full_timeline_ends_early_and_says_so(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  gpu_t *g = with_timeline(&spec, SMALL, 0, 1000000, 1000);
  uint64_t cut = gpu_timeline_cut(g);
  assert_true(cut > 0 && cut < g->ev.now);
  assert_true(g->timeline.count <= 1000 + 4 * g->spec.sm.warps);
  assert_false(g->timeline.on);
  char *text = timeline_text(g);
  assert_non_null(strstr(text, "\"cut\": true"));
  assert_int_equal(number(text, "otherData.window_end"), cut);
  events_t v = parse(text);
  check_format(&v);
  for (uint32_t i = 0; i < v.count; i++)
    if (v.at[i].phase == 'X') assert_true(v.at[i].ts < cut);
  events_free(&v);
  gpu_free(g);
}

static void a_run_with_a_timeline_is_the_same_run(void **state) {
  (void)state;
  static const uint64_t window[][2] = {
      {0, 1000000}, {0, 1}, {333, 334}, {150, 700}, {900000, 900001}};
  gpu_spec_t spec = lab_spec();
  set(&spec, "gpu.sms", "2");
  set(&spec, "run.series", "100");
  gpu_t *plain = run_generator(&spec, SMALL);
  char *want = stats_text(plain);
  for (size_t i = 0; i < sizeof window / sizeof *window; i++) {
    gpu_t *g = with_timeline(&spec, SMALL, window[i][0], window[i][1], 2000);
    char *got = stats_text(g);
    assert_string_equal(got, want);
    free(got);
    gpu_free(g);
  }
  free(want);
  gpu_free(plain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(timelines_obey_the_format_whatever_the_machine),
      cmocka_unit_test(a_whole_run_shows_every_instruction_look_up_walk_and_command),
      cmocka_unit_test(one_request_is_followed_through_the_machine),
      cmocka_unit_test(the_parts_of_a_line_fill_it),
      cmocka_unit_test(the_window_bounds_what_is_seen),
      cmocka_unit_test(a_full_timeline_ends_early_and_says_so),
      cmocka_unit_test(a_run_with_a_timeline_is_the_same_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
