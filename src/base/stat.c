#include "base/stat.h"

void stat_sum(void *to, const void *from, const stat_desc_t *list) {
  for (; list->name; list++)
    *(uint64_t *)(void *)((char *)to + list->offset) += stat_value(from, list);
}

void stat_json(json_t *j, const void *stats, const stat_desc_t *list) {
  for (; list->name; list++) json_key(j, list->name), json_u64(j, stat_value(stats, list));
}

void stat_json_begin(json_t *j, const char *key) {
  json_key(j, key);
  json_begin_object(j);
}

void stat_json_object(json_t *j, const char *key, const void *stats, const stat_desc_t *list) {
  stat_json_begin(j, key);
  stat_json(j, stats, list);
  json_end_object(j);
}

void stat_json_hist(json_t *j, const char *key, const hist_t *h) {
  stat_json_begin(j, key);
  json_key(j, "count"), json_u64(j, h->count);
  json_key(j, "mean"), json_ratio(j, h->sum, h->count, 2);
  json_key(j, "p50"), json_u64(j, hist_permille(h, 500));
  json_key(j, "p95"), json_u64(j, hist_permille(h, 950));
  json_key(j, "p99"), json_u64(j, hist_permille(h, 990));
  json_key(j, "max"), json_u64(j, h->max);
  json_end_object(j);
}

void stat_json_matrix(json_t *j, const char *key, const uint64_t *m, uint32_t n) {
  json_key(j, key);
  json_begin_array(j);
  for (uint32_t i = 0; i < n; i++) {
    json_begin_array(j);
    for (uint32_t k = 0; k < n; k++) json_u64(j, m[i * n + k]);
    json_end_array(j);
  }
  json_end_array(j);
}
