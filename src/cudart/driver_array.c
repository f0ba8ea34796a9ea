/* libcuda.so.1: arrays, textures and surfaces, and copies of boxes. An array is the runtime's; the
 * driver's structures say the same in other words. */
#include "cudart/abi.h"
#include "cudart/driver.h"
#include <string.h>

enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3, TYPE_UNIFIED = 4 }; /* CUmemorytype */
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };       /* CU_TRSF_* */

/* ---- formats: CUarray_format and a number of channels ---------------------------------------- */

static bool channel_of(int format, unsigned channels, cuda_channel_t *out) {
  static const struct {
    int format, bits, kind;
  } list[] = {{0x01, 8, CHANNEL_UNSIGNED},  {0x02, 16, CHANNEL_UNSIGNED},
              {0x03, 32, CHANNEL_UNSIGNED}, {0x08, 8, CHANNEL_SIGNED},
              {0x09, 16, CHANNEL_SIGNED},   {0x0a, 32, CHANNEL_SIGNED},
              {0x10, 16, CHANNEL_FLOAT},    {0x20, 32, CHANNEL_FLOAT}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (list[i].format != format || (channels != 1 && channels != 2 && channels != 4)) continue;
    int bits = list[i].bits;
    *out = (cuda_channel_t){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                            channels > 2 ? bits : 0, list[i].kind};
    return true;
  }
  return false;
}

static int format_of(const cuda_channel_t *c) {
  int size = c->x == 8 ? 0 : c->x == 16 ? 1 : 2;
  return c->kind == CHANNEL_FLOAT ? (c->x == 16 ? 0x10 : 0x20)
                                  : (c->kind == CHANNEL_SIGNED ? 0x08 : 0x01) + size;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct { /* CUDA_ARRAY_DESCRIPTOR */
  size_t width, height;
  int format;
  unsigned channels;
} describe2d_t;
typedef struct { /* CUDA_ARRAY3D_DESCRIPTOR */
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
} describe3d_t;

API(cuArray3DCreate_v2, cuda_array_t *out, const describe3d_t *d) {
  cuda_channel_t c;
  if (!out || !d || !channel_of(d->format, d->channels, &c)) return CU_INVALID_VALUE;
  return CALL(cudaMalloc3DArray, (cuda_array_t *, const cuda_channel_t *, cuda_extent_t, unsigned))(
      out, &c, (cuda_extent_t){d->width, d->height, d->depth}, d->flags);
}

API(cuArrayCreate_v2, cuda_array_t *out, const describe2d_t *d) {
  if (!d) return CU_INVALID_VALUE;
  return cuArray3DCreate_v2(out,
                            &(describe3d_t){d->width, d->height, 0, d->format, d->channels, 0});
}

API(cuArray3DGetDescriptor_v2, describe3d_t *d, cuda_array_t a) {
  cuda_channel_t c;
  cuda_extent_t e;
  unsigned flags;
  int error = CALL(cudaArrayGetInfo, (cuda_channel_t *, cuda_extent_t *, unsigned *, cuda_array_t))(
      &c, &e, &flags, a);
  if (error || !d) return error ? error : CU_INVALID_VALUE;
  *d = (describe3d_t){e.width, e.height, e.depth, format_of(&c), c.z ? 4 : c.y ? 2 : 1, flags};
  return CU_OK;
}

API(cuArrayGetDescriptor_v2, describe2d_t *d, cuda_array_t a) {
  describe3d_t full;
  int error = cuArray3DGetDescriptor_v2(&full, a);
  if (error || !d) return error ? error : CU_INVALID_VALUE;
  *d = (describe2d_t){full.width, full.height, full.format, full.channels};
  return CU_OK;
}

API(cuArrayDestroy, cuda_array_t a) { return CALL(cudaFreeArray, (cuda_array_t))(a); }

static size_t element_bytes(cuda_array_t a) {
  cuda_channel_t c = {0};
  CALL(cudaGetChannelDesc, (cuda_channel_t *, cuda_array_t))(&c, a);
  size_t bytes = (size_t)(c.x + c.y + c.z + c.w) / 8;
  return bytes ? bytes : 1;
}

/* ---- copies ---------------------------------------------------------------------------------- */

typedef struct { /* one side of CUDA_MEMCPY3D */
  size_t x_bytes, y, z, lod;
  int type;
  const void *host;
  device_ptr_t device;
  cuda_array_t array;
  void *reserved;
  size_t pitch, height;
} side3d_t;
typedef struct {
  side3d_t from, to;
  size_t width_bytes, height, depth;
} copy3d_t;
typedef struct { /* one side of CUDA_MEMCPY2D */
  size_t x_bytes, y;
  int type;
  const void *host;
  device_ptr_t device;
  cuda_array_t array;
  size_t pitch;
} side2d_t;
typedef struct {
  side2d_t from, to;
  size_t width_bytes, height;
} copy2d_t;

/* Memory in rows: where the box begins is worked out here. */
static cuda_pitched_t rows_of(const side3d_t *s, const copy3d_t *c) {
  size_t pitch = s->pitch ? s->pitch : c->width_bytes, height = s->height ? s->height : c->height;
  char *base = s->type == TYPE_HOST ? (char *)(uintptr_t)s->host
                                    : (char *)(uintptr_t)s->device; /* NOLINT: one address space */
  return (cuda_pitched_t){base + (s->z * height + s->y) * pitch + s->x_bytes, pitch, pitch, height};
}

static int copy_side(const side3d_t *s, const copy3d_t *c, cuda_array_t *array, cuda_pos_t *pos,
                     cuda_pitched_t *rows) {
  if (s->type < TYPE_HOST || s->type > TYPE_UNIFIED) return CU_INVALID_VALUE;
  if (s->type == TYPE_ARRAY) {
    *array = s->array;
    *pos = (cuda_pos_t){s->x_bytes / element_bytes(s->array), s->y, s->z};
  } else {
    *rows = rows_of(s, c);
  }
  return CU_OK;
}

API(cuMemcpy3DAsync_v2, const copy3d_t *c, void *stream) {
  cuda_copy3d_t r = {.kind = COPY_DEFAULT};
  if (!c) return CU_INVALID_VALUE;
  int error = copy_side(&c->from, c, &r.from_array, &r.from_pos, &r.from);
  if (!error) error = copy_side(&c->to, c, &r.to_array, &r.to_pos, &r.to);
  if (error) return error;
  size_t unit = r.from_array ? element_bytes(r.from_array)
                : r.to_array ? element_bytes(r.to_array)
                             : 1; /* the runtime counts elements where an array takes part */
  r.extent = (cuda_extent_t){c->width_bytes / unit, c->height, c->depth};
  return CALL(cudaMemcpy3DAsync, (const cuda_copy3d_t *, void *))(&r, stream);
}
API(cuMemcpy3D_v2, const copy3d_t *c) { return cuMemcpy3DAsync_v2(c, NULL); }

static side3d_t widened(const side2d_t *s) {
  return (side3d_t){.x_bytes = s->x_bytes,
                    .y = s->y,
                    .type = s->type,
                    .host = s->host,
                    .device = s->device,
                    .array = s->array,
                    .pitch = s->pitch};
}
API(cuMemcpy2DAsync_v2, const copy2d_t *c, void *stream) {
  if (!c) return CU_INVALID_VALUE;
  return cuMemcpy3DAsync_v2(
      &(copy3d_t){widened(&c->from), widened(&c->to), c->width_bytes, c->height, 1}, stream);
}
API(cuMemcpy2D_v2, const copy2d_t *c) { return cuMemcpy2DAsync_v2(c, NULL); }
ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);

/* One row of an array, from a byte on. */
static int copy_row(side3d_t to, side3d_t from, size_t bytes, void *stream) {
  return cuMemcpy3DAsync_v2(&(copy3d_t){from, to, bytes, 1, 1}, stream);
}
#define ARRAY_AT(a, offset) ((side3d_t){.x_bytes = (offset), .type = TYPE_ARRAY, .array = (a)})
#define HOST_AT(p)          ((side3d_t){.type = TYPE_HOST, .host = (p)})
#define DEVICE_AT(p)        ((side3d_t){.type = TYPE_DEVICE, .device = (p)})
API(cuMemcpyHtoAAsync_v2, cuda_array_t to, size_t offset, const void *from, size_t bytes,
    void *stream) {
  return copy_row(ARRAY_AT(to, offset), HOST_AT(from), bytes, stream);
}
API(cuMemcpyHtoA_v2, cuda_array_t to, size_t offset, const void *from, size_t bytes) {
  return copy_row(ARRAY_AT(to, offset), HOST_AT(from), bytes, NULL);
}
API(cuMemcpyAtoHAsync_v2, void *to, cuda_array_t from, size_t offset, size_t bytes, void *stream) {
  return copy_row(HOST_AT(to), ARRAY_AT(from, offset), bytes, stream);
}
API(cuMemcpyAtoH_v2, void *to, cuda_array_t from, size_t offset, size_t bytes) {
  return copy_row(HOST_AT(to), ARRAY_AT(from, offset), bytes, NULL);
}
API(cuMemcpyDtoA_v2, cuda_array_t to, size_t offset, device_ptr_t from, size_t bytes) {
  return copy_row(ARRAY_AT(to, offset), DEVICE_AT(from), bytes, NULL);
}
API(cuMemcpyAtoD_v2, device_ptr_t to, cuda_array_t from, size_t offset, size_t bytes) {
  return copy_row(DEVICE_AT(to), ARRAY_AT(from, offset), bytes, NULL);
}
API(cuMemcpyAtoA_v2, cuda_array_t to, size_t to_offset, cuda_array_t from, size_t from_offset,
    size_t bytes) {
  return copy_row(ARRAY_AT(to, to_offset), ARRAY_AT(from, from_offset), bytes, NULL);
}

/* ---- textures and surfaces ------------------------------------------------------------------- */

typedef struct { /* CUDA_RESOURCE_DESC; types have the runtime's numbers */
  int type;
  union {
    cuda_array_t array;
    struct {
      device_ptr_t base;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      device_ptr_t base;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitch2d;
    int reserved[32];
  } of;
  unsigned flags;
} resource_t;
typedef struct { /* CUDA_TEXTURE_DESC; modes have the runtime's numbers */
  int address[3], filter;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_min, mipmap_max, border[4];
  int reserved[12];
} texture_how_t;

static int resource_of(const resource_t *d, cuda_resource_t *out, cuda_channel_t *c) {
  memset(out, 0, sizeof *out);
  out->type = d->type;
  switch (d->type) {
  case RESOURCE_ARRAY:
    out->of.array = d->of.array;
    return CALL(cudaGetChannelDesc, (cuda_channel_t *, cuda_array_t))(c, d->of.array);
  case RESOURCE_LINEAR:
    if (!channel_of(d->of.linear.format, d->of.linear.channels, c)) return CU_INVALID_VALUE;
    out->of.linear.base = (void *)(uintptr_t)d->of.linear.base; /* NOLINT: one address space */
    out->of.linear.channel = *c, out->of.linear.bytes = d->of.linear.bytes;
    return CU_OK;
  case RESOURCE_PITCH2D:
    if (!channel_of(d->of.pitch2d.format, d->of.pitch2d.channels, c)) return CU_INVALID_VALUE;
    out->of.pitch2d.base = (void *)(uintptr_t)d->of.pitch2d.base; /* NOLINT: one address space */
    out->of.pitch2d.channel = *c, out->of.pitch2d.width = d->of.pitch2d.width;
    out->of.pitch2d.height = d->of.pitch2d.height, out->of.pitch2d.pitch = d->of.pitch2d.pitch;
    return CU_OK;
  default: return CU_NOT_SUPPORTED; /* mipmaps */
  }
}

API(cuTexObjectCreate, unsigned long long *out, const resource_t *resource,
    const texture_how_t *how, const void *view) {
  cuda_resource_t r;
  cuda_channel_t c;
  if (!out || !resource || !how) return CU_INVALID_VALUE;
  int error = resource_of(resource, &r, &c);
  if (error) return error;
  cuda_texture_t t = {.filter = how->filter,
                      .srgb = (how->flags & SRGB) != 0,
                      .normalized = (how->flags & NORMALIZED_COORDINATES) != 0,
                      .anisotropy = how->anisotropy};
  memcpy(t.address, how->address, sizeof t.address);
  memcpy(t.border, how->border, sizeof t.border);
  t.read_mode = !(how->flags & READ_AS_INTEGER) && c.kind != CHANNEL_FLOAT && c.x < 32;
  return CALL(cudaCreateTextureObject, (unsigned long long *, const cuda_resource_t *,
                                        const cuda_texture_t *, const void *))(out, &r, &t, view);
}
API(cuTexObjectDestroy, unsigned long long t) {
  return CALL(cudaDestroyTextureObject, (unsigned long long))(t);
}
API(cuSurfObjectCreate, unsigned long long *out, const resource_t *resource) {
  cuda_resource_t r;
  cuda_channel_t c;
  if (!out || !resource) return CU_INVALID_VALUE;
  int error = resource_of(resource, &r, &c);
  if (error) return error;
  return CALL(cudaCreateSurfaceObject, (unsigned long long *, const cuda_resource_t *))(out, &r);
}
API(cuSurfObjectDestroy, unsigned long long s) {
  return CALL(cudaDestroySurfaceObject, (unsigned long long))(s);
}
