/* Programs of the user's own as applications of studies: "-- ./program arguments", words with
 * blanks between. One is started once and recorded, as on maxwell, into the cache; the recording's
 * name has the hash of the program's bytes and of its words, so a program that has changed is
 * recorded again. */
#include "base/words.h"
#include "host/host.h"
#include "lab/front.h"
#include "lab/hash.h"
#include "lab/suite.h"
#include "trace/gmt.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define MARK "-- "

static bool knows(const char *text) { return strncmp(text, MARK, sizeof MARK - 1) == 0; }

/* Adds the words behind the mark. */
static int add_words(const char *text, words_t *w, err_t *e) {
  uint32_t before = w->count;
  for (text += sizeof MARK - 1; *(text += strspn(text, " "));) {
    size_t size = strcspn(text, " ");
    words_addf(w, "%.*s", (int)size, text);
    text += size;
  }
  if (w->failed) return err_set(e, GMMU_ENOMEM, "out of memory");
  return w->count > before ? GMMU_OK : err_set(e, GMMU_EINVAL, "no program behind \"--\"");
}

static int check(const char *text, err_t *e) {
  words_t w = {0};
  int rc = add_words(text, &w, e);
  if (rc == 0 && access(w.at[0], X_OK) != 0)
    rc = err_set(e, GMMU_ENOENT, "%.200s cannot be run", w.at[0]);
  if (rc == 0) rc = host_check_program(w.at[0], e);
  words_fini(&w);
  return rc;
}

static int recording(const char *text, char *path, size_t size, bool *cached, err_t *e) {
  char dir[PATH_MAX], version[24];
  uint64_t hash = 0;
  words_t w = {0};
  int rc = add_words(text, &w, e);
  /* hash_file() reads a number: the words are in it. */
  uint64_t words = XXH64(text, strlen(text), strtoull(lab_recorder_version, NULL, 10));
  snprintf(version, sizeof version, "%" PRIu64, words);
  if (rc == 0) rc = hash_file(w.at[0], version, &hash, e);
  if (rc == 0) rc = suite_cache_folder(dir, sizeof dir, e);
  if (rc == 0) {
    const char *slash = strrchr(w.at[0], '/');
    int n = snprintf(path, size, "%s/own-%.64s-%016" PRIx64 ".gmt", dir,
                     slash ? slash + 1 : w.at[0], hash);
    if (n < 0 || (size_t)n >= size) rc = err_set(e, GMMU_EINVAL, "%s: the path is too long", dir);
    *cached = rc == 0 && access(path, R_OK) == 0;
  }
  words_fini(&w);
  return rc;
}

static int record(const char *text, char *path, size_t size, err_t *e) {
  bool cached;
  words_t w = {0};
  int rc = recording(text, path, size, &cached, e);
  if (rc < 0 || cached) return rc;
  words_add(&w, "gmmu"), words_add(&w, "record"), words_add(&w, "-o"), words_add(&w, path);
  words_add(&w, "--");
  rc = add_words(text, &w, e);
  if (rc == 0) rc = suite_record_as(w.at, path, text, e);
  words_fini(&w);
  return rc;
}

static int open_recorded(const char *text, source_t **out, err_t *e) {
  char path[PATH_MAX];
  int rc = record(text, path, sizeof path, e);
  return rc < 0 ? rc : gmt_open(path, out, e);
}

static int identity(const char *text, char *out, size_t size, err_t *e) {
  return front_recording_identity(&front_own, text, out, size, e);
}

const front_t front_own = {.name = "program",
                           .help = "a program of your own: \"-- ./program arguments\"",
                           .recognises = knows,
                           .open = open_recorded,
                           .identity = identity,
                           .check = check,
                           .recording = recording,
                           .record = record,
                           .one_by_one = true};
