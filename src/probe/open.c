/* From what is typed to a device. */
#include "probe/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int apply_setting(gpu_spec_t *spec, const char *setting, err_t *e) {
  char key[YAML_MAX_KEY + 1];
  const char *value = strchr(setting, '=');
  if (!value || (size_t)(value - setting) >= sizeof key)
    return err_set(e, GMMU_EINVAL, "\"%s\" is not KEY=VALUE", setting);
  snprintf(key, sizeof key, "%.*s", (int)(value - setting), setting);
  return gpu_spec_set(spec, key, value + 1, e);
}

int device_sim_spec(const char *preset, const char *design, const device_options_t *o,
                    gpu_spec_t *spec, err_t *e) {
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", preset, e);
  if (rc == 0 && design) rc = gpu_spec_load(spec, "design", design, e);
  for (uint32_t i = 0; i < o->settings && rc == 0; i++) rc = apply_setting(spec, o->setting[i], e);
  return rc;
}

static int open_sim(const char *preset, const device_options_t *o, device_t **out, err_t *e) {
  gpu_spec_t spec;
  int rc = device_sim_spec(preset, NULL, o, &spec, e);
  return rc == 0 ? device_sim_new(&spec, preset, &o->noise, out, e) : rc;
}

/* False unless the text is a whole number up to 63. */
static bool ordinal_of(const char *text, uint32_t *out) {
  char *end;
  unsigned long v = strtoul(text, &end, 10);
  *out = (uint32_t)v;
  return *text >= '0' && *text <= '9' && !*end && v < 64;
}

int device_open(const char *name, const device_options_t *o, device_t **out, err_t *e) {
  const char *colon = strchr(name, ':'), *rest = colon ? colon + 1 : "";
  size_t kind = colon ? (size_t)(colon - name) : strlen(name);
  uint32_t ordinal = 0;
  bool sim = kind == 3 && strncmp(name, "sim", kind) == 0;
  *out = NULL;
  if (sim && *rest) return open_sim(rest, o, out, e);
  if (o->settings)
    return err_set(e, GMMU_EINVAL, "settings are for simulated GPUs, not for device \"%s\"", name);
  if (strcmp(name, "cpu") == 0 || strcmp(name, "cpu:4K") == 0)
    return device_cpu_new(4096, o->bytes, out, e);
  if (strcmp(name, "cpu:2M") == 0) return device_cpu_new(2u << 20, o->bytes, out, e);
  if (strcmp(name, "cuda") == 0 ||
      (kind == 4 && strncmp(name, "cuda", kind) == 0 && ordinal_of(rest, &ordinal)))
    return device_cuda_new(ordinal, o->bytes, out, e);
  return err_set(
      e, GMMU_ENOENT,
      "there is no device \"%s\": sim:PRESET (`gmmu list gpus` names them), cpu, cpu:2M, "
      "cuda or cuda:NUMBER",
      name);
}
