/* A line at a time, by its first character: instructions begin with a digit, everything else with a
 * word.
 *
 * Invariant: a block's events come between TRACEG_BLOCK and TRACEG_BLOCK_END, an instruction after
 * the TRACEG_WARP it belongs to; cta, warp and lane addresses are in range when they are handed
 * out. */
#include "import/traceg.h"
#include "import/bulk.h"
#include "import/scan.h"
#include "import/traceg_line.h"
#include "trace/gmt_format.h"
#include <stdlib.h>
#include <string.h>

#define SHARED_MAX 233472u /* Hopper: 228 KB per block */

/* ---- header ---- */

static int wrong_header(const traceg_t *t, err_t *e, const char *key, const char *want) {
  return text_wrong(t->text, e, "-%s must be %s", key, want);
}

static bool three(char *p, uint32_t v[3], char end) {
  for (int i = 0; i < 3; i++) {
    uint64_t x;
    scan_blanks(&p);
    if (!scan_digits(&p, 10, &x) || x > UINT32_MAX) return false;
    v[i] = (uint32_t)x;
    scan_blanks(&p);
    if (*p++ != (i < 2 ? ',' : end)) return false;
  }
  return !end || *p == 0;
}

static int header_dims(traceg_t *t, const char *key, char *value, uint32_t v[3], err_t *e) {
  if (*value != '(' || !three(value + 1, v, ')'))
    return wrong_header(t, e, key, "three numbers, (x,y,z)");
  return GMMU_OK;
}

static int header_name(traceg_t *t, const char *value, err_t *e) {
  size_t size = strlen(value);
  free(t->header.name);
  t->header.name = malloc(size + 1);
  if (!t->header.name) return err_set(e, GMMU_ENOMEM, "out of memory for a kernel's name");
  memcpy(t->header.name, value, size);
  t->header.name[size] = 0;
  return GMMU_OK;
}

/* A number that matters little: what is none counts as 0. */
static uint64_t number_or_0(char *value, uint32_t base) {
  uint64_t v;
  return scan_number(&value, base, &v) ? v : 0;
}

static uint32_t limited(traceg_t *t, char *value, uint64_t max, note_t note) {
  uint64_t v;
  if (scan_number(&value, 10, &v) && v <= max) return (uint32_t)v;
  note_add(t->notes, note, t->text);
  return 0;
}

static int header_number(traceg_t *t, const char *key, char *value, err_t *e) {
  traceg_header_t *h = &t->header;
  uint64_t v;
  if (strcmp(key, "accelsim tracer version") == 0) { /* "1.2" is 1 */
    if (!scan_digits(&value, 10, &v) || v > 1000 || (!scan_at_end(value) && *value != '.'))
      return wrong_header(t, e, key, "a small number");
    h->tracer = (uint32_t)v;
  } else if (strcmp(key, "cuda stream id") == 0) { /* early tracers wrote negative ones */
    if (!scan_signed(&value, &h->stream)) h->stream = 0;
  } else if (strcmp(key, "shmem") == 0) {
    h->shared_bytes = limited(t, value, SHARED_MAX, NOTE_SHARED);
  } else if (strcmp(key, "nregs") == 0) {
    h->regs = limited(t, value, 255, NOTE_REGISTERS);
  } else if (strcmp(key, "binary version") == 0) {
    h->binary = (uint32_t)(number_or_0(value, 10) & 0xffff);
    if (h->binary < TRACEG_OLDEST || h->binary > TRACEG_NEWEST)
      note_add(t->notes, NOTE_BINARY, t->text);
  } else if (strcmp(key, "shmem base_addr") == 0) {
    h->shared_base = number_or_0(value, 16);
  } else if (strcmp(key, "local mem base_addr") == 0) {
    h->local_base = number_or_0(value, 16);
  } else if (strcmp(key, "enable lineinfo") == 0) {
    h->line_info = number_or_0(value, 10) != 0;
  } else if (strcmp(key, "kernel id") && strcmp(key, "nvbit version")) {
    note_add(t->notes, NOTE_HEADER, t->text);
  }
  return GMMU_OK;
}

/* "-key = value" */
static int header_line(traceg_t *t, char *line, err_t *e) {
  char *sign = strchr(line, '='), *key = line + 1;
  if (*line != '-' || !sign)
    return text_wrong(t->text, e, "expected \"-key = value\" or \"#\", not \"%.40s\"", line);
  char *value = sign + 1;
  while (sign > key && (sign[-1] == ' ' || sign[-1] == '\t')) sign--;
  *sign = 0;
  scan_blanks(&value);
  if (strcmp(key, "kernel name") == 0) return header_name(t, value, e);
  if (strcmp(key, "grid dim") == 0) return header_dims(t, key, value, t->header.grid, e);
  if (strcmp(key, "block dim") == 0) return header_dims(t, key, value, t->header.block, e);
  return header_number(t, key, value, e);
}

static int check_dims(const traceg_t *t, err_t *e) {
  const traceg_header_t *h = &t->header;
  uint64_t blocks = 1, threads = 1;
  for (int i = 0; i < 3; i++) {
    if (!h->grid[i] || h->grid[i] > GMT_MAX_BLOCKS || !h->block[i] || h->block[i] > 2048)
      return text_wrong(t->text, e, "grid (%u,%u,%u) and block (%u,%u,%u) cannot be launched",
                        h->grid[0], h->grid[1], h->grid[2], h->block[0], h->block[1], h->block[2]);
    blocks *= h->grid[i], threads *= h->block[i];
    if (blocks > GMT_MAX_BLOCKS) return text_wrong(t->text, e, "more than 2^26 blocks in the grid");
    if (threads > GMT_MAX_WARPS * WARP_LANES)
      return text_wrong(t->text, e, "more than 2048 threads in a block");
  }
  return GMMU_OK;
}

int traceg_init(traceg_t *t, text_t *text, sass_ops_t *ops, notes_t *notes, bool count, err_t *e) {
  char *line;
  int rc;
  *t = (traceg_t){.text = text, .ops = ops, .notes = notes, .count = count};
  t->header.tracer = UINT32_MAX;
  while ((rc = text_next(text, &line, e)) > 0 && *line != '#')
    if ((rc = header_line(t, line, e)) < 0) break;
  if (rc == 0) rc = text_wrong(text, e, "the file ends in its header");
  if (rc > 0) text_again(text);
  if (rc > 0) rc = check_dims(t, e);
  if (rc == 0 && !t->header.name) rc = header_name(t, "unnamed", e);
  t->versioned = t->header.tracer != UINT32_MAX;
  if (rc == 0 && !t->versioned) {
    note_add(notes, NOTE_VERSION, text);
    t->header.tracer = 3;
  }
  t->ids = t->header.tracer < 3 ? 4 : 0;
  if (rc < 0) traceg_fini(t);
  return rc;
}

void traceg_fini(traceg_t *t) {
  free(t->header.name);
  t->header.name = NULL;
}

/* ---- blocks and warps ---- */

static void warp_over(traceg_t *t) {
  if (t->in_warp && t->has_count && t->wanted != t->insts) note_add(t->notes, NOTE_COUNT, t->text);
  t->in_warp = t->has_count = false;
  t->wanted = t->insts = 0;
}

/* The value of "key = value" if the line has that key. */
static bool has_key(char *line, const char *key, char **value) {
  size_t n = strlen(key);
  if (strncmp(line, key, n) != 0) return false;
  *value = line + n;
  scan_blanks(value);
  if (**value != '=') return false;
  ++*value;
  scan_blanks(value);
  return true;
}

static int block_line(traceg_t *t, char *value, err_t *e) {
  const uint32_t *g = t->header.grid;
  if (t->in_block) return text_wrong(t->text, e, "a block inside another: #END_TB is missing");
  if (!three(value, t->xyz, 0)) return traceg_wrong(t, e, "three numbers, x,y,z", value);
  for (int i = 0; i < 3; i++)
    if (t->xyz[i] >= g[i])
      return text_wrong(t->text, e, "block %u,%u,%u is outside the grid (%u,%u,%u)", t->xyz[0],
                        t->xyz[1], t->xyz[2], g[0], g[1], g[2]);
  t->cta = t->xyz[0] + g[0] * (t->xyz[1] + g[1] * t->xyz[2]);
  t->in_block = true;
  return TRACEG_BLOCK;
}

static int warp_line(traceg_t *t, char *value, err_t *e) {
  const uint32_t *b = t->header.block;
  uint64_t v, warps = (b[0] * b[1] * b[2] + WARP_LANES - 1) / WARP_LANES;
  if (!t->in_block) return text_wrong(t->text, e, "a warp outside a thread block");
  warp_over(t);
  if (!scan_number(&value, 10, &v)) return traceg_wrong(t, e, "a number", value);
  if (v >= warps)
    return text_wrong(t->text, e, "warp %llu of a block of %llu warps", (unsigned long long)v,
                      (unsigned long long)warps);
  t->warp = (uint32_t)v;
  t->in_warp = true;
  return TRACEG_WARP;
}

/* 0: the line said nothing that is an event. */
static int count_line(traceg_t *t, char *value, err_t *e) {
  if (!t->in_warp) return text_wrong(t->text, e, "insts outside a warp");
  if (!scan_number(&value, 10, &t->wanted)) return traceg_wrong(t, e, "a number", value);
  t->has_count = true;
  return 0;
}

static int block_end(traceg_t *t, err_t *e) {
  if (!t->in_block) return text_wrong(t->text, e, "#END_TB outside a thread block");
  warp_over(t);
  t->in_block = false;
  return TRACEG_BLOCK_END;
}

/* Which cluster the block is in, where in it, and its rank there. */
static int cluster_line(traceg_t *t, char *line, err_t *e) {
  char *value;
  uint32_t v[3];
  uint64_t rank;
  if (!t->in_block) return text_wrong(t->text, e, "a cluster outside a thread block");
  if (has_key(line, "cluster rank", &value)) {
    if (!scan_number(&value, 10, &rank)) return traceg_wrong(t, e, "a number", value);
    if (rank) note_add(t->notes, NOTE_CLUSTER, t->text);
    return 0;
  }
  if (!has_key(line, "cluster id", &value) && !has_key(line, "cluster cta", &value))
    return text_wrong(t->text, e, "cannot read \"%.60s\"", line);
  return three(value, v, 0) ? 0 : traceg_wrong(t, e, "three numbers, x,y,z", value);
}

static int body_line(traceg_t *t, char *line, err_t *e) {
  char *value;
  if (strncmp(line, "cluster ", 8) == 0) return cluster_line(t, line, e);
  if (scan_digit(*line) < 16) {
    if (t->in_warp) return traceg_line(t, line, e);
    return text_wrong(t->text, e, "an instruction outside a warp: \"%.40s\"", line);
  }
  if (*line == '#') return strcmp(line, "#END_TB") == 0 ? block_end(t, e) : 0;
  if (has_key(line, "warp", &value)) return warp_line(t, value, e);
  if (has_key(line, "insts", &value)) return count_line(t, value, e);
  if (has_key(line, "thread block", &value)) return block_line(t, value, e);
  return text_wrong(t->text, e, "cannot read \"%.60s\"", line);
}

int traceg_next(traceg_t *t, err_t *e) {
  char *line;
  int rc;
  if (t->bulk.left || t->bulk.pieces) return bulk_next(t, e);
  while ((rc = text_next(t->text, &line, e)) > 0)
    if ((rc = body_line(t, line, e))) return rc;
  if (rc < 0) return rc;
  if (t->in_block)
    return text_wrong(t->text, e, "the file ends inside thread block %u,%u,%u", t->xyz[0],
                      t->xyz[1], t->xyz[2]);
  return TRACEG_END;
}
