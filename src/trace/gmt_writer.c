/* The recorder.
 *
 * An open block has one buffer per warp, a few KB each. When one of them is full, the complete
 * records of all the block's warps leave as one part (a chunk of the block), so that replay, which
 * advances a block's warps together, finds them together. Blocks in flight are the only streams in
 * memory.
 *
 * Invariants: parts go to the current launch only, because a launch ends before the next command; a
 * table's jump[] never changes once set; after a failure (rc < 0) nothing more is written and the
 * close removes the file. */
#include "trace/gmt.h"
#include "trace/gmt_encode.h"
#include "trace/gmt_out.h"
#include "trace/gmt_pack.h"
#include "trace/gmt_pages.h"
#include <stdlib.h>
#include <xxhash.h>

typedef struct {
  uint32_t cta, chunk;
  bool open;
  uint32_t next_free; /* number of the next unused block + 1 */
  enc_t *warp;        /* [warps]; with entries and buffers in one allocation */
} block_t;

/* A distinct kernel: static table and totals of its launches. */
typedef struct {
  table_t table;
  uint64_t hash; /* of name and rows, to find it again */
  uint64_t launches, blocks, warp_insts, mem_insts, stored_bytes;
  pages_t pages;
} kernel_t;

struct gmt_writer {
  out_t out;
  pack_t pack;
  err_t err;
  int rc;

  uint8_t *cmd; /* coded commands not yet written */
  uint32_t cmd_used;
  extent_t *cmd_frame;
  uint32_t cmd_frames;
  uint64_t commands;

  kernel_t **kernel;
  uint32_t kernels;

  /* the current launch */
  bool launched;
  uint32_t machine; /* of all launches, the highest */
  bool overlaps;    /* one of them does */
  uint64_t numbered;
  uint64_t after[LAUNCH_MAX_AFTER]; /* of the launch */
  launch_t launch;                  /* its pointers are not used */
  kernel_t *current;
  uint32_t current_id, warps, piece_room;
  block_t *block;
  uint32_t blocks, free_block; /* free_block: number + 1, or 0 */
  uint32_t open_blocks;
};

#define CMD_MAX_BYTES 256 /* a launch: 1 + 11 variable numbers + hash; any other less */

uint64_t gmt_writer_bytes(const gmt_writer_t *w) { return w->out.offset; }

/* ---- errors ---- */

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "out of memory while recording"); }

/* The first failure stays: it is what every later call and the close return. */
static int finish(gmt_writer_t *w, int rc, err_t *e) {
  if (rc < 0 && w->rc == 0) w->rc = rc;
  if (w->rc < 0 && e) *e = w->err;
  return w->rc;
}

/* ---- kernels ---- */

static const char *name_of(const launch_t *l) { return l->name ? l->name : ""; }

static size_t rows_bytes(const launch_t *l) { return (size_t)l->inst_count * sizeof *l->inst; }

static uint64_t launch_hash(const launch_t *l) {
  uint64_t h = XXH64(name_of(l), strlen(name_of(l)), 0);
  return XXH64(l->inst, rows_bytes(l), h);
}

/* The tables have equally many instructions. */
static bool same_places(const table_t *t, const launch_t *l) {
  if (!l->where || !t->where) return !l->where && !t->where;
  return l->files == t->files && memcmp(t->where, l->where, l->inst_count * sizeof *l->where) == 0;
}

static bool same_kernel(const kernel_t *k, const launch_t *l, uint64_t hash) {
  return k->hash == hash && k->table.inst_count == l->inst_count &&
         strcmp(k->table.name, name_of(l)) == 0 &&
         memcmp(k->table.inst, l->inst, rows_bytes(l)) == 0 && same_places(&k->table, l);
}

static int new_kernel(gmt_writer_t *w, const launch_t *l, uint64_t hash, err_t *e) {
  if (w->kernels == GMT_MAX_TABLES)
    return err_set(e, GMMU_ERANGE, "more than %u distinct kernels", GMT_MAX_TABLES);
  kernel_t **more = realloc(w->kernel, (w->kernels + 1) * sizeof(kernel_t *));
  if (!more) return no_memory(e);
  w->kernel = more;
  kernel_t *k = calloc(1, sizeof *k);
  if (!k) return no_memory(e);
  size_t name = strlen(name_of(l));
  if (gmt_table_init(&k->table, (uint32_t)name, l->inst_count) < 0 ||
      gmt_table_places(&k->table, l) < 0) {
    gmt_table_fini(&k->table);
    free(k);
    return no_memory(e);
  }
  memcpy(k->table.name, name_of(l), name);
  memcpy(k->table.inst, l->inst, rows_bytes(l));
  gmt_table_number(&k->table);
  k->hash = hash;
  w->kernel[w->kernels++] = k;
  return GMMU_OK;
}

static int find_kernel(gmt_writer_t *w, const launch_t *l, err_t *e) {
  uint64_t hash = launch_hash(l);
  for (w->current_id = 0; w->current_id < w->kernels; w->current_id++)
    if (same_kernel(w->kernel[w->current_id], l, hash)) break;
  if (w->current_id == w->kernels) {
    int rc = new_kernel(w, l, hash, e);
    if (rc < 0) return rc;
  }
  w->current = w->kernel[w->current_id];
  return GMMU_OK;
}

/* ---- commands ---- */

static int flush_commands(gmt_writer_t *w, err_t *e) {
  if (!w->cmd_used) return GMMU_OK;
  extent_t *more = realloc(w->cmd_frame, (w->cmd_frames + 1) * sizeof *more);
  if (!more) return no_memory(e);
  w->cmd_frame = more;
  int rc = gmt_pack_unit(&w->pack, w->cmd, w->cmd_used, &more[w->cmd_frames], e);
  if (rc < 0) return rc;
  w->cmd_frames++;
  w->cmd_used = 0;
  return GMMU_OK;
}

/* Room for one command; *p points to it. */
static int command_room(gmt_writer_t *w, uint8_t **p, err_t *e) {
  if (w->cmd_used + CMD_MAX_BYTES > GMT_MAX_FRAME) {
    int rc = flush_commands(w, e);
    if (rc < 0) return rc;
  }
  *p = w->cmd + w->cmd_used;
  return GMMU_OK;
}

static void command_done(gmt_writer_t *w, const uint8_t *end) {
  w->cmd_used = (uint32_t)(end - w->cmd);
  w->commands++;
}

static int put_simple(gmt_writer_t *w, const command_t *c, err_t *e) {
  uint8_t *p;
  int rc = command_room(w, &p, e);
  if (rc < 0) return rc;
  *p++ = c->kind;
  command_done(w, put_var(put_var(p, c->va), c->bytes));
  return GMMU_OK;
}

static int put_name(gmt_writer_t *w, const command_t *c, uint64_t bytes, err_t *e) {
  uint8_t *p;
  int rc = command_room(w, &p, e);
  if (rc < 0 || !c->name) return rc;
  uint64_t size = strnlen(c->name, GMT_MAX_NAME);
  *p++ = CMD_NAME;
  p = put_var(put_var(put_var(p, c->va), bytes), size);
  memcpy(p, c->name, size);
  command_done(w, p + size);
  return GMMU_OK;
}

/* An allocation, and what it is called. */
static int put_memory(gmt_writer_t *w, const command_t *c, err_t *e) {
  int rc = put_simple(w, c, e);
  bool named = c->name && (c->kind == CMD_ALLOC || c->kind == CMD_ALLOC_HOST);
  return rc < 0 || !named ? rc : put_name(w, c, 0, e);
}

/* Of a launch that overlaps: its stream, and how many launches before it those are that it waits
 * for. */
static uint8_t *put_order(const gmt_writer_t *w, uint8_t *p) {
  p = put_var(put_var(p, w->launch.stream), w->launch.afters);
  for (uint32_t i = 0; i < w->launch.afters; i++) p = put_var(p, w->numbered - 1 - w->after[i]);
  return p;
}

/* A launch's command is coded when the launch has ended: it tells where its index is. */
static int put_launch(gmt_writer_t *w, uint64_t offset, uint64_t bytes, uint64_t hash, err_t *e) {
  const launch_t *l = &w->launch;
  uint8_t *p;
  int rc = command_room(w, &p, e);
  if (rc < 0) return rc;
  *p++ = (uint8_t)(CMD_LAUNCH | (l->overlaps ? GMT_OVERLAPS : 0));
  p = put_var(p, w->current_id);
  for (int i = 0; i < 3; i++) p = put_var(p, l->grid[i]);
  for (int i = 0; i < 3; i++) p = put_var(p, l->block[i]);
  p = put_var(put_var(p, l->regs_per_thread), l->shared_bytes);
  p = put64(put_var(put_var(p, offset), bytes), hash);
  if (l->overlaps) p = put_order(w, p);
  command_done(w, p);
  return GMMU_OK;
}

/* ---- launches ---- */

static void free_blocks(gmt_writer_t *w) {
  for (uint32_t i = 0; i < w->blocks; i++) free(w->block[i].warp);
  free(w->block);
  w->block = NULL, w->blocks = w->free_block = w->open_blocks = 0;
}

static int end_launch(gmt_writer_t *w, err_t *e) {
  if (!w->launched) return GMMU_OK;
  if (w->open_blocks)
    return err_set(e, GMMU_EINVAL, "kernel %s: %u blocks have not ended", w->current->table.name,
                   w->open_blocks);
  uint64_t offset, bytes, hash, stored, blocks = launch_blocks(&w->launch);
  int rc = gmt_pack_launch_end(&w->pack, (uint32_t)blocks, &offset, &bytes, &hash, &stored, e);
  if (rc < 0) return rc;
  w->current->launches++;
  w->current->blocks += blocks;
  w->current->stored_bytes += stored;
  w->launched = false;
  free_blocks(w);
  return put_launch(w, offset, bytes, hash, e);
}

static int check_rows(const launch_t *l, err_t *e) {
  for (uint32_t i = 0; i < l->inst_count; i++) {
    const char *flaw = gmt_inst_flaw(&l->inst[i]);
    if (flaw) return err_set(e, GMMU_EINVAL, "kernel %s, instruction %u: %s", name_of(l), i, flaw);
  }
  return GMMU_OK;
}

/* What it waits for must be launches before it; more than there is room for, and it waits for all.
 */
static bool keep_order(gmt_writer_t *w, const launch_t *l) {
  bool kept = l->overlaps && l->afters <= LAUNCH_MAX_AFTER;
  for (uint32_t i = 0; kept && i < l->afters; i++) {
    kept = l->after[i] < w->numbered;
    w->after[i] = l->after[i];
  }
  return kept;
}

static int begin_launch(gmt_writer_t *w, const launch_t *l, err_t *e) {
  const char *flaw = gmt_launch_flaw(l);
  if (flaw) return err_set(e, GMMU_ERANGE, "kernel %s: %s", name_of(l), flaw);
  int rc = check_rows(l, e);
  if (rc < 0 || (rc = find_kernel(w, l, e)) < 0) return rc;
  w->launch = *l;
  w->launch.overlaps = keep_order(w, l);
  w->numbered++;
  w->overlaps |= w->launch.overlaps;
  if (l->machine > w->machine) w->machine = l->machine;
  w->warps = launch_warps(l);
  /* All pieces of a part, with their lengths, must fit a frame. */
  w->piece_room = (GMT_MAX_FRAME - 1024) / w->warps;
  if (w->piece_room > GMT_MAX_PIECE) w->piece_room = GMT_MAX_PIECE;
  w->launched = true;
  return GMMU_OK;
}

static int do_command(gmt_writer_t *w, const command_t *c, err_t *e) {
  int rc = end_launch(w, e);
  if (rc < 0 || c->kind == CMD_END) return rc;
  if (c->kind == CMD_LAUNCH) return begin_launch(w, &c->launch, e);
  if (c->kind == CMD_NAME) return put_name(w, c, c->bytes, e);
  if (c->kind < CMD_END || c->kind == CMD_ALLOC_HOST) return put_memory(w, c, e);
  return err_set(e, GMMU_EINVAL, "unknown command %u", c->kind);
}

int gmt_writer_command(gmt_writer_t *w, const command_t *c, err_t *e) {
  return finish(w, w->rc < 0 ? 0 : do_command(w, c, &w->err), e);
}

/* ---- blocks ---- */

/* The warps' states, prediction entries and buffers, in one piece. */
static enc_t *new_warps(const gmt_writer_t *w) {
  uint32_t preds = w->current->table.preds, room = w->piece_room + GMT_MAX_RECORD;
  size_t each = sizeof(enc_t) + preds * sizeof(pred_t) + room;
  enc_t *warp = malloc(w->warps * each);
  if (!warp) return NULL;
  pred_t *pred = (pred_t *)(warp + w->warps);
  uint8_t *buf = (uint8_t *)(pred + (size_t)w->warps * preds);
  for (uint32_t i = 0; i < w->warps; i++)
    warp[i].pred = pred + (size_t)i * preds, warp[i].buf = buf + (size_t)i * room;
  return warp;
}

static int unused_block(gmt_writer_t *w, uint32_t *number, err_t *e) {
  if (w->free_block) {
    *number = w->free_block - 1;
    w->free_block = w->block[*number].next_free;
    return GMMU_OK;
  }
  if ((w->blocks + 1) * w->warps > GMT_MAX_OPEN_WARPS)
    return err_set(e, GMMU_ERANGE, "more than %u warps in flight", GMT_MAX_OPEN_WARPS);
  block_t *more = realloc(w->block, (w->blocks + 1) * sizeof *more);
  if (!more) return no_memory(e);
  w->block = more;
  more[w->blocks] = (block_t){.warp = new_warps(w)};
  if (!more[w->blocks].warp) return no_memory(e);
  *number = w->blocks++;
  return GMMU_OK;
}

static int do_cta_begin(gmt_writer_t *w, uint32_t cta, uint32_t *number, err_t *e) {
  if (!w->launched) return err_set(e, GMMU_EINVAL, "block %u begins outside a launch", cta);
  if (cta >= launch_blocks(&w->launch)) return err_set(e, GMMU_ERANGE, "no block %u", cta);
  int rc = unused_block(w, number, e);
  if (rc < 0) return rc;
  block_t *b = &w->block[*number];
  const table_t *t = &w->current->table;
  b->cta = cta, b->chunk = 0, b->open = true;
  for (uint32_t i = 0; i < w->warps; i++) {
    b->warp[i] = (enc_t){.buf = b->warp[i].buf, .pred = b->warp[i].pred, .mask = UINT32_MAX};
    memcpy(b->warp[i].pred, t->init, t->preds * sizeof(pred_t));
  }
  w->open_blocks++;
  return GMMU_OK;
}

int gmt_writer_cta_begin(gmt_writer_t *w, uint32_t cta, uint32_t *block, err_t *e) {
  return finish(w, w->rc < 0 ? 0 : do_cta_begin(w, cta, block, &w->err), e);
}

/* Hands the complete records of all warps to the packer and keeps the rest. */
static int cut(gmt_writer_t *w, block_t *b, err_t *e) {
  uint8_t *bytes[GMT_MAX_WARPS];
  uint32_t len[GMT_MAX_WARPS];
  uint64_t mask = 0;
  for (uint32_t i = 0; i < w->warps; i++) {
    bytes[i] = b->warp[i].buf, len[i] = b->warp[i].done;
    if (len[i]) mask |= 1ull << i;
  }
  if (!mask && b->chunk) return GMMU_OK; /* a block without instructions still has its chunk 0 */
  int rc = gmt_pack_part(&w->pack, b->cta, b->chunk++, mask, bytes, len, e);
  for (uint32_t i = 0; i < w->warps; i++) {
    enc_t *x = &b->warp[i];
    memmove(x->buf, x->buf + x->done, x->used - x->done);
    x->used -= x->done, x->ctrl -= x->done, x->done = 0;
  }
  return rc;
}

static int count_inst(kernel_t *k, const inst_t *i, const warp_op_t *op, err_t *e) {
  k->warp_insts++;
  if (!inst_is_mem(i)) return GMMU_OK;
  k->mem_insts++;
  if (i->space == SPACE_SHARED || i->space == SPACE_CONST) return GMMU_OK;
  return gmt_pages_add_op(&k->pages, op, i->width) < 0 ? no_memory(e) : GMMU_OK;
}

static int bad_inst(const gmt_writer_t *w, uint32_t block, uint32_t warp, uint32_t index,
                    const warp_op_t *op, err_t *e) {
  if (block >= w->blocks || !w->block[block].open)
    return err_set(e, GMMU_EINVAL, "no open block %u", block);
  if (warp >= w->warps) return err_set(e, GMMU_ERANGE, "no warp %u in the block", warp);
  const table_t *t = &w->current->table;
  if (index >= t->inst_count)
    return err_set(e, GMMU_ERANGE, "kernel %s has no instruction %u", t->name, index);
  if (inst_is_mem(&t->inst[index]) && op->mode > ADDR_LIST)
    return err_set(e, GMMU_EINVAL, "unknown address mode %u", op->mode);
  return GMMU_OK;
}

static int do_inst(gmt_writer_t *w, uint32_t block, uint32_t warp, uint32_t index,
                   const warp_op_t *op, err_t *e) {
  int rc = bad_inst(w, block, warp, index, op, e);
  if (rc < 0) return rc;
  block_t *b = &w->block[block];
  enc_t *x = &b->warp[warp];
  table_t *t = &w->current->table;
  if (x->open) gmt_enc_successor(x, t, index);
  if (x->used + GMT_MAX_RECORD > w->piece_room && (rc = cut(w, b, e)) < 0) return rc;
  if (!x->begun) gmt_enc_first(x, index);
  gmt_enc_record(x, t, index, op);
  return count_inst(w->current, &t->inst[index], op, e);
}

int gmt_writer_inst(gmt_writer_t *w, uint32_t block, uint32_t warp, uint32_t index,
                    const warp_op_t *op, err_t *e) {
  return finish(w, w->rc < 0 ? 0 : do_inst(w, block, warp, index, op, &w->err), e);
}

static int do_cta_end(gmt_writer_t *w, uint32_t block, err_t *e) {
  if (block >= w->blocks || !w->block[block].open)
    return err_set(e, GMMU_EINVAL, "no open block %u", block);
  block_t *b = &w->block[block];
  for (uint32_t i = 0; i < w->warps; i++)
    if (b->warp[i].open) gmt_enc_successor(&b->warp[i], &w->current->table, STREAM_END);
  b->open = false;
  b->next_free = w->free_block, w->free_block = block + 1;
  w->open_blocks--;
  return cut(w, b, e);
}

int gmt_writer_cta_end(gmt_writer_t *w, uint32_t block, err_t *e) {
  return finish(w, w->rc < 0 ? 0 : do_cta_end(w, block, &w->err), e);
}

/* ---- beginning and end of the file ---- */

static void fill_header(uint8_t h[GMT_HEADER_BYTES], uint32_t machine, bool overlaps) {
  uint32_t version = overlaps ? GMT_VERSION : machine ? GMT_MACHINE : GMT_PLAIN;
  memcpy(h, GMT_MAGIC, 8);
  put64(put32(put32(h + 8, version), WARP_LANES), machine);
  put64(h + 24, XXH64(h, 24, 0));
}

static int write_header(gmt_writer_t *w, err_t *e) {
  uint8_t h[GMT_HEADER_BYTES];
  fill_header(h, 0, false);
  return gmt_out_write(&w->out, h, sizeof h, e);
}

/* Only the launches told whether they are machine code, and overlap. */
static int correct_header(gmt_writer_t *w, err_t *e) {
  uint8_t h[GMT_HEADER_BYTES];
  if (!w->machine && !w->overlaps) return GMMU_OK;
  fill_header(h, w->machine, w->overlaps);
  return gmt_out_again(&w->out, h, sizeof h, e);
}

int gmt_writer_new(const char *path, const gmt_writer_opts_t *o, gmt_writer_t **out, err_t *e) {
  *out = NULL;
  gmt_writer_t *w = calloc(1, sizeof *w);
  if (!w) return no_memory(e);
  w->out.fd = -1;
  int rc = gmt_out_open(&w->out, path, e);
  if (rc >= 0) rc = gmt_pack_init(&w->pack, &w->out, o ? o->level : 0, e);
  if (rc >= 0 && !(w->cmd = malloc(GMT_MAX_FRAME))) rc = no_memory(e);
  if (rc >= 0) rc = write_header(w, e);
  if (rc < 0) {
    gmt_writer_abort(w);
    return rc;
  }
  *out = w;
  return GMMU_OK;
}

/* Writes a kernel's table and its row of the directory. */
static int write_kernel(gmt_writer_t *w, const kernel_t *k, uint8_t *row, err_t *e) {
  uint64_t bytes = gmt_table_bytes(&k->table), offset, hash;
  uint8_t *p = malloc(bytes);
  if (!p) return no_memory(e);
  gmt_table_write(&k->table, p);
  int rc = gmt_out_write_hashed(&w->out, p, bytes, &offset, &hash, e);
  free(p);
  row = put64(put64(put64(row, offset), bytes), hash);
  row = put64(put64(put64(row, k->launches), k->blocks), k->warp_insts);
  put64(put64(put64(row, k->mem_insts), k->stored_bytes), k->pages.pages);
  return rc;
}

static int write_footer(gmt_writer_t *w, uint64_t root, uint64_t bytes, uint64_t hash, err_t *e) {
  uint8_t f[GMT_FOOTER_BYTES];
  put64(put64(put64(put64(f, root), bytes), hash), w->out.offset + sizeof f);
  put64(f + 32, XXH64(f, 32, 0));
  memcpy(f + 40, GMT_FOOTER_MAGIC, 8);
  return gmt_out_write(&w->out, f, sizeof f, e);
}

static int fill_root(gmt_writer_t *w, uint8_t *p, err_t *e) {
  p = put64(put32(put32(p, w->kernels), w->cmd_frames), w->commands);
  for (uint32_t i = 0; i < w->kernels; i++, p += GMT_TABLE_BYTES) {
    int rc = write_kernel(w, w->kernel[i], p, e);
    if (rc < 0) return rc;
  }
  for (uint32_t i = 0; i < w->cmd_frames; i++) {
    const extent_t *x = &w->cmd_frame[i];
    p = put64(put32(put32(put64(p, x->offset), x->stored), x->raw), x->hash);
  }
  return GMMU_OK;
}

static int do_close(gmt_writer_t *w, err_t *e) {
  int rc = end_launch(w, e);
  if (rc < 0 || (rc = flush_commands(w, e)) < 0) return rc;
  uint64_t offset = 0, hash = 0,
           bytes = GMT_ROOT_BYTES + (uint64_t)w->kernels * GMT_TABLE_BYTES +
                   (uint64_t)w->cmd_frames * GMT_EXTENT_BYTES;
  uint8_t *root = malloc(bytes);
  if (!root) return no_memory(e);
  rc = fill_root(w, root, e);
  if (rc >= 0) rc = gmt_out_write_hashed(&w->out, root, bytes, &offset, &hash, e);
  free(root);
  if (rc < 0 || (rc = write_footer(w, offset, bytes, hash, e)) < 0) return rc;
  rc = correct_header(w, e);
  return rc < 0 ? rc : gmt_out_commit(&w->out, e);
}

int gmt_writer_close(gmt_writer_t *w, err_t *e) {
  int rc = finish(w, w->rc < 0 ? 0 : do_close(w, &w->err), e);
  gmt_writer_abort(w);
  return rc;
}

void gmt_writer_abort(gmt_writer_t *w) {
  if (!w) return;
  gmt_out_close(&w->out);
  gmt_pack_fini(&w->pack);
  free_blocks(w);
  for (uint32_t i = 0; i < w->kernels; i++) {
    gmt_table_fini(&w->kernel[i]->table);
    gmt_pages_fini(&w->kernel[i]->pages);
    free(w->kernel[i]);
  }
  free(w->kernel), free(w->cmd), free(w->cmd_frame), free(w);
}
