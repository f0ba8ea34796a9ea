/* One line per field, "key value"; a key that may stand several times adds to its array. The last
 * line of a run is "end" and its key in the store. What is read comes from a file or from another
 * process: every line is checked, and nothing is cut off silently. */
#include "lab/lab.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

static bool add_line(strbuf_t *out, const char *key, const char *value) {
  strbuf_printf(out, "%s %s\n", key, value);
  return !strpbrk(value, "\r\n");
}

static void add_number(strbuf_t *out, const char *key, uint64_t v) {
  if (v) strbuf_printf(out, "%s %" PRIu64 "\n", key, v);
}

int lab_text_write(const lab_run_t *r, const char *key, strbuf_t *out, err_t *e) {
  bool ok = add_line(out, "gpu", r->gpu);
  ok &= add_line(out, "design", r->design);
  for (uint32_t a = 0; a < r->apps; a++) {
    ok &= add_line(out, "app", r->app[a]);
    strbuf_printf(out, "sms %u\n", r->sms[a]);
  }
  for (uint32_t i = 0; i < r->sets; i++) ok &= add_line(out, "set", r->set[i]);
  add_number(out, "cycles", r->limits.cycles);
  add_number(out, "instructions", r->limits.instructions);
  add_number(out, "min_cycles", r->limits.min_cycles);
  add_number(out, "wait_for", r->limits.wait_for);
  add_number(out, "no_relaunch", r->limits.no_relaunch);
  ok &= add_line(out, "end", key);
  if (out->failed) return err_set(e, GMMU_ENOMEM, "out of memory");
  return ok ? GMMU_OK : err_set(e, GMMU_EINVAL, "a name has a line break in it");
}

/* ---- reading --------------------------------------------------------------------------------- */

static int take_text(char *to, size_t size, const char *value, err_t *e) {
  if (*to) return err_set(e, GMMU_EFORMAT, "\"%.40s\" is one value too many", value);
  if ((size_t)snprintf(to, size, "%s", value) < size) return GMMU_OK;
  return err_set(e, GMMU_EFORMAT, "a value is longer than %zu bytes", size - 1);
}

static int take_number(uint64_t *to, uint64_t max, const char *value, err_t *e) {
  char *end;
  errno = 0;
  *to = strtoull(value, &end, 10);
  if (*value >= '0' && *value <= '9' && !*end && !errno && *to <= max) return GMMU_OK;
  return err_set(e, GMMU_EFORMAT, "\"%.40s\" is no number up to %" PRIu64, value, max);
}

static int take_app(lab_run_t *r, const char *value, err_t *e) {
  if (r->apps == GMMU_MAX_APPS)
    return err_set(e, GMMU_EFORMAT, "more than %d applications", GMMU_MAX_APPS);
  return take_text(r->app[r->apps++], LAB_TEXT_BYTES, value, e);
}

static int take_u32(uint32_t *to, const char *value, err_t *e) {
  uint64_t n = 0;
  int rc = take_number(&n, UINT32_MAX, value, e);
  *to = (uint32_t)n;
  return rc;
}

static int take_sms(lab_run_t *r, const char *value, err_t *e) {
  if (!r->apps) return err_set(e, GMMU_EFORMAT, "SMs before the first application");
  return take_u32(&r->sms[r->apps - 1], value, e);
}

static int take_set(lab_run_t *r, const char *value, err_t *e) {
  if (r->sets == LAB_SETS) return err_set(e, GMMU_EFORMAT, "more than %d settings", LAB_SETS);
  return take_text(r->set[r->sets++], LAB_TEXT_BYTES, value, e);
}

static int take_flag(lab_run_t *r, const char *value, err_t *e) {
  uint64_t n = 0;
  int rc = take_number(&n, 1, value, e);
  r->limits.no_relaunch = n != 0;
  return rc;
}

static int take_line(lab_run_t *r, const char *key, const char *value, err_t *e) {
  if (strcmp(key, "gpu") == 0) return take_text(r->gpu, sizeof r->gpu, value, e);
  if (strcmp(key, "design") == 0) return take_text(r->design, sizeof r->design, value, e);
  if (strcmp(key, "app") == 0) return take_app(r, value, e);
  if (strcmp(key, "sms") == 0) return take_sms(r, value, e);
  if (strcmp(key, "set") == 0) return take_set(r, value, e);
  if (strcmp(key, "cycles") == 0) return take_number(&r->limits.cycles, UINT64_MAX, value, e);
  if (strcmp(key, "instructions") == 0)
    return take_number(&r->limits.instructions, UINT64_MAX, value, e);
  if (strcmp(key, "min_cycles") == 0)
    return take_number(&r->limits.min_cycles, UINT64_MAX, value, e);
  if (strcmp(key, "wait_for") == 0) return take_u32(&r->limits.wait_for, value, e);
  if (strcmp(key, "no_relaunch") == 0) return take_flag(r, value, e);
  return err_set(e, GMMU_EFORMAT, "unknown line \"%.40s\"", key);
}

static int take_end(const lab_run_t *r, const char *value, char key[STORE_KEY_BYTES], err_t *e) {
  if (strlen(value) != STORE_KEY_BYTES - 1 || value[strspn(value, "0123456789abcdef")])
    return err_set(e, GMMU_EFORMAT, "\"%.40s\" is no key", value);
  if (!r->apps || !r->gpu[0] || !r->design[0])
    return err_set(e, GMMU_EFORMAT, "a run without GPU, design or application");
  memcpy(key, value, STORE_KEY_BYTES);
  return GMMU_OK;
}

bool lab_text_read(const char **text, lab_run_t *r, char key[STORE_KEY_BYTES], err_t *e) {
  *r = (lab_run_t){0};
  *e = (err_t){0};
  bool begun = false;
  while (**text) {
    char word[16], value[LAB_TEXT_BYTES + 8];
    size_t line = strcspn(*text, "\n"), name = strcspn(*text, " \n");
    begun = true;
    if (name >= sizeof word || line - name > sizeof value || (*text)[name] != ' ' ||
        !(*text)[line]) {
      err_set(e, GMMU_EFORMAT, "a line is cut off or too long: \"%.*s\"",
              (int)(line < 40 ? line : 40), *text);
      return false;
    }
    snprintf(word, sizeof word, "%.*s", (int)name, *text);
    snprintf(value, sizeof value, "%.*s", (int)(line - name - 1), *text + name + 1);
    bool end = strcmp(word, "end") == 0;
    if ((end ? take_end(r, value, key, e) : take_line(r, word, value, e)) < 0) return false;
    *text += line + 1;
    if (end) return true;
  }
  if (begun) err_set(e, GMMU_EFORMAT, "the last run is cut off");
  return false;
}
