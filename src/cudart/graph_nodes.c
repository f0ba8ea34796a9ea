/* Nodes of graphs by their parameters: those of any kind through one call, what a node was asked to
 * do, attributes, events; and objects of the program that graphs keep alive. */
#include "cudart/graph.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* cudaGraphNodeParams */
  int kind, reserved[3];
  union {
    cuda_kernel_node_t kernel;
    struct {
      int flags, reserved[3];
      cuda_copy3d_t copy;
    } copy;
    cuda_memset_node_t fill;
    cuda_host_node_t host;
    cuda_graph_t graph;
    cuda_event_t event;
    alloc_params_t alloc;
    void *free;
    long long room[29];
  } of;
  long long reserved_2;
} node_params_t;
_Static_assert(sizeof(node_params_t) == 256, "cudaGraphNodeParams");

/* ---- any kind ------------------------------------------------------------------------------ */

static bool has_parameters(int kind) {
  return (kind >= NODE_KERNEL && kind <= NODE_RECORD) || kind == NODE_ALLOC || kind == NODE_FREE;
}

static cuda_error_t set(rt_t *rt, cuda_node_t n, node_params_t *p) {
  if (!n || !p || (int)n->kind != p->kind) return cudaErrorInvalidValue;
  switch (n->kind) {
  case NODE_KERNEL: return node_set_kernel(rt, n, &p->of.kernel);
  case NODE_COPY: return node_set_box(rt, n, &p->of.copy.copy);
  case NODE_FILL: return node_set_fill(n, &p->of.fill);
  case NODE_HOST: return node_set_host(n, &p->of.host);
  case NODE_GRAPH: return node_set_child(rt, n, p->of.graph);
  case NODE_WAIT:
  case NODE_RECORD: n->data = p->of.event; return cudaSuccess;
  case NODE_FREE: n->data = p->of.free; return cudaSuccess;
  case NODE_ALLOC: /* its address stays */
    if (n->memory || !p->of.alloc.bytes) return cudaErrorInvalidValue;
    return node_set_memory(rt, n, p->of.alloc.bytes, &p->of.alloc.at);
  default: return cudaSuccess;
  }
}

static cuda_error_t add_any(cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
                            size_t count, node_params_t *p) {
  rt_t *rt = rt_enter();
  if (!p) return rt_leave(rt, cudaErrorInvalidValue);
  if (!has_parameters(p->kind))
    return rt_leave(rt, UNSUPPORTED("a graph's node that is conditional or waits for semaphores"));
  cuda_error_t error = graph_add_node(rt, g, (node_kind_t)p->kind, before, count, out);
  if (error) return rt_leave(rt, error);
  error = set(rt, *out, p);
  if (error) (*out)->kind = NODE_EMPTY; /* what it was to do is not known */
  return rt_leave(rt, error);
}
#if CUDA_MAJOR >= 13
API(cudaGraphAddNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    const void *edges, size_t count, node_params_t *p) {
  (void)edges; /* plain ones */
  return add_any(out, g, before, count, p);
}
#else
API(cudaGraphAddNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before, size_t count,
    node_params_t *p) {
  return add_any(out, g, before, count, p);
}
#endif
API(cudaGraphAddNode_v2, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    const void *edges, size_t count, node_params_t *p) {
  (void)edges;
  return add_any(out, g, before, count, p);
}
API(cudaGraphNodeSetParams, cuda_node_t n, node_params_t *p) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, set(rt, n, p));
}
API(cudaGraphExecNodeSetParams, cuda_graph_t g, cuda_node_t n, node_params_t *p) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, true)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, set(rt, graph_find(g, n), p));
}
API(cudaGraphExecChildGraphNodeSetParams, cuda_graph_t g, cuda_node_t n, cuda_graph_t child) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, true)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, node_set_child(rt, graph_find(g, n), child));
}

/* ---- what a node was asked to do ------------------------------------------------------------ */

API(cudaGraphMemcpyNodeGetParams, cuda_node_t n, cuda_copy3d_t *p) {
  rt_t *rt = rt_enter();
  if (!n || !p || n->kind != NODE_COPY) return rt_leave(rt, cudaErrorInvalidValue);
  *p = n->move.asked;
  return rt_leave(rt, cudaSuccess);
}

API(cudaGraphMemAllocNodeGetParams, cuda_node_t n, alloc_params_t *p) {
  rt_t *rt = rt_enter();
  if (!n || !p || n->kind != NODE_ALLOC) return rt_leave(rt, cudaErrorInvalidValue);
  *p = (alloc_params_t){.bytes = n->memory->bytes, .at = n->memory->at};
  p->pool_props[0] = 1;           /* allocType: pinned; no handles */
  p->pool_props[1] = (uint64_t)1; /* location: type device, id 0 */
  return rt_leave(rt, cudaSuccess);
}

/* ---- events --------------------------------------------------------------------------------- */

static cuda_error_t get_event(cuda_node_t n, node_kind_t kind, cuda_event_t *out) {
  rt_t *rt = rt_enter();
  if (!n || !out || n->kind != kind) return rt_leave(rt, cudaErrorInvalidValue);
  *out = n->data;
  return rt_leave(rt, cudaSuccess);
}
static cuda_error_t set_event(cuda_node_t n, node_kind_t kind, cuda_event_t e) {
  if (!n || !e || n->kind != kind) return cudaErrorInvalidValue;
  n->data = e;
  return cudaSuccess;
}
API(cudaGraphEventRecordNodeGetEvent, cuda_node_t n, cuda_event_t *out) {
  return get_event(n, NODE_RECORD, out);
}
API(cudaGraphEventWaitNodeGetEvent, cuda_node_t n, cuda_event_t *out) {
  return get_event(n, NODE_WAIT, out);
}
API(cudaGraphEventRecordNodeSetEvent, cuda_node_t n, cuda_event_t e) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, set_event(n, NODE_RECORD, e));
}
API(cudaGraphEventWaitNodeSetEvent, cuda_node_t n, cuda_event_t e) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, set_event(n, NODE_WAIT, e));
}
static cuda_error_t set_exec_event(cuda_graph_t g, cuda_node_t n, node_kind_t kind,
                                   cuda_event_t e) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, true)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, set_event(graph_find(g, n), kind, e));
}
API(cudaGraphExecEventRecordNodeSetEvent, cuda_graph_t g, cuda_node_t n, cuda_event_t e) {
  return set_exec_event(g, n, NODE_RECORD, e);
}
API(cudaGraphExecEventWaitNodeSetEvent, cuda_graph_t g, cuda_node_t n, cuda_event_t e) {
  return set_exec_event(g, n, NODE_WAIT, e);
}

/* ---- attributes of kernels: kept, and without effect ----------------------------------------- */

static bool has_attribute(cuda_node_t n, int id) {
  return n && n->kind == NODE_KERNEL && id >= 0 && id < STREAM_ATTRIBUTES;
}
API(cudaGraphKernelNodeSetAttribute, cuda_node_t n, int id, const void *value) {
  rt_t *rt = rt_enter();
  if (!value || !has_attribute(n, id)) return rt_leave(rt, cudaErrorInvalidValue);
  n->attribute[id].set = true;
  memcpy(n->attribute[id].value, value, STREAM_VALUE_BYTES);
  return rt_leave(rt, cudaSuccess);
}
API(cudaGraphKernelNodeGetAttribute, cuda_node_t n, int id, void *value) {
  rt_t *rt = rt_enter();
  if (!value || !has_attribute(n, id)) return rt_leave(rt, cudaErrorInvalidValue);
  memcpy(value, n->attribute[id].value, STREAM_VALUE_BYTES); /* zeroes if it was not set */
  return rt_leave(rt, cudaSuccess);
}
#if CUDA_MAJOR >= 13
API(cudaGraphKernelNodeCopyAttributes, cuda_node_t to, cuda_node_t from) {
#else
API(cudaGraphKernelNodeCopyAttributes, cuda_node_t from, cuda_node_t to) {
#endif
  rt_t *rt = rt_enter();
  if (!has_attribute(from, 0) || !has_attribute(to, 0)) return rt_leave(rt, cudaErrorInvalidValue);
  memcpy(to->attribute, from->attribute, sizeof to->attribute);
  return rt_leave(rt, cudaSuccess);
}

/* ---- memory of graphs ------------------------------------------------------------------------ */

/* Used: what launches have allocated and nobody has freed; reserved: what graphs have. The high
 * marks are those of now: they are not kept. */
API(cudaDeviceGetGraphMemAttribute, int device, int which, uint64_t *value) {
  rt_t *rt = rt_enter();
  if (device) return rt_leave(rt, cudaErrorInvalidDevice);
  if (!value || which < 0 || which > 3) return rt_leave(rt, cudaErrorInvalidValue);
  *value = graph_memory_bytes(rt, which < 2);
  return rt_leave(rt, cudaSuccess);
}
API(cudaDeviceSetGraphMemAttribute, int device, int which, const uint64_t *value) {
  rt_t *rt = rt_enter();
  if (device) return rt_leave(rt, cudaErrorInvalidDevice);
  bool high = which == 1 || which == 3; /* only these, and only to zero */
  return rt_leave(rt, value && high && !*value ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- objects of the program ------------------------------------------------------------------ */

struct cuda_object {
  void *data;
  void (*destroy)(void *);
  unsigned count;
};

void object_retain(cuda_object_t o, unsigned count) { o->count += count; }
void object_release(cuda_object_t o, unsigned count) {
  o->count -= count < o->count ? count : o->count;
  if (o->count) return;
  o->destroy(o->data);
  free(o);
}

API(cudaUserObjectCreate, cuda_object_t *out, void *data, void (*destroy)(void *), unsigned count,
    unsigned flags) {
  rt_t *rt = rt_enter();
  if (!out || !destroy || !count || flags != 1) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_object_t o = malloc(sizeof *o);
  if (!o) return rt_leave(rt, cudaErrorMemoryAllocation);
  *o = (struct cuda_object){data, destroy, count};
  *out = o;
  return rt_leave(rt, cudaSuccess);
}
API(cudaUserObjectRetain, cuda_object_t o, unsigned count) {
  rt_t *rt = rt_enter();
  if (!o || !count) return rt_leave(rt, cudaErrorInvalidValue);
  object_retain(o, count);
  return rt_leave(rt, cudaSuccess);
}
API(cudaUserObjectRelease, cuda_object_t o, unsigned count) {
  rt_t *rt = rt_enter();
  if (!o || !count || count > o->count) return rt_leave(rt, cudaErrorInvalidValue);
  object_release(o, count);
  return rt_leave(rt, cudaSuccess);
}
/* flags 1: the caller's references become the graph's. */
API(cudaGraphRetainUserObject, cuda_graph_t g, cuda_object_t o, unsigned count, unsigned flags) {
  rt_t *rt = rt_enter();
  if (!o || !count || flags > 1 || !graph_known(rt, g, false))
    return rt_leave(rt, cudaErrorInvalidValue);
  if (!graph_hold(g, o, count)) return rt_leave(rt, cudaErrorMemoryAllocation);
  if (flags) object_release(o, count);
  return rt_leave(rt, cudaSuccess);
}
API(cudaGraphReleaseUserObject, cuda_graph_t g, cuda_object_t o, unsigned count) {
  rt_t *rt = rt_enter();
  if (!o || !graph_known(rt, g, false)) return rt_leave(rt, cudaErrorInvalidValue);
  struct holding **at = &g->objects;
  while (*at && (*at)->object != o) at = &(*at)->next;
  struct holding *h = *at;
  if (!h || !count || count > h->count) return rt_leave(rt, cudaErrorInvalidValue);
  h->count -= count;
  if (!h->count) {
    *at = h->next;
    free(h);
  }
  object_release(o, count);
  return rt_leave(rt, cudaSuccess);
}
