#ifndef GMMU_REPL_H
#define GMMU_REPL_H
/* Replacement: which way of a full set goes. Used by data caches, TLBs and the page-walk cache.
 * Contract: the owner calls hit() after a look-up hit, fill() after installing an entry, and
 * victim() only when every way of the set is in use. State is one zeroed allocation that init()
 * prepares. */
#include <stddef.h>
#include <stdint.h>

enum { FILL_WRITE = 1 }; /* fill() hint: the entry was brought in by a write */

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(uint32_t sets, uint32_t ways);
  void (*init)(void *state, uint32_t sets, uint32_t ways);
  void (*hit)(void *state, uint32_t set, uint32_t way);
  void (*fill)(void *state, uint32_t set, uint32_t way, uint32_t hint);
  uint32_t (*victim)(void *state, uint32_t set, uint32_t hint);
} repl_ops_t;

extern const repl_ops_t repl_lru, repl_fifo, repl_random;
extern const repl_ops_t *const repl_all[]; /* NULL-terminated */
const repl_ops_t *repl_find(const char *name);
const char *repl_name(uint32_t i); /* for option tables */
#endif
