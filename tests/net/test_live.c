/* What runs live on a simulated GPU: the operators of gmmu db, with kernels as a compiler once made
 * them (db.ptx), and the probes. */
#include "base/file.h"
#include "db/program.h"
#include "digest.h"
#include "gpu/stats.h"
#include "help.h"
#include "lab/probing.h"
#include "net.h"

typedef struct {
  const char *name, *gpu, *text;
  const char *option[12]; /* key, value, ...; ends with NULL */
} live_case_t;

/* Two modules of four banks and four sets. */
#define SMALL                                                                                      \
  "gpu.sms", "4", "mem.bytes", "1G", "dram.channels", "2", "dram.banks", "4", "l2.ways", "4"

static const live_case_t operators[] = {
    {"sample", "p100", "db-sample:size=4M,accesses=5000,threads=1000", {NULL}},
    {"sample-scope", "k80", "db-sample:size=8M,accesses=5000,threads=1000,scope=3M", {NULL}},
    {"groupby", "k80", "db-groupby:size=1M,accesses=3000,threads=2048", {NULL}},
    {"groupby-copy", "k80", "db-groupby:size=1M,accesses=3000,threads=96,scope=512K", {NULL}},
    {"groupby-naive",
     "v100",
     "db-groupby:size=1M,accesses=3000,threads=512,scope=256K,form=naive,input=device",
     {"gpu.sms", "4", NULL}},
};

static const live_case_t probes[] = {
    {"probe-tlb", "gem5-16", "probe:tlb", {"gpu.sms", "2", "mem.bytes", "256M", NULL}},
    {"probe-sharing", "gem5-16", "probe:sharing", {"gpu.sms", "4", "mem.bytes", "256M", NULL}},
    {"probe-hash", "gtx1080-fgpu", "probe:hash", {SMALL, NULL}},
    {"probe-isolation", "gtx1080-fgpu", "probe:isolation,others=2", {SMALL, NULL}},
};

static net_row_t *begin(net_t *n, const live_case_t *c, gpu_spec_t *spec) {
  err_t e = {0};
  net_row_t *row = net_add(n, c->name);
  if (!row) return NULL;
  gpu_spec_init(spec);
  if (gpu_spec_load(spec, "gpu", c->gpu, &e) < 0) fail_msg("%s: %s", c->gpu, e.text);
  if (strcmp(c->gpu, "gtx1080-fgpu") == 0) {
    set(spec, "l2.bytes", "4K"), set(spec, "map.module", "9 13 20");
    set(spec, "map.bank", "9 13 20; 11 17 22; 12 18 24");
    set(spec, "map.set", "9 13 20; 7 15 19; 8 16 23");
  }
  row->what = digest_text(c->gpu) + digest_text(c->text);
  for (uint32_t i = 0; c->option[i]; i += 2) {
    set(spec, c->option[i], c->option[i + 1]);
    row->what += digest_leaf(c->option[i], c->option[i + 1]);
  }
  return row;
}

static void run_operator(net_t *n, const live_case_t *c, const strbuf_t *ptx) {
  gpu_spec_t spec;
  db_spec_t op;
  source_t *source = NULL;
  err_t e = {0};
  net_row_t *row = begin(n, c, &spec);
  if (!row) return;
  int rc = db_parse(c->text, &op, &e);
  if (rc == 0) rc = db_program_new(&op, strbuf_text(ptx), ptx->size, &source, &e);
  if (rc < 0) fail_msg("%s: %s", c->name, e.text);
  row->what += digest_text(strbuf_text(ptx));
  gpu_t *g = machine(&spec, &source, 1);
  finish(g);
  char *text = stats_text(g);
  net_json(n, row, text);
  snprintf(row->shown, sizeof row->shown, "%8llu %8llu", (unsigned long long)gpu_cycles(g),
           (unsigned long long)gpu_instructions(g));
  free(text);
  gpu_free(g);
  source->ops->free(source);
}

static void run_probe(net_t *n, const live_case_t *c) {
  gpu_spec_t spec;
  json_t j;
  err_t e = {0};
  net_row_t *row = begin(n, c, &spec);
  if (!row) return;
  json_init(&j);
  if (probing_run(c->text, &spec, &j, &e) < 0) fail_msg("%s: %s", c->name, e.text);
  net_json(n, row, strbuf_text(&j.out));
  json_fini(&j);
}

static void run_live(net_t *n) {
  strbuf_t ptx;
  err_t e = {0};
  strbuf_init(&ptx);
  if (file_read(NET_FOLDER "/db.ptx", 1 << 20, &ptx, &e) < 0) fail_msg("%s", e.text);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    run_operator(n, &operators[i], &ptx);
  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) run_probe(n, &probes[i]);
  strbuf_fini(&ptx);
}

int main(int argc, char **argv) {
  static const net_part_t parts[] = {{"live", run_live}, {NULL, NULL}};
  return net_main(argc, argv, parts);
}
