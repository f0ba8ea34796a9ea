/* The timeline as JSON in the format of Chrome's tracing, which Perfetto reads: complete events
 * ("X") for spans, flow events ("s", "t", "f") for the way of one line, names for what is drawn.
 * One microsecond of the format is one core cycle.
 *
 * A process is an SM, the TLBs of a level, the walker, the L2 cache or a DRAM channel. Spans of one
 * track ("thread") lie inside or behind each other: warps, walker threads and banks do so by
 * nature; where several things are under way at once, each span has the first free track of its
 * unit. Invariant: order[] has the spans that are no parts, track by track, by time. */
#include "base/json.h"
#include "observe/attribution.h"
#include "observe/timeline.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TRACKS 65536u /* of one unit; more than lines can be under way */

typedef struct {
  const timeline_t *t;
  strbuf_t *out;
  span_t *all; /* those before the cut, and DRAM commands as spans */
  uint32_t count;
  const span_t **order;
  uint32_t ordered;
  uint32_t *track;   /* [span]: of its unit */
  uint64_t *free_at; /* [track]: while tracks are given */
  bool any;          /* an event stands before the next one */
  strbuf_t name;     /* scratch: of an array or a line */
} writer_t;

static const char *const kind_name[] = {
#define X(n, s, p) s,
    SPAN_KINDS(X)
#undef X
};
static const uint8_t kind_place[] = {
#define X(n, s, p) p,
    SPAN_KINDS(X)
#undef X
};
static const char *const place_name[] = {"warp", "line", "tlb", "walk", "l2", "dram", "part"};

static place_kind_t place(const span_t *s) { return (place_kind_t)kind_place[s->kind]; }

/* ---- tracks ---- */

static uint32_t pid(const span_t *s) {
  switch (place(s)) {
  case PLACE_TLB: return 301u + s->index;
  case PLACE_WALK: return 311;
  case PLACE_L2: return 321;
  case PLACE_DRAM: return 401u + s->unit;
  default: return 1u + s->unit; /* SMs: at most 256 */
  }
}

static uint32_t tid(const span_t *s, uint32_t track) {
  switch (place(s)) {
  case PLACE_WARP:
  case PLACE_DRAM: return 1u + s->index;
  case PLACE_LINE: return 1001u + track;
  case PLACE_WALK: return 1u + s->unit;
  default: return 1u + s->unit * TRACKS + track;
  }
}

/* Spans of one unit share tracks; those of warps and banks have a track of their own. */
static bool same_unit(const span_t *a, const span_t *b) {
  return place(a) == place(b) && a->unit == b->unit &&
         (place(a) == PLACE_LINE || a->index == b->index || place(a) == PLACE_L2);
}

/* ---- order ---- */

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* By track, then time, then what makes it the same on every machine. */
static int by_track(const void *x, const void *y) {
  const span_t *a = *(const span_t *const *)x, *b = *(const span_t *const *)y;
  int c = compare_u64(pid(a), pid(b));
  bool indexed = place(a) != PLACE_LINE && place(a) != PLACE_L2;
  if (!c) c = compare_u64(place(a), place(b));
  if (!c) c = compare_u64(a->unit, b->unit);
  if (!c && indexed) c = compare_u64(a->index, b->index);
  if (!c) c = compare_u64(a->begin, b->begin);
  if (!c) c = compare_u64(b->end, a->end);
  if (!c) c = compare_u64(a->kind, b->kind);
  if (!c) c = compare_u64(a->flow, b->flow);
  if (!c) c = compare_u64(a->value, b->value);
  return c ? c : a < b ? -1 : a > b; /* of one array: as they were noted */
}

static int by_request(const void *x, const void *y) {
  const span_t *a = *(const span_t *const *)x, *b = *(const span_t *const *)y;
  int c = compare_u64(a->request, b->request);
  if (!c) c = compare_u64(a->begin, b->begin);
  return c ? c : a < b ? -1 : a > b; /* of one array: as they were noted */
}

static uint32_t track_of(const writer_t *w, const span_t *s) { return w->track[s - w->all]; }

/* The first track that is free when the span begins. */
static uint32_t take_track(writer_t *w, const span_t *s, uint32_t *tracks) {
  uint32_t i = 0;
  while (i < *tracks && w->free_at[i] > s->begin) i++;
  if (i == *tracks) ++*tracks;
  w->free_at[i] = s->end > s->begin ? s->end : s->begin + 1;
  return i;
}

static void give_tracks(writer_t *w) {
  uint32_t tracks = 0;
  for (uint32_t i = 0; i < w->ordered; i++) {
    const span_t *s = w->order[i];
    if (i && !same_unit(s, w->order[i - 1])) tracks = 0;
    place_kind_t p = place(s);
    if (p == PLACE_LINE || p == PLACE_TLB || p == PLACE_L2)
      w->track[s - w->all] = take_track(w, s, &tracks);
  }
}

/* A command lasts until the next of its bank, at most. */
static void cut_commands(writer_t *w) {
  for (uint32_t i = 0; i + 1 < w->ordered; i++) {
    span_t *s = &w->all[w->order[i] - w->all];
    const span_t *next = w->order[i + 1];
    if (place(s) == PLACE_DRAM && same_unit(s, next) && s->end > next->begin) s->end = next->begin;
  }
}

/* ---- DRAM commands ---- */

static uint64_t core_cycle(const writer_t *w, uint64_t edge) {
  return edge ? clock_core(&w->t->clock, edge) : 0;
}

static span_kind_t command_kind(uint8_t cmd) {
  switch (cmd) {
  case DRAM_CMD_ACT: return SPAN_DRAM_ACT;
  case DRAM_CMD_READ: return SPAN_DRAM_READ;
  case DRAM_CMD_WRITE: return SPAN_DRAM_WRITE;
  case DRAM_CMD_REFRESH: return SPAN_DRAM_REFRESH;
  default: return SPAN_DRAM_PRE;
  }
}

/* Command cycles that it keeps its bank, or the data bus, busy. */
static uint32_t command_cycles(const dram_spec_t *d, const dram_cmd_t *c) {
  switch (command_kind(c->cmd)) {
  case SPAN_DRAM_ACT: return d->trcd;
  case SPAN_DRAM_REFRESH: return d->trfc;
  case SPAN_DRAM_PRE: return d->trp;
  default: return c->bursts * ((d->burst_length + d->data_rate - 1) / d->data_rate);
  }
}

/* The last look-up of request `id` in L2 that was before the command: it asked for the data. */
static const span_t *asked_by(const span_t *const *l2, uint32_t n, uint32_t id, uint64_t at) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    const span_t *s = l2[mid];
    if (s->request < id || (s->request == id && s->begin <= at))
      low = mid + 1;
    else
      high = mid;
  }
  return low && l2[low - 1]->request == id ? l2[low - 1] : NULL;
}

static void add_command(writer_t *w, uint32_t channel, const dram_cmd_t *c, const span_t *const *l2,
                        uint32_t n) {
  const dram_spec_t *d = &timeline_spec(w->t)->dram;
  uint64_t begin = core_cycle(w, c->t), end = core_cycle(w, c->t + command_cycles(d, c));
  bool all_banks = c->cmd == DRAM_CMD_PRE_ALL || c->cmd == DRAM_CMD_REFRESH;
  if (begin < w->t->window.begin || begin >= w->t->window.end || begin >= w->t->cut_at) return;
  span_t s = {.kind = (uint8_t)command_kind(c->cmd),
              .begin = begin,
              .end = end,
              .value = all_banks ? 0 : c->row,
              .unit = (uint16_t)channel,
              .index = all_banks ? (uint8_t)d->banks : c->bank};
  const span_t *by = s.kind == SPAN_DRAM_READ ? asked_by(l2, n, c->id, begin) : NULL;
  if (by) s.flow = by->flow, s.app = by->app, s.origin = by->origin;
  w->all[w->count++] = s;
}

/* An automatic precharge follows its column command in the log, and is shown with it only: of
 * commands before the window it depends on when they were decided whether they are in the log. */
static bool is_whole(const writer_t *w, const dram_log_t *l, uint32_t i) {
  if (l->cmd[i].cmd != DRAM_CMD_AUTO_PRE) return true;
  return i && core_cycle(w, l->cmd[i - 1].t) >= w->t->window.begin;
}

static void add_commands(writer_t *w) {
  const span_t **l2 = w->order; /* there is nothing in it yet */
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->count; i++)
    if (place(&w->all[i]) == PLACE_L2) l2[n++] = &w->all[i];
  qsort(l2, n, sizeof *l2, by_request);
  for (uint32_t c = 0; c < timeline_dram(w->t)->channels; c++) {
    const dram_log_t *l = &w->t->log[c];
    for (uint32_t i = 0; i < l->count && i < l->capacity; i++)
      if (is_whole(w, l, i)) add_command(w, c, &l->cmd[i], l2, n);
  }
}

/* ---- events ---- */

static void next_event(writer_t *w) {
  strbuf_str(w->out, w->any ? ",\n" : "\n");
  w->any = true;
}

static void open_event(writer_t *w, const char *name, const char *cat, char phase, uint32_t p,
                       uint32_t t) {
  next_event(w);
  strbuf_printf(w->out, "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", name,
                cat, phase, p, t);
}

static void track_name(writer_t *w, const span_t *s, uint32_t track) {
  static const char *const unit[] = {"warp", "lines", "TLB", "thread", "slice", "bank"};
  uint32_t number = place(s) == PLACE_WARP || place(s) == PLACE_DRAM ? s->index : s->unit;
  strbuf_printf(
      w->out,
      ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", pid(s),
      tid(s, track));
  if (place(s) == PLACE_DRAM && s->index == timeline_spec(w->t)->dram.banks)
    strbuf_str(w->out, "\"all banks");
  else if (place(s) == PLACE_LINE)
    strbuf_str(w->out, "\"lines");
  else
    strbuf_printf(w->out, "\"%s %u", unit[place(s)], number);
  if (track) strbuf_printf(w->out, " (%u)", track + 1);
  strbuf_str(w->out, "\"}}");
}

static void process_name(writer_t *w, const span_t *s) {
  uint32_t p = pid(s);
  next_event(w);
  strbuf_printf(w->out,
                "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":%u,\"tid\":0,"
                "\"args\":{\"sort_index\":%u}}",
                p, p);
  strbuf_printf(
      w->out,
      ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":"
      "\"",
      p);
  switch (place(s)) {
  case PLACE_TLB: strbuf_printf(w->out, "level %u TLBs", s->index + 1u); break;
  case PLACE_WALK: strbuf_str(w->out, "page-table walker"); break;
  case PLACE_L2: strbuf_str(w->out, "L2 cache"); break;
  case PLACE_DRAM: strbuf_printf(w->out, "DRAM channel %u", s->unit); break;
  default: strbuf_printf(w->out, "SM %u", s->unit); break;
  }
  strbuf_str(w->out, "\"}}");
}

static void times(writer_t *w, const span_t *s) {
  strbuf_printf(w->out, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64, s->begin, s->end - s->begin);
}

/* As a string of JSON, on the event's line. */
static void name_argument(writer_t *w, const char *key) {
  json_t j;
  json_init(&j);
  json_str(&j, strbuf_text(&w->name));
  strbuf_printf(w->out, ",\"%s\":", key);
  strbuf_add(w->out, strbuf_text(&j.out), strcspn(strbuf_text(&j.out), "\n"));
  w->out->failed |= j.out.failed || w->name.failed;
  json_fini(&j);
}

/* Who asked, as far as attribution knows. */
static void origin_arguments(writer_t *w, const span_t *s) {
  const attribution_t *a = timeline_attribution(w->t);
  if (s->origin.array)
    attribution_name_array(a, s->app, s->origin, &w->name), name_argument(w, "array");
  if (!s->origin.site) return;
  attribution_name_kernel(a, s->app, s->origin, &w->name), name_argument(w, "kernel");
  attribution_name_line(a, s->app, s->origin, &w->name), name_argument(w, "line");
}

static void arguments(writer_t *w, const span_t *s) {
  bool address = place(s) != PLACE_WARP && place(s) != PLACE_DRAM && s->value;
  strbuf_printf(w->out, ",\"args\":{\"app\":%u", s->app);
  if (place(s) == PLACE_LINE) strbuf_printf(w->out, ",\"warp\":%u", s->index);
  if (place(s) == PLACE_L2 && s->index) strbuf_printf(w->out, ",\"walk_level\":%u", s->index);
  if (address) strbuf_printf(w->out, ",\"address\":\"0x%" PRIx64 "\"", s->value);
  if (place(s) == PLACE_DRAM) strbuf_printf(w->out, ",\"row\":%" PRIu64, s->value);
  origin_arguments(w, s);
  strbuf_str(w->out, "}}");
}

static void part_event(writer_t *w, const span_t *of, uint32_t track, const span_t *s) {
  char name[16];
  bool read = s->kind == SPAN_WALK_READ;
  snprintf(name, sizeof name, "level %u", s->index);
  open_event(w, read ? name : kind_name[s->kind], place_name[place(of)], 'X', pid(of),
             tid(of, track));
  times(w, s);
  if (read) strbuf_printf(w->out, ",\"args\":{\"dram_cycles\":%" PRIu64 "}", s->value);
  strbuf_str(w->out, "}");
}

/* A span and its parts; before the first of a track or a process, its name. */
static void span_event(writer_t *w, uint32_t i, bool named) {
  const span_t *s = w->order[i], *before = i ? w->order[i - 1] : NULL;
  uint32_t track = track_of(w, s);
  if (!before || pid(before) != pid(s)) process_name(w, s);
  if (!named) track_name(w, s, track);
  open_event(w, kind_name[s->kind], place_name[place(s)], 'X', pid(s), tid(s, track));
  times(w, s);
  arguments(w, s);
  for (const span_t *p = s + 1; p < w->all + w->count && place(p) == PLACE_PART; p++)
    part_event(w, s, track, p);
}

/* Tracks of a unit come up in order, so one is new if it is higher than all before. */
static void span_events(writer_t *w) {
  uint32_t tracks = 0;
  for (uint32_t i = 0; i < w->ordered; i++) {
    const span_t *s = w->order[i];
    if (!i || !same_unit(s, w->order[i - 1])) tracks = 0;
    bool named = track_of(w, s) < tracks;
    if (!named) tracks = track_of(w, s) + 1;
    span_event(w, i, named);
  }
}

/* ---- flows ---- */

typedef struct {
  uint64_t ts;
  uint32_t flow, pid, tid;
  uint32_t rank; /* of steps at the same time: in the order of the machine */
} step_t;

typedef struct {
  step_t *at;
  uint32_t count;
} steps_t;

static int by_flow(const void *x, const void *y) {
  const step_t *a = x, *b = y;
  int c = compare_u64(a->flow, b->flow);
  if (!c) c = compare_u64(a->ts, b->ts);
  if (!c) c = compare_u64(a->rank, b->rank);
  return c ? c : compare_u64(a->tid, b->tid);
}

/* A line's way begins where the warp issued, and ends in the line's last cycle. */
static void line_steps(const writer_t *w, const span_t *s, uint32_t track, steps_t *out) {
  uint32_t p = pid(s), t = tid(s, track);
  if (s->begin >= w->t->window.begin)
    out->at[out->count++] = (step_t){s->begin, s->flow, p, 1u + s->index, 0};
  out->at[out->count++] = (step_t){s->begin, s->flow, p, t, 1};
  out->at[out->count++] = (step_t){s->end - 1, s->flow, p, t, 10};
}

static void collect_steps(const writer_t *w, steps_t *out) {
  for (uint32_t i = 0; i < w->ordered; i++) {
    const span_t *s = w->order[i];
    uint32_t track = track_of(w, s);
    if (!s->flow || s->end == s->begin) continue;
    if (place(s) == PLACE_LINE)
      line_steps(w, s, track, out);
    else
      out->at[out->count++] = (step_t){s->begin, s->flow, pid(s), tid(s, track), 2u + place(s)};
  }
  qsort(out->at, out->count, sizeof *out->at, by_flow);
}

static void flow_events(writer_t *w, const steps_t *steps) {
  for (uint32_t i = 0; i < steps->count; i++) {
    const step_t *s = &steps->at[i];
    bool first = !i || steps->at[i - 1].flow != s->flow;
    bool last = i + 1 == steps->count || steps->at[i + 1].flow != s->flow;
    if (first && last) continue;
    open_event(w, "request", "flow", first ? 's' : last ? 'f' : 't', s->pid, s->tid);
    strbuf_printf(w->out, ",\"id\":%u,\"ts\":%" PRIu64 ",\"bp\":\"e\"}", s->flow, s->ts);
  }
}

/* ---- the document ---- */

static void head(writer_t *w) {
  const timeline_t *t = w->t;
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  json_key(&j, "time"), json_str(&j, "1 us is 1 core cycle");
  json_key(&j, "core_clock_mhz"), json_u64(&j, timeline_spec(w->t)->core.clock_mhz);
  json_key(&j, "window_begin"), json_u64(&j, t->window.begin);
  json_key(&j, "window_end"), json_u64(&j, t->cut_at < t->window.end ? t->cut_at : t->window.end);
  json_key(&j, "cut"), json_bool(&j, t->cut_at < t->window.end);
  json_key(&j, "apps");
  json_begin_array(&j);
  for (uint32_t a = 0; a < timeline_share(w->t)->apps; a++)
    json_str(&j, timeline_share(w->t)->app[a].name);
  json_end_array(&j);
  json_end_object(&j);
  strbuf_str(w->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":");
  strbuf_add(w->out, strbuf_text(&j.out), j.out.size);
  strbuf_str(w->out, ",\"traceEvents\":[");
  w->out->failed |= j.out.failed;
  json_fini(&j);
}

/* Spans that began before the cut; parts go with theirs. */
static void copy_spans(writer_t *w) {
  bool keep = false;
  for (uint32_t i = 0; i < w->t->count; i++) {
    const span_t *s = &w->t->span[i];
    if (place(s) != PLACE_PART) keep = s->begin < w->t->cut_at;
    if (keep) w->all[w->count++] = *s;
  }
}

static void put_in_order(writer_t *w) {
  for (uint32_t i = 0; i < w->count; i++)
    if (place(&w->all[i]) != PLACE_PART) w->order[w->ordered++] = &w->all[i];
  qsort(w->order, w->ordered, sizeof *w->order, by_track);
}

static size_t most_spans(const timeline_t *t) {
  size_t n = t->count;
  for (uint32_t c = 0; c < timeline_dram(t)->channels; c++) {
    const dram_log_t *l = &t->log[c];
    n += l->count < l->capacity ? l->count : l->capacity;
  }
  return n + 1;
}

static void write_all(writer_t *w, steps_t *steps) {
  copy_spans(w);
  add_commands(w);
  put_in_order(w);
  cut_commands(w);
  give_tracks(w);
  head(w);
  span_events(w);
  collect_steps(w, steps);
  flow_events(w, steps);
  strbuf_str(w->out, "\n]}\n");
}

int timeline_json(const timeline_t *t, strbuf_t *out, err_t *e) {
  size_t n = most_spans(t);
  writer_t w = {.t = t, .out = out};
  steps_t steps = {.at = malloc(3 * n * sizeof *steps.at)};
  w.all = malloc(n * sizeof *w.all);
  w.order = malloc(n * sizeof *w.order);
  w.track = calloc(n, sizeof *w.track);
  w.free_at = malloc(n * sizeof *w.free_at);
  bool ok = w.all && w.order && w.track && w.free_at && steps.at;
  strbuf_init(&w.name);
  if (ok) write_all(&w, &steps);
  strbuf_fini(&w.name);
  free(steps.at);
  free(w.all);
  free(w.order);
  free(w.track);
  free(w.free_at);
  return ok && !out->failed ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for the timeline");
}
