#ifndef GMMU_BASE_JSON_H
#define GMMU_BASE_JSON_H
/* A JSON writer: deterministic bytes, two-space indentation, no floating point from libm (ratios
 * are printed from integers). Keys come in the order they are written. A newline ends every value
 * of the outermost level. */
#include "base/strbuf.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  strbuf_t out; /* the text; out.failed once memory ran out */
  uint32_t depth;
  bool first, after_key;
} json_t;

void json_init(json_t *j);
void json_fini(json_t *j);
void json_begin_object(json_t *j);
void json_end_object(json_t *j);
void json_begin_array(json_t *j);
void json_end_array(json_t *j);
void json_key(json_t *j, const char *key);
void json_str(json_t *j,
              const char *s); /* escapes; invalid UTF-8 bytes become \u00XX; NULL: null */
void json_u64(json_t *j, uint64_t v);
void json_u64s(json_t *j, const uint64_t *v, uint32_t count); /* an array, on one line */
void json_i64(json_t *j, int64_t v);
void json_bool(json_t *j, bool v);
void json_null(json_t *j);
void json_raw(json_t *j, const char *text); /* a number or a whole document, as it is */
/* num/den rounded half up to `digits` decimals with integer arithmetic; null if den is 0. */
void json_ratio(json_t *j, uint64_t num, uint64_t den, uint32_t digits);
#endif
