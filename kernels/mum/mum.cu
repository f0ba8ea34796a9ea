/* MUM: matches of short queries in a genome. A thread has a query and, from each of its letters on,
 * walks down a suffix tree as far as the letters agree: a chase of pointers through a large
 * texture. The tree holds the suffixes to a fixed depth, so it can be made quickly and checked
 * exactly. */
#include "../common/app.h"

static const struct {
  uint32_t genome, queries, query_letters;
} sizes[APP_SIZES] = {{4 << 10, 256, 20}, {1400 << 10, 40000, 25}, {6 << 20, 100000, 25}};

#define DEPTH     16u /* letters of a path from the root; longer matches count as this */
#define MIN_MATCH 8u
#define BLOCK     256
#define TEXELS    4096u /* of a row of the texture */

/* Node n is texel n: children by letter, 0 for none; the root is node 0. */
__global__ void match(cudaTextureObject_t tree, const uint8_t *letters, const uint32_t *start,
                      uint16_t *longest, uint32_t queries, uint32_t query_letters) {
  uint32_t q = blockIdx.x * BLOCK + threadIdx.x;
  if (q >= queries) return;
  const uint8_t *query = letters + start[q];
  for (uint32_t from = 0; from + MIN_MATCH <= query_letters; from++) {
    uint32_t node = 0, length = 0;
    while (length < DEPTH && from + length < query_letters) {
      uint4 child = tex2D<uint4>(tree, (float)(node % TEXELS), (float)(node / TEXELS));
      uint32_t c = query[from + length];
      uint32_t next = c == 0 ? child.x : c == 1 ? child.y : c == 2 ? child.z : child.w;
      if (!next) break;
      node = next;
      length++;
    }
    longest[(size_t)from * queries + q] = (uint16_t)length;
  }
}

static std::vector<uint4> build(const std::vector<uint8_t> &genome) {
  std::vector<uint4> tree(1, make_uint4(0, 0, 0, 0));
  for (size_t i = 0; i < genome.size(); i++) {
    uint32_t node = 0;
    for (uint32_t d = 0; d < DEPTH && i + d < genome.size(); d++) {
      uint8_t c = genome[i + d];
      uint32_t *child = c == 0   ? &tree[node].x
                        : c == 1 ? &tree[node].y
                        : c == 2 ? &tree[node].z
                                 : &tree[node].w;
      uint32_t next = *child;
      if (!next) {
        next = *child = (uint32_t)tree.size();
        tree.push_back(make_uint4(0, 0, 0, 0));
      }
      node = next;
    }
  }
  tree.resize((tree.size() + TEXELS - 1) / TEXELS * TEXELS, make_uint4(0, 0, 0, 0));
  return tree;
}

/* Longest match of the query from a letter on, by looking at every place where 8 letters agree. */
static bool verified(const std::vector<uint8_t> &genome, const std::vector<uint8_t> &letters,
                     const std::vector<uint32_t> &start, const std::vector<uint16_t> &got,
                     uint32_t queries, uint32_t query_letters) {
  std::vector<std::vector<uint32_t>> place(1 << 16);
  for (size_t i = 0; i + MIN_MATCH <= genome.size(); i++) {
    uint32_t code = 0;
    for (uint32_t d = 0; d < MIN_MATCH; d++) code = code << 2 | genome[i + d];
    place[code].push_back((uint32_t)i);
  }
  for (uint32_t q = 0; q<queries; q += queries> 4096 ? queries / 1024 : 1)
    for (uint32_t from = 0; from + MIN_MATCH <= query_letters; from++) {
      uint32_t code = 0, best = 0, have = got[(size_t)from * queries + q];
      for (uint32_t d = 0; d < MIN_MATCH; d++) code = code << 2 | letters[start[q] + from + d];
      for (uint32_t i : place[code]) {
        uint32_t length = MIN_MATCH;
        while (length < DEPTH && from + length < query_letters && i + length < genome.size() &&
               genome[i + length] == letters[start[q] + from + length])
          length++;
        if (length > best) best = length;
      }
      if (best >= MIN_MATCH ? have == best : have < MIN_MATCH) continue;
      fprintf(stderr, "query %u from letter %u: match of %u, should be %u\n", q, from, have, best);
      return false;
    }
  return true;
}

int main(int argc, char **argv) {
  app self = app_begin("MUM", argc, argv);
  uint32_t queries = sizes[self.size].queries, n = sizes[self.size].query_letters,
           starts = n - MIN_MATCH + 1;
  rng r(self.seed);
  std::vector<uint8_t> genome(sizes[self.size].genome), letters((size_t)queries * n);
  for (size_t i = 0; i < genome.size(); i++) /* genomes repeat themselves */
    genome[i] = i > 512 && r.below(100) < 30 ? genome[i - 512] : (uint8_t)r.below(4);
  std::vector<uint32_t> start(queries);
  for (uint32_t q = 0; q < queries; q++) { /* a piece of the genome with a few errors */
    uint32_t at = r.below((uint32_t)genome.size() - n);
    start[q] = q * n;
    for (uint32_t i = 0; i < n; i++)
      letters[(size_t)q * n + i] = r.below(100) < 3 ? (uint8_t)r.below(4) : genome[at + i];
  }
  std::vector<uint4> tree = build(genome);
  size_t pitch, rows = tree.size() / TEXELS, row_bytes = TEXELS * sizeof(uint4);
  uint4 *dtree;
  CHECK(cudaMallocPitch((void **)&dtree, &pitch, row_bytes, rows));
  CHECK(
      cudaMemcpy2D(dtree, pitch, tree.data(), row_bytes, row_bytes, rows, cudaMemcpyHostToDevice));
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  memset(&resource, 0, sizeof resource);
  memset(&texture, 0, sizeof texture);
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = dtree;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<uint4>();
  resource.res.pitch2D.width = TEXELS;
  resource.res.pitch2D.height = rows;
  resource.res.pitch2D.pitchInBytes = pitch;
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModePoint;
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL));
  uint8_t *dletters = device_copy(letters);
  uint32_t *dstart = device_copy(start);
  uint16_t *dlongest = device_new<uint16_t>((size_t)queries * starts);
  match<<<blocks_for(queries, BLOCK), BLOCK>>>(object, dletters, dstart, dlongest, queries, n);
  CHECK_LAUNCH();
  std::vector<uint16_t> got = from_device(dlongest, (size_t)queries * starts);
  CHECK(cudaDestroyTextureObject(object));
  void *all[] = {dtree, dletters, dstart, dlongest};
  for (void *p : all) CHECK(cudaFree(p));
  return app_end(self, !self.verify || verified(genome, letters, start, got, queries, n));
}
