/* Invariants: ranges are disjoint and in order of address; every row number in them, in sites and
 * in kernels is below the number of rows. A freed allocation's ranges go to no row (array 0), and
 * are cleared away when there are many. */
#include "observe/origins.h"
#include <stdlib.h>
#include <string.h>

/* Room for `want` elements in an array that grows; new ones are zeroed. */
static bool grow(void *list, uint32_t *room, uint32_t want, size_t size) {
  if (want <= *room) return true;
  uint32_t more = *room ? *room : 16;
  while (more < want) more *= 2;
  char *p = realloc(*(void **)list, more * size);
  if (!p) return false;
  memset(p + *room * size, 0, (more - *room) * size);
  memcpy(list, &p, sizeof p);
  *room = more;
  return true;
}
#define GROW(list, room, want) grow(&(list), &(room), want, sizeof *(list))

int origins_init(origins_t *o) {
  *o = (origins_t){0};
  if (!GROW(o->array, o->array_room, 1) || !GROW(o->site, o->site_room, 1)) return GMMU_ENOMEM;
  o->arrays = o->sites = 1;
  return GMMU_OK;
}

void origins_fini(origins_t *o) {
  for (uint32_t i = 0; i < o->arrays; i++) free(o->array[i].name);
  for (uint32_t k = 0; k < o->kernels; k++) {
    origin_kernel_t *x = &o->kernel[k];
    for (uint32_t f = 0; f < x->files; f++) free(x->file[f]);
    free(x->name), free(x->where), free(x->file), free(x->site);
  }
  free(o->array), free(o->site), free(o->kernel), free(o->range);
}

/* ---- arrays ---- */

/* The row of a name; of an allocation without one, that of the same place in the program. */
static uint32_t find_array(const origins_t *o, const char *name, uint32_t number, uint64_t bytes) {
  for (uint32_t i = 1; i < o->arrays; i++) {
    const origin_array_t *a = &o->array[i];
    if (name ? a->name && strcmp(a->name, name) == 0
             : !a->name && a->number == number && a->bytes == bytes)
      return i;
  }
  return 0;
}

/* 0 also if there are too many. */
static int array_row(origins_t *o, const char *name, uint64_t bytes, bool host, uint32_t *row) {
  *row = find_array(o, name, o->number, bytes);
  if (!*row && o->arrays < ORIGIN_ARRAYS) {
    if (!GROW(o->array, o->array_room, o->arrays + 1)) return GMMU_ENOMEM;
    origin_array_t a = {.number = o->number, .host = host, .name = name ? strdup(name) : NULL};
    if (name && !a.name) return GMMU_ENOMEM;
    o->array[ *row = o->arrays++] = a;
  }
  origin_array_t *a = &o->array[*row];
  if (bytes > a->bytes) a->bytes = bytes;
  a->allocations++;
  return GMMU_OK;
}

/* ---- ranges ---- */

/* The first range that ends behind `va`; o->ranges if none does. */
static uint32_t range_at(const origins_t *o, uint64_t va) {
  uint32_t low = 0, high = o->ranges;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (o->range[mid].high > va)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

/* `count` new ranges take the place of those from `at` up to `end`. */
static int splice(origins_t *o, uint32_t at, uint32_t end, const origin_range_t *new,
                  uint32_t count) {
  uint32_t ranges = o->ranges - (end - at) + count;
  if (!GROW(o->range, o->range_room, ranges)) return GMMU_ENOMEM;
  memmove(&o->range[at + count], &o->range[end], (o->ranges - end) * sizeof *o->range);
  memcpy(&o->range[at], new, count * sizeof *new);
  o->ranges = ranges;
  return GMMU_OK;
}

/* What sites remember may not be so any more. */
static void forget_places(origins_t *o) {
  for (uint32_t i = 0; i < o->sites; i++) o->site[i].size = 0;
}

/* What `r` covers is its own; what sticks out of the ranges it cuts stays theirs. */
static int put_range(origins_t *o, const origin_range_t *r) {
  origin_range_t new[3];
  uint32_t at = range_at(o, r->low), end = at, n = 0;
  while (end < o->ranges && o->range[end].low < r->high) end++;
  if (end > at && o->range[at].low < r->low) {
    new[n] = o->range[at];
    new[n++].high = r->low;
  }
  new[n++] = *r;
  if (end > at && o->range[end - 1].high > r->high) {
    new[n] = o->range[end - 1];
    new[n++].low = r->high;
  }
  if (end > at) forget_places(o);
  return splice(o, at, end, new, n);
}

static void release(origins_t *o, uint64_t va) {
  uint32_t kept = 0;
  for (uint32_t i = range_at(o, va); i < o->ranges && o->range[i].base == va; i++, o->dead++)
    o->range[i].array = 0;
  forget_places(o);
  if (2 * o->dead <= o->ranges) return;
  for (uint32_t i = 0; i < o->ranges; i++)
    if (o->range[i].array) o->range[kept++] = o->range[i];
  o->ranges = kept;
  o->dead = 0;
}

static int allocate(origins_t *o, const command_t *c) {
  uint32_t row;
  o->number++;
  if (!c->bytes || c->va + c->bytes < c->va) return GMMU_OK;
  int rc = array_row(o, c->name, c->bytes, c->kind == CMD_ALLOC_HOST, &row);
  if (rc < 0 || !row) return rc;
  return put_range(o, &(origin_range_t){c->va, c->va + c->bytes, c->va, row});
}

/* Only memory that is allocated has a name. */
static int name(origins_t *o, const command_t *c) {
  uint32_t i = range_at(o, c->va), row;
  if (i == o->ranges || o->range[i].low > c->va || !c->name) return GMMU_OK;
  uint64_t base = o->range[i].base, low = c->va, high = c->va + c->bytes, end = i;
  if (!c->bytes) {
    while (i && o->range[i - 1].base == base && o->range[i - 1].array) i--;
    low = o->range[i].low;
  }
  while (end + 1 < o->ranges && o->range[end + 1].base == base) end++;
  if (!c->bytes || high < low || high > o->range[end].high) high = o->range[end].high;
  int rc = array_row(o, c->name, high - low, o->array[o->range[i].array].host, &row);
  if (rc < 0 || !row) return rc;
  return put_range(o, &(origin_range_t){low, high, base, row});
}

/* ---- kernels ---- */

static bool accesses_memory(const inst_t *i) {
  return (i->cls == IC_LOAD || i->cls == IC_STORE || i->cls == IC_ATOMIC) &&
         i->space <= SPACE_TEXTURE;
}

static inst_where_t where_of(const launch_t *l, uint32_t i) {
  inst_where_t w = l->where ? l->where[i] : (inst_where_t){.line = l->inst[i].line};
  if (w.file > l->files) w.file = w.source = 0;
  return w;
}

/* Kernels of one name may be several: their tables differ. */
static bool same_kernel(const origin_kernel_t *k, const launch_t *l) {
  if (k->insts != l->inst_count || k->files != l->files || strcmp(k->name, l->name) != 0)
    return false;
  for (uint32_t i = 0; i < k->insts; i++) {
    inst_where_t w = where_of(l, i);
    if (memcmp(&w, &k->where[i], sizeof w) != 0 || accesses_memory(&l->inst[i]) != (k->site[i] > 0))
      return false;
  }
  return true;
}

static bool copy_files(origin_kernel_t *k, const launch_t *l) {
  for (; k->files < l->files; k->files++)
    if (!(k->file[k->files] = strdup(l->file[k->files]))) return false;
  return true;
}

static int add_kernel(origins_t *o, const launch_t *l) {
  if (!GROW(o->kernel, o->kernel_room, o->kernels + 1)) return GMMU_ENOMEM;
  origin_kernel_t *k = &o->kernel[o->kernels++];
  *k = (origin_kernel_t){.insts = l->inst_count, .machine = l->machine != 0};
  k->name = strdup(l->name);
  k->where = calloc(l->inst_count + 1u, sizeof *k->where);
  k->site = calloc(l->inst_count + 1u, sizeof *k->site);
  k->file = calloc(l->files + 1u, sizeof *k->file);
  if (!k->name || !k->where || !k->site || !k->file || !copy_files(k, l)) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < l->inst_count; i++) {
    k->where[i] = where_of(l, i);
    if (!accesses_memory(&l->inst[i])) continue;
    if (!GROW(o->site, o->site_room, o->sites + 1)) return GMMU_ENOMEM;
    o->site[o->sites] = (origin_site_t){.kernel = o->kernels - 1, .inst = i};
    k->site[i] = o->sites++;
  }
  return GMMU_OK;
}

static int launch(origins_t *o, const launch_t *l) {
  uint32_t k = 0;
  while (k < o->kernels && !same_kernel(&o->kernel[k], l)) k++;
  int rc = k == o->kernels ? add_kernel(o, l) : GMMU_OK;
  if (rc < 0) return rc;
  o->kernel[k].launches++;
  o->sites_of[l->place] = o->kernel[k].site;
  return GMMU_OK;
}

int origins_command(origins_t *o, const command_t *c) {
  switch ((command_kind_t)c->kind) {
  case CMD_ALLOC:
  case CMD_ALLOC_HOST: return allocate(o, c);
  case CMD_FREE: release(o, c->va); return GMMU_OK;
  case CMD_NAME: return name(o, c);
  case CMD_LAUNCH: return launch(o, &c->launch);
  case CMD_COPY_IN:
  case CMD_COPY_OUT:
  case CMD_COLOURS:
  case CMD_END: break;
  }
  return GMMU_OK;
}

void origins_restart(origins_t *o) {
  o->ranges = o->number = o->dead = 0;
  forget_places(o);
}

/* A site keeps the arrays with the lowest numbers, so the order of accesses within a cycle does
 * not matter. */
static void remember(origin_site_t *s, uint32_t array) {
  uint32_t i = 0;
  while (i < SITE_ARRAYS && s->seen[i] && s->seen[i] < array) i++;
  if (i < SITE_ARRAYS && s->seen[i] == array) return;
  s->more |= s->seen[SITE_ARRAYS - 1] != 0;
  for (uint32_t k = SITE_ARRAYS - 1; k > i; k--) s->seen[k] = s->seen[k - 1];
  if (i < SITE_ARRAYS) s->seen[i] = array;
}

uint32_t origins_find(origins_t *o, origin_site_t *s, uint64_t va) {
  uint32_t i = range_at(o, va);
  if (i == o->ranges || o->range[i].low > va || !o->range[i].array) return 0;
  const origin_range_t *r = &o->range[i];
  s->low = r->low;
  s->size = r->high - r->low;
  s->array = r->array;
  if (s != o->site) remember(s, r->array);
  return r->array;
}
