/* Copies and fills. A device address is a host address, so the bytes are moved right here; gmmu is
 * told first, row by row where rows are apart, and says whether the device's side may be touched.
 */
#include "cudart/rt.h"
#include <string.h>

/* COPY_DEFAULT: pinned memory counts as the host's. */
static bool is_devices(rt_t *rt, const void *p) {
  wire_answer_t answer;
  if (!memory_on_device(rt, p)) return false;
  cuda_error_t error = wire_ask(rt, WIRE_RANGE, (uintptr_t)p, 0, 0, 0, &answer);
  return error || answer.r[2] != WIRE_PINNED;
}

static cuda_error_t direction(rt_t *rt, const void *to, const void *from, int *kind) {
  bool to_dev = memory_on_device(rt, to), from_dev = memory_on_device(rt, from);
  switch (*kind) {
  case COPY_HOST_TO_HOST: return cudaSuccess;
  case COPY_TO_DEVICE: return to_dev ? cudaSuccess : cudaErrorInvalidValue;
  case COPY_FROM_DEVICE: return from_dev ? cudaSuccess : cudaErrorInvalidValue;
  case COPY_ON_DEVICE: return to_dev && from_dev ? cudaSuccess : cudaErrorInvalidValue;
  case COPY_DEFAULT:
    to_dev = is_devices(rt, to), from_dev = is_devices(rt, from);
    *kind = (to_dev ? COPY_TO_DEVICE : 0) | (from_dev ? COPY_FROM_DEVICE : 0);
    return cudaSuccess;
  default: return cudaErrorInvalidMemcpyDirection;
  }
}

/* A row may go over several pieces that cuMemMap has put side by side. */
static cuda_error_t copy_row(rt_t *rt, char *to, const char *from, size_t bytes, int kind) {
  static const wire_copy_t wire[] = {0, WIRE_TO_DEVICE, WIRE_FROM_DEVICE, WIRE_ON_DEVICE};
  cuda_error_t error = rt->status;
  for (size_t n; bytes && !error; to += n, from += n, bytes -= n) {
    n = memory_piece(rt, from, memory_piece(rt, to, bytes));
    if (kind != COPY_HOST_TO_HOST)
      error = wire_ask(rt, WIRE_COPY, (uintptr_t)to, (uintptr_t)from, n, wire[kind], NULL);
    if (!error) memmove(to, from, n);
  }
  return error;
}

static cuda_error_t fill_row(rt_t *rt, char *to, int value, size_t bytes) {
  wire_answer_t answer;
  cuda_error_t error = rt->status;
  for (size_t n; bytes && !error; to += n, bytes -= n) {
    n = memory_piece(rt, to, bytes);
    error = wire_ask(rt, WIRE_COPY, (uintptr_t)to, (uint8_t)value, n, WIRE_FILL, &answer);
    if (!error && !answer.r[0]) memset(to, value, n);
  }
  return error;
}

/* Rows that follow each other without a gap are one. */
static cuda_extent_t join_rows(cuda_extent_t b, const side_t *to, const side_t *from) {
  if (to->pitch == b.width && from->pitch == b.width) {
    b.width *= b.height, b.height = 1;
    if (to->slice == b.width && from->slice == b.width) b.width *= b.depth, b.depth = 1;
  }
  return b;
}

cuda_error_t copy_box(rt_t *rt, side_t to, side_t from, cuda_extent_t b, int kind) {
  if (!b.width || !b.height || !b.depth) return rt->status;
  if (!to.base || !from.base) return cudaErrorInvalidValue;
  if (b.height > 1 && (to.pitch < b.width || from.pitch < b.width))
    return cudaErrorInvalidPitchValue;
  cuda_error_t error = direction(rt, to.base, from.base, &kind);
  b = join_rows(b, &to, &from);
  for (size_t z = 0; z < b.depth && !error; z++)
    for (size_t y = 0; y < b.height && !error; y++)
      error = copy_row(rt, to.base + z * to.slice + y * to.pitch,
                       from.base + z * from.slice + y * from.pitch, b.width, kind);
  return error;
}

cuda_error_t fill_box(rt_t *rt, side_t to, int value, cuda_extent_t b) {
  cuda_error_t error = cudaSuccess;
  if (!b.width || !b.height || !b.depth) return rt->status;
  if (b.height > 1 && to.pitch < b.width) return cudaErrorInvalidPitchValue;
  if (!memory_on_device(rt, to.base)) return cudaErrorInvalidValue;
  b = join_rows(b, &to, &to);
  for (size_t z = 0; z < b.depth && !error; z++)
    for (size_t y = 0; y < b.height && !error; y++)
      error = fill_row(rt, to.base + z * to.slice + y * to.pitch, value, b.width);
  return error;
}

/* Elements of one, two or four bytes, the same value in each. */
cuda_error_t fill_values(rt_t *rt, side_t to, int value, unsigned value_bytes, cuda_extent_t b) {
  char bytes[4];
  memcpy(bytes, &value, 4);
  cuda_error_t error = fill_box(rt, to, bytes[0], b);
  for (size_t y = 0; y < b.height && !error && value_bytes > 1; y++)
    for (size_t x = 0; x < b.width; x++)
      to.base[y * to.pitch + x] = bytes[x % value_bytes]; /* gmmu knows of the fill */
  return error;
}

cuda_error_t copy_in(rt_t *rt, cuda_stream_t s, side_t to, side_t from, cuda_extent_t b, int kind) {
  if (stream_capture(s)) return capture_copy(s, to, from, b, kind);
  if (stream_is_default(s)) order_host_waits(rt, order_of(rt, s));
  return copy_box(rt, to, from, b, kind);
}

static side_t line(const void *p) { return (side_t){(char *)p, 0, 0}; }
static cuda_extent_t bytes_of(size_t n) { return (cuda_extent_t){n, 1, 1}; }

static cuda_error_t copy(void *to, const void *from, size_t bytes, int kind, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, stream);
  if (!error) error = copy_in(rt, stream, line(to), line(from), bytes_of(bytes), kind);
  return rt_leave(rt, error);
}

API(cudaMemcpy, void *to, const void *from, size_t bytes, int kind) {
  return copy(to, from, bytes, kind, NULL);
}
ALIAS(cudaMemcpy_ptds, cudaMemcpy);

API(cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind, cuda_stream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

/* One after the other, as everything else; attributes are advice. */
static cuda_error_t copies(void *const *to, const void *const *from, const size_t *bytes,
                           size_t count, size_t *failed, cuda_stream_t stream) {
  if (!to || !from || !bytes || !count) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++) {
    cuda_error_t error = copy(to[i], from[i], bytes[i], COPY_DEFAULT, stream);
    if (!error) continue;
    if (failed) *failed = i;
    return error;
  }
  return cudaSuccess;
}
#if CUDA_MAJOR >= 13
API(cudaMemcpyBatchAsync, void *const *to, const void *const *from, const size_t *bytes,
    size_t count, const void *attributes, size_t *places, size_t given, cuda_stream_t stream) {
  (void)attributes, (void)places, (void)given;
  return copies(to, from, bytes, count, NULL, stream);
}
#else
API(cudaMemcpyBatchAsync, void **to, void **from, size_t *bytes, size_t count,
    const void *attributes, size_t *places, size_t given, size_t *failed, cuda_stream_t stream) {
  (void)attributes, (void)places, (void)given;
  return copies(to, (const void *const *)from, bytes, count, failed, stream);
}
#endif
ALIAS(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);

API(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes) {
  if (to_device || from_device) return rt_leave(rt_enter(), cudaErrorInvalidDevice);
  return copy(to, from, bytes, COPY_DEFAULT, NULL);
}

API(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes,
    cuda_stream_t stream) {
  if (to_device || from_device) return rt_leave(rt_enter(), cudaErrorInvalidDevice);
  return copy(to, from, bytes, COPY_DEFAULT, stream);
}

/* --- fills --- */

static cuda_error_t fill(side_t to, int value, cuda_extent_t b, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, stream);
  if (!error && stream_capture(stream)) return rt_leave(rt, capture_fill(stream, to, value, b));
  if (!error) order_of(rt, stream); /* a fill in the default stream is work there */
  return rt_leave(rt, error ? error : fill_box(rt, to, value, b));
}

API(cudaMemset, void *to, int value, size_t bytes) {
  return fill(line(to), value, bytes_of(bytes), NULL);
}
ALIAS(cudaMemset_ptds, cudaMemset);

API(cudaMemsetAsync, void *to, int value, size_t bytes, cuda_stream_t stream) {
  return fill(line(to), value, bytes_of(bytes), stream);
}
ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);

API(cudaMemset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height,
    cuda_stream_t stream) {
  return fill((side_t){to, pitch, 0}, value, (cuda_extent_t){width, height, 1}, stream);
}
ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

API(cudaMemset2D, void *to, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}
ALIAS(cudaMemset2D_ptds, cudaMemset2D);

API(cudaMemset3DAsync, cuda_pitched_t to, int value, cuda_extent_t extent, cuda_stream_t stream) {
  return fill((side_t){to.ptr, to.pitch, to.pitch * to.ysize}, value, extent, stream);
}
ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

API(cudaMemset3D, cuda_pitched_t to, int value, cuda_extent_t extent) {
  return cudaMemset3DAsync(to, value, extent, NULL);
}
ALIAS(cudaMemset3D_ptds, cudaMemset3D);

/* --- variables --- */

static cuda_error_t symbol_bytes(rt_t *rt, const void *symbol, size_t bytes, size_t offset,
                                 char **at) {
  entry_t *e;
  cuda_error_t error = entry_variable(rt, symbol, &e);
  if (error) return error;
  if (offset > e->bytes || bytes > e->bytes - offset) return cudaErrorInvalidValue;
  *at = (char *)(uintptr_t)(e->va + offset); /* NOLINT: one address space */
  return cudaSuccess;
}

API(cudaMemcpyToSymbolAsync, const void *symbol, const void *from, size_t bytes, size_t offset,
    int kind, cuda_stream_t stream) {
  char *to = NULL;
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, stream);
  if (!error) error = symbol_bytes(rt, symbol, bytes, offset, &to);
  if (!error) error = copy_in(rt, stream, line(to), line(from), bytes_of(bytes), kind);
  return rt_leave(rt, error);
}
ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

API(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes, size_t offset,
    int kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, NULL);
}
ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

API(cudaMemcpyFromSymbolAsync, void *to, const void *symbol, size_t bytes, size_t offset, int kind,
    cuda_stream_t stream) {
  char *from = NULL;
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, stream);
  if (!error) error = symbol_bytes(rt, symbol, bytes, offset, &from);
  if (!error) error = copy_in(rt, stream, line(to), line(from), bytes_of(bytes), kind);
  return rt_leave(rt, error);
}
ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

API(cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, NULL);
}
ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
