/* Any bytes as a study. Beyond not crashing: what is refused has a reason, and every point of what
 * is accepted has its applications and its settings. */
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
  return 0;
}
