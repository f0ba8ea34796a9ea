/* What kind of memory an address is of, and addresses of a kind and back. */
#include "check.h"

__device__ int global_value = 5;
__constant__ int constant_value = 6;
__global__ void kinds(int *o) {
  __shared__ int shared_value;
  int local_value = (int)threadIdx.x + 40, *volatile local = &local_value;
  if (threadIdx.x == 0) shared_value = 7;
  __syncthreads();
  const void *p[4] = {&global_value, &shared_value, local, &constant_value};
  o += threadIdx.x * 8;
  for (int i = 0; i < 4; i++)
    o[i] = (int)(__isGlobal(p[i]) + 2 * __isShared(p[i]) + 4 * __isLocal(p[i]) +
                 8 * __isConstant(p[i]));
  o[4] = *(int *)__cvta_global_to_generic(__cvta_generic_to_global(p[0]));
  o[5] = *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(p[1]));
  o[6] = *(int *)__cvta_local_to_generic(__cvta_generic_to_local(p[2]));
  o[7] = *(const int *)__cvta_constant_to_generic(__cvta_generic_to_constant(p[3]));
}

int main() {
  int *d = device_zeros<int>(32 * 8);
  kinds<<<1, 32>>>(d);
  LAUNCHED();
  std::vector<int> expect;
  for (int t = 0; t < 32; t++)
    for (int v : {1, 2, 4, 8, 5, 7, 40 + t, 6}) expect.push_back(v);
  same("kinds", to_host(d, 32 * 8), expect);
  return pass("address_spaces", expect);
}
