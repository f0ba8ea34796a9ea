#ifndef KERNELS_BIG_GRAPH_H
#define KERNELS_BIG_GRAPH_H
/* Graphs of a given footprint, on the device as compressed rows; every edge also leads back.
 *   uniform: a random graph in which every node has 16 edges (gmmu_content.h); computed, so it
 * costs no memory under gmmu. GAP's urand has 16 on average. kron: Kronecker (R-MAT .57 .19 .19
 * .05), 2^n nodes and 16 to 32 times as many pairs, numbered at random, as GAP's kron. It is made
 * again for each piece of 128 million edges rather than held. a file: graph_file.h. Its edges are
 * as they are in the file. */
#include "graph_file.h"
#include "scaled.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_EDGES ((uint64_t)1 << 27)

struct big_graph {
  uint64_t nodes, edges;
  uint64_t *row;                  /* [nodes + 1], device */
  uint32_t *edge;                 /* [edges], sorted within a row */
  float *value;                   /* of a file that has some; else NULL */
  uint32_t source;                /* a node with edges, by the seed */
  std::vector<uint64_t> host_row; /* for references; of uniform graphs only with --verify */
  std::vector<uint32_t> host_edge;
  std::vector<float> host_value;
  uint64_t degree() const { return edges / nodes ? edges / nodes : 1; }
};

/* ---- Kronecker ---- */

struct kron_pair {
  uint32_t from, to;
};
/* Pair i: of each 64-bit number, 16 bits decide a level. */
static inline kron_pair kron_at(uint64_t seed, uint32_t scale, uint64_t i) {
  const uint32_t a = 37355, ab = 49807, abc = 62259; /* .57, .76, .95 of 65536 */
  uint32_t from = 0, to = 0;
  for (uint32_t level = 0; level < scale; level += 4) {
    uint64_t h = gmmu_content_hash(seed, i * 8 + level / 4);
    for (uint32_t k = level; k < scale && k < level + 4; k++, h >>= 16) {
      uint32_t x = (uint32_t)h & 0xffff;
      from = from << 1 | (x >= ab);
      to = to << 1 | ((x >= a) & (x < ab)) | (x >= abc);
    }
  }
  uint64_t key = gmmu_content_hash(seed, ~(uint64_t)0);
  return kron_pair{gmmu_content_permute(key, scale, from), gmmu_content_permute(key, scale, to)};
}

/* The piece of rows [first, last), sorted, to its place on the device. */
static inline void kron_piece(big_graph &g, uint64_t seed, uint32_t scale, uint64_t pairs,
                              uint64_t first, uint64_t last, bool keep) {
  uint64_t begin = g.host_row[first];
  std::vector<uint32_t> edge(g.host_row[last] - begin);
  std::vector<uint64_t> at(g.host_row.begin() + (long)first, g.host_row.begin() + (long)last);
  for (uint64_t i = 0; i < pairs; i++) {
    kron_pair p = kron_at(seed, scale, i);
    if (p.from == p.to) continue;
    if (p.from >= first && p.from < last) edge[at[p.from - first]++ - begin] = p.to;
    if (p.to >= first && p.to < last) edge[at[p.to - first]++ - begin] = p.from;
  }
  for (uint64_t n = first; n < last; n++)
    std::sort(edge.begin() + (long)(g.host_row[n] - begin),
              edge.begin() + (long)(g.host_row[n + 1] - begin));
  if (!edge.empty())
    CHECK(cudaMemcpy(g.edge + begin, edge.data(), edge.size() * 4, cudaMemcpyHostToDevice));
  if (keep) g.host_edge.insert(g.host_edge.end(), edge.begin(), edge.end());
}

static inline void graph_kron(big_graph &g, uint64_t seed, uint32_t scale, uint64_t factor,
                              bool keep) {
  uint64_t pairs = factor << scale;
  g.nodes = (uint64_t)1 << scale;
  g.host_row.assign(g.nodes + 1, 0);
  for (uint64_t i = 0; i < pairs; i++) {
    kron_pair p = kron_at(seed, scale, i);
    if (p.from != p.to) g.host_row[p.from + 1]++, g.host_row[p.to + 1]++;
  }
  for (uint64_t i = 0; i < g.nodes; i++) g.host_row[i + 1] += g.host_row[i];
  g.edges = g.host_row[g.nodes];
  g.row = device_copy(g.host_row);
  g.edge = device_new<uint32_t>(g.edges);
  for (uint64_t first = 0, last; first < g.nodes; first = last) {
    for (last = first + 1;
         last < g.nodes && g.host_row[last + 1] - g.host_row[first] <= PIECE_EDGES;)
      last++;
    kron_piece(g, seed, scale, pairs, first, last, keep);
  }
}

/* ---- files ---- */

static inline void graph_from_file(big_graph &g, const scaled &s) {
  char why[400];
  graph_file_t f;
  struct stat st;
  int fd = open(s.input, O_RDONLY);
  void *bytes = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0
                    ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                    : MAP_FAILED;
  if (bytes == MAP_FAILED) {
    fprintf(stderr, "%s: %s cannot be read, or is empty or no file\n", s.self.name, s.input);
    exit(2);
  }
  if (graph_file_parse(s.input, bytes, (size_t)st.st_size, &f, why, sizeof why) < 0) {
    fprintf(stderr, "%s: %s\n", s.self.name, why);
    exit(2);
  }
  munmap(bytes, (size_t)st.st_size), close(fd);
  if (!f.edges) {
    fprintf(stderr, "%s: %s has no edges\n", s.self.name, s.input);
    exit(2);
  }
  g.nodes = f.nodes, g.edges = f.edges;
  g.host_row.assign(f.row, f.row + f.nodes + 1);
  g.host_edge.assign(f.edge, f.edge + f.edges);
  if (f.value) g.host_value.assign(f.value, f.value + f.edges);
  graph_file_free(&f);
  if (g.host_value.empty()) /* values keep their places; edges alone are sorted */
    for (uint64_t n = 0; n < g.nodes; n++)
      std::sort(g.host_edge.begin() + (long)g.host_row[n],
                g.host_edge.begin() + (long)g.host_row[n + 1]);
  g.row = device_copy(g.host_row), g.edge = device_copy(g.host_edge);
  if (!g.host_value.empty()) g.value = device_copy(g.host_value);
}

/* ---- any ---- */

/* `node_bytes` and `edge_bytes`: what the application needs besides rows and edges. */
static inline big_graph graph_open(const scaled &s, uint64_t node_bytes, uint64_t edge_bytes) {
  big_graph g = {};
  uint64_t seed = s.self.seed;
  rng r(seed);
  if (s.graph == GRAPH_FILE) {
    graph_from_file(g, s);
  } else if (s.graph == GRAPH_KRON) {
    uint64_t of_pair = 2 * (4 + edge_bytes);
    uint32_t scale = log2_floor(s.bytes / (node_bytes + 8 + 16 * of_pair));
    uint64_t factor = ((s.bytes >> scale) - node_bytes - 8) / of_pair;
    graph_kron(g, seed, scale, factor < 32 ? factor : 32, s.self.verify);
  } else {
    uint32_t scale =
        log2_floor(s.bytes / (node_bytes + 8 + GMMU_CONTENT_DEGREE * (4 + edge_bytes)));
    g.nodes = (uint64_t)1 << scale, g.edges = g.nodes * GMMU_CONTENT_DEGREE;
    g.row = table_new<uint64_t>(g.nodes + 1, GMMU_CONTENT_STEP64, 0, GMMU_CONTENT_DEGREE);
    g.edge = table_new<uint32_t>(g.edges, GMMU_CONTENT_REGULAR32, seed, scale);
    if (s.self.verify) {
      g.host_row = table_host<uint64_t>(g.nodes + 1, GMMU_CONTENT_STEP64, 0, GMMU_CONTENT_DEGREE);
      g.host_edge = table_host<uint32_t>(g.edges, GMMU_CONTENT_REGULAR32, seed, scale);
    }
  }
  do g.source = r.below((uint32_t)g.nodes);
  while (s.graph != GRAPH_UNIFORM && g.host_row[g.source] == g.host_row[g.source + 1]);
  if (s.self.verify) return g;
  g.host_row = std::vector<uint64_t>(), g.host_edge = std::vector<uint32_t>();
  g.host_value = std::vector<float>();
  return g;
}
#endif
