#ifndef KERNELS_GRAPH_FILE_H
#define KERNELS_GRAPH_FILE_H
/* Graphs and sparse matrices from files, as compressed rows. Three formats, told apart by content:
 *   Matrix Market: coordinate; real, integer or pattern; general, symmetric or skew-symmetric.
 *   Edge list: "FROM TO [VALUE]" a line, from 0, separated by spaces, tabs or commas; lines that
 * begin with # or % are comments. There are as many nodes as the largest number says. Binary rows:
 * GAP's serialised graphs (.sg), little endian: a byte 0 or 1 (directed), edges, nodes (int64
 * each), where each node's edges begin (int64 [nodes + 1]), the edges (int32 each); what follows,
 * the incoming edges of a directed graph, is not needed. The file is hostile until it is parsed:
 * every number is checked, and memory is asked for only as far as the file's size makes the numbers
 * credible. C and C++. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t nodes, edges;
  uint64_t *row;  /* [nodes + 1] */
  uint32_t *edge; /* [edges], in the file's order within a row */
  float *value;   /* [edges]; NULL: the file has none */
} graph_file_t;

/* Numbers of nodes that few edges cannot justify are taken for damage. */
#define GRAPH_FILE_FREE_NODES    ((uint64_t)1 << 20)
#define GRAPH_FILE_NODES_OF_EDGE 64u
#define GRAPH_FILE_MAX_NODES     ((uint64_t)0xfffffffe)

typedef struct {
  const char *name;
  const char *at, *end;
  uint64_t line;
  char *why;
  size_t why_size;
} graph_reader_t;

static inline int graph_fail(graph_reader_t *r, const char *what) {
  if (r->line)
    snprintf(r->why, r->why_size, "%.200s:%llu: %s", r->name, (unsigned long long)r->line, what);
  else
    snprintf(r->why, r->why_size, "%.200s: %s", r->name, what);
  return -1;
}

static inline void graph_file_free(graph_file_t *g) {
  free(g->row), free(g->edge), free(g->value);
  memset(g, 0, sizeof *g);
}

/* ---- text ---- */

static inline int graph_is_gap(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

static inline void graph_skip_gaps(graph_reader_t *r) {
  while (r->at < r->end && graph_is_gap(*r->at)) r->at++;
}

static inline void graph_skip_line(graph_reader_t *r) {
  while (r->at < r->end && *r->at != '\n') r->at++;
  if (r->at < r->end) r->at++;
  r->line++;
}

/* To the next line that says something; 0 at the end of the file. */
static inline int graph_next_line(graph_reader_t *r) {
  for (;;) {
    graph_skip_gaps(r);
    if (r->at == r->end) return 0;
    if (*r->at != '\n' && *r->at != '#' && *r->at != '%') return 1;
    graph_skip_line(r);
  }
}

static inline int graph_whole(graph_reader_t *r, uint64_t *out) {
  uint64_t v = 0;
  int digits = 0;
  graph_skip_gaps(r);
  for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, digits++) {
    if (v > (UINT64_MAX - 9) / 10) return graph_fail(r, "a number is too large");
    v = v * 10 + (uint64_t)(*r->at - '0');
  }
  if (!digits) return graph_fail(r, "a whole number is missing");
  if (r->at < r->end && *r->at != '\n' && !graph_is_gap(*r->at))
    return graph_fail(r, "something else than a whole number");
  *out = v;
  return 0;
}

/* 1, -2.5, 1e-3; what is beyond a float's range becomes the nearest end of it. */
static inline int graph_real(graph_reader_t *r, float *out) {
  double v = 0, scale = 1;
  int digits = 0, negative = 0, down = 0, power = 0, i;
  graph_skip_gaps(r);
  if (r->at < r->end && (*r->at == '-' || *r->at == '+')) negative = *r->at++ == '-';
  for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, digits++)
    v = v * 10 + (*r->at - '0');
  if (r->at < r->end && *r->at == '.')
    for (r->at++; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, digits++)
      scale /= 10, v += scale * (*r->at - '0');
  if (!digits) return graph_fail(r, "a value is missing");
  if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
    r->at++;
    if (r->at < r->end && (*r->at == '-' || *r->at == '+')) down = *r->at++ == '-';
    if (r->at == r->end || *r->at < '0' || *r->at > '9')
      return graph_fail(r, "an exponent is missing");
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
      if (power < 400) power = power * 10 + (*r->at - '0');
  }
  if (r->at < r->end && *r->at != '\n' && !graph_is_gap(*r->at))
    return graph_fail(r, "something else than a value");
  if (power > 400) power = 400;
  for (i = 0; i < power; i++) v = down ? v / 10 : v * 10;
  if (!(v < 3.0e38)) v = 3.0e38;
  *out = (float)(negative ? -v : v);
  return 0;
}

static inline int graph_line_end(graph_reader_t *r) {
  graph_skip_gaps(r);
  if (r->at < r->end && *r->at != '\n') return graph_fail(r, "more on the line than belongs there");
  graph_skip_line(r);
  return 0;
}

/* What a text file says of itself. */
typedef struct {
  uint64_t rows, columns, entries; /* Matrix Market; edge list: found by a first pass */
  int market, values, mirrored;    /* mirrored: 1 symmetric, -1 skew-symmetric */
} graph_head_t;

static inline int graph_entry(graph_reader_t *r, const graph_head_t *h, uint64_t *from,
                              uint64_t *to, float *value) {
  *value = 1;
  if (graph_whole(r, from) < 0 || graph_whole(r, to) < 0) return -1;
  if (h->market) {
    if (*from < 1 || *from > h->rows) return graph_fail(r, "the row is outside the matrix");
    if (*to < 1 || *to > h->columns) return graph_fail(r, "the column is outside the matrix");
    --*from, --*to;
  } else if (*from > GRAPH_FILE_MAX_NODES || *to > GRAPH_FILE_MAX_NODES) {
    return graph_fail(r, "the number of a node is too large");
  }
  graph_skip_gaps(r);
  if (h->values || (!h->market && r->at < r->end && *r->at != '\n'))
    if (graph_real(r, value) < 0) return -1;
  return graph_line_end(r);
}

static inline int graph_word(graph_reader_t *r, const char *const *words, const char *what) {
  int i;
  const char *begin;
  while (r->at < r->end && *r->at == ' ') r->at++;
  begin = r->at;
  while (r->at < r->end && *r->at != ' ' && *r->at != '\n' && *r->at != '\r') r->at++;
  for (i = 0; words[i]; i++) {
    size_t n = strlen(words[i]), k = 0;
    if (n != (size_t)(r->at - begin)) continue;
    while (k < n && (begin[k] | 32) == (words[i][k] | 32)) k++;
    if (k == n) return i;
  }
  return graph_fail(r, what);
}

static inline int graph_market_head(graph_reader_t *r, graph_head_t *h) {
  static const char *const object[] = {"matrix", NULL}, *const format[] = {"coordinate", NULL},
                           *const field[] = {"pattern", "real", "integer", NULL},
                           *const symmetry[] = {"general", "symmetric", "skew-symmetric", NULL};
  int f, s;
  r->at += strlen("%%MatrixMarket");
  if (graph_word(r, object, "only Matrix Market files of a matrix are read") < 0 ||
      graph_word(r, format, "only Matrix Market's coordinate format is read") < 0)
    return -1;
  f = graph_word(r, field, "the values must be real, integer or pattern");
  if (f < 0) return -1;
  s = graph_word(r, symmetry, "the symmetry must be general, symmetric or skew-symmetric");
  if (s < 0) return -1;
  h->market = 1, h->values = f != 0, h->mirrored = s == 0 ? 0 : s == 1 ? 1 : -1;
  graph_skip_line(r);
  if (!graph_next_line(r))
    return graph_fail(r, "the line with rows, columns and entries is missing");
  if (graph_whole(r, &h->rows) < 0 || graph_whole(r, &h->columns) < 0 ||
      graph_whole(r, &h->entries) < 0 || graph_line_end(r) < 0)
    return -1;
  if (h->mirrored && h->rows != h->columns)
    return graph_fail(r, "a symmetric matrix must be square");
  if (h->entries > (uint64_t)(r->end - r->at) / 4 + 1) /* "1 1\n" */
    return graph_fail(r, "the file is too short for the number of entries it gives");
  return 0;
}

/* An edge list has no head: its largest number and its lines are counted. */
static inline int graph_list_head(graph_reader_t *r, graph_head_t *h) {
  while (graph_next_line(r)) {
    uint64_t from, to;
    float value;
    if (graph_entry(r, h, &from, &to, &value) < 0) return -1;
    if (from >= h->rows) h->rows = from + 1;
    if (to >= h->rows) h->rows = to + 1;
    h->entries++;
  }
  h->columns = h->rows;
  return 0;
}

/* Goes through the entries: first to count, then, with g->edge, to place them. */
static inline int graph_entries(graph_reader_t *r, const graph_head_t *h, graph_file_t *g) {
  uint64_t n = 0;
  for (; graph_next_line(r); n++) {
    uint64_t from, to;
    float value;
    if (n == h->entries) return graph_fail(r, "more entries than the file gives itself");
    if (graph_entry(r, h, &from, &to, &value) < 0) return -1;
    if (g->edge) {
      g->edge[g->row[from]] = (uint32_t)to;
      if (g->value) g->value[g->row[from]] = value;
    }
    g->row[from]++;
    if (!h->mirrored || from == to) continue;
    if (g->edge) {
      g->edge[g->row[to]] = (uint32_t)from;
      if (g->value) g->value[g->row[to]] = h->mirrored > 0 ? value : -value;
    }
    g->row[to]++;
  }
  return n == h->entries ? 0 : graph_fail(r, "fewer entries than the file gives itself");
}

static inline int graph_no_memory(graph_reader_t *r) {
  r->line = 0;
  return graph_fail(r, "no memory for the graph");
}

static inline int graph_text(graph_reader_t *r, const graph_head_t *h, graph_file_t *g) {
  graph_reader_t again = *r;
  uint64_t i, sum = 0;
  g->nodes = h->rows > h->columns ? h->rows : h->columns;
  if (!g->nodes) return graph_fail(r, "there is no node");
  if (g->nodes > GRAPH_FILE_MAX_NODES ||
      g->nodes > GRAPH_FILE_FREE_NODES + GRAPH_FILE_NODES_OF_EDGE * h->entries)
    return graph_fail(r, "far more nodes than the entries can connect");
  g->row = (uint64_t *)calloc(g->nodes + 1, sizeof *g->row);
  if (!g->row) return graph_no_memory(r);
  if (graph_entries(r, h, g) < 0) return -1;
  for (i = 0; i <= g->nodes; i++) {
    uint64_t n = g->row[i];
    g->row[i] = sum;
    sum += n;
  }
  g->edges = sum;
  g->edge = (uint32_t *)malloc((sum ? sum : 1) * sizeof *g->edge);
  if (h->values) g->value = (float *)malloc((sum ? sum : 1) * sizeof *g->value);
  if (!g->edge || (h->values && !g->value)) return graph_no_memory(r);
  if (graph_entries(&again, h, g) < 0) return -1;
  for (i = g->nodes; i > 0; i--)
    g->row[i] = g->row[i - 1]; /* placing moved each to the next one's */
  g->row[0] = 0;
  return 0;
}

/* ---- binary ---- */

static inline int64_t graph_word64(const char *at) {
  int64_t v;
  memcpy(&v, at, 8);
  return v;
}

/* Rows and edges are checked where they lie in the file, before memory is asked for: a file may
 * have holes, so its size proves little. */
static inline int graph_binary(graph_reader_t *r, graph_file_t *g) {
  uint64_t size = (uint64_t)(r->end - r->at), i;
  const char *rows = r->at + 17, *to;
  int64_t edges, nodes;
  r->line = 0;
  if (size < 17) return graph_fail(r, "the file ends within its head");
  edges = graph_word64(r->at + 1), nodes = graph_word64(r->at + 9);
  if (nodes <= 0 || (uint64_t)nodes > GRAPH_FILE_MAX_NODES || (uint64_t)nodes >= (size - 17) / 8)
    return graph_fail(r, "the number of nodes does not fit the file");
  g->nodes = (uint64_t)nodes;
  size -= 17 + 8 * (g->nodes + 1);
  if (edges < 0 || (uint64_t)edges > size / 4)
    return graph_fail(r, "the number of edges does not fit the file");
  g->edges = (uint64_t)edges;
  to = rows + 8 * (g->nodes + 1);
  if (graph_word64(rows) != 0 || graph_word64(rows + 8 * g->nodes) != edges)
    return graph_fail(r, "the rows do not cover the edges");
  for (i = 0; i < g->nodes; i++)
    if ((uint64_t)graph_word64(rows + 8 * i) > (uint64_t)graph_word64(rows + 8 * (i + 1)))
      return graph_fail(r, "the rows are not in order");
  for (i = 0; i < g->edges; i++) {
    uint32_t node;
    memcpy(&node, to + 4 * i, 4);
    if (node >= g->nodes) return graph_fail(r, "an edge leads to no node");
  }
  g->row = (uint64_t *)malloc((g->nodes + 1) * sizeof *g->row);
  g->edge = (uint32_t *)malloc((g->edges ? g->edges : 1) * sizeof *g->edge);
  if (!g->row || !g->edge) return graph_no_memory(r);
  memcpy(g->row, rows, (g->nodes + 1) * 8);
  memcpy(g->edge, to, g->edges * 4);
  return 0;
}

/* ---- any ---- */

/* In any case of the letters: "%%matrixmarket" is no comment of an edge list. */
static inline int graph_is_market(const char *at, uint64_t size) {
  static const char market[] = "%%matrixmarket";
  uint64_t i;
  if (size < sizeof market - 1) return 0;
  for (i = 0; i < sizeof market - 1; i++)
    if (at[i] != market[i] && !(at[i] >= 'A' && at[i] <= 'Z' && (at[i] | 32) == market[i]))
      return 0;
  return 1;
}

/* Graphs are often kept compressed. */
static inline const char *graph_packed(const char *at, uint64_t size) {
  static const struct {
    const char *magic, *why;
  } known[] = {{"\x1f\x8b", "the file is compressed: unpack it with gunzip first"},
               {"BZh", "the file is compressed: unpack it with bunzip2 first"},
               {"\xfd"
                "7zXZ",
                "the file is compressed: unpack it with unxz first"},
               {"\x28\xb5\x2f\xfd", "the file is compressed: unpack it with unzstd first"},
               {"PK\x03\x04", "the file is an archive: unpack it first"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t n = strlen(known[i].magic);
    if (size >= n && memcmp(at, known[i].magic, n) == 0) return known[i].why;
  }
  return NULL;
}

/* 0, or -1 with a sentence in `why`, and *g empty. */
static inline int graph_file_parse(const char *name, const void *bytes, size_t size,
                                   graph_file_t *g, char *why, size_t why_size) {
  graph_reader_t r = {name, (const char *)bytes, (const char *)bytes + size, 1, why, why_size};
  graph_head_t h;
  const char *packed;
  int rc;
  memset(&h, 0, sizeof h);
  memset(g, 0, sizeof *g);
  if (!size) {
    r.line = 0;
    return graph_fail(&r, "the file is empty");
  }
  packed = graph_packed(r.at, size);
  if (packed) {
    r.line = 0;
    return graph_fail(&r, packed);
  }
  if (size >= 3 && memcmp(r.at, "\xef\xbb\xbf", 3) == 0) r.at += 3, size -= 3; /* a BOM */
  if (!size) return graph_fail(&r, "there is no node");
  if (*r.at == 0 || *r.at == 1) {
    rc = graph_binary(&r, g);
  } else if (graph_is_market(r.at, size)) {
    rc = graph_market_head(&r, &h);
    if (rc == 0) rc = graph_text(&r, &h, g);
  } else {
    graph_reader_t first = r;
    rc = graph_list_head(&first, &h);
    if (rc == 0) rc = graph_text(&r, &h, g);
  }
  if (rc < 0) graph_file_free(g);
  return rc;
}
#endif
