// A program that can end in many ways: ways WAY. What it prints is compared by test_programs.sh.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

__global__ void add(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}
__global__ void wild(int *p) { p[1 << 28] = 1; }
__global__ void odd(char *p) { *(int *)(p + 1) = 1; }
__global__ void trap() { asm volatile("trap;"); }
__global__ void claim(int n) { assert(n == 1); }
__global__ void wait_for(volatile int *p) {
  while (!*p) {
  }
}
__global__ void count(unsigned long long *p, unsigned long long n) {
  unsigned long long k = 0, x = 1;
  for (; k < n; k++) x = x * 6364136223846793005ull + 1;
  *p = x;
}
__device__ int variable = 5;
__global__ void increment() { variable++; }
__global__ void say(int n) { printf("kernel %d thread %d\n", n, (int)threadIdx.x); }
__global__ void lists(int *sum) {
  int *p = (int *)malloc(16 * sizeof *p), s = 0;
  for (int i = 0; i < 16; i++) p[i] = i + threadIdx.x;
  for (int i = 0; i < 16; i++) s += p[i];
  free(p);
  atomicAdd(sum, s);
}

static int good(cudaError_t e) {
  if (e) printf("%s\n", cudaGetErrorName(e));
  return e == cudaSuccess;
}

// Sums 0 .. n - 1 and itself; whether the result is right.
static int works(int n, int turns) {
  int *h = (int *)malloc(n * sizeof *h), *a, *b, ok = 1;
  for (int i = 0; i < n; i++) h[i] = i;
  ok &= good(cudaMalloc(&a, n * sizeof *a)) && good(cudaMalloc(&b, n * sizeof *b));
  ok &= good(cudaMemcpy(b, h, n * sizeof *h, cudaMemcpyHostToDevice));
  ok &= good(cudaMemset(a, 0, n * sizeof *a));
  for (int t = 0; t < turns; t++) add<<<(n + 127) / 128, 128>>>(a, b, n);
  ok &= good(cudaGetLastError());
  ok &= good(cudaMemcpy(h, a, n * sizeof *h, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) ok &= h[i] == turns * i;
  ok &= good(cudaFree(a)) && good(cudaFree(b));
  free(h);
  return ok;
}

static void *thread(void *number) {
  static int bad = 1;
  for (int i = 0; i < 8; i++)
    if (!works(100 * (int)(size_t)number + i, 1 + i % 3)) return &bad;
  return NULL;
}

static int threads() {
  pthread_t t[6];
  void *bad;
  int ok = 1;
  for (size_t i = 0; i < 6; i++) pthread_create(&t[i], NULL, thread, (void *)(i + 1));
  for (size_t i = 0; i < 6; i++) pthread_join(t[i], &bad), ok &= !bad;
  return ok;
}

// Every thread has a last error of its own, but a kernel's failure is everybody's.
static void *fails(void *) { return (void *)(size_t)cudaMalloc((void **)NULL, 5); }
static int own_errors() {
  pthread_t t;
  void *e;
  pthread_create(&t, NULL, fails, NULL);
  pthread_join(t, &e);
  return e == (void *)(size_t)cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess;
}

static int provoke(int code) {
  int *p;
  cudaMalloc(&p, 1024), cudaMemset(p, 0, 1024);
  switch (code) {
  case 700: wild<<<2, 32>>>(p); break;
  case 716: odd<<<1, 1>>>((char *)p); break;
  case 719: trap<<<1, 1>>>(); break;
  case 710: claim<<<1, 1>>>(0); break;
  case 702: wait_for<<<3, 64>>>(p); break;
  }
  int got = cudaDeviceSynchronize(), later = cudaMalloc(&p, 4), gone = cudaDeviceReset();
  printf("%d %d %d %d\n", got, later, gone, works(1000, 2));
  return 0;
}

// Bytes of the program's own to gmmu, past the library.
static void talk(const void *bytes, size_t size) {
  const char *env = getenv("GMMU_WIRE");
  int socket;
  if (!env || sscanf(env, "%d,", &socket) != 1 || write(socket, bytes, size) != (ssize_t)size)
    exit(2);
}

static int add_line(const char *file, const char *line) {
  FILE *f = fopen(file, "a");
  return f && fprintf(f, "%s\n", line) > 0 && fclose(f) == 0;
}

// Says which process stays behind.
static void leave_behind() {
  int said[2];
  char one;
  if (pipe(said) == 0 && fork() == 0) {
    setsid();
    if (fork()) _exit(0);
    printf("left %d\n", (int)getpid()), fflush(stdout);
    close(said[0]), close(said[1]);
    for (;;) pause();
  }
  close(said[1]);
  if (read(said[0], &one, 1) != 0) exit(2);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "work";
  unsigned long long *p;
  if (!strcmp(way, "early")) return 4;
  if (!strcmp(way, "nothing")) return 0;
  if (atoi(way)) return provoke(atoi(way));
  if (!strcmp(way, "work")) return printf("%s\n", works(5000, 3) ? "worked" : "WRONG"), 0;
  if (!strcmp(way, "status")) return works(100, 1) ? 3 : 1;
  if (!strcmp(way, "crash")) return works(100, 1) ? (abort(), 0) : 1;
  if (!strcmp(way, "threads"))
    return printf("%s\n", threads() && own_errors() ? "worked" : "WRONG"), 0;
  if (!strcmp(way, "reset")) {
    int ok = works(100, 1) && good(cudaDeviceReset()) && works(200, 2) && good(cudaDeviceReset());
    return printf("%s\n", ok && works(300, 3) ? "worked" : "WRONG"), 0;
  }
  if (!strcmp(way, "print")) {
    printf("before\n");
    say<<<1, 2>>>(1);
    printf("between\n");
    say<<<1, 1>>>(2);
    cudaDeviceSynchronize();
    printf("after\n");
    return 0;
  }
  if (!strcmp(way, "heap")) {
    int *sum, h;
    cudaMalloc(&sum, 4), cudaMemset(sum, 0, 4);
    lists<<<2, 32>>>(sum);
    cudaMemcpy(&h, sum, 4, cudaMemcpyDeviceToHost);
    return printf("%d\n", h), 0; // 2 * sum over t of 120 + 16 t
  }
  if (!strcmp(way, "lines") && argc > 2) {
    int ok = add_line(argv[2], "begin") && works(2000, 2);
    for (int i = 0; i < 10; i++) ok &= works(100, 1) && add_line(argv[2], "step");
    return ok && add_line(argv[2], "end") ? 0 : 1;
  }
  if (!strcmp(way, "variable")) { // nothing is allocated before
    int h;
    increment<<<1, 1>>>();
    cudaMemcpyFromSymbol(&h, variable, sizeof h);
    return printf("%d\n", h), 0;
  }
  if (!strcmp(way, "leave")) return leave_behind(), works(100, 1) ? 0 : 1;
  if (!strcmp(way, "inside")) works(100, 1) ? talk("abc", 3), _exit(0) : exit(1);
  if (!strcmp(way, "nonsense")) {
    unsigned request[10] = {99};
    if (works(100, 1)) leave_behind(), talk(request, sizeof request);
    sleep(1000);
  }
  cudaMalloc(&p, 8);
  printf("started\n"), fflush(stdout);
  if (!strcmp(way, "die")) alarm(1), count<<<1, 32>>>(p, 1ull << 50);
  if (!strcmp(way, "sleep")) sleep(1000);
  if (!strcmp(way, "endless")) count<<<1, 32>>>(p, 1ull << 50);
  if (!strcmp(way, "long")) {
    unsigned long long h = 0;
    count<<<1, 32>>>(p, 200000);
    cudaMemcpy(&h, p, 8, cudaMemcpyDeviceToHost);
    printf("%llu\n", h);
  }
  return 0;
}
