/* Two ways: a contiguous run of bytes needs no search; anything else goes lane by lane through a
 * small hash table of the lines seen so far. An access that crosses a line (a misaligned lane,
 * which no CUDA program may make) counts for the line of its first byte. */
#include "sm/coalesce.h"
#include <string.h>

static uint64_t lane_address(const warp_op_t *op, uint32_t lane) {
  return op->mode == ADDR_LIST ? op->lane[lane] : op->base + (uint64_t)(op->stride * (int64_t)lane);
}

/* Sectors of a line that the bytes [from, to) of it touch, and those it covers. */
static uint8_t sectors_touched(uint32_t from, uint32_t to) {
  return (uint8_t)((0xfu >> (3 - (to - 1) / 32)) & (0xfu << from / 32));
}
static uint8_t sectors_covered(uint32_t from, uint32_t to) {
  uint32_t first = (from + 31) / 32, end = to / 32;
  uint32_t bits = first < end ? (1u << end) - (1u << first) : 0;
  return (uint8_t)bits;
}

static void coalesce_run(uint64_t start, uint64_t bytes, coalesced_t *out) {
  uint64_t end = start + bytes;
  uint32_t n = 0;
  for (uint64_t line = start >> 7; line <= (end - 1) >> 7; line++, n++) {
    uint32_t from = line == start >> 7 ? (uint32_t)(start & 127) : 0;
    uint32_t to = line == (end - 1) >> 7 ? (uint32_t)((end - 1) & 127) + 1 : 128;
    out->line[n] = line;
    out->sectors[n] = sectors_touched(from, to);
    out->full[n] = sectors_covered(from, to);
  }
  out->lines = n;
}

static uint32_t line_index(coalesced_t *out, uint64_t bytes[][2], uint8_t table[64],
                           uint64_t line) {
  uint32_t h = (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 58);
  while (table[h] != 0xff) {
    if (out->line[table[h]] == line) return table[h];
    h = (h + 1) & 63;
  }
  uint32_t n = out->lines++;
  table[h] = (uint8_t)n;
  out->line[n] = line;
  out->sectors[n] = 0;
  bytes[n][0] = bytes[n][1] = 0;
  return n;
}

static uint8_t covered(const uint64_t b[2]) {
  uint8_t m = 0;
  for (uint32_t s = 0; s < 4; s++)
    if ((uint32_t)(b[s / 2] >> (s & 1) * 32) == UINT32_MAX) m |= (uint8_t)(1u << s);
  return m;
}

static void coalesce_lanes(const warp_op_t *op, uint32_t width, coalesced_t *out) {
  uint8_t table[64];
  uint64_t bytes[COALESCE_MAX][2];
  memset(table, 0xff, sizeof table);
  out->lines = 0;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t a = lane_address(op, (uint32_t)__builtin_ctz(m));
    uint32_t i = line_index(out, bytes, table, a >> 7), at = (uint32_t)a & 127;
    uint32_t to = at + width <= 128 ? at + width : 128;
    out->sectors[i] |= sectors_touched(at, to);
    bytes[i][at >> 6] |= ((1ull << width) - 1) << (at & 63);
  }
  for (uint32_t i = 0; i < out->lines; i++) out->full[i] = covered(bytes[i]);
}

void coalesce(const warp_op_t *op, uint32_t width, coalesced_t *out) {
  if (op->mode == ADDR_STRIDE && op->mask == UINT32_MAX && op->stride == (int64_t)width)
    coalesce_run(op->base, (uint64_t)width * WARP_LANES, out);
  else if (op->mode == ADDR_STRIDE && op->mask && op->stride == 0 &&
           (op->base & 127) + width <= 128)
    coalesce_run(op->base, width, out);
  else
    coalesce_lanes(op, width, out);
}

uint32_t bank_conflicts(const warp_op_t *op, uint32_t width) {
  if (op->mode == ADDR_STRIDE && (op->stride == 4 || op->stride == 0) && width <= 4) return 1;
  uint8_t count[32] = {0};
  uint64_t seen[32];
  uint32_t worst = 1;
  for (uint32_t m = op->mask; m; m &= m - 1) {
    uint64_t word = lane_address(op, (uint32_t)__builtin_ctz(m)) >> 2;
    uint32_t bank = (uint32_t)word & 31;
    if (count[bank] && seen[bank] == word) continue;
    seen[bank] = word;
    if (++count[bank] > worst) worst = count[bank];
  }
  uint32_t wide = width > 4 ? width / 4 : 1; /* 8 and 16 bytes per lane take several passes */
  return worst > wide ? worst : wide;
}
