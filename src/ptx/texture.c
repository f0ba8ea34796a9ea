/* Textures: a table of descriptors. A handle is TEXTURE_HANDLE + index; a .texref variable is an
 * 8-byte cell of device memory that holds one, so binding is a store. */
#include "ptx/exec.h"
#include <stdlib.h>
#include <string.h>

#define MAX_TEXTURES (1u << 20) /* as on hardware */

static int check(const ptx_texture_t *t, err_t *e) {
  if (!t->width || (t->channels != 1 && t->channels != 2 && t->channels != 4) ||
      (t->channel_bits != 8 && t->channel_bits != 16 && t->channel_bits != 32) ||
      t->kind > PTX_TEX_FLOAT || (t->kind == PTX_TEX_FLOAT && t->channel_bits == 8) ||
      t->address[0] > PTX_TEX_BORDER || t->address[1] > PTX_TEX_BORDER || t->normalized > 1 ||
      t->read_normalized > 1)
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

static const ptx_texture_t *lookup(const pexec_t *x, uint64_t h) {
  uint64_t i = h - TEXTURE_HANDLE;
  if (i >= x->program->textures && devmem_read(x->mem, h, &h, 8, NULL) == 0) i = h - TEXTURE_HANDLE;
  return i < x->program->textures && x->program->texture[i].used ? &x->program->texture[i].t : NULL;
}

/* Texel index of a coordinate, or -1: border. */
static int64_t texel(double c, uint32_t size, uint8_t mode, bool normalized) {
  if (c != c) c = 0;
  if (normalized) c *= size;
  double f = fp_integral(c, RND_RM);
  if (normalized && (mode == PTX_TEX_WRAP || mode == PTX_TEX_MIRROR) && f > -1e15 && f < 1e15) {
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

typedef struct {
  int64_t x, y;
} texel_t;

static texel_t locate(const ptx_texture_t *t, const dinst_t *in, uint32_t cx, uint32_t cy) {
  bool two = in->aux == GEOM_2D, whole = in->type2 == T_S32;
  uint32_t height = t->height ? t->height : 1;
  double x = whole ? (double)(int32_t)cx : (double)bits_f32(cx),
         y = whole ? (double)(int32_t)cy : (double)bits_f32(cy);
  bool norm = t->normalized && !whole;
  /* Integer coordinates into 1-D memory (tex1Dfetch) read zero outside. */
  texel_t r = {texel(x, t->width, !two && whole ? PTX_TEX_BORDER : t->address[0], norm), 0};
  if (two) r.y = texel(y, height, t->address[1], norm);
  return r;
}

static bool fetch_lane(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lane,
                       const ptx_texture_t *t, uint32_t cx, uint32_t cy, uint32_t out[4]) {
  texel_t at = locate(t, in, cx, cy);
  uint32_t bytes = t->channels * (uint32_t)t->channel_bits / 8;
  memset(out, 0, 16);
  x->addr[lane] = t->va;
  if (at.x < 0 || at.y < 0) return true;
  uint64_t va = t->va + (uint64_t)at.y * t->pitch_bytes + (uint64_t)at.x * bytes;
  const devmem_alloc_t *a = devmem_find(x->mem, va);
  bool odd = va % (t->channel_bits / 8u); /* then a channel may be in two granules */
  if (!a || (a->sparse && odd) || bytes > a->bytes - (va - a->va))
    return access_outside(x, w, in, lane, va, bytes, "texture fetch", "global") != NULL;
  for (uint32_t i = 0; i < t->channels; i++) /* in a granule each: aligned to its size */
    out[i] = channel(t, devmem_peek(a, va + i * (t->channel_bits / 8u), x->peeked[lane]), in->type);
  x->addr[lane] = va & ~(uint64_t)3;
  return true;
}

bool texture_fetch(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes, const void *handle,
                   const uint32_t *cx, const uint32_t *cy, uint32_t out[4][WARP_LANES]) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m), v[4];
    uint64_t h;
    memcpy(&h, (const uint8_t *)handle + 8 * l, 8);
    const ptx_texture_t *t = lookup(x, h);
    if (!t)
      return fault_simple(x, w, 1u << l, PTX_FAULT_ILLEGAL_ADDRESS, "0x%llx is not a texture",
                          (unsigned long long)h);
    if (!fetch_lane(x, w, in, l, t, cx[l], cy[l], v)) return false;
    for (uint32_t i = 0; i < 4; i++) out[i][l] = v[i];
  }
  return true;
}
