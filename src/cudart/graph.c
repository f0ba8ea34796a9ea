/* Graphs: lists of work that run later, made by hand or by capturing what a stream is asked for.
 *
 * A node depends on others; running a graph takes the nodes in an order that respects that, the one
 * in which they were added where there is a choice. Work is done in order anyway, so streams that
 * join a capture by an event add their nodes to the same list, as they come. */
#include "cudart/graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists
 * --------------------------------------------------------------------------------------- */

static cuda_graph_t graph_new(rt_t *rt) {
  cuda_graph_t g = calloc(1, sizeof *g);
  if (!g) return NULL;
  g->last = &g->first, g->next = rt->graphs;
  return rt->graphs = g;
}

bool graph_known(const rt_t *rt, cuda_graph_t g, bool runnable) {
  cuda_graph_t k = rt->graphs;
  while (k && k != g) k = k->next;
  return k && k->runnable == runnable;
}

static graph_memory_t *memory_at(const rt_t *rt, const void *p) {
  graph_memory_t *m = rt->graph_memory;
  while (m && m->at != p) m = m->next;
  return m;
}

size_t graph_memory_bytes(const rt_t *rt, bool used) {
  size_t bytes = 0;
  for (const graph_memory_t *m = rt->graph_memory; m; m = m->next)
    if (!used || m->live) bytes += m->bytes;
  return bytes;
}

bool graph_keeps(rt_t *rt, const void *p) {
  graph_memory_t *m = memory_at(rt, p);
  if (m) m->live = false;
  return m != NULL;
}

/* One node less has it. Behind the last one it goes; if it is live, it is the program's to free. */
static void memory_release(rt_t *rt, graph_memory_t *m) {
  if (--m->nodes) return;
  graph_memory_t **at = &rt->graph_memory;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  if (!m->live) memory_free(rt, m->at);
  free(m);
}

static void graph_drop(rt_t *rt, cuda_graph_t g);
static void node_free(rt_t *rt, cuda_node_t n) {
  if (n->child) graph_drop(rt, n->child);
  if (n->memory) memory_release(rt, n->memory);
  free(n->launch.params), free(n->args), free(n->before), free(n);
}

static void graph_drop(rt_t *rt, cuda_graph_t g) {
  cuda_graph_t *at = &rt->graphs;
  while (*at && *at != g) at = &(*at)->next;
  if (*at) *at = g->next;
  for (cuda_node_t n; (n = g->first);) g->first = n->next, node_free(rt, n);
  for (struct holding *o; (o = g->objects);) {
    g->objects = o->next;
    object_release(o->object, o->count);
    free(o);
  }
  free(g);
}

void graphs_forget(rt_t *rt) {
  while (rt->graphs) graph_drop(rt, rt->graphs);
}

static cuda_node_t node_add(cuda_graph_t g, node_kind_t kind, const cuda_node_t *before,
                            size_t count) {
  cuda_node_t n = calloc(1, sizeof *n);
  if (!n) return NULL;
  n->kind = kind;
  n->before = malloc((count + 1) * sizeof *n->before);
  if (!n->before) return free(n), NULL;
  if (count) memcpy(n->before, before, count * sizeof *before);
  n->befores = count;
  *g->last = n, g->last = &n->next;
  return n;
}

cuda_node_t graph_find(cuda_graph_t g, cuda_node_t origin) {
  cuda_node_t n = g->first;
  while (n && n->origin != origin && n != origin) n = n->next;
  return n;
}

bool graph_hold(cuda_graph_t g, cuda_object_t o, unsigned count) {
  struct holding *h = malloc(sizeof *h);
  if (!h) return false;
  *h = (struct holding){g->objects, o, count};
  g->objects = h;
  object_retain(o, count);
  return true;
}

/* A copy, whose nodes know where they are from. */
static cuda_graph_t graph_copy(rt_t *rt, cuda_graph_t from) {
  cuda_graph_t g = graph_new(rt);
  for (struct holding *o = from->objects; g && o; o = o->next)
    if (!graph_hold(g, o->object, 1)) return graph_drop(rt, g), NULL;
  for (cuda_node_t n = from->first; g && n; n = n->next) {
    cuda_node_t c = node_add(g, n->kind, n->before, n->befores);
    if (!c) return graph_drop(rt, g), NULL;
    c->launch = n->launch, c->move = n->move, c->function = n->function, c->data = n->data;
    c->launch.params = NULL, c->origin = n, c->off = n->off;
    if (n->memory) c->memory = n->memory, c->memory->nodes++;
    memcpy(c->attribute, n->attribute, sizeof c->attribute);
    if (n->launch.params) {
      c->launch.params = malloc(n->launch.bytes + 1);
      if (!c->launch.params) return graph_drop(rt, g), NULL;
      memcpy(c->launch.params, n->launch.params, n->launch.bytes);
    }
    if (n->child && !(c->child = graph_copy(rt, n->child))) return graph_drop(rt, g), NULL;
  }
  for (cuda_node_t c = g ? g->first : NULL; c; c = c->next)
    for (size_t i = 0; i < c->befores; i++) c->before[i] = graph_find(g, c->before[i]);
  return g;
}

/* Puts the nodes into an order in which each comes behind what it depends on; false: in circles. */
static bool graph_sort(cuda_graph_t g) {
  cuda_node_t left = g->first;
  for (cuda_node_t n = left; n; n = n->next) n->order = 0;
  g->first = NULL, g->last = &g->first;
  while (left) {
    cuda_node_t *at = &left;
    for (bool ready = false; *at; at = &(*at)->next) {
      ready = true;
      for (size_t i = 0; i < (*at)->befores; i++) ready &= (*at)->before[i]->order == 1;
      if (ready) break;
    }
    if (!*at) {
      *g->last = left; /* as they were, at least */
      return false;
    }
    cuda_node_t n = *at;
    *at = n->next;
    n->next = NULL, n->order = 1;
    *g->last = n, g->last = &n->next;
  }
  return true;
}

/* ---- running
 * ------------------------------------------------------------------------------------- */

/* Functions of the host run without the lock, as they do in streams. */
static cuda_error_t run(rt_t **rt, cuda_graph_t g, cuda_stream_t stream) {
  cuda_error_t error = cudaSuccess;
  for (cuda_node_t n = g->first; n && !error; n = n->next) {
    if (n->off) continue;
    switch (n->kind) {
    case NODE_KERNEL: error = launch_packed(*rt, &n->launch, stream); break;
    case NODE_COPY:
      error = copy_box(*rt, n->move.to, n->move.from, n->move.bytes, n->move.kind);
      break;
    case NODE_FILL:
      error = fill_values(*rt, n->move.to, n->move.value, n->move.value_bytes, n->move.bytes);
      break;
    case NODE_HOST:
      rt_leave_quietly(*rt, cudaSuccess);
      n->function(n->data);
      *rt = rt_enter();
      break;
    case NODE_GRAPH: error = run(rt, n->child, stream); break;
    case NODE_ALLOC: n->memory->live = true; break;
    case NODE_FREE: error = memory_free(*rt, n->data); break;
    case NODE_RECORD: error = event_record(*rt, n->data, stream); break;
    default: break;
    }
  }
  return error;
}

static cuda_node_t capture_node(cuda_stream_t s, node_kind_t kind);
API(cudaGraphLaunch, cuda_graph_t g, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_known(rt, g, true) ? stream_check(rt, stream) : cudaErrorInvalidValue;
  if (!error && stream_capture(stream)) { /* a graph within a graph */
    cuda_node_t n = capture_node(stream, NODE_GRAPH);
    if (n) n->child = graph_copy(rt, g);
    return rt_leave(rt, n && n->child ? cudaSuccess : cudaErrorMemoryAllocation);
  }
  if (!error) error = run(&rt, g, stream);
  return rt_leave(rt, error);
}
ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);

API(cudaGraphUpload, cuda_graph_t g, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, graph_known(rt, g, true) ? stream_check(rt, stream) : cudaErrorInvalidValue);
}
ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);

/* ---- capturing
 * ----------------------------------------------------------------------------------- */

/* Adds the members of `from` that `to` lacks. */
bool frontier_join(frontier_t *to, const frontier_t *from) {
  if (!from->count) return true;
  cuda_node_t *list = realloc(to->node, (to->count + from->count) * sizeof(cuda_node_t));
  if (!list) return false;
  to->node = list;
  for (size_t i = 0; i < from->count; i++) {
    size_t k = 0;
    while (k < to->count && list[k] != from->node[i]) k++;
    if (k == to->count) list[to->count++] = from->node[i];
  }
  return true;
}
void frontier_forget(frontier_t *f) {
  free(f->node);
  *f = (frontier_t){0};
}

/* A node behind the stream's last ones. */
static cuda_node_t capture_node(cuda_stream_t s, node_kind_t kind) {
  cuda_node_t n = node_add(s->capture, kind, s->front.node, s->front.count);
  frontier_forget(&s->front);
  return n && frontier_join(&s->front, &(frontier_t){&n, 1}) ? n : NULL;
}

cuda_error_t capture_launch(cuda_stream_t s, const packed_launch_t *l) {
  cuda_node_t n = capture_node(s, NODE_KERNEL);
  if (!n) return cudaErrorMemoryAllocation;
  n->launch = *l;
  return cudaSuccess;
}

/* As a program would have described it. */
static cuda_copy3d_t described(side_t to, side_t from, cuda_extent_t b, int kind) {
  cuda_copy3d_t c = {.extent = b, .kind = kind};
  c.from = (cuda_pitched_t){from.base, from.pitch ? from.pitch : b.width, b.width, b.height};
  c.to = (cuda_pitched_t){to.base, to.pitch ? to.pitch : b.width, b.width, b.height};
  return c;
}

cuda_error_t capture_copy(cuda_stream_t s, side_t to, side_t from, cuda_extent_t b, int kind) {
  cuda_node_t n = capture_node(s, NODE_COPY);
  if (!n) return cudaErrorMemoryAllocation;
  n->move = (move_t){.to = to, .from = from, .bytes = b, .kind = kind};
  n->move.asked = described(to, from, b, kind);
  return cudaSuccess;
}
cuda_error_t capture_fill(cuda_stream_t s, side_t to, int value, cuda_extent_t b) {
  cuda_node_t n = capture_node(s, NODE_FILL);
  if (!n) return cudaErrorMemoryAllocation;
  n->move = (move_t){.to = to, .value = value, .value_bytes = 1, .bytes = b};
  return cudaSuccess;
}
cuda_error_t capture_host(cuda_stream_t s, void (*function)(void *), void *data) {
  cuda_node_t n = capture_node(s, NODE_HOST);
  if (!n) return cudaErrorMemoryAllocation;
  n->function = function, n->data = data;
  return cudaSuccess;
}

cuda_error_t node_set_memory(rt_t *rt, cuda_node_t n, size_t bytes, void **out) {
  graph_memory_t *m = calloc(1, sizeof *m);
  cuda_error_t error = m ? memory_alloc(rt, bytes, WIRE_DEVICE, &m->at) : cudaErrorMemoryAllocation;
  if (error) {
    n->kind = NODE_EMPTY; /* what it was to have is not there */
    free(m);
    return error;
  }
  m->next = rt->graph_memory, m->nodes = 1;
  m->bytes = bytes;
  n->memory = rt->graph_memory = m;
  *out = m->at;
  return cudaSuccess;
}

cuda_error_t capture_alloc(rt_t *rt, cuda_stream_t s, size_t bytes, void **out) {
  cuda_node_t n = bytes ? capture_node(s, NODE_ALLOC) : NULL;
  if (!n) return bytes ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
  return node_set_memory(rt, n, bytes, out);
}

cuda_error_t capture_free(cuda_stream_t s, void *p) {
  cuda_node_t n = capture_node(s, NODE_FREE);
  if (!n) return cudaErrorMemoryAllocation;
  n->data = p;
  return cudaSuccess;
}

/* Into a graph of its own, or into `g`, behind nodes of it. */
static cuda_error_t begin(cuda_stream_t s, cuda_graph_t g, const frontier_t *behind, int mode) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, s);
  if (!error && (mode < 0 || mode > 2)) error = cudaErrorInvalidValue;
  if (!error && g && !graph_known(rt, g, false)) error = cudaErrorInvalidValue;
  if (!error && stream_is_default(s)) error = cudaErrorStreamCaptureUnsupported;
  if (!error && s->capture) error = cudaErrorIllegalState;
  if (error) return rt_leave(rt, error);
  frontier_forget(&s->front);
  if (!frontier_join(&s->front, behind)) return rt_leave(rt, cudaErrorMemoryAllocation);
  s->capture = g ? g : graph_new(rt), s->captures = true, s->broken = false;
  return rt_leave(rt, s->capture ? cudaSuccess : cudaErrorMemoryAllocation);
}

API(cudaStreamBeginCapture, cuda_stream_t s, int mode) {
  return begin(s, NULL, &(frontier_t){0}, mode);
}
ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

API(cudaStreamBeginCaptureToGraph, cuda_stream_t s, cuda_graph_t g, cuda_node_t *behind,
    const void *edges, size_t count, int mode) {
  (void)edges; /* plain ones */
  if (!g || (count && !behind)) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  return begin(s, g, &(frontier_t){behind, count}, mode);
}
ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

API(cudaStreamEndCapture, cuda_stream_t s, cuda_graph_t *out) {
  rt_t *rt = rt_enter();
  cuda_error_t error = out ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (!error && (stream_is_default(s) || !s->capture)) error = cudaErrorIllegalState;
  if (!error && !s->captures) error = cudaErrorStreamCaptureUnmatched;
  if (error) return rt_leave(rt, error);
  cuda_graph_t g = s->capture;
  for (cuda_stream_t k = rt->streams; k; k = k->next)
    if (k->capture == g) k->capture = NULL, k->captures = false, frontier_forget(&k->front);
  for (cuda_event_t e = rt->events; e; e = e->next)
    if (e->capture == g) e->capture = NULL, frontier_forget(&e->front);
  *out = s->broken ? NULL : g;
  return rt_leave(rt, s->broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
}
ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

API(cudaStreamIsCapturing, cuda_stream_t s, int *status) {
  rt_t *rt = rt_enter();
  cuda_error_t error = status ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (!error) *status = stream_capture(s) != NULL;
  return rt_leave(rt, error);
}
ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

static cuda_error_t capture_info(cuda_stream_t s, int *status, unsigned long long *id,
                                 cuda_graph_t *graph, const cuda_node_t **nodes, size_t *count) {
  rt_t *rt = rt_enter();
  cuda_error_t error = status ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (error) return rt_leave(rt, error);
  cuda_graph_t g = stream_capture(s);
  *status = g != NULL;
  if (id) *id = (uintptr_t)g;
  if (graph) *graph = g;
  if (nodes) *nodes = g ? s->front.node : NULL;
  if (count) *count = g ? s->front.count : 0;
  return rt_leave(rt, cudaSuccess);
}
#if CUDA_MAJOR >= 13
API(cudaStreamGetCaptureInfo, cuda_stream_t s, int *status, unsigned long long *id,
    cuda_graph_t *graph, const cuda_node_t **nodes, const void **edges, size_t *count) {
  if (edges) *edges = NULL; /* all are plain */
  return capture_info(s, status, id, graph, nodes, count);
}
#else
API(cudaStreamGetCaptureInfo, cuda_stream_t s, int *status, unsigned long long *id) {
  return capture_info(s, status, id, NULL, NULL, NULL);
}
#endif
ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
API(cudaStreamGetCaptureInfo_v2, cuda_stream_t s, int *status, unsigned long long *id,
    cuda_graph_t *graph, const cuda_node_t **nodes, size_t *count) {
  return capture_info(s, status, id, graph, nodes, count);
}
ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);

API(cudaThreadExchangeStreamCaptureMode, int *mode) {
  static _Thread_local int own;
  int old = own;
  if (!mode) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  own = *mode, *mode = old;
  return rt_leave(rt_enter(), cudaSuccess);
}

/* ---- graphs made by hand
 * ------------------------------------------------------------------------- */

API(cudaGraphCreate, cuda_graph_t *out, unsigned flags) {
  rt_t *rt = rt_enter();
  if (!out || flags) return rt_leave(rt, cudaErrorInvalidValue);
  *out = graph_new(rt);
  return rt_leave(rt, *out ? cudaSuccess : cudaErrorMemoryAllocation);
}

API(cudaGraphDestroy, cuda_graph_t g) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, false)) return rt_leave(rt, cudaErrorInvalidValue);
  graph_drop(rt, g);
  return rt_leave(rt, cudaSuccess);
}

API(cudaGraphExecDestroy, cuda_graph_t g) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, true)) return rt_leave(rt, cudaErrorInvalidValue);
  graph_drop(rt, g);
  return rt_leave(rt, cudaSuccess);
}

API(cudaGraphClone, cuda_graph_t *out, cuda_graph_t g) {
  rt_t *rt = rt_enter();
  if (!out || !graph_known(rt, g, false)) return rt_leave(rt, cudaErrorInvalidValue);
  *out = graph_copy(rt, g);
  return rt_leave(rt, *out ? cudaSuccess : cudaErrorMemoryAllocation);
}

static cuda_error_t instantiate(cuda_graph_t *out, cuda_graph_t g) {
  rt_t *rt = rt_enter();
  if (!out || !graph_known(rt, g, false)) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_graph_t exec = graph_copy(rt, g);
  if (!exec) return rt_leave(rt, cudaErrorMemoryAllocation);
  if (!graph_sort(exec)) return graph_drop(rt, exec), rt_leave(rt, cudaErrorInvalidValue);
  exec->runnable = true;
  *out = exec;
  return rt_leave(rt, cudaSuccess);
}
#if CUDA_MAJOR >= 12
API(cudaGraphInstantiate, cuda_graph_t *out, cuda_graph_t g, unsigned long long flags) {
  (void)flags;
  return instantiate(out, g);
}
#else
API(cudaGraphInstantiate, cuda_graph_t *out, cuda_graph_t g, cuda_node_t *bad, char *log,
    size_t bytes) {
  (void)bad;
  if (log && bytes) *log = 0;
  return instantiate(out, g);
}
#endif
API(cudaGraphInstantiateWithFlags, cuda_graph_t *out, cuda_graph_t g, unsigned long long flags) {
  (void)flags;
  return instantiate(out, g);
}

typedef struct { /* cudaGraphInstantiateParams */
  unsigned long long flags;
  cuda_stream_t upload;
  cuda_node_t bad;
  int result;
} instantiate_params_t;
API(cudaGraphInstantiateWithParams, cuda_graph_t *out, cuda_graph_t g, instantiate_params_t *p) {
  cuda_error_t error = p ? instantiate(out, g) : cudaErrorInvalidValue;
  if (p) p->bad = NULL, p->result = error ? 1 : 0;
  return error;
}

/* A node behind others of the same graph. */
cuda_error_t graph_add_node(rt_t *rt, cuda_graph_t g, node_kind_t kind, const cuda_node_t *before,
                            size_t count, cuda_node_t *out) {
  if (!out || !graph_known(rt, g, false) || (count && !before)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; i++) {
    cuda_node_t n = g->first;
    while (n && n != before[i]) n = n->next;
    if (!n) return cudaErrorInvalidValue;
  }
  *out = node_add(g, kind, before, count);
  return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

API(cudaGraphAddMemAllocNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, alloc_params_t *p) {
  rt_t *rt = rt_enter();
  cuda_error_t error = p && p->bytes ? cudaSuccess : cudaErrorInvalidValue;
  if (!error) error = graph_add_node(rt, g, NODE_ALLOC, before, count, out);
  return rt_leave(rt, error ? error : node_set_memory(rt, *out, p->bytes, &p->at));
}

API(cudaGraphAddMemFreeNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, void *p) {
  rt_t *rt = rt_enter();
  cuda_error_t error =
      p ? graph_add_node(rt, g, NODE_FREE, before, count, out) : cudaErrorInvalidValue;
  if (!error) (*out)->data = p;
  return rt_leave(rt, error);
}

API(cudaGraphMemFreeNodeGetParams, cuda_node_t n, void **out) {
  rt_t *rt = rt_enter();
  if (!n || !out || n->kind != NODE_FREE) return rt_leave(rt, cudaErrorInvalidValue);
  *out = n->data;
  return rt_leave(rt, cudaSuccess);
}

/* What no graph needs has gone already. */
API(cudaDeviceGraphMemTrim, int device) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, device ? cudaErrorInvalidDevice : cudaSuccess);
}

API(cudaGraphAddEmptyNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, graph_add_node(rt, g, NODE_EMPTY, before, count, out));
}

cuda_error_t node_set_kernel(rt_t *rt, cuda_node_t n, const cuda_kernel_node_t *p) {
  packed_launch_t l;
  if (!n || n->kind != NODE_KERNEL || !p || p->extra) return cudaErrorInvalidValue;
  cuda_error_t error = launch_pack(rt, p->function, p->grid, p->block, p->shared, p->args, &l);
  if (error) return error;
  free(n->launch.params);
  n->launch = l;
  return cudaSuccess;
}

API(cudaGraphAddKernelNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, const cuda_kernel_node_t *p) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_add_node(rt, g, NODE_KERNEL, before, count, out);
  if (!error) error = node_set_kernel(rt, *out, p);
  return rt_leave(rt, error);
}
API(cudaGraphKernelNodeSetParams, cuda_node_t n, const cuda_kernel_node_t *p) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, node_set_kernel(rt, n, p));
}
API(cudaGraphExecKernelNodeSetParams, cuda_graph_t g, cuda_node_t n, const cuda_kernel_node_t *p) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, true)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, node_set_kernel(rt, graph_find(g, n), p));
}

static cuda_error_t set_copy(cuda_node_t n, void *to, const void *from, size_t bytes, int kind) {
  if (!n || n->kind != NODE_COPY) return cudaErrorInvalidValue;
  n->move = (move_t){.to = {to, 0, 0},
                     .from = {(char *)(uintptr_t)from, 0, 0},
                     .bytes = {bytes, 1, 1},
                     .kind = kind};
  n->move.asked = described(n->move.to, n->move.from, n->move.bytes, kind);
  return cudaSuccess;
}
API(cudaGraphAddMemcpyNode1D, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, void *to, const void *from, size_t bytes, int kind) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_add_node(rt, g, NODE_COPY, before, count, out);
  if (!error) error = set_copy(*out, to, from, bytes, kind);
  return rt_leave(rt, error);
}
API(cudaGraphMemcpyNodeSetParams1D, cuda_node_t n, void *to, const void *from, size_t bytes,
    int kind) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, set_copy(n, to, from, bytes, kind));
}

/* By symbol: the variable's address is known, or found out, now. */
static cuda_error_t symbol_at(rt_t *rt, const void *symbol, size_t offset, size_t bytes,
                              char **out) {
  entry_t *e;
  cuda_error_t error = entry_variable(rt, symbol, &e);
  if (error) return error;
  if (offset > e->bytes || bytes > e->bytes - offset) return cudaErrorInvalidValue;
  *out = (char *)(uintptr_t)(e->va + offset); /* NOLINT: device addresses are ours too */
  return cudaSuccess;
}
API(cudaGraphAddMemcpyNodeToSymbol, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
  rt_t *rt = rt_enter();
  char *to;
  cuda_error_t error = symbol_at(rt, symbol, offset, bytes, &to);
  if (!error) error = graph_add_node(rt, g, NODE_COPY, before, count, out);
  return rt_leave(rt, error ? error : set_copy(*out, to, from, bytes, kind));
}
API(cudaGraphAddMemcpyNodeFromSymbol, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
  rt_t *rt = rt_enter();
  char *from;
  cuda_error_t error = symbol_at(rt, symbol, offset, bytes, &from);
  if (!error) error = graph_add_node(rt, g, NODE_COPY, before, count, out);
  return rt_leave(rt, error ? error : set_copy(*out, to, from, bytes, kind));
}

API(cudaGraphExecMemcpyNodeSetParams1D, cuda_graph_t g, cuda_node_t n, void *to, const void *from,
    size_t bytes, int kind) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, true)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, set_copy(graph_find(g, n), to, from, bytes, kind));
}
cuda_error_t node_set_box(rt_t *rt, cuda_node_t n, const void *params) {
  move_t m = {0};
  if (!n || n->kind != NODE_COPY) return cudaErrorInvalidValue;
  cuda_error_t error = copy3d_sides(rt, params, &m.to, &m.from, &m.bytes, &m.kind);
  if (!error) m.asked = *(const cuda_copy3d_t *)params, n->move = m;
  return error;
}
API(cudaGraphAddMemcpyNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, const void *params) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_add_node(rt, g, NODE_COPY, before, count, out);
  return rt_leave(rt, error ? error : node_set_box(rt, *out, params));
}
API(cudaGraphMemcpyNodeSetParams, cuda_node_t n, const void *params) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, node_set_box(rt, n, params));
}
API(cudaGraphExecMemcpyNodeSetParams, cuda_graph_t g, cuda_node_t n, const void *params) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, true)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, node_set_box(rt, graph_find(g, n), params));
}

cuda_error_t node_set_fill(cuda_node_t n, const cuda_memset_node_t *p) {
  if (!n || n->kind != NODE_FILL || !p ||
      (p->element_bytes != 1 && p->element_bytes != 2 && p->element_bytes != 4))
    return cudaErrorInvalidValue;
  n->move = (move_t){.to = {p->to, p->pitch, 0},
                     .value = (int)p->value,
                     .value_bytes = p->element_bytes,
                     .bytes = {p->width * p->element_bytes, p->height, 1}};
  return cudaSuccess;
}
API(cudaGraphAddMemsetNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, const cuda_memset_node_t *p) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_add_node(rt, g, NODE_FILL, before, count, out);
  if (!error) error = node_set_fill(*out, p);
  return rt_leave(rt, error);
}
API(cudaGraphMemsetNodeSetParams, cuda_node_t n, const cuda_memset_node_t *p) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, node_set_fill(n, p));
}

API(cudaGraphExecMemsetNodeSetParams, cuda_graph_t g, cuda_node_t n, const cuda_memset_node_t *p) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, graph_known(rt, g, true) ? node_set_fill(graph_find(g, n), p)
                                               : cudaErrorInvalidValue);
}
API(cudaGraphMemsetNodeGetParams, cuda_node_t n, cuda_memset_node_t *p) {
  if (!n || !p || n->kind != NODE_FILL) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  const move_t *m = &n->move;
  *p = (cuda_memset_node_t){m->to.base,
                            m->to.pitch,
                            (unsigned)m->value,
                            m->value_bytes,
                            m->bytes.width / m->value_bytes,
                            m->bytes.height};
  return rt_leave(rt_enter(), cudaSuccess);
}

cuda_error_t node_set_host(cuda_node_t n, const cuda_host_node_t *p) {
  if (!n || n->kind != NODE_HOST || !p || !p->function) return cudaErrorInvalidValue;
  n->function = p->function, n->data = p->data;
  return cudaSuccess;
}
API(cudaGraphAddHostNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before, size_t count,
    const cuda_host_node_t *p) {
  rt_t *rt = rt_enter();
  cuda_error_t error = p && p->function ? graph_add_node(rt, g, NODE_HOST, before, count, out)
                                        : cudaErrorInvalidValue;
  return rt_leave(rt, error ? error : node_set_host(*out, p));
}
API(cudaGraphHostNodeSetParams, cuda_node_t n, const cuda_host_node_t *p) {
  return rt_leave(rt_enter(), node_set_host(n, p));
}
API(cudaGraphExecHostNodeSetParams, cuda_graph_t g, cuda_node_t n, const cuda_host_node_t *p) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, graph_known(rt, g, true) ? node_set_host(graph_find(g, n), p)
                                               : cudaErrorInvalidValue);
}
API(cudaGraphHostNodeGetParams, cuda_node_t n, cuda_host_node_t *p) {
  if (!n || !p || n->kind != NODE_HOST) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  *p = (cuda_host_node_t){n->function, n->data};
  return rt_leave(rt_enter(), cudaSuccess);
}

API(cudaGraphAddEventRecordNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, cuda_event_t event) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_add_node(rt, g, NODE_RECORD, before, count, out);
  if (!error) (*out)->data = event;
  return rt_leave(rt, error);
}
API(cudaGraphAddEventWaitNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, cuda_event_t event) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_add_node(rt, g, NODE_WAIT, before, count, out);
  if (!error) (*out)->data = event;
  return rt_leave(rt, error);
}

cuda_error_t node_set_child(rt_t *rt, cuda_node_t n, cuda_graph_t child) {
  if (!n || n->kind != NODE_GRAPH || !graph_known(rt, child, false)) return cudaErrorInvalidValue;
  cuda_graph_t copy = graph_copy(rt, child);
  if (!copy) return cudaErrorMemoryAllocation;
  if (!graph_sort(copy)) return graph_drop(rt, copy), cudaErrorInvalidValue;
  if (n->child) graph_drop(rt, n->child);
  n->child = copy;
  return cudaSuccess;
}
API(cudaGraphAddChildGraphNode, cuda_node_t *out, cuda_graph_t g, const cuda_node_t *before,
    size_t count, cuda_graph_t child) {
  rt_t *rt = rt_enter();
  cuda_error_t error = graph_known(rt, child, false)
                           ? graph_add_node(rt, g, NODE_GRAPH, before, count, out)
                           : cudaErrorInvalidValue;
  return rt_leave(rt, error ? error : node_set_child(rt, *out, child));
}

API(cudaGraphChildGraphNodeGetGraph, cuda_node_t n, cuda_graph_t *out) {
  if (!n || !out || n->kind != NODE_GRAPH) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  *out = n->child;
  return rt_leave(rt_enter(), cudaSuccess);
}

static void forget_edge(cuda_node_t n, cuda_node_t before) {
  size_t kept = 0;
  for (size_t i = 0; i < n->befores; i++)
    if (n->before[i] != before) n->before[kept++] = n->before[i];
  n->befores = kept;
}

/* The graph that has the node, if it is one that is made by hand. */
static cuda_graph_t owner_of(const rt_t *rt, cuda_node_t n) {
  for (cuda_graph_t g = rt->graphs; g; g = g->next)
    for (cuda_node_t k = g->first; k; k = k->next)
      if (k == n) return g;
  return NULL;
}

API(cudaGraphDestroyNode, cuda_node_t n) {
  rt_t *rt = rt_enter();
  cuda_graph_t g = owner_of(rt, n);
  if (!g || g->runnable) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_node_t *at = &g->first;
  while (*at != n) at = &(*at)->next;
  *at = n->next;
  if (g->last == &n->next) g->last = at;
  for (cuda_node_t k = g->first; k; k = k->next) forget_edge(k, n);
  node_free(rt, n);
  return rt_leave(rt, cudaSuccess);
}

API(cudaGraphNodeSetEnabled, cuda_graph_t g, cuda_node_t n, unsigned on) {
  rt_t *rt = rt_enter();
  cuda_node_t k = graph_known(rt, g, true) ? graph_find(g, n) : NULL;
  if (k) k->off = !on;
  return rt_leave(rt, k ? cudaSuccess : cudaErrorInvalidValue);
}
API(cudaGraphNodeGetEnabled, cuda_graph_t g, cuda_node_t n, unsigned *on) {
  rt_t *rt = rt_enter();
  cuda_node_t k = graph_known(rt, g, true) ? graph_find(g, n) : NULL;
  if (k && on) *on = !k->off;
  return rt_leave(rt, k && on ? cudaSuccess : cudaErrorInvalidValue);
}
API(cudaGraphNodeFindInClone, cuda_node_t *out, cuda_node_t n, cuda_graph_t clone) {
  rt_t *rt = rt_enter();
  if (!out || !graph_known(rt, clone, false) || !graph_find(clone, n))
    return rt_leave(rt, cudaErrorInvalidValue);
  *out = graph_find(clone, n);
  return rt_leave(rt, cudaSuccess);
}

static cuda_error_t depend(cuda_graph_t g, const cuda_node_t *from, const cuda_node_t *to,
                           size_t count) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, false) || (count && (!from || !to)))
    return rt_leave(rt, cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++) {
    cuda_node_t n = to[i], *list = realloc(n->before, (n->befores + 1) * sizeof *list);
    if (!list) return rt_leave(rt, cudaErrorMemoryAllocation);
    n->before = list;
    n->before[n->befores++] = from[i];
  }
  return rt_leave(rt, cudaSuccess);
}
static cuda_error_t undepend(cuda_graph_t g, const cuda_node_t *from, const cuda_node_t *to,
                             size_t count) {
  rt_t *rt = rt_enter();
  if (!graph_known(rt, g, false) || (count && (!from || !to)))
    return rt_leave(rt, cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++) forget_edge(to[i], from[i]);
  return rt_leave(rt, cudaSuccess);
}
#if CUDA_MAJOR >= 13
API(cudaGraphRemoveDependencies, cuda_graph_t g, const cuda_node_t *from, const cuda_node_t *to,
    const void *edges, size_t count) {
  (void)edges;
  return undepend(g, from, to, count);
}
API(cudaGraphAddDependencies, cuda_graph_t g, const cuda_node_t *from, const cuda_node_t *to,
    const void *edges, size_t count) {
  (void)edges;
  return depend(g, from, to, count);
}
#else
API(cudaGraphRemoveDependencies, cuda_graph_t g, const cuda_node_t *from, const cuda_node_t *to,
    size_t count) {
  return undepend(g, from, to, count);
}
API(cudaGraphAddDependencies, cuda_graph_t g, const cuda_node_t *from, const cuda_node_t *to,
    size_t count) {
  return depend(g, from, to, count);
}
#endif

/* ---- looking at them
 * ----------------------------------------------------------------------------- */

static cuda_error_t list_nodes(cuda_graph_t g, cuda_node_t *nodes, size_t *count, bool roots) {
  rt_t *rt = rt_enter();
  size_t n = 0;
  if (!count || !graph_known(rt, g, false)) return rt_leave(rt, cudaErrorInvalidValue);
  for (cuda_node_t k = g->first; k; k = k->next) {
    if (roots && k->befores) continue;
    if (nodes && n < *count) nodes[n] = k;
    n++;
  }
  *count = nodes && *count < n ? *count : n;
  return rt_leave(rt, cudaSuccess);
}
API(cudaGraphGetNodes, cuda_graph_t g, cuda_node_t *nodes, size_t *count) {
  return list_nodes(g, nodes, count, false);
}
API(cudaGraphGetRootNodes, cuda_graph_t g, cuda_node_t *nodes, size_t *count) {
  return list_nodes(g, nodes, count, true);
}

/* Pairs of nodes of which one waits for the other: of the graph, or those with this first or
 * second. Where a list is too short, what fits is in it; how many there are is always told. */
static cuda_error_t list_edges(cuda_graph_t g, cuda_node_t first, cuda_node_t second,
                               cuda_node_t *from, cuda_node_t *to, void *data, size_t *count) {
  rt_t *rt = rt_enter();
  enum { DATA_BYTES = 8 }; /* cudaGraphEdgeData: plain edges are zero */
  size_t n = 0, room = count ? *count : 0;
  if (!g) g = owner_of(rt, first ? first : second);
  if (!count || !g || !graph_known(rt, g, false)) return rt_leave(rt, cudaErrorInvalidValue);
  for (cuda_node_t k = g->first; k; k = k->next)
    for (size_t i = 0; i < k->befores; i++) {
      if ((first && k->before[i] != first) || (second && k != second)) continue;
      if (from && n < room) from[n] = k->before[i];
      if (to && n < room) to[n] = k;
      if (data && n < room) memset((char *)data + n * DATA_BYTES, 0, DATA_BYTES);
      n++;
    }
  *count = (from || to) && room < n ? room : n;
  return rt_leave(rt, cudaSuccess);
}
#if CUDA_MAJOR >= 13
API(cudaGraphGetEdges, cuda_graph_t g, cuda_node_t *from, cuda_node_t *to, void *data,
    size_t *count) {
  return list_edges(g, NULL, NULL, from, to, data, count);
}
API(cudaGraphNodeGetDependencies, cuda_node_t n, cuda_node_t *list, void *data, size_t *count) {
  return list_edges(NULL, NULL, n, list, NULL, data, count);
}
API(cudaGraphNodeGetDependentNodes, cuda_node_t n, cuda_node_t *list, void *data, size_t *count) {
  return list_edges(NULL, n, NULL, NULL, list, data, count);
}
#else
API(cudaGraphGetEdges, cuda_graph_t g, cuda_node_t *from, cuda_node_t *to, size_t *count) {
  return list_edges(g, NULL, NULL, from, to, NULL, count);
}
API(cudaGraphNodeGetDependencies, cuda_node_t n, cuda_node_t *list, size_t *count) {
  return list_edges(NULL, NULL, n, list, NULL, NULL, count);
}
API(cudaGraphNodeGetDependentNodes, cuda_node_t n, cuda_node_t *list, size_t *count) {
  return list_edges(NULL, n, NULL, NULL, list, NULL, count);
}
#endif

/* Its arguments are a copy here, so a pointer to each can be given; they live as long as the node.
 */
API(cudaGraphKernelNodeGetParams, cuda_node_t n, cuda_kernel_node_t *p) {
  rt_t *rt = rt_enter();
  entry_t *e;
  if (!n || !p || n->kind != NODE_KERNEL) return rt_leave(rt, cudaErrorInvalidValue);
  packed_launch_t *l = &n->launch;
  cuda_error_t error = entry_function(rt, l->function, &e);
  if (error) return rt_leave(rt, error);
  free(n->args);
  n->args = calloc(e->info->params + 1u, sizeof *n->args);
  if (!n->args) return rt_leave(rt, cudaErrorMemoryAllocation);
  for (uint32_t i = 0; i < e->info->params; i++) n->args[i] = l->params + e->info->param[i].offset;
  *p = (cuda_kernel_node_t){l->function, l->grid, l->block, (unsigned)l->shared, n->args, NULL};
  return rt_leave(rt, cudaSuccess);
}

/* For Graphviz. */
API(cudaGraphDebugDotPrint, cuda_graph_t g, const char *path, unsigned flags) {
  static const char *const kinds[] = {"kernel", "copy",   "fill", "host", "graph", "empty",
                                      "wait",   "record", "",     "",     "alloc", "free"};
  rt_t *rt = rt_enter();
  FILE *f = path && graph_known(rt, g, false) ? fopen(path, "w") : NULL;
  (void)flags;
  if (!f) return rt_leave(rt, cudaErrorInvalidValue);
  fprintf(f, "digraph graph_1 {\n");
  size_t number = 0;
  for (cuda_node_t n = g->first; n; n = n->next) n->order = number++;
  for (cuda_node_t n = g->first; n; n = n->next) {
    fprintf(f, "  node_%zu [label=\"%zu: %s\"];\n", n->order, n->order, kinds[n->kind]);
    for (size_t i = 0; i < n->befores; i++)
      fprintf(f, "  node_%zu -> node_%zu;\n", n->before[i]->order, n->order);
  }
  fprintf(f, "}\n");
  return rt_leave(rt, fclose(f) ? cudaErrorOperatingSystem : cudaSuccess);
}

API(cudaGraphNodeGetType, cuda_node_t n, int *type) {
  if (!n || !type) return rt_leave(rt_enter(), cudaErrorInvalidValue);
  *type = (int)n->kind;
  return rt_leave(rt_enter(), cudaSuccess);
}

/* Another graph of the same shape takes the runnable one's place. */
static cuda_error_t update(cuda_graph_t exec, cuda_graph_t g, int *result) {
  rt_t *rt = rt_enter();
  *result = 1; /* cudaGraphExecUpdateError */
  if (!graph_known(rt, exec, true) || !graph_known(rt, g, false))
    return rt_leave(rt, cudaErrorInvalidValue);
  cuda_graph_t copy = graph_copy(rt, g);
  if (!copy || !graph_sort(copy)) return rt_leave(rt, cudaErrorMemoryAllocation);
  cuda_node_t a = exec->first, b = copy->first;
  /* Nodes keep their names, those of the graph that the runnable one was made of. */
  for (; a && b && a->kind == b->kind; a = a->next, b = b->next) b->origin = a->origin;
  bool same = !a && !b;
  *result = same ? 0 : 2; /* success, or another topology */
  if (same) {             /* the nodes change hands */
    cuda_node_t old = exec->first;
    exec->first = copy->first, exec->last = copy->last, copy->first = old;
    if (!exec->first) exec->last = &exec->first;
  }
  graph_drop(rt, copy);
  return rt_leave(rt, same ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}
#if CUDA_MAJOR >= 12
typedef struct {
  int result;
  cuda_node_t bad, from;
} update_t;
API(cudaGraphExecUpdate, cuda_graph_t exec, cuda_graph_t g, update_t *info) {
  int result;
  cuda_error_t error = update(exec, g, &result);
  if (info) *info = (update_t){result, NULL, NULL};
  return error;
}
#else
API(cudaGraphExecUpdate, cuda_graph_t exec, cuda_graph_t g, cuda_node_t *bad, int *info) {
  int result;
  cuda_error_t error = update(exec, g, &result);
  if (bad) *bad = NULL;
  if (info) *info = result;
  return error;
}
#endif
