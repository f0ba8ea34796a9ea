/* Static tables: `inst_count` rows of 12 bytes and a sparse list of jump targets.
 *
 * Invariant of jump[]: an entry is set once, to the first successor of that instruction that was
 * not the following one, and never changes. So a table written at the end of a recording explains
 * the records coded before, and a reader needs no per-warp memory of branches. */
#include "trace/gmt_table.h"
#include <stdlib.h>

#define FIXED_BYTES 12 /* name bytes, rows, jumps */
#define MORE_BYTES  12 /* version 2: places (none, or one a row), files, bytes of their names */
#define JUMP_BYTES  8

static bool width_ok(uint32_t w) { return w == 1 || w == 2 || w == 4 || w == 8 || w == 16; }

const char *gmt_inst_flaw(const inst_t *i) {
  if (i->cls >= IC_COUNT) return "unknown instruction class";
  if (inst_is_mem(i)) {
    if (i->space >= SPACE_COUNT) return "unknown memory space";
    if (!width_ok(i->width)) return "access width is not 1, 2, 4, 8 or 16";
  }
  if (i->dst == REG_NONE) return i->dsts ? "destination count without destination" : NULL;
  if (i->dsts < 1 || i->dsts > 4) return "destination count not 1..4";
  if (i->dst + i->dsts > REG_NONE) return "destination registers beyond 254";
  return NULL;
}

const char *gmt_dims_flaw(const launch_t *l) {
  uint64_t blocks = 1, threads = 1;
  for (int i = 0; i < 3; i++) {
    if (l->grid[i] < 1 || l->grid[i] > GMT_MAX_BLOCKS) return "grid dimension out of range";
    if (l->block[i] < 1 || l->block[i] > GMT_MAX_WARPS * WARP_LANES)
      return "block dimension out of range";
    blocks *= l->grid[i], threads *= l->block[i];
    if (blocks > GMT_MAX_BLOCKS) return "too many blocks";
    if (threads > GMT_MAX_WARPS * WARP_LANES) return "more than 2048 threads in a block";
  }
  return NULL;
}

const char *gmt_launch_flaw(const launch_t *l) {
  if (l->inst_count > GMT_MAX_INSTS) return "more than 1048576 instructions";
  if (!l->inst_count || !l->inst) return "no instructions";
  return gmt_dims_flaw(l);
}

int gmt_table_init(table_t *t, uint32_t name_bytes, uint32_t count) {
  memset(t, 0, sizeof *t);
  t->inst_count = count;
  t->name = calloc(1, (size_t)name_bytes + 1);
  t->inst = calloc((size_t)count + 1, sizeof *t->inst);
  t->jump = malloc(((size_t)count + 1) * sizeof *t->jump);
  t->slot = calloc(1, (size_t)count + 1);
  t->plain = calloc((size_t)count + 1, sizeof *t->plain);
  if (!t->name || !t->inst || !t->jump || !t->slot || !t->plain) {
    gmt_table_fini(t);
    return GMMU_ENOMEM;
  }
  for (uint32_t i = 0; i <= count; i++) t->jump[i] = JUMP_NONE;
  return GMMU_OK;
}

void gmt_table_fini(table_t *t) {
  free(t->name), free(t->inst), free(t->jump), free(t->slot), free(t->plain);
  free(t->where), free(t->file_text), free(t->file);
  memset(t, 0, sizeof *t);
}

void gmt_table_number(table_t *t) {
  uint32_t mems = 0;
  memset(t->init, 0, sizeof t->init);
  for (uint32_t i = 0; i < t->inst_count; i++) {
    if (!inst_is_mem(&t->inst[i])) continue;
    t->slot[i] = (uint8_t)(mems % PRED_MAX);
    /* Neighbouring lanes usually access neighbouring elements. */
    if (mems < PRED_MAX) t->init[mems].stride = t->inst[i].width;
    mems++;
  }
  t->preds = 1;
  while (t->preds < mems && t->preds < PRED_MAX) t->preds *= 2;
  for (uint32_t i = t->inst_count; i-- > 0;) {
    bool plain = i + 1 < t->inst_count && inst_is_plain(&t->inst[i]);
    t->plain[i] = !plain ? 0 : t->plain[i + 1] < 255 ? t->plain[i + 1] + 1 : 255;
  }
}

static uint32_t jumps(const table_t *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->inst_count; i++) n += t->jump[i] != JUMP_NONE;
  return n;
}

/* ---- where instructions were written ---- */

static uint64_t file_bytes(const table_t *t) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < t->files; i++) n += strlen(t->file[i]) + 1;
  return n;
}
static uint32_t places(const table_t *t) { return t->where ? t->inst_count : 0; }

/* The names of `files` files are in file_text, each with its NUL. */
static int find_files(table_t *t, uint32_t files) {
  t->file = calloc(files + 1u, sizeof *t->file);
  if (!t->file) return GMMU_ENOMEM;
  const char *name = t->file_text;
  for (; t->files < files; t->files++, name += strlen(name) + 1) t->file[t->files] = name;
  return GMMU_OK;
}

int gmt_table_places(table_t *t, const launch_t *l) {
  if (!l->where) return GMMU_OK;
  uint32_t files = l->files < GMT_MAX_FILES ? l->files : GMT_MAX_FILES;
  size_t bytes = 0;
  for (uint32_t i = 0; i < files; i++) bytes += strlen(l->file[i]) + 1;
  t->where = calloc((size_t)t->inst_count + 1, sizeof *t->where);
  t->file_text = calloc(1, bytes + 1);
  if (!t->where || !t->file_text) return GMMU_ENOMEM;
  char *to = t->file_text;
  for (uint32_t i = 0; i < files; i++) to = stpcpy(to, l->file[i]) + 1;
  for (uint32_t i = 0; i < t->inst_count; i++) {
    t->where[i] = l->where[i];
    if (l->where[i].file > files) t->where[i].file = t->where[i].source = 0;
  }
  return find_files(t, files);
}

uint64_t gmt_table_bytes(const table_t *t) {
  return FIXED_BYTES + MORE_BYTES + strlen(t->name) + (uint64_t)t->inst_count * GMT_INST_BYTES +
         (uint64_t)jumps(t) * JUMP_BYTES + (uint64_t)places(t) * GMT_WHERE_BYTES + file_bytes(t);
}

static uint8_t *put_inst(uint8_t *p, const inst_t *i) {
  const uint8_t row[10] = {i->cls,  i->space,  i->width,  i->flags,  i->dst,
                           i->dsts, i->src[0], i->src[1], i->src[2], i->src[3]};
  memcpy(p, row, sizeof row);
  return put16(p + sizeof row, i->line);
}

static void get_inst(const uint8_t *p, inst_t *i) {
  *i = (inst_t){p[0], p[1], p[2], p[3], p[4], p[5], {p[6], p[7], p[8], p[9]}, 0};
  i->line = (uint16_t)get16(p + 10);
}

void gmt_table_write(const table_t *t, uint8_t *p) {
  size_t name = strlen(t->name);
  p = put32(p, (uint32_t)name);
  p = put32(p, t->inst_count);
  p = put32(p, jumps(t));
  p = put32(put32(put32(p, places(t)), t->files), (uint32_t)file_bytes(t));
  memcpy(p, t->name, name);
  p += name;
  for (uint32_t i = 0; i < t->inst_count; i++) p = put_inst(p, &t->inst[i]);
  for (uint32_t i = 0; i < t->inst_count; i++)
    if (t->jump[i] != JUMP_NONE) p = put32(put32(p, i), t->jump[i]);
  for (uint32_t i = 0; i < places(t); i++)
    p = put32(put32(put32(p, t->where[i].line), t->where[i].file), t->where[i].source);
  for (uint32_t i = 0; i < t->files; i++) p = (uint8_t *)stpcpy((char *)p, t->file[i]) + 1;
}

static const char *read_rows(table_t *t, const uint8_t *p, uint64_t *at) {
  for (uint32_t i = 0; i < t->inst_count; i++, *at += GMT_INST_BYTES) {
    get_inst(p + *at, &t->inst[i]);
    const char *flaw = gmt_inst_flaw(&t->inst[i]);
    if (flaw) return flaw;
  }
  return NULL;
}

static const char *read_jumps(table_t *t, const uint8_t *p, uint32_t n, uint64_t *at) {
  for (uint32_t i = 0; i < n; i++, *at += JUMP_BYTES) {
    uint32_t from = get32(p + *at), to = get32(p + *at + 4);
    if (from >= t->inst_count || to >= t->inst_count) return "jump outside the table";
    t->jump[from] = to;
  }
  return NULL;
}

static const char *read_places(table_t *t, const uint8_t *p, uint32_t files, uint64_t *at) {
  for (uint32_t i = 0; i < t->inst_count; i++, *at += GMT_WHERE_BYTES) {
    t->where[i] = (inst_where_t){get32(p + *at), get32(p + *at + 4), get32(p + *at + 8)};
    if (t->where[i].file > files) return "instruction of a source file that is not there";
  }
  return NULL;
}

/* Exactly so many names end in so many bytes. */
static const char *names_flaw(const uint8_t *p, uint64_t bytes, uint32_t files) {
  uint64_t ends = 0;
  for (uint64_t i = 0; i < bytes; i++) ends += !p[i];
  return ends != files || (bytes && p[bytes - 1]) ? "names of source files" : NULL;
}

typedef struct {
  uint32_t name, rows, jumps, places, files, file_bytes;
  uint64_t fixed;
} sizes_t;

static const char *read_sizes(sizes_t *s, const uint8_t *p, uint64_t bytes, uint32_t version) {
  *s = (sizes_t){.fixed = version > 1 ? FIXED_BYTES + MORE_BYTES : FIXED_BYTES};
  if (bytes < s->fixed) return "table too short";
  s->name = get32(p), s->rows = get32(p + 4), s->jumps = get32(p + 8);
  if (version > 1)
    s->places = get32(p + 12), s->files = get32(p + 16), s->file_bytes = get32(p + 20);
  if (s->rows > GMT_MAX_INSTS) return "too many instructions in a table";
  if (s->files > GMT_MAX_FILES) return "too many source files of a table";
  if (s->places && s->places != s->rows) return "places of some instructions only";
  if (s->fixed + s->name + (uint64_t)s->rows * GMT_INST_BYTES + (uint64_t)s->jumps * JUMP_BYTES +
          (uint64_t)s->places * GMT_WHERE_BYTES + s->file_bytes !=
      bytes)
    return "table size does not match its counts";
  return NULL;
}

static int allocate(table_t *t, const sizes_t *s) {
  if (gmt_table_init(t, s->name, s->rows) < 0) return GMMU_ENOMEM;
  if (s->places) t->where = calloc((size_t)s->places + 1, sizeof *t->where);
  t->file_text = calloc(1, (size_t)s->file_bytes + 1);
  return (s->places && !t->where) || !t->file_text ? GMMU_ENOMEM : GMMU_OK;
}

int gmt_table_read(table_t *t, const uint8_t *p, uint64_t bytes, uint32_t version, const char **why,
                   uint64_t *at) {
  sizes_t s;
  memset(t, 0, sizeof *t);
  *at = 0;
  if ((*why = read_sizes(&s, p, bytes, version))) return GMMU_EFORMAT;
  *why = "table";
  int rc = allocate(t, &s);
  if (rc == 0) {
    memcpy(t->name, p + s.fixed, s.name);
    *at = s.fixed + s.name;
    *why = read_rows(t, p, at);
    if (!*why) *why = read_jumps(t, p, s.jumps, at);
    if (!*why && s.places) *why = read_places(t, p, s.files, at);
    if (!*why) *why = names_flaw(p + *at, s.file_bytes, s.files);
    if (*why) rc = GMMU_EFORMAT;
  }
  if (rc == 0) {
    memcpy(t->file_text, p + *at, s.file_bytes);
    rc = find_files(t, s.files);
  }
  if (rc < 0)
    gmt_table_fini(t);
  else
    gmt_table_number(t);
  return rc;
}
