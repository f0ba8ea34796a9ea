/* Each key of STUDY_KEYS is a list of words; `set` is a list of options with a list each, `cases` a
 * list of options that carry the number of their case. The grid is never written down: a point is
 * a number in a mixed radix, one digit for each list, the last digit counting fastest.
 * Invariant: after study_read() has succeeded, study_points() is in [1, STUDY_MAX_POINTS] and every
 * workload has 1 to GMMU_MAX_APPS applications. */
#include "lab/study.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/opt.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS   4096 /* of one list */
#define MAX_OPTIONS 64   /* of `set`, and of all cases */
#define MAX_TEXT    160  /* bytes of a word */

typedef enum { KIND_TEXT, KIND_TEXTS, KIND_NUMBERS, KIND_BOOL } kind_t;

static const struct {
  const char *name;
  kind_t kind;
} keys[] = {
#define X(name_, kind_, help_) {#name_, KIND_##kind_},
    STUDY_KEYS(X)
#undef X
};

/* ---- lists ----------------------------------------------------------------------------------- */

/* Room for one more of `size` bytes; false when memory ran out. */
static bool make_room(void **at, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) return true;
  uint32_t more = *room ? 2 * *room : 8;
  void *grown = realloc(*at, more * size);
  if (!grown) return false;
  *at = grown, *room = more;
  return true;
}

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "out of memory for the study"); }

/* The new word, NULL with an error. */
static study_word_t *add_word(study_list_t *l, const char *text, size_t size, err_t *e) {
  if (l->count == MAX_WORDS) {
    err_set(e, GMMU_EFORMAT, "more than %d values", MAX_WORDS);
    return NULL;
  }
  void *at = l->at;
  bool fits = make_room(&at, l->count, &l->room, sizeof *l->at);
  l->at = at;
  char *copy = fits ? strndup(text, size) : NULL;
  if (!copy) {
    no_memory(e);
    return NULL;
  }
  l->at[l->count] = (study_word_t){.text = copy};
  return &l->at[l->count++];
}

static void list_fini(study_list_t *l) {
  for (uint32_t i = 0; i < l->count; i++) free(l->at[i].text);
  free(l->at);
}

static void options_fini(study_options_t *o) {
  for (uint32_t i = 0; i < o->count; i++) {
    free(o->at[i].key);
    list_fini(&o->at[i].values);
  }
  free(o->at);
}

void study_fini(study_t *s) {
  for (uint32_t i = 0; i < STUDY_KEY_COUNT; i++) list_fini(&s->list[i]);
  options_fini(&s->set);
  options_fini(&s->cases);
  list_fini(&s->case_name);
  list_fini(&s->app);
  free(s->workload);
  *s = (study_t){0};
}

/* ---- reading --------------------------------------------------------------------------------- */

static int to_number(study_word_t *w, err_t *e) {
  const opt_t option[] = {{.name = "value", .type = OPT_U64, .max = UINT64_MAX / 2}, {0}};
  const opt_group_t groups[] = {{.prefix = "", .opts = option, .base = &w->value}, {0}};
  if (opt_set(groups, "value", w->text, e) == GMMU_OK) return GMMU_OK;
  if (e) e->key[0] = 0; /* the study's key is meant */
  return e ? e->code : GMMU_EINVAL;
}

static int to_flag(study_word_t *w, err_t *e) {
  bool yes = false;
  const opt_t option[] = {{.name = "value", .type = OPT_BOOL, .max = 1}, {0}};
  const opt_group_t groups[] = {{.prefix = "", .opts = option, .base = &yes}, {0}};
  int rc = opt_set(groups, "value", w->text, e);
  if (rc < 0 && e) e->key[0] = 0;
  w->value = yes;
  return rc;
}

static int check_text(const char *text, err_t *e) {
  if (strlen(text) > MAX_TEXT) return err_set(e, GMMU_EFORMAT, "longer than %d bytes", MAX_TEXT);
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f)
      return err_set(e, GMMU_EFORMAT, "a value must not contain control characters");
  return GMMU_OK;
}

static int take_value(study_list_t *l, kind_t kind, const char *text, uint32_t line,
                      uint32_t column, err_t *e) {
  if ((kind == KIND_TEXT || kind == KIND_BOOL) && l->count)
    return err_set(e, GMMU_EFORMAT, "takes one value, no list");
  study_word_t *w = add_word(l, text, strlen(text), e);
  if (!w) return e->code;
  w->line = line, w->column = column;
  return kind == KIND_NUMBERS ? to_number(w, e) : kind == KIND_BOOL ? to_flag(w, e) : GMMU_OK;
}

/* The option of this name (of this case), made if it is not there; NULL with an error. */
static study_option_t *option_of(study_options_t *o, const char *key, uint32_t case_number,
                                 err_t *e) {
  for (uint32_t i = 0; i < o->count; i++)
    if (o->at[i].case_number == case_number && strcmp(o->at[i].key, key) == 0) return &o->at[i];
  if (o->count == MAX_OPTIONS) {
    err_set(e, GMMU_EFORMAT, "more than %d options", MAX_OPTIONS);
    return NULL;
  }
  void *at = o->at;
  bool fits = make_room(&at, o->count, &o->room, sizeof *o->at);
  o->at = at;
  char *copy = fits ? strdup(key) : NULL;
  if (!copy) {
    no_memory(e);
    return NULL;
  }
  o->at[o->count] = (study_option_t){.key = copy, .case_number = case_number};
  return &o->at[o->count++];
}

static int take_setting(study_t *s, const char *key, const char *text, uint32_t line,
                        uint32_t column, err_t *e) {
  study_option_t *o = option_of(&s->set, key, 0, e);
  return o ? take_value(&o->values, KIND_TEXTS, text, line, column, e) : e->code;
}

/* Of "small.l2tlb.entries" the case's number and the option; a case begins where its name is new.
 */
static int take_case(study_t *s, const char *path, const char *text, uint32_t line, uint32_t column,
                     err_t *e) {
  size_t size = strcspn(path, ".");
  uint32_t i = 0;
  if (!path[size]) return err_set(e, GMMU_EFORMAT, "a case holds options: \"l2tlb.entries: 64\"");
  while (i < s->case_name.count &&
         (strncmp(s->case_name.at[i].text, path, size) || s->case_name.at[i].text[size]))
    i++;
  if (i == s->case_name.count) {
    study_word_t *name = add_word(&s->case_name, path, size, e);
    if (!name) return e->code;
    name->line = line, name->column = column;
  }
  study_option_t *o = option_of(&s->cases, path + size + 1, i, e);
  return o ? take_value(&o->values, KIND_TEXT, text, line, column, e) : e->code;
}

static int unknown_key(const char *key, err_t *e) {
  nearest_t n;
  const char *near = NULL;
  nearest_init(&n, key);
  for (uint32_t i = 0; i < STUDY_KEY_COUNT; i++)
    if (nearest_offer(&n, keys[i].name)) near = keys[i].name;
  if (nearest_offer(&n, "set")) near = "set";
  if (nearest_offer(&n, "cases")) near = "cases";
  if (near) return err_set(e, GMMU_ENOENT, "unknown key; nearest: \"%s\"", near);
  return err_set(e, GMMU_ENOENT, "unknown key; `gmmu help sweep` names them");
}

static int take_key(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                    err_t *e) {
  study_t *s = ctx;
  int rc = check_text(value, e);
  if (rc < 0) return rc;
  if (strncmp(key, "set.", 4) == 0) return take_setting(s, key + 4, value, line, column, e);
  if (strncmp(key, "cases.", 6) == 0) return take_case(s, key + 6, value, line, column, e);
  for (uint32_t i = 0; i < STUDY_KEY_COUNT; i++)
    if (strcmp(key, keys[i].name) == 0)
      return take_value(&s->list[i], keys[i].kind, value, line, column, e);
  if (strcmp(key, "set") == 0 || strcmp(key, "cases") == 0)
    return err_set(e, GMMU_EFORMAT, "holds \"option: value\" or \"option: [value, ...]\" below it");
  return unknown_key(key, e);
}

static uint32_t at_least_one(uint32_t n) { return n ? n : 1; }

/* ---- workloads ------------------------------------------------------------------------------- */

int study_error_at(const study_t *s, const study_word_t *w, err_t *e) {
  return err_in_file(e, s->file, w->line, w->column);
}

static study_workload_t *add_workload(study_t *s, err_t *e) {
  if (s->workloads == STUDY_MAX_POINTS) {
    err_set(e, GMMU_ERANGE, "more than %d workloads", STUDY_MAX_POINTS);
    return NULL;
  }
  void *at = s->workload;
  bool fits = make_room(&at, s->workloads, &s->workload_room, sizeof *s->workload);
  s->workload = at;
  if (!fits) {
    no_memory(e);
    return NULL;
  }
  s->workload[s->workloads] = (study_workload_t){0};
  return &s->workload[s->workloads++];
}

/* One application of a workload, without the blanks around it; its number in s->app. */
static int add_app(study_t *s, study_workload_t *w, const char *text, size_t size,
                   const study_word_t *place, err_t *e) {
  while (size && *text == ' ') text++, size--;
  while (size && text[size - 1] == ' ') size--;
  if (!size)
    return err_set(e, GMMU_EFORMAT, "an application without a name in \"%s\"", place->text);
  if (w->apps == GMMU_MAX_APPS)
    return err_set(e, GMMU_ERANGE, "more than %d applications together", GMMU_MAX_APPS);
  uint32_t i = 0;
  while (i < s->app.count && (strncmp(s->app.at[i].text, text, size) || s->app.at[i].text[size]))
    i++;
  if (i == s->app.count) {
    study_word_t *new = add_word(&s->app, text, size, e);
    if (!new) return e->code;
    new->line = place->line, new->column = place->column;
  }
  w->app[w->apps++] = i;
  return GMMU_OK;
}

/* A + with blanks around it; also one without, unless it may be part of a file's name. */
static const char *next_plus(const char *text) {
  const char *p = strstr(text, " + ");
  return p ? p + 1 : strchr(text, '/') ? NULL : strchr(text, '+');
}

/* "bfs2 + srad" */
static int take_workload(study_t *s, const study_word_t *word, err_t *e) {
  study_workload_t *w = add_workload(s, e);
  int rc = w ? GMMU_OK : e->code;
  for (const char *text = word->text; rc == 0 && text;) {
    const char *plus = next_plus(text);
    rc = add_app(s, w, text, plus ? (size_t)(plus - text) : strlen(text), word, e);
    text = plus ? plus + 1 : NULL;
  }
  return rc < 0 ? study_error_at(s, word, e) : rc;
}

/* The next k of n in order, false behind the last. */
static bool next_choice(uint32_t *pick, uint32_t k, uint32_t n) {
  uint32_t i = k;
  while (i && pick[i - 1] == n - k + i - 1) i--;
  if (!i) return false;
  pick[i - 1]++;
  for (; i < k; i++) pick[i] = pick[i - 1] + 1;
  return true;
}

/* `map` gives for each of `apps` its number in s->app. */
static int combine(study_t *s, const uint32_t *map, uint32_t together, err_t *e) {
  uint32_t chosen[GMMU_MAX_APPS];
  for (uint32_t i = 0; i < together; i++) chosen[i] = i;
  do {
    study_workload_t *w = add_workload(s, e);
    if (!w) return e->code;
    for (uint32_t i = 0; i < together; i++) w->app[w->apps++] = map[chosen[i]];
  } while (next_choice(chosen, together, s->list[STUDY_apps].count));
  return GMMU_OK;
}

static int map_apps(study_t *s, uint32_t *map, err_t *e) {
  const study_list_t *apps = &s->list[STUDY_apps];
  for (uint32_t i = 0; i < apps->count; i++) {
    study_workload_t one = {0};
    const study_word_t *a = &apps->at[i];
    if (add_app(s, &one, a->text, strlen(a->text), a, e) < 0) return study_error_at(s, a, e);
    map[i] = one.app[0];
  }
  return GMMU_OK;
}

static int combine_all(study_t *s, err_t *e) {
  static const study_word_t alone = {.value = 1};
  const study_list_t *t = &s->list[STUDY_together];
  uint32_t apps = s->list[STUDY_apps].count;
  if (t->count && !apps) {
    err_set(e, GMMU_EFORMAT, "`together` combines `apps`: there are none");
    return study_error_at(s, t->at, e);
  }
  uint32_t map[MAX_WORDS];
  int rc = map_apps(s, map, e);
  for (uint32_t i = 0; apps && rc == 0 && i < at_least_one(t->count); i++) {
    const study_word_t *w = t->count ? &t->at[i] : &alone;
    rc = w->value >= 1 && w->value <= apps && w->value <= GMMU_MAX_APPS
             ? combine(s, map, (uint32_t)w->value, e)
             : err_set(e, GMMU_ERANGE, "%" PRIu64 " together of %u applications (at most %d)",
                       w->value, apps, GMMU_MAX_APPS);
    if (rc < 0) {
      err_for_key(e, "together");
      study_error_at(s, w, e);
    }
  }
  return rc;
}

static int make_workloads(study_t *s, err_t *e) {
  const study_list_t *given = &s->list[STUDY_workloads];
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < given->count && rc == 0; i++) rc = take_workload(s, &given->at[i], e);
  if (rc == 0) rc = combine_all(s, e);
  if (rc < 0 || s->workloads) return rc;
  err_set(e, GMMU_EFORMAT, "no applications: name some under `workloads` or `apps`");
  return err_in_file(e, s->file, 0, 0);
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* The lists that span it, besides workloads, cases and options. */
static const study_key_t axes[] = {STUDY_gpus,   STUDY_designs,      STUDY_sizes,      STUDY_seeds,
                                   STUDY_cycles, STUDY_instructions, STUDY_min_cycles, STUDY_split};
#define AXES (sizeof axes / sizeof *axes)

/* Up to STUDY_MAX_POINTS + 1. */
static uint32_t times(uint32_t points, uint32_t n) {
  uint64_t product = (uint64_t)points * at_least_one(n);
  return product > STUDY_MAX_POINTS ? STUDY_MAX_POINTS + 1 : (uint32_t)product;
}

uint32_t study_points(const study_t *s) {
  uint32_t n = times(s->workloads, s->case_name.count);
  for (uint32_t i = 0; i < AXES; i++) n = times(n, s->list[axes[i]].count);
  for (uint32_t i = 0; i < s->set.count; i++) n = times(n, s->set.at[i].values.count);
  return n;
}

static uint32_t digit(uint32_t *number, uint32_t radix) {
  uint32_t d = *number % at_least_one(radix);
  *number /= at_least_one(radix);
  return d;
}

static const study_word_t *pick(const study_list_t *l, uint32_t *number) {
  uint32_t d = digit(number, l->count);
  return l->count ? &l->at[d] : NULL;
}

static uint64_t pick_number(const study_t *s, study_key_t key, uint32_t *number) {
  const study_word_t *w = pick(&s->list[key], number);
  return w ? w->value : 0;
}

static void add_setting(study_point_t *p, const char *key, const study_word_t *value) {
  p->set[p->sets].key = key;
  p->set[p->sets++].value = value;
}

static void pick_settings(const study_t *s, study_point_t *p, uint32_t *number) {
  uint32_t chosen = digit(number, s->case_name.count);
  if (s->case_name.count) p->case_name = &s->case_name.at[chosen];
  for (uint32_t i = 0; i < s->cases.count; i++)
    if (s->cases.at[i].case_number == chosen)
      add_setting(p, s->cases.at[i].key, s->cases.at[i].values.at);
  for (uint32_t i = 0; i < s->set.count; i++)
    add_setting(p, s->set.at[i].key, pick(&s->set.at[i].values, number));
}

void study_point(const study_t *s, uint32_t i, study_point_t *out) {
  *out = (study_point_t){0};
  pick_settings(s, out, &i);
  out->design = pick(&s->list[STUDY_designs], &i);
  out->gpu = pick(&s->list[STUDY_gpus], &i);
  out->size = pick(&s->list[STUDY_sizes], &i);
  out->seed = pick(&s->list[STUDY_seeds], &i);
  out->split = pick(&s->list[STUDY_split], &i);
  out->cycles = pick_number(s, STUDY_cycles, &i);
  out->instructions = pick_number(s, STUDY_instructions, &i);
  out->min_cycles = pick_number(s, STUDY_min_cycles, &i);
  const study_workload_t *w = &s->workload[i % s->workloads];
  for (out->apps = 0; out->apps < w->apps; out->apps++)
    out->app[out->apps] = &s->app.at[w->app[out->apps]];
}

bool study_flag(const study_t *s, study_key_t key, bool otherwise) {
  return s->list[key].count ? s->list[key].at[0].value != 0 : otherwise;
}

const char *study_text(const study_t *s, study_key_t key, const char *otherwise) {
  return s->list[key].count ? s->list[key].at[0].text : otherwise;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The same option in `set` and in a case would leave open which holds. */
static int check_settings(const study_t *s, err_t *e) {
  uint32_t most = 0;
  for (uint32_t c = 0; c < s->case_name.count; c++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->cases.count; i++) n += s->cases.at[i].case_number == c;
    most = n > most ? n : most;
  }
  for (uint32_t i = 0; i < s->cases.count; i++)
    for (uint32_t k = 0; k < s->set.count; k++)
      if (strcmp(s->cases.at[i].key, s->set.at[k].key) == 0) {
        err_set(e, GMMU_EFORMAT, "given under `set`, too");
        err_for_key(e, s->cases.at[i].key);
        return study_error_at(s, s->cases.at[i].values.at, e);
      }
  if (most + s->set.count <= STUDY_MAX_SETTINGS) return GMMU_OK;
  err_set(e, GMMU_ERANGE, "%u settings for one run; at most %d", most + s->set.count,
          STUDY_MAX_SETTINGS);
  return err_in_file(e, s->file, 0, 0);
}

int study_read(study_t *s, const char *name, const char *text, size_t size, err_t *e) {
  err_t own = {0};
  if (!e) e = &own;
  *s = (study_t){0};
  snprintf(s->file, sizeof s->file, "%s", name);
  int rc = yaml_read_lists(name, text, size, take_key, s, e);
  if (rc == 0) rc = check_settings(s, e);
  if (rc == 0) rc = make_workloads(s, e);
  if (rc < 0 || study_points(s) <= STUDY_MAX_POINTS) return rc;
  err_set(e, GMMU_ERANGE, "more than %d runs; divide the study", STUDY_MAX_POINTS);
  return err_in_file(e, s->file, 0, 0);
}

int study_read_file(study_t *s, const char *path, err_t *e) {
  strbuf_t text;
  *s = (study_t){0};
  strbuf_init(&text);
  int rc = file_read_stream(path, YAML_MAX_BYTES, &text, e);
  if (rc == 0) rc = study_read(s, path, strbuf_text(&text), text.size, e);
  strbuf_fini(&text);
  return rc;
}
