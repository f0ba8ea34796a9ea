#ifndef GMMU_ENGINE_WATCH_H
#define GMMU_ENGINE_WATCH_H
/* Those who want to hear of something that a block does, in the order of the machine's rows. The
 * machine fills the lists from hooks.def; a block only calls. An empty list costs one test. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define WATCHERS 40 /* at least as many as the machine has rows */

/* A list in a block's struct, of functions with these arguments behind their own context. */
#define WATCH(name, ...)                                                                           \
  struct {                                                                                         \
    void (*tell[WATCHERS + 1])(void *ctx, __VA_ARGS__); /* ends with NULL */                       \
    void *ctx[WATCHERS];                                                                           \
    uint32_t count;                                                                                \
  } name

#define WATCH_CLEAR(list) ((list).count = 0, (list).tell[0] = NULL)
#define WATCH_ADD(list, function, context)                                                         \
  do {                                                                                             \
    assert((list).count < WATCHERS);                                                               \
    (list).ctx[(list).count] = (context);                                                          \
    (list).tell[(list).count] = (function);                                                        \
    (list).tell[++(list).count] = NULL;                                                            \
  } while (0)
#define WATCHED(list) ((list).tell[0] != NULL)
#define WATCH_TELL(list, ...)                                                                      \
  for (uint32_t w_ = 0; (list).tell[w_]; w_++) (list).tell[w_]((list).ctx[w_], __VA_ARGS__)
#endif
