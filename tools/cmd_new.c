/* gmmu new: a folder to begin a policy or mechanism of one's own in, with its build file and its
 * test. */
#include "assoc/repl.h"
#include "base/file.h"
#include "cli.h"
#include "gpu/spec.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_MOST 32

/* In the texts %N is the name, %I and %U the name as C and options have it, %% a percent sign. */
static const char source_text[] =
    "/* %N: a replacement policy for gmmu, outside its tree. The contract is assoc/repl.h. Here: a "
    "hand\n"
    " * goes around the set; it takes the way it stands at, and steps on when that way is used. "
    "*/\n"
    "#include \"assoc/repl.h\"\n"
    "#include <gmmu/plugin.h>\n"
    "\n"
    "/* %U.step: in presets, in -s, in studies. */\n"
    "typedef struct {\n"
    "  uint32_t step;\n"
    "} options_t;\n"
    "static const opt_t options[] = {\n"
    "    {\"step\", OPT_U32, offsetof(options_t, step), 1, 64, 1, \"ways\", \"that the hand steps "
    "on by\", NULL,\n"
    "     NULL},\n"
    "    {0},\n"
    "};\n"
    "\n"
    "/* \"%U\" in --json and in stores: summed over all TLBs and caches that have this policy. */\n"
    "typedef struct {\n"
    "  uint64_t spared, evicted;\n"
    "} counts_t;\n"
    "static const stat_desc_t counters[] = {\n"
    "    STAT_DESC(counts_t, spared, \"hits\", \"in the way that the hand stood at\"),\n"
    "    STAT_DESC(counts_t, evicted, \"entries\", \"that the hand took\"),\n"
    "    {0},\n"
    "};\n"
    "\n"
    "/* One zeroed allocation for each TLB or cache. */\n"
    "typedef struct {\n"
    "  const policy_mine_t *mine; /* its options and counters */\n"
    "  uint32_t ways;\n"
    "  uint32_t hand[]; /* [set] */\n"
    "} %I_t;\n"
    "\n"
    "static size_t state_bytes(uint32_t sets, uint32_t ways) {\n"
    "  (void)ways;\n"
    "  return sizeof(%I_t) + sets * sizeof(uint32_t);\n"
    "}\n"
    "\n"
    "static void init(void *state, uint32_t sets, uint32_t ways) {\n"
    "  (void)sets;\n"
    "  ((%I_t *)state)->ways = ways;\n"
    "}\n"
    "\n"
    "/* After init(), before the first cycle. */\n"
    "static void give(void *state, const policy_mine_t *mine) { ((%I_t *)state)->mine = mine; }\n"
    "\n"
    "static void step(%I_t *s, uint32_t set) {\n"
    "  s->hand[set] = (s->hand[set] + ((const options_t *)s->mine->options)->step) %% s->ways;\n"
    "}\n"
    "\n"
    "/* A look-up found the entry: it is not the next to go. */\n"
    "static void hit(void *state, uint32_t set, uint32_t way) {\n"
    "  %I_t *s = state;\n"
    "  if (s->hand[set] != way) return;\n"
    "  ((counts_t *)s->mine->counters)->spared++;\n"
    "  step(s, set);\n"
    "}\n"
    "\n"
    "/* An empty way was filled. */\n"
    "static void fill(void *state, uint32_t set, uint32_t way, uint32_t hint) {\n"
    "  (void)hint;\n"
    "  if (((%I_t *)state)->hand[set] == way) step(state, set);\n"
    "}\n"
    "\n"
    "/* The set is full: which way is filled anew? */\n"
    "static uint32_t victim(void *state, uint32_t set, uint32_t hint) {\n"
    "  %I_t *s = state;\n"
    "  uint32_t way = s->hand[set];\n"
    "  (void)hint;\n"
    "  ((counts_t *)s->mine->counters)->evicted++;\n"
    "  step(s, set);\n"
    "  return way;\n"
    "}\n"
    "\n"
    "static const policy_own_t own = {\n"
    "    .options = options,\n"
    "    .options_bytes = sizeof(options_t),\n"
    "    .counters = counters,\n"
    "    .counters_bytes = sizeof(counts_t),\n"
    "    .give = give,\n"
    "};\n"
    "static const repl_ops_t %I = {\n"
    "    .name = \"%N\",\n"
    "    .help = \"not the way that was used last, in turn\",\n"
    "    .state_bytes = state_bytes,\n"
    "    .init = init,\n"
    "    .hit = hit,\n"
    "    .fill = fill,\n"
    "    .victim = victim,\n"
    "    .own = &own,\n"
    "};\n"
    "GMMU_PLUGIN(\"%N\", GMMU_POLICY(\"replacement\", %I));\n";

static const char make_text[] =
    "# make: %N.so; make test: it is loaded, runs, and gives the same results each time.\n"
    "GMMU ?= gmmu\n"
    "CFLAGS ?= -O2 -Wall -Wextra\n"
    "GMMU_CFLAGS ?= $(shell pkg-config --cflags gmmu)\n"
    "\n"
    "%N.so: %N.c\n"
    "\t$(CC) $(CFLAGS) $(GMMU_CFLAGS) -std=gnu17 -shared -fPIC -o $@ $<\n"
    "\n"
    "test: %N.so\n"
    "\t@GMMU=\"$(GMMU)\" sh test.sh\n"
    "\n"
    "clean:\n"
    "\trm -f %N.so\n"
    "\n"
    ".PHONY: test clean\n";

static const char test_text[] =
    "#!/bin/sh\n"
    "# The policy is there, machines with it run with every check on, and results repeat.\n"
    "set -eu\n"
    "cd \"$(dirname \"$0\")\"\n"
    "gmmu=${GMMU:-gmmu}\n"
    "out=$(mktemp -d)\n"
    "trap 'rm -rf \"$out\"' EXIT\n"
    "$gmmu list policies --plugin ./%N.so | grep -q 'replacement=%N'\n"
    "run() {\n"
    "  $gmmu run --plugin ./%N.so --design sharedtlb -s \"l2tlb.replacement=$1\" --cycles 20000 "
    "--check \\\n"
    "    --json gather:footprint=64M\n"
    "}\n"
    "run %N >\"$out/first\"\n"
    "run %N >\"$out/second\"\n"
    "cmp \"$out/first\" \"$out/second\"\n"
    "grep -q '\"%U\": {' \"$out/first\"\n"
    "$gmmu list options --plugin ./%N.so | grep -q '%U.step'\n"
    "echo \"%N: as it should be\"\n";

static const char mechanism_text[] =
    "/* %N: a mechanism for gmmu, outside its tree. The contract is gpu/outside.h. Here: when page "
    "p misses\n"
    " * the last TLB level, the walk of page p + 1 starts, too. */\n"
    "#include \"gpu/outside.h\"\n"
    "#include <gmmu/plugin.h>\n"
    "#include <stdio.h>\n"
    "\n"
    "typedef struct {\n"
    "  uint32_t delay_cycles;\n"
    "} options_t;\n"
    "static const opt_t options[] = {\n"
    "    {\"delay\", OPT_U32, offsetof(options_t, delay_cycles), 1, 1000, 2, \"cycles\",\n"
    "     \"from the miss to the prefetcher\", NULL, NULL},\n"
    "    {0},\n"
    "};\n"
    "\n"
    "typedef struct {\n"
    "  uint64_t misses, fetched;\n"
    "} counts_t;\n"
    "static const stat_desc_t counters[] = {\n"
    "    STAT_DESC(counts_t, misses, \"misses\", \"of the last TLB level\"),\n"
    "    STAT_DESC(counts_t, fetched, \"pages\", \"whose walk was started\"),\n"
    "    {0},\n"
    "};\n"
    "\n"
    "typedef struct {\n"
    "  outside_page_t page[OUTSIDE_MESSAGES]; /* on their way to the prefetcher */\n"
    "  uint32_t next;\n"
    "} state_t;\n"
    "\n"
    "static void missed(outside_t *m, const outside_page_t *page, uint32_t level) {\n"
    "  const options_t *o = m->options;\n"
    "  state_t *s = m->state;\n"
    "  counts_t *c = outside_counters(m, page->asid);\n"
    "  if (level + 1 != m->levels) return;\n"
    "  c->misses++;\n"
    "  if (!m->calls->send(m, o->delay_cycles, s->next)) return; /* too many are on their way */\n"
    "  s->page[s->next] = *page;\n"
    "  s->page[s->next].vpn.v++;\n"
    "  s->next = (s->next + 1) %% OUTSIDE_MESSAGES;\n"
    "}\n"
    "\n"
    "static void arrived(outside_t *m, uint32_t what) {\n"
    "  const outside_page_t *page = &((state_t *)m->state)->page[what];\n"
    "  counts_t *c = outside_counters(m, page->asid);\n"
    "  c->fetched += m->calls->fetch(m, page);\n"
    "}\n"
    "\n"
    "/* What it adds to the chip, for `gmmu cost`. */\n"
    "static bool storage(const outside_t *m, uint32_t i, outside_storage_t *s) {\n"
    "  (void)m;\n"
    "  if (i) return false;\n"
    "  s->what = \"pages on their way to the prefetcher\", s->where = \"L2 TLB\";\n"
    "  s->bits = 9 + 36, s->count = OUTSIDE_MESSAGES;\n"
    "  snprintf(s->formula, sizeof s->formula, \"%%d x (9 of the address space + 36 of the "
    "page)\", \n"
    "           OUTSIDE_MESSAGES);\n"
    "  return true;\n"
    "}\n"
    "\n"
    "static const mechanism_ops_t %I = {\n"
    "    .name = \"%N\",\n"
    "    .help = \"a miss of the last TLB level fetches the next page, too\",\n"
    "    .options = options,\n"
    "    .options_bytes = sizeof(options_t),\n"
    "    .counters = counters,\n"
    "    .counters_bytes = sizeof(counts_t),\n"
    "    .state_bytes = sizeof(state_t),\n"
    "    .missed = missed,\n"
    "    .arrived = arrived,\n"
    "    .storage = storage,\n"
    "};\n"
    "GMMU_PLUGIN(\"%N\", GMMU_POLICY(\"mechanism\", %I));\n";

static const char mechanism_test[] =
    "#!/bin/sh\n"
    "# The mechanism is there, counts, runs with every check on, and results repeat.\n"
    "set -eu\n"
    "cd \"$(dirname \"$0\")\"\n"
    "gmmu=${GMMU:-gmmu}\n"
    "out=$(mktemp -d)\n"
    "trap 'rm -rf \"$out\"' EXIT\n"
    "$gmmu list options --plugin ./%N.so | grep -q '%N.on'\n"
    "run() {\n"
    "  $gmmu run --plugin ./%N.so --design sharedtlb -s \"%N.on=$1\" --cycles 20000 --check --json "
    "\\\n"
    "    stride:footprint=256M,lane=128,step=4K\n"
    "}\n"
    "run true >\"$out/first\"\n"
    "run true >\"$out/second\"\n"
    "cmp \"$out/first\" \"$out/second\"\n"
    "grep -q '\"%N\": {' \"$out/first\"\n"
    "run false >\"$out/off\"\n"
    "! grep -q '\"%N\": {' \"$out/off\"\n"
    "! grep -q '[.]storage =' %N.c || $gmmu cost --plugin ./%N.so %N >/dev/null\n"
    "echo \"%N: as it should be\"\n";

/* What can be made. */
static const struct {
  const char *word, *letters; /* of its name */
  const char *source, *test;
} kinds[] = {
    {"policy", "abcdefghijklmnopqrstuvwxyz0123456789-", source_text, test_text},
    {"mechanism", "abcdefghijklmnopqrstuvwxyz0123456789", mechanism_text, mechanism_test},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void fill_in(const char *text, const char *name, strbuf_t *out) {
  for (; *text; text++)
    if (*text != '%')
      strbuf_add(out, text, 1);
    else if (*++text == 'N')
      strbuf_str(out, name);
    else if (*text == 'I' || *text == 'U')
      for (const char *c = name; *c; c++) strbuf_add(out, *c == '-' ? "_" : c, 1);
    else
      strbuf_str(out, "%");
}

static int write_file(const char *name, const char *file, const char *text) {
  char path[3 * NAME_MOST];
  strbuf_t out;
  strbuf_init(&out);
  snprintf(path, sizeof path, "%s/%s", name, file);
  fill_in(text, name, &out);
  int status = cli_data(path, &out);
  strbuf_fini(&out);
  return status;
}

static int create(size_t kind, const char *name) {
  char source[NAME_MOST + 8];
  err_t e = {0};
  if (mkdir(name, 0777) < 0) {
    err_set(&e, errno == EEXIST ? GMMU_EINVAL : GMMU_EIO, "the folder %s cannot be made: %s", name,
            strerror(errno));
    return cli_fail(&e);
  }
  snprintf(source, sizeof source, "%s.c", name);
  int status = write_file(name, source, kinds[kind].source);
  if (status == CLI_DONE) status = write_file(name, "Makefile", make_text);
  if (status == CLI_DONE) status = write_file(name, "test.sh", kinds[kind].test);
  return status;
}

static int check_name(const cli_t *c, size_t kind, const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
  size_t size = strlen(name);
  if (size && size < NAME_MOST && strchr(letters, name[0]) &&
      size == strspn(name, kinds[kind].letters))
    return CLI_DONE;
  return cli_usage(
      c, "\"%.40s\" is no name of a %s: a small letter, then letters%s digits%s, at most %d", name,
      kinds[kind].word, kind ? " and" : ",", kind ? "" : " and dashes", NAME_MOST - 1);
}

/* What a plug-in of that name would collide with when it is loaded; NULL if nothing. */
static const char *taken_by(const char *name) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t spec;
  gpu_spec_init(&spec);
  gpu_spec_groups(&spec, groups);
  for (const opt_group_t *g = groups; g->prefix; g++)
    if (strcmp(g->prefix, name) == 0) return "a group of options";
  return repl_find(name) ? "a replacement policy" : NULL;
}

static int run(cli_t *c) {
  const char *word[2] = {NULL, NULL};
  int id;
  for (uint32_t n = 0; (id = cli_next(c)) != CLI_END; n++) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (n == 2) return cli_usage(c, "\"%s\" is one word too many", c->value);
    word[n] = c->value;
  }
  if (!word[0]) return cli_usage(c, "what is to be made? gmmu new policy|mechanism NAME");
  size_t kind = 0;
  while (kind < KINDS && strcmp(word[0], kinds[kind].word) != 0) kind++;
  if (kind == KINDS)
    return cli_usage(c, "\"%s\" cannot be made; a policy or a mechanism can", word[0]);
  if (!word[1]) return cli_usage(c, "the %s needs a name: gmmu new %s NAME", word[0], word[0]);
  int status = check_name(c, kind, word[1]);
  if (status != CLI_DONE) return status;
  const char *other = taken_by(word[1]);
  if (other) return cli_usage(c, "\"%s\" is %s of gmmu's own already", word[1], other);
  return create(kind, word[1]);
}

static const cli_option_t options[] = {{0}};

const subcommand_t cmd_new = {
    .name = "new",
    .summary = "begin a policy or mechanism of your own, in a folder outside the tree",
    .usage = "policy|mechanism NAME",
    .details = "Makes the folder NAME with a source that works (a replacement policy or a "
               "mechanism, with\n"
               "options and counters), a Makefile and a test, `make -C NAME test`. It needs the "
               "installed\n"
               "headers (pkg-config gmmu). Then every command takes --plugin NAME/NAME.so;\n"
               "docs/plugins.md tells how to go on.\n"
               "\n"
               "  gmmu new policy mine\n"
               "  gmmu new mechanism nextpage\n",
    .options = options,
    .run = run,
};
