#include "observe/measures.h"
#include "base/json_find.h"
#include <stdio.h>
#include <string.h>

const rate_t rates[] = {
#define RATE(title, path, part, whole, help) {title, path, part, whole, help},
#include "observe/measures.def"
#undef RATE
    {0},
};

const measure_t measures[MEASURES] = {
#define MEASURE(name, title, share, count, explain, stalls, row, all)                              \
  {#name, title, share, count, explain, stalls, row, all},
#include "observe/measures.def"
#undef MEASURE
};

static uint64_t counter(const char *json, const char *path, const char *name, size_t size) {
  char text[160];
  uint64_t v = 0;
  snprintf(text, sizeof text, "%s.%.*s", path, (int)size, name);
  return json_find_u64(json, text, &v) ? v : 0;
}

uint64_t measure_of_row(const measure_t *m, const char *json, const char *path) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < STALLS && m->stalls != STALLED_BY_OTHER; i++) {
    char name[32];
    if (stall_kinds[i] != m->stalls) continue;
    snprintf(name, sizeof name, "stall.%s", stall_names[i]);
    sum += counter(json, path, name, strlen(name));
  }
  for (const char *p = m->row; *p;) {
    size_t size = strcspn(p, " ");
    sum += counter(json, path, p, size);
    p += size, p += strspn(p, " +");
  }
  return sum;
}

static void member(json_t *j, const char *key, const char *text) {
  json_key(j, key), json_str(j, text);
}

void rates_json(json_t *j) {
  json_begin_array(j);
  for (const rate_t *r = rates; r->title; r++) {
    json_begin_object(j);
    member(j, "title", r->title), member(j, "path", r->path);
    member(j, "part", r->part), member(j, "whole", r->whole), member(j, "help", r->help);
    json_end_object(j);
  }
  json_end_array(j);
}

void measures_json(json_t *j) {
  static const char *const kind[] = {"", "translation", "data"};
  json_begin_array(j);
  for (const measure_t *m = measures; m < measures + MEASURES; m++) {
    json_begin_object(j);
    member(j, "name", m->name), member(j, "title", m->title), member(j, "stalls", kind[m->stalls]);
    member(j, "row", m->row), member(j, "all", m->all);
    json_end_object(j);
  }
  json_end_array(j);
}
