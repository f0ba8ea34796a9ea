#ifndef GMMU_TESTS_TRACE_SYNTH_H
#define GMMU_TESTS_TRACE_SYNTH_H
/* Sources for tests and benchmarks: what a warp executes is a function of seed, launch, block and
 * warp alone, so two instances agree whatever the order of their calls. */
#include "base/rng.h"
#include "gmmu/stream.h"

typedef enum {
  SYNTH_RANDOM, /* anything the interface allows */
  SYNTH_TRIAD,  /* a grid-stride loop: 2 loads, 1 store, 11 others */
  SYNTH_SHORT,  /* one element per thread: 2 loads, 1 store, 9 others, and out */
  SYNTH_GATHER, /* a loop with one load from 32 random places of 256 MiB */
  SYNTH_DIVERGE /* a loop with branches that split the warp, loads under partial masks */
} synth_kind_t;

typedef struct {
  synth_kind_t kind;
  uint64_t seed;
  uint32_t launches, blocks, threads;
  uint32_t length; /* RANDOM: most instructions of a warp; loops: iterations */
  uint32_t insts;  /* RANDOM: rows of the static table */
} synth_spec_t;

source_t *synth_new(const synth_spec_t *spec);
#endif
