/* link: -lcurand */
/* short */
/* cuRAND's host interface: generators of the device, whose numbers must be those of the device API,
 * at the places that cuRAND documents, however the numbers are asked for. */
#include "check.h"
#include <curand.h>
#include <curand_kernel.h>

#define RAND(call)                                                                                 \
  do {                                                                                             \
    curandStatus_t status_ = (call);                                                               \
    if (status_ != CURAND_STATUS_SUCCESS) {                                                        \
      printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)status_);                          \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)
#define SEED   1234ULL
#define N      9000 /* numbers; XORWOW's sequences have had two turns by then */
#define OFFSET 7
#define N2     5000 /* of those behind the offset */

/* Number i of XORWOW is the next of sequence i mod 4096; of Philox four come from a sequence. */
__global__ void expected(unsigned *xorwow, unsigned *philox, double *doubles, float *normal) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  curandStateXORWOW_t x, d;
  curand_init(SEED, t, 0, &x);
  d = x;
  for (unsigned i = t; i < N; i += 4096) xorwow[i] = curand(&x);
  if (t < OFFSET) curand(&d);
  for (unsigned i = (t + 4096 - OFFSET) % 4096; i < N2; i += 4096)
    doubles[i] = curand_uniform_double(&d);
  for (unsigned i = (t + 2 * 4096 - OFFSET - N2) % 4096; i < N2 / 2; i += 4096) {
    float2 v = curand_normal2(&d);
    normal[2 * i] = 2 + 0.5f * v.x, normal[2 * i + 1] = 2 + 0.5f * v.y;
  }
  curandStatePhilox4_32_10_t p;
  if (4 * t >= N) return;
  curand_init(SEED, t, 0, &p);
  for (unsigned i = 0; i < 4; i++) philox[4 * t + i] = curand(&p);
}

template <class T> struct numbers {
  T *at;
  std::vector<T> v;
  explicit numbers(size_t n) : at(device_zeros<T>(n)), v(n) {}
  std::vector<T> &get() { /* in place: addresses of elements stay */
    CUDA(cudaMemcpy(v.data(), at, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
};
static double mean_of(const std::vector<double> &v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum / (double)v.size();
}

int main(int argc, char **) {
  bool is_short = argc > 1;
  unsigned *wx = device_zeros<unsigned>(N), *wp = device_zeros<unsigned>(N);
  double *wd = device_zeros<double>(N);
  float *wn = device_zeros<float>(N);
  expected<<<4096 / 128, 128>>>(wx, wp, wd, wn);
  LAUNCHED();
  std::vector<unsigned> xorwow = to_host(wx, N), philox = to_host(wp, N);
  /* What NVIDIA's library gives for this seed. */
  same("XORWOW's first", std::vector<unsigned>(&xorwow[0], &xorwow[4]),
       std::vector<unsigned>{0x253d5e15, 0xd1f7605a, 0x8ce6f6f8, 0x4b79ff67});
  same("Philox's first", std::vector<unsigned>(&philox[0], &philox[4]),
       std::vector<unsigned>{0x2090b348, 0xda7cf0ab, 0x4401906f, 0xcbca470e});

  curandGenerator_t g;
  numbers<unsigned> u(N);
  numbers<float> f(N);
  numbers<double> d(N);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  RAND(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT));
  RAND(curandSetStream(g, stream));
  RAND(curandSetPseudoRandomGeneratorSeed(g, SEED));
  RAND(curandGenerate(g, u.at, 10)); /* in pieces, the second across a turn of the sequences */
  RAND(curandGenerate(g, u.at + 10, 5001));
  RAND(curandGenerateUniform(g, f.at + 5011, N - 5011));
  CUDA(cudaStreamSynchronize(stream));
  same("XORWOW", std::vector<unsigned>(&u.get()[0], &u.v[5011]),
       std::vector<unsigned>(&xorwow[0], &xorwow[5011]));
  std::vector<float> uniform(N, 0);
  for (int i = 5011; i < N; i++)
    uniform[i] = (float)xorwow[i] * 2.3283064e-10f + 2.3283064e-10f / 2;
  same("uniform", f.get(), uniform);
  RAND(curandSetGeneratorOffset(g, OFFSET));
  RAND(curandGenerateUniformDouble(g, d.at, N2));
  RAND(curandGenerateNormal(g, f.at, 10, 2, 0.5f));
  RAND(curandGenerateNormal(g, f.at + 10, N2 - 10, 2, 0.5f));
  same("uniform doubles", std::vector<double>(&d.get()[0], &d.v[N2]), to_host(wd, N2));
  same("normal", std::vector<float>(&f.get()[0], &f.v[N2]), to_host(wn, N2), 1e-6);
  if (curandGenerateNormal(g, f.at, 7, 0, 1) != CURAND_STATUS_LENGTH_NOT_MULTIPLE) exit(1);
  RAND(curandDestroyGenerator(g));

  RAND(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  RAND(curandSetPseudoRandomGeneratorSeed(g, SEED));
  RAND(curandGenerate(g, u.at, 11));
  RAND(curandGenerate(g, u.at + 11, N - 11));
  same("Philox", u.get(), philox);
  RAND(curandGenerateNormalDouble(g, d.at, N, -1, 2));
  double m = mean_of(d.get()), spread = 0;
  for (double x : d.v) spread += (x - m) * (x - m) / N;
  same("normal doubles", std::vector<double>{m, spread}, std::vector<double>{-1, 4}, 0.07);
  RAND(curandGenerateLogNormalDouble(g, d.at, N, 0, 0.5));
  same("log-normal", std::vector<double>{mean_of(d.get())}, std::vector<double>{1.1331}, 0.03);
  RAND(curandDestroyGenerator(g));

  /* MRG32k3a, seed 1234: what NVIDIA's library gives; in the legacy order 4096 sequences take
   * turns. */
  RAND(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MRG32K3A));
  RAND(curandSetPseudoRandomGeneratorSeed(g, SEED));
  if (!is_short) { /* 81920 sequences, each far from the one before */
    RAND(curandGenerate(g, u.at, 5001));
    u.get();
    same("MRG32k3a", std::vector<unsigned>{u.v[0], u.v[1], u.v[4096], u.v[5000]},
         std::vector<unsigned>{3379073520u, 653317650u, 2648318237u, 3869769518u});
    RAND(curandSetGeneratorOffset(g, 4096));
    RAND(curandGenerate(g, u.at, 1));
    want(u.get()[0] == 2648318237u, "an offset into MRG32k3a");
  }
  RAND(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
  RAND(curandSetGeneratorOffset(g, 1));
  RAND(curandGenerate(g, u.at, 2));
  want(u.get()[0] == 653317650u, "MRG32k3a in the legacy order");
  RAND(curandGenerateNormal(g, f.at, N, 1, 2));
  RAND(curandGenerateUniformDouble(g, d.at, N));
  same("MRG32k3a's mean", std::vector<double>{mean_of(d.get())}, std::vector<double>{0.5}, 0.02);
  RAND(curandDestroyGenerator(g));
  return pass("random_host", xorwow);
}
