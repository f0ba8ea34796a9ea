/* What has a slash or ends in .gmt is a file; no application is called so. */
#include "apps.h"
#include "gen/gen.h"
#include "suite.h"
#include "trace/gmt.h"
#include <stdio.h>
#include <string.h>

static bool is_file(const char *text) {
  size_t size = strlen(text);
  return strchr(text, '/') || (size > 4 && strcmp(text + size - 4, ".gmt") == 0);
}

int app_open(const char *text, source_t **out, err_t *e) {
  if (is_file(text)) return gmt_open(text, out, e);
  return suite_knows(text) ? suite_open(text, out, e) : gen_open(text, out, e);
}

static void short_name(const char *text, bool program, char name[APP_NAME_BYTES]) {
  size_t size = strcspn(text, ":");
  if (program || is_file(text)) {
    const char *slash = strrchr(text, '/');
    if (slash) text = slash + 1;
    size = strlen(text);
    if (size > 4 && strcmp(text + size - 4, ".gmt") == 0) size -= 4;
  }
  if (size > 31) size = 31; /* leaves the table readable, and room for a number */
  snprintf(name, APP_NAME_BYTES, "%.*s", (int)size, text);
}

void app_names(const char *const text[], uint32_t count, uint32_t programs,
               char name[][APP_NAME_BYTES]) {
  bool twin[64] = {false};
  for (uint32_t i = 0; i < count; i++) short_name(text[i], i >= count - programs, name[i]);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < count; k++) twin[i] |= k != i && strcmp(name[i], name[k]) == 0;
  for (uint32_t i = 0; i < count; i++) {
    size_t size = strlen(name[i]);
    if (twin[i]) snprintf(name[i] + size, APP_NAME_BYTES - size, "#%u", i + 1);
  }
}
