#ifndef GMMU_PLUGIN_H
#define GMMU_PLUGIN_H
/* Policies and mechanisms outside the tree: a shared object with one `gmmu_plugin`, loaded by
 * `gmmu run --plugin ./mine.so ...` or gmmu_load_plugin(). Its rows are those that policies in the
 * tree have; their contracts are the headers named below, which are installed, too:
 *
 *   #include "assoc/repl.h"
 *   #include <gmmu/plugin.h>
 *   static const repl_ops_t mine = {.name = "mine", .help = "...", ...};
 *   GMMU_PLUGIN("mine", GMMU_POLICY("replacement", mine));
 *
 * | kind           | row              | header           | setting                          |
 * | replacement    | repl_ops_t       | assoc/repl.h     | l2tlb.replacement, ...           |
 * | warp-scheduler | sched_ops_t      | sm/sched.h       | sm.scheduler                     |
 * | tlb-fill       | fill_ops_t       | tlb/fill.h       | tlb.fill                         |
 * | tlb-peer       | peer_ops_t       | tlb/peer.h       | tlb.peer                         |
 * | l2-insertion   | l2_policy_t      | cache/l2policy.h | l2.policy                        |
 * | dram-scheduler | dram_sched_ops_t | dram/dram.h      | dram.scheduler                   |
 * | walk-scheduler | walk_policy_t    | walk/walkpolicy.h | walk.policy                     |
 * | tlb-format     | tlb_format_t     | tlb/format.h      | tlb.format                      |
 * | mechanism      | mechanism_ops_t  | gpu/outside.h    | <its name>.on                    |
 *
 * A policy may have options and counters of its own (`own` in its row, base/policy.h), a mechanism
 * has them in its row.
 *
 * A plug-in is code of yours in the simulator's process: same rules as in the tree (no allocation
 * while kernels run, no host time, answers from arguments and state alone), and as much trust. */
#include "gmmu/contracts.h"
#include <stddef.h>
#include <stdint.h>

#define GMMU_PLUGIN_VERSION 3 /* of the two structs below; contracts.h has a number of the rows */

typedef struct {
  const char *kind; /* NULL ends the list */
  const void *row;
  size_t bytes; /* of the row, as its header was when it was compiled */
} gmmu_plugin_row_t;

typedef struct {
  uint32_t version, contracts; /* of the headers that the plug-in was compiled with */
  const char *name;
  const gmmu_plugin_row_t *rows;
} gmmu_plugin_t;

#define GMMU_POLICY(kind, row)                                                                     \
  { kind, &(row), sizeof(row) }
#define GMMU_PLUGIN(name, ...)                                                                     \
  extern __attribute__((visibility("default"))) const gmmu_plugin_t gmmu_plugin;                   \
  static const gmmu_plugin_row_t gmmu_plugin_rows[] = {__VA_ARGS__, {NULL, NULL, 0}};              \
  const gmmu_plugin_t gmmu_plugin = {GMMU_PLUGIN_VERSION, GMMU_PLUGIN_CONTRACTS, name,             \
                                     gmmu_plugin_rows}
#endif
