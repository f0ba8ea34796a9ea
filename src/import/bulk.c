/* The line goes on: width mbarrier multicast [CTA mask] bytes bytes-out-of-bounds mode, then
 *   3: number of addresses, the addresses
 *   4: the first address, number of addresses, differences from address to address
 * and the end that every line has. The writer's faults: a transfer of one address in mode 4 shows 0
 * instead of it, and the number counts elements that are out of bounds, whose addresses are not
 * there. So the differences are what lies before the line's end.
 *
 * Invariant: bulk.p points to the next address while bulk.left is not 0; the line is the one that
 * the text gave last. */
#include "import/bulk.h"
#include "import/scan.h"
#include "import/traceg_line.h"
#include <string.h>

#define PIECE_BYTES 16u
#define WIDTH_MAX   65536u /* bytes of an element */

bool bulk_opcode(const char *text, uint32_t size, uint8_t *cls) {
  static const struct {
    const char *name;
    uint8_t cls;
  } known[] = {{"UTMALDG", IC_LOAD},  {"UTMASTG", IC_STORE},   {"UTMAPF", IC_LOAD},
               {"UBLKCP", IC_LOAD},   {"UTMAREDG", IC_ATOMIC}, {"UBLKPF", IC_LOAD},
               {"UBLKRED", IC_ATOMIC}};
  for (size_t i = 0; size && *text == 'U' && i < sizeof known / sizeof *known; i++) {
    uint32_t n = (uint32_t)strlen(known[i].name);
    if (size < n || memcmp(text, known[i].name, n) != 0 || (size > n && text[n] != '.')) continue;
    *cls = known[i].cls;
    if (*cls == IC_LOAD && strncmp(text + n, ".G.S", 4) == 0)
      *cls = IC_STORE; /* UBLKCP's other way */
    return true;
  }
  return false;
}

bool bulk_follows(char *p) {
  char *word;
  uint32_t size;
  return scan_word(&p, &word, &size) && scan_word(&p, &word, &size) && size > 2 && word[0] == '0' &&
         word[1] == 'x';
}

/* ---- the line ---- */

/* The words at the end of every line: two immediates, and perhaps NoVal. */
static uint32_t end_words(char *p) {
  char *word;
  uint32_t size;
  bool values = false;
  while (scan_word(&p, &word, &size)) values = size >= 3 && memcmp(p - 3, "Val", 3) == 0;
  return values ? 3 : 2;
}

/* How many of `most` words are addresses. */
static uint64_t listed(char *p, uint64_t most) {
  char *word;
  uint32_t size;
  uint64_t n = 0;
  while (n < most && scan_word(&p, &word, &size) && size > 2 && word[1] == 'x') n++;
  return n;
}

static int address_list(traceg_t *t, char *p, err_t *e) {
  traceg_bulk_t *b = &t->bulk;
  uint64_t count;
  if (!scan_number(&p, 10, &count)) return traceg_wrong(t, e, "a number of addresses", p);
  b->left = listed(p, count);
  if (b->left < count) note_add(t->notes, NOTE_TMA_SHORT, t->text);
  b->p = p;
  return GMMU_OK;
}

static int address_deltas(traceg_t *t, char *p, err_t *e) {
  traceg_bulk_t *b = &t->bulk;
  uint64_t count;
  if (!scan_number(&p, 16, &b->address)) return traceg_wrong(t, e, "a base address", p);
  if (!scan_number(&p, 10, &count)) return traceg_wrong(t, e, "a number of addresses", p);
  uint32_t words = scan_count(p), end = end_words(p);
  uint64_t deltas = words > end ? words - end : 0;
  if (count && deltas >= count) deltas = count - 1;
  if (count && deltas + 1 < count && b->address) note_add(t->notes, NOTE_TMA_SHORT, t->text);
  if (!count || (!b->address && !deltas)) {
    if (count) note_add(t->notes, NOTE_TMA_LOST, t->text);
    return GMMU_OK;
  }
  b->p = p, b->deltas = true;
  b->left = deltas + 1; /* the first has no difference in front: see next_address() */
  return GMMU_OK;
}

static int header(traceg_t *t, char **p, uint64_t *mode, err_t *e) {
  uint64_t mbarrier, multicast, mask, bytes, outside;
  if (!scan_number(p, 10, &t->bulk.width) || t->bulk.width > WIDTH_MAX)
    return traceg_wrong(t, e, "an access width", *p);
  if (!scan_number(p, 16, &mbarrier)) return traceg_wrong(t, e, "an mbarrier's address", *p);
  if (!scan_number(p, 10, &multicast) || multicast > 1)
    return traceg_wrong(t, e, "0 or 1 for multicast", *p);
  if (multicast && !scan_number(p, 16, &mask)) return traceg_wrong(t, e, "a mask of CTAs", *p);
  if (!scan_number(p, 10, &bytes) || !scan_number(p, 10, &outside))
    return traceg_wrong(t, e, "bytes, and bytes out of bounds", *p);
  if (!scan_number(p, 10, mode) || *mode < 3 || *mode > 4)
    return traceg_wrong(t, e, "an address mode of a bulk copy, 3 or 4", *p);
  return GMMU_OK;
}

int bulk_begin(traceg_t *t, char *p, uint8_t cls, err_t *e) {
  traceg_bulk_t *b = &t->bulk;
  uint64_t mode = 0;
  *b = (traceg_bulk_t){.last = UINT64_MAX};
  int rc = header(t, &p, &mode, e);
  if (rc == 0) rc = mode == 3 ? address_list(t, p, e) : address_deltas(t, p, e);
  if (rc < 0) {
    b->left = 0;
    return rc;
  }
  if (!b->left || !t->inst.op.mask) {
    b->left = 0;
    t->inst.row.cls = IC_INT;
    return TRACEG_INST;
  }
  note_add(t->notes, NOTE_TMA, t->text);
  t->inst.row.cls = cls, t->inst.row.space = SPACE_GLOBAL;
  t->inst.row.width = PIECE_BYTES, t->inst.row.flags = INST_BYPASS_L1;
  return bulk_next(t, e);
}

/* ---- pieces ---- */

static int next_address(traceg_t *t, err_t *e) {
  traceg_bulk_t *b = &t->bulk;
  uint64_t delta = 0;
  bool first = b->last == UINT64_MAX && !b->pieces;
  if (!b->deltas && !scan_number(&b->p, 16, &b->address))
    return traceg_wrong(t, e, "an address", b->p);
  if (b->deltas && !first && !scan_signed(&b->p, &delta))
    return traceg_wrong(t, e, "a difference of addresses", b->p);
  b->address += delta;
  uint64_t at = traceg_cut(t, b->address);
  b->piece = at / PIECE_BYTES;
  b->pieces = (at + (b->width ? b->width : 1) - 1) / PIECE_BYTES - b->piece + 1;
  b->left--;
  return GMMU_OK;
}

int bulk_next(traceg_t *t, err_t *e) {
  traceg_bulk_t *b = &t->bulk;
  warp_op_t *op = &t->inst.op;
  uint32_t lanes = 0;
  op->mode = ADDR_LIST, op->base = 0, op->stride = 0;
  while (b->pieces || b->left) {
    int rc = b->pieces ? GMMU_OK : next_address(t, e);
    if (rc < 0) {
      b->left = b->pieces = 0;
      return rc;
    }
    if (b->piece != b->last && lanes == WARP_LANES) break; /* the next instruction's */
    if (b->piece != b->last) op->lane[lanes++] = b->piece * PIECE_BYTES & TRACEG_ADDRESSES;
    b->last = b->piece++;
    b->pieces--;
  }
  op->mask = lanes == WARP_LANES ? UINT32_MAX : (1u << lanes) - 1;
  traceg_compact(op);
  return TRACEG_INST;
}
