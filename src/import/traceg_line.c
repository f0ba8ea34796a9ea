/* An instruction, left to right: docs/import.md has the grammar.
 *
 * Invariant: what is handed out can be written to a .gmt file: lane addresses have 48 bits. */
#include "import/traceg_line.h"
#include "import/bulk.h"
#include "import/scan.h"
#include <string.h>

#define WINDOW_BYTES (1ull << 24) /* of shared and local memory among generic addresses */

int traceg_wrong(const traceg_t *t, err_t *e, const char *what, const char *at) {
  return text_wrong(t->text, e, "expected %s at \"%.40s\"", what, at);
}

/* R0 .. R254, or REG_NONE: for R255, and for what is no register of that kind. */
static uint8_t reg_of(const traceg_t *t, const char *word, uint32_t size) {
  char *p = (char *)(uintptr_t)word + 1;
  uint64_t v;
  if (*word == 'R' && scan_number(&p, 10, &v) && p == word + size && v <= 255) return (uint8_t)v;
  if (*word == 'R') note_add(t->notes, NOTE_REGISTER, t->text);
  return REG_NONE; /* UR4, P0: not followed */
}

/* `count` registers; the first `most` that are not R255 go to reg[]; returns how many did. */
static int registers(traceg_t *t, char **p, uint8_t reg[], uint32_t most, uint32_t *used,
                     uint32_t *given, err_t *e) {
  uint64_t count;
  *used = 0;
  if (!scan_number(p, 10, &count) || count > 64)
    return traceg_wrong(t, e, "a number of registers", *p);
  *given = (uint32_t)count;
  for (; count; count--) {
    char *word;
    uint32_t size;
    if (!scan_word(p, &word, &size)) return traceg_wrong(t, e, "a register", *p);
    uint8_t r = reg_of(t, word, size);
    if (r != REG_NONE && *used < most) reg[(*used)++] = r;
  }
  return GMMU_OK;
}

static int results(traceg_t *t, char **p, inst_t *row, uint32_t *given, err_t *e) {
  uint8_t reg[8];
  uint32_t used;
  int rc = registers(t, p, reg, 8, &used, given, e);
  if (rc < 0 || !used) return rc;
  row->dst = reg[0], row->dsts = 1;
  while (row->dsts < used && row->dsts < 4 && reg[row->dsts] == reg[0] + row->dsts) row->dsts++;
  if (row->dsts < used) note_add(t->notes, NOTE_RESULTS, t->text);
  return GMMU_OK;
}

static int sources(traceg_t *t, char **p, inst_t *row, uint32_t *given, err_t *e) {
  uint32_t used;
  int rc = registers(t, p, row->src, 4, &used, given, e);
  if (rc == 0 && *given > 4) note_add(t->notes, NOTE_SOURCES, t->text);
  return rc;
}

static int opcode(traceg_t *t, char *word, uint32_t size, sass_op_t *op, err_t *e) {
  int rc;
  sass_entry_t *x = sass_ops_get(t->ops, word, size, &rc);
  if (!x && rc == GMMU_EFORMAT)
    return text_wrong(t->text, e, "an opcode of %u characters: %.20s...", size, word);
  if (!x && rc == GMMU_ERANGE)
    return text_wrong(t->text, e, "more than %u different opcodes", SASS_MAX_OPS);
  if (!x) return err_set(e, rc, "out of memory for opcodes");
  x->count += t->count;
  *op = x->op;
  return GMMU_OK;
}

/* ---- what stands in front ---- */

static bool skip_words(char **p, uint64_t count) {
  char *word;
  uint32_t size;
  for (; count; count--)
    if (!scan_word(p, &word, &size)) return false;
  return true;
}

static bool upper(char c) { return c >= 'A' && c <= 'Z'; }

bool traceg_fits(char *p, uint32_t front) {
  uint64_t v, mask, count;
  char *word;
  uint32_t size;
  if (!skip_words(&p, front) || !scan_number(&p, 16, &v) || !scan_number(&p, 16, &mask) ||
      mask > UINT32_MAX || !scan_number(&p, 10, &count) || count > 64)
    return false;
  for (; count; count--)
    if (!scan_word(&p, &word, &size) || !upper(*word)) return false;
  return scan_word(&p, &word, &size) && upper(*word) && scan_number(&p, 10, &v);
}

/* The first instruction of a file tells whether block and warp stand in front of all (they should
 * below version 3), and the SM (a tracer can be told so, and says it nowhere). */
static void find_shape(traceg_t *t, char *p) {
  static const uint32_t core[] = {0, 2, 0, 2};
  uint32_t line = t->header.line_info;
  t->shaped = true;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t ids = k < 2 ? t->ids : 4 - t->ids;
    if (!traceg_fits(p, ids + core[k] + line)) continue;
    if (ids != t->ids && t->versioned) note_add(t->notes, NOTE_FRONT, t->text);
    if (core[k]) note_add(t->notes, NOTE_CORE, t->text);
    t->ids = ids, t->core = core[k];
    return;
  }
}

/* The block and warp that the line belongs to. */
static int owner(traceg_t *t, char **p, err_t *e) {
  bool same = true;
  for (int i = 0; i < 4; i++) {
    uint64_t v;
    if (!scan_number(p, 10, &v)) return traceg_wrong(t, e, "the block and warp in front", *p);
    same &= v == (i < 3 ? t->xyz[i] : t->warp);
  }
  if (!same) note_add(t->notes, NOTE_OWNER, t->text);
  return GMMU_OK;
}

static int front(traceg_t *t, char **p, uint64_t *line, err_t *e) {
  if (!t->shaped) find_shape(t, *p);
  int rc = t->ids ? owner(t, p, e) : GMMU_OK;
  if (rc < 0) return rc;
  if (!skip_words(p, t->core)) return traceg_wrong(t, e, "an SM and a hardware warp", *p);
  if (t->header.line_info && !scan_number(p, 10, line))
    return traceg_wrong(t, e, "a line number", *p);
  return GMMU_OK;
}

/* ---- addresses ---- */

uint64_t traceg_cut(const traceg_t *t, uint64_t address) {
  if (address > TRACEG_ADDRESSES) note_add(t->notes, NOTE_WIDE, t->text);
  return address & TRACEG_ADDRESSES;
}

static int address_list(traceg_t *t, char **p, warp_op_t *op, err_t *e) {
  op->mode = ADDR_LIST;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t a;
    if (!scan_number(p, 16, &a)) return traceg_wrong(t, e, "an address per active lane", *p);
    op->lane[__builtin_ctz(m)] = traceg_cut(t, a);
  }
  return GMMU_OK;
}

static int address_deltas(traceg_t *t, char **p, warp_op_t *op, err_t *e) {
  uint64_t a, delta = 0;
  op->mode = ADDR_LIST;
  if (!op->mask) return GMMU_OK;
  if (!scan_number(p, 16, &a)) return traceg_wrong(t, e, "a base address", *p);
  for (uint32_t m = op->mask; m; m &= m - 1) {
    if (m != op->mask && !scan_signed(p, &delta))
      return traceg_wrong(t, e, "a difference per active lane", *p);
    a += delta;
    op->lane[__builtin_ctz(m)] = traceg_cut(t, a);
  }
  return GMMU_OK;
}

/* The lanes of a stride: each must lie in 48 bits, or they are listed. */
static void set_stride(traceg_t *t, warp_op_t *op, uint64_t base, uint64_t stride) {
  uint32_t first = (uint32_t)__builtin_ctz(op->mask), last = 31 - (uint32_t)__builtin_clz(op->mask);
  int64_t s = (int64_t)stride;
  op->mode = ADDR_STRIDE, op->stride = s;
  op->base = base - first * stride;
  if (s > -(1 << 24) && s < 1 << 24 && base <= TRACEG_ADDRESSES &&
      base + (last - first) * stride <= TRACEG_ADDRESSES && op->base <= TRACEG_ADDRESSES)
    return;
  op->mode = ADDR_LIST;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m);
    op->lane[l] = traceg_cut(t, base + (l - first) * stride);
  }
}

static int address_stride(traceg_t *t, char **p, warp_op_t *op, err_t *e) {
  uint64_t base, stride;
  if (!scan_number(p, 16, &base) || !scan_signed(p, &stride))
    return traceg_wrong(t, e, "a base address and a stride", *p);
  op->mode = ADDR_STRIDE, op->base = 0, op->stride = 0;
  if (!op->mask) return GMMU_OK;
  uint32_t run = op->mask >> __builtin_ctz(op->mask);
  if (run & (run + 1)) note_add(t->notes, NOTE_GAPS, t->text);
  set_stride(t, op, base, stride);
  return GMMU_OK;
}

void traceg_compact(warp_op_t *op) {
  if (op->mode != ADDR_LIST) return;
  uint32_t m = op->mask, first = m ? (uint32_t)__builtin_ctz(m) : 0;
  uint32_t rest = m & (m - 1);
  int64_t stride = 0;
  if (!m) {
    op->mode = ADDR_STRIDE, op->base = 0, op->stride = 0;
    return;
  }
  if (rest) {
    uint32_t second = (uint32_t)__builtin_ctz(rest);
    stride = (int64_t)(op->lane[second] - op->lane[first]) / (int64_t)(second - first);
  }
  if (stride <= -(1 << 24) || stride >= 1 << 24) return;
  uint64_t base = op->lane[first] - first * (uint64_t)stride;
  for (; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m);
    if (op->lane[l] != base + l * (uint64_t)stride) return;
  }
  if (base > TRACEG_ADDRESSES) return;
  op->mode = ADDR_STRIDE, op->base = base, op->stride = stride;
}

static int addresses(traceg_t *t, char **p, warp_op_t *op, err_t *e) {
  uint64_t mode;
  int rc;
  if (!scan_number(p, 10, &mode) || mode > 2)
    return traceg_wrong(t, e, "an address mode, 0, 1 or 2", *p);
  if (mode == 0)
    rc = address_list(t, p, op, e);
  else
    rc = mode == 1 ? address_stride(t, p, op, e) : address_deltas(t, p, op, e);
  if (rc == 0) traceg_compact(op);
  return rc;
}

static uint64_t first_address(const warp_op_t *op) {
  uint32_t l = op->mask ? (uint32_t)__builtin_ctz(op->mask) : 0;
  return op->mode == ADDR_STRIDE ? op->base + l * (uint64_t)op->stride : op->lane[l];
}

/* Where a generic address leads: the first active lane's decides for all. */
static uint8_t space_of(const traceg_t *t, const warp_op_t *op) {
  uint64_t a = op->mask ? first_address(op) : 0;
  if (t->header.shared_base && a - t->header.shared_base < WINDOW_BYTES) return SPACE_SHARED;
  if (t->header.local_base && a - t->header.local_base < WINDOW_BYTES) return SPACE_LOCAL;
  return SPACE_GLOBAL;
}

/* ---- memory ---- */

/* mem_width and what follows it. */
static int memory(traceg_t *t, char **p, const sass_op_t *op, inst_t *row, warp_op_t *out,
                  err_t *e) {
  bool is_memory = op->width != 0;
  uint64_t width;
  if (!scan_number(p, 10, &width)) return traceg_wrong(t, e, "an access width", *p);
  char *more = *p;
  scan_blanks(&more);
  if (width && *more) {
    int rc = addresses(t, p, out, e);
    if (rc < 0) return rc;
    if (!is_memory) note_add(t->notes, NOTE_MEMORY, t->text), out->mode = ADDR_NONE;
  }
  if (!is_memory) return GMMU_OK;
  if (out->mode == ADDR_NONE && op->space != SPACE_CONST) {
    note_add(t->notes, NOTE_NO_ADDRESS, t->text);
    row->cls = IC_INT;
    return GMMU_OK;
  }
  if (op->odd_width) note_add(t->notes, NOTE_WIDTH, t->text);
  row->width = op->width, row->flags = op->flags;
  row->space = op->space == SPACE_GENERIC ? space_of(t, out) : op->space;
  if (out->mode == ADDR_NONE) out->mode = ADDR_STRIDE;
  return GMMU_OK;
}

/* A load of 8 or 16 bytes names its first register and writes them all. */
static void widen(inst_t *row, uint8_t registers) {
  if (row->cls == IC_STORE) row->dst = REG_NONE, row->dsts = 0;
  if (row->dst == REG_NONE || row->dsts > 1 || row->width <= 4) return;
  row->dsts = registers ? registers : row->width / 4;
  if (row->dst + row->dsts > REG_NONE) row->dsts = (uint8_t)(REG_NONE - row->dst);
}

/* An exit of some lanes in the middle of a warp's way is a branch to us. */
static int last_exit(traceg_t *t, inst_t *row, err_t *e) {
  char *line;
  int rc = text_next(t->text, &line, e);
  if (rc < 0) return rc;
  if (rc > 0) text_again(t->text);
  if (rc > 0 && scan_digit(*line) < 16) row->cls = IC_BRANCH;
  return GMMU_OK;
}

/* ---- what stands behind ---- */

/* Values of registers: "1 hex" if all lanes have the same, else "32" and as many. */
static bool skip_values(char **p, uint32_t registers) {
  for (; registers; registers--) {
    uint64_t count, v;
    if (!scan_number(p, 10, &count) || count > WARP_LANES) return false;
    for (; count; count--)
      if (!scan_number(p, 16, &v)) return false;
  }
  return true;
}

/* From version 5 on immediates, one or two; from 6 on NoVal, or Val and values. All may be missing,
 * and nothing of it is used. */
static void ending(traceg_t *t, char *p, uint32_t registers) {
  char *word, *q = p;
  uint64_t v;
  uint32_t size;
  for (int i = 0; i < 2 && t->header.tracer >= 5; i++) (void)!scan_signed(&p, &v);
  q = p;
  if (t->header.tracer >= 5 && scan_word(&q, &word, &size)) {
    if (size == 5 && memcmp(word, "NoVal", 5) == 0)
      p = q;
    else if (size == 3 && memcmp(word, "Val", 3) == 0 && skip_values(&q, registers))
      p = q;
  }
  scan_blanks(&p);
  if (*p) note_add(t->notes, NOTE_EXTRA, t->text);
}

/* ---- the whole line ---- */

/* Accel-Sim 2 has a flag more of warpgroup matrix operations, which access no memory: then three or
 * more words are left. */
static int group_flag(traceg_t *t, char **p, const char *opcode, uint32_t size, err_t *e) {
  uint64_t flag;
  if (size < 5 || memcmp(opcode + 1, "GMMA", 4) != 0 || scan_count(*p) < 3) return GMMU_OK;
  if (scan_number(p, 10, &flag) && flag <= 1) return GMMU_OK;
  return traceg_wrong(t, e, "0 or 1 for a group", *p);
}

static int pc_and_mask(traceg_t *t, char **p, err_t *e) {
  traceg_inst_t *in = &t->inst;
  uint64_t mask;
  if (!scan_number(p, 16, &in->pc)) return traceg_wrong(t, e, "a PC", *p);
  if (!scan_number(p, 16, &mask) || mask > UINT32_MAX)
    return traceg_wrong(t, e, "an active mask", *p);
  in->op.mask = (uint32_t)mask;
  in->op.mode = ADDR_NONE, in->op.base = 0, in->op.stride = 0;
  return GMMU_OK;
}

int traceg_line(traceg_t *t, char *p, err_t *e) {
  traceg_inst_t *in = &t->inst;
  uint64_t line = 0;
  uint32_t size, dsts, srcs;
  uint8_t bulk;
  char *word;
  sass_op_t op = {0};
  int rc = front(t, &p, &line, e);
  if (rc < 0 || (rc = pc_and_mask(t, &p, e)) < 0) return rc;
  in->row = (inst_t){.dst = REG_NONE, .src = {REG_NONE, REG_NONE, REG_NONE, REG_NONE}};
  if ((rc = results(t, &p, &in->row, &dsts, e)) < 0) return rc;
  if (!scan_word(&p, &word, &size)) return traceg_wrong(t, e, "an opcode", p);
  t->insts++;
  if (size > 7 && memcmp(word, "REPLAY_", 7) == 0) {
    note_add(t->notes, NOTE_REPLAY, t->text);
    return 0;
  }
  if ((rc = opcode(t, word, size, &op, e)) < 0 || (rc = sources(t, &p, &in->row, &srcs, e)) < 0 ||
      (rc = group_flag(t, &p, word, size, e)) < 0)
    return rc;
  in->row.cls = op.cls;
  in->row.line = (uint16_t)(t->header.line_info ? line : in->pc >> 4);
  if (bulk_opcode(word, size, &bulk) && bulk_follows(p)) return bulk_begin(t, p, bulk, e);
  if ((rc = memory(t, &p, &op, &in->row, &in->op, e)) < 0) return rc;
  widen(&in->row, op.results);
  ending(t, p, dsts + srcs);
  if (in->row.cls == IC_EXIT && (rc = last_exit(t, &in->row, e)) < 0) return rc;
  return TRACEG_INST;
}
