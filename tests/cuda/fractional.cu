/* Kernels of gmmu_fgpu.h against plain ones, on random grids and blocks of one to three dimensions:
 * the same results, every block once, and none outside the part's SMs.
 *
 *   fractional            the property, GMMU_SEED (1) says which shapes; measured times on stderr
 *   fractional foreign S  a part whose SMs, from S on, the process does not get: an error, no hang
 */
#include "check.h"
#include <gmmu_fgpu.h>

enum { SHAPES = 24, BLOCKS_MAX = 320, THREADS_MAX = 160, QUEUE_LAUNCHES = FGPU_QUEUES + 10 };
#define MUCH_SHARED (40u << 10) /* few blocks fit an SM, so a launch costs little to simulate */

struct record {
  unsigned *value; /* [threads of the grid] */
  unsigned *times; /* [blocks] */
  unsigned *sm;    /* [blocks] */
};

/* All that a block can see of its place goes into the result. What it keeps in shared memory would
 * be torn if one block of a persistent block began before the last one's threads had ended. */
static __device__ void body(dim3 grid, uint3 at, unsigned spread, const record &r) {
  extern __shared__ unsigned dynamic[];
  __shared__ unsigned sum;
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned me = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned block = at.x + grid.x * (at.y + grid.y * at.z);
  if (me == 0) sum = grid.x + 3 * grid.y + 7 * grid.z;
  dynamic[me] = at.x + 11 * at.y + 101 * at.z + 1009 * me;
  __syncthreads();
  atomicAdd(&sum, dynamic[(me + spread) % threads] ^ block);
  __syncthreads();
  r.value[(size_t)block * threads + me] = sum + dynamic[threads - 1 - me];
  if (me) return;
  atomicAdd(&r.times[block], 1u);
  r.sm[block] = fgpu_sm();
}

__global__ void plain(unsigned spread, record r) { body(gridDim, blockIdx, spread, r); }
__global__ void part(fgpu_grid gridDim, unsigned spread, record r) {
  for (fgpu_block blockIdx(gridDim); blockIdx.next();) body(gridDim, blockIdx, spread, r);
}

static record new_record(size_t threads, size_t blocks) {
  record r = {device_zeros<unsigned>(threads), device_zeros<unsigned>(blocks),
              device_zeros<unsigned>(blocks)};
  return r;
}
static void free_record(const record &r) {
  for (unsigned *p : {r.value, r.times, r.sm}) CUDA(cudaFree(p));
}

static unsigned below(unsigned n) { return random_u32() % n; }

/* Of one to three dimensions, each of `most` at the utmost together; all orders occur. */
static dim3 random_dims(unsigned most) {
  unsigned d[3] = {1, 1, 1}, n = 1 + below(3);
  for (unsigned left = most, i = 0; i < n; i++) left /= d[i] = 1 + below(left);
  unsigned turn = below(3);
  return dim3(d[turn], d[(turn + 1) % 3], d[(turn + 2) % 3]);
}

struct shape {
  dim3 grid, block;
  unsigned part, parts, spread;
};

static void fail_shape(const shape &s, const char *what) {
  const char *seed = getenv("GMMU_SEED");
  printf("%s: part %u of %u, grid %ux%ux%u, block %ux%ux%u, GMMU_SEED=%s\n", what, s.part, s.parts,
         s.grid.x, s.grid.y, s.grid.z, s.block.x, s.block.y, s.block.z, seed ? seed : "1");
  exit(1);
}

static void check_blocks(const shape &s, const fgpu &f, const record &r, size_t blocks) {
  std::vector<unsigned> times = to_host(r.times, blocks), sm = to_host(r.sm, blocks);
  for (size_t i = 0; i < blocks; i++) {
    if (times[i] != 1) fail_shape(s, "a block did not run once");
    if (sm[i] < f.first_sm || sm[i] >= f.first_sm + f.sms) fail_shape(s, "a block left its SMs");
  }
}

static unsigned try_shape(const shape &s) {
  size_t blocks = (size_t)s.grid.x * s.grid.y * s.grid.z;
  size_t threads = (size_t)s.block.x * s.block.y * s.block.z, shared = threads * sizeof(unsigned);
  record a = new_record(blocks * threads, blocks), b = new_record(blocks * threads, blocks);
  fgpu f;
  CUDA(fgpu_open(&f, s.part, s.parts));
  plain<<<s.grid, s.block, shared>>>(s.spread, a);
  LAUNCHED();
  CUDA(fgpu_launch(&f, part, s.grid, s.block, shared, s.spread, b));
  std::vector<unsigned> want_value = to_host(a.value, blocks * threads);
  if (want_value != to_host(b.value, blocks * threads)) fail_shape(s, "other results");
  check_blocks(s, f, b, blocks);
  CUDA(fgpu_close(&f));
  free_record(a), free_record(b);
  return digest(want_value);
}

/* ---- what it costs --------------------------------------------------------------------------- */

__global__ void nothing() {}
__global__ void nothing_part(fgpu_grid gridDim, unsigned *count) {
  for (fgpu_block blockIdx(gridDim); blockIdx.next();)
    if (!threadIdx.x) atomicAdd(count, 1u);
}

template <typename Launch> static double cycles(Launch launch) {
  cudaEvent_t begin, end;
  float ms = 0;
  int khz = 0;
  CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  launch();
  CUDA(cudaEventRecord(begin));
  launch();
  CUDA(cudaEventRecord(end));
  CUDA(cudaEventElapsedTime(&ms, begin, end));
  return (double)ms * khz;
}

static void print_overhead(fgpu *f, unsigned *count) {
  double one = cycles([] { nothing<<<1, 1024>>>(); });
  double other = cycles([&] { CUDA(fgpu_launch(f, nothing_part, 1, 1024, 0, count)); });
  double all = cycles([] { nothing<<<1024, 1024>>>(); });
  double all_other = cycles([&] { CUDA(fgpu_launch(f, nothing_part, 1024, 1024, 0, count)); });
  fprintf(stderr, "cycles of a launch on all SMs, 1 block: plain %.0f, persistent %.0f; ", one,
          other);
  fprintf(stderr, "1024 blocks: plain %.0f, persistent %.0f\n", all, all_other);
}

/* More launches than there are queues. */
static void try_many_launches() {
  unsigned *count = device_zeros<unsigned>(1);
  fgpu f;
  CUDA(fgpu_open(&f, 0, 1));
  for (unsigned i = 0; i < QUEUE_LAUNCHES; i++)
    CUDA(fgpu_launch(&f, nothing_part, 1 + i % 3, 32, MUCH_SHARED, count));
  want(to_host(count, 1)[0] == QUEUE_LAUNCHES * 2 - 1, "blocks of many launches");
  want(f.launches == QUEUE_LAUNCHES && !f.repeated, "launches counted");
  print_overhead(&f, count);
  CUDA(fgpu_close(&f));
}

/* Parts lie side by side, have all SMs, and differ by one at most. */
static void try_parts() {
  fgpu f;
  unsigned all = 0;
  CUDA(fgpu_count_sms(&all));
  for (unsigned parts = 1; parts < 10; parts++) {
    unsigned next = 0;
    for (unsigned i = 0; i < parts; i++) {
      CUDA(fgpu_open(&f, i, parts));
      want(f.first_sm == next && f.sms >= all / parts && f.sms <= all / parts + 1, "equal parts");
      next += f.sms;
      CUDA(fgpu_close(&f));
    }
    want(next == all, "parts of all SMs");
  }
}

static void try_errors() {
  fgpu f;
  unsigned *count = device_zeros<unsigned>(1);
  want(fgpu_open(&f, 2, 2) == cudaErrorInvalidValue, "a part there is not");
  want(fgpu_open(&f, 0, 100000) == cudaErrorInvalidValue, "more parts than SMs");
  want(fgpu_open_part(&f, 0, 0, 0) == cudaErrorInvalidValue, "no SMs");
  want(fgpu_open_part(&f, 1, 100000, 0) == cudaErrorInvalidValue, "more SMs than there are");
  want(fgpu_close(&f) == cudaSuccess, "closing what was not opened");
  CUDA(fgpu_open_part(&f, 1, 1, 0));
  want(fgpu_launch(&f, nothing_part, dim3(0), 32, 0, count) == cudaErrorInvalidConfiguration,
       "an empty grid");
  want(fgpu_launch(&f, nothing_part, dim3(0x10000, 0x10000), 32, 0, count) ==
           cudaErrorInvalidConfiguration,
       "more blocks than the queue can count");
  want(fgpu_launch(&f, nothing_part, 1, 1, 1 << 20, count) != cudaSuccess,
       "too much shared memory");
  cudaGetLastError();
  CUDA(fgpu_launch(&f, nothing_part, 5, 32, 0, count));
  want(to_host(count, 1)[0] == 5, "blocks after errors");
  CUDA(fgpu_close(&f));
}

static int try_foreign(unsigned first_sm) {
  fgpu f;
  unsigned *count = device_zeros<unsigned>(1);
  CUDA(fgpu_open_part(&f, first_sm, 1, 0));
  want(fgpu_launch(&f, nothing_part, 3, 32, 0, count) == cudaErrorLaunchOutOfResources,
       "SMs of others");
  want(to_host(count, 1)[0] == 0, "nothing ran");
  CUDA(fgpu_close(&f));
  return pass("foreign");
}

int main(int argc, char **argv) {
  std::vector<unsigned> results;
  const char *seed = getenv("GMMU_SEED");
  if (argc > 2) return try_foreign((unsigned)atoi(argv[2]));
  random_state = seed ? (unsigned)atoi(seed) : 1;
  for (unsigned i = 0; i < SHAPES; i++) {
    shape s;
    s.grid = random_dims(BLOCKS_MAX), s.block = random_dims(THREADS_MAX);
    if (s.block.z > 64) s.block = dim3(s.block.z, s.block.y, s.block.x); /* CUDA's limit */
    s.parts = 1 + below(8), s.part = below(s.parts), s.spread = below(1000);
    results.push_back(try_shape(s));
  }
  try_parts();
  try_many_launches();
  try_errors();
  return pass("fractional", results);
}
