#ifndef KERNELS_BIG_GRAPH_H
#define KERNELS_BIG_GRAPH_H
/* Graphs of a given footprint, on the device as compressed rows; every edge also leads back.
 *   uniform: a random graph in which every node has 16 edges (gmmu_content.h); computed, so it
 * costs no memory under gmmu. GAP's urand has 16 on average. kron: Kronecker (R-MAT .57 .19 .19
 * .05), 2^n nodes and 16 to 32 times as many pairs, numbered at random, as GAP's kron. a file:
 * graph_file.h. Its edges are as they are in the file. */
#include "graph_file.h"
#include "scaled.h"
#include <algorithm>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#define PIECE_EDGES ((uint64_t)1 << 22) /* a multiple of a page */

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

/* f(begin, end) over parts of [0, count), as many at once as there are processors. */
template <typename F> static void in_parts(uint64_t count, const F &f) {
  unsigned parts = std::thread::hardware_concurrency();
  parts = parts < 1 ? 1 : parts > 16 ? 16 : parts;
  std::vector<std::thread> all;
  for (unsigned i = 0; i < parts; i++)
    all.push_back(std::thread(f, count * i / parts, count * (i + 1) / parts));
  for (std::thread &t : all) t.join();
}

/* A hint: accesses to the range are random. */
static inline void in_large_pages(void *p, size_t bytes) {
  uintptr_t mask = ((uintptr_t)1 << 21) - 1, begin = ((uintptr_t)p + mask) & ~mask,
            end = ((uintptr_t)p + bytes) & ~mask;
  if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* What a permutation of gmmu_content_permute() is made of, worked out once. */
struct kron_numbers {
  uint32_t times[3], plus[3], mask, shift;
};
static inline kron_numbers kron_numbering(uint64_t seed, uint32_t scale) {
  kron_numbers n;
  uint64_t key = gmmu_content_hash(seed, ~(uint64_t)0);
  for (uint32_t k = 0; k < 3; k++) {
    uint64_t r = gmmu_content_hash(key, k);
    n.times[k] = (uint32_t)r | 1, n.plus[k] = (uint32_t)(r >> 32);
  }
  n.mask = scale < 32 ? (1u << scale) - 1 : ~0u, n.shift = (scale + 1) / 2;
  return n;
}
static inline uint32_t kron_number(const kron_numbers &n, uint32_t v) {
  for (uint32_t k = 0; k < 3; k++) {
    v = (v * n.times[k] + n.plus[k]) & n.mask;
    v ^= v >> n.shift;
  }
  return v;
}

/* Both directions of some pairs: what happens to them misses every cache, so it is asked for some
 * of them ahead. */
struct kron_batch {
  enum { PAIRS = 1024, AHEAD = 16 };
  uint32_t count, node[2 * PAIRS], other[2 * PAIRS];
  uint64_t place[2 * PAIRS];
  void count_in(uint64_t *row) {
    for (uint32_t i = 0; i < count; i++) {
      if (i + AHEAD < count) __builtin_prefetch(&row[node[i + AHEAD]], 1);
      __atomic_fetch_add(&row[node[i]], 1, __ATOMIC_RELAXED);
    }
  }
  void put_in(uint64_t *row, uint32_t *edge) {
    for (uint32_t i = 0; i < count; i++) {
      if (i + AHEAD < count) __builtin_prefetch(&row[node[i + AHEAD]], 1);
      place[i] = __atomic_sub_fetch(&row[node[i]], 1, __ATOMIC_RELAXED);
      __builtin_prefetch(&edge[place[i]], 1);
    }
    for (uint32_t i = 0; i < count; i++) edge[place[i]] = other[i];
  }
};

/* Pairs [begin, end), but for those that lead back to their own node: f(batch). Of each 64-bit
 * number, 16 bits decide a level. */
template <typename F>
static void kron_pairs(uint64_t seed, uint32_t scale, uint64_t begin, uint64_t end, const F &f) {
  const uint32_t a = 37355, ab = 49807, abc = 62259; /* .57, .76, .95 of 65536 */
  const kron_numbers numbers = kron_numbering(seed, scale);
  kron_batch b;
  b.count = 0;
  for (uint64_t i = begin; i < end; i++) {
    uint32_t from = 0, to = 0;
    for (uint32_t level = 0; level < scale; level += 4) {
      uint64_t h = gmmu_content_hash(seed, i * 8 + level / 4);
      for (uint32_t k = level; k < scale && k < level + 4; k++, h >>= 16) {
        uint32_t x = (uint32_t)h & 0xffff;
        from = from << 1 | (x >= ab);
        to = to << 1 | ((x >= a) & (x < ab)) | (x >= abc);
      }
    }
    from = kron_number(numbers, from), to = kron_number(numbers, to);
    if (from == to) continue;
    b.node[b.count] = b.other[b.count + 1] = from, b.other[b.count] = b.node[b.count + 1] = to;
    b.count += 2;
    if (b.count < 2 * kron_batch::PAIRS) continue;
    f(b);
    b.count = 0;
  }
  f(b);
}

/* The edges, an array that the host gives back piece by piece while they go to the device: the two
 * together never hold much more than the graph once. */
static inline void kron_to_device(big_graph &g, uint32_t *edge, bool keep) {
  for (uint64_t at = 0; at < g.edges; at += PIECE_EDGES) {
    uint64_t count = g.edges - at < PIECE_EDGES ? g.edges - at : PIECE_EDGES;
    CHECK(cudaMemcpy(g.edge + at, edge + at, count * sizeof *edge, cudaMemcpyHostToDevice));
    if (keep) g.host_edge.insert(g.host_edge.end(), edge + at, edge + at + count);
    madvise(edge + at, count * sizeof *edge, MADV_DONTNEED);
  }
}

/* Counts, then puts every edge into its row, then sorts rows: whoever comes first, the graph is the
 * same. */
static inline void graph_kron(big_graph &g, uint64_t seed, uint32_t scale, uint64_t factor,
                              bool keep) {
  uint64_t pairs = factor << scale;
  g.nodes = (uint64_t)1 << scale;
  g.host_row.assign(g.nodes + 1, 0);
  uint64_t *row = g.host_row.data();
  in_large_pages(row, g.host_row.size() * sizeof *row);
  in_parts(pairs, [=](uint64_t begin, uint64_t end) {
    kron_pairs(seed, scale, begin, end, [=](kron_batch &b) { b.count_in(row); });
  });
  for (uint64_t i = 1; i <= g.nodes; i++) row[i] += row[i - 1]; /* where rows end */
  g.edges = row[g.nodes];
  size_t bytes = g.edges * sizeof(uint32_t) + 1;
  void *space =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) {
    fprintf(stderr, "no memory for a graph of %llu edges\n", (unsigned long long)g.edges);
    exit(2);
  }
  uint32_t *edge = (uint32_t *)space;
  in_large_pages(edge, bytes);
  in_parts(pairs, [=](uint64_t begin, uint64_t end) { /* a row's end moves to its beginning */
                                                      kron_pairs(seed, scale, begin, end,
                                                                 [=](kron_batch &b) {
                                                                   b.put_in(row, edge);
                                                                 });
  });
  in_parts(g.nodes, [=](uint64_t begin, uint64_t end) {
    for (uint64_t n = begin; n < end; n++) std::sort(edge + row[n], edge + row[n + 1]);
  });
  g.row = device_copy(g.host_row);
  g.edge = device_new<uint32_t>(g.edges);
  kron_to_device(g, edge, keep);
  munmap(space, bytes);
}

/* ---- files ---- */

static inline void graph_from_file(big_graph &g, const scaled &s) {
  char why[400];
  graph_file_t f;
  struct stat st;
  int fd = open(s.input, O_RDONLY | O_NONBLOCK); /* a FIFO without a writer must not hold us */
  if (fd < 0 || fstat(fd, &st) < 0) {
    fprintf(stderr, "%s: %s: %s\n", s.self.name, s.input, strerror(errno));
    exit(2);
  }
  if (!S_ISREG(st.st_mode) || st.st_size == 0) {
    fprintf(stderr, "%s: %s: the file is empty, or not a regular file\n", s.self.name, s.input);
    exit(2);
  }
  void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) {
    fprintf(stderr, "%s: %s: %s\n", s.self.name, s.input, strerror(errno));
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
