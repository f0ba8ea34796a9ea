/* Kernels of our cuRAND. Which number lies where is cuRAND's: XORWOW has 4096 sequences, 2^67
 * numbers apart, which take turns; so has MRG32k3a, 2^76 apart, 81920
 * of them, or 4096 in the legacy order; Philox has 65536, which give four
 * results each in turn. scripts/gen-blas.sh makes rand.ptx. */
#include <curand_kernel.h>

#define SEQUENCES 4096u
#define GROUPS    65536u
enum kind { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE };

/* `skip` numbers of the whole have been drawn before. */
extern "C" __global__ void gmmu_xorwow_seed(curandStateXORWOW_t *state, unsigned long long seed,
                                            unsigned long long skip) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, t, skip / SEQUENCES + (t < skip % SEQUENCES), &state[t]);
}

/* Items `at` to `at + n - 1`; an item is a number, of normal ones a pair. */
template <class S>
static __device__ void in_turns(unsigned sequences, S *state, int kind, void *out,
                                unsigned long long n, unsigned long long at, double mean,
                                double deviation) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long i = (t + sequences - at % sequences) % sequences;
  if (i >= n) return;
  S s = state[t];
  for (; i < n; i += sequences) switch (kind) {
    case BITS: ((unsigned *)out)[i] = curand(&s); break;
    case UNIFORM: ((float *)out)[i] = curand_uniform(&s); break;
    case UNIFORM_DOUBLE: ((double *)out)[i] = curand_uniform_double(&s); break;
    case NORMAL:
    case LOG_NORMAL: {
      float2 v = curand_normal2(&s);
      v.x = (float)mean + (float)deviation * v.x, v.y = (float)mean + (float)deviation * v.y;
      ((float *)out)[2 * i] = kind == NORMAL ? v.x : expf(v.x);
      ((float *)out)[2 * i + 1] = kind == NORMAL ? v.y : expf(v.y);
      break;
    }
    default: {
      double2 v = curand_normal2_double(&s);
      v.x = mean + deviation * v.x, v.y = mean + deviation * v.y;
      ((double *)out)[2 * i] = kind == NORMAL_DOUBLE ? v.x : exp(v.x);
      ((double *)out)[2 * i + 1] = kind == NORMAL_DOUBLE ? v.y : exp(v.y);
    }
    }
  state[t] = s;
}

extern "C" __global__ void gmmu_xorwow(curandStateXORWOW_t *state, int kind, void *out,
                                       unsigned long long n, unsigned long long at, double mean,
                                       double deviation) {
  in_turns(SEQUENCES, state, kind, out, n, at, mean, deviation);
}

/* Results `at` to `at + n - 1`. A result of 8 bytes takes two words, so a group takes two blocks of
 * four words then; normal ones come in pairs. */
extern "C" __global__ void gmmu_philox(unsigned long long seed, int kind, void *out,
                                       unsigned long long n, unsigned long long at, double mean,
                                       double deviation) {
  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long group = (at + i) / 4, round = group / GROUPS;
  unsigned j = (at + i) % 4;
  bool wide = kind == UNIFORM_DOUBLE || kind == NORMAL_DOUBLE || kind == LOG_NORMAL_DOUBLE;
  if (wide) round = 2 * round + j / 2;
  uint4 w = gmmu_philox(make_uint4((unsigned)round, (unsigned)(round >> 32), group % GROUPS, 0),
                        make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
  unsigned word[4] = {w.x, w.y, w.z, w.w}, *first = &word[wide ? j % 2 * 2 : j & ~1u];
  switch (kind) {
  case BITS: ((unsigned *)out)[i] = word[j]; break;
  case UNIFORM: ((float *)out)[i] = gmmu_uniform(word[j]); break;
  case UNIFORM_DOUBLE: ((double *)out)[i] = gmmu_uniform(first[0], first[1]); break;
  case NORMAL:
  case LOG_NORMAL: {
    float2 v = gmmu_normal(first[0], first[1]);
    float x = (float)mean + (float)deviation * (j % 2 ? v.y : v.x);
    ((float *)out)[i] = kind == NORMAL ? x : expf(x);
    break;
  }
  default: {
    double2 v = gmmu_normal(w.x, w.y, w.z, w.w);
    double x = mean + deviation * (j % 2 ? v.y : v.x);
    ((double *)out)[i] = kind == NORMAL_DOUBLE ? x : exp(x);
  }
  }
}

/* The matrices of 2^k subsequences are the same for all threads: a block makes them once. */
#define POWERS 17 /* 2^17 > 81920 */
extern "C" __global__ void gmmu_mrg_seed(curandStateMRG32k3a_t *state, unsigned long long seed,
                                         unsigned long long skip, unsigned sequences) {
  __shared__ unsigned power[POWERS][2][9];
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 2) {
    unsigned c = threadIdx.x ? 22853u : 209u, a[9];
    for (int i = 0; i < 9; i++) a[i] = gmmu_mrg_matrix[1][threadIdx.x][i];
    for (int k = 0; k < POWERS; k++) {
      for (int i = 0; i < 9; i++) power[k][threadIdx.x][i] = a[i];
      gmmu_mrg_times(a, a, a, 3, c);
    }
  }
  __syncthreads();
  if (t >= sequences) return;
  curandStateMRG32k3a_t s;
  curand_init(seed, 0, 0, &s);
  for (int k = 0; k < POWERS; k++)
    if (t >> k & 1) {
      gmmu_mrg_times(s.s1, power[k][0], s.s1, 1, 209u);
      gmmu_mrg_times(s.s2, power[k][1], s.s2, 1, 22853u);
    }
  skipahead(skip / sequences + (t < skip % sequences), &s);
  state[t] = s;
}
extern "C" __global__ void gmmu_mrg(curandStateMRG32k3a_t *state, int kind, void *out,
                                    unsigned long long n, unsigned long long at, double mean,
                                    double deviation, unsigned sequences) {
  in_turns(sequences, state, kind, out, n, at, mean, deviation);
}
