#ifndef GMMU_PTX_SPARSE_H
#define GMMU_PTX_SPARSE_H
/* A range of bytes of which only the granules that were written cost memory: what random accesses
 * to a table of 16 GB need, where a host page per access would be 64 times as much.
 *
 * A range may lie over host memory that another process sees, too (sparse_over()). Then a page with
 * many granules moves there and stays, and what is copied in or out settles there first. */
#include "ptx/devmem.h"
#include <stddef.h>

typedef struct sparse sparse_t;

sparse_t *sparse_new(const devmem_content_t *content); /* NULL: zeroes. NULL if memory ran out */
/* Over [host, host + bytes), which is zero; the range begins `first` bytes into a host page. */
sparse_t *sparse_over(uint8_t *host, uint64_t first, uint64_t bytes);
/* As new, with that content; the host memory, if there is some, is zero again. */
void sparse_reset(sparse_t *s, const devmem_content_t *content);
void sparse_free(sparse_t *s); /* NULL is allowed */
/* To write: the byte at `offset`, and those behind it in its granule; NULL if memory ran out. */
uint8_t *sparse_at(sparse_t *s, uint64_t offset);
/* To read, at no cost: the same, maybe in `scratch`. Valid until the next sparse_at(). */
const uint8_t *sparse_peek(const sparse_t *s, uint64_t offset, uint8_t scratch[DEVMEM_GRANULE]);
/* Over host memory only: it holds the range from now on. Without `write`, pages that were never
 * touched and are zero stay as they are. True: it holds all there is, and *s may go. */
bool sparse_settle(sparse_t *s, uint64_t offset, uint64_t bytes, bool write);
void sparse_read(const sparse_t *s, uint64_t offset, uint8_t *to, uint64_t bytes);
bool sparse_write(sparse_t *s, uint64_t offset, const uint8_t *from, uint64_t bytes);
/* Granule i in the order they were first touched, with its offset; NULL behind the last. */
const uint8_t *sparse_granule(const sparse_t *s, uint64_t i, uint64_t *offset);
#endif
