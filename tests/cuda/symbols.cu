/* __device__ and __constant__ variables: initial values, copies with offsets, addresses, sizes;
 * those that other files cannot name, which only the host writes or only a kernel. */
#include "check.h"

__constant__ int coefficients[4] = {1, 2, 3, 4};
__constant__ struct {
  float scale;
  short shift[3];
} setting = {2.5f, {1, 2, 3}};
__device__ int table[100];
__device__ double total = 1.5;
__device__ const char text[] = "device text";
static __device__ int hidden = 42;
__device__ int *pointer_to_table = table;
__constant__ struct { int a, b; } nameless_type = {1, 2};
namespace {
__constant__ int nameless_constant = 3;
__device__ int read_here = 4;
__device__ int written_here;
} // namespace

__global__ void unseen(int *out) {
  out[0] = nameless_type.b + 10 * nameless_constant + 100 * read_here;
  written_here = 7;
}
static void nameless() {
  int two[2] = {5, 6}, eight = 8, nine = 9, got = 0, *out = device_zeros<int>(1);
  CUDA(cudaMemcpyToSymbol(nameless_type, two, sizeof two));
  CUDA(cudaMemcpyToSymbol(nameless_constant, &eight, sizeof eight));
  CUDA(cudaMemcpyToSymbol(read_here, &nine, sizeof nine));
  unseen<<<1, 1>>>(out);
  LAUNCHED();
  want(to_host(out, 1)[0] == 986, "what the host has written");
  CUDA(cudaMemcpyFromSymbol(&got, written_here, sizeof got));
  want(got == 7, "what a kernel has written");
}

__global__ void work(int *out) {
  int t = threadIdx.x, s = 0;
  for (int i = 3; i >= 0; i--) s = s * t + coefficients[i];
  table[t] += s;
  if (t == 0) {
    total += setting.scale + setting.shift[2];
    out[0] = text[7], out[1] = hidden++, out[2] = pointer_to_table[10];
  }
}

int main() {
  std::vector<int> init(100), c = {7, 9}, got(100), expect(100);
  for (int i = 0; i < 100; i++) init[i] = 1000 * i;
  CUDA(cudaMemcpyToSymbol(table, init.data(), sizeof table));
  CUDA(cudaMemcpyToSymbol(coefficients, c.data(), 2 * sizeof(int), sizeof(int)));
  int *out = device_zeros<int>(3);
  work<<<1, 100>>>(out);
  LAUNCHED();
  CUDA(cudaMemcpyFromSymbol(got.data(), table, sizeof table));
  for (int t = 0; t < 100; t++) expect[t] = 1000 * t + 1 + t * (7 + t * (9 + t * 4));
  same("table", got, expect);
  double sum;
  CUDA(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  want(sum == 1.5 + 2.5 + 3, "total");
  std::vector<int> o = to_host(out, 3);
  want(o[0] == 't' && o[1] == 42 && (o[2] == 10000 || o[2] == expect[10]), "initial values");
  void *address;
  size_t bytes;
  CUDA(cudaGetSymbolAddress(&address, table));
  CUDA(cudaGetSymbolSize(&bytes, table));
  want(bytes == sizeof table, "size of a symbol");
  CUDA(cudaMemset(address, 0, bytes));
  CUDA(cudaMemcpyFromSymbol(got.data(), table, 4, 40));
  want(got[0] == 0, "through the address");
  nameless();
  return pass("symbols", expect);
}
