#ifndef GMMU_TESTS_GEN_DRIVE_H
#define GMMU_TESTS_GEN_DRIVE_H
/* Runs a generator's program the way a machine would, without timing: all blocks of a launch are
 * resident at once, and `order` says which warp issues next. */
#include "gen/gen.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum {
  ORDER_WARPS,   /* each warp to its end, first to last */
  ORDER_REVERSE, /* last to first, in other slots */
  ORDER_ROBIN,   /* one instruction each, in turn */
  ORDER_RANDOM,  /* by GMMU_SEED */
  ORDERS
} order_t;

/* One executed instruction. */
typedef struct {
  uint32_t launch, warp, place, block; /* warp: of the launch; place: in its block */
  uint32_t pc;
  const inst_t *inst;
  const warp_op_t *op;
  const launch_t *kernel;
} event_t;

typedef struct {
  void (*command)(void *ctx, const command_t *c); /* may be NULL */
  void (*issue)(void *ctx, const event_t *ev);    /* may be NULL */
  void *ctx;
} watcher_t;

/* Every command and instruction of one execution of `text` (which must be right) to the watcher. */
void drive(const char *text, order_t order, const watcher_t *w);
/* The same for an open, bound source: from where it stands to its end. */
void drive_source(source_t *s, order_t order, const watcher_t *w);
source_t *open_bound(const char *text);
/* "name:blocks=6,warps=3,steps=5,footprint=2M,launches=2": fast, and nothing divides anything. */
const char *small_spec(const gen_ops_t *g, char buf[128]);
uint64_t test_seed(void);
/* The address of an active lane. */
uint64_t lane_address(const warp_op_t *op, uint32_t lane);
bool is_memory(const inst_t *i);
bool is_global(const inst_t *i);
#endif
