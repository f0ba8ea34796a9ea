/* Option prices by the Black-Scholes formula, in float; the host does it in double. */
#include "check.h"

template <class T> __host__ __device__ T normal(T d) {
  const T k = (T)1 / ((T)1 + (T)0.2316419 * (T)fabs(d));
  T c = (T)0.39894228040143267794 * (T)exp((T)-0.5 * d * d) *
        (k *
         ((T)0.31938153 + k * ((T)-0.356563782 +
                               k * ((T)1.781477937 + k * ((T)-1.821255978 + k * (T)1.330274429)))));
  return d > 0 ? (T)1 - c : c;
}
template <class T>
__host__ __device__ void price(T &call, T &put, T stock, T strike, T years, T rate, T vol) {
  T root = (T)sqrt(years),
    d1 = ((T)log(stock / strike) + (rate + (T)0.5 * vol * vol) * years) / (vol * root);
  T d2 = d1 - vol * root, discount = (T)exp(-rate * years);
  call = stock * normal(d1) - strike * discount * normal(d2);
  put = strike * discount * ((T)1 - normal(d2)) - stock * ((T)1 - normal(d1));
}
__global__ void prices(float *call, float *put, const float *s, const float *x, const float *t,
                       int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    price(call[i], put[i], s[i], x[i], t[i], 0.02f, 0.30f);
}

int main() {
  const int n = 4000;
  std::vector<float> s(n), x(n), t(n), call(n), put(n);
  for (int i = 0; i < n; i++) {
    s[i] = 5 + 25 * random_f32(), x[i] = 1 + 99 * random_f32(), t[i] = 0.25f + 9.75f * random_f32();
    double c, p;
    price<double>(c, p, s[i], x[i], t[i], 0.02f, 0.30f);
    call[i] = (float)c, put[i] = (float)p;
  }
  float *dc = device_zeros<float>(n), *dp = device_zeros<float>(n);
  prices<<<8, 128>>>(dc, dp, to_device(s), to_device(x), to_device(t), n);
  LAUNCHED();
  same("call", to_host(dc, n), call, 1e-4);
  same("put", to_host(dp, n), put, 1e-4);
  return pass("black_scholes");
}
