/* The CUDA programs of tests/cuda without timing: warp instructions per second of the interpreter
 * alone, the same while recording, and the recording's size. Only what ptx_run() does is counted,
 * in processor time: the linker puts our __wrap_ptx_run() before it. Programs are built first. */
#include "host/host.h"
#include "lab/program.h"
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t spent_ns; /* in ptx_run(), of this thread */

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int __real_ptx_run(ptx_t *p, const ptx_kernel_t *k, const ptx_launch_t *l, const ptx_options_t *o,
                   ptx_stats_t *s, ptx_fault_t *f, err_t *e);
int __wrap_ptx_run(ptx_t *p, const ptx_kernel_t *k, const ptx_launch_t *l, const ptx_options_t *o,
                   ptx_stats_t *s, ptx_fault_t *f, err_t *e);
int __wrap_ptx_run(ptx_t *p, const ptx_kernel_t *k, const ptx_launch_t *l, const ptx_options_t *o,
                   ptx_stats_t *s, ptx_fault_t *f, err_t *e) {
  uint64_t start = now_ns();
  int rc = __real_ptx_run(p, k, l, o, s, f, e);
  spent_ns += now_ns() - start;
  return rc;
}

static const char *const programs[] = {CUDA_PROGRAMS, NULL};
enum { MOST = 100, ROUNDS = 3 };

typedef struct {
  double rate, record_rate, bytes; /* millions per second; per warp instruction */
} row_t;

/* What the program's first line says it needs beside libcudart. */
static void link_flags(const char *name, char *flags, size_t size) {
  char path[PATH_MAX], line[200];
  snprintf(path, sizeof path, CUDA_SOURCES "/%s.cu", name);
  FILE *f = fopen(path, "r");
  *flags = 0;
  if (f && fgets(line, sizeof line, f) && !strncmp(line, "/* link: ", 9) && strchr(line + 9, '*'))
    snprintf(flags, size, "%.*s", (int)(strchr(line + 9, '*') - (line + 9)), line + 9);
  if (f) fclose(f);
}

static int build(const char *gmmu, const char *dir, const char *name) {
  char command[3 * PATH_MAX], second[PATH_MAX], flags[200];
  snprintf(second, sizeof second, CUDA_SOURCES "/%s_second.cu", name);
  link_flags(name, flags, sizeof flags);
  snprintf(command, sizeof command, "'%s' cc '" CUDA_SOURCES "/%s.cu' %s %s -o '%s/%s'", gmmu, name,
           access(second, R_OK) == 0 ? second : "", flags, dir, name);
  return system(command);
}

/* One run; millions of warp instructions per second, 0 if it failed. */
static double run(const host_spec_t *spec, const char *record, uint64_t *insts) {
  host_run_t r;
  err_t e = {0};
  spent_ns = 0;
  int rc = host_run(spec, record, &r, &e);
  *insts = r.warp_insts;
  host_run_fini(&r);
  return rc == 0 && spent_ns ? (double)*insts * 1e3 / (double)spent_ns : 0;
}

static double best_of(const host_spec_t *spec, const char *record, uint64_t *insts) {
  double best = 0;
  for (int i = 0; i < ROUNDS; i++) {
    double rate = run(spec, record, insts);
    if (rate > best) best = rate;
  }
  return best;
}

static bool measure(const char *dir, const char *name, row_t *row) {
  char path[PATH_MAX], record[PATH_MAX], library[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  snprintf(record, sizeof record, "%s/%s.gmt", dir, name);
  char *argv[] = {path, NULL};
  host_spec_t spec;
  gpu_spec_t gpu;
  uint64_t insts;
  struct stat st;
  err_t e = {0};
  gpu_spec_init(&gpu);
  if (gpu_spec_load(&gpu, "gpu", "maxwell", &e) < 0 ||
      program_prepare(argv, &gpu, "maxwell", library, sizeof library, &spec, &e) < 0)
    return false;
  spec.out_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  row->rate = best_of(&spec, NULL, &insts);
  if (row->rate == 0) return false;
  row->record_rate = best_of(&spec, record, &insts);
  row->bytes = stat(record, &st) == 0 ? (double)st.st_size / (double)insts : 0;
  printf("%-20s %10llu %8.2f %8.2f %8.3f\n", name, (unsigned long long)insts, row->rate,
         row->record_rate, row->bytes);
  unlink(record);
  close(spec.out_fd);
  return true;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(const row_t *row, uint32_t n, size_t member) {
  double v[MOST];
  for (uint32_t i = 0; i < n; i++) memcpy(&v[i], (const char *)&row[i] + member, sizeof *v);
  qsort(v, n, sizeof *v, by_value);
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void write_row(const char *name, double value, const char *unit) {
  const char *path = getenv("BENCH_ROWS");
  FILE *f = path ? fopen(path, "a") : NULL;
  if (!f) return;
  fprintf(f, "%s\t%.3f\t%s\n", name, value, unit);
  fclose(f);
}

static void report(const row_t *row, uint32_t n) {
  double rate = median(row, n, offsetof(row_t, rate));
  double record = median(row, n, offsetof(row_t, record_rate));
  double bytes = median(row, n, offsetof(row_t, bytes));
  printf("%-20s %10u %8.2f %8.2f %8.3f\n", "median", n, rate, record, bytes);
  write_row("functional", rate, "Mwinst/s");
  write_row("recording", record, "Mwinst/s");
  write_row("gmt", bytes, "B/winst");
}

/* BUILD/tools/gmmu, as this program is BUILD/bench/bench_cuda. */
static bool find_gmmu(char *path, size_t size) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return false;
  self[n] = 0;
  *strrchr(self, '/') = 0;
  return (size_t)snprintf(path, size, "%s/../tools/gmmu", self) < size;
}

int main(int argc, char **argv) {
  char dir[256], gmmu[PATH_MAX], path[PATH_MAX];
  const char *tmp = getenv("TMPDIR");
  row_t row[MOST];
  uint32_t n = 0;
  const char *const *names = argc > 1 ? (const char *const *)(argv + 1) : programs;
  int length = snprintf(dir, sizeof dir, "%s/bench-cuda-XXXXXX", tmp && *tmp ? tmp : P_tmpdir);
  if (length >= (int)sizeof dir || !find_gmmu(gmmu, sizeof gmmu) || !mkdtemp(dir)) return 1;
  printf("# %-18s %10s %8s %8s %8s\n", "program", "warp inst", "M/s", "recorded", "B/inst");
  for (; *names && n < MOST; names++) {
    if (build(gmmu, dir, *names) == 0) n += measure(dir, *names, &row[n]);
    snprintf(path, sizeof path, "%s/%s", dir, *names);
    unlink(path);
  }
  rmdir(dir);
  if (n) report(row, n);
  return n ? 0 : 1;
}
