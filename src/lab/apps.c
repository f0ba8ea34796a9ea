/* What has a slash or ends in .gmt is a recording, unless it begins with an application's name and
 * a colon, whose parameters may be files, is a .ptx file with its launch, or ends as a trace does.
 */
#include "lab/apps.h"
#include "base/opt.h"
#include "gen/gen.h"
#include "lab/operators.h"
#include "lab/own.h"
#include "lab/suite.h"
#include "lab/traces.h"
#include "ptx/app.h"
#include "trace/gmt.h"
#include <stdio.h>
#include <string.h>

bool app_is_trace(const char *text) {
  return !own_knows(text) && !suite_knows(text) && !ptx_app_knows(text) && traces_knows(text);
}

bool app_is_recording(const char *text) {
  size_t size = strlen(text);
  if (own_knows(text) || suite_knows(text) || ptx_app_knows(text) || traces_knows(text))
    return false;
  return strchr(text, '/') || (size > 4 && strcmp(text + size - 4, ".gmt") == 0);
}

/* A name that is neither's but nearly that of a paper's application. */
static const char *meant(const char *text) {
  char name[APP_NAME_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
  return gen_find(name) ? NULL : opt_nearest(name, suite_name, NULL);
}

int app_open(const char *text, source_t **out, err_t *e) {
  if (own_knows(text)) return own_open(text, out, e);
  if (suite_knows(text)) return suite_open(text, out, e); /* its input may be a path */
  if (ptx_app_knows(text)) return ptx_app_open(text, out, e);
  if (app_is_trace(text)) return traces_open(text, out, e);
  if (app_is_recording(text)) return gmt_open(text, out, e);
  if (db_knows(text)) return operator_open(text, out, e);
  const char *near = meant(text);
  if (!near) return gen_open(text, out, e);
  return err_set(e, GMMU_ENOENT, "unknown application \"%.40s\"; nearest: \"%s\"", text, near);
}

/* The last part of a path of so many bytes, without its ending. */
static size_t file_name(const char **text, size_t size) {
  const char *from = *text;
  for (size_t i = 0; i < size; i++)
    if ((*text)[i] == '/') from = *text + i + 1;
  size -= (size_t)(from - *text);
  *text = from;
  if (size > 4 &&
      (strncmp(from + size - 4, ".gmt", 4) == 0 || strncmp(from + size - 4, ".ptx", 4) == 0))
    size -= 4;
  return size;
}

static void short_name(const char *text, bool program, char name[APP_NAME_BYTES]) {
  size_t size = strcspn(text, ":");
  if (app_is_trace(text) && !program)
    size = file_name(&text, strlen(text)), size = strcspn(text, ".");
  else if (program || app_is_recording(text))
    size = file_name(&text, strlen(text));
  else if (ptx_app_knows(text))
    size = file_name(&text, ptx_app_path(text));
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
