/* What rdc.cu and rdc_second.cu share. */
#ifndef RDC_H
#define RDC_H
typedef int (*operation_t)(int);
extern __device__ int calls, common_sum;
extern __constant__ int table[4];
extern __device__ operation_t operation;
extern __device__ int elsewhere(int i);
template <class T> struct counter {
  static __device__ T one(T i) { return i + 1; }
};
template <class T> __device__ T twice(T i); /* an instance of it is in rdc_second.cu */
extern __managed__ int shared_by_all;
void second(int *out, int n);
void second_same_name(int *out);
#endif
