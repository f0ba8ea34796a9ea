/* Textures: objects, and the references of CUDA 11; and surfaces. All become a ptx_texture_t, which
 * gmmu's interpreter samples; what it cannot do is refused by name. */
#include "cudart/rt.h"
#include "ptx/ptx.h"
#include <stdlib.h>
#include <string.h>

void textures_forget(rt_t *rt) {
  while (rt->textures) {
    texture_t *t = rt->textures;
    rt->textures = t->next;
    free(t);
  }
}

static cuda_error_t format(const cuda_channel_t *c, ptx_texture_t *t) {
  static const uint8_t kinds[] = {PTX_TEX_SIGNED, PTX_TEX_UNSIGNED, PTX_TEX_FLOAT};
  size_t bytes = channel_bytes(c);
  if (!bytes || c->kind < CHANNEL_SIGNED || c->kind > CHANNEL_FLOAT)
    return cudaErrorInvalidChannelDescriptor;
  t->channel_bits = (uint8_t)c->x;
  t->channels = (uint8_t)(bytes * 8 / (size_t)c->x);
  t->kind = kinds[c->kind];
  return cudaSuccess;
}

static cuda_error_t size(ptx_texture_t *t, cuda_extent_t e) {
  if (!e.width || e.width > UINT32_MAX || e.height > UINT32_MAX || e.depth > UINT32_MAX)
    return cudaErrorInvalidValue;
  t->width = (uint32_t)e.width, t->height = (uint32_t)e.height, t->depth = (uint32_t)e.depth;
  return cudaSuccess;
}

static cuda_error_t from_memory(const void *base, const cuda_channel_t *c, cuda_extent_t e,
                                size_t pitch, ptx_texture_t *t) {
  cuda_error_t error = format(c, t);
  t->va = (uintptr_t)base;
  t->pitch_bytes = pitch, t->slice_bytes = pitch * (e.height ? e.height : 1);
  return error ? error : size(t, e);
}

static cuda_error_t from_array(const rt_t *rt, const struct cuda_array *a, ptx_texture_t *t) {
  if (!array_known(rt, a)) return cudaErrorInvalidResourceHandle;
  return from_memory(a->base, &a->channel, (cuda_extent_t){a->width, a->height, a->depth}, a->pitch,
                     t);
}

/* CUDA: wrap and mirror without normalized coordinates act as clamp. */
static void addressing(const int mode[3], bool normalized, ptx_texture_t *t) {
  for (int i = 0; i < 3; i++) {
    bool needs = mode[i] == PTX_TEX_WRAP || mode[i] == PTX_TEX_MIRROR;
    t->address[i] =
        (uint8_t)(mode[i] > PTX_TEX_BORDER || (needs && !normalized) ? PTX_TEX_CLAMP : mode[i]);
  }
  t->normalized = normalized;
}

/* The weighted mean of integers is none: only what is read as float can be filtered. Linear memory
 * is only ever fetched by index, so its filter says nothing. */
static cuda_error_t filtering(int filter, bool read_normalized, bool by_index, ptx_texture_t *t) {
  t->read_normalized = read_normalized && t->kind != PTX_TEX_FLOAT;
  t->linear = filter == FILTER_LINEAR && !by_index;
  bool whole = t->kind != PTX_TEX_FLOAT && !t->read_normalized;
  return t->linear && whole ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

/* --- texture objects --- */

static cuda_error_t from_resource(const rt_t *rt, const cuda_resource_t *r, ptx_texture_t *t) {
  switch (r->type) {
  case RESOURCE_ARRAY: return from_array(rt, r->of.array, t);
  case RESOURCE_LINEAR: {
    size_t element = channel_bytes(&r->of.linear.channel);
    return from_memory(r->of.linear.base, &r->of.linear.channel,
                       (cuda_extent_t){element ? r->of.linear.bytes / element : 0, 0, 0},
                       r->of.linear.bytes, t);
  }
  case RESOURCE_PITCH2D:
    return from_memory(r->of.pitch2d.base, &r->of.pitch2d.channel,
                       (cuda_extent_t){r->of.pitch2d.width, r->of.pitch2d.height, 0},
                       r->of.pitch2d.pitch, t);
  case RESOURCE_MIPMAPPED: return UNSUPPORTED("a mipmapped texture");
  default: return cudaErrorInvalidValue;
  }
}

static cuda_error_t describe(const rt_t *rt, const cuda_resource_t *r, const cuda_texture_t *how,
                             ptx_texture_t *t) {
  memset(t, 0, sizeof *t);
  cuda_error_t error = from_resource(rt, r, t);
  if (error) return error;
  if (how->srgb) return UNSUPPORTED("an sRGB texture");
  addressing(how->address, how->normalized != 0, t);
  bool border = t->address[0] == PTX_TEX_BORDER || t->address[1] == PTX_TEX_BORDER ||
                t->address[2] == PTX_TEX_BORDER;
  for (int i = 0; border && i < 4; i++)
    if (how->border[i] != 0) return UNSUPPORTED("a texture whose border is not zero");
  return filtering(how->filter, how->read_mode != 0, r->type == RESOURCE_LINEAR, t);
}

/* Tells gmmu, and keeps what the program may ask for again. */
static cuda_error_t object_new(rt_t *rt, const ptx_texture_t *t, const cuda_resource_t *resource,
                               const cuda_texture_t *how, unsigned long long *out) {
  wire_answer_t answer;
  texture_t *kept = malloc(sizeof *kept);
  struct iovec v = {(void *)(uintptr_t)t, sizeof *t};
  if (!kept) return cudaErrorMemoryAllocation;
  cuda_error_t error = wire_call(rt, WIRE_TEXTURE_NEW, (uint64_t[4]){0}, &v, 1, &answer);
  if (error) {
    free(kept);
    return error;
  }
  *kept = (texture_t){
      .next = rt->textures, .handle = answer.r[0], .resource = *resource, .surface = t->surface};
  if (how) kept->how = *how;
  rt->textures = kept;
  *out = kept->handle;
  return cudaSuccess;
}

API(cudaCreateTextureObject, unsigned long long *out, const cuda_resource_t *resource,
    const cuda_texture_t *how, const void *view) {
  ptx_texture_t t;
  rt_t *rt = rt_enter();
  if (!out || !resource || !how) return rt_leave(rt, cudaErrorInvalidValue);
  if (view) return rt_leave(rt, UNSUPPORTED("cudaCreateTextureObject with a resource view"));
  cuda_error_t error = rt->status ? rt->status : describe(rt, resource, how, &t);
  return rt_leave(rt, error ? error : object_new(rt, &t, resource, how, out));
}
ALIAS(cudaCreateTextureObject_v2, cudaCreateTextureObject);

static texture_t **texture_find(rt_t *rt, uint64_t handle, bool surface) {
  texture_t **at = &rt->textures;
  while (*at && ((*at)->handle != handle || (*at)->surface != surface)) at = &(*at)->next;
  return at;
}

static cuda_error_t destroy(unsigned long long handle, bool surface) {
  rt_t *rt = rt_enter();
  texture_t **at = texture_find(rt, handle, surface), *t = *at;
  if (!t) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_error_t error = wire_ask(rt, WIRE_TEXTURE_FREE, handle, 0, 0, 0, NULL);
  *at = t->next;
  free(t);
  return rt_leave(rt, error);
}

static cuda_error_t resource_of(cuda_resource_t *out, unsigned long long handle, bool surface) {
  rt_t *rt = rt_enter();
  const texture_t *t = *texture_find(rt, handle, surface);
  if (!out || !t) return rt_leave(rt, cudaErrorInvalidValue);
  *out = t->resource;
  return rt_leave(rt, cudaSuccess);
}

API(cudaDestroyTextureObject, unsigned long long handle) { return destroy(handle, false); }

API(cudaGetTextureObjectResourceDesc, cuda_resource_t *out, unsigned long long handle) {
  return resource_of(out, handle, false);
}

API(cudaGetTextureObjectTextureDesc, cuda_texture_t *out, unsigned long long handle) {
  rt_t *rt = rt_enter();
  const texture_t *t = *texture_find(rt, handle, false);
  if (!out || !t) return rt_leave(rt, cudaErrorInvalidValue);
  *out = t->how;
  return rt_leave(rt, cudaSuccess);
}

/* --- surface objects --- */

API(cudaCreateSurfaceObject, unsigned long long *out, const cuda_resource_t *resource) {
  ptx_texture_t t;
  rt_t *rt = rt_enter();
  memset(&t, 0, sizeof t);
  if (!out || !resource || resource->type != RESOURCE_ARRAY)
    return rt_leave(rt, cudaErrorInvalidValue);
  cuda_error_t error = rt->status ? rt->status : from_array(rt, resource->of.array, &t);
  t.surface = 1;
  return rt_leave(rt, error ? error : object_new(rt, &t, resource, NULL, out));
}

API(cudaDestroySurfaceObject, unsigned long long handle) { return destroy(handle, true); }

API(cudaGetSurfaceObjectResourceDesc, cuda_resource_t *out, unsigned long long handle) {
  return resource_of(out, handle, true);
}

/* --- texture references --- */

/* Tells every part of the reference's module; one of them has it. */
static cuda_error_t bind_in(rt_t *rt, entry_t *e, const ptx_texture_t *t, bool bound) {
  wire_answer_t answer;
  struct iovec v[2] = {{(void *)t, sizeof *t}, {(void *)e->name, strlen(e->name)}};
  cuda_error_t error = cudaErrorInvalidTexture;
  for (size_t i = 0; i < e->module->numbers; i++) {
    error =
        wire_call(rt, WIRE_TEXTURE_BIND, (uint64_t[4]){e->module->number[i], bound}, v, 2, &answer);
    if (!error) break;
  }
  return error;
}

static cuda_error_t bind(rt_t *rt, const cuda_texref_t *ref, ptx_texture_t *t, bool by_index) {
  entry_t *e;
  cuda_error_t error = entry_texture(rt, ref, &e);
  if (error) return error;
  addressing(ref->address, ref->normalized != 0, t);
  error = filtering(ref->filter, e->read_normalized, by_index, t);
  return error ? error : bind_in(rt, e, t, true);
}

API(cudaBindTexture, size_t *offset, const cuda_texref_t *ref, const void *base,
    const cuda_channel_t *channel, size_t bytes) {
  ptx_texture_t t;
  rt_t *rt = rt_enter();
  size_t element = channel ? channel_bytes(channel) : 0;
  memset(&t, 0, sizeof t);
  if (!ref || !element) return rt_leave(rt, cudaErrorInvalidValue);
  size_t texels = bytes / element; /* the default size is "all there is" */
  if (texels > 1u << 28) texels = 1u << 28;
  cuda_error_t error =
      from_memory(base, channel, (cuda_extent_t){texels, 0, 0}, texels * element, &t);
  if (!error) error = bind(rt, ref, &t, true);
  if (!error && offset) *offset = 0;
  return rt_leave(rt, error);
}

API(cudaBindTexture2D, size_t *offset, const cuda_texref_t *ref, const void *base,
    const cuda_channel_t *channel, size_t width, size_t height, size_t pitch) {
  ptx_texture_t t;
  rt_t *rt = rt_enter();
  memset(&t, 0, sizeof t);
  if (!ref || !channel) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_error_t error = from_memory(base, channel, (cuda_extent_t){width, height, 0}, pitch, &t);
  if (!error) error = bind(rt, ref, &t, false);
  if (!error && offset) *offset = 0;
  return rt_leave(rt, error);
}

API(cudaBindTextureToArray, const cuda_texref_t *ref, const struct cuda_array *array,
    const cuda_channel_t *channel) {
  ptx_texture_t t;
  rt_t *rt = rt_enter();
  memset(&t, 0, sizeof t);
  if (!ref || !channel) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_error_t error = rt->status ? rt->status : from_array(rt, array, &t);
  if (!error) error = bind(rt, ref, &t, false);
  return rt_leave(rt, error);
}

API(cudaUnbindTexture, const cuda_texref_t *ref) {
  entry_t *e;
  ptx_texture_t t;
  rt_t *rt = rt_enter();
  memset(&t, 0, sizeof t);
  cuda_error_t error = entry_texture(rt, ref, &e);
  return rt_leave(rt, error ? error : bind_in(rt, e, &t, false));
}

API(cudaGetTextureAlignmentOffset, size_t *offset, const cuda_texref_t *ref) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error = offset ? entry_texture(rt, ref, &e) : cudaErrorInvalidValue;
  if (!error) *offset = 0;
  return rt_leave(rt, error);
}

API(cudaGetTextureReference, const cuda_texref_t **out, const void *symbol) {
  entry_t *e;
  rt_t *rt = rt_enter();
  cuda_error_t error = out ? entry_texture(rt, symbol, &e) : cudaErrorInvalidValue;
  if (!error) *out = symbol;
  return rt_leave(rt, error);
}
