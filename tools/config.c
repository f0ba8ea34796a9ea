/* The order of the arguments does not matter, that of settings among themselves does: the GPU comes
 * first, then the design, then each -s, so the last word is the most specific one. */
#include "config.h"
#include <stdlib.h>
#include <string.h>

void config_init(config_t *c) { *c = (config_t){.gpu = "maxwell"}; }

void config_fini(config_t *c) {
  for (uint32_t i = 0; i < c->designs; i++) free(c->design[i]);
  for (uint32_t i = 0; i < c->settings; i++) free(c->key[i]);
  config_init(c);
}

static int no_memory(void) {
  err_t e = {0};
  err_set(&e, GMMU_ENOMEM, "out of memory for the configuration");
  return cli_fail(&e);
}

/* A list of names with commas between. */
static int take_designs(config_t *c, const cli_t *cli) {
  for (const char *text = cli->value;; text++) {
    size_t size = strcspn(text, ",");
    if (!size) return cli_usage(cli, "--design: an empty name in \"%s\"", cli->value);
    if (c->designs == CONFIG_DESIGNS)
      return cli_usage(cli, "--design: at most %d designs", CONFIG_DESIGNS);
    c->design[c->designs] = strndup(text, size);
    if (!c->design[c->designs]) return no_memory();
    c->designs++;
    text += size;
    if (!*text) return CLI_DONE;
  }
}

static int take_setting(config_t *c, const cli_t *cli) {
  const char *equals = strchr(cli->value, '=');
  if (!equals || equals == cli->value)
    return cli_usage(cli, "-s: \"%s\" is not key=value", cli->value);
  if (c->settings == CONFIG_SETTINGS)
    return cli_usage(cli, "-s: at most %d settings", CONFIG_SETTINGS);
  char *key = strdup(cli->value);
  if (!key) return no_memory();
  key[equals - cli->value] = 0;
  c->key[c->settings++] = key;
  return CLI_DONE;
}

int config_take(config_t *c, const cli_t *cli, int id) {
  if (id == ARG_DESIGN) return take_designs(c, cli);
  if (id == 's') return take_setting(c, cli);
  if (id != ARG_GPU) return -1;
  c->gpu = cli->value;
  return CLI_DONE;
}

int config_finish(config_t *c) {
  if (c->designs) return CLI_DONE;
  c->design[0] = strdup("sharedtlb");
  if (!c->design[0]) return no_memory();
  c->designs = 1;
  return CLI_DONE;
}

const char *config_value(const config_t *c, uint32_t i) {
  return c->key[i] + strlen(c->key[i]) + 1;
}

int config_build(const config_t *c, uint32_t design, gpu_spec_t *spec, err_t *e) {
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", c->gpu, e);
  if (rc == 0) rc = gpu_spec_load(spec, "design", c->design[design], e);
  for (uint32_t i = 0; i < c->settings && rc == 0; i++)
    rc = gpu_spec_set(spec, c->key[i], config_value(c, i), e);
  return rc;
}
