/* Device functions through pointers, virtual functions, and a switch that breaks; nvstd::function
 * where there is one (nvcc 13 has none). */
#include "check.h"
#if __has_include(<nvfunctional>)
#include <nvfunctional>
#define HAS_STORED 1
#endif

typedef int (*op_t)(int, int);
__device__ int plus_op(int a, int b) { return a + b; }
__device__ int minus_op(int a, int b) { return a - b; }
__device__ int times_op(int a, int b) { return a * b; }
__device__ op_t ops[3] = {plus_op, minus_op, times_op};

struct shape {
  __device__ virtual int area() const = 0;
};
struct square : shape {
  int a;
  __device__ square(int x) : a(x) {}
  __device__ int area() const override { return a * a; }
};
struct box : shape {
  int a, b;
  __device__ box(int x, int y) : a(x), b(y) {}
  __device__ int area() const override { return a * b; }
};

__global__ void apply(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  op_t f = ops[i % 3];
  square s(i);
  box b(i, 3);
  const shape *p = i & 1 ? (const shape *)&s : (const shape *)&b;
  int r = f(i, 7) + p->area();
  switch (i % 5) {
  case 0: r += 1; break;
  case 1: r += 2;
  case 2: r *= 2; break;
  case 3:
    if (i & 8) break;
    r -= 3;
    break;
  default: r = -r;
  }
  out[i] = r;
}
#ifdef HAS_STORED
__device__ int chain(const nvstd::function<int(int)> &f, int x) { return f(f(x)); }
__global__ void stored(int *out) {
  int t = threadIdx.x;
  nvstd::function<int(int)> f = [=](int x) { return x + t; }, g, h = f;
  nvstd::function<int(int, int)> two = plus_op;
  if (t & 1) g = h;
  if (t % 4 == 2) f = [](int x) { return 3 * x; };
  out[t] = chain(f, 5) + two(t, 100) + (g ? 1000 : 0) + (h == nullptr ? 9999 : h(1));
}
static void stored_functions(int *d) {
  std::vector<int> expect(64);
  stored<<<1, 64>>>(d);
  LAUNCHED();
  for (int t = 0; t < 64; t++)
    expect[t] = (t % 4 == 2 ? 45 : 5 + 2 * t) + t + 100 + (t & 1 ? 1000 : 0) + 1 + t;
  same("stored functions", to_host(d, 64), expect);
}
#else
static void stored_functions(int *) {}
#endif

int main() {
  const int n = 200;
  int *d = device_zeros<int>(n);
  apply<<<2, 100>>>(d, n);
  LAUNCHED();
  std::vector<int> expect(n);
  for (int i = 0; i < n; i++) {
    int r = (i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7) + (i & 1 ? i * i : i * 3);
    r = i % 5 == 0   ? r + 1
        : i % 5 == 1 ? (r + 2) * 2
        : i % 5 == 2 ? r * 2
        : i % 5 == 3 ? (i & 8 ? r : r - 3)
                     : -r;
    expect[i] = r;
  }
  same("results", to_host(d, n), expect);
  stored_functions(d);
  return pass("function_pointers", expect);
}
