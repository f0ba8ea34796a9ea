/* What can be configured and counted: the option table, its checks, the schedulers' table and the
 * statistics' declaration. Defaults are one channel of the GDDR5 of the Mosaic and MASK papers;
 * the timings are those of the GPGPU-Sim configuration released with them (Hynix H5GQ1H24AFR). */
#include "dram/dram_spec.h"
#include "base/policy.h"
#include <string.h>

#define POLICIES(X) X(dram_frfcfs) X(dram_fcfs) X(dram_rr) X(dram_mask)
POLICY_TABLE(dram_sched_ops_t, dram_sched_all, POLICIES)

const dram_sched_ops_t *dram_sched_find(const char *name) {
  for (const dram_sched_ops_t *const *s = dram_sched_all; *s; s++)
    if (strcmp((*s)->name, name) == 0) return *s;
  return NULL;
}

static const char *sched_name(uint32_t i) {
  return dram_sched_all[i] ? dram_sched_all[i]->name : NULL;
}

#define U32(field, low, high, preset, unit_, text)                                                 \
  {                                                                                                \
    .name = #field, .type = OPT_U32, .offset = offsetof(dram_spec_t, field), .min = low,           \
    .max = high, .def = preset, .unit = unit_, .help = text                                        \
  }
#define FLAG(field, text)                                                                          \
  {                                                                                                \
    .name = #field, .type = OPT_BOOL, .offset = offsetof(dram_spec_t, field), .max = 1,            \
    .unit = "", .help = text                                                                       \
  }
#define CYCLES    "command cycles"
#define CYCLE_MAX DRAM_CYCLES_MAX

const opt_t dram_options[] = {
    {.name = "standard",
     .type = OPT_NAME,
     .offset = offsetof(dram_spec_t, standard),
     .unit = "",
     .help = "sets what a channel of this standard is and its timings at the clock; name it first, "
             "for what is set after it stays (docs/dram.md)",
     .names = dram_standard_name,
     .def_name = "none"},
    U32(channels, 1, DRAM_CHANNELS_MAX, 8, "", "channels of the machine (MASK Table 1: 8)"),
    U32(banks, 1, DRAM_BANKS_MAX, 8, "", "banks per channel, a power of two (MASK Table 1: 8)"),
    U32(row_bytes, 64, 65536, 2048, "bytes", "row buffer of a bank"),
    U32(clock_mhz, 1, DRAM_MHZ_MAX, 1674, "MHz", "command clock (MASK Table 1: 1674)"),
    U32(bus_bytes, 1, 256, 4, "bytes", "width of the data bus"),
    U32(burst_length, 1, 64, 8, "transfers", "transfers per burst"),
    U32(data_rate, 1, 16, 4, "transfers", "transfers per pin and command cycle (GDDR5 4, HBM 2)"),
    U32(queue, 1, 4096, 64, "accesses", "scheduling window for reads"),
    U32(write_queue, 1, 4096, 64, "accesses", "write buffer (a guess)"),
    U32(write_high, 1, 4096, 48, "accesses", "writes waiting at which they are served (a guess)"),
    U32(write_low, 0, 4095, 16, "accesses", "writes waiting at which reads go on (a guess)"),
    U32(trcd, 1, CYCLE_MAX, 12, CYCLES, "activate to column access"),
    U32(trp, 1, CYCLE_MAX, 12, CYCLES, "precharge to activate"),
    U32(tcl, 1, CYCLE_MAX, 12, CYCLES, "read to its first data"),
    U32(tcwl, 1, CYCLE_MAX, 4, CYCLES, "write to its first data"),
    U32(tras, 1, CYCLE_MAX, 28, CYCLES, "activate to precharge"),
    U32(trc, 1, CYCLE_MAX, 40, CYCLES, "activate to activate of one bank"),
    U32(tccd, 1, CYCLE_MAX, 2, CYCLES, "column access to column access"),
    U32(trrd, 1, CYCLE_MAX, 6, CYCLES, "activate to activate of different banks"),
    U32(tfaw, 0, CYCLE_MAX, 23, CYCLES,
        "window of at most four activates (data sheet: 23 ns, in the 1 GHz cycles of the others)"),
    U32(trtp, 1, CYCLE_MAX, 2, CYCLES, "last read to precharge"),
    U32(twr, 0, CYCLE_MAX, 12, CYCLES, "last written data to precharge"),
    U32(twtr, 0, CYCLE_MAX, 5, CYCLES, "last written data to read"),
    U32(groups, 1, DRAM_GROUPS_MAX, 1, "",
        "bank groups, a power of two: banks whose numbers are equal modulo this; 1: none"),
    U32(tccd_l, 0, CYCLE_MAX, 0, CYCLES, "tccd within a bank group; less than tccd: the same"),
    U32(trrd_l, 0, CYCLE_MAX, 0, CYCLES, "trrd within a bank group; less than trrd: the same"),
    U32(twtr_l, 0, CYCLE_MAX, 0, CYCLES, "twtr within a bank group; less than twtr: the same"),
    U32(command_cycles, 1, 64, 1, CYCLES,
        "that a command fills its bus (HBM2's pseudo channels: 2, they share one in turn)"),
    U32(activate_cycles, 1, 64, 1, CYCLES, "that an activate fills its bus"),
    U32(turnaround, 0, CYCLE_MAX, 2, CYCLES,
        "idle data bus between a read and a write (GPGPU-Sim's tRTW has 2)"),
    U32(trefi, 0, 1u << 24, 0, CYCLES, "refresh interval; 0: no refresh, as in GPGPU-Sim"),
    U32(trfc, 0, CYCLE_MAX, 0, CYCLES, "refresh to activate"),
    FLAG(bank_refresh, "refresh one bank after the other, all of them once in trefi; the others "
                       "go on"),
    FLAG(unlimited,
         "no limit of bandwidth, as a counterfactual: every access takes what it takes in "
         "an idle channel that has to open its row"),
    FLAG(unlimited_walks, "the same for page-table reads alone, which then take no bandwidth"),
    FLAG(closed_row, "close a row with the last access that waits for it"),
    FLAG(one_queue, "reads and writes wait in one queue (dram.queue), and neither goes first"),
    FLAG(dual_command, "separate buses for row and column commands (HBM)"),
    {.name = "scheduler",
     .type = OPT_NAME,
     .offset = offsetof(dram_spec_t, scheduler),
     .unit = "",
     .help = "which waiting access goes first",
     .names = sched_name,
     .def_name = "frfcfs"},
    U32(golden, 1, 4096, 16, "accesses", "scheduler mask: golden queue, walks (MASK 7.4: 16)"),
    U32(silver, 1, 4096, 64, "accesses",
        "scheduler mask: silver queue, data of one application (MASK 7.4: 64)"),
    U32(normal, 1, 4096, 192, "accesses",
        "scheduler mask: normal queue, other data (MASK 7.4: 192)"),
    U32(thresh_max, 1, UINT16_MAX, 500, "accesses",
        "scheduler mask: silver accesses of one round of turns (MASK: 500)"),
    FLAG(live_walks, "scheduler mask: quotas by the walks under way now, not the most of an epoch"),
    {.name = NULL},
};

#define COUNTER(field, unit_, text)                                                                \
  { #field, offsetof(dram_stats_t, field), unit_, text }

const stat_desc_t dram_stats_list[] = {
    COUNTER(reads, "accesses", "reads whose column command has issued"),
    COUNTER(writes, "accesses", "writes whose column command has issued"),
    COUNTER(read_bytes, "bytes", "bytes read, whole bursts"),
    COUNTER(write_bytes, "bytes", "bytes written, whole bursts"),
    COUNTER(row_hits, "accesses", "accesses that found their row open"),
    COUNTER(row_misses, "accesses", "accesses that opened their row in a closed bank"),
    COUNTER(row_conflicts, "accesses", "accesses that closed another row first"),
    COUNTER(queue_cycles, "command cycles", "waiting from arrival to column command, summed"),
    {NULL, 0, NULL, NULL},
};

#define X(field, unit_, text) {#field, offsetof(dram_queue_stats_t, field), unit_, text},
const stat_desc_t dram_queue_stats_list[] = {DRAM_QUEUE_STATS(X){NULL, 0, NULL, NULL}};
#undef X

/* --- checks ----------------------------------------------------------------------------------- */

static int in_range(const dram_spec_t *s, err_t *e) {
  for (const opt_t *o = dram_options; o->name; o++) {
    if (o->type != OPT_U32) continue;
    uint32_t v = *(const uint32_t *)(const void *)((const char *)s + o->offset);
    if (v >= o->min && v <= o->max) continue;
    err_set(e, GMMU_ERANGE, "%u is not in %u .. %u", v, (uint32_t)o->min, (uint32_t)o->max);
    err_for_key(e, o->name);
    return GMMU_ERANGE;
  }
  return 0;
}

static int refuse(err_t *e, const char *key, const char *why) {
  err_set(e, GMMU_ERANGE, "%s", why);
  err_for_key(e, key);
  return GMMU_ERANGE;
}

int dram_spec_check(const dram_spec_t *s, err_t *e) {
  int code = in_range(s, e);
  if (code) return code;
  if (s->banks & (s->banks - 1)) return refuse(e, "banks", "not a power of two");
  if (s->groups & (s->groups - 1)) return refuse(e, "groups", "not a power of two");
  if (s->groups > s->banks) return refuse(e, "groups", "more than banks");
  uint32_t burst = (s->burst_length + s->data_rate - 1) / s->data_rate;
  uint32_t bursts = dram_row_bursts(s), spacing = s->tccd > burst ? s->tccd : burst;
  if ((uint64_t)bursts * spacing > DRAM_CYCLES_MAX)
    return refuse(e, "row_bytes", "a row takes too long to read");
  if (s->write_high > s->write_queue) return refuse(e, "write_high", "more than write_queue");
  if (s->write_low >= s->write_high) return refuse(e, "write_low", "not below write_high");
  if (s->trefi && s->trfc == 0) return refuse(e, "trfc", "0 while trefi is not");
  if (s->trefi && s->trfc + s->trc + s->trp >= s->trefi)
    return refuse(e, "trefi", "leaves no time between refreshes");
  const dram_sched_ops_t *sched = s->scheduler ? dram_sched_find(s->scheduler) : NULL;
  if (sched && s->one_queue && sched->queues > 1)
    return refuse(e, "one_queue", "the scheduler has queues of its own for reads");
  if (sched) return 0;
  err_set(e, GMMU_ENOENT, "no scheduler \"%s\"", s->scheduler ? s->scheduler : "");
  err_for_key(e, "scheduler");
  return GMMU_ENOENT;
}
