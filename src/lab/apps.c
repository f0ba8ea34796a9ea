/* Names for tables; what an application is, its front end knows. */
#include "lab/apps.h"
#include "ptx/app.h"
#include <stdio.h>
#include <string.h>

int app_open(const char *text, source_t **out, err_t *e) {
  return front_of(text)->open(text, out, e);
}

int app_open_on(const char *text, const front_machine_t *m, source_t **out, err_t *e) {
  const front_t *f = front_of(text);
  return f->open_on ? f->open_on(text, m, out, e) : f->open(text, out, e);
}

bool app_is_file(const char *text) {
  const front_t *f = front_of(text);
  return f == &front_gmt || f == &front_traces;
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
  const front_t *f = front_of(text);
  size_t size = strcspn(text, ":");
  if (f == &front_traces && !program)
    size = file_name(&text, strlen(text)), size = strcspn(text, ".");
  else if (f == &front_gmt || program)
    size = file_name(&text, strlen(text));
  else if (f == &front_ptx)
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
