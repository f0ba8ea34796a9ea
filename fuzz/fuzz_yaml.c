/* Any bytes as a YAML preset, applied to a small configuration. Beyond not crashing: an accepted
 * file leaves every value readable, and what opt_get() says is what opt_set() takes back. */
#include "base/sample.h"
#include <stdlib.h>
#include <string.h>

static int apply(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                 err_t *e) {
  (void)line, (void)column;
  const opt_group_t *groups = ctx;
  char before[64], after[64];
  if (opt_set(groups, key, value, e) < 0) return 0; /* go on: one bad value must not hide others */
  if (opt_get(groups, key, before, sizeof before) < 0) abort();
  if (opt_set(groups, key, before, e) < 0) abort();
  if (opt_get(groups, key, after, sizeof after) < 0 || strcmp(before, after) != 0) abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sample_t s;
  sample_groups_t g = sample_groups(&s);
  err_t e = {0};
  char shown[1024];
  opt_defaults(g.group);
  int rc = yaml_read("fuzz", (const char *)data, size, apply, g.group, &e);
  if (rc < 0 && (e.code != rc || err_format(&e, shown, sizeof shown) <= 0)) abort();
  return 0;
}
