/* A source of instructions of one's own: every thread loads one word, each warp from a page of its
 * own, for a number of rounds. */
#include <gmmu/gmmu.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 60, WARPS = 4, ROUNDS = 20, PAGE = 4096 };
#define BASE UINT64_C(0x100000000)

typedef struct {
  source_t base; /* first: the machine sees only this */
  uint32_t command;
  struct {
    uint32_t warp, round;
  } * slot;
} pages_t;

static const inst_t program[] = {
    {.cls = IC_LOAD,
     .space = SPACE_GLOBAL,
     .width = 4,
     .dst = 1,
     .dsts = 1,
     .src = {REG_NONE, REG_NONE, REG_NONE, REG_NONE}},
    {.cls = IC_EXIT, .dst = REG_NONE, .src = {REG_NONE, REG_NONE, REG_NONE, REG_NONE}},
};

static const launch_t launch = {.name = "pages",
                                .inst = program,
                                .inst_count = 2,
                                .grid = {BLOCKS, 1, 1},
                                .block = {WARPS * WARP_LANES, 1, 1}};

static int bind(source_t *s, uint32_t slots, uint32_t per_sm, err_t *e) {
  pages_t *p = (pages_t *)s;
  (void)per_sm;
  p->slot = calloc(slots, sizeof *p->slot);
  return p->slot ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory");
}

static int back(source_t *s, err_t *e) {
  (void)e;
  ((pages_t *)s)->command = 0;
  return GMMU_OK;
}

static int next_command(source_t *s, uint64_t now, command_t *c, err_t *e) {
  pages_t *p = (pages_t *)s;
  (void)now, (void)e;
  *c = (command_t){.kind = CMD_END};
  if (p->command == 0)
    *c = (command_t){
        .kind = CMD_ALLOC, .va = BASE, .bytes = (uint64_t)BLOCKS * WARPS * ROUNDS * PAGE};
  if (p->command == 1) *c = (command_t){.kind = CMD_LAUNCH, .launch = launch};
  p->command++;
  return GMMU_OK;
}

static int cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps, const uint32_t slot[],
                     uint32_t first[], err_t *e) {
  pages_t *p = (pages_t *)s;
  (void)now, (void)e;
  for (uint32_t i = 0; i < warps; i++) {
    p->slot[slot[i]].warp = cta * WARPS + i, p->slot[slot[i]].round = 0;
    first[i] = 0;
  }
  return GMMU_OK;
}

static uint32_t step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  pages_t *p = (pages_t *)s;
  (void)now;
  uint32_t round = p->slot[slot].round++;
  op->mask = UINT32_MAX, op->mode = ADDR_NONE;
  if (round == ROUNDS) return STREAM_END; /* this was the exit */
  op->mode = ADDR_STRIDE, op->stride = 4;
  op->base = BASE + ((uint64_t)p->slot[slot].warp * ROUNDS + round) * PAGE;
  return round + 1 < ROUNDS ? 0 : 1;
}

static const err_t *error(const source_t *s) {
  static const err_t none;
  (void)s;
  return &none; /* step() never fails */
}

/* Each warp loads ROUNDS times and exits; progress and estimates ask for it. */
static uint64_t work(const source_t *s) {
  (void)s;
  return launch_blocks(&launch) * launch_warps(&launch) * (ROUNDS + 1);
}

static void release(source_t *s) { free(((pages_t *)s)->slot); }

int main(void) {
  static const source_ops_t ops = {.name = "pages",
                                   .bind = bind,
                                   .rewind = back,
                                   .next_command = next_command,
                                   .cta_begin = cta_begin,
                                   .step = step,
                                   .error = error,
                                   .free = release,
                                   .work = work};
  pages_t pages = {.base = {&ops}};
  gmmu_t *m = NULL;
  err_t e = {0};
  uint64_t walks = 0, issued = 0;
  gmmu_limits_t limits = {.no_relaunch = true};
  int rc = gmmu_open("maxwell", "sharedtlb", &m, &e);
  if (rc == 0) rc = gmmu_add_source(m, "pages", &pages.base, 0, &e);
  if (rc == 0) rc = gmmu_run(m, &limits, &e);
  if (rc >= 0) rc = gmmu_statistic(m, "apps[0].walk.walks", &walks, &e);
  if (rc >= 0) rc = gmmu_statistic(m, "apps[0].sm.warp_instructions", &issued, &e);
  if (rc >= 0) {
    printf("%d pages, %" PRIu64 " walks\n", BLOCKS * WARPS * ROUNDS, walks);
    printf("%" PRIu64 " blocks of %" PRIu32 " threads, %" PRIu64 " of %" PRIu64
           " warp instructions; the load is %s\n",
           launch_blocks(&launch), launch_threads(&launch), issued, source_work(&pages.base),
           inst_is_plain(&program[0]) ? "plain" : "one of memory");
  }
  if (rc < 0) fprintf(stderr, "%s\n", e.text);
  gmmu_close(m); /* before the source */
  ops.free(&pages.base);
  return rc < 0;
}
