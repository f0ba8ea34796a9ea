#ifndef GMMU_PTX_SPARSE_H
#define GMMU_PTX_SPARSE_H
/* A range of bytes of which only the granules that were touched cost memory: what random accesses
 * to a table of 16 GB need, where a host page per access would be 64 times as much. */
#include "ptx/devmem.h"
#include <stddef.h>

typedef struct sparse sparse_t;

sparse_t *sparse_new(const devmem_content_t *content); /* NULL: zeroes. NULL if memory ran out */
void sparse_free(sparse_t *s);                         /* NULL is allowed */
/* The byte at `offset`, and those behind it in its granule; NULL if memory ran out. Stays where it
 * is. */
uint8_t *sparse_at(sparse_t *s, uint64_t offset);
void sparse_read(const sparse_t *s, uint64_t offset, uint8_t *to, uint64_t bytes);
bool sparse_write(sparse_t *s, uint64_t offset, const uint8_t *from, uint64_t bytes);
/* Granule i in the order they were first touched, with its offset; NULL behind the last. */
const uint8_t *sparse_granule(const sparse_t *s, uint64_t i, uint64_t *offset);
#endif
