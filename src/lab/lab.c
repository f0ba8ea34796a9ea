/* Results that were asked for live in `known`, an open-addressed table by key that only grows, of
 * entries that stay where they are; `missing` lists the runs of this pass that are not there.
 * Invariant: a key has at most one entry, and is in `missing` exactly if that entry is pending and
 * of this pass. */
#include "lab/lab.h"
#include "base/json_find.h"
#include "lab/lab_own.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

int lab_open(const char *store, store_mode_t mode, uint32_t parallel, lab_t **out, err_t *e) {
  char path[PATH_MAX];
  lab_t *l = calloc(1, sizeof *l);
  *out = NULL;
  if (!l) return err_set(e, GMMU_ENOMEM, "out of memory");
  l->parallel = parallel;
  int rc = store ? GMMU_OK : store_default_path(path, sizeof path, e);
  if (rc == 0) snprintf(l->path, sizeof l->path, "%s", store ? store : path);
  if (rc == 0) rc = store_open(l->path, mode, &l->store, e);
  if (rc == 0 && mode == STORE_WRITE) l->claims = claims_open(l->path);
  if (rc < 0)
    lab_close(l);
  else
    *out = l;
  return rc;
}

int lab_open_worker(lab_t **out, err_t *e) {
  *out = calloc(1, sizeof **out);
  return *out ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory");
}

void lab_set_retry(lab_t *l, lab_retry_t retry) { l->retry = retry; }
void lab_set_brief(lab_t *l, bool brief) { l->brief = brief; }
const char *lab_store_path(const lab_t *l) { return l->path; }
const store_t *lab_store(const lab_t *l) { return l ? l->store : NULL; }

void lab_set_execute(lab_t *l, lab_execute_fn execute, void *ctx) {
  l->execute = execute;
  l->execute_ctx = ctx;
}

void lab_set_rewrite(lab_t *l, lab_rewrite_fn rewrite, void *ctx) {
  l->rewrite = rewrite;
  l->rewrite_ctx = ctx;
}

bool lab_as_is(lab_t *l, bool as_is) {
  bool was = l->as_is;
  l->as_is = as_is;
  return was;
}

void lab_begin(lab_t *l) {
  for (uint32_t i = 0; i < l->missing_count; i++) {
    free(l->missing[i]->identity);
    free(l->missing[i]);
  }
  l->missing_count = 0;
  l->pass++;
}

void lab_close(lab_t *l) {
  if (!l) return;
  lab_begin(l);
  for (uint32_t i = 0; i < l->room; i++) {
    if (l->known[i]) free(l->known[i]->text);
    free(l->known[i]);
  }
  store_close(l->store);
  claims_close(l->claims);
  free(l->known);
  free(l->memo);
  free(l->missing);
  free(l->machine);
  free(l);
}

const err_t *lab_error(const lab_t *l) { return l->error.code ? &l->error : NULL; }
uint32_t lab_missing(const lab_t *l) { return l->missing_count; }
uint32_t lab_executed(const lab_t *l) { return l->executed; }

uint32_t lab_found(const lab_t *l) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->room; i++)
    n += l->known[i] && !l->known[i]->pending && l->known[i]->pass == l->pass;
  return n;
}

/* ---- what is known --------------------------------------------------------------------------- */

static known_t **place_of(const lab_t *l, const char *key) {
  char head[9];
  snprintf(head, sizeof head, "%.8s", key);
  uint32_t mask = l->room - 1, i = (uint32_t)strtoul(head, NULL, 16);
  while (l->known[i & mask] && strcmp(l->known[i & mask]->key, key)) i++;
  return &l->known[i & mask];
}

static bool grow(lab_t *l) {
  known_t **old = l->known;
  uint32_t old_room = l->room, room = old_room ? 2 * old_room : 256;
  if (2 * l->count < old_room) return true;
  known_t **more = calloc(room, sizeof(known_t *));
  if (!more) return false;
  l->known = more, l->room = room;
  for (uint32_t i = 0; i < old_room; i++)
    if (old[i]) *place_of(l, old[i]->key) = old[i];
  free(old);
  return true;
}

/* The entry of a key, made if there is none; NULL when memory ran out. */
static known_t *entry_of(lab_t *l, const char *key) {
  known_t *k = l->room ? *place_of(l, key) : NULL;
  if (k) return k;
  k = calloc(1, sizeof *k);
  if (!k || !grow(l)) {
    free(k);
    err_set(&l->error, GMMU_ENOMEM, "out of memory for results");
    return NULL;
  }
  *k = (known_t){.pending = true};
  snprintf(k->key, sizeof k->key, "%s", key);
  *place_of(l, key) = k;
  l->count++;
  return k;
}

known_t *lab_learn(lab_t *l, const char *key, lab_status_t status, const char *text) {
  known_t *k = entry_of(l, key);
  char *copy = k ? strdup(text) : NULL;
  if (k && !copy) err_set(&l->error, GMMU_ENOMEM, "out of memory for results");
  if (!copy) return NULL;
  free(k->text);
  k->text = copy, k->pending = false;
  l->held_bytes += strlen(copy);
  k->result = (lab_result_t){status, copy, l, k->key};
  return k;
}

void lab_forget(lab_t *l) {
  if (l->held_bytes < LAB_HELD) return;
  l->held_bytes = 0;
  for (uint32_t i = 0; i < l->room; i++) {
    known_t *k = l->known[i];
    if (!k || k->pending || k->result.status != LAB_DONE) continue;
    free(k->text);
    k->text = NULL;
  }
}

/* Whether a failure in the store counts as one. */
static bool counts(const lab_t *l, store_status_t status) {
  if (status == STORE_LOST) return l->retry == LAB_RETRY_NONE;
  return status == STORE_DONE || (status == STORE_FAILED && l->retry != LAB_RETRY_ALL);
}

/* From memory or from the store; NULL if it is in neither. *again: only a failure that is to be
 * tried again. */
static known_t *look_up(lab_t *l, const char *key, bool *again) {
  store_status_t status;
  strbuf_t text;
  known_t *k = l->room ? *place_of(l, key) : NULL;
  *again = false;
  if (k && !k->pending && k->text) return k;
  strbuf_init(&text);
  int rc = store_get(l->store, key, &status, l->brief ? NULL : &text, &l->error);
  bool found = rc == 0 && counts(l, status);
  if (found && l->brief && status != STORE_DONE) /* its reason is asked for always */
    found = store_get(l->store, key, &status, &text, &l->error) == 0;
  *again = !found && rc == 0 && status != STORE_NONE;
  k = found ? lab_learn(l, key, status == STORE_DONE ? LAB_DONE : LAB_FAILED, strbuf_text(&text))
            : NULL;
  strbuf_fini(&text);
  return k;
}

/* Takes a copy of `text`, the identity. */
static int note_missing(lab_t *l, const lab_run_t *r, const char *key, const char *text,
                        bool again) {
  if (l->missing_count == l->missing_room) {
    uint32_t room = l->missing_room ? 2 * l->missing_room : 64;
    missing_t **more = realloc(l->missing, room * sizeof(missing_t *));
    if (!more) return err_set(&l->error, GMMU_ENOMEM, "out of memory");
    l->missing = more, l->missing_room = room;
  }
  missing_t *m = calloc(1, sizeof *m);
  char *identity = strdup(text);
  if (!m || !identity) {
    free(m), free(identity);
    return err_set(&l->error, GMMU_ENOMEM, "out of memory");
  }
  *m = (missing_t){.run = *r, .identity = identity, .again = again};
  snprintf(m->key, sizeof m->key, "%s", key);
  lab_describe(m);
  l->missing[l->missing_count++] = m;
  return store_price(l->store, m->label, m->workload, &m->price_ms, &l->error);
}

static const lab_result_t *absent(lab_t *l, const err_t *e) {
  l->absent_error = *e;
  l->absent = (lab_result_t){LAB_ABSENT, l->absent_error.text, l, NULL};
  return &l->absent;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static memo_t *memo_place(const lab_t *l, const char *text) {
  char head[9];
  snprintf(head, sizeof head, "%.8s", text);
  uint32_t mask = l->memo_room - 1, i = (uint32_t)strtoul(head, NULL, 16);
  while (l->memo[i & mask].text[0] && strcmp(l->memo[i & mask].text, text)) i++;
  return &l->memo[i & mask];
}

/* Without memory there is no memo, and all goes the long way. */
static void memo_add(lab_t *l, const char *text, const char *key) {
  if (2 * l->memo_count >= l->memo_room) {
    memo_t *old = l->memo;
    uint32_t old_room = l->memo_room, room = old_room ? 2 * old_room : 256;
    memo_t *more = calloc(room, sizeof *more);
    if (!more) return;
    l->memo = more, l->memo_room = room;
    for (uint32_t i = 0; i < old_room; i++)
      if (old[i].text[0]) *memo_place(l, old[i].text) = old[i];
    free(old);
  }
  memo_t *m = memo_place(l, text);
  l->memo_count += !m->text[0];
  memcpy(m->text, text, sizeof m->text);
  memcpy(m->key, key, sizeof m->key);
}

static void hash_of(const lab_run_t *r, char text[STORE_KEY_BYTES]) {
  strbuf_t s;
  err_t ignored = {0};
  strbuf_init(&s);
  lab_text_write(r, "", &s, &ignored);
  store_key(strbuf_text(&s), text);
  if (s.failed) text[0] = 0;
  strbuf_fini(&s);
}

/* What this pass has found or noted already. */
static bool is_answered(lab_t *l, const char *text, const lab_result_t **found) {
  memo_t *m = l->memo_room && text[0] ? memo_place(l, text) : NULL;
  known_t *k = m && m->text[0] && l->room ? *place_of(l, m->key) : NULL;
  *found = NULL;
  if (!k || (k->pending && k->pass != l->pass) || (!k->pending && !k->text)) return false;
  if (k->pending) return true;
  k->pass = l->pass;
  *found = &k->result;
  return true;
}

static const lab_result_t *find(lab_t *l, const lab_run_t *r, const char *identity,
                                const char *text) {
  char key[STORE_KEY_BYTES];
  bool again;
  store_key(identity, key);
  if (text[0]) memo_add(l, text, key);
  known_t *k = l->room ? *place_of(l, key) : NULL;
  if (k && k->pending && k->pass == l->pass) return NULL; /* it has been noted */
  k = look_up(l, key, &again);
  if (k) {
    k->pass = l->pass;
    return &k->result;
  }
  k = l->error.code ? NULL : entry_of(l, key);
  if (!k) return NULL;
  k->pending = true, k->pass = l->pass;
  note_missing(l, r, key, identity, again);
  return NULL;
}

const lab_result_t *lab_run(lab_t *l, const lab_run_t *run) {
  lab_run_t r = *run;
  char text[STORE_KEY_BYTES];
  json_t j;
  err_t e = {0};
  const lab_result_t *found;
  if (l->error.code) return NULL;
  if (l->rewrite && !l->as_is) l->rewrite(l->rewrite_ctx, &r);
  hash_of(&r, text);
  if (is_answered(l, text, &found)) return found;
  json_init(&j);
  found = lab_identify(l, &r, &j, &e) < 0 ? absent(l, &e) : find(l, &r, strbuf_text(&j.out), text);
  json_fini(&j);
  return found;
}

int lab_key(lab_t *l, const lab_run_t *run, char key[STORE_KEY_BYTES], err_t *e) {
  lab_run_t r = *run;
  json_t j;
  json_init(&j);
  int rc = lab_identify(l, &r, &j, e);
  if (rc == 0) store_key(strbuf_text(&j.out), key);
  json_fini(&j);
  return rc;
}

int lab_keep_sharing(lab_t *l, const lab_run_t *run, const char *json, err_t *e) {
  char key[STORE_KEY_BYTES];
  int rc = lab_key(l, run, key, e);
  return rc < 0 ? rc : store_put_sharing(l->store, key, json, e);
}

uint64_t lab_price_ms(const lab_t *l, uint32_t *unpriced) {
  uint64_t sum = 0;
  *unpriced = 0;
  for (uint32_t i = 0; i < l->missing_count; i++) {
    sum += l->missing[i]->price_ms;
    *unpriced += !l->missing[i]->price_ms;
  }
  return sum;
}

/* ---- reading --------------------------------------------------------------------------------- */

uint64_t lab_u64(const lab_result_t *r, const char *path) {
  uint64_t v = 0;
  if (!r || r->status != LAB_DONE || json_find_u64(r->text, path, &v)) return v;
  if (r->lab && !r->lab->error.code)
    err_set(&r->lab->error, GMMU_EFORMAT, "a result has no counter \"%s\"", path);
  return 0;
}

ipc_t lab_ipc(const lab_result_t *r, uint32_t app) {
  char path[64];
  ipc_t v;
  snprintf(path, sizeof path, "apps[%u].complete_instructions", app);
  v.instructions = lab_u64(r, path);
  snprintf(path, sizeof path, "apps[%u].complete_cycles", app);
  v.cycles = lab_u64(r, path);
  return v;
}

ipc_t lab_window_ipc(const lab_result_t *r, uint32_t app) {
  char path[64];
  snprintf(path, sizeof path, "apps[%u].sm.warp_instructions", app);
  return (ipc_t){lab_u64(r, path), lab_u64(r, "cycles")};
}
