#ifndef GMMU_PTX_APP_H
#define GMMU_PTX_APP_H
/* A kernel of a .ptx file as an application:
 * "gather.ptx:kernel=gather,grid=64,block=256,args=index:64K:16M/mem:64M/mem:64K".
 *
 * A file says nothing of how a kernel is launched, so the text does. `grid` and `block` are
 * numbers, or two or three with x between. `args` has one value for each parameter of the kernel,
 * with / between: a number; "mem:SIZE", an array of zeroes; "index:SIZE:N", an array of 32-bit
 * numbers below N at random. `kernel` may be left out where the file has one; `shared`, `launches`
 * and `seed` where their defaults will do (0 bytes, 1, 1). */
#include "gmmu/stream.h"
#include <stdbool.h>
#include <stddef.h>

bool ptx_app_knows(const char *text);
/* Bytes of the file's name, with which the text begins; 0: it is none. */
size_t ptx_app_path(const char *text);
/* On success the caller owns *out and ends it with (*out)->ops->free(). */
int ptx_app_open(const char *text, source_t **out, err_t *e);
#endif
