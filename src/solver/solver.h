#ifndef GMMU_SOLVER_H
#define GMMU_SOLVER_H
/* Finds a GPU's DRAM banks, L2 sets and memory modules from times alone.
 *
 * Pairs of loads in one bank but different rows take longer, lines of one L2 set evict each other:
 * so pairs of addresses are found that agree in every function of the bank (of the set). If all
 * functions are XORs of address bits, the differences of these pairs are the null space of the
 * functions, whose own null space they are. Times are noisy, so every decision is a median or a
 * vote, every threshold comes from the times themselves, and what was found is tried on new
 * addresses: a function that is not linear, or a count that is no power of two, shows there. */
#include "gf2/gf2.h"
#include "solver/oracle.h"
#include <stdbool.h>

typedef enum {
  SOLVED,        /* linear, and new addresses agree */
  NO_SIGNAL,     /* times do not fall into two groups, or nothing was found */
  NOT_LINEAR,    /* no XOR of bits explains the times */
  NOT_POWER_OF_2 /* what XORs explain is divided further, by `factor` */
} solver_verdict_t;
const char *solver_verdict_text(solver_verdict_t v);

/* Functions of an index. Without SOLVED `space` is what is certain: perhaps nothing. */
typedef struct {
  solver_verdict_t verdict;
  gf2_space_t space;
  uint32_t factor; /* NOT_POWER_OF_2: 3 if there are about 3 times as many as XORs tell */
  uint32_t
      confidence;   /* percent of new addresses that agree, of those that should or of the others */
  uint64_t samples; /* questions asked for it */
} solved_t;

typedef struct {
  uint64_t value; /* 0: not known */
  uint32_t confidence;
  uint64_t samples;
} finding_t;

typedef struct {
  solved_t bank, set;
  gf2_space_t module; /* what bank and set share; if both are solved */
  finding_t banks, row_bytes, sector_bytes, line_bytes, ways, sets, l2_bytes, modules, mshrs;
  uint32_t usual_cycles,
      conflict_cycles; /* a pair; a pair of one bank and two rows. 0: not known */
  uint32_t row_cycles; /* between two rows of a bank, at least */
  uint64_t pairs, chains, touched, bursts; /* questions in all; loads of the chains */
} solver_report_t;

/* `seed` chooses the addresses. Returns a negative code only if the device failed, or memory. */
int solver_run(const oracle_t *o, uint64_t seed, solver_report_t *r, err_t *e);
#endif
