/* Template libraries give kernels, variables and functions names of thousands of characters; two of
 * them may differ at their very end only. */
#include "check.h"

namespace a_library_whose_names_are_long {
template <class First, class Second>
struct a_pair_of_functors_that_are_applied_one_after_the_other {
  __device__ static __noinline__ int apply(int x) { return Second::apply(First::apply(x)); }
};
struct add_one {
  __device__ static int apply(int x) { return x + 1; }
};
struct twice {
  __device__ static int apply(int x) { return 2 * x; }
};
template <class F> struct again {
  typedef a_pair_of_functors_that_are_applied_one_after_the_other<
      F, a_pair_of_functors_that_are_applied_one_after_the_other<F, add_one>>
      type;
};
template <class F> __device__ int launches_of_this_functor;

template <class F, class Last>
__global__ void transform_every_element_of_an_array(int *to, const int *from, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] = Last::apply(F::apply(from[i]));
  if (i == 0) atomicAdd(&launches_of_this_functor<F>, 1);
}
} // namespace a_library_whose_names_are_long

using namespace a_library_whose_names_are_long;
typedef again<again<again<again<again<add_one>::type>::type>::type>::type>::type deep;

int main() {
  const int n = 1000;
  std::vector<int> host(n), ones(n), twos(n);
  for (int i = 0; i < n; i++) host[i] = i;
  int *from = to_device(host), *to = device_zeros<int>(n);
  transform_every_element_of_an_array<deep, add_one><<<4, 256>>>(to, from, n);
  LAUNCHED();
  int by = to_host(to, n)[0]; /* every functor adds a constant */
  want(by > 60, "all functors are applied");
  for (int i = 0; i < n; i++) ones[i] = i + by, twos[i] = 2 * (i + by - 1);
  same("the first kernel", to_host(to, n), ones);
  transform_every_element_of_an_array<deep, twice><<<4, 256>>>(to, from, n);
  LAUNCHED();
  same("the second kernel", to_host(to, n), twos);
  int launches = 0;
  CUDA(cudaMemcpyFromSymbol(&launches, launches_of_this_functor<deep>, sizeof launches));
  want(launches == 2, "a variable with a long name");
  return pass("long_names");
}
