#ifndef GMMU_CONFIG_H
#define GMMU_CONFIG_H
/* The machine as it is typed: --gpu, --design and -s, in the order they are applied. */
#include "base/json.h"
#include "cli.h"
#include "gpu/spec.h"

#define CONFIG_DESIGNS  64
#define CONFIG_SETTINGS 256

typedef struct {
  const char *gpu;
  char *design[CONFIG_DESIGNS]; /* owned */
  uint32_t designs;
  /* After config_sweep(), where a setting has several values: design[] are the names of machines,
   * "native l2tlb.entries=512", and these their presets (owned) and which values they have. */
  char *preset[CONFIG_DESIGNS];
  uint32_t choice[CONFIG_DESIGNS];
  char *key[CONFIG_SETTINGS]; /* owned; the value follows the key's NUL */
  uint32_t settings;
  bool mig; /* --mig was given */
} config_t;

enum { /* ids; a command's own start at ARG_OWN */
       ARG_GPU = CLI_LONG_ONLY,
       ARG_DESIGN,
       ARG_MIG,
       ARG_SKIP,
       ARG_WARM,
       ARG_MEASURE,
       ARG_WINDOWS,
       ARG_OWN
};
#define CONFIG_OPTIONS(design_help_)                                                               \
  {ARG_GPU, "gpu", "NAME|FILE", "the GPU: a preset or a YAML file (maxwell)"},                     \
      {ARG_DESIGN, "design", "NAME|FILE", design_help_},                                           \
      {ARG_MIG, "mig", "PROFILES", "the instances of design mig: 3g,2g,2g"}, {                     \
    's', "set", "KEY=VALUE", "set any option; `gmmu list options` names them"                      \
  }

/* A run in windows, by settings of the group "sample". */
#define CONFIG_WINDOWS                                                                             \
  {ARG_SKIP, "skip", "N", "before a window: N instructions (2M), or Nlaunches, without time"},     \
      {ARG_WARM, "warm", "N", "then so much with time that does not count"},                       \
      {ARG_MEASURE, "measure", "N", "then a window of so much, which counts (to the end)"}, {      \
    ARG_WINDOWS, "windows", "N", "and so on, until there are N windows (to the end)"               \
  }

void config_init(config_t *c);
void config_fini(config_t *c);
/* Takes option `id` with the value cli->value. Returns CLI_DONE, or the status of a printed error;
 * -1 if the option is not of the machine. */
int config_take(config_t *c, const cli_t *cli, int id);
/* After the last option: what was not given gets its default. A status. */
int config_finish(config_t *c);
int config_default(config_t *c, const char *designs); /* the same with others */
/* `-s key=1,2,3`: every design with every value, and with every combination of several such. After
 * config_finish(). A status. */
int config_sweep(config_t *c, const cli_t *cli);
const char *config_value(const config_t *c, uint32_t setting);  /* as typed */
bool config_is_overridden(const config_t *c, uint32_t setting); /* given again later */
const char *config_preset(const config_t *c, uint32_t design);  /* whatever its settings */
/* Of design number `design`. */
#define CONFIG_VALUE_BYTES 4096
void config_value_of(const config_t *c, uint32_t design, uint32_t setting,
                     char out[CONFIG_VALUE_BYTES]);
/* The whole configuration under design number `design`. */
int config_build(const config_t *c, uint32_t design, gpu_spec_t *spec, err_t *e);
/* The same under a design that need not be among them. */
int config_build_named(const config_t *c, const char *design, gpu_spec_t *spec, err_t *e);
#endif
