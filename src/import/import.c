/* The order of things for a kernel: survey (first reading), allocations of what it touches, launch,
 * blocks (second reading). Both readings go through the same parser, so they agree unless the file
 * changed in between, which is an error. */
#define _GNU_SOURCE /* fdopen */
#include "import/import.h"
#include "base/file.h"
#include "import/irows.h"
#include "import/klist.h"
#include "import/local.h"
#include "import/ranges.h"
#include "import/raw.h"
#include "import/spool.h"
#include "import/streams.h"
#include "import/traceg.h"
#include "trace/gmt_format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_INSTS 65536u

typedef struct {
  const import_opts_t *opts;
  import_summary_t *sum;
  gmt_writer_t *writer;
  ranges_t ranges;
  irows_t rows;
  char folder[512];
  char context[CONTEXT_CHARS]; /* of the kernels so far; empty: their names have none */
  streams_t streams;
  import_progress_t progress;
  /* of the kernel */
  uint8_t *seen;  /* bit per block of the grid */
  uint64_t there; /* blocks in the file */
  uint32_t warps, top_reg;
  local_t local;
} import_t;

/* ---- memory ---- */

/* A trace has no names: what is known is the address, and how it came up. */
static int allocate(import_t *m, const char *what, uint64_t va, uint64_t bytes, err_t *e) {
  char name[48];
  snprintf(name, sizeof name, "%s 0x%llx", what, (unsigned long long)va);
  command_t c = {.kind = CMD_ALLOC, .va = va, .bytes = bytes, .name = name};
  m->sum->allocations++;
  m->sum->allocated_bytes += bytes;
  return gmt_writer_command(m->writer, &c, e);
}

static int allocate_copied(void *ctx, uint64_t va, uint64_t bytes, err_t *e) {
  return allocate(ctx, "copied", va, bytes, e);
}

static int allocate_touched(void *ctx, uint64_t va, uint64_t bytes, err_t *e) {
  return allocate(ctx, va == LOCAL_REGION ? "local memory" : "touched", va, bytes, e);
}

static int copy(import_t *m, klist_kind_t kind, const klist_command_t *k, err_t *e) {
  int rc = ranges_cover(&m->ranges, k->va, k->va + k->bytes, allocate_copied, m, e);
  if (rc < 0) return rc;
  command_t c = {
      .kind = kind == KLIST_COPY_IN ? CMD_COPY_IN : CMD_COPY_OUT, .va = k->va, .bytes = k->bytes};
  m->sum->copies++;
  streams_wait(&m->streams);
  return gmt_writer_command(m->writer, &c, e);
}

/* Lanes of a stride that lie close together are one range. */
static int touch(import_t *m, const inst_t *row, const warp_op_t *op, err_t *e) {
  if (!op->mask) return GMMU_OK;
  uint32_t first = (uint32_t)__builtin_ctz(op->mask), last = 31 - (uint32_t)__builtin_clz(op->mask);
  if (op->mode == ADDR_STRIDE && op->stride > -65536 && op->stride < 65536) {
    uint64_t a = op->base + first * (uint64_t)op->stride,
             b = op->base + last * (uint64_t)op->stride;
    return ranges_touch(&m->ranges, a < b ? a : b, (a < b ? b : a) + row->width, e);
  }
  int rc = GMMU_OK;
  for (uint32_t x = op->mask; x && rc == 0; x &= x - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(x);
    uint64_t a = op->mode == ADDR_STRIDE ? op->base + l * (uint64_t)op->stride : op->lane[l];
    rc = ranges_touch(&m->ranges, a, a + row->width, e);
  }
  return rc;
}

/* ---- first reading ---- */

static int tick(import_t *m, const text_t *t, bool second, err_t *e) {
  if (++m->progress.instructions % TICK_INSTS || !m->opts->tick) return GMMU_OK;
  m->progress.permille = text_permille(t) / 2 + (second ? 500 : 0);
  if (m->opts->tick(m->opts->ctx, &m->progress)) return GMMU_OK;
  return err_set(e, GMMU_EINTERRUPTED, "interrupted");
}

static bool translated(const inst_t *row) {
  return inst_is_mem(row) && row->space <= SPACE_TEXTURE;
}

static void note_registers(import_t *m, const inst_t *row) {
  if (row->dst != REG_NONE && row->dst + row->dsts > m->top_reg)
    m->top_reg = (uint32_t)row->dst + row->dsts;
  for (int i = 0; i < 4; i++)
    if (row->src[i] != REG_NONE && row->src[i] + 1u > m->top_reg) m->top_reg = row->src[i] + 1u;
}

static int survey_inst(import_t *m, traceg_t *t, err_t *e) {
  const inst_t *row = &t->inst.row;
  int rc = irows_add(&m->rows, t->inst.pc, row, e);
  if (rc < 0) return rc;
  note_registers(m, row);
  m->sum->warp_insts++;
  m->sum->mem_insts += inst_is_mem(row);
  if (!translated(row)) return GMMU_OK;
  if (row->space == SPACE_LOCAL) {
    if (local_survey(&m->local, row, &t->inst.op)) return GMMU_OK;
    note_add(&m->sum->notes, NOTE_NOT_LOCAL, t->text);
  }
  return touch(m, row, &t->inst.op, e);
}

static int survey_block(import_t *m, const traceg_t *t, err_t *e) {
  uint8_t bit = (uint8_t)(1u << (t->cta & 7));
  if (m->seen[t->cta >> 3] & bit)
    return text_wrong(t->text, e, "thread block %u,%u,%u comes a second time", t->xyz[0], t->xyz[1],
                      t->xyz[2]);
  m->seen[t->cta >> 3] |= bit;
  m->there++;
  return GMMU_OK;
}

static int survey_events(import_t *m, traceg_t *t, err_t *e) {
  int rc;
  while ((rc = traceg_next(t, e)) > 0) {
    if (rc == TRACEG_BLOCK) rc = survey_block(m, t, e);
    if (rc == TRACEG_INST && (rc = survey_inst(m, t, e)) == 0) rc = tick(m, t->text, false, e);
    if (rc < 0) break;
  }
  if (rc < 0) text_blame(t->text, e);
  return rc;
}

static uint64_t grid_blocks(const traceg_header_t *h) {
  return (uint64_t)h->grid[0] * h->grid[1] * h->grid[2];
}

/* Blocks that are not in the file do nothing; a grid that is nearly all missing is a wrong grid. */
static int check_missing(import_t *m, const traceg_t *t, err_t *e) {
  uint64_t missing = grid_blocks(&t->header) - m->there;
  if (!m->there || !m->rows.count) return text_wrong(t->text, e, "no instructions in the file");
  if (missing > 65536 + 16 * m->there)
    return text_wrong(t->text, e, "%llu blocks in the file, %llu in the grid",
                      (unsigned long long)m->there, (unsigned long long)grid_blocks(&t->header));
  for (; missing; missing--) note_add(&m->sum->notes, NOTE_MISSING, t->text);
  return GMMU_OK;
}

static int survey(import_t *m, traceg_t *t, err_t *e) {
  uint64_t blocks = grid_blocks(&t->header);
  m->seen = calloc(blocks / 8 + 1, 1);
  if (!m->seen) return err_set(e, GMMU_ENOMEM, "out of memory for %s", text_name(t->text));
  irows_clear(&m->rows);
  m->there = 0, m->top_reg = 0;
  m->local = (local_t){.base = t->header.local_base ? t->header.local_base : UINT64_MAX};
  int rc = survey_events(m, t, e);
  if (rc == 0) rc = check_missing(m, t, e);
  if (rc == 0) rc = irows_sort(&m->rows, e);
  free(m->seen);
  m->seen = NULL;
  return rc;
}

/* ---- second reading ---- */

static int changed(const traceg_t *t, err_t *e) {
  return text_wrong(t->text, e, "the file changed while it was read");
}

static int write_inst(import_t *m, spool_t *s, traceg_t *t, uint32_t block, err_t *e) {
  traceg_inst_t *in = &t->inst;
  uint32_t row = irows_find(&m->rows, in->pc, &in->row);
  if (row == UINT32_MAX) return changed(t, e);
  if (in->row.space == SPACE_LOCAL && inst_is_mem(&in->row))
    local_place(&m->local, &in->row, (uint64_t)t->cta * m->warps + t->warp, &in->op);
  int rc = spool_put(s, t->warp, row, &in->op, e);
  if (rc == 0 && spool_full(s)) rc = spool_flush(s, m->writer, block, e);
  return rc == 0 ? tick(m, t->text, true, e) : rc;
}

static int write_blocks(import_t *m, spool_t *s, traceg_t *t, err_t *e) {
  uint32_t block = 0;
  int rc;
  while ((rc = traceg_next(t, e)) > 0) {
    if (rc == TRACEG_BLOCK) {
      if (m->seen[t->cta >> 3] >> (t->cta & 7) & 1) return changed(t, e);
      m->seen[t->cta >> 3] |= (uint8_t)(1u << (t->cta & 7));
      rc = gmt_writer_cta_begin(m->writer, t->cta, &block, e);
    } else if (rc == TRACEG_INST) {
      rc = write_inst(m, s, t, block, e);
    } else if (rc == TRACEG_BLOCK_END) {
      rc = spool_flush(s, m->writer, block, e);
      if (rc == 0) rc = gmt_writer_cta_end(m->writer, block, e);
    }
    if (rc < 0) break;
  }
  return rc;
}

static int write_missing(import_t *m, uint64_t blocks, err_t *e) {
  int rc = GMMU_OK;
  for (uint64_t b = 0; b < blocks && rc == 0; b++) {
    uint32_t block;
    if (m->seen[b >> 3] >> (b & 7) & 1) continue;
    rc = gmt_writer_cta_begin(m->writer, (uint32_t)b, &block, e);
    if (rc == 0) rc = gmt_writer_cta_end(m->writer, block, e);
  }
  return rc;
}

/* PCs, and lines of a source file whose name no trace has. */
static const char *const source_files[] = {"source"};

static inst_where_t *places(const irows_t *r, bool line_info) {
  inst_where_t *w = malloc((r->count + 1ull) * sizeof *w);
  for (uint32_t i = 0; w && i < r->count; i++)
    w[i] = (inst_where_t){
        .line = (uint32_t)r->pc[i], .file = line_info, .source = line_info ? r->row[i].line : 0};
  return w;
}

static int launch(import_t *m, const traceg_header_t *h, err_t *e) {
  uint64_t local = local_thread_bytes(&m->local);
  uint64_t warps = grid_blocks(h) * m->warps;
  int rc = GMMU_OK;
  if (local)
    rc = ranges_touch(
        &m->ranges, LOCAL_REGION,
        LOCAL_REGION + (warps < LOCAL_WARPS ? warps : LOCAL_WARPS) * WARP_LANES * local, e);
  if (rc == 0) rc = ranges_settle(&m->ranges, allocate_touched, m, e);
  if (rc < 0) return rc;
  inst_where_t *where = places(&m->rows, h->line_info);
  if (!where) return err_set(e, GMMU_ENOMEM, "out of memory for a kernel's instructions");
  command_t c = {.kind = CMD_LAUNCH};
  c.launch = (launch_t){.name = h->name,
                        .inst = m->rows.row,
                        .inst_count = m->rows.count,
                        .regs_per_thread = h->regs ? h->regs : m->top_reg,
                        .shared_bytes = h->shared_bytes,
                        .machine = m->sum->machine,
                        .where = where,
                        .file = source_files,
                        .files = h->line_info};
  memcpy(c.launch.grid, h->grid, sizeof h->grid);
  memcpy(c.launch.block, h->block, sizeof h->block);
  streams_launch(&m->streams, h->stream, &c.launch);
  rc = gmt_writer_command(m->writer, &c, e);
  free(where);
  return rc;
}

static int write_kernel(import_t *m, traceg_t *t, err_t *e) {
  uint64_t blocks = grid_blocks(&t->header);
  spool_t s;
  int rc = spool_init(&s, m->warps, e);
  if (rc < 0) return rc;
  m->seen = calloc(blocks / 8 + 1, 1);
  rc = m->seen ? write_blocks(m, &s, t, e) : err_set(e, GMMU_ENOMEM, "out of memory");
  if (rc == 0) rc = write_missing(m, blocks, e);
  free(m->seen);
  m->seen = NULL;
  spool_fini(&s);
  m->sum->kernels += rc == 0;
  m->sum->blocks += rc == 0 ? blocks : 0;
  return rc;
}

/* ---- a kernel ---- */

/* The list may be older than its traces: the tracer's own, before they were grouped or packed. */
static int find_trace(const char *folder, const char *file, char path[1024], err_t *e) {
  static const char *const ends[] = {"g", "g.xz", "z", "", ".xz", ".zst"};
  size_t size = strlen(file);
  bool raw = size > 6 && strcmp(file + size - 6, ".trace") == 0;
  int rc = GMMU_ENOENT;
  for (int i = raw ? 0 : 3; i < 6 && rc == GMMU_ENOENT; i++) {
    err_t why = {0};
    if (snprintf(path, 1024, "%s%s%s", folder, file, ends[i]) >= 1024)
      return err_set(e, GMMU_EINVAL, "the path of %.80s... is too long", file);
    rc = file_check_regular(path, &why);
    if (e && (rc == GMMU_ENOENT ? i == 3 : rc < 0)) *e = why; /* its own name is what is missing */
  }
  return rc;
}

static void note_machine(import_t *m, const traceg_t *t) {
  if (!m->sum->machine && t->header.binary >= TRACEG_OLDEST && t->header.binary <= TRACEG_NEWEST)
    m->sum->machine = t->header.binary;
}

/* The trace, or what a raw one became; that is no text of the user's, and its lines are others. */
static int open_trace(const char *path, FILE *grouped, text_t **out, err_t *e) {
  char name[256];
  if (!grouped) return text_open(path, out, e);
  int fd = dup(fileno(grouped));
  FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
  if (!f && fd >= 0) close(fd);
  if (!f) return err_set(e, GMMU_EIO, "cannot read the temporary file of %s again", path);
  snprintf(name, sizeof name, "%s (grouped)", path);
  return text_open_stream(f, name, out, e);
}

/* One reading of the file. */
static int reading(import_t *m, const char *path, FILE *grouped, bool second, err_t *e) {
  text_t *text;
  traceg_t t;
  int rc = open_trace(path, grouped, &text, e);
  if (rc < 0) return rc;
  rc = traceg_init(&t, text, &m->sum->ops, second ? NULL : &m->sum->notes, !second, e);
  if (rc == 0) {
    if (grouped) t.ids = 0; /* they are told by the groups */
    if (grouped && !second) note_add(&m->sum->notes, NOTE_RAW, text);
    m->warps =
        (t.header.block[0] * t.header.block[1] * t.header.block[2] + WARP_LANES - 1) / WARP_LANES;
    if (!second) note_machine(m, &t);
    if (!second && streams_full(&m->streams, t.header.stream))
      note_add(&m->sum->notes, NOTE_STREAMS, t.text);
    rc = second ? launch(m, &t.header, e) : survey(m, &t, e);
    if (rc == 0 && second) rc = write_kernel(m, &t, e);
    traceg_fini(&t);
  }
  text_close(text);
  return rc;
}

static int open_path(void *ctx, text_t **out, err_t *e) { return text_open(ctx, out, e); }

static int kernel(import_t *m, const char *path, err_t *e) {
  m->progress.kernel = m->sum->listed;
  FILE *grouped;
  int rc = raw_group(open_path, (void *)(uintptr_t)path, &grouped, e);
  if (rc == 0) rc = reading(m, path, grouped, false, e);
  if (rc == 0) rc = reading(m, path, grouped, true, e);
  if (grouped) fclose(grouped);
  return rc;
}

/* "0x12" of kernel-1-ctx_0x12.tracez; empty: the name tells none. */
static void context_of(const char *file, char name[CONTEXT_CHARS]) {
  const char *at = strstr(file, "ctx_0x");
  *name = 0;
  if (at)
    snprintf(name, CONTEXT_CHARS, "%.*s", 2 + (int)strspn(at + 6, "0123456789abcdefABCDEF"),
             at + 4);
}

/* A context is an address space: what two of them call 0x7f0000000000 is not the same. Their names
 * are in those of the traces. */
static int right_context(import_t *m, const text_t *list, const char *file, bool *right, err_t *e) {
  char context[CONTEXT_CHARS];
  context_of(file, context);
  *right = !m->opts->context || strcmp(context, m->opts->context) == 0;
  if (!*right) note_add(&m->sum->notes, NOTE_CONTEXT, list);
  if (!*right || !*context) return GMMU_OK;
  if (!*m->context) memcpy(m->context, context, sizeof context);
  if (strcmp(context, m->context) == 0) return GMMU_OK;
  return text_wrong(list, e,
                    "a kernel of context %s after those of %s: a context is an application of its "
                    "own; import each with --context, or take LIST:context=%s",
                    context, m->context, context);
}

/* ---- the program ---- */

static bool wanted(const import_t *m) {
  uint64_t n = m->sum->listed;
  return n >= m->opts->first && (!m->opts->last || n <= m->opts->last);
}

/* A kernel of the list. */
static int listed(import_t *m, const text_t *list, const char *file, err_t *e) {
  char path[1024];
  bool right;
  int rc = right_context(m, list, file, &right, e);
  if (rc < 0 || !right || !wanted(m)) return rc;
  rc = find_trace(m->folder, file, path, e);
  return rc == 0 ? kernel(m, path, e) : rc;
}

/* A trace instead of a list. */
static int lone_kernel(import_t *m, const char *path, err_t *e) {
  m->sum->listed = 1;
  return kernel(m, path, e);
}

/* Which of the two it is: a trace begins with "-kernel name", a list never with a dash. */
static int is_trace(text_t *t, err_t *e) {
  char *line;
  int rc = text_next(t, &line, e);
  if (rc > 0) text_again(t);
  return rc > 0 ? *line == '-' : rc;
}

static int commands(import_t *m, text_t *list, err_t *e) {
  klist_command_t c;
  int kind;
  while ((kind = klist_next(list, &m->sum->notes, &c, e)) > 0) {
    int rc = GMMU_OK;
    if (kind != KLIST_KERNEL) {
      rc = copy(m, (klist_kind_t)kind, &c, e);
    } else {
      m->sum->listed++;
      rc = listed(m, list, c.file, e);
    }
    if (rc < 0) {
      text_blame(list, e);
      return rc;
    }
  }
  if (kind == 0 && !m->sum->listed) return text_wrong(list, e, "no line names a kernel");
  if (kind == 0 && !m->sum->kernels && m->opts->context)
    return err_set(e, GMMU_ERANGE, "no kernel of context %s in the list", m->opts->context);
  if (kind == 0 && !m->sum->kernels)
    return err_set(e, GMMU_ERANGE, "kernels %llu .. are not among the %llu of the list",
                   (unsigned long long)m->opts->first, (unsigned long long)m->sum->listed);
  return kind;
}

static int import_list(import_t *m, text_t *list, const char *name, const char *path, err_t *e) {
  int rc = ranges_init(&m->ranges, e);
  if (rc == 0) rc = irows_init(&m->rows, e);
  if (rc == 0) rc = gmt_writer_new(path, NULL, &m->writer, e);
  int trace = rc == 0 ? is_trace(list, e) : rc;
  if (trace < 0) rc = trace;
  if (rc == 0) rc = trace ? lone_kernel(m, name, e) : commands(m, list, e);
  if (rc < 0) {
    gmt_writer_abort(m->writer);
    return rc;
  }
  command_t end = {.kind = CMD_END};
  rc = gmt_writer_command(m->writer, &end, e);
  int closed = gmt_writer_close(m->writer, e);
  return rc < 0 ? rc : closed;
}

/* The folder of a path, with its slash. */
static int folder_of(const char *path, char *folder, size_t size, err_t *e) {
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  if (n >= size) return err_set(e, GMMU_EINVAL, "the path of the list is too long");
  memcpy(folder, path, n);
  folder[n] = 0;
  return GMMU_OK;
}

int import_run(const char *list, const char *path, const import_opts_t *o, import_summary_t *s,
               err_t *e) {
  import_t m = {.opts = o, .sum = s};
  text_t *text;
  memset(s, 0, sizeof *s);
  int rc = sass_ops_init(&s->ops, e);
  if (rc == 0) rc = folder_of(list, m.folder, sizeof m.folder, e);
  if (rc < 0 || (rc = text_open(list, &text, e)) < 0) return rc;
  rc = import_list(&m, text, list, path, e);
  text_close(text);
  ranges_fini(&m.ranges);
  irows_fini(&m.rows);
  return rc;
}

int import_files(const char *list, int (*take)(void *ctx, const char *path, err_t *e), void *ctx,
                 err_t *e) {
  char folder[512], path[1024];
  text_t *t;
  klist_command_t c;
  notes_t notes = {0};
  int rc = folder_of(list, folder, sizeof folder, e), kind = KLIST_END;
  if (rc == 0) rc = take(ctx, list, e);
  if (rc != 0 || (rc = text_open(list, &t, e)) < 0) return rc;
  int trace = is_trace(t, e);
  while (rc == 0 && trace == 0 && (kind = klist_next(t, &notes, &c, e)) > 0)
    if (kind == KLIST_KERNEL && find_trace(folder, c.file, path, NULL) == 0)
      rc = take(ctx, path, e);
  if (trace < 0 || kind < 0) rc = trace < 0 ? trace : kind;
  text_close(t);
  return rc;
}

int import_contexts(const char *list, char name[][CONTEXT_CHARS], uint32_t room, err_t *e) {
  text_t *t;
  klist_command_t c;
  notes_t notes = {0};
  uint32_t count = 0;
  int kind = 0, rc = text_open(list, &t, e);
  if (rc < 0) return rc;
  int trace = is_trace(t, e);
  while (trace == 0 && (kind = klist_next(t, &notes, &c, e)) > 0) {
    char context[CONTEXT_CHARS];
    if (kind != KLIST_KERNEL) continue;
    context_of(c.file, context);
    uint32_t i = 0;
    while (i < count && strcmp(name[i], context) != 0) i++;
    if (*context && i == count && count < room) memcpy(name[count++], context, CONTEXT_CHARS);
  }
  text_close(t);
  return trace < 0 ? trace : kind < 0 ? kind : (int)count;
}

void import_summary_fini(import_summary_t *s) { sass_ops_fini(&s->ops); }
