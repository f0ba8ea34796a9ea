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
  char *key[CONFIG_SETTINGS]; /* owned; the value follows the key's NUL */
  uint32_t settings;
} config_t;

enum { ARG_GPU = CLI_LONG_ONLY, ARG_DESIGN, ARG_OWN }; /* ids; a command's own start at ARG_OWN */
#define CONFIG_OPTIONS(design_help_)                                                               \
  {ARG_GPU, "gpu", "NAME|FILE", "the GPU: a preset or a YAML file (maxwell)"},                     \
      {ARG_DESIGN, "design", "NAME|FILE", design_help_}, {                                         \
    's', "set", "KEY=VALUE", "set any option; `gmmu list options` names them"                      \
  }

void config_init(config_t *c);
void config_fini(config_t *c);
/* Takes option `id` with the value cli->value. Returns CLI_DONE, or the status of a printed error;
 * -1 if the option is not of the machine. */
int config_take(config_t *c, const cli_t *cli, int id);
/* After the last option: what was not given gets its default. A status. */
int config_finish(config_t *c);
const char *config_value(const config_t *c, uint32_t setting);
/* The whole configuration under design number `design`. */
int config_build(const config_t *c, uint32_t design, gpu_spec_t *spec, err_t *e);
#endif
