/* Reuse distances are exact. Each page has a mark at the time of its last access, in an array over
 * time with sums of powers of two (Fenwick); the marks behind a page's are the pages since then.
 * When the array is full, the marks move to its front, in order. */
#include "lab/pages.h"
#include "base/rng.h"
#include <stdlib.h>
#include <string.h>

#define SLOTS     64u        /* warps of a block, at most */
#define FIRST_LOG 16u        /* of the table of pages */
#define SPACE     (1u << 22) /* moments before marks move, at least */

typedef struct {
  uint64_t page; /* plus 1; 0: free */
  uint64_t time; /* from 1 */
} last_t;

typedef struct {
  pages_t *out;
  last_t *last; /* [1 << log], open addressing, at most half full */
  uint32_t log;
  uint32_t *sum; /* [space + 1] */
  uint64_t space, now;
} counter_t;

static last_t *find(const counter_t *c, uint64_t page) {
  uint64_t mask = ((uint64_t)1 << c->log) - 1, i = rng_mix(page) & mask;
  while (c->last[i].page && c->last[i].page != page + 1) i = (i + 1) & mask;
  return &c->last[i];
}

static void mark(counter_t *c, uint64_t at, uint32_t change) {
  for (; at <= c->space; at += at & -at) c->sum[at] += change;
}
static uint64_t marks_up_to(const counter_t *c, uint64_t at) {
  uint64_t n = 0;
  for (; at; at -= at & -at) n += c->sum[at];
  return n;
}

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "no memory to count pages"); }

static int grow(counter_t *c, err_t *e) {
  counter_t old = *c;
  c->log = old.log ? old.log + 1 : FIRST_LOG;
  c->last = calloc((size_t)1 << c->log, sizeof *c->last);
  if (!c->last) {
    *c = old;
    return no_memory(e);
  }
  for (uint64_t i = 0; old.last && i < (uint64_t)1 << old.log; i++)
    if (old.last[i].page) *find(c, old.last[i].page - 1) = old.last[i];
  free(old.last);
  return GMMU_OK;
}

static int by_time(const void *a, const void *b) {
  uint64_t x = (*(last_t *const *)a)->time, y = (*(last_t *const *)b)->time;
  return (x > y) - (x < y);
}

/* Times become 1, 2, 3, ..., in the same order. */
static int move_marks(counter_t *c, err_t *e) {
  uint64_t pages = c->out->pages, n = 0;
  last_t **order = malloc((pages + 1) * sizeof *order);
  if (!order) return no_memory(e);
  for (uint64_t i = 0; i < (uint64_t)1 << c->log; i++)
    if (c->last[i].page) order[n++] = &c->last[i];
  qsort(order, n, sizeof *order, by_time);
  if (n * 2 > c->space || !c->sum) {
    uint32_t *sum = realloc(c->sum, (2 * n + SPACE + 1) * sizeof *sum);
    if (!sum) {
      free(order);
      return no_memory(e);
    }
    c->sum = sum, c->space = 2 * n + SPACE;
  }
  memset(c->sum, 0, (c->space + 1) * sizeof *c->sum);
  for (uint64_t i = 0; i < n; i++) mark(c, order[i]->time = i + 1, 1);
  c->now = n;
  free(order);
  return GMMU_OK;
}

static uint32_t bucket(uint64_t distance) {
  uint32_t b = distance ? 64 - (uint32_t)__builtin_clzll(distance) : 0;
  return b < PAGES_BUCKETS ? b : PAGES_BUCKETS - 1;
}

static int touch(counter_t *c, uint64_t page, err_t *e) {
  if (2 * (c->out->pages + 1) > (uint64_t)1 << c->log || !c->last) {
    int rc = grow(c, e);
    if (rc < 0) return rc;
  }
  if (c->now == c->space) {
    int rc = move_marks(c, e);
    if (rc < 0) return rc;
  }
  last_t *l = find(c, page);
  c->out->accesses++;
  if (l->page) {
    c->out->reuse[bucket(c->out->pages - marks_up_to(c, l->time))]++;
    mark(c, l->time, (uint32_t)-1);
  } else {
    l->page = page + 1;
    c->out->pages++;
  }
  l->time = ++c->now;
  mark(c, l->time, 1);
  return GMMU_OK;
}

static uint64_t lane_address(const warp_op_t *op, uint32_t l) {
  return op->mode == ADDR_LIST ? op->lane[l] : op->base + (uint64_t)(op->stride * (int64_t)l);
}

/* Each page of the instruction once. */
static int count_access(counter_t *c, const warp_op_t *op, err_t *e) {
  uint64_t page[WARP_LANES];
  uint32_t n = 0;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t p = lane_address(op, (uint32_t)__builtin_ctz(m)) / PAGES_BYTES;
    uint32_t k = 0;
    while (k < n && page[k] != p) k++;
    if (k == n) page[n++] = p;
  }
  c->out->memory_insts += n > 0;
  for (uint32_t k = 0; k < n; k++) {
    int rc = touch(c, page[k], e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

static bool reaches_memory(const inst_t *in) {
  return (in->cls == IC_LOAD || in->cls == IC_STORE || in->cls == IC_ATOMIC) &&
         (in->space == SPACE_GLOBAL || in->space == SPACE_LOCAL || in->space == SPACE_TEXTURE);
}

static int run_block(counter_t *c, source_t *s, const launch_t *l, uint32_t cta, err_t *e) {
  uint32_t slot[SLOTS], next[SLOTS], warps = launch_warps(l), left = warps;
  if (warps > SLOTS) return err_set(e, GMMU_EINVAL, "a block of %u warps", warps);
  for (uint32_t w = 0; w < warps; w++) slot[w] = w;
  int rc = s->ops->cta_begin(s, 0, cta, warps, slot, next, e);
  for (uint32_t w = 0; rc >= 0 && w < warps; w++) left -= next[w] == STREAM_END;
  while (rc >= 0 && left)
    for (uint32_t w = 0; rc >= 0 && w < warps; w++) {
      warp_op_t op;
      if (next[w] == STREAM_END) continue;
      const inst_t *in = &l->inst[next[w]];
      next[w] = s->ops->step(s, 0, w, &op);
      if (next[w] == STREAM_FAIL) {
        *e = *s->ops->error(s);
        return e->code;
      }
      c->out->insts++;
      if (reaches_memory(in)) rc = count_access(c, &op, e);
      left -= next[w] == STREAM_END;
    }
  return rc;
}

int pages_count(source_t *s, pages_t *out, err_t *e) {
  counter_t c = {.out = out};
  command_t command;
  *out = (pages_t){0};
  int rc = s->ops->bind(s, SLOTS, SLOTS, e);
  if (rc >= 0) rc = s->ops->rewind(s, e);
  while (rc >= 0) {
    rc = s->ops->next_command(s, 0, &command, e);
    if (rc < 0 || command.kind == CMD_END) break;
    for (uint64_t b = 0;
         command.kind == CMD_LAUNCH && rc >= 0 && b < launch_blocks(&command.launch); b++)
      rc = run_block(&c, s, &command.launch, (uint32_t)b, e);
  }
  free(c.last), free(c.sum);
  return rc < 0 ? rc : GMMU_OK;
}
