/* The hash probe as a whole, and what it found, for people and for programs. */
#include "probe/hash.h"
#include "probe/asker.h"
#include "solver/report.h"

int hash_solve(device_t *d, const hash_options_t *o, hash_probe_t *out, err_t *e) {
  asker_t asker;
  oracle_t oracle = asker_oracle(&asker, d, o->seed);
  if (o->bytes && o->bytes < oracle.bytes) oracle.bytes = o->bytes;
  asker.progress = o->progress, asker.progress_ctx = o->ctx;
  *out = (hash_probe_t){0};
  int rc = solver_run(&oracle, o->seed, &out->found, e);
  out->questions = asker.questions;
  out->loads = asker.loads;
  return rc;
}

int hash_probe(device_t *d, const hash_options_t *o, hash_probe_t *out, err_t *e) {
  int rc = hash_solve(d, o, out, e);
  if (rc == 0 && writes_askable(&out->found)) {
    if (o->progress) o->progress(o->ctx, "write misses");
    rc = writes_probe(d, &out->found, o->seed, &out->writes, e);
  }
  if (rc == 0 && prefetch_askable(d, &out->found)) {
    if (o->progress) o->progress(o->ctx, "lines in a row");
    rc = prefetch_probe(d, &out->found, o->seed, &out->prefetch, e);
  }
  return rc;
}

/* ---- results ---- */

static void writes_text(const writes_t *w, strbuf_t *out) {
  if (!w->after_load) return;
  strbuf_printf(out, "write misses: a line that was loaded is gone after %u loads of its set, ",
                w->after_load);
  if (w->after_store)
    strbuf_printf(out, "one that was stored after %u\n", w->after_store);
  else
    strbuf_str(out, "one that was stored stays\n");
}

static void prefetch_text(const prefetch_t *p, strbuf_t *out) {
  if (!p->miss) return;
  if (p->came)
    strbuf_printf(out, "prefetch: after %u lines in a row %u of the next %u are there\n",
                  PREFETCH_TRAIN, p->came, PREFETCH_AHEAD);
  else
    strbuf_printf(out, "prefetch: none, after %u lines in a row the next one takes %u cycles\n",
                  PREFETCH_TRAIN, p->next[0]);
}

void hash_text(const device_info_t *d, const hash_probe_t *x, strbuf_t *out) {
  strbuf_printf(out, "%s: from the times of %llu questions, %llu loads\n\n", d->name,
                (unsigned long long)x->questions, (unsigned long long)x->loads);
  solver_text(&x->found, out);
  writes_text(&x->writes, out);
  prefetch_text(&x->prefetch, out);
  if (!d->contiguous)
    strbuf_str(out, "\nThe memory of this device need not be contiguous: what was found holds for "
                    "offsets in one buffer.\n");
}

static void number(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  if (v)
    json_u64(j, v);
  else
    json_null(j);
}

void hash_json(const device_info_t *d, const hash_probe_t *x, json_t *j) {
  const solver_report_t *r = &x->found;
  json_begin_object(j);
  json_key(j, "probe");
  json_begin_object(j);
  json_key(j, "device"), json_str(j, d->name);
  json_key(j, "contiguous"), json_bool(j, d->contiguous);
  json_key(j, "questions"), json_u64(j, x->questions);
  json_key(j, "loads"), json_u64(j, x->loads);
  json_key(j, "found"), solver_json(r, j);
  number(j, "usual_pair_cycles", r->usual_cycles);
  number(j, "conflict_pair_cycles", r->conflict_cycles);
  number(j, "row_cycles", r->row_cycles);
  json_key(j, "pairs"), json_u64(j, r->pairs);
  json_key(j, "chains"), json_u64(j, r->chains);
  number(j, "loaded_line_gone_after", x->writes.after_load);
  number(j, "stored_line_gone_after", x->writes.after_store);
  json_key(j, "prefetched_lines");
  if (x->prefetch.miss)
    json_u64(j, x->prefetch.came);
  else
    json_null(j);
  json_end_object(j);
  solver_json_settings(r, j);
  json_end_object(j);
}
