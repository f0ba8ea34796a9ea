/* Whether a store is what was written. SQLite keeps its own structures: pages, trees, indexes. What
 * is in a row it does not look at, so every row has a hash of all its columns, with their types.
 * Invariant: a row's hash is written in the transaction that writes the row, and only of a row that
 * was whole before. */
#include "base/foreign.h"
#include "lab/store_db.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- the hash -------------------------------------------------------------------------------- */

static void add_value(XXH3_state_t *h, sqlite3_value *v) {
  int type = sqlite3_value_type(v);
  const void *bytes = type == SQLITE_NULL   ? NULL
                      : type == SQLITE_BLOB ? sqlite3_value_blob(v)
                                            : (const void *)sqlite3_value_text(v);
  int size = bytes ? sqlite3_value_bytes(v) : 0;
  const unsigned char head[5] = {(unsigned char)type, (unsigned char)size,
                                 (unsigned char)(size >> 8), (unsigned char)(size >> 16),
                                 (unsigned char)(size >> 24)};
  XXH3_128bits_update(h, head, sizeof head);
  if (size) XXH3_128bits_update(h, bytes, (size_t)size);
}

static void row_hash(sqlite3_context *c, int count, sqlite3_value **v) {
  char text[STORE_KEY_BYTES];
  XXH3_state_t *h = XXH3_createState();
  if (!h) {
    sqlite3_result_error_nomem(c);
    return;
  }
  XXH3_128bits_reset(h);
  for (int i = 0; i < count; i++) add_value(h, v[i]);
  XXH128_hash_t x = XXH3_128bits_digest(h);
  XXH3_freeState(h);
  snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, (uint64_t)x.high64, (uint64_t)x.low64);
  sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

static void rows_unhashed(sqlite3_context *c, int count, sqlite3_value **v) {
  const store_t *s = sqlite3_user_data(c);
  (void)count, (void)v;
  sqlite3_result_int(c, s->version <= STORE_UNHASHED);
}

int whole_init(store_t *s, err_t *e) {
  const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
  int bad = sqlite3_create_function_v2(s->db, "row_hash", ROW_COLUMNS, flags | SQLITE_DETERMINISTIC,
                                       NULL, row_hash, NULL, NULL, NULL);
  if (!bad)
    bad = sqlite3_create_function_v2(s->db, "rows_unhashed", 0, flags, s, rows_unhashed, NULL, NULL,
                                     NULL);
  return bad ? store_fail(s, e) : GMMU_OK;
}

/* ---- what is damaged ------------------------------------------------------------------------- */

int whole_note(store_t *s, const char *key, const char *why, err_t *e) {
  store_damage_t d = {0};
  if (key)
    foreign_copy(d.key, sizeof d.key, key, strlen(key), ""); /* of a damaged row: any bytes */
  snprintf(d.why, sizeof d.why, "%s", why ? why : "");
  for (uint32_t i = 0; i < s->bad_count; i++)
    if (strcmp(s->bad[i].key, d.key) == 0 && strcmp(s->bad[i].why, d.why) == 0) return GMMU_OK;
  if (s->bad_count == s->bad_room) {
    uint32_t room = s->bad_room ? 2 * s->bad_room : 16;
    store_damage_t *more = realloc(s->bad, room * sizeof *more);
    if (!more) return err_set(e, GMMU_ENOMEM, "out of memory");
    s->bad = more, s->bad_room = room;
  }
  s->bad[s->bad_count++] = d;
  return GMMU_OK;
}

uint32_t store_damaged(const store_t *s, const store_damage_t **list) {
  *list = s->bad;
  return s->bad_count;
}

int whole_check(store_t *s, const char *check, bool *ok, char *said, size_t size, err_t *e) {
  char sql[64];
  snprintf(sql, sizeof sql, "PRAGMA %s(1)", check);
  sqlite3_stmt *q = store_prepare(s, sql, NULL, 0);
  int step = q ? sqlite3_step(q) : SQLITE_ERROR;
  const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
  int rc = step == SQLITE_ROW ? GMMU_OK : store_fail(s, e);
  *ok = text && strcmp(text, "ok") == 0;
  const char *line = text ? strrchr(text, '\n') : NULL; /* "*** in database main ***\n..." */
  snprintf(said, size, "%s", line ? line + 1 : text ? text : "");
  sqlite3_finalize(q);
  return rc;
}

int whole_scan(store_t *s, uint64_t *damaged, err_t *e) {
  char sql[2600];
  snprintf(sql, sizeof sql,
           "SELECT key, why FROM (SELECT key, " ROW_FAULT
           " AS why FROM (%s)) WHERE why IS NOT NULL",
           s->select);
  sqlite3_stmt *q = store_prepare(s, sql, NULL, 0);
  int rc = q ? GMMU_OK : store_fail(s, e), step;
  *damaged = 0;
  while (rc == 0 && (step = sqlite3_step(q)) != SQLITE_DONE) {
    ++*damaged;
    rc = step == SQLITE_ROW ? whole_note(s, (const char *)sqlite3_column_text(q, 0),
                                         (const char *)sqlite3_column_text(q, 1), e)
                            : store_fail(s, e);
  }
  sqlite3_finalize(q);
  return rc;
}
