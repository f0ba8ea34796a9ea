/* Instructions of tensor cores: products of small matrices that a warp holds in registers, and the
 * loads and stores that bring them there.
 *
 * mma, ldmatrix, stmatrix and movmatrix have the layouts that PTX defines. Of wmma PTX leaves the
 * layout open; here a lane holds neighbouring elements of the matrix, row after row.
 *
 * Products of floats are exact, their sum is a double, and the result is rounded once: hardware
 * adds in an order and with a width of its own. Products of doubles are a chain of fma. */
#include "ptx/exec.h"
#include "ptx/exec_int.h"
#include "ptx/fp.h"
#include <string.h>

#define MAX_ELEMENTS 4096u /* 16 x 256 bits */
#define LANES        for (uint32_t l = 0; l < WARP_LANES; l++)

typedef union {
  double f[MAX_ELEMENTS];
  int32_t i[MAX_ELEMENTS];
} elements_t;

void put_lanes32(pwarp_t *w, uint32_t d, const uint32_t *v, uint32_t lanes) {
  if (d == OPERAND_NONE) return;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(lanes);
    memcpy(w->frame + d + 4 * l, &v[l], 4);
  }
}

void put_lanes64(pwarp_t *w, uint32_t d, const uint64_t *v, uint32_t lanes) {
  if (d == OPERAND_NONE) return;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(lanes);
    memcpy(w->frame + d + 8 * l, &v[l], 8);
  }
}

/* ---- where elements are ---------------------------------------------------------------------- */

/* How a fragment lies in registers. */
typedef struct {
  uint32_t fragment, rows, cols, bits, reg_bits, per_reg, regs;
  uint8_t type;
  bool wmma;
} place_t;

static place_t place_of(const pmatrix_t *p, uint32_t fragment, uint8_t type, uint32_t regs) {
  place_t q = {.fragment = fragment, .type = type, .regs = regs, .wmma = p->wmma};
  matrix_shape(p, fragment, &q.rows, &q.cols);
  q.bits = matrix_bits(type), q.reg_bits = type == T_F64 ? 64 : 32;
  q.per_reg = q.reg_bits / q.bits;
  return q;
}

/* The index, row by row, of element i of register r of a lane. */
static uint32_t element_at(const place_t *q, uint32_t lane, uint32_t r, uint32_t i) {
  if (q->wmma) {
    uint32_t per_lane = q->rows * q->cols / WARP_LANES;
    return lane * per_lane + (r * q->per_reg + i) % per_lane;
  }
  uint32_t group = lane / 4, in_group = lane % 4, row, col;
  if (q->fragment == FRAGMENT_A) { /* registers: rows g, g + 8, then the next columns */
    uint32_t halves = q->rows / 8;
    row = group + 8 * (r % halves);
    col = (r / halves) * 4 * q->per_reg + in_group * q->per_reg + i;
  } else if (q->fragment == FRAGMENT_B) {
    row = r * 4 * q->per_reg + in_group * q->per_reg + i, col = group;
  } else { /* two neighbours per row, of rows g and g + 8 */
    uint32_t k = r * q->per_reg + i;
    row = group + 8 * (k / 2), col = 2 * in_group + k % 2;
  }
  return row * q->cols + col;
}

static uint64_t register_lane(const pexec_t *x, const pwarp_t *w, uint32_t o, uint32_t lane,
                              uint32_t bits) {
  uint64_t v = 0;
  memcpy(&v, (const uint8_t *)operand_at(x, w, o) + lane * (bits / 8), bits / 8);
  return v;
}

static double float_of(uint8_t type, uint64_t v) {
  switch (type) {
  case T_F64: return bits_f64(v);
  case T_F32: return bits_f32((uint32_t)v);
  case T_TF32: return bits_f32((uint32_t)v & 0xffffe000u);
  default: return fp_from_bits(fp_format(type), v);
  }
}

static int32_t int_of(uint8_t type, uint32_t bits, uint64_t v) {
  bool is_signed = type == T_S8 || type == T_S4 || type == T_S32;
  uint32_t u = (uint32_t)(v & low_bits(bits));
  if (is_signed && bits < 32 && u >> (bits - 1)) u |= ~(uint32_t)low_bits(bits);
  return (int32_t)u;
}

static bool is_real(uint8_t type) { return ptype_info[type].kind == 'f' || type == T_TF32; }

static void gather(const pexec_t *x, const pwarp_t *w, const place_t *q, const uint32_t *reg,
                   elements_t *e) {
  for (uint32_t r = 0; r < q->regs; r++) LANES {
      uint64_t v = register_lane(x, w, reg[r], l, q->reg_bits);
      for (uint32_t i = 0; i < q->per_reg; i++, v = q->bits == 64 ? v : v >> q->bits) {
        uint32_t at = element_at(q, l, r, i);
        if (is_real(q->type))
          e->f[at] = float_of(q->type, v & low_bits(q->bits));
        else
          e->i[at] = int_of(q->type, q->bits, v);
      }
    }
}

static uint64_t bits_of(const place_t *q, const elements_t *e, uint32_t at) {
  switch (q->type) {
  case T_F64: return e->f[at] != e->f[at] ? 0xfff8000000000000u : f64_bits(e->f[at]);
  case T_F32: return fp_round(&fp_f32, e->f[at], RND_RN);
  case T_F16: return fp_round(&fp_f16, e->f[at], RND_RN);
  default: return (uint32_t)e->i[at];
  }
}

static void scatter(pwarp_t *w, const place_t *q, const uint32_t *reg, const elements_t *e,
                    uint32_t lanes) {
  for (uint32_t r = 0; r < q->regs; r++) {
    uint64_t wide[WARP_LANES];
    uint32_t narrow[WARP_LANES];
    LANES {
      uint64_t v = 0;
      for (uint32_t i = 0; i < q->per_reg; i++)
        v |= bits_of(q, e, element_at(q, l, r, i)) << i * q->bits;
      wide[l] = v, narrow[l] = (uint32_t)v;
    }
    if (q->reg_bits == 64)
      put_lanes64(w, reg[r], wide, lanes);
    else
      put_lanes32(w, reg[r], narrow, lanes);
  }
}

/* ---- products -------------------------------------------------------------------------------- */

static void multiply_real(const pmatrix_t *p, const elements_t *a, const elements_t *b,
                          elements_t *c) {
  for (uint32_t i = 0; i < p->m; i++)
    for (uint32_t j = 0; j < p->n; j++) {
      double s = p->type[0] == T_F64 ? c->f[i * p->n + j] : 0;
      for (uint32_t k = 0; k < p->k; k++) {
        double u = a->f[i * p->k + k], v = b->f[k * p->n + j];
        s = p->type[0] == T_F64 ? __builtin_fma(u, v, s) : s + u * v;
      }
      c->f[i * p->n + j] = p->type[0] == T_F64 ? s : s + c->f[i * p->n + j];
    }
}

static int32_t product_bit(const pmatrix_t *p, int32_t a, int32_t b) {
  return p->bits == BITS_XOR ? a ^ b : p->bits == BITS_AND ? (a & b) : 0;
}

static void multiply_int(const pmatrix_t *p, const elements_t *a, const elements_t *b,
                         elements_t *c) {
  for (uint32_t i = 0; i < p->m; i++)
    for (uint32_t j = 0; j < p->n; j++) {
      int64_t s = c->i[i * p->n + j];
      for (uint32_t k = 0; k < p->k; k++) {
        int32_t u = a->i[i * p->k + k], v = b->i[k * p->n + j];
        s += p->bits ? product_bit(p, u, v) : (int64_t)u * v;
      }
      c->i[i * p->n + j] = p->satfinite ? sat_s32(s) : (int32_t)(uint32_t)(uint64_t)s;
    }
}

static void multiply(pexec_t *x, pwarp_t *w, const pmatrix_t *p, uint32_t lanes) {
  elements_t a, b, c;
  place_t qa = place_of(p, FRAGMENT_A, p->type[1], p->regs[1]),
          qb = place_of(p, FRAGMENT_B, p->type[2], p->regs[2]),
          qc = place_of(p, FRAGMENT_C, p->type[3], p->regs[3]),
          qd = place_of(p, FRAGMENT_D, p->type[0], p->regs[0]);
  gather(x, w, &qa, p->reg[1], &a);
  gather(x, w, &qb, p->reg[2], &b);
  gather(x, w, &qc, p->reg[3], &c);
  if (is_real(p->type[1]))
    multiply_real(p, &a, &b, &c);
  else
    multiply_int(p, &a, &b, &c);
  scatter(w, &qd, p->reg[0], &c, lanes);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t lane_address(const pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane) {
  if (in->flags & DI_ADDR32)
    return (uint32_t)(register_lane(x, w, in->s[0], lane, 32) + (uint32_t)in->imm);
  return register_lane(x, w, in->s[0], lane, 64) + in->imm;
}

/* `bytes` bytes at an address of a space; NULL with *skip set: they are outside and that is
 * ignored; NULL without: the fault is recorded. */
static uint8_t *bytes_at(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane,
                         uint64_t addr, uint32_t bytes, const char *what, bool *skip) {
  bool shared = in->aux == SP_SHARED;
  uint64_t generic = shared ? DEVMEM_SHARED_WINDOW + (uint32_t)addr : addr;
  uint8_t *p = pexec_generic(x, w, lane, generic, bytes);
  *skip = !p && access_outside(x, w, in, lane, addr, bytes > 16 ? 16 : bytes, what,
                               shared ? "shared" : "global");
  return p;
}

/* A warp loads or stores a matrix: each of its lines is contiguous in memory. The stream shows the
 * same bytes cut into 32 equal parts, one per lane. */
static bool whole_matrix(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  const pmatrix_t *p = &w->code->matrix[in->target];
  place_t q = place_of(p, p->fragment, p->type[0], p->regs[0]);
  bool store = in->op == I_WMMA_ST;
  uint32_t lines = p->col ? q.cols : q.rows, length = p->col ? q.rows : q.cols;
  uint32_t line_bytes = length * q.bits / 8, first = (uint32_t)__builtin_ctz(lanes);
  uint64_t base = lane_address(x, w, in, first);
  uint64_t stride =
      in->s[1] == OPERAND_NONE ? line_bytes : register_lane(x, w, in->s[1], first, 32) * q.bits / 8;
  uint32_t part = lines * line_bytes / WARP_LANES, per_line = line_bytes / part;
  uint32_t align = q.bits < 8 ? 1 : q.bits / 8;
  if ((base | stride) % align)
    return fault_misaligned(x, w, in, first, base, align, store ? "store" : "load");
  uint64_t raw[MAX_ELEMENTS] = {0}; /* elements, row by row */
  for (uint32_t r = 0; store && r < q.regs; r++) LANES for (uint32_t i = 0; i < q.per_reg; i++) {
      uint64_t v = register_lane(x, w, p->reg[0][r], l, q.reg_bits);
      raw[element_at(&q, l, r, i)] = v >> i * q.bits & low_bits(q.bits);
    }
  for (uint32_t n = 0; n < lines; n++) {
    bool skip;
    uint8_t *at = NULL;
    uint64_t line = base + n * stride;
    for (uint32_t k = 0; k < length; k++) {
      uint64_t *e = &raw[p->col ? k * q.cols + n : n * q.cols + k];
      if (k * q.bits % 64 == 0) { /* 8 bytes at a time: memory may lie in small pieces */
        uint32_t part_bytes = line_bytes < 8 ? line_bytes : 8;
        at = bytes_at(x, w, in, first, line + k * q.bits / 8, part_bytes, store ? "store" : "load",
                      &skip);
        if (!at && !skip) return false;
        if (at) at -= k * q.bits / 8;
      }
      if (!at) continue;
      if (q.bits < 8) {
        uint32_t shift = k * q.bits % 8;
        *e = at[k * q.bits / 8] >> shift & low_bits(q.bits);
      } else if (store) {
        memcpy(at + k * q.bits / 8, e, q.bits / 8);
      } else {
        memcpy(e, at + k * q.bits / 8, q.bits / 8);
      }
    }
  }
  LANES x->addr[l] = base + l / per_line * stride + l % per_line * part;
  if (store) {
    x->progress++;
    return true;
  }
  for (uint32_t r = 0; r < q.regs; r++) {
    uint64_t wide[WARP_LANES] = {0};
    uint32_t narrow[WARP_LANES];
    LANES {
      for (uint32_t i = 0; i < q.per_reg; i++)
        wide[l] |= raw[element_at(&q, l, r, i)] << i * q.bits;
      narrow[l] = (uint32_t)wide[l];
    }
    if (q.reg_bits == 64)
      put_lanes64(w, p->reg[0][r], wide, lanes);
    else
      put_lanes32(w, p->reg[0][r], narrow, lanes);
  }
  return true;
}

/* 8 x 8 matrices of 16-bit elements: lanes 8 m .. 8 m + 7 have the addresses of the rows of matrix
 * m; lane l holds two neighbours of row l / 4, or of column l / 4 when transposed. */
static bool rows_of_8(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  const pmatrix_t *p = &w->code->matrix[in->target];
  bool store = in->op == I_STMATRIX, trans = in->sub;
  uint16_t cell[4][8][8] = {{{0}}};
  uint32_t count = p->regs[0], out[4][WARP_LANES];
  for (uint32_t m = 0; store && m < count; m++) LANES {
      uint32_t v = (uint32_t)register_lane(x, w, p->reg[0][m], l, 32);
      for (uint32_t i = 0; i < 2; i++) {
        uint32_t a = l / 4, b = 2 * (l % 4) + i;
        cell[m][trans ? b : a][trans ? a : b] = (uint16_t)(v >> 16 * i);
      }
    }
  x->op_mask = 0;
  for (uint32_t k = 0; k < 8 * count; k++) {
    uint64_t addr = (uint32_t)lane_address(x, w, in, k);
    bool skip;
    if (addr % 16) return fault_misaligned(x, w, in, k, addr, 16, store ? "store" : "load");
    uint8_t *at = bytes_at(x, w, in, k, addr, 16, store ? "store" : "load", &skip);
    if (!at && !skip) return false;
    x->addr[k] = addr;
    if (!at) continue;
    x->op_mask |= 1u << k;
    if (store)
      memcpy(at, cell[k / 8][k % 8], 16);
    else
      memcpy(cell[k / 8][k % 8], at, 16);
  }
  if (store) {
    x->progress++;
    return true;
  }
  for (uint32_t m = 0; m < count; m++) {
    LANES {
      uint32_t a = l / 4, b = 2 * (l % 4);
      uint32_t low = trans ? cell[m][b][a] : cell[m][a][b],
               high = trans ? cell[m][b + 1][a] : cell[m][a][b + 1];
      out[m][l] = low | high << 16;
    }
    put_lanes32(w, p->reg[0][m], out[m], lanes);
  }
  return true;
}

static void transpose_8(const pexec_t *x, pwarp_t *w, const pmatrix_t *p, uint32_t lanes) {
  uint16_t cell[8][8];
  uint32_t out[WARP_LANES];
  LANES {
    uint32_t v = (uint32_t)register_lane(x, w, p->reg[1][0], l, 32);
    cell[l / 4][2 * (l % 4)] = (uint16_t)v, cell[l / 4][2 * (l % 4) + 1] = (uint16_t)(v >> 16);
  }
  LANES out[l] = cell[2 * (l % 4)][l / 4] | (uint32_t)cell[2 * (l % 4) + 1][l / 4] << 16;
  put_lanes32(w, p->reg[0][0], out, lanes);
}

bool matrix_execute(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  switch (in->op) {
  case I_MMA: multiply(x, w, &w->code->matrix[in->target], lanes); return true;
  case I_WMMA_LD:
  case I_WMMA_ST: return whole_matrix(x, w, in, lanes);
  case I_MOVMATRIX: transpose_8(x, w, &w->code->matrix[in->target], lanes); return true;
  default: return rows_of_8(x, w, in, lanes);
  }
}
