/* Blocks are found by a hash table of their numbers and sorted once all are known. The grouped file
 * is written with a hole for the lines of each warp; the second reading fills the holes.
 *
 * Invariant: both readings meet the same lines, or the file changed in between; so each hole is
 * filled exactly. */
#define _GNU_SOURCE /* fseeko */
#include "import/raw.h"
#include "import/scan.h"
#include "import/traceg.h"
#include "import/traceg_line.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  IDS = 4,
  CLUSTER_IDS = 7
}; /* words in front: x y z warp, and from Accel-Sim 2 on clusters */

typedef struct {
  uint64_t bytes, at; /* of its lines; where the next one goes */
  uint64_t lines;
  bool half; /* the first line of an LDGSTS has been seen */
} warp_t;

typedef struct {
  uint32_t cta, xyz[3], cluster[CLUSTER_IDS];
  warp_t *warp;
} block_t;

typedef struct {
  raw_open_t open;
  void *ctx;
  traceg_header_t header; /* without a name */
  uint32_t warps;         /* of a block */
  uint32_t front;         /* words of ids: 4 or 11 */
  uint32_t behind;        /* words between them and the PC */
  bool clusters;
  block_t *block;
  uint32_t blocks, room;
  uint32_t *slot, slots; /* hash table: block number + 1, a power of two of them */
  FILE *file;
} raw_t;

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "out of memory for a raw trace"); }

/* ---- blocks ---- */

static uint32_t hash(uint32_t cta) { return cta * 2654435761u; }

static uint32_t *find_slot(const raw_t *r, uint32_t cta) {
  uint32_t i = hash(cta) & (r->slots - 1);
  while (r->slot[i] && r->block[r->slot[i] - 1].cta != cta) i = (i + 1) & (r->slots - 1);
  return &r->slot[i];
}

static int grow(raw_t *r, err_t *e) {
  uint32_t room = r->room ? 2 * r->room : 64;
  block_t *block = realloc(r->block, room * sizeof *block);
  if (!block) return no_memory(e);
  r->block = block, r->room = room;
  uint32_t *slot = calloc(2ull * room, sizeof *slot);
  if (!slot) return no_memory(e);
  free(r->slot);
  r->slot = slot, r->slots = 2 * room;
  for (uint32_t b = 0; b < r->blocks; b++) *find_slot(r, r->block[b].cta) = b + 1;
  return GMMU_OK;
}

static int block_of(raw_t *r, const uint32_t xyz[3], bool may_add, block_t **out, err_t *e) {
  const uint32_t *g = r->header.grid;
  uint32_t cta = xyz[0] + g[0] * (xyz[1] + g[1] * xyz[2]);
  *out = NULL;
  if (r->blocks == r->room && may_add) {
    int rc = grow(r, e);
    if (rc < 0) return rc;
  }
  uint32_t *slot = find_slot(r, cta);
  if (!*slot && may_add) {
    block_t b = {.cta = cta, .warp = calloc(r->warps, sizeof *b.warp)};
    if (!b.warp) return no_memory(e);
    memcpy(b.xyz, xyz, sizeof b.xyz);
    r->block[r->blocks++] = b;
    *slot = r->blocks;
  }
  if (*slot) *out = &r->block[*slot - 1];
  return GMMU_OK;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = ((const block_t *)a)->cta, y = ((const block_t *)b)->cta;
  return x < y ? -1 : x > y;
}

/* ---- lines ---- */

/* The first instruction tells how many words stand in front, as that of a grouped trace does. */
static int find_front(raw_t *r, text_t *t, char *line, err_t *e) {
  static const uint32_t ids[] = {IDS, IDS, IDS + CLUSTER_IDS, IDS + CLUSTER_IDS},
                        core[] = {0, 2, 0, 2};
  for (int i = 0; i < 4; i++) {
    uint32_t behind = core[i] + r->header.line_info;
    if (!traceg_fits(line, ids[i] + behind)) continue;
    r->front = ids[i], r->behind = behind, r->clusters = ids[i] > IDS;
    return GMMU_OK;
  }
  return text_wrong(t, e, "expected an instruction with block and warp in front, not \"%.40s\"",
                    line);
}

typedef struct {
  uint32_t xyz[3], warp, cluster[CLUSTER_IDS];
  char *rest; /* of the line, behind the ids */
} line_t;

static int parse(const raw_t *r, text_t *t, char *p, line_t *l, err_t *e) {
  const uint32_t *g = r->header.grid;
  for (uint32_t i = 0; i < r->front; i++) {
    uint64_t v;
    if (!scan_number(&p, 10, &v) || v > UINT32_MAX)
      return text_wrong(t, e, "expected a number of the block, warp or cluster at \"%.40s\"", p);
    if (i < 3) l->xyz[i] = (uint32_t)v;
    if (i == 3) l->warp = (uint32_t)v;
    if (i > 3) l->cluster[i - IDS] = (uint32_t)v;
  }
  if (l->xyz[0] >= g[0] || l->xyz[1] >= g[1] || l->xyz[2] >= g[2])
    return text_wrong(t, e, "block %u,%u,%u is outside the grid (%u,%u,%u)", l->xyz[0], l->xyz[1],
                      l->xyz[2], g[0], g[1], g[2]);
  if (l->warp >= r->warps)
    return text_wrong(t, e, "warp %u of a block of %u warps", l->warp, r->warps);
  scan_blanks(&p);
  l->rest = p;
  return GMMU_OK;
}

/* Copies from global to shared memory have two lines, of which the second has the global addresses:
 * the first is dropped, as post-traces-processing does. */
static bool first_of_two(const raw_t *r, warp_t *w, char *p) {
  char *word;
  uint32_t size = 0;
  uint64_t count;
  for (uint32_t i = 0; i < r->behind + 2; i++) /* and PC and mask */
    if (!scan_word(&p, &word, &size)) return false;
  if (!scan_number(&p, 10, &count)) return false;
  for (uint64_t i = 0; i <= count; i++)
    if (!scan_word(&p, &word, &size)) return false;
  if (size < 6 || memcmp(word, "LDGSTS", 6) != 0 || (size > 6 && word[6] != '.')) return false;
  w->half = !w->half;
  return w->half;
}

/* The warp that a line belongs to; *w NULL: the line is left out. */
static int owner(raw_t *r, text_t *t, char *line, bool first, line_t *l, warp_t **w, err_t *e) {
  block_t *b;
  *w = NULL;
  if (scan_digit(*line) >= 10)
    return text_wrong(t, e, "expected an instruction, not \"%.40s\"", line);
  int rc = parse(r, t, line, l, e);
  if (rc == 0) rc = block_of(r, l->xyz, first, &b, e);
  if (rc < 0) return rc;
  if (!b) return text_wrong(t, e, "the file changed while it was read");
  if (first && !b->warp[l->warp].bytes) memcpy(b->cluster, l->cluster, sizeof b->cluster);
  if (!first_of_two(r, &b->warp[l->warp], l->rest)) *w = &b->warp[l->warp];
  return GMMU_OK;
}

/* ---- first reading ---- */

/* The next line of the body that is no remark. */
static int body_line(text_t *t, char **line, err_t *e) {
  int rc;
  while ((rc = text_next(t, line, e)) > 0 && **line == '#')
    if (strcmp(*line, "#BEGIN_TB") == 0) break;
  return rc;
}

static int count_lines(raw_t *r, text_t *t, char *line, err_t *e) {
  line_t l;
  warp_t *w;
  int rc = find_front(r, t, line, e);
  if (rc < 0) return rc;
  do {
    if ((rc = owner(r, t, line, true, &l, &w, e)) < 0) return rc;
    if (w) w->bytes += strlen(l.rest) + 1, w->lines++;
  } while ((rc = body_line(t, &line, e)) > 0);
  return rc;
}

/* ---- the grouped text ---- */

static int unwritable(err_t *e) {
  int number = errno;
  return err_set(e, GMMU_EIO, "cannot write a temporary file for a raw trace: %s",
                 strerror(number));
}

/* The header as it is, up to the line that begins with "#". */
static int copy_header(raw_t *r, text_t *t, err_t *e) {
  char *line;
  int rc;
  while ((rc = text_next(t, &line, e)) > 0) {
    fprintf(r->file, "%s\n", line);
    if (*line == '#') break;
  }
  return rc < 0 ? rc : GMMU_OK;
}

static void write_clusters(raw_t *r, const block_t *b) {
  const uint32_t *c = b->cluster;
  if (!r->clusters) return;
  fprintf(r->file, "cluster id = %u,%u,%u\ncluster cta = %u,%u,%u\ncluster rank = %u\n", c[0], c[1],
          c[2], c[3], c[4], c[5], c[6]);
}

static int write_frame(raw_t *r, err_t *e) {
  qsort(r->block, r->blocks, sizeof *r->block, by_number);
  memset(r->slot, 0, r->slots * sizeof *r->slot);
  for (uint32_t i = 0; i < r->blocks; i++) {
    block_t *b = &r->block[i];
    *find_slot(r, b->cta) = i + 1;
    fprintf(r->file, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n", b->xyz[0], b->xyz[1], b->xyz[2]);
    write_clusters(r, b);
    for (uint32_t w = 0; w < r->warps; w++) {
      warp_t *at = &b->warp[w];
      fprintf(r->file, "\nwarp = %u\ninsts = %llu\n", w, (unsigned long long)at->lines);
      at->at = (uint64_t)ftello(r->file), at->half = false;
      if (fseeko(r->file, (off_t)at->bytes, SEEK_CUR) != 0) return unwritable(e);
    }
    fprintf(r->file, "\n#END_TB\n");
  }
  return fflush(r->file) == 0 && !ferror(r->file) ? GMMU_OK : unwritable(e);
}

/* ---- second reading ---- */

static int put(const raw_t *r, warp_t *w, char *text, err_t *e) {
  size_t size = strlen(text);
  text[size] = '\n'; /* the NUL that ended it */
  for (size_t done = 0; done <= size;) {
    ssize_t n = pwrite(fileno(r->file), text + done, size + 1 - done, (off_t)(w->at + done));
    if (n < 0 && errno != EINTR) return unwritable(e);
    if (n > 0) done += (size_t)n;
  }
  w->at += size + 1, w->bytes -= size + 1;
  return GMMU_OK;
}

static int place_lines(raw_t *r, text_t *t, err_t *e) {
  char *line;
  line_t l;
  warp_t *w;
  int rc;
  while ((rc = body_line(t, &line, e)) > 0) {
    if ((rc = owner(r, t, line, false, &l, &w, e)) < 0) return rc;
    if (w && strlen(l.rest) + 1 > w->bytes)
      return text_wrong(t, e, "the file changed while it was read");
    if (w && (rc = put(r, w, l.rest, e)) < 0) return rc;
  }
  for (uint32_t b = 0; rc == 0 && b < r->blocks; b++)
    for (uint32_t i = 0; i < r->warps; i++)
      if (r->block[b].warp[i].bytes) return text_wrong(t, e, "the file changed while it was read");
  return rc;
}

static int write_grouped(raw_t *r, err_t *e) {
  text_t *t;
  r->file = tmpfile();
  if (!r->file) return unwritable(e);
  int rc = r->open(r->ctx, &t, e);
  if (rc < 0) return rc;
  rc = copy_header(r, t, e);
  if (rc == 0) rc = write_frame(r, e);
  if (rc == 0) rc = place_lines(r, t, e);
  if (rc < 0) text_blame(t, e);
  text_close(t);
  return rc;
}

/* ---- the whole ---- */

static int first_reading(raw_t *r, text_t *t, bool *raw, err_t *e) {
  traceg_t head;
  char *line;
  *raw = false;
  int rc = traceg_init(&head, t, NULL, NULL, false, e);
  if (rc < 0) return rc;
  r->header = head.header;
  traceg_fini(&head);
  r->header.name = NULL;
  const uint32_t *b = r->header.block;
  r->warps = (b[0] * b[1] * b[2] + WARP_LANES - 1) / WARP_LANES;
  rc = body_line(t, &line, e);
  if (rc <= 0 || scan_digit(*line) >= 10) return rc < 0 ? rc : GMMU_OK; /* grouped, or nothing */
  *raw = true;
  rc = count_lines(r, t, line, e);
  if (rc < 0) text_blame(t, e);
  return rc;
}

int raw_group(raw_open_t open, void *ctx, FILE **out, err_t *e) {
  raw_t r = {.open = open, .ctx = ctx};
  text_t *t;
  bool raw;
  *out = NULL;
  int rc = open(ctx, &t, e);
  if (rc < 0) return rc;
  rc = first_reading(&r, t, &raw, e);
  text_close(t);
  if (rc == 0 && raw) rc = write_grouped(&r, e);
  if (rc == 0) *out = r.file;
  if (rc < 0 && r.file) fclose(r.file);
  for (uint32_t b = 0; b < r.blocks; b++) free(r.block[b].warp);
  free(r.block);
  free(r.slot);
  return rc;
}
