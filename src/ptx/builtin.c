/* Functions that CUDA programs call and that no module defines: vprintf, malloc, with and without
 * an alignment, free and the assertion handler. */
#include "base/strbuf.h"
#include "ptx/exec.h"
#include <stdio.h>
#include <string.h>

enum { BUILTIN_VPRINTF = 1, BUILTIN_MALLOC, BUILTIN_FREE, BUILTIN_ASSERTFAIL, BUILTIN_ALIGNED };

uint32_t builtin_find(const char *name) {
  static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail",
                                      "__cuda_syscall_aligned_malloc"};
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return i + 1;
  return 0;
}

uint8_t *pexec_generic(pexec_t *x, const pwarp_t *w, uint32_t lane, uint64_t addr, uint32_t bytes) {
  uint64_t off = addr - DEVMEM_SHARED_WINDOW;
  if (off < DEVMEM_WINDOW_BYTES)
    return off + bytes <= x->shared_bytes ? w->block->shared + off : NULL;
  off = addr - DEVMEM_LOCAL_WINDOW;
  if (off < DEVMEM_WINDOW_BYTES)
    return off + bytes <= x->local_stride ? w->local + (size_t)lane * x->local_stride + off : NULL;
  const devmem_alloc_t *a = devmem_find(x->mem, addr);
  if (!a || bytes > a->bytes - (addr - a->va)) return NULL;
  if (a->sparse && bytes > DEVMEM_GRANULE - addr % DEVMEM_GRANULE) return NULL;
  return devmem_byte(a, addr);
}

static uint64_t argument(pexec_t *x, const pwarp_t *w, const pcall_t *c, uint32_t i,
                         uint32_t lane) {
  const pplace_t *a = &c->arg[i];
  uint64_t v = 0;
  if (a->kind == 1)
    memcpy(&v, w->param + (size_t)lane * x->param_stride + w->param_base + a->place,
           a->size < 8 ? a->size : 8);
  else
    memcpy(&v, (const uint8_t *)operand_at(x, w, a->place) + lane * (a->bytes == 8 ? 8u : 4u),
           a->bytes == 8 ? 8 : 4);
  return v;
}

static void give_result(pexec_t *x, pwarp_t *w, const pcall_t *c, uint32_t lane, uint64_t v) {
  if (!c->results) return;
  const pplace_t *r = &c->result[0];
  if (r->kind == 1)
    memcpy(w->param + (size_t)lane * x->param_stride + w->param_base + r->place, &v,
           r->size < 8 ? r->size : 8);
  else if (r->place != OPERAND_NONE)
    memcpy(w->frame + r->place + lane * (r->bytes == 8 ? 8u : 4u), &v, r->bytes == 8 ? 8 : 4);
}

#define TEXT_LIMIT 4096u
/* A string of device memory; false if it runs out of its allocation. */
static bool device_text(pexec_t *x, pwarp_t *w, uint32_t lane, uint64_t addr, char *buf,
                        uint32_t size) {
  uint32_t n = 0;
  for (; n + 1 < size; n++) {
    const uint8_t *p = pexec_generic(x, w, lane, addr + n, 1);
    if (!p) return fault_access(x, w, NULL, lane, addr + n, 1, "load", "global");
    if (!(buf[n] = (char)*p)) return true;
  }
  buf[n] = 0;
  return true;
}

typedef struct {
  pexec_t *x;
  pwarp_t *w;
  uint32_t lane;
  uint64_t args; /* generic address of the next argument */
  uint32_t read; /* arguments */
  strbuf_t *out;
} printer_t;

static bool next_arg(printer_t *p, uint32_t bytes, uint64_t *v) {
  p->args = (p->args + bytes - 1) & ~(uint64_t)(bytes - 1);
  const uint8_t *at = pexec_generic(p->x, p->w, p->lane, p->args, bytes);
  if (!at) return fault_access(p->x, p->w, NULL, p->lane, p->args, bytes, "load", "global");
  *v = 0;
  memcpy(v, at, bytes);
  p->args += bytes;
  p->read++;
  return true;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_int(printer_t *p, char *spec, size_t n, char conv, bool wide, uint64_t v) {
  memcpy(spec + n, "ll", 2);
  spec[n + 2] = conv, spec[n + 3] = 0;
  bool is_signed = conv == 'd' || conv == 'i';
  if (is_signed)
    strbuf_printf(p->out, spec, wide ? (long long)v : (long long)(int32_t)v);
  else
    strbuf_printf(p->out, spec, wide ? (unsigned long long)v : (unsigned long long)(uint32_t)v);
}

/* One conversion; `spec` holds "%flags width.precision" of n characters. */
static bool print_one(printer_t *p, char *spec, size_t n, char conv, bool wide) {
  uint64_t v;
  double d;
  char text[TEXT_LIMIT];
  switch (conv) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    if (!next_arg(p, wide ? 8 : 4, &v)) return false;
    print_int(p, spec, n, conv, wide, v);
    return true;
  case 'c':
    if (!next_arg(p, 4, &v)) return false;
    spec[n] = 'c', spec[n + 1] = 0;
    strbuf_printf(p->out, spec, (int)(uint8_t)v);
    return true;
  case 's':
    if (!next_arg(p, 8, &v) || !device_text(p->x, p->w, p->lane, v, text, sizeof text))
      return false;
    spec[n] = 's', spec[n + 1] = 0;
    strbuf_printf(p->out, spec, text);
    return true;
  case 'p':
    if (!next_arg(p, 8, &v)) return false;
    strbuf_printf(p->out, "0x%llx", (unsigned long long)v);
    return true;
  default:
    if (!next_arg(p, 8, &v)) return false;
    memcpy(&d, &v, 8);
    spec[n] = conv, spec[n + 1] = 0;
    strbuf_printf(p->out, spec, d);
    return true;
  }
}

static bool print_format(printer_t *p, const char *f) {
  while (*f) {
    size_t plain = strcspn(f, "%");
    strbuf_add(p->out, f, plain);
    f += plain;
    if (!*f) break;
    if (f[1] == '%') {
      strbuf_add(p->out, "%", 1);
      f += 2;
      continue;
    }
    char spec[48] = "%";
    size_t n = 1;
    bool wide = false;
    for (f++; *f && strchr("-+ #0123456789.*", *f); f++) {
      uint64_t v = 0;
      if (*f != '*') {
        if (n < 24) spec[n++] = *f;
      } else if (!next_arg(p, 4, &v)) {
        return false;
      } else if (n < 24) {
        n += (size_t)snprintf(spec + n, 12, "%d", (int32_t)v % 1000);
      }
    }
    for (; *f && strchr("hlLqjzt", *f); f++) wide |= *f != 'h';
    if (!*f || !strchr("diuxXocspfFeEgGaA", *f)) return true;
    if (!print_one(p, spec, n, *f++, wide)) return false;
  }
  return true;
}

static bool print(pexec_t *x, pwarp_t *w, uint32_t lane, const pcall_t *c) {
  char format[TEXT_LIMIT];
  strbuf_t out;
  if (!device_text(x, w, lane, argument(x, w, c, 0, lane), format, sizeof format)) return false;
  strbuf_init(&out);
  printer_t p = {x, w, lane, argument(x, w, c, 1, lane), 0, &out};
  bool ok = print_format(&p, format);
  if (ok && x->options.print) x->options.print(x->options.print_ctx, strbuf_text(&out), out.size);
  strbuf_fini(&out);
  x->progress++;
  give_result(x, w, c, lane, p.read);
  return ok;
}

static bool assert_fail(pexec_t *x, pwarp_t *w, uint32_t lane, const pcall_t *c) {
  char what[120] = "", file[60] = "";
  if (c->args < 3) return fault_simple(x, w, 1u << lane, PTX_FAULT_ASSERT, "assertion failed");
  if (!device_text(x, w, lane, argument(x, w, c, 0, lane), what, sizeof what)) return false;
  if (!device_text(x, w, lane, argument(x, w, c, 1, lane), file, sizeof file)) return false;
  return fault_simple(x, w, 1u << lane, PTX_FAULT_ASSERT, "assertion '%s' failed at %s:%u", what,
                      file, (uint32_t)argument(x, w, c, 2, lane));
}

static bool one_lane(pexec_t *x, pwarp_t *w, uint32_t lane, uint32_t builtin, const pcall_t *c) {
  uint64_t va = 0, align = 0;
  switch (builtin) {
  case BUILTIN_VPRINTF: return print(x, w, lane, c);
  case BUILTIN_ALIGNED:
  case BUILTIN_MALLOC:
    if (builtin == BUILTIN_ALIGNED) align = argument(x, w, c, 1, lane);
    x->progress++;
    if (devmem_heap_alloc(x->mem, argument(x, w, c, 0, lane), align, &va, NULL) < 0) va = 0;
    give_result(x, w, c, lane, va);
    return true;
  case BUILTIN_FREE:
    x->progress++;
    va = argument(x, w, c, 0, lane);
    memset(x->cache, 0, sizeof x->cache);
    if (va && (va < DEVMEM_HEAP || devmem_release(x->mem, va, NULL) < 0))
      return fault_access(x, w, NULL, lane, va, 1, "free", "global");
    return true;
  default: return assert_fail(x, w, lane, c);
  }
}

bool builtin_call(pexec_t *x, pwarp_t *w, uint32_t lanes, uint32_t builtin, const pcall_t *c) {
  static const uint32_t least[] = {0, 2, 1, 1, 0, 2};
  if (c->args < least[builtin])
    return fault_simple(x, w, lanes, PTX_FAULT_BAD_CALL,
                        "a built-in function has too few arguments");
  for (; lanes; lanes &= lanes - 1)
    if (!one_lane(x, w, (uint32_t)__builtin_ctz(lanes), builtin, c)) return false;
  return true;
}
