/* The DRAM standards: what a channel of each is and its timings, in one table with their sources. A
 * GPU names one (`dram.standard: hbm2`), gives its clock, and overrides what it knows better.
 *
 * Times are in command cycles at the clock of the speed bin they were published for; at another
 * clock they keep their nanoseconds, rounded up. tCCD, the turn of the bus and the cycles of a
 * command are cycles at any clock.
 *
 * Sources, all open models of the standards (the standards themselves are not public):
 *   R2  Ramulator 2, python/ramulator/dram: GDDR6_14000_1350mV, HBM2_2000, HBM3_6400
 *   R1  Ramulator, src/GDDR5.cpp: GDDR5_6000
 *   D3  DRAMsim3, configs: GDDR5X_8Gb_x32
 *   G5  gem5, src/mem/DRAMInterface.py: GDDR5_4000_2x32, from the data sheet of the H5GQ1H24AFR
 *   Mi  Micron's briefs of the MT58K256M321 (GDDR5X) and MT61K256M32 (GDDR6)
 *   F   Fractional GPUs (RTAS 2019), measured
 * Where they disagree, docs/dram.md tells what was taken.
 *
 * One channel of the model is what has a data bus of its own: a GDDR6 chip has two, a channel of
 * HBM2 and later is two pseudo channels. */
#include "dram/dram_spec.h"
#include <string.h>

typedef struct {
  const char *name, *help;
  uint32_t mhz;  /* clock of the timings below */
  dram_spec_t s; /* clock_mhz: its own, unless the GPU has another */
} standard_t;

#define GDDR5_TIMES  /* R1: 12-12-28-40 ns at 1.5 GHz; refresh: interval R1, time G5 (65 ns) and D3 \
                      */                                                                            \
  .trcd = 18, .trp = 18, .tcl = 18, .tcwl = 5, .tras = 42, .trc = 60, .tccd = 2, .tccd_l = 3,       \
  .trrd = 9, .trrd_l = 9, .tfaw = 35, .trtp = 2, .twr = 18, .twtr = 8, .twtr_l = 8,                 \
  .turnaround = 2, .trefi = 2850, .trfc = 98
#define GDDR6_TIMES /* R2; its tRTW is tCL + 1, which leaves 5 idle cycles; refresh of a bank */   \
  .trcd = 27, .trp = 27, .tcl = 24, .tcwl = 6, .tras = 53, .trc = 79, .tccd = 2, .tccd_l = 4,      \
  .trrd = 8, .trrd_l = 8, .tfaw = 29, .trtp = 4, .twr = 27, .twtr = 9, .twtr_l = 11,               \
  .turnaround = 5, .trefi = 3333, .trfc = 106, .bank_refresh = true
#define HBM2_TIMES /* R2; an activate takes two cycles, and every second one is the twin's */      \
  .trcd = 14, .trp = 14, .tcl = 14, .tcwl = 5, .tras = 34, .trc = 48, .tccd = 2, .tccd_l = 4,      \
  .trrd = 4, .trrd_l = 4, .tfaw = 15, .trtp = 5, .twr = 16, .twtr = 6, .twtr_l = 8,                \
  .turnaround = 2, .trefi = 3900, .trfc = 160, .bank_refresh = true, .dual_command = true,         \
  .command_cycles = 2, .activate_cycles = 4
#define HBM3_TIMES  /* R2; tRTW 20 leaves 8 idle cycles; activates of 1.5, precharges of 0.5 cycles \
                     */                                                                             \
  .trcd = 31, .trp = 26, .tcl = 20, .tcwl = 10, .tras = 45, .trc = 72, .tccd = 2, .tccd_l = 4,      \
  .trrd = 4, .trrd_l = 5, .tfaw = 24, .trtp = 9, .twr = 33, .twtr = 7, .twtr_l = 10,                \
  .turnaround = 8, .trefi = 6240, .trfc = 320, .bank_refresh = true, .dual_command = true,          \
  .command_cycles = 1, .activate_cycles = 3
#define SHAPE(clock, row, bus, burst, rate)                                                        \
  .banks = 16, .groups = 4, .clock_mhz = clock, .row_bytes = row, .bus_bytes = bus,                \
  .burst_length = burst, .data_rate = rate
#define ONE_BUS .command_cycles = 1, .activate_cycles = 1

static const standard_t standards[] = {
    {"none", "what the options say", 0, {0}},
    {"gddr5",
     "32 bits, bursts of 8: 32 bytes in 2 cycles (R1)",
     1500,
     {SHAPE(1500, 2048, 4, 8, 4), GDDR5_TIMES, ONE_BUS}},
    {"gddr5x", /* D3: the times of GDDR5; the row: F; Mi: 10 to 12 Gb/s, tCCD_L 3 or 4 */
     "32 bits, bursts of 16: 64 bytes in 2 cycles (Mi), times of GDDR5 (D3)",
     1500,
     {SHAPE(1250, 2048, 4, 16, 8), GDDR5_TIMES, ONE_BUS}},
    {"gddr6",
     "16 bits, bursts of 16: 32 bytes in 2 cycles (R2, Mi)",
     1750,
     {SHAPE(1750, 2048, 2, 16, 8), GDDR6_TIMES, ONE_BUS}},
    {"gddr6x", /* no open model of it was found */
     "GDDR6 at 19 Gb/s: its nanoseconds, and 32 bytes in 2 cycles (a guess)",
     1750,
     {SHAPE(2375, 2048, 2, 16, 8), GDDR6_TIMES, ONE_BUS}},
    {"hbm2",
     "a pseudo channel of 64 bits, bursts of 4: 32 bytes in 2 cycles (R2)",
     1000,
     {SHAPE(1000, 1024, 8, 4, 2), HBM2_TIMES}},
    {"hbm2e",
     "HBM2 at 3.2 Gb/s: its nanoseconds (no open model of its own was found)",
     1000,
     {SHAPE(1600, 1024, 8, 4, 2), HBM2_TIMES}},
    {"hbm3",
     "a pseudo channel of 32 bits, bursts of 8: 32 bytes in 2 cycles (R2)",
     1600,
     {SHAPE(1600, 1024, 4, 8, 4), HBM3_TIMES}},
};
enum { STANDARDS = sizeof standards / sizeof *standards };

const char *dram_standard_name(uint32_t i) { return i < STANDARDS ? standards[i].name : NULL; }
const char *dram_standard_help(uint32_t i) { return i < STANDARDS ? standards[i].help : NULL; }

static const standard_t *find(const char *name) {
  for (uint32_t i = 0; i < STANDARDS; i++)
    if (strcmp(standards[i].name, name) == 0) return &standards[i];
  return &standards[0];
}

static const opt_t *option(const char *name, uint32_t *index) {
  *index = 0;
  for (const opt_t *o = dram_options; o->name; o++, ++*index)
    if (strcmp(o->name, name) == 0) return o;
  return NULL;
}

/* Given in cycles of the bin's clock. */
static bool is_time(const char *name) {
  static const char *const times[] = {"trcd", "trp",    "tcl",    "tcwl",  "tras",
                                      "trc",  "trrd",   "tfaw",   "trtp",  "twr",
                                      "twtr", "trrd_l", "twtr_l", "trefi", "trfc"};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (strcmp(times[i], name) == 0) return true;
  return false;
}

bool dram_standard_gives(const opt_t *o) {
  for (uint32_t i = 1; i < STANDARDS; i++) {
    const void *at = (const char *)&standards[i].s + o->offset;
    if (o->type == OPT_BOOL ? *(const bool *)at : o->type == OPT_U32 && *(const uint32_t *)at)
      return true;
  }
  return false;
}

static void give(dram_spec_t *s, const standard_t *from, const opt_t *o) {
  const char *value = (const char *)&from->s + o->offset;
  char *field = (char *)s + o->offset;
  if (o->type == OPT_BOOL) {
    *(bool *)(void *)field = *(const bool *)(const void *)value;
    return;
  }
  uint64_t v = *(const uint32_t *)(const void *)value;
  if (is_time(o->name)) v = (v * s->clock_mhz + from->mhz - 1) / from->mhz;
  *(uint32_t *)(void *)field = (uint32_t)(v < o->max ? v : o->max);
}

void dram_spec_given(dram_spec_t *s, const char *name) {
  uint32_t index;
  const opt_t *o = option(name, &index);
  if (!o || index >= 64) return;
  bool standard = strcmp(name, "standard") == 0;
  s->given = standard ? 0 : s->given | 1ull << index;
  const standard_t *from = find(s->standard);
  if (!from->mhz || !(standard || strcmp(name, "clock_mhz") == 0)) return;
  if (standard) s->clock_mhz = from->s.clock_mhz;
  uint32_t i = 0;
  for (o = dram_options; o->name; o++, i++)
    if (!(s->given >> i & 1) && dram_standard_gives(o)) give(s, from, o);
}
