#ifndef GMMU_TESTS_MACHINE_RANDOM_MACHINE_H
#define GMMU_TESTS_MACHINE_RANDOM_MACHINE_H
/* Random small machines and random programs for them. Machine n of seed s is always the same. */
#include "base/rng.h"
#include "base/strbuf.h"
#include "help.h"
#include "policies.h"

#define REGION    (2 * MB) /* what a random script may touch */
#define MAX_OPS   12
#define MAX_PROGS 3

typedef struct {
  script_op_t op[MAX_PROGS][MAX_OPS];
  program_t program[MAX_PROGS];
  script_spec_t spec;
} random_script_t;

typedef struct {
  rng_t rng;
  strbuf_t text; /* what it is, to repeat it */
  gpu_spec_t spec;
  gpu_limits_t limits;
  uint32_t apps;
  uint32_t peers, fill;      /* 0: the product's; 1, 2: the tests' */
  l2_decision_t data, walks; /* of the tests' L2 policy */
  bool scripted[4];
  char gen[4][200];
  random_script_t script[4];
} random_machine_t;

void random_machine_init(random_machine_t *m, uint64_t seed, uint64_t n);
/* Some of the causes of waiting are taken from it. */
void random_machine_counterfactual(random_machine_t *m);
/* Its channels, slices and ways are many, or no powers of two. */
void random_machine_odd(random_machine_t *m);
/* Mechanisms beside the usual path are drawn. */
void random_machine_formats(random_machine_t *m);
void random_machine_mechanisms(random_machine_t *m);
/* Pages of several sizes, or pages that come when they are asked for, or neither. */
void random_machine_pages(random_machine_t *m);
/* Its programs are longer ones of generators. */
void random_machine_long(random_machine_t *m, uint64_t steps);
void random_machine_fini(random_machine_t *m);
source_t *random_machine_source(const random_machine_t *m, uint32_t app); /* the caller frees it */
/* Puts the tests' own policies into a machine made of m->spec. */
void random_machine_policies(const random_machine_t *m, gpu_t *g);
#endif
