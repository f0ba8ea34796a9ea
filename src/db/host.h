#ifndef GMMU_DB_HOST_H
#define GMMU_DB_HOST_H
/* The operators as a library for this computer's memory. */
#include "db/db.h"

typedef struct {
  db_bucket_t *bucket; /* zeroed: empty */
  uint64_t slots;      /* at most 2^31, and more than there are different values */
} db_table_t;

/* Counts the rows into the table. */
void db_group_rows(db_table_t *t, const uint32_t *in, uint64_t rows);
/* Only those whose bucket is looked for first in [first, first + count). */
void db_group_scope(db_table_t *t, const uint32_t *in, uint64_t rows, uint64_t first,
                    uint64_t count);
/* The same, and the others go to aside[], in order. Returns how many. */
uint64_t db_group_copy(db_table_t *t, const uint32_t *in, uint64_t rows, uint64_t first,
                       uint64_t count, uint32_t *aside);
/* All passes over one chunk, as the form says. aside[rows] may be NULL unless it is DB_COPY. */
void db_group_chunk(db_table_t *t, const uint32_t *in, uint64_t rows, db_form_t form,
                    uint64_t scope_slots, uint32_t *aside);

/* `draws` words at random positions in [first, first + count) of those the stream names. */
uint64_t db_sample_scope(const uint32_t *data, uint64_t words, uint64_t stream, uint64_t draws,
                         uint64_t first, uint64_t count);

typedef struct {
  uint32_t threads, passes;
  uint64_t chunks, accesses, launches;
  uint64_t ns;     /* of the operator alone: memory is there and touched before */
  uint64_t cycles; /* of a simulated GPU; 0: real time */
  uint64_t groups; /* group-by: that came out */
  uint64_t sum;    /* sampling: of all words */
} db_result_t;

/* Makes data or input, runs the operator with spec->threads threads (0: one), checks what comes out
 * against the reference. */
int db_host_run(const db_spec_t *spec, db_result_t *out, err_t *e);
#endif
