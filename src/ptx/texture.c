/* Textures and surfaces: a table of descriptors. A handle is TEXTURE_HANDLE + index; a .texref
 * variable is an 8-byte cell of device memory that holds one, so binding is a store.
 *
 * Linear filtering is CUDA's: weights have 8 bits behind the point. The machine sees one address a
 * lane, that of the first texel: on a GPU a texel's neighbours, those of the next row too, are
 * mostly in its sector, because arrays are tiled there. */
#include "ptx/exec.h"
#include <stdlib.h>
#include <string.h>

#define MAX_TEXTURES (1u << 20) /* as on hardware */

static int check(const ptx_texture_t *t, err_t *e) {
  bool whole = t->kind != PTX_TEX_FLOAT && !t->read_normalized;
  if (!t->width || (t->channels != 1 && t->channels != 2 && t->channels != 4) ||
      (t->channel_bits != 8 && t->channel_bits != 16 && t->channel_bits != 32) ||
      t->kind > PTX_TEX_FLOAT || (t->kind == PTX_TEX_FLOAT && t->channel_bits == 8) ||
      t->address[0] > PTX_TEX_BORDER || t->address[1] > PTX_TEX_BORDER ||
      t->address[2] > PTX_TEX_BORDER || t->normalized > 1 || t->read_normalized > 1 ||
      t->linear > 1 || t->surface > 1 || (t->linear && whole))
    return err_set(e, GMMU_EINVAL, "this texture format is not supported");
  return 0;
}

int ptx_texture_new(ptx_t *p, const ptx_texture_t *t, uint64_t *handle, err_t *e) {
  uint32_t i = p->textures_dense;
  int r = check(t, e);
  if (r < 0) return r;
  while (i < p->textures && p->texture[i].used) i++;
  p->textures_dense = i;
  if (i == MAX_TEXTURES)
    return err_set(e, GMMU_ERANGE, "more than %u textures at once", MAX_TEXTURES);
  if (i == p->textures) {
    uint32_t n = p->textures ? 2 * p->textures : 16;
    struct ptex *q = realloc(p->texture, n * sizeof *q);
    if (!q) return err_set(e, GMMU_ENOMEM, "no memory for textures");
    memset(q + p->textures, 0, (n - p->textures) * sizeof *q);
    p->texture = q, p->textures = n;
  }
  p->texture[i] = (struct ptex){*t, true};
  *handle = TEXTURE_HANDLE + i;
  return 0;
}

int ptx_texture_free(ptx_t *p, uint64_t handle, err_t *e) {
  uint64_t i = handle - TEXTURE_HANDLE;
  if (i >= p->textures || !p->texture[i].used) return err_set(e, GMMU_EINVAL, "no such texture");
  p->texture[i].used = false;
  if (i < p->textures_dense) p->textures_dense = (uint32_t)i;
  return 0;
}

int ptx_texture_bind(ptx_t *p, int module, const char *name, const ptx_texture_t *t, err_t *e) {
  uint64_t va, bytes, old = 0, handle = 0;
  int r = ptx_symbol(p, module, name, &va, &bytes, e);
  if (r < 0) return r;
  if (bytes != 8) return err_set(e, GMMU_EINVAL, "'%s' is not a texture reference", name);
  devmem_read(p->mem, va, &old, 8, NULL);
  if (t) r = ptx_texture_new(p, t, &handle, e);
  if (r < 0) return r;
  if (old) ptx_texture_free(p, old, NULL);
  return devmem_write(p->mem, va, &handle, 8, e);
}

static const ptx_texture_t *lookup(const pexec_t *x, uint64_t h, bool surface) {
  uint64_t i = h - TEXTURE_HANDLE;
  if (i >= x->program->textures && devmem_read(x->mem, h, &h, 8, NULL) == 0) i = h - TEXTURE_HANDLE;
  const struct ptex *t = i < x->program->textures ? &x->program->texture[i] : NULL;
  return t && t->used && t->t.surface == surface ? &t->t : NULL;
}

static const ptx_texture_t *of_lane(pexec_t *x, const pwarp_t *w, const void *handle, uint32_t lane,
                                    bool surface) {
  uint64_t h;
  memcpy(&h, (const uint8_t *)handle + 8 * lane, 8);
  const ptx_texture_t *t = lookup(x, h, surface);
  if (!t)
    fault_simple(x, w, 1u << lane, PTX_FAULT_ILLEGAL_ADDRESS, "0x%llx is not a %s",
                 (unsigned long long)h, surface ? "surface" : "texture");
  return t;
}

/* --- where a texel is --- */

#define FAR 1e15 /* beyond it, every whole number is outside of every texture */

/* Of a whole number in texels: the texel, or -1: border. */
static int64_t place(double f, uint32_t size, uint8_t mode, bool normalized) {
  if (normalized && (mode == PTX_TEX_WRAP || mode == PTX_TEX_MIRROR) && f > -FAR && f < FAR) {
    int64_t i = (int64_t)f, period = mode == PTX_TEX_WRAP ? size : 2 * (int64_t)size;
    i %= period;
    if (i < 0) i += period;
    return i < size ? i : period - 1 - i;
  }
  if (f < 0 || f >= size) {
    if (mode == PTX_TEX_BORDER) return -1;
    return f < 0 ? 0 : (int64_t)size - 1;
  }
  return (int64_t)f;
}

/* One dimension of what is read: a texel, or two neighbours of which the second has `weight` of
 * 256. */
typedef struct {
  int64_t at[2];
  uint32_t weight;
} span_t;

static span_t nearest(double c, uint32_t size, uint8_t mode, bool normalized) {
  if (c != c) c = 0;
  if (normalized) c *= size;
  return (span_t){{place(fp_integral(c, RND_RM), size, mode, normalized), -1}, 0};
}

static span_t neighbours(double c, uint32_t size, uint8_t mode, bool normalized) {
  if (c != c) c = 0;
  if (normalized) c *= size;
  c -= 0.5;
  if (c > FAR || c < -FAR) c = c < 0 ? -FAR : FAR;
  double first = fp_integral(c, RND_RM);
  return (span_t){{place(first, size, mode, normalized), place(first + 1, size, mode, normalized)},
                  (uint32_t)fp_integral((c - first) * 256, RND_RN)};
}

static span_t layer(uint32_t i, uint32_t layers) {
  int64_t at = (int32_t)i < 0 ? 0 : i < layers ? i : layers - 1;
  return (span_t){{at, -1}, 0};
}

static uint32_t at_least_one(uint32_t size) { return size ? size : 1; }

static void locate(const ptx_texture_t *t, const dinst_t *in, const uint32_t at[3], span_t s[3]) {
  static const uint8_t counts[] = {
      [GEOM_1D] = 1, [GEOM_2D] = 2, [GEOM_3D] = 3, [GEOM_A1D] = 1, [GEOM_A2D] = 2};
  bool whole = in->type2 == T_S32, norm = t->normalized && !whole;
  bool linear = in->op == I_TLD4 || (t->linear && !whole);
  uint32_t n = counts[in->aux], size[3] = {t->width, t->height, t->depth};
  for (uint32_t i = 0; i < 3; i++) {
    double c = whole ? (double)(int32_t)at[i] : (double)bits_f32(at[i]);
    /* Integer coordinates into 1-D memory (tex1Dfetch) read zero outside. */
    uint8_t mode = in->aux == GEOM_1D && whole ? PTX_TEX_BORDER : t->address[i];
    if (i >= n)
      s[i] = (span_t){{0, -1}, 0};
    else
      s[i] = (linear ? neighbours : nearest)(c, at_least_one(size[i]), mode, norm);
  }
  if (in->aux >= GEOM_A1D) s[2] = layer(at[2], at_least_one(t->depth));
}

/* --- what it holds --- */

static uint32_t channel(const ptx_texture_t *t, const uint8_t *p, uint8_t to) {
  uint32_t bits = t->channel_bits, raw = 0;
  memcpy(&raw, p, bits / 8);
  if (t->kind == PTX_TEX_FLOAT)
    return bits == 32 ? raw : f32_bits((float)fp_from_bits(&fp_f16, raw));
  bool is_signed = t->kind == PTX_TEX_SIGNED;
  int64_t v = is_signed ? (int64_t)((uint64_t)raw << (64 - bits)) >> (64 - bits) : (int64_t)raw;
  if (t->read_normalized && bits < 32) {
    double max = (double)(((uint64_t)1 << (bits - is_signed)) - 1), d = (double)v / max;
    return f32_bits((float)(d < -1 ? -1 : d));
  }
  return to == T_F32 && t->read_normalized ? f32_bits((float)v) : (uint32_t)v;
}

static uint64_t address_of(const ptx_texture_t *t, int64_t x_bytes, int64_t y, int64_t z) {
  return t->va + (uint64_t)z * t->slice_bytes + (uint64_t)y * t->pitch_bytes + (uint64_t)x_bytes;
}

/* A texel; the border is zero. The lane's first one is what the machine sees. */
static bool read_texel(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lane,
                       const ptx_texture_t *t, const int64_t at[3], bool *seen, uint32_t out[4]) {
  uint32_t bytes = t->channels * (uint32_t)t->channel_bits / 8;
  memset(out, 0, 16);
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) return true;
  uint64_t va = address_of(t, at[0] * bytes, at[1], at[2]);
  const devmem_alloc_t *a = devmem_find(x->mem, va);
  bool odd = va % (t->channel_bits / 8u); /* then a channel may be in two granules */
  if (!a || (a->sparse && odd) || bytes > a->bytes - (va - a->va))
    return access_outside(x, w, in, lane, va, bytes, "texture fetch", "global") != NULL;
  for (uint32_t i = 0; i < t->channels; i++) /* in a granule each: aligned to its size */
    out[i] = channel(t, devmem_peek(a, va + i * (t->channel_bits / 8u), x->peeked[lane]), in->type);
  if (!*seen) x->addr[lane] = va & ~(uint64_t)3;
  *seen = true;
  return true;
}

static bool filter(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lane, const ptx_texture_t *t,
                   const span_t s[3], bool *seen, uint32_t out[4]) {
  double sum[4] = {0};
  for (uint32_t corner = 0; corner < 8; corner++) {
    uint32_t weight = 1, v[4];
    int64_t at[3];
    for (uint32_t i = 0; i < 3; i++) {
      bool second = corner >> i & 1;
      at[i] = s[i].at[second], weight *= second ? s[i].weight : 256 - s[i].weight;
    }
    if (!weight) continue;
    if (!read_texel(x, w, in, lane, t, at, seen, v)) return false;
    for (uint32_t i = 0; i < t->channels; i++)
      sum[i] += (double)bits_f32(v[i]) * ((double)weight / (1 << 24));
  }
  for (uint32_t i = 0; i < 4; i++) out[i] = i < t->channels ? f32_bits((float)sum[i]) : 0;
  return true;
}

/* One channel of the four neighbours, counterclockwise from the one of the next row on. */
static bool gather(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lane, const ptx_texture_t *t,
                   const span_t s[3], bool *seen, uint32_t out[4]) {
  static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t v[4];
    int64_t at[3] = {s[0].at[order[i][0]], s[1].at[order[i][1]], s[2].at[0]};
    if (!read_texel(x, w, in, lane, t, at, seen, v)) return false;
    out[i] = v[in->sub - 1];
  }
  return true;
}

static bool fetch_lane(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lane,
                       const ptx_texture_t *t, const uint32_t at[3], uint32_t out[4]) {
  span_t s[3];
  bool seen = false;
  x->addr[lane] = t->va;
  locate(t, in, at, s);
  if (in->op == I_TLD4) return gather(x, w, in, lane, t, s, &seen, out);
  if (t->linear && in->type2 == T_F32) return filter(x, w, in, lane, t, s, &seen, out);
  return read_texel(x, w, in, lane, t, (int64_t[3]){s[0].at[0], s[1].at[0], s[2].at[0]}, &seen,
                    out);
}

bool texture_fetch(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes, const void *handle,
                   const uint32_t *const at[3], uint32_t out[4][WARP_LANES]) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m), v[4];
    const ptx_texture_t *t = of_lane(x, w, handle, l, false);
    if (!t || !fetch_lane(x, w, in, l, t, (uint32_t[3]){at[0][l], at[1][l], at[2][l]}, v))
      return false;
    for (uint32_t i = 0; i < 4; i++) out[i][l] = v[i];
  }
  return true;
}

/* --- surfaces --- */

/* In `size`, or not, or moved there. */
static bool inside(int64_t *c, int64_t size, uint8_t boundary) {
  if (*c >= 0 && *c < size) return true;
  if (boundary != BOUNDARY_CLAMP || size <= 0) return false;
  *c = *c < 0 ? 0 : size - 1;
  return true;
}

/* Where the lane's bytes are: *to is NULL if it reads zero and writes nothing. */
static bool surface_bytes(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lane,
                          const ptx_texture_t *t, const int32_t at[3], uint8_t **to) {
  uint32_t bytes = (uint32_t)in->width * in->vec;
  int64_t row = (int64_t)t->width * t->channels * t->channel_bits / 8, c[3] = {at[0], at[1], at[2]};
  bool flat = in->aux == GEOM_1D || in->aux == GEOM_A1D, deep = in->aux >= GEOM_3D;
  *to = NULL;
  if (flat) c[1] = 0;
  if (!deep) c[2] = 0;
  if (c[0] % bytes)
    return fault_misaligned(x, w, in, lane, (uint64_t)c[0], bytes, "surface access");
  c[0] = c[0] >= 0 ? c[0] / bytes : -1;
  bool ok = inside(&c[0], row / bytes, in->sub) &&
            inside(&c[1], at_least_one(t->height), in->sub) &&
            inside(&c[2], at_least_one(t->depth), in->sub);
  uint64_t va = address_of(t, c[0] * bytes, c[1], c[2]);
  if (!ok && in->sub == BOUNDARY_ZERO) {
    x->op_mask &= ~(1u << lane);
    return true;
  }
  const devmem_alloc_t *a = ok ? devmem_find(x->mem, va) : NULL;
  x->addr[lane] = va;
  if (!a || bytes > a->bytes - (va - a->va) || (a->sparse && va % bytes)) {
    *to = access_outside(x, w, in, lane, va, bytes, "surface access", "global");
    return *to != NULL;
  }
  if (in->op == I_SULD)
    *to = (uint8_t *)(uintptr_t)devmem_peek(a, va, x->peeked[lane]);
  else
    *to = devmem_byte(a, va);
  return *to || fault_simple(x, w, 1u << lane, PTX_FAULT_TRAP, "the host has no memory left");
}

bool surface_access(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  uint64_t v[4][WARP_LANES] = {{0}};
  const void *handle = operand_at(x, w, in->s[0]);
  const int32_t *at[3];
  for (uint32_t i = 0; i < 3; i++) at[i] = operand_at(x, w, in->s[1 + i]);
  for (uint32_t m = lanes; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m);
    uint8_t *p;
    const ptx_texture_t *t = of_lane(x, w, handle, l, true);
    if (!t || !surface_bytes(x, w, in, l, t, (int32_t[3]){at[0][l], at[1][l], at[2][l]}, &p))
      return false;
    for (uint32_t i = 0; p && i < in->vec; i++) {
      if (in->op == I_SULD) {
        memcpy(&v[i][l], p + i * in->width, in->width);
        continue;
      }
      bool wide = in->wide >> i & 1;
      memcpy(p + i * in->width, (const uint8_t *)operand_at(x, w, in->d[i]) + (wide ? 8 : 4) * l,
             in->width);
    }
  }
  if (in->op == I_SUST) x->progress++;
  for (uint32_t i = 0; in->op == I_SULD && i < in->vec; i++) {
    uint32_t narrow[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++) narrow[l] = (uint32_t)v[i][l];
    if (in->wide >> i & 1)
      put_lanes64(w, in->d[i], v[i], lanes);
    else
      put_lanes32(w, in->d[i], narrow, lanes);
  }
  return true;
}
