/* KV: attention of one new token per sequence over a paged key-value cache (decoding, as vLLM
 * arranges it), with Llama-3-8B's shape: 8 key-value heads of 128 values of 16 bits, 4 query heads
 * to each. The cache is pages of 16 tokens; a table of blocks says where a sequence's pages are,
 * anywhere. Thread block: one sequence and one key-value head; a warp handles a token at a time. */
#include "../common/scaled.h"

#define HEADS   8 /* of keys and values */
#define GROUP   4 /* query heads of one */
#define DIM     128
#define PAGE    16 /* tokens */
#define WARPS   4
#define CONTEXT 1024 /* tokens of a sequence, at most */

/* A page of a layer: [HEADS][PAGE][DIM] keys, then the same of values; 16-bit fixed point. */
#define PAGE_WORDS ((uint64_t)HEADS * PAGE * DIM / 2 * 2)

__host__ __device__ static inline float low(uint32_t w) {
  return (float)(int16_t)(w & 0xffff) / 32768;
}
__host__ __device__ static inline float high(uint32_t w) {
  return (float)(int16_t)(w >> 16) / 32768;
}
/* Where the 64 words of a token's key (or value) begin. */
__host__ __device__ static inline uint64_t words_of(uint64_t page, uint32_t value, uint32_t head,
                                                    uint32_t token) {
  return page * PAGE_WORDS + ((uint64_t)(value * HEADS + head) * PAGE + token) * (DIM / 2);
}

__global__ void attend(const uint32_t *cache, const uint32_t *table, const float *query, float *out,
                       uint32_t tokens) {
  __shared__ float score[GROUP][CONTEXT];
  __shared__ float part[WARPS][GROUP][DIM];
  __shared__ float total[GROUP];
  uint32_t sequence = blockIdx.x / HEADS, head = blockIdx.x % HEADS, warp = threadIdx.x / 32,
           lane = threadIdx.x % 32;
  const uint32_t *pages = table + (uint64_t)sequence * (tokens / PAGE);
  const float *q = query + ((uint64_t)sequence * HEADS + head) * GROUP * DIM;
  for (uint32_t t = warp; t < tokens; t += WARPS) {
    uint64_t at = words_of(pages[t / PAGE], 0, head, t % PAGE) / 2 + lane; /* two words a lane */
    uint2 k = ((const uint2 *)cache)[at];
    for (uint32_t g = 0; g < GROUP; g++) {
      const float *v = q + g * DIM + 4 * lane;
      float sum = v[0] * low(k.x) + v[1] * high(k.x) + v[2] * low(k.y) + v[3] * high(k.y);
      for (uint32_t o = 16; o; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
      if (lane == 0) score[g][t] = expf(sum * 0.088388348f); /* 1 / sqrt(128); scores are small */
    }
  }
  __syncthreads();
  if (warp < GROUP) {
    float sum = 0;
    for (uint32_t t = lane; t < tokens; t += 32) sum += score[warp][t];
    for (uint32_t o = 16; o; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) total[warp] = sum;
  }
  float own[GROUP][4];
  for (uint32_t g = 0; g < GROUP; g++)
    for (uint32_t i = 0; i < 4; i++) own[g][i] = 0;
  for (uint32_t t = warp; t < tokens; t += WARPS) {
    uint64_t at = words_of(pages[t / PAGE], 1, head, t % PAGE) / 2 + lane;
    uint2 v = ((const uint2 *)cache)[at];
    for (uint32_t g = 0; g < GROUP; g++) {
      float w = score[g][t];
      own[g][0] += w * low(v.x), own[g][1] += w * high(v.x);
      own[g][2] += w * low(v.y), own[g][3] += w * high(v.y);
    }
  }
  for (uint32_t g = 0; g < GROUP; g++)
    for (uint32_t i = 0; i < 4; i++) part[warp][g][4 * lane + i] = own[g][i];
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < GROUP * DIM; i += 32 * WARPS) {
    float sum = 0;
    for (uint32_t w = 0; w < WARPS; w++) sum += part[w][i / DIM][i % DIM];
    out[(uint64_t)blockIdx.x * GROUP * DIM + i] = sum / total[i / DIM];
  }
}

static std::vector<double> reference(uint64_t words, uint64_t seed,
                                     const std::vector<uint32_t> &table,
                                     const std::vector<float> &query, uint32_t sequences,
                                     uint32_t tokens) {
  std::vector<uint32_t> cache = table_host<uint32_t>(words, GMMU_CONTENT_BELOW32, seed, 1ull << 32);
  std::vector<double> out(query.size(), 0);
  for (uint32_t b = 0; b < sequences * HEADS * GROUP; b++) {
    uint32_t sequence = b / (HEADS * GROUP), head = b / GROUP % HEADS;
    double total = 0;
    for (uint32_t t = 0; t < tokens; t++) {
      uint64_t page = table[(uint64_t)sequence * (tokens / PAGE) + t / PAGE];
      const uint32_t *k = &cache[words_of(page, 0, head, t % PAGE)];
      const uint32_t *v = &cache[words_of(page, 1, head, t % PAGE)];
      double sum = 0;
      for (uint32_t i = 0; i < DIM; i++)
        sum += (double)query[(uint64_t)b * DIM + i] * (i & 1 ? high(k[i / 2]) : low(k[i / 2]));
      double w = exp(sum * 0.088388348);
      total += w;
      for (uint32_t i = 0; i < DIM; i++)
        out[(uint64_t)b * DIM + i] += w * (i & 1 ? high(v[i / 2]) : low(v[i / 2]));
    }
    for (uint32_t i = 0; i < DIM; i++) out[(uint64_t)b * DIM + i] /= total;
  }
  return out;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("KV", argc, argv, 1 << 21, false);
  uint64_t pages = s.bytes / (4 * PAGE_WORDS), seed = s.self.seed;
  /* Sequences of equal length; a token of one head is two rows of 256 bytes, eight sectors each. */
  uint32_t tokens = s.tiny ? 64 : pages * PAGE < CONTEXT ? (uint32_t)(pages * PAGE) : CONTEXT;
  uint64_t most = pages / (tokens / PAGE), wanted = s.work / (16ull * HEADS * tokens);
  if (wanted < 8) wanted = 8; /* a batch */
  uint32_t sequences = (uint32_t)(!s.work || wanted > most ? most : wanted);
  scaled_whole(s, sequences == most);
  rng r(seed);
  std::vector<uint32_t> table((uint64_t)sequences * (tokens / PAGE)), order(pages);
  for (uint64_t i = 0; i < pages; i++) order[i] = (uint32_t)i;
  for (uint64_t i = 0; i < table.size(); i++) { /* pages are taken from anywhere, each once */
    std::swap(order[i], order[i + r.below((uint32_t)(pages - i))]);
    table[i] = order[i];
  }
  std::vector<float> query = random_floats(r, (uint64_t)sequences * HEADS * GROUP * DIM, -1, 1);
  uint32_t *cache = table_new<uint32_t>(pages * PAGE_WORDS, GMMU_CONTENT_BELOW32, seed, 1ull << 32);
  uint32_t *dtable = device_copy(table);
  float *dquery = device_copy(query), *out = device_new<float>(query.size());
  attend<<<sequences * HEADS, 32 * WARPS>>>(cache, dtable, dquery, out, tokens);
  CHECK_LAUNCH();
  std::vector<float> got = from_device(out, query.size());
  bool right =
      !s.self.verify ||
      near_values("out", got, reference(pages * PAGE_WORDS, seed, table, query, sequences, tokens),
                  1e-4);
  free_all({cache, dtable, dquery, out});
  return app_end(s.self, right);
}
