#include "help.h"

static void must(int rc, const err_t *e) {
  char text[600];
  if (rc >= 0) return;
  err_format(e, text, sizeof text);
  fail_msg("%s", text);
}

gpu_spec_t preset(const char *name) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  must(gpu_spec_load(&s, "gpu", name, &e), &e);
  return s;
}

void set(gpu_spec_t *s, const char *key, const char *value) {
  err_t e = {0};
  must(gpu_spec_set(s, key, value, &e), &e);
}

void setn(gpu_spec_t *s, const char *key, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  set(s, key, text);
}

device_t *sim(const gpu_spec_t *spec, const device_noise_t *noise) {
  device_t *d = NULL;
  err_t e = {0};
  must(device_sim_new(spec, "test", noise, &d, &e), &e);
  return d;
}

tlb_probe_t probed(device_t *d) {
  tlb_probe_options_t o = {0};
  tlb_probe_t t;
  err_t e = {0};
  must(tlb_probe(d, &o, &t, &e), &e);
  return t;
}

sharing_t shared(device_t *d, const tlb_probe_t *tlb) {
  tlb_probe_options_t o = {0};
  sharing_t s;
  err_t e = {0};
  must(sharing_probe(d, tlb, &o, &s, &e), &e);
  return s;
}

void groups_of(const sharing_t *s, uint32_t level, char *buf, size_t size) {
  const sharing_level_t *l = &s->level[level];
  size_t n = 0;
  buf[0] = 0;
  for (uint32_t g = 0; g < l->groups; g++) {
    const char *between = g ? "|" : "";
    for (uint32_t i = 0; i < s->sms; i++)
      if (l->group[i] == g && n < size) {
        n += (size_t)snprintf(buf + n, size - n, "%s%u", between, i);
        between = " ";
      }
  }
}
