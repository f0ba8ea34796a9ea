/* Replay of .gmt files: decode rate, bytes per warp instruction, and (under callgrind) host
 * instructions per warp instruction.
 *
 *   bench_gmt                        the table
 *   bench_gmt KIND REPEATS           replays one kind that often; for profilers
 *
 * Blocks replay as on a GPU: many in flight, their warps in turn. The loop that does it is
 * included: about 23 host instructions per warp instruction. */
#include "pair.h"
#include "synth.h"
#include "trace/gmt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INFLIGHT 60
#define WARPS    32 /* most of a block */

static const struct {
  const char *name;
  synth_spec_t spec;
} cases[] = {
    {"triad", {SYNTH_TRIAD, 1, 1, 480, 256, 120, 0}},
    {"short", {SYNTH_SHORT, 1, 1, 40000, 256, 0, 0}},
    {"gather", {SYNTH_GATHER, 1, 1, 240, 256, 100, 0}},
    {"diverge", {SYNTH_DIVERGE, 1, 1, 240, 256, 200, 0}},
};
#define CASES (sizeof cases / sizeof *cases)

static void must(int rc, const err_t *e) {
  char text[600];
  if (rc >= 0) return;
  err_format(e, text, sizeof text);
  fprintf(stderr, "bench_gmt: %s\n", text);
  exit(1);
}

typedef struct {
  uint32_t warps, running, next[WARPS];
} row_t;

static void begin(source_t *s, uint32_t cta, uint32_t row, row_t *x) {
  uint32_t slot[WARPS];
  err_t e;
  for (uint32_t i = 0; i < x->warps; i++) slot[i] = row * WARPS + i;
  must(s->ops->cta_begin(s, 0, cta, x->warps, slot, x->next, &e), &e);
  x->running = x->warps;
}

/* One instruction of each warp of the block. */
static uint64_t turn(source_t *s, uint32_t row, row_t *x) {
  uint64_t n = 0;
  warp_op_t op;
  for (uint32_t i = 0; i < x->warps; i++) {
    if (x->next[i] == STREAM_END) continue;
    x->next[i] = s->ops->step(s, 0, row * WARPS + i, &op);
    if (x->next[i] == STREAM_FAIL) must(GMMU_EFORMAT, s->ops->error(s));
    x->running -= x->next[i] == STREAM_END;
    n++;
  }
  return n;
}

static uint64_t run_launch(source_t *s, const launch_t *l) {
  row_t rows[INFLIGHT] = {0};
  uint64_t n = 0, blocks = launch_blocks(l), begun = 0, busy = 1;
  while (busy) {
    busy = 0;
    for (uint32_t i = 0; i < INFLIGHT; i++) {
      rows[i].warps = launch_warps(l);
      if (!rows[i].running && begun < blocks) begin(s, (uint32_t)begun++, i, &rows[i]);
      if (rows[i].running) n += turn(s, i, &rows[i]);
      busy |= rows[i].running;
    }
    busy |= begun < blocks;
  }
  return n;
}

static uint64_t replay(source_t *s) {
  command_t c;
  err_t e;
  uint64_t n = 0;
  must(s->ops->rewind(s, &e), &e);
  do {
    must(s->ops->next_command(s, 0, &c, &e), &e);
    if (c.kind == CMD_LAUNCH) n += run_launch(s, &c.launch);
  } while (c.kind != CMD_END);
  return n;
}

/* Profilers slow things down fiftyfold: they get an eighth of the blocks. */
static synth_spec_t part_of(size_t i, uint32_t divisor) {
  synth_spec_t s = cases[i].spec;
  s.blocks /= divisor;
  return s;
}
#define PROFILE_PART 8

static source_t *prepare(const synth_spec_t *spec, const char *path) {
  source_t *in = synth_new(spec), *s;
  err_t e;
  must(gmt_record_source(in, path, NULL, 0, &e), &e);
  in->ops->free(in);
  must(gmt_open(path, &s, &e), &e);
  must(s->ops->bind(s, INFLIGHT * WARPS, WARPS, &e), &e);
  return s;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(size_t i, const char *path) {
  source_t *s = prepare(&cases[i].spec, path);
  gmt_info_t info;
  err_t e;
  uint64_t n = 0;
  must(gmt_info(path, &info, &e), &e);
  double start = seconds();
  while (seconds() - start < 1) n += replay(s);
  double rate = (double)n / (seconds() - start);
  printf("%s_replay\t%.1f\tM warp instructions/s\n", cases[i].name, rate * 1e-6);
  printf("%s_size\t%.3f\tbytes/warp instruction\n", cases[i].name,
         (double)info.file_bytes / (double)info.kernel[0].warp_insts);
  gmt_info_fini(&info);
  s->ops->free(s);
}

/* Host instructions by valgrind: the difference between two repeat counts leaves out recording. */
static uint64_t count(const char *self, const char *kind, int repeats) {
  char cmd[4096], line[256];
  unsigned long long n = 0;
  snprintf(cmd, sizeof cmd,
           "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' %s %d 2>&1", self, kind,
           repeats);
  FILE *p = popen(cmd, "r");
  if (!p) return 0;
  while (fgets(line, sizeof line, p)) {
    char *c = strstr(line, "Collected : ");
    if (c) n = strtoull(c + 12, NULL, 10);
  }
  return pclose(p) == 0 ? n : 0;
}

static void count_all(const char *self) {
  for (size_t i = 0; i < CASES; i++) {
    uint64_t once = count(self, cases[i].name, 1), twice = count(self, cases[i].name, 2);
    if (twice <= once) return; /* valgrind is not there */
    synth_spec_t s = part_of(i, PROFILE_PART);
    source_t *in = synth_new(&s);
    err_t e;
    uint64_t insts;
    must(gmt_drain(in, 0, &insts, &e), &e);
    in->ops->free(in);
    printf("%s_host\t%.1f\thost instructions/warp instruction\n", cases[i].name,
           (double)(twice - once) / (double)insts);
  }
}

int main(int argc, char **argv) {
  char path[] = P_tmpdir "/bench-gmt-XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  for (size_t i = 0; i < CASES; i++) {
    if (argc == 1) measure(i, path);
    if (argc != 3 || strcmp(argv[1], cases[i].name)) continue;
    synth_spec_t part = part_of(i, PROFILE_PART);
    source_t *s = prepare(&part, path);
    for (int n = atoi(argv[2]); n > 0; n--) replay(s);
    s->ops->free(s);
  }
  unlink(path);
  if (argc == 1) count_all(argv[0]);
  return 0;
}
