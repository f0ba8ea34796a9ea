/* Shared by the two files of the program "units": each has kernels and variables of its own. */
#ifndef UNITS_H
#define UNITS_H
void second_fill(int *p, int n);
int second_count();
static __device__ int calls;
static __device__ int twice(int x) { return 2 * x; }
#endif
