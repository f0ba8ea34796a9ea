#ifndef KERNELS_SCALED_H
#define KERNELS_SCALED_H
/* What applications share whose size is a footprint:
 *   APP [--size tiny|standard|large|BYTES] [--work N] [--seed N] [--verify]
 * standard is 64 MB, large 1 GB; BYTES takes K, M and G. `work` bounds the run, not the data: about
 * so many elements are gathered, updated or visited, spread over all of it; 0 is all of them.
 * Graph applications also take [--graph kron|uniform] [--input FILE].
 *
 * Tables whose values are only read are computed (gmmu_content.h), so gmmu needs no memory for
 * them; on hardware a kernel fills them. */
#include "../../include/cuda/gmmu_content.h"
#include "app.h"
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define SCALED_WORK ((uint64_t)1 << 20)

enum scaled_graph { GRAPH_UNIFORM, GRAPH_KRON, GRAPH_FILE };

struct scaled {
  app self;
  bool tiny;
  uint64_t bytes; /* wanted */
  uint64_t work;  /* 0: all */
  scaled_graph graph;
  const char *input;
};

static inline void scaled_usage(const char *name, const char *why, bool graphs) {
  fprintf(
      stderr,
      "%s: %s\nusage: %s [--size tiny|standard|large|BYTES] [--work N] [--seed N] [--verify]%s\n",
      name, why, name, graphs ? " [--graph kron|uniform] [--input FILE]" : "");
  exit(2);
}

/* "64K", "1G", "100"; false if it is none of these or too large for 64 bits. */
static inline bool scaled_number(const char *text, uint64_t *out) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  unsigned long long v = strtoull(text, &end, 10);
  int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  if (shift) end++;
  if (*end || errno || v > ~0ull >> shift) return false;
  *out = (uint64_t)v << shift;
  return true;
}

static inline scaled scaled_begin(const char *name, int argc, char **argv, uint64_t tiny_bytes,
                                  bool graphs) {
  scaled s = {
      {name, STANDARD, 1, false}, false, (uint64_t)64 << 20, SCALED_WORK, GRAPH_UNIFORM, NULL};
  bool work_given = false;
  for (int i = 1; i < argc; i++) {
    const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(key, "--verify") == 0) {
      s.self.verify = true;
      continue;
    }
    if (!value) scaled_usage(name, "unknown argument, or its value is missing", graphs);
    i++;
    if (strcmp(key, "--seed") == 0) {
      if (!scaled_number(value, &s.self.seed)) scaled_usage(name, "--seed takes a number", graphs);
    } else if (strcmp(key, "--work") == 0) {
      if (!scaled_number(value, &s.work)) scaled_usage(name, "--work takes a number", graphs);
      work_given = true;
    } else if (strcmp(key, "--size") == 0) {
      s.tiny = strcmp(value, "tiny") == 0;
      if (s.tiny)
        s.bytes = tiny_bytes;
      else if (strcmp(value, "standard") == 0)
        s.bytes = (uint64_t)64 << 20;
      else if (strcmp(value, "large") == 0)
        s.bytes = (uint64_t)1 << 30;
      else if (!scaled_number(value, &s.bytes) || s.bytes < 65536 || s.bytes > (uint64_t)64 << 30)
        scaled_usage(name, "--size takes tiny, standard, large, or bytes from 64K to 64G", graphs);
    } else if (graphs && strcmp(key, "--graph") == 0) {
      if (strcmp(value, "kron") && strcmp(value, "uniform"))
        scaled_usage(name, "--graph takes kron or uniform", graphs);
      s.graph = strcmp(value, "kron") ? GRAPH_UNIFORM : GRAPH_KRON;
    } else if (graphs && strcmp(key, "--input") == 0) {
      s.input = value, s.graph = GRAPH_FILE;
    } else {
      scaled_usage(name, "unknown argument", graphs);
    }
  }
  if (s.tiny && !work_given) s.work = 0;
  if (s.work >> 48) s.work = 0; /* more than anything has */
  return s;
}

/* ---- parts of a grid ---- */

/* A kernel whose blocks are the same work each, of which `count` run, spread evenly over `all`. */
struct spread {
  uint64_t all;
  unsigned count;
};
static inline spread spread_over(const scaled &s, uint64_t blocks, uint64_t work_of_block) {
  uint64_t n = s.work ? (s.work + work_of_block - 1) / work_of_block : blocks;
  if (n < 64) n = 64; /* no less than a few SMs' worth */
  return spread{blocks, (unsigned)(n < blocks ? n : blocks)};
}
__device__ static inline uint64_t spread_block(uint64_t all) {
  return blockIdx.x * all / gridDim.x;
}

/* How often something is drawn that has no end: once at least, and indices of 32 bits reach. */
static inline uint32_t scaled_count(uint64_t wanted) {
  const uint64_t most = (uint64_t)1 << 26;
  return (uint32_t)(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

/* References cover whole runs. */
static inline void scaled_whole(const scaled &s, bool whole) {
  if (s.self.verify && !whole)
    scaled_usage(s.self.name, "--verify compares whole runs: add --work 0", false);
}

/* ---- tables ---- */

__global__ void scaled_fill(uint8_t *to, uint32_t kind, uint64_t seed, uint64_t n,
                            uint64_t granules) {
  uint64_t g = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (g < granules) gmmu_content_granule(kind, seed, n, g, to + g * GMMU_CONTENT_BYTES);
}

/* A new table of `count` elements that hold gmmu_content.h's `kind`. */
template <typename T>
static T *table_new(uint64_t count, uint32_t kind, uint64_t seed, uint64_t n) {
  typedef cudaError_t (*call_t)(void *, unsigned, unsigned long long, unsigned long long);
  call_t content = (call_t)dlsym(RTLD_DEFAULT, "cudaGmmuContent");
  uint64_t granules = (count * sizeof(T) + GMMU_CONTENT_BYTES - 1) / GMMU_CONTENT_BYTES;
  T *p = (T *)device_new<uint8_t>(granules * GMMU_CONTENT_BYTES);
  if (content) {
    CHECK(content(p, kind, seed, n));
    return p;
  }
  scaled_fill<<<(unsigned)((granules + 255) / 256), 256>>>((uint8_t *)p, kind, seed, n, granules);
  CHECK_LAUNCH();
  return p;
}
/* The same on the host, for references. */
template <typename T>
static std::vector<T> table_host(uint64_t count, uint32_t kind, uint64_t seed, uint64_t n) {
  uint64_t per = GMMU_CONTENT_BYTES / sizeof(T), granules = (count + per - 1) / per;
  std::vector<T> v(granules * per);
  for (uint64_t g = 0; g < granules; g++)
    gmmu_content_granule(kind, seed, n, g, (uint8_t *)v.data() + g * GMMU_CONTENT_BYTES);
  v.resize(count);
  return v;
}
/* A new table of zeroes. */
template <typename T> static T *table_zero(uint64_t count) {
  T *p = device_new<T>(count);
  CHECK(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}

/* A copy on the device of what the host has computed. Unless it is kept, the host gives its pages
 * back piece by piece, so that the two together never hold much more than one: `from` is empty
 * then.
 */
template <typename T> static T *device_move(std::vector<T> &from, bool keep) {
  const size_t piece = ((size_t)16 << 20) / sizeof(T);
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  T *to = device_new<T>(from.size());
  for (size_t at = 0; at < from.size(); at += piece) {
    size_t count = from.size() - at < piece ? from.size() - at : piece;
    CHECK(cudaMemcpy(to + at, &from[at], count * sizeof(T), cudaMemcpyHostToDevice));
    uintptr_t begin = ((uintptr_t)&from[at] + page - 1) & ~(page - 1),
              end = (uintptr_t)(from.data() + at + count) & ~(page - 1);
    if (!keep && begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED);
  }
  if (!keep) std::vector<T>().swap(from);
  return to;
}

static inline uint32_t log2_floor(uint64_t v) {
  uint32_t n = 0;
  while (v >> (n + 1)) n++;
  return n;
}
/* Side of the square matrix of floats that has so many bytes, a multiple of 256. */
static inline uint64_t square_side(uint64_t bytes) {
  uint64_t n = 256;
  while ((n + 256) * (n + 256) * sizeof(float) <= bytes) n += 256;
  return n;
}
static inline void free_all(std::vector<void *> all) {
  for (void *p : all) CHECK(cudaFree(p));
}
#endif
