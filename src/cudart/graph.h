#ifndef GMMU_CUDART_GRAPH_H
#define GMMU_CUDART_GRAPH_H
/* What graph.c (nodes, capturing, running) and graph_nodes.c (nodes by their parameters) share. */
#include "cudart/rt.h"

typedef struct cuda_object *cuda_object_t; /* cudaUserObject_t */

typedef enum {
  NODE_KERNEL,
  NODE_COPY,
  NODE_FILL,
  NODE_HOST,
  NODE_GRAPH,
  NODE_EMPTY,
  NODE_WAIT, /* for an event: what it stands for is done */
  NODE_RECORD,
  NODE_ALLOC = 10,
  NODE_FREE = 11
} node_kind_t; /* cudaGraphNodeType */

/* Memory that nodes of graphs allocate: one address for all copies and launches of the graph. */
struct graph_memory {
  graph_memory_t *next;
  void *at;
  size_t bytes;
  size_t nodes; /* that have it */
  bool live;    /* a launch allocated it and nobody has freed it since */
};

typedef struct {
  side_t to, from;
  cuda_extent_t bytes;
  int kind, value;
  unsigned value_bytes;
  cuda_copy3d_t asked; /* a copy, as the program described it */
} move_t;

struct cuda_node {
  cuda_node_t next, origin; /* origin: of a node of a runnable graph, the one that it copies */
  node_kind_t kind;
  cuda_node_t *before;
  size_t befores;
  size_t order; /* while sorting: what it still waits for */
  packed_launch_t launch;
  void **args; /* of a kernel, where they were asked for */
  move_t move;
  void (*function)(void *);
  void *data;             /* of the function; memory to free; an event */
  bool off;               /* a runnable graph leaves it out */
  cuda_graph_t child;     /* its own */
  graph_memory_t *memory; /* NODE_ALLOC */
  struct {                /* kept, and without effect */
    bool set;
    char value[STREAM_VALUE_BYTES];
  } attribute[STREAM_ATTRIBUTES];
};
struct cuda_graph {
  cuda_graph_t next; /* of all that there are */
  cuda_node_t first, *last;
  bool runnable; /* cudaGraphExec_t */
  struct holding {
    struct holding *next;
    cuda_object_t object;
    unsigned count;
  } * objects; /* of the program, which it holds */
};

/* cudaMemAllocNodeParams; the pool's properties say that the memory is the device's. */
typedef struct {
  uint64_t pool_props[11];
  const void *access;
  size_t accesses, bytes;
  void *at;
} alloc_params_t;
_Static_assert(sizeof(alloc_params_t) == 120, "cudaMemAllocNodeParams");

/* Of all graphs' memory: what there is, or what is in use. */
size_t graph_memory_bytes(const rt_t *rt, bool used);
bool graph_known(const rt_t *rt, cuda_graph_t g, bool runnable);
/* The node of a graph that is `origin`, or a copy of it. */
cuda_node_t graph_find(cuda_graph_t g, cuda_node_t origin);
/* A node behind others of the same graph. */
cuda_error_t graph_add_node(rt_t *rt, cuda_graph_t g, node_kind_t kind, const cuda_node_t *before,
                            size_t count, cuda_node_t *out);
/* What a node is to do; an error if it is of another kind. */
cuda_error_t node_set_kernel(rt_t *rt, cuda_node_t n, const cuda_kernel_node_t *p);
cuda_error_t node_set_box(rt_t *rt, cuda_node_t n, const void *params);
cuda_error_t node_set_fill(cuda_node_t n, const cuda_memset_node_t *p);
cuda_error_t node_set_host(cuda_node_t n, const cuda_host_node_t *p);
cuda_error_t node_set_child(rt_t *rt, cuda_node_t n, cuda_graph_t child);
cuda_error_t node_set_memory(rt_t *rt, cuda_node_t n, size_t bytes, void **out);
/* Objects of the program: a graph holds one so many times; behind the last time the program's
 * function is called. */
bool graph_hold(cuda_graph_t g, cuda_object_t o, unsigned count); /* false: no memory */
void object_retain(cuda_object_t o, unsigned count);
void object_release(cuda_object_t o, unsigned count);
#endif
