/* gmmu show: the configuration that results from a GPU, a design and settings. */
#include "config.h"
#include "gpu/stats.h"
#include <stdio.h>

enum { ARG_JSON = ARG_OWN };

static const cli_option_t options[] = {
    CONFIG_OPTIONS("the design: a preset or a YAML file (sharedtlb)"),
    {ARG_JSON, "json", NULL, "as JSON"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

static void show_group(const opt_group_t *groups, const opt_group_t *g, strbuf_t *out) {
  strbuf_printf(out, "%s:\n", g->prefix);
  for (const opt_t *o = g->opts; o->name; o++) {
    char key[YAML_MAX_KEY + 1], value[BITLIST_TEXT];
    snprintf(key, sizeof key, "%s.%s", g->prefix, o->name);
    opt_get(groups, key, value, sizeof value);
    strbuf_printf(out, "  %s: %s\n", o->name, value);
  }
}

static void show_text(const config_t *config, gpu_spec_t *spec, strbuf_t *out) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_groups(spec, groups);
  strbuf_printf(out, "# GPU %s, design %s", config->gpu, config->design[0]);
  for (uint32_t i = 0; i < config->settings; i++)
    strbuf_printf(out, ", %s=%s", config->key[i], config_value(config, i));
  strbuf_str(out, "\n");
  for (const opt_group_t *g = groups; g->prefix; g++) show_group(groups, g, out);
}

static void show_json(const config_t *config, const gpu_spec_t *spec, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "gpu"), json_str(j, config->gpu);
  json_key(j, "design"), json_str(j, config->design[0]);
  json_key(j, "config"), gpu_config_json(spec, j);
  json_end_object(j);
}

static int show(const config_t *config, bool json, const char *output) {
  gpu_spec_t spec;
  err_t e = {0};
  if (config_build(config, 0, &spec, &e) < 0) return cli_refuse(&e);
  json_t j;
  json_init(&j);
  if (json)
    show_json(config, &spec, &j);
  else
    show_text(config, &spec, &j.out);
  int status = cli_output(output, &j.out);
  json_fini(&j);
  return status;
}

static int run_with(cli_t *c, config_t *config) {
  const char *output = NULL;
  bool json = false;
  int id, status;
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == CLI_ARGUMENT)
      return cli_usage(c, "\"%s\": a GPU is given with --gpu, a design with --design", c->value);
    if (id == 'o')
      output = c->value;
    else if (id == ARG_JSON)
      json = true;
    else if ((status = config_take(config, c, id)) != CLI_DONE)
      return status;
  }
  if (config->designs > 1) return cli_usage(c, "one design at a time");
  status = config_finish(config);
  return status == CLI_DONE ? show(config, json, output) : status;
}

static int run(cli_t *c) {
  config_t config;
  config_init(&config);
  int status = run_with(c, &config);
  config_fini(&config);
  return status;
}

const subcommand_t cmd_show = {
    .name = "show",
    .summary = "print the whole configuration of a GPU under a design",
    .usage = "[OPTION]...",
    .details = "The text is YAML that can be given back, as the GPU and as the design:\n"
               "\n"
               "  gmmu show --gpu maxwell --design pwcache -s walk.threads=16 -o my.yaml\n"
               "  gmmu run --gpu my.yaml --design my.yaml gather\n",
    .options = options,
    .run = run,
};
