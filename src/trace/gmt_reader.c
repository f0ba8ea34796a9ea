/* Replay of a .gmt file as a source.
 *
 * A warp reads from a buffer of its own, filled with its piece of one frame at a time; frames come
 * through the cache. So step() checks nothing but the end of the buffer, and the cache may evict
 * what it likes.
 *
 * Invariants: a record lies within one piece; reading it from its first byte inside the piece stays
 * inside the buffer (BUFFER_BYTES has room for the longest record behind the longest piece), so one
 * comparison after decoding finds every overrun. w->cur < inst_count whenever step() may be called.
 */
#include "trace/gmt_reader.h"
#include "trace/gmt_cache.h"
#include "trace/gmt_table.h"
#include <assert.h>
#include <stdlib.h>

#define DEFAULT_CACHE_BYTES (64ull << 20)
#define BUFFER_BYTES        (GMT_MAX_PIECE + GMT_MAX_RECORD + 32)
#define CHILD_CACHE_BYTES   (8ull << 20) /* of a launch among others */
#define CMD_SLACK           128 /* a command's decoding may run over the unit's end by that much */

/* One warp slot. Live while a block runs in it. */
typedef struct {
  const uint8_t *p, *end; /* what is left of the current piece */
  uint32_t cur, mask;
  uint32_t part, part_end; /* next part of the block to look into, and the block's last + 1 */
  uint32_t warp, cta;
  pred_t *pred;      /* its entries */
  uint64_t spare[2]; /* fills a cache line */
} warp_t;

typedef struct reader {
  source_t source;       /* must be first */
  struct reader *parent; /* of a detached launch: whose file, slots and buffers it uses */
  file_t file;
  uint64_t begin_offset; /* launches whose index lies before are left out; 0: none */
  uint64_t launches_given, launches_skipped;
  uint64_t after[LAUNCH_MAX_AFTER]; /* of the launch */
  cache_t cache;
  err_t err;
  uint64_t pieces_read;

  uint8_t *cmd; /* one unit of commands, decompressed */
  uint32_t cmd_at, cmd_bytes, cmd_unit;
  uint64_t commands_given;
  char array_name[GMT_MAX_NAME + 1]; /* of the command given last */

  index_t index;
  table_t table;
  uint32_t table_id; /* of `table`; UINT32_MAX: none */
  uint32_t blocks, warps;

  uint32_t slots;
  warp_t *warp;    /* [slots] */
  uint8_t *buffer; /* [slots * BUFFER_BYTES] */
  pred_t *pred;    /* [slots * pred_room] */
  uint32_t pred_room;
} reader_t;

/* ---- decoding ---- */

static uint32_t fail(reader_t *r, const warp_t *w, const char *why) {
  if (!w->part) { /* the caller's mistake, not the file's */
    err_set(&r->err, GMMU_EINVAL, "a warp slot without a block was stepped");
    return STREAM_FAIL;
  }
  const part_t *p = &r->index.part[w->part - 1];
  gmt_file_bad(&r->file, &r->err, r->index.frame[p->frame].where.offset,
               "frame: block %u, warp %u: %s", w->cta, w->warp, why);
  return STREAM_FAIL;
}

/* The place of a warp's piece in its part: after the block number come the lengths of the warps in
 * the mask, then their bytes. */
static const char *find_piece(const part_t *t, const uint8_t *frame, uint32_t raw, const warp_t *w,
                              uint32_t *from, uint32_t *len) {
  uint32_t warps = (uint32_t)__builtin_popcountll(t->mask), head = 4 + 2 * warps;
  if (raw - t->place < head) return "part larger than its frame";
  const uint8_t *p = frame + t->place;
  if (get32(p) != w->cta) return "part of another block";
  uint32_t before = (uint32_t)__builtin_popcountll(t->mask & ((1ull << w->warp) - 1));
  *from = t->place + head;
  for (uint32_t i = 0; i < before; i++) *from += get16(p + 4 + 2 * i);
  *len = get16(p + 4 + 2 * before);
  if (*len == 0 || *len > GMT_MAX_PIECE) return "piece size out of range";
  if (*from > raw || *len > raw - *from) return "piece larger than its frame";
  return NULL;
}

/* The next part that has bytes of this warp, or false. */
static bool next_part(const reader_t *r, warp_t *w) {
  while (w->part < w->part_end)
    if (r->index.part[w->part++].mask >> w->warp & 1) return true;
  return false;
}

/* Fills the warp's buffer from its next part. 0, or STREAM_FAIL. */
static uint32_t refill(reader_t *r, uint32_t slot) {
  warp_t *w = &r->warp[slot];
  if (!next_part(r, w)) return fail(r, w, "no end mark before the last piece ends");
  const part_t *t = &r->index.part[w->part - 1];
  frame_t *f = &r->index.frame[t->frame];
  const uint8_t *frame = gmt_cache_get(&r->cache, &r->index, &r->file, t->frame, &r->err);
  if (!frame) return STREAM_FAIL;
  uint32_t from, len;
  const char *flaw = find_piece(t, frame, f->where.raw, w, &from, &len);
  if (flaw) return fail(r, w, flaw);
  uint8_t *to = r->buffer + (size_t)slot * BUFFER_BYTES;
  memcpy(to, frame + from, len);
  w->p = to, w->end = to + len;
  r->pieces_read++;
  if (f->unread && --f->unread == 0) gmt_cache_done(&r->cache, &r->index, t->frame);
  return 0;
}

#define ONES 0x0101010101010101u /* the lowest bit of a number of one byte is 1 */

/* Lanes of all: where neighbours are near each other, eight numbers have a byte each. */
static const uint8_t *get_lanes(const uint8_t *p, uint64_t a, uint32_t shift,
                                uint64_t lane[WARP_LANES]) {
  uint64_t z;
  for (uint32_t i = 0; i < WARP_LANES;) {
    uint64_t x = get64(p);
    if (i % 8 == 0 && (x & ONES) == ONES) {
      for (uint32_t k = 0; k < 8; k++, x >>= 8) lane[i + k] = a += unzigzag(x >> 1 & 0x7f) << shift;
      p += 8, i += 8;
    } else {
      p = get_var(p, &z);
      lane[i++] = a += unzigzag(z) << shift;
    }
  }
  return p;
}

static __attribute__((noinline)) const uint8_t *get_list(const uint8_t *p, pred_t *d,
                                                         warp_op_t *op) {
  uint32_t shift = *p++ & 63;
  uint64_t a = d->base, z;
  op->mode = ADDR_LIST;
  if (!op->mask) return p;
  if (op->mask == UINT32_MAX) {
    p = get_lanes(p, a, shift, op->lane);
  } else {
    for (uint32_t m = op->mask; m; m &= m - 1) {
      p = get_var(p, &z);
      op->lane[__builtin_ctz(m)] = a += unzigzag(z) << shift;
    }
  }
  uint64_t first = op->lane[__builtin_ctz(op->mask)];
  d->delta = first - d->base, d->base = first;
  return p;
}

/* The codes that are rare enough to stay out of the way. NULL: the code does not fit the
 * instruction. */
static __attribute__((noinline)) const uint8_t *
get_other(const uint8_t *p, const table_t *t, const warp_t *w, uint32_t code, warp_op_t *op) {
  uint64_t z;
  if (code == ACODE_LIST && inst_is_mem(&t->inst[w->cur]))
    return get_list(p, &w->pred[t->slot[w->cur]], op);
  if (code != ACODE_BARRIER || t->inst[w->cur].cls != IC_BARRIER) return NULL;
  p = get_var(get_var(p, &op->base), &z);
  op->mode = ADDR_NONE, op->stride = (int64_t)unzigzag(z);
  return p;
}

static const uint8_t *get_addresses(const uint8_t *p, const table_t *t, const warp_t *w,
                                    uint32_t code, warp_op_t *op) {
  uint64_t z;
  if (code > ACODE_STRIDE || !inst_is_mem(&t->inst[w->cur])) return get_other(p, t, w, code, op);
  pred_t *d = &w->pred[t->slot[w->cur]];
  if (code != ACODE_AHEAD) p = get_var(p, &z), d->delta = unzigzag(z);
  if (code == ACODE_STRIDE) p = get_var(p, &z), d->stride = (int64_t)unzigzag(z);
  op->mode = ADDR_STRIDE;
  op->base = d->base += d->delta;
  op->stride = d->stride;
  return p;
}

/* The last record of a warp must be the last of its bytes. */
static uint32_t end_warp(reader_t *r, warp_t *w, const uint8_t *p) {
  if (p != w->end || next_part(r, w)) return fail(r, w, "bytes after the end mark");
  w->p = p;
  return STREAM_END;
}

static __attribute__((noinline)) uint32_t bad_record(reader_t *r, const warp_t *w,
                                                     const uint8_t *p) {
  if (!p) return fail(r, w, "addresses do not fit the instruction");
  return fail(r, w, p > w->end ? "record cut off" : "no such instruction");
}

/* A record of any kind; w->p < w->end. */
static __attribute__((noinline)) uint32_t step_record(reader_t *r, warp_t *w, warp_op_t *op) {
  const table_t *t = &r->table;
  const uint8_t *p = w->p;
  uint32_t c = *p++, next = w->cur + 1;
  if (c & CTRL_MASK) w->mask = get32(p), p += 4;
  op->mask = w->mask;
  op->mode = ADDR_NONE, op->base = 0, op->stride = 0;
  if (c & (CTRL_ADDR | CTRL_SPARE)) p = get_addresses(p, t, w, c >> ADDR_SHIFT, op);
  if (__builtin_expect(!p, 0)) return bad_record(r, w, p);
  if (c & CTRL_SUCC) {
    uint64_t z;
    if ((c & CTRL_SUCC) == SUCC_END) return end_warp(r, w, p);
    next = t->jump[w->cur];
    if ((c & CTRL_SUCC) == SUCC_FAR) p = get_var(p, &z), next = w->cur + (uint32_t)unzigzag(z);
  }
  if (__builtin_expect(p > w->end || next >= t->inst_count, 0)) return bad_record(r, w, p);
  w->p = p, w->cur = next;
  return next;
}

static __attribute__((noinline)) uint32_t step_refill(reader_t *r, uint32_t slot, warp_op_t *op) {
  return refill(r, slot) ? STREAM_FAIL : step_record(r, &r->warp[slot], op);
}

/* Hot. Control byte 0, more than half of all records: no addresses, same mask, next instruction. */
static uint32_t reader_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  reader_t *r = (reader_t *)s;
  warp_t *w = &r->warp[slot];
  (void)now;
  assert(slot < r->slots);
  if (__builtin_expect(w->p == w->end, 0)) return step_refill(r, slot, op);
  uint32_t next = w->cur + 1;
  if (*w->p || next >= r->table.inst_count) return step_record(r, w, op);
  op->mask = w->mask;
  op->mode = ADDR_NONE, op->base = 0, op->stride = 0;
  w->p++, w->cur = next;
  return next;
}

/* ---- instructions whose addresses nobody wants ---- */

/* Past so many numbers: those of one byte, as far as eight bytes show, then longer ones. */
static const uint8_t *skip_vars(const uint8_t *p, uint32_t count) {
  while (count) {
    uint64_t longer = ~get64(p) & ONES;
    uint32_t n = longer ? (uint32_t)__builtin_ctzll(longer) / 8 : 8;
    if (n >= count) return p + count;
    p += n, count -= n;
    for (; count && !(*p & 1); count--) p += *p ? __builtin_ctz(*p) + 1 : 9;
  }
  return p;
}

/* Like get_list(): only the first address is worked out, from which the next access is coded. */
static const uint8_t *skim_list(const uint8_t *p, pred_t *d, uint32_t mask) {
  uint32_t shift = *p++ & 63;
  uint64_t z;
  if (!mask) return p;
  p = skip_vars(get_var(p, &z), (uint32_t)__builtin_popcount(mask) - 1);
  d->delta = unzigzag(z) << shift, d->base += d->delta;
  return p;
}

/* Like get_addresses(), of an access to memory inside the SM. NULL: no such code. */
static const uint8_t *skim_addresses(const uint8_t *p, const table_t *t, pred_t *d, uint32_t cur,
                                     uint32_t code, uint32_t mask) {
  uint64_t z;
  if (code > ACODE_LIST || !inst_is_mem(&t->inst[cur])) return NULL;
  if (code == ACODE_LIST) return skim_list(p, d, mask);
  if (code != ACODE_AHEAD) p = get_var(p, &z), d->delta = unzigzag(z);
  if (code == ACODE_STRIDE) p = get_var(p, &z), d->stride = (int64_t)unzigzag(z);
  d->base += d->delta;
  return p;
}

/* What step_record() does of the plain record at `p`, which is that of instruction *cur; NULL: it
 * is for that, and nothing has changed. */
static const uint8_t *skim_record(const table_t *t, warp_t *w, const uint8_t *p, uint32_t *cur) {
  uint32_t c = *p++, code = c >> ADDR_SHIFT, mask = w->mask, next = *cur + 1;
  uint64_t z;
  if ((c & CTRL_SUCC) == SUCC_END) return NULL;
  if (c & CTRL_MASK) mask = get32(p), p += 4;
  pred_t *d = &w->pred[t->slot[*cur]], before;
  if (code) {
    before = *d;
    p = skim_addresses(p, t, d, *cur, code, mask);
  }
  if (p && (c & CTRL_SUCC)) {
    next = t->jump[*cur];
    if ((c & CTRL_SUCC) == SUCC_FAR) p = get_var(p, &z), next = *cur + (uint32_t)unzigzag(z);
  }
  if (!p || p > w->end || next >= t->inst_count) {
    if (code) *d = before;
    return NULL;
  }
  w->mask = mask, *cur = next;
  return p;
}

/* Records of control byte 0 from `p` on, as far as eight bytes show. */
static uint32_t empty_records(const uint8_t *p) {
  uint64_t x = get64(p);
  return x ? (uint32_t)__builtin_ctzll(x) / 8 : 8;
}

static uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t reader_skim(source_t *s, uint32_t slot, uint32_t most, uint32_t *next) {
  reader_t *r = (reader_t *)s;
  warp_t *w = &r->warp[slot];
  const table_t *t = &r->table;
  const uint8_t *p = w->p;
  uint32_t cur = w->cur, left = most;
  for (uint32_t can; (can = least_of(t->plain[cur], least_of(left, (uint32_t)(w->end - p))));) {
    uint32_t n = least_of(can, empty_records(p));
    if (!n) {
      const uint8_t *then = skim_record(t, w, p, &cur);
      if (!then) break;
      p = then, left--;
    } else {
      p += n, cur += n, left -= n;
    }
  }
  w->p = p, w->cur = cur;
  *next = cur;
  return most - left;
}

/* ---- blocks ---- */

static int check_block(reader_t *r, uint32_t cta, uint32_t warps, const uint32_t slot[], err_t *e) {
  if (cta >= r->blocks) return err_set(e, GMMU_ERANGE, "no block %u in the launch", cta);
  if (warps != r->warps) return err_set(e, GMMU_EINVAL, "blocks have %u warps", r->warps);
  for (uint32_t i = 0; i < warps; i++)
    if (slot[i] >= r->slots) return err_set(e, GMMU_ERANGE, "no warp slot %u", slot[i]);
  return GMMU_OK;
}

static uint32_t begin_warp(reader_t *r, uint32_t cta, uint32_t warp, uint32_t slot) {
  warp_t *w = &r->warp[slot];
  const uint32_t *first = &r->index.first[cta];
  *w = (warp_t){
      .mask = UINT32_MAX, .part = first[0], .part_end = first[1], .warp = warp, .cta = cta};
  w->pred = r->pred + (size_t)slot * r->pred_room;
  memcpy(w->pred, r->table.init, r->table.preds * sizeof(pred_t));
  if (!next_part(r, w)) return STREAM_END;
  w->part--; /* refill() finds it again */
  if (refill(r, slot)) return STREAM_FAIL;
  uint64_t index;
  w->p = get_var(w->p, &index);
  if (w->p >= w->end || index >= r->table.inst_count) return fail(r, w, "no first instruction");
  return w->cur = (uint32_t)index;
}

static int reader_cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps,
                            const uint32_t slot[], uint32_t first[], err_t *e) {
  reader_t *r = (reader_t *)s;
  (void)now;
  int rc = check_block(r, cta, warps, slot, e);
  if (rc < 0) return rc;
  for (uint32_t i = 0; i < warps; i++) {
    first[i] = begin_warp(r, cta, i, slot[i]);
    if (first[i] != STREAM_FAIL) continue;
    if (e) *e = r->err;
    return r->err.code;
  }
  return GMMU_OK;
}

/* ---- commands ---- */

static int load_commands(reader_t *r, err_t *e) {
  if (r->cmd_unit == r->file.cmd_frames)
    return gmt_file_bad(&r->file, e, r->file.bytes - GMT_FOOTER_BYTES, "%llu commands are missing",
                        (unsigned long long)(r->file.commands - r->commands_given));
  const extent_t *x = &r->file.cmd_frame[r->cmd_unit++];
  int rc = gmt_file_read_unit(&r->file, x, "command unit", r->cmd, e);
  if (rc < 0) return rc;
  memset(r->cmd + x->raw, 0, CMD_SLACK);
  r->cmd_at = 0, r->cmd_bytes = x->raw;
  return GMMU_OK;
}

static int bad_command(const reader_t *r, err_t *e, const char *why) {
  uint64_t at = r->cmd_unit ? r->file.cmd_frame[r->cmd_unit - 1].offset : 0;
  return gmt_file_bad(&r->file, e, at, "command %llu: %s", (unsigned long long)r->commands_given,
                      why);
}

/* A launch as it is coded. */
typedef struct {
  uint64_t table, dim[6], regs, shared;
  uint64_t index_offset, index_bytes, index_hash;
  bool overlaps;
  uint64_t stream, afters; /* reader_t.after: by how many each lies before it */
} coded_launch_t;

static const uint8_t *get_launch(const uint8_t *p, coded_launch_t *l) {
  p = get_var(p, &l->table);
  for (int i = 0; i < 6; i++) p = get_var(p, &l->dim[i]);
  p = get_var(get_var(p, &l->regs), &l->shared);
  p = get_var(get_var(p, &l->index_offset), &l->index_bytes);
  l->index_hash = get64(p);
  return p + 8;
}

/* The stream, and what it waits for; NULL: more than there can be, or cut off. */
static const uint8_t *get_order(reader_t *r, const uint8_t *p, coded_launch_t *l) {
  const uint8_t *end = r->cmd + r->cmd_bytes;
  p = get_var(get_var(p, &l->stream), &l->afters);
  if (l->afters > LAUNCH_MAX_AFTER || l->stream > UINT32_MAX) return NULL;
  for (uint64_t i = 0; i < l->afters; i++) {
    if (p >= end) return NULL;
    p = get_var(p, &r->after[i]);
  }
  l->overlaps = true;
  return p;
}

static int fill_order(reader_t *r, const coded_launch_t *c, launch_t *l, err_t *e) {
  uint64_t number = r->launches_given - 1; /* of all in the file */
  l->overlaps = c->overlaps, l->stream = (uint32_t)c->stream, l->after = r->after;
  for (uint64_t i = 0; i < c->afters; i++) {
    uint64_t before = r->after[i];
    if (!before || before > number)
      return bad_command(r, e, "a launch waits for one that is not before it");
    uint64_t other = number - before;
    if (other >= r->launches_skipped) r->after[l->afters++] = other - r->launches_skipped;
  }
  return GMMU_OK;
}

static int load_table(reader_t *r, uint32_t id, err_t *e) {
  const table_row_t *t = &r->file.table[id];
  if (r->table_id == id) return GMMU_OK;
  r->table_id = UINT32_MAX;
  gmt_table_fini(&r->table);
  int rc = gmt_file_read_table(&r->file, t, &r->table, e);
  if (rc >= 0) r->table_id = id;
  return rc;
}

static int grow_preds(reader_t *r, err_t *e) {
  if (r->pred && r->table.preds <= r->pred_room) return GMMU_OK;
  free(r->pred);
  r->pred_room = r->table.preds;
  r->pred = calloc((size_t)r->slots * r->pred_room, sizeof *r->pred);
  return r->pred ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for %u warp slots", r->slots);
}

static int fill_launch(reader_t *r, const coded_launch_t *c, launch_t *l, err_t *e) {
  uint64_t wide = c->regs | c->shared;
  for (int i = 0; i < 6; i++) wide |= c->dim[i];
  if (wide >> 32) return bad_command(r, e, "launch dimension out of range");
  for (int i = 0; i < 3; i++) {
    l->grid[i] = (uint32_t)c->dim[i];
    l->block[i] = (uint32_t)c->dim[3 + i];
  }
  l->regs_per_thread = (uint32_t)c->regs, l->shared_bytes = (uint32_t)c->shared;
  const char *flaw = gmt_dims_flaw(l);
  if (flaw) return bad_command(r, e, flaw);
  if (c->table >= r->file.tables) return bad_command(r, e, "no such kernel table");
  return fill_order(r, c, l, e);
}

static int begin_launch(reader_t *r, const coded_launch_t *c, launch_t *l, err_t *e) {
  int rc = fill_launch(r, c, l, e);
  r->blocks = 0;
  gmt_cache_clear(&r->cache);
  if (rc < 0 || (rc = load_table(r, (uint32_t)c->table, e)) < 0) return rc;
  uint32_t blocks = (uint32_t)launch_blocks(l), warps = launch_warps(l);
  rc = gmt_index_load(&r->index, &r->file, c->index_offset, c->index_bytes, c->index_hash, blocks,
                      warps, e);
  if (rc < 0 || (rc = grow_preds(r, e)) < 0) return rc;
  r->blocks = blocks, r->warps = warps;
  l->name = r->table.name, l->inst = r->table.inst, l->inst_count = r->table.inst_count;
  l->machine = r->file.machine;
  l->where = r->table.where, l->file = r->table.file, l->files = r->table.files;
  return GMMU_OK;
}

static uint64_t all_launches(const reader_t *r) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < r->file.tables; i++) sum += r->file.table[i].launches;
  return sum;
}

static bool known_kind(const reader_t *r, uint8_t kind) {
  return kind < CMD_END || kind == CMD_ALLOC_HOST || (kind == CMD_NAME && r->file.version > 1);
}

/* A name that ends within the unit; NULL if it does not. */
static const uint8_t *get_name(reader_t *r, const uint8_t *p, command_t *c) {
  uint64_t size;
  const uint8_t *end = r->cmd + r->cmd_bytes;
  p = get_var(p, &size);
  if (size > GMT_MAX_NAME || p > end || size > (uint64_t)(end - p)) return NULL;
  memcpy(r->array_name, p, size);
  r->array_name[size] = 0;
  c->name = r->array_name;
  return p + size;
}

/* *skipped: it is a launch that lies before where the replay begins (gmt_begin_at()). */
static int decode_command(reader_t *r, command_t *c, bool *skipped, err_t *e) {
  const uint8_t *start = r->cmd + r->cmd_at, *p = start + 1;
  coded_launch_t l = {0};
  bool overlaps = r->file.version >= GMT_VERSION && *start == (CMD_LAUNCH | GMT_OVERLAPS);
  c->kind = overlaps ? CMD_LAUNCH : *start;
  c->name = NULL;
  if (!known_kind(r, c->kind)) return bad_command(r, e, "unknown kind");
  if (c->kind == CMD_LAUNCH)
    p = get_launch(p, &l);
  else
    p = get_var(get_var(p, &c->va), &c->bytes);
  if (overlaps && !(p = get_order(r, p, &l))) return bad_command(r, e, "its order cannot be");
  if (c->kind == CMD_NAME && !(p = get_name(r, p, c))) return bad_command(r, e, "cut off");
  if (p > r->cmd + r->cmd_bytes) return bad_command(r, e, "cut off");
  r->launches_given += c->kind == CMD_LAUNCH;
  *skipped = c->kind == CMD_LAUNCH && l.index_offset < r->begin_offset &&
             r->launches_given < all_launches(r); /* there is always something to run */
  r->launches_skipped += *skipped;
  int rc = c->kind == CMD_LAUNCH && !*skipped ? begin_launch(r, &l, &c->launch, e) : GMMU_OK;
  if (rc < 0) return rc;
  r->cmd_at = (uint32_t)(p - r->cmd);
  r->commands_given++;
  return GMMU_OK;
}

static int at_end(const reader_t *r, err_t *e) {
  if (r->cmd_at < r->cmd_bytes || r->cmd_unit < r->file.cmd_frames)
    return bad_command(r, e, "more commands than the directory says");
  return GMMU_OK;
}

static int reader_next_command(source_t *s, uint64_t now, command_t *c, err_t *e) {
  reader_t *r = (reader_t *)s;
  bool skipped = true;
  int rc = GMMU_OK;
  (void)now;
  while (rc == GMMU_OK && skipped) {
    memset(c, 0, sizeof *c);
    c->kind = CMD_END;
    if (r->commands_given == r->file.commands) return at_end(r, e);
    if (r->cmd_at == r->cmd_bytes) rc = load_commands(r, e);
    if (rc == GMMU_OK) rc = decode_command(r, c, &skipped, e);
  }
  return rc;
}

/* ---- the source ---- */

static int reader_rewind(source_t *s, err_t *e) {
  reader_t *r = (reader_t *)s;
  (void)e;
  err_clear(&r->err);
  r->cmd_at = r->cmd_bytes = r->cmd_unit = 0;
  r->commands_given = r->launches_given = r->launches_skipped = 0;
  r->blocks = 0;
  return GMMU_OK;
}

static int reader_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  reader_t *r = (reader_t *)s;
  (void)slots_per_sm;
  free(r->warp), free(r->buffer), free(r->pred);
  r->pred = NULL, r->pred_room = 0;
  r->slots = slots;
  r->warp = calloc((size_t)slots + 1, sizeof *r->warp);
  r->buffer = calloc((size_t)slots + 1, BUFFER_BYTES);
  if (r->warp && r->buffer) return GMMU_OK;
  return err_set(e, GMMU_ENOMEM, "out of memory for %u warp slots", slots);
}

static const err_t *reader_error(const source_t *s) { return &((const reader_t *)s)->err; }

static void reader_free(source_t *s) {
  reader_t *r = (reader_t *)s;
  gmt_file_close(&r->file);
  gmt_cache_fini(&r->cache);
  gmt_index_fini(&r->index);
  gmt_table_fini(&r->table);
  free(r->cmd), free(r->warp), free(r->buffer), free(r->pred), free(r);
}

static uint64_t reader_work(const source_t *s) {
  const reader_t *r = (const reader_t *)s;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < r->file.tables; i++)
    if (__builtin_add_overflow(sum, r->file.table[i].warp_insts, &sum)) return UINT64_MAX;
  return sum;
}

/* ---- launches among others ---- */

/* The cache and the index are its own; a slot, its buffer and its entries are of whoever runs in
 * it.
 */
static void child_free(source_t *s) {
  reader_t *c = (reader_t *)s;
  c->parent->pieces_read += c->pieces_read;
  c->parent->cache.frames_read += c->cache.frames_read;
  gmt_cache_fini(&c->cache);
  gmt_index_fini(&c->index);
  gmt_table_fini(&c->table);
  free(c);
}

static const source_ops_t child_ops = {
    .name = "gmt",
    .cta_begin = reader_cta_begin,
    .step = reader_step,
    .skim = reader_skim,
    .error = reader_error,
    .free = child_free,
};

/* Entries of every slot for any table: those in use must not move. */
static int settle_preds(reader_t *r, err_t *e) {
  if (r->pred_room == PRED_MAX) return GMMU_OK;
  free(r->pred);
  r->pred_room = PRED_MAX;
  r->pred = calloc((size_t)r->slots * r->pred_room, sizeof *r->pred);
  return r->pred ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for %u warp slots", r->slots);
}

static int reader_detach(source_t *s, source_t **out, err_t *e) {
  reader_t *r = (reader_t *)s;
  int rc = settle_preds(r, e);
  if (rc < 0) return rc;
  reader_t *c = calloc(1, sizeof *c);
  if (!c) return err_set(e, GMMU_ENOMEM, "out of memory");
  if ((rc = gmt_cache_init(&c->cache, CHILD_CACHE_BYTES, e)) < 0) {
    gmt_cache_fini(&c->cache);
    free(c);
    return rc;
  }
  c->source.ops = &child_ops, c->parent = r;
  c->file = r->file, c->index = r->index, c->table = r->table;
  c->blocks = r->blocks, c->warps = r->warps;
  c->slots = r->slots, c->warp = r->warp, c->buffer = r->buffer;
  c->pred = r->pred, c->pred_room = r->pred_room;
  r->index = (index_t){0}, r->table = (table_t){0}, r->table_id = UINT32_MAX, r->blocks = 0;
  *out = &c->source;
  return GMMU_OK;
}

static const source_ops_t reader_ops = {
    .name = "gmt",
    .bind = reader_bind,
    .rewind = reader_rewind,
    .next_command = reader_next_command,
    .cta_begin = reader_cta_begin,
    .step = reader_step,
    .skim = reader_skim,
    .error = reader_error,
    .free = reader_free,
    .detach = reader_detach,
    .work = reader_work,
};

uint32_t gmt_machine(const source_t *s) {
  return s->ops == &reader_ops ? ((const reader_t *)s)->file.machine : 0;
}

/* A launch's index lies behind its streams: where that is tells how much of the file is before. */
bool gmt_begin_at(source_t *s, uint32_t permille) {
  reader_t *r = (reader_t *)s;
  if (s->ops != &reader_ops) return false;
  r->begin_offset = r->file.bytes / 1000 * permille;
  return true;
}

/* Takes over *f, even on failure. */
static int new_reader(file_t *f, const gmt_reader_opts_t *o, source_t **out, err_t *e) {
  uint64_t budget = o && o->cache_bytes ? o->cache_bytes : DEFAULT_CACHE_BYTES;
  reader_t *r = calloc(1, sizeof *r);
  if (!r) {
    gmt_file_close(f);
    return err_set(e, GMMU_ENOMEM, "out of memory");
  }
  r->source.ops = &reader_ops;
  r->file = *f;
  r->table_id = UINT32_MAX;
  r->cmd = malloc(GMT_MAX_FRAME + CMD_SLACK);
  int rc = r->cmd ? gmt_cache_init(&r->cache, budget, e) : err_set(e, GMMU_ENOMEM, "out of memory");
  if (rc < 0)
    reader_free(&r->source);
  else
    *out = &r->source;
  return rc;
}

int gmt_open_fd(int fd, const char *name, const gmt_reader_opts_t *o, bool skip_hashes,
                source_t **out, err_t *e) {
  file_t f;
  *out = NULL;
  int rc = gmt_file_open_fd(&f, fd, name, skip_hashes, e);
  return rc < 0 ? rc : new_reader(&f, o, out, e);
}

int gmt_open_with(const char *path, const gmt_reader_opts_t *o, source_t **out, err_t *e) {
  file_t f;
  *out = NULL;
  int rc = gmt_file_open(&f, path, e);
  return rc < 0 ? rc : new_reader(&f, o, out, e);
}

int gmt_open(const char *path, source_t **out, err_t *e) {
  return gmt_open_with(path, NULL, out, e);
}

void gmt_stats(const source_t *s, gmt_reader_stats_t *out) {
  const reader_t *r = (const reader_t *)s;
  *out = (gmt_reader_stats_t){.frames_read = r->cache.frames_read,
                              .pieces_read = r->pieces_read,
                              .peak_cache_bytes = (uint64_t)r->cache.used * GMT_MAX_FRAME,
                              .index_bytes = r->index.bytes};
}
