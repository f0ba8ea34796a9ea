/* Any bytes as a study, and as runs in text as a Slurm task or a rank reads them. Beyond not
 * crashing: what is refused has a reason, every point of a study that is accepted has its
 * applications and its settings, and a run comes back from the text that it is written as. */
#include "lab/lab.h"
#include "lab/study.h"
#include <stdlib.h>
#include <string.h>

static void check(const study_t *s, uint32_t i) {
  study_point_t p;
  study_point(s, i, &p);
  if (!p.apps || p.apps > GMMU_MAX_APPS || p.sets > STUDY_MAX_SETTINGS) abort();
  for (uint32_t a = 0; a < p.apps; a++)
    if (!p.app[a]->text[0]) abort();
  for (uint32_t k = 0; k < p.sets; k++)
    if (!p.set[k].key || !p.set[k].value->text) abort();
}

static void check_run(const lab_run_t *r, const char *key) {
  lab_run_t back;
  char again[STORE_KEY_BYTES];
  strbuf_t text;
  err_t e = {0};
  strbuf_init(&text);
  if (lab_text_write(r, key, &text, &e) < 0 && !strpbrk(strbuf_text(&text), "\r")) abort();
  const char *at = strbuf_text(&text);
  if (!e.code && (!lab_text_read(&at, &back, again, &e) || strcmp(key, again) ||
                  memcmp(r, &back, sizeof back) || *at))
    abort();
  strbuf_fini(&text);
}

static void read_runs(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1), key[STORE_KEY_BYTES];
  lab_run_t r;
  err_t e = {0};
  if (!text) return;
  memcpy(text, data, size);
  text[size] = 0;
  const char *at = text;
  while (lab_text_read(&at, &r, key, &e)) check_run(&r, key);
  if (e.code && !e.text[0]) abort();
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  study_t s;
  err_t e = {0};
  char shown[1024];
  int rc = study_read(&s, "fuzz", (const char *)data, size, &e);
  if (rc < 0 && (e.code != rc || err_format(&e, shown, sizeof shown) <= 0)) abort();
  if (rc == 0) {
    uint32_t points = study_points(&s);
    if (!points || points > STUDY_MAX_POINTS) abort();
    for (uint32_t i = 0; i < points; i += 1 + points / 50) check(&s, i);
    check(&s, points - 1);
  }
  study_fini(&s);
  read_runs(data, size);
  return 0;
}
