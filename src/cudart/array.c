/* Arrays: pitched device memory with a format, and the copies between them and memory. An array
 * handed in by the program is looked up before it is believed. */
#include "cudart/rt.h"
#include <stdlib.h>

enum {
  ROW_ALIGN = 512,
  ARRAY_LAYERED = 0x1,
  ARRAY_SURFACE = 0x2,
  ARRAY_GATHER = 0x8,
  ARRAY_KNOWN = ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_GATHER
};

size_t channel_bytes(const cuda_channel_t *c) {
  int bits = c->x, n = 1;
  if (bits != 8 && bits != 16 && bits != 32) return 0;
  if (c->y) n = c->z ? 4 : 2;
  if ((n > 1 && c->y != bits) || (n > 2 && (c->z != bits || c->w != bits))) return 0;
  return (size_t)(n * bits / 8);
}

bool array_known(const rt_t *rt, const struct cuda_array *a) {
  cuda_array_t k = rt->arrays;
  while (k && k != a) k = k->next;
  return k != NULL;
}

void arrays_forget(rt_t *rt) {
  while (rt->arrays) {
    cuda_array_t a = rt->arrays;
    rt->arrays = a->next;
    free(a);
  }
}

static size_t rows(const struct cuda_array *a) { return a->height ? a->height : 1; }
static size_t planes(const struct cuda_array *a) { return a->depth ? a->depth : 1; }

static cuda_error_t array_alloc(rt_t *rt, cuda_array_t *out, const cuda_channel_t *channel,
                                cuda_extent_t e, unsigned flags) {
  size_t element = channel ? channel_bytes(channel) : 0, bytes;
  if (!out || !e.width) return cudaErrorInvalidValue;
  if (!element) return cudaErrorInvalidChannelDescriptor;
  if (flags & ~(unsigned)ARRAY_KNOWN) return UNSUPPORTED("a cubemap or sparse array");
  if ((flags & ARRAY_LAYERED) && !e.depth) return cudaErrorInvalidValue;
  cuda_array_t a = calloc(1, sizeof *a);
  if (!a) return cudaErrorMemoryAllocation;
  *a = (struct cuda_array){rt->arrays, *channel, e.width, e.height, e.depth,
                           element,    0,        flags,   NULL};
  cuda_error_t error = cudaErrorMemoryAllocation;
  if (!__builtin_mul_overflow(e.width, element, &a->pitch) && a->pitch < SIZE_MAX - ROW_ALIGN) {
    a->pitch = (a->pitch + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    if (!__builtin_mul_overflow(a->pitch, rows(a), &bytes) &&
        !__builtin_mul_overflow(bytes, planes(a), &bytes))
      error = memory_alloc(rt, bytes, WIRE_DEVICE, &a->base);
  }
  if (error)
    free(a);
  else
    *out = rt->arrays = a;
  return error;
}

API(cudaMallocArray, cuda_array_t *out, const cuda_channel_t *channel, size_t width, size_t height,
    unsigned flags) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, array_alloc(rt, out, channel, (cuda_extent_t){width, height, 0}, flags));
}

API(cudaMalloc3DArray, cuda_array_t *out, const cuda_channel_t *channel, cuda_extent_t extent,
    unsigned flags) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, array_alloc(rt, out, channel, extent, flags));
}

API(cudaFreeArray, cuda_array_t a) {
  rt_t *rt = rt_enter();
  cuda_array_t *at = &rt->arrays;
  if (!a) return rt_leave(rt, cudaSuccess);
  while (*at && *at != a) at = &(*at)->next;
  if (!*at) return rt_leave(rt, cudaErrorInvalidResourceHandle);
  cuda_error_t error = memory_free(rt, a->base);
  *at = a->next;
  free(a);
  return rt_leave(rt, error);
}

API(cudaArrayGetInfo, cuda_channel_t *channel, cuda_extent_t *extent, unsigned *flags,
    cuda_array_t a) {
  rt_t *rt = rt_enter();
  if (!array_known(rt, a)) return rt_leave(rt, cudaErrorInvalidResourceHandle);
  if (channel) *channel = a->channel;
  if (extent) *extent = (cuda_extent_t){a->width, a->height, a->depth};
  if (flags) *flags = a->flags;
  return rt_leave(rt, cudaSuccess);
}

API(cudaGetChannelDesc, cuda_channel_t *channel, const struct cuda_array *a) {
  rt_t *rt = rt_enter();
  if (!channel || !array_known(rt, a)) return rt_leave(rt, cudaErrorInvalidValue);
  *channel = a->channel;
  return rt_leave(rt, cudaSuccess);
}

API_AS(cuda_channel_t, cudaCreateChannelDesc, int x, int y, int z, int w, int kind) {
  return (cuda_channel_t){x, y, z, w, kind};
}

/* --- boxes in arrays --- */

/* The side of a copy that is `b` bytes of the array from byte x, row y, plane z on. */
static cuda_error_t array_side(const rt_t *rt, const struct cuda_array *a, cuda_pos_t at,
                               cuda_extent_t b, side_t *out) {
  if (!array_known(rt, a)) return cudaErrorInvalidResourceHandle;
  size_t width = a->width * a->element_bytes;
  if (at.x > width || b.width > width - at.x || at.y > rows(a) || b.height > rows(a) - at.y ||
      at.z > planes(a) || b.depth > planes(a) - at.z)
    return cudaErrorInvalidValue;
  *out = (side_t){a->base, a->pitch, a->pitch * rows(a)};
  out->base += at.z * out->slice + at.y * out->pitch + at.x;
  return cudaSuccess;
}

/* One side of a two-dimensional copy: an array from a place on, or memory. */
typedef struct {
  const struct cuda_array *array;
  size_t x, y;
  const void *memory;
  size_t pitch;
} place_t;

static cuda_error_t place_side(const rt_t *rt, const place_t *p, cuda_extent_t b, side_t *out) {
  *out = (side_t){(char *)p->memory, p->pitch, 0};
  if (p->memory) return cudaSuccess;
  return array_side(rt, p->array, (cuda_pos_t){p->x, p->y, 0}, b, out);
}

static cuda_error_t copy2d_locked(rt_t *rt, place_t to, place_t from, size_t width, size_t height,
                                  int kind, cuda_stream_t stream) {
  side_t t, f;
  cuda_extent_t b = {width, height, 1};
  cuda_error_t error = rt->status;
  if (!error) error = place_side(rt, &to, b, &t);
  if (!error) error = place_side(rt, &from, b, &f);
  return error ? error : copy_in(rt, stream, t, f, b, kind);
}

static cuda_error_t copy2d(place_t to, place_t from, size_t width, size_t height, int kind,
                           cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, stream);
  return rt_leave(rt, error ? error : copy2d_locked(rt, to, from, width, height, kind, stream));
}

API(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, cuda_stream_t stream) {
  place_t t = {.memory = to, .pitch = to_pitch}, f = {.memory = from, .pitch = from_pitch};
  if ((!to || !from) && width && height) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  if (width > to_pitch || width > from_pitch)
    return rt_leave(rt_enter(), cudaErrorInvalidPitchValue);
  if (!width || !height) return rt_leave(rt_enter(), cudaSuccess);
  return copy2d(t, f, width, height, kind, stream);
}
ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

API(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}
ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);

API(cudaMemcpy2DToArrayAsync, cuda_array_t to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind, cuda_stream_t stream) {
  place_t t = {.array = to, .x = x, .y = y}, f = {.memory = from, .pitch = pitch};
  return copy2d(t, f, width, height, kind, stream);
}
ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

API(cudaMemcpy2DToArray, cuda_array_t to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}
ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

API(cudaMemcpy2DFromArrayAsync, void *to, size_t pitch, const struct cuda_array *from, size_t x,
    size_t y, size_t width, size_t height, int kind, cuda_stream_t stream) {
  place_t t = {.memory = to, .pitch = pitch}, f = {.array = from, .x = x, .y = y};
  return copy2d(t, f, width, height, kind, stream);
}
ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

API(cudaMemcpy2DFromArray, void *to, size_t pitch, const struct cuda_array *from, size_t x,
    size_t y, size_t width, size_t height, int kind) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}
ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

API(cudaMemcpy2DArrayToArray, cuda_array_t to, size_t to_x, size_t to_y,
    const struct cuda_array *from, size_t from_x, size_t from_y, size_t width, size_t height,
    int kind) {
  place_t t = {.array = to, .x = to_x, .y = to_y}, f = {.array = from, .x = from_x, .y = from_y};
  return copy2d(t, f, width, height, kind == COPY_DEFAULT ? kind : COPY_ON_DEVICE, NULL);
}
ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

/* --- lines that run through an array row by row: the rest of the first, whole ones, the last ---
 */

static void place_advance(place_t *p, size_t bytes) {
  if (p->memory) {
    p->memory = (const char *)p->memory + bytes;
    return;
  }
  size_t width = p->array->width * p->array->element_bytes;
  p->x += bytes;
  p->y += p->x / width, p->x %= width;
}

static size_t row_rest(const place_t *p) {
  return p->memory ? SIZE_MAX : p->array->width * p->array->element_bytes - p->x;
}

static cuda_error_t copy_line(place_t to, place_t from, size_t bytes, int kind,
                              cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, stream);
  if (!error &&
      ((to.array && !array_known(rt, to.array)) || (from.array && !array_known(rt, from.array))))
    error = cudaErrorInvalidResourceHandle;
  while (bytes && !error) {
    size_t rest = row_rest(&to) < row_rest(&from) ? row_rest(&to) : row_rest(&from);
    if (rest == 0 || rest > (SIZE_MAX >> 1)) rest = bytes; /* x past the end: refused below */
    if (rest > bytes) rest = bytes;
    error = copy2d_locked(rt, to, from, rest, 1, kind, stream);
    place_advance(&to, rest), place_advance(&from, rest);
    bytes -= rest;
  }
  return rt_leave(rt, error);
}

API(cudaMemcpyToArrayAsync, cuda_array_t to, size_t x, size_t y, const void *from, size_t bytes,
    int kind, cuda_stream_t stream) {
  if (!to || !from) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  return copy_line((place_t){.array = to, .x = x, .y = y}, (place_t){.memory = from}, bytes, kind,
                   stream);
}
ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

API(cudaMemcpyToArray, cuda_array_t to, size_t x, size_t y, const void *from, size_t bytes,
    int kind) {
  return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, NULL);
}
ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

API(cudaMemcpyFromArrayAsync, void *to, const struct cuda_array *from, size_t x, size_t y,
    size_t bytes, int kind, cuda_stream_t stream) {
  if (!to || !from) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  return copy_line((place_t){.memory = to}, (place_t){.array = from, .x = x, .y = y}, bytes, kind,
                   stream);
}
ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

API(cudaMemcpyFromArray, void *to, const struct cuda_array *from, size_t x, size_t y, size_t bytes,
    int kind) {
  return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, NULL);
}
ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

API(cudaMemcpyArrayToArray, cuda_array_t to, size_t to_x, size_t to_y,
    const struct cuda_array *from, size_t from_x, size_t from_y, size_t bytes, int kind) {
  (void)kind;
  if (!to || !from) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  return copy_line((place_t){.array = to, .x = to_x, .y = to_y},
                   (place_t){.array = from, .x = from_x, .y = from_y}, bytes, COPY_ON_DEVICE, NULL);
}
ALIAS(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray);

/* --- three dimensions --- */

/* Positions and widths count elements as soon as an array takes part, bytes otherwise. */
static size_t copy3d_element(const rt_t *rt, const cuda_copy3d_t *c) {
  if (c->to_array && array_known(rt, c->to_array)) return c->to_array->element_bytes;
  if (c->from_array && array_known(rt, c->from_array)) return c->from_array->element_bytes;
  return 1;
}

static cuda_error_t side3d(const rt_t *rt, cuda_array_t a, cuda_pos_t at, const cuda_pitched_t *p,
                           cuda_extent_t b, size_t element, side_t *out) {
  if (a) {
    at.x *= element;
    return array_side(rt, a, at, b, out);
  }
  *out = (side_t){p->ptr, p->pitch, p->pitch * p->ysize};
  if (!p->ptr) return cudaErrorInvalidValue;
  out->base += at.z * out->slice + at.y * out->pitch + at.x;
  return cudaSuccess;
}

cuda_error_t copy3d_sides(rt_t *rt, const void *params, side_t *to, side_t *from,
                          cuda_extent_t *bytes, int *kind) {
  const cuda_copy3d_t *c = params;
  if (!c) return cudaErrorInvalidValue;
  size_t element = copy3d_element(rt, c);
  *bytes = (cuda_extent_t){c->extent.width * element, c->extent.height, c->extent.depth};
  *kind = c->kind;
  cuda_error_t error = side3d(rt, c->to_array, c->to_pos, &c->to, *bytes, element, to);
  if (!error) error = side3d(rt, c->from_array, c->from_pos, &c->from, *bytes, element, from);
  return error;
}

static cuda_error_t copy3d(const cuda_copy3d_t *c, cuda_stream_t stream) {
  side_t to, from;
  cuda_extent_t b;
  int kind;
  rt_t *rt = rt_enter();
  cuda_error_t error = c ? stream_check(rt, stream) : cudaErrorInvalidValue;
  if (!error) error = copy3d_sides(rt, c, &to, &from, &b, &kind);
  return rt_leave(rt, error ? error : copy_in(rt, stream, to, from, b, kind));
}

API(cudaMemcpy3D, const cuda_copy3d_t *c) { return copy3d(c, NULL); }
ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);

API(cudaMemcpy3DAsync, const cuda_copy3d_t *c, cuda_stream_t stream) { return copy3d(c, stream); }
ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

API(cudaMemcpy3DPeerAsync, const cuda_copy3d_peer_t *c, cuda_stream_t stream) {
  if (!c) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  if (c->to_device || c->from_device) return rt_leave(rt_enter(), cudaErrorInvalidDevice);
  cuda_copy3d_t d = {c->from_array, c->from_pos, c->from,   c->to_array,
                     c->to_pos,     c->to,       c->extent, COPY_DEFAULT};
  return copy3d(&d, stream);
}
ALIAS(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

API(cudaMemcpy3DPeer, const cuda_copy3d_peer_t *c) { return cudaMemcpy3DPeerAsync(c, NULL); }
ALIAS(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);
