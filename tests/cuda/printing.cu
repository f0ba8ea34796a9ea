/* printf of kernels, with every conversion; the text is part of the output that runs are compared
 * by. */
#include "check.h"

__global__ void say(const char *word, long long big) {
  if (threadIdx.x == 0) {
    printf("integers %d %5d|%-5d|%05d %u %x %X %o %c %%\n", -7, 42, 42, 42, 4000000000u, 255, 255,
           8, 'z');
    printf("wide %lld %llu %lx\n", big, (unsigned long long)big * 2, 0xabcdef0123ul);
    printf("floats %f %.3f %8.2f %e %g\n", 1.5, 3.14159, 2.5f, 12345.678, 0.0001);
    printf("%s has %d letters, %10s|%-10s|\n", word, 5, "right", "left");
  }
}
__global__ void each() {
  for (int i = 0; i < blockDim.x; i++)
    if (i == threadIdx.x) printf("thread %d of block %d\n", i, blockIdx.x);
}

int main() {
  std::vector<char> word = {'h', 'e', 'l', 'l', 'o', 0};
  say<<<1, 32>>>(to_device(word), 123456789012345ll);
  LAUNCHED();
  each<<<1, 5>>>();
  LAUNCHED();
  fflush(stdout);
  return pass("printing");
}
