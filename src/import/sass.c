/* The table is sass.def, sorted by name and searched by halves; a program's own opcodes are kept in
 * a hash table, so that the search and the modifiers are looked at once each. */
#include "import/sass.h"
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint8_t cls, space;
} table[] = {
#define OP(n, c, s) {#n, c, s},
#include "import/sass.def"
#undef OP
};

static int compare(const char *text, size_t size, const char *name) {
  int c = strncmp(text, name, size);
  return c ? c : -(name[size] != 0);
}

static bool find(const char *text, size_t size, sass_op_t *out) {
  size_t low = 0, high = sizeof table / sizeof *table;
  while (low < high) {
    size_t mid = (low + high) / 2;
    int c = compare(text, size, table[mid].name);
    if (c == 0) {
      out->cls = table[mid].cls, out->space = table[mid].space;
      return true;
    }
    if (c < 0)
      high = mid;
    else
      low = mid + 1;
  }
  return false;
}

/* ---- modifiers ---- */

static bool is(const char *text, size_t size, const char *word) {
  return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Bits a modifier such as 64, U8, S16 or F32 names; 0 if it names none. */
static uint32_t bits(const char *text, size_t size) {
  uint32_t v = 0;
  if (size && strchr("USFB", *text)) text++, size--;
  if (!size || size > 3) return 0;
  for (; size; text++, size--) {
    if (*text < '0' || *text > '9') return 0;
    v = v * 10 + (uint32_t)(*text - '0');
  }
  return v;
}

static void set_width(sass_op_t *o, uint32_t n) {
  uint32_t bytes = (n + 7) / 8;
  o->width = 1;
  while (o->width < bytes && o->width < 16) o->width = (uint8_t)(o->width * 2);
  o->odd_width = o->width * 8u != n;
}

static bool is_memory(uint8_t cls) { return cls == IC_LOAD || cls == IC_STORE || cls == IC_ATOMIC; }

/* LDSM.16.M88.4: each lane gives the address of a row of 16 bytes, and gets a register of each of
 * the 1, 2 or 4 matrices. */
static void set_matrix(sass_op_t *o, const char *text, size_t size) {
  o->width = 16, o->odd_width = false;
  o->results =
      (uint8_t)(size && (text[size - 1] == '4' || text[size - 1] == '2') ? text[size - 1] - '0'
                                                                         : 1);
}

/* On GPUs whose multiplier is a unit of its own; an XMAD of Maxwell and Pascal, a third of a
 * product, takes as long as other integers. */
static bool multiplies(const char *text, size_t size) {
  size_t uniform = size && *text == 'U';
  text += uniform, size -= uniform;
  return size >= 4 && (is(text, 4, "IMAD") || is(text, 4, "IMUL"));
}

void sass_decode(const char *text, size_t size, sass_op_t *out) {
  const char *end = text + size, *dot = memchr(text, '.', size);
  const char *stop = dot ? dot : end;
  bool strong = false;
  *out = (sass_op_t){.cls = IC_INT};
  out->known = find(text, (size_t)(stop - text), out);
  for (const char *p = stop; p < end; p = stop) {
    p++;
    dot = memchr(p, '.', (size_t)(end - p));
    stop = dot ? dot : end;
    size_t n = (size_t)(stop - p);
    if (is_memory(out->cls) && !out->width && bits(p, n)) set_width(out, bits(p, n));
    if (is(p, n, "CG") || is(p, n, "CV") || (strong && (is(p, n, "GPU") || is(p, n, "SYS"))))
      out->flags |= INST_BYPASS_L1;
    strong = is(p, n, "STRONG");
    /* A warp that only arrives at a barrier does not wait there. */
    if (out->cls == IC_BARRIER && is(p, n, "ARV")) out->cls = IC_INT;
  }
  if (is_memory(out->cls) && !out->width) out->width = 4;
  if (size > 4 && (is(text, 4, "LDSM") || is(text, 4, "STSM")) && text[4] == '.')
    set_matrix(out, text, size);
  if (!is_memory(out->cls)) out->flags = 0;
  if (out->cls == IC_INT && multiplies(text, size)) out->flags = INST_MULTIPLY;
}

/* ---- opcodes of a program ---- */

#define FIRST_SLOTS 512u

static uint32_t hash(const char *text, uint32_t size) {
  uint64_t h = size;
  for (uint32_t i = 0; i < size; i++) h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
  return (uint32_t)(h ^ h >> 29);
}

int sass_ops_init(sass_ops_t *s, err_t *e) {
  *s = (sass_ops_t){.capacity = FIRST_SLOTS / 2, .mask = FIRST_SLOTS - 1};
  s->at = calloc(s->capacity, sizeof *s->at);
  s->slot = calloc(FIRST_SLOTS, sizeof *s->slot);
  if (s->at && s->slot) return GMMU_OK;
  sass_ops_fini(s);
  return err_set(e, GMMU_ENOMEM, "out of memory for opcodes");
}

void sass_ops_fini(sass_ops_t *s) {
  free(s->at);
  free(s->slot);
  *s = (sass_ops_t){0};
}

static uint32_t *slot_of(const sass_ops_t *s, const char *text, uint32_t size) {
  uint32_t i = hash(text, size) & s->mask;
  for (; s->slot[i]; i = (i + 1) & s->mask) {
    const char *name = s->at[s->slot[i] - 1].name;
    if (memcmp(name, text, size) == 0 && !name[size]) break;
  }
  return &s->slot[i];
}

static bool grow(sass_ops_t *s) {
  uint32_t mask = s->mask * 2 + 1, *slot = calloc(mask + 1ull, sizeof *slot);
  sass_entry_t *at = slot ? realloc(s->at, s->capacity * 2ull * sizeof *at) : NULL;
  if (!at) {
    free(slot);
    return false;
  }
  free(s->slot);
  s->at = at, s->slot = slot, s->mask = mask, s->capacity *= 2;
  for (uint32_t k = 0; k < s->count; k++)
    *slot_of(s, at[k].name, (uint32_t)strlen(at[k].name)) = k + 1;
  return true;
}

sass_entry_t *sass_ops_get(sass_ops_t *s, const char *text, uint32_t size, int *rc) {
  *rc = GMMU_EFORMAT;
  if (size > SASS_MAX_NAME) return NULL;
  uint32_t *slot = slot_of(s, text, size);
  if (*slot) return &s->at[*slot - 1];
  *rc = GMMU_ERANGE;
  if (s->count == SASS_MAX_OPS) return NULL;
  *rc = GMMU_ENOMEM;
  if (s->count == s->capacity) {
    if (!grow(s)) return NULL;
    slot = slot_of(s, text, size);
  }
  sass_entry_t *x = &s->at[s->count];
  *x = (sass_entry_t){.count = 0};
  memcpy(x->name, text, size);
  sass_decode(text, size, &x->op);
  *slot = ++s->count;
  return x;
}
