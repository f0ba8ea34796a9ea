/* The table of generators, and their text form: name, or name:key=value,key=value.
 *
 * A key is looked up as "name.key", so an error names generator and key, and the range or the
 * nearest right name. A key may be given once. */
#include "gen/gen.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 64 /* of a name, a key or a value */

const gen_ops_t *const gen_all[] = {&gen_stream,  &gen_stride, &gen_chase,
                                    &gen_gather,  &gen_hotset, &gen_tiled2d,
                                    &gen_compute, &gen_churn,  NULL};

const gen_ops_t *gen_find(const char *name) {
  for (const gen_ops_t *const *g = gen_all; *g; g++)
    if (strcmp((*g)->name, name) == 0) return *g;
  return NULL;
}

static const char *gen_name(void *ctx, uint32_t i) {
  (void)ctx;
  return gen_all[i] ? gen_all[i]->name : NULL;
}

static int unknown_generator(const char *name, err_t *e) {
  const char *near = opt_nearest(name, gen_name, NULL);
  if (near) return err_set(e, GMMU_ENOENT, "unknown generator \"%s\"; nearest: \"%s\"", name, near);
  char list[128] = "";
  for (const gen_ops_t *const *g = gen_all; *g; g++) {
    strncat(list, g == gen_all ? "" : ", ", sizeof list - strlen(list) - 1);
    strncat(list, (*g)->name, sizeof list - strlen(list) - 1);
  }
  return err_set(e, GMMU_ENOENT, "unknown generator \"%s\"; one of: %s", name, list);
}

/* Copies text up to the first of `stops` (or the end) into word; what follows the word, or NULL if
 * it is too long. */
static const char *take_word(const char *text, const char *stops, char word[WORD_BYTES]) {
  size_t size = strcspn(text, stops);
  if (size >= WORD_BYTES) return NULL;
  memcpy(word, text, size);
  word[size] = 0;
  return text + size;
}

static int too_long(const char *text, err_t *e) {
  return err_set(e, GMMU_EINVAL, "\"%.20s...\" is longer than %d characters", text, WORD_BYTES - 1);
}

/* Notes the key in *seen, a bit per option; unknown keys are left to opt_set(). */
static int check_given_once(const gen_ops_t *ops, const char *key, uint64_t *seen, err_t *e) {
  for (uint32_t i = 0; ops->options[i].name; i++) {
    assert(i < 64);
    if (strcmp(ops->options[i].name, key)) continue;
    if (*seen >> i & 1) return err_set(e, GMMU_EINVAL, "given twice");
    *seen |= 1ull << i;
  }
  return GMMU_OK;
}

static int set_option(const gen_ops_t *ops, gen_params_t *p, const char *key, const char *value,
                      uint64_t *seen, err_t *e) {
  const opt_group_t groups[] = {{.prefix = ops->name, .opts = ops->options, .base = p}, {0}};
  char full[2 * WORD_BYTES];
  snprintf(full, sizeof full, "%s.%s", ops->name, key);
  int rc = check_given_once(ops, key, seen, e);
  if (rc < 0) {
    err_for_key(e, full);
    return rc;
  }
  return opt_set(groups, full, value, e);
}

/* Reads "key=value,key=value" into *p. */
static int parse_options(const gen_ops_t *ops, gen_params_t *p, const char *text, err_t *e) {
  uint64_t seen = 0;
  for (;;) {
    char key[WORD_BYTES], value[WORD_BYTES];
    const char *after = take_word(text, "=,", key);
    if (!after) return too_long(text, e);
    if (*after != '=')
      return err_set(e, GMMU_EINVAL, "%s: \"%s\" is not key=value", ops->name, key);
    text = after + 1;
    after = take_word(text, ",", value);
    if (!after) return too_long(text, e);
    int rc = set_option(ops, p, key, value, &seen, e);
    if (rc < 0 || !*after) return rc;
    text = after + 1;
  }
}

static int check_width(const gen_ops_t *ops, gen_params_t *p, err_t *e) {
  if ((p->width & (p->width - 1)) == 0) return GMMU_OK;
  return gen_bad_value(e, ops, p, "width", "not 1, 2, 4, 8 or 16");
}

int gen_parse(const char *text, const gen_ops_t **ops, gen_params_t **out, err_t *e) {
  char name[WORD_BYTES];
  *out = NULL;
  const char *after = take_word(text, ":", name);
  if (!after) return too_long(text, e);
  *ops = gen_find(name);
  if (!*ops) return unknown_generator(name, e);
  gen_params_t *p = calloc(1, (*ops)->bytes);
  if (!p) return err_set(e, GMMU_ENOMEM, "no memory for a generator");
  p->width = GEN_WORD_BYTES; /* for generators without that option */
  opt_defaults((const opt_group_t[]){{.prefix = name, .opts = (*ops)->options, .base = p}, {0}});
  int rc = *after ? parse_options(*ops, p, after + 1, e) : GMMU_OK;
  if (rc == GMMU_OK) rc = check_width(*ops, p, e);
  if (rc == GMMU_OK)
    *out = p;
  else
    free(p);
  return rc;
}

int gen_bad_value(err_t *e, const gen_ops_t *ops, gen_params_t *p, const char *key,
                  const char *what) {
  const opt_group_t groups[] = {{.prefix = ops->name, .opts = ops->options, .base = p}, {0}};
  char full[2 * WORD_BYTES], value[32] = "";
  snprintf(full, sizeof full, "%s.%s", ops->name, key);
  opt_get(groups, full, value, sizeof value);
  err_set(e, GMMU_ERANGE, "value %s is %s", value, what);
  err_for_key(e, full);
  return GMMU_ERANGE;
}

/* Keys stand alone, as they are typed behind the colon. */
static void list_one(const gen_ops_t *g, table_style_t style, strbuf_t *out) {
  strbuf_t heading;
  strbuf_init(&heading);
  strbuf_printf(&heading, "%s: %s", g->name, g->help);
  opt_describe((const opt_group_t[]){{"", strbuf_text(&heading), g->options, NULL}, {0}}, style,
               out);
  out->failed |= heading.failed;
  strbuf_fini(&heading);
}

void gen_list(table_style_t style, strbuf_t *out) {
  for (const gen_ops_t *const *g = gen_all; *g; g++) {
    if (g != gen_all) strbuf_str(out, "\n");
    list_one(*g, style, out);
  }
}
