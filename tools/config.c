/* The order of the arguments does not matter, that of settings among themselves does: the GPU comes
 * first, then the design, then each -s, so the last word is the most specific one. */
#include "config.h"
#include "share/mig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void config_init(config_t *c) { *c = (config_t){.gpu = "maxwell"}; }

void config_fini(config_t *c) {
  for (uint32_t i = 0; i < c->designs; i++) free(c->design[i]), free(c->preset[i]);
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

/* ---- windows --------------------------------------------------------------------------------- */

static int add_setting(config_t *c, const cli_t *cli, const char *key, const char *value) {
  char text[128];
  snprintf(text, sizeof text, "%s=%s", key, value);
  const cli_t setting = {.command = cli->command, .value = text};
  return take_setting(c, &setting);
}

/* "2M", "3launches": the number, and its unit. False if it is neither. */
static bool parse_amount(const char *text, uint64_t *n, const char **unit) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  *n = strtoull(text, &end, 10);
  uint64_t times = *end == 'K' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 1;
  end += times > 1;
  bool launches = strcmp(end, "launches") == 0 || strcmp(end, "launch") == 0;
  *unit = launches ? "launches" : "instructions";
  return (launches || !*end) && !__builtin_mul_overflow(*n, times, n);
}

/* One unit holds for all. */
static int take_amount(config_t *c, const cli_t *cli, const char *key) {
  uint64_t n;
  char value[32];
  const char *unit, *name = strchr(key, '.') + 1;
  if (!parse_amount(cli->value, &n, &unit))
    return cli_usage(cli, "--%s %s: a number of instructions, 500K or 2M, or 3launches", name,
                     cli->value);
  for (uint32_t i = 0; i < c->settings; i++)
    if (strcmp(c->key[i], "sample.unit") == 0 && strcmp(config_value(c, i), unit) != 0)
      return cli_usage(cli, "--%s %s: another one is in %s; all are, or none", name, cli->value,
                       config_value(c, i));
  snprintf(value, sizeof value, "%llu", (unsigned long long)n);
  int status = add_setting(c, cli, "sample.unit", unit);
  return status == CLI_DONE ? add_setting(c, cli, key, value) : status;
}

/* "3g,2g,2g" is share.mig=3; 2; 2. */
static int take_mig(config_t *c, const cli_t *cli) {
  char list[64] = "";
  size_t size = 0;
  for (const char *p = cli->value;; p += 3) {
    if (p[0] < '1' || p[0] > '7' || p[1] != 'g' || (p[2] && p[2] != ',') || size > 56)
      return cli_usage(cli, "--mig %s: profiles from 1g to 7g with commas between, as 3g,2g,2g",
                       cli->value);
    size += (size_t)snprintf(list + size, sizeof list - size, "%s%c", size ? "; " : "", p[0]);
    c->mig = true;
    if (!p[2]) return add_setting(c, cli, "share.mig", list);
  }
}

int config_take(config_t *c, const cli_t *cli, int id) {
  if (id == ARG_SKIP) return take_amount(c, cli, "sample.skip");
  if (id == ARG_WARM) return take_amount(c, cli, "sample.warm");
  if (id == ARG_MEASURE) return take_amount(c, cli, "sample.measure");
  if (id == ARG_WINDOWS) return add_setting(c, cli, "sample.windows", cli->value);
  if (id == ARG_DESIGN) return take_designs(c, cli);
  if (id == ARG_MIG) return take_mig(c, cli);
  if (id == 's') return take_setting(c, cli);
  if (id != ARG_GPU) return -1;
  c->gpu = cli->value;
  return CLI_DONE;
}

int config_finish(config_t *c) { return config_default(c, "sharedtlb"); }

/* Instances that no design makes would divide nothing, and nobody would notice. A design that
 * cannot be read is somebody else's error. */
static int check_mig(const config_t *c) {
  gpu_spec_t spec;
  err_t e = {0};
  for (uint32_t d = 0; c->mig && d < c->designs; d++)
    if (config_build_named(c, c->design[d], &spec, &e) < 0 || mig_wanted(&spec.share))
      return CLI_DONE;
  if (!c->mig) return CLI_DONE;
  err_set(&e, GMMU_EINVAL, "--mig divides the GPU under --design mig; no design here does so");
  return cli_refuse(&e);
}

int config_default(config_t *c, const char *designs) {
  const cli_t none = {.value = designs};
  int status = c->designs ? CLI_DONE : take_designs(c, &none);
  return status == CLI_DONE ? check_mig(c) : status;
}

const char *config_value(const config_t *c, uint32_t i) {
  return c->key[i] + strlen(c->key[i]) + 1;
}

/* ---- settings with several values ------------------------------------------------------------ */

static uint32_t values(const config_t *c, uint32_t setting) {
  uint32_t n = 1;
  for (const char *p = config_value(c, setting); *p; p++) n += *p == ',';
  return n;
}

/* Of a key given twice only the last counts. */
bool config_is_overridden(const config_t *c, uint32_t setting) {
  for (uint32_t i = setting + 1; i < c->settings; i++)
    if (strcmp(c->key[i], c->key[setting]) == 0) return true;
  return false;
}

static bool is_swept(const config_t *c, uint32_t setting) {
  return values(c, setting) > 1 && !config_is_overridden(c, setting);
}

const char *config_preset(const config_t *c, uint32_t design) {
  return c->preset[design] ? c->preset[design] : c->design[design];
}

void config_value_of(const config_t *c, uint32_t design, uint32_t setting,
                     char out[CONFIG_VALUE_BYTES]) {
  const char *text = config_value(c, setting);
  uint32_t choice = c->choice[design];
  size_t size = strlen(text);
  if (c->preset[design] && is_swept(c, setting)) { /* the last setting changes fastest */
    for (uint32_t i = c->settings - 1; i > setting; i--)
      if (is_swept(c, i)) choice /= values(c, i);
    for (choice %= values(c, setting); choice; choice--) text = strchr(text, ',') + 1;
    size = strcspn(text, ",");
  }
  snprintf(out, CONFIG_VALUE_BYTES, "%.*s", (int)size, text);
}

static char *machine_name(const config_t *c, uint32_t design) {
  char value[CONFIG_VALUE_BYTES];
  strbuf_t s;
  strbuf_init(&s);
  strbuf_str(&s, c->preset[design]);
  for (uint32_t i = 0; i < c->settings; i++) {
    if (!is_swept(c, i)) continue;
    config_value_of(c, design, i, value);
    strbuf_printf(&s, " %s=%s", c->key[i], value);
  }
  char *name = s.failed ? NULL : strdup(strbuf_text(&s));
  strbuf_fini(&s);
  return name;
}

int config_sweep(config_t *c, const cli_t *cli) {
  uint64_t each = 1, n = c->designs;
  char *preset[CONFIG_DESIGNS];
  for (uint32_t i = 0; i < c->settings && each <= CONFIG_DESIGNS; i++)
    if (is_swept(c, i)) each *= values(c, i);
  if (each == 1) return CLI_DONE;
  if (n * each > CONFIG_DESIGNS)
    return cli_usage(cli, "-s: more than %d machines; `gmmu sweep` runs studies of any size",
                     CONFIG_DESIGNS);
  memcpy(preset, c->design, sizeof preset);
  memset(c->design, 0, sizeof c->design);
  c->designs = (uint32_t)(n * each);
  bool ok = true;
  for (uint32_t d = 0; d < c->designs && ok; d++) {
    c->preset[d] = strdup(preset[d / each]);
    c->choice[d] = (uint32_t)(d % each);
    c->design[d] = c->preset[d] ? machine_name(c, d) : NULL;
    ok = c->design[d];
  }
  for (uint32_t i = 0; i < n; i++) free(preset[i]);
  return ok ? CLI_DONE : no_memory();
}

int config_build(const config_t *c, uint32_t design, gpu_spec_t *spec, err_t *e) {
  char value[CONFIG_VALUE_BYTES];
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", c->gpu, e);
  if (rc == 0) rc = gpu_spec_load(spec, "design", config_preset(c, design), e);
  for (uint32_t i = 0; i < c->settings && rc == 0; i++) {
    config_value_of(c, design, i, value);
    rc = gpu_spec_set(spec, c->key[i], value, e);
  }
  return rc;
}

int config_build_named(const config_t *c, const char *design, gpu_spec_t *spec, err_t *e) {
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", c->gpu, e);
  if (rc == 0) rc = gpu_spec_load(spec, "design", design, e);
  for (uint32_t i = 0; i < c->settings && rc == 0; i++)
    rc = gpu_spec_set(spec, c->key[i], config_value(c, i), e);
  return rc;
}
