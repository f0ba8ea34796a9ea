#ifndef GMMU_TESTS_NET_H
#define GMMU_TESTS_NET_H
/* The net: many small cases whose results are kept as digests in golden/PART.net, a line per case
 * and a line per statistic over all cases, so that a difference says which cases moved and in what.
 *
 *   PROGRAM PART GOLDEN       compares a part with its golden; TAP
 *   PROGRAM PART GOLDEN dealt compares fewer cases of it, where that takes long
 *   PROGRAM PART --golden     prints that golden anew (scripts/gen-golden.sh)
 *   PROGRAM PART --show CASE  prints what one case measured */
#include <stdbool.h>
#include <stdint.h>

#define NET_CASES 1024
#define NET_STATS 1024

typedef struct {
  char name[64];
  uint64_t what;   /* of what it runs: the same case only if equal */
  uint64_t result; /* of all that it measured; 0: refused */
  char shown[64];  /* for people */
} net_row_t;

typedef struct {
  char path[192]; /* without indices */
  uint64_t digest;
} net_stat_t;

typedef struct {
  net_row_t row[NET_CASES];
  net_stat_t stat[NET_STATS];
  uint32_t rows, stats;
  const char *only; /* --show; else NULL */
  bool dealt;
} net_t;

typedef struct {
  const char *name;
  void (*run)(net_t *n);
} net_part_t;

/* A new case; NULL if nobody asks for it. */
net_row_t *net_add(net_t *n, const char *name);
/* Adds what the case measured: a JSON document, or one leaf of one. */
void net_json(net_t *n, net_row_t *row, const char *json);
void net_leaf(net_t *n, net_row_t *row, const char *path, const char *value);
/* The digest of a document that is no result. */
uint64_t net_digest(const char *json);
/* `parts` ends with a NULL name. */
int net_main(int argc, char **argv, const net_part_t *parts);
#endif
