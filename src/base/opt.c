#include "base/opt.h"
#include "base/nearest.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The tables are constant; the only state is the fields they point to. A full key is the group's
 * prefix, a dot and the option's name (just the name under an empty prefix). Invariant: a field
 * changes only to a value inside its range or list; a refused value leaves it as it was. */

#define KEY_BYTES   128 /* of a full key in a message */
#define QUOTE_BYTES 48  /* of a user's text in a message */

/* --- finding ---------------------------------------------------------------------------------- */

typedef struct {
  const opt_group_t *group;
  const opt_t *opt;
} found_t;

/* What follows "<prefix>." in key, or NULL. */
static const char *behind_prefix(const opt_group_t *g, const char *key) {
  size_t size = strlen(g->prefix);
  if (size == 0) return key;
  return strncmp(key, g->prefix, size) == 0 && key[size] == '.' ? key + size + 1 : NULL;
}

static found_t find(const opt_group_t *groups, const char *key) {
  for (const opt_group_t *g = groups; g->prefix; g++) {
    const char *name = behind_prefix(g, key);
    if (!name) continue;
    for (const opt_t *o = g->opts; o->name; o++)
      if (strcmp(o->name, name) == 0) return (found_t){g, o};
  }
  return (found_t){0};
}

static void full_key(found_t f, char *buf, size_t size) {
  snprintf(buf, size, "%s%s%s", f.group->prefix, f.group->prefix[0] ? "." : "", f.opt->name);
}

static void *field(found_t f) { return (char *)f.group->base + f.opt->offset; }

static const char *listed_name(const opt_t *o, const char *name) {
  for (uint32_t i = 0; o->names(i); i++)
    if (strcmp(o->names(i), name) == 0) return o->names(i);
  return NULL;
}

/* --- messages --------------------------------------------------------------------------------- */

/* A user's text, clipped to what a message has room for. */
static const char *quote(char buf[QUOTE_BYTES], const char *text) {
  if (snprintf(buf, QUOTE_BYTES, "%s", text) >= QUOTE_BYTES)
    memcpy(buf + QUOTE_BYTES - 4, "...", 4);
  return buf;
}

/* Appends ", <name>" while there is room for a closing "...". */
static void list_add(char *buf, size_t size, const char *name) {
  size_t used = strlen(buf);
  const char *comma = used ? ", " : "";
  bool closed = used >= 3 && strcmp(buf + used - 3, "...") == 0;
  if (closed) return;
  if (used + strlen(comma) + strlen(name) + sizeof ", ..." < size)
    snprintf(buf + used, size - used, "%s%s", comma, name);
  else
    snprintf(buf + used, size - used, "%s...", comma);
}

/* A bare option name ("entries") is compared with bare names, so that a forgotten prefix is found.
 */
static bool nearest_key(const opt_group_t *groups, const char *key, char *buf, size_t size) {
  nearest_t n;
  bool any = false, bare = !strchr(key, '.');
  nearest_init(&n, key);
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++) {
      char candidate[KEY_BYTES];
      full_key((found_t){g, o}, candidate, sizeof candidate);
      if (!nearest_offer(&n, candidate) && !(bare && nearest_offer(&n, o->name))) continue;
      snprintf(buf, size, "%s", candidate);
      any = true;
    }
  return any;
}

/* The options of the group the key names, or the groups if it names none. */
static const char *list_choices(const opt_group_t *groups, const char *key, char *buf,
                                size_t size) {
  buf[0] = 0;
  for (const opt_group_t *g = groups; g->prefix; g++)
    if (g->prefix[0] && behind_prefix(g, key))
      for (const opt_t *o = g->opts; o->name; o++) list_add(buf, size, o->name);
  if (buf[0]) return "options of this group";
  for (const opt_group_t *g = groups; g->prefix; g++)
    if (g->prefix[0]) list_add(buf, size, g->prefix);
  return "groups";
}

static bool is_group(const opt_group_t *groups, const char *key) {
  while (groups->prefix && (!*key || strcmp(groups->prefix, key) != 0)) groups++;
  return groups->prefix;
}

static int unknown_option(const opt_group_t *groups, const char *key, err_t *e) {
  char shown[QUOTE_BYTES], near[KEY_BYTES], list[256], inside[KEY_BYTES];
  if (is_group(groups, key) && snprintf(inside, sizeof inside, "%s.", key) < (int)sizeof inside) {
    list_choices(groups, inside, list, sizeof list);
    err_set(e, GMMU_ENOENT, "\"%s\" is a group of options: %s", quote(shown, key), list);
  } else if (nearest_key(groups, key, near, sizeof near)) {
    err_set(e, GMMU_ENOENT, "unknown option \"%s\"; nearest: \"%s\"", quote(shown, key), near);
  } else {
    const char *what = list_choices(groups, key, list, sizeof list);
    err_set(e, GMMU_ENOENT, "unknown option \"%s\"; %s: %s", quote(shown, key), what, list);
  }
  return GMMU_ENOENT;
}

static int unknown_name(const opt_t *o, const char *value, err_t *e) {
  char shown[QUOTE_BYTES], list[256] = "";
  const char *near = NULL;
  nearest_t n;
  nearest_init(&n, value);
  for (uint32_t i = 0; o->names(i); i++) {
    list_add(list, sizeof list, o->names(i));
    if (nearest_offer(&n, o->names(i))) near = o->names(i);
  }
  if (!near)
    return err_set(e, GMMU_ENOENT, "unknown name \"%s\"; one of: %s", quote(shown, value), list);
  return err_set(e, GMMU_ENOENT, "unknown name \"%s\"; nearest: \"%s\"; one of: %s",
                 quote(shown, value), near, list);
}

int opt_number_text(const opt_t *o, uint64_t v, char *buf, size_t size) {
  static const char suffix[] = "KMG";
  if (o->type != OPT_SIZE || v == 0) return snprintf(buf, size, "%" PRIu64, v);
  int power = 0;
  while (power < 3 && v % 1024 == 0) {
    v /= 1024;
    power++;
  }
  return snprintf(buf, size, "%" PRIu64 "%.*s", v, power > 0, suffix + (power ? power - 1 : 0));
}

static int out_of_range(const opt_t *o, const char *value, err_t *e) {
  char shown[QUOTE_BYTES], min[24], max[24];
  opt_number_text(o, o->min, min, sizeof min);
  opt_number_text(o, o->max, max, sizeof max);
  return err_set(e, GMMU_ERANGE, "value %s is outside %s .. %s%s%s", quote(shown, value), min, max,
                 o->unit && o->unit[0] ? " " : "", o->unit ? o->unit : "");
}

static int malformed(const opt_t *o, const char *value, err_t *e) {
  static const char *const wanted[] = {
      [OPT_U32] = "a whole number",
      [OPT_U64] = "a whole number",
      [OPT_SIZE] = "a whole number with an optional K, M or G",
      [OPT_BOOL] = "true or false",
      [OPT_NAME] = "a name",
      [OPT_BITS] = "lists of bits",
  };
  char shown[QUOTE_BYTES];
  return err_set(e, GMMU_EINVAL, "value \"%s\" is not %s", quote(shown, value), wanted[o->type]);
}

/* --- reading values --------------------------------------------------------------------------- */

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

/* Digits, decimal or behind 0x. Returns what follows them, NULL if there are none. */
static const char *parse_digits(const char *s, uint64_t *v, bool *overflow) {
  uint64_t base = 10;
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    base = 16;
    s += 2;
  }
  const char *start = s;
  for (*v = 0; (uint64_t)digit_value(*s) < base; s++)
    if (__builtin_mul_overflow(*v, base, v) ||
        __builtin_add_overflow(*v, (uint64_t)digit_value(*s), v))
      *overflow = true;
  return s == start ? NULL : s;
}

static uint64_t suffix_factor(char c) {
  switch (c) {
  case 'K':
  case 'k': return UINT64_C(1) << 10;
  case 'M':
  case 'm': return UINT64_C(1) << 20;
  case 'G':
  case 'g': return UINT64_C(1) << 30;
  default: return 0;
  }
}

static int parse_number(const opt_t *o, const char *value, uint64_t *v, err_t *e) {
  bool overflow = false;
  const char *rest = parse_digits(value, v, &overflow);
  if (!rest) return malformed(o, value, e);
  uint64_t factor = o->type == OPT_SIZE ? suffix_factor(*rest) : 0;
  if (factor) {
    rest++;
    overflow |= __builtin_mul_overflow(*v, factor, v);
  }
  if (*rest) return malformed(o, value, e);
  if (overflow || *v < o->min || *v > o->max) return out_of_range(o, value, e);
  return GMMU_OK;
}

static int parse_bool(const opt_t *o, const char *value, bool *v, err_t *e) {
  static const char *const words[] = {"false", "true", "off", "on", "no", "yes"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(value, words[i]) == 0) {
      *v = i & 1;
      return GMMU_OK;
    }
  return malformed(o, value, e);
}

/* --- fields ----------------------------------------------------------------------------------- */

static void store_number(found_t f, uint64_t v) {
  if (f.opt->type == OPT_U32)
    *(uint32_t *)field(f) = (uint32_t)v;
  else
    *(uint64_t *)field(f) = v;
}

static uint64_t load_number(found_t f) {
  return f.opt->type == OPT_U32 ? *(const uint32_t *)field(f) : *(const uint64_t *)field(f);
}

static int set_number(found_t f, const char *value, err_t *e) {
  uint64_t v;
  int rc = parse_number(f.opt, value, &v, e);
  if (rc == 0) store_number(f, v);
  return rc;
}

static int set_bool(found_t f, const char *value, err_t *e) {
  return parse_bool(f.opt, value, field(f), e);
}

static int set_name(found_t f, const char *value, err_t *e) {
  const char *name = listed_name(f.opt, value);
  if (!name) return unknown_name(f.opt, value, e);
  *(const char **)field(f) = name;
  return GMMU_OK;
}

static int set_bits(found_t f, const char *value, err_t *e) {
  bitlist_t l;
  int rc = bitlist_parse(value, &l, e);
  if (rc < 0) return rc;
  for (uint32_t i = 0; i < l.count; i++)
    if (l.mask[i] >> f.opt->min << f.opt->min != l.mask[i] || l.mask[i] >> f.opt->max >> 1)
      return err_set(e, GMMU_ERANGE, "function %u has a bit outside %u .. %u", i + 1,
                     (uint32_t)f.opt->min, (uint32_t)f.opt->max);
  *(bitlist_t *)field(f) = l;
  return GMMU_OK;
}

static void set_default(found_t f) {
  const opt_t *o = f.opt;
  if (o->type == OPT_BITS)
    *(bitlist_t *)field(f) = (bitlist_t){0};
  else if (o->type == OPT_NAME)
    *(const char **)field(f) = o->def_name ? listed_name(o, o->def_name) : NULL;
  else if (o->type == OPT_BOOL)
    *(bool *)field(f) = o->def != 0;
  else
    store_number(f, o->def);
}

static int get(found_t f, char *buf, size_t size) {
  if (f.opt->type == OPT_NAME) {
    const char *name = *(const char *const *)field(f);
    return snprintf(buf, size, "%s", name ? name : "");
  }
  if (f.opt->type == OPT_BITS) return bitlist_text(field(f), buf, size);
  if (f.opt->type == OPT_BOOL)
    return snprintf(buf, size, "%s", *(const bool *)field(f) ? "true" : "false");
  return opt_number_text(f.opt, load_number(f), buf, size);
}

/* --- the contract ----------------------------------------------------------------------------- */

void opt_defaults(const opt_group_t *groups) {
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++) set_default((found_t){g, o});
}

int opt_set(const opt_group_t *groups, const char *key, const char *value, err_t *e) {
  found_t f = find(groups, key);
  int rc;
  if (!f.opt)
    rc = unknown_option(groups, key, e);
  else if (f.opt->type == OPT_NAME)
    rc = set_name(f, value, e);
  else if (f.opt->type == OPT_BITS)
    rc = set_bits(f, value, e);
  else if (f.opt->type == OPT_BOOL)
    rc = set_bool(f, value, e);
  else
    rc = set_number(f, value, e);
  if (rc < 0) err_for_key(e, key);
  return rc;
}

int opt_get(const opt_group_t *groups, const char *key, char *buf, size_t size) {
  found_t f = find(groups, key);
  return f.opt ? get(f, buf, size) : GMMU_ENOENT;
}

const char *opt_nearest(const char *name, const char *(*names)(void *ctx, uint32_t i), void *ctx) {
  const char *best = NULL, *candidate;
  nearest_t n;
  nearest_init(&n, name);
  for (uint32_t i = 0; (candidate = names(ctx, i)); i++)
    if (nearest_offer(&n, candidate)) best = candidate;
  return best;
}
