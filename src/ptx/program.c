/* Programs: modules, their variables in device memory, and kernels.
 *
 * Loading parses and decodes; linking connects extern names across modules, lays out shared memory
 * and fills in every address. A module that fails to load is kept aside until the program ends,
 * because the pool of constants may mention its variables. */
#include "base/nearest.h"
#include "ptx/exec.h"
#include <stdlib.h>
#include <string.h>

#define RECURSION_BYTES                                                                            \
  ((uint64_t)64 << 10)                   /* local memory of a lane when the call depth is unknown */
#define SHARED_LIMIT ((uint64_t)4 << 20) /* per block; hardware has 227 KB at most */
#define LOCAL_LIMIT  ((uint64_t)512 << 10) /* per thread, as on hardware */

int ptx_new(devmem_t *mem, ptx_t **out, err_t *e) {
  *out = calloc(1, sizeof **out);
  if (!*out) return err_set(e, GMMU_ENOMEM, "no memory for the program");
  (*out)->mem = mem, (*out)->last_module = &(*out)->modules;
  (*out)->global_limit = (*out)->const_limit = UINT64_MAX;
  return 0;
}

static void kernel_free(ptx_kernel_t *k) {
  if (!k) return;
  free((void *)(uintptr_t)k->info.param);
  free(k->code), free(k->row_base), free(k->row), free(k->where), free(k->file), free(k);
}

/* --- loading --- */

void ptx_limit(ptx_t *p, uint64_t global_bytes, uint64_t const_bytes) {
  p->global_limit = global_bytes, p->const_limit = const_bytes;
}

uint64_t ptx_variable_bytes(const ptx_t *p) { return p->variable_bytes; }

static bool needs_memory(const pvar_t *v) {
  return (v->space == SP_GLOBAL || v->space == SP_CONST) && !v->is_extern;
}

/* Walks the variables of a module that need memory, those inside of functions last. */
typedef struct {
  const pmodule_t *m;
  pvar_t *v;
  pfunc_t *f;
  bool in_functions;
} var_walk_t;

static pvar_t *var_next(var_walk_t *w) {
  for (;;) {
    while (!w->v) {
      w->f = w->in_functions ? w->f->next : w->m->funcs;
      w->in_functions = true;
      if (!w->f) return NULL;
      w->v = w->f->vars;
    }
    pvar_t *v = w->v;
    w->v = v->next;
    if (needs_memory(v)) return v;
  }
}
static var_walk_t var_walk(const pmodule_t *m) { return (var_walk_t){.m = m, .v = m->vars}; }

static int too_large(const pmodule_t *m, const pvar_t *v, int code, const char *what,
                     uint64_t limit, err_t *e) {
  return ptx_err(e, code, m, v->line, v->column,
                 "variable '%s' of %llu bytes is too much: %s is %llu bytes", v->name,
                 (unsigned long long)v->bytes, what, (unsigned long long)limit);
}

static int check_limits(const ptx_t *p, const pmodule_t *m, err_t *e) {
  uint64_t consts = 0, all = p->variable_bytes;
  var_walk_t w = var_walk(m);
  for (const pvar_t *v; (v = var_next(&w)) != NULL;) {
    if (v->space == SP_CONST && v->bytes > p->const_limit - consts)
      return too_large(m, v, GMMU_ERANGE, "a module's constant memory", p->const_limit, e);
    if (all > p->global_limit || v->bytes > p->global_limit - all)
      return too_large(m, v, GMMU_ENOSPACE, "the device's memory for variables", p->global_limit,
                       e);
    if (v->space == SP_CONST) consts += v->bytes;
    all += v->bytes;
  }
  return 0;
}

enum { HOST_PAGE = 4096 };

/* A variable that is aligned to pages has its pages to itself: the host may map them. */
static uint64_t memory_of(const pvar_t *v) {
  return v->align < HOST_PAGE ? v->bytes : (v->bytes + v->align - 1) / v->align * v->align;
}

static int place_vars(ptx_t *p, pmodule_t *m, err_t *e) {
  var_walk_t w = var_walk(m);
  for (pvar_t *v; (v = var_next(&w)) != NULL;) {
    uint64_t va;
    int r = devmem_alloc(p->mem, memory_of(v), v->align, v->name, &va, e);
    if (r < 0) return r;
    v->address = va;
    if (v->init) r = devmem_write(p->mem, va, v->init, v->init_bytes, e);
    if (r < 0) return r;
  }
  return 0;
}

/* The module is complete: its variables are the program's. */
static void count_vars(ptx_t *p, const pmodule_t *m) {
  var_walk_t w = var_walk(m);
  for (const pvar_t *v; (v = var_next(&w)) != NULL;) p->variables++, p->variable_bytes += v->bytes;
}

bool ptx_is_constant(const ptx_t *p, uint64_t va) {
  for (const pmodule_t *m = p->modules; m; m = m->next) {
    var_walk_t w = var_walk(m);
    for (const pvar_t *v; (v = var_next(&w)) != NULL;)
      if (v->space == SP_CONST && v->address && va - v->address < v->bytes) return true;
  }
  return false;
}

void ptx_free(ptx_t *p) {
  if (!p) return;
  for (uint32_t i = 0; i < p->kernels; i++) kernel_free(p->kernel[i]);
  for (pmodule_t *m = p->modules, *next; m; m = next) {
    next = m->next;
    for (pfunc_t *f = m->funcs; f; f = f->next) pcode_free(f->code);
    var_walk_t w = var_walk(m);
    for (const pvar_t *v; (v = var_next(&w)) != NULL;)
      if (v->address) devmem_release(p->mem, v->address, NULL);
    pmodule_free(m);
  }
  ppool_fini(&p->pool);
  free(p->pool_lanes), free(p->func), free(p->kernel), free(p->broken), free(p->texture), free(p);
}

static int decode_module(ptx_t *p, pmodule_t *m, err_t *e) {
  for (pfunc_t *f = m->funcs; f; f = f->next) {
    int r = f->defined ? pcode_decode(f, &p->pool, e) : 0;
    if (r < 0) return r;
  }
  return 0;
}

static bool has_odd_barriers(const pmodule_t *m) {
  for (const pfunc_t *f = m->funcs; f; f = f->next)
    for (uint32_t i = 0; f->code && i < f->code->insts; i++) {
      const dinst_t *in = &f->code->inst[i];
      if (in->op == I_BAR && (in->sub == BAR_ARRIVE || in->guard != OPERAND_NONE)) return true;
    }
  return false;
}

/* Streams have no word for arriving at a barrier without waiting, nor for a barrier that a warp may
 * skip, so the machine cannot count those: where a module has one, all of its barriers are polled.
 */
static void mark_polled(pmodule_t *m) {
  if (!has_odd_barriers(m)) return;
  for (pfunc_t *f = m->funcs; f; f = f->next)
    for (uint32_t i = 0; f->code && i < f->code->insts; i++) {
      dinst_t *in = &f->code->inst[i];
      if (in->op != I_BAR || in->sub == BAR_ARRIVE) continue;
      in->polled = true;
      f->code->row[i].cls = IC_FENCE;
    }
}

static int add_func(ptx_t *p, pfunc_t *f, err_t *e) {
  if (p->funcs == p->func_cap) {
    uint32_t cap = p->func_cap ? 2 * p->func_cap : 32;
    pfunc_t **q = realloc(p->func, cap * sizeof *q);
    if (!q) return err_set(e, GMMU_ENOMEM, "no memory for functions");
    p->func = q, p->func_cap = cap;
  }
  f->index = p->funcs;
  p->func[p->funcs++] = f;
  return 0;
}

int ptx_load(ptx_t *p, const char *name, const char *text, size_t size, err_t *e) {
  pmodule_t *m;
  int r = pmodule_parse(name, text, size, &m, e);
  if (r < 0) return r;
  *p->last_module = m, p->last_module = &m->next;
  m->index = UINT32_MAX; /* failed, until it is not */
  r = decode_module(p, m, e);
  if (r == 0) mark_polled(m);
  if (r == 0) r = check_limits(p, m, e);
  if (r == 0) r = place_vars(p, m, e);
  for (pfunc_t *f = m->funcs; r == 0 && f; f = f->next) r = add_func(p, f, e);
  if (r < 0) return r;
  m->index = p->module_count++;
  count_vars(p, m);
  p->dirty = true;
  return (int)m->index;
}

/* --- linking --- */

static bool module_ok(const pmodule_t *m) { return m->index != UINT32_MAX; }

static pvar_t *find_var(ptx_t *p, const char *name, const pvar_t *not_this) {
  for (pmodule_t *m = p->modules; m; m = m->next)
    for (pvar_t *v = m->vars; module_ok(m) && v; v = v->next)
      if (v != not_this && !v->is_extern && v->visible && !strcmp(v->name, name)) return v;
  return NULL;
}

static pfunc_t *find_func(ptx_t *p, const char *name) {
  for (uint32_t i = 0; i < p->funcs; i++)
    if (p->func[i]->defined && !p->func[i]->is_entry && !strcmp(p->func[i]->name, name))
      return p->func[i];
  return NULL;
}

static void resolve_externs(ptx_t *p) {
  for (pmodule_t *m = p->modules; m; m = m->next)
    for (pvar_t *v = m->vars; module_ok(m) && v; v = v->next)
      if (v->is_extern && !v->dynamic && !v->target) v->target = find_var(p, v->name, v);
  for (uint32_t i = 0; i < p->funcs; i++) {
    pfunc_t *f = p->func[i];
    f->lacks = false;
    if (f->defined || f->target) continue;
    f->target = find_func(p, f->name);
    if (!f->target) f->builtin = builtin_find(f->name);
  }
}

/* cnp...: what a kernel that launches kernels calls. */
static int undefined(const pmodule_t *m, uint32_t line, uint32_t column, const char *what,
                     const char *name, err_t *e) {
  bool launches = strncmp(name, "cnp", 3) == 0 || strncmp(name, "__cuda_syscall_cnp", 18) == 0;
  return ptx_err(e, GMMU_ENOENT, m, line, column, "%s '%s' is used but nowhere defined%s", what,
                 name, launches ? " (a kernel cannot launch kernels here)" : "");
}

/* --- kernels --- */

typedef struct {
  ptx_t *p;
  ptx_kernel_t *k;
  err_t *e;
  uint32_t cap;
  uint32_t mark;
  bool unbounded; /* recursion or indirect calls */
} reach_t;

static int reach(reach_t *r, pcode_t *c);

static int reach_func(reach_t *r, pfunc_t *f) {
  pfunc_t *t = f->target ? f->target : f;
  if (t->builtin) return 0;
  if (!t->code) return undefined(f->module, f->line, f->column, "function", f->name, r->e);
  return reach(r, t->code);
}

static int reach(reach_t *r, pcode_t *c) {
  ptx_kernel_t *k = r->k;
  for (uint32_t i = 0; i < k->codes; i++)
    if (k->code[i] == c) return 0;
  if (k->codes == r->cap) {
    uint32_t cap = r->cap ? 2 * r->cap : 4;
    pcode_t **q = realloc(k->code, cap * sizeof *q);
    if (!q) return err_set(r->e, GMMU_ENOMEM, "no memory for a kernel");
    k->code = q, r->cap = cap;
  }
  k->code[k->codes++] = c;
  return 0;
}

static bool is_undefined(const pvar_t *v) {
  const pvar_t *t = v->target ? v->target : v;
  return t->is_extern && !t->dynamic && t->space != SP_SHARED;
}

static bool mentions(const pcode_t *c, const pconst_t *k) {
  uint32_t operand = OPERAND(SEL_POOL, k->offset);
  for (uint32_t i = 0; i < c->insts; i++)
    for (uint32_t s = 0; s < 4; s++)
      if (c->inst[i].s[s] == operand || c->inst[i].d[s] == operand) return true;
  for (uint32_t i = 0; i < c->calls; i++)
    for (uint32_t n = 0; n < c->call[i].args; n++)
      if (c->call[i].arg[n].kind != 1 && c->call[i].arg[n].place == operand) return true;
  return false;
}

/* Whether all variables that the function mentions are somewhere. */
static int has_variables(const reach_t *r, const pcode_t *c) {
  for (uint32_t i = 0; i < r->p->pool.count; i++) {
    const pconst_t *k = &r->p->pool.item[i];
    if (k->var && is_undefined(k->var) && mentions(c, k))
      return undefined(k->var->module, k->var->line, k->var->column, "variable", k->var->name,
                       r->e);
  }
  return 0;
}

/* Whether the function calls or mentions what is nowhere defined, itself or by those it calls. */
static bool lacks(const reach_t *r, const pfunc_t *f) {
  err_t why;
  reach_t quiet = {.p = r->p, .e = &why};
  if (has_variables(&quiet, f->code) < 0) return true;
  for (uint32_t n = 0; n < f->code->calls; n++) {
    const pfunc_t *c = f->code->call[n].func, *t = c->target ? c->target : c;
    if (!c->is_proto && !t->builtin && (!t->code || t->lacks)) return true;
  }
  return false;
}

static void find_lacking(const reach_t *r) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < r->p->funcs; i++) {
      pfunc_t *f = r->p->func[i];
      if (f->lacks || !f->defined || f->is_entry || !lacks(r, f)) continue;
      f->lacks = again = true;
    }
  }
}

/* Everything the kernel can call, breadth first. Indirect calls may reach every function; those
 * that lack something are left out, and a call of one is a fault. */
static int find_reachable(reach_t *r) {
  int e = reach(r, r->k->func->code);
  for (uint32_t i = 0; e == 0 && i < r->k->codes; i++) {
    const pcode_t *c = r->k->code[i];
    e = has_variables(r, c);
    for (uint32_t n = 0; e == 0 && n < c->calls; n++)
      if (!c->call[n].func->is_proto) e = reach_func(r, c->call[n].func);
    if (!c->indirect) continue;
    if (!r->unbounded) find_lacking(r);
    r->unbounded = true;
    for (uint32_t n = 0; e == 0 && n < r->p->funcs; n++) {
      const pfunc_t *f = r->p->func[n];
      if (f->defined && !f->is_entry && !f->lacks) e = reach(r, f->code);
    }
  }
  return e;
}

typedef struct {
  uint64_t local, param, frame;
} depth_t;

/* The deepest chain of calls from c; visit counts how often c is on the chain. */
static depth_t deepest(reach_t *r, pcode_t *c, uint32_t level) {
  depth_t best = {0, 0, 0};
  if (c->visit || level > 200) {
    r->unbounded = true;
    return best;
  }
  c->visit = 1;
  for (uint32_t n = 0; n < c->calls; n++) {
    pfunc_t *f = c->call[n].func, *t = f->target ? f->target : f;
    if (!t->code) continue;
    depth_t d = deepest(r, t->code, level + 1);
    if (d.local > best.local) best.local = d.local;
    if (d.param > best.param) best.param = d.param;
    if (d.frame > best.frame) best.frame = d.frame;
  }
  c->visit = 0;
  best.local += c->local_bytes, best.param += c->param_bytes;
  best.frame += ((uint64_t)c->frame_bytes + 127) & ~(uint64_t)127;
  return best;
}

static uint8_t shift_number(uint8_t n, uint32_t by) {
  return n < 240 ? (uint8_t)((n + by) % 240) : n;
}

/* The number of a source file among the kernel's own, from 1 on; 0: it has no name, or there is no
 * memory for it. */
static uint32_t file_of(ptx_kernel_t *k, const pmodule_t *m, uint32_t number) {
  const pfile_t *f = m->files;
  while (f && f->number != number) f = f->next;
  if (!f) return 0;
  for (uint32_t i = 0; i < k->files; i++)
    if (strcmp(k->file[i], f->name) == 0) return i + 1;
  const char **more = realloc(k->file, (k->files + 1) * sizeof *more);
  if (!more) return 0;
  k->file = more;
  k->file[k->files++] = f->name;
  return k->files;
}

static inst_where_t where_of(ptx_kernel_t *k, const pcode_t *c, uint32_t i) {
  inst_where_t w = {.line = c->line[i]};
  const pinst_t *in = i < c->func->insts ? &c->func->inst[i] : NULL;
  if (in && in->source) w.file = file_of(k, c->func->module, in->file);
  if (w.file) w.source = in->source;
  return w;
}

/* The static table: the kernel's rows, then those of the functions it reaches, whose registers are
 * numbered behind the kernel's own. */
static int build_rows(ptx_kernel_t *k, err_t *e) {
  uint32_t n = 0, numbers = 0, regs = 0;
  for (uint32_t i = 0; i < k->codes; i++) n += k->code[i]->insts;
  k->row = calloc(n, sizeof *k->row), k->row_base = calloc(k->codes, sizeof *k->row_base);
  k->where = calloc(n, sizeof *k->where);
  if (!k->row || !k->row_base || !k->where)
    return err_set(e, GMMU_ENOMEM, "no memory for the static table");
  n = 0;
  for (uint32_t i = 0; i < k->codes; i++) {
    const pcode_t *c = k->code[i];
    k->row_base[i] = n;
    for (uint32_t j = 0; j < c->insts; j++) {
      inst_t row = c->row[j];
      if (row.dst != REG_NONE) row.dst = shift_number(row.dst, numbers);
      for (uint32_t s = 0; s < 4; s++)
        if (row.src[s] != REG_NONE) row.src[s] = shift_number(row.src[s], numbers);
      if (row.dst != REG_NONE && row.dst < 240 && row.dst + row.dsts > 240)
        row.dsts = (uint8_t)(240 - row.dst);
      k->where[n] = where_of(k, c, j);
      k->row[n++] = row;
    }
    if (i < 2) numbers += c->numbers;
    if (c->regs_per_thread > regs) regs = c->regs_per_thread;
  }
  k->info.insts = n;
  k->info.regs_per_thread = regs < 8     ? 8
                            : regs > 255 ? 255
                                         : regs; /* hardware grants at least some */
  return 0;
}

static int describe_params(ptx_kernel_t *k, err_t *e) {
  const pfunc_t *f = k->func;
  ptx_param_t *q = calloc(f->params + 1, sizeof *q);
  if (!q) return err_set(e, GMMU_ENOMEM, "no memory for a kernel");
  for (uint32_t i = 0; i < f->params; i++) {
    const pvar_t *v = f->param[i];
    q[i] = (ptx_param_t){v->name, (uint32_t)v->address, (uint32_t)v->bytes, v->align};
    k->info.param_bytes = (uint32_t)(v->address + v->bytes);
  }
  k->info.param = q, k->info.params = f->params;
  return 0;
}

static bool is_place(uint32_t sreg) {
  return sreg == SR_SMID || sreg == SR_WARPID || sreg == SR_CLOCK || sreg == SR_CLOCK_HI ||
         sreg == SR_CLOCK64 || sreg == SR_GLOBALTIMER || sreg == SR_GLOBALTIMER_LO ||
         sreg == SR_GLOBALTIMER_HI;
}

static bool reads_place(const pcode_t *c) {
  for (uint32_t i = 0; i < c->insts; i++)
    if (c->inst[i].op == I_SREG && is_place(c->inst[i].sub)) return true;
  for (uint32_t i = 0; i < c->fixes; i++)
    for (uint32_t n = 0; n < c->fix[i].count; n++)
      if (c->fix[i].fix[n].kind == FIX_SREG && is_place(c->fix[i].fix[n].from)) return true;
  return false;
}

static int make_kernel(ptx_t *p, pfunc_t *f, err_t *e) {
  ptx_kernel_t *k = calloc(1, sizeof *k);
  if (!k) return err_set(e, GMMU_ENOMEM, "no memory for a kernel");
  k->program = p, k->func = f;
  k->info.name = f->name, k->info.module = f->module->index, k->info.max_threads = f->max_threads;
  reach_t r = {.p = p, .k = k, .e = e};
  int err = describe_params(k, e);
  if (err == 0) err = find_reachable(&r);
  for (uint32_t i = 0; err == 0 && i < k->codes; i++)
    k->info.reads_place |= reads_place(k->code[i]);
  if (err == 0) err = build_rows(k, e);
  if (err == 0) {
    depth_t d = deepest(&r, f->code, 0);
    uint64_t more = r.unbounded ? RECURSION_BYTES : 0;
    k->local_bytes = d.local + more, k->param_lane_bytes = d.param + more, k->frame_bytes = d.frame;
    k->info.local_bytes = k->local_bytes;
    if (k->local_bytes > LOCAL_LIMIT)
      err = ptx_err(e, GMMU_ERANGE, f->module, f->line, f->column,
                    "a thread of '%s' needs more than %u KB of local memory", f->name,
                    (unsigned)(LOCAL_LIMIT >> 10));
  }
  if (err == 0 && p->kernels == p->kernel_cap) {
    uint32_t cap = p->kernel_cap ? 2 * p->kernel_cap : 16;
    ptx_kernel_t **q = realloc(p->kernel, cap * sizeof *q);
    if (q)
      p->kernel = q, p->kernel_cap = cap;
    else
      err = err_set(e, GMMU_ENOMEM, "no memory for kernels");
  }
  if (err < 0)
    kernel_free(k);
  else
    p->kernel[p->kernels++] = k;
  return err;
}

/* --- shared memory --- */

static pvar_t *shared_of(pvar_t *v) { return v->target ? v->target : v; }

typedef void (*shared_fn)(ptx_kernel_t *k, pvar_t *v, uint64_t *at);
static void each_shared(ptx_kernel_t *k, shared_fn fn, uint64_t *at) {
  for (uint32_t i = 0; i < k->codes; i++)
    for (uint32_t n = 0; n < k->code[i]->shareds; n++) fn(k, shared_of(k->code[i]->shared[n]), at);
}

/* users: 2 per kernel, plus 1 while this kernel has been counted */
static void count_user(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)k, (void)at;
  v->users |= 1;
}
static void settle_user(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)k, (void)at;
  if (v->users & 1) v->users = (v->users & ~(uint64_t)1) + 2;
}
static void clear_user(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)k, (void)at;
  v->users = 0, v->address = UINT64_MAX;
}

static void place_at(pvar_t *v, uint64_t *at) {
  *at = (*at + v->align - 1) & ~(uint64_t)(v->align - 1);
  v->address = *at;
  *at += v->bytes;
}
static void place_common(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)k;
  if (!v->dynamic && v->users > 2 && v->address == UINT64_MAX) place_at(v, at);
}
static void place_own(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)k;
  if (!v->dynamic && v->users == 2 && v->address == UINT64_MAX) place_at(v, at);
}
static void static_end(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)k;
  if (!v->dynamic && v->address + v->bytes > *at) *at = v->address + v->bytes;
}
static void place_dynamic(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)at;
  if (!v->dynamic) return;
  uint64_t align = v->align > 16 ? v->align : 16,
           want = (k->info.shared_bytes + align - 1) & ~(align - 1);
  if (v->address == UINT64_MAX || v->address < want) v->address = want;
}
static void use_dynamic(ptx_kernel_t *k, pvar_t *v, uint64_t *at) {
  (void)at;
  if (v->dynamic && v->address > k->dynamic_at) k->dynamic_at = (uint32_t)v->address;
}

/* Variables of several kernels get one place in all of them, at the bottom; each kernel's own
 * follow; dynamic memory starts behind the largest static part of the kernels that share it. */
static int lay_out_shared(ptx_t *p, err_t *e) {
  uint64_t common = 0;
  for (uint32_t i = 0; i < p->kernels; i++) each_shared(p->kernel[i], clear_user, NULL);
  for (uint32_t i = 0; i < p->kernels; i++) {
    each_shared(p->kernel[i], count_user, NULL);
    each_shared(p->kernel[i], settle_user, NULL);
  }
  for (uint32_t i = 0; i < p->kernels; i++) each_shared(p->kernel[i], place_common, &common);
  for (uint32_t i = 0; i < p->kernels; i++) {
    ptx_kernel_t *k = p->kernel[i];
    uint64_t at = common, end = 0;
    each_shared(k, place_own, &at);
    each_shared(k, static_end, &end);
    if (end > SHARED_LIMIT)
      return err_set(e, GMMU_ERANGE, "kernel '%s' has too much shared memory", k->info.name);
    k->info.shared_bytes = (uint32_t)end;
  }
  for (uint32_t i = 0; i < p->kernels; i++) each_shared(p->kernel[i], place_dynamic, NULL);
  for (uint32_t i = 0; i < p->kernels; i++) {
    p->kernel[i]->dynamic_at = p->kernel[i]->info.shared_bytes;
    each_shared(p->kernel[i], use_dynamic, NULL);
  }
  return 0;
}

/* --- addresses --- */

/* What is nowhere gets 0: kernels that mention it are not there either, so only variables that
 * hold its address can show it. */
static uint64_t address_of(const pvar_t *v, const pfunc_t *f) {
  if (f) return FUNC_ADDRESS((f->target ? f->target : f)->index);
  if (!v || is_undefined(v)) return 0;
  const pvar_t *t = v->target ? v->target : v;
  return t->address == UINT64_MAX ? 0 : t->address;
}

static int fill_pool(ptx_t *p, err_t *e) {
  size_t bytes = (p->pool.bytes + 63u) & ~(size_t)63;
  uint8_t *lanes = aligned_alloc(64, bytes ? bytes : 64);
  if (!lanes) return err_set(e, GMMU_ENOMEM, "no memory for constants");
  free(p->pool_lanes);
  p->pool_lanes = lanes;
  for (uint32_t i = 0; i < p->pool.count; i++) {
    const pconst_t *c = &p->pool.item[i];
    bool dead = (c->var && !module_ok(c->var->module)) || (c->func && !module_ok(c->func->module));
    uint64_t a = address_of(dead ? NULL : c->var, dead ? NULL : c->func) + c->value;
    for (uint32_t l = 0; l < WARP_LANES; l++)
      memcpy(lanes + c->offset + l * c->bytes, &a, c->bytes);
  }
  return 0;
}

static int relocate(ptx_t *p, const pvar_t *v, err_t *e) {
  for (const preloc_t *r = v->reloc; r && v->address; r = r->next) {
    uint64_t a = address_of(r->var, r->func) + r->addend;
    if (r->var && r->generic && r->var->space == SP_SHARED) a += DEVMEM_SHARED_WINDOW;
    int err = devmem_write(p->mem, v->address + r->offset, &a, r->bytes, e);
    if (err < 0) return err;
  }
  return 0;
}

static bool has_kernel(const ptx_t *p, const pfunc_t *f) {
  for (uint32_t i = 0; i < p->kernels; i++)
    if (p->kernel[i]->func == f) return true;
  return false;
}

/* A kernel that lacks something is set aside: the others can run, and what it lacks may be in a
 * module to come. */
static int try_kernel(ptx_t *p, pfunc_t *f, err_t *e) {
  err_t why = {0};
  int r = make_kernel(p, f, &why);
  if (r == 0) return 0;
  struct pbroken *q = r == GMMU_ENOENT ? realloc(p->broken, (p->brokens + 1) * sizeof *q) : NULL;
  if (!q) {
    if (e) *e = why;
    return r;
  }
  p->broken = q;
  q[p->brokens++] = (struct pbroken){f, why};
  return 0;
}

int ptx_link(ptx_t *p, err_t *e) {
  if (!p->dirty) return 0;
  resolve_externs(p);
  int r = 0;
  p->brokens = 0;
  for (uint32_t i = 0; r == 0 && i < p->funcs; i++)
    if (p->func[i]->is_entry && p->func[i]->defined && !has_kernel(p, p->func[i]))
      r = try_kernel(p, p->func[i], e);
  if (r == 0) r = lay_out_shared(p, e);
  if (r == 0) r = fill_pool(p, e);
  for (pmodule_t *m = p->modules; r == 0 && m; m = m->next)
    for (pvar_t *v = m->vars; r == 0 && module_ok(m) && v; v = v->next) r = relocate(p, v, e);
  if (r == 0) p->dirty = false;
  return r;
}

static int reset_vars(ptx_t *p, const pmodule_t *m, err_t *e) {
  var_walk_t w = var_walk(m);
  int r = 0;
  for (const pvar_t *v; r == 0 && (v = var_next(&w)) != NULL;) {
    r = devmem_fill(p->mem, v->address, 0, v->bytes, e);
    if (r == 0 && v->init) r = devmem_write(p->mem, v->address, v->init, v->init_bytes, e);
  }
  return r;
}

int ptx_reset(ptx_t *p, err_t *e) {
  int r = 0;
  for (uint32_t i = 0; i < p->textures; i++) p->texture[i].used = false;
  p->textures_dense = 0;
  for (pmodule_t *m = p->modules; r == 0 && m; m = m->next)
    if (module_ok(m)) r = reset_vars(p, m, e);
  p->dirty = true; /* addresses in variables are written by linking */
  return r;
}

bool ptx_uses_heap(const ptx_t *p) {
  uint32_t plain = builtin_find("malloc"), aligned = builtin_find("__cuda_syscall_aligned_malloc");
  for (uint32_t i = 0; i < p->funcs; i++)
    if (p->func[i]->builtin == plain || p->func[i]->builtin == aligned) return true;
  return false;
}

bool ptx_variable(const ptx_t *p, uint32_t *at, uint64_t *va, uint64_t *bytes, const char **name) {
  uint32_t n = 0;
  if (*at >= p->variables) return false;
  for (const pmodule_t *m = p->modules; m; m = m->next) {
    var_walk_t w = var_walk(m);
    for (const pvar_t *v; module_ok(m) && (v = var_next(&w)) != NULL;) {
      if (n++ < *at) continue;
      *va = v->address, *bytes = v->bytes, *name = v->name, *at = n;
      return true;
    }
  }
  return false;
}

/* --- look-up --- */

const ptx_kernel_t *ptx_kernel(ptx_t *p, int module, const char *name, err_t *e) {
  if (ptx_link(p, e) < 0) return NULL;
  nearest_t n;
  const char *near = NULL;
  nearest_init(&n, name);
  for (uint32_t i = 0; i < p->kernels; i++) {
    ptx_kernel_t *k = p->kernel[i];
    bool here = module < 0 || (uint32_t)module == k->info.module;
    if (here && !strcmp(k->info.name, name)) return k;
    if (here && nearest_offer(&n, k->info.name)) near = k->info.name;
  }
  for (uint32_t i = 0; i < p->brokens; i++) {
    const struct pbroken *b = &p->broken[i];
    if ((module >= 0 && (uint32_t)module != b->func->module->index) || strcmp(b->func->name, name))
      continue;
    if (e) *e = b->why;
    return NULL;
  }
  err_set(e, GMMU_ENOENT, "no kernel '%s'%s%s%s", name, near ? "; did you mean '" : "",
          near ? near : "", near ? "'?" : "");
  return NULL;
}

const ptx_kernel_t *ptx_kernel_at(ptx_t *p, uint32_t i) {
  return ptx_link(p, NULL) == 0 && i < p->kernels ? p->kernel[i] : NULL;
}

const ptx_kernel_info_t *ptx_kernel_info(const ptx_kernel_t *k) { return &k->info; }

int ptx_symbol(ptx_t *p, int module, const char *name, uint64_t *va, uint64_t *bytes, err_t *e) {
  int r = ptx_link(p, e);
  if (r < 0) return r;
  for (pmodule_t *m = p->modules; m; m = m->next) {
    if (!module_ok(m) || (module >= 0 && m->index != (uint32_t)module)) continue;
    for (pvar_t *v = m->vars; v; v = v->next) {
      const pvar_t *t = v->target ? v->target : v;
      if (strcmp(v->name, name) || t->is_extern || (t->space != SP_GLOBAL && t->space != SP_CONST))
        continue;
      *va = t->address, *bytes = t->bytes;
      return 0;
    }
  }
  return err_set(e, GMMU_ENOENT, "no variable '%s'", name);
}
