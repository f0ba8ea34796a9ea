/* gmmu color plan: what of a GPU's memory can be partitioned by page colours, who gets what, and
 * what stays shared. */
#include "base/table.h"
#include "color/color.h"
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARG_HASH = ARG_OWN, ARG_TENANTS, ARG_SHARES, ARG_PAGE, ARG_JSON };

static const cli_option_t options[] = {
    {ARG_GPU, "gpu", "NAME|FILE", "the GPU: a preset or a YAML file with map.bank and map.set"},
    {ARG_HASH, "hash", "FILE", "functions from a YAML file, on top of the GPU or without one"},
    {'s', "set", "KEY=VALUE", "set any option; `gmmu list options` names them"},
    {ARG_TENANTS, "tenants", "N", "tenants with equal shares (as many as there are colours)"},
    {ARG_SHARES, "shares", "A,B,...", "tenants with these shares: 3,1 for three to one"},
    {ARG_PAGE, "page", "SIZE", "pages to be coloured (4K)"},
    {ARG_JSON, "json", NULL, "as JSON"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

typedef struct {
  uint64_t page_bytes;
} page_t;
static const opt_t page_option[] = {
    {"--page", OPT_SIZE, offsetof(page_t, page_bytes), 4096, 1ull << 30, 4096, "bytes",
     "pages to be coloured", NULL, NULL},
    {0},
};

typedef struct {
  config_t config;
  const char *gpu, *hash, *output;
  page_t page;
  uint32_t shares[COLOR_TENANTS_MAX], tenants; /* 0: one per colour */
  bool json;
  gpu_spec_t spec;
  color_t color;
  color_pages_t pages;
  color_tenant_t tenant[COLOR_TENANTS_MAX];
} color_args_t;

/* ---- what stays shared ----------------------------------------------------------------------- */

typedef void (*shared_fn)(void *ctx, const char *what, const char *why);

static void shared_tlbs(const gpu_spec_t *s, shared_fn say, void *ctx) {
  for (uint32_t l = 1; l < s->tlb.levels; l++) {
    char what[64], why[128];
    uint32_t group = s->tlb_level[l].group;
    if (group == 1) continue;
    snprintf(what, sizeof what, "TLB of level %u", l + 1);
    if (group)
      snprintf(why, sizeof why, "by %u SMs; apart if no group of SMs has two tenants", group);
    else
      snprintf(why, sizeof why, "by all SMs: pages of any colour take its entries");
    say(ctx, what, why);
  }
}

/* With a GPU's configuration its TLBs; a hash file alone says nothing of them. */
static void each_shared(const color_args_t *a, shared_fn say, void *ctx) {
  if (a->gpu)
    shared_tlbs(&a->spec, say, ctx);
  else
    say(ctx, "TLBs", "of every level that tenants' SMs share");
  say(ctx, "page-table walker", "its threads serve all tenants");
  say(ctx, "page tables", "unless their pages are coloured, too: walk reads cross colours");
  say(ctx, "crossbar", "ports of SMs and modules are apart, what lies between is not");
  say(ctx, "link to the host", "copies and page migration");
}

/* ---- text ------------------------------------------------------------------------------------ */

static void size_text(uint64_t bytes, char *buf, size_t size) {
  static const opt_t as_size = {.type = OPT_SIZE};
  opt_number_text(&as_size, bytes, buf, size);
  if (!bytes) snprintf(buf, size, "-");
}

static void size_cell(table_t *t, uint64_t bytes) {
  char text[24];
  size_text(bytes, text, sizeof text);
  table_cell(t, text);
}

static void space_text(const gf2_space_t *s, char *buf, size_t size) {
  bitlist_t l = {.count = s->rank < BITLIST_MAX ? s->rank : BITLIST_MAX};
  memcpy(l.mask, s->row, l.count * sizeof *l.mask);
  bitlist_text(&l, buf, size);
}

static void head_text(const color_args_t *a, strbuf_t *out) {
  const color_t *c = &a->color;
  char functions[BITLIST_TEXT];
  space_text(&c->module, functions, sizeof functions);
  strbuf_printf(out, "%s%s%s%s%s: %u modules, %u banks, %u L2 sets\nmodule functions: %s\n\n",
                a->gpu ? "GPU " : "", a->gpu ? a->gpu : "", a->gpu && a->hash ? " with " : "",
                a->hash ? "functions of " : "", a->hash ? a->hash : "", 1u << c->module.rank,
                1u << c->bank.rank, 1u << c->set.rank, functions);
}

static void pages_text(const color_args_t *a, strbuf_t *out) {
  static const char *const head[] = {"page", "colours", "memory", "L2", "MB/s", "modules"};
  table_t t;
  const color_chip_t *chip = &a->color.chip;
  table_init(&t);
  for (uint32_t i = 0; i < 6; i++) table_column(&t, head[i], TABLE_RIGHT);
  for (uint64_t bytes = 4096; bytes <= 2 << 20; bytes *= 2) {
    color_pages_t p;
    color_pages(&a->color, bytes, &p);
    size_cell(&t, bytes);
    table_u64(&t, p.colors);
    size_cell(&t, chip->memory_bytes / p.colors);
    size_cell(&t, chip->l2_bytes / p.colors);
    if (chip->bandwidth_mb_s)
      table_u64(&t, chip->bandwidth_mb_s / p.colors);
    else
      table_cell(&t, "-");
    table_u64(&t, (1u << a->color.module.rank) / p.colors);
  }
  strbuf_str(out, "Per colour:\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

/* What a TLB of each level covers: the price of small pages. */
static uint64_t tlb_reach(const gpu_spec_t *s, uint32_t level, uint64_t page_bytes) {
  const tlb_spec_t *t = &s->tlb_level[level];
  return page_bytes * t->entries * t->reach;
}

static void reach_text(const color_args_t *a, strbuf_t *out) {
  table_t t;
  if (!a->gpu || !a->spec.tlb.levels) return;
  table_init(&t);
  table_column(&t, "page", TABLE_RIGHT);
  for (uint32_t l = 0; l < a->spec.tlb.levels; l++) {
    char head[24];
    snprintf(head, sizeof head, "level %u", l + 1);
    table_column(&t, head, TABLE_RIGHT);
  }
  for (uint64_t bytes = 4096; bytes <= 2 << 20; bytes *= 2) {
    size_cell(&t, bytes);
    for (uint32_t l = 0; l < a->spec.tlb.levels; l++) size_cell(&t, tlb_reach(&a->spec, l, bytes));
  }
  strbuf_str(out, "\nWhat one TLB covers with such pages:\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

/* The tenants' colours as mem.colours takes them. */
static void colours_text(const color_args_t *a, strbuf_t *out) {
  for (uint32_t i = 0; i < a->tenants; i++)
    for (uint32_t k = 0; k < a->tenant[i].count; k++)
      strbuf_printf(out, "%s%u", k ? " " : i ? "; " : "", a->tenant[i].first + k);
}

static void how_text(const color_args_t *a, strbuf_t *out) {
  char page[24];
  if (!a->gpu || a->hash || a->tenants > GMMU_MAX_APPS) return;
  size_text(a->pages.page_bytes, page, sizeof page);
  strbuf_printf(out, "\nTo run it: gmmu run --gpu %s --design cmp -s mem.page=%s -s 'mem.colours=",
                a->gpu, page);
  colours_text(a, out);
  strbuf_str(out, "' APP...\n");
}

static void tenant_rows(const color_args_t *a, table_t *t) {
  const color_chip_t *chip = &a->color.chip;
  uint32_t colors = a->pages.colors, modules = 1u << a->color.module.rank;
  for (uint32_t i = 0; i < a->tenants; i++) {
    const color_tenant_t *x = &a->tenant[i];
    table_u64(t, i);
    table_u64(t, x->share);
    if (x->count > 1)
      table_printf(t, "%u-%u", x->first, x->first + x->count - 1);
    else
      table_u64(t, x->first);
    size_cell(t, chip->memory_bytes / colors * x->count);
    size_cell(t, chip->l2_bytes / colors * x->count);
    if (chip->bandwidth_mb_s)
      table_u64(t, chip->bandwidth_mb_s * x->count / colors);
    else
      table_cell(t, "-");
    table_u64(t, modules / colors * x->count);
  }
}

static void tenants_text(const color_args_t *a, strbuf_t *out) {
  static const char *const head[] = {"tenant", "share", "colours", "memory",
                                     "L2",     "MB/s",  "modules"};
  table_t t;
  char page[24], functions[BITLIST_TEXT];
  size_text(a->pages.page_bytes, page, sizeof page);
  space_text(&a->pages.functions, functions, sizeof functions);
  table_init(&t);
  for (uint32_t i = 0; i < 7; i++) table_column(&t, head[i], TABLE_RIGHT);
  tenant_rows(a, &t);
  strbuf_printf(out, "\nPages of %s, bits of a colour: %s\n", page, functions);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void shared_line(void *ctx, const char *what, const char *why) {
  strbuf_printf(ctx, "  %-20s%s\n", what, why);
}

static void plan_text(const color_args_t *a, strbuf_t *out) {
  head_text(a, out);
  pages_text(a, out);
  reach_text(a, out);
  tenants_text(a, out);
  strbuf_str(out, "\nWhat stays shared:\n");
  each_shared(a, shared_line, out);
  how_text(a, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void number(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  json_u64(j, v);
}
/* null if it is not known */
static void known(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  if (v)
    json_u64(j, v);
  else
    json_null(j);
}
static void space_json(json_t *j, const char *key, const gf2_space_t *s) {
  char text[BITLIST_TEXT];
  space_text(s, text, sizeof text);
  json_key(j, key);
  json_str(j, text);
}

/* What `count` of the colours of a page size make. */
static void part_json(json_t *j, const color_args_t *a, uint32_t colors, uint32_t count) {
  const color_chip_t *chip = &a->color.chip;
  known(j, "memory_bytes", chip->memory_bytes / colors * count);
  known(j, "l2_bytes", chip->l2_bytes / colors * count);
  known(j, "bandwidth_mb_s", chip->bandwidth_mb_s * count / colors);
  number(j, "modules", (1u << a->color.module.rank) / colors * count);
}

/* By level; none if there is no GPU to have TLBs. */
static void reach_json(json_t *j, const color_args_t *a, uint64_t page_bytes) {
  json_key(j, "tlb_reach_bytes");
  json_begin_array(j);
  for (uint32_t l = 0; a->gpu && l < a->spec.tlb.levels; l++)
    json_u64(j, tlb_reach(&a->spec, l, page_bytes));
  json_end_array(j);
}

static void colours_json(json_t *j, const color_args_t *a) {
  strbuf_t text;
  strbuf_init(&text);
  colours_text(a, &text);
  json_key(j, "mem.colours"), json_str(j, strbuf_text(&text));
  strbuf_fini(&text);
}

static void pages_json(json_t *j, const color_args_t *a) {
  json_key(j, "pages");
  json_begin_array(j);
  for (uint64_t bytes = 4096; bytes <= 2 << 20; bytes *= 2) {
    color_pages_t p;
    color_pages(&a->color, bytes, &p);
    json_begin_object(j);
    number(j, "page_bytes", bytes);
    number(j, "colors", p.colors);
    space_json(j, "color_functions", &p.functions);
    part_json(j, a, p.colors, 1);
    reach_json(j, a, bytes);
    json_end_object(j);
  }
  json_end_array(j);
}

static void tenants_json(json_t *j, const color_args_t *a) {
  json_key(j, "tenants");
  json_begin_array(j);
  for (uint32_t i = 0; i < a->tenants; i++) {
    const color_tenant_t *t = &a->tenant[i];
    json_begin_object(j);
    number(j, "share", t->share);
    json_key(j, "colors");
    json_begin_array(j);
    for (uint32_t k = 0; k < t->count; k++) json_u64(j, t->first + k);
    json_end_array(j);
    part_json(j, a, a->pages.colors, t->count);
    json_end_object(j);
  }
  json_end_array(j);
}

static void shared_json(void *ctx, const char *what, const char *why) {
  json_key(ctx, what);
  json_str(ctx, why);
}

static void plan_json(const color_args_t *a, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "gpu"), json_str(j, a->gpu);
  json_key(j, "hash"), json_str(j, a->hash);
  number(j, "modules", 1u << a->color.module.rank);
  number(j, "banks", 1u << a->color.bank.rank);
  number(j, "sets", 1u << a->color.set.rank);
  space_json(j, "module_functions", &a->color.module);
  space_json(j, "bank_functions", &a->color.bank);
  space_json(j, "set_functions", &a->color.set);
  pages_json(j, a);
  number(j, "page_bytes", a->pages.page_bytes);
  space_json(j, "color_functions", &a->pages.functions);
  tenants_json(j, a);
  colours_json(j, a);
  json_key(j, "shared");
  json_begin_object(j);
  each_shared(a, shared_json, j);
  json_end_object(j);
  json_end_object(j);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static int apply_key(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                     err_t *e) {
  (void)line, (void)column;
  if (strncmp(key, "probe.", 6) == 0) return GMMU_OK; /* what a probe tells beside its options */
  return gpu_spec_set(ctx, key, value, e);
}

/* Without a GPU sizes are known only if the hash file gives them. */
static int read_spec(color_args_t *a, err_t *e) {
  int rc = 0;
  gpu_spec_init(&a->spec);
  if (a->gpu)
    rc = gpu_spec_load(&a->spec, "gpu", a->gpu, e);
  else
    a->spec.memory.memory_bytes = a->spec.l2.bytes = a->spec.dram.clock_mhz = 0;
  if (rc == 0 && a->hash) rc = yaml_read_file(a->hash, apply_key, &a->spec, e);
  for (uint32_t i = 0; i < a->config.settings && rc == 0; i++)
    rc = gpu_spec_set(&a->spec, a->config.key[i], config_value(&a->config, i), e);
  return rc;
}

static color_chip_t chip_of(const gpu_spec_t *s) {
  const dram_spec_t *d = &s->dram;
  return (color_chip_t){.module = s->map.module,
                        .bank = s->map.bank,
                        .set = s->map.set,
                        .memory_bytes = s->memory.memory_bytes,
                        .l2_bytes = s->l2.bytes,
                        .bandwidth_mb_s =
                            (uint64_t)d->channels * d->bus_bytes * d->data_rate * d->clock_mhz};
}

/* Too few colours: say which page would have enough. */
static int too_few(const color_args_t *a, err_t *e) {
  char page[24];
  uint64_t bytes = color_largest_page(&a->color, a->tenants);
  size_text(bytes, page, sizeof page);
  size_t used = strlen(e->text);
  if (bytes)
    snprintf(e->text + used, sizeof e->text - used, "; pages of %s have enough", page);
  else
    snprintf(e->text + used, sizeof e->text - used, "; no page of 4 KB or more has enough");
  return e->code;
}

static int make_plan(color_args_t *a, err_t *e) {
  color_chip_t chip = chip_of(&a->spec);
  int rc = color_init(&a->color, &chip, e);
  if (rc < 0) return rc;
  color_pages(&a->color, a->page.page_bytes, &a->pages);
  if (!a->tenants) {
    a->tenants = a->pages.colors < COLOR_TENANTS_MAX ? a->pages.colors : COLOR_TENANTS_MAX;
    for (uint32_t i = 0; i < a->tenants; i++) a->shares[i] = 1;
  }
  rc = color_deal(&a->pages, a->shares, a->tenants, a->tenant, e);
  return rc < 0 ? too_few(a, e) : rc;
}

static int plan(color_args_t *a) {
  err_t e = {0};
  if (read_spec(a, &e) < 0 || make_plan(a, &e) < 0) return cli_refuse(&e);
  json_t j;
  json_init(&j);
  if (a->json)
    plan_json(a, &j);
  else
    cli_screen(&j.out, a->output), plan_text(a, &j.out);
  int status = cli_output(a->output, &j.out);
  json_fini(&j);
  return status;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int take_tenants(color_args_t *a, const cli_t *c) {
  uint64_t n;
  if (!cli_number(c, "tenants", 1, COLOR_TENANTS_MAX, &n)) return CLI_USAGE;
  a->tenants = (uint32_t)n;
  for (uint32_t i = 0; i < n; i++) a->shares[i] = 1;
  return CLI_DONE;
}

static int take_shares(color_args_t *a, const cli_t *c) {
  const char *s = c->value;
  for (a->tenants = 0;; s++) {
    uint32_t share = 0;
    for (; *s >= '0' && *s <= '9' && share < 100000; s++) share = share * 10 + (uint32_t)(*s - '0');
    if (!share || share > 1000 || (*s && *s != ','))
      return cli_usage(c, "--shares: \"%s\" is not a list of numbers 1 .. 1000", c->value);
    if (a->tenants == COLOR_TENANTS_MAX)
      return cli_usage(c, "--shares: at most %d tenants", COLOR_TENANTS_MAX);
    a->shares[a->tenants++] = share;
    if (!*s) return CLI_DONE;
  }
}

static int take_page(color_args_t *a, const cli_t *c) {
  opt_group_t groups[] = {{"", "", page_option, &a->page}, {0}};
  err_t e = {0};
  if (opt_set(groups, "--page", c->value, &e) < 0) return cli_refuse(&e);
  if (a->page.page_bytes & (a->page.page_bytes - 1))
    return cli_usage(c, "--page: %s is not a power of two", c->value);
  return CLI_DONE;
}

static int take(color_args_t *a, const cli_t *c, int id) {
  switch (id) {
  case ARG_GPU: a->gpu = c->value; return CLI_DONE;
  case ARG_HASH: a->hash = c->value; return CLI_DONE;
  case 'o': a->output = c->value; return CLI_DONE;
  case ARG_JSON: a->json = true; return CLI_DONE;
  case ARG_TENANTS: return take_tenants(a, c);
  case ARG_SHARES: return take_shares(a, c);
  case ARG_PAGE: return take_page(a, c);
  default: return config_take(&a->config, c, id);
  }
}

static int run_with(cli_t *c, color_args_t *a) {
  const char *what = NULL;
  int id, status;
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == CLI_ARGUMENT) {
      if (what || strcmp(c->value, "plan") != 0)
        return cli_usage(c, "\"%s\": it is gmmu color plan [OPTION]...", c->value);
      what = c->value;
    } else if ((status = take(a, c, id)) != CLI_DONE) {
      return status;
    }
  }
  if (!what) return cli_usage(c, "what? gmmu color plan [OPTION]...");
  if (!a->gpu && !a->hash) return cli_usage(c, "of what? give --gpu or --hash");
  return plan(a);
}

static int run(cli_t *c) {
  color_args_t *a = calloc(1, sizeof *a);
  err_t e = {0};
  if (!a) {
    err_set(&e, GMMU_ENOMEM, "out of memory for a plan");
    return cli_fail(&e);
  }
  config_init(&a->config);
  a->page.page_bytes = 4096;
  int status = run_with(c, a);
  config_fini(&a->config);
  free(a);
  return status;
}

const subcommand_t cmd_color = {
    .name = "color",
    .summary = "page colours of a GPU: what can be partitioned, and what stays shared",
    .usage = "plan [OPTION]...",
    .details = "A hash file is YAML with map.bank and map.set, lists of address bits, and perhaps\n"
               "mem.bytes and l2.bytes, as in presets/gpu/gtx1080.yaml.\n"
               "\n"
               "  gmmu color plan --gpu gtx1080 --tenants 2\n"
               "  gmmu color plan --gpu v100 --shares 3,1 --page 8K --json\n",
    .options = options,
    .run = run,
};
