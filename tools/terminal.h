#ifndef GMMU_TERMINAL_H
#define GMMU_TERMINAL_H
/* How large a terminal is. */
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t columns, rows;
} terminal_t;

/* False if `fd` is none: a file or a pipe, where lines may be as long as they like. */
bool terminal_size(int fd, terminal_t *out);
#endif
