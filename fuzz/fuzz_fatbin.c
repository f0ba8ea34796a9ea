/* Any bytes as a fat binary. Beyond not crashing: an error has a text and a place; images lie
 * inside the data and in order; their text ends where it says and is no longer than its limit. */
#include "host/fatbin.h"
#include <stdlib.h>
#include <string.h>

static void check_error(const err_t *e, int rc) {
  if (e->code != rc || !e->text[0]) abort();
  if (rc == GMMU_EFORMAT && !e->has_offset) abort();
}

static void check_text(const uint8_t *data, size_t size, const fatbin_image_t *i) {
  char *text;
  size_t n;
  err_t e = {0};
  int rc = fatbin_text(data, size, i, &text, &n, &e);
  if (rc < 0) {
    check_error(&e, rc);
    return;
  }
  if (n > FATBIN_MAX_TEXT || strlen(text) != n) abort();
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fatbin_t f;
  uint32_t order[FATBIN_MAX_IMAGES];
  err_t e = {0};
  int rc = fatbin_read(data, size, &f, &e);
  if (rc < 0) {
    check_error(&e, rc);
    return 0;
  }
  for (uint32_t i = 0; i < f.images; i++) {
    if (f.image[i].offset > size || f.image[i].bytes > size - f.image[i].offset) abort();
    if (i && f.image[i].region < f.image[i - 1].region) abort();
    check_text(data, size, &f.image[i]);
  }
  for (uint32_t r = 0; r < fatbin_regions(&f); r++) {
    e = (err_t){0};
    rc = fatbin_choose(&f, r, 70, order, &e);
    if (rc < 0) check_error(&e, rc);
  }
  return 0;
}
