#ifndef GMMU_TRACE_GMT_ENCODE_H
#define GMMU_TRACE_GMT_ENCODE_H
/* Coding one warp's records; the counterpart of step() in gmt_reader.c. */
#include "trace/gmt_table.h"

/* A warp being recorded. buf[0 .. done) holds complete records; the record at `ctrl` still lacks
 * its successor, which only the warp's next instruction tells. */
typedef struct {
  uint8_t *buf;
  pred_t *pred;
  uint32_t used, done, ctrl;
  uint32_t cur; /* instruction of the incomplete record */
  uint32_t mask;
  bool begun, open;
} enc_t;

/* The warp's first instruction: its index goes ahead of the first record. */
void gmt_enc_first(enc_t *w, uint32_t index);
/* Writes the record of `index` without its successor: at most GMT_MAX_RECORD bytes with it. */
void gmt_enc_record(enc_t *w, const table_t *t, uint32_t index, const warp_op_t *op);
/* Completes the record: the warp goes on with `next`, or ends (STREAM_END). May learn a jump. */
void gmt_enc_successor(enc_t *w, table_t *t, uint32_t next);
#endif
