#ifndef GMMU_CUDART_RT_H
#define GMMU_CUDART_RT_H
/* The runtime library's inside. It lives in the CUDA program's process and depends on libc alone.
 *
 * A process has one rt_t. Every entry point takes it with rt_enter() (which locks it and, the first
 * time, connects to gmmu), does its work through wire_call(), and gives it back with rt_leave(),
 * which also keeps the error for cudaGetLastError(). Without a connection wire_call() answers with
 * the reason, so entry points need no case for that.
 *
 * The program's work is done in the order it is asked for, whatever the stream: an asynchronous
 * call has ended when it returns. What it might run beside is told with each launch (order.c). */
#include "cudart/abi.h"
#include "gmmu/wire.h"
#include <pthread.h>
#include <stdbool.h>
#include <sys/uio.h>

/* An entry point that returns a cudaError_t, or a type: declared, exported and defined. ALIAS is
 * another name of one in the same file; the _ptds and _ptsz ones are for programs compiled with a
 * default stream per thread, which makes no difference in order. */
#define EXPORT __attribute__((visibility("default")))
#define API_AS(type, name, ...)                                                                    \
  EXPORT type name(__VA_ARGS__);                                                                   \
  type name(__VA_ARGS__)
#define API(name, ...)      API_AS(cuda_error_t, name, __VA_ARGS__)
#define ALIAS(name, target) extern EXPORT __typeof__(target) name __attribute__((alias(#target)))

/* A fat binary the program has registered. gmmu gets it when something in it is first needed. */
typedef struct module {
  struct module *next;
  const void *wrapper;
  bool loaded;
  cuda_error_t error; /* of loading */
  uint64_t *number;   /* gmmu's: one, or several with separate compilation */
  size_t numbers;
} module_t;

typedef enum { ENTRY_FUNCTION, ENTRY_VARIABLE, ENTRY_TEXTURE } entry_kind_t;

/* A kernel, variable or texture reference the program knows by the address of something of its own:
 * the launch stub, the shadow of the variable. */
typedef struct entry {
  struct entry *next;
  const void *host;
  const char *name;
  module_t *module;
  entry_kind_t kind;
  bool known;             /* the rest is what gmmu said, or was set */
  uint64_t gmmu_module;   /* that has it */
  uint32_t kernel;        /* its number */
  wire_kernel_t *info;    /* of a function */
  int max_dynamic_shared; /* as set with cudaFuncSetAttribute; -1: not */
  int carveout;
  uint64_t va, bytes;   /* of a variable */
  void **managed;       /* where the program keeps the address of a managed variable */
  bool read_normalized; /* of a texture */
} entry_t;
enum { ENTRY_BUCKETS = 1024 };

/* Host memory that cudaHostRegister made visible to the device: whole pages. */
typedef struct registered {
  struct registered *next;
  char *user, *page;
  size_t user_bytes, page_bytes;
} registered_t;

struct cuda_array {
  cuda_array_t next;
  cuda_channel_t channel;
  size_t width, height, depth; /* in elements; height and depth may be 0 */
  size_t element_bytes, pitch;
  unsigned flags;
  char *base;
};

/* order.c: the last launch of each place, + 1. */
enum { ORDER_PLACES = WIRE_MAX_AFTER, STREAM_NON_BLOCKING = 1 };
typedef struct {
  uint64_t last[ORDER_PLACES];
} order_t;

/* Of a stream that captures: the nodes that its next one waits for. */
typedef struct {
  cuda_node_t *node;
  size_t count;
} frontier_t;

/* cudaStreamSetAttribute: kept, and without effect. */
enum { STREAM_ATTRIBUTES = 16, STREAM_VALUE_BYTES = 64 };

struct cuda_stream {
  cuda_stream_t next;
  uint64_t id;
  order_t tail; /* all its work so far */
  unsigned flags;
  int priority;
  cuda_graph_t capture; /* what it is asked for goes there; NULL: it is done */
  bool captures;        /* its capture began here; else an event brought it in */
  bool broken;          /* it was waited for, which ends its capture */
  frontier_t front;
  struct {
    bool set;
    char value[STREAM_VALUE_BYTES];
  } attribute[STREAM_ATTRIBUTES];
};

struct cuda_event {
  cuda_event_t next;
  unsigned flags;
  bool recorded;
  order_t at;           /* the work before it */
  cuda_graph_t capture; /* it was recorded by a stream that captures */
  frontier_t front;     /* which had come so far */
  uint64_t time_ns;
};

typedef struct cuda_pool *cuda_pool_t;
typedef struct pooled pooled_t;
typedef struct graph_memory graph_memory_t;
typedef struct piece {
  struct piece *next;
  const void *at;
  size_t bytes;
} piece_t;

typedef struct shadows shadows_t;
typedef struct advice advice_t;

typedef struct texture {
  struct texture *next;
  uint64_t handle;
  cuda_resource_t resource;
  cuda_texture_t how;
  bool surface;
} texture_t;

typedef struct rt {
  pthread_mutex_t lock;
  bool tried;          /* to connect */
  cuda_error_t status; /* why nothing can be asked; 0: connected */
  cuda_error_t sticky; /* what a kernel did; stays until the device is reset */
  int socket, memory;
  wire_device_t device;
  char *payload; /* of the last answer */
  size_t payload_room;
  module_t *modules;
  bool fresh_modules; /* some are not loaded yet */
  entry_t *entry[ENTRY_BUCKETS];
  registered_t *registered;
  shadows_t *shadows; /* of managed variables */
  advice_t *advice;   /* the last one first */
  cuda_array_t arrays;
  cuda_stream_t streams;
  cuda_event_t events;
  texture_t *textures;
  cuda_graph_t graphs;
  uint64_t stream_ids;
  order_t host, legacy; /* what the host has waited for; all work of the default stream */
  order_t last;         /* launches in all */
  uint64_t alone;       /* the last one that did not overlap, + 1 */
  unsigned device_flags;
  int cache_config, shared_config;
  size_t limit[7];
  cuda_pool_t pools, pool; /* pool: that of cudaMallocAsync; NULL: the default one */
  pooled_t *pooled;        /* what was allocated out of pools */
  graph_memory_t *graph_memory;
  piece_t *pieces; /* memory at addresses that the program chose */
} rt_t;

rt_t *rt_lock(void);  /* without connecting: for what may run before main() or without gmmu */
rt_t *rt_enter(void); /* and connects */
/* Unlocks; `error`, or else a kernel's that stays, becomes the thread's last error. Returns it. */
cuda_error_t rt_leave(rt_t *rt, cuda_error_t error);
cuda_error_t rt_leave_quietly(rt_t *rt, cuda_error_t error); /* leaves the last error alone */
/* One line on stderr. */
void rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says what is not supported, once for each `said`, and returns cudaErrorNotSupported. */
cuda_error_t rt_unsupported(bool *said, const char *what);
#define UNSUPPORTED(what)                                                                          \
  __extension__({                                                                                  \
    static bool said_;                                                                             \
    rt_unsupported(&said_, what);                                                                  \
  })

void rt_error_set(cuda_error_t error); /* the thread's last */

/* Connects, maps the device's memory, says hello. */
cuda_error_t wire_connect(rt_t *rt);
void wire_abandon(rt_t *rt, cuda_error_t status); /* the connection is of no more use */
/* Asks and waits for the answer; its payload is in rt->payload. Returns the answer's error. */
cuda_error_t wire_call(rt_t *rt, wire_op_t op, const uint64_t a[4], const struct iovec *payload,
                       int parts, wire_answer_t *answer);
/* Without payload and four numbers. */
cuda_error_t wire_ask(rt_t *rt, wire_op_t op, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3,
                      wire_answer_t *answer);

/* register.c: what the program has registered, ready for use. */
cuda_error_t entry_function(rt_t *rt, const void *host, entry_t **out);
cuda_error_t entry_variable(rt_t *rt, const void *host, entry_t **out);
cuda_error_t entry_texture(rt_t *rt, const void *host, entry_t **out);
void modules_forget(rt_t *rt);   /* the device was reset */
void modules_with_managed(void); /* are loaded: the host may use their variables any time */

/* managed.c */
bool managed_in(const rt_t *rt, const module_t *m); /* has it variables with shadows? */
void managed_place(rt_t *rt, const module_t *m);    /* it is loaded, or begins anew */
bool managed_has(const rt_t *rt, const void *p);    /* is this address in a managed variable? */
/* What a variable is registered by, if p is its address in device memory; else p. */
const void *managed_symbol(const rt_t *rt, const void *p);
void managed_translate(const rt_t *rt, const wire_kernel_t *k, char *params);

/* memory.c */
bool memory_on_device(const rt_t *rt, const void *p); /* may a kernel have this address? */
cuda_error_t memory_alloc(rt_t *rt, size_t bytes, wire_alloc_t kind, void *out);
/* Of `bytes` from p on: how many are in the piece of cuMemMap that p is in; all, if it is in none.
 */
size_t memory_piece(const rt_t *rt, const void *p, size_t bytes);
void pieces_forget(rt_t *rt);
cuda_error_t memory_is_managed(rt_t *rt, const void *p, size_t bytes); /* all of it? */
cuda_error_t memory_free(rt_t *rt, const void *p);
void memory_forget(rt_t *rt); /* before a reset: registered pages become the program's again */

/* advice.c */
void advice_given(rt_t *rt, const void *p, size_t bytes, int advice, int device);
void advice_prefetched(rt_t *rt, const void *p, size_t bytes, int device);
void advice_freed(rt_t *rt, const void *p);
void advice_forget(rt_t *rt);

/* copy.c: boxes of bytes. A line is a box of height and depth 1. */
typedef struct {
  char *base;
  size_t pitch, slice; /* bytes from row to row and from plane to plane */
} side_t;
cuda_error_t copy_box(rt_t *rt, side_t to, side_t from, cuda_extent_t bytes, int kind);
cuda_error_t fill_box(rt_t *rt, side_t to, int value, cuda_extent_t bytes);

cuda_error_t fill_values(rt_t *rt, side_t to, int value, unsigned value_bytes, cuda_extent_t bytes);
/* Now, or into the graph that the stream captures. */
cuda_error_t copy_in(rt_t *rt, cuda_stream_t s, side_t to, side_t from, cuda_extent_t b, int kind);

/* launch.c: a launch whose arguments have been copied; `params` is to be freed. */
typedef struct {
  const void *function;
  dim3_t grid, block;
  size_t shared;
  char *params;
  uint32_t bytes;
} packed_launch_t;
cuda_error_t launch_pack(rt_t *rt, const void *function, dim3_t grid, dim3_t block, size_t shared,
                         void **args, packed_launch_t *out);
cuda_error_t launch_packed(rt_t *rt, const packed_launch_t *l, cuda_stream_t stream);

/* graph.c */
/* Work of a stream that captures becomes a node. */
cuda_error_t capture_launch(cuda_stream_t s, const packed_launch_t *l); /* takes l->params */
cuda_error_t capture_copy(cuda_stream_t s, side_t to, side_t from, cuda_extent_t b, int kind);
cuda_error_t capture_fill(cuda_stream_t s, side_t to, int value, cuda_extent_t b);
cuda_error_t capture_host(cuda_stream_t s, void (*function)(void *), void *data);
/* Memory of graphs: it has its address from now on; it goes with the last graph that has it. */
cuda_error_t capture_alloc(rt_t *rt, cuda_stream_t s, size_t bytes, void **out);
cuda_error_t capture_free(cuda_stream_t s, void *p);
bool frontier_join(frontier_t *to, const frontier_t *from); /* false: no memory */
void frontier_forget(frontier_t *f);
bool graph_keeps(rt_t *rt, const void *p); /* p is freed; true: but a graph keeps it */
void graphs_forget(rt_t *rt);

/* pool.c */
cuda_error_t pool_alloc(rt_t *rt, size_t bytes, cuda_pool_t pool, void **out);
void pool_freed(rt_t *rt, const void *at);
void pools_forget(rt_t *rt);

/* array.c */
/* Both sides of a cudaMemcpy3DParms. */
cuda_error_t copy3d_sides(rt_t *rt, const void *params, side_t *to, side_t *from,
                          cuda_extent_t *bytes, int *kind);
bool array_known(const rt_t *rt, const struct cuda_array *a);
void arrays_forget(rt_t *rt);

/* order.c */
void order_join(order_t *to, const order_t *from); /* `to` comes after both */
order_t *order_of(rt_t *rt, cuda_stream_t s);      /* all work of the stream so far */
void order_host_waits(rt_t *rt, const order_t *o); /* what is asked for later comes after it */
void order_host_waits_all(rt_t *rt);
void order_launch(rt_t *rt, cuda_stream_t s, wire_launch_t *l); /* fills in what it waits for */
void order_launched(rt_t *rt, cuda_stream_t s, const wire_launch_t *l, uint64_t number);
void order_forget(rt_t *rt);

/* stream.c, event.c, texture.c */
cuda_error_t stream_check(const rt_t *rt, cuda_stream_t s);
uint64_t stream_id(cuda_stream_t s);
bool stream_is_default(cuda_stream_t s);
cuda_graph_t stream_capture(cuda_stream_t s); /* of a stream that has been checked */
void streams_forget(rt_t *rt);
void events_forget(rt_t *rt);
cuda_error_t event_record(rt_t *rt, cuda_event_t e, cuda_stream_t stream);
void textures_forget(rt_t *rt);

/* channels: bytes of an element, 0 if it is none we know */
size_t channel_bytes(const cuda_channel_t *c);
#endif
