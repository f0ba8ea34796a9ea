/* Words for what a kernel did wrong. */
#include "ptx/exec.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void where(pexec_t *x, const pwarp_t *w, uint32_t lane, char *buf, size_t size) {
  ptx_fault_t *f = &x->fault;
  char line[90];
  f->line = w->code->line[w->pc];
  for (uint32_t i = 0; i < 3; i++) f->block[i] = w->block->ctaid[i], f->thread[i] = w->tid[i][lane];
  ptx_line(w->code->func->module, f->line, line, sizeof line);
  err_fit(buf, size, "kernel '%s', block (%u,%u,%u), thread (%u,%u,%u), line %u: %s",
          x->kernel->info.name, f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1],
          f->thread[2], f->line, line);
}

static bool report(pexec_t *x, const pwarp_t *w, uint32_t lane, ptx_fault_kind_t kind,
                   const char *what) {
  char place[300];
  if (x->fault.kind) return false;
  x->fault.kind = kind;
  where(x, w, lane, place, sizeof place);
  err_set(x->e, GMMU_EFAULT, "%s: %s", place, what);
  err_in_file(x->e, w->code->func->module->name, x->fault.line, 0);
  return false;
}

/* Where the access lies, seen from the allocation nearest to it. */
static void nearest_text(pexec_t *x, uint64_t addr, uint32_t bytes, char *buf, size_t size) {
  devmem_alloc_t a;
  if (!devmem_nearest(x->mem, addr, &a)) {
    snprintf(buf, size, "there is no allocation");
    return;
  }
  char how[64] = "inside";
  if (addr < a.va)
    snprintf(how, sizeof how, "%" PRIu64 " bytes before", a.va - addr);
  else if (addr - a.va >= a.bytes)
    snprintf(how, sizeof how, "%" PRIu64 " bytes past the end of", addr - a.va - a.bytes);
  else if (bytes > a.bytes - (addr - a.va))
    snprintf(how, sizeof how, "its last %" PRIu64 " bytes are past the end of",
             bytes - (a.bytes - (addr - a.va)));
  err_fit(buf, size, "%s%s '%s' [0x%" PRIx64 ", +%" PRIu64 ")", how, a.freed ? " freed" : "",
          a.name, a.va, a.bytes);
}

/* What was accessed where, beside what is there. */
static void access_text(pexec_t *x, uint64_t addr, uint32_t bytes, const char *what,
                        const char *space, char *buf, size_t size) {
  char near[140];
  if (!strcmp(space, "global")) {
    nearest_text(x, addr, bytes, near, sizeof near);
    snprintf(buf, size, "%u-byte %s at 0x%" PRIx64 ": %s", bytes, what, addr, near);
    return;
  }
  uint64_t have = !strcmp(space, "shared")  ? x->shared_bytes
                  : !strcmp(space, "local") ? x->local_stride
                                            : x->param_bytes;
  snprintf(buf, size, "%u-byte %s at 0x%" PRIx64 " of %s memory, which has %" PRIu64 " bytes",
           bytes, what, addr, space, have);
}

bool fault_access(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane, uint64_t addr,
                  uint32_t bytes, const char *what, const char *space) {
  char text[220];
  devmem_alloc_t a;
  (void)in;
  x->fault.address = addr, x->fault.bytes = bytes;
  bool freed = !strcmp(space, "global") && devmem_nearest(x->mem, addr, &a) && a.freed &&
               addr - a.va < a.bytes;
  access_text(x, addr, bytes, what, space, text, sizeof text);
  return report(x, w, lane, freed ? PTX_FAULT_FREED : PTX_FAULT_ILLEGAL_ADDRESS, text);
}

uint8_t *access_outside(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane,
                        uint64_t addr, uint32_t bytes, const char *what, const char *space) {
  if (x->options.bounds == PTX_BOUNDS_ERROR) {
    fault_access(x, w, in, lane, addr, bytes, what, space);
    return NULL;
  }
  if (x->options.bounds == PTX_BOUNDS_WARN && x->options.warn) {
    char text[220], place[300];
    err_t e = {0};
    where(x, w, lane, place, sizeof place);
    access_text(x, addr, bytes, what, space, text, sizeof text);
    err_set(&e, GMMU_EFAULT, "%s: %s", place, text);
    err_in_file(&e, w->code->func->module->name, x->fault.line, 0);
    x->options.warn(x->options.warn_ctx, &e);
  }
  x->op_mask &= ~(1u << lane);
  return memset(x->outside[lane], 0, sizeof x->outside[lane]);
}

bool fault_misaligned(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane, uint64_t addr,
                      uint32_t bytes, const char *what) {
  char text[120];
  (void)in;
  x->fault.address = addr, x->fault.bytes = bytes;
  snprintf(text, sizeof text, "%u-byte %s at 0x%" PRIx64 " is not aligned", bytes, what, addr);
  return report(x, w, lane, PTX_FAULT_MISALIGNED, text);
}

bool fault_simple(pexec_t *x, const pwarp_t *w, uint32_t lanes, ptx_fault_kind_t kind,
                  const char *fmt, ...) {
  char text[200];
  va_list args;
  va_start(args, fmt);
  err_vfit(text, sizeof text, fmt, args);
  va_end(args);
  return report(x, w, lanes ? (uint32_t)__builtin_ctz(lanes) : 0, kind, text);
}

/* --- no progress --- */

typedef struct {
  uint32_t line, count;
  const pcode_t *code;
  const pwarp_t *example;
} position_t;
#define POSITIONS 4u

static void note_position(position_t *p, uint32_t *n, const pwarp_t *w, const pcode_t *code,
                          uint32_t pc) {
  uint32_t line = code->line[pc];
  for (uint32_t i = 0; i < *n; i++)
    if (p[i].line == line && p[i].code == code) {
      p[i].count++;
      return;
    }
  if (*n < POSITIONS) p[(*n)++] = (position_t){line, 1, code, w};
}

static void note_warp(position_t *p, uint32_t *n, const pwarp_t *w) {
  if (w->active) note_position(p, n, w, w->code, w->pc);
  for (uint32_t i = 0; i < w->splits; i++) {
    const psplit_t *s = &w->split[i];
    note_position(p, n, w, warp_frame(w, s->node)->code,
                  s->state == SPLIT_WAIT ? s->pc - 1 : s->pc);
  }
}

void fault_stuck(pexec_t *x, pblock_t *const *blocks, uint32_t count, uint64_t insts) {
  position_t p[POSITIONS];
  uint32_t n = 0;
  char text[400];
  for (uint32_t b = 0; b < count; b++)
    for (uint32_t i = 0; blocks[b] && i < blocks[b]->warps; i++)
      note_warp(p, &n, blocks[b]->warp[i]);
  err_fit(text, 120, "kernel '%s' makes no progress", x->kernel->info.name);
  int at = (int)strlen(text);
  if (insts)
    at += snprintf(text + at, sizeof text - (size_t)at, " (%" PRIu64 " warp instructions)", insts);
  for (uint32_t i = 0; i < n && at < 330; i++) {
    char line[50];
    const pblock_t *b = p[i].example->block;
    ptx_line(p[i].code->func->module, p[i].line, line, sizeof line);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "%s %u warp%s at line %u: %s (block (%u,%u,%u) warp %u)", i ? ";" : ":",
                   p[i].count, p[i].count == 1 ? "" : "s", p[i].line, line, b->ctaid[0],
                   b->ctaid[1], b->ctaid[2], p[i].example->index);
    if (!i) x->fault.line = p[i].line, memcpy(x->fault.block, b->ctaid, sizeof x->fault.block);
  }
  x->fault.kind = PTX_FAULT_STUCK;
  err_set(x->e, GMMU_ESTUCK, "%s", text);
}
