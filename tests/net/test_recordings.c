/* What recordings hold: commands, tables of instructions, and what every warp executed. `gmmu
 * record` records a program (recorded.c), and what a replay would get is digested. */
#include "base/around.h"
#include "base/file.h"
#include "digest.h"
#include "net.h"
#include "trace/gmt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- a source that digests what passes through it ---- */

typedef struct {
  around_t around;
  net_t *net;
  net_row_t *row;
  uint32_t commands;
  command_t now;
  uint64_t steps, ops;
} digester_t;

static void leaf(digester_t *d, const char *what, uint64_t v) {
  char path[160], value[32];
  snprintf(path, sizeof path, "command[%u].%.100s.%s", d->commands,
           d->now.kind == CMD_LAUNCH ? d->now.launch.name : "host", what);
  snprintf(value, sizeof value, "%llu", (unsigned long long)v);
  net_leaf(d->net, d->row, path, value);
  if (d->net->only) printf("%s %s\n", path, value);
}

static void end_of_command(digester_t *d) {
  if (d->now.kind == CMD_LAUNCH) leaf(d, "operations", d->ops), leaf(d, "executed", d->steps);
  d->commands++, d->ops = d->steps = 0;
}

static int next_command(source_t *s, uint64_t now, command_t *c, err_t *e) {
  digester_t *d = (digester_t *)s;
  if (d->commands) end_of_command(d);
  int rc = around_next_command(s, now, c, e);
  if (rc < 0) return rc;
  if (!d->commands) d->commands = 1;
  d->now = *c;
  leaf(d, "kind", c->kind + 1u);
  if (c->kind != CMD_LAUNCH) {
    if (c->kind != CMD_END) leaf(d, "address", c->va), leaf(d, "bytes", c->bytes);
    return rc;
  }
  const launch_t *l = &c->launch;
  leaf(d, "table", XXH64(l->inst, l->inst_count * sizeof *l->inst, 0));
  leaf(d, "grid", XXH64(l->grid, sizeof l->grid, 0));
  leaf(d, "block", XXH64(l->block, sizeof l->block, 0));
  leaf(d, "registers", l->regs_per_thread), leaf(d, "shared", l->shared_bytes);
  return rc;
}

static int cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps, const uint32_t slot[],
                     uint32_t first[], err_t *e) {
  digester_t *d = (digester_t *)s;
  int rc = around_cta_begin(s, now, cta, warps, slot, first, e);
  if (rc >= 0) d->ops = XXH64(first, warps * sizeof *first, d->ops + cta);
  return rc;
}

static uint32_t step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  digester_t *d = (digester_t *)s;
  *op = (warp_op_t){0};
  uint32_t next = around_step(s, now, slot, op);
  uint64_t seen[4 + WARP_LANES] = {(uint64_t)op->mask << 32 | next, op->mode};
  if (op->mode == ADDR_STRIDE) seen[2] = op->base, seen[3] = (uint64_t)op->stride;
  for (uint32_t i = 0; op->mode == ADDR_LIST && i < WARP_LANES; i++)
    if (op->mask >> i & 1) seen[4 + i] = op->lane[i];
  d->ops = XXH64(seen, sizeof seen, d->ops);
  d->steps++;
  return next;
}

static void free_nothing(source_t *s) { (void)s; }

static const source_ops_t ops = {.name = "digest",
                                 .bind = around_bind,
                                 .rewind = around_rewind,
                                 .next_command = next_command,
                                 .cta_begin = cta_begin,
                                 .step = step,
                                 .error = around_error,
                                 .free = free_nothing};

/* ---- cases ---- */

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void record(const char *out, const char *how, const char *ptx) {
  pid_t child = fork();
  int status;
  if (child == 0) {
    execl(NET_GMMU, NET_GMMU, "record", "-o", out, "--", NET_RECORDED, how, ptx, (char *)NULL);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0 || status) fail(how, "gmmu record failed");
}

static uint64_t file_digest(const char *path) {
  strbuf_t text;
  err_t e = {0};
  strbuf_init(&text);
  if (file_read(path, 1 << 20, &text, &e) < 0) fail(path, e.text);
  uint64_t digest = digest_text(strbuf_text(&text));
  strbuf_fini(&text);
  return digest;
}

static void add(net_t *n, const char *how, const char *ptx) {
  char path[] = "net-XXXXXX";
  source_t *in;
  err_t e = {0};
  net_row_t *row = net_add(n, how);
  if (!row) return;
  row->what = file_digest(ptx);
  int fd = mkstemp(path);
  if (fd < 0) fail(path, "cannot be made");
  close(fd);
  record(path, how, ptx);
  if (gmt_open(path, &in, &e) < 0) fail(how, e.text);
  digester_t d = {.around = {{&ops}, in}, .net = n, .row = row};
  uint64_t insts;
  if (gmt_drain(&d.around.source, 0, &insts, &e) < 0) fail(how, e.text);
  snprintf(row->shown, sizeof row->shown, "%u commands, %llu warp instructions", d.commands,
           (unsigned long long)insts);
  in->ops->free(in);
  unlink(path);
}

static void run_recordings(net_t *n) {
  add(n, "kernels", NET_FOLDER "/../ptx/data/kernels.ptx");
  add(n, "mixed", NET_FOLDER "/more.ptx");
}

int main(int argc, char **argv) {
  static const net_part_t parts[] = {{"recordings", run_recordings}, {NULL, NULL}};
  return net_main(argc, argv, parts);
}
