/* PJOIN: the same join as `join`, partitioned first, so that translation costs less: both sides are
 * scattered into partitions by their keys' low bits, in one pass or two, so that a pass writes to
 * few places at a time; then a block joins one pair of partitions with a table in shared memory.
 *
 * A block scatters a tile: it counts where its tuples go, takes as much of each partition by an
 * atomic addition to the partition's cursor, and writes. Of a part of the tiles, each partition
 * begins where it would among all of them, since the keys are uniform, and what a pass did not
 * write holds random keys: the next pass and the join read what they would. */
#include "../common/scaled.h"
#include <algorithm>

#define BLOCK     256
#define TILE      4096u /* tuples of a block while partitioning */
#define LOG_PART  10u   /* tuples of a last partition, about */
#define MOST_BITS 11u   /* of a pass: the counts of a block are in shared memory */
#define ONE_PASS  9u    /* bits up to which one pass is enough */
#define SLOTS     4096u

/* Tuples of one side before a pass: keys in order, or tuples that a pass has written. */
struct keys {
  const uint32_t *key;
  __device__ uint2 at(uint64_t i) const { return make_uint2(key[i], (uint32_t)i); }
};
struct tuples {
  const uint2 *tuple;
  __device__ uint2 at(uint64_t i) const { return tuple[i]; }
};

/* A pass: by bits [shift, shift + bits) of the key, each of the partitions that the bits below have
 * made, which begin at begin[]; a partition has up to `tiles` tiles. Blocks are spread over them.
 */
struct pass {
  const uint64_t *begin;
  uint64_t tiles;
  uint32_t shift, bits;
};
struct range {
  uint64_t from, to;
  uint32_t partition;
};
__device__ static inline range tile_of(const pass &p) {
  uint64_t tile = spread_block(p.tiles << p.shift), partition = tile / p.tiles,
           from = p.begin[partition] + tile % p.tiles * TILE, end = p.begin[partition + 1];
  return range{from < end ? from : end, from + TILE < end ? from + TILE : end, (uint32_t)partition};
}
/* The partition after the pass: those of one before it lie one behind the other. */
__device__ static inline uint32_t place_of(const pass &p, uint32_t key) {
  return key >> p.shift & ((1u << p.bits) - 1);
}

template <typename T>
__device__ static inline void count_tile(const T &in, const pass &p, const range &r,
                                         uint32_t *own) {
  for (uint32_t i = threadIdx.x; i < 1u << p.bits; i += BLOCK) own[i] = 0;
  __syncthreads();
  for (uint64_t i = r.from + threadIdx.x; i < r.to; i += BLOCK)
    atomicAdd(&own[place_of(p, in.at(i).x)], 1);
  __syncthreads();
}

template <typename T> __global__ void count(T in, pass p, unsigned long long *counts) {
  __shared__ uint32_t own[1 << MOST_BITS];
  range r = tile_of(p);
  count_tile(in, p, r, own);
  for (uint32_t i = threadIdx.x; i < 1u << p.bits; i += BLOCK)
    if (own[i]) atomicAdd(&counts[((uint64_t)r.partition << p.bits) + i], own[i]);
}

template <typename T>
__global__ void scatter(T in, pass p, unsigned long long *cursor, uint2 *out) {
  __shared__ uint32_t own[1 << MOST_BITS];
  __shared__ unsigned long long next[1 << MOST_BITS];
  range r = tile_of(p);
  count_tile(in, p, r, own);
  for (uint32_t i = threadIdx.x; i < 1u << p.bits; i += BLOCK)
    if (own[i]) next[i] = atomicAdd(&cursor[((uint64_t)r.partition << p.bits) + i], own[i]);
  __syncthreads();
  for (uint64_t i = r.from + threadIdx.x; i < r.to; i += BLOCK) {
    uint2 t = in.at(i);
    out[atomicAdd(&next[place_of(p, t.x)], 1ull)] = t;
  }
}

__global__ void join(const uint2 *r, const uint64_t *r_begin, const uint2 *q,
                     const uint64_t *q_begin, uint32_t log_parts, unsigned long long *found) {
  __shared__ uint32_t key[SLOTS], number[SLOTS];
  uint64_t p = spread_block((uint64_t)1 << log_parts);
  for (uint32_t i = threadIdx.x; i < SLOTS; i += BLOCK) key[i] = 0;
  __syncthreads();
  for (uint64_t i = r_begin[p] + threadIdx.x; i < r_begin[p + 1]; i += BLOCK) {
    uint2 t = r[i];
    uint32_t at = (t.x >> log_parts) * 2654435769u >> 20;
    while (atomicCAS(&key[at], 0, t.x + 1) != 0) at = (at + 1) % SLOTS;
    number[at] = t.y;
  }
  __syncthreads();
  unsigned long long matches = 0, sum = 0;
  for (uint64_t i = q_begin[p] + threadIdx.x; i < q_begin[p + 1]; i += BLOCK) {
    uint2 t = q[i];
    uint32_t at = (t.x >> log_parts) * 2654435769u >> 20;
    while (key[at] && key[at] != t.x + 1) at = (at + 1) % SLOTS;
    if (key[at]) matches++, sum += number[at];
  }
  if (!matches) return;
  atomicAdd(&found[0], matches);
  atomicAdd(&found[1], sum);
}

/* One side: its partitions one behind the other, and where each begins. */
struct side {
  uint2 *tuple;
  uint64_t *begin;
};

/* Partitions after a pass, from those before it; the new begins replace `begin`. */
template <typename T>
static side scattered(const scaled &s, const T &in, uint64_t all, std::vector<uint64_t> &begin,
                      uint32_t shift, uint32_t bits) {
  uint64_t most = 0, parts = (uint64_t)1 << (shift + bits);
  for (size_t i = 0; i + 1 < begin.size(); i++) most = std::max(most, begin[i + 1] - begin[i]);
  uint64_t tiles = (most + TILE - 1) / TILE;
  spread part = spread_over(s, tiles << shift, TILE);
  bool whole = part.count == part.all;
  uint64_t *dbegin = device_copy(begin);
  unsigned long long *counts = table_zero<unsigned long long>(parts);
  pass p = {dbegin, tiles, shift, bits};
  count<<<part.count, BLOCK>>>(in, p, counts);
  CHECK_LAUNCH();
  std::vector<unsigned long long> n = from_device(counts, parts);
  uint64_t size = all; /* a part's last partition may be fuller than all / parts */
  begin.assign(parts + 1, all);
  for (uint64_t i = 0, at = 0; i < parts; i++) {
    begin[i] = whole ? at : i * (all / parts);
    at += n[i];
    size = std::max(size, begin[i] + (uint64_t)n[i]);
    n[i] = begin[i];
  }
  to_device(counts, n);
  side out = {whole ? device_new<uint2>(all)
                    : (uint2 *)table_new<uint32_t>(2 * size, GMMU_CONTENT_BELOW32, s.self.seed + 7,
                                                   all + all / 2),
              device_copy(begin)};
  scatter<<<part.count, BLOCK>>>(in, p, counts, out.tuple);
  CHECK_LAUNCH();
  free_all({counts, dbegin});
  return out;
}

/* The order of partitions is that of the passes: the first pass's bits are the outer ones. */
static side partitioned(const scaled &s, const uint32_t *key, uint64_t all, uint32_t log_parts) {
  uint32_t first = log_parts <= ONE_PASS ? log_parts : (log_parts + 1) / 2;
  std::vector<uint64_t> begin = {0, all};
  side out = scattered(s, keys{key}, all, begin, 0, first);
  if (first == log_parts) return out;
  side last = scattered(s, tuples{out.tuple}, all, begin, first, log_parts - first);
  free_all({out.tuple, out.begin});
  return last;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("PJOIN", argc, argv, 1 << 19, false);
  /* 4 bytes a tuple and side come, 8 are written by each pass; a first pass of one side is freed
   * before the other's. */
  uint32_t log_tuples = std::max(log2_floor(s.bytes / 24), log2_floor(TILE));
  if (log_tuples - LOG_PART > ONE_PASS)
    log_tuples = std::max(log2_floor(s.bytes / 32), ONE_PASS + LOG_PART);
  uint32_t log_parts = log_tuples - LOG_PART;
  uint64_t all = (uint64_t)1 << log_tuples, seed = s.self.seed;
  if (s.work >= all) s.work = 0;
  scaled_whole(s, !s.work);
  uint32_t *r = table_new<uint32_t>(all, GMMU_CONTENT_PERMUTED32, seed, log_tuples);
  uint32_t *q = table_new<uint32_t>(all, GMMU_CONTENT_BELOW32, seed, all + all / 2);
  unsigned long long *found = table_zero<unsigned long long>(2);
  side a = partitioned(s, r, all, log_parts), b = partitioned(s, q, all, log_parts);
  spread part = spread_over(s, (uint64_t)1 << log_parts, 1 << LOG_PART);
  join<<<part.count, BLOCK>>>(a.tuple, a.begin, b.tuple, b.begin, log_parts, found);
  CHECK_LAUNCH();
  std::vector<unsigned long long> got = from_device(found, 2), want(2, 0);
  bool right = true;
  if (s.self.verify) {
    std::vector<uint32_t> hr = table_host<uint32_t>(all, GMMU_CONTENT_PERMUTED32, seed, log_tuples),
                          hq = table_host<uint32_t>(all, GMMU_CONTENT_BELOW32, seed, all + all / 2),
                          where(all);
    for (uint64_t i = 0; i < all; i++) where[hr[i]] = (uint32_t)i;
    for (uint32_t k : hq)
      if (k < all) want[0]++, want[1] += where[k];
    right = same_values("found", got, want);
  }
  free_all({r, q, found, a.tuple, a.begin, b.tuple, b.begin});
  return app_end(s.self, right);
}
