#include "net.h"
#include "base/file.h"
#include "digest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* ---- collecting ---- */

net_row_t *net_add(net_t *n, const char *name) {
  if (n->only && strcmp(n->only, name) != 0) return NULL;
  if (n->rows == NET_CASES) die(name, "too many cases");
  net_row_t *row = &n->row[n->rows++];
  snprintf(row->name, sizeof row->name, "%s", name);
  return row;
}

static net_stat_t *stat_of(net_t *n, const char *path) {
  char plain[sizeof n->stat->path];
  size_t k = 0;
  for (const char *p = path; *p && k + 1 < sizeof plain; p++) {
    plain[k++] = *p;
    if (*p == '[') p += strspn(p + 1, "0123456789");
  }
  plain[k] = 0;
  uint32_t i = 0;
  while (i < n->stats && strcmp(n->stat[i].path, plain)) i++;
  if (i == NET_STATS) die(path, "too many statistics");
  if (i == n->stats) memcpy(n->stat[n->stats++].path, plain, k + 1);
  return &n->stat[i];
}

void net_leaf(net_t *n, net_row_t *row, const char *path, const char *value) {
  uint64_t h = digest_leaf(path, value);
  row->result += h;
  stat_of(n, path)->digest += h ^ digest_text(row->name);
}

typedef struct {
  net_t *net;
  net_row_t *row;
} place_t;

static void add_leaf(void *ctx, const char *path, const char *value) {
  const place_t *p = ctx;
  net_leaf(p->net, p->row, path, value);
}

void net_json(net_t *n, net_row_t *row, const char *json) {
  place_t p = {n, row};
  if (n->only) fputs(json, stdout);
  if (!digest_leaves(json, add_leaf, &p)) die(row->name, "no JSON");
}

static void sum_leaf(void *ctx, const char *path, const char *value) {
  *(uint64_t *)ctx += digest_leaf(path, value);
}

uint64_t net_digest(const char *json) {
  uint64_t sum = 0;
  if (!digest_leaves(json, sum_leaf, &sum)) die("digest", "no JSON");
  return sum;
}

/* ---- the golden ---- */

static void row_text(const net_row_t *r, char *out, size_t size) {
  int n = snprintf(out, size, "case %-30s %016llx ", r->name, (unsigned long long)r->what);
  if (r->result)
    snprintf(out + n, size - (size_t)n, "%016llx%s%s", (unsigned long long)r->result,
             r->shown[0] ? " " : "", r->shown);
  else
    snprintf(out + n, size - (size_t)n, "refused");
}

static void stat_text(const net_stat_t *s, char *out, size_t size) {
  snprintf(out, size, "statistic %-60s %016llx", s->path, (unsigned long long)s->digest);
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const net_stat_t *)a)->path, ((const net_stat_t *)b)->path);
}

static int print_golden(const net_t *n) {
  char line[320];
  puts("# Made by scripts/gen-golden.sh: do not edit.\n"
       "# case NAME, the digests of what it runs and of what it measured, and figures for people;\n"
       "# statistic NAME, its digest over all cases.");
  for (uint32_t i = 0; i < n->rows; i++) row_text(&n->row[i], line, sizeof line), puts(line);
  for (uint32_t i = 0; i < n->stats; i++) stat_text(&n->stat[i], line, sizeof line), puts(line);
  return 0;
}

typedef struct {
  const char *golden, *part, *program;
  uint32_t n, failed;
} tap_t;

/* The golden's line that begins with the first two words of `like`; false if there is none. */
static bool find_line(const tap_t *t, const char *like, char *out, size_t size) {
  size_t head = strcspn(like, " ") + 1;
  head += strcspn(like + head, " ") + 1;
  for (const char *p = t->golden; *p; p += strcspn(p, "\n"), p += *p == '\n') {
    if (strncmp(p, like, head)) continue;
    snprintf(out, size, "%.*s", (int)strcspn(p, "\n"), p);
    return true;
  }
  return false;
}

/* Every case is a test; a statistic only if it moved. */
static void compare(tap_t *t, const char *name, const char *line, bool is_case) {
  char want[320];
  bool there = find_line(t, line, want, sizeof want);
  bool same = there && strcmp(want, line) == 0;
  if (is_case || !same) printf("%s %u - %s\n", same ? "ok" : "not ok", ++t->n, name);
  if (same) return;
  t->failed++;
  printf("#  golden: %s\n#  now:    %s\n", there ? want : "none", line);
  if (is_case)
    printf("#  what it measured: %s %s --show %s; diff it with what a build of the commit before "
           "prints\n",
           t->program, t->part, name);
}

static void check_gone(tap_t *t, const net_t *n) {
  char name[64];
  for (const char *p = t->golden; *p; p += strcspn(p, "\n"), p += *p == '\n') {
    if (sscanf(p, "case %63s", name) != 1) continue;
    uint32_t i = 0;
    while (i < n->rows && strcmp(n->row[i].name, name)) i++;
    if (i < n->rows) continue;
    printf("not ok %u - %s is in the golden, but there is no such case\n", ++t->n, name);
    t->failed++;
  }
}

/* Statistics are sums over all cases: of fewer, they are not the golden's. */
static void check_all(tap_t *t, const net_t *n) {
  char line[320];
  for (uint32_t i = 0; i < n->stats; i++) {
    stat_text(&n->stat[i], line, sizeof line);
    compare(t, n->stat[i].path, line, false);
  }
  check_gone(t, n);
}

static int check(const net_t *n, const char *program, const char *part, const char *path) {
  char line[320];
  strbuf_t golden;
  err_t e = {0};
  strbuf_init(&golden);
  if (file_read(path, 1 << 20, &golden, &e) < 0) die(path, e.text);
  tap_t t = {.golden = strbuf_text(&golden), .part = part, .program = program};
  for (uint32_t i = 0; i < n->rows; i++) {
    row_text(&n->row[i], line, sizeof line);
    compare(&t, n->row[i].name, line, true);
  }
  if (!n->dealt) check_all(&t, n);
  if (t.failed) puts("# if this was meant to change: scripts/gen-golden.sh");
  printf("1..%u\n", t.n);
  strbuf_fini(&golden);
  return t.failed > 0;
}

int net_main(int argc, char **argv, const net_part_t *parts) {
  static net_t net; /* large */
  bool show = argc == 4 && strcmp(argv[2], "--show") == 0;
  net.dealt = argc == 4 && strcmp(argv[3], "dealt") == 0 && !show;
  while (argc > 1 && parts->name && strcmp(parts->name, argv[1])) parts++;
  if (argc != (show || net.dealt ? 4 : 3) || !parts->name)
    die("usage", "PART GOLDEN [dealt], PART --golden or PART --show CASE");
  if (show) net.only = argv[3];
  parts->run(&net);
  if (!show && !net.rows) die(argv[1], "no case");
  if (show) return !net.rows;
  qsort(net.stat, net.stats, sizeof *net.stat, by_path);
  return strcmp(argv[2], "--golden") ? check(&net, argv[0], argv[1], argv[2]) : print_golden(&net);
}
