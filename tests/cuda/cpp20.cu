/* link: -std=c++20 --expt-relaxed-constexpr --extended-lambda */
/* C++20 in kernels: concepts, templated and device lambdas, constexpr algorithms of the library;
 * and new and delete of classes with virtual functions, whose headers differ from C++17's. */
#include "check.h"
#include <array>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

template <class T>
concept number = std::integral<T> || std::floating_point<T>;
template <number T> __device__ T twice(T v) { return v + v; }
template <number... A> __device__ auto sum(A... a) { return (a + ... + 0); }
template <class T> __device__ int kind(T) {
  if constexpr (std::is_floating_point_v<T>)
    return 2;
  else
    return 1;
}
template <size_t... I> __device__ int indices(std::index_sequence<I...>) {
  int t = 0;
  ((t += (int)I * 2), ...);
  return t;
}
struct shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~shape() {}
};
struct square final : shape {
  float s;
  __device__ explicit square(float s_) : s(s_) {}
  __device__ float area() const override { return s * s; }
};
struct circle final : shape {
  float r;
  __device__ explicit circle(float r_) : r(r_) {}
  __device__ float area() const override { return 3 * r * r; }
};
enum class colour : unsigned char { red, green = 5, blue };
struct part {
  int a = 1, b = 2, c = 3;
};

template <class F> __global__ void apply(F f, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
__global__ void features(int *o, float *areas) {
  int t = threadIdx.x;
  shape *s = t & 1 ? (shape *)new square((float)t) : (shape *)new circle((float)t);
  areas[t] = s->area();
  delete s;
  if (t) return;
  std::array<int, 4> a{1, 2, 3, 4};
  auto [x, y] = std::pair<int, int>(3, 4);
  auto generic = []<class T>(T v) { return v * (T)2; };
  int b[5] = {5, 3, 1, 4, 2};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j + 1 < 5 - i; j++)
      if (b[j] > b[j + 1]) std::swap(b[j], b[j + 1]);
  part p{.b = 7};
  o[0] = sum(1, 2, 3), o[1] = twice(x) + y, o[2] = kind(1.0f) * 10 + kind(1);
  o[3] = indices(std::make_index_sequence<5>()), o[4] = a[2] + (int)a.size();
  o[5] = generic(21) + (int)generic(0.5f), o[6] = p.a + p.b + p.c, o[7] = (int)colour::blue;
  o[8] = b[0] * 10000 + b[1] * 1000 + b[2] * 100 + b[3] * 10 + b[4];
  if (int q = o[0]; q == 6) o[9] = 1;
  for (int total = 0; int v : b) o[10] = total += v;
  o[11] = std::get<1>(std::make_tuple(1, 8, 'c'));
}

int main() {
  int *o = device_zeros<int>(500), k = 5;
  float *areas = device_zeros<float>(32);
  apply<<<2, 64>>>([=] __device__(int i) { o[i] = i * k; }, 500);
  LAUNCHED();
  std::vector<int> expect(500);
  for (int i = 0; i < 500; i++) expect[i] = i * 5;
  same("lambda", to_host(o, 500), expect);
  features<<<1, 32>>>(o, areas);
  LAUNCHED();
  std::vector<float> area(32);
  for (int i = 0; i < 32; i++) area[i] = (float)(i & 1 ? i * i : 3 * i * i);
  same("virtual functions", to_host(areas, 32), area);
  same("features", to_host(o, 12), std::vector<int>{6, 10, 21, 20, 7, 43, 11, 6, 12345, 1, 15, 8});
  return pass("cpp20");
}
