/* Two ways: a contiguous run of bytes needs no search; anything else goes lane by lane through a
 * small hash table of the lines seen so far. An access that crosses a line (a misaligned lane,
 * which no CUDA program may make) counts for the line of its first byte. */
#include "sm/coalesce.h"
#include "base/inline.h"
#include "engine/request.h"
#include <string.h>

/* Sectors of a line that the bytes [from, to) of it touch, and those it covers. */
static uint8_t sectors_touched(uint32_t from, uint32_t to) {
  return (uint8_t)((2u << (to - 1) / 32) - (1u << from / 32));
}
static uint8_t sectors_covered(uint32_t from, uint32_t to) {
  uint32_t first = (from + 31) / 32, end = to / 32;
  uint32_t bits = first < end ? (1u << end) - (1u << first) : 0;
  return (uint8_t)bits;
}

static void coalesce_run(uint64_t start, uint64_t bytes, uint32_t shift, coalesced_t *out) {
  uint64_t last = start + bytes - 1;
  uint32_t n = 0, size = 1u << shift;
  for (uint64_t line = start >> shift; line <= last >> shift; line++, n++) {
    uint32_t from = line == start >> shift ? (uint32_t)start & (size - 1) : 0;
    uint32_t to = line == last >> shift ? ((uint32_t)last & (size - 1)) + 1 : size;
    out->line[n] = line;
    out->sectors[n] = sectors_touched(from, to);
    out->full[n] = sectors_covered(from, to);
  }
  out->lines = n;
}

/* The number of `line` among the lines seen, a new one if it is not. */
ALWAYS_INLINE uint32_t line_index(coalesced_t *out, uint8_t table[64], uint64_t line) {
  uint32_t h = (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 58);
  for (; table[h] != 0xff; h = (h + 1) & 63)
    if (out->line[table[h]] == line) return table[h];
  uint32_t n = out->lines++;
  table[h] = (uint8_t)n;
  out->line[n] = line;
  out->sectors[n] = 0;
  return n;
}

#define LINE_WORDS (LINE_BYTES_MAX / 64) /* of a bit per byte */

static uint8_t covered(const uint64_t b[LINE_WORDS]) {
  uint8_t m = 0;
  for (uint32_t s = 0; s < 2 * LINE_WORDS; s++)
    if ((uint32_t)(b[s / 2] >> (s & 1) * 32) == UINT32_MAX) m |= (uint8_t)(1u << s);
  return m;
}

/* index[i] is the line of the i-th active lane. */
NEVER_INLINE void cover_lanes(const warp_op_t *op, uint32_t width, uint32_t shift,
                              const uint8_t index[], coalesced_t *out) {
  uint64_t bytes[COALESCE_MAX][LINE_WORDS];
  memset(bytes, 0, out->lines * sizeof *bytes);
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint32_t at = (uint32_t)coalesce_address(op, (uint32_t)__builtin_ctz(m)) & ((1u << shift) - 1);
    bytes[*index++][at >> 6] |= ((1ull << width) - 1) << (at & 63);
  }
  for (uint32_t i = 0; i < out->lines; i++) out->full[i] = covered(bytes[i]);
}

/* Fast path: every lane is aligned, so it touches one sector, and nobody asks for those that are
 * covered. False: a lane is not. */
static bool coalesce_aligned(const warp_op_t *op, uint32_t width, uint32_t shift,
                             coalesced_t *out) {
  uint8_t table[64];
  uint32_t i = 0, sectors = 0, places = (1u << shift) / SECTOR_BYTES - 1;
  uint64_t before = UINT64_MAX, all = 0;
  memset(table, 0xff, sizeof table);
  out->lines = 0;
  out->sectors[0] = 0;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t a = coalesce_address(op, (uint32_t)__builtin_ctz(m));
    if (a >> shift != before) {
      out->sectors[i] |= (uint8_t)sectors;
      i = line_index(out, table, before = a >> shift);
      sectors = 0;
    }
    sectors |= 1u << (a / SECTOR_BYTES & places);
    all |= a;
  }
  out->sectors[i] |= (uint8_t)sectors;
  return !(all & (width - 1));
}

/* A lane touches one sector, or two if it is misaligned. */
static void coalesce_lanes(const warp_op_t *op, uint32_t width, uint32_t shift, bool want_full,
                           coalesced_t *out) {
  if (FAST(!want_full) && coalesce_aligned(op, width, shift, out)) return;
  uint8_t table[64], index[WARP_LANES];
  uint32_t n = 0, end = (1u << shift) - 1, i = 0;
  uint64_t before = UINT64_MAX; /* the line of the lane before: often it is the same */
  memset(table, 0xff, sizeof table);
  out->lines = 0;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t a = coalesce_address(op, (uint32_t)__builtin_ctz(m));
    if (a >> shift != before) i = line_index(out, table, before = a >> shift);
    uint32_t first = (uint32_t)a & end, last = first + width - 1 < end ? first + width - 1 : end;
    out->sectors[i] |= (uint8_t)(1u << first / 32 | 1u << last / 32);
    index[n++] = (uint8_t)i;
  }
  if (want_full) cover_lanes(op, width, shift, index, out);
}

void coalesce(const warp_op_t *op, uint32_t width, uint32_t line_shift, bool want_full,
              coalesced_t *out) {
  if (op->mode == ADDR_STRIDE && op->mask == UINT32_MAX && op->stride == (int64_t)width)
    coalesce_run(op->base, (uint64_t)width * WARP_LANES, line_shift, out);
  else if (op->mode == ADDR_STRIDE && op->mask && op->stride == 0 &&
           (op->base & ((1u << line_shift) - 1)) + width <= 1u << line_shift)
    coalesce_run(op->base, width, line_shift, out);
  else
    coalesce_lanes(op, width, line_shift, want_full, out);
}

void coalesce_atomic(const warp_op_t *op, uint32_t width, uint32_t line_shift,
                     const coalesced_t *co, uint8_t operations[COALESCE_MAX]) {
  uint64_t word[WARP_LANES], sector[WARP_LANES];
  uint8_t lanes[WARP_LANES], most[WARP_LANES]; /* that name the word; of a word of the sector */
  uint32_t words = 0, sectors = 0;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t a = coalesce_address(op, (uint32_t)__builtin_ctz(m)) / (width ? width : 1);
    uint32_t k = 0, s = 0;
    while (k < words && word[k] != a) k++;
    if (k == words) word[words] = a, lanes[words++] = 0;
    lanes[k]++;
    uint64_t in = a * width / SECTOR_BYTES;
    while (s < sectors && sector[s] != in) s++;
    if (s == sectors) sector[sectors] = in, most[sectors++] = 0;
    if (lanes[k] > most[s]) most[s] = lanes[k];
  }
  memset(operations, 0, co->lines);
  for (uint32_t s = 0; s < sectors; s++)
    for (uint32_t i = 0; i < co->lines; i++)
      if (sector[s] * SECTOR_BYTES >> line_shift == co->line[i]) operations[i] += most[s];
}

static bool holds(const uint64_t *list, uint32_t n, uint64_t x) {
  for (uint32_t i = 0; i < n; i++)
    if (list[i] == x) return true;
  return false;
}

/* Words of one bank take a pass each, and all lanes get a word in the same pass. Accesses of 8 and
 * 16 bytes are aligned, so those that meet in one bank meet in all of theirs: the first tells. */
uint32_t bank_conflicts(const warp_op_t *op, uint32_t width) {
  if (op->mode == ADDR_STRIDE && (op->stride == 4 || op->stride == 0) && width <= 4) return 1;
  uint8_t count[32] = {0};
  uint64_t seen[WARP_LANES];
  uint32_t words = 0, worst = 1;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t word = coalesce_address(op, (uint32_t)__builtin_ctz(m)) >> 2;
    uint32_t bank = (uint32_t)word & 31;
    if (count[bank] && holds(seen, words, word)) continue;
    seen[words++] = word;
    if (++count[bank] > worst) worst = count[bank];
  }
  return worst;
}
